//! Measures what the parts of this machine's GPU take, and writes the target's file: `kernels/calibrate/calibrate.cu`,
//! compiled by nvcc on the spot, prints numbers; here they become medians with their spread, and stand in the file with
//! the benchmark that gave them and its date. What no benchmark gives comes from documents and says so. What single machine
//! instructions take is measured by `kernels/calibrate/opcodes.cu`, and stands in a file of the compute capability.

mod opcodes;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;
use sim::predict::{rates, slices};

use crate::gpu::{Gpu, GpuError, Properties};
use crate::nvcc::{self, NvccError};

/// The benchmarks of the GPU's parts.
const SOURCE: &str = include_str!("../../calibrate/calibrate.cu");

/// Numbers that benchmarks give, by their names in the target's file, with the benchmark in words.
const MEASURED: [(&str, &str); 64] = [
    ("clock_mhz", "clock_against_timer: clocks of one thread by nanoseconds"),
    ("launch_us", "empty_kernel: one, between two events, caches just emptied"),
    ("next_launch_us", "store_one: slope over 1 to 20 kernels in a queue"),
    ("block_start", "empty_kernel: slope over 8448 to 524288 blocks"),
    ("block_latency", "spin: a further wave beyond the clocks that its warps spin"),
    ("drain", "spin: the same with a store behind the spinning, beyond one without"),
    ("apart", "placed: multiprocessors that get a second block before all others have one"),
    ("apart_first", "placed: blocks from the first of these to their second turn"),
    ("apart_every", "placed: blocks from one of their later turns to the next"),
    ("shared_wavefronts", "shared_stream: loads without conflicts by 32 warps, per clock"),
    ("shared_latency", "shared_chase"),
    ("barrier_latency", "barriers: offset over 2 to 32 warps"),
    ("barrier_per_warp", "barriers: slope over 2 to 32 warps"),
    ("l1_latency", "chase of 16 KiB, the second round"),
    ("l2_latency", "chase of 8 MiB past L1, the second round"),
    ("l2_far", "chase of 8 MiB that all multiprocessors just stored, the first round beyond the second, four times"),
    ("dram_together", "chase of neighbouring lines by all multiprocessors at once, caches just emptied"),
    ("dram_latency", "chase of 8 MiB past L1, caches just emptied"),
    ("atomic_latency", "atomic_chase over 200 places of 16 MiB"),
    ("fence_latency", "fences, with nothing to wait for"),
    ("store_latency", "fences behind a store"),
    ("hand_over", "ping_pong of two blocks at 16 places, one way, less the fence in it"),
    ("look_round", "look_back: a look and the sum of what the lanes see, by 8 warps on each multiprocessor"),
    ("l2_read_sectors", "read_many of 16 and 32 MiB again and again: slope"),
    ("l2_read_lines", "scatter_loads of one sector per line, 2^16 sectors"),
    ("l2_write_sectors", "write_many of 16 and 32 MiB again and again: slope"),
    ("l2_partial_sectors", "scatter_stores of one word per sector, neighbouring sectors"),
    ("l2_write_lines", "scatter_stores of one word per line, 2^16 sectors"),
    ("l2_atomic_sectors", "scatter_reductions over 2^20 words"),
    ("l2_returning_sectors", "scatter_atomics over 2^20 words, whose values before are returned"),
    ("l2_updated_lines", "scatter_swaps over 2^20 words, which are loaded before: beyond scatter_atomics"),
    ("same_sector", "scatter_reductions on the 8 words of a sector, four lanes each"),
    ("same_element", "lone_reductions on one word"),
    ("same_sum", "lone_sums of floating point to one word"),
    ("same_store", "lone_stores to two words in turn"),
    ("beside_line", "updated_beside: loads of 16 bytes a thread from L2, beyond the updates alone"),
    ("beside_sector", "updated_beside: stores of 16 bytes a thread, beyond the updates alone"),
    ("dram_read_bytes", "read_once: slope over 256 MiB to 1 GiB"),
    ("dram_write_bytes", "write_once: slope over 256 MiB to 1 GiB"),
    ("dram_mixed_bytes", "copy_once: slope over 256 MiB to 1 GiB, both directions together"),
    ("l2_dirty_bytes", "copy_once of 128 MiB: what of it is not written when it ends"),
    ("store_sectors", "write_many of 8 and 16 MiB by one multiprocessor: slope"),
    ("dram_rows", "scatter_loads of one sector each from 1 GiB: slope over 2^22 to 2^24 sectors"),
    (
        "l2_shared_bytes",
        "random_loads of 64 MiB, 2^22 to 2^24 sectors: what does not come from memory, as it does of 1 GiB",
    ),
    ("dram_spread", "apart_loads: rounds of 32 lanes' loads beyond rounds of one, from memory, less the same from L2"),
    ("l2_spread", "apart_loads: rounds of 32 lanes' loads beyond rounds of one, from L2, less the clocks of 32 lines"),
    ("dram_crowding", "in_flight: rounds of one load, 64 warps per multiprocessor beyond 8"),
    ("dram_mixed_crowding", "copy_waiting: rounds, 64 warps per multiprocessor beyond 8"),
    ("dram_turning", "copy_waiting beyond in_flight: rounds, 8 warps per multiprocessor"),
    ("store_lines", "store_words of 2 to 7 words, 8 warps at a time: lines up to which half of the stores join"),
    ("branch", "rounds of 16 operations in a chain: what is beyond the chain"),
    ("converge", "guarded: two parts of a round beyond one, less what their other instructions take"),
    ("call", "called: a round with a call and a return, less what its other instructions take, by two"),
    ("part", "grouped: sums by a warp's groups of lanes, slope over 8 to 32 groups, half of what is beyond the sum"),
    (
        "dispatch_global",
        "fed: loads that hit L1 between sixteen operations each, beyond the same loads from shared memory",
    ),
    ("register_read", "operands: a multiplication and addition of three registers, by the reads of a bank"),
    ("code_bytes", "straight: the longest code of which a line takes its issue"),
    ("code_line", "straight: a line of code that is longer"),
    ("shared_code_bytes", "straight: the longest code of which a line takes no longer than that"),
    ("far_code_line", "straight: a line of code that is longer still, 256 KiB"),
    ("cold_code_line", "straight: a line of as much code that is executed once, caches just emptied"),
    // The last three only tell how memory is dealt out to the slices of L2.
    ("atomic_sectors_8", "lone_reductions on 8 sectors, 256 bytes"),
    ("atomic_sectors_32", "lone_reductions on 32 sectors, 1 KiB"),
    ("atomic_sectors_2048", "lone_reductions on 2048 sectors, 64 KiB"),
];

