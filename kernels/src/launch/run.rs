//! Runs the launches of a session in order. Named buffers and the module's variables keep their content from one to
//! the next.

use std::fs;

use advice::Advice;
use serde::Serialize;
use sim::predict::timeline::Timeline;
use sim::predict::{self, How, Series, WhatIf};
use sim::report::LaunchShape;
use sim::{Arg, Checks, Dim3, Launch, Options, Report};

use super::SpecError;
use super::argument::{self, Argument, Pointer, Value};
use super::content::{self, Content, Context};
use super::expect::{self, Comparison};
use super::expression;
use super::memory::{Memory, aliases, fill, find, keep, set_symbols};
use super::native::Twin;
use super::signature::Signature;
use super::spec::{LaunchSpec, Session};
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
    if opened.ptx().is_empty() && timing.is_some_and(|timing| timing.advice) {
        let message = "--advice tries edits on PTX, and a cubin has none: give the source or its PTX".to_owned();
        return Err(SpecError::Usage(message).into());
    }
    let context = session.context();
    let mut memory = Vec::new();
    for (name, text) in &session.buffers {
        let what = format!("buffer `{name}`");
        if !expression::is_name(name) {
            return Err(SpecError::Usage(format!(
                "{what}: a name has letters, digits and _, and begins with no digit"
            ))
            .into());
        }
        if session.names.contains_key(name) {
            return Err(SpecError::Usage(format!(
                "{what}: a number is called so, too; one of them needs another name"
            ))
            .into());
        }
        let buffer = argument::buffer(text, context).map_err(|error| error.inside(&what))?;
        let buffer = buffer.ok_or_else(|| {
            SpecError::Usage(format!(
                "{what}: `{text}` is no buffer; write f32[1024]=random or zeros:4096, for example"
            ))
        })?;
        let (content, pointers) = (buffer.content, buffer.pointers);
        memory.push(Memory { key: name.clone(), content, pointers, shared: true });
    }
    set_symbols(opened, &session.symbols, context, &memory)?;

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
        let kernel = opened.kernel(spec.kernel.as_deref())?;
        let of_launch = |error: SpecError| {
            if session.launches.len() > 1 { error.inside(&format!("launch {}", index + 1)) } else { error }
        };
        let signature = Signature::of(&opened.module, &kernel, opened.source.as_deref());
        let signature = signature.ok_or_else(|| NameError::None(opened.name.clone()))?;
        let block = fits(spec, &signature, &opened.name).map_err(of_launch)?;
        let subject = Wanted { spec, context, signature, block };
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

/// A launch, looked up.
struct Wanted<'a> {
    spec: &'a LaunchSpec,
    context: Context<'a>,
    signature: Signature,
    block: Dim3,
}

/// Holds the number of arguments against the kernel's parameters, and finds the size of the block.
fn fits(spec: &LaunchSpec, signature: &Signature, file: &str) -> Result<Dim3, SpecError> {
    let (given, params) = (spec.args.len(), signature.params.len());
    let block = spec.block.or(signature.required_threads.map(Dim3::from));
    let wrong = match block {
        _ if given != params => {
            let takes = if params == 1 { "1 argument".to_owned() } else { format!("{params} arguments") };
            format!("the kernel takes {takes}, and {given} {} given", if given == 1 { "is" } else { "are" })
        }
        Some(block) => return Ok(block),
        None => "--block is missing, the number of threads per block".to_owned(),
    };
    let list: String =
        signature.params.iter().enumerate().map(|(index, param)| format!("\n  {index}: {}", param.text)).collect();
    let params = if list.is_empty() { "it has no parameters".to_owned() } else { format!("its parameters are:{list}") };
    let command = signature.command(file);
    Err(SpecError::Usage(format!("{wrong}; {params}\n`{}` can be launched like this:\n  {command}", signature.name)))
}

