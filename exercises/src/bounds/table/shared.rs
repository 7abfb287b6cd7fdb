//! What the threads of a block pass to each other: through shared memory, by shuffles and votes, and where they wait for each
//! other.

use super::{BLOCK, CASE, SERIAL, WARP, bound, busiest};
use crate::bounds::{BUSIEST_LOADER, BUSY, Bound, EXCHANGED, Measure, PASSED_ON, STYLE, TRAFFIC};

const SHARED: &str = "threads go through shared memory more often than the work takes";
const CONFLICTS: &str = "lanes of a warp need different words of one bank, and wait for each other";
const ONE_WORD: &str = "threads update one word of shared memory one after the other";

/// A bound whose limit is that of the own solution that a kernel is nearest to.
const fn nearest(bound: Bound) -> Bound {
    Bound { nearest: true, ..bound }
}

pub(super) const SHARED_ATOMICS: Bound = nearest(bound(
    TRAFFIC,
    "shared-atomics",
    "atomic instructions in shared memory",
    &["smsp__sass_inst_executed_op_shared_atom.sum"],
    [0, CASE],
    ONE_WORD,
));

pub(super) const SHARED_LOADS: Bound = nearest(bound(
    PASSED_ON,
    "shared-loads",
    "shared load instructions",
    &["smsp__sass_inst_executed_op_shared_ld.sum"],
    [1, BLOCK],
    SHARED,
));

pub(super) const SHARED_STORES: Bound = nearest(bound(
    PASSED_ON,
    "shared-stores",
    "shared store instructions",
    &["smsp__sass_inst_executed_op_shared_st.sum"],
    [1, BLOCK],
    SHARED,
));

pub(super) const SHARED_LOAD_WAVEFRONTS: Bound = nearest(bound(
    PASSED_ON,
    "shared-load-wavefronts",
    "shared-load wavefronts",
    &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    [1, BLOCK],
    CONFLICTS,
));

pub(super) const SHARED_STORE_WAVEFRONTS: Bound = nearest(bound(
    PASSED_ON,
    "shared-store-wavefronts",
    "shared-store wavefronts",
    &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
    [1, BLOCK],
    CONFLICTS,
));

pub(super) const SHARED_ATOMIC_WAVEFRONTS: Bound = nearest(bound(
    TRAFFIC,
    "shared-atomic-wavefronts",
    "wavefronts of shared atomics",
    &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"],
    [0, CASE],
    ONE_WORD,
));

pub(super) const EXCHANGES: Bound = nearest(Bound {
    // A shuffle by 32 lanes moves what a store and a load of shared memory move.
    instead_of: &[("smsp__sass_inst_executed_op_shared.sum", 16)],
    ..bound(
        EXCHANGED,
        "exchanges",
        "shuffles, votes and matches, by lane",
        &["smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"],
        [16, WARP],
        "lanes exchange values one after the other, where a vote or a few rounds tell all of them at once, \
         or what they exchange goes through shared memory, too",
    )
});

pub(super) const BARRIERS: Bound = nearest(bound(
    PASSED_ON,
    "barriers",
    "barriers",
    &["warpbook__barriers.sum"],
    [1, WARP],
    "warps wait for each other more often than one needs what another has written",
));

pub(super) const BUSIEST_WARP_SHARED_LOADS: Bound = nearest(busiest(
    "busiest-warp-shared-loads",
    "shared load instructions of the busiest warp",
    &["warpbook__busiest_warp_inst_executed_op_shared_ld.max"],
    &["smsp__sass_inst_executed_op_shared_ld.sum"],
    0,
));

pub(super) const BUSIEST_WARP_SHARED_STORES: Bound = nearest(busiest(
    "busiest-warp-shared-stores",
    "shared store instructions of the busiest warp",
    &["warpbook__busiest_warp_inst_executed_op_shared_st.max"],
    &["smsp__sass_inst_executed_op_shared_st.sum"],
    0,
));

pub(super) const BUSIEST_WARP_SHARED_ATOMICS: Bound = nearest(busiest(
    "busiest-warp-shared-atomics",
    "shared atomic instructions of the busiest warp",
    &["warpbook__busiest_warp_inst_executed_op_shared_atom.max"],
    &["smsp__sass_inst_executed_op_shared_atom.sum"],
    0,
));

pub(super) const BUSIEST_WARP_EXCHANGES: Bound = nearest(Bound {
    instead_of: &[
        ("warpbook__busiest_warp_inst_executed_op_shared_ld.max", 16),
        ("warpbook__busiest_warp_inst_executed_op_shared_st.max", 16),
    ],
    slack: EXCHANGED,
    ..busiest(
        "busiest-warp-exchanges",
        "shuffles, votes and matches of the busiest warp, by lane",
        &["warpbook__busiest_warp_thread_inst_executed_op_inter_thread_communication.max"],
        &["smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"],
        16,
    )
});

pub(super) const BUSIEST_THREAD_SHARED_BYTES: Bound = nearest(bound(
    BUSY,
    "busiest-thread-shared-bytes",
    "bytes that the busiest thread loads from shared memory",
    &[BUSIEST_LOADER],
    [8, CASE],
    SERIAL,
));

pub(super) const SHARED_LOAD_BYTES: Bound = nearest(bound(
    PASSED_ON,
    "shared-load-bytes",
    "bytes of shared loads",
    &["smsp__sass_data_bytes_mem_shared_op_ld.sum"],
    [128, WARP],
    SHARED,
));

pub(super) const SHARED_STORE_BYTES: Bound = nearest(bound(
    PASSED_ON,
    "shared-store-bytes",
    "bytes of shared stores",
    &["smsp__sass_data_bytes_mem_shared_op_st.sum"],
    [128, WARP],
    SHARED,
));

pub(super) const SHARED_ATOMIC_BYTES: Bound = nearest(bound(
    TRAFFIC,
    "shared-atomic-bytes",
    "bytes of shared atomics",
    &["smsp__sass_data_bytes_mem_shared_op_atom.sum"],
    [0, CASE],
    ONE_WORD,
));

pub(super) const SHARED_MEMORY: Bound = Bound {
    measure: Measure::SharedBytes,
    ..bound(
        STYLE,
        "shared-memory",
        "bytes of shared memory of a block",
        &[],
        [128, CASE],
        "arrays are larger than the work takes, and fewer blocks find room on a multiprocessor",
    )
};

pub(super) const SHARED_CONFLICTS: Bound = bound(
    PASSED_ON,
    "shared-conflicts",
    "shared wavefronts beyond the least",
    &["warpbook__shared_wavefronts_excessive.sum"],
    [2, BLOCK],
    CONFLICTS,
);
