//! The part of the [`protocol`](crate::protocol) that is about sessions: launches that are stepped forwards and back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sim::session::{Direction, Event, Found, Unit, View, Word};

use crate::protocol::{Buffer, Launch, ModuleRef, Number, budget, memory};

/// One of the launches of a module is to be stepped; those before it are simulated.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Open {
    /// The module.
    pub module: ModuleRef,
    /// Numbers that the texts below name, such as `n`.
    #[serde(default, rename = "let")]
    pub numbers: BTreeMap<String, Number>,
    /// The buffers in global memory.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// The launches, in order.
    pub launches: Vec<Launch>,
    /// Which of them is stepped, from 0.
    #[serde(default)]
    pub launch: usize,
    /// The GPU; the H200 if it is left out.
    #[serde(default)]
    pub target: Option<String>,
    /// The order of what the hardware leaves open.
    #[serde(default)]
    pub seed: u64,
    /// Warp-instructions that are recorded: the session ends there. At most 2,097,152.
    #[serde(default = "steps")]
    pub steps: u64,
    /// Warp-instructions that the launches before it may execute. More is an error of the kind `budget`.
    #[serde(default = "budget")]
    pub budget: u64,
    /// Bytes that buffers and local memory may take.
    #[serde(default = "memory")]
    pub memory: u64,
    /// Parts that the timeline of the answer has, at most 2,048.
    #[serde(default = "columns")]
    pub columns: usize,
    /// What the answer shows of the beginning.
    #[serde(default)]
    pub show: Option<Show>,
}

/// As many as a page is to hold.
const fn steps() -> u64 {
    1 << 20
}

const fn columns() -> usize {
    256
}

/// What an answer shows of a launch.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Show {
    /// A block, by its linear index, and a warp of it; those that are next if it is left out.
    #[serde(default)]
    pub warp: Option<(u64, u32)>,
    /// The first word of the block's shared memory, and how many words, at most 16,384; none if it is left out.
    #[serde(default)]
    pub shared: (u32, u32),
}

/// Steps a session.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    /// The session.
    pub session: u64,
    /// How far.
    #[serde(default)]
    pub unit: Unit,
    /// Forwards or back.
    #[serde(default)]
    pub direction: Direction,
    /// The block and the warp that the unit is about.
    #[serde(default)]
    pub warp: (u64, u32),
    /// What the answer shows.
    #[serde(default)]
    pub show: Option<Show>,
}

/// Goes to a position.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Seek {
    /// The session.
    pub session: u64,
    /// Steps since the beginning; the end if there are not so many.
    pub position: u64,
    /// What the answer shows.
    #[serde(default)]
    pub show: Option<Show>,
}

/// Goes to something that one looks for; it stays where it is if there is none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Find {
    /// The session.
    pub session: u64,
    /// What is looked for.
    #[serde(rename = "for")]
    pub wanted: Wanted,
    /// What the answer shows.
    #[serde(default)]
    pub show: Option<Show>,
}

/// What one looks for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Wanted {
    /// The nearest event of a kind.
    Event {
        /// The kind.
        event: Event,
        /// Forwards or back.
        #[serde(default)]
        direction: Direction,
        /// Of this block only.
        #[serde(default)]
        block: Option<u64>,
        /// Of this warp of a block only.
        #[serde(default)]
        warp: Option<u32>,
    },
    /// The last write of a place before the position.
    LastWrite(Word),
}

/// Looks at where a session is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Look {
    /// The session.
    pub session: u64,
    /// What the answer shows.
    #[serde(default)]
    pub show: Show,
}

/// Ends a session.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Close {
    /// The session.
    pub session: u64,
}

/// A session that was opened. It stands at its beginning.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Opened {
    /// Its number: later requests name it so. An engine keeps four; of more the oldest goes.
    pub session: u64,
    /// How many steps there are.
    pub length: u64,
    /// Whether the last of them is the launch's last; else so many were recorded as were asked for.
    pub complete: bool,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Warps of a block.
    pub warps: u64,
    /// What was found, in the order in which it became known.
    pub findings: Vec<Found>,
    /// What happens in equal parts of the launch.
    pub timeline: Vec<Column>,
    /// The beginning, if it was to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
}

/// What happens in a part of a launch.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Column {
    /// The events of its steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// The most that a step takes beyond the ideal, in wavefronts or sectors, up to 255.
    pub excess: u8,
}

/// Where a session is now.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Moved {
    /// The position: steps since the beginning.
    pub position: u64,
    /// Whether there was what was asked for: a step to be made, an event, a write.
    pub found: bool,
    /// What is there, if it was to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
}

/// A session was closed.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Closed {
    /// Whether there was one of this number.
    pub closed: bool,
}
