//! Global memory: the launch's buffers and the module's variables.
//!
//! Thread blocks run on several threads of the CPU and share this memory, so its words are atomics with relaxed order:
//! on the CPU that costs no more than plain memory, and a kernel with a race stays a well-defined Rust program. Pages
//! come into being when they are first written; until then a read sees what the launch put there, where it lies. So
//! memory use follows the data that a kernel writes, not the size of its buffers, and an input is never copied.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use super::heap::{HEAP_BASE, HEAP_BYTES, Heap};
use super::kept::KeptPages;
use super::location::Location;
use super::rows::each_lane;
use crate::ir::layout::{BUFFER_STRIDE, BUFFERS_BASE};
use crate::launch::{Content, Coverage};

/// Words of a page: 64 KiB.
const PAGE_WORDS: usize = 1 << 14;
const PAGE_BYTES: u64 = PAGE_WORDS as u64 * 4;

type Page = Box<[AtomicU32]>;

/// What a buffer holds when a launch has ended; `None` if nothing was written to it.
pub type Written = Option<Vec<u8>>;

/// A buffer that lanes can address.
#[derive(Debug)]
pub struct Allocation<'a> {
    /// First address.
    pub base: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// What a message calls it, for example `argument 1`.
    pub name: String,
    /// Nobody has written it before the launch.
    pub uninitialized: bool,
    /// What of it was written before the launch, if that was something and not all.
    pub(crate) before: Option<Arc<Coverage>>,
    /// What pages hold that nobody has written yet: the buffer's first bytes. The others are zero.
    content: Cow<'a, [u8]>,
    pages: Box<[OnceLock<Page>]>,
    /// Only one thread of the CPU is here, so no two of them can meet in a word.
    alone: bool,
}

impl<'a> Allocation<'a> {
    pub(super) fn new(base: u64, bytes: u64, content: Cow<'a, [u8]>, name: String) -> Self {
        let pages = (0..bytes.div_ceil(PAGE_BYTES)).map(|_| OnceLock::new()).collect();
        let alone = rayon::current_num_threads() == 1;
        Self { base, bytes, name, uninitialized: false, before: None, content, pages, alone }
    }

    /// The page that an offset lies in, if something was written there.
    #[inline(always)]
    fn written(&self, offset: u64) -> Option<&Page> {
        self.pages[(offset / PAGE_BYTES) as usize].get()
    }

    /// The page that an offset lies in, to be written.
    #[inline(always)]
    fn page(&self, offset: u64) -> &Page {
        self.pages[(offset / PAGE_BYTES) as usize].get_or_init(|| self.new_page(offset / PAGE_BYTES))
    }