/// What single instructions and updates gave, by name and kind: the value of every round.
pub type OfOpcodes = BTreeMap<(String, String), Vec<f64>>;

/// Names of [`MEASURED`] that stand in no file.
const HELPERS: [&str; 3] = ["atomic_sectors_8", "atomic_sectors_32", "atomic_sectors_2048"];

/// 512-byte chunks of memory that the scattered reductions go to.
const SCATTERED_CHUNKS: u64 = (1 << 22) / 512;

/// Why there is no calibration.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// No GPU, or it failed.
    #[error(
        "{0}\nnothing was calibrated: this command measures a GPU of this machine. Targets without a calibration use documented figures: warpbook targets"
    )]
    Gpu(#[from] GpuError),
    /// No nvcc to compile the benchmarks.
    #[error("{0}")]
    Nvcc(#[from] NvccError),
    /// There is no target of that GPU.
    #[error(
        "there is no target for {0}: add its file to sim/targets first; those that can be simulated: warpbook targets"
    )]
    NoTarget(String),
    /// The benchmarks could not be compiled, run or read, or a file not written.
    #[error("{0}")]
    Failed(String),
}

impl CalibrateError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Gpu(error) => error.exit_code(),
            Self::Nvcc(_) | Self::NoTarget(_) => sim::ErrorClass::Unsupported.exit_code(),
            Self::Failed(_) => sim::ErrorClass::Input.exit_code(),
        }
    }
}

/// A number with where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Number {
    /// Its name in the target's file.
    pub name: String,
    /// Median of all rounds.
    pub value: f64,
    /// How far the rounds were apart, in percent of the median; none for documented numbers.
    pub spread_percent: Option<f64>,
    /// The benchmark, or the document.
    pub from: String,
}

/// A calibrated target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibrated {
    /// The target's name.
    pub target: String,
    /// The GPU and what it was used with.
    pub on: String,
    /// Year, month, day.
    pub date: String,
    /// The numbers.
    pub numbers: Vec<Number>,
    /// What single instructions take, by name and kind: the values of all rounds. They stand in a file of their own.
    #[serde(skip)]
    pub opcodes: OfOpcodes,
    /// The compute capability, `sm_90`.
    pub architecture: String,
}

