//! What global memory held at some time, to be put back.

use std::sync::Arc;

use super::allocation::Allocation;
use super::global::GlobalMemory;
use super::heap::KeptHeap;

/// Words of a page.
pub(super) type KeptPage = Arc<[u32]>;

/// The pages of an allocation that were written, by number in order.
pub(super) type KeptPages = Vec<(u32, KeptPage)>;

/// What global memory held at some time: the pages that were written. Equal pages of two times are there once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    buffers: Vec<KeptPages>,
    variables: Vec<KeptPages>,
    heap: Option<KeptHeap>,
}

impl Kept {
    /// Bytes of the pages that `before` does not have.
    pub(crate) fn bytes(&self, before: Option<&Self>) -> usize {
        let pages = |kept: &Self| {
            let heap = kept.heap.as_ref().map(|heap| &heap.pages);
            let all = kept.buffers.iter().chain(&kept.variables).chain(heap).flatten();
            all.map(|(_, page)| (Arc::as_ptr(page).cast::<u32>(), size_of_val(&**page))).collect::<Vec<_>>()
        };
        let known: std::collections::BTreeSet<_> =
            before.map(pages).unwrap_or_default().into_iter().map(|(address, _)| address).collect();
        pages(self).into_iter().filter(|(address, _)| !known.contains(address)).map(|(_, bytes)| bytes).sum()
    }
}

/// The pages of some allocations. `before` has those of the same ones.
fn keep(allocations: &[Allocation<'_>], before: Option<&Vec<KeptPages>>) -> Vec<KeptPages> {
    let one = |(at, allocation): (usize, &Allocation<'_>)| allocation.keep(before.and_then(|before| before.get(at)));
    allocations.iter().enumerate().map(one).collect()
}

impl GlobalMemory<'_> {
    /// What it holds. Pages that are as they were `before` are shared.
    pub(crate) fn keep(&self, before: Option<&Kept>) -> Kept {
        Kept {
            buffers: keep(self.buffers(), before.map(|before| &before.buffers)),
            variables: keep(self.variables(), before.map(|before| &before.variables)),
            heap: self.heap().keep(before.and_then(|before| before.heap.as_ref())),
        }
    }

    /// Puts back what the memory of the same launch held. Nothing may have been written to this one.
    pub(crate) fn restore(&self, kept: &Kept) {
        let allocations = self.buffers().iter().zip(&kept.buffers).chain(self.variables().iter().zip(&kept.variables));
        allocations.for_each(|(allocation, pages)| allocation.restore(pages));
        if let Some(heap) = &kept.heap {
            self.heap().restore(heap);
        }
    }
}
