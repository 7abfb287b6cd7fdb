//! Which bytes of a buffer somebody has written.

use std::collections::BTreeMap;

/// Bytes of a page of global memory.
pub(crate) const PAGE_BYTES: u64 = 4096;
/// Words of 64 bits, one bit for each byte of a page.
pub(crate) const PAGE_WORDS: usize = 64;

/// A bit for each byte of a page.
pub(crate) type Bits = Box<[u64; PAGE_WORDS]>;

/// Which bytes of a buffer were written by the end of a launch, where it was not all: what the next launch begins with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    /// By page of the buffer; nothing for one of which every byte was written. Nobody has written the other pages.
    pub pages: BTreeMap<u64, Option<Bits>>,
}