/// Calibrates this machine's first GPU with so many rounds of all benchmarks.
///
/// # Errors
/// [`CalibrateError`]: no GPU, no nvcc, no target.
pub fn calibrate(rounds: u32) -> Result<Calibrated, CalibrateError> {
    let gpu = Gpu::open(0)?;
    let properties = gpu.properties().clone();
    drop(gpu);
    let target = properties.slug();
    if sim::target::find(&target).is_none() {
        return Err(CalibrateError::NoTarget(properties.name));
    }
    let printed = measure(&properties, rounds, ("calibrate.cu", SOURCE))?;
    let opcodes = opcodes::values(&measure(&properties, rounds, ("opcodes.cu", opcodes::SOURCE))?)?;
    Ok(Calibrated {
        numbers: numbers((&target, properties.l2_bytes), &values(&printed)?)?,
        opcodes,
        architecture: properties.architecture(),
        on: format!("{}, driver {}, CUDA {}", properties.name, properties.driver, properties.cuda),
        date: crate::provenance::today(),
        target,
    })
}

/// Compiles and runs a file of benchmarks; what they print.
fn measure(properties: &Properties, rounds: u32, (name, text): (&str, &str)) -> Result<String, CalibrateError> {
    let nvcc = nvcc::get()?;
    let failed = |what: &str, why: &dyn std::fmt::Display| CalibrateError::Failed(format!("{what}: {why}"));
    let folder = tempfile::tempdir().map_err(|why| failed("no temporary folder", &why))?;
    let (source, program) = (folder.path().join(name), folder.path().join("calibrate"));
    std::fs::write(&source, text).map_err(|why| failed(&format!("{name} cannot be written"), &why))?;
    let arch = format!("-arch={}", properties.architecture());
    let mut command = Command::new(&nvcc.program);
    command.args(["-O3", "-std=c++17", "--allow-unsupported-compiler", &arch, "-o"]).arg(&program).arg(&source);
    for include in &nvcc.includes {
        command.arg("-isystem").arg(include);
    }
    run(&mut command, "nvcc")?;
    run(Command::new(&program).arg(rounds.to_string()), "the benchmarks")
}

