//! What a run of machine code showed beyond what a run of PTX shows: the instruction stream.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use super::{Metrics, Report, stall};

/// The section of a report that only a run of machine code has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineCode {
    /// The version of the compiler that made it, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// Registers of each thread.
    pub registers: u32,
    /// Counters of the instruction stream, by Nsight Compute's names.
    pub counters: Metrics,
    /// The opcodes that were executed and whose pipe and class were not measured, but taken from opcodes like them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_likeness: Vec<String>,
    /// Every instruction with its counts.
    pub listing: Vec<MachineInstruction>,
    /// Where the time was predicted: what warps spent their clocks on at each source line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line_stalls: Vec<LineStalls>,
}

/// What warps spent their clocks on at the instructions of a source line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineStalls {
    /// The source file; empty if none is known.
    pub file: String,
    /// The source line, from 1; 0 if none is known.
    pub line: u32,
    /// Clocks of the replayed warps, by the names of Nsight Compute's warp states.
    pub stalls: Metrics,
}

/// A machine instruction with its counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineInstruction {
    /// Bytes from the start of the kernel's section.
    pub offset: u64,
    /// What it is, as nvdisasm prints it.
    pub text: String,
    /// What the compiler tells the scheduler: scoreboards waited for, taken until the operands are read, taken until the
    /// result is written, whether it yields, stalled cycles.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub control: String,
    /// The source file; empty if none is known.
    pub file: String,
    /// The source line, from 1; 0 if none is known.
    pub line: u32,
    /// Times a warp executed it, predicated off or not.
    pub executed: u64,
    /// Lanes that executed it, predicated off or not.
    pub threads: u64,
    /// Lanes whose predicate was true.
    pub pred_on: u64,
    /// Times some lanes took it, as a branch, and others did not.
    pub divergent: u64,
    /// Its exact memory counters that are not zero.
    #[serde(default, skip_serializing_if = "Metrics::is_empty")]
    pub metrics: Metrics,
    /// Where the time was predicted: clocks that the replayed warps spent until it was issued, by the names of Nsight
    /// Compute's warp states. Those of a barrier, a fence or a sleep stand at its own instruction.
    #[serde(default, skip_serializing_if = "Metrics::is_empty")]
    pub stalls: Metrics,
}

/// The counters that a text shows, with their names there.
const SHOWN: [(&str, &str); 12] = [
    ("machine instructions (warps)", "smsp__inst_executed.sum"),
    ("machine instructions (threads)", "smsp__thread_inst_executed.sum"),
    ("… whose predicate was true", "smsp__thread_inst_executed_pred_on.sum"),
    ("branches (warps)", "smsp__sass_branch_targets.sum"),
    ("… at which lanes diverged", "smsp__sass_branch_targets_threads_divergent.sum"),
    ("pipe alu (warps)", "smsp__inst_executed_pipe_alu.sum"),
    ("pipe fma (warps)", "smsp__inst_executed_pipe_fma.sum"),
    ("pipe lsu (warps)", "smsp__inst_executed_pipe_lsu.sum"),
    ("pipe xu (warps)", "smsp__inst_executed_pipe_xu.sum"),
    ("pipe adu (warps)", "smsp__inst_executed_pipe_adu.sum"),
    ("pipe cbu (warps)", "smsp__inst_executed_pipe_cbu.sum"),
    ("pipe uniform (warps)", "smsp__inst_executed_pipe_uniform.sum"),
];

/// What a text says of the road first.
pub(super) fn head(text: &mut String, machine_code: &MachineCode) -> fmt::Result {
    let compiler = machine_code.compiler.as_ref().map_or(String::new(), |version| format!(" of ptxas {version}"));
    let instructions = machine_code.listing.len();
    let registers = machine_code.registers;
    writeln!(text, "executed as machine code{compiler}: {instructions} instructions, {registers} registers a thread")
}

/// The instruction stream in total.
pub(super) fn totals(text: &mut String, machine_code: &MachineCode) -> fmt::Result {
    writeln!(text)?;
    for (title, name) in SHOWN {
        writeln!(text, "{title:<36}{:>16}", machine_code.counters.get(name).copied().unwrap_or(0))?;
    }
    Ok(())
}

/// Every machine instruction with its counts below its source line; empty for a run of PTX.
pub fn listing(report: &Report, sources: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = report.machine_code.as_ref().map_or(Ok(()), |machine_code| write_listing(&mut text, machine_code, sources));
    text
}

fn write_listing(text: &mut String, machine_code: &MachineCode, sources: &BTreeMap<String, String>) -> fmt::Result {
    let all: u64 = machine_code.listing.iter().flat_map(|instruction| instruction.stalls.values()).sum();
    let column = |stalls: &Metrics| {
        let (clocks, first) = (stalls.values().sum::<u64>(), stall::first(stalls));
        let first = first.map_or(String::new(), |(name, percent)| format!("{name} {percent:.0} %"));
        #[allow(clippy::cast_precision_loss, reason = "a percentage")]
        let share = clocks as f64 / all as f64 * 100.0;
        format!("{share:>6.1} % {first:<24}")
    };
    let head = if all > 0 { format!("{:>8} {:<24}", "time", "first stall reason") } else { String::new() };
    writeln!(text, "\n{:>10} {:>12} {:>12} {:>9}  {head}instruction", "executed", "threads", "on", "divergent")?;
    let mut place = None;
    for instruction in &machine_code.listing {
        let here = (&instruction.file, instruction.line);
        if place != Some(here) {
            place = Some(here);
            let line = (instruction.line as usize).checked_sub(1);
            let source = sources.get(&instruction.file).zip(line).and_then(|(source, line)| source.lines().nth(line));
            writeln!(text, "{}", format!("{}:{}  {}", here.0, here.1, source.unwrap_or("").trim()).trim_end())?;
        }
        let MachineInstruction { executed, threads, pred_on, divergent, offset, .. } = instruction;
        let divergent = if *divergent == 0 { String::new() } else { divergent.to_string() };
        let stalls = if all > 0 { column(&instruction.stalls) } else { String::new() };
        writeln!(
            text,
            "{executed:>10} {threads:>12} {pred_on:>12} {divergent:>9}  {stalls}{offset:05x}  {}",
            instruction.text
        )?;
    }
    if all == 0 {
        return Ok(());
    }
    writeln!(text, "\nclocks of the replayed warps by source line, and their first stall reason")?;
    for line in machine_code.line_stalls.iter().filter(|line| line.stalls.values().sum::<u64>() * 200 >= all) {
        writeln!(text, "  {}{}:{}", column(&line.stalls), line.file, line.line)?;
    }
    let reasons = machine_code.listing.iter().filter_map(|instruction| stall::first(&instruction.stalls));
    let names: Vec<&str> = reasons.map(|reason| reason.0).collect();
    writeln!(
        text,
        "\ntime: of all clocks of the replayed warps, those until the instruction is issued; the reason has its share of them"
    )?;
    text.push_str(&stall::legend(names));
    Ok(())
}
