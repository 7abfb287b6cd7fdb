//! The sentences that are made of faults: what happened, and what to do about it.

use super::fault::{Fault, Miss};
use super::faults::Who;
use crate::event::LaunchInfo;
use crate::ir::inst::Space;
use crate::ir::layout::STACK;
use crate::lanes::lanes_text;
use crate::semantics::Division;

impl Fault {
    /// What happened to whom, without the place in the source.
    pub(super) fn sentence(&self, who: &Who, launch: &LaunchInfo<'_>) -> String {
        let thread = || {
            let index = u64::from(who.warp) * 32 + u64::from(who.lanes.trailing_zeros());
            let thread = launch.block.coordinates(index);
            format!("thread ({},{},{})", thread.x, thread.y, thread.z)
        };
        let lanes = || lanes_text(who.lanes);
        match self {
            Self::Misaligned(miss) => {
                let Miss { does, width, .. } = miss;
                let place = place(miss, launch);
                format!("{} {does} {width} bytes at an address that is no multiple of {width}: {place}", thread())
            }
            Self::OutOfBounds(miss) => {
                let Miss { does, width, .. } = miss;
                format!("{} {does} {width} bytes outside every buffer: {}", thread(), place(miss, launch))
            }
            &Self::DivisionByZero { division: Division { remainder, ty }, dividend } => {
                let value = ty.extend(dividend);
                let value = if ty.is_signed() { (value as i64).to_string() } else { value.to_string() };
                let what = if remainder { "remainder" } else { "quotient" };
                format!("{} divides {value} by zero: the {what} is undefined", thread())
            }
            Self::NoFunction { address } => {
                format!("{} calls address {address:#x}, where no function of this kind begins", thread())
            }
            Self::StackOverflow => {
                format!("{} needs more than {} KiB of stack for calls that are not done", thread(), STACK >> 10)
            }
            Self::DoubleFree { address } => format!(
                "{} frees address {address:#x} a second time: the block of the device heap there was freed before (a \
                 double free)",
                thread()
            ),
            Self::NeverAllocated { address } => {
                format!("{} frees address {address:#x}, which `malloc` has never returned", thread())
            }
            Self::Assertion { condition, file, line, function } => format!(
                "the assertion `{condition}` does not hold for {}: {file}, line {line}, in {function}",
                thread()
            ),
            Self::Breakpoint => format!("{} comes to a breakpoint, where a kernel waits for a debugger", thread()),
            Self::Trap => format!("{} executes a trap: it asks for the launch to be aborted", thread()),
            Self::NoSuchBarrier { id, of } => {
                format!("there is no barrier {id}: a block has {of}, numbered from 0")
            }
            Self::PartOfAWarp { id, threads } => {
                format!("barrier {id} is to wait for {threads} threads, which is no multiple of 32")
            }
            &Self::NeverOpens { id, wanted, arrived, here, live, of } => {
                never_opens(id, wanted, arrived, [here, live, of])
            }
            Self::WaitsAtBarrier { id } => {
                format!("threads wait at barrier {id} for threads of their block that wait elsewhere for ever")
            }
            Self::NotInMask { mask } => {
                let verb = if who.lanes.count_ones() == 1 {
                    "executes this instruction but is not"
                } else {
                    "execute this instruction but are not"
                };
                format!("{} of warp {} {verb} in its mask {mask:#010x}", lanes(), who.warp)
            }
            Self::AcrossBranch { mask } => format!(
                "the mask {mask:#010x} names {} of warp {}, on the other side of a branch: this GPU runs one side after the \
                 other, and what those lanes give is undefined",
                lanes(),
                who.warp
            ),
            Self::MissingLanes { mask } => format!(
                "lanes wait for all lanes of mask {mask:#010x} to execute this instruction, and {} never do",
                lanes_text(mask & !who.lanes)
            ),
            Self::WaitsForWord { word, holds, because } => {
                let holds = holds.map_or(String::new(), |value| format!(", which holds {value}"));
                let lanes = lanes();
                format!("{lanes} wait in a loop for {word}{holds}, to change, and no thread changes it: {because}")
            }
            Self::WaitsForPhase { word, phase, because } => {
                let lanes = lanes();
                format!("{lanes} wait at the mbarrier at {word} for {phase}, and no thread arrives any more: {because}")
            }
            Self::EndlessLoop => {
                "this loop never ends: it came back to the state it was in before, and looks at nothing \
                                  that another thread could change"
                    .to_owned()
            }
            Self::Endless { budget } => format!(
                "the thread block executed its budget of {budget} warp-instructions without coming to an end; warp {} was \
                 here last",
                who.warp
            ),
            Self::Idle { instructions, blocks, because } => format!(
                "{instructions} warp-instructions have changed nothing in memory; all {blocks} blocks that run loop or wait, \
                 this one here: {because}"
            ),
        }
    }

