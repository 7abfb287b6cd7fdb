//! How fast kernels are simulated, all counters on: `cargo bench -p sim [-- KERNEL]`.
//!
//! Every kernel of `throughput.cu` runs on one thread of the CPU, with and without checks, beside a native loop that
//! computes the same; its output must be the native one. The best of several runs counts, in time of the CPU, not of
//! the clock, so that other programs on the machine disturb little. A first run is not counted; from then on the input
//! knows its digest, which takes a twelfth of the histogram's time. The second table is about the clock: what more
//! threads bring.
//!
//! `throughput.ptx` is `throughput.cu` compiled by NVRTC 13.0.88 with `-arch=compute_75 -lineinfo`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use sim::{Arg, Checks, Dim3, Launch, Module, Options, Outcome, Scalar, simulate};

const PTX: &str = include_str!("throughput.ptx");
/// Side of the matrix that is transposed.
const SIDE: usize = 1024;

/// A kernel with its launch and the loop that it is measured against.
struct Job {
    kernel: &'static str,
    elements: usize,
    launch: Launch,
    /// The argument that holds the result, and what it must be.
    result: usize,
    native: Box<dyn Fn() -> Vec<u32> + Sync>,
}

fn main() {
    let filter: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let module = Module::parse("throughput.ptx", PTX).unwrap_or_else(|error| panic!("{error}"));
    let jobs: Vec<Job> = jobs()
        .into_iter()
        .filter(|job| filter.is_empty() || filter.iter().any(|part| job.kernel.contains(part)))
        .collect();
    println!(
        "On one thread. ti: simulated thread-instructions; native: a loop on one thread that computes the same.\n"
    );
    println!("{:<14}{:>8}{:>12}{:>14}{:>18}{:>10}", "kernel", "checks", "ti/element", "ti/s", "elements/s", "native");
    for job in &jobs {
        let native = best(|| drop(black_box((job.native)()))).cpu;
        for checks in [false, true] {
            let (executed, time) = pool(1).install(|| measure(&module, job, checks));
            let elements = job.elements as f64;
            println!(
                "{:<14}{:>8}{:>12.1}{:>14.3e}{:>18.3e}{:>9.0}x",
                job.kernel,
                if checks { "on" } else { "off" },
                executed as f64 / elements,
                executed as f64 / time.cpu.as_secs_f64(),
                elements / time.cpu.as_secs_f64(),
                time.cpu.as_secs_f64() / native.as_secs_f64(),
            );
        }
    }
    scaling(&module, &jobs);
}

/// Thread-instructions per second of the clock with more and more threads.
fn scaling(module: &Module, jobs: &[Job]) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads: Vec<usize> = (0..).map(|power| 1 << power).take_while(|&n| n < cores).chain([cores]).collect();
    println!("\nti/s of the clock, without checks, by threads\n");
    print!("{:<14}", "kernel");
    threads.iter().for_each(|n| print!("{n:>12}"));
    println!();
    for job in jobs {
        print!("{:<14}", job.kernel);
        for &n in &threads {
            let (executed, time) = pool(n).install(|| measure(module, job, false));
            print!("{:>12.3e}", executed as f64 / time.clock.as_secs_f64());
        }
        println!();
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap_or_else(|error| panic!("{error}"))
}

/// Thread-instructions of a launch and the time that it takes.
fn measure(module: &Module, job: &Job, checks: bool) -> (u64, Best) {
    let checks = if checks { Checks::ALL } else { Checks::NONE };
    let options = Options { checks, ..Options::default() };
    let run = || -> Outcome {
        simulate(module, job.kernel, &job.launch, &options).unwrap_or_else(|error| panic!("{}: {error}", job.kernel))
    };
    let first = run();
    assert!(first.report.findings.is_empty(), "{}: {:?}", job.kernel, first.report.findings);
    let result = first.buffers[job.result].as_deref().unwrap_or_default();
    let (words, _) = result.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
    assert!(words == (job.native)(), "{}: the simulated result is not the native one", job.kernel);
    (first.report.estimates["warpbook__ptx_thread_inst_executed.sum"], best(|| drop(black_box(run()))))
}

/// The shortest of several runs, by the process's time on the CPU and by the clock.
struct Best {
    cpu: Duration,
    clock: Duration,
}

