//! A buffer of global memory: pages of words that several threads of the CPU share.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use super::kept::KeptPages;
use crate::launch::Coverage;

/// Words of a page: 64 KiB.
const PAGE_WORDS: usize = 1 << 14;
const PAGE_BYTES: u64 = PAGE_WORDS as u64 * 4;

type Page = Box<[AtomicU32]>;

/// What a buffer holds when a launch has ended; `None` if nothing was written to it.
pub(crate) type Written = Option<Vec<u8>>;

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
    pub(super) fn load_word(&self, offset: u64) -> u32 {
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
    pub(super) fn holds(&self, address: u64, bytes: u32) -> bool {
        self.bytes.checked_sub(u64::from(bytes)).is_some_and(|last| address.wrapping_sub(self.base) <= last)
    }
}
