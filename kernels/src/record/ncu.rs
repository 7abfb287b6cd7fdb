//! Finding and running Nsight Compute's command line tool, `ncu`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::profile::{self, Measured, Plan};
use crate::counters::{CONTEXT, EXACT};
use crate::doctor;

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

impl Ncu {
    /// Finds `ncu`: at `given`, else where WARPBOOK_NCU says, else on the PATH, else where NVIDIA's installers put it.
    ///
    /// # Errors
    /// [`NcuError::Missing`] when it is in none of these places or does not run.
    pub fn find(given: Option<&Path>) -> Result<Self, NcuError> {
        let named = given.map(Path::to_owned).or_else(|| env::var_os("WARPBOOK_NCU").map(PathBuf::from));
        let nowhere = || NcuError::Missing("neither on the PATH nor where NVIDIA's installers put it".to_owned());
        let path = named.or_else(doctor::ncu_path).ok_or_else(nowhere)?;
        let version = version(&path).map_err(NcuError::Missing)?;
        Ok(Self { path, version })
    }

    /// Profiles `program`, which runs `plans` once each and in order. Returns the metrics of every launch of every plan,
    /// and a note when something was left out.
    ///
    /// # Errors
    /// [`NcuError`] when the tool fails or its output does not fit the plans.
    pub(super) fn profile(
        &self,
        program: &[OsString],
        plans: &[Plan],
    ) -> Result<(Vec<Vec<Measured>>, Option<String>), NcuError> {
        let exact = EXACT.iter().map(|counter| counter.metric);
        match self.attempt(program, plans, &exact.clone().chain(CONTEXT).collect::<Vec<_>>()) {
            // An older ncu or GPU may not know all metrics: the rest is worth trying. Without names in the message, those
            // that we do not compare are left out.
            Err(NcuError::Failed { output, .. }) if output.to_lowercase().contains("metric") => {
                let words: Vec<&str> = output
                    .split(|c: char| !c.is_alphanumeric() && !"_.".contains(c))
                    .map(|w| w.trim_matches('.'))
                    .collect();
                let named = |metric: &&str| words.contains(metric);
                let refused: Vec<&str> = exact.clone().chain(CONTEXT).filter(named).collect();
                let asked: Vec<&str> = match refused.as_slice() {
                    [] => exact.collect(),
                    refused => exact.chain(CONTEXT).filter(|metric| !refused.contains(metric)).collect(),
                };
                let measured = self.attempt(program, plans, &asked)?;
                let first = output.lines().find(|line| line.to_lowercase().contains("metric")).unwrap_or_default();
                let what =
                    if refused.is_empty() { "those beside the exact counters".to_owned() } else { refused.join(", ") };
                Ok((measured, Some(format!("ncu refused metrics, so these were not recorded: {what} ({first})"))))
            }
            result => result.map(|measured| (measured, None)),
        }
    }

    fn attempt(&self, program: &[OsString], plans: &[Plan], metrics: &[&str]) -> Result<Vec<Vec<Measured>>, NcuError> {
        self.launches(program, metrics, |launches| profile::attach(plans, launches))
    }

