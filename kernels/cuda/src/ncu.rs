//! Finding and running Nsight Compute's command line tool, `ncu`, and reading what it prints: `ncu --csv --page raw`.
//!
//! The output has a line of column names, a line of units, and a line per profiled launch. The tool's own messages
//! begin with `==` and can stand before and after. Numbers are quoted and have commas between their thousands.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use sim::Dim3;

use crate::nvrtc;

/// An `ncu` that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ncu {
    /// Where the program is.
    pub path: PathBuf,
    /// Its version, such as `2025.3.1.0`.
    pub version: String,
}

/// Why `ncu` did not give us counters.
#[derive(Debug, thiserror::Error)]
pub enum NcuError {
    /// It is not here.
    #[error(
        "Nsight Compute's `ncu` is not here ({0}). It is part of the CUDA toolkit and a download of its own at \
         https://developer.nvidia.com/nsight-compute; name its place with the environment variable WARPBOOK_NCU if it \
         is not on the PATH"
    )]
    Missing(String),
    /// The driver does not let this user read the hardware's counters.
    #[error(
        "the driver lets only administrators read the GPU's counters (ERR_NVGPUCTRPERM). Run the same command as root, \
         or let every user read them: put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into a file in \
         /etc/modprobe.d and restart; in a container, start it with --cap-add SYS_ADMIN. NVIDIA's page about this is \
         https://developer.nvidia.com/ERR_NVGPUCTRPERM"
    )]
    Permission,
    /// It ran and failed.
    #[error("`{command}` {ended}; it printed:\n{output}")]
    Failed {
        /// The command line.
        command: String,
        /// How it ended.
        ended: String,
        /// What it and the profiled program printed.
        output: String,
    },
    /// It ran, and its output is not what we expect.
    #[error("the output of ncu cannot be used: {why}. It is kept in {}", .log.display())]
    Output {
        /// What is wrong with it.
        why: String,
        /// Where the output is kept.
        log: PathBuf,
    },
}

/// One profiled launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profiled {
    /// The kernel.
    pub kernel: String,
    /// Its grid.
    pub grid: Dim3,
    /// Its blocks.
    pub block: Dim3,
    /// Value and unit by metric name.
    pub metrics: BTreeMap<String, (String, String)>,
    /// Of metrics that were asked for by instruction: each instruction's address and value.
    pub instances: BTreeMap<String, Vec<(u64, u64)>>,
}

/// What a profile tells of a metric that has a value for each instruction, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instances {
    /// The sum alone.
    Sum,
    /// The sum, and the value of each instruction.
    Each,
}

impl Profiled {
    /// A metric, when it was measured and is a whole number.
    pub fn number(&self, metric: &str) -> Option<u64> {
        let (value, unit) = self.metrics.get(metric)?;
        number(value, unit)
    }
}

impl Ncu {
    /// Finds `ncu`: at `given`, else where WARPBOOK_NCU says, else on the PATH, else where NVIDIA's installers put it.
    ///
    /// # Errors
    /// [`NcuError::Missing`] when it is in none of these places or does not run.
    pub fn find(given: Option<&Path>) -> Result<Self, NcuError> {
        let named = given.map(Path::to_owned).or_else(|| env::var_os("WARPBOOK_NCU").map(PathBuf::from));
        let nowhere = || NcuError::Missing("neither on the PATH nor where NVIDIA's installers put it".to_owned());
        let path = named.or_else(path).ok_or_else(nowhere)?;
        let version = version(&path).map_err(NcuError::Missing)?;
        Ok(Self { path, version })
    }

