//! What of each buffer memory moves at most. A sample tells what a block touches; what all blocks touch together is no more than
//! there is. As long as L2 holds what a launch touches, no byte of a buffer is brought twice, and of a sector that several blocks
//! write in part nothing has to be read.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::reuse::Found;
use super::trace::{Access, AccessKind, LOCAL_MEMORY, Trace};
use super::units::recency::LINE;
use crate::ir::layout::{BUFFER_STRIDE, BUFFERS_BASE};

/// Bytes of lines of which only parts are written that L2 keeps before it reads the rest. Nsight Compute counts what is read by launches
/// that store a word to each sector, to each second, fourth and eighth sector: of 8 to 134 MB of lines all but 5.8 to 7.3 MB.
const UNFILLED: f64 = 6.2e6;

/// What a launch does with a buffer, as far as it differs from what a sample's blocks do each alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    /// Of what is loaded for the first time: the part that memory brings.
    pub read: f64,
    /// The same as long as L2 holds all.
    pub once: f64,
    /// Of what is stored for the first time: the part that memory is written.
    pub written: f64,
    /// Of the sectors that are written in part: those whose rest is read.
    pub filled: f64,
    /// For how many lines of the buffer one that the sample touches stands at most.
    pub most: f64,
}

impl Part {
    const ALL: Self = Self { read: 1.0, once: 1.0, written: 1.0, filled: 1.0, most: f64::INFINITY };
}

/// Every buffer's part, and which sectors a block fills with several stores.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    parts: Vec<Part>,
    /// Bytes that blocks of the sample store to a sector, where no store has all of them.
    stored: HashMap<u64, f64>,
}

/// What the sample touches of a buffer, in sectors and lines.
#[derive(Debug, Clone, Copy, Default)]
struct Touched {
    sectors: f64,
    lines: f64,
    fresh: f64,
    written: f64,
}

impl Footprint {
    /// Of a launch that is `times` as large as the trace, of which `found` tells what each load brings from memory. `beside` has what
    /// blocks bring that are not in the trace, and L2 holds `l2` bytes.
    pub(super) fn new(trace: &Trace, found: &[Found], beside: &[BTreeMap<u64, bool>], times: f64, l2: f64) -> Self {
        let mut touched = vec![Touched::default(); trace.buffers.len()];
        let mut seen: HashMap<u64, bool> =
            beside.iter().flat_map(BTreeMap::keys).map(|&sector| (sector, false)).collect();
        let mut stored: HashMap<u64, f64> = HashMap::new();
        let mut lines: HashSet<u64> = HashSet::new();
        for (access, found) in trace.accesses.iter().zip(found) {
            let each = bytes(access);
            for &sector in trace.touched(access) {
                let Some(touched) = buffer(sector).and_then(|number| touched.get_mut(number)) else { continue };
                let before = seen.get(&sector).copied();
                if before.is_none() {
                    touched.sectors += 1.0;
                    touched.lines += f64::from(u8::from(lines.insert(sector / LINE)));
                }
                if access.kind == AccessKind::Store {
                    touched.written += f64::from(u8::from(before != Some(true)));
                    *stored.entry(sector).or_default() += each;
                    seen.insert(sector, true);
                } else {
                    touched.fresh += if before.is_none() { f64::from(found.fresh) } else { 0.0 };
                    seen.entry(sector).or_insert(false);
                }
            }
        }
        let of = |bytes: u64| (bytes as f64 / 32.0).ceil();
        let sizes = || trace.buffers.iter().map(|&bytes| of(bytes));
        let all: f64 = touched.iter().zip(sizes()).map(|(touched, size)| (touched.sectors * times).min(size)).sum();
        let held = (l2 / (all * 32.0).max(1.0)).min(1.0);
        let mut lines: Vec<HashSet<u64>> = vec![HashSet::new(); trace.buffers.len()];
        for (&sector, _) in stored.iter().filter(|&(_, &bytes)| bytes < 32.0) {
            if let Some(lines) = buffer(sector).and_then(|number| lines.get_mut(number)) {
                lines.insert(sector / LINE);
            }
        }
        let lines = lines.iter().zip(sizes()).map(|(lines, size)| (lines.len() as f64 * times).min(size / LINE as f64));
        let filled = 1.0 - (UNFILLED / (lines.sum::<f64>() * 128.0).max(1.0)).min(1.0);
        let part = |(touched, size): (&Touched, f64)| {
            let of_buffer = |sectors: f64| (size / (sectors * times).max(1.0)).min(1.0);
            let weigh = |part: f64| held * part + (1.0 - held);
            let most = (size / LINE as f64 / touched.lines.max(1.0)).max(1.0);
            let written = weigh(of_buffer(touched.written));
            let once = of_buffer(touched.fresh);
            Part { read: weigh(once), once, written, filled: written * filled, most }
        };
        Self { parts: touched.iter().zip(sizes()).map(part).collect(), stored }
    }

    /// The part of the buffer that a sector lies in; all of what lies in none.
    pub(super) fn part(&self, sector: u64) -> Part {
        buffer(sector).and_then(|number| self.parts.get(number)).copied().unwrap_or(Part::ALL)
    }

