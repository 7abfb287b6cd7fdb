//! The counters that a GPU is asked for. Those that are compared are the simulator's [`EXACT`] ones: one list for the
//! report, the records, the comparison and the book.

pub use sim::observe::exact::{COUNT, Counter, EXACT, Unit};

/// How long a launch took, in nanoseconds.
pub const DURATION: &str = "gpu__time_duration.sum";

/// Metrics that are recorded beside the exact counters and never compared: they depend on the compiler's other choices
/// (registers, address arithmetic), on clocks, or on what other hardware units did meanwhile.
pub const CONTEXT: [&str; 9] = [
    DURATION,
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "launch__registers_per_thread",
    "smsp__inst_executed.sum",
];

/// Counters of the stream of machine instructions, of a whole launch. The same kernel on the same input gives the same
/// number, except where warps contend, or meet in an order that time decides.
pub const MACHINE: [&str; 31] = [
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__thread_inst_executed_pred_on.sum",
    "smsp__sass_inst_executed.sum",
    "smsp__sass_thread_inst_executed.sum",
    "smsp__sass_thread_inst_executed_pred_on.sum",
    "smsp__inst_executed_pipe_adu.sum",
    "smsp__inst_executed_pipe_alu.sum",
    "smsp__inst_executed_pipe_cbu.sum",
    "smsp__inst_executed_pipe_fma.sum",
    "smsp__inst_executed_pipe_fp64.sum",
    "smsp__inst_executed_pipe_lsu.sum",
    "smsp__inst_executed_pipe_tex.sum",
    "smsp__inst_executed_pipe_uniform.sum",
    "smsp__inst_executed_pipe_xu.sum",
    "smsp__inst_executed_op_branch.sum",
    "smsp__sass_branch_targets.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "smsp__sass_branch_targets_threads_uniform.sum",
    "smsp__sass_inst_executed_op_branch.sum",
    "smsp__sass_inst_executed_op_ldsm.sum",
    "smsp__sass_thread_inst_executed_op_bit_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_control_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fp16_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_memory_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_misc_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_uniform_pred_on.sum",
];

/// Counters of each machine instruction, as the profiler's source page shows them. The first has a value for every
/// instruction of the kernel.
pub const INSTRUCTION: [&str; 8] = [
    "inst_executed",
    "thread_inst_executed",
    "thread_inst_executed_true",
    "smsp__branch_targets_threads_divergent",
    "memory_l1_wavefronts_shared",
    "memory_l1_tag_requests_global",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_local",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_exact_counter_is_context() {
        assert!(EXACT.iter().all(|counter| !CONTEXT.contains(&counter.metric)));
        assert!(EXACT.iter().all(|counter| !MACHINE.contains(&counter.metric)));
    }
}
