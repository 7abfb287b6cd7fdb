//! Finds a launch of a kernel that runs clean: shapes and numbers are tried in the simulator, buffers are made as large as
//! the kernel reaches, and the first launch without a finding is suggested.
//!
//! What is tried, and in which order, depends on the file alone, and ends with an amount of executed instructions
//! instead of a time: the same file gives the same suggestion everywhere.

use sim::extents::{self, Extent, Extents};
use sim::report::FindingKind;
use sim::{Arg, Checks, Dim3, Launch, Options};

use super::content::{self, Context};
use super::element::Element;
use super::expression::Names;
use super::hints::Hint;
use super::run::{self, RunError};
use super::signature::{Parameter, Signature};
use super::spec::{LaunchSpec, Session};
use super::trials::{self, Fill, Trial};
use crate::open::Opened;

/// Warp-instructions that all trials of a file may execute: some ten seconds.
pub(super) const FUEL: u64 = 160_000_000;

/// The same for those of one kernel, so that the first ones of a file leave something for the others.
const FUEL_OF_KERNEL: u64 = 32_000_000;

/// Warp-instructions that a block of a trial may execute.
const BUDGET: u64 = 1_000_000;

/// How much more an instruction takes that is checked than one of which only the addresses are looked at.
const CHECKED: u64 = 3;

/// Size of every buffer while it is found out how far a kernel reaches.
const ROOM: u64 = 1 << 26;

/// Elements that are filled in such a buffer; those behind them are zero.
const FILLED: u64 = 1 << 14;

/// What was found for one kernel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Probed {
    /// Options from `--grid` on.
    pub(super) words: Vec<String>,
    /// The launch that they are, if it runs clean.
    pub(super) launch: Option<LaunchSpec>,
    /// Whether the launch runs without a finding.
    pub(super) clean: bool,
    /// Launches that were tried.
    pub(super) tried: u32,
    /// What is wrong with the launch that is suggested, if something is.
    pub(super) why: Option<String>,
}

/// Looks for a launch. `hints` are those of this kernel, `shapes` other blocks of the source. None if there is nothing left to try with.
pub(super) fn probe(
    opened: &Opened,
    signature: &Signature,
    hints: &[&Hint],
    shapes: &[Dim3],
    options: &Options,
    fuel: &mut u64,
) -> Option<Probed> {
    let mut own = FUEL_OF_KERNEL.min(*fuel);
    let before = own;
    let probed = probe_with(opened, signature, (hints, shapes), options, &mut own);
    *fuel -= before - own;
    probed
}

fn probe_with(
    opened: &Opened,
    signature: &Signature,
    (hints, shapes): (&[&Hint], &[Dim3]),
    options: &Options,
    fuel: &mut u64,
) -> Option<Probed> {
    let mut best: Option<(Vec<String>, String)> = None;
    let mut tried = 0;
    let mut reason: Option<String> = None;
    // Threads of the smallest launch with large numbers that came to no end.
    let mut endless = u64::MAX;
    for trial in trials::trials(signature, opened.ptx(), hints, shapes) {
        if *fuel == 0 {
            break;
        }
        if trial.large && trial.threads() >= endless {
            continue;
        }
        tried += 1;
        match attempt(opened, signature, &trial, options, fuel) {
            Outcome::Clean(words, launch) => {
                return Some(Probed { words, launch: Some(*launch), clean: true, tried, why: None });
            }
            Outcome::Faulty(words, why) => best = best.or(Some((words, why))),
            // No other launch would do better.
            Outcome::Unsupported(why) => {
                return Some(Probed { words: Vec::new(), launch: None, clean: false, tried, why: Some(why) });
            }
            Outcome::Endless => {
                endless = if trial.large { trial.threads() } else { endless };
                reason.get_or_insert_with(|| ENDLESS.to_owned());
            }
            Outcome::Nothing(why) => reason = Some(why),
        }
    }
    let (words, why) = match best {
        Some((words, why)) => (words, format!("none without a finding; this one: {why}")),
        None => (Vec::new(), format!("and none could be suggested: {}", reason?)),
    };
    let launches = if tried == 1 { "1 launch was".to_owned() } else { format!("{tried} launches were") };
    Some(Probed { words, launch: None, clean: false, tried, why: Some(format!("{launches} tried, {why}")) })
}

