//! The two roads from a PTX to a report, one held against the other: the PTX with the passes of `sim`, and the
//! machine code that ptxas makes of the same PTX, executed. Both run the same launches without a GPU; every exact counter
//! that differs is a mistake of a pass, or something that no pass models.
//!
//! [`hold`](hold()) compares the reports of one subject, in total and by source line; [`corpus`] runs what the repository
//! holds and files of a user's own; [`known`] is the reviewed list of what differs; [`table`] adds up.

pub mod corpus;
pub mod files;
mod hold;
pub mod known;
pub mod table;

use std::fmt;

use serde::Serialize;

use crate::sass::SassError;

pub use hold::{Both, hold};

/// Where a subject comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// A case of the workbook's problems; its machine code is committed.
    Cases,
    /// A kernel of `sim/tests/counters` or `sim/tests/lowering`.
    Probes,
    /// A kernel of the catalogue of correct kernels, `sim/tests/correct`.
    Correct,
    /// A solution of the course, or an honest alternative.
    Exercises,
    /// A file that was named.
    Files,
}

impl Suite {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 5] = [Self::Cases, Self::Probes, Self::Correct, Self::Exercises, Self::Files];

    /// The name in tables and lists.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cases => "cases",
            Self::Probes => "probes",
            Self::Correct => "correct",
            Self::Exercises => "exercises",
            Self::Files => "files",
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A counter with its two values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The counter, by Nsight Compute's name.
    pub counter: &'static str,
    /// Its value on the road over PTX.
    pub ptx: u64,
    /// Its value on the road over machine code.
    pub machine_code: u64,
    /// Why they differ, where it is known.
    pub known: Option<String>,
}

/// A source line with other counters on each road.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DifferentLine {
    /// The file's bare name.
    pub file: String,
    /// The line, from 1; 0 where nothing tells it.
    pub line: u32,
    /// Its counters that differ.
    pub differences: Vec<Difference>,
    /// The accesses that the passes make of the line's PTX.
    pub ptx: Vec<String>,
    /// The accesses of the line's machine instructions that were executed.
    pub machine_code: Vec<String>,
}

/// One kernel of a subject: all of its launches together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Where it comes from.
    pub suite: Suite,
    /// The version, probe, source or file.
    pub subject: String,
    /// The case; empty where a subject has one only.
    pub case: String,
    /// The kernel, as the PTX names it.
    pub kernel: String,
    /// Launches.
    pub launches: usize,
    /// Exact counters that were compared.
    pub counters: usize,
    /// Those that are more than 0 on a road at least.
    pub nonzero: usize,
    /// Those that differ.
    pub differences: Vec<Difference>,
    /// The lines that differ. Of a kernel whose counters agree in total, the roads only name other lines.
    pub lines: Vec<DifferentLine>,
}

impl Row {
    /// The differences whose cause is not known.
    pub fn unexplained(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|difference| difference.known.is_none())
    }
}

/// What kept a subject from being compared, or differs beside the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trouble {
    /// A road does not execute it.
    Refused,
    /// The roads leave other bytes in the buffers.
    Output,
    /// A road found a fault, so that its counters mean nothing.
    Fault,
}

/// A subject with trouble.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Troubled {
    /// Where it comes from.
    pub suite: Suite,
    /// The version, probe, source or file.
    pub subject: String,
    /// The case; empty where a subject has one only.
    pub case: String,
    /// What it is.
    pub trouble: Trouble,
    /// Details in a sentence.
    pub sentence: String,
    /// Why, where it is known.
    pub known: Option<String>,
}

/// What a corpus showed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Roads {
    /// Kernel by kernel.
    pub rows: Vec<Row>,
    /// What was not compared, or left other bytes.
    pub troubled: Vec<Troubled>,
}

impl Roads {
    /// Adds what another part of a corpus showed.
    pub fn extend(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.troubled.extend(other.troubled);
    }
}

/// Why a corpus could not be run at all. What one subject lacks is no reason: see [`Troubled`].
#[derive(Debug, thiserror::Error)]
pub enum RoadsError {
    /// There is no ptxas.
    #[error(transparent)]
    Sass(#[from] SassError),
    /// A list or record of the repository cannot be read.
    #[error("{0}")]
    File(String),
    /// A folder that was named cannot be read, or holds nothing to run.
    #[error("{0}")]
    Folder(String),
}

impl RoadsError {
    /// The exit code that a program should end with.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Sass(error) => error.exit_code(),
            Self::File(_) => sim::ErrorClass::Internal.exit_code(),
            Self::Folder(_) => sim::ErrorClass::Input.exit_code(),
        }
    }
}
