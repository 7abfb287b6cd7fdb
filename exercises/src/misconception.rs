//! Recognises a misconception: a submission that goes wrong in the very way of a known wrong solution.
//!
//! Every wrong solution of the course leaves a *signature*: for each public case what the kernel left in the outputs and
//! which kinds of finding there were, and if everything is right the counters of the contract and the bounds it breaks. `warpbook dev check
//! --write` puts the signatures into `solutions/GROUP/NAME.proof.txt`.

use std::fmt::Write as _;

use crate::course::{Course, CourseError, Exercise};
use crate::grade::{CheckKind, Grade};
use crate::instance::mix;

/// The head of a wrong solution: what it gets wrong, and which checks it fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The misconception, in one line.
    pub misconception: String,
    /// The kinds of check that it fails.
    pub fails: Vec<CheckKind>,
    /// Why it is wrong, for a learner who did the same; empty if the file does not say.
    pub because: String,
}

impl Heading {
    /// Reads the first lines of a wrong solution: `// wrong: …`, in one line or more, `// fails: …` and any number of
    /// `// because: …`.
    pub fn of(text: &str) -> Option<Self> {
        let mut lines = text.lines().peekable();
        let mut misconception = Vec::new();
        while let Some(line) = lines.peek().and_then(|line| line.strip_prefix("// wrong: ")) {
            misconception.push(line.trim());
            lines.next();
        }
        let misconception = misconception.join(" ");
        let kinds = lines.next()?.strip_prefix("// fails: ")?;
        let kind = |name: &str| CheckKind::ALL.into_iter().find(|kind| kind.name() == name.trim());
        let mut fails: Vec<CheckKind> = kinds.split(',').map(kind).collect::<Option<_>>()?;
        fails.sort_unstable();
        let because: Vec<&str> = lines.map_while(|line| line.strip_prefix("// because: ")).map(str::trim).collect();
        (!misconception.is_empty()).then(|| Self { misconception, fails, because: because.join(" ") })
    }
}

/// The signature of a failed grade; none of one that passed, did not compile or did not run.
pub fn signature(grade: &Grade) -> Option<String> {
    let failed = grade.failed_kinds();
    if failed.iter().all(|kind| matches!(kind, CheckKind::Compile | CheckKind::Launch)) {
        return None;
    }
    let mut text = String::new();
    for case in grade.cases.iter().filter(|case| !case.hidden) {
        let mut kinds: Vec<&str> = case.findings.iter().map(|finding| finding.kind.name()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let _ = write!(text, "{}:{}:{:x}:{};", case.case, case.wrong, case.outcome, kinds.join("+"));
    }
    if failed == [CheckKind::Contract] {
        let public = |name: &str| grade.cases.iter().any(|case| case.case == name && !case.hidden);
        for row in grade.contract.iter().filter(|row| public(&row.case)) {
            // A bound that is broken tells one mistake from another; by how much depends on the form of an index.
            let _ = match &row.bound {
                None => write!(text, "{}={};", row.label, row.actual),
                Some(name) if !row.passed => write!(text, "{name};"),
                Some(_) => Ok(()),
            };
        }
    }
    Some(format!("{:016x}", mix(&["signature", &grade.exercise, &text])))
}

/// What a learner who made this mistake should read, if the course knows the mistake.
///
/// # Errors
/// When a file of the course cannot be read.
pub fn recognise(course: &Course, exercise: &Exercise, grade: &Grade) -> Result<Option<String>, CourseError> {
    let (Some(own), Ok(proof)) = (signature(grade), course.read(&course.proof_file(exercise))) else { return Ok(None) };
    let mut named = proof.lines().filter_map(|line| {
        let mut words = line.strip_prefix("wrong ")?.split_whitespace();
        let (name, signature) = (words.next()?, words.next()?);
        (signature == own).then_some(name)
    });
    // Two misconceptions with one signature: neither can be told.
    let (Some(name), None) = (named.next(), named.next()) else { return Ok(None) };
    let text = course.read(&course.wrong_folder(exercise).join(format!("{name}.cu")))?;
    Ok(Heading::of(&text).map(|heading| match heading.because.as_str() {
        "" => format!("\"{}\"", heading.misconception),
        because => format!("\"{}\"\n{because}", heading.misconception),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_misconception_checks_and_cause() {
        let text = "// wrong: a barrier\n// wrong: costs too much\n// fails: result, findings\n// because: Without it\n// because: they race.\nint x;\n";
        let heading = Heading::of(text).unwrap();
        assert_eq!(heading.misconception, "a barrier costs too much");
        assert_eq!(heading.fails, [CheckKind::Findings, CheckKind::Result]);
        assert_eq!(heading.because, "Without it they race.");
        for wrong in ["", "// wrong: x\n", "// wrong:\n// fails: result\n", "// wrong: x\n// fails: speed\n"] {
            assert_eq!(Heading::of(wrong), None, "{wrong}");
        }
    }
}
