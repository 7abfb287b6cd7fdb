//! Counters of global memory, as instructions ask for it.

use super::{Exact, Unit, exact};
use crate::observe::metrics::Kind;

/// Counters of global memory, as instructions ask for it.
#[allow(clippy::redundant_closure_for_method_calls, reason = "a method's name is not general over both lifetimes")]
pub(super) const GLOBAL: [Exact; 17] = [
    exact(
        "smsp__sass_inst_executed_op_global_ld.sum",
        "global load instructions",
        Unit::WarpInstructions,
        "How often a warp executed an instruction that reads global memory, with at least one lane taking part.",
        |s| s.global(Kind::Load).instructions,
    ),
    exact(
        "smsp__sass_inst_executed_op_global_st.sum",
        "global store instructions",
        Unit::WarpInstructions,
        "How often a warp executed an instruction that writes global memory, with at least one lane taking part.",
        |s| s.global(Kind::Store).instructions,
    ),
    exact(
        "smsp__sass_inst_executed_op_global_atom.sum",
        "global atomic instructions",
        Unit::WarpInstructions,
        "How often a warp executed an atomic on global memory whose result it needs, with at least one lane taking \
         part.",
        |s| s.global(Kind::Atomic).instructions,
    ),
    exact(
        "smsp__sass_inst_executed_op_global_red.sum",
        "global reduction instructions",
        Unit::WarpInstructions,
        "How often a warp executed an atomic on global memory whose result is not used (a reduction), with at least \
         one lane taking part.",
        |s| s.global(Kind::Reduction).instructions,
    ),
    exact(
        "smsp__sass_inst_executed_op_global.sum",
        "all global instructions",
        Unit::WarpInstructions,
        "Loads, stores, atomics and reductions on global memory together. Asynchronous copies do not count.",
        |s| s.unless_copy(s.global_sum(|a| a.instructions)),
    ),
    exact(
        "smsp__sass_inst_executed_op_ldgsts.sum",
        "asynchronous copy instructions",
        Unit::WarpInstructions,
        "How often a warp copied from global to shared memory without waiting (`cp.async`), with at least one lane \
         taking part.",
        |s| s.global(Kind::Copy).instructions,
    ),
    exact(
        "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "global load sectors",
        Unit::Sectors,
        "How many 32-byte sectors the reads of global memory touched, counted per warp instruction. A warp that \
         reads 32 neighbouring floats from an aligned address touches four.",
        |s| s.global(Kind::Load).cost,
    ),
    exact(
        "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
        "global store sectors",
        Unit::Sectors,
        "How many 32-byte sectors the writes to global memory touched, counted per warp instruction.",
        |s| s.global(Kind::Store).cost,
    ),
    exact(
        "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "global atomic sectors",
        Unit::Sectors,
        "How many 32-byte sectors the atomics with a result touched, counted per warp instruction.",
        |s| s.global(Kind::Atomic).cost,
    ),
    exact(
        "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum",
        "global reduction sectors",
        Unit::Sectors,
        "How many 32-byte sectors the reductions touched, counted per warp instruction.",
        |s| s.global(Kind::Reduction).cost,
    ),
    exact(
        "smsp__sass_sectors_mem_global.sum",
        "all global sectors",
        Unit::Sectors,
        "The sectors of loads, stores, atomics, reductions and asynchronous copies together.",
        |s| s.global_sum(|a| a.cost),
    ),
    exact(
        "smsp__sass_l1tex_tags_mem_global.sum",
        "global lines",
        Unit::Lines,
        "How many 128-byte lines all accesses to global memory touched, counted per warp instruction. Each is one \
         look-up in the L1 cache.",
        |s| s.global_sum(|a| a.tags),
    ),
    exact(
        "smsp__sass_data_bytes_mem_global_op_ld.sum",
        "global bytes loaded",
        Unit::Bytes,
        "How many bytes the warps asked global memory for. Lanes of a warp that address the same element count once.",
        |s| s.global(Kind::Load).bytes,
    ),
    exact(
        "smsp__sass_data_bytes_mem_global_op_st.sum",
        "global bytes stored",
        Unit::Bytes,
        "How many bytes the warps wrote to global memory. Lanes of a warp that address the same element count once.",
        |s| s.global(Kind::Store).bytes,
    ),
    exact(
        "smsp__sass_data_bytes_mem_global_op_atom.sum",
        "global bytes of atomics",
        Unit::Bytes,
        "How many bytes of global memory the atomics with a result changed. Lanes of a warp that address the same \
         element count once.",
        |s| s.global(Kind::Atomic).bytes + s.counts.attempts.bytes,
    ),
    exact(
        "smsp__sass_data_bytes_mem_global_op_red.sum",
        "global bytes of reductions",
        Unit::Bytes,
        "How many bytes of global memory the reductions changed. Lanes of a warp that address the same element count \
         once.",
        |s| s.global(Kind::Reduction).bytes,
    ),
    exact(
        "smsp__sass_data_bytes_mem_global.sum",
        "all global bytes",
        Unit::Bytes,
        "Bytes loaded, stored, copied asynchronously, and changed by atomics and reductions in global memory.",
        |s| s.global_sum(|a| a.bytes),
    ),
];
