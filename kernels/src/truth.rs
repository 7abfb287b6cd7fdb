//! Records of what a real GPU did: the files `truth/<problem>.<gpu>.json`.
//!
//! A record is written by [`crate::record`] and read by [`crate::compare`]. Writing what was read gives the same bytes.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use sim::report::Metrics;

use crate::case::{Case, Output, Planned, Shape};
use crate::gpu::{Resources, Times};

/// Version of the files' layout. A reader refuses any other.
pub const SCHEMA: u32 = 3;

/// What one GPU did with all cases of one problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// The problem's name.
    pub problem: String,
    /// Where the numbers come from.
    pub provenance: Provenance,
    /// The exact counters that were recorded. Of others the record says nothing.
    pub counters: Vec<String>,
    /// How often every launch was profiled. Records of a single profile, as all were at first, do not say so: they cannot
    /// tell what the hardware does not repeat.
    #[serde(default = "once")]
    pub profiles: u32,
    /// One entry per case, in the order of [`crate::cases::all`].
    pub cases: Vec<CaseRecord>,
}

/// The number of profiles of a record that does not name it.
const fn once() -> u32 {
    1
}

/// Where a record's numbers come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The GPU's name, such as `NVIDIA H200`.
    pub gpu: String,
    /// Its compute capability, such as `9.0`.
    pub compute_capability: String,
    /// Number of SMs.
    pub sm_count: u32,
    /// Version of the GPU driver.
    pub driver: String,
    /// Newest CUDA version that the driver supports. Its compiler made the machine code from the PTX.
    pub cuda: String,
    /// Version of Nsight Compute, which read the counters.
    pub ncu: String,
    /// Version of NVRTC, which made the PTX.
    pub nvrtc: String,
    /// SHA-256 of the PTX's code ([`crate::ptx::code_sha256`]): a record of other code is out of date.
    pub code_sha256: String,
    /// SHA-256 of the CUDA source as it was when the record was made.
    pub source_sha256: String,
    /// `9.0 lowered to 8.5` when the driver did not know the PTX's version and got it with an older one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ptx_version: Option<String>,
    /// The day of the recording, in UTC: YYYY-MM-DD.
    pub date: String,
    /// Version of the program that recorded.
    pub warpbook: String,
}

impl Provenance {
    /// The GPU's name as it stands in file names.
    pub fn slug(&self) -> String {
        crate::gpu::slug(&self.gpu)
    }

    /// The GPU's name without its maker's: `H200`.
    pub fn short_gpu(&self) -> &str {
        self.gpu.strip_prefix("NVIDIA ").unwrap_or(&self.gpu)
    }
}

/// What a GPU did with one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// The version.
    pub version: String,
    /// The case's name.
    pub case: String,
    /// Digest of every output.
    pub outputs: Vec<Output>,
    /// Whether the outputs were within tolerance of the CPU reference.
    pub right: bool,
    /// The largest difference from the CPU reference.
    pub max_error: f64,
    /// How long the launches took together, by CUDA events.
    pub times: Times,
    /// The launches: those that are alike in kernel and shape are one entry, at the place of the first.
    pub launches: Vec<LaunchRecord>,
}

/// What a GPU did with the launches of a case that are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchRecord {
    /// The kernel.
    pub kernel: String,
    /// The launches' shape.
    #[serde(flatten)]
    pub shape: Shape,
    /// How many launches they are.
    pub times: u32,
    /// Each of [`Record::counters`], all launches together, of the first profile. In the file those that are 0 are left
    /// out.
    pub metrics: Metrics,
    /// The least and the most of several profiles, of counters that were not the same in all of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ranges: BTreeMap<String, [u64; 2]>,
    /// Other metrics, which are never compared: [`crate::counters::CONTEXT`]. All launches together, except for
    /// resources, which are those of one.
    pub context: Metrics,
    /// What the kernel needed of an SM.
    pub resources: Resources,
}

impl CaseRecord {
    /// An exact counter of all launches together; `None` when a launch lacks it.
    pub fn metric(&self, name: &str) -> Option<u64> {
        self.launches.iter().map(|launch| launch.metrics.get(name).copied()).sum()
    }

    /// The least and the most of an exact counter of all launches together; `None` when it was the same in all profiles.
    pub fn range(&self, name: &str) -> Option<[u64; 2]> {
        self.launches.iter().find(|launch| launch.ranges.contains_key(name))?;
        let of = |launch: &LaunchRecord| {
            let value = launch.metrics.get(name).copied().unwrap_or(0);
            launch.ranges.get(name).copied().unwrap_or([value; 2])
        };
        let ranges = self.launches.iter().map(of);
        Some(ranges.fold([0, 0], |[least, most], [more_least, more_most]| [least + more_least, most + more_most]))
    }

    /// The exact counters of all launches together.
    pub fn metrics(&self) -> Metrics {
        let mut sum = Metrics::new();
        for (name, value) in self.launches.iter().flat_map(|launch| &launch.metrics) {
            *sum.entry(name.clone()).or_default() += value;
        }
        sum
    }

    /// How the recorded launches differ from those of the case as it is now; `None` when they do not.
    pub fn other_launches(&self, case: &Case) -> Option<String> {
        let now = alike(&case.launches);
        let then: Vec<(&str, Shape, u32)> = self.launches.iter().map(|l| (&*l.kernel, l.shape, l.times)).collect();
        let text = |list: &[(&str, Shape, u32)]| {
            let launch = |(kernel, shape, times): &(&str, Shape, u32)| format!("{kernel} with {shape} ({times}×)");
            list.iter().map(launch).collect::<Vec<_>>().join(", ")
        };
        (then != now).then(|| format!("`{case}` launched {} and now launches {}", text(&then), text(&now)))
    }
}

