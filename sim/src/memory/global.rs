//! Global memory: the launch's buffers and the module's variables.
//!
//! Thread blocks run on several threads of the CPU and share this memory, so its words are atomics with relaxed order:
//! on the CPU that costs no more than plain memory, and a kernel with a race stays a well-defined Rust program. Pages
//! come into being when they are first written; until then a read sees what the launch put there, where it lies. So
//! memory use follows the data that a kernel writes, not the size of its buffers, and an input is never copied.

use std::sync::Arc;

use super::allocation::{Allocation, Written};
use super::heap::{HEAP_BASE, HEAP_BYTES, Heap};
use super::location::Location;
use super::rows::each_lane;
use crate::ir::layout::{BUFFER_STRIDE, BUFFERS_BASE};
use crate::launch::Content;

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
