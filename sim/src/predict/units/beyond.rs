//! What lies beyond a multiprocessor's L1 cache: loads that miss it, L2, and memory behind it.
//!
//! Memory is one server for the bytes of all, and its latency is not one number. Each chunk of memory that a load touches
//! takes longer or shorter than the mean by an exponential distribution, as loads that wait for one, two and four chunks
//! at once show; and all take longer the busier memory is, as a queue in front of many banks does, `u / (1 - u)` times a
//! number of clocks (M/M/1). Both are measured (`dram_spread`, `dram_crowding`). No clock and no random source is asked:
//! a chunk's number decides how long it takes.

use std::collections::VecDeque;

use super::super::rates::Rates;
use super::super::reuse::Found;
use super::super::trace::{Access, AccessKind};
use super::chance::{is_due, is_far, spread};
use super::recency::{self, LINE};
use super::stores::SCATTERED;
use super::{FAR, Units, at};

/// Blocks that touched a sector before it is taken to be in every L1 cache.
const COMMON: u32 = 6;
/// Bytes next to each other that take equally long. Not measured alone: with less, blocks of 1 KiB that each load takes too
/// long for, as `read_once` shows, would wait for several.
const PAGE: u64 = 2048;
/// Bytes next to each other that lie in one row of memory; further ones are dealt out to others. Words of different sectors that
/// are 64 bytes apart are stored more than twice as fast as those that are 256 bytes apart, and these no faster than words
/// anywhere.
const ROW: u64 = 256;
/// Rows that stay open for a multiprocessor. Not measured alone: with as many as a warp has lanes, warps that store to 32 rows in
/// turn would find them open, which they do not.
const OPEN: usize = 16;
/// Of the rows that memory opens for reads alone, those that it opens where it writes as many: an H200 updates 9.3 words all over 256 MB in
/// a clock, each of which opens a row to be read and one to be written, and reads 22.
const MIXED_ROWS: f64 = 0.85;
/// No block: a sector that is in L2 only.
const NOBODY: u32 = u32::MAX;
/// A kernel stores as well if this takes such a part of what is brought.
const STORED: f64 = 0.1;
/// Clocks over which it is looked at how busy memory is.
const LATELY: f64 = 2000.0;
/// How busy it is called at most: beyond that requests wait for the server itself.
const BUSIEST: f64 = 0.9;

/// The row of memory that a sector lies in.
pub(in super::super) const fn row_of(sector: u64) -> u64 {
    sector * 32 / ROW
}

/// What is known of a sector.
pub(super) struct Seen {
    pub block: u32,
    pub blocks: u32,
    /// When it is in L1, or in L2 where only the other one of its pair was asked for.
    pub ready: f64,
    /// Bytes that its block stored to it and did not load; the rest of it is not in L1. 0 where all of it is.
    stored: f64,
    /// Whether anybody stored to it.
    dirty: bool,
    /// What was dropped of its line when L2 was asked for it last; nothing where L2 was not asked.
    asked: Option<f64>,
}

impl Seen {
    /// All of a sector, for a block.
    const fn by(block: u32) -> Self {
        Self { block, blocks: 1, ready: 0.0, stored: 0.0, dirty: false, asked: None }
    }
}

/// Memory, as this multiprocessor's part of all requests sees it.
pub(super) struct Memory {
    /// When it has served what it was asked for.
    pub free: f64,
    /// Clocks of a load, on average, when nobody else asks.
    pub latency: f64,
    /// The same where all ask for the same: those who are closer to it ask first.
    together: f64,
    read_rate: f64,
    write_rate: f64,
    /// Rows that all multiprocessors together have opened in a clock.
    rows: f64,
    /// The rows that were touched last.
    open: VecDeque<u64>,
    crowding: f64,
    /// The part of the clocks lately for which it worked, at the time `asked`.
    used: f64,
    asked: f64,
}

impl Memory {
    /// Idle memory of a launch that reads or writes, or does both: `mixed` says how much of the one to the other, the larger. What is
    /// measured is 0 and 1.
    pub(super) fn new(rates: &Rates, mixed: f64) -> Self {
        let between = |apart: f64, both: f64| if mixed > 0.0 { apart + (both - apart) * mixed } else { apart };
        let read_rate = between(rates.dram_read_bytes, rates.dram_mixed_bytes);
        let write_rate = between(rates.dram_write_bytes, rates.dram_mixed_bytes);
        let crowding = between(rates.dram_crowding, rates.dram_mixed_crowding);
        let latency = rates.dram_latency + mixed * rates.dram_turning;
        let (rows, open) = (between(rates.dram_rows, rates.dram_rows * MIXED_ROWS), VecDeque::new());
        // Of a GPU of which this is not known it is nothing.
        let sooner = if rates.dram_together > 0.0 { rates.dram_latency - rates.dram_together } else { 0.0 };
        let together = latency - sooner;
        Self { free: 0.0, latency, together, read_rate, write_rate, rows, open, crowding, used: 0.0, asked: 0.0 }
    }

