//! Recording the counters of machine code: of each launch, and of each instruction. The GPU runs the committed cubin as it
//! stands, so that what is counted is what is simulated.

use std::collections::BTreeMap;
use std::path::Path;

use sim::report::Metrics;

use super::profile::{self, Plan};
use super::{Ncu, Options, Progress, RecordError, Summary, program, select, write};
use crate::case::{Case, Planned};
use crate::counters::{INSTRUCTION, MACHINE};
use crate::cubins::{self, CommittedCubin};
use crate::gpu::{Gpu, Properties};
use crate::machine_truth::{MachineCase, MachineLaunch, MachineProvenance, MachineRecord, SCHEMA};
use crate::ncu::{Instances, Profiled, number};
use crate::problem::Problem;
use crate::truth::alike;

/// More instructions than any kernel of the book has.
const FAR: u64 = 1 << 16;

/// The counters of a launch, and of its instructions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted {
    /// Of the launch, by Nsight Compute's names.
    pub metrics: Metrics,
    /// Of its instructions, by the names of [`INSTRUCTION`]: a value for each, in their order.
    pub instructions: BTreeMap<String, Vec<u64>>,
}

/// Records the machine code of the problems of `options`.
///
/// # Errors
/// [`RecordError`]; the records of the problems before the failing one are written.
pub fn record(options: &Options, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Summary, RecordError> {
    let gpu = Gpu::open(options.gpu)?.properties().clone();
    let ncu = Ncu::find(options.ncu.as_deref())?;
    let mut summary = Summary {
        gpu: gpu.clone(),
        ncu: ncu.version.clone(),
        files: Vec::new(),
        cases: 0,
        counters: 0,
        wrong: Vec::new(),
        notes: Vec::new(),
    };
    let arch = gpu.architecture();
    for problem in select(&options.problems)? {
        let Some(cubin) = cubins::committed(problem.name, &arch) else {
            summary.notes.push(format!("there is no committed machine code of {} for {arch}: left out", problem.name));
            continue;
        };
        let cases = (problem.cases)();
        progress(Progress::Profiling { problem: problem.name, launches: cases.len() * options.profiles as usize });
        let record = profiled(options, &ncu, &gpu, problem, &cases, &cubin)?;
        summary.cases += record.cases.len();
        let launches = record.cases.iter().flat_map(|case| &case.launches);
        let counted =
            |launch: &MachineLaunch| launch.metrics.len() + launch.instructions.values().map(Vec::len).sum::<usize>();
        summary.counters += launches.map(counted).sum::<usize>();
        let file = options.folder.join("machine").join(record.file_name());
        let failed = |why| RecordError::Write { file: file.clone(), why };
        write_record(&file, &record).map_err(failed)?;
        progress(Progress::Written(&file));
        summary.files.push(file);
    }
    Ok(summary)
}

fn write_record(file: &Path, record: &MachineRecord) -> std::io::Result<()> {
    write(file, &record.to_file()?)
}

fn profiled(
    options: &Options,
    ncu: &Ncu,
    gpu: &Properties,
    problem: &Problem,
    cases: &[Case],
    cubin: &CommittedCubin,
) -> Result<MachineRecord, RecordError> {
    let plans: Vec<Plan> = (0..options.profiles).flat_map(|_| cases.iter().map(Plan::of_case)).collect();
    let mut command = program(options, problem)?;
    command.push("--machine-code".into());
    // The counters of memory are in the records of the PTX, of which the driver makes the same code.
    let counters = MACHINE;
    let asked: Vec<&str> = counters.iter().copied().chain(INSTRUCTION).collect();
    let measured = ncu.launches(&command, &asked, Instances::Each, |launches| {
        profile::attach_with(&plans, launches, |plan, launch| counted(&counters, plan, launch))
    })?;
    let rounds: Vec<&[Vec<Counted>]> = measured.chunks(cases.len().max(1)).collect();
    let mut recorded = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let profiles: Vec<&[Counted]> = rounds.iter().map(|round| &*round[index]).collect();
        let launches = alike(&case.launches).into_iter().map(|group| together(case, group, &profiles)).collect();
        recorded.push(MachineCase { version: case.version.to_owned(), case: case.name.clone(), launches });
    }
    Ok(MachineRecord {
        schema: SCHEMA,
        problem: problem.name.to_owned(),
        provenance: MachineProvenance {
            gpu: gpu.name.clone(),
            driver: gpu.driver.clone(),
            ncu: ncu.version.clone(),
            ptxas: cubin.ptxas.clone(),
            cubin_sha256: cubin.sha256(),
            date: crate::provenance::today(),
        },
        counters: counters.into_iter().map(str::to_owned).collect(),
        profiles: options.profiles,
        cases: recorded,
    })
}

