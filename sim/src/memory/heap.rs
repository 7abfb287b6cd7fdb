//! The device heap: what `malloc` and `free` give and take while a kernel runs.
//!
//! As large as CUDA makes it unless told otherwise (`cudaLimitMallocHeapSize`, 8 MiB). Blocks are multiples of 16 bytes,
//! as on the hardware, and a block that was given back is not given out again before the rest of the heap was, so that
//! its use after `free` is found. Kernels with a heap run their thread blocks in turn: addresses do not depend on the
//! number of CPU threads.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::allocation::Allocation;
use super::kept::KeptPages;
use super::location::Location;

/// Address of the heap's first byte: above the module's variables, below the buffers.
pub(crate) const HEAP_BASE: u64 = 0x0080_0000_0000;
/// Bytes of the heap.
pub(crate) const HEAP_BYTES: u64 = 8 << 20;
/// Blocks of the heap are multiples of this many bytes.
const GRAIN: u64 = 16;

/// Blocks by their offset in the heap, with their sizes in bytes.
#[derive(Debug, Clone)]
struct Blocks {
    /// As asked for.
    given: BTreeMap<u64, u64>,
    /// Where blocks began that were freed, and none begins now.
    freed: BTreeSet<u64>,
    /// Free ranges; neighbours are one range.
    free: BTreeMap<u64, u64>,
    /// The search for a free range begins here.
    next: u64,
}

/// What came of taking a block back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// It is free.
    Done,
    /// It was free before.
    Twice,
    /// No block was ever given out at this address.
    NeverGiven,
}

/// What the heap was at some time.
#[derive(Debug, Clone)]
pub(super) struct KeptHeap {
    pub(super) pages: KeptPages,
    blocks: Blocks,
}

/// The device heap.
#[derive(Debug)]
pub struct Heap {
    memory: Allocation<'static>,
    blocks: Mutex<Blocks>,
}

impl Default for Heap {
    fn default() -> Self {
        let blocks =
            Blocks { given: BTreeMap::new(), freed: BTreeSet::new(), free: BTreeMap::from([(0, HEAP_BYTES)]), next: 0 };
        let memory = Allocation::new(HEAP_BASE, HEAP_BYTES, Cow::default(), "the device heap".to_owned());
        Self { memory, blocks: Mutex::new(blocks) }
    }
}

impl Heap {
    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        // No change of the blocks can panic half-way.
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it is; `None` if nobody has asked anything of it. Pages that are as they were `before` are shared.
    pub(super) fn keep(&self, before: Option<&KeptHeap>) -> Option<KeptHeap> {
        let blocks = self.blocks().clone();
        let used = !blocks.given.is_empty() || !blocks.freed.is_empty();
        used.then(|| KeptHeap { pages: self.memory.keep(before.map(|before| &before.pages)), blocks })
    }

    /// Makes a heap that nobody has asked anything of what one was.
    pub(super) fn restore(&self, kept: &KeptHeap) {
        *self.blocks() = kept.blocks.clone();
        self.memory.restore(&kept.pages);
    }

    /// The address of a new block of `bytes` bytes; 0 when there is no room for it.
    pub fn allocate(&self, bytes: u64) -> u64 {
        let Some(size) = bytes.max(1).checked_next_multiple_of(GRAIN).filter(|&size| size <= HEAP_BYTES) else {
            return 0;
        };
        let mut blocks = self.blocks();
        let (free, next) = (&blocks.free, blocks.next);
        let fits = |&(_, &length): &(&u64, &u64)| length >= size;
        let found = free.range(next..).find(fits).or_else(|| free.range(..next).find(fits));
        let Some((offset, length)) = found.map(|(&offset, &length)| (offset, length)) else { return 0 };
        blocks.free.remove(&offset);
        if length > size {
            blocks.free.insert(offset + size, length - size);
        }
        blocks.given.insert(offset, bytes);
        blocks.freed.remove(&offset);
        blocks.next = offset + size;
        HEAP_BASE + offset
    }

    /// Takes back the block at `address`.
    pub fn release(&self, address: u64) -> Release {
        let mut blocks = self.blocks();
        let Some(mut offset) = address.checked_sub(HEAP_BASE) else { return Release::NeverGiven };
        let Some(bytes) = blocks.given.remove(&offset) else {
            return if blocks.freed.contains(&offset) { Release::Twice } else { Release::NeverGiven };
        };
        blocks.freed.insert(offset);
        let mut size = bytes.max(1).next_multiple_of(GRAIN);
        if let Some(behind) = blocks.free.remove(&(offset + size)) {
            size += behind;
        }
        let before = blocks.free.range(..offset).next_back().map(|(&start, &length)| (start, length));
        if let Some((start, length)) = before.filter(|(start, length)| start + length == offset) {
            size += length;
            offset = start;
        }
        blocks.free.insert(offset, size);
        Release::Done
    }

    /// The heap's memory, if one block of it holds `bytes` bytes from `address` on.
    pub fn find(&self, address: u64, bytes: u32) -> Option<&Allocation<'static>> {
        let offset = address.checked_sub(HEAP_BASE)?;
        let blocks = self.blocks();
        let (&start, &size) = blocks.given.range(..=offset).next_back()?;
        (offset - start + u64::from(bytes) <= size).then_some(&self.memory)
    }

    /// Where an address in the heap lies that no block holds.
    pub fn locate(&self, address: u64) -> Location {
        let blocks = self.blocks();
        let offset = address.saturating_sub(HEAP_BASE);
        match blocks.given.range(..=offset).next_back() {
            Some((&start, &size)) if offset - start <= size + 4 * GRAIN => {
                Location::BehindBlock { bytes: (offset - start).saturating_sub(size), size }
            }
            _ => Location::Heap(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_given_taken_back_and_found() {
        let heap = Heap::default();
        let (one, two) = (heap.allocate(40), heap.allocate(0));
        assert_eq!((one, two), (HEAP_BASE, HEAP_BASE + 48), "multiples of 16 bytes, also for nothing");
        assert!(heap.find(one + 36, 4).is_some());
        assert!(heap.find(one + 37, 4).is_none(), "the grain's rest is not part of the block");
        assert_eq!(heap.locate(one + 44).to_string(), "4 bytes behind the end of a block of 40 bytes from malloc");
        assert_eq!(heap.release(one), Release::Done);
        assert_eq!(heap.release(one), Release::Twice);
        assert_eq!(heap.release(two + 16), Release::NeverGiven);
        assert!(heap.find(one, 1).is_none());
        assert_ne!(heap.allocate(40), one, "a block that was freed is given out last");
    }

    #[test]
    fn the_heap_ends_and_its_parts_grow_together_again() {
        let heap = Heap::default();
        assert_eq!(heap.allocate(HEAP_BYTES + 1), 0);
        let blocks: Vec<u64> = (0..HEAP_BYTES / 1024).map(|_| heap.allocate(1024)).collect();
        assert!(blocks.iter().all(|&block| block != 0));
        assert_eq!(heap.allocate(1), 0, "full");
        // In an order that joins ranges on both sides.
        for parity in [0, 1] {
            assert!(blocks.iter().skip(parity).step_by(2).all(|&block| heap.release(block) == Release::Done));
        }
        assert_ne!(heap.allocate(HEAP_BYTES), 0);
    }
}
