//! The access explorer: from what a reader has set to a drawing, its sentences and its table.
//!
//! [`answer`] is a pure function of a [`State`]. The directive `explorer` calls it when the book is built, the module
//! `access` when a reader moves something.

mod address;
mod atomic;
mod challenge;
mod curve;
mod global;
pub mod link;
mod occupancy;
mod served;
mod shared;
mod state;
mod warp;

use markup::Markup;
use serde::{Deserialize, Serialize};

use crate::access::Access;
use crate::cells::Cell;
pub use challenge::{Level, Met};
pub use curve::{Asked, Curve};
pub use state::{Kind, Mode, State, Swizzle};

/// What is wrong with what a reader has set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The field of the state that it is about.
    pub field: &'static str,
    /// A sentence for the reader.
    pub message: String,
    /// The part of the formula that it is about: its first byte and the one behind its last.
    pub at: Option<(usize, usize)>,
}

impl Fault {
    /// A fault of a field as a whole.
    pub(crate) fn of(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, message: message.into(), at: None }
    }
}

/// A lane, or a thread of a block, with what there is to say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lane {
    /// What is said of it.
    pub text: String,
    /// Whether it takes part.
    pub on: bool,
}

/// A control with a range of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Range {
    /// Its field.
    pub name: &'static str,
    /// The least number.
    pub least: u32,
    /// The greatest number.
    pub most: u32,
    /// The distance between two numbers.
    pub step: u32,
}

/// What an explorer shows.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// What was set, with numbers moved to the nearest that the access can have.
    pub state: State,
    /// The formula that the sliders stand for, or the one that was entered.
    pub formula: String,
    /// What it costs; of an occupancy the resident warps. A ballot and a block cost nothing.
    pub cost: Option<u64>,
    /// What as many lanes would cost side by side.
    pub ideal: Option<u64>,
    /// What is counted, in the plural.
    pub unit: &'static str,
    /// For every lane the turn in which its bank serves it, from 1; nothing where this GPU's order is not known.
    pub turns: Vec<Option<u32>>,
    /// The drawing.
    #[serde(serialize_with = "markup::serialize")]
    pub figure: Markup,
    /// What stands below it.
    #[serde(serialize_with = "markup::serialize")]
    pub caption: Markup,
    /// What is read aloud.
    pub status: String,
    /// The same as a table.
    #[serde(serialize_with = "markup::serialize")]
    pub table: Markup,
    /// A short remark beside the controls, such as a greatest common divisor.
    pub note: String,
    /// All lanes or threads.
    pub lanes: Vec<Lane>,
    /// The squares of the drawing.
    pub cells: Vec<Cell>,
    /// Width and height of the drawing in its own units.
    pub size: (u32, u32),
    /// The controls that have ranges.
    pub ranges: Vec<Range>,
}

/// What an explorer shows for a state.
///
/// # Errors
/// What is wrong with it, and with which field.
pub fn answer(state: &State) -> Result<Answer, Fault> {
    let state = state.settled();
    match state.mode {
        Mode::Banks => shared::answer(&state),
        Mode::Sectors => global::answer(&state),
        Mode::Atomics => atomic::answer(&state),
        Mode::Ballot => warp::ballot(&state),
        Mode::Threads => warp::threads(&state),
        Mode::Occupancy => occupancy::answer(&state),
    }
}

/// What the page asks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// What is set.
    pub state: State,
    /// The state of the page as it was built, which an address leaves out.
    #[serde(default)]
    pub initial: Option<State>,
    /// What an address says that differs from the initial state, instead of `state`.
    #[serde(default)]
    pub link: Option<link::Pairs>,
    /// The costs over a control's range.
    #[serde(default)]
    pub curve: Option<Asked>,
    /// The challenge that is open.
    #[serde(default)]
    pub level: Option<Level>,
}

/// What the page gets.
#[derive(Debug, Serialize)]
pub struct Reply {
    /// The explorer's answer.
    #[serde(flatten)]
    pub answer: Answer,
    /// What differs from the initial state, for an address.
    pub link: link::Pairs,
    /// The costs over a control's range.
    pub curve: Option<Curve>,
    /// How the challenge stands.
    pub met: Option<Met>,
}

/// Answers a request of the page.
///
/// # Errors
/// What is wrong with it.
pub fn reply(request: &Request) -> Result<Reply, Fault> {
    let initial = request.initial.as_ref().unwrap_or(&request.state);
    let state = match &request.link {
        Some(pairs) => link::read(initial, pairs)?,
        None => request.state.clone(),
    };
    let answer = answer(&state)?;
    let link = link::write(initial, &answer.state);
    let curve = request.curve.as_ref().map(|asked| asked.curve(&answer.state)).transpose()?;
    let met = request.level.as_ref().map(|level| level.judge(&answer.state)).transpose()?;
    Ok(Reply { answer, link, curve, met })
}

/// The access of a state.
///
/// # Errors
/// What is wrong with the state.
pub fn access(state: &State) -> Result<Access, Fault> {
    address::access(&state.settled())
}

/// What a state's access costs; nothing where it has no cost.
pub fn cost(state: &State) -> Option<u64> {
    challenge::cost(state, None).ok().map(|(cost, _)| cost)
}

/// The controls of a state that have ranges.
pub fn ranges(state: &State) -> Vec<Range> {
    state.ranges()
}
