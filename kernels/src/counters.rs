//! The counters that a GPU is asked for. Those that are compared are the simulator's [`EXACT`] ones: one list for the
//! report, the records, the comparison and the book.

pub use sim::observe::exact::{COUNT, Counter, EXACT, Unit};

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
    use super::*;

    #[test]
    fn no_exact_counter_is_context() {
        assert!(EXACT.iter().all(|counter| !CONTEXT.contains(&counter.metric)));
    }
}
