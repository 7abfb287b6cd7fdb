//! The report as text for a terminal: totals, the source lines that cost most, findings.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Finding, LineReport, Printed, Report};
use crate::diagnostic::{Diagnostic, Place};
use crate::lanes::lanes_text;

/// Most lines of the table of costly lines.
const WORST: usize = 8;

/// Short names for the counters of the totals, with what the two columns (load, store) are called in ncu.
const TOTALS: &[(&str, &str)] = &[
    ("shared-memory instructions", "smsp__sass_inst_executed_op_shared_"),
    ("shared-memory wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"),
    ("shared-memory bytes", "smsp__sass_data_bytes_mem_shared_op_"),
    ("global-memory instructions", "smsp__sass_inst_executed_op_global_"),
    ("global-memory sectors (32 bytes)", "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_"),
    ("global-memory bytes", "smsp__sass_data_bytes_mem_global_op_"),
];

/// The texts of source files, by the names that the report gives them.
type Sources = BTreeMap<String, String>;

/// Renders a report. `sources` are the source files that are at hand, to show their lines. With `all_lines` every line
/// that has a memory access is in the table, else the costliest.
pub fn render(report: &Report, sources: &Sources, all_lines: bool) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_report(&mut text, report, sources, all_lines);
    text
}

fn write_report(text: &mut String, report: &Report, sources: &Sources, all_lines: bool) -> std::fmt::Result {
    let [gx, gy, gz] = report.launch.grid;
    let [bx, by, bz] = report.launch.block;
    let dynamic = report.launch.shared_dynamic;
    let own = report.launch.shared_static;
    writeln!(
        text,
        "{}  <<<({gx},{gy},{gz}), ({bx},{by},{bz}), {dynamic}>>>  on a simulated {}",
        report.kernel, report.target
    )?;
    if own > 0 {
        writeln!(text, "shared memory per block: {} bytes ({own} declared, {dynamic} dynamic)", own + dynamic)?;
    }
    if let Some(o) = report.occupancy {
        writeln!(
            text,
            "resident per multiprocessor: {} blocks, {} of {} warps, limited by {}, if a thread has up to {} registers",
            o.blocks,
            o.warps,
            o.most_warps,
            o.limited_by.text(),
            o.most_registers
        )?;
    }
    if let Some(prediction) = &report.prediction {
        writeln!(text)?;
        write!(text, "{}", super::prediction_text::render(prediction))?;
        // A report of a sample has nothing else.
        if report.metrics.is_empty() {
            return Ok(());
        }
    }
    if let Some(machine_code) = &report.machine_code {
        super::machine_code::head(text, machine_code)?;
    }
    writeln!(text)?;
    writeln!(text, "{:<36}{:>16}{:>16}", "", "loads", "stores")?;
    for (title, prefix) in TOTALS {
        let value = |direction: &str| report.metric(&format!("{prefix}{direction}.sum"));
        writeln!(text, "{title:<36}{:>16}{:>16}", value("ld"), value("st"))?;
    }
    writeln!(text)?;
    let estimate = |name: &str| report.estimates.get(name).copied().unwrap_or(0);
    let fadd = report.metric("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum");
    for (title, value) in [
        ("f32 additions (threads)", fadd),
        ("barriers (warps)", estimate("warpbook__barriers.sum")),
        ("PTX instructions (warps)", estimate("warpbook__ptx_inst_executed.sum")),
        ("PTX instructions (threads)", estimate("warpbook__ptx_thread_inst_executed.sum")),
        ("wavefronts more than ideal", estimate("warpbook__shared_wavefronts_excessive.sum")),
        ("sectors more than ideal", estimate("warpbook__sectors_global_excessive.sum")),
    ] {
        // Machine code has no PTX instructions.
        if report.machine_code.is_none() || !title.starts_with("PTX") {
            writeln!(text, "{title:<36}{value:>16}")?;
        }
    }
    if let Some(machine_code) = &report.machine_code {
        super::machine_code::totals(text, machine_code)?;
    }
    worst_lines(text, report, sources, all_lines)?;
    printed(text, &report.printed)?;
    for missing in &report.missing {
        writeln!(text)?;
        writeln!(text, "note: {}", missing.sentence(&report.target))?;
    }
    report.order.write(text, report.is_clean())?;
    for finding in report.errors().chain(report.remarks()) {
        writeln!(text)?;
        write!(text, "{}", self::finding(finding, sources))?;
        writeln!(text)?;
    }
    writeln!(text)?;
    writeln!(text, "{}", number(report))
}

/// How many findings and remarks there are: `no findings`, `2 findings`, `no findings, 1 remark`.
pub fn number(report: &Report) -> String {
    let errors = match report.errors().count() {
        0 => "no findings".to_owned(),
        1 => "1 finding".to_owned(),
        n => format!("{n} findings"),
    };
    match report.remarks().count() {
        0 => errors,
        1 => errors + ", 1 remark",
        n => format!("{errors}, {n} remarks"),
    }
}

