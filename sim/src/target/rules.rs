//! Which rules a GPU follows: for memory accesses, for lanes that diverge. What the rules say is written where they are
//! applied (`memory`, `scheduler`).

use serde::Deserialize;

/// How the lanes of a warp that part at a branch run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// A program counter per lane (compute capability 7.0 and later): any side may run at any time, and lanes may wait
    /// for each other.
    #[default]
    Independent,
    /// One program counter per warp: one side of a branch runs to the meeting point, then the other. Lanes that wait for
    /// lanes of the other side wait for ever; `__syncwarp` has nothing to do.
    LockStep,
}

/// Which shared accesses of a warp conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BankRule {
    /// Compute capability 1.x: half-warps, 16 banks, one word is broadcast at a time.
    HalfWarpBroadcast,
    /// Compute capability 2.x: whole warps, any number of words is broadcast.
    Fermi,
    /// Compute capability 3.x, banks of 8 bytes, addressed by words of 4 bytes (the default mode).
    #[serde(rename = "kepler-4-byte")]
    Kepler,
    /// Compute capability 5.0 and later: the largest number of distinct words in one bank.
    Words,
}

/// How the lanes of a global access share transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coalescing {
    /// Compute capability 1.0 and 1.1: lanes of a half-warp in order, or a transaction each.
    HalfWarpInOrder,
    /// Compute capability 1.2 and 1.3: segments of 32, 64 or 128 bytes for a half-warp in any order.
    HalfWarpSegments,
    /// Compute capability 2.x: loads move lines of 128 bytes, everything else sectors of 32 bytes; accesses of 8 and
    /// 16 bytes are two and four requests.
    Lines,
    /// Compute capability 3.x to 6.x: sectors of 32 bytes; accesses of 8 and 16 bytes are two and four requests.
    SplitSectors,
    /// Compute capability 7.0 and later: sectors of 32 bytes, one request.
    Sectors,
}

/// How atomics in shared memory are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SharedAtomics {
    /// There are none (compute capability 1.0 and 1.1).
    None,
    /// A loop that locks the word, changes it and unlocks it (1.2 to 3.x).
    LockLoop,
    /// An instruction (5.0 and later).
    Native,
    /// An instruction, and one that adds up equal addresses first for increments (8.0 and later).
    NativeIncrement,
}

/// The rules of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Shared memory.
    pub banks: BankRule,
    /// Global memory.
    pub coalescing: Coalescing,
    /// Atomics in shared memory.
    pub shared_atomics: SharedAtomics,
}

impl Default for Rules {
    /// Those of the newest targets.
    fn default() -> Self {
        Self { banks: BankRule::Words, coalescing: Coalescing::Sectors, shared_atomics: SharedAtomics::NativeIncrement }
    }
}
