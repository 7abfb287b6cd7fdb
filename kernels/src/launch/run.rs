//! Runs the launches of a session in order. Named buffers and the module's variables keep their content from one to
//! the next.

use std::fs;

use advice::Advice;
use caches::HitRates;
use caches::compulsory::{self, LowerBound};
use serde::Serialize;
use sim::predict::timeline::Timeline;
use sim::predict::{self, How, Series, WhatIf};
use sim::report::LaunchShape;
use sim::{Checks, Options, Report};

use super::SpecError;
use super::content;
use super::expect::{self, Comparison};
use super::memory::{Memory, keep, set_symbols};
use super::native::Twin;
use super::prepare::{Wanted, begin, launch, wanted};
use super::spec::Session;
use crate::checked::{self, Subject};
use crate::names::NameError;
use crate::open::Opened;

/// What a session gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ran {
    /// Every launch that ran.
    pub launches: Vec<RanLaunch>,
    /// The buffers beside what they must hold.
    pub comparisons: Vec<Comparison>,
    /// Whether launches were left out because one before them did not come to its end.
    pub cut_short: bool,
}

/// What one launch gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RanLaunch {
    /// Counters and findings.
    #[serde(flatten)]
    pub report: Report,
    /// What the user should know about the checks, one sentence each.
    pub notes: Vec<String>,
    /// What the first warps of a multiprocessor do, where the time was predicted.
    #[serde(skip)]
    pub timeline: Option<Timeline>,
    /// The edits that would help, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Vec<Advice>>,
    /// How often L1 and L2 have the data, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit_rates: Option<HitRates>,
    /// What any kernel with the same inputs and outputs must move, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<LowerBound>,
}

/// How times are predicted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timing {
    /// Only the sample is simulated that the prediction needs: nothing is counted or checked.
    pub sample: bool,
    /// Registers of a thread, as ptxas told them; `None` for an estimate.
    pub registers: Option<u32>,
    /// Resources that are to be faster.
    pub what_if: Vec<WhatIf>,
    /// Whether edits are looked for that would help. It is done on the road over PTX.
    pub advice: bool,
    /// Whether hit rates of the caches are predicted, on the road over PTX and from empty caches.
    pub caches: bool,
    /// Whether the least traffic and time of the launch are computed, on the road over PTX.
    pub least: bool,
}

impl Ran {
    /// Whether no launch has a finding and every buffer holds what it must.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.launches.iter().all(|launch| launch.report.is_clean())
            && self.comparisons.iter().all(|comparison| comparison.wrong == 0)
    }
}

/// Why a session could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// What was asked is wrong, or a file cannot be read or written.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A kernel was named that is not there.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The simulator refuses.
    #[error(transparent)]
    Sim(#[from] sim::Error),
    /// The buffers do not fit into this machine's memory.
    #[error(
        "the buffers of this launch have {0} bytes together, and this machine does not have that much memory: \
         make them smaller"
    )]
    Memory(u64),
}

impl RunError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Spec(_) | Self::Name(_) => sim::ErrorClass::Input.exit_code(),
            Self::Sim(error) => error.class().exit_code(),
            Self::Memory(_) => sim::ErrorClass::Unsupported.exit_code(),
        }
    }
}

