//! Which workloads and versions are asked for, and what can go wrong with a bench.

use super::record::Row;
use crate::gpu::GpuError;
use crate::problem::{self, Problem};
use crate::workload::{SinglePass, Size, Workload};

/// What to bench. An empty list means everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Names of problems.
    pub problems: Vec<String>,
    /// Parts of versions' names.
    pub versions: Vec<String>,
    /// Sizes: those of the tables, or any other: `2^28`, `268435463`, `8192x8192`.
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
    /// A problem has no inputs of a size.
    #[error("{problem} cannot be benched at size `{size}`: {why}")]
    Size {
        /// The problem.
        problem: String,
        /// What was asked for.
        size: String,
        /// Why not, as a sentence.
        why: String,
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
            Self::Unknown { .. } | Self::Size { .. } | Self::Nothing => sim::ErrorClass::Input.exit_code(),
            Self::NoPtx(_) => sim::ErrorClass::Internal.exit_code(),
        }
    }

    /// Whether it is because this machine has no GPU that can be used.
    pub const fn is_missing_gpu(&self) -> bool {
        matches!(self, Self::Gpu { error: GpuError::NoDriver | GpuError::NoDevice(_), .. })
    }
}

/// Whether two sizes are the same, however they are written.
fn same(a: &str, b: &str) -> bool {
    Size::parse(a).is_some_and(|size| Some(size) == Size::parse(b))
}

impl Selection {
    /// The problems that are asked for, each with its workloads, and each of these with the versions that are asked
    /// for. Peers are always there. A size that no table has gets workloads of its own.
    ///
    /// # Errors
    /// [`BenchError::Unknown`] for the first name that nothing answers to, [`BenchError::Size`],
    /// [`BenchError::Nothing`].
    pub fn select(&self) -> Result<Vec<(&'static Problem, Vec<Workload>)>, BenchError> {
        self.among(true)
    }

    /// The single-pass versions of a problem that are asked for.
    pub(super) fn single_passes(&self, problem: &Problem) -> impl Iterator<Item = SinglePass> {
        (problem.single_pass)().into_iter().filter(|pass| any(&self.versions, pass.version))
    }

    /// The same, with sizes that no table has only where `any_size` says so: nothing was recorded for them.
    fn among(&self, any_size: bool) -> Result<Vec<(&'static Problem, Vec<Workload>)>, BenchError> {
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
        if any_size {
            self.make_sizes(&mut selected)?;
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
        let selected = self.among(false)?;
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
        self.sizes.is_empty() || self.sizes.iter().any(|size| same(size, &workload.size))
    }

    /// Adds workloads of the sizes that no table of the problems has.
    fn make_sizes(&self, selected: &mut [(&'static Problem, Vec<Workload>)]) -> Result<(), BenchError> {
        let is_listed = |size: &&String| {
            selected.iter().flat_map(|(_, workloads)| workloads).any(|workload| same(&workload.size, size))
        };
        let others: Vec<&String> = self.sizes.iter().filter(|size| !is_listed(size)).collect();
        for text in others {
            let Some(size) = Size::parse(text) else { continue };
            let (mut made, mut refused) = (false, None);
            for (problem, workloads) in selected.iter_mut() {
                match (problem.bench_of)(size) {
                    Ok(more) => {
                        workloads.extend(more);
                        made = true;
                    }
                    Err(why) => refused = refused.or(Some((problem.name, why))),
                }
            }
            if let (false, Some((problem, why))) = (made, refused) {
                return Err(BenchError::Size { problem: problem.to_owned(), size: text.clone(), why });
            }
        }
        Ok(())
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
            if !workloads().any(|workload| same(&workload.size, size)) {
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
        assert!(same("2^28", "268435456") && same("8192×8192", " 8192X8192") && same("2^28+7", "268435463"));
        assert!(!same("2^28", "2^20") && !same("2^99", "2^99"));
    }

    #[test]
    fn what_is_asked_for_is_found_and_nothing_else() {
        assert_eq!(Selection::default().select().unwrap().len(), problem::all().len());
        let one = of(&["compaction"], &["lookback"], &["2^28"]).select().unwrap();
        assert_eq!(one.len(), 1);
        assert!(one[0].1.iter().all(|w| w.size == "2^28" && w.runs.len() == 1 && !w.peers.is_empty()));
    }

    /// Any size can be asked for, and a version that does not take it says why.
    #[test]
    fn other_sizes_are_made_and_refused_by_the_versions() {
        let made = of(&["compaction"], &["lookback"], &["1000"]).select().unwrap();
        assert!(made[0].1.iter().all(|w| w.elements == 1000 && w.runs.len() == 1 && !w.runs[0].is_left_out()));
        let refusals = [
            ("reduction", "2^32", "at most 4294966272"),
            ("scan", "2^31", "from 0 to 2147483647"),
            ("array_scan", "2^32", "cannot be scanned"),
            ("compaction", "2^32", "cannot be compacted"),
            ("histogram", "2^32+5", "a bin counts up to 4294967295"),
            ("merge_sort", "2^31+1", "length of two runs"),
            ("radix_sort", "2^32", "too many for"),
            ("summed_area_table", "1048577x1", "no summed-area table"),
            ("copy", "2097121x4", "at most 65535 rows"),
        ];
        for (problem, size, why) in refusals {
            let made = of(&[problem], &[], &[size]).select().unwrap_or_else(|error| panic!("{error}"));
            let runs = made[0].1.iter().flat_map(|workload| &workload.runs);
            let refused = runs.filter_map(|run| run.launches().err()).any(|text| text.contains(why));
            assert!(refused, "{problem} takes {size}");
        }
        let error = of(&["reduce_by_key"], &[], &["2^32"]).select().err().expect("it is refused").to_string();
        assert!(error.contains("indices are unsigned ints"), "{error}");
    }

    #[test]
    fn what_does_not_exist_is_told_with_what_does() {
        let error = |selection: Selection| selection.select().err().expect("it is refused");
        let text = error(of(&["compactoin"], &[], &[])).to_string();
        assert!(text.contains("no problem `compactoin`") && text.contains("histogram"), "{text}");
        let text = error(of(&["compaction"], &[], &["2^"])).to_string();
        assert!(text.contains("no size `2^`") && text.contains("2^28") && text.contains("of compaction"), "{text}");
        let text = of(&["compaction"], &[], &["2^27"]).rows().err().expect("nothing is recorded").to_string();
        assert!(text.contains("no size `2^27`"), "{text}");
        let text = error(of(&["compaction"], &[], &["8x8"])).to_string();
        assert!(text.contains("its inputs are arrays") && text.contains("8×8"), "{text}");
        let text = error(of(&[], &["lokback"], &[])).to_string();
        assert!(text.contains("no version `lokback`") && text.contains("compact_lookback"), "{text}");
        assert_eq!(error(of(&["scan"], &[], &["2^99"])).exit_code(), 2);
    }
}