/// What the kernel printed, line by line; characters that could steer a terminal are replaced.
fn printed(text: &mut String, printed: &Printed) -> std::fmt::Result {
    if printed.is_empty() {
        return Ok(());
    }
    writeln!(text, "\nprinted by the kernel")?;
    for line in printed.text.split_terminator('\n') {
        let safe = |c: char| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
        writeln!(text, "  {}", line.trim_end_matches('\r').chars().map(safe).collect::<String>())?;
    }
    match printed.lost {
        0 => Ok(()),
        lost => writeln!(text, "… and {lost} calls of printf more, for which there was no room"),
    }
}

/// Wavefronts and sectors of a line beyond the ideal, its memory instructions, and its share of the shared wavefronts.
struct Cost {
    wavefronts: u64,
    ideal_wavefronts: u64,
    sectors: u64,
    ideal_sectors: u64,
}

fn cost(line: &LineReport) -> Cost {
    let sum = |prefix: &str| {
        line.metrics.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, value)| value).sum::<u64>()
    };
    let own = |name: &str| line.estimates.get(name).copied().unwrap_or(0);
    Cost {
        wavefronts: sum("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared"),
        ideal_wavefronts: own("warpbook__shared_wavefronts_ideal.sum"),
        sectors: sum("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global"),
        ideal_sectors: own("warpbook__sectors_global_ideal.sum"),
    }
}

fn worst_lines(text: &mut String, report: &Report, sources: &Sources, all_lines: bool) -> std::fmt::Result {
    let mut lines: Vec<(&LineReport, Cost)> =
        report.lines.iter().map(|line| (line, cost(line))).filter(|(_, c)| c.wavefronts + c.sectors > 0).collect();
    if lines.is_empty() {
        return Ok(());
    }
    lines.sort_by_key(|(line, c)| (std::cmp::Reverse(c.wavefronts + c.sectors), line.file.clone(), line.line));
    let shown = if all_lines { lines.len() } else { WORST };
    let hidden = lines.len().saturating_sub(shown);
    lines.truncate(shown);
    if all_lines {
        lines.sort_by_key(|(line, _)| (line.file.clone(), line.line));
    }
    writeln!(text)?;
    writeln!(text, "the lines that cost most (× is how often more than ideal)")?;
    writeln!(text, "{:>12} {:>6} {:>12} {:>6}  line", "wavefronts", "×", "sectors", "×")?;
    for (line, c) in &lines {
        let place = format!("{}:{}", line.file, line.line);
        let code = sources
            .get(&line.file)
            .and_then(|source| source.lines().nth(line.line as usize - 1))
            .map(|code| format!("  {}", code.trim()))
            .unwrap_or_default();
        writeln!(
            text,
            "{:>12} {:>6} {:>12} {:>6}  {place}{code}",
            blank_zero(c.wavefronts),
            ratio(c.wavefronts, c.ideal_wavefronts),
            blank_zero(c.sectors),
            ratio(c.sectors, c.ideal_sectors),
        )?;
    }
    if hidden > 0 {
        writeln!(text, "… and {hidden} more (--lines shows all)")?;
    }
    Ok(())
}

fn blank_zero(value: u64) -> String {
    if value == 0 { String::new() } else { value.to_string() }
}

fn ratio(value: u64, ideal: u64) -> String {
    if value == 0 || ideal == 0 { String::new() } else { format!("{:.2}", value as f64 / ideal as f64) }
}

/// One finding, called `finding` or `remark` by its severity, with its source lines if the sources are at hand.
pub fn finding(finding: &Finding, sources: &Sources) -> String {
    let title = finding.severity.title();
    let lanes: u32 = finding.lanes.iter().fold(0, |mask, lane| mask | 1 << lane);
    let who = format!("{}, {}", warp(finding.block, finding.warp), lanes_text(lanes));
    let times = if finding.count > 1 { format!(" ({} times in all)", finding.count) } else { String::new() };
    let replay = if finding.seed > 0 { format!(" (with --seed {})", finding.seed) } else { String::new() };
    let message = format!("[{}] {}{times}{replay}", finding.kind.name(), finding.message);
    let mut diagnostic = Diagnostic::new(message).help(&finding.help);
    let (label, other) = match &finding.parties[..] {
        [party, other] => (format!("{} {who}", party.does), Some(other)),
        _ => (who, None),
    };
    match place(sources, &finding.file, finding.line, &label) {
        Some(place) => diagnostic = diagnostic.at(place),
        None => diagnostic.message += &format!("\n  at {}:{}, {label}", finding.file, finding.line),
    }
    if let Some(other) = other {
        let label = format!("{} {}, lane {}", other.does, warp(other.block, other.warp), other.lane);
        match place(sources, &other.file, other.line, &label) {
            Some(place) => diagnostic = diagnostic.and_at(place),
            None => diagnostic.message += &format!("\n  and {}:{}, {label}", other.file, other.line),
        }
    }
    format!("{title}: {diagnostic}")
}

fn warp([x, y, z]: [u32; 3], warp: u32) -> String {
    format!("block ({x},{y},{z}), warp {warp}")
}

/// A whole line of a source.
fn place(sources: &Sources, file: &str, number: u32, label: &str) -> Option<Place> {
    let source = sources.get(file)?;
    let line = source.lines().nth((number as usize).checked_sub(1)?)?;
    let start = line.as_ptr() as usize - source.as_ptr() as usize;
    let indent = line.len() - line.trim_start().len();
    Some(Place::new(file, source, start + indent..start + line.trim_end().len(), label))
}
