//! The table of all bounds: what each counts, what its allowance is, and what a kernel does that breaks it.

use super::{
    BUSIEST_LOADER, BUSIEST_THREAD, BUSY, Bound, LANES, LONGEST_PATH, LONGEST_WARP, Measure, ONE_LANE, PASSED_ON,
    STYLE, Slack, THREAD_INSTRUCTIONS, TRAFFIC, WARP_INSTRUCTIONS, WARPS,
};
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
    Bound { name, label, measure: Measure::Sum(counters), slack, instead_of: &[], allowance, per, meaning }
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

const LOADS: &str = "loads are repeated, or one lane loads what a warp could load in one instruction";
const LOAD_SECTORS: &str = "neighbouring lanes read addresses that lie apart, or the same data is read again";
const STORES: &str = "stores are repeated, or one lane stores what a warp could store in one instruction";
const STORE_SECTORS: &str =
    "neighbouring lanes write addresses that lie apart, or intermediate results go to global memory";
const ATOMICS: &str = "threads update global memory one after the other, where they could combine their values first";
const SHARED: &str = "threads go through shared memory more often than the work takes";
const CONFLICTS: &str = "lanes of a warp need different words of one bank, and wait for each other";
const SHARED_ATOMICS: &str = "threads update one word of shared memory one after the other";
const LOCAL: &str = "an array or a spilled value of a thread lies in memory, where registers or shared memory would do";
const UNEVEN: &str =
    "one warp does the work of others, or the same again: the block takes as long as the warp that has most to do";
const SERIAL: &str = "one thread works on while the others wait for it, and what it does could be shared";
const ARITHMETIC: &str = "the same is computed again and again, where threads could pass it on";

