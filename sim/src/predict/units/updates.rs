//! Updates in L2, and what memory behind it has to do for them.

use super::super::reuse::Found;
use super::super::slices;
use super::super::trace::{Access, AccessKind};
use super::chance::is_due;
use super::recency::LINE;
use super::stores::SCATTERED;
use super::{FAR, Units, at};

impl Units<'_> {
    /// An update that begins at `start`: when what was there before is back.
    pub(super) fn update(&mut self, access: &Access, found: Found, start: f64, block: u32) -> f64 {
        let rates = self.rates;
        let returns = access.kind == AccessKind::Atomic && rates.l2_returning_sectors > 0.0;
        let rate = if returns { rates.l2_returning_sectors } else { rates.l2_atomic_sectors };
        let least = slices::brought(access) * self.active / rate;
        let places = slices::clocks(access, rates) * self.active / self.slices;
        let busy = least.max(places).max(slices::handed_over(access) / rates.store_sectors);
        // What memory brings and what is stored is written to L2 as well.
        let behind = if self.pipes_of_code.is_some() {
            self.writes = start.max(self.writes) + least;
            self.fills = start.max(self.fills) + least;
            self.written()
        } else {
            0.0
        };
        self.atomics = (start.max(self.atomics).max(self.lookups - least) + busy).max(behind);
        self.lookups = start.max(self.lookups) + least;
        self.busy[at::ATOMICS] += least;
        self.busy[at::PLACES] += places;
        self.tags += f64::from(access.lines.max(1)) * FAR;
        let brought = self.brings_to_update(access, found, start, block);
        (self.atomics + rates.atomic_latency).max(brought)
    }

    /// Sectors are updated: what is not in L2, as `found` says, memory brings first, and it is written back; when the last of them is
    /// there. Updates of single words all over 256 MB take an H200 as long as stores there, 9.3 of them a clock.
    fn brings_to_update(&mut self, access: &Access, found: Found, start: f64, block: u32) -> f64 {
        let trace = self.trace;
        let (mut bytes, mut rows, mut written) = (0.0, 0.0, 0.0);
        // A line is there, or it is not.
        let (mut line, mut new) = (u64::MAX, None);
        for &sector in trace.touched(access) {
            let (_, l2) = self.touch(sector, 32.0, block, false);
            // It takes a place in L2; others that update it keep it there.
            self.asked(sector, 1.0);
            if l2 {
                continue;
            }
            let pair = self.with_its_pair(sector);
            // What others update again and again stays in L2, however much else goes through it.
            let once = f64::from(found.fresh) * self.footprint.part(sector).once;
            let part = if found.lost > 0.0 { f64::from(found.lost) } else { once };
            if sector / LINE != line {
                (line, new) = (sector / LINE, None);
            }
            if *new.get_or_insert_with(|| is_due(&mut self.fresh_so_far, part)) {
                bytes += pair;
                rows += f64::from(u8::from(access.lines >= SCATTERED && self.memory.opens(sector)));
                written += pair * self.written_back;
            }
        }
        if bytes == 0.0 {
            return 0.0;
        }
        self.moved.dram_read += bytes;
        self.moved.dram_written += written;
        let (served, late) = self.memory(start, (bytes, rows), false);
        if written > 0.0 {
            self.memory(start, (written, rows * self.written_back), true);
        }
        served + late + self.memory.latency
    }
}
