//! What goes to global memory: loads, stores and atomics, with their bytes, sectors and lines.

use super::{BLOCK, CASE, bound, busiest};
use crate::bounds::{Bound, TRAFFIC};

const LOADS: &str = "loads are repeated, or one lane loads what a warp could load in one instruction";
const LOAD_SECTORS: &str = "neighbouring lanes read addresses that lie apart, or the same data is read again";
const STORES: &str = "stores are repeated, or one lane stores what a warp could store in one instruction";
const STORE_SECTORS: &str =
    "neighbouring lanes write addresses that lie apart, or intermediate results go to global memory";
const ATOMICS: &str = "threads update global memory one after the other, where they could combine their values first";

pub(super) const GLOBAL_ATOMICS: Bound = bound(
    TRAFFIC,
    "global-atomics",
    "atomic instructions in global memory",
    &["smsp__sass_inst_executed_op_global_atom.sum", "smsp__sass_inst_executed_op_global_red.sum"],
    [0, CASE],
    ATOMICS,
);

pub(super) const GLOBAL_LOADS: Bound = bound(
    TRAFFIC,
    "global-loads",
    "global load instructions",
    &["smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_ldgsts.sum"],
    [1, CASE],
    LOADS,
);

pub(super) const GLOBAL_LOAD_SECTORS: Bound = bound(
    TRAFFIC,
    "global-load-sectors",
    "global-load sectors",
    &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    [4, CASE],
    LOAD_SECTORS,
);

pub(super) const GLOBAL_STORES: Bound = bound(
    TRAFFIC,
    "global-stores",
    "global store instructions",
    &["smsp__sass_inst_executed_op_global_st.sum"],
    [1, CASE],
    STORES,
);

pub(super) const GLOBAL_STORE_SECTORS: Bound = bound(
    TRAFFIC,
    "global-store-sectors",
    "global-store sectors",
    &["smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"],
    [4, CASE],
    STORE_SECTORS,
);

pub(super) const BUSIEST_WARP_GLOBAL_LOADS: Bound = busiest(
    "busiest-warp-global-loads",
    "global load instructions of the busiest warp",
    &["warpbook__busiest_warp_inst_executed_op_global_ld.max"],
    &["smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_ldgsts.sum"],
    0,
);

pub(super) const BUSIEST_WARP_GLOBAL_STORES: Bound = busiest(
    "busiest-warp-global-stores",
    "global store instructions of the busiest warp",
    &["warpbook__busiest_warp_inst_executed_op_global_st.max"],
    &["smsp__sass_inst_executed_op_global_st.sum"],
    0,
);

pub(super) const BUSIEST_WARP_GLOBAL_ATOMICS: Bound = busiest(
    "busiest-warp-global-atomics",
    "global atomic instructions of the busiest warp",
    &["warpbook__busiest_warp_inst_executed_op_global_atom.max"],
    &["smsp__sass_inst_executed_op_global_atom.sum", "smsp__sass_inst_executed_op_global_red.sum"],
    0,
);

pub(super) const GLOBAL_LOAD_BYTES: Bound = bound(
    TRAFFIC,
    "global-load-bytes",
    "bytes of global loads",
    &["smsp__sass_data_bytes_mem_global_op_ld.sum"],
    [128, CASE],
    LOADS,
);

pub(super) const GLOBAL_STORE_BYTES: Bound = bound(
    TRAFFIC,
    "global-store-bytes",
    "bytes of global stores",
    &["smsp__sass_data_bytes_mem_global_op_st.sum"],
    [128, CASE],
    STORES,
);

pub(super) const GLOBAL_ATOMIC_BYTES: Bound = bound(
    TRAFFIC,
    "global-atomic-bytes",
    "bytes of atomics in global memory",
    &["smsp__sass_data_bytes_mem_global_op_atom.sum", "smsp__sass_data_bytes_mem_global_op_red.sum"],
    [0, CASE],
    ATOMICS,
);

pub(super) const GLOBAL_ATOMIC_SECTORS: Bound = bound(
    TRAFFIC,
    "global-atomic-sectors",
    "sectors of atomics in global memory, in every pass",
    &["l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"],
    [0, CASE],
    ATOMICS,
);

pub(super) const L2_ATOMIC_REQUESTS: Bound = bound(
    TRAFFIC,
    "l2-atomic-requests",
    "requests of atomics to the L2 cache",
    &["lts__t_requests_srcunit_tex_op_atom.sum", "lts__t_requests_srcunit_tex_op_red.sum"],
    [0, CASE],
    ATOMICS,
);

pub(super) const L2_ATOMIC_SECTORS: Bound = bound(
    TRAFFIC,
    "l2-atomic-sectors",
    "sectors of atomics in the L2 cache",
    &["lts__t_sectors_srcunit_tex_op_atom.sum", "lts__t_sectors_srcunit_tex_op_red.sum"],
    [0, CASE],
    ATOMICS,
);

pub(super) const GLOBAL_LINES: Bound = bound(
    TRAFFIC,
    "global-lines",
    "lines of all global accesses",
    &["smsp__sass_l1tex_tags_mem_global.sum"],
    [2, CASE],
    LOAD_SECTORS,
);

pub(super) const SCATTERED_SECTORS: Bound = bound(
    TRAFFIC,
    "scattered-sectors",
    "global sectors beyond the least",
    &["warpbook__sectors_global_excessive.sum"],
    [4, BLOCK],
    LOAD_SECTORS,
);