/// Why a launch is not suggested that takes too long.
const ENDLESS: &str = "a thread block executes more than a million warp-instructions. A loop may never end, or sizes that \
                       are constants of the source are too large for a simulator: make them smaller. The command \
                       above was not run";

/// What came of a trial.
enum Outcome {
    Clean(Vec<String>, Box<LaunchSpec>),
    Faulty(Vec<String>, String),
    Unsupported(String),
    /// It executes more than a trial may.
    Endless,
    /// It is no launch to suggest, and why.
    Nothing(String),
}

fn attempt(opened: &Opened, signature: &Signature, trial: &Trial, options: &Options, fuel: &mut u64) -> Outcome {
    let options = Options { budget: BUDGET, schedules: 1, details: false, ..options.clone() };
    let mut contents: Vec<Option<&'static str>> =
        signature.params.iter().map(|param| param.pointer.then(|| first_content(param, trial.fill))).collect();
    let mut reached = match reach(opened, signature, trial, &contents, &options, fuel) {
        Ok(reached) => reached,
        Err(outcome) => return outcome,
    };
    let mut buffers = reached.buffers.iter();
    let better: Vec<Option<&'static str>> = (signature.params.iter().zip(&contents))
        .map(|(param, content)| {
            let (content, extent) = ((*content)?, buffers.next()?);
            Some(second_content(param, trial.fill, content, extent))
        })
        .collect();
    if better != contents {
        contents = better;
        // Where data decide what is accessed, other data reach elsewhere.
        reached = match reach(opened, signature, trial, &contents, &options, fuel) {
            Ok(reached) => reached,
            Err(outcome) => return outcome,
        };
    }
    match reached.ended_by {
        Some(FindingKind::Budget) => return Outcome::Endless,
        Some(kind) => return Outcome::Nothing(format!("the kernel does not come to its end ({})", kind.name())),
        None => {}
    }
    let outside = |extent: &Extent| extent.before || extent.end > ROOM;
    if let Some(buffer) = reached.buffers.iter().position(outside) {
        let place = if reached.buffers[buffer].before { "before the beginning" } else { "far behind the end" };
        let params = signature.params.iter().filter(|param| param.pointer);
        let name = params.map(|param| param.text.as_str()).nth(buffer).unwrap_or_default();
        return Outcome::Nothing(format!("the kernel comes to memory {place} of `{name}`"));
    }
    let mut buffers = reached.buffers.iter();
    let args: Vec<String> = (signature.params.iter().zip(&trial.scalars).zip(&contents))
        .map(|((param, scalar), content)| match (scalar, content) {
            (Some(scalar), _) => scalar.clone(),
            (None, content) => {
                let (element, lanes) = element_of(param);
                let end = buffers.next().map_or(0, |extent| extent.end);
                let elements = end.div_ceil(element.bytes() as u64).next_multiple_of(lanes);
                // A buffer that is not used is there all the same.
                let elements = if elements == 0 { trial.threads() * lanes } else { elements };
                format!("{}[{elements}]={}", element.name(), content.unwrap_or("zeros"))
            }
        })
        .collect();
    let shared = reached.shared_dynamic.next_multiple_of(16);
    let spec = LaunchSpec {
        kernel: Some(signature.ptx_name.clone()),
        grid: trial.grid,
        block: Some(trial.block),
        shared_bytes: u32::try_from(shared).unwrap_or(u32::MAX),
        args: args.clone(),
        ..LaunchSpec::default()
    };
    let session = Session { launches: vec![spec.clone()], ..Session::default() };
    let mut words = vec![format!("--grid {} --block {}", trial.grid, trial.block)];
    if shared > 0 {
        words.push(format!("--shared {shared}"));
    }
    words.extend(args.iter().map(|arg| format!("--arg {}", super::signature::shell(arg))));
    *fuel = fuel.saturating_sub(reached.executed * CHECKED);
    match run::run(&session, &mut opened.clone(), &options, None, None) {
        Ok(ran) if ran.is_clean() => Outcome::Clean(words, Box::new(spec)),
        Ok(ran) => {
            let finding = ran.launches.iter().find_map(|launch| launch.report.findings.first());
            if finding.is_some_and(|finding| finding.kind == FindingKind::Budget) {
                return Outcome::Endless;
            }
            let why = finding.map(|finding| format!("[{}] {}", finding.kind.name(), finding.message));
            Outcome::Faulty(words, why.unwrap_or_default())
        }
        Err(error) => refused(&error),
    }
}

