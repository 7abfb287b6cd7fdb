//! The record of a GPU's results, `truth/isa.<gpu>.tsv`: a line per probe with a digest of all its results and the
//! results of a few threads, or all results where the simulator need not give the same bits.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest, Sha256};

use super::functions;
use super::operands::THREADS;
use super::probe::Probe;
use super::text::{Batch, Rows, batches, function_launch, rows_of};
use crate::gpu::{Gpu, GpuError, Properties};

/// Threads whose results stand beside the digest, so that a difference can be looked at.
pub const SAMPLES: [usize; 4] = [0, 64, 128, 192];

/// What a record knows of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// SHA-256 of all results, cut to 64 bits, and the results of the threads of [`SAMPLES`].
    Digest(u64, Vec<Vec<u64>>),
    /// All results.
    All(Rows),
    /// The driver's compiler does not know the form for this GPU.
    Refused,
}

/// A record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IsaRecord {
    /// What the head says: `gpu`, `driver`, `cuda`, `date` and so on.
    pub head: BTreeMap<String, String>,
    /// By the probe's name.
    pub entries: BTreeMap<String, Entry>,
}

/// Why there is no record.
#[derive(Debug, thiserror::Error)]
pub enum IsaRecordError {
    /// The GPU is missing or failed.
    #[error("{0}")]
    Gpu(#[from] GpuError),
    /// A file could not be written.
    #[error("cannot write {}: {why}", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The operating system's reason.
        why: io::Error,
    },
}

impl IsaRecordError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Gpu(error) => error.exit_code(),
            Self::Write { .. } => 2,
        }
    }
}

/// SHA-256 of all results, cut to 64 bits.
pub fn digest(rows: &[Vec<u64>]) -> u64 {
    let mut hash = Sha256::new();
    for value in rows.iter().flatten() {
        hash.update(value.to_le_bytes());
    }
    hash.finalize().iter().take(8).fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// What a record keeps of a probe's results.
pub fn entry(probe: &Probe, rows: Rows) -> Entry {
    if probe.tolerance.is_some() {
        return Entry::All(rows);
    }
    let samples = SAMPLES.map(|thread| rows.iter().map(|row| row[thread]).collect());
    Entry::Digest(digest(&rows), samples.into())
}

impl IsaRecord {
    /// The file's text.
    pub fn to_text(&self) -> String {
        let mut text = String::from(
            "# What every instruction form computes on a GPU. Written by `warpbook record --isa`, never by hand.\n\
             # A line: the probe, then a digest of its results and the results of four threads (outputs joined by\n\
             # commas), or `all` and every output's results of all threads.\n",
        );
        for (key, value) in &self.head {
            let _ = writeln!(text, "# {key}: {value}");
        }
        let tuple = |values: &[u64]| values.iter().map(|value| format!("{value:x}")).collect::<Vec<_>>().join(",");
        for (name, entry) in &self.entries {
            let _ = match entry {
                Entry::Refused => writeln!(text, "{name}\trefused"),
                Entry::Digest(digest, samples) => {
                    let samples: Vec<String> = samples.iter().map(|sample| tuple(sample)).collect();
                    writeln!(text, "{name}\t{digest:016x}\t{}", samples.join(" "))
                }
                Entry::All(rows) => {
                    let rows: Vec<String> = rows.iter().map(|row| tuple(row)).collect();
                    writeln!(text, "{name}\tall\t{}", rows.join(" "))
                }
            };
        }
        text
    }

    /// Reads a file's text; a line that is none of a record is an error that names it.
    ///
    /// # Errors
    /// The line's number and what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut record = Self::default();
        for (number, line) in text.lines().enumerate() {
            let wrong = |what: &str| format!("line {}: {what}", number + 1);
            if let Some(head) = line.strip_prefix("# ") {
                if let Some((key, value)) = head.split_once(": ").filter(|(key, _)| !key.contains(' ')) {
                    record.head.insert(key.to_owned(), value.to_owned());
                }
                continue;
            }
            let mut fields = line.split('\t');
            let (Some(name), Some(digest)) = (fields.next(), fields.next()) else {
                return Err(wrong("a probe and its digest are separated by a tab"));
            };
            let tuples = fields.next().unwrap_or_default().split(' ').filter(|tuple| !tuple.is_empty());
            let tuples = tuples
                .map(|tuple| tuple.split(',').map(|value| u64::from_str_radix(value, 16)).collect::<Result<_, _>>())
                .collect::<Result<Vec<Vec<u64>>, _>>()
                .map_err(|_| wrong("a result is not a hexadecimal number"))?;
            let entry = match digest {
                "refused" => Entry::Refused,
                "all" if tuples.iter().all(|row| row.len() == THREADS) => Entry::All(tuples),
                "all" => return Err(wrong("a row is not complete")),
                _ => {
                    let digest = u64::from_str_radix(digest, 16);
                    Entry::Digest(digest.map_err(|_| wrong("the digest is not a hexadecimal number"))?, tuples)
                }
            };
            record.entries.insert(name.to_owned(), entry);
        }
        Ok(record)
    }
}

