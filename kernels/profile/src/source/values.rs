//! What a source line or a machine instruction costs, and the columns that show it.

use std::collections::BTreeMap;

use sim::Report;
use sim::report::machine_code::{LineStalls, MachineInstruction};
use sim::report::{LineReport, Metrics};

use crate::origin::Origin;
use crate::shown::Shown;

/// All wavefronts of shared memory.
const WAVEFRONTS: &str = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum";
/// All sectors of global memory.
const SECTORS: &str = "smsp__sass_sectors_mem_global.sum";

/// The column behind which that of the lanes of an instruction stands.
pub(super) const THREADS: &str = "thread instructions";

/// The costs of a line or of an instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Values {
    pub(super) instructions: u64,
    pub(super) threads: u64,
    pub(super) wavefronts: u64,
    pub(super) excess_wavefronts: u64,
    pub(super) sectors: u64,
    pub(super) excess_sectors: u64,
    /// Clocks by the names of warp states.
    pub(super) stalls: Metrics,
}

/// A column of numbers.
pub(super) struct Column {
    /// Its title.
    pub(super) title: &'static str,
    /// Its value.
    pub(super) value: fn(&Values) -> u64,
    /// Where it comes from.
    pub(super) origin: fn(&Shown<'_>) -> Origin,
    /// Whether machine instructions have it, too.
    pub(super) of_code: bool,
}

/// All columns of whole numbers, in their order. Behind them stands that of the stalls.
pub(super) const COLUMNS: [Column; 6] = [
    Column { title: "instructions", value: |v| v.instructions, origin: stream, of_code: true },
    Column { title: THREADS, value: |v| v.threads, origin: stream, of_code: true },
    Column { title: "shared wavefronts", value: |v| v.wavefronts, origin: |s| s.counters, of_code: true },
    Column {
        title: "excess wavefronts",
        value: |v| v.excess_wavefronts,
        origin: |_| Origin::Estimated,
        of_code: false,
    },
    Column { title: "sectors", value: |v| v.sectors, origin: |s| s.counters, of_code: true },
    Column { title: "excess sectors", value: |v| v.excess_sectors, origin: |_| Origin::Estimated, of_code: false },
];

/// Instructions are the hardware's where machine code was executed, and those of the PTX else.
fn stream(shown: &Shown<'_>) -> Origin {
    if shown.report.machine_code.is_some() { shown.counters } else { Origin::Estimated }
}

impl Values {
    /// Clocks in all states together.
    pub(super) fn clocks(&self) -> u64 {
        self.stalls.values().sum()
    }

    /// Of a line, but for what the instruction stream tells.
    fn of_line(line: &LineReport) -> Self {
        let exact = |name: &str| line.metrics.get(name).copied().unwrap_or(0);
        let own = |name: &str| line.estimates.get(name).copied().unwrap_or(0);
        Self {
            instructions: own("warpbook__ptx_inst_executed.sum"),
            threads: own("warpbook__ptx_thread_inst_executed.sum"),
            wavefronts: exact(WAVEFRONTS),
            excess_wavefronts: own("warpbook__shared_wavefronts_excessive.sum"),
            sectors: exact(SECTORS),
            excess_sectors: own("warpbook__sectors_global_excessive.sum"),
            stalls: Metrics::new(),
        }
    }

    /// Of a machine instruction.
    pub(super) fn of_instruction(instruction: &MachineInstruction) -> Self {
        let exact = |name: &str| instruction.metrics.get(name).copied().unwrap_or(0);
        Self {
            instructions: instruction.executed,
            threads: instruction.threads,
            wavefronts: exact(WAVEFRONTS),
            sectors: exact(SECTORS),
            stalls: instruction.stalls.clone(),
            ..Self::default()
        }
    }
}

/// The costs by file and line.
pub(super) type ByLine = BTreeMap<String, BTreeMap<u32, Values>>;

/// Those of a report.
pub(super) fn by_line(report: &Report) -> ByLine {
    let mut files = ByLine::new();
    let mut add = |file: &String, line: u32, change: &dyn Fn(&mut Values)| {
        change(files.entry(file.clone()).or_default().entry(line).or_default());
    };
    for line in &report.lines {
        add(&line.file, line.line, &|values| *values = Values::of_line(line));
    }
    if let Some(code) = &report.machine_code {
        for instruction in code.listing.iter().filter(|instruction| instruction.line > 0 && instruction.executed > 0) {
            add(&instruction.file, instruction.line, &|values| {
                values.instructions += instruction.executed;
                values.threads += instruction.threads;
            });
        }
        for LineStalls { file, line, stalls } in code.line_stalls.iter().filter(|stalls| stalls.line > 0) {
            add(file, *line, &|values| values.stalls.clone_from(stalls));
        }
    }
    files
}

/// The largest value of each column, and behind them the most clocks.
pub(super) fn largest<'a>(all: impl Iterator<Item = &'a Values>) -> [u64; COLUMNS.len() + 1] {
    let mut largest = [0; COLUMNS.len() + 1];
    for values in all {
        for (most, value) in largest.iter_mut().zip(every(values)) {
            *most = value.max(*most);
        }
    }
    largest
}

/// The values of all columns, and behind them the clocks.
pub(super) fn every(values: &Values) -> impl Iterator<Item = u64> {
    COLUMNS.iter().map(|column| (column.value)(values)).chain([values.clocks()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_sums_of_their_instructions() {
        let instruction = |line, executed| MachineInstruction {
            file: "a.cu".to_owned(),
            line,
            executed,
            threads: executed * 32,
            ..MachineInstruction::default()
        };
        let stalls = LineStalls { file: "a.cu".to_owned(), line: 2, stalls: Metrics::from([("wait".to_owned(), 9)]) };
        let code = sim::report::MachineCode {
            listing: vec![instruction(2, 3), instruction(0, 1), instruction(2, 4)],
            line_stalls: vec![stalls],
            ..Default::default()
        };
        let lines = by_line(&Report { machine_code: Some(code), ..Report::default() });
        assert_eq!(lines.len(), 1);
        let values = &lines["a.cu"][&2];
        assert_eq!((lines["a.cu"].len(), values.instructions, values.threads, values.clocks()), (1, 7, 224, 9));
        assert_eq!(largest([values].into_iter()), [7, 224, 0, 0, 0, 0, 9]);
    }
}
