//! How long a launch takes on its target, and which resource keeps it from being faster.
//!
//! A sample of the thread blocks is executed and every warp's way written down ([`trace`]). One multiprocessor is then
//! replayed clock by clock ([`mod@replay`]): warps issue in order, wait for operands, barriers and busy pipes, and what
//! all multiprocessors share (L2, memory, atomics) serves this one's equal part. The rest of the grid comes at the pace
//! of the sample. All numbers are those of the target ([`rates`]); none belongs to a kernel.
//!
//! Who asks again and again whether others are done waits, and does no work (`polls`): of the rounds of such a loop the
//! last one is kept. Blocks that wait for blocks are timed as a whole (`chain`).
//!
//! Of machine code the replay issues the instructions that were executed, with their control bits (`replay/code.rs`,
//! `pipes`), and blocks whose work differs are counted before some are chosen (`uneven`). What blocks share of what they load
//! is found out from a sample of its own (`reuse`).
//!
//! Where the work of every block is known and differs, `placement` tells the multiprocessor that gets the most of it.
//!
//! What the model does not have: clusters, conflicts of addresses in L2 and memory.

#![deny(clippy::wildcard_enum_match_arm)]

pub(crate) mod beside;
mod chain;
mod convert;
mod footprint;
pub(crate) mod held;
mod hot;
mod live;
mod operations;
mod order;
mod pipes;
pub(crate) mod placement;
pub(crate) mod polls;
pub mod prediction;
pub mod rates;
pub mod replay;
pub(crate) mod reuse;
pub(crate) mod sampling;
mod series;
pub mod slices;
pub mod timeline;
pub mod trace;
pub(crate) mod tracer;
pub(crate) mod uneven;
pub mod units;
mod weights;
mod what_if;

use crate::error::Error;
use crate::launch::{Arg, Content, Launch};
use crate::machine::grid::{self, Machine};
use crate::module::Module;
use crate::options::Options;
pub use crate::report::prediction::{BUSY_PERCENT, Class, Light, Prediction, Resource, Roofline, Share, Supposed};
pub use crate::report::prediction_text as text;
use crate::scheduler;
use crate::target;
use rates::Rates;
use replay::Shape;
use replay::Stalls;
pub use series::Series;
use timeline::Timeline;
use trace::Trace;
use tracer::Tracer;
use uneven::Work;
pub use what_if::{NAMES as WHAT_IF, WhatIf};

/// Fewest registers that a thread gets.
const FEWEST_REGISTERS: u32 = 16;
/// How far predictions are off where nothing was measured: a factor, guessed.
const UNMEASURED: f64 = 3.0;
/// The same where numbers were measured: nine of ten of the measured launches that no number comes from are within it
/// (a test holds it against the committed evaluation).
pub const MEASURED: f64 = 1.5;
/// The same where the instructions are those of machine code.
pub const OF_CODE: f64 = 1.4;
/// Warps whose ways a timeline shows.
const FOLLOWED: usize = 64;

/// How to predict.
#[derive(Debug, Clone, PartialEq)]
pub struct How {
    /// Registers of a thread, as ptxas or a GPU says; `None` for an estimate.
    pub registers: Option<u32>,
    /// The sample is what a multiprocessor holds so many times.
    pub waves: u64,
    /// Multiprocessors that the sample is for. For 1 its blocks come from all over the grid; for more they are neighbours
    /// in the middle of the grid, as they are resident together, and blocks of uneven work are not looked for.
    pub multiprocessors: u64,
    /// Bytes that launches before this one touched since the caches were empty; `None` for an empty cache.
    pub touched: Option<u64>,
    /// Resources that are faster than they are.
    pub what_if: Vec<WhatIf>,
}

impl Default for How {
    /// Three times what a multiprocessor holds, caches that are empty, a GPU as it is.
    fn default() -> Self {
        Self { registers: None, waves: sampling::WAVES, multiprocessors: 1, touched: None, what_if: Vec::new() }
    }
}

