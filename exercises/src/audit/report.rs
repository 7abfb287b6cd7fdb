//! The proof as text, with every exercise's kill table.

use std::fmt::Write as _;

use super::{CourseReport, ExerciseReport};
use crate::grade::CheckKind;

/// Kinds of check as a list in words.
pub(super) fn names(kinds: &[CheckKind]) -> String {
    match kinds {
        [] => "nothing".to_owned(),
        kinds => kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
    }
}

impl CourseReport {
    /// The report as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for problem in &self.problems {
            let _ = writeln!(out, "problem: {problem}");
        }
        for exercise in &self.exercises {
            exercise.write(&mut out);
        }
        let problems = self.problems.len() + self.exercises.iter().map(|one| one.problems.len()).sum::<usize>();
        let _ = match (problems, self.exercises.len()) {
            (0, 1) => writeln!(out, "the course is sound: 1 exercise"),
            (0, n) => writeln!(out, "the course is sound: {n} exercises"),
            (1, _) => writeln!(out, "the course is not sound: 1 problem"),
            (n, _) => writeln!(out, "the course is not sound: {n} problems"),
        };
        out
    }
}

impl ExerciseReport {
    /// What was proved, as it belongs into the exercise's file: one line for each wrong solution, mutant or question.
    pub fn proof(&self) -> String {
        let mut out = "# Written by `warpbook dev check --write`.\n".to_owned();
        for kill in &self.wrong {
            let signature = kill.signature.as_deref().unwrap_or("-");
            let _ = writeln!(out, "wrong {} {signature} {}: {}", kill.name, names(&kill.failed), kill.misconception);
        }
        for mutant in &self.mutants {
            let after = if mutant.after.is_empty() { "(removed)" } else { &mutant.after };
            let _ = match &mutant.equivalent {
                Some(because) => writeln!(out, "as right {} {after}: {because}", mutant.name),
                None => writeln!(out, "mutant {} {}: {after}", mutant.name, names(&mutant.failed)),
            };
        }
        for (id, truth) in &self.answers {
            let _ = writeln!(out, "answer {id}: {truth}");
        }
        out
    }

    fn write(&self, out: &mut String) {
        let killed = self.wrong.iter().filter(|kill| !kill.failed.is_empty()).count();
        let dead = self.mutants.iter().filter(|mutant| !mutant.failed.is_empty()).count();
        if self.answers.is_empty() {
            let _ = writeln!(
                out,
                "{}: {killed} of {} wrong solutions and {dead} of {} mutants are rejected",
                self.name,
                self.wrong.len(),
                self.mutants.len()
            );
        } else {
            let _ = writeln!(out, "{}: {} questions", self.name, self.answers.len());
        }
        for (id, truth) in &self.answers {
            let _ = writeln!(out, "  {id}: {truth}");
        }
        let names_of =
            self.wrong.iter().map(|kill| kill.name.len()).chain(self.mutants.iter().map(|one| one.name.len()));
        let widest = names_of.max().unwrap_or(0);
        for kill in &self.wrong {
            let failed = names(&kill.failed);
            let _ = writeln!(out, "  {:widest$}  {failed:<26}  {}", kill.name, kill.misconception);
        }
        for mutant in &self.mutants {
            let after = if mutant.after.is_empty() { "(removed)" } else { &mutant.after };
            let what = format!("line {}: {after}", mutant.line);
            let _ = match &mutant.equivalent {
                Some(because) => writeln!(out, "  {:widest$}  {:<26}  {what} - {because}", mutant.name, "as right"),
                None => writeln!(out, "  {:widest$}  {:<26}  {what}", mutant.name, names(&mutant.failed)),
            };
        }
        for problem in &self.problems {
            let _ = writeln!(out, "  problem: {problem}");
        }
    }
}
