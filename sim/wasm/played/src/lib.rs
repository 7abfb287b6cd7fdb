//! What launches did to arrays, round by round: which thread wrote which element, from which elements, and what became of it.
//!
//! `sim_wasm::rounds` writes it down from the events of a run, `draw::rounds` draws and tells it; of the tiles of a table
//! ([`Waves`]) `sim_wasm::waves` and `draw::waves` do. Neither knows the other, and the module of the access explorer holds no
//! engine, so the types stand here.

#![forbid(unsafe_code)]

/// What launches did to the arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// The arrays, in the order in which they were asked for.
    pub arrays: Vec<Array>,
    /// The rounds in which something was written to them.
    pub rounds: Vec<Round>,
}

/// An array before the first round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// What it is called.
    pub name: String,
    /// It is in shared memory: element `i` is in word `from + i`, if elements are words.
    pub shared: bool,
    /// The number of its first element that is watched.
    pub from: u64,
    /// The elements as a person reads them; empty where nobody has written yet.
    pub values: Vec<String>,
}

/// A round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The kernel.
    pub kernel: String,
    /// The number of the launch, from 0.
    pub launch: usize,
    /// What was written, in order.
    pub writes: Vec<Write>,
    /// Accesses of warps to shared memory, the wavefronts that they took, and the fewest that they could have taken.
    pub shared: (u64, u64, u64),
    /// The elements behind it, array by array.
    pub after: Vec<Vec<String>>,
}

/// An element is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The array.
    pub array: usize,
    /// The element, from the first that is watched.
    pub element: usize,
    /// Linear index of the block.
    pub block: u64,
    /// The thread within its block.
    pub thread: u32,
    /// It was an atomic, and not a store.
    pub atomic: bool,
    /// The elements that its value was computed from, as array and element; where it was computed from none, those that its
    /// address was computed from.
    pub from: Vec<(usize, usize)>,
}

/// Which thread blocks wrote the tiles of a table, and whose words they read before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waves {
    /// Tiles in a row.
    pub across: usize,
    /// All tiles, row by row.
    pub tiles: Vec<Tile>,
}

/// A tile of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// Linear index of the block that wrote it.
    pub block: u64,
    /// How many other tiles were complete before it.
    pub place: usize,
    /// 0 where its block read nothing that blocks of other tiles had written; else one more than the latest of what it read.
    pub wave: usize,
    /// The tiles whose blocks had written what its block read, in order.
    pub reads: Vec<usize>,
    /// Words that its block looked at before anybody had written them.
    pub early: u64,
}
