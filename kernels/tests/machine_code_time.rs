//! Times from executed machine code, end to end: the committed cubin of a problem, a launch, the report.

use kernels::cubins;
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
