//! Stores on their way to L2. What a warp stores waits for a moment in front of L2, and another store to the same line joins
//! it. So three stores of one word each to neighbouring words reach L2 as one, if they follow each other at once, and as three,
//! if a load or many other warps' stores stand between them: `store_lines` is measured with stores of two to seven words.

use std::collections::VecDeque;

use super::super::footprint;
use super::super::trace::Access;
use super::chance::is_due;
use super::{FAR, Units, at};

/// Lines of a store from which on it joins the one before only while L2 takes what it gets: where all warps store at once, none of 8 lines
/// of 8 bytes a lane joined another one, and half of those of 16 did; of warps that have waited for loads, each at its own time, all.
pub(super) const SCATTERED: u32 = 8;

/// Lines of a store from which on none of them waits: a store to 16 or 32 lines joins no other one, however few warps store. An H200 counts
/// as many sectors as there are stores of 4 bytes in rows of 4 KiB by four multiprocessors, and of 16 bytes in pieces of 64.
const ALONE: u32 = 16;
/// Clocks of work in front of L2 from which on it is behind, fewer than those that stop all warps: so 256 MB that are loaded from memory and
/// stored in four stores of 8 bytes a lane take about as long as on an H200, 240 microseconds.
const BEHIND: f64 = 400.0;
/// Bytes of a lane of which some join while L2 is behind, and the part: two stores each to 256 MB take an H200 96 microseconds, where it
/// is 60 if all join, and 142 if none do.
const WIDE: (u32, f64) = (16, 0.56);

/// Stores to one line, by warps of a block, that reach L2 as one if they follow each other.
const JOINED: u32 = 3;

/// A line with what was stored to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    pub number: u64,
    /// When it was stored to last.
    at: f64,
    /// The sectors that were not in L2 before.
    pub absent: [bool; 4],
    /// The sectors that nobody stored to before.
    pub clean: [bool; 4],
    /// Bytes of each of its sectors, as far as is known: as many as were stored, each of them once.
    pub bytes: [f64; 4],
    /// Rows of memory that are opened for it.
    pub rows: f64,
}

impl Line {
    fn is_full(&self) -> bool {
        self.bytes.iter().all(|&bytes| bytes >= 32.0)
    }
}

/// The lines that wait, in the order in which they were stored to last.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Stores {
    lines: VecDeque<Line>,
}

impl Stores {
    /// Stores so many bytes to each of some sectors of a line, each with whether it was not in L2 before and whether nobody
    /// stored to it. What leaves: the line, if it is full, those that waited for `window` clocks, and the first where more than
    /// `most` wait; itself if it does not wait.
    fn store(
        &mut self,
        (number, at): (u64, f64),
        sectors: &[(u64, (bool, bool))],
        bytes: f64,
        rows: f64,
        (window, most): (f64, usize),
        waits: bool,
    ) -> Vec<Line> {
        let mut left = Vec::new();
        while self.lines.front().is_some_and(|line| line.at + window < at) {
            left.extend(self.lines.pop_front());
        }
        let place = self.lines.iter().position(|line| line.number == number);
        let mut line = place.and_then(|place| self.lines.remove(place)).unwrap_or(Line {
            number,
            at,
            absent: [false; 4],
            clean: [false; 4],
            bytes: [0.0; 4],
            rows: 0.0,
        });
        line.at = at;
        line.rows = rows.max(line.rows);
        for &(sector, (absent, clean)) in sectors {
            line.bytes[(sector & 3) as usize] += bytes;
            line.absent[(sector & 3) as usize] |= absent;
            line.clean[(sector & 3) as usize] |= clean;
        }
        if line.is_full() || !waits {
            left.push(line);
        } else {
            self.lines.push_back(line);
        }
        if self.lines.len() > most {
            left.extend(self.lines.pop_front());
        }
        left
    }

    /// Adds so many bytes to sectors of one line that waits, if it does; the line, if it is full now and leaves.
    fn join(&mut self, sectors: &[u64], bytes: f64) -> Option<Line> {
        let number = sectors.first()? >> 2;
        let place = self.lines.iter().position(|line| line.number == number)?;
        let line = &mut self.lines[place];
        sectors.iter().for_each(|sector| line.bytes[(sector & 3) as usize] += bytes);
        if line.is_full() { self.lines.remove(place) } else { None }
    }
}