    /// Profiles all launches of `program` and gives them to `read`, in order. What that returns is returned; the error is
    /// a sentence.
    ///
    /// # Errors
    /// [`NcuError`] when the tool fails or `read` refuses its output.
    pub fn launches<T>(
        &self,
        program: &[OsString],
        metrics: &[&str],
        instances: Instances,
        read: impl FnOnce(&[Profiled]) -> Result<T, String>,
    ) -> Result<T, NcuError> {
        let log = env::temp_dir().join(format!("warpbook-ncu-{}.csv", std::process::id()));
        let _ = fs::remove_file(&log); // an old one must not be taken for the new output
        let mut command = Command::new(&self.path);
        // Clocks stay as they are: our own times are taken without ncu, and counters do not depend on them.
        command.args(["--clock-control", "none", "--metrics"]).arg(metrics.join(","));
        // Kernels are called what they are called in the PTX, in C++ too.
        command.args(["--print-kernel-base", "mangled"]);
        if instances == Instances::Each {
            command.args(["--print-metric-instances", "details"]);
        }
        command.args(["--csv", "--page", "raw", "--print-units", "base", "--log-file"]).arg(&log);
        command.args(program).env("LC_ALL", "C");
        let shown = format!("{command:?}").replace("LC_ALL=\"C\" ", "");
        let failed = |ended: String, output: String| NcuError::Failed { command: shown.clone(), ended, output };
        let ran = command.output().map_err(|why| failed("could not be started".to_owned(), why.to_string()))?;
        let table = fs::read_to_string(&log).unwrap_or_default();
        let messages: Vec<&str> = table.lines().filter(|line| line.starts_with("==")).collect();
        let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        let output = [&messages.join("\n"), out.trim_end(), err.trim_end()].join("\n");
        if output.contains("ERR_NVGPUCTRPERM") {
            return Err(NcuError::Permission);
        }
        if !ran.status.success() {
            return Err(failed(format!("ended with {}", ran.status), output));
        }
        let measured = parse(&table).and_then(|launches| read(&launches));
        match measured {
            Ok(measured) => {
                let _ = fs::remove_file(&log);
                Ok(measured)
            }
            Err(_) if output.contains("==ERROR==") => Err(failed("reported an error".to_owned(), output)),
            Err(why) => Err(NcuError::Output { why, log }),
        }
    }
}

/// Where `ncu` is: on PATH, else in a CUDA toolkit, else in a package of its own; the newest of several.
#[must_use]
pub fn path() -> Option<PathBuf> {
    let on_path = env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let in_toolkits: Vec<PathBuf> = nvrtc::toolkit_folders().into_iter().map(|folder| folder.join("bin")).collect();
    let own = fs::read_dir("/opt/nvidia/nsight-compute").into_iter().flatten().flatten();
    let mut own: Vec<PathBuf> = own.map(|entry| entry.path()).collect();
    own.sort();
    let folders: Vec<PathBuf> = [on_path, in_toolkits, own.into_iter().rev().collect()].concat();
    folders.into_iter().map(|folder| folder.join("ncu")).find(|path| path.is_file())
}

/// Asks a program for its version. The error is a sentence part.
fn version(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let output = Command::new(path).arg("--version").output().map_err(|why| format!("{shown}: {why}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse_version(&text).map(str::to_owned).ok_or_else(|| format!("{shown} --version does not name a version"))
}

/// Finds `2025.3.1.0` in `Version 2025.3.1.0 (build 36398880) (public-release)`.
pub(crate) fn parse_version(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.trim().strip_prefix("Version ")?.split_whitespace().next())
}

/// Reads all launches, in the order in which they were profiled.
///
/// # Errors
/// A sentence that says why the output is not such a table.
pub fn parse(output: &str) -> Result<Vec<Profiled>, String> {
    let table = output.lines().skip_while(|line| !line.starts_with("\"ID\","));
    let table: Vec<&str> = table.filter(|line| !line.starts_with("==")).collect();
    if table.is_empty() {
        return Err("the output has no table: no line begins with \"ID\"".to_owned());
    }
    let table = table.join("\n");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let names = reader.headers().map_err(|why| why.to_string())?.clone();
    let column =
        |name: &str| names.iter().position(|n| n == name).ok_or_else(|| format!("the table has no column \"{name}\""));
    let (id, kernel) = (column("ID")?, column("Kernel Name")?);
    let (block, grid) = (column("Block Size")?, column("Grid Size")?);
    let mut units = csv::StringRecord::new();
    let mut launches = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|why| why.to_string())?;
        if row[id].is_empty() {
            units = row; // the line of units has no launch number
            continue;
        }
        let cells = names.iter().zip(row.iter()).enumerate();
        // Metrics of instructions are called `inst_executed` and the like, without a unit of the GPU in front.
        let of_metrics = cells.filter(|(_, (name, _))| name.contains('_') && !name.contains(' '));
        let (mut metrics, mut instances) = (BTreeMap::new(), BTreeMap::new());
        for (i, (name, cell)) in of_metrics {
            let (value, each) = cell.split_once(" (").unwrap_or((cell, ""));
            if let Some(each) = by_address(each) {
                instances.insert(name.to_owned(), each);
            }
            let unit = units.get(i).unwrap_or_default();
            metrics.insert(name.to_owned(), (value.to_owned(), unit.to_owned()));
        }
        launches.push(Profiled {
            // A C++ kernel is printed with its parameter list.
            kernel: row[kernel].split('(').next().unwrap_or_default().trim().to_owned(),
            grid: extent(&row[grid])?,
            block: extent(&row[block])?,
            metrics,
            instances,
        });
    }
    Ok(launches)
}

