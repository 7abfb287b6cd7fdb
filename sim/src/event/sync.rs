//! What orders the accesses of lanes, as it is raised.

use crate::ir::inst::Pc;

/// Something that orders what lanes do.
#[derive(Debug)]
pub enum SyncEvent<'a> {
    /// The thread block with this linear index starts.
    Start(u64),
    /// The thread block that runs has come to its end.
    End,
    /// A barrier opens for all threads of the block that are still there.
    Everyone,
    /// A barrier opens for some threads of the block.
    Some {
        /// Number of the barrier.
        id: u32,
        /// The lanes that waited, by warp.
        participants: &'a [u32],
    },
    /// Lanes arrive at a barrier without waiting (`bar.arrive`).
    Arrive {
        /// Number of the barrier.
        id: u32,
        /// Their warp.
        warp: u32,
        /// The lanes.
        lanes: u32,
    },
    /// Lanes of a warp execute `__syncwarp` together.
    Warp {
        /// Their warp.
        warp: u32,
        /// The lanes.
        lanes: u32,
    },
    /// A thread of the block has missed memory, and ends there.
    Fault,
    /// Lanes of a warp execute a fence, or a step of asynchronous copies.
    Fence {
        /// Which instruction.
        pc: Pc,
        /// Their warp.
        warp: u32,
        /// The lanes.
        lanes: u32,
    },
}
