//! Which edit of a kernel would help. The accesses of a launch are watched, the edits that a teacher would try are tried on
//! their addresses, and those that help are told, the most useful first: what happens now, what would happen then, and how
//! much shorter the launch is predicted to be.

#![forbid(unsafe_code)]

mod exchange;
mod gain;
mod global;
mod shared;
mod suggest;
pub mod text;
mod watch;

use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use sim::predict::{self, How};
use sim::{Error, Launch, Module, Observed, Options};

use suggest::Rules;
use watch::{Code, Watch};

/// Most edits that are told of a launch.
const MOST: usize = 6;
/// A time is longer that is so many times as long: less is what the model does not tell.
const LONGER: f64 = 1.05;
/// Part of a launch's time that is its own, however short it is.
const LEAST: f64 = 0.05;

/// An edit that would help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// What is done.
    pub edit: Edit,
    /// The source file of the line that gains most.
    pub file: String,
    /// That line.
    pub line: u32,
    /// Other lines that the edit is about, in the same file, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<u32>,
    /// What happens now, and why it costs: a sentence or two.
    pub now: String,
    /// What to do, with the names of the kernel: a sentence or two.
    pub then: String,
    /// What is counted, for example `shared-memory wavefronts`.
    pub unit: String,
    /// How many there are in the whole launch as it is.
    pub before: u64,
    /// How many there would be.
    pub after: u64,
    /// Whether both were counted in all blocks; else they are those of a sample, for the whole grid.
    pub counted: bool,
    /// The time of the launch with the edit, where a replay tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Gain>,
}

/// The edits that would help a launch, the most useful first. The launch is executed twice: by an observer of all its
/// accesses, and as a sample whose time is predicted as it is and with each edit. PTX is executed on both ways.
///
/// # Errors
/// As [`sim::simulate`].
pub fn of(module: &Module, kernel: &str, launch: &Launch, options: &Options, how: &How) -> Result<Vec<Advice>, Error> {
    let code: OnceLock<Code> = OnceLock::new();
    let observer = |info: &sim::event::LaunchInfo<'_>| {
        Watch::new(code.get_or_init(|| watch::code(info, |pc| module.place(info.program, pc))))
    };
    let observed =
        sim::run_observed(module, kernel, launch, options, observer, |sum: &mut Watch<'_>, later| sum.merge(later))?;
    let Observed { observer: seen, findings } = observed;
    // A launch that was ended, or that misses memory, is to be mended first.
    if !findings.is_empty() || seen.blocks == 0 {
        return Ok(Vec::new());
    }
    let Some(code) = code.get() else { return Ok(Vec::new()) };
    let mut sampled = predict::sample(module, kernel, launch, options, how)?;
    let plain = How { what_if: Vec::new(), ..how.clone() };
    let now = predict::replayed(&sampled, options, &plain)?;
    let part = |words: &[&str]| {
        let of = |share: &&predict::Share| words.iter().any(|word| share.name.contains(word));
        now.warps.iter().filter(of).map(|share| share.percent).sum::<f64>() / 100.0
    };
    let rules = Rules { code, seen: &seen, waits: part(&["barrier", "shared memory"]) };
    // What a launch takes beside launching is what an edit can change.
    let own_us = (now.us - launch_us(options)).max(now.us * LEAST);
    let mut rated: Vec<(f64, Advice)> = Vec::new();
    for mut suggestion in rules.all() {
        let mut gain = suggestion.most;
        if let Some(change) = &suggestion.change {
            let changed = change.apply(&sampled.trace);
            let trace = std::mem::replace(&mut sampled.trace, changed);
            let then = predict::replayed(&sampled, options, &plain)?;
            sampled.trace = trace;
            gain = (now.us - then.us) / own_us;
            if then.us > now.us * LONGER {
                suggestion.advice.then += " By the model this alone does not make this launch shorter: its warps wait for each access, and \
                                           what is not used of a sector at once is found in L1 later.";
            }
            suggestion.advice.time = Some(Gain { before_us: now.us, after_us: then.us });
        }
        if suggestion.is_worth(gain) {
            rated.push((gain, suggestion.advice));
        }
    }
    // What a replay gives a shorter time by comes before the rest, and of equal ones what is rarer then.
    let rest = |advice: &Advice| advice.after as f64 / advice.before.max(1) as f64;
    rated.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a).then(rest(one).total_cmp(&rest(other))).then(one.edit.cmp(&other.edit))
    });
    rated.truncate(MOST);
    Ok(rated.into_iter().map(|(_, advice)| advice).collect())
}

