//! Which workloads and versions are asked for, and what can go wrong with a bench.

use super::record::Row;
use super::workload::Workload;
use crate::gpu::GpuError;
use crate::problem::{self, Problem};

/// What to bench. An empty list means everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Names of problems.
    pub problems: Vec<String>,
    /// Parts of versions' names.
    pub versions: Vec<String>,
    /// Sizes as the tables have them: `2^28`, `268435456`, `8192x8192`.
    pub sizes: Vec<String>,
    /// Parts of the names of kinds of data.
    pub data: Vec<String>,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The GPU is missing or failed.
    #[error("{case}{error}")]
    Gpu {
        /// Which version and workload it was, with a colon; empty when it was none.
        case: String,
        /// What happened.
        error: GpuError,
    },
    /// Something was asked for that does not exist.
    #[error("there is no {what} `{asked}` to bench{}; there are {}", among(.problems), .known.join(", "))]
    Unknown {
        /// What kind of thing it is.
        what: &'static str,
        /// What was asked for.
        asked: String,
        /// The problems that were looked through, if not all.
        problems: Vec<String>,
        /// What there is.
        known: Vec<String>,
    },
    /// What was asked for exists, but not together.
    #[error("no workload has all of what was asked for; leave out one of size, version and data, or name another")]
    Nothing,
    /// The program has no PTX for the problem.
    #[error("this program was built without PTX for `{0}`")]
    NoPtx(String),
}

fn among(problems: &[String]) -> String {
    if problems.is_empty() { String::new() } else { format!(" among those of {}", problems.join(", ")) }
}

impl BenchError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Gpu { error, .. } => error.exit_code(),
            Self::Unknown { .. } | Self::Nothing => 2,
            Self::NoPtx(_) => 101,
        }
    }

    /// Whether it is because this machine has no GPU that can be used.
    pub const fn is_missing_gpu(&self) -> bool {
        matches!(self, Self::Gpu { error: GpuError::NoDriver | GpuError::NoDevice(_), .. })
    }
}

/// A size in one form: lower case, `x` for `×`, powers of two as digits.
fn plain(size: &str) -> String {
    let size = size.trim().to_lowercase().replace('×', "x");
    let power = size.strip_prefix("2^").and_then(|power| power.parse::<u32>().ok());
    power.and_then(|power| 1u64.checked_shl(power)).map_or(size, |elements| elements.to_string())
}

impl Selection {
    /// The problems that are asked for, each with its workloads, and each of these with the versions that are asked
    /// for. Peers are always there.
    ///
    /// # Errors
    /// [`BenchError::Unknown`] for the first name that nothing answers to, [`BenchError::Nothing`].
    pub fn select(&self) -> Result<Vec<(&'static Problem, Vec<Workload>)>, BenchError> {
        let mut selected = Vec::new();
        for name in &self.problems {
            if problem::find(name).is_none() {
                let known = problem::all().iter().map(|problem| problem.name.to_owned()).collect();
                return Err(BenchError::Unknown { what: "problem", asked: name.clone(), problems: Vec::new(), known });
            }
        }
        for problem in problem::all() {
            if self.problems.is_empty() || self.problems.iter().any(|name| name == problem.name) {
                selected.push((problem, (problem.bench)()));
            }
        }
        self.all_known(&selected)?;
        for (_, workloads) in &mut selected {
            workloads.retain(|workload| self.has_size(workload) && any(&self.data, &workload.data));
            for workload in workloads.iter_mut() {
                workload.runs.retain(|run| any(&self.versions, run.version));
            }
            workloads.retain(|workload| !workload.runs.is_empty());
        }
        selected.retain(|(_, workloads)| !workloads.is_empty());
        if selected.is_empty() { Err(BenchError::Nothing) } else { Ok(selected) }
    }

