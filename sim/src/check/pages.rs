//! The shadow of a memory: dense for shared memory, by pages as touched for global memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::shadow::{LINE, Line, Record, Word};
use crate::lanes::lanes_of;

/// Lines of a page, which covers 4 KiB.
const PAGE_LINES: usize = 32;
const PAGE_BYTES: u64 = PAGE_LINES as u64 * LINE;

/// Pages whose storage is kept for the next block.
const KEPT_PAGES: usize = 1 << 10;

/// Mixes the bits of a page number, which is no secret and needs no stronger hash.
#[derive(Debug, Default, Clone)]
pub(super) struct PageHasher(u64);

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// A map by page number or address.
pub(super) type PageMap<V> = HashMap<u64, V, BuildHasherDefault<PageHasher>>;

/// Neighbouring lines.
#[derive(Debug)]
pub(super) struct Page {
    /// Its address, divided by its size.
    pub(super) number: u64,
    /// The lines that were looked up, one bit each.
    pub(super) used: u32,
    lines: [Line; PAGE_LINES],
}

impl Page {
    /// What was accessed in a line. `atomics_race`: count atomic updates as writes.
    #[inline]
    pub(super) fn sets(&self, line: usize, granule: u32, atomics_race: bool) -> LineSets {
        LineSets::of(&self.lines[line], granule, atomics_race)
    }
}

/// Lines by address.
#[derive(Debug, Default)]
pub(super) struct Pages {
    index: PageMap<u32>,
    /// The pages of `index`, and storage for more.
    pages: Vec<Page>,
    used: usize,
    /// The page that was looked up last.
    last: Option<(u64, u32)>,
}

impl Pages {
    /// The line at `address`.
    #[inline]
    pub(super) fn line(&mut self, address: u64) -> &mut Line {
        let number = address / PAGE_BYTES;
        let at = match self.last {
            Some((last, at)) if last == number => at,
            _ => self.find(number),
        };
        self.last = Some((number, at));
        let (page, line) = (&mut self.pages[at as usize], (address / LINE) as usize % PAGE_LINES);
        page.used |= 1 << line;
        &mut page.lines[line]
    }

    fn find(&mut self, number: u64) -> u32 {
        if let Some(&at) = self.index.get(&number) {
            return at;
        }
        let at = self.used;
        self.used += 1;
        match self.pages.get_mut(at) {
            Some(page) => page.number = number,
            None => self.pages.push(Page { number, used: 0, lines: std::array::from_fn(|_| Line::Fresh) }),
        }
        self.index.insert(number, at as u32);
        at as u32
    }

    /// The pages that were accessed.
    pub(super) fn touched(&self) -> &[Page] {
        &self.pages[..self.used]
    }

    /// Forgets all accesses.
    pub(super) fn clear(&mut self) {
        self.index.clear();
        self.pages.truncate(KEPT_PAGES);
        for page in self.pages.iter_mut().take(self.used) {
            lanes_of(page.used).for_each(|line| page.lines[line as usize] = Line::Fresh);
            page.used = 0;
        }
        self.used = 0;
        self.last = None;
    }
}

/// Which 4-byte words of a line are written, read and atomically updated, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LineSets {
    written: u32,
    read: u32,
    updated: u32,
}

impl LineSets {
    fn of(line: &Line, granule: u32, atomics_race: bool) -> Self {
        let mut sets = Self::default();
        match line {
            Line::Fresh => {}
            Line::Whole(_, word) => sets.add(word, u32::MAX),
            Line::Each(words) => {
                for (at, word) in words.iter().enumerate() {
                    sets.add(word, 1 << ((at << granule) / 4));
                }
            }
        }
        if atomics_race {
            sets.written |= sets.updated;
        }
        sets
    }

    #[inline]
    fn add(&mut self, word: &Word, bits: u32) {
        let new = |record: Record| if record == Record::default() { 0 } else { bits };
        self.written |= new(word.write);
        self.updated |= new(word.atomics[0]);
        self.read |= new(word.reads[0]);
    }

    /// Adds the sets of other blocks. True when they conflict.
    #[inline]
    fn add_sets(&mut self, other: Self) -> bool {
        let conflict = self.conflicts(other) != 0;
        *self = self.sum(other);
        conflict
    }

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        Self {
            written: self.written | other.written,
            read: self.read | other.read,
            updated: self.updated | other.updated,
        }
    }

    /// The words that an access of one conflicts over with one of the other. Atomics do not conflict with each other.
    #[inline(always)]
    fn conflicts(self, other: Self) -> u32 {
        let all = |sets: Self| sets.written | sets.read | sets.updated;
        self.written & all(other) | all(self) & other.written | self.updated & other.read | self.read & other.updated
    }
}

/// The sets of all lines of a page, side by side: two pages are added a few lines at a time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PageSets {
    written: [u32; PAGE_LINES],
    read: [u32; PAGE_LINES],
    updated: [u32; PAGE_LINES],
}

impl PageSets {
    fn line(&self, line: usize) -> LineSets {
        LineSets { written: self.written[line], read: self.read[line], updated: self.updated[line] }
    }