    /// Whether memory opens a row for this sector.
    pub(super) fn opens(&mut self, sector: u64) -> bool {
        let row = row_of(sector);
        if let Some(place) = self.open.iter().rposition(|&open| open == row) {
            // Mostly it is the last one.
            self.open.remove(place);
            self.open.push_back(row);
            return false;
        }
        if self.open.len() == OPEN {
            self.open.pop_front();
        }
        self.open.push_back(row);
        true
    }

    /// Serves a request of so many clocks, not before `time`: when it is served, with what it waits beyond that.
    fn serve(&mut self, time: f64, busy: f64) -> (f64, f64) {
        let waited = (self.free - time).max(0.0);
        self.free = self.free.max(time) + busy;
        let since = (time - self.asked).max(0.0);
        self.used = self.used * libm::exp(-since / LATELY) + busy / LATELY;
        self.asked = self.asked.max(time);
        let used = self.used.min(BUSIEST);
        (self.free, (self.crowding * used / (1.0 - used) - waited).max(0.0))
    }
}

impl Units<'_> {
    /// Takes so many bytes of memory, from so many rows that it opens for them, not before `time`; when they are there, and what
    /// they are late. Sectors that lie alone cost a row each, which takes longer than their bytes.
    pub(super) fn memory(&mut self, time: f64, (bytes, rows): (f64, f64), writes: bool) -> (f64, f64) {
        let rate = if writes { self.memory.write_rate } else { self.memory.read_rate };
        let busy = (bytes / rate).max(rows / self.memory.rows) * self.active;
        self.busy[at::DRAM] += busy;
        self.memory.serve(time, busy)
    }

    /// A load touches so many bytes of a sector: whether they are in L1, and whether they are in L2. Then all of it is in both.
    /// `common` says that most blocks of the grid touch the same ones.
    pub(super) fn touch(&mut self, sector: u64, bytes: f64, block: u32, common: bool) -> (bool, bool) {
        let there = self.l1.touch(sector);
        let Some(seen) = self.seen.get_mut(&sector) else {
            self.seen.insert(sector, Seen::by(block));
            return (false, false);
        };
        // Neighbouring blocks run on other multiprocessors: what one of them touched is in its L1, not in this one.
        let here = if seen.stored > 0.0 {
            seen.block == block && seen.stored >= bytes
        } else {
            seen.block == block || seen.blocks > COMMON || common && seen.block != NOBODY
        };
        seen.blocks += u32::from(seen.block != block);
        seen.block = block;
        if !(here && there) {
            seen.stored = 0.0;
        }
        (here && there, true)
    }

    /// A block stores so many bytes to a sector: they go to L2, and stay in L1, too; whether it was not in L2 before,
    /// and whether nobody stored to it.
    pub(super) fn stored(&mut self, sector: u64, bytes: f64, block: u32) -> (bool, bool) {
        let there = self.l1.touch(sector);
        let Some(seen) = self.seen.get_mut(&sector) else {
            self.seen.insert(sector, Seen { stored: bytes, dirty: true, ..Seen::by(block) });
            return (true, true);
        };
        let clean = !seen.dirty;
        let own = there && seen.block == block;
        let whole = own && seen.stored == 0.0;
        if !whole {
            let before = if own { seen.stored } else { 0.0 };
            *seen = Seen { stored: (before + bytes).min(32.0), asked: seen.asked, ..Seen::by(block) };
        }
        seen.dirty = true;
        (false, clean)
    }

    /// A sector is in L2, and not in L1; whether it was not in L2 before.
    fn in_l2(&mut self, sector: u64) -> bool {
        self.seen.insert(sector, Seen::by(NOBODY)).is_none()
    }

    /// L2 is asked for a sector, which as many blocks touch as `shared` says: the part of it that L2 has dropped since it was asked for it
    /// last; nothing of one that is not known.
    pub(super) fn asked(&mut self, sector: u64, shared: f64) -> f64 {
        // Without machine code it is not known which accesses go on side by side.
        if self.pipes_of_code.is_none() {
            return 0.0;
        }
        let Some(seen) = self.seen.get_mut(&sector) else { return 0.0 };
        let most = self.footprint.part(sector).most;
        let weight = LINE as f64 * recency::weight(self.active, shared, most);
        let line = self.lines.entry(sector / LINE).or_default();
        // Of what all load L2 holds half.
        self.recency.touch(line, 2.0 * self.rates.l2_shared() / 32.0, weight);
        let dropped = seen.asked.map_or(0.0, |mark| line.dropped_since(mark));
        seen.asked = Some(line.mark());
        dropped
    }

    /// Whether a block beside this one brings a sector that this one touches for the first time: at the same time, or before. Then the
    /// other one of its pair is there, too.
    fn brought(&mut self, sector: u64, block: u32) -> Option<bool> {
        let beside = self.beside.get_mut(block as usize)?;
        let brought = beside.remove(&sector)?;
        if let Some(waits) = beside.get_mut(&(sector ^ 1)) {
            *waits = false;
        }
        Some(brought)
    }

    /// Memory delivers pairs of sectors: the other one is in L2 as well, as soon as this one.
    pub(super) fn with_its_pair(&mut self, sector: u64) -> f64 {
        if !self.seen.contains_key(&(sector ^ 1)) {
            self.in_l2(sector ^ 1);
            return 64.0;
        }
        32.0
    }

    /// The same of a pair that L2 has dropped: the other one is brought again, too, if it is gone as well.
    fn again_with_its_pair(&mut self, sector: u64, shared: f64) -> f64 {
        if self.asked(sector ^ 1, shared) > 0.5 { 64.0 } else { 32.0 }
    }

    /// A load that begins at `start`: when its result is there.
    pub(super) fn load(
        &mut self,
        access: &Access,
        found: Found,
        start: f64,
        passes: f64,
        range: std::ops::Range<usize>,
        block: u32,
    ) -> f64 {
        let (trace, rates) = (self.trace, self.rates);
        // What another block stored is in L2.
        let found = if access.polls { Found { fresh: 0.0, lost: 0.0, cold: 0.0, many: true, ..found } } else { found };
        let sectors = f64::from(access.sectors);
        let asked = (f64::from(access.lanes * access.width) / sectors.max(1.0)).min(32.0);
        let (mut missed, mut updated, mut bytes) = (0.0, 0.0, 0.0);
        let (mut chunks, mut last, mut rows) = (0.0f64, u64::MAX, 0.0);
        let (mut far, mut alone) = (false, false);
        let first = trace.sectors.get(range.start).map_or(0, |sector| sector / LINE);
        // Who asks for what is on its way waits until it comes.
        let pending = if access.kind == AccessKind::Load { self.pending(access) } else { 0.0 };
        let mut pairs = Vec::new();
        let (mut waits, mut behind) = (None, None);
        // What is there of a line, and what is not, is so of all that a load touches of it.
        let (mut line, mut gone, mut new) = (u64::MAX, None, None);
        let mut pair_again = u64::MAX;
        for &sector in &trace.sectors[range] {
            if sector / LINE != line {
                (line, gone, new) = (sector / LINE, None, None);
            }
            let (l1, l2) = self.touch(sector, asked, block, found.common);
            if l1 && access.kind == AccessKind::Load {
                continue;
            }
            missed += 1.0;
            updated += f64::from(u8::from(self.updated.contains(&sector)));
            let dropped = self.asked(sector, f64::from(found.shared));
            // A block beside this one may have it brought, at the same time or before.
            let brought = if found.many { None } else { self.brought(sector, block) };
            // What this multiprocessor has read so long ago that L2 has dropped it is brought again.
            let again = l2 && *gone.get_or_insert_with(|| is_due(&mut self.dropped_so_far, dropped));
            if l2 && brought != Some(true) && !again {
                continue;
            }
            // However small the buffer is, what L2 does not hold is brought again.
            let part = (f64::from(found.fresh) * self.footprint.part(sector).read).max(f64::from(found.lost));
            let fresh = !l2 && brought.is_none() && *new.get_or_insert_with(|| is_due(&mut self.fresh_so_far, part));
            if again && sector / 2 != pair_again {
                pair_again = sector / 2;
                bytes += self.again_with_its_pair(sector, f64::from(found.shared));
            }
            if !l2 && brought.is_none() {
                // Whoever has it brought has the pair brought.
                let pair = self.with_its_pair(sector);
                if pair > 32.0 {
                    self.asked(sector ^ 1, f64::from(found.shared));
                    pairs.push(sector ^ 1);
                }
                bytes += if fresh { pair } else { 0.0 };
            }
            if fresh || again {
                rows += if self.memory.opens(sector) { self.own_part(sector, access) } else { 0.0 };
            }
            // Who asks at the same time as the one that has it fetched waits for memory, too.
            let first = block < self.first_wave;
            let later = f64::from(found.later);
            let late = fresh && (first || *behind.get_or_insert_with(|| is_due(&mut self.later_so_far, later)));
            if late
                || again
                || brought == Some(true)
                || first && *waits.get_or_insert_with(|| is_due(&mut self.cold_so_far, f64::from(found.cold)))
            {
                let chunk = sector * 32 / PAGE;
                chunks += f64::from(u8::from(chunk != last));
                last = chunk;
                alone |= !found.many && brought.is_none();
            } else {
                far |= !found.many && is_far(sector);
            }
        }
        self.moved.loaded += sectors;
        self.moved.hits += sectors - missed;
        if missed == 0.0 {
            return (start + passes - 1.0 + rates.l1_latency).max(pending);
        }
        let missed_lines = (missed / sectors * f64::from(access.lines)).ceil();
        self.leave(missed_lines, passes);
        // What atomics update is on the side of L2 that it belongs to only.
        let slower = if updated > 0.0 { rates.l2_read_lines / rates.l2_updated_lines - 1.0 } else { 0.0 };
        let lookups = missed_lines * self.active / rates.l2_read_lines * (1.0 + slower.max(0.0) * updated / missed);
        let busy = (missed * self.active / rates.l2_read_sectors).max(lookups);
        let slot = start.max(self.reads).max(self.lookups - lookups);
        self.reads = slot + busy;
        self.lookups = start.max(self.lookups) + lookups;
        self.busy[at::L2_READS] += busy;
        self.tags += missed_lines * (1.0 + (FAR - 1.0) * updated / missed);
        // Lines leave one a clock, and the slowest of them counts.
        let several = missed_lines - 1.0 + spread(first, missed_lines, rates.l2_spread);
        let ready = slot + busy + rates.l2_latency + several + if far { rates.l2_far } else { 0.0 };
        self.moved.dram_read += bytes;
        self.moved.lines += missed_lines;
        self.moved.written += bytes / 32.0;
        self.tags += if bytes > 0.0 { missed_lines } else { 0.0 };
        let mut ready = ready.max(pending);
        if bytes > 0.0 || chunks > 0.0 {
            let (served, late) = self.memory(slot, (bytes, rows), false);
            let served = if bytes > 0.0 { served.max(self.fill(slot, bytes)) } else { served };
            let latency = if alone { self.memory.latency } else { self.memory.together };
            // Who finds all of it there does not wait, though as much is brought for others.
            if chunks > 0.0 {
                ready = ready.max(served + late + latency + several + spread(last, chunks, rates.dram_spread));
            }
        }
        self.arrives(access, ready);
        self.follow(&pairs, ready);
        ready
    }

    /// Of a row that memory opens for a load, the part that this block has to itself: where lanes lie in few lines, as in a tile, blocks
    /// beside it load the rest at about the same time.
    fn own_part(&self, sector: u64, access: &Access) -> f64 {
        if access.lines >= SCATTERED {
            return 1.0;
        }
        // Without machine code it is not known what blocks beside this one load.
        let alone = if self.pipes_of_code.is_some() { 1.0 } else { 0.0 };
        self.trace.shared_rows.get(&row_of(sector)).map_or(alone, |&part| f64::from(part))
    }

    /// What memory brings is written to L2, one behind the other with what is stored: when it is there. Launches that read and write
    /// 17 MB each and leave nearly all of what they write in L2 take an H100 9 to 10 microseconds, as much as L2 takes for both one
    /// behind the other, where memory takes 5.2 to read and L2 4.3 to write. No less is written than memory reads where nothing is
    /// stored: on an H200 as many sectors as L2 takes of stores. What L2 looks up for stores of parts of sectors is no part of it: 256 MB,
    /// stored in pieces of 16 bytes by lanes 64 bytes apart, take an H200 179 microseconds where nothing is loaded, 198 where as much is
    /// loaded from L2, and 201 from memory.
    fn fill(&mut self, time: f64, bytes: f64) -> f64 {
        let rate = (self.rates.l2_write_sectors * 32.0).max(self.memory.read_rate);
        let busy = (bytes / rate) * self.active;
        self.fills = self.fills.max(time) + busy;
        self.filled += busy;
        self.fills
    }

    /// For how long L2 writes what memory brings becomes part of [`Units::busy`] where something is stored as well. Alone it is
    /// memory that takes this time.
    pub(in super::super) fn count_fills(&mut self) {
        if self.busy[at::L2_WRITES] > self.filled * STORED {
            self.busy[at::L2_WRITES] = self.busy[at::L2_WRITES].max(self.filled + self.data);
        }
    }
}