    /// What of a record is asked for; peers of a workload come with its versions.
    ///
    /// # Errors
    /// As for [`Selection::select`].
    pub fn rows(&self) -> Result<impl Fn(&Row) -> bool + use<>, BenchError> {
        let selected = self.select()?;
        Ok(move |row: &Row| {
            let of_row = |workload: &&Workload| {
                (&*workload.size, workload.unit, &*workload.data) == (&*row.size, &*row.unit, &*row.data)
            };
            let workloads =
                selected.iter().filter(|(problem, _)| problem.name == row.problem).flat_map(|(_, list)| list);
            workloads
                .filter(of_row)
                .any(|workload| row.peer || workload.runs.iter().any(|run| run.version == row.version))
        })
    }

    fn has_size(&self, workload: &Workload) -> bool {
        self.sizes.is_empty() || self.sizes.iter().any(|size| plain(size) == plain(&workload.size))
    }

    /// Whether every name that is asked for answers to something.
    fn all_known(&self, selected: &[(&Problem, Vec<Workload>)]) -> Result<(), BenchError> {
        let workloads = || selected.iter().flat_map(|(_, workloads)| workloads);
        let unknown = |what, asked: &String, known: Vec<String>| {
            let mut known = known;
            let mut seen = std::collections::HashSet::new();
            known.retain(|name| seen.insert(name.clone()));
            Err(BenchError::Unknown { what, asked: asked.clone(), problems: self.problems.clone(), known })
        };
        for size in &self.sizes {
            if !workloads().any(|workload| plain(&workload.size) == plain(size)) {
                return unknown("size", size, workloads().map(|workload| workload.size.clone()).collect());
            }
        }
        for data in &self.data {
            if !workloads().any(|workload| any(std::slice::from_ref(data), &workload.data)) {
                return unknown("data", data, workloads().map(|workload| workload.data.clone()).collect());
            }
        }
        for version in &self.versions {
            let versions = || selected.iter().flat_map(|(problem, _)| problem.versions);
            if !versions().any(|known| any(std::slice::from_ref(version), known)) {
                return unknown("version", version, versions().map(|&known| known.to_owned()).collect());
            }
        }
        Ok(())
    }
}

/// Whether one of `parts` is in `name`, upper and lower case being the same; always when there are none.
fn any(parts: &[String], name: &str) -> bool {
    parts.is_empty() || parts.iter().any(|part| name.to_lowercase().contains(&part.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(problems: &[&str], versions: &[&str], sizes: &[&str]) -> Selection {
        let owned = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
        Selection { problems: owned(problems), versions: owned(versions), sizes: owned(sizes), data: Vec::new() }
    }

    #[test]
    fn sizes_have_many_spellings() {
        assert_eq!(plain("2^28"), plain("268435456"));
        assert_eq!(plain("8192×8192"), plain(" 8192X8192"));
        assert_ne!(plain("2^28"), plain("2^20"));
        assert_eq!(plain("2^99"), "2^99");
    }

    #[test]
    fn what_is_asked_for_is_found_and_nothing_else() {
        assert_eq!(Selection::default().select().unwrap().len(), problem::all().len());
        let one = of(&["compaction"], &["lookback"], &["2^28"]).select().unwrap();
        assert_eq!(one.len(), 1);
        assert!(one[0].1.iter().all(|w| w.size == "2^28" && w.runs.len() == 1 && !w.peers.is_empty()));
    }

    #[test]
    fn what_does_not_exist_is_told_with_what_does() {
        let error = |selection: Selection| selection.select().err().expect("it is refused");
        let text = error(of(&["compactoin"], &[], &[])).to_string();
        assert!(text.contains("no problem `compactoin`") && text.contains("histogram"), "{text}");
        let text = error(of(&["compaction"], &[], &["2^27"])).to_string();
        assert!(text.contains("no size `2^27`") && text.contains("2^28") && text.contains("of compaction"), "{text}");
        let text = error(of(&[], &["lokback"], &[])).to_string();
        assert!(text.contains("no version `lokback`") && text.contains("compact_lookback"), "{text}");
        assert_eq!(error(of(&["scan"], &[], &["2^99"])).exit_code(), 2);
    }
}
