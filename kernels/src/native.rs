//! Any kernel on this machine's GPU: what comes out, how long it takes, and what Nsight Compute counts, to be set beside
//! what the simulator says.
//!
//! Only code that the simulator found no fault in belongs here: a stray write on a GPU can spoil what other programs
//! have there, and an endless loop blocks it.

use std::path::PathBuf;

use serde::Serialize;
use sim::report::Metrics;

use crate::counters::EXACT;
use crate::doctor;
use crate::gpu::{Gpu, GpuError, Properties, Times, Work};
use crate::ncu::Ncu;
use crate::record::machine::Counted;
pub use crate::record::work::Code;
use crate::record::work::{self, WorkError};
use crate::stopwatch::stopwatch;

pub mod stream;

/// Timed runs of each work.
const REPEATS: u32 = 30;
/// Profiles of each launch of machine code: what the hardware does not repeat shows from twice on.
pub const ROUNDS: u32 = 2;

/// Something that runs kernels natively. That is [`Native`]; tests have others.
pub trait Device {
    /// The GPU and its driver in words, such as `NVIDIA H200, driver 580.95.05`.
    fn name(&self) -> String;

    /// Runs, times and, where that is possible, profiles each work with the kernels of `code`.
    ///
    /// # Errors
    /// [`GpuError`] when the GPU refuses a launch or stops a kernel. That nothing can be profiled is a note.
    fn measure(&self, code: Code<'_>, works: &[Work]) -> Result<Measured, GpuError>;
}

/// What a GPU gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured {
    /// One for each work.
    pub works: Vec<MeasuredWork>,
    /// What the user should know, one sentence each: why there are no counters, for example.
    pub notes: Vec<String>,
}

/// What one work gave.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredWork {
    /// The content of its buffers in the end.
    pub buffers: Vec<Vec<u8>>,
    /// How long all of its launches took together.
    pub times: Times,
    /// The exact counters of all of its launches together, where Nsight Compute could be asked.
    pub exact: Option<Metrics>,
    /// Of machine code that ran as it stands: what Nsight Compute counted of each launch and its instructions, an entry per
    /// round; none where it could not be asked.
    pub streams: Vec<Vec<Counted>>,
}

/// This machine's GPU. It is only open while something is measured, so that others can have it in between.
#[derive(Debug)]
pub struct Native {
    ordinal: u32,
    program: PathBuf,
    properties: Properties,
}

impl Native {
    /// The GPU with this number, from 0. `program` is this program, which starts itself to be profiled.
    ///
    /// # Errors
    /// [`NoGpu`].
    pub fn open(ordinal: u32, program: PathBuf) -> Result<Self, NoGpu> {
        let properties = Gpu::open(ordinal).map_err(NoGpu::of)?.properties().clone();
        Ok(Self { ordinal, program, properties })
    }

    /// Fills in what Nsight Compute counts; returns a note where something could not be counted.
    fn count(
        &self,
        code: Code<'_>,
        works: &[Work],
        measured: &mut [MeasuredWork],
    ) -> Result<Option<String>, WorkError> {
        let ncu = Ncu::find(None)?;
        if code.cubin.is_none() {
            let (counters, note) = work::profile(&ncu, &self.program, self.ordinal, code, works)?;
            for (work, exact) in measured.iter_mut().zip(counters) {
                work.exact = Some(exact);
            }
            return Ok(note);
        }
        let works: Vec<(Code<'_>, &Work)> = works.iter().map(|work| (code, work)).collect();
        let streams = work::profile_stream(&ncu, &self.program, self.ordinal, &works, ROUNDS)?;
        for (work, streams) in measured.iter_mut().zip(streams) {
            work.exact = Some(stream::exact(&streams));
            work.streams = streams;
        }
        Ok(None)
    }
}

impl Device for Native {
    fn name(&self) -> String {
        format!("{}, driver {}", self.properties.name, self.properties.driver)
    }

