//! Times from executed machine code, end to end: the committed cubin of a problem, a launch, the report.

use kernels::assembled::Assembled;
use kernels::cubins;
use kernels::launch::command::CommandLine;
use kernels::launch::run;
use kernels::open::Opened;
use kernels::testing::not_run;
use sim::machine_code::{self, Program};
use sim::predict::How;
use sim::report::stall;
use sim::{Arg, Dim3, Launch, Options};

fn program(problem: &str, kernel: &str) -> Program {
    let cubin = cubins::committed(problem, cubins::ARCH).expect("the machine code of a problem");
    Program::load(&cubin.bytes, kernel).expect("a program")
}

#[test]
fn a_report_of_machine_code_has_the_time_and_what_warps_wait_for() {
    let count = 1 << 20;
    let launch = Launch {
        grid: Dim3::linear(count / 1024),
        block: Dim3::linear(1024),
        shared_bytes: 0,
        args: vec![
            Arg::Zeros(u64::from(count) * 4),
            Arg::Zeros(u64::from(count) * 4),
            Arg::Scalar(sim::launch::Scalar::U32(count)),
        ],
    };
    let (program, options, how) = (program("copy", "copy_words"), Options::default(), How::default());
    let timed = || machine_code::simulate_timed(&program, &launch, &options, &how).expect("a launch").0.report;
    let report = timed();
    let prediction = report.prediction.as_ref().expect("a prediction");
    assert!(prediction.from_machine_code && prediction.registers == program.registers_per_thread());
    assert!(prediction.low_us < prediction.us && prediction.us < prediction.high_us);
    // 4 MiB there and back: at least what the data sheet's bandwidth allows, at most ten times of it.
    assert!((8.4 / 4.8..84.0 / 4.8).contains(&prediction.us), "{} µs", prediction.us);
    let counted = &report.machine_code.as_ref().expect("machine code").counters["smsp__inst_executed.sum"];
    let off = prediction.instructions as f64 / *counted as f64;
    assert!(
        (0.99..1.01).contains(&off),
        "{} instructions are predicted, {counted} were executed",
        prediction.instructions
    );
    let section = report.machine_code.as_ref().expect("machine code");
    let store = section.listing.iter().find(|inst| inst.text.contains("STG")).expect("a store");
    let (reason, _) = stall::first(&store.stalls).expect("it waits for something");
    assert_eq!(reason, "long_scoreboard", "the store waits for the load");
    let of_lines: u64 = section.line_stalls.iter().flat_map(|line| line.stalls.values()).sum();
    let of_listing: u64 = section.listing.iter().flat_map(|inst| inst.stalls.values()).sum();
    assert!(of_lines == of_listing && of_lines > 0);
    assert_eq!(report, timed(), "the same launch gives the same report");
    // From a sample alone it is the same: all blocks have the same work.
    let sampled = machine_code::predict(&program, &launch, &options, &how).expect("a prediction").prediction;
    assert_eq!(sampled.us, prediction.us);
}

#[test]
fn what_is_wrong_with_the_ptx_is_told_where_its_machine_code_is_executed() {
    // Thread k reads the word of thread k + 1, and no barrier is between them.
    const RACE: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 tile[256];\n\
        .visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\n\
        mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, tile;\nadd.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\n\
        xor.b32 %r5, %r2, 4;\nadd.u32 %r6, %r3, %r5;\nld.shared.u32 %r7, [%r6];\ncvt.u64.u32 %rd2, %r2;\n\
        add.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r7;\nret;\n}\n";
    let code = match Assembled::of_ptx("k.ptx", RACE) {
        Ok(code) => code,
        Err(why) => return not_run("checks of executed machine code", &why.to_string()),
    };
    let line = CommandLine {
        grid: Some("1".to_owned()),
        block: Some("64".to_owned()),
        args: vec!["zeros:256".to_owned()],
        ..CommandLine::default()
    };
    let mut opened = Opened::of_ptx("k.ptx", RACE).expect("PTX");
    opened.machine_code = Some(code);
    let session = line.session().expect("a launch");
    let ran = run::run(&session, &mut opened, &Options::default(), None, None).expect("a run");
    let report = &ran.launches[0].report;
    assert!(report.machine_code.is_some(), "PTX was counted");
    let kinds: Vec<&str> = report.errors().map(|finding| finding.kind.name()).collect();
    assert_eq!(kinds, ["race"], "{:?}", report.findings);
}