/// Stores to one line by the warps of a block, of which none to another line stands between. About three of them reach L2 as one: 524,288
/// warps that each store a word to the same place take an H200 414 to 496 microseconds in blocks of one warp, 192 to 270 in blocks of
/// two, and 127 to 207 in blocks of four to sixteen; the less, the less they load and store elsewhere.
#[derive(Debug, Default)]
pub(super) struct BehindEachOther {
    last: Option<(u64, u32)>,
    stores: u32,
}

impl BehindEachOther {
    /// Of one more store to a line, by a warp of a block, the part that reaches L2.
    fn next(&mut self, line: u64, block: u32) -> f64 {
        self.stores = if self.last.replace((line, block)) == Some((line, block)) { self.stores + 1 } else { 1 };
        match self.stores {
            1 => 1.0,
            2..=JOINED => 0.0,
            _ => 1.0 / f64::from(JOINED),
        }
    }
}

impl Units<'_> {
    /// A store that begins at `start`: when it is known to be done.
    pub(super) fn store(&mut self, access: &Access, before: Option<u32>, start: f64, block: u32) -> f64 {
        let trace = self.trace;
        let sectors = trace.touched(access);
        let bytes = footprint::bytes(access);
        let waits = match access.lines {
            ALONE.. => false,
            SCATTERED.. if self.written() > start + BEHIND => {
                access.width == WIDE.0 && (before.is_none() || is_due(&mut self.joined_so_far, WIDE.1))
            }
            _ => true,
        };
        // What follows at once joins before anything can leave.
        if let Some(before) = before.filter(|_| waits) {
            let before = trace.touched(&trace.accesses[before as usize]);
            if sectors.iter().all(|sector| before.contains(sector)) {
                for of_line in sectors.chunk_by(|a, b| a >> 2 == b >> 2) {
                    for &sector in of_line {
                        self.stored(sector, bytes, block);
                    }
                    if let Some(full) = self.stores.join(of_line, bytes) {
                        self.write(start, &full);
                    }
                }
                return start.max(self.writes) + self.rates.store_latency;
            }
        }
        let mut until = start.max(self.writes);
        let mut rest = sectors;
        while let Some(&first) = rest.first() {
            let line = first >> 2;
            // Lanes mostly go through memory in order; a line that comes again later is found among those that are kept.
            let of_line = rest.iter().take_while(|sector| **sector >> 2 == line).count();
            // No longer than what is in L1 takes: not as long as a round of a short loop, whose stores do not join.
            let (window, most) = (self.rates.l1_latency, self.rates.store_lines as usize);
            // Whoever looks sees it from now on.
            let mut stored: Vec<(u64, (bool, bool))> =
                rest[..of_line].iter().map(|&sector| (sector, self.stored(sector, bytes, block))).collect();
            for (sector, (absent, clean)) in &mut stored {
                // What L2 has dropped is written, and begins anew.
                let dropped = self.asked(*sector, 1.0);
                if is_due(&mut self.dropped_stores, dropped) {
                    (*absent, *clean) = (true, true);
                }
            }
            if self.rates.l2_chunk_bytes.is_finite() && !access.full {
                let told = self.behind_each_other.next(line, block) * of_line as f64;
                *self.told.entry(self.rates.chunk(line * 4)).or_default() += told;
            }
            let fresh = stored.iter().any(|&(_, (absent, _))| absent);
            let rows = f64::from(u8::from(fresh && access.lines >= SCATTERED && self.memory.opens(first)));
            let left = self.stores.store((line, start), &stored, bytes, rows, (window, most), waits);
            rest = &rest[of_line..];
            for line in left {
                until = until.max(self.write(start.min(line.at + window), &line));
            }
        }
        until + self.rates.store_latency
    }

    /// What was stored to a line leaves for L2: when L2 has taken it.
    pub(super) fn write(&mut self, time: f64, line: &Line) -> f64 {
        let rates = self.rates;
        let stored = |number: usize| line.bytes[number] > 0.0;
        let whole = |number: usize| line.bytes[number] >= 32.0;
        let count = |which: &dyn Fn(usize) -> bool| (0..4).filter(|&number| which(number)).count() as f64;
        let (all, full) = (count(&stored), count(&whole));
        // L2 takes so many of all multiprocessors, and each of them hands over so many, behind what tells the bytes that are written
        // of a line, if there are sectors of which not all are.
        let (of_line, of_sectors) = rates.partial(all - full);
        let data = (full / rates.l2_write_sectors + of_sectors) * self.active;
        let busy = (data + of_line * self.active).max((all + f64::from(u8::from(all > full))) / rates.store_sectors);
        let slot = time.max(self.writes);
        self.writes = slot + busy;
        self.fills = time.max(self.fills) + data;
        self.busy[at::L2_WRITES] += busy;
        self.data += data;
        self.moved.written += all;
        self.tags += FAR;
        // Of a sector that is not in L2 and that nobody fills what is not written is read.
        let sector = |number: usize| line.number * 4 + number as u64;
        let lacks = |number: &usize| line.absent[*number] && !whole(*number) && !self.footprint.fills(sector(*number));
        let lacks = (0..4).filter(lacks).map(|number| self.footprint.part(sector(number)).filled).sum::<f64>() * 32.0;
        // What several blocks store to is written once.
        let written = self.footprint.part(line.number * 4).written;
        let bytes = count(&|number| line.clean[number]) * 32.0 * self.written_back * written;
        self.moved.dram_read += lacks;
        self.moved.dram_written += bytes;
        if lacks > 0.0 {
            self.memory(slot, (lacks, line.rows * written), false);
        }
        if bytes > 0.0 {
            self.memory(slot, (bytes, line.rows * self.written_back * written), true);
        }
        self.written()
    }

    /// All that was stored and is still kept leaves.
    pub(in super::super) fn flush(&mut self, time: f64) {
        while let Some(line) = self.stores.lines.pop_front() {
            self.write(time, &line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_to_the_same_line_leave_as_one() {
        let mut stores = Stores::default();
        let sectors = [40, 41, 42, 43].map(|sector| (sector, (true, true)));
        for word in 0..3 {
            assert!(stores.store((10, f64::from(word)), &sectors, 8.0, 1.0, (30.0, 8), true).is_empty(), "word {word}");
        }
        let left = stores.store((10, 3.0), &sectors, 8.0, 0.0, (30.0, 8), true);
        assert_eq!(
            left,
            [Line { number: 10, at: 3.0, absent: [true; 4], clean: [true; 4], bytes: [32.0; 4], rows: 1.0 }]
        );
        assert!(stores.lines.is_empty());
    }

    #[test]
    fn halves_of_sectors_that_follow_at_once_are_wholes() {
        let (mut stores, sectors) = (Stores::default(), [40, 41, 42, 43]);
        let fresh = sectors.map(|sector| (sector, (true, true)));
        assert!(stores.store((10, 0.0), &fresh, 16.0, 1.0, (30.0, 8), true).is_empty());
        assert_eq!(stores.join(&[44, 45], 16.0), None);
        assert_eq!(stores.join(&sectors, 16.0).map(|line| line.bytes), Some([32.0; 4]));
        assert!(stores.lines.is_empty());
    }

    #[test]
    fn a_store_to_many_lines_does_not_wait() {
        let left = Stores::default().store((10, 0.0), &[(40, (true, true))], 16.0, 1.0, (30.0, 8), false);
        assert_eq!(left.iter().map(|line| line.bytes).collect::<Vec<_>>(), [[16.0, 0.0, 0.0, 0.0]]);
    }

    #[test]
    fn a_line_that_waited_long_enough_leaves() {
        let mut stores = Stores::default();
        let mut left = Vec::new();
        for line in 0..6 {
            left.extend(stores.store(
                (line, line as f64 * 10.0),
                &[(line * 4 + 1, (true, true))],
                4.0,
                1.0,
                (30.0, 8),
                true,
            ));
        }
        assert_eq!(left.iter().map(|line| line.number).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(left[0].bytes, [0.0, 4.0, 0.0, 0.0]);
        // Who is stored to again waits again.
        assert!(
            stores
                .store((3, 59.0), &[(13, (true, true))], 4.0, 1.0, (30.0, 8), true)
                .iter()
                .map(|line| line.number)
                .eq([2])
        );
    }
}