    #[cold]
    fn new_page(&self, number: u64) -> Page {
        let first = number * PAGE_BYTES;
        let bytes = (self.bytes - first).min(PAGE_BYTES);
        let (words, rest) = self.initial(first, bytes).as_chunks::<4>();
        let mut page = Vec::with_capacity(bytes.div_ceil(4) as usize);
        page.extend(words.iter().map(|&word| AtomicU32::new(u32::from_le_bytes(word))));
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            page.push(AtomicU32::new(u32::from_le_bytes(last)));
        }
        page.extend((page.len()..bytes.div_ceil(4) as usize).map(|_| AtomicU32::new(0)));
        page.into_boxed_slice()
    }

    /// What the launch put at an offset: as many of these bytes as it gave, the rest is zero.
    #[inline(always)]
    fn initial(&self, offset: u64, bytes: u64) -> &[u8] {
        let length = self.content.len() as u64;
        &self.content[offset.min(length) as usize..(offset + bytes).min(length) as usize]
    }

    #[inline(always)]
    fn word(&self, offset: u64) -> &AtomicU32 {
        &self.page(offset)[(offset % PAGE_BYTES / 4) as usize]
    }

    /// The aligned word that holds an offset.
    #[inline(always)]
    fn load_word(&self, offset: u64) -> u32 {
        if let Some(page) = self.written(offset) {
            return page[(offset % PAGE_BYTES / 4) as usize].load(Relaxed);
        }
        let (words, rest) = self.content.as_chunks::<4>();
        match words.get((offset / 4) as usize) {
            Some(&word) => u32::from_le_bytes(word),
            None if offset / 4 == words.len() as u64 => {
                let mut word = [0; 4];
                word[..rest.len()].copy_from_slice(rest);
                u32::from_le_bytes(word)
            }
            None => 0,
        }
    }

    /// The pages that were written. Those that are as they were `before` are shared.
    pub(super) fn keep(&self, before: Option<&KeptPages>) -> KeptPages {
        let mut before = before.into_iter().flatten().peekable();
        let mut kept = KeptPages::new();
        for (number, page) in (0..).zip(&self.pages) {
            let Some(page) = page.get() else { continue };
            // A page that was written once stays one.
            let known = before.next_if(|(own, _)| *own == number);
            let words = || page.iter().map(|word| word.load(Relaxed));
            kept.push(match known {
                Some((_, known)) if known.iter().copied().eq(words()) => (number, Arc::clone(known)),
                _ => (number, words().collect()),
            });
        }
        kept
    }

    /// Puts pages back that were written. Nothing may have been written here.
    pub(super) fn restore(&self, pages: &KeptPages) {
        for (number, page) in pages {
            if let Some(own) = self.pages.get(*number as usize) {
                own.get_or_init(|| page.iter().copied().map(AtomicU32::new).collect());
            }
        }
    }

    /// The buffer's content; `None` if nothing was written to it. `whole`, or up to the last page that was written.
    pub fn into_written(self, whole: bool) -> Written {
        let Self { bytes, content, mut pages, .. } = self;
        let last = pages.iter().rposition(|page| page.get().is_some())?;
        let (mut pages, mut bytes) = (std::mem::take(&mut pages).into_vec(), bytes);
        if !whole {
            pages.truncate(last + 1);
            bytes = bytes.min((last as u64 + 1) * PAGE_BYTES);
        }
        let mut result = Vec::with_capacity(bytes as usize);
        let mut copy = [0; PAGE_BYTES as usize];
        for (number, page) in pages.into_iter().enumerate() {
            let first = number * PAGE_BYTES as usize;
            let end = (first + PAGE_BYTES as usize).min(bytes as usize);
            match page.into_inner() {
                Some(page) => {
                    let (words, _) = copy.as_chunks_mut::<4>();
                    for (to, from) in words.iter_mut().zip(page) {
                        *to = from.into_inner().to_le_bytes();
                    }
                    result.extend_from_slice(&copy[..end - first]);
                }
                None => {
                    result.extend_from_slice(&content[first.min(content.len())..end.min(content.len())]);
                    result.resize(end, 0);
                }
            }
        }
        Some(result)
    }

    /// Reads up to eight bytes, which must lie inside and be naturally aligned.
    #[inline(always)]
    pub fn load(&self, offset: u64, bytes: u32) -> u64 {
        let low = self.load_word(offset);
        match bytes {
            4 => u64::from(low),
            8 => u64::from(low) | u64::from(self.load_word(offset + 4)) << 32,
            _ => u64::from(low >> (offset % 4 * 8)) & ((1 << (bytes * 8)) - 1),
        }
    }

    /// Writes up to eight bytes, which must lie inside and be naturally aligned.
    #[inline(always)]
    pub fn store(&self, offset: u64, bytes: u32, value: u64) {
        match bytes {
            4 => self.word(offset).store(value as u32, Relaxed),
            8 => {
                self.word(offset).store(value as u32, Relaxed);
                self.word(offset + 4).store((value >> 32) as u32, Relaxed);
            }
            _ => {
                // The word's other bytes may belong to another thread of the CPU.
                let shift = offset % 4 * 8;
                let mask = ((1u64 << (bytes * 8)) - 1) << shift;
                let part = (value << shift) & mask;
                let _ = self
                    .word(offset)
                    .fetch_update(Relaxed, Relaxed, |old| Some(((u64::from(old) & !mask) | part) as u32));
            }
        }
    }

    /// Replaces up to eight bytes by `change` of them; returns the old value. One step for a value of up to 32 bits;
    /// callers give 64-bit atomics to one CPU thread only.
    pub fn update(&self, offset: u64, bytes: u32, mut change: impl FnMut(u64) -> u64) -> u64 {
        if bytes == 8 {
            let old = self.load(offset, 8);
            self.store(offset, 8, change(old));
            return old;
        }
        let shift = offset % 4 * 8;
        let mask = ((1u64 << (bytes * 8)) - 1) << shift;
        let update = self.word(offset).fetch_update(Relaxed, Relaxed, |word| {
            let old = (u64::from(word) & mask) >> shift;
            Some(((u64::from(word) & !mask) | ((change(old) << shift) & mask)) as u32)
        });
        let (Ok(old) | Err(old)) = update;
        (u64::from(old) & mask) >> shift
    }

    /// Adds to an aligned word; returns the old value.
    #[inline(always)]
    pub fn add(&self, offset: u64, value: u32) -> u32 {
        let word = self.word(offset);
        if self.alone {
            let old = word.load(Relaxed);
            word.store(old.wrapping_add(value), Relaxed);
            return old;
        }
        word.fetch_add(value, Relaxed)
    }

    /// Whether `N` words from an offset on lie inside and in one page.
    #[inline(always)]
    fn in_one_page<const N: usize>(&self, offset: u64) -> bool {
        let bytes = 4 * N as u64;
        offset.is_multiple_of(4) && offset + bytes <= self.bytes && offset % PAGE_BYTES + bytes <= PAGE_BYTES
    }

    /// `N` consecutive words, if they lie inside and in one page.
    #[inline(always)]
    pub fn load_words<const N: usize>(&self, offset: u64) -> Option<[u32; N]> {
        let mut row = [0; N];
        self.load_row(offset, &mut row).then_some(row)
    }

    /// Copies consecutive words to `row`. False, and nothing done, when they do not lie inside and in one page.
    #[inline(always)]
    pub fn load_row<const N: usize>(&self, offset: u64, row: &mut [u32; N]) -> bool {
        if !self.in_one_page::<N>(offset) {
            return false;
        }
        if let Some(page) = self.written(offset) {
            let words = page[(offset % PAGE_BYTES / 4) as usize..].first_chunk::<N>();
            let Some(words) = words else { return false };
            for (value, word) in row.iter_mut().zip(words) {
                *value = word.load(Relaxed);
            }
            return true;
        }
        let bytes = self.initial(offset, 4 * N as u64);
        match bytes.as_chunks::<4>().0.first_chunk::<N>() {
            Some(words) => {
                for (value, &word) in row.iter_mut().zip(words) {
                    *value = u32::from_le_bytes(word);
                }
            }
            None if bytes.is_empty() => *row = [0; N],
            None => return false,
        }
        true
    }

    /// Copies `from` to consecutive words. False when they do not lie inside and in one page.
    #[inline(always)]
    pub fn store_words<const N: usize>(&self, offset: u64, from: &[u32; N]) -> bool {
        if !self.in_one_page::<N>(offset) {
            return false;
        }
        let words = self.page(offset)[(offset % PAGE_BYTES / 4) as usize..].first_chunk::<N>();
        let Some(words) = words else { return false };
        for (value, word) in from.iter().zip(words) {
            word.store(*value, Relaxed);
        }
        true
    }

    #[inline(always)]
    fn holds(&self, address: u64, bytes: u32) -> bool {
        self.bytes.checked_sub(u64::from(bytes)).is_some_and(|last| address.wrapping_sub(self.base) <= last)
    }
}

