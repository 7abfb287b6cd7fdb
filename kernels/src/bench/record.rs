//! What a bench measured, and the files `truth/bench.<gpu>.json` that keep it.
//!
//! A record holds times and bytes, nothing that can be computed from them: rates and ratios are made when it is shown
//! ([`super::view`]).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::gpu::Times;

/// Version of the files' layout. A reader refuses any other.
pub const SCHEMA: u32 = 1;

/// What one GPU took for the workloads of some problems, or of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`] of the writer.
    pub schema: u32,
    /// Where the numbers come from.
    pub provenance: Provenance,
    /// How they were measured.
    pub method: Method,
    /// SHA-256 of the code of every problem's PTX ([`crate::ptx::code_sha256`]).
    pub code: BTreeMap<String, String>,
    /// How long copies took that read and wrote as many bytes together as a workload's least.
    pub copies: Vec<Copy>,
    /// What came of single-pass versions on every size from one tile to two.
    #[serde(default)]
    pub sweeps: Vec<Sweep>,
    /// One entry per problem, workload, and version or peer.
    pub rows: Vec<Row>,
}

/// A single-pass version on every size from one tile to two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// The problem.
    pub problem: String,
    /// The version.
    pub version: String,
    /// The smallest size: one tile.
    pub from: String,
    /// The largest: two.
    pub to: String,
    /// How many sizes were run, with the results that are expected.
    pub sizes: u64,
    /// The first size with another result, and what is wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
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
    /// Newest CUDA version that the driver supports.
    pub cuda: String,
    /// Version of CUB in the headers that the peers were compiled with; `None` when there are no peers.
    pub cub: Option<String>,
    /// Version of NPP, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub npp: Option<String>,
    /// Version of the nvcc that compiled them.
    pub nvcc: Option<String>,
    /// Why there are no peers, if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_peers: Option<String>,
    /// The day of the bench, in UTC: YYYY-MM-DD.
    pub date: String,
    /// Version of the program.
    pub warpbook: String,
}

/// How times were taken: by CUDA events around all launches of a version, the result being right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// Timed runs, of which the median counts.
    pub runs: u32,
    /// Untimed runs before them, the validated one not counted.
    pub warm_up: u32,
    /// After so many seconds a version gets no more runs, if it had three.
    pub seconds: f64,
    /// Bytes that are written, and bytes that are read, before every run, to empty the caches.
    pub scrub_bytes: u64,
}

/// The time of the driver's copy from device to device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copy {
    /// Bytes that are read and written, together.
    pub bytes: u64,
    /// How long that took.
    pub times: Times,
}

/// One version, or one algorithm of others, on one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The problem.
    pub problem: String,
    /// The workload's size: `2^28`.
    pub size: String,
    /// The number of elements.
    pub elements: u64,
    /// What an element is, in the plural.
    pub unit: String,
    /// What kind of data it was.
    pub data: String,
    /// The bytes that no algorithm can do without.
    pub bytes: u64,
    /// The version, or the other algorithm.
    pub version: String,
    /// Whether it is not ours.
    #[serde(default, skip_serializing_if = "is_false")]
    pub peer: bool,
    /// What came of it.
    pub outcome: Outcome,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// What came of a version on a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was right, and took this long.
    Timed(Times),
    /// It was not run.
    LeftOut {
        /// Why not.
        why: String,
    },
    /// It is faulty on purpose, its result was wrong, and it was not timed.
    Faulty {
        /// What is wrong with it.
        why: String,
    },
    /// It should be right and was not.
    Failed {
        /// The first wrong element, in a sentence.
        why: String,
    },
}

impl Outcome {
    /// The times, if there are any.
    pub const fn times(&self) -> Option<&Times> {
        if let Self::Timed(times) = self { Some(times) } else { None }
    }
}

/// A record that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BenchRecordError {
    /// The file is no record.
    #[error("{file} is not a record of a bench: {why}")]
    Format {
        /// The file.
        file: String,
        /// The JSON reader's reason.
        why: serde_json::Error,
    },
    /// The file was written by another version.
    #[error(
        "{file} has layout {found} and this program reads layout {SCHEMA}; make it again with `warpbook bench --record`"
    )]
    Schema {
        /// The file.
        file: String,
        /// The layout that the file says it has.
        found: u32,
    },
}