/// Launches grouped by kernel and shape, in the order of the first of each group, with the number in each group.
pub fn alike(launches: &[Planned]) -> Vec<(&'static str, Shape, u32)> {
    let mut groups: Vec<(&'static str, Shape, u32)> = Vec::new();
    for &Planned { kernel, shape } in launches {
        match groups.iter_mut().find(|group| (group.0, group.1) == (kernel, shape)) {
            Some(group) => group.2 += 1,
            None => groups.push((kernel, shape, 1)),
        }
    }
    groups
}

/// A record that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TruthError {
    /// The file cannot be read.
    #[error("cannot read the record {file}: {why}")]
    Read {
        /// The file.
        file: String,
        /// The operating system's reason.
        why: std::io::Error,
    },
    /// The file is no record.
    #[error("{file} is not a record of a GPU: {why}")]
    Format {
        /// The file.
        file: String,
        /// The JSON reader's reason.
        why: serde_json::Error,
    },
    /// The file was written by another version.
    #[error(
        "{file} has layout {found} and this program reads layout {SCHEMA}; \
         record it again with `warpbook record {problem}` on a machine with a GPU"
    )]
    Schema {
        /// The file.
        file: String,
        /// The layout that the file says it has.
        found: u32,
        /// The problem that the file is about.
        problem: String,
    },
}

impl Record {
    /// The name of the record's file: `scan.h200.json`.
    pub fn file_name(&self) -> String {
        format!("{}.{}.json", self.problem, self.provenance.slug())
    }

    /// Reads a record. `file` is its name for messages.
    ///
    /// # Errors
    /// [`TruthError::Format`] or [`TruthError::Schema`].
    pub fn from_json(file: &str, text: &str) -> Result<Self, TruthError> {
        /// What every layout has.
        #[derive(Deserialize)]
        struct Head {
            schema: u32,
            problem: String,
        }
        let format = |why| TruthError::Format { file: file.to_owned(), why };
        let Head { schema, problem } = serde_json::from_str(text).map_err(format)?;
        if schema != SCHEMA {
            return Err(TruthError::Schema { file: file.to_owned(), found: schema, problem });
        }
        let mut record: Self = serde_json::from_str(text).map_err(format)?;
        for launch in record.cases.iter_mut().flat_map(|case| &mut case.launches) {
            for counter in &record.counters {
                launch.metrics.entry(counter.clone()).or_insert(0);
            }
        }
        Ok(record)
    }

    /// Reads a record from a file.
    ///
    /// # Errors
    /// [`TruthError`] when the file cannot be read or is no record.
    pub fn read(path: &Path) -> Result<Self, TruthError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|why| TruthError::Read { file: file.clone(), why })?;
        Self::from_json(&file, &text)
    }

    /// The record as it stands in its file: readable, and one case per line, so that a changed case is a changed line.
    pub fn to_json(&self) -> String {
        let own = "our own types have no maps with odd keys and no numbers that JSON lacks";
        let text = |value: &str| serde_json::to_string(value).expect(own);
        let provenance = serde_json::to_string_pretty(&self.provenance).expect(own).replace('\n', "\n  ");
        let counters = serde_json::to_string_pretty(&self.counters).expect(own).replace('\n', "\n  ");
        let without_zeros = |case: &CaseRecord| {
            let mut case = case.clone();
            for launch in &mut case.launches {
                launch.metrics.retain(|_, value| *value > 0);
            }
            case
        };
        let line = |case| format!("    {}", serde_json::to_string(&without_zeros(case)).expect(own));
        let cases: Vec<String> = self.cases.iter().map(line).collect();
        // A record of a single profile looks as all records once did.
        let profiles = if self.profiles == 1 { String::new() } else { format!("  \"profiles\": {},\n", self.profiles) };
        format!(
            "{{\n  \"schema\": {},\n  \"problem\": {},\n  \"provenance\": {provenance},\n  \"counters\": {counters},\n\
             {profiles}  \"cases\": [\n{}\n  ]\n}}\n",
            self.schema,
            text(&self.problem),
            cases.join(",\n"),
        )
    }

    /// What the GPU did with a case, if it is in the record.
    pub fn case(&self, case: &Case) -> Option<&CaseRecord> {
        self.cases.iter().find(|record| record.version == case.version && record.case == case.name)
    }
}

/// File names and texts of the records that this program was built with, in order of name.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/truth.rs"));

/// The records that this program was built with, in order of file name.
///
/// # Errors
/// The first that cannot be used.
pub fn records() -> Result<&'static [Record], &'static TruthError> {
    static RECORDS: OnceLock<Result<Vec<Record>, TruthError>> = OnceLock::new();
    let read = || FILES.iter().map(|(file, text)| Record::from_json(file, text)).collect();
    RECORDS.get_or_init(read).as_deref()
}

/// Registers of a thread by kernel, as the GPU's driver told them when counters were recorded.
pub fn registers() -> HashMap<String, u32> {
    let records = records().unwrap_or_default();
    let launches = records.iter().flat_map(|record| &record.cases).flat_map(|case| &case.launches);
    launches.map(|launch| (launch.kernel.clone(), launch.resources.registers)).collect()
}

#[cfg(test)]
pub(crate) mod tests;