/// Reads `0x7f712b7a0000: 192; 0x7f712b7a0010: 1,410)`; None if it is something else.
fn by_address(text: &str) -> Option<Vec<(u64, u64)>> {
    let each = text.strip_suffix(')')?.split("; ").map(|pair| {
        let (address, value) = pair.split_once(": ")?;
        let address = u64::from_str_radix(address.strip_prefix("0x")?, 16).ok()?;
        Some((address, value.replace(',', "").parse().ok()?))
    });
    each.collect()
}

/// Reads `(8, 1, 1)`.
fn extent(text: &str) -> Result<Dim3, String> {
    let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
    let parts: Result<Vec<u32>, _> = inner.split(',').map(|part| part.trim().parse()).collect();
    match parts.as_deref() {
        Ok(&[x, y, z]) => Ok(Dim3::new(x, y, z)),
        _ => Err(format!("`{text}` is not the extent of a grid or block")),
    }
}

/// Reads `16,376`. Refuses fractions and scaled units (`Kbyte`, `us`): a rounded number is no exact counter.
pub fn number(value: &str, unit: &str) -> Option<u64> {
    let scaled =
        unit.starts_with(['K', 'M', 'G', 'T']) || ["us", "ms", "s", "usecond", "msecond", "second"].contains(&unit);
    if scaled { None } else { value.replace(',', "").parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found() {
        let text = "NVIDIA (R) Nsight Compute Command Line Profiler\nCopyright (c) 2018-2025 NVIDIA Corporation\n\
                    Version 2025.3.1.0 (build 36398880) (public-release)\n";
        assert_eq!(parse_version(text), Some("2025.3.1.0"));
        assert_eq!(parse_version("command not found"), None);
    }

    #[test]
    fn a_missing_ncu_is_named_with_its_place() {
        let error = Ncu::find(Some(Path::new("/no/such/ncu"))).unwrap_err();
        assert!(error.to_string().contains("/no/such/ncu") && error.to_string().contains("WARPBOOK_NCU"), "{error}");
    }

    #[test]
    fn rounded_values_are_refused() {
        assert_eq!(number("16,376", "inst"), Some(16_376));
        assert_eq!(number("0", ""), Some(0));
        assert_eq!(number("1.64", "Kbyte"), None);
        assert_eq!(number("12", "Kbyte"), None);
        assert_eq!(number("2.46", "us"), None);
        assert_eq!(number("n/a", ""), None);
    }

    #[test]
    fn values_of_instructions_are_read() {
        assert_eq!(by_address("0x10: 192; 0x20: 1,410)"), Some(vec![(16, 192), (32, 1410)]));
        assert_eq!(by_address("6: 0)"), None);
        let table = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"inst_executed\"\n\"\",\"\",\"\",\"\",\"inst\"\n\
                     \"0\",\"k\",\"(64, 1, 1)\",\"(3, 1, 1)\",\"1,410 (0x10: 6; 0x20: 0)\"\n";
        let launches = parse(table).unwrap();
        assert_eq!(launches[0].number("inst_executed"), Some(1410));
        assert_eq!(launches[0].instances["inst_executed"], [(16, 6), (32, 0)]);
    }

    #[test]
    fn output_without_a_table_is_refused() {
        assert!(parse("==ERROR== something\n").unwrap_err().contains("no table"));
        assert!(parse("\"ID\",\"Block Size\"\n").unwrap_err().contains("Kernel Name"));
        assert!(extent("(1, 2)").is_err());
    }
}
