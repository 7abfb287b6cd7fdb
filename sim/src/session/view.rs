//! What a launch is at a position, as one who steps it sees it.

use serde::Serialize;

/// A place in the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// Source file; the PTX itself where it has no line table.
    pub file: String,
    /// Line in it, from 1.
    pub line: u32,
    /// The lines of the functions that the code is inlined in, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inlined_in: Vec<Listed>,
    /// Line in the PTX, from 1.
    pub ptx_line: u32,
    /// The instruction as the PTX has it.
    pub text: String,
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// What is executed next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Next {
    /// Linear index of the thread block.
    pub block: u64,
    /// Warp within the block.
    pub warp: u32,
    /// The lanes that come to it, as a mask.
    pub lanes: u32,
    /// Where it stands.
    pub place: Place,
}

/// What was executed last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Done {
    /// Linear index of the thread block.
    pub block: u64,
    /// Warp within the block.
    pub warp: u32,
    /// The lanes that executed it, as a mask: none where its guard is false in all of them, or where they wait.
    pub lanes: u32,
    /// Where it stands.
    pub place: Place,
    /// Its accesses to memory, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<Access>,
    /// What is remarkable of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<super::Event>,
}

/// An access of a warp to memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Access {
    /// What it does, such as `load from shared memory`.
    pub what: String,
    /// Whether the memory is shared memory; then addresses count from its beginning.
    pub shared: bool,
    /// Bytes of a lane.
    pub width: u32,
    /// The lanes that take part, as a mask.
    pub lanes: u32,
    /// The address of each lane of the warp, in hexadecimal digits; nothing for a lane that takes no part.
    pub addresses: Vec<Option<String>>,
    /// Wavefronts of shared memory, or sectors of global memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u32>,
    /// The least that this could be for as many lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ideal: Option<u32>,
}

/// What a warp or some lanes of it do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its block has not started.
    NotStarted,
    /// It can go on.
    Ready,
    /// At a barrier of the block with this number.
    AtBarrier(u32),
    /// For lanes of its warp that this mask names.
    ForLanes(u32),
    /// For other paths of its warp, to reconverge.
    ToReconverge,
    /// It repeats itself until memory changes.
    Spinning,
    /// It has exited.
    Exited,
}

/// Lanes of a warp at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathView {
    /// The lanes, as a mask.
    pub lanes: u32,
    /// What they do.
    pub state: State,
    /// The instruction that they execute next, or wait at.
    pub place: Place,
}

/// A register of all lanes of a warp.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegisterView {
    /// Its name in the PTX.
    pub name: String,
    /// How its values are read, such as `f32`: from the instructions that write and read it.
    pub kind: String,
    /// The last step wrote it.
    pub written: bool,
    /// The value in each lane; nothing for a lane that nobody will read it of.
    pub values: Vec<Option<String>>,
}

/// A warp.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WarpView {
    /// Linear index of its block.
    pub block: u64,
    /// Its number within the block.
    pub warp: u32,
    /// Its lanes that have not exited, as a mask.
    pub live: u32,
    /// The path that is next, or was last, of `paths`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<usize>,
    /// Where its lanes are.
    pub paths: Vec<PathView>,
    /// The registers that somebody may still read, and those that the last step wrote; special registers first.
    pub registers: Vec<RegisterView>,
}

/// A warp as one of its block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WarpInBlock {
    /// What it does: where its lanes do different things, the first path that can go on, else the first one.
    pub state: State,
    /// Its lanes that have not exited, as a mask.
    pub live: u32,
    /// Source line of that path's next instruction; 0 where there is none.
    pub line: u32,
}

/// A barrier at which some warps wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BarrierView {
    /// Its number.
    pub id: u32,
    /// Warps with lanes that wait there.
    pub waiting: Vec<u32>,
    /// Warps with lanes that have neither come nor exited.
    pub missing: Vec<u32>,
}

/// Some of a block's shared memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedView {
    /// How its words are read, such as `f32`.
    pub kind: String,
    /// Words of the block.
    pub words: u32,
    /// Number of the first word here.
    pub from: u32,
    /// The words, one after another: word `w` lies in bank `w mod 32`.
    pub values: Vec<String>,
    /// Words of these that the last step touched, by number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<u32>,
}

/// A variable in shared memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VariableView {
    /// Its name in the PTX.
    pub name: String,
    /// Its first byte.
    pub offset: u64,
    /// Its size in bytes; 0 of dynamic shared memory.
    pub bytes: u64,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlockView {
    /// Linear index in the grid.
    pub block: u64,
    /// Its warps.
    pub warps: Vec<WarpInBlock>,
    /// The barriers at which somebody waits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub barriers: Vec<BarrierView>,
    /// Its shared memory; nothing where it has none, has not started or has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedView>,
    /// The variables in shared memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<VariableView>,
}

/// What a launch is at a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct View {
    /// The position: steps since the beginning.
    pub position: u64,
    /// The position of the end.
    pub length: u64,
    /// What is executed next; nothing at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
    /// What was executed last; nothing at the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Done>,
    /// The warp that was asked for.
    pub warp: WarpView,
    /// Its block.
    pub block: BlockView,
    /// What the last step did, in words.
    pub sentence: String,
}
