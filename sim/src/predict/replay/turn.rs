//! Whose turn it is: the order in which warps issue.

use std::cmp::Ordering;

/// A warp's turn: when it wants to issue, and since when. Of those at one time the one of the oldest block is first, and of one
/// block's warps the one that has waited longest for its operands' pipe, behind the one that issued last. So do an H100's: eight
/// blocks of eight warps each that are started together and keep the pipe of integers busy end one after the other, 134,000
/// clocks apart, the warps of each together; one block of 32 warps loses nothing, 34.1 clocks a round and warp for 17
/// operations of two clocks. What waits for a place in front of L1 is served in turn, whatever its block: as the clocks show that
/// each of 32 warps reads after each of its loads, and the ends of eight blocks that load. NVIDIA does not say how it chooses.
#[derive(PartialEq)]
pub(super) struct Turn {
    pub(super) at: f64,
    pub(super) block: u32,
    pub(super) since: f64,
    pub(super) warp: u32,
}

impl Turn {
    /// Of a warp that waits for nothing.
    pub(super) const fn at(at: f64, warp: u32) -> Self {
        Self { at, block: 0, since: at, warp }
    }
}

impl Eq for Turn {}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Turn {
    /// The earliest is the greatest: that is what a heap gives first.
    fn cmp(&self, other: &Self) -> Ordering {
        let since = other.since.total_cmp(&self.since);
        other.at.total_cmp(&self.at).then(other.block.cmp(&self.block)).then(since).then(other.warp.cmp(&self.warp))
    }
}
