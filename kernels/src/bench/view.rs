//! A record as people read it: rates, shares of a copy's speed, multiples of the other algorithms' times.

use caches::compulsory;
use serde::Serialize;

use super::record::{Outcome, Record, Row, Sweep};
use crate::gpu::Times;

/// A row with what can be computed from it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line<'a> {
    /// What was measured.
    #[serde(flatten)]
    pub row: &'a Row,
    /// The least bytes over the median, in GB (10^9 bytes) per second.
    pub gb_per_s: Option<f64>,
    /// The time of a copy that reads and writes as many bytes, in per cent of the median: the share of what memory can
    /// do. Above 100 where the caches help, or where reading alone is faster than reading and writing.
    pub percent_of_copy: Option<f64>,
    /// The median as a multiple of the first other algorithm's on the same workload: below 1 is faster than that.
    pub over_peer: Option<f64>,
    /// The median as a multiple of the least time in which any kernel could do it ([`least_us`]).
    pub over_least: Option<f64>,
}

impl Line<'_> {
    /// The times, if there are any.
    pub const fn times(&self) -> Option<&Times> {
        self.row.outcome.times()
    }

    /// Why there are no times.
    pub fn why(&self) -> Option<String> {
        match &self.row.outcome {
            Outcome::Timed(_) => None,
            Outcome::LeftOut { why } => Some(format!("left out: {why}")),
            Outcome::Faulty { why } => Some(format!("wrong, as expected: {why}")),
            Outcome::Failed { why } => Some(format!("WRONG: {why}")),
        }
    }
}

/// A workload with its lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Block<'a> {
    /// The problem.
    pub problem: &'a str,
    /// The size.
    pub size: &'a str,
    /// What an element is, in the plural.
    pub unit: &'a str,
    /// What kind of data it was.
    pub data: &'a str,
    /// The least bytes.
    pub bytes: u64,
    /// The copy of as many bytes.
    pub copy: Option<Times>,
    /// The least time of any kernel, in microseconds; `None` for a GPU that is no target.
    pub least_us: Option<f64>,
    /// The lines, ours first.
    pub lines: Vec<Line<'a>>,
}

/// Whatever `keep` keeps of a record, workload by workload. Ratios to others are those of the whole record.
pub fn blocks<'a>(record: &'a Record, keep: &dyn Fn(&Row) -> bool) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block<'a>> = Vec::new();
    for row in record.rows.iter().filter(|row| keep(row)) {
        let line = line(record, row);
        match blocks.iter_mut().find(|block| {
            (block.problem, block.size, block.unit, block.data) == (&*row.problem, &*row.size, &*row.unit, &*row.data)
        }) {
            Some(block) => block.lines.push(line),
            None => blocks.push(Block {
                problem: &row.problem,
                size: &row.size,
                unit: &row.unit,
                data: &row.data,
                bytes: row.bytes,
                copy: copy(record, row.bytes),
                least_us: least_us(record, row.bytes),
                lines: vec![line],
            }),
        }
    }
    blocks
}

/// The least time on a record's GPU in which a kernel can read all inputs once and write all outputs once, in microseconds: an
/// empty launch, and the bytes at the highest rate of memory. `None` for a GPU that is no target.
pub fn least_us(record: &Record, bytes: u64) -> Option<f64> {
    let target = sim::target::find(&crate::gpu::slug(&record.provenance.gpu))?;
    let (launch_us, memory_us) = compulsory::least_us(target, bytes);
    Some(launch_us + memory_us)
}

fn copy(record: &Record, bytes: u64) -> Option<Times> {
    record.copies.iter().find(|copy| copy.bytes == bytes).map(|copy| copy.times)
}

/// Whether two rows are of one workload.
fn together(a: &Row, b: &Row) -> bool {
    (&a.problem, &a.size, &a.unit, &a.data) == (&b.problem, &b.size, &b.unit, &b.data)
}

fn line<'a>(record: &Record, row: &'a Row) -> Line<'a> {
    let median = row.outcome.times().map(|times| times.median_ns as f64).filter(|&median| median > 0.0);
    let peer = record.rows.iter().find(|other| other.peer && together(other, row));
    let peer = peer.filter(|_| !row.peer).and_then(|peer| peer.outcome.times());
    Line {
        row,
        // Bytes per nanosecond are 10^9 bytes per second.
        gb_per_s: median.map(|median| row.bytes as f64 / median),
        percent_of_copy: median
            .zip(copy(record, row.bytes))
            .map(|(median, copy)| 100.0 * copy.median_ns as f64 / median),
        over_peer: median.zip(peer).map(|(median, peer)| median / peer.median_ns as f64),
        over_least: median.zip(least_us(record, row.bytes)).map(|(median, least)| median / (1e3 * least)),
    }
}

