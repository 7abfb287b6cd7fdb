//! Records of what a GPU counted while it ran the committed machine code: the files
//! `truth/machine/<problem>.<gpu>.json.gz`.
//!
//! They hold the counters of whole launches, and those of each machine instruction. [`crate::record`] writes them.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use serde::{Deserialize, Serialize};
use sim::report::Metrics;

use crate::case::{Case, Shape};

/// Version of the files' layout.
pub const SCHEMA: u32 = 1;

/// Their names and contents.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/machine.rs"));

/// What one GPU counted of all cases of one problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineRecord {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// The problem's name.
    pub problem: String,
    /// Where the numbers come from.
    pub provenance: MachineProvenance,
    /// The counters of launches that were read.
    pub counters: Vec<String>,
    /// How often every launch was profiled.
    pub profiles: u32,
    /// One entry per case.
    pub cases: Vec<MachineCase>,
}

/// Where the numbers come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineProvenance {
    /// The GPU's name, such as `NVIDIA H200`.
    pub gpu: String,
    /// Version of the GPU driver.
    pub driver: String,
    /// Version of Nsight Compute, which read the counters.
    pub ncu: String,
    /// Version of the ptxas that made the machine code.
    pub ptxas: String,
    /// SHA-256 of the cubin: a record of another one is out of date.
    pub cubin_sha256: String,
    /// The day of the recording, in UTC: YYYY-MM-DD.
    pub date: String,
}

/// What a GPU counted of one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineCase {
    /// The version.
    pub version: String,
    /// The case's name.
    pub case: String,
    /// Its launches: those that are alike in kernel and shape are one entry, at the place of the first.
    pub launches: Vec<MachineLaunch>,
}

/// What a GPU counted of the launches of a case that are alike, all of them together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineLaunch {
    /// The kernel.
    pub kernel: String,
    /// The launches' shape.
    #[serde(flatten)]
    pub shape: Shape,
    /// How many launches they are.
    pub times: u32,
    /// The counters, of the first profile; those that are 0 are left out.
    pub metrics: Metrics,
    /// The least and the most of all profiles, of counters that were not the same in all of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ranges: BTreeMap<String, [u64; 2]>,
    /// Counters of each instruction of the kernel, in the order of the code, of the first profile; those that are 0 for
    /// every instruction are left out.
    pub instructions: BTreeMap<String, Vec<u64>>,
    /// Numbers of the instructions of which a counter was not the same in all profiles, with the least and the most.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub instruction_ranges: BTreeMap<String, BTreeMap<usize, [u64; 2]>>,
}

impl MachineLaunch {
    /// The least and the most that the hardware counted; None if the counter was not read.
    #[must_use]
    pub fn range(&self, record: &MachineRecord, counter: &str) -> Option<[u64; 2]> {
        let value = self.metrics.get(counter).copied();
        let read = || record.counters.iter().any(|name| name == counter).then_some(0);
        let value = value.or_else(read)?;
        Some(self.ranges.get(counter).copied().unwrap_or([value; 2]))
    }
}

impl MachineRecord {
    /// The name of the record's file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.{}.json.gz", self.problem, crate::gpu::slug(&self.provenance.gpu))
    }

    /// What was recorded of a case.
    #[must_use]
    pub fn case(&self, case: &Case) -> Option<&MachineCase> {
        self.cases.iter().find(|recorded| recorded.version == case.version && recorded.case == case.name)
    }

    /// The committed record of a problem on a GPU, by its name in file names (`h200`).
    #[must_use]
    pub fn committed(problem: &str, gpu: &str) -> Option<Self> {
        let wanted = format!("{problem}.{gpu}.json.gz");
        FILES.iter().find(|(name, _)| *name == wanted).and_then(|(_, file)| Self::from_file(file))
    }

    /// Reads a file; None if it is no such record.
    #[must_use]
    pub fn from_file(file: &[u8]) -> Option<Self> {
        let mut text = String::new();
        GzDecoder::new(file).read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok().filter(|record: &Self| record.schema == SCHEMA)
    }

    /// The file's bytes.
    ///
    /// # Errors
    /// Those of the JSON writer.
    pub fn to_file(&self) -> std::io::Result<Vec<u8>> {
        let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
        encoder.write_all(&serde_json::to_vec(self)?)?;
        encoder.finish()
    }
}
