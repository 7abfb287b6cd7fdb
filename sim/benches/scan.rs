//! Simulated thread-instructions per second on the workbook's scans, all counters on: `cargo bench -p sim`.

use divan::Bencher;
use divan::counter::ItemsCount;
use sim::{Arg, Checks, Dim3, Launch, Module, Options, Scalar, simulate};

const PTX: &str = include_str!("../../kernels/ptx/scan.ptx");
const TILE: u32 = 512;
const BLOCKS: u32 = 512;

fn main() {
    divan::main();
}

fn launch(threads: u32, shared_words: u32) -> Launch {
    let count = TILE * BLOCKS;
    let input: Vec<f32> = (0..count).map(|i| (i % 7) as f32).collect();
    Launch {
        grid: Dim3::linear(BLOCKS),
        block: Dim3::linear(threads),
        shared_bytes: 4 * shared_words,
        args: vec![
            Arg::Zeros(u64::from(count) * 4),
            Arg::buffer_of(&input),
            Arg::Scalar(Scalar::I32(count as i32)),
            Arg::Scalar(Scalar::I32(TILE as i32)),
        ],
    }
}

/// Items per second are PTX thread-instructions per second, on all cores.
#[divan::bench(args = ["scan_naive", "scan_blelloch", "scan_blelloch_padded"])]
fn thread_instructions(bencher: Bencher<'_, '_>, kernel: &str) {
    measure(bencher, kernel, Checks::NONE);
}

/// The same with every check.
#[divan::bench(args = ["scan_naive", "scan_blelloch", "scan_blelloch_padded"])]
fn checked_thread_instructions(bencher: Bencher<'_, '_>, kernel: &str) {
    measure(bencher, kernel, Checks::ALL);
}

fn measure(bencher: Bencher<'_, '_>, kernel: &str, checks: Checks) {
    let module = Module::parse("scan.ptx", PTX).unwrap_or_else(|error| panic!("{error}"));
    let launch = match kernel {
        "scan_naive" => launch(TILE, 2 * TILE),
        _ => launch(TILE / 2, TILE + TILE / 16),
    };
    let options = Options { checks, ..Options::default() };
    let run = || simulate(&module, kernel, &launch, &options).unwrap_or_else(|error| panic!("{error}"));
    let executed = run().report.estimates["warpbook__ptx_thread_inst_executed.sum"];
    bencher.counter(ItemsCount::new(executed)).bench(run);
}
