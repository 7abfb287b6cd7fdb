//! The versions of the workbook's problems as subjects of compute-sanitizer: each with all its smaller cases.

use std::collections::BTreeSet;

use super::{SanitizerError, Subject};
use crate::case::{Buffer, Case, Prepared};
use crate::gpu::Gpu;
use crate::verdict::Verdict;
use crate::{problem, ptx};

/// The largest case that is launched, in bytes of all its buffers: the tools make kernels a hundred times slower.
const MOST_BYTES: u64 = 1 << 20;

/// Every version of every problem, in the order of the book.
pub fn subjects_of_problems() -> Vec<Subject> {
    let mut subjects = Vec::new();
    for problem in problem::all() {
        let cases = (problem.cases)();
        let code = ptx::committed(problem.name).map(|ptx| ptx::code_sha256(ptx.text)).unwrap_or_default();
        for &version in problem.versions {
            let kinds: BTreeSet<String> =
                cases.iter().filter(|case| case.version == version).filter_map(finding).collect();
            subjects.push(Subject {
                name: version.to_owned(),
                digest: code.chars().take(12).collect(),
                kinds: Vec::from_iter(kinds).join(" "),
                argument: version.into(),
            });
        }
    }
    subjects
}

/// What the simulator finds in a case that is launched.
fn finding(case: &Case) -> Option<String> {
    match case.verdict {
        Verdict::Faulty { finding, .. } if is_small(&case.prepare()) => Some(finding.name().to_owned()),
        _ => None,
    }
}

fn is_small(case: &Prepared) -> bool {
    case.buffers.iter().map(Buffer::bytes).sum::<u64>() <= MOST_BYTES
}

/// Launches the smaller cases of a version, one after the other. What comes out is not looked at: a record of the
/// counters has seen to that.
///
/// # Errors
/// As its variants say. That the GPU stops a kernel is one of them.
pub fn launch_version(version: &str, gpu: u32) -> Result<(), SanitizerError> {
    let mut cases = crate::case::all();
    cases.retain(|case| case.version == version);
    let unknown = || SanitizerError::Version(version.to_owned());
    let ptx = ptx::committed(cases.first().ok_or_else(unknown)?.problem).ok_or_else(unknown)?;
    let gpu = Gpu::open(gpu)?;
    let kernels = gpu.load(ptx.text)?;
    for case in cases.iter().map(Case::prepare).filter(is_small) {
        kernels.run(&case.work()?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_there_once_and_has_a_small_case() {
        let subjects = subjects_of_problems();
        let names: BTreeSet<&str> = subjects.iter().map(|subject| &*subject.name).collect();
        assert_eq!(names.len(), subjects.len());
        let cases = crate::case::all();
        for name in names {
            let mut own = cases.iter().filter(|case| case.version == name);
            assert!(own.any(|case| is_small(&case.prepare())), "{name}");
        }
        assert!(subjects.iter().any(|subject| subject.kinds == "race"));
        assert!(matches!(launch_version("scan_of_nothing", 0), Err(SanitizerError::Version(_))));
    }
}
