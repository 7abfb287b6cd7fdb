//! A session's launches on a real GPU, beside what the simulator made of them.

use std::fmt::Write as _;

use serde::Serialize;
use sim::predict::Series;

use super::element::Element;
use super::expect::{self, Comparison};
use super::run::{Ran, RanLaunch};
use crate::gpu::{Times, Work};
use crate::names;
use crate::native::stream::{self, StreamCheck};
use crate::native::{Code, Device, FAULTS_FOUND, OnGpu, Outcome, Pair, pairs};

/// What a GPU needs to do what a session did, and what it must leave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Twin {
    work: Work,
    left: Vec<Left>,
    /// Why a GPU cannot be asked.
    refused: Option<String>,
}

/// A buffer as the simulator left it.
#[derive(Debug, Clone, PartialEq)]
struct Left {
    /// Which buffer of the work it is.
    buffer: usize,
    title: String,
    element: Option<Element>,
    bytes: Vec<u8>,
}

impl Twin {
    /// A session that has not begun.
    pub fn new() -> Self {
        Self { work: Work::new("the launches"), ..Self::default() }
    }

    /// Something that a GPU cannot be given.
    pub(super) fn refuse(&mut self, why: &str) {
        self.refused.get_or_insert_with(|| why.to_owned());
    }

    /// A launch whose first `shared` buffers are those of the launches before it.
    pub(super) fn push(&mut self, kernel: &str, launch: &sim::Launch, shared: usize) {
        if let Err(why) = self.work.push(kernel, launch, shared) {
            self.refuse(&why.to_string());
        }
        // The simulator has zeros where nobody has written.
        self.work.buffers.iter_mut().for_each(|memory| memory.written = true);
    }

    /// What the simulator left in the end: first the buffers that all launches share, then those of the last launch.
    pub(super) fn leave(
        &mut self,
        buffers: impl ExactSizeIterator<Item = (String, Option<Element>, Vec<u8>)>,
        shared: usize,
    ) {
        let own = buffers.len().saturating_sub(shared);
        let first = self.work.buffers.len().saturating_sub(own);
        self.left = buffers
            .enumerate()
            .map(|(at, (title, element, bytes))| {
                let buffer = if at < shared { at } else { first + at - shared };
                Left { buffer, title, element, bytes }
            })
            .collect();
    }

    /// Runs the session on a GPU, if the simulator found nothing in it. Numbers may differ by `tolerance`, as they may
    /// from expected ones.
    pub fn run(&self, ran: &Ran, code: Code<'_>, tolerance: f64, device: &dyn Device) -> NativeSession {
        let outcome = match self.forbidden(ran, code.ptx) {
            Some(why) => Outcome::NotRun { why },
            None => match device.measure(code, std::slice::from_ref(&self.work)) {
                Err(why) => Outcome::Failed { why: why.to_string() },
                Ok(mut measured) => match measured.works.pop() {
                    None => Outcome::Failed { why: "it gave nothing back".to_owned() },
                    Some(work) => {
                        let simulated = sum(&ran.launches);
                        let streams = ran.launches.iter().zip(&work.streams);
                        Outcome::Ran(Native {
                            buffers: self.compare(&work.buffers, tolerance),
                            streams: streams.map(|(launch, rounds)| stream::check(&launch.report, rounds)).collect(),
                            times: work.times,
                            predicted_us: predicted_us(&ran.launches),
                            counters: work.exact.map_or_else(Vec::new, |exact| pairs(&simulated, &exact)),
                            notes: measured.notes,
                        })
                    }
                },
            },
        };
        NativeSession(OnGpu { gpu: device.name(), outcome })
    }

    /// What a GPU is to do.
    #[must_use]
    pub const fn work(&self) -> &Work {
        &self.work
    }

    /// The buffers of the work as a GPU left them, beside what the simulator left in those that are judged.
    #[must_use]
    pub fn compare(&self, got: &[Vec<u8>], tolerance: f64) -> Vec<Comparison> {
        let compare = |left: &Left| {
            let got = got.get(left.buffer).map_or(&[][..], Vec::as_slice);
            expect::compare(&left.title, got, &left.bytes, left.element, tolerance)
        };
        self.left.iter().map(compare).collect()
    }

    /// Why it is not run natively; nothing if it may be.
    #[must_use]
    pub fn forbidden(&self, ran: &Ran, ptx: &str) -> Option<String> {
        if ran.cut_short || ran.launches.iter().any(|launch| !launch.report.is_clean()) {
            return Some(FAULTS_FOUND.to_owned());
        }
        if ptx.contains("%envreg") {
            return Some(
                "a grid that waits for itself needs a cooperative launch, which is not made here yet".to_owned(),
            );
        }
        self.refused.clone()
    }
}