/// Makes one launch, which becomes the last of the predicted series where times are predicted.
fn one(
    wanted: &Wanted<'_>,
    opened: &mut Opened,
    memory: &mut Vec<Memory>,
    mut twin: Option<&mut Twin>,
    options: &Options,
    timing: Option<(&Timing, &mut Series)>,
) -> Result<RanLaunch, RunError> {
    let Wanted { spec, context, signature, block } = wanted;
    let mut values: Vec<Value> = Vec::new();
    for (index, text) in spec.args.iter().enumerate() {
        let element = signature.params[index].scalar;
        let parsed = argument::parse(text, element, *context);
        values.push(match parsed.map_err(|error| error.inside(&format!("argument {index}")))? {
            Argument::Value(value) => value,
            Argument::Buffer(buffer) => {
                let (content, pointers) = (buffer.content, buffer.pointers);
                memory.push(Memory { key: index.to_string(), content, pointers, shared: false });
                let pointers = vec![Pointer { at: 0, to: index.to_string(), offset: 0 }];
                Value { bytes: vec![0; 8], pointers }
            }
        });
    }
    let aliases = aliases(&values);
    let mut args = Vec::new();
    for (index, mut value) in values.into_iter().enumerate() {
        let what = format!("argument {index}");
        if let [pointer] = &value.pointers[..]
            && value.bytes.len() == 8
        {
            let at = find(memory, &aliases, &pointer.to).map_err(|error| error.inside(&what))?;
            args.push(Arg::Address { argument: spec.args.len() + at, offset: pointer.offset });
        } else {
            if let (Some(twin), false) = (&mut twin, value.pointers.is_empty()) {
                twin.refuse(NO_ADDRESSES);
            }
            fill(&mut value.bytes, &value.pointers, memory, &aliases).map_err(|error| error.inside(&what))?;
            args.push(Arg::Bytes(value.bytes));
        }
    }
    let bytes = memory.iter().fold(0u64, |sum, buffer| sum.saturating_add(buffer.content.bytes));
    // A buffer that is only read takes none, but what a launch leaves is given back whole.
    if usize::try_from(bytes).ok().is_none_or(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_err()) {
        return Err(RunError::Memory(bytes));
    }
    let mut contents: Vec<sim::Content> =
        memory.iter_mut().map(|buffer| std::mem::take(&mut buffer.content.data)).collect();
    for (buffer, content) in memory.iter().zip(&mut contents) {
        if !buffer.pointers.is_empty() {
            if let Some(twin) = &mut twin {
                twin.refuse(NO_ADDRESSES);
            }
            let mut data = std::mem::take(content).into_vec();
            data.resize(buffer.content.bytes as usize, 0);
            fill(&mut data, &buffer.pointers, memory, &aliases).map_err(|error| error.inside(&buffer.title()))?;
            *content = data.into();
        }
    }
    for (buffer, content) in memory.iter_mut().zip(contents) {
        // Written once: from now on the kernels may change the addresses.
        buffer.pointers.clear();
        let Content { bytes, written, .. } = buffer.content;
        args.push(Arg::Memory { name: buffer.title(), bytes, content, written });
    }
    let launch = Launch { grid: spec.grid, block: *block, shared_bytes: spec.shared_bytes, args };
    if let Some(twin) = twin {
        twin.push(&signature.ptx_name, &launch, memory.iter().filter(|buffer| buffer.shared).count());
    }
    let has_ptx = !opened.ptx().is_empty();
    let subject = Subject { counted: &opened.module, checked: opened.checked.as_ref(), kernel: &signature.ptx_name };
    let sample = timing.as_ref().is_some_and(|(timing, _)| timing.sample);
    let mut advice = None;
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
        return Ok(RanLaunch { report, notes, timeline, advice: None });
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

    for (name, bytes) in &outcome.variables {
        for module in [Some(&mut opened.module), opened.checked.as_mut()].into_iter().flatten() {
            // A variable that only one of the two compilations kept is no concern of the other.
            let _ = module.write_variable(name, bytes);
        }
    }
    let mut report = outcome.report;
    if let Some(predicted) = predicted {
        report.prediction = Some(predicted.prediction);
        timeline = Some(predicted.timeline);
    }
    Ok(RanLaunch { report, notes, timeline, advice })
}

/// What a user is told when only a sample of the blocks ran.
const SAMPLED: &str = "only a sample of the thread blocks was simulated, for the time: nothing was counted or checked, and buffers hold what the sample wrote";

/// What a user is told who asks for a GPU.
const NO_ADDRESSES: &str = "addresses in structs and in buffers are not handed to a GPU yet";

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
