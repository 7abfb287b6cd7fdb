//! Kernels that are wrong on purpose, and are known to be: what the simulator says of them.

use std::collections::BTreeMap;

use kernels::case::Case;
use kernels::simulate;
use kernels::verdict::Verdict;
use sim::report::{Report, text};

use crate::runs::Wrong;

/// Simulates a case that must be wrong, and collects what is said of it.
///
/// # Errors
/// A sentence when the case is not known to be wrong, or shows something else than what is known.
pub(crate) fn run(case: &Case) -> Result<Wrong, String> {
    let (why, kind) = match case.verdict {
        Verdict::Right => {
            return Err(format!("nothing is known to be wrong with {case}; `counters` and `compare` show such a case"));
        }
        Verdict::Wrong { why } => (why, None),
        Verdict::Faulty { finding, why } => (why, Some(finding.name().to_owned())),
    };
    let prepared = case.prepare();
    let simulated = simulate::run(case, &prepared).map_err(|error| error.to_string())?;
    let found: Vec<_> = simulated.reports.iter().flat_map(Report::errors).collect();
    if !case.verdict.finds(found.iter().map(|finding| finding.kind)) {
        let kinds: Vec<_> = found.iter().map(|finding| finding.kind.name()).collect();
        return Err(format!("{case} is known to be wrong, but not like this: the findings are [{}]", kinds.join(", ")));
    }
    let check = prepared.check(&simulated.contents);
    if !case.verdict.allows(check.right) {
        return Err(format!("{case} is known to be wrong, but its result is right"));
    }
    let file = format!("{}.cu", case.problem);
    // The PTX names its source by a path that is this program's business alone.
    let sources: BTreeMap<String, String> = (found.iter().map(|finding| finding.file.clone()))
        .filter_map(|path| Some((path, kernels::ptx::committed(case.problem)?.source.to_owned())))
        .collect();
    Ok(Wrong {
        file,
        kind,
        why: why.to_owned(),
        findings: found.iter().map(|finding| text::finding(finding, &sources)).collect(),
        result: if check.right { None } else { check.first },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smallest(is: impl Fn(&Verdict) -> bool) -> Case {
        let cases = kernels::cases::all().into_iter().filter(|case| is(&case.verdict));
        cases.min_by_key(Case::threads).expect("there is one")
    }

    #[test]
    fn what_is_wrong_on_purpose_is_told() {
        let faulty = run(&smallest(|verdict| matches!(verdict, Verdict::Faulty { .. }))).unwrap();
        let kind = faulty.kind.expect("a kind");
        let first = &faulty.findings[0];
        assert!(first.contains(&format!("[{kind}]")) && first.contains("--> "), "{first}");
        let wrong = run(&smallest(|verdict| matches!(verdict, Verdict::Wrong { .. }))).unwrap();
        assert!(wrong.findings.is_empty() && wrong.kind.is_none() && wrong.result.is_some(), "{wrong:?}");
        let right = run(&smallest(|verdict| matches!(verdict, Verdict::Right))).unwrap_err();
        assert!(right.starts_with("nothing is known to be wrong with "), "{right}");
    }
}
