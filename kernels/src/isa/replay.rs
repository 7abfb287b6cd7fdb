//! The simulator held against a record of a GPU: every probe runs again, with the same operands.

use std::fmt;

use sim::report::FindingKind;
use sim::{Module, Options, Report};

use super::functions;
use super::operands;
use super::probe::Probe;
use super::record::{Entry, IsaRecord, SAMPLES, digest};
use super::text::{Batch, Rows, batches, function_launch, rows_of};
use crate::case::Prepared;
use crate::simulate;

/// A probe that does not give what the GPU gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The probe's name.
    pub probe: String,
    /// What is different.
    pub what: What,
}

/// What is different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The simulator does not run the probe; its message.
    NotRun(String),
    /// The record lacks the probe: it is older than the list of probes.
    NotRecorded,
    /// A result of one thread.
    Result {
        /// The thread.
        thread: usize,
        /// Its operands.
        operands: Vec<u64>,
        /// Which output.
        output: usize,
        /// What the GPU left.
        recorded: u64,
        /// What the simulator left.
        simulated: u64,
        /// Threads with different results, of those whose results the record holds.
        threads: usize,
    },
    /// Some result of a thread whose results the record holds only in the digest.
    Digest,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.probe)?;
        match &self.what {
            What::NotRun(why) => write!(f, "not simulated: {}", why.lines().next().unwrap_or_default()),
            What::NotRecorded => write!(f, "not recorded"),
            What::Digest => write!(f, "a result differs, of a thread that only the digest knows"),
            What::Result { thread, operands, output, recorded, simulated, threads } => {
                let operands: Vec<String> = operands.iter().map(|value| format!("{value:#x}")).collect();
                write!(
                    f,
                    "result {output} of thread {thread} from ({}): the GPU has {recorded:#x}, the simulator {simulated:#x} \
                     ({threads} threads differ)",
                    operands.join(", ")
                )
            }
        }
    }
}

/// What a replay did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Replay {
    /// Probes whose every result is the GPU's.
    pub equal: usize,
    /// Probes whose results are the GPU's but for documented errors of approximate functions.
    pub close: usize,
    /// All others.
    pub differences: Vec<Difference>,
}

/// Runs all probes in the simulator and compares.
pub fn replay(record: &IsaRecord) -> Replay {
    let functions = Module::parse(functions::FILE, functions::PTX).map_err(|error| error.to_string());
    replay_by(record, &|ptx, prepared| {
        if ptx == functions::PTX {
            return launch(functions.as_ref().map_err(Clone::clone)?, prepared);
        }
        launch(&Module::parse("probes.ptx", ptx).map_err(|error| error.to_string())?, prepared)
    })
}

/// Runs the launches of a PTX text and gives what the buffers hold then, or why it cannot.
pub type Runner<'a> = &'a dyn Fn(&str, &Prepared) -> Result<Vec<Vec<u8>>, String>;

/// Runs all probes by a way of the caller's and compares.
pub fn replay_by(record: &IsaRecord, launch: Runner<'_>) -> Replay {
    let run = |batch: &Batch| launch(&batch.ptx(), &batch.prepared()).map(|contents| batch.results(&contents));
    let mut replay = Replay::default();
    for batch in batches(super::probes()) {
        match run(&batch) {
            Ok(rows) => batch.probes.iter().zip(rows).for_each(|(probe, rows)| replay.compare(record, probe, Ok(rows))),
            // What is not simulated must not take the others with it.
            Err(_) => {
                for probe in batch.probes {
                    let single = Batch { probes: vec![probe.clone()] };
                    let rows = run(&single).map(|mut rows| rows.pop().unwrap_or_default());
                    replay.compare(record, &probe, rows);
                }
            }
        }
    }
    for (kernel, probe) in functions::kernels() {
        let rows = launch(functions::PTX, &function_launch(kernel, &probe)).map(|contents| rows_of(&contents));
        replay.compare(record, &probe, rows);
    }
    replay
}

pub(super) fn launch(module: &Module, prepared: &Prepared) -> Result<Vec<Vec<u8>>, String> {
    // Probes read what no thread has written; they are no kernels to be checked.
    let options = Options { checks: sim::Checks::NONE, ..Options::default() };
    let simulated = simulate::run_with(module, prepared, &options).map_err(|error| error.to_string())?;
    // Some of their operands are zero, and the GPU's answer to a division by it is a part of the record.
    let mut errors = simulated.reports.iter().flat_map(Report::errors);
    match errors.find(|finding| finding.kind != FindingKind::DivisionByZero) {
        Some(finding) => Err(finding.message.clone()),
        None => Ok(simulated.contents),
    }
}

impl Replay {
    fn compare(&mut self, record: &IsaRecord, probe: &Probe, rows: Result<Rows, String>) {
        let what = match (record.entries.get(&probe.name), rows) {
            // What the GPU's compiler refuses needs no simulation.
            (Some(Entry::Refused), _) => None,
            (None, _) => Some(What::NotRecorded),
            (_, Err(why)) => Some(What::NotRun(why)),
            (Some(Entry::All(recorded)), Ok(rows)) => {
                let known: Vec<(usize, Vec<u64>)> =
                    (0..operands::THREADS).map(|thread| (thread, column(recorded, thread))).collect();
                first(probe, &known, &rows)
            }
            (Some(Entry::Digest(recorded, samples)), Ok(rows)) => (digest(&rows) != *recorded).then(|| {
                let known: Vec<(usize, Vec<u64>)> = SAMPLES.into_iter().zip(samples.iter().cloned()).collect();
                first(probe, &known, &rows).unwrap_or(What::Digest)
            }),
        };
        match what {
            Some(what) => self.differences.push(Difference { probe: probe.name.clone(), what }),
            None if probe.tolerance.is_some() => self.close += 1,
            None => self.equal += 1,
        }
    }
}

fn column(rows: &[Vec<u64>], thread: usize) -> Vec<u64> {
    rows.iter().map(|row| row.get(thread).copied().unwrap_or_default()).collect()
}

/// The first result that is not the recorded one.
fn first(probe: &Probe, known: &[(usize, Vec<u64>)], rows: &Rows) -> Option<What> {
    let different = |(thread, recorded): &(usize, Vec<u64>)| {
        let simulated = column(rows, *thread);
        let pairs = recorded.iter().zip(simulated);
        let output = pairs.zip(&probe.outputs).position(|((&recorded, simulated), &ty)| {
            !probe.tolerance.map_or(recorded == simulated, |allowed| allowed.allows(ty, recorded, simulated))
        })?;
        Some((*thread, output))
    };
    let all: Vec<(usize, usize)> = known.iter().filter_map(different).collect();
    let &(thread, output) = all.first()?;
    let recorded = known.iter().find(|(other, _)| *other == thread).and_then(|(_, values)| values.get(output).copied());
    let operands = operands::rows(probe.style, &probe.sources);
    Some(What::Result {
        thread,
        operands: column(&operands, thread),
        output,
        recorded: recorded.unwrap_or_default(),
        simulated: rows[output][thread],
        threads: all.len(),
    })
}
