//! Which bytes of a memory somebody has written: dense for shared memory, by pages as touched for global memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::pages::PageMap;
use super::view::Look;
use crate::lanes::lanes_of;
use crate::launch::{Bits, Coverage, PAGE_BYTES, PAGE_WORDS};
use crate::memory::rows::{self, each_lane};

/// The bits of a word of shared memory all of whose bytes were written.
const WHOLE: u8 = 0xf;

/// Shared memory: for each word of four bytes four bits in a byte of their own, so that nothing has to be shifted.
#[derive(Debug, Default)]
pub(super) struct SharedBytes {
    words: Vec<u8>,
    bytes: u64,
}

impl SharedBytes {
    /// A block with this much shared memory begins: nothing was written.
    pub(super) fn clear(&mut self, bytes: u64) {
        self.bytes = bytes;
        self.words.clear();
        self.words.resize(bytes.div_ceil(4) as usize, 0);
    }

    /// Whether the memory has `width` aligned bytes at an address.
    #[inline(always)]
    pub(super) fn holds(&self, address: u64, width: u32) -> bool {
        let aligned = address & u64::from(width.next_power_of_two() - 1) == 0;
        aligned && self.bytes.checked_sub(width.into()).is_some_and(|last| address <= last)
    }

    /// Lanes access `width` bytes each: they read them, and may write them too, or they only write them. False, with
    /// nothing noted, when one reads what nobody has written. Lanes that miss the memory do nothing.
    #[inline(always)]
    pub(super) fn access(
        &mut self,
        addresses: &[u64; 32],
        lanes: u32,
        width: u32,
        reads: bool,
        Look { row, fits }: Look,
    ) -> bool {
        if !fits || width < 4 {
            return self.access_one_by_one(addresses, lanes, width, reads);
        }
        let begin = rows::element(addresses[0], 2);
        if row && let Some(row) = self.words.get_mut(begin..begin + 8 * width as usize) {
            if !reads {
                row.fill(WHOLE);
                return true;
            }
            // What was written before need not be written again.
            return row.iter().fold(WHOLE, |all, &word| all & word) == WHOLE;
        }
        let mut all = WHOLE;
        for part in 0..width / 4 {
            let place = |lane: usize| rows::element(addresses[lane], 2) + part as usize;
            let words = &mut self.words[..];
            if reads {
                each_lane!(lanes, lane => all &= words.get(place(lane)).copied().unwrap_or(WHOLE));
            } else {
                each_lane!(lanes, lane => {
                    if let Some(word) = words.get_mut(place(lane)) {
                        *word = WHOLE;
                    }
                });
            }
        }
        all == WHOLE
    }

    #[inline(never)]
    fn access_one_by_one(&mut self, addresses: &[u64; 32], lanes: u32, width: u32, reads: bool) -> bool {
        let mut all = true;
        for lane in lanes_of(lanes) {
            let address = addresses[lane as usize];
            if !self.holds(address, width) {
                continue;
            }
            if reads {
                all &= self.is_written(address, width);
            } else {
                self.write(address, width);
            }
        }
        all
    }

    /// Whether aligned bytes that the memory has were all written.
    #[inline(always)]
    pub(super) fn is_written(&self, address: u64, bytes: u32) -> bool {
        let at = (address / 4) as usize;
        match bytes {
            4 => self.words[at] == WHOLE,
            1 | 2 => {
                let bits = part_of_word(address, bytes);
                self.words[at] & bits == bits
            }
            _ => self.words[at..at + bytes as usize / 4].iter().all(|&word| word == WHOLE),
        }
    }

    /// Aligned bytes that the memory has are written.
    #[inline(always)]
    pub(super) fn write(&mut self, address: u64, bytes: u32) {
        let at = (address / 4) as usize;
        match bytes {
            4 => self.words[at] = WHOLE,
            1 | 2 => self.words[at] |= part_of_word(address, bytes),
            _ => self.words[at..at + bytes as usize / 4].fill(WHOLE),
        }
    }
}

/// The bits of one or two bytes in their word.
#[inline(always)]
fn part_of_word(address: u64, bytes: u32) -> u8 {
    ((1 << bytes) - 1) << (address % 4)
}