    fn measure(&self, code: Code<'_>, works: &[Work]) -> Result<Measured, GpuError> {
        let mut measured = Measured::default();
        {
            let gpu = Gpu::open(self.ordinal)?;
            let (kernels, stopwatch) = (code.load(&gpu)?, stopwatch(&gpu)?);
            for work in works {
                let buffers = kernels.run(work)?;
                let times = kernels.time(work, REPEATS, &stopwatch)?;
                measured.works.push(MeasuredWork { buffers, times, exact: None, streams: Vec::new() });
            }
            if let Some(lowered) = kernels.lowered_version() {
                measured.notes.push(format!("the driver is older than the PTX: {lowered}"));
            }
        }
        // The GPU is closed again, so that the profiled process has it to itself.
        match self.count(code, works, &mut measured.works) {
            Ok(note) => measured.notes.extend(note),
            Err(why) => measured.notes.push(format!("counters were not measured: {why}")),
        }
        let simulated = sim::target::DEFAULT.to_uppercase();
        if !self.properties.name.contains(&simulated) {
            measured.notes.push(format!(
                "the simulator stands for an {simulated}, and this is an {}: times are its own, and counters of caches \
                 may differ",
                self.properties.name
            ));
        }
        Ok(measured)
    }
}

/// There is no GPU to run anything on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing can be run on a GPU here: {error}{advice}\nwithout --gpu, all of it is simulated and needs none")]
pub struct NoGpu {
    /// What the driver says.
    pub error: GpuError,
    /// What `warpbook doctor` says of it, with what to do.
    advice: String,
}

impl NoGpu {
    fn of(error: GpuError) -> Self {
        // A number that is too large needs no doctor.
        let asks = !matches!(error, GpuError::Ordinal { .. });
        let advice = if asks {
            doctor::gpu_advice().map_or_else(String::new, |text| format!("\n{text}"))
        } else {
            String::new()
        };
        Self { error, advice }
    }

    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        self.error.exit_code()
    }
}

/// Why nothing is run natively that has findings.
pub const FAULTS_FOUND: &str = "the simulator found faults in it. On a GPU such code may give another result at every \
                                run, spoil what others have there, or never end: fix it first";

/// What was to run on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OnGpu<R> {
    /// The GPU and its driver.
    pub gpu: String,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome<R>,
}

/// What came of running something on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome<R> {
    /// It was not run.
    NotRun {
        /// Why, in a sentence.
        why: String,
    },
    /// The GPU refused it or stopped it.
    Failed {
        /// What it said.
        why: String,
    },
    /// It ran, and this is what it gave.
    Ran(R),
}

impl<R> OnGpu<R> {
    /// Whether the GPU did what the simulator says it does: not, if it did not come to its end, or if what it gave is not
    /// `right`.
    pub fn agrees(&self, right: impl FnOnce(&R) -> bool) -> bool {
        match &self.outcome {
            Outcome::NotRun { .. } => true,
            Outcome::Failed { .. } => false,
            Outcome::Ran(ran) => right(ran),
        }
    }
}

/// An exact counter, simulated and measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// Nsight Compute's name.
    pub metric: &'static str,
    /// A short name for tables.
    pub label: &'static str,
    /// What it counts.
    pub unit: &'static str,
    /// What the simulator counted.
    pub simulated: u64,
    /// What the GPU counted.
    pub measured: u64,
}

impl Pair {
    /// Whether both counted the same.
    pub const fn agrees(&self) -> bool {
        self.simulated == self.measured
    }

    /// `193 = 193`, or `193 ≠ 190`.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.simulated, if self.agrees() { '=' } else { '≠' }, self.measured)
    }
}

/// The exact counters that both sides have, in the order of [`EXACT`].
pub fn pairs(simulated: &Metrics, measured: &Metrics) -> Vec<Pair> {
    let pair = |counter: &crate::counters::Counter| {
        Some(Pair {
            metric: counter.metric,
            label: counter.label,
            unit: counter.unit.name(),
            simulated: *simulated.get(counter.metric)?,
            measured: *measured.get(counter.metric)?,
        })
    };
    EXACT.iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_gpu_is_told_what_to_do() {
        let error = NoGpu::of(GpuError::NoDriver);
        assert_eq!(error.exit_code(), 3);
        let (text, there) = (error.to_string(), crate::gpu::driver_is_here());
        assert!(text.starts_with("nothing can be run on a GPU here: there is no NVIDIA driver"), "{text}");
        assert!(there || text.contains("NVIDIA driver: not found (libcuda)") && text.contains("what to do"), "{text}");
        let error = NoGpu::of(GpuError::Ordinal { ordinal: 7, count: 1 });
        assert_eq!((error.exit_code(), error.to_string().lines().count()), (2, 2), "{error}");
        if !there {
            assert_eq!(Native::open(0, PathBuf::new()).unwrap_err().exit_code(), 3);
        }
    }

    #[test]
    fn counters_are_paired_where_both_sides_have_them() {
        let [a, b, c] = [EXACT[0].metric, EXACT[1].metric, EXACT[2].metric].map(str::to_owned);
        let simulated = Metrics::from([(a.clone(), 5), (b, 6), (c.clone(), 1000)]);
        let measured = Metrics::from([(a, 5), (c, 7)]);
        let pairs = pairs(&simulated, &measured);
        assert_eq!(pairs.iter().map(Pair::text).collect::<Vec<_>>(), ["5 = 5", "1000 ≠ 7"]);
        assert_eq!(pairs[1].label, EXACT[2].label);
    }
}
