//! Memories and what an access costs in them.

pub(crate) mod allocation;
pub mod banks;
pub(crate) mod global;
pub(crate) mod half_warp;
pub(crate) mod heap;
pub(crate) mod kept;
pub(crate) mod location;
pub(crate) mod locks;
pub(crate) mod rows;
pub(crate) mod rules;
pub mod sectors;
pub(crate) mod split;
pub(crate) mod wide_banks;