/// A probe with its results; none when the driver's compiler does not know the form.
pub type Ran = (Probe, Option<Rows>);

/// Runs every probe on GPU number `ordinal`.
///
/// # Errors
/// [`GpuError`] when there is no GPU or it stops a probe. A form that the driver's compiler refuses is no error.
pub fn run(ordinal: u32, progress: &mut dyn FnMut(usize, usize)) -> Result<(Properties, Vec<Ran>), GpuError> {
    let gpu = Gpu::open(ordinal)?;
    let batches = batches(super::probes());
    let total = batches.len();
    let mut results = Vec::new();
    for (number, batch) in batches.into_iter().enumerate() {
        progress(number + 1, total);
        match run_batch(&gpu, &batch) {
            Ok(rows) => results.extend(batch.probes.into_iter().zip(rows).map(|(probe, rows)| (probe, Some(rows)))),
            // Whatever is refused must not take the others with it.
            Err(GpuError::Ptx { .. }) => {
                for probe in batch.probes {
                    let single = Batch { probes: vec![probe.clone()] };
                    match run_batch(&gpu, &single) {
                        Ok(mut rows) => results.push((probe, rows.pop())),
                        Err(GpuError::Ptx { .. }) => results.push((probe, None)),
                        Err(error) => return Err(error),
                    }
                }
            }
            Err(error) => return Err(error),
        }
    }
    let module = gpu.load(functions::PTX)?;
    for (kernel, probe) in functions::kernels() {
        let rows = rows_of(&module.run(&function_launch(kernel, &probe).work()?)?);
        results.push((probe, Some(rows)));
    }
    drop(module);
    Ok((gpu.properties().clone(), results))
}

fn run_batch(gpu: &Gpu, batch: &Batch) -> Result<Vec<Rows>, GpuError> {
    Ok(batch.results(&gpu.load(&batch.ptx())?.run(&batch.prepared().work()?)?))
}

/// What a recording did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsaSummary {
    /// The GPU.
    pub gpu: Properties,
    /// The record.
    pub file: PathBuf,
    /// Probes that ran.
    pub probes: usize,
    /// Forms that the driver's compiler refused.
    pub refused: Vec<String>,
}

/// Runs every probe on GPU number `ordinal` and writes the record into `folder`; with `everything`, all results of all
/// probes into that file too.
///
/// # Errors
/// [`IsaRecordError`].
pub fn record(
    ordinal: u32,
    folder: &Path,
    everything: Option<&Path>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<IsaSummary, IsaRecordError> {
    let (gpu, results) = run(ordinal, progress)?;
    let write = |file: &Path, text: String| {
        fs::write(file, text).map_err(|why| IsaRecordError::Write { file: file.to_owned(), why })
    };
    if let Some(file) = everything {
        let entries = results.iter().filter_map(|(probe, rows)| Some((probe.name.clone(), Entry::All(rows.clone()?))));
        write(file, IsaRecord { entries: entries.collect(), ..IsaRecord::default() }.to_text())?;
    }
    let refused: Vec<String> =
        results.iter().filter(|(_, rows)| rows.is_none()).map(|(probe, _)| probe.name.clone()).collect();
    let head = [
        ("gpu", gpu.name.clone()),
        ("compute_capability", gpu.compute_capability.clone()),
        ("driver", gpu.driver.clone()),
        ("cuda", gpu.cuda.clone()),
        ("date", time::OffsetDateTime::now_utc().date().to_string()),
        ("warpbook", env!("CARGO_PKG_VERSION").to_owned()),
        ("threads", THREADS.to_string()),
    ];
    let probes = results.len() - refused.len();
    let entries = results.into_iter().map(|(probe, rows)| {
        let kept = rows.map_or(Entry::Refused, |rows| entry(&probe, rows));
        (probe.name, kept)
    });
    let record = IsaRecord {
        head: head.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        entries: entries.collect(),
    };
    let file = folder.join(format!("isa.{}.tsv", gpu.slug()));
    fs::create_dir_all(folder).map_err(|why| IsaRecordError::Write { file: folder.to_owned(), why })?;
    write(&file, record.to_text())?;
    Ok(IsaSummary { gpu, file, probes, refused })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let mut record = IsaRecord::default();
        record.head.insert("gpu".to_owned(), "NVIDIA H200".to_owned());
        record.entries.insert("add.u32".to_owned(), Entry::Digest(7, vec![vec![1, 2], vec![3, 4]]));
        record.entries.insert("ex2.approx.f32".to_owned(), Entry::All(vec![vec![5; THREADS]]));
        record.entries.insert("tcgen05.mma".to_owned(), Entry::Refused);
        assert_eq!(IsaRecord::parse(&record.to_text()).unwrap(), record);
        assert_eq!(IsaRecord::parse("add.u32").unwrap_err(), "line 1: a probe and its digest are separated by a tab");
        assert_eq!(IsaRecord::parse("x\tall\t1,2").unwrap_err(), "line 1: a row is not complete");
    }
}