/// Runs all launches, writes the dumps and makes the comparisons. `opened` keeps what the launches wrote to variables.
/// With `timing` every launch's time is predicted, too; `twin` gets what a GPU needs to do the same.
///
/// # Errors
/// [`RunError`]. A faulty kernel is not an error: see [`Ran::is_clean`].
pub fn run(
    session: &Session,
    opened: &mut Opened,
    options: &Options,
    timing: Option<&Timing>,
    mut twin: Option<&mut Twin>,
) -> Result<Ran, RunError> {
    let sets = !session.symbols.is_empty() || session.launches.iter().any(|launch| !launch.symbols.is_empty());
    if let (Some(twin), true) = (&mut twin, sets) {
        twin.refuse("variables that a launch sets (--symbol) are not handed to a GPU yet");
    }
    if opened.machine_code.is_some() && sets {
        let message = "variables that a launch sets (--symbol) are not set in machine code yet".to_owned();
        return Err(SpecError::Usage(message).into());
    }
    if let (true, Some(timing)) = (opened.ptx().is_empty(), timing) {
        let wants = [
            (timing.advice, "--advice tries edits on"),
            (timing.caches, "--caches executes"),
            (timing.least, "--least executes"),
        ];
        for (asked, does) in wants {
            if asked {
                let message = format!("{does} PTX, and a cubin has none: give the source or its PTX");
                return Err(SpecError::Usage(message).into());
            }
        }
    }
    let context = session.context();
    let mut memory = begin(session, opened)?;

    // What would fail in the end is told before the work.
    let last = session.launches.last().map_or(0, |launch| launch.args.len());
    let keys = session.dump.keys().chain(session.expect.keys());
    for key in keys {
        let known = session.buffers.contains_key(key) || key.parse::<usize>().is_ok_and(|index| index < last);
        if !known {
            return Err(unknown_buffer(key, last, session.buffers.keys()).into());
        }
    }

    let mut series = Series::on(&options.target);
    let mut ran = Ran { launches: Vec::new(), comparisons: Vec::new(), cut_short: false };
    let total = session.launches.iter().map(|launch| launch.repeat as usize).sum::<usize>();
    'all: for (index, spec) in session.launches.iter().enumerate() {
        let subject = wanted(session, (index, spec), opened)?;
        for _ in 0..spec.repeat {
            memory.retain(|buffer| buffer.shared);
            set_symbols(opened, &spec.symbols, context, &memory)?;
            let timing = timing.map(|timing| (timing, &mut series));
            let launched = one(&subject, opened, &mut memory, twin.as_deref_mut(), options, timing)?;
            let ended = launched.report.findings.iter().any(|finding| finding.kind.ends_launch());
            ran.launches.push(launched);
            if ended && ran.launches.len() < total {
                ran.cut_short = true;
                break 'all;
            }
        }
    }
    finish(session, &memory, &mut ran)?;
    if let Some(twin) = twin {
        let left = memory.iter().map(|buffer| (buffer.title(), buffer.content.element, buffer.content.to_bytes()));
        twin.leave(left, session.buffers.len());
    }
    Ok(ran)
}

/// Makes one launch, which becomes the last of the predicted series where times are predicted.
fn one(
    wanted: &Wanted<'_>,
    opened: &mut Opened,
    memory: &mut Vec<Memory>,
    twin: Option<&mut Twin>,
    options: &Options,
    timing: Option<(&Timing, &mut Series)>,
) -> Result<RanLaunch, RunError> {
    let Wanted { spec, signature, .. } = wanted;
    let launch = launch(wanted, memory, twin)?;
    let has_ptx = !opened.ptx().is_empty();
    let subject = Subject { counted: &opened.module, checked: opened.checked.as_ref(), kernel: &signature.ptx_name };
    let sample = timing.as_ref().is_some_and(|(timing, _)| timing.sample);
    let (mut advice, mut hit_rates, mut lower_bound) = (None, None, None);
    // Of machine code all blocks are executed first: then the work of each is known.
    let (mut timed, mut predicted) = (None, None);
    if let Some((timing, series)) = timing {
        let (registers, what_if) = (timing.registers, timing.what_if.clone());
        let how = How { registers, touched: series.touched(), what_if, ..How::default() };
        let quiet = Options { checks: Checks::NONE, ..options.clone() };
        let kernel = &signature.ptx_name;
        if timing.advice && !sample {
            advice = Some(advice::of(&opened.module, kernel, &launch, &quiet, &how)?);
        }
        if timing.caches {
            hit_rates = Some(caches::of(&opened.module, kernel, &launch, &quiet, &how)?);
        }
        if timing.least {
            lower_bound = Some(compulsory::of(&opened.module, kernel, &launch, &quiet)?);
        }
        match &mut opened.machine_code {
            Some(machine_code) if !sample => {
                let (outcome, timeline) = machine_code.run_timed(kernel, &launch, options, &how)?;
                if let Some(prediction) = &outcome.report.prediction {
                    series.push(prediction);
                }
                timed = Some((outcome, timeline));
            }
            Some(machine_code) => predicted = Some(machine_code.predict(kernel, &launch, &quiet, &how)?),
            None => predicted = Some(predict::predict(&opened.module, kernel, &launch, &quiet, &how)?),
        }
        if let Some(predicted) = &predicted {
            series.push(&predicted.prediction);
        }
    }
    if let (Some(predicted), true) = (&mut predicted, sample) {
        let buffers = std::mem::take(&mut predicted.buffers);
        keep(memory, buffers.into_iter().skip(spec.args.len()));
        let report = Report {
            kernel: signature.ptx_name.clone(),
            target: options.target.clone(),
            launch: LaunchShape {
                grid: launch.grid.into(),
                block: launch.block.into(),
                shared_dynamic: launch.shared_bytes,
                shared_static: 0,
            },
            prediction: Some(predicted.prediction.clone()),
            ..Report::default()
        };
        let notes = vec![SAMPLED.to_owned()];
        let timeline = Some(std::mem::take(&mut predicted.timeline));
        return Ok(RanLaunch { report, notes, timeline, advice: None, hit_rates, lower_bound });
    }
    let mut timeline = None;
    let of_code = match (timed, &mut opened.machine_code) {
        (Some((outcome, own)), _) => {
            timeline = Some(own);
            Some(outcome)
        }
        (None, Some(machine_code)) => Some(machine_code.run(&signature.ptx_name, &launch, options)?),
        (None, None) => None,
    };
    let (outcome, notes) = match of_code {
        Some(outcome) if options.checks != Checks::NONE && has_ptx => {
            let done = checked::of_machine_code(outcome, subject, &launch, options);
            (done.outcome, done.notes)
        }
        Some(outcome) => (outcome, Vec::new()),
        None => {
            let done = checked::run(subject, &launch, options)?;
            (done.outcome, done.notes)
        }
    };
    keep(memory, outcome.buffers.into_iter().skip(spec.args.len()));

    opened.keep_variables(&outcome.variables);
    let mut report = outcome.report;
    if let Some(predicted) = predicted {
        report.prediction = Some(predicted.prediction);
        timeline = Some(predicted.timeline);
    }
    Ok(RanLaunch { report, notes, timeline, advice, hit_rates, lower_bound })
}