/// Microseconds that a launch takes on the target which does nothing.
fn launch_us(options: &Options) -> f64 {
    sim::target::find(&options.target).map_or(0.0, |target| predict::rates::Rates::of(target).0.launch_us)
}

/// What an edit does to the predicted time, both times by the same model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// Microseconds as it is.
    pub before_us: f64,
    /// Microseconds with the edit. What the edit itself costs in other instructions is not in it.
    pub after_us: f64,
}

impl Gain {
    /// How much shorter the launch gets, in percent of its time.
    pub fn percent(&self) -> f64 {
        (1.0 - self.after_us / self.before_us.max(f64::MIN_POSITIVE)) * 100.0
    }

    /// The change of the time in words, such as `-38 %`.
    pub fn change(&self) -> String {
        match self.percent() {
            percent if percent.abs() < 0.5 => "no change".to_owned(),
            percent => format!("{:+.0} %", -percent),
        }
    }
}

/// The edits that are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edit {
    /// A word is left free behind every row of an array in shared memory.
    Pad,
    /// The columns of each row of an array in shared memory are permuted by an exclusive or with the row.
    Swizzle,
    /// Neighbouring lanes take neighbouring elements, and a thread those that are far apart.
    Interleave,
    /// What a block stores or loads goes through shared memory, so that a warp addresses neighbouring elements.
    Stage,
    /// Accesses to neighbouring elements by one thread become one wide access.
    Vectorise,
    /// Lanes of a warp add up what goes to one address, and one of them updates it.
    Aggregate,
    /// A block counts in shared memory, and adds its sums to global memory at its end.
    Privatise,
    /// Lanes have copies of what they update in shared memory.
    Replicate,
    /// Lanes of a warp exchange values by shuffles instead of through shared memory.
    Shuffle,
    /// Lanes of a warp count flags by a vote instead of scanning words.
    Vote,
    /// Lanes that wait for one lane's loop take a part of it.
    Spread,
}

impl Edit {
    /// All that are tried.
    pub const ALL: [Self; 11] = [
        Self::Pad,
        Self::Swizzle,
        Self::Interleave,
        Self::Stage,
        Self::Vectorise,
        Self::Aggregate,
        Self::Privatise,
        Self::Replicate,
        Self::Shuffle,
        Self::Vote,
        Self::Spread,
    ];

    /// Its name in JSON and in the files of exercises.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pad => "pad",
            Self::Swizzle => "swizzle",
            Self::Interleave => "interleave",
            Self::Stage => "stage",
            Self::Vectorise => "vectorise",
            Self::Aggregate => "aggregate",
            Self::Privatise => "privatise",
            Self::Replicate => "replicate",
            Self::Shuffle => "shuffle",
            Self::Vote => "vote",
            Self::Spread => "spread",
        }
    }
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pad => "pad",
            Self::Swizzle => "swizzle",
            Self::Interleave => "interleave",
            Self::Stage => "stage in shared memory",
            Self::Vectorise => "vectorise",
            Self::Aggregate => "aggregate in the warp",
            Self::Privatise => "count in shared memory",
            Self::Replicate => "give lanes copies",
            Self::Shuffle => "exchange by shuffles",
            Self::Vote => "count flags by a vote",
            Self::Spread => "let all lanes work",
        })
    }
}