/// The lines of where a record comes from and how it was measured, for the end of a table.
pub fn notes(record: &Record) -> Vec<String> {
    let (p, m) = (&record.provenance, &record.method);
    let mut notes = vec![format!("measured: {} (driver {}, CUDA {}), {}", p.gpu, p.driver, p.cuda, p.date)];
    let libraries = [("CUB", &p.cub), ("NPP", &p.npp)];
    let libraries = libraries.into_iter().filter_map(|(name, version)| Some(format!("{name} {}", version.as_ref()?)));
    let libraries: Vec<String> = libraries.collect();
    notes.push(match (&p.nvcc, &p.no_peers) {
        (Some(nvcc), _) if !libraries.is_empty() => {
            format!("peers: {}, compiled by nvcc {nvcc} on that machine", libraries.join(" and "))
        }
        (_, Some(why)) => format!("no peers: {why}"),
        _ => "no peers: none of them could be compiled or called".to_owned(),
    });
    notes.push(format!(
        "method: every version is right before it is timed; median of {} runs (fewer, but at least 3, after {} s) after \
         {} others, by CUDA events around all its launches; caches emptied before each run ({} MiB written, then as many \
         read)",
        m.runs,
        m.seconds,
        m.warm_up + 1,
        m.scrub_bytes >> 20,
    ));
    notes.push(
        "GB/s: bytes of all inputs and outputs, each once, over the median; % of copy: time of the driver's copy that \
         reads and writes as many bytes, over the median; × least: median over the time of an empty launch and of these \
         bytes at the highest rate of memory, which no kernel can beat; × peer: median over that of the first peer of the \
         workload"
            .to_owned(),
    );
    let outdated = record.outdated();
    if !outdated.is_empty() {
        notes.push(format!("out of date, their code has changed since: {}", outdated.join(", ")));
    }
    notes
}

/// What came of single-pass versions on every size from one tile to two, in a sentence each.
pub fn sweeps(record: &Record, keep: &dyn Fn(&Sweep) -> bool) -> Vec<String> {
    let sentence = |sweep: &Sweep| match &sweep.wrong {
        None => format!(
            "{}: as expected on each of the {} sizes from one tile ({}) to two ({})",
            sweep.version, sweep.sizes, sweep.from, sweep.to
        ),
        Some(wrong) => format!("{}: WRONG: {wrong}", sweep.version),
    };
    record.sweeps.iter().filter(|sweep| keep(sweep)).map(sentence).collect()
}

/// The columns of the CSV form.
const COLUMNS: [&str; 17] = [
    "problem",
    "size",
    "elements",
    "unit",
    "data",
    "version",
    "peer",
    "median_us",
    "min_us",
    "max_us",
    "runs",
    "bytes",
    "gb_per_s",
    "percent_of_copy",
    "over_peer",
    "over_least",
    "note",
];

/// Whatever `keep` keeps of a record as CSV, one line per row.
///
/// # Errors
/// Never for text in memory; the CSV writer has them in its signature.
pub fn csv(record: &Record, keep: &dyn Fn(&Row) -> bool) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    let number = |value: Option<f64>, digits: usize| value.map_or(String::new(), |value| format!("{value:.digits$}"));
    for line in record.rows.iter().filter(|row| keep(row)).map(|row| line(record, row)) {
        let (row, times) = (line.row, line.times());
        let us = |of: fn(&Times) -> u64| number(times.map(|times| of(times) as f64 / 1e3), 3);
        writer.write_record([
            row.problem.clone(),
            row.size.clone(),
            row.elements.to_string(),
            row.unit.clone(),
            row.data.clone(),
            row.version.clone(),
            row.peer.to_string(),
            us(|times| times.median_ns),
            us(|times| times.min_ns),
            us(|times| times.max_ns),
            times.map_or(String::new(), |times| times.runs.to_string()),
            row.bytes.to_string(),
            number(line.gb_per_s, 1),
            number(line.percent_of_copy, 1),
            number(line.over_peer, 3),
            number(line.over_least, 3),
            line.why().unwrap_or_default(),
        ])?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
