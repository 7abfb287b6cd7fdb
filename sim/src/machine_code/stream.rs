//! Counters of the instruction stream: what Nsight Compute counts of executed machine instructions.
//!
//! This is the only list of them. On an H200 they repeat exactly for every launch whose threads do not contend, but for
//! the number of executions of `BSYNC` where three or more groups of lanes reach one by themselves: there the hardware
//! sometimes merges groups, and the counters that contain it are an upper bound.

use super::block::Executed;
use super::table::{Class, Pipe, Row};
use crate::observe::counters::Counts;
use crate::observe::exact::{Counter, Unit};

/// What the value of a counter is computed from.
pub(super) struct Site<'a> {
    pub(super) name: &'static str,
    pub(super) row: Option<&'static Row>,
    pub(super) executed: &'a Executed,
    pub(super) memory: &'a Counts,
}

impl Site<'_> {
    fn pipe(&self, pipe: Pipe) -> u64 {
        let times = self.row.map_or(0, |row| row.pipes.iter().filter(|one| **one == pipe).count());
        self.executed.warps * times as u64
    }

    fn class(&self, class: Class) -> u64 {
        if self.row.is_some_and(|row| row.class == class) { self.executed.pred_on } else { 0 }
    }

    fn named(&self, names: &[&str]) -> u64 {
        if names.contains(&self.name) { self.executed.warps } else { 0 }
    }
}