#[test]
fn what_the_copy_engine_brings_comes_from_memory() {
    // 2^22 ints in tiles of 8192, and a flag and two sums of each tile.
    let count = 1 << 22;
    let launch = Launch {
        grid: Dim3::linear(132),
        block: Dim3::linear(672),
        shared_bytes: 6 * 4 * 8192,
        args: vec![
            Arg::Zeros(count * 4),
            Arg::Zeros(count * 4),
            Arg::Zeros((count / 8192 + 64) * 64),
            Arg::Scalar(sim::launch::Scalar::U32(count as u32)),
        ],
    };
    let program = program("array_scan", "prefix_bulk");
    let predicted =
        machine_code::predict(&program, &launch, &Options::default(), &How::default()).expect("a prediction");
    let bytes = predicted.prediction.dram_read_bytes as f64 / (count * 4) as f64;
    assert!((0.9..1.2).contains(&bytes), "{bytes} of what is loaded");
}

#[test]
fn warps_that_swap_the_same_words_of_shared_memory_try_as_often_as_on_a_gpu() {
    // Every thread adds one to the float of its lane, so often as the kernel is told: a loop around a compare-and-swap.
    const ADDS: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 place[128];\n\
        .visible .entry k(.param .u64 out, .param .u32 times)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .f32 %f<4>;\n\
        .reg .b64 %rd<4>;\nmov.u32 %r1, %tid.x;\nand.b32 %r1, %r1, 31;\nshl.b32 %r1, %r1, 2;\nmov.u32 %r2, place;\n\
        add.u32 %r1, %r1, %r2;\nmov.u32 %r3, 0;\nst.shared.u32 [%r1], %r3;\nbar.sync 0;\nmov.f32 %f1, 0f3F800000;\n\
        ld.param.u32 %r4, [times];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra END;\nNEXT:\n\
        atom.shared.add.f32 %f2, [%r1], %f1;\nsub.u32 %r4, %r4, 1;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra NEXT;\n\
        END:\nbar.sync 0;\nld.param.u64 %rd1, [out];\nld.shared.f32 %f3, [%r1];\nst.global.f32 [%rd1], %f3;\nret;\n}\n";
    let mut code = match Assembled::of_ptx("k.ptx", ADDS) {
        Ok(code) => code,
        Err(why) => return not_run("times of executed machine code", &why.to_string()),
    };
    let options = Options { target: "h100".to_owned(), ..Options::default() };
    let mut us = |warps: u32, times: u32| {
        let launch = Launch {
            grid: Dim3::linear(132),
            block: Dim3::linear(32 * warps),
            shared_bytes: 0,
            args: vec![Arg::Zeros(4), Arg::Scalar(sim::launch::Scalar::U32(times))],
        };
        code.predict("k", &launch, &options, &How::default()).expect("a prediction").prediction.us
    };
    // What 32 additions of each thread take an H100 of 1755 MHz, a block on each multiprocessor. Without the other warps' tries it
    // would be little more than 3341 clocks for any number of them.
    for (warps, clocks) in [(1, 3341.0), (4, 9011.0), (16, 20378.0), (32, 41882.0)] {
        let predicted = (us(warps, 32) - us(warps, 0)) * 1755.0;
        assert!((0.7..1.35).contains(&(predicted / clocks)), "{warps} warps: {predicted} clocks of {clocks}");
    }
}
