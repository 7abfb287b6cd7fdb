//! What a comparison says: plain data for tables, JSON and the book.

use serde::Serialize;
use sim::Report;
use sim::report::FindingKind;

use crate::baseline::Changes;
use crate::case::{Output, Shape};
use crate::check::Check;
use crate::gpu::{Properties, Resources, Times};
use crate::known::Kind;
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
    /// What code that is not the recorded code counts otherwise, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Changes>,
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
    /// Whether it looked for races and uninitialised reads.
    pub checked: bool,
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
    /// The least and the most of several profiles, where the hardware did not repeat it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[u64; 2]>,
    /// Whether the two are equal; nothing to say of a counter that was not recorded, or of which it is known why it
    /// differs or is not repeated.
    pub agrees: Option<bool>,
    /// Why the two differ, or why they are not compared, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<Cause>,
}

/// Why a counter is known to differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// What kind of difference it is.
    pub kind: Kind,
    /// Why, in a sentence.
    pub cause: &'static str,
    /// The page of the book that explains it, with the heading.
    pub page: &'static str,
}

impl CounterRow {
    /// What is to be said of the counter, in a word or two.
    pub const fn word(&self) -> &'static str {
        match (self.agrees, self.known, self.measured) {
            (Some(true), ..) => "equal",
            (Some(false), ..) => "DIFFERS",
            (None, Some(Cause { kind: Kind::Lowering, .. }), _) => "known to differ",
            (None, Some(Cause { kind: Kind::Noise, .. }), _) => "not repeated",
            (None, None, Some(_)) => "",
            (None, None, None) => "simulator only",
        }
    }

    /// The simulator's number over the hardware's; None when nothing was measured, or when only the hardware's is 0.
    pub fn ratio(&self) -> Option<f64> {
        match (self.simulated, self.measured?) {
            (0, 0) => Some(1.0),
            (_, 0) => None,
            (simulated, measured) => Some(simulated as f64 / measured as f64),
        }
    }
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
    /// Number of exact counters that are known to differ, and do.
    pub known: usize,
    /// Number of exact counters that are not compared, because the hardware itself does not repeat them.
    pub noise: usize,
    /// What has to be looked at in the list of known differences: sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub review: Vec<String>,
    /// Source files whose code is not the recorded one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outdated: Vec<String>,
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
pub(super) fn summarize(
    rows: &[Row],
    provenances: &[&Provenance],
    review: Vec<String>,
    outdated: Vec<String>,
) -> Summary {
    let judged = || rows.iter().flat_map(Row::judged);
    let verdicts = || judged().filter_map(|counter| counter.agrees);
    let (counters, counters_agree) = (verdicts().count(), verdicts().filter(|agrees| *agrees).count());
    let results_agree = rows.iter().filter(|row| row.results_agree()).count();
    let recorded = rows.iter().filter(|row| row.recorded.is_some());
    let not_recorded = recorded.flat_map(Row::judged).filter(|c| c.agrees.is_none() && c.known.is_none()).count();
    let of_kind = |kind| judged().filter(|counter| counter.known.is_some_and(|known| known.kind == kind)).count();
    let (known, noise) = (of_kind(Kind::Lowering), of_kind(Kind::Noise));
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
    if noise > 0 {
        closing += &format!("; not repeated by the hardware: {noise}");
    }
    if not_recorded > 0 {
        closing += &format!("; not recorded: {not_recorded}");
    }
    if !review.is_empty() {
        closing += &format!("; to be looked at in {}: {}", crate::known::FILE, review.len());
    }
    if !outdated.is_empty() {
        closing += &format!("; not the code that was recorded: {}", outdated.join(", "));
    }
    let agrees = counters == counters_agree && wrong == 0 && review.is_empty() && outdated.is_empty();
    let cases = rows.len();
    Summary {
        cases,
        counters,
        counters_agree,
        not_recorded,
        known,
        noise,
        review,
        outdated,
        results_agree,
        agrees,
        closing,
    }
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
