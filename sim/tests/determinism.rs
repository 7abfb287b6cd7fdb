//! The same launch gives the same bytes of report, with any number of CPU threads.

use sim::{Arg, Dim3, Launch, Module, Options, Scalar, simulate};

const PTX: &str = include_str!("../../kernels/ptx/scan.ptx");

/// The report as JSON, made with this many threads. The output buffer is too small, so that there are findings too.
fn report(threads: usize) -> String {
    let module = Module::parse("scan.ptx", PTX).unwrap_or_else(|error| panic!("{error}"));
    let count = 64 * 1000u32;
    let input: Vec<f32> = (0..count).map(|i| (i % 13) as f32 * 0.1).collect();
    let launch = Launch {
        grid: Dim3::linear(1000),
        block: Dim3::linear(64),
        shared_bytes: 512,
        args: vec![
            Arg::Zeros(u64::from(count) * 4 - 4000),
            Arg::buffer_of(&input),
            Arg::Scalar(Scalar::I32(count as i32)),
            Arg::Scalar(Scalar::I32(64)),
        ],
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    let outcome = pool.install(|| simulate(&module, "scan_naive", &launch, &Options::default()));
    let report = outcome.unwrap_or_else(|error| panic!("{error}")).report;
    assert!(!report.findings.is_empty());
    serde_json::to_string(&report).expect("a report is JSON")
}

#[test]
fn reports_do_not_depend_on_the_number_of_threads() {
    let one = report(1);
    for threads in [2, 3, 8] {
        assert_eq!(one, report(threads), "{threads} threads");
    }
}