    fn set_line(&mut self, line: usize, sets: LineSets) {
        (self.written[line], self.read[line], self.updated[line]) = (sets.written, sets.read, sets.updated);
    }

    fn alike(LineSets { written, read, updated }: LineSets) -> Self {
        Self { written: [written; PAGE_LINES], read: [read; PAGE_LINES], updated: [updated; PAGE_LINES] }
    }

    /// What was done to all lines alike, if so.
    fn all_alike(&self) -> Option<LineSets> {
        let first = self.line(0);
        (1..PAGE_LINES).all(|line| self.line(line) == first).then_some(first)
    }

    /// Adds the sets of other blocks. True when they conflict.
    fn add(&mut self, other: &Self) -> bool {
        let mut conflict = 0;
        for line in 0..PAGE_LINES {
            let (mine, theirs) = (self.line(line), other.line(line));
            conflict |= mine.conflicts(theirs);
            self.set_line(line, mine.sum(theirs));
        }
        conflict != 0
    }
}

/// What blocks did to a page.
#[derive(Debug, Clone)]
pub(super) enum Touched {
    /// The same to all its lines: so it ends where blocks go over a whole buffer, which needs little memory then.
    Alike(LineSets),
    Each(Box<PageSets>),
}

impl Default for Touched {
    fn default() -> Self {
        Self::Alike(LineSets::default())
    }
}

impl Touched {
    /// Adds what a block did to the lines of a mask. True when it conflicts.
    pub(super) fn add_lines(&mut self, lines: u32, sets: impl Fn(usize) -> LineSets) -> bool {
        if let Self::Alike(sum) = self {
            let first = sets(lines.trailing_zeros() as usize % PAGE_LINES);
            if lines == u32::MAX && (1..PAGE_LINES).all(|line| sets(line) == first) {
                return sum.add_sets(first);
            }
            *self = Self::Each(Box::new(PageSets::alike(*sum)));
        }
        let Self::Each(each) = self else { return false };
        let mut conflict = 0;
        for line in lanes_of(lines) {
            let (sum, new) = (each.line(line as usize), sets(line as usize));
            conflict |= sum.conflicts(new);
            each.set_line(line as usize, sum.sum(new));
        }
        if let Some(alike) = each.all_alike() {
            *self = Self::Alike(alike);
        }
        conflict != 0
    }

    /// Adds what other blocks did. True when they conflict.
    pub(super) fn add(&mut self, other: Self) -> bool {
        let (each, other) = match (&mut *self, other) {
            (Self::Alike(sum), Self::Alike(sets)) => return sum.add_sets(sets),
            (Self::Alike(nothing), other) if *nothing == LineSets::default() => {
                *self = other;
                return false;
            }
            // Which of the two is added to the other makes no difference.
            (Self::Alike(sets), Self::Each(mut each)) => {
                let conflict = each.add(&PageSets::alike(*sets));
                *self = Self::Each(each);
                return conflict;
            }
            (Self::Each(each), other) => (each, other),
        };
        let conflict = match other {
            Self::Alike(sets) => each.add(&PageSets::alike(sets)),
            Self::Each(other) => each.add(&other),
        };
        if let Some(alike) = each.all_alike() {
            *self = Self::Alike(alike);
        }
        conflict
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What blocks do: which lines, the same to each one or not, and in which way.
    fn page() -> impl Strategy<Value = (u32, bool, LineSets)> {
        let bits = || prop_oneof![3 => Just(0), 1 => Just(u32::MAX), 1 => (0..32u32).prop_map(|bit| 1 << bit)];
        let sets = (bits(), bits(), bits()).prop_map(|(written, read, updated)| LineSets { written, read, updated });
        (prop_oneof![Just(u32::MAX), any::<u32>()], any::<bool>(), sets)
    }

    proptest! {
        /// Blocks in two groups, added block by block and then group by group, against lines that are looked at alone.
        #[test]
        fn pages_add_up(blocks in proptest::collection::vec(page(), 1..8), split in 0..8usize) {
            let sets = |&(_, alike, sets): &(u32, bool, LineSets), line: usize| {
                if alike || line.is_multiple_of(3) { sets } else { LineSets::default() }
            };
            let mut groups = [Touched::default(), Touched::default()];
            let mut lines = [[LineSets::default(); PAGE_LINES]; 2];
            let (mut conflict, mut expected) = (false, false);
            for (at, block) in blocks.iter().enumerate() {
                let group = usize::from(at >= split);
                conflict |= groups[group].add_lines(block.0, |line| sets(block, line));
                for line in lanes_of(block.0).map(|line| line as usize) {
                    expected |= lines[group][line].add_sets(sets(block, line));
                }
            }
            let [mut all, later] = groups;
            conflict |= all.add(later);
            let [mut first, second] = lines;
            first.iter_mut().zip(second).for_each(|(sum, sets)| expected |= sum.add_sets(sets));
            prop_assert_eq!(conflict, expected);
            let each = match all {
                Touched::Alike(sets) => PageSets::alike(sets),
                Touched::Each(each) => *each,
            };
            for (line, &sets) in first.iter().enumerate() {
                prop_assert_eq!(each.line(line), sets);
            }
        }
    }
}