    /// Bytes of the sectors that a trace's stores touch, as many of them as are this sample's to write: of local memory, of global
    /// memory, and of the part there that is loaded as well.
    pub(super) fn stored(&self, trace: &Trace) -> (f64, f64, f64) {
        let sectors = |kind: fn(&Access) -> bool| -> BTreeSet<u64> {
            trace
                .accesses
                .iter()
                .filter(|access| kind(access))
                .flat_map(|access| trace.touched(access))
                .copied()
                .collect()
        };
        let stored = sectors(|access| access.kind == AccessKind::Store);
        let loaded = sectors(Access::loads);
        let (mut local, mut all, mut both) = (0.0, 0.0, 0.0);
        for sector in stored {
            let bytes = self.part(sector).written * 32.0;
            if sector >= LOCAL_MEMORY / 32 {
                local += bytes;
            } else {
                all += bytes;
                both += if loaded.contains(&sector) { bytes } else { 0.0 };
            }
        }
        (local, all, both)
    }

    /// Whether blocks of the sample store to all bytes of a sector.
    pub(super) fn fills(&self, sector: u64) -> bool {
        self.stored.get(&sector).is_some_and(|&bytes| bytes >= 32.0)
    }
}

/// Bytes that an access stores to each of its sectors.
pub(super) fn bytes(access: &Access) -> f64 {
    let bytes = f64::from(access.lanes * access.width) / f64::from(access.sectors.max(1));
    if access.full { 32.0 } else { bytes.min(31.0) }
}

/// Bytes of buffers that are touched: `each` for each of these sectors, and of a buffer no more than it has.
pub(super) fn of_buffers(buffers: &[u64], sectors: impl Iterator<Item = u64>, each: f64) -> f64 {
    let mut touched = vec![0.0; buffers.len()];
    for number in sectors.filter_map(buffer).filter(|&number| number < buffers.len()) {
        touched[number] += each;
    }
    touched.iter().zip(buffers).map(|(&touched, &size)| f64::min(touched, size as f64)).sum()
}

/// The number of the buffer that a sector lies in.
fn buffer(sector: u64) -> Option<usize> {
    let offset = (sector * 32).checked_sub(BUFFERS_BASE)?;
    usize::try_from(offset / BUFFER_STRIDE).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRESH: Found =
        Found { fresh: 1.0, lost: 0.0, common: false, cold: 1.0, many: false, later: 1.0, shared: 1.0 };

    /// Accesses of so many bytes by each of 32 lanes, each of the sectors from one on.
    fn trace(buffers: &[u64], accesses: &[(AccessKind, u64, u32, u32)]) -> Trace {
        let mut trace = Trace { buffers: buffers.to_vec(), ..Trace::default() };
        for &(kind, from, sectors, width) in accesses {
            let first = trace.sectors.len() as u32;
            trace.sectors.extend((0..u64::from(sectors)).map(|sector| BUFFERS_BASE / 32 + from + sector));
            let full = kind == AccessKind::Store && width * 32 == sectors * 32;
            trace.accesses.push(Access { kind, first, sectors, lanes: 32, width, full, ..Access::default() });
        }
        trace
    }

    fn of(trace: &Trace, times: f64, l2: f64) -> Footprint {
        Footprint::new(trace, &vec![FRESH; trace.accesses.len()], &[], times, l2)
    }

    #[test]
    fn what_all_blocks_read_is_brought_once_as_long_as_l2_holds_it() {
        let all = trace(&[2048], &[(AccessKind::Load, 0, 32, 4), (AccessKind::Load, 32, 32, 4)]);
        let sector = BUFFERS_BASE / 32;
        assert!((of(&all, 50.0, 1e6).part(sector).read - 0.02).abs() < 1e-9);
        // L2 holds half of it, and a launch no larger than the sample brings everything.
        assert!((of(&all, 50.0, 1024.0).part(sector).read - 0.51).abs() < 1e-9);
        assert!((of(&all, 1.0, 1e6).part(sector).read - 1.0).abs() < 1e-9);
        // What lies in no buffer is left alone.
        assert_eq!(of(&all, 50.0, 1e6).part(7), Part::ALL);
    }

    #[test]
    fn a_sector_is_filled_by_several_stores() {
        // A word for each of 32 sectors, again and again.
        let words: Vec<_> = (0..8).map(|_| (AccessKind::Store, 0, 32, 4)).collect();
        let sector = BUFFERS_BASE / 32;
        assert!(of(&trace(&[1024], &words), 1.0, 1e6).fills(sector));
        assert!(!of(&trace(&[1024], &words[1..]), 1.0, 1e6).fills(sector));
    }

    #[test]
    fn what_blocks_store_to_together_is_written_once() {
        // A word of each of 32 sectors, which 31 other blocks fill.
        let words = trace(&[1024], &[(AccessKind::Store, 0, 32, 4)]);
        let all = of(&words, 32.0, 1e6);
        assert!((all.part(BUFFERS_BASE / 32).written - 1.0 / 32.0).abs() < 1e-9);
        assert_eq!(all.stored(&words), (0.0, 32.0, 0.0));
    }

    #[test]
    fn the_rest_of_few_lines_is_not_read() {
        let word = trace(&[1 << 30], &[(AccessKind::Store, 0, 32, 4)]);
        let sector = BUFFERS_BASE / 32;
        // Eight lines each time: 6 and 60 MB of them.
        assert!(of(&word, 6000.0, 1e9).part(sector).filled < 0.01);
        assert!((of(&word, 60_000.0, 1e9).part(sector).filled - 0.9).abs() < 0.01);
    }
}
