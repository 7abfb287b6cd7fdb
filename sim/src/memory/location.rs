//! Where an address lies that is in no allocation.

use std::fmt;

/// What lies near an address of global memory that no allocation holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// An allocation that ends before it.
    Behind {
        /// Bytes from its end to the address.
        bytes: u64,
        /// What messages call it.
        name: String,
        /// Its size in bytes.
        size: u64,
    },
    /// An allocation that begins behind it.
    Before {
        /// Bytes from the address to its beginning.
        bytes: u64,
        /// What messages call it.
        name: String,
    },
    /// A block of the device heap that ends before it.
    BehindBlock {
        /// Bytes from its end to the address.
        bytes: u64,
        /// Its size in bytes.
        size: u64,
    },
    /// No block of the device heap, in which this address lies.
    Heap(u64),
    /// Nothing: this address is that of a null pointer, or near one.
    Null(u64),
    /// Nothing.
    Nowhere(u64),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Behind { bytes, name, size } => write!(f, "{bytes} bytes behind the end of {name} ({size} bytes)"),
            Self::Before { bytes, name } => write!(f, "{bytes} bytes before the beginning of {name}"),
            Self::BehindBlock { bytes, size } => {
                write!(f, "{bytes} bytes behind the end of a block of {size} bytes from malloc")
            }
            Self::Heap(address) => {
                write!(
                    f,
                    "address {address:#x} of the device heap, where no block is: it was freed, or never allocated"
                )
            }
            Self::Null(address) => write!(f, "address {address:#x}: a null pointer"),
            Self::Nowhere(address) => write!(f, "address {address:#x}, in no buffer"),
        }
    }
}