/// A counter with the way in which it is computed.
pub(super) struct Stream {
    pub(super) counter: Counter,
    pub(super) value: fn(&Site<'_>) -> u64,
}

const fn stream(
    metric: &'static str,
    label: &'static str,
    unit: Unit,
    meaning: &'static str,
    value: fn(&Site<'_>) -> u64,
) -> Stream {
    Stream { counter: Counter { metric, label, unit, meaning }, value }
}

const BRANCHES: &[&str] = &["BRA", "BRX", "CALL", "RET"];
use Unit::{ThreadInstructions as Threads, WarpInstructions as Warps};

/// All of them, in the order in which tables show them.
#[rustfmt::skip]
pub(super) const STREAM: &[Stream] = &[
    stream("smsp__inst_executed.sum", "instructions", Warps, "How often a warp executed a machine instruction, predicated off or not.", |s| s.executed.warps),
    stream("smsp__thread_inst_executed.sum", "thread instructions", Threads, "How many machine instructions the threads executed, predicated off or not.", |s| s.executed.threads),
    stream("smsp__thread_inst_executed_pred_on.sum", "thread instructions, on", Threads, "How many machine instructions the threads executed whose predicate was true.", |s| s.executed.pred_on),
    stream("smsp__sass_inst_executed.sum", "instructions (patched)", Warps, "The same as smsp__inst_executed, counted by patched code.", |s| s.executed.warps),
    stream("smsp__sass_thread_inst_executed.sum", "thread instructions (patched)", Threads, "The same as smsp__thread_inst_executed, counted by patched code.", |s| s.executed.threads),
    stream("smsp__sass_thread_inst_executed_pred_on.sum", "thread instructions, on (patched)", Threads, "The same as smsp__thread_inst_executed_pred_on, counted by patched code.", |s| s.executed.pred_on),
    stream("smsp__inst_executed_pipe_alu.sum", "ALU pipe", Warps, "Instructions that the ALU pipe executed: integers, logic, comparisons, moves.", |s| s.pipe(Pipe::Alu)),
    stream("smsp__inst_executed_pipe_fma.sum", "FMA pipe", Warps, "Instructions that the FMA pipe executed: single precision, and multiplications of integers.", |s| s.pipe(Pipe::Fma)),
    stream("smsp__inst_executed_pipe_fp64.sum", "FP64 pipe", Warps, "Instructions that the double-precision pipe executed.", |s| s.pipe(Pipe::Fp64)),
    stream("smsp__inst_executed_pipe_lsu.sum", "LSU pipe", Warps, "Instructions that the load/store unit executed: memory and shuffles.", |s| s.pipe(Pipe::Lsu)),
    stream("smsp__inst_executed_pipe_uniform.sum", "uniform pipe", Warps, "Instructions that the uniform pipe executed, once for the warp.", |s| s.pipe(Pipe::Uniform)),
    stream("smsp__inst_executed_pipe_xu.sum", "XU pipe", Warps, "Instructions that the transcendental unit executed: conversions, reciprocals, bit counts.", |s| s.pipe(Pipe::Xu)),
    stream("smsp__inst_executed_pipe_adu.sum", "ADU pipe", Warps, "Instructions that the address divergence unit executed: constants with an index, barriers.", |s| s.pipe(Pipe::Adu)),
    stream("smsp__inst_executed_pipe_cbu.sum", "CBU pipe", Warps, "Instructions that the convergence barrier unit executed: control flow.", |s| s.pipe(Pipe::Cbu)),
    stream("smsp__inst_executed_pipe_tex.sum", "TEX pipe", Warps, "Instructions that the texture unit executed.", |s| s.pipe(Pipe::Tex)),
    stream("smsp__sass_branch_targets.sum", "branches", Warps, "How often a warp executed a branch, a call or a return.", |s| s.named(BRANCHES)),
    stream("smsp__sass_branch_targets_threads_divergent.sum", "divergent branches", Warps, "How often some lanes of a warp took a branch and others did not.", |s| s.executed.divergent),
    stream("smsp__sass_branch_targets_threads_uniform.sum", "uniform branches", Warps, "How often all lanes that executed a branch, a call or a return went the same way.", |s| s.named(BRANCHES) - s.executed.divergent),
    stream("smsp__inst_executed_op_branch.sum", "control instructions", Warps, "How often a warp executed a branch, a call, a return, an exit, a wait for other lanes, or left a divergent region early.", |s| s.named(&["BRA", "BRX", "EXIT", "BSYNC", "BREAK", "WARPSYNC", "CALL", "RET"])),
    stream("smsp__sass_inst_executed_op_branch.sum", "branch instructions", Warps, "How often a warp executed a branch, a call or a return.", |s| s.named(BRANCHES)),
    stream("smsp__sass_inst_executed_op_local_ld.sum", "local loads", Warps, "How often a warp executed a load from local memory, with at least one lane taking part.", |s| if matches!(s.name, "LDL" | "LD") { s.memory.local.instructions } else { 0 }),
    stream("smsp__sass_inst_executed_op_local_st.sum", "local stores", Warps, "How often a warp executed a store to local memory, with at least one lane taking part.", |s| if matches!(s.name, "STL" | "ST") { s.memory.local.instructions } else { 0 }),
    stream("smsp__sass_inst_executed_op_ldgsts.sum", "asynchronous copies", Warps, "How often a warp copied from global to shared memory without waiting, with at least one lane taking part.", |s| if s.name == "LDGSTS" { s.memory.global.instructions } else { 0 }),
    stream("smsp__sass_inst_executed_op_ldsm.sum", "matrix loads", Warps, "How often a warp loaded matrices from shared memory.", |s| if s.name == "LDSM" { s.memory.shared.instructions } else { 0 }),
    stream("smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "integer", Threads, "Integer instructions of threads whose predicate was true.", |s| s.class(Class::Integer)),
    stream("smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "single precision", Threads, "Single-precision instructions of threads whose predicate was true.", |s| s.class(Class::Fp32)),
    stream("smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", "double precision", Threads, "Double-precision instructions of threads whose predicate was true.", |s| s.class(Class::Fp64)),
    stream("smsp__sass_thread_inst_executed_op_fp16_pred_on.sum", "half precision", Threads, "Half-precision instructions of threads whose predicate was true.", |s| s.class(Class::Fp16)),
    stream("smsp__sass_thread_inst_executed_op_control_pred_on.sum", "control", Threads, "Control instructions of threads whose predicate was true.", |s| s.class(Class::Control)),
    stream("smsp__sass_thread_inst_executed_op_bit_pred_on.sum", "bits", Threads, "Bit instructions of threads whose predicate was true.", |s| s.class(Class::Bit)),
    stream("smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", "conversions", Threads, "Conversions of threads whose predicate was true.", |s| s.class(Class::Conversion)),
    stream("smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum", "communication", Threads, "Shuffles, votes, matches and reductions within a warp of threads whose predicate was true.", |s| s.class(Class::Communication)),
    stream("smsp__sass_thread_inst_executed_op_memory_pred_on.sum", "memory", Threads, "Memory instructions of threads whose predicate was true.", |s| s.class(Class::Memory)),
    stream("smsp__sass_thread_inst_executed_op_misc_pred_on.sum", "miscellaneous", Threads, "Other instructions of threads whose predicate was true.", |s| s.class(Class::Misc)),
    stream("smsp__sass_thread_inst_executed_op_uniform_pred_on.sum", "uniform", Threads, "Uniform instructions, counted for each thread whose predicate was true.", |s| s.class(Class::Uniform)),
];

/// The counters, in the order in which tables show them.
pub fn counters() -> impl Iterator<Item = Counter> {
    STREAM.iter().map(|stream| stream.counter)
}
