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

/// The exact counters that an instruction more that loads from global memory changes, but for those of bytes.
pub(crate) const GLOBAL_LOADS: [&str; 8] = [
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
    "smsp__sass_inst_executed_op_global_ld.sum",
    "smsp__sass_inst_executed_op_global.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "smsp__sass_sectors_mem_global.sum",
    "smsp__sass_l1tex_tags_mem_global.sum",
];

/// [`GLOBAL_LOADS`] and the counters of bytes: what depends on how often threads look while they wait for others.
pub(crate) const GLOBAL_LOOKS: [&str; 10] =
    joined(&[&GLOBAL_LOADS, &["smsp__sass_data_bytes_mem_global_op_ld.sum", "smsp__sass_data_bytes_mem_global.sum"]]);

/// The exact counters that tell how the caches put lanes of a reduction in global memory together.
pub(crate) const REDUCTIONS: [&str; 4] = [
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum",
    "lts__t_requests_srcunit_tex_op_red.sum",
    "lts__t_sectors_srcunit_tex_op_red.sum",
];

/// Lists of counters one behind the other. `N` is the sum of their lengths.
pub(crate) const fn joined<const N: usize>(lists: &[&[&'static str]]) -> [&'static str; N] {
    let mut all = [""; N];
    let (mut at, mut list) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            all[at] = lists[list][index];
            at += 1;
            index += 1;
        }
        list += 1;
    }
    assert!(at == N, "an array longer than its lists");
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_exact_counter_is_context() {
        assert!(EXACT.iter().all(|counter| !CONTEXT.contains(&counter.metric)));
    }
}