impl Record {
    /// The name of the record's file: `bench.h200.json`.
    pub fn file_name(&self) -> String {
        format!("bench.{}.json", crate::gpu::slug(&self.provenance.gpu))
    }

    /// Reads a record. `file` is its name for messages.
    ///
    /// # Errors
    /// [`BenchRecordError`].
    pub fn from_json(file: &str, text: &str) -> Result<Self, BenchRecordError> {
        /// What every layout has.
        #[derive(Deserialize)]
        struct Head {
            schema: u32,
        }
        let format = |why| BenchRecordError::Format { file: file.to_owned(), why };
        let Head { schema } = serde_json::from_str(text).map_err(format)?;
        if schema != SCHEMA {
            return Err(BenchRecordError::Schema { file: file.to_owned(), found: schema });
        }
        serde_json::from_str(text).map_err(format)
    }

    /// The record as it stands in its file: one row per line, so that a changed row is a changed line.
    pub fn to_json(&self) -> String {
        let own = "our own types have no maps with odd keys and no numbers that JSON lacks";
        let lines =
            |values: Vec<String>| values.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join(",\n");
        let copies = self.copies.iter().map(|copy| serde_json::to_string(copy).expect(own)).collect();
        let sweeps = self.sweeps.iter().map(|sweep| serde_json::to_string(sweep).expect(own)).collect();
        let rows = self.rows.iter().map(|row| serde_json::to_string(row).expect(own)).collect();
        format!(
            "{{\n  \"schema\": {},\n  \"provenance\": {},\n  \"method\": {},\n  \"code\": {},\n  \"copies\": [\n{}\n  ],\n  \
             \"sweeps\": [\n{}\n  ],\n  \"rows\": [\n{}\n  ]\n}}\n",
            self.schema,
            pretty(&self.provenance),
            pretty(&self.method),
            pretty(&self.code),
            lines(copies),
            lines(sweeps),
            lines(rows),
        )
    }

    /// The record to be written: the one in `folder` with what was measured now in its place, or this one where there is
    /// none.
    ///
    /// # Errors
    /// A sentence: the file cannot be read, or the two do not belong together ([`Record::renewed_by`]).
    pub fn into_record(self, folder: &Path) -> Result<Self, String> {
        let file = folder.join(self.file_name());
        let whole = crate::problem::all().iter().all(|problem| {
            (problem.bench)().iter().all(|workload| {
                self.rows.iter().any(|row| {
                    (&*row.problem, &*row.size, &*row.unit, &*row.data)
                        == (problem.name, &*workload.size, workload.unit, &*workload.data)
                })
            })
        });
        if whole || !file.exists() {
            return Ok(self);
        }
        let text = fs::read_to_string(&file).map_err(|why| format!("{}: {why}", file.display()))?;
        let old = Self::from_json(&file.display().to_string(), &text).map_err(|error| error.to_string())?;
        old.renewed_by(self)
    }

