//! What is remembered of the accesses to a piece of memory.

use crate::event::AccessKind;
use crate::ir::inst::Pc;

/// One access: its time (32 bits), thread within its block (10 bits) and instruction (22 bits). 0 is none.
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

    /// The access of another lane of the warp, if this one is that of its first lane.
    #[inline(always)]
    pub(super) const fn of_lane(self, lane: u32) -> Self {
        Self(self.0 + ((lane as u64) << 22))
    }

    /// The same access by the thread `lanes` further on, or none.
    #[inline(always)]
    const fn later_lane(self, lanes: u32) -> Self {
        if self.0 == 0 { self } else { Self(self.0 + ((lanes as u64) << 22)) }
    }
}

/// What orders accesses.
pub(super) trait Order {
    /// Whether nothing orders `earlier` before `me`.
    fn unordered(&self, earlier: Record, me: Record) -> bool;
    /// Whether an access is of another block, or of this one and not known to all its threads. Cheap.
    fn recent(&self, earlier: Record) -> bool;
    /// Whether an access lies before the block's turn: by another block, or by this one earlier. Cheap.
    fn elsewhere(&self, earlier: Record) -> bool;
    /// Whether two atomics may race.
    fn scoped_atomics(&self) -> bool;
    /// Whether an atomic gets to see what the atomics before it have left.
    fn observes(&self, atomic: Record) -> bool;
}

/// The latest accesses to a granule of memory.
///
/// One writer is enough: a write that raced with the one before was reported then, and what is ordered after the
/// latest write is ordered after all. Of the readers, the latest is kept and one more that may be unordered with it,
/// of another warp if there is one: whoever writes next without having met both finds one that it has not met. These
/// two may be of one block, so the latest of those before its turn is kept besides. Atomics, which do not race with each
/// other, are kept in the same way.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Word {
    /// The latest write.
    pub write: Record,
    /// Atomic updates since.
    pub atomics: [Record; 2],
    /// Reads since.
    pub reads: [Record; 2],
    /// The latest atomic update and the latest read since, before the turn of the block that came last.
    pub before: [Record; 2],
}

impl Word {
    /// The earlier accesses that conflict with one of this kind.
    #[inline(always)]
    fn conflicting(&self, kind: AccessKind, scoped_atomics: bool) -> [Record; 7] {
        let none = Record::default();
        let ([read, other_read], [atomic, other_atomic]) = (self.reads, self.atomics);
        let [old_atomic, old_read] = self.before;
        match kind {
            AccessKind::Load => [self.write, atomic, other_atomic, old_atomic, none, none, none],
            AccessKind::Atomic if !scoped_atomics => [self.write, read, other_read, old_read, none, none, none],
            AccessKind::Store | AccessKind::Atomic => {
                [self.write, read, other_read, atomic, other_atomic, old_read, old_atomic]
            }
        }
    }

    /// Notes an access and returns an earlier one that conflicts with it and that nothing orders before it.
    #[inline(always)]
    pub(super) fn access(&mut self, me: Record, kind: AccessKind, order: &impl Order) -> Option<Record> {
        // Whoever knows an atomic that saw what the other one left knows that one, too: the last block of a grid may
        // reset the counter by which it knows that it is the last.
        let ([latest, other], [old, _]) = (self.atomics, self.before);
        let conflict = self.conflicting(kind, order.scoped_atomics()).into_iter().find(|&record| {
            let seen = (record == other || record == old) && record != latest;
            order.unordered(record, me) && !(seen && order.observes(latest))
        });
        self.note(me, kind, order);
        conflict
    }

    #[inline(always)]
    fn note(&mut self, me: Record, kind: AccessKind, order: &impl Order) {
        match kind {
            AccessKind::Load => keep_before(&mut self.reads, &mut self.before[1], me, order),
            AccessKind::Store => *self = Self { write: me, ..Self::default() },
            AccessKind::Atomic => keep_before(&mut self.atomics, &mut self.before[0], me, order),
        }
    }

    fn of_lane(&self, lanes: u32) -> Self {
        Self {
            write: self.write.later_lane(lanes),
            atomics: self.atomics.map(|record| record.later_lane(lanes)),
            reads: self.reads.map(|record| record.later_lane(lanes)),
            before: self.before.map(|record| record.later_lane(lanes)),
        }
    }
}

/// As [`keep`], and keeps the latest one besides if it lies before the block's turn.
#[inline(always)]
fn keep_before(accesses: &mut [Record; 2], before: &mut Record, me: Record, order: &impl Order) {
    let latest = accesses[0];
    *before = if order.elsewhere(latest) { latest } else { *before };
    keep(accesses, me, order);
}

/// Puts an access before the latest one, and keeps that as the second if the second says no more.
#[inline(always)]
pub(super) fn keep(accesses: &mut [Record; 2], me: Record, order: &impl Order) {
    let [latest, other] = *accesses;
    let foreign = |record: Record| record.thread() / 32 != me.thread() / 32;
    // Without branches: which of them holds is often as good as random.
    let says_less = !(foreign(other) & order.recent(other));
    let kept = order.recent(latest) & (latest.thread() != me.thread()) & (foreign(latest) | says_less);
    *accesses = [me, if kept { latest } else { other }];
}

/// Bytes of a [`Line`].
pub(super) const LINE: u64 = 128;

/// How a warp went over a line: consecutive elements by consecutive lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Binary logarithm of the bytes of each lane.
    pub width: u8,
    /// The lane of the line's first element.
    pub first: u8,
}

/// 128 bytes of memory. Most are only ever accessed by whole warps in one way: one record stands for all lanes.
#[derive(Debug, Clone, Default)]
pub(super) enum Line {
    /// Nobody was here.
    #[default]
    Fresh,
    /// Only accesses of one shape: the records are those of the first element.
    Whole(Shape, Word),
    /// One word for every granule.
    Each(Box<[Word]>),
}

impl Line {
    /// All lanes of a shape access the line in one instruction; `me` is the record of the first. False when the line
    /// has to be looked at element by element; then nothing was noted.
    #[inline]
    pub(super) fn access_whole(&mut self, shape: Shape, me: Record, kind: AccessKind, order: &impl Order) -> bool {
        if let Self::Fresh = self {
            *self = Self::Whole(shape, Word::default());
        }
        let Self::Whole(known, word) = self else { return false };
        if *known != shape {
            return false;
        }
        let lanes = (LINE >> shape.width) as u32;
        // What one lane knows the others need not know.
        let quiet = word.conflicting(kind, order.scoped_atomics()).into_iter().all(|record| {
            !order.recent(record)
                || (0..lanes).all(|lane| !order.unordered(record.later_lane(lane), me.later_lane(lane)))
        });
        if quiet {
            word.note(me, kind, order);
        }
        quiet
    }

    /// The words of the line, one for each granule of `1 << granule` bytes.
    #[inline]
    pub(super) fn each(&mut self, granule: u32) -> &mut [Word] {
        if !matches!(self, Self::Each(_)) {
            self.expand(granule);
        }
        match self {
            Self::Each(words) => words,
            Self::Fresh | Self::Whole(..) => &mut [],
        }
    }

    #[cold]
    fn expand(&mut self, granule: u32) {
        let count = (LINE >> granule) as usize;
        let words = match self {
            Self::Whole(shape, word) => {
                (0..count).map(|at| word.of_lane(((at as u64) << granule >> shape.width) as u32)).collect()
            }
            Self::Fresh | Self::Each(_) => vec![Word::default(); count].into(),
        };
        *self = Self::Each(words);
    }
}
