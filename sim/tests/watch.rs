//! Who watches a simulation is told of every instruction, changes nothing, and can end what comes to no end.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use sim::predict::{How, predict};
use sim::{Arg, Dim3, Error, Launch, Module, Options, Watch, simulate};

/// Every thread adds up to `rounds`; with a negative number it never ends.
const KERNEL: &str = ".version 8.0\n.target sm_90\n.address_size 64\n\
    .visible .entry k(.param .u64 out, .param .s32 rounds)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n\
    ld.param.u64 %rd1, [out];\nld.param.s32 %r1, [rounds];\nmov.u32 %r2, 0;\n\
    $L:\nadd.s32 %r2, %r2, 1;\nsetp.ne.s32 %p1, %r2, %r1;\n@%p1 bra $L;\n\
    mov.u32 %r3, %ctaid.x;\ncvt.u64.u32 %rd2, %r3;\nshl.b64 %rd2, %rd2, 2;\nadd.u64 %rd3, %rd1, %rd2;\n\
    st.global.u32 [%rd3], %r2;\nret;\n}\n";

fn launch(blocks: u32, rounds: i32) -> (Module, Launch) {
    let args = vec![Arg::Zeros(u64::from(blocks) * 4), Arg::Scalar(sim::Scalar::I32(rounds))];
    let launch = Launch { grid: Dim3::linear(blocks), block: Dim3::linear(1), shared_bytes: 0, args };
    (Module::parse("k.ptx", KERNEL).unwrap(), launch)
}

/// Options whose watcher stops behind `most` instructions, and what it was told.
fn watched(most: u64) -> (Options, Arc<AtomicU64>) {
    let told = Arc::new(AtomicU64::new(0));
    let own = Arc::clone(&told);
    let watch = Watch::new(move |executed| {
        let sum = own.fetch_add(executed, Relaxed) + executed;
        if sum > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (Options { watch: Some(watch), ..Options::default() }, told)
}

#[test]
fn every_instruction_is_told_of_and_nothing_changes() {
    let (module, launch) = launch(40, 5000);
    let (options, told) = watched(u64::MAX);
    let outcome = simulate(&module, "k", &launch, &options).unwrap();
    assert_eq!(outcome, simulate(&module, "k", &launch, &Options::default()).unwrap());
    // The `ret` of each of the 40 warps is executed and not counted.
    assert_eq!(told.load(Relaxed), outcome.report.estimates["warpbook__ptx_inst_executed.sum"] + 40);
}

#[test]
fn what_comes_to_no_end_is_stopped() {
    // Side by side, in turn, and the sample of a prediction.
    for seed in [0, 1] {
        let (module, launch) = launch(300, -1);
        let (options, told) = watched(1 << 20);
        let options = Options { seed, budget: u64::MAX, ..options };
        assert_eq!(simulate(&module, "k", &launch, &options), Err(Error::Stopped));
        // Threads that run side by side may each finish their turn.
        assert!(told.load(Relaxed) < 1 << 22, "{}", told.load(Relaxed));
        let (options, _) = watched(1 << 20);
        let options = Options { seed, budget: u64::MAX, ..options };
        assert_eq!(predict(&module, "k", &launch, &options, &How::default()), Err(Error::Stopped));
    }
}