/// The bounds, in the order in which a learner hears of them: first what says most about the idea of a kernel.
pub const BOUNDS: &[Bound] = &[
    bound(
        STYLE,
        "longest-warp",
        "instructions of the longest warp",
        &[LONGEST_WARP],
        [24, CASE],
        "the launch takes as long as its longest warp, and that one does the work of others, or the same again and again",
    ),
    bound(
        STYLE,
        "longest-path",
        "instructions of the longest path through a block",
        &[LONGEST_PATH],
        [24, CASE],
        "warps work one after the other: at each barrier the block waits for the one that has most to do",
    ),
    bound(
        TRAFFIC,
        "global-atomics",
        "atomic instructions in global memory",
        &["smsp__sass_inst_executed_op_global_atom.sum", "smsp__sass_inst_executed_op_global_red.sum"],
        [0, CASE],
        ATOMICS,
    ),
    bound(
        TRAFFIC,
        "shared-atomics",
        "atomic instructions in shared memory",
        &["smsp__sass_inst_executed_op_shared_atom.sum"],
        [0, CASE],
        SHARED_ATOMICS,
    ),
    bound(
        TRAFFIC,
        "global-loads",
        "global load instructions",
        &["smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_ldgsts.sum"],
        [1, CASE],
        LOADS,
    ),
    bound(
        TRAFFIC,
        "global-load-sectors",
        "global-load sectors",
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
        [4, CASE],
        LOAD_SECTORS,
    ),
    bound(
        TRAFFIC,
        "global-stores",
        "global store instructions",
        &["smsp__sass_inst_executed_op_global_st.sum"],
        [1, CASE],
        STORES,
    ),
    bound(
        TRAFFIC,
        "global-store-sectors",
        "global-store sectors",
        &["smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"],
        [4, CASE],
        STORE_SECTORS,
    ),
    bound(
        PASSED_ON,
        "shared-loads",
        "shared load instructions",
        &["smsp__sass_inst_executed_op_shared_ld.sum"],
        [1, BLOCK],
        SHARED,
    ),
    bound(
        PASSED_ON,
        "shared-stores",
        "shared store instructions",
        &["smsp__sass_inst_executed_op_shared_st.sum"],
        [1, BLOCK],
        SHARED,
    ),
    bound(
        PASSED_ON,
        "shared-load-wavefronts",
        "shared-load wavefronts",
        &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
        [1, BLOCK],
        CONFLICTS,
    ),
    bound(
        PASSED_ON,
        "shared-store-wavefronts",
        "shared-store wavefronts",
        &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
        [1, BLOCK],
        CONFLICTS,
    ),
    bound(
        TRAFFIC,
        "shared-atomic-wavefronts",
        "wavefronts of shared atomics",
        &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"],
        [0, CASE],
        SHARED_ATOMICS,
    ),
    Bound {
        // A shuffle by 32 lanes moves what a store and a load of shared memory move.
        instead_of: &[("smsp__sass_inst_executed_op_shared.sum", 16)],
        ..bound(
            PASSED_ON,
            "exchanges",
            "shuffles, votes and matches, by lane",
            &["smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"],
            [32, WARP],
            "lanes exchange values one after the other, where a vote or a few rounds tell all of them at once",
        )
    },
    bound(
        PASSED_ON,
        "barriers",
        "barriers",
        &["warpbook__barriers.sum"],
        [1, WARP],
        "warps wait for each other more often than one needs what another has written",
    ),
    busiest(
        "busiest-warp-global-loads",
        "global load instructions of the busiest warp",
        &["warpbook__busiest_warp_inst_executed_op_global_ld.max"],
        &["smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_ldgsts.sum"],
        0,
    ),
    busiest(
        "busiest-warp-global-stores",
        "global store instructions of the busiest warp",
        &["warpbook__busiest_warp_inst_executed_op_global_st.max"],
        &["smsp__sass_inst_executed_op_global_st.sum"],
        0,
    ),
    busiest(
        "busiest-warp-global-atomics",
        "global atomic instructions of the busiest warp",
        &["warpbook__busiest_warp_inst_executed_op_global_atom.max"],
        &["smsp__sass_inst_executed_op_global_atom.sum", "smsp__sass_inst_executed_op_global_red.sum"],
        0,
    ),
    busiest(
        "busiest-warp-shared-loads",
        "shared load instructions of the busiest warp",
        &["warpbook__busiest_warp_inst_executed_op_shared_ld.max"],
        &["smsp__sass_inst_executed_op_shared_ld.sum"],
        0,
    ),
    busiest(
        "busiest-warp-shared-stores",
        "shared store instructions of the busiest warp",
        &["warpbook__busiest_warp_inst_executed_op_shared_st.max"],
        &["smsp__sass_inst_executed_op_shared_st.sum"],
        0,
    ),
    busiest(
        "busiest-warp-shared-atomics",
        "shared atomic instructions of the busiest warp",
        &["warpbook__busiest_warp_inst_executed_op_shared_atom.max"],
        &["smsp__sass_inst_executed_op_shared_atom.sum"],
        0,
    ),
    Bound {
        instead_of: &[
            ("warpbook__busiest_warp_inst_executed_op_shared_ld.max", 16),
            ("warpbook__busiest_warp_inst_executed_op_shared_st.max", 16),
        ],
        slack: PASSED_ON,
        ..busiest(
            "busiest-warp-exchanges",
            "shuffles, votes and matches of the busiest warp, by lane",
            &["warpbook__busiest_warp_thread_inst_executed_op_inter_thread_communication.max"],
            &["smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"],
            32,
        )
    },
    bound(
        STYLE,
        "one-lane",
        "instructions that one lane executes alone, of the warp that has most of them",
        &[ONE_LANE],
        [2, CASE],
        SERIAL,
    ),
    bound(STYLE, "busiest-thread", "instructions of the busiest thread", &[BUSIEST_THREAD], [16, CASE], SERIAL),
    bound(
        STYLE,
        "busiest-thread-shared-bytes",
        "bytes that the busiest thread loads from shared memory",
        &[BUSIEST_LOADER],
        [16, CASE],
        SERIAL,
    ),
    bound(
        STYLE,
        "warp-instructions",
        "instructions of all warps",
        &[WARP_INSTRUCTIONS],
        [24, WARP],
        "work is done again and again, or one element after the other where all lanes could work at once",
    ),
    Bound {
        measure: Measure::LaneSlots,
        ..bound(
            LANES,
            "lane-efficiency",
            "lane slots for every 100 lanes at work",
            &[],
            [0, CASE],
            "a few lanes work and the others of their warps wait: an instruction takes as long for one lane as for 32",
        )
    },
    Bound {
        measure: Measure::WarpSlots,
        ..bound(
            WARPS,
            "warp-balance",
            "warp slots for every 100 warps at work",
            &[],
            [0, CASE],
            "a few warps work and the others have nothing to do: the multiprocessor waits for the few",
        )
    },
    bound(
        STYLE,
        "thread-instructions",
        "instructions of all threads",
        &[THREAD_INSTRUCTIONS],
        [24, THREAD],
        "threads do the same work side by side, where each could do its part",
    ),
    bound(
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
    ),
    bound(
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
    ),
    bound(
        STYLE,
        "local-accesses",
        "local memory instructions",
        &["smsp__sass_inst_executed_op_local_ld.sum", "smsp__sass_inst_executed_op_local_st.sum"],
        [8, WARP],
        LOCAL,
    ),
    bound(
        STYLE,
        "local-bytes",
        "bytes of local memory",
        &["smsp__sass_data_bytes_mem_local_op_ld.sum", "smsp__sass_data_bytes_mem_local_op_st.sum"],
        [1024, WARP],
        LOCAL,
    ),
    bound(
        TRAFFIC,
        "global-load-bytes",
        "bytes of global loads",
        &["smsp__sass_data_bytes_mem_global_op_ld.sum"],
        [128, CASE],
        LOADS,
    ),
    bound(
        TRAFFIC,
        "global-store-bytes",
        "bytes of global stores",
        &["smsp__sass_data_bytes_mem_global_op_st.sum"],
        [128, CASE],
        STORES,
    ),
    bound(
        TRAFFIC,
        "global-atomic-bytes",
        "bytes of atomics in global memory",
        &["smsp__sass_data_bytes_mem_global_op_atom.sum", "smsp__sass_data_bytes_mem_global_op_red.sum"],
        [0, CASE],
        ATOMICS,
    ),
    bound(
        TRAFFIC,
        "global-atomic-sectors",
        "sectors of atomics in global memory, in every pass",
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"],
        [0, CASE],
        ATOMICS,
    ),
    bound(
        TRAFFIC,
        "l2-atomic-requests",
        "requests of atomics to the L2 cache",
        &["lts__t_requests_srcunit_tex_op_atom.sum", "lts__t_requests_srcunit_tex_op_red.sum"],
        [0, CASE],
        ATOMICS,
    ),
    bound(
        TRAFFIC,
        "l2-atomic-sectors",
        "sectors of atomics in the L2 cache",
        &["lts__t_sectors_srcunit_tex_op_atom.sum", "lts__t_sectors_srcunit_tex_op_red.sum"],
        [0, CASE],
        ATOMICS,
    ),
    bound(
        TRAFFIC,
        "global-lines",
        "lines of all global accesses",
        &["smsp__sass_l1tex_tags_mem_global.sum"],
        [2, CASE],
        LOAD_SECTORS,
    ),
    bound(
        PASSED_ON,
        "shared-load-bytes",
        "bytes of shared loads",
        &["smsp__sass_data_bytes_mem_shared_op_ld.sum"],
        [128, WARP],
        SHARED,
    ),
    bound(
        PASSED_ON,
        "shared-store-bytes",
        "bytes of shared stores",
        &["smsp__sass_data_bytes_mem_shared_op_st.sum"],
        [128, WARP],
        SHARED,
    ),
    bound(
        TRAFFIC,
        "shared-atomic-bytes",
        "bytes of shared atomics",
        &["smsp__sass_data_bytes_mem_shared_op_atom.sum"],
        [0, CASE],
        SHARED_ATOMICS,
    ),
    Bound {
        measure: Measure::SharedBytes,
        ..bound(
            STYLE,
            "shared-memory",
            "bytes of shared memory of a block",
            &[],
            [128, CASE],
            "arrays are larger than the work takes, and fewer blocks find room on a multiprocessor",
        )
    },
    bound(
        PASSED_ON,
        "shared-conflicts",
        "shared wavefronts beyond the least",
        &["warpbook__shared_wavefronts_excessive.sum"],
        [2, BLOCK],
        CONFLICTS,
    ),
    bound(
        TRAFFIC,
        "scattered-sectors",
        "global sectors beyond the least",
        &["warpbook__sectors_global_excessive.sum"],
        [4, BLOCK],
        LOAD_SECTORS,
    ),
    bound(
        STYLE,
        "printf",
        "calls of printf",
        &["warpbook__printf_calls.sum"],
        [0, CASE],
        "printing takes more time than the work: it is for looking for a mistake, and goes when that is found",
    ),
];
