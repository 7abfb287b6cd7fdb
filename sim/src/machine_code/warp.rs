//! The state of a warp: its registers, and the groups of lanes that have one program counter.

use super::op::{Dst, Pred, PredDst, Row, Slot, Src, Src64, Wide};
use crate::launch::Dim3;
use crate::memory::rows::map;

/// Why a group does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// It goes on.
    None,
    /// At the end of a region, for the lanes that entered it with them.
    Region(u8),
    /// At a `WARPSYNC`, for the lanes of a mask.
    Lanes(u32),
    /// At a barrier of the thread block.
    Barrier(u32),
}

/// Lanes with one program counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) mask: u32,
    pub(super) pc: u32,
    pub(super) wait: Wait,
    /// How often it gave way because its turn was over.
    pub(super) turns: u32,
}

/// A warp.
#[derive(Debug, Clone)]
pub(super) struct Warp {
    pub(super) index: u32,
    pub(super) r: Vec<Row>,
    pub(super) u: [u32; 64],
    /// A bit for each lane; number 7 is true.
    pub(super) p: [u32; 8],
    /// Predicates of the warp, as all bits or none.
    pub(super) up: [u32; 8],
    /// The lanes that will meet at the end of each region, as each lane knows them.
    pub(super) regions: Box<[Row; 16]>,
    pub(super) threads: [Row; 3],
    pub(super) groups: Vec<Group>,
    /// Lanes that have not ended.
    pub(super) live: u32,
    /// What the last barrier combined.
    pub(super) result: u32,
    /// Local memory, lane after lane.
    pub(super) local: Vec<u8>,
    /// Instructions that it has executed: its clock.
    pub(super) executed: u64,
    /// It waits for something that another warp or group does: its turn is over.
    pub(super) yields: bool,
}

impl Warp {
    pub(super) fn new(registers: u32, local_bytes: u32) -> Self {
        Self {
            index: 0,
            r: vec![[0; 32]; registers as usize],
            u: [0; 64],
            p: [0; 8],
            up: [0; 8],
            regions: Box::new([[0; 32]; 16]),
            threads: [[0; 32]; 3],
            groups: Vec::new(),
            live: 0,
            result: 0,
            local: vec![0; local_bytes as usize * 32],
            executed: 0,
            yields: false,
        }
    }

    /// Makes it warp `index` of a block that begins.
    pub(super) fn start(&mut self, index: u32, block: Dim3, entry: u32) {
        self.index = index;
        self.r.fill([0; 32]);
        self.u = [0; 64];
        self.p = [0, 0, 0, 0, 0, 0, 0, u32::MAX];
        self.up = self.p;
        self.regions.fill([0; 32]);
        self.local.fill(0);
        self.result = 0;
        self.executed = 0;
        self.yields = false;
        let first = u64::from(index) * 32;
        let count = (block.count() - first).min(32) as u32;
        self.live = u32::MAX >> (32 - count);
        for lane in 0..32 {
            let at = block.coordinates((first + lane as u64).min(block.count() - 1));
            self.threads[0][lane] = at.x;
            self.threads[1][lane] = at.y;
            self.threads[2][lane] = at.z;
        }
        self.groups.clear();
        self.groups.push(Group { mask: self.live, pc: entry, wait: Wait::None, turns: 0 });
    }

    /// 32 bits of each lane.
    #[inline(always)]
    pub(super) fn raw(&self, constants: &[u32], slot: Slot) -> Row {
        match slot {
            Slot::Lane(number) => self.r[number as usize],
            Slot::Warp(number) => [self.u[number as usize]; 32],
            Slot::Constant(number) => [constants[number as usize]; 32],
        }
    }

    /// A source with its sign.
    #[inline(always)]
    pub(super) fn source(&self, constants: &[u32], source: Src) -> Row {
        let row = self.raw(constants, source.slot);
        if source.is_plain() {
            return row;
        }
        let Src { and, xor, add, .. } = source;
        map(&row, |value| ((value & and) ^ xor).wrapping_add(add))
    }

    /// A source of 64 bits with its sign.
    #[inline(always)]
    pub(super) fn source64(&self, constants: &[u32], source: Src64) -> Wide {
        let (low, high) = (self.raw(constants, source.low), self.raw(constants, source.high));
        let Src64 { and, xor, add, .. } = source;
        let mut wide = [0; 32];
        for lane in 0..32 {
            let value = u64::from(low[lane]) | u64::from(high[lane]) << 32;
            wide[lane] = ((value & and) ^ xor).wrapping_add(add);
        }
        wide
    }

    /// The lanes in which a predicate is true.
    #[inline(always)]
    pub(super) fn pred(&self, pred: Pred) -> u32 {
        let file = if pred.uniform { &self.up } else { &self.p };
        let value = file[usize::from(pred.number & 7)];
        if pred.not { !value } else { value }
    }

    /// Writes a predicate of these lanes.
    #[inline(always)]
    pub(super) fn set_pred(&mut self, to: PredDst, value: u32, lanes: u32) {
        if to.number == 7 {
            return;
        }
        if to.uniform {
            self.up[usize::from(to.number & 7)] = if value & lanes != 0 { u32::MAX } else { 0 };
        } else {
            let place = &mut self.p[usize::from(to.number & 7)];
            *place = *place & !lanes | value & lanes;
        }
    }

    /// Writes 32 bits of these lanes; a register of the warp gets what the first of them has.
    #[inline(always)]
    pub(super) fn set(&mut self, to: Dst, row: &Row, lanes: u32) {
        match to {
            Dst::None => {}
            Dst::Lane(number) => self.set_lane(number, row, lanes),
            Dst::Warp(number) => self.u[usize::from(number & 63)] = row[lanes.trailing_zeros() as usize & 31],
        }
    }

    /// Writes a register of each of these lanes.
    #[inline(always)]
    pub(super) fn set_lane(&mut self, number: u8, row: &Row, lanes: u32) {
        let to = &mut self.r[number as usize];
        if lanes == u32::MAX {
            *to = *row;
            return;
        }
        for lane in 0..32 {
            let mask = 0u32.wrapping_sub(lanes >> lane & 1);
            to[lane] = to[lane] & !mask | row[lane] & mask;
        }
    }

    /// Writes 64 bits of these lanes.
    #[inline(always)]
    pub(super) fn set64(&mut self, to: Dst, wide: &Wide, lanes: u32) {
        let low = map(wide, |value| value as u32);
        let high = map(wide, |value| (value >> 32) as u32);
        self.set(to, &low, lanes);
        self.set(to.next(), &high, lanes);
    }
}

impl Dst {
    /// The register behind it.
    #[inline(always)]
    pub(super) const fn next(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Lane(number) => Self::Lane(number + 1),
            Self::Warp(number) => Self::Warp(number + 1),
        }
    }
}
