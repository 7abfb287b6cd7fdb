//! The counters of a report that need no bound of their own, because others bound them.

/// Counters that need no bound of their own, each with the reason.
pub const IMPLIED: &[(&str, &str)] = &[
    ("smsp__sass_inst_executed_op_shared.sum", "the sum of the shared instructions of each kind"),
    (
        "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum",
        "the sum of the shared wavefronts of each kind, and of copies",
    ),
    ("smsp__sass_data_bytes_mem_shared.sum", "the sum of the shared bytes of each kind, and of copies"),
    ("smsp__sass_inst_executed_op_global.sum", "the sum of the global instructions of each kind"),
    ("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum", "the L1 cache's sectors of loads without copies"),
    ("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum", "the sectors of atomics, in one pass each"),
    ("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum", "the sectors of reductions, in one pass each"),
    ("smsp__sass_sectors_mem_global.sum", "the sum of the global sectors of each kind"),
    ("smsp__sass_data_bytes_mem_global.sum", "the sum of the global bytes of each kind"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "one for each global load instruction"),
    ("l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", "among the lines of all global accesses"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "one for each global store instruction"),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "the sectors of the global stores"),
    ("l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum", "among the lines of all global accesses"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "one for each global atomic instruction"),
    ("l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum", "at most the sectors of atomics in every pass"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "one for each global reduction instruction"),
    ("l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum", "at most the sectors of reductions in every pass"),
    ("warpbook__memory_inst_8b.sum", "memory instructions, which are bounded by space and kind"),
    ("warpbook__memory_inst_16b.sum", "memory instructions, which are bounded by space and kind"),
    ("warpbook__memory_inst_32b.sum", "memory instructions, which are bounded by space and kind"),
    ("warpbook__memory_inst_64b.sum", "memory instructions, which are bounded by space and kind"),
    ("warpbook__memory_inst_128b.sum", "memory instructions, which are bounded by space and kind"),
    ("warpbook__shared_wavefronts_ideal.sum", "a measure of the accesses, not a cost"),
    ("warpbook__sectors_global_ideal.sum", "a measure of the accesses, not a cost"),
];