/// What came of a prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// The prediction.
    pub prediction: Prediction,
    /// What the first warps of the multiprocessor do.
    pub timeline: Timeline,
    /// One entry per argument: the buffer's content as the sampled blocks leave it, `None` for a scalar.
    pub buffers: Vec<Option<Content>>,
}

/// A sample of a launch.
#[derive(Debug)]
pub struct Sampled {
    /// What its blocks did.
    pub trace: Trace,
    /// What the launch is beside that.
    pub shape: Shape,
    /// Registers of a thread, as they were told or estimated.
    pub registers: u32,
    /// One entry per argument: the buffer's content as the sampled blocks leave it, `None` for a scalar.
    pub buffers: Vec<Option<Content>>,
    /// The work of blocks, where it differs so much that the sample was chosen by it.
    pub(crate) work: Option<Work>,
}

impl Sampled {
    /// The blocks that are replayed.
    fn chosen(&self) -> Vec<u64> {
        self.trace.blocks.iter().map(|block| block.index).collect()
    }
}

/// Predicts how long `kernel` takes.
///
/// # Errors
/// As [`crate::simulate`].
pub fn predict(
    module: &Module,
    kernel: &str,
    launch: &Launch,
    options: &Options,
    how: &How,
) -> Result<Predicted, Error> {
    let (target, _) = options.target_and_lowering()?;
    let sampled = sample(module, kernel, launch, options, how)?;
    let mut done = of_sample(&sampled, target, how);
    if how.registers.is_none() {
        done.prediction.notes.push(format!(
            "PTX does not tell the registers of a thread; {} were estimated from the values that live together",
            sampled.registers
        ));
    }
    let Timed { prediction, timeline, .. } = done;
    Ok(Predicted { prediction, timeline, buffers: sampled.buffers })
}

/// The time of a sample that was taken before, which somebody may have changed since: what its blocks did is replayed, and
/// nothing executed.
///
/// # Errors
/// [`Error::Input`] when there is no such GPU.
pub fn replayed(sampled: &Sampled, options: &Options, how: &How) -> Result<Prediction, Error> {
    let (target, _) = options.target_and_lowering()?;
    Ok(of_sample(sampled, target, how).prediction)
}

/// What comes of the replay of a sample.
pub(crate) struct Timed {
    pub(crate) prediction: Prediction,
    pub(crate) timeline: Timeline,
    /// Of machine code: the clocks that warps spent at each instruction, by reason.
    pub(crate) stalls: Vec<Stalls>,
}

