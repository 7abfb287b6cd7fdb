//! What Nsight Compute counts of launches that are planned: all metrics, or those that this `ncu` knows.

use std::ffi::OsString;

use super::profile::{self, Measured, Plan};
use crate::counters::{CONTEXT, EXACT};
use crate::ncu::{Instances, Ncu, NcuError};

/// Profiles `program`, which runs `plans` once each and in order. Returns the metrics of every launch of every plan,
/// and a note when something was left out.
///
/// # Errors
/// [`NcuError`] when the tool fails or its output does not fit the plans.
pub(super) fn profile(
    ncu: &Ncu,
    program: &[OsString],
    plans: &[Plan],
) -> Result<(Vec<Vec<Measured>>, Option<String>), NcuError> {
    let exact = EXACT.iter().map(|counter| counter.metric);
    match attempt(ncu, program, plans, &exact.clone().chain(CONTEXT).collect::<Vec<_>>()) {
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
            let measured = attempt(ncu, program, plans, &asked)?;
            let first = output.lines().find(|line| line.to_lowercase().contains("metric")).unwrap_or_default();
            let what =
                if refused.is_empty() { "those beside the exact counters".to_owned() } else { refused.join(", ") };
            Ok((measured, Some(format!("ncu refused metrics, so these were not recorded: {what} ({first})"))))
        }
        result => result.map(|measured| (measured, None)),
    }
}

fn attempt(ncu: &Ncu, program: &[OsString], plans: &[Plan], metrics: &[&str]) -> Result<Vec<Vec<Measured>>, NcuError> {
    ncu.launches(program, metrics, Instances::Sum, |launches| profile::attach(plans, launches))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// A script that behaves like `ncu`: writes `table` to the file after `--log-file`.
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
    fn success_failure_and_refusals_are_told_apart() {
        let cases = crate::cases::select(&["tile 64, 1 block"]).unwrap();
        let table = profile::tests::output(&cases);
        let folder = tempfile::tempdir().unwrap();
        let profile = |table: &str, rest: &str| {
            let ncu = pretend(folder.path(), table, rest);
            assert_eq!(ncu.version, "1.2");
            profile(&ncu, &["program".into()], &profile::tests::plans(&cases))
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