/// What one profile says. The error is a sentence.
pub(super) fn counted(counters: &[&str], plan: &str, launch: &Profiled) -> Result<Counted, String> {
    let missing = |metric: &str| format!("the table has no column for {metric}");
    let mut metrics = Metrics::new();
    for &metric in counters {
        let (value, unit) = launch.metrics.get(metric).ok_or_else(|| missing(metric))?;
        let number = number(value, unit).ok_or_else(|| format!("{metric} of `{plan}` is `{value}` {unit}"))?;
        metrics.insert(metric.to_owned(), number);
    }
    let executed = launch.instances.get(INSTRUCTION[0]).ok_or_else(|| missing(INSTRUCTION[0]))?;
    let start = executed.iter().map(|&(address, _)| address).min().unwrap_or(0);
    let last = executed.iter().map(|&(address, _)| address).max().unwrap_or(0);
    // The profiler leaves out what a launch never came to, such as a function that lies behind the kernel.
    let length = (last - start) / 16 + 1;
    if length > FAR {
        return Err(format!("the instructions of `{}` lie too far apart: {length} from first to last", launch.kernel));
    }
    let mut instructions = BTreeMap::new();
    for metric in INSTRUCTION {
        let mut values = vec![0; length as usize];
        for &(address, value) in launch.instances.get(metric).into_iter().flatten() {
            let at = address.checked_sub(start).map(|offset| (offset / 16) as usize);
            let slot = at.and_then(|at| values.get_mut(at));
            *slot
                .ok_or_else(|| format!("{metric} of `{plan}` has a value for {address:#x}, outside of the kernel"))? =
                value;
        }
        instructions.insert(metric.to_owned(), values);
    }
    Ok(Counted { metrics, instructions })
}

/// The launches of a case that are alike, of all profiles.
fn together(
    case: &Case,
    (kernel, shape, times): (&'static str, crate::case::Shape, u32),
    profiles: &[&[Counted]],
) -> MachineLaunch {
    let alike = |planned: &Planned| (planned.kernel, planned.shape) == (kernel, shape);
    let sums: Vec<Counted> = profiles
        .iter()
        .map(|profile| {
            let mut sum = Counted { metrics: Metrics::new(), instructions: BTreeMap::new() };
            for (_, counted) in case.launches.iter().zip(*profile).filter(|(planned, _)| alike(planned)) {
                for (name, value) in &counted.metrics {
                    *sum.metrics.entry(name.clone()).or_default() += value;
                }
                for (name, values) in &counted.instructions {
                    let all = sum.instructions.entry(name.clone()).or_insert_with(|| vec![0; values.len()]);
                    all.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
                }
            }
            sum
        })
        .collect();
    let mut launch = MachineLaunch {
        kernel: kernel.to_owned(),
        shape,
        times,
        metrics: Metrics::new(),
        ranges: BTreeMap::new(),
        instructions: BTreeMap::new(),
        instruction_ranges: BTreeMap::new(),
    };
    let Some(first) = sums.first() else { return launch };
    for (name, &value) in &first.metrics {
        if let Some(range) = range(sums.iter().map(|sum| sum.metrics.get(name).copied().unwrap_or(0))) {
            launch.ranges.insert(name.clone(), range);
        }
        if value > 0 {
            launch.metrics.insert(name.clone(), value);
        }
    }
    for (name, values) in &first.instructions {
        let of =
            |at: usize| range(sums.iter().map(move |sum| sum.instructions.get(name).map_or(0, |values| values[at])));
        let ranges: BTreeMap<usize, [u64; 2]> = (0..values.len()).filter_map(|at| Some((at, of(at)?))).collect();
        if !ranges.is_empty() {
            launch.instruction_ranges.insert(name.clone(), ranges);
        }
        if values.iter().any(|&value| value > 0) {
            launch.instructions.insert(name.clone(), values.clone());
        }
    }
    launch
}

/// The least and the most; None if all are the same.
fn range(values: impl Iterator<Item = u64>) -> Option<[u64; 2]> {
    let [least, most] = values.fold([u64::MAX, 0], |[least, most], value| [least.min(value), most.max(value)]);
    (least < most).then_some([least, most])
}
