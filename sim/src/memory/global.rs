//! Global memory: the launch's buffers and the module's variables.
//!
//! Thread blocks run on several threads of the CPU and share this memory, so its words are atomics with relaxed order:
//! on the CPU that costs no more than plain memory, and a kernel with a race stays a well-defined Rust program. Pages
//! come into being when they are first touched: memory use follows the data that a kernel touches, not the size of
//! its buffers.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::rows;

/// Words of a page: 64 KiB.
const PAGE_WORDS: usize = 1 << 14;
const PAGE_BYTES: u64 = PAGE_WORDS as u64 * 4;

/// Address of the first argument buffer.
pub const BUFFERS_BASE: u64 = 0x0100_0000_0000;
/// Distance between the beginnings of two buffers: the largest size of one, and a gap that no stray index crosses.
pub const BUFFER_STRIDE: u64 = 1 << 40;

use super::heap::{HEAP_BASE, HEAP_BYTES, Heap};

type Page = Box<[AtomicU32]>;

#[cold]
fn new_page() -> Page {
    std::iter::repeat_with(|| AtomicU32::new(0)).take(PAGE_WORDS).collect()
}

/// A buffer that lanes can address.
#[derive(Debug)]
pub struct Allocation {
    /// First address.
    pub base: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// What a message calls it, for example `argument 1`.
    pub name: String,
    /// Nobody has written it before the launch.
    pub uninitialized: bool,
    pages: Box<[OnceLock<Page>]>,
}

impl Allocation {
    pub(super) fn new(base: u64, bytes: u64, name: String) -> Self {
        let pages = (0..bytes.div_ceil(PAGE_BYTES)).map(|_| OnceLock::new()).collect();
        Self { base, bytes, name, uninitialized: false, pages }
    }

    #[inline(always)]
    fn page(&self, offset: u64) -> &[AtomicU32] {
        self.pages[(offset / PAGE_BYTES) as usize].get_or_init(new_page)
    }

    #[inline(always)]
    fn word(&self, offset: u64) -> &AtomicU32 {
        &self.page(offset)[(offset % PAGE_BYTES / 4) as usize]
    }

    /// Fills the buffer's beginning.
    fn write(&self, content: &[u8]) {
        for (index, chunk) in content.chunks(PAGE_BYTES as usize).enumerate() {
            if chunk.iter().all(|&byte| byte == 0) {
                continue; // a fresh page is zero anyway
            }
            let page = self.page(index as u64 * PAGE_BYTES);
            let (words, rest) = chunk.as_chunks::<4>();
            for (to, &from) in page.iter().zip(words) {
                to.store(u32::from_le_bytes(from), Relaxed);
            }
            if !rest.is_empty() {
                let mut last = [0; 4];
                last[..rest.len()].copy_from_slice(rest);
                page[words.len()].store(u32::from_le_bytes(last), Relaxed);
            }
        }
    }

    /// The buffer's content.
    pub fn to_vec(&self) -> Vec<u8> {
        // Zeroed memory costs nothing until it is written, so the pages that nobody touched stay free here too.
        let mut bytes = vec![0; self.bytes as usize];
        for (chunk, page) in bytes.chunks_mut(PAGE_BYTES as usize).zip(&self.pages) {
            let Some(page) = page.get() else { continue };
            let (words, rest) = chunk.as_chunks_mut::<4>();
            for (to, from) in words.iter_mut().zip(page) {
                *to = from.load(Relaxed).to_le_bytes();
            }
            if !rest.is_empty() {
                let last = page[words.len()].load(Relaxed).to_le_bytes();
                rest.copy_from_slice(&last[..rest.len()]);
            }
        }
        bytes
    }

