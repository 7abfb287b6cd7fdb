//! What the race detector keeps of a running block, and how it tells whether two accesses are ordered.

use std::collections::HashMap;

use super::blocks::{Blocks, Heads};
use super::cells::Cells;
use super::clocks::{Clocks, Vector};
use super::orders::MemoryOrders;
use super::shadow::{Order, Record};
use crate::program::inst::Space;

/// What belongs to one thread block.
#[derive(Debug)]
pub(super) struct Context {
    /// It has started and not ended.
    pub(super) runs: bool,
    /// Linear index of the block.
    pub(super) block: u64,
    pub(super) clocks: Clocks,
    pub(super) heads: Heads,
    /// The accesses to shared memory.
    pub(super) shared: Cells,
    /// What was handed over to threads of the block at each synchronisation variable.
    pub(super) handed: HashMap<(Space, u64), Vector>,
}

impl Context {
    pub(super) fn new(warps: usize) -> Self {
        Self {
            runs: false,
            block: 0,
            clocks: Clocks::new(warps),
            heads: Heads::default(),
            shared: Cells::default(),
            handed: HashMap::new(),
        }
    }
}

/// What orders the accesses of the running block, in one of the two memories.
pub(super) struct View<'a, const GLOBAL: bool> {
    /// What all threads of the block know lies before this time; what other blocks did, too.
    pub(super) recent: u32,
    /// When the block had its turn.
    pub(super) turn: u32,
    pub(super) context: &'a Context,
    pub(super) blocks: &'a Blocks,
    pub(super) orders: &'a MemoryOrders,
    pub(super) scoped_atomics: bool,
}

impl<const GLOBAL: bool> Order for View<'_, GLOBAL> {
    #[inline(always)]
    fn unordered(&self, earlier: Record, me: Record) -> bool {
        let time = earlier.time();
        if time >= self.recent {
            earlier.thread() != me.thread() && self.context.clocks.unknown(time, earlier.thread(), me.thread())
        } else {
            GLOBAL && time < self.turn && time != 0 && self.distant(earlier, me)
        }
    }

    #[inline(always)]
    fn scoped_atomics(&self) -> bool {
        GLOBAL && self.scoped_atomics
    }

    fn observes(&self, atomic: Record) -> bool {
        self.orders.of(atomic.pc()).reads
    }

    #[inline(always)]
    fn recent(&self, earlier: Record) -> bool {
        let time = earlier.time();
        time >= self.recent || GLOBAL && time < self.turn && time != 0
    }
}

impl<const GLOBAL: bool> View<'_, GLOBAL> {
    /// An access before the block's turn: by another block, or by this one in an earlier turn.
    #[cold]
    fn distant(&self, earlier: Record, me: Record) -> bool {
        let (time, other, thread) = (earlier.time(), earlier.thread(), me.thread());
        let block = self.blocks.block_at(time);
        if block == self.context.block {
            let clocks = &self.context.clocks;
            return time >= clocks.floor && other != thread && clocks.unknown(time, other, thread);
        }
        !self.blocks.knows(&self.context.heads, thread, block, other, time)
    }
}

/// Whether 32 lanes access one element after another.
#[inline(always)]
pub(super) fn consecutive(addresses: &[u64; 32], width: u32) -> bool {
    let mut expected = addresses[0];
    let mut different = 0;
    for &address in addresses {
        different |= address ^ expected;
        expected = expected.wrapping_add(width.into());
    }
    different == 0
}

/// Whether all `lanes` access one place.
#[inline(always)]
pub(super) fn same_address(addresses: &[u64; 32], lanes: u32) -> bool {
    let first = addresses[lanes.trailing_zeros() as usize];
    let mut different = 0;
    for (lane, &address) in addresses.iter().enumerate() {
        different |= u32::from(address != first) << lane;
    }
    different & lanes == 0
}
