//! The cases of all problems, and those that a name means.

use crate::case::Case;
use crate::problem;

/// All cases of all problems, in a fixed order.
pub fn all() -> Vec<Case> {
    problem::all().iter().flat_map(|problem| (problem.cases)()).collect()
}

/// No case answers to a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no problem, version or case is called `{name}`; there are {}", .known.join(", "))]
pub struct NoSuchCase {
    /// The name that was asked for.
    pub name: String,
    /// The names of the problems and versions.
    pub known: Vec<&'static str>,
}

/// The cases that answer to one of `names` (see [`matches()`]), in their fixed order; all cases when there are no
/// names.
///
/// # Errors
/// [`NoSuchCase`] for the first name that nothing answers to.
pub fn select<S: AsRef<str>>(names: &[S]) -> Result<Vec<Case>, NoSuchCase> {
    let cases = all();
    for name in names.iter().map(AsRef::as_ref) {
        if !cases.iter().any(|case| matches(case, name)) {
            let known = problem::all().iter().flat_map(|p| [p.name].into_iter().chain(p.versions.iter().copied()));
            return Err(NoSuchCase { name: name.to_owned(), known: known.collect() });
        }
    }
    let wanted = |case: &Case| names.is_empty() || names.iter().any(|name| matches(case, name.as_ref()));
    Ok(cases.into_iter().filter(wanted).collect())
}

/// Whether `name` is in the case's problem, version or name; upper and lower case are the same. The whole name of a
/// problem stands for that problem alone.
pub fn matches(case: &Case, name: &str) -> bool {
    let name = name.to_lowercase();
    if let Some(problem) = problem::find(&name) {
        return problem.name == case.problem;
    }
    [case.problem, case.version, &case.name, &case.to_string()].iter().any(|own| own.to_lowercase().contains(&name))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sim::Arg;

    use super::*;
    use crate::case::{Pass, Planned};

    #[test]
    fn every_case_has_a_name_of_its_own_and_outputs_that_are_poisoned() {
        let mut seen = HashSet::new();
        for case in all() {
            assert!(seen.insert((case.version, case.name.clone())), "{case} is there twice");
            assert!(!case.launches.is_empty(), "{case} launches nothing");
            for launch in &case.launches {
                let threads = launch.shape.block.count();
                assert!((1..=1024).contains(&threads), "{case} launches {threads} threads per block");
            }
        }
        for case in all().into_iter().filter(|case| case.blocks() < 100) {
            let prepared = case.prepare();
            assert_eq!(prepared, case.prepare(), "{case} is different every time");
            let planned: Vec<Planned> =
                prepared.steps.iter().map(|step| Planned { kernel: step.kernel, shape: step.shape }).collect();
            assert_eq!(planned, case.launches, "{case} launches something else than it says");
            let names: HashSet<&str> = prepared.buffers.iter().map(|buffer| buffer.name).collect();
            assert_eq!(names.len(), prepared.buffers.len(), "{case}: two buffers have one name");
            for step in &prepared.steps {
                let mut passed = HashSet::new();
                for arg in &step.args {
                    let Pass::Buffer(name) = arg else { continue };
                    assert!(names.contains(name), "{case}: there is no buffer `{name}`");
                    assert!(passed.insert(name), "{case}: `{name}` is passed twice to one launch");
                }
            }
            assert!(!prepared.expected.is_empty());
            for expected in &prepared.expected {
                let before = match &prepared.buffers[prepared.index(expected.buffer).expect("a buffer")].content {
                    Arg::Buffer(before) => before.to_vec(),
                    Arg::Zeros(bytes) | Arg::Uninit(bytes) => vec![0; *bytes as usize],
                    other => panic!("{case}: {other:?} is no buffer"),
                };
                assert_eq!(before.len(), expected.reference.len());
            }
            let before: Vec<Vec<u8>> = prepared
                .buffers
                .iter()
                .map(|buffer| if let Arg::Buffer(bytes) = &buffer.content { bytes.to_vec() } else { Vec::new() })
                .collect();
            assert!(!prepared.check(&before).right, "{case} would pass without running");
        }
    }

    #[test]
    fn cases_are_found_by_problem_kernel_and_name() {
        assert_eq!(select::<&str>(&[]).unwrap().len(), all().len());
        let scans = all().iter().filter(|case| case.problem == "scan").count();
        assert_eq!(select(&["SCAN"]).unwrap().len(), scans);
        let padded = select(&["scan_blelloch_padded"]).unwrap();
        assert!(!padded.is_empty() && padded.iter().all(|case| case.version == "scan_blelloch_padded"));
        assert!(select(&["scan_naive, tile 64,"]).unwrap().iter().all(|case| case.version == "scan_naive"));
        let error = select(&["scan_naive", "scann"]).unwrap_err().to_string();
        assert!(error.contains("`scann`") && error.contains("scan_blelloch_pairs"), "{error}");
    }
}