/// All allocations of a launch.
#[derive(Debug, Default)]
pub struct GlobalMemory<'a> {
    /// Argument buffers: buffer `i` begins at `BUFFERS_BASE + i * BUFFER_STRIDE`.
    buffers: Vec<Allocation<'a>>,
    /// Module variables, in order of address.
    variables: Vec<Allocation<'a>>,
    /// What `malloc` gives.
    heap: Heap,
}

impl<'a> GlobalMemory<'a> {
    /// Adds an argument buffer and returns its address. `content` is its beginning, the rest is zero.
    pub fn add_buffer(&mut self, bytes: u64, content: &'a [u8], name: String) -> u64 {
        let base = BUFFERS_BASE + self.buffers.len() as u64 * BUFFER_STRIDE;
        self.buffers.push(Allocation::new(base, bytes, content.into(), name));
        base
    }

    /// Adds an argument buffer with a content of which perhaps not everything was written, and returns its address.
    pub(crate) fn add_content(&mut self, bytes: u64, content: &'a Content, name: String) -> u64 {
        let base = self.add_buffer(bytes, content, name);
        if let (Some(buffer), Some(written)) = (self.buffers.last_mut(), content.written()) {
            buffer.uninitialized = true;
            buffer.before = Some(Arc::clone(written));
        }
        base
    }

