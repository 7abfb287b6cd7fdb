//! What is remembered of the accesses to a piece of memory.

use super::clocks::Clocks;
use crate::observe::AccessKind;
use crate::program::inst::Pc;

/// One access: its time (32 bits), thread within the block (10 bits) and instruction (22 bits). 0 is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Record(u64);

impl Record {
    /// An access at `time` by `thread` in instruction `pc`.
    #[inline(always)]
    pub(super) const fn new(time: u32, thread: u32, pc: Pc) -> Self {
        Self((time as u64) << 32 | (thread as u64 & 0x3ff) << 22 | pc as u64 & 0x3f_ffff)
    }

    /// When.
    #[inline(always)]
    pub(super) const fn time(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Who.
    #[inline(always)]
    pub(super) const fn thread(self) -> u32 {
        (self.0 >> 22) as u32 & 0x3ff
    }

    /// Which instruction.
    pub(super) const fn pc(self) -> Pc {
        self.0 as u32 & 0x3f_ffff
    }

    #[inline(always)]
    fn unordered(self, me: Self, clocks: &Clocks) -> bool {
        clocks.unordered(self.time(), self.thread(), me.thread())
    }
}

/// The latest accesses to a granule of memory.
///
/// One writer is enough: a write that raced with the one before was reported then, and what is ordered after the
/// latest write is ordered after all. Of the readers, the latest is kept and one more that nothing orders before it,
/// of another warp if there is one: whoever writes next without having met both finds one that it has not met.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Word {
    write: Record,
    atomic: Record,
    reads: [Record; 2],
}

impl Word {
    /// Notes an access and returns an earlier one that conflicts with it and that nothing orders before it.
    #[inline(always)]
    pub(super) fn access(&mut self, me: Record, kind: AccessKind, clocks: &Clocks) -> Option<Record> {
        match kind {
            AccessKind::Load => self.load(me, clocks),
            AccessKind::Store => {
                let conflict = self.any_of([self.write, self.reads[0], self.reads[1], self.atomic], me, clocks);
                *self = Self { write: me, ..Self::default() };
                conflict
            }
            AccessKind::Atomic => {
                let conflict = self.any_of([self.write, self.reads[0], self.reads[1]], me, clocks);
                self.atomic = me;
                conflict
            }
        }
    }

    #[inline(always)]
    fn any_of<const N: usize>(&self, records: [Record; N], me: Record, clocks: &Clocks) -> Option<Record> {
        records.into_iter().find(|record| record.unordered(me, clocks))
    }

    #[inline(always)]
    fn load(&mut self, me: Record, clocks: &Clocks) -> Option<Record> {
        let conflict = self.any_of([self.write, self.atomic], me, clocks);
        let [latest, other] = self.reads;
        if latest.unordered(me, clocks) && (latest.thread() / 32 != me.thread() / 32 || !other.foreign(me, clocks)) {
            self.reads[1] = latest;
        }
        self.reads[0] = me;
        conflict
    }
}

impl Record {
    /// Whether this is an access of another warp that nothing orders before `me`.
    fn foreign(self, me: Self, clocks: &Clocks) -> bool {
        self.thread() / 32 != me.thread() / 32 && self.unordered(me, clocks)
    }
}
