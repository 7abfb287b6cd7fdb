//! The events of a running kernel, and the trait of those who observe them.
//!
//! The executor and the scheduler raise events; they know nothing of who listens. An [`Observer`] counts, checks or
//! writes down, and changes nothing. Which one takes part is decided when Rust compiles. Anybody can write one:
//! [`run_observed`](crate::run_observed) runs a launch with it.

mod access;
mod launch_info;
mod observer;
mod sync;

pub use crate::memory::banks::SharedUnit;
pub use access::{AccessEvent, AccessKind, MemoryEvent, MemoryKind};
pub use launch_info::LaunchInfo;
pub use observer::Observer;
pub use sync::SyncEvent;