fn run(command: &mut Command, what: &str) -> Result<String, CalibrateError> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|why| CalibrateError::Failed(format!("{what} cannot be started: {why}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let log = String::from_utf8_lossy(&output.stderr);
    let line = log.lines().find(|line| line.contains("error")).or_else(|| log.lines().next());
    Err(CalibrateError::Failed(format!("{what} failed: {}", line.unwrap_or("it says nothing").trim())))
}

/// What every round gave for every number.
fn values(printed: &str) -> Result<BTreeMap<String, Vec<f64>>, CalibrateError> {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in printed.lines() {
        let read = line.split_once('\t').and_then(|(name, value)| Some((name, value.trim().parse::<f64>().ok()?)));
        let (name, value) =
            read.ok_or_else(|| CalibrateError::Failed(format!("the benchmarks printed `{line}`, which is no number")))?;
        values.entry(name.to_owned()).or_default().push(value);
    }
    Ok(values)
}

/// The numbers of a target's file.
fn numbers(
    (target, l2_bytes): (&str, u64),
    values: &BTreeMap<String, Vec<f64>>,
) -> Result<Vec<Number>, CalibrateError> {
    let mut measured = Vec::new();
    for (name, from) in MEASURED {
        let missing = || CalibrateError::Failed(format!("the benchmarks did not print {name}"));
        let mut own = values.get(name).filter(|own| !own.is_empty()).ok_or_else(missing)?.clone();
        own.sort_by(f64::total_cmp);
        let value = own[own.len() / 2];
        let spread = (own[own.len() - 1] - own[0]) / value.abs().max(f64::MIN_POSITIVE) * 100.0;
        let spread_percent = Some((spread * 10.0).round() / 10.0);
        measured.push(Number { name: name.to_owned(), value: digits(value), spread_percent, from: from.to_owned() });
    }
    let value = |name: &str| measured.iter().find(|number| number.name == name).map_or(0.0, |number| number.value);
    let derived =
        |name: &str, value: f64, from: String| Number { name: name.to_owned(), value, spread_percent: None, from };
    // Sectors that are in one chunk are updated by one slice, however many they are.
    let once = value("same_element");
    let chunk = match (value("atomic_sectors_8") / once, value("atomic_sectors_32") / once) {
        (eight, _) if eight < 0.75 => 128.0,
        (_, many) if many < 0.75 => 512.0,
        _ => 1024.0,
    };
    let together = value("l2_atomic_sectors") * value("same_element");
    let slices = slices::explaining(SCATTERED_CHUNKS, together);
    let mut numbers: Vec<Number> = documented(target, l2_bytes);
    numbers.push(derived(
        "l2_chunk_bytes",
        chunk,
        format!(
            "lone_reductions: 256 bytes take {:.2}, 1 KiB {:.2} of the time of one word",
            value("atomic_sectors_8") / once,
            value("atomic_sectors_32") / once
        ),
    ));
    numbers.push(derived(
        "l2_slices",
        slices,
        "the number of slices that, with chunks dealt out evenly, gives scatter_reductions' rate".to_owned(),
    ));
    numbers.extend(measured.into_iter().filter(|number| !HELPERS.contains(&&*number.name)));
    Ok(numbers)
}

/// What no benchmark gives: as the target's file has it now, or as documents and the driver say.
fn documented(target: &str, l2_bytes: u64) -> Vec<Number> {
    let is_measured = |name: &str| MEASURED.iter().any(|(own, _)| *own == name);
    let derived = ["l2_chunk_bytes", "l2_slices"];
    let sources = rates::sources(target).into_iter();
    let known: Vec<Number> = sources
        .filter(|source| !is_measured(&source.name) && !derived.contains(&&*source.name))
        .map(|source| Number { name: source.name, value: source.value, spread_percent: None, from: source.from })
        .collect();
    let Some(target) = sim::target::find(target).filter(|_| known.is_empty()) else { return known };
    let lanes = rates::Rates::of(target).0;
    let guide = "NVIDIA, CUDA C++ Programming Guide 12.x, Arithmetic Instructions";
    // Shared memory may take all of L1 but a part that no document names; it comes in units of 32 KiB.
    let l1 = (target.shared_per_multiprocessor / 32768 + 1) * 32768;
    let number = |name: &str, value: f64, from: &str| Number {
        name: name.to_owned(),
        value,
        spread_percent: None,
        from: from.to_owned(),
    };
    vec![
        number("fp32_lanes", lanes.fp32_lanes, guide),
        number("fp64_lanes", lanes.fp64_lanes, guide),
        number("integer_lanes", lanes.integer_lanes, guide),
        number("special_lanes", lanes.special_lanes, guide),
        number("issue", lanes.issue, "one instruction per clock of each partition"),
        number("partitions", lanes.partitions, guide),
        number("l1_bytes", l1 as f64, "the next 32 KiB above what shared memory may take"),
        number("l2_bytes", l2_bytes as f64, "the driver: the size of the L2 cache"),
    ]
}

/// Four digits.
fn digits(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let scale = 10f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

impl Calibrated {
    /// The target's file.
    pub fn to_toml(&self) -> String {
        let mut text = format!(
            "# What a GPU's parts take: from these numbers times are predicted. Written by `warpbook calibrate`; the\n\
             # benchmarks are in kernels/calibrate/calibrate.cu. Clocks are those of the multiprocessors; `spread_percent` is\n\
             # how far repeated rounds were apart. No kernel of the workbook took part.\n\n\
             target = \"{}\"\nmeasured = \"yes\"\ndate = \"{}\"\non = \"{}\"\n\n[numbers]\n",
            self.target, self.date, self.on
        );
        for number in &self.numbers {
            let spread = number
                .spread_percent
                .map_or(String::new(), |spread| format!(", spread_percent = {spread}, date = \"{}\"", self.date));
            // Writing to a string cannot fail.
            let _ =
                writeln!(text, "{} = {{ value = {}{spread}, from = {:?} }}", number.name, number.value, number.from);
        }
        text
    }

    /// Writes the file into `folder`; its path.
    ///
    /// # Errors
    /// [`CalibrateError::Failed`] with the operating system's reason.
    pub fn write(&self, folder: &Path) -> Result<std::path::PathBuf, CalibrateError> {
        let file = folder.join(format!("{}.toml", self.target));
        let opcodes = folder.join("opcodes");
        let written = |path: &Path, text: String| {
            std::fs::write(path, text)
                .map_err(|why| CalibrateError::Failed(format!("{} cannot be written: {why}", path.display())))
        };
        std::fs::create_dir_all(&opcodes)
            .map_err(|why| CalibrateError::Failed(format!("{} cannot be made: {why}", opcodes.display())))?;
        written(&opcodes.join(format!("{}.tsv", self.architecture)), opcodes::to_tsv(self))?;
        written(&file, self.to_toml())?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed() -> String {
        // What the committed numbers would look like as an output of three rounds.
        let known: BTreeMap<String, f64> = rates::sources("h200").into_iter().map(|s| (s.name, s.value)).collect();
        let other = |name: &str| match name {
            "atomic_sectors_8" => 1.39,
            "atomic_sectors_32" => 0.74,
            _ => 0.045,
        };
        let line = |round: usize| {
            let one = |(name, _): (&str, &str)| {
                let value = known.get(name).copied().unwrap_or_else(|| other(name));
                format!("{name}\t{}\n", value * (1.0 + round as f64 / 100.0))
            };
            MEASURED.map(one).concat()
        };
        (0..3).map(line).collect()
    }

    const L2_BYTES: u64 = 50 << 20;

    fn of_opcodes() -> OfOpcodes {
        opcodes::values("popc\tlatency\t17\n").expect("numbers")
    }

    #[test]
    fn a_gpu_that_was_not_calibrated_yet_gets_a_whole_file() {
        // A target that documents alone describe: its first file must have every number.
        let all = numbers(("a100", L2_BYTES), &values(&printed()).expect("numbers")).expect("all of them");
        let calibrated = Calibrated {
            target: "a100".to_owned(),
            on: "a GPU".to_owned(),
            date: "2000-01-01".to_owned(),
            numbers: all,
            opcodes: of_opcodes(),
            architecture: "sm_80".to_owned(),
        };
        let read = rates::Rates::read(&calibrated.to_toml()).expect("all numbers, and no others");
        assert_eq!((read.l1_bytes, read.partitions), (196_608.0, 4.0));
    }

    #[test]
    fn what_is_printed_becomes_a_file_that_the_simulator_reads() {
        let numbers = numbers(("h200", L2_BYTES), &values(&printed()).expect("numbers")).expect("all of them");
        let named = |name: &str| numbers.iter().find(|number| number.name == name).expect("it is there");
        assert_eq!(named("l2_chunk_bytes").value, 512.0);
        assert_eq!(named("same_element").spread_percent, Some(2.0));
        let calibrated = Calibrated {
            target: "h200".to_owned(),
            on: "a GPU".to_owned(),
            date: "2000-01-01".to_owned(),
            numbers,
            opcodes: of_opcodes(),
            architecture: "sm_90".to_owned(),
        };
        let read = rates::Rates::read(&calibrated.to_toml()).expect("all numbers, and no others");
        assert!(read.l2_slices >= 32.0 && read.l2_slices <= 160.0, "{} slices", read.l2_slices);
        let without =
            calibrated.to_toml().lines().filter(|line| !line.starts_with("hand_over")).collect::<Vec<_>>().join("\n");
        assert!(rates::Rates::read(&without).is_err(), "a file without a number is taken");
    }

    #[test]
    fn no_kernel_of_the_workbook_takes_part() {
        let own: Vec<&str> = [SOURCE, opcodes::SOURCE]
            .iter()
            .flat_map(|source| source.split("__global__ void ").skip(1).filter_map(|text| text.split('(').next()))
            .collect();
        assert!(own.len() > 20, "{own:?}");
        for problem in crate::problem::all() {
            let module = crate::simulate::module(problem.name).expect("its PTX");
            for kernel in module.kernels() {
                assert!(!own.contains(&kernel), "{kernel} is both calibrated on and predicted");
            }
        }
        // What a number comes from is one of these kernels, or a document.
        for source in rates::sources("h200") {
            let benchmark = own.iter().any(|kernel| source.from.contains(kernel)) || source.from.starts_with("chase");
            let document = ["NVIDIA, ", "the number of slices", "writing 64 MiB"]
                .iter()
                .any(|start| source.from.starts_with(start));
            assert!(benchmark || document, "{}: {}", source.name, source.from);
        }
    }

    #[test]
    fn a_broken_output_is_refused() {
        assert!(values("clock_mhz\tfast\n").is_err());
        assert!(numbers(("h200", L2_BYTES), &values("clock_mhz\t1000\n").expect("a number")).is_err());
    }
}