fn best(mut run: impl FnMut()) -> Best {
    let (begin, mut runs) = (Instant::now(), 0);
    let mut best = Best { cpu: Duration::MAX, clock: Duration::MAX };
    while runs < 5 || begin.elapsed() < Duration::from_secs(1) {
        let (cpu, clock) = (ProcessTime::now(), Instant::now());
        run();
        best = Best { cpu: best.cpu.min(cpu.elapsed()), clock: best.clock.min(clock.elapsed()) };
        runs += 1;
    }
    best
}

/// Numbers that look random (SplitMix64).
fn random(count: usize) -> Vec<u32> {
    let mix = |index: u64| {
        let z = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 32) as u32
    };
    (0..count as u64).map(mix).collect()
}

/// Small whole numbers as floats: their sums are exact in any order.
fn floats(count: usize) -> Vec<u32> {
    random(count).into_iter().map(|bits| ((bits % 16) as f32).to_bits()).collect()
}

fn zeros(words: usize) -> Arg {
    Arg::Zeros(words as u64 * 4)
}

fn launch(blocks: usize, args: Vec<Arg>) -> Launch {
    Launch { grid: Dim3::linear(blocks as u32), block: Dim3::linear(256), shared_bytes: 0, args }
}

fn jobs() -> Vec<Job> {
    let count = 1 << 20;
    vec![
        scan("scan", 512, count),
        scan("scan_shuffle", 1024, 4 * count),
        histogram(4 * count),
        transpose(),
        compact(2 * count),
        divergent(1 << 18),
    ]
}

fn scan(kernel: &'static str, tile: usize, elements: usize) -> Job {
    let input = floats(elements);
    let args = vec![Arg::buffer_of(&input), zeros(elements)];
    let native = move || {
        let mut output = Vec::with_capacity(input.len());
        for tile in input.chunks(tile) {
            let mut sum = 0.0f32;
            for &bits in tile {
                output.push(sum.to_bits());
                sum += f32::from_bits(bits);
            }
        }
        output
    };
    Job { kernel, elements, launch: launch(elements / tile, args), result: 1, native: Box::new(native) }
}

fn histogram(elements: usize) -> Job {
    let input = random(elements);
    let args = vec![Arg::buffer_of(&input), zeros(256)];
    let native = move || {
        let mut bins = vec![0; 256];
        input.iter().for_each(|key| bins[(key & 255) as usize] += 1);
        bins
    };
    Job { kernel: "histogram", elements, launch: launch(elements / 4096, args), result: 1, native: Box::new(native) }
}

fn transpose() -> Job {
    let (elements, tiles) = (SIDE * SIDE, (SIDE / 32) as u32);
    let input = random(elements);
    let args = vec![Arg::buffer_of(&input), zeros(elements), Arg::Scalar(Scalar::U32(SIDE as u32))];
    let native = move || {
        let mut output = vec![0; SIDE * SIDE];
        for y in 0..SIDE {
            for x in 0..SIDE {
                output[x * SIDE + y] = input[y * SIDE + x];
            }
        }
        output
    };
    let launch = Launch { grid: Dim3::new(tiles, tiles, 1), block: Dim3::new(32, 8, 1), shared_bytes: 0, args };
    Job { kernel: "transpose", elements, launch, result: 1, native: Box::new(native) }
}

fn compact(elements: usize) -> Job {
    let input = random(elements);
    let args = vec![Arg::buffer_of(&input), zeros(elements), zeros(elements / 1024)];
    let native = move || {
        let mut output = vec![0; input.len()];
        for (to, from) in output.chunks_mut(1024).zip(input.chunks(1024)) {
            for (to, &from) in to.iter_mut().zip(from.iter().filter(|&value| value & 1 != 0)) {
                *to = from;
            }
        }
        output
    };
    Job { kernel: "compact", elements, launch: launch(elements / 1024, args), result: 1, native: Box::new(native) }
}

fn divergent(elements: usize) -> Job {
    let input: Vec<u32> = random(elements).into_iter().map(|bits| bits % 100_000 + 1).collect();
    let args = vec![Arg::buffer_of(&input), zeros(elements)];
    let steps = |start: u32| {
        let (mut value, mut count) = (start, 0u32);
        while value != 1 {
            if value % 2 == 1 {
                value = value.wrapping_mul(3).wrapping_add(1);
                count += if value % 3 == 0 { 1_000_000 } else { 0 };
            } else {
                value /= 2;
            }
            count += 1;
        }
        count
    };
    let native = move || input.iter().map(|&start| steps(start)).collect();
    Job { kernel: "divergent", elements, launch: launch(elements / 256, args), result: 1, native: Box::new(native) }
}
