//! Counters of what each thread does for itself: local memory and arithmetic; and of what threads tell each other.

use super::{Exact, Unit, exact};
use crate::observe::metrics::Kind;

/// Counters of what each thread does for itself: local memory and arithmetic; and of what threads tell each other.
#[allow(clippy::redundant_closure_for_method_calls, reason = "a method's name is not general over both lifetimes")]
pub(super) const LANES: [Exact; 11] = [
    exact(
        "smsp__sass_inst_executed_op_local_ld.sum",
        "local load instructions",
        Unit::WarpInstructions,
        "How often a warp executed an instruction that reads local memory, the memory of one thread for arrays and \
         for what its registers cannot hold.",
        |s| s.local(Kind::Load).instructions,
    ),
    exact(
        "smsp__sass_inst_executed_op_local_st.sum",
        "local store instructions",
        Unit::WarpInstructions,
        "How often a warp executed an instruction that writes local memory.",
        |s| s.local(Kind::Store).instructions,
    ),
    exact(
        "smsp__sass_data_bytes_mem_local_op_ld.sum",
        "local bytes loaded",
        Unit::Bytes,
        "How many bytes the threads asked local memory for.",
        |s| s.local(Kind::Load).bytes,
    ),
    exact(
        "smsp__sass_data_bytes_mem_local_op_st.sum",
        "local bytes stored",
        Unit::Bytes,
        "How many bytes the threads wrote to local memory.",
        |s| s.local(Kind::Store).bytes,
    ),
    exact(
        "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
        "float additions",
        Unit::ThreadInstructions,
        "How many single-precision additions the threads executed, not counting lanes that a predicate switched off.",
        |s| s.fadd(),
    ),
    exact(
        "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
        "float multiplications",
        Unit::ThreadInstructions,
        "How many single-precision multiplications the threads executed, not counting lanes that a predicate \
         switched off.",
        |s| s.threads(s.arithmetic.fmul, 1),
    ),
    exact(
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
        "float fused operations",
        Unit::ThreadInstructions,
        "How many single-precision multiplications with an addition in one step the threads executed, not counting \
         lanes that a predicate switched off.",
        |s| s.threads(s.arithmetic.ffma, 2),
    ),
    exact(
        "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
        "double additions",
        Unit::ThreadInstructions,
        "How many double-precision additions the threads executed, not counting lanes that a predicate switched off.",
        |s| s.dadd(),
    ),
    exact(
        "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
        "double multiplications",
        Unit::ThreadInstructions,
        "How many double-precision multiplications the threads executed, not counting lanes that a predicate \
         switched off.",
        |s| s.threads(s.arithmetic.dmul, 4),
    ),
    exact(
        "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
        "double fused operations",
        Unit::ThreadInstructions,
        "How many double-precision multiplications with an addition in one step the threads executed, not counting \
         lanes that a predicate switched off.",
        |s| s.threads(s.arithmetic.dfma, 5),
    ),
    exact(
        "smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum",
        "inter-thread communication",
        Unit::ThreadInstructions,
        "How many shuffles, votes, matches and reductions within a warp the threads executed, not counting lanes \
         that a predicate switched off.",
        |s| s.exchanges(),
    ),
];