    /// Writes the record's file into `folder`, which is made when it is missing; the old one stays until the new one
    /// is whole.
    ///
    /// # Errors
    /// The file, and the operating system's reason.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, (PathBuf, io::Error)> {
        let file = folder.join(self.file_name());
        let new = file.with_extension("json.new");
        let write = || {
            fs::create_dir_all(folder)?;
            fs::write(&new, self.to_json())?;
            fs::rename(&new, &file)
        };
        write().map_err(|why| (file.clone(), why))?;
        Ok(file)
    }

    /// Puts what was measured into an older record of the same GPU: workloads and sweeps that were measured again take the
    /// place of the old ones.
    ///
    /// # Errors
    /// A sentence, when the two do not belong together: made on another GPU or in another way, or with rows of a problem
    /// that stay and whose code was another.
    pub fn renewed_by(mut self, new: Self) -> Result<Self, String> {
        let again = "record everything again: warpbook bench --record";
        let machine = |p: &Provenance| (p.gpu.clone(), p.driver.clone(), p.cub.clone(), p.nvcc.clone());
        let (old_machine, new_machine) = (machine(&self.provenance), machine(&new.provenance));
        // Workloads without a peer leave no version of CUB behind.
        if (&old_machine.0, &old_machine.1) != (&new_machine.0, &new_machine.1)
            || (new_machine.2.is_some() && (old_machine.2, old_machine.3) != (new_machine.2, new_machine.3))
        {
            return Err(format!("the record is of another GPU, driver, CUB or nvcc than this machine's; {again}"));
        }
        if self.method != new.method {
            return Err(format!("the record was measured in another way (runs, seconds); {again}"));
        }
        let is_new = |row: &Row| {
            new.rows.iter().any(|other| {
                (&row.problem, &row.size, &row.unit, &row.data)
                    == (&other.problem, &other.size, &other.unit, &other.data)
            })
        };
        self.rows.retain(|row| !is_new(row));
        let swept = |sweep: &Sweep| new.sweeps.iter().any(|other| other.version == sweep.version);
        self.sweeps.retain(|sweep| !swept(sweep));
        for (problem, code) in new.code {
            let stays = self.rows.iter().any(|row| row.problem == problem)
                || self.sweeps.iter().any(|sweep| sweep.problem == problem);
            if let Some(old) = self.code.insert(problem.clone(), code.clone())
                && old != code
                && stays
            {
                return Err(format!(
                    "the code of {problem} has changed since the record, and not all of it was measured now; \
                     warpbook bench {problem} --record"
                ));
            }
        }
        self.rows.extend(new.rows);
        self.sweeps.extend(new.sweeps);
        // As everything together would have been measured.
        let place = |name: &str| crate::problem::all().iter().position(|problem| problem.name == name);
        let workloads: Vec<_> = crate::problem::all()
            .iter()
            .flat_map(|problem| (problem.bench)().into_iter().map(|w| (problem.name, w.size, w.unit, w.data)))
            .collect();
        let of = |row: &Row| {
            workloads.iter().position(|(problem, size, unit, data)| {
                (*problem, &**size, *unit, &**data) == (&*row.problem, &*row.size, &*row.unit, &*row.data)
            })
        };
        self.rows.sort_by_cached_key(|row| (place(&row.problem), of(row).unwrap_or(usize::MAX)));
        self.sweeps.sort_by_key(|sweep| place(&sweep.problem));
        self.copies.retain(|old| new.copies.iter().all(|copy| copy.bytes != old.bytes));
        self.copies.extend(new.copies);
        let used = |copy: &Copy| self.rows.iter().any(|row| row.bytes == copy.bytes);
        self.copies.retain(used);
        self.copies.sort_by_key(|copy| copy.bytes);
        let npp = new.provenance.npp.clone().or(self.provenance.npp);
        let cub = new.provenance.cub.clone().or(self.provenance.cub);
        self.provenance = Provenance { npp, cub, ..new.provenance };
        Ok(self)
    }

    /// Problems whose code is another one today than when the record was made.
    pub fn outdated(&self) -> Vec<&str> {
        let now = |problem: &str| crate::ptx::committed(problem).map(|ptx| crate::ptx::code_sha256(ptx.text));
        self.code
            .iter()
            .filter(|(problem, code)| now(problem).as_ref() != Some(*code))
            .map(|(name, _)| &**name)
            .collect()
    }
}

/// A value as indented JSON, further indented to stand inside a record.
fn pretty(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).expect("our own types have no numbers that JSON lacks");
    text.replace('\n', "\n  ")
}

/// File names and texts of the records that this program was built with, in order of name.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bench.rs"));

/// The records that this program was built with, in order of file name.
///
/// # Errors
/// The first that cannot be used.
pub fn records() -> Result<&'static [Record], &'static BenchRecordError> {
    static RECORDS: OnceLock<Result<Vec<Record>, BenchRecordError>> = OnceLock::new();
    let read = || FILES.iter().map(|(file, text)| Record::from_json(file, text)).collect();
    RECORDS.get_or_init(read).as_deref()
}