/// The exact counters of all launches together.
fn sum(launches: &[RanLaunch]) -> sim::report::Metrics {
    let mut reports = launches.iter().map(|launch| &launch.report);
    let Some(mut sum) = reports.next().cloned() else { return Default::default() };
    reports.for_each(|report| sum.add(report));
    sum.metrics
}

/// How long all launches take together, if all were predicted.
fn predicted_us(launches: &[RanLaunch]) -> Option<f64> {
    let mut series = Series::on(&launches.first()?.report.target);
    for launch in launches {
        series.push(launch.report.prediction.as_ref()?);
    }
    Some(series.us())
}

/// What a session gave on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Native {
    /// The buffers beside what the simulator left in them.
    pub buffers: Vec<Comparison>,
    /// How long all launches took.
    pub times: Times,
    /// How long the simulator says that they take, in microseconds.
    pub predicted_us: Option<f64>,
    /// The exact counters, simulated and measured; none without Nsight Compute.
    pub counters: Vec<Pair>,
    /// Of machine code: every launch beside what Nsight Compute counted of it and of its instructions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<StreamCheck>,
    /// What the user should know, one sentence each.
    pub notes: Vec<String>,
}

/// A session on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct NativeSession(pub OnGpu<Native>);

impl NativeSession {
    /// Whether the GPU did what the simulator says it does: not, if a buffer differs or it did not come to its end.
    pub fn agrees(&self) -> bool {
        self.0.agrees(|ran| ran.buffers.iter().all(|buffer| buffer.wrong == 0))
    }

    /// The whole of it for people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let OnGpu { gpu, outcome } = &self.0;
        let Native { buffers, times, predicted_us, counters, streams, notes } = match outcome {
            Outcome::NotRun { why } => {
                let _ = writeln!(out, "not run on the GPU ({gpu}): {why}");
                return out;
            }
            Outcome::Failed { why } => {
                let _ = writeln!(out, "on the GPU ({gpu}) it did not come to its end: {why}");
                return out;
            }
            Outcome::Ran(native) => native,
        };
        let _ = writeln!(out, "on this machine's GPU, {gpu}:");
        for buffer in buffers {
            let (name, all) = (&buffer.buffer, buffer.elements);
            let _ = match &buffer.first {
                None => writeln!(out, "  {name}: as simulated ({all} elements)"),
                Some(first) => {
                    writeln!(out, "  {name}: {} of {all} elements are not as simulated; {first}", buffer.wrong)
                }
            };
        }
        let predicted = predicted_us.map_or_else(String::new, |us| format!("; predicted: {us:.1} µs"));
        let _ = writeln!(
            out,
            "  {:.1} µs, median of {} runs with cold caches ({:.1} to {:.1}){predicted}",
            times.median_us(),
            times.runs,
            times.min_ns as f64 / 1e3,
            times.max_ns as f64 / 1e3
        );
        if !counters.is_empty() {
            let equal = counters.iter().filter(|pair| pair.agrees()).count();
            let _ = writeln!(
                out,
                "  {equal} of {} exact counters are equal; those that are not 0, simulated = measured:",
                counters.len()
            );
            let shown: Vec<&Pair> = counters.iter().filter(|pair| pair.simulated > 0 || pair.measured > 0).collect();
            let width = shown.iter().map(|pair| pair.label.chars().count()).max().unwrap_or(0);
            for pair in shown {
                let _ = writeln!(out, "    {:width$}  {}", pair.label, pair.text());
            }
        }
        for stream in streams {
            let (all, differ) = (stream.compared, &stream.differences);
            let name = names::short(&stream.kernel);
            let _ = writeln!(
                out,
                "  machine code of {name}: {} of {all} counters of the launch and its instructions are as simulated{}",
                all - differ.len(),
                if stream.unrepeated > 0 {
                    format!(" ({} are not the same in every run on the GPU)", stream.unrepeated)
                } else {
                    String::new()
                }
            );
            for difference in differ.iter().take(MOST_DIFFERENCES) {
                let _ = writeln!(out, "    {}", difference.sentence());
            }
            if differ.len() > MOST_DIFFERENCES {
                let _ = writeln!(out, "    and {} more; --json has all", differ.len() - MOST_DIFFERENCES);
            }
        }
        for note in notes {
            let _ = writeln!(out, "note: {note}");
        }
        out
    }
}

/// Differences of a launch that a text shows.
const MOST_DIFFERENCES: usize = 12;

#[cfg(test)]
mod tests;