    /// Reads up to eight bytes, which must lie inside and be naturally aligned.
    #[inline(always)]
    pub fn load(&self, offset: u64, bytes: u32) -> u64 {
        let low = self.word(offset).load(Relaxed);
        match bytes {
            4 => u64::from(low),
            8 => u64::from(low) | u64::from(self.word(offset + 4).load(Relaxed)) << 32,
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
        self.word(offset).fetch_add(value, Relaxed)
    }

    /// `N` consecutive words, if they lie inside and in one page.
    #[inline(always)]
    fn words<const N: usize>(&self, offset: u64) -> Option<&[AtomicU32; N]> {
        let first = (offset % PAGE_BYTES / 4) as usize;
        let bytes = 4 * N as u64;
        if !offset.is_multiple_of(4) || offset + bytes > self.bytes || first + N > PAGE_WORDS {
            return None;
        }
        self.page(offset)[first..].first_chunk()
    }

    /// `N` consecutive words, if they lie inside and in one page.
    #[inline(always)]
    pub fn load_words<const N: usize>(&self, offset: u64) -> Option<[u32; N]> {
        let words = self.words::<N>(offset)?;
        let mut row = [0; N];
        for (value, word) in row.iter_mut().zip(words) {
            *value = word.load(Relaxed);
        }
        Some(row)
    }

    /// Copies `from` to consecutive words. False when they do not lie inside and in one page.
    #[inline(always)]
    pub fn store_words<const N: usize>(&self, offset: u64, from: &[u32; N]) -> bool {
        let Some(words) = self.words::<N>(offset) else { return false };
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
pub struct GlobalMemory {
    /// Argument buffers: buffer `i` begins at `BUFFERS_BASE + i * BUFFER_STRIDE`.
    buffers: Vec<Allocation>,
    /// Module variables, in order of address.
    variables: Vec<Allocation>,
    /// What `malloc` gives.
    heap: Heap,
}

impl GlobalMemory {
    /// Adds an argument buffer and returns its address.
    pub fn add_buffer(&mut self, bytes: u64, content: &[u8], name: String) -> u64 {
        let base = BUFFERS_BASE + self.buffers.len() as u64 * BUFFER_STRIDE;
        let allocation = Allocation::new(base, bytes, name);
        allocation.write(content);
        self.buffers.push(allocation);
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
    pub fn variables(&self) -> &[Allocation] {
        &self.variables
    }

    /// Adds a module variable at its address; variables are added in order of address.
    pub fn add_variable(&mut self, base: u64, bytes: u64, content: &[u8], name: String) {
        let allocation = Allocation::new(base, bytes, name);
        allocation.write(content);
        self.variables.push(allocation);
    }

    /// The argument buffers, in the order in which they were added.
    pub fn buffers(&self) -> &[Allocation] {
        &self.buffers
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
        self.each(addresses, lanes, 4, |lane, allocation, offset| to[lane] = allocation.word(offset).load(Relaxed))
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
        mut access: impl FnMut(usize, &Allocation, u64),
    ) -> u32 {
        let mut outside = 0;
        // All lanes are in one buffer, nearly always.
        let mut last: Option<&Allocation> = None;
        rows::each_lane(lanes, |lane| {
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
    pub fn find(&self, address: u64, bytes: u32) -> Option<&Allocation> {
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

    /// Where an address outside every allocation lies: the nearest allocation and what to say of the distance.
    pub fn describe(&self, address: u64) -> String {
        if (HEAP_BASE..HEAP_BASE + HEAP_BYTES).contains(&address) {
            return self.heap.describe(address);
        }
        let all = self.buffers.iter().chain(&self.variables);
        let nearest = all.min_by_key(|allocation| {
            let end = allocation.base + allocation.bytes;
            if address < allocation.base { allocation.base - address } else { address.saturating_sub(end) }
        });
        match nearest {
            Some(near) if address >= near.base => {
                let behind = address - (near.base + near.bytes).min(address);
                let size = near.bytes;
                if behind < BUFFER_STRIDE / 2 {
                    return format!("{behind} bytes behind the end of {} ({size} bytes)", near.name);
                }
                format!("address {address:#x}, in no buffer")
            }
            Some(near) if near.base - address < BUFFER_STRIDE / 2 => {
                format!("{} bytes before the beginning of {}", near.base - address, near.name)
            }
            _ if address < 4096 => format!("address {address:#x}: a null pointer"),
            _ => format!("address {address:#x}, in no buffer"),
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
        assert_eq!(buffer.to_vec()[..8], [1, 2, 3, 0xff, 0xcd, 0xab, 8, 8]);
        assert!(memory.find(base + 16, 4).is_some());
        assert!(memory.find(base + 17, 4).is_none());
        assert!(memory.find(base.wrapping_sub(1), 1).is_none());
        assert_eq!(memory.describe(base + 24), "4 bytes behind the end of argument 0 (20 bytes)");
        assert_eq!(memory.describe(base - 4), "4 bytes before the beginning of argument 0");
    }
}