/// A buffer of which it matters what was written.
#[derive(Debug, Clone)]
pub(super) struct Buffer {
    /// Its first address, which begins a page.
    pub(super) base: u64,
    /// Size in bytes.
    pub(super) bytes: u64,
    /// What was written before the launch; nothing if nobody has written anything.
    pub(super) before: Option<Arc<Coverage>>,
}

#[derive(Debug)]
struct Page {
    /// Bytes that nobody has written.
    missing: u32,
    /// Gone when nothing is missing: a kernel that fills a buffer needs little memory for it.
    bits: Option<Bits>,
}

impl Page {
    /// The page of this number as the launch found it.
    #[cold]
    fn before(buffers: &[Buffer], number: u64) -> Self {
        let address = number * PAGE_BYTES;
        let buffer = buffers.iter().find(|buffer| address >= buffer.base && address - buffer.base < buffer.bytes);
        let before = buffer.and_then(|buffer| {
            let page = (address - buffer.base) / PAGE_BYTES;
            buffer.before.as_ref()?.pages.get(&page).cloned()
        });
        let bits = before.unwrap_or_else(|| Some(Box::new([0; PAGE_WORDS])));
        let ones = |bits: &Bits| bits.iter().map(|word| word.count_ones()).sum::<u32>();
        Self { missing: bits.as_ref().map_or(0, |bits| PAGE_BYTES as u32 - ones(bits)), bits }
    }

    #[inline(always)]
    fn is_written(&self, at: usize, bits: u64) -> bool {
        self.bits.as_ref().is_none_or(|words| words[at] & bits == bits)
    }

    #[inline(always)]
    fn write(&mut self, at: usize, bits: u64) {
        if let Some(words) = &mut self.bits {
            self.missing -= (bits & !words[at]).count_ones();
            words[at] |= bits;
            if self.missing == 0 {
                self.bits = None;
            }
        }
    }
}

/// Bytes of global memory.
#[derive(Debug, Default)]
pub(super) struct GlobalBytes {
    buffers: Arc<[Buffer]>,
    index: PageMap<u32>,
    pages: Vec<Page>,
    /// The page that was looked up last.
    last: Option<(u64, u32)>,
}

/// Bytes of global memory that a whole warp can go over at once, or parts of.
pub(super) const LINE_BYTES: u64 = 128;

impl GlobalBytes {
    /// What was written of these buffers.
    pub(super) fn of(buffers: Arc<[Buffer]>) -> Self {
        Self { buffers, ..Self::default() }
    }

    #[inline(always)]
    fn page(&mut self, address: u64) -> (&mut Page, usize) {
        let number = address / PAGE_BYTES;
        let at = match self.last {
            Some((last, at)) if last == number => at,
            _ => *self.index.entry(number).or_insert_with(|| {
                self.pages.push(Page::before(&self.buffers, number));
                self.pages.len() as u32 - 1
            }),
        };
        self.last = Some((number, at));
        (&mut self.pages[at as usize], (address / 64) as usize % PAGE_WORDS)
    }

    /// Whether a line was written completely.
    #[inline(always)]
    pub(super) fn line_is_written(&mut self, address: u64) -> bool {
        let (page, at) = self.page(address);
        page.is_written(at, u64::MAX) && page.is_written(at + 1, u64::MAX)
    }

    /// A line is written completely.
    #[inline(always)]
    pub(super) fn write_line(&mut self, address: u64) {
        let (page, at) = self.page(address);
        page.write(at, u64::MAX);
        page.write(at + 1, u64::MAX);
    }

    /// Whether up to 16 aligned bytes were all written.
    #[inline(always)]
    pub(super) fn is_written(&mut self, address: u64, bytes: u32) -> bool {
        let (page, at) = self.page(address);
        page.is_written(at, bits_of(address, bytes))
    }

    /// Up to 16 aligned bytes are written.
    #[inline(always)]
    pub(super) fn write(&mut self, address: u64, bytes: u32) {
        let (page, at) = self.page(address);
        page.write(at, bits_of(address, bytes));
    }