    /// Adds an argument buffer that nobody has written and returns its address.
    pub fn add_uninitialized(&mut self, bytes: u64, name: String) -> u64 {
        let base = self.add_buffer(bytes, &[], name);
        if let Some(buffer) = self.buffers.last_mut() {
            buffer.uninitialized = true;
        }
        base
    }

    /// The module's variables, in order of address.
    pub fn variables(&self) -> &[Allocation<'a>] {
        &self.variables
    }

    /// Adds a module variable at its address; variables are added in order of address.
    pub fn add_variable(&mut self, base: u64, bytes: u64, content: Vec<u8>, name: String) {
        self.variables.push(Allocation::new(base, bytes, content.into(), name));
    }

    /// The argument buffers, in the order in which they were added.
    pub fn buffers(&self) -> &[Allocation<'a>] {
        &self.buffers
    }

    /// The content of each argument buffer, in the same order, and of each of the module's variables up to the last page
    /// that was written; `None` where nothing was.
    pub fn into_written(self) -> (Vec<Written>, Vec<Written>) {
        let written = |allocations: Vec<Allocation<'a>>, whole| {
            allocations.into_iter().map(|allocation| allocation.into_written(whole)).collect()
        };
        (written(self.buffers, true), written(self.variables, false))
    }

    /// The device heap.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// Reads up to eight bytes for each of `lanes`, naturally aligned. Returns the lanes whose address lies outside.
    #[inline(always)]
    pub fn load_lanes(&self, addresses: &[u64; 32], lanes: u32, bytes: u32, to: &mut [u64; 32]) -> u32 {
        self.each(addresses, lanes, bytes, |lane, allocation, offset| to[lane] = allocation.load(offset, bytes))
    }

    /// Reads a word for each of `lanes`, naturally aligned. Returns the lanes whose address lies outside.
    #[inline(always)]
    pub fn load_words(&self, addresses: &[u64; 32], lanes: u32, to: &mut [u32; 32]) -> u32 {
        self.each(addresses, lanes, 4, |lane, allocation, offset| to[lane] = allocation.load_word(offset))
    }

    /// Writes up to eight bytes for each of `lanes`, naturally aligned. Returns the lanes whose address lies outside.
    #[inline(always)]
    pub fn store_lanes(&self, addresses: &[u64; 32], lanes: u32, bytes: u32, from: &[u64; 32]) -> u32 {
        self.each(addresses, lanes, bytes, |lane, allocation, offset| allocation.store(offset, bytes, from[lane]))
    }

    #[inline(always)]
    fn each(
        &self,
        addresses: &[u64; 32],
        lanes: u32,
        bytes: u32,
        mut access: impl FnMut(usize, &Allocation<'a>, u64),
    ) -> u32 {
        let mut outside = 0;
        // All lanes are in one buffer, nearly always.
        let mut last: Option<&Allocation<'a>> = None;
        each_lane!(lanes, lane => {
            let address = addresses[lane];
            if !last.is_some_and(|allocation| allocation.holds(address, bytes)) {
                last = self.find(address, bytes);
            }
            match last {
                Some(allocation) => access(lane, allocation, address - allocation.base),
                None => outside |= 1 << lane,
            }
        });
        outside
    }

    /// The allocation that holds `bytes` bytes from `address` on.
    #[inline]
    pub fn find(&self, address: u64, bytes: u32) -> Option<&Allocation<'a>> {
        let allocation = if address >= BUFFERS_BASE {
            self.buffers.get(((address - BUFFERS_BASE) / BUFFER_STRIDE) as usize)?
        } else if address >= HEAP_BASE {
            return self.heap.find(address, bytes);
        } else {
            let after = self.variables.partition_point(|variable| variable.base <= address);
            &self.variables[after.checked_sub(1)?]
        };
        let inside = address - allocation.base <= allocation.bytes.checked_sub(u64::from(bytes))?;
        inside.then_some(allocation)
    }

    /// Where an address outside every allocation lies: the nearest allocation and how far away it is.
    pub fn locate(&self, address: u64) -> Location {
        if (HEAP_BASE..HEAP_BASE + HEAP_BYTES).contains(&address) {
            return self.heap.locate(address);
        }
        let all = self.buffers.iter().chain(&self.variables);
        let nearest = all.min_by_key(|allocation| {
            let end = allocation.base + allocation.bytes;
            if address < allocation.base { allocation.base - address } else { address.saturating_sub(end) }
        });
        match nearest {
            Some(near) if address >= near.base => {
                let behind = address - (near.base + near.bytes).min(address);
                if behind < BUFFER_STRIDE / 2 {
                    return Location::Behind { bytes: behind, name: near.name.clone(), size: near.bytes };
                }
                Location::Nowhere(address)
            }
            Some(near) if near.base - address < BUFFER_STRIDE / 2 => {
                Location::Before { bytes: near.base - address, name: near.name.clone() }
            }
            _ if address < 4096 => Location::Null(address),
            _ => Location::Nowhere(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_and_wide_accesses_share_words() {
        let mut memory = GlobalMemory::default();
        let base = memory.add_buffer(20, &[1, 2, 3, 4, 5, 6, 7, 8], "argument 0".to_owned());
        let buffer = memory.find(base, 8).expect("inside");
        assert_eq!(buffer.load(0, 8), 0x0807_0605_0403_0201);
        buffer.store(3, 1, 0xff);
        buffer.store(4, 2, 0xabcd);
        assert_eq!(buffer.load(0, 8), 0x0807_abcd_ff03_0201);
        assert_eq!(buffer.update(6, 2, |old| old + 1), 0x0807);
        assert_eq!(buffer.load(6, 2), 0x0808);
        assert!(memory.find(base + 16, 4).is_some());
        assert!(memory.find(base + 17, 4).is_none());
        assert!(memory.find(base.wrapping_sub(1), 1).is_none());
        assert_eq!(memory.locate(base + 24).to_string(), "4 bytes behind the end of argument 0 (20 bytes)");
        assert_eq!(memory.locate(base - 4).to_string(), "4 bytes before the beginning of argument 0");
        let (buffers, _) = memory.into_written();
        assert_eq!(buffers[0].as_ref().expect("written")[..8], [1, 2, 3, 0xff, 0xcd, 0xab, 8, 8]);
    }
}
