//! Counters of shared memory.

use super::{Exact, Unit, exact};
use crate::observe::metrics::Kind;

/// Counters of shared memory.
#[allow(clippy::redundant_closure_for_method_calls, reason = "a method's name is not general over both lifetimes")]
pub(super) const SHARED: [Exact; 12] = [
    exact(
        "smsp__sass_inst_executed_op_shared_ld.sum",
        "shared load instructions",
        Unit::WarpInstructions,
        "How often a warp executed an instruction that reads shared memory, with at least one lane taking part. Loads of \
         rows of matrices (`ldmatrix`) count among all instructions alone.",
        |s| s.shared(Kind::Load).instructions,
    ),
    exact(
        "smsp__sass_inst_executed_op_shared_st.sum",
        "shared store instructions",
        Unit::WarpInstructions,
        "How often a warp executed an instruction that writes shared memory, with at least one lane taking part.",
        |s| s.shared(Kind::Store).instructions,
    ),
    exact(
        "smsp__sass_inst_executed_op_shared_atom.sum",
        "shared atomic instructions",
        Unit::WarpInstructions,
        "How often a warp executed an atomic on shared memory, with at least one lane taking part. What the GPU has \
         no instruction for, such as the addition of floats, is a loop of compare-and-swap and counts in every round.",
        |s| s.shared(Kind::Atomic).instructions,
    ),
    exact(
        "smsp__sass_inst_executed_op_shared.sum",
        "all shared instructions",
        Unit::WarpInstructions,
        "Loads, stores and atomics on shared memory together. An atomic whose address could lie in either memory and \
         turns out to lie in shared memory counts once more where it is a loop. Asynchronous copies do not count.",
        |s| s.unless_copy(s.shared_sum(|a| a.instructions)) + s.counts.attempts.instructions,
    ),
    exact(
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "shared load wavefronts",
        Unit::Wavefronts,
        "How many passes the reads of shared memory took. An access without bank conflicts takes one per 128 bytes; \
         every further word on the same bank costs one more.",
        |s| s.shared(Kind::Load).cost,
    ),
    exact(
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "shared store wavefronts",
        Unit::Wavefronts,
        "How many passes the writes to shared memory took.",
        |s| s.shared(Kind::Store).cost,
    ),
    exact(
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
        "shared atomic wavefronts",
        Unit::Wavefronts,
        "How many passes the atomics on shared memory took. Lanes on the same bank take one each, on the same word, \
         too; only increments of one word by one whose result is not used share a pass.",
        |s| s.shared(Kind::Atomic).cost,
    ),
    exact(
        "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum",
        "all shared wavefronts",
        Unit::Wavefronts,
        "The passes of all accesses to shared memory together, those of asynchronous copies among them.",
        |s| s.shared_sum(|a| a.cost),
    ),
    exact(
        "smsp__sass_data_bytes_mem_shared_op_ld.sum",
        "shared bytes loaded",
        Unit::Bytes,
        "How many bytes the warps asked shared memory for. Lanes of a warp that address the same element count once.",
        |s| s.shared(Kind::Load).bytes,
    ),
    exact(
        "smsp__sass_data_bytes_mem_shared_op_st.sum",
        "shared bytes stored",
        Unit::Bytes,
        "How many bytes the warps wrote to shared memory. Lanes of a warp that address the same element count once.",
        |s| s.shared(Kind::Store).bytes,
    ),
    exact(
        "smsp__sass_data_bytes_mem_shared_op_atom.sum",
        "shared bytes of atomics",
        Unit::Bytes,
        "How many bytes of shared memory the atomics changed. Lanes of a warp that address the same element count \
         once. Bytes of atomics whose address could lie in either memory count as global ones, too.",
        |s| s.shared(Kind::Atomic).bytes + s.either_bytes(),
    ),
    exact(
        "smsp__sass_data_bytes_mem_shared.sum",
        "all shared bytes",
        Unit::Bytes,
        "Bytes loaded from shared memory, stored to it by instructions and by asynchronous copies, and changed by \
         atomics.",
        |s| s.shared_sum(|a| a.bytes) + s.either_bytes(),
    ),
];