    /// Adds what others wrote.
    pub(super) fn merge(&mut self, other: Self) {
        for (number, at) in other.index {
            let (page, _) = self.page(number * PAGE_BYTES);
            match &other.pages[at as usize].bits {
                Some(bits) => bits.iter().enumerate().for_each(|(word, &bits)| page.write(word, bits)),
                None => *page = Page { missing: 0, bits: None },
            }
        }
    }

    /// What of a buffer has been written by now; nothing if that is every byte of it.
    pub(super) fn written(&self, base: u64) -> Option<Coverage> {
        let buffer = self.buffers.iter().find(|buffer| buffer.base == base)?;
        let mut pages = buffer.before.as_ref().map_or_else(BTreeMap::new, |before| before.pages.clone());
        let count = buffer.bytes.div_ceil(PAGE_BYTES);
        let first = base / PAGE_BYTES;
        for (&number, &at) in self.index.iter().filter(|&(number, _)| (first..first + count).contains(number)) {
            let page = number - first;
            let rest = (buffer.bytes - page * PAGE_BYTES).min(PAGE_BYTES);
            let whole = |bits: &&Bits| (0..rest).all(|byte| bits[byte as usize / 64] >> (byte % 64) & 1 != 0);
            let bits = self.pages[at as usize].bits.as_ref();
            pages.insert(page, bits.filter(|bits| !whole(bits)).cloned());
        }
        let all = pages.len() as u64 == count && pages.values().all(Option::is_none);
        (!all).then_some(Coverage { pages })
    }
}

#[inline(always)]
fn bits_of(address: u64, bytes: u32) -> u64 {
    ((1 << bytes) - 1) << (address % 64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Of a warp's access: addresses, lanes, binary logarithm of the width, and whether it reads and writes.
    fn access() -> impl Strategy<Value = ([u64; 32], u32, u32, bool, bool)> {
        let addresses = prop_oneof![
            (0..40u64, 0..5u32).prop_map(|(at, step)| std::array::from_fn(|lane| at * 8 + ((lane as u64) << step))),
            proptest::array::uniform32(0..1100u64),
        ];
        let lanes = prop_oneof![Just(u32::MAX), any::<u32>()];
        (addresses, lanes, 0..5u32, any::<bool>(), any::<bool>())
    }

    proptest! {
        #[test]
        fn bytes_are_remembered_as_a_set_of_addresses_would(steps in proptest::collection::vec(access(), 1..30)) {
            const BYTES: u64 = 1030;
            let (mut shared, mut global) = (SharedBytes::default(), GlobalBytes::default());
            shared.clear(BYTES);
            let mut set: BTreeSet<u64> = BTreeSet::new();
            for (addresses, lanes, width, reads, writes) in steps {
                let (width, writes) = (1 << width, writes || !reads);
                let places = || {
                    let ranges = lanes_of(lanes).map(|lane| addresses[lane as usize]);
                    ranges.filter(|at| at % width == 0 && at + width <= BYTES)
                };
                let known = places().all(|at| (at..at + width).all(|byte| set.contains(&byte)));
                prop_assert!(places().all(|at| shared.holds(at, width as u32)));
                for at in places() {
                    let written = (at..at + width).all(|byte| set.contains(&byte));
                    prop_assert_eq!(shared.is_written(at, width as u32), written);
                    prop_assert_eq!(global.is_written(0x10_0000 + at, width as u32), written);
                }
                let width = width as u32;
                let fits = lanes_of(lanes).all(|lane| shared.holds(addresses[lane as usize], width));
                let look = Look { row: lanes == u32::MAX && rows::in_steps(&addresses, width.into()), fits };
                prop_assert_eq!(shared.access(&addresses, lanes, width, reads, look), !reads || known);
                if writes {
                    for at in places() {
                        set.extend(at..at + u64::from(width));
                        shared.write(at, width);
                        global.write(0x10_0000 + at, width);
                    }
                }
                for line in 0..BYTES / LINE_BYTES {
                    let at = line * LINE_BYTES;
                    let written = (at..at + LINE_BYTES).all(|byte| set.contains(&byte));
                    prop_assert_eq!(global.line_is_written(0x10_0000 + at), written);
                }
            }
        }
    }
}
