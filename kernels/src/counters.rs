//! The counters that are compared exactly, and what they mean.
//!
//! All are Nsight Compute metrics with the suffix `.sum`: the sum over all SM sub-partitions of the GPU. Those that
//! begin with `smsp__sass_` come from the executed instructions themselves, so the same kernel on the same input
//! gives the same number every time. Nsight Compute describes them in `ncu --query-metrics`.

use serde::Serialize;

/// What a counter counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Instructions, each executed by a whole warp.
    WarpInstructions,
    /// Instructions, counted once per thread.
    ThreadInstructions,
    /// Passes of a shared memory access through the data stage.
    Wavefronts,
    /// 32-byte pieces of global memory.
    Sectors,
    /// Bytes.
    Bytes,
}

impl Unit {
    /// The unit as it stands in a table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WarpInstructions => "warp instructions",
            Self::ThreadInstructions => "thread instructions",
            Self::Wavefronts => "wavefronts",
            Self::Sectors => "sectors",
            Self::Bytes => "bytes",
        }
    }
}

/// A counter that the simulator and the hardware must agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counter {
    /// Nsight Compute's name, with its suffix.
    pub metric: &'static str,
    /// A short name for tables.
    pub label: &'static str,
    /// The unit.
    pub unit: Unit,
    /// What it counts, in plain English.
    pub meaning: &'static str,
}

const fn counter(metric: &'static str, label: &'static str, unit: Unit, meaning: &'static str) -> Counter {
    Counter { metric, label, unit, meaning }
}

/// The exact counters, in the order in which tables show them.
pub const EXACT: [Counter; 13] = [
    counter(
        "smsp__sass_inst_executed_op_shared_ld.sum",
        "shared load instructions",
        Unit::WarpInstructions,
        "How often a warp executed an instruction that reads shared memory, with at least one lane taking part.",
    ),
    counter(
        "smsp__sass_inst_executed_op_shared_st.sum",
        "shared store instructions",
        Unit::WarpInstructions,
        "How often a warp executed an instruction that writes shared memory, with at least one lane taking part.",
    ),
    counter(
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "shared load wavefronts",
        Unit::Wavefronts,
        "How many passes the reads of shared memory took. An access without bank conflicts takes one per 128 bytes; \
         every further word on the same bank costs one more.",
    ),
    counter(
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "shared store wavefronts",
        Unit::Wavefronts,
        "How many passes the writes to shared memory took.",
    ),
    counter(
        "smsp__sass_data_bytes_mem_shared_op_ld.sum",
        "shared bytes loaded",
        Unit::Bytes,
        "How many bytes the warps asked shared memory for. Lanes of a warp that address the same element count once.",
    ),
    counter(
        "smsp__sass_data_bytes_mem_shared_op_st.sum",
        "shared bytes stored",
        Unit::Bytes,
        "How many bytes the warps wrote to shared memory. Lanes of a warp that address the same element count once.",
    ),
    counter(
        "smsp__sass_inst_executed_op_global_ld.sum",
        "global load instructions",
        Unit::WarpInstructions,
        "How often a warp executed an instruction that reads global memory, with at least one lane taking part.",
    ),
    counter(
        "smsp__sass_inst_executed_op_global_st.sum",
        "global store instructions",
        Unit::WarpInstructions,
        "How often a warp executed an instruction that writes global memory, with at least one lane taking part.",
    ),
    counter(
        "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "global load sectors",
        Unit::Sectors,
        "How many 32-byte sectors the reads of global memory touched, counted per warp instruction. A warp that reads \
         32 neighbouring floats from an aligned address touches four.",
    ),
    counter(
        "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
        "global store sectors",
        Unit::Sectors,
        "How many 32-byte sectors the writes to global memory touched, counted per warp instruction.",
    ),
    counter(
        "smsp__sass_data_bytes_mem_global_op_ld.sum",
        "global bytes loaded",
        Unit::Bytes,
        "How many bytes the warps asked global memory for. Lanes of a warp that address the same element count once.",
    ),
    counter(
        "smsp__sass_data_bytes_mem_global_op_st.sum",
        "global bytes stored",
        Unit::Bytes,
        "How many bytes the warps wrote to global memory. Lanes of a warp that address the same element count once.",
    ),
    counter(
        "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
        "float additions",
        Unit::ThreadInstructions,
        "How many single-precision additions the threads executed, not counting lanes that a predicate switched off.",
    ),
];

/// Metrics that are recorded beside the exact counters and never compared: they depend on the compiler's other choices
/// (registers, address arithmetic), on clocks, or on what other hardware units did meanwhile.
pub const CONTEXT: [&str; 9] = [
    "gpu__time_duration.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "launch__registers_per_thread",
    "smsp__inst_executed.sum",
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_counter_is_there_twice_and_all_are_sums() {
        let names: HashSet<_> = EXACT.iter().map(|c| c.metric).chain(CONTEXT).collect();
        let labels: HashSet<_> = EXACT.iter().map(|c| c.label).collect();
        assert_eq!(names.len(), EXACT.len() + CONTEXT.len());
        assert_eq!(labels.len(), EXACT.len());
        assert!(EXACT.iter().all(|c| c.metric.ends_with(".sum") && c.meaning.ends_with('.')));
    }
}
