//! Memories and what an access costs in them.

pub mod banks;
pub mod global;
pub mod heap;
pub mod sectors;
