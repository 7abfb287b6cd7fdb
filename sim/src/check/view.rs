//! What the race detector keeps of a running block, and how it tells whether two accesses are ordered.

use std::collections::HashMap;

use super::blocks::{Blocks, Heads};
use super::cells::Cells;
use super::clocks::{Clocks, Vector};
use super::copies::Copies;
use super::orders::MemoryOrders;
use super::shadow::{Order, Record};
use crate::event::AccessEvent;
use crate::ir::inst::Space;
use crate::memory::rows;

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
    /// Asynchronous copies.
    pub(super) copies: Copies,
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
            copies: Copies::default(),
        }
    }
}

/// What orders the accesses of the running block, in one of the two memories.
pub(super) struct View<'a, const GLOBAL: bool> {
    /// What all threads of the block know lies before this time; what other blocks did, too.
    pub(super) recent: u32,
    /// When the block had its turn.
    pub(super) turn: u32,
    pub(super) block: u64,
    pub(super) clocks: &'a Clocks,
    pub(super) heads: &'a Heads,
    pub(super) blocks: &'a Blocks,
    pub(super) orders: &'a MemoryOrders,
    pub(super) scoped_atomics: bool,
}

impl<const GLOBAL: bool> Order for View<'_, GLOBAL> {
    #[inline(always)]
    fn unordered(&self, earlier: Record, me: Record) -> bool {
        let time = earlier.time();
        if time >= self.recent {
            earlier.thread() != me.thread() && self.clocks.unknown(time, earlier.thread(), me.thread())
        } else {
            GLOBAL && time < self.turn && time != 0 && self.distant(earlier, me)
        }
    }

    #[inline(always)]
    fn elsewhere(&self, earlier: Record) -> bool {
        GLOBAL && earlier.time() < self.turn && earlier.time() != 0
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
        time >= self.recent || self.elsewhere(earlier)
    }
}

impl<const GLOBAL: bool> View<'_, GLOBAL> {
    /// An access before the block's turn: by another block, or by this one in an earlier turn.
    #[cold]
    fn distant(&self, earlier: Record, me: Record) -> bool {
        let (time, other, thread) = (earlier.time(), earlier.thread(), me.thread());
        let block = self.blocks.block_at(time);
        if block == self.block {
            let clocks = self.clocks;
            return time >= clocks.floor && other != thread && clocks.unknown(time, other, thread);
        }
        !self.blocks.knows(self.heads, thread, block, other, time)
    }
}

/// What the lanes of an access have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// All 32 take part, each one behind the one before.
    pub(super) row: bool,
    /// Every lane's bytes are aligned, and in shared memory if they are to be there.
    pub(super) fits: bool,
}

impl Look {
    /// Looks at an access of a block with so many bytes of shared memory.
    #[inline(always)]
    pub(super) fn at(event: &AccessEvent<'_>, shared_bytes: u64) -> Self {
        let width = event.bytes * event.parts;
        let bytes = if event.space == Space::Shared { shared_bytes } else { 1 << 63 };
        let Some(last) = bytes.checked_sub(width.into()) else { return Self { row: false, fits: false } };
        let low = u64::from(width.next_power_of_two() - 1);
        let mut wrong = 0;
        for (lane, &address) in event.addresses.iter().enumerate() {
            // The highest bit says that the address is behind the last one.
            let bits = address & low | (address | last.wrapping_sub(address)) & 1 << 63;
            wrong |= bits & of_lane(event.lanes, lane);
        }
        Self { row: event.lanes == u32::MAX && rows::in_steps(event.addresses, width.into()), fits: wrong == 0 }
    }
}

/// All bits, if the lane is one of `lanes`, or none.
#[inline(always)]
fn of_lane(lanes: u32, lane: usize) -> u64 {
    u64::from(lanes >> lane & 1).wrapping_neg()
}

/// Whether all `lanes` access one place.
#[inline(always)]
pub(super) fn same_address(addresses: &[u64; 32], lanes: u32) -> bool {
    let first = addresses[lanes.trailing_zeros() as usize % 32];
    let mut different = 0;
    for (lane, &address) in addresses.iter().enumerate() {
        different |= (address ^ first) & of_lane(lanes, lane);
    }
    different == 0
}
