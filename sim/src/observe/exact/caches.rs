//! Counters of what reaches the L1 and L2 caches.

use super::{Exact, Unit, exact};
use crate::observe::metrics::Kind;

/// Counters of what reaches the L1 and L2 caches.
#[allow(clippy::redundant_closure_for_method_calls, reason = "a method's name is not general over both lifetimes")]
pub(super) const CACHES: [Exact; 16] = [
    exact(
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "L1 load requests",
        Unit::Requests,
        "How many loads from global memory reached the L1 cache, one per warp instruction; asynchronous copies are \
         among them.",
        |s| s.l1_loads().instructions,
    ),
    exact(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "L1 load sectors",
        Unit::Sectors,
        "The 32-byte sectors that these loads looked up.",
        |s| s.l1_loads().cost,
    ),
    exact(
        "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
        "L1 load set accesses",
        Unit::Lines,
        "How many lines these loads looked up.",
        |s| s.l1_loads().tags,
    ),
    exact(
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "L1 store requests",
        Unit::Requests,
        "How many stores to global memory reached the L1 cache, one per warp instruction.",
        |s| s.global(Kind::Store).instructions,
    ),
    exact(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "L1 store sectors",
        Unit::Sectors,
        "The 32-byte sectors that these stores looked up.",
        |s| s.global(Kind::Store).cost,
    ),
    exact(
        "l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum",
        "L1 store set accesses",
        Unit::Lines,
        "How many lines these stores looked up.",
        |s| s.global(Kind::Store).tags,
    ),
    exact(
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
        "L1 atomic requests",
        Unit::Requests,
        "How many atomics with a result reached the L1 cache, one per warp instruction.",
        |s| s.global(Kind::Atomic).instructions,
    ),
    exact(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "L1 atomic sectors",
        Unit::Sectors,
        "The 32-byte sectors that these atomics looked up. Lanes that update one element are serialised, \
         so a sector counts in every pass.",
        |s| s.global(Kind::Atomic).pass_sectors,
    ),
    exact(
        "l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum",
        "L1 atomic set accesses",
        Unit::Lines,
        "How many lines these atomics looked up, in every pass.",
        |s| s.global(Kind::Atomic).pass_tags,
    ),
    exact(
        "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
        "L1 reduction requests",
        Unit::Requests,
        "How many reductions reached the L1 cache, one per warp instruction.",
        |s| s.global(Kind::Reduction).instructions,
    ),
    exact(
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
        "L1 reduction sectors",
        Unit::Sectors,
        "The 32-byte sectors that these reductions looked up, in every pass.",
        |s| s.global(Kind::Reduction).pass_sectors,
    ),
    exact(
        "l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum",
        "L1 reduction set accesses",
        Unit::Lines,
        "How many lines these reductions looked up, in every pass.",
        |s| s.global(Kind::Reduction).pass_tags,
    ),
    exact(
        "lts__t_requests_srcunit_tex_op_atom.sum",
        "L2 atomic requests",
        Unit::Requests,
        "How many requests of atomics with a result the SMs sent to the L2 cache, which does them.",
        |s| s.global(Kind::Atomic).pass_tags,
    ),
    exact(
        "lts__t_requests_srcunit_tex_op_red.sum",
        "L2 reduction requests",
        Unit::Requests,
        "How many requests of reductions the SMs sent to the L2 cache, which does them.",
        |s| s.l2_reductions().pass_tags,
    ),
    exact(
        "lts__t_sectors_srcunit_tex_op_atom.sum",
        "L2 atomic sectors",
        Unit::Sectors,
        "The 32-byte sectors of these atomics.",
        |s| s.global(Kind::Atomic).pass_sectors,
    ),
    exact(
        "lts__t_sectors_srcunit_tex_op_red.sum",
        "L2 reduction sectors",
        Unit::Sectors,
        "The 32-byte sectors of these reductions.",
        |s| s.l2_reductions().pass_sectors,
    ),
];