/// Replays a sample, as it is and for each change of `how`.
pub(crate) fn of_sample(sampled: &Sampled, target: &target::Target, how: &How) -> Timed {
    let (rates, measured) = Rates::of(target);
    let code = sampled.trace.is_machine_code();
    let fits = |touched: u64| (touched as f64) < rates.l2_bytes;
    let warm = f64::from(u8::from(how.touched.is_some_and(fits)));
    let shape = Shape { warm, followed: FOLLOWED, ..sampled.shape };
    let replayed = |shape: &Shape, rates: &Rates| {
        let mut replayed = replay::replay(&sampled.trace, shape, rates);
        if let Some(work) = &sampled.work {
            replayed.stretch(&sampled.trace, shape, rates, work);
        }
        replayed
    };
    let mut first = replayed(&shape, &rates);
    let timeline = std::mem::take(&mut first.timeline);
    let stalls = std::mem::take(&mut first.stalls);
    let error = match (measured, code) {
        (false, _) => UNMEASURED,
        (true, false) => MEASURED,
        (true, true) => OF_CODE,
    };
    let mut prediction = Prediction::of(&first, &rates, error);
    prediction.sampled_blocks = sampled.trace.blocks.len() as u64;
    prediction.blocks = sampled.shape.blocks;
    prediction.sampling_percent = match &sampled.work {
        Some(work) => (work.off_percent(&sampled.chosen()) * 100.0).round() / 100.0,
        // All that the multiprocessor with the most work gets: nothing stands for something else.
        None if sampled.shape.whole.is_some() => 0.0,
        None => sampling::error_percent(&sampled.trace, sampled.shape.blocks),
    };
    prediction.registers = sampled.registers;
    prediction.resident_blocks = sampled.shape.resident;
    prediction.from_machine_code = code;
    prediction.stalls = prediction::shares(&stalls);
    let suppose = |changes: &[WhatIf]| {
        let mut rates = rates.clone();
        changes.iter().for_each(|change| change.apply(&mut rates));
        let replayed = replayed(&Shape { followed: 0, ..shape }, &rates);
        Supposed {
            changes: changes.iter().map(ToString::to_string).collect(),
            us: prediction::us(&replayed, &rates),
            bound: prediction::bound(&replayed, &rates).to_owned(),
        }
    };
    prediction.what_if = how.what_if.chunks(1).map(suppose).collect();
    if how.what_if.len() > 1 {
        prediction.what_if.push(suppose(&how.what_if));
    }
    if !measured {
        prediction.notes.push(format!(
            "{} was not measured: only instructions, shared memory and the data sheet's bandwidth are in this time; \
             latencies, caches, atomics and launches are left out, for no document tells them",
            target.title
        ));
    }
    Timed { prediction, timeline, stalls }
}

/// Executes a sample of the blocks and writes down what they do.
///
/// # Errors
/// As [`crate::simulate`].
pub fn sample(module: &Module, kernel: &str, launch: &Launch, options: &Options, how: &How) -> Result<Sampled, Error> {
    let (target, lowering) = options.target_and_lowering()?;
    let program = module.lower(kernel, lowering)?;
    let estimate = || {
        // Numbered in threes: a word, a double word, a predicate.
        let words = |reg: u32| [1, 2, 0][reg as usize % 3];
        live::registers(&tracer::code(&program), words).clamp(FEWEST_REGISTERS, target.registers_per_thread)
    };
    let registers = how.registers.unwrap_or_else(estimate);
    let usage = target::Usage { registers: Some(registers), ..grid::usage(&program, launch) };
    let resident = target.resident_blocks(&usage).max(1);
    let new = || Machine::new(&program, launch, target, options);
    let (machine, ran) = scheduler::launch(new, |machine| {
        let info = machine.info();
        let sizes = (info.grid.count(), u64::from(info.target.multiprocessors));
        let chosen = sampling::choose(sizes, info.in_turn, resident.into(), how);
        let tracer = Tracer::new(&info, chosen.followed.clone(), chosen.neighbours);
        scheduler::run_sample(machine, tracer, &chosen.followed, chosen.first)
    })?;
    let mut trace = ran.observer.into_trace();
    trace.reuse_local(resident);
    trace.buffers = machine.global.buffers().iter().map(|buffer| buffer.bytes).collect();
    (trace.sharing, trace.hot) = reuse::sharing(&trace, &trace, machine.grid.count());
    let shape = Shape {
        blocks: machine.grid.count(),
        resident,
        shared_bytes: machine.shared_bytes,
        warm: 0.0,
        followed: 0,
        whole: None,
    };
    let (written, _) = machine.global.into_written();
    let mut written = written.into_iter();
    let buffers = launch.args.iter().map(|arg| match arg {
        Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. } => None,
        Arg::Buffer(before) | Arg::Memory { content: before, .. } => {
            Some(written.next().flatten().map_or_else(|| before.clone(), Content::from))
        }
        Arg::Zeros(bytes) | Arg::Uninit(bytes) => {
            let after = written.next().flatten();
            Some(after.unwrap_or_else(|| vec![0; *bytes as usize]).into())
        }
    });
    Ok(Sampled { trace, shape, registers, buffers: buffers.collect(), work: None })
}

#[cfg(test)]
mod tests;
