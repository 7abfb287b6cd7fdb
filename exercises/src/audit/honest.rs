//! The own solutions under examination: the solution and its honest alternatives pass every case, with many secrets.

use rayon::prelude::*;

use super::one::Graded;
use super::{Audit, ExerciseReport, SECRET};
use crate::desk::DeskError;
use crate::grade::{Bench, Depth, Grade, GradeError, least};

/// With how many secrets the hidden cases are run.
pub(crate) const SECRETS: usize = 40;

/// How many honest alternatives a kernel exercise has at least.
pub(super) const ALTERNATIVES: usize = 2;

/// An honest alternative that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Honest {
    /// Its file's stem.
    pub name: String,
    /// What is different in it.
    pub difference: String,
}

impl Audit<'_> {
    /// Every alternative says what is different in it and passes as the solution does.
    pub(super) fn alternatives(&self, report: &mut ExerciseReport) -> Result<(), DeskError> {
        for Graded { path, text, grade } in self.grade_all(&self.course.right_folder(self.exercise))? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let difference = text.lines().map_while(|line| line.strip_prefix("// right: ")).map(str::trim);
            let difference = difference.collect::<Vec<_>>().join(" ");
            if difference.is_empty() {
                let message = format!("{} does not begin with `// right: WHAT IS DIFFERENT`", path.display());
                report.problems.push(message);
                continue;
            }
            match grade {
                Ok(grade) if grade.passed => {
                    report.problems.extend(least::problems(&format!("alternative {name}"), self.exercise, &grade));
                    report.honest.push(Honest { name, difference });
                }
                Ok(grade) => report.problems.extend(failures(&format!("alternative {name}"), &grade)),
                Err(why) => report.problems.push(format!("alternative {name}: {why}")),
            }
        }
        if report.honest.len() < ALTERNATIVES {
            report.problems.push(format!(
                "{} honest alternatives are accepted, and {ALTERNATIVES} are needed in {}",
                report.honest.len(),
                self.course.right_folder(self.exercise).display()
            ));
        }
        Ok(())
    }

    /// The solution and its alternatives pass the hidden cases with many secrets, each with other data and sizes.
    pub(super) fn secrets(&self, report: &mut ExerciseReport) -> Result<(), DeskError> {
        if self.exercise.cases.iter().all(|case| !case.hidden) {
            report.problems.push("there is no hidden case: add a [[case]] with `hidden = true`".to_owned());
            return Ok(());
        }
        let ran: Result<Vec<Vec<String>>, DeskError> = (0..SECRETS)
            .into_par_iter()
            .map(|number| {
                let secret = format!("{SECRET} {number}");
                match self.bench.hidden(self.course, &secret).and_then(|bench| one_secret(&bench, &secret)) {
                    Ok(problems) => Ok(problems),
                    Err(GradeError::Course(why)) => Ok(vec![format!("with the secret `{secret}`: {why}")]),
                    Err(why) => Err(why.into()),
                }
            })
            .collect();
        let problems: Vec<String> = ran?.into_iter().flatten().collect();
        let more = problems.len().saturating_sub(5);
        report.problems.extend(problems.into_iter().take(5));
        if more > 0 {
            report.problems.push(format!("and {more} more failures of own solutions on hidden cases"));
        }
        Ok(())
    }
}

/// What is wrong with the own solutions on the hidden cases that a secret makes.
fn one_secret(bench: &Bench<'_>, secret: &str) -> Result<Vec<String>, GradeError> {
    let mut problems = Vec::new();
    for code in bench.own() {
        let grade = bench.grade_code(code, Depth::All)?;
        if !grade.passed {
            problems.extend(failures(&format!("{} with the secret `{secret}`", code.file), &grade));
        }
    }
    Ok(problems)
}

/// What a solution that should pass fails.
pub(super) fn failures(who: &str, grade: &Grade) -> Vec<String> {
    let mut problems = Vec::new();
    for check in grade.checks.iter().filter(|check| !check.passed) {
        problems.push(format!("{who} fails {}: {}", check.name, check.detail));
    }
    for row in grade.contract.iter().filter(|row| !row.passed) {
        let name = row.bound.as_deref().unwrap_or(&row.label);
        let (case, actual, limit) = (&row.case, row.actual, row.limit);
        problems.push(format!("{who}, case `{case}`: {name}: {actual} counted, {limit} allowed"));
    }
    for case in &grade.cases {
        for finding in &case.findings {
            problems.push(format!("{who}, case `{}`: line {}: {}", case.case, finding.line, finding.message));
        }
    }
    problems
}
