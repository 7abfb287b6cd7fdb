//! Observers from outside of the crate: what they are told, and that they change nothing.

use sim::event::{AccessEvent, AccessKind, LaunchInfo, MemoryEvent, Observer, SyncEvent};
use sim::ir::inst::{Op, Space};
use sim::{Arg, Dim3, Launch, Module, Observed, Options, run_observed, simulate};

/// Threads store their number to shared memory, meet, and store their neighbour's.
const KERNEL: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 tile[256];\n\
    .visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n\
    ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, tile;\nadd.u32 %r4, %r3, %r2;\n\
    st.shared.u32 [%r4], %r1;\nbar.sync 0;\nxor.b32 %r5, %r2, 4;\nadd.u32 %r6, %r3, %r5;\nld.shared.u32 %r7, [%r6];\n\
    cvt.u64.u32 %rd2, %r2;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r7;\nbar.sync 0;\nret;\n}\n";

fn launch(blocks: u32) -> (Module, Launch) {
    let args = vec![Arg::Zeros(256)];
    let launch = Launch { grid: Dim3::linear(blocks), block: Dim3::linear(64), shared_bytes: 0, args };
    (Module::parse("k.ptx", KERNEL).unwrap(), launch)
}

/// Counts the barriers that open, the warps that wait at them, and the lanes that store to shared memory.
#[derive(Debug, Default, PartialEq, Eq)]
struct Barriers {
    blocks: u64,
    opened: u64,
    waited: u64,
    shared_stores: u64,
}

impl Barriers {
    fn merge(&mut self, later: Self) {
        self.blocks += later.blocks;
        self.opened += later.opened;
        self.waited += later.waited;
        self.shared_stores += later.shared_stores;
    }
}

impl Observer for Barriers {
    const CHECKS: bool = true;

    type Held = ();

    fn access(&mut self, event: &AccessEvent<'_>) {
        if (event.space, event.kind) == (Space::Shared, AccessKind::Store) {
            self.shared_stores += u64::from(event.lanes.count_ones());
        }
    }

    fn waited(&mut self, _pc: u32, _warp: u32, _steps: u64) {
        self.waited += 1;
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        match event {
            SyncEvent::Start(_) => self.blocks += 1,
            SyncEvent::Everyone => self.opened += 1,
            _ => {}
        }
    }
}

#[test]
fn a_stranger_counts_barriers() {
    let (module, launch) = launch(300);
    let ran = run_observed(&module, "k", &launch, &Options::default(), |_| Barriers::default(), Barriers::merge);
    let Observed { observer, findings } = ran.unwrap();
    let expected = Barriers { blocks: 300, opened: 600, waited: 1200, shared_stores: 300 * 64 };
    assert_eq!((observer, findings), (expected, vec![]));
}

/// The instructions of a launch, and the lanes of its accesses, by what the launch says of its code.
#[derive(Debug, Default)]
struct Executed {
    is_barrier: Vec<bool>,
    instructions: u64,
    barriers: u64,
    lanes: u64,
}

impl Executed {
    fn new(launch: &LaunchInfo<'_>) -> Self {
        let is_barrier = launch.program.insts.iter().map(|inst| matches!(inst.op, Op::Barrier(_))).collect();
        Self { is_barrier, ..Self::default() }
    }
}

impl Observer for Executed {
    type Held = ();

    fn instruction(&mut self, pc: u32, _active: u32) {
        self.instructions += 1;
        self.barriers += u64::from(self.is_barrier[pc as usize]);
    }

    fn memory(&mut self, event: &MemoryEvent<'_>) {
        self.lanes += u64::from(event.active.count_ones());
    }
}

#[test]
fn a_stranger_sees_as_many_instructions_as_the_report_counts() {
    let (module, launch) = launch(1);
    let merge = |sum: &mut Executed, later: Executed| {
        sum.instructions += later.instructions;
        sum.barriers += later.barriers;
        sum.lanes += later.lanes;
    };
    let seen = run_observed(&module, "k", &launch, &Options::default(), Executed::new, merge).unwrap().observer;
    let report = simulate(&module, "k", &launch, &Options::default()).unwrap().report;
    let counted = |name: &str| report.estimates[name];
    assert_eq!(seen.instructions, counted("warpbook__ptx_inst_executed.sum"));
    assert_eq!(seen.barriers, counted("warpbook__barriers.sum"));
    assert_eq!(seen.lanes, 3 * 64);
}
