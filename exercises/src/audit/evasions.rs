//! Mutants of the idea under examination: a kernel that evades the lesson and has the right result must be rejected, for
//! what it costs.

use rayon::prelude::*;
use serde::Serialize;
use sim::report::FindingKind;

use super::ideas::{self, Material};
use super::{Audit, ExerciseReport};
use crate::course::read;
use crate::desk::DeskError;
use crate::grade::{CheckKind, Depth, Grade};

/// How many mutants of the idea are rejected at least.
pub(super) const REJECTED: usize = 4;

/// A mutant of the idea and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdeaReport {
    /// Its name.
    pub name: String,
    /// How it evades the lesson.
    pub evades: String,
    /// What became of it.
    pub outcome: IdeaOutcome,
}

/// What became of a mutant of the idea.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdeaOutcome {
    /// It breaks these limits, the most telling first.
    Rejected(Vec<String>),
    /// It comes to no end within the exercise's budget of instructions.
    Endless,
    /// There is no such kernel with the right result: why.
    NotApplicable(String),
    /// It is as good as the solution: why, as the author says.
    AsGood(String),
    /// It passes, and nobody says why.
    Passes,
}

impl Audit<'_> {
    /// Every mutant of the idea is rejected, does not apply, or is known to be as good as the solution.
    pub(super) fn evasions(&self, report: &mut ExerciseReport) -> Result<(), DeskError> {
        let (solution, reference) =
            (self.course.solution_file(self.exercise), self.course.reference_file(self.exercise));
        let (solution, reference) = (read(&solution)?, read(&reference).unwrap_or_default());
        let launches = || self.bench.instances.iter().flat_map(|instance| &instance.launches);
        let material = Material {
            exercise: self.exercise,
            solution: &solution,
            reference: &reference,
            blocks: launches().map(|made| made.grid.count()).max().unwrap_or(1),
            threads: launches().map(|made| made.block.count()).max().unwrap_or(1),
            shared: launches().map(|made| u64::from(made.shared)).max().unwrap_or(0),
        };
        let judged: Result<Vec<IdeaReport>, DeskError> = ideas::ideas(&material)
            .into_par_iter()
            .map(|idea| {
                let outcome = match idea.text {
                    Err(why) => IdeaOutcome::NotApplicable(why),
                    Ok(text) => match self.grade(&self.exercise.file_name(), &text, Depth::FirstFailure)? {
                        Ok(grade) => self.outcome(idea.name, &grade),
                        Err(why) => IdeaOutcome::NotApplicable(why.lines().next().unwrap_or_default().to_owned()),
                    },
                };
                Ok(IdeaReport { name: idea.name.to_owned(), evades: idea.evades.to_owned(), outcome })
            })
            .collect();
        report.ideas = judged?;
        for idea in report.ideas.iter().filter(|idea| idea.outcome == IdeaOutcome::Passes) {
            report.problems.push(format!(
                "the mutant {} passes ({}): tighten the contract, or add an [[equivalent]] with its reason",
                idea.name, idea.evades
            ));
        }
        let rejected = report.ideas.iter().filter(|idea| idea.outcome.is_telling()).count();
        if rejected < REJECTED {
            report.problems.push(format!("{rejected} mutants of the idea are rejected, and {REJECTED} are needed"));
        }
        Ok(())
    }

    fn outcome(&self, name: &str, grade: &Grade) -> IdeaOutcome {
        let failed = grade.failed_kinds();
        let findings = || grade.cases.iter().flat_map(|case| &case.findings);
        match failed.first() {
            None => match self.exercise.equivalent.iter().find(|one| one.mutant == name) {
                Some(known) => IdeaOutcome::AsGood(known.because.clone()),
                None => IdeaOutcome::Passes,
            },
            Some(CheckKind::Contract) => {
                let broken = grade.contract.iter().filter(|row| !row.passed);
                IdeaOutcome::Rejected(broken.map(|row| row.label.clone()).collect())
            }
            Some(CheckKind::Findings) if findings().all(|finding| finding.kind == FindingKind::Budget) => {
                IdeaOutcome::Endless
            }
            Some(CheckKind::Findings) => {
                let kind = findings().next().map_or("", |finding| finding.kind.name());
                IdeaOutcome::NotApplicable(format!("such a kernel has a finding ({kind})"))
            }
            Some(CheckKind::Compile) => {
                let why = grade.checks.iter().find(|check| !check.passed).map_or("", |check| &check.detail);
                let error = why.lines().find(|line| line.contains("error")).unwrap_or_default();
                let error = error.split_once("error").map_or("", |(_, text)| text.trim_start_matches(':').trim());
                IdeaOutcome::NotApplicable(format!("such a kernel does not compile: {error}"))
            }
            Some(CheckKind::Launch) => IdeaOutcome::NotApplicable("such a kernel cannot be launched".to_owned()),
            Some(CheckKind::Result | CheckKind::Answers) => {
                IdeaOutcome::NotApplicable("such a kernel has a wrong result".to_owned())
            }
        }
    }
}
