//! What is told to clang, and what it says: the one place for command lines, device headers and messages, whoever runs clang.
//!
//! On a learner's machine the crate `cuda` starts clang as a program; in a page of the book clang runs as WebAssembly, without
//! the driver that makes a compiler's command line ([`flags`]). Both read [`headers`], both are told the same things, and both
//! have its words read by [`messages`]. Nothing here reads files, starts programs or knows a machine.

pub mod arch;
pub mod flags;
pub mod headers;
pub mod messages;
pub mod slice;

pub use arch::Arch;

use sha2::{Digest, Sha256};

/// A name for this state of headers and command lines: what is compiled by another is something else.
#[must_use]
pub fn identity() -> String {
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    };
    add(&headers::digest());
    for debug in [false, true] {
        let wanted = flags::Wanted { debug, ..flags::Wanted::default() };
        flags::front_end(&wanted, "", "").iter().for_each(|flag| add(flag));
    }
    add(env!("CARGO_PKG_VERSION"));
    hex(&hash.finalize())
}

/// The first bytes of a digest as text.
fn hex(digest: &[u8]) -> String {
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
