//! Memories and what an access costs in them.

pub mod banks;
pub mod global;
pub mod half_warp;
pub mod heap;
pub(crate) mod kept;
pub mod location;
pub mod locks;
pub(crate) mod rows;
pub mod rules;
pub mod sectors;
pub mod split;
pub mod wide_banks;