    /// What to do about it.
    pub(super) const fn help(&self) -> &'static str {
        match self {
            Self::Misaligned(_) => {
                "an access of 2, 4, 8 or 16 bytes must be aligned to its size: look at casts to wider types; a GPU ends \
                 the launch here"
            }
            Self::OutOfBounds(_) => {
                "check the index against the number of elements before the access; a GPU ends the launch here"
            }
            Self::DivisionByZero { .. } => {
                "test the divisor before the division: C++ leaves it undefined, so that an optimiser may remove what depends \
                 on it, and a GPU goes on with a value that means nothing"
            }
            Self::NoFunction { .. } => {
                "a function pointer is null, was never set or belongs to the host: look at where it comes from"
            }
            Self::StackOverflow => {
                "either the recursion never ends, or it goes deep: a GPU's own stack has 1 KiB per thread unless the host \
                 asks for more with cudaDeviceSetLimit(cudaLimitStackSize, …)"
            }
            Self::DoubleFree { .. } => {
                "each block is freed once, by one thread: decide who owns it, and set the pointer to null behind `free`"
            }
            Self::NeverAllocated { .. } => {
                "free the very pointer that `malloc` or `new` returned: not one that was moved, nor the address of other \
                 memory"
            }
            Self::Assertion { .. } => {
                "the kernel itself asks for this condition: look at the values of the lanes that are named"
            }
            Self::Breakpoint => "without a debugger a GPU never goes on from here: remove `brkpt` or `__brkpt()`",
            Self::Trap => {
                "`__trap()` or a failed check of the compiler ends the kernel here: look at the condition that leads to it"
            }
            Self::NoSuchBarrier { .. } | Self::PartOfAWarp { .. } => {
                "a barrier counts whole warps: give it the number of warps that come, times 32"
            }
            Self::NeverOpens { wanted: None, .. } => {
                "a barrier must be reached by every thread of the block: move it out of the branch or loop that only some \
                 threads take"
            }
            Self::NeverOpens { wanted: Some(_), .. } => {
                "the hardware counts the threads that come, and those that have ended do not: give the barrier the count of \
                 the warps that really come to it, times 32"
            }
            Self::WaitsAtBarrier { .. } => "the other findings name what those threads wait for",
            Self::NotInMask { .. } => {
                "the mask must name every lane that executes the instruction: take it from `__ballot_sync` or \
                 `__activemask` where the lanes diverge"
            }
            Self::AcrossBranch { .. } => {
                "before compute capability 7.0, all lanes of the mask must execute the instruction together: move it out of \
                 the branch"
            }
            Self::MissingLanes { .. } => {
                "pass a mask that names exactly the lanes that execute the instruction together"
            }
            Self::WaitsForWord { .. } => {
                "look for who should write it: a thread that waits itself, lost its turn in a lock, or runs only when this \
                 one has ended"
            }
            Self::WaitsForPhase { .. } => {
                "the count of `mbarrier.init` (of `init` of a cuda::barrier) is the number of arrivals in each phase: count \
                 the threads, and the elected ones, that arrive; and expect as many bytes as are copied"
            }
            Self::EndlessLoop => "nothing inside the loop changes its condition: look at what should",
            Self::Endless { .. } => {
                "look for a loop whose condition never becomes false; if the kernel is just long, raise --budget"
            }
            Self::Idle { .. } => {
                "look for a loop that waits for what no thread writes; if the kernel is just long, raise --budget"
            }
        }
    }
}

/// Where a thread missed.
fn place(Miss { space, address, near, .. }: &Miss, launch: &LaunchInfo<'_>) -> String {
    match space {
        Space::Shared => {
            format!("at byte {address} of shared memory, of which the block has {} bytes", launch.shared_bytes)
        }
        Space::Local => format!("at byte {address} of its local memory"),
        Space::Const => format!("at byte {address} of constant memory"),
        Space::Param => format!("at byte {address} of the parameters"),
        Space::Global | Space::Generic | Space::Frame => near.as_ref().map_or_else(String::new, ToString::to_string),
    }
}

/// Who waits at barrier `id`, and who of the block never comes: `here` threads wait, `live` of all have not ended, `of`
/// is all.
fn never_opens(id: u32, wanted: Option<u32>, arrived: u32, [here, live, of]: [u32; 3]) -> String {
    let ended = match of - live {
        0 => String::new(),
        1 => "; 1 has ended".to_owned(),
        n => format!("; {n} have ended"),
    };
    let elsewhere = live - here;
    match wanted {
        None => {
            format!("of the block's {of} threads, {here} wait at barrier {id} and {elsewhere} never come to it{ended}")
        }
        Some(wanted) => {
            let arrived = if arrived > 0 { format!(" and {arrived} have arrived at it") } else { String::new() };
            format!(
                "barrier {id} opens for {wanted} threads: {here} of the block's {of} threads wait at it{arrived}, and no \
                 other comes{ended}"
            )
        }
    }
}
