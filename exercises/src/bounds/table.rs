//! The table of all bounds: what each counts, what its allowance is, and what a kernel does that breaks it.

mod global;
mod shared;
mod work;

use super::{BUSY, Bound, Measure, Slack};
use crate::spec::Per;

const fn bound(
    slack: Slack,
    name: &'static str,
    label: &'static str,
    counters: &'static [&'static str],
    [allowance, per]: [u64; 2],
    meaning: &'static str,
) -> Bound {
    let per = match per {
        WARP => Per::Warp,
        BLOCK => Per::Block,
        THREAD => Per::Thread,
        _ => Per::Case,
    };
    Bound {
        name,
        label,
        measure: Measure::Sum(counters),
        slack,
        instead_of: &[],
        nearest: false,
        allowance,
        per,
        meaning,
    }
}

/// What the busiest warp executes; `lines` say on which lines all warps do.
const fn busiest(
    name: &'static str,
    label: &'static str,
    counters: &'static [&'static str],
    lines: &'static [&'static str],
    allowance: u64,
) -> Bound {
    Bound { measure: Measure::Busiest(counters, lines), ..bound(BUSY, name, label, &[], [allowance, CASE], UNEVEN) }
}

// `Per` as a number, for the table below.
const CASE: u64 = 0;
const WARP: u64 = 1;
const BLOCK: u64 = 2;
const THREAD: u64 = 3;

const UNEVEN: &str =
    "one warp does the work of others, or the same again: the block takes as long as the warp that has most to do";
const SERIAL: &str = "one thread works on while the others wait for it, and what it does could be shared";

/// The bounds, in the order in which a learner hears of them: first what says most about the idea of a kernel.
pub const BOUNDS: &[Bound] = &[
    work::LONGEST_WARP,
    work::LONGEST_PATH,
    global::GLOBAL_ATOMICS,
    shared::SHARED_ATOMICS,
    global::GLOBAL_LOADS,
    global::GLOBAL_LOAD_SECTORS,
    global::GLOBAL_STORES,
    global::GLOBAL_STORE_SECTORS,
    shared::SHARED_LOADS,
    shared::SHARED_STORES,
    shared::SHARED_LOAD_WAVEFRONTS,
    shared::SHARED_STORE_WAVEFRONTS,
    shared::SHARED_ATOMIC_WAVEFRONTS,
    shared::EXCHANGES,
    shared::BARRIERS,
    global::BUSIEST_WARP_GLOBAL_LOADS,
    global::BUSIEST_WARP_GLOBAL_STORES,
    global::BUSIEST_WARP_GLOBAL_ATOMICS,
    shared::BUSIEST_WARP_SHARED_LOADS,
    shared::BUSIEST_WARP_SHARED_STORES,
    shared::BUSIEST_WARP_SHARED_ATOMICS,
    shared::BUSIEST_WARP_EXCHANGES,
    work::ONE_LANE,
    work::BUSIEST_THREAD,
    shared::BUSIEST_THREAD_SHARED_BYTES,
    work::WARP_INSTRUCTIONS,
    work::LANE_EFFICIENCY,
    work::WARP_BALANCE,
    work::THREAD_INSTRUCTIONS,
    work::FLOAT_OPERATIONS,
    work::DOUBLE_OPERATIONS,
    work::LOCAL_ACCESSES,
    work::LOCAL_BYTES,
    global::GLOBAL_LOAD_BYTES,
    global::GLOBAL_STORE_BYTES,
    global::GLOBAL_ATOMIC_BYTES,
    global::GLOBAL_ATOMIC_SECTORS,
    global::L2_ATOMIC_REQUESTS,
    global::L2_ATOMIC_SECTORS,
    global::GLOBAL_LINES,
    shared::SHARED_LOAD_BYTES,
    shared::SHARED_STORE_BYTES,
    shared::SHARED_ATOMIC_BYTES,
    shared::SHARED_MEMORY,
    shared::SHARED_CONFLICTS,
    global::SCATTERED_SECTORS,
    work::PRINTF,
];
