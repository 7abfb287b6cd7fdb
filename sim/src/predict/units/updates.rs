//! Updates in L2, as memory behind it sees them.

use super::super::reuse::Found;
use super::super::trace::Access;
use super::Units;
use super::chance::is_due;
use super::recency::LINE;
use super::stores::SCATTERED;

impl Units<'_> {
    /// Sectors are updated: what is not in L2, as `found` says, memory brings first, and it is written back; when the last of them is
    /// there. Updates of single words all over 256 MB take an H200 as long as stores there, 9.3 of them a clock.
    pub(super) fn brings_to_update(
        &mut self,
        access: &Access,
        found: Found,
        start: f64,
        range: std::ops::Range<usize>,
        block: u32,
    ) -> f64 {
        let trace = self.trace;
        let (mut bytes, mut rows, mut written) = (0.0, 0.0, 0.0);
        // A line is there, or it is not.
        let (mut line, mut new) = (u64::MAX, None);
        for &sector in &trace.sectors[range] {
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
