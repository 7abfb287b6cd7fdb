//! Nsight Compute's names for what the counters hold, and the way from counts per instruction to a report.

use std::collections::BTreeMap;

use super::counters::{Access, Counters, Counts};
use crate::program::Program;
use crate::program::inst::{Float, Op};
use crate::ptx::ast::Module;
use crate::report::{LineReport, Metrics};

/// How a metric is computed from the counts of one instruction.
type Value = fn(&Counts, &Op) -> u64;

/// One counter of the report.
pub struct Metric {
    /// Nsight Compute's name with its suffix, or ours (`warpbook__…`).
    pub name: &'static str,
    value: Value,
}

fn shared(counts: &Counts, op: &Op, load: bool) -> Access {
    if matches!(op, Op::Load(_)) == load && matches!(op, Op::Load(_) | Op::Store(_)) {
        counts.shared
    } else {
        Access::default()
    }
}

fn global(counts: &Counts, op: &Op, load: bool) -> Access {
    if matches!(op, Op::Load(_)) == load && matches!(op, Op::Load(_) | Op::Store(_)) {
        counts.global
    } else {
        Access::default()
    }
}

fn lanes_if(counts: &Counts, condition: bool) -> u64 {
    if condition { counts.lanes } else { 0 }
}

/// Counters that the hardware counts too, with the same value.
pub const EXACT: &[Metric] = &[
    Metric { name: "smsp__sass_data_bytes_mem_global_op_ld.sum", value: |c, op| global(c, op, true).bytes },
    Metric { name: "smsp__sass_data_bytes_mem_global_op_st.sum", value: |c, op| global(c, op, false).bytes },
    Metric { name: "smsp__sass_data_bytes_mem_shared_op_ld.sum", value: |c, op| shared(c, op, true).bytes },
    Metric { name: "smsp__sass_data_bytes_mem_shared_op_st.sum", value: |c, op| shared(c, op, false).bytes },
    Metric { name: "smsp__sass_inst_executed_op_global_ld.sum", value: |c, op| global(c, op, true).instructions },
    Metric { name: "smsp__sass_inst_executed_op_global_st.sum", value: |c, op| global(c, op, false).instructions },
    Metric { name: "smsp__sass_inst_executed_op_shared_ld.sum", value: |c, op| shared(c, op, true).instructions },
    Metric { name: "smsp__sass_inst_executed_op_shared_st.sum", value: |c, op| shared(c, op, false).instructions },
    Metric {
        name: "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        value: |c, op| shared(c, op, true).cost,
    },
    Metric {
        name: "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        value: |c, op| shared(c, op, false).cost,
    },
    Metric {
        name: "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
        value: |c, op| global(c, op, true).cost,
    },
    Metric {
        name: "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
        value: |c, op| global(c, op, false).cost,
    },
    Metric {
        name: "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
        value: |c, op| lanes_if(c, matches!(op, Op::F32 { op: Float::Add | Float::Sub, .. })),
    },
];

/// Counters that only a simulator has.
pub const OWN: &[Metric] = &[
    Metric { name: "warpbook__barriers.sum", value: |c, op| if matches!(op, Op::Barrier(_)) { c.executed } else { 0 } },
    Metric { name: "warpbook__printf_calls.sum", value: |c, op| lanes_if(c, matches!(op, Op::Print)) },
    Metric {
        name: "warpbook__ptx_inst_executed.sum",
        value: |c, op| if matches!(op, Op::Nop) { 0 } else { c.executed },
    },
    Metric { name: "warpbook__ptx_thread_inst_executed.sum", value: |c, op| lanes_if(c, !matches!(op, Op::Nop)) },
    Metric { name: "warpbook__sectors_global_ideal.sum", value: |c, _| c.global.ideal },
    Metric {
        name: "warpbook__shared_wavefronts_excessive.sum",
        value: |c, _| c.shared.cost.saturating_sub(c.shared.ideal),
    },
    Metric { name: "warpbook__shared_wavefronts_ideal.sum", value: |c, _| c.shared.ideal },
    Metric {
        name: "warpbook__sectors_global_excessive.sum",
        value: |c, _| c.global.cost.saturating_sub(c.global.ideal),
    },
];

/// Totals of a table of metrics; every metric is there, also with value 0.
pub fn totals(table: &[Metric], counters: &Counters, program: &Program) -> Metrics {
    let mut metrics: Metrics = table.iter().map(|metric| (metric.name.to_owned(), 0)).collect();
    for (counts, inst) in counters.by_pc.iter().zip(&program.insts) {
        for metric in table {
            if let Some(total) = metrics.get_mut(metric.name) {
                *total += (metric.value)(counts, &inst.op);
            }
        }
    }
    metrics
}

/// The same per source line; values of 0 and lines without any value are left out.
pub fn lines(counters: &Counters, program: &Program, module: &Module, ptx_file: &str) -> Vec<LineReport> {
    let mut lines: BTreeMap<(String, u32), LineReport> = BTreeMap::new();
    for (pc, (counts, inst)) in counters.by_pc.iter().zip(&program.insts).enumerate() {
        if counts.executed == 0 {
            continue;
        }
        let (file, line) = place(program, module, ptx_file, pc);
        let report = lines.entry((file.clone(), line)).or_insert_with(|| LineReport {
            file,
            line,
            metrics: Metrics::new(),
            estimates: Metrics::new(),
        });
        let tables = [(EXACT, &mut report.metrics), (OWN, &mut report.estimates)];
        for (table, metrics) in tables {
            for metric in table {
                let value = (metric.value)(counts, &inst.op);
                if value > 0 {
                    *metrics.entry(metric.name.to_owned()).or_default() += value;
                }
            }
        }
    }
    lines.into_values().filter(|line| !line.metrics.is_empty() || !line.estimates.is_empty()).collect()
}

/// Source file and line of an instruction; the PTX itself where it has no line table.
pub fn place(program: &Program, module: &Module, ptx_file: &str, pc: usize) -> (String, u32) {
    let line = program.lines[pc];
    match module.files.get(&line.file) {
        Some(file) if line.line > 0 => (file.clone(), line.line),
        _ => (ptx_file.to_owned(), program.ptx_lines[pc]),
    }
}
