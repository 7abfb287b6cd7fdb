//! The shadow of a memory: dense for shared memory, by pages as touched for global memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::shadow::{LINE, Line, Record, Word};
use crate::observe::lanes_of;

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

#[derive(Debug)]
struct Page {
    number: u64,
    /// The lines that were looked up, one bit each.
    used: u32,
    lines: [Line; PAGE_LINES],
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

    /// What was accessed in every page. `atomics_race`: count atomic updates as writes.
    pub(super) fn touched(&self, granule: u32, atomics_race: bool) -> impl Iterator<Item = (u64, Touched)> {
        self.pages[..self.used].iter().map(move |page| {
            let sets = |line: u32| LineSets::of(&page.lines[line as usize], granule, atomics_race);
            let mut lines = lanes_of(page.used);
            let first = lines.next().map_or(LineSets::default(), sets);
            if page.used == u32::MAX && lines.clone().all(|line| sets(line) == first) {
                return (page.number, Touched::Alike(first));
            }
            let mut each = Box::new([LineSets::default(); PAGE_LINES]);
            lanes_of(page.used).for_each(|line| each[line as usize] = sets(line));
            (page.number, Touched::Each(each))
        })
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
        let conflict = self.conflict(other);
        self.written |= other.written;
        self.read |= other.read;
        self.updated |= other.updated;
        conflict
    }

    /// Whether an access of one to a word conflicts with one of the other. Atomics do not conflict with each other.
    fn conflict(self, other: Self) -> bool {
        let all = |sets: Self| sets.written | sets.read | sets.updated;
        self.written & all(other) | all(self) & other.written | self.updated & other.read | self.read & other.updated
            != 0
    }
}

/// What blocks did to a page.
#[derive(Debug, Clone)]
pub(super) enum Touched {
    /// The same to all its lines: so it ends where blocks go over a whole buffer, which needs little memory then.
    Alike(LineSets),
    Each(Box<[LineSets; PAGE_LINES]>),
}

impl Default for Touched {
    fn default() -> Self {
        Self::Alike(LineSets::default())
    }
}

impl Touched {
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
                let conflict = each.iter_mut().fold(false, |conflict, line| conflict | line.add_sets(*sets));
                *self = Self::Each(each);
                return conflict;
            }
            (Self::Each(each), other) => (each, other),
        };
        let mut conflict = false;
        for (line, sum) in each.iter_mut().enumerate() {
            conflict |= sum.add_sets(match &other {
                Self::Alike(sets) => *sets,
                Self::Each(others) => others[line],
            });
        }
        if each.iter().all(|&sets| sets == each[0]) {
            *self = Self::Alike(each[0]);
        }
        conflict
    }
}