    /// Profiles all launches of `program` and gives them to `read`, in order. What that returns is returned; the error is
    /// a sentence.
    ///
    /// # Errors
    /// [`NcuError`] when the tool fails or `read` refuses its output.
    pub(crate) fn launches<T>(
        &self,
        program: &[OsString],
        metrics: &[&str],
        read: impl FnOnce(&[profile::Launch]) -> Result<T, String>,
    ) -> Result<T, NcuError> {
        let log = env::temp_dir().join(format!("warpbook-ncu-{}.csv", std::process::id()));
        let _ = fs::remove_file(&log); // an old one must not be taken for the new output
        let mut command = Command::new(&self.path);
        // Clocks stay as they are: our own times are taken without ncu, and counters do not depend on them.
        command.args(["--clock-control", "none", "--metrics"]).arg(metrics.join(","));
        // Kernels are called what they are called in the PTX, in C++ too.
        command.args(["--print-kernel-base", "mangled"]);
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
        let measured = profile::parse(&table).and_then(|launches| read(&launches));
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

/// Asks a program for its version. The error is a sentence part.
fn version(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let output = Command::new(path).arg("--version").output().map_err(|why| format!("{shown}: {why}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse_version(&text).ok_or_else(|| format!("{shown} --version does not name a version"))
}

/// Finds `2025.3.1.0` in `Version 2025.3.1.0 (build 36398880) (public-release)`.
fn parse_version(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.trim().strip_prefix("Version ")?.split_whitespace().next().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found() {
        let text = "NVIDIA (R) Nsight Compute Command Line Profiler\nCopyright (c) 2018-2025 NVIDIA Corporation\n\
                    Version 2025.3.1.0 (build 36398880) (public-release)\n";
        assert_eq!(parse_version(text).as_deref(), Some("2025.3.1.0"));
        assert_eq!(parse_version("something else"), None);
    }

    #[test]
    fn a_missing_ncu_is_named_with_its_place() {
        let error = Ncu::find(Some(Path::new("/no/such/ncu"))).unwrap_err();
        assert!(error.to_string().contains("/no/such/ncu") && error.to_string().contains("WARPBOOK_NCU"), "{error}");
    }

    /// A script that behaves like `ncu`: writes `table` to the file after `--log-file`.
    #[cfg(unix)]
    fn pretend(folder: &Path, table: &str, rest: &str) -> Ncu {
        use std::os::unix::fs::PermissionsExt;
        let (path, content) = (folder.join("ncu"), folder.join("table"));
        fs::write(&content, table).unwrap();
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Version 1.2 (build 3)'; exit; fi\nall=\"$*\"\n\
             while [ \"$1\" != --log-file ]; do shift; done\ncp '{}' \"$2\"\n{rest}\n",
            content.display()
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Ncu::find(Some(&path)).unwrap()
    }

    /// One after the other: the attempts of a process share a log file.
    #[test]
    #[cfg(unix)]
    fn success_failure_and_refusals_are_told_apart() {
        let cases = crate::case::select(&["tile 64, 1 block"]).unwrap();
        let table = profile::tests::output(&cases);
        let folder = tempfile::tempdir().unwrap();
        let profile = |table: &str, rest: &str| {
            let ncu = pretend(folder.path(), table, rest);
            assert_eq!(ncu.version, "1.2");
            ncu.profile(&["program".into()], &profile::tests::plans(&cases))
        };
        let (measured, note) = profile(&table, "").unwrap();
        assert_eq!((measured.len(), note), (cases.len(), None));

        let refused = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n";
        assert!(matches!(profile(refused, "exit 1"), Err(NcuError::Permission)));

        let error = profile("==ERROR== The application returned an error code (3).\n", "echo oops >&2; exit 3");
        let error = error.unwrap_err().to_string();
        assert!(error.contains("oops") && error.contains("error code (3)") && error.contains("--page"), "{error}");

        // The first attempt asks for context metrics and is refused, the second does not.
        let picky = "case \"$all\" in *launch__*) echo 'Failed to find metric launch__x'; exit 1;; esac";
        assert!(profile(&table, picky).unwrap().1.unwrap().contains("launch__x"));

        // One exact counter is refused by name: the others are asked for without it.
        let refused = EXACT[6].metric;
        let picky = format!("case \"$all\" in *{refused}*) echo 'Failed to find metric {refused}.'; exit 1;; esac");
        let (measured, note) = profile(&table.replace(refused, "x"), &picky).unwrap();
        assert!(note.unwrap().contains(refused));
        assert!(!measured[0][0].exact.contains_key(refused) && measured[0][0].exact.len() == EXACT.len() - 1);

        let error = profile("==PROF== Disconnected\n", "").unwrap_err();
        let NcuError::Output { log, .. } = &error else { panic!("{error}") };
        assert!(error.to_string().contains("no table"));
        fs::remove_file(log).unwrap();
    }
}
