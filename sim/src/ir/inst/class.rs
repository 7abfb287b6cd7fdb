//! The classes of operations: what an operation is, whatever its operands.
//!
//! Every operation stands in one class, in [`ops`] and nowhere else. Whoever matches over operations names those that it
//! treats and the classes of the others, and has no arm for whatever else there may be: so a new operation does not
//! compile before it has a class, and has that class everywhere.

use super::Op;

/// A pattern for all operations of a class.
macro_rules! ops {
    // Every lane does it for itself, with nothing but its registers.
    (lane_local) => {
        $crate::ir::inst::Op::Nop
            | $crate::ir::inst::Op::Mov32 { .. }
            | $crate::ir::inst::Op::Mov64 { .. }
            | $crate::ir::inst::Op::Int32 { .. }
            | $crate::ir::inst::Op::Mad32 { .. }
            | $crate::ir::inst::Op::Int64 { .. }
            | $crate::ir::inst::Op::Shl64 { .. }
            | $crate::ir::inst::Op::Shr64 { .. }
            | $crate::ir::inst::Op::MulWide { .. }
            | $crate::ir::inst::Op::MadWide { .. }
            | $crate::ir::inst::Op::Widen { .. }
            | $crate::ir::inst::Op::Narrow { .. }
            | $crate::ir::inst::Op::F32 { .. }
            | $crate::ir::inst::Op::Fma32 { .. }
            | $crate::ir::inst::Op::F64 { .. }
            | $crate::ir::inst::Op::Fma64 { .. }
            | $crate::ir::inst::Op::Compare32 { .. }
            | $crate::ir::inst::Op::Compare64 { .. }
            | $crate::ir::inst::Op::Select32 { .. }
            | $crate::ir::inst::Op::Select64 { .. }
            | $crate::ir::inst::Op::PredicateConstant { .. }
            | $crate::ir::inst::Op::PredicateMov { .. }
            | $crate::ir::inst::Op::Predicate { .. }
            | $crate::ir::inst::Op::Lane(_)
            | $crate::ir::inst::Op::Varying(_)
            | $crate::ir::inst::Op::Pack { .. }
            | $crate::ir::inst::Op::Unpack { .. }
    };
    // It asks the machine for something that is in no register, and changes nothing.
    (query) => {
        $crate::ir::inst::Op::ReadSpecial { .. }
            | $crate::ir::inst::Op::ActiveMask { .. }
            | $crate::ir::inst::Op::Convert { .. }
            | $crate::ir::inst::Op::IsSpace { .. }
    };
    // It accesses memory.
    (memory) => {
        $crate::ir::inst::Op::Load(_)
            | $crate::ir::inst::Op::Store(_)
            | $crate::ir::inst::Op::Atomic(_)
            | $crate::ir::inst::Op::Copy(_)
            | $crate::ir::inst::Op::Bulk(_)
    };
    // It orders what threads do.
    (sync) => {
        $crate::ir::inst::Op::Barrier(_)
            | $crate::ir::inst::Op::WarpSync { .. }
            | $crate::ir::inst::Op::Fence
            | $crate::ir::inst::Op::CopyStep
    };
    // Lanes of a warp exchange values.
    (exchange) => {
        $crate::ir::inst::Op::Shuffle { .. }
            | $crate::ir::inst::Op::Vote { .. }
            | $crate::ir::inst::Op::Match { .. }
            | $crate::ir::inst::Op::Redux { .. }
            | $crate::ir::inst::Op::Elect { .. }
            | $crate::ir::inst::Op::Matrix(_)
    };
    // Control goes elsewhere.
    (control) => {
        $crate::ir::inst::Op::Branch { .. } | $crate::ir::inst::Op::Exit
    };
    // It stops the lanes that execute it, with a finding.
    (stop) => {
        $crate::ir::inst::Op::Trap
            | $crate::ir::inst::Op::Breakpoint
            | $crate::ir::inst::Op::Assert { .. }
            | $crate::ir::inst::Op::NoFunction { .. }
            | $crate::ir::inst::Op::StackOverflow
    };
    // It asks the system for something.
    (system) => {
        $crate::ir::inst::Op::Print(_)
            | $crate::ir::inst::Op::Allocate { .. }
            | $crate::ir::inst::Op::Release { .. }
            | $crate::ir::inst::Op::Sleep { .. }
    };
}
pub(crate) use ops;

impl Op {
    /// Whether lanes that execute it wait for others that do.
    #[inline]
    pub const fn waits_for_lanes(&self) -> bool {
        match self {
            Self::Barrier(_) | Self::WarpSync { .. } | ops!(exchange) => true,
            Self::Fence | Self::CopyStep => false,
            ops!(lane_local) | ops!(query) | ops!(memory) | ops!(control) | ops!(stop) | ops!(system) => false,
        }
    }

    /// Whether every lane does it for itself, with nothing but its registers.
    pub const fn is_lane_local(&self) -> bool {
        match self {
            ops!(lane_local) => true,
            ops!(query) | ops!(memory) | ops!(sync) | ops!(exchange) | ops!(control) | ops!(stop) | ops!(system) => {
                false
            }
        }
    }

    /// Whether control may go elsewhere than to the next instruction.
    pub const fn ends_block(&self) -> bool {
        match self {
            ops!(control) | Self::Trap => true,
            // The code behind another stop is part of its block.
            Self::Breakpoint | Self::Assert { .. } | Self::NoFunction { .. } | Self::StackOverflow => false,
            ops!(lane_local) | ops!(query) | ops!(memory) | ops!(sync) | ops!(exchange) | ops!(system) => false,
        }
    }
}
