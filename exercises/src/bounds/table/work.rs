//! What a kernel executes: instructions, lanes and warps at work, arithmetic, local memory and printf.

use super::{CASE, SERIAL, THREAD, WARP, bound};
use crate::bounds as counter;
use crate::bounds::{Bound, LANES, Measure, STYLE, TRAFFIC, WARPS};

const LOCAL: &str = "an array or a spilled value of a thread lies in memory, where registers or shared memory would do";
const ARITHMETIC: &str = "the same is computed again and again, where threads could pass it on";

pub(super) const LONGEST_WARP: Bound = bound(
    STYLE,
    "longest-warp",
    "instructions of the longest warp",
    &[counter::LONGEST_WARP],
    [24, CASE],
    "the launch takes as long as its longest warp, and that one does the work of others, or the same again and again",
);

pub(super) const LONGEST_PATH: Bound = bound(
    STYLE,
    "longest-path",
    "instructions of the longest path through a block",
    &[counter::LONGEST_PATH],
    [24, CASE],
    "warps work one after the other: at each barrier the block waits for the one that has most to do",
);

pub(super) const ONE_LANE: Bound = bound(
    STYLE,
    "one-lane",
    "instructions that one lane executes alone, of the warp that has most of them",
    &[counter::ONE_LANE],
    [2, CASE],
    SERIAL,
);

pub(super) const BUSIEST_THREAD: Bound = bound(
    STYLE,
    "busiest-thread",
    "instructions of the busiest thread",
    &[counter::BUSIEST_THREAD],
    [16, CASE],
    SERIAL,
);

pub(super) const WARP_INSTRUCTIONS: Bound = bound(
    STYLE,
    "warp-instructions",
    "instructions of all warps",
    &[counter::WARP_INSTRUCTIONS],
    [24, WARP],
    "work is done again and again, or one element after the other where all lanes could work at once",
);

pub(super) const LANE_EFFICIENCY: Bound = Bound {
    measure: Measure::LaneSlots,
    ..bound(
        LANES,
        "lane-efficiency",
        "lane slots for every 100 lanes at work",
        &[],
        [0, CASE],
        "a few lanes work and the others of their warps wait: an instruction takes as long for one lane as for 32",
    )
};

pub(super) const WARP_BALANCE: Bound = Bound {
    measure: Measure::WarpSlots,
    ..bound(
        WARPS,
        "warp-balance",
        "warp slots for every 100 warps at work",
        &[],
        [0, CASE],
        "a few warps work and the others have nothing to do: the multiprocessor waits for the few",
    )
};

pub(super) const THREAD_INSTRUCTIONS: Bound = bound(
    STYLE,
    "thread-instructions",
    "instructions of all threads",
    &[counter::THREAD_INSTRUCTIONS],
    [24, THREAD],
    "threads do the same work side by side, where each could do its part",
);

pub(super) const FLOAT_OPERATIONS: Bound = bound(
    TRAFFIC,
    "float-operations",
    "additions and multiplications of floats",
    &[
        "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    ],
    [1, THREAD],
    ARITHMETIC,
);

pub(super) const DOUBLE_OPERATIONS: Bound = bound(
    STYLE,
    "double-operations",
    "additions and multiplications of doubles",
    &[
        "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
    ],
    [0, CASE],
    "doubles take far more time than floats, and the work needs none",
);

pub(super) const LOCAL_ACCESSES: Bound = bound(
    STYLE,
    "local-accesses",
    "local memory instructions",
    &["smsp__sass_inst_executed_op_local_ld.sum", "smsp__sass_inst_executed_op_local_st.sum"],
    [8, WARP],
    LOCAL,
);

pub(super) const LOCAL_BYTES: Bound = bound(
    STYLE,
    "local-bytes",
    "bytes of local memory",
    &["smsp__sass_data_bytes_mem_local_op_ld.sum", "smsp__sass_data_bytes_mem_local_op_st.sum"],
    [1024, WARP],
    LOCAL,
);

pub(super) const PRINTF: Bound = bound(
    STYLE,
    "printf",
    "calls of printf",
    &["warpbook__printf_calls.sum"],
    [0, CASE],
    "printing takes more time than the work: it is for looking for a mistake, and goes when that is found",
);
