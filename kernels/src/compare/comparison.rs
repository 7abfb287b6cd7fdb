//! What a comparison says: plain data for tables, JSON and the book.

use serde::Serialize;
use sim::Report;
use sim::report::FindingKind;

use crate::case::{Output, Shape};
use crate::check::Check;
use crate::gpu::{Properties, Resources, Times};
use crate::truth::Provenance;
use crate::verdict::Verdict;

use super::twins::Twins;

/// Simulated beside measured, case by case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The GPU that was simulated.
    pub target: String,
    /// Where the recorded numbers come from, one entry per problem with a record.
    pub records: Vec<RecordInfo>,
    /// The GPU of this machine, if it took part.
    pub live: Option<Properties>,
    /// One row per case, in the order of the cases.
    pub rows: Vec<Row>,
    /// Kernels that count the same, in total and line by line.
    pub twins: Vec<Twins>,
    /// All rows taken together.
    pub summary: Summary,
}

/// A record that took part in a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordInfo {
    /// The problem.
    pub problem: String,
    /// The record's file name.
    pub file: String,
    /// Where its numbers come from.
    pub provenance: Provenance,
}

/// One case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The problem.
    pub problem: &'static str,
    /// The version.
    pub version: &'static str,
    /// The case's name.
    pub case: String,
    /// What kind of data went in.
    pub data: &'static str,
    /// What every machine must show.
    pub verdict: Verdict,
    /// The launches.
    pub launches: Vec<LaunchRow>,
    /// What the simulator did.
    pub simulated: Simulated,
    /// What the recorded GPU did.
    pub recorded: Option<Recorded>,
    /// What the GPU of this machine did.
    pub live: Option<Live>,
    /// Every exact counter of all launches together, in the order of [`crate::counters::EXACT`].
    pub counters: Vec<CounterRow>,
}

/// The launches of a case that are alike in kernel and shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaunchRow {
    /// The kernel.
    pub kernel: &'static str,
    /// The shape.
    #[serde(flatten)]
    pub shape: Shape,
    /// How many they are.
    pub times: u32,
    /// What they needed of an SM on the recorded GPU.
    pub resources: Option<Resources>,
    /// Their exact counters. Empty when there are no other launches: then they are the case's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterRow>,
}

/// What the simulator did with a case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simulated {
    /// Its result, held against the CPU reference.
    pub result: Check,
    /// Digest of every output.
    pub outputs: Vec<Output>,
    /// What it found wrong with the kernel. Empty, unless the kernel is faulty on purpose.
    pub findings: Vec<String>,
    /// The kinds of the findings.
    #[serde(skip)]
    pub(super) kinds: Vec<FindingKind>,
    /// One report per launch.
    #[serde(skip)]
    pub(super) reports: Vec<Report>,
}

/// What the recorded GPU did with a case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recorded {
    /// Whether its result was within tolerance of the CPU reference.
    pub right: bool,
    /// Whether its outputs were the simulator's, bit by bit, as far as they are determined.
    pub same_output: bool,
    /// How long it took.
    pub times: Times,
}

/// What the GPU of this machine did with a case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Live {
    /// Its result, held against the CPU reference.
    pub result: Check,
    /// Whether its outputs are the simulator's, bit by bit, as far as they are determined.
    pub same_output: bool,
    /// How long it took.
    pub times: Times,
}

/// One exact counter of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CounterRow {
    /// Nsight Compute's name.
    pub metric: &'static str,
    /// The short name.
    pub label: &'static str,
    /// The simulator's number.
    pub simulated: u64,
    /// The hardware's number, from the record.
    pub measured: Option<u64>,
    /// Whether the two are equal; nothing to say of a counter that was not recorded, that varies, or
    /// that is known to differ.
    pub agrees: Option<bool>,
    /// Whether it varies from run to run, because threads wait for each other.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub varies: bool,
    /// Why the two differ, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<&'static str>,
}

/// All rows taken together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Number of cases.
    pub cases: usize,
    /// Number of exact counters that were compared.
    pub counters: usize,
    /// Number of those that are equal.
    pub counters_agree: usize,
    /// Number of exact counters that the records lack: of them it is not known whether they agree.
    pub not_recorded: usize,
    /// Number of cases whose results are as expected on all machines that took part ([`Row::results_agree`]).
    pub results_agree: usize,
    /// Whether there is nothing to complain about: exit code 0, otherwise 1.
    pub agrees: bool,
    /// The closing line: `212 of 212 exact counters agree (H200, recorded 2026-11-21)`.
    pub closing: String,
}

impl Row {
    /// Whether the results are as expected on all machines that took part: as a rule right, equal bit by bit, and
    /// without findings.
    pub fn results_agree(&self) -> bool {
        self.verdict.allows(self.simulated.result.right)
            && self.verdict.finds(self.simulated.kinds.iter().copied())
            && self.recorded.as_ref().is_none_or(|r| self.verdict.allows(r.right) && r.same_output)
            && self.live.as_ref().is_none_or(|live| self.verdict.allows(live.result.right) && live.same_output)
    }

    /// Whether no counter disagrees.
    pub fn counters_agree(&self) -> bool {
        self.judged().all(|counter| counter.agrees != Some(false))
    }

    /// Every counter that is compared: those of each group of launches where there are several, else the case's.
    pub fn judged(&self) -> impl Iterator<Item = &CounterRow> + Clone {
        let own = if self.launches.len() > 1 { &[][..] } else { &self.counters[..] };
        own.iter().chain(self.launches.iter().flat_map(|launch| &launch.counters))
    }
}

/// Counts what agrees.
pub(super) fn summarize(rows: &[Row], provenances: &[&Provenance]) -> Summary {
    let verdicts = || rows.iter().flat_map(Row::judged).filter_map(|counter| counter.agrees);
    let (counters, counters_agree) = (verdicts().count(), verdicts().filter(|agrees| *agrees).count());
    let results_agree = rows.iter().filter(|row| row.results_agree()).count();
    let recorded = rows.iter().filter(|row| row.recorded.is_some());
    let not_recorded = recorded.flat_map(Row::judged).filter(|c| c.agrees.is_none() && !c.varies && c.known.is_none());
    let not_recorded = not_recorded.count();
    let known = rows.iter().flat_map(Row::judged).filter(|counter| counter.known.is_some()).count();
    let mut closing = match source(provenances) {
        Some(source) => format!("{counters_agree} of {counters} exact counters agree ({source})"),
        None => "no exact counters were compared, because there is no record of a GPU".to_owned(),
    };
    let wrong = rows.len() - results_agree;
    if wrong > 0 {
        closing += &format!("; {wrong} of {} results do not", rows.len());
    }
    if known > 0 {
        closing += &format!("; known to differ: {known}");
    }
    if not_recorded > 0 {
        closing += &format!("; not recorded: {not_recorded}");
    }
    let agrees = counters == counters_agree && wrong == 0;
    Summary { cases: rows.len(), counters, counters_agree, not_recorded, results_agree, agrees, closing }
}

/// `H200, recorded 2026-11-21`; several GPUs and a span of days when the records differ.
fn source(provenances: &[&Provenance]) -> Option<String> {
    let mut gpus: Vec<&str> = provenances.iter().map(|provenance| provenance.short_gpu()).collect();
    gpus.dedup();
    let dates = || provenances.iter().map(|provenance| &*provenance.date);
    let (first, last) = (dates().min()?, dates().max()?);
    let days = if first == last { first.to_owned() } else { format!("{first} to {last}") };
    Some(format!("{}, recorded {days}", gpus.join(" and ")))
}