fn refused(error: &RunError) -> Outcome {
    match error {
        RunError::Sim(error) => refused_by_sim(error),
        other => Outcome::Nothing(first_line(other)),
    }
}

/// What an error says, without its help.
fn first_line(error: &impl ToString) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

fn refused_by_sim(error: &sim::Error) -> Outcome {
    match error.class() {
        sim::ErrorClass::Unsupported => Outcome::Unsupported(first_line(error)),
        _ => Outcome::Nothing(first_line(error)),
    }
}

/// How far a trial reaches, with buffers that have room for everything.
fn reach(
    opened: &Opened,
    signature: &Signature,
    trial: &Trial,
    contents: &[Option<&'static str>],
    options: &Options,
    fuel: &mut u64,
) -> Result<Extents, Outcome> {
    let names = Names::new();
    let context = Context { folder: &opened.folder(), names: &names };
    let mut args = Vec::new();
    for ((param, scalar), content) in signature.params.iter().zip(&trial.scalars).zip(contents) {
        args.push(match (scalar, content) {
            (Some(scalar), _) => {
                let parsed = super::argument::parse(scalar, param.scalar, context);
                match parsed {
                    Ok(super::argument::Argument::Value(value)) => Arg::Bytes(value.bytes),
                    _ => return Err(Outcome::Nothing(format!("`{scalar}` does not fit `{}`", param.text))),
                }
            }
            (None, content) => {
                let (element, lanes) = element_of(param);
                let text = format!("{}[{}]={}", element.name(), FILLED * lanes, content.unwrap_or("zeros"));
                let Ok(Some(filled)) = content::parse(&text, context) else {
                    return Err(Outcome::Nothing(format!("`{text}` is no buffer")));
                };
                Arg::Memory { name: param.text.clone(), bytes: ROOM, content: filled.data, written: true }
            }
        });
    }
    // Memory stands behind the arguments.
    let mut memory = Vec::new();
    let count = args.len();
    let args: Vec<Arg> = args
        .into_iter()
        .map(|arg| match arg {
            Arg::Memory { .. } => {
                memory.push(arg);
                Arg::Address { argument: count + memory.len() - 1, offset: 0 }
            }
            other => other,
        })
        .collect();
    let args = args.into_iter().chain(memory).collect();
    let module = opened.checked.as_ref().unwrap_or(&opened.module);
    let kernel = &signature.ptx_name;
    let options = Options { checks: Checks::NONE, ..options.clone() };
    let launch = |shared_bytes| Launch { grid: trial.grid, block: trial.block, shared_bytes, args };
    // Code without optimisation may hold what the simulator lacks and optimised code does not: that is checked then.
    let extents = |launch: &Launch| match extents::extents(module, kernel, launch, &options) {
        Err(error) if opened.checked.is_some() => {
            extents::extents(&opened.module, kernel, launch, &options).map_err(|_| error)
        }
        other => other,
    };
    // Dynamic shared memory, as much as there may be beside the static one; where there is none, it costs nothing.
    let shared_bytes = if opened.ptx().contains(".extern .shared") { trial.shared_room } else { 0 };
    let reached = extents(&launch(shared_bytes)).map_err(|error| refused_by_sim(&error))?;
    *fuel = fuel.saturating_sub(reached.executed.max(1000));
    Ok(reached)
}

fn element_of(param: &Parameter) -> (Element, u64) {
    param.pointee.unwrap_or((Element::U8, 16))
}

/// What a buffer is filled with before anything is known of it.
fn first_content(param: &Parameter, fill: Fill) -> &'static str {
    let (element, _) = element_of(param);
    match (element.is_real(), fill) {
        (true, _) => "random",
        (false, Fill::Plain) if param.constant && param.pointee.is_some() => "random",
        (false, Fill::Counted) => "iota",
        _ => "zeros",
    }
}

/// The same with what the kernel does to it.
fn second_content(param: &Parameter, fill: Fill, content: &'static str, extent: &Extent) -> &'static str {
    if !extent.loaded {
        return "zeros";
    }
    if extent.updated && !param.constant {
        return if fill == Fill::Counted { content } else { "zeros" };
    }
    let only_read = !extent.stored && param.pointee.is_some();
    if fill == Fill::Plain && only_read && content == "zeros" { "random" } else { content }
}

impl Trial {
    fn threads(&self) -> u64 {
        self.grid.count().saturating_mul(self.block.count())
    }
}
