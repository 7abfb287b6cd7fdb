//! What was executed, held against its witnesses: the road over PTX, and what a GPU counted of the same code.

use sim::report::machine_code::MachineInstruction;
use sim::{Checks, Options, Report};

use super::MachineCaseComparison;
use crate::case::{Case, Prepared, Step};
use crate::counters::MACHINE;
use crate::known::{self, Kind, Place};
use crate::machine_truth::{MachineLaunch, MachineRecord};
use crate::simulate::{self, Simulated};
use crate::truth;

/// The GPU of the records.
pub(super) const GPU: &str = sim::target::DEFAULT;

/// A counter of an instruction.
pub type Count = fn(&MachineInstruction) -> u64;

/// How an instruction's counters are called by the profiler, and what they are here.
pub const COUNTS: [(&str, Count); 4] = [
    ("inst_executed", |instruction| instruction.executed),
    ("thread_inst_executed", |instruction| instruction.threads),
    ("thread_inst_executed_true", |instruction| instruction.pred_on),
    ("smsp__branch_targets_threads_divergent", |instruction| instruction.divergent),
];

/// Something that differs, before it is known whether that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The counter, or `output`, `finding`, `refused`.
    pub what: String,
    /// The number of the instruction, if it is about one.
    pub instruction: Option<usize>,
    /// Where, what is here, and what the witness says.
    pub sentence: String,
}

impl Found {
    pub(super) fn new(what: &str, sentence: String) -> Self {
        Self { what: what.to_owned(), instruction: None, sentence }
    }
}

/// The outputs and findings of the road over PTX.
pub(super) fn against_ptx(case: &Case, prepared: &Prepared, ran: &Simulated, found: &mut Vec<Found>) {
    let options = Options { checks: Checks::NONE, ..Options::default() };
    let failed = |why: String| Found::new("refused", format!("the road over PTX: {why}"));
    let module = match simulate::module(case.problem) {
        Ok(module) => module,
        Err(error) => return found.push(failed(error.to_string())),
    };
    let ptx = match simulate::run_with(&module, prepared, &options) {
        Ok(ptx) => ptx,
        Err(error) => return found.push(failed(error.to_string())),
    };
    for finding in ran.reports.iter().flat_map(|report| &report.findings) {
        if !ptx.reports.iter().flat_map(|report| &report.findings).any(|other| other.kind == finding.kind) {
            let sentence = format!("{}:{}: {}", finding.file, finding.line, finding.message);
            found.push(Found::new("finding", sentence));
        }
    }
    for (buffer, (one, other)) in prepared.buffers.iter().zip(ran.contents.iter().zip(&ptx.contents)) {
        if let Some(byte) = (0..one.len().max(other.len())).find(|&at| one.get(at) != other.get(at)) {
            found.push(Found::new("output", format!("`{}` differs from byte {byte} on", buffer.name)));
        }
    }
}

/// The exact counters of the PTX's record that the hardware repeats.
pub(super) fn against_exact_counters(
    case: &Case,
    ran: &Simulated,
    compared: &mut MachineCaseComparison,
    found: &mut Vec<Found>,
) {
    let (Ok(records), Ok(known)) = (truth::records(), known::known()) else { return };
    for record in records.iter().filter(|record| record.problem == case.problem && record.provenance.slug() == GPU) {
        let Some(recorded) = record.case(case) else { continue };
        for name in &record.counters {
            let Some(value) = recorded.metric(name) else { continue };
            let entry = known.find(Place { case, kernel: None, metric: name }, &record.provenance);
            if recorded.range(name).is_some() || entry.is_some_and(|(_, entry)| entry.kind == Kind::Noise) {
                continue;
            }
            let ours: u64 = ran.reports.iter().map(|report| report.metric(name)).sum();
            compared.memory += 1;
            if ours != value {
                found.push(Found::new(name, format!("{name}: {ours}, the GPU counted {value}")));
            }
        }
    }
}

/// The instruction stream: counters of launches and of instructions.
pub(super) fn against_stream(
    case: &Case,
    record: &MachineRecord,
    prepared: &Prepared,
    reports: &[Report],
    compared: &mut MachineCaseComparison,
    found: &mut Vec<Found>,
) {
    let Some(recorded) = record.case(case) else { return };
    for launch in &recorded.launches {
        let own = alike(launch, prepared, reports);
        compared.launches += own.len();
        compared.stream += totals(launch, record, &own, found);
        compared.instructions += instructions(launch, &own, found);
    }
}

/// The reports of the launches that a recorded one stands for.
pub fn alike<'r>(launch: &MachineLaunch, prepared: &Prepared, reports: &'r [Report]) -> Vec<&'r Report> {
    let alike = |step: &Step| step.kernel == launch.kernel && step.shape == launch.shape;
    prepared.steps.iter().zip(reports).filter(|(step, _)| alike(step)).map(|(_, report)| report).collect()
}

/// Compares the counters of launches; returns how many were compared.
pub fn totals(launch: &MachineLaunch, record: &MachineRecord, own: &[&Report], found: &mut Vec<Found>) -> usize {
    let mut compared = 0;
    for counter in MACHINE {
        let Some([least, most]) = launch.range(record, counter) else { continue };
        let value = |report: &&Report| report.machine_code.as_ref()?.counters.get(counter).copied();
        let ours: u64 = own.iter().filter_map(value).sum();
        compared += 1;
        if ours < least || ours > most {
            let sentence = format!("{}: {counter}: {ours}, the GPU counted {}", launch.kernel, range(least, most));
            found.push(Found::new(counter, sentence));
        }
    }
    compared
}

/// Compares the counters of instructions; returns how many were compared.
pub fn instructions(launch: &MachineLaunch, own: &[&Report], found: &mut Vec<Found>) -> usize {
    let listings: Vec<&[MachineInstruction]> =
        own.iter().filter_map(|report| Some(&*report.machine_code.as_ref()?.listing)).collect();
    let Some(first) = listings.first() else { return 0 };
    let mut compared = 0;
    for (counter, of) in COUNTS {
        let theirs: &[u64] = launch.instructions.get(counter).map_or(&[], |values| values);
        let ranges = launch.instruction_ranges.get(counter);
        for at in 0..first.len().max(theirs.len()) {
            let value = theirs.get(at).copied().unwrap_or(0);
            let [least, most] = ranges.and_then(|ranges| ranges.get(&at).copied()).unwrap_or([value; 2]);
            let ours: u64 = listings.iter().filter_map(|listing| listing.get(at)).map(of).sum();
            compared += 1;
            if ours < least || ours > most {
                let text = first.get(at).map_or("no instruction", |instruction| &instruction.text);
                let place = format!("{} at {:#x} ({text})", launch.kernel, at * 16);
                let sentence = format!("{place}: {counter}: {ours}, the GPU counted {}", range(least, most));
                found.push(Found { instruction: Some(at), ..Found::new(counter, sentence) });
            }
        }
    }
    compared
}

/// What a GPU counted in all profiles.
fn range(least: u64, most: u64) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}