/// What a user is told when only a sample of the blocks ran.
const SAMPLED: &str = "only a sample of the thread blocks was simulated, for the time: nothing was counted or checked, and buffers hold what the sample wrote";

/// Writes the dumps and makes the comparisons.
fn finish(session: &Session, memory: &[Memory], ran: &mut Ran) -> Result<(), RunError> {
    let arguments = session.launches.last().map_or(0, |launch| launch.args.len());
    let by_key = |key: &String| {
        // An argument of the last launch may be the address of a named buffer.
        let named = key
            .parse()
            .ok()
            .and_then(|index: usize| session.launches.last()?.args.get(index)?.trim().strip_prefix('&'));
        let key = named.unwrap_or(key);
        let found = memory.iter().find(|buffer| buffer.key == *key);
        found.ok_or_else(|| unknown_buffer(key, arguments, session.buffers.keys()))
    };
    for (key, target) in &session.dump {
        let path = session.folder.join(target);
        fs::write(&path, by_key(key)?.content.to_bytes()).map_err(|why| SpecError::Write { path, why })?;
    }
    for (key, text) in &session.expect {
        let buffer = by_key(key)?;
        let inside = |error: SpecError| error.inside(&format!("expected content of {}", buffer.title()));
        let expected = match content::parse(text, session.context()).map_err(inside)? {
            Some(expected) => expected,
            None => content::parse(&format!("in:{text}"), session.context()).map_err(inside)?.expect("a file"),
        };
        let element = expected.element.or(buffer.content.element);
        let got = buffer.content.to_bytes();
        ran.comparisons.push(expect::compare(&buffer.title(), &got, &expected.to_bytes(), element, session.tolerance));
    }
    Ok(())
}

fn unknown_buffer<'a>(key: &str, arguments: usize, names: impl Iterator<Item = &'a String>) -> SpecError {
    let names: Vec<&str> = names.map(String::as_str).collect();
    SpecError::Usage(match (key.parse::<usize>(), names.is_empty()) {
        (Ok(index), _) if index < arguments => {
            format!("argument {index} is no buffer: it cannot be dumped or compared")
        }
        (Ok(index), _) => format!("there is no argument {index}: {arguments} were given, numbered from 0"),
        (_, true) => format!("`{key}` is no buffer: write the number of an argument, from 0 on"),
        (_, false) => format!("there is no buffer `{key}`; there are: {}", names.join(", ")),
    })
}
