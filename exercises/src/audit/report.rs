//! The proof as text, with every exercise's kill table.

use std::fmt::Write as _;

use super::evasions::REJECTED;
use super::honest::{ALTERNATIVES, SECRETS};
use super::{CourseReport, ExerciseReport, IdeaOutcome};
use crate::bounds::{self, BOUNDS};
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
        self.write_contracts(&mut out);
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

impl CourseReport {
    /// What holds for the contracts of all kernel exercises, in numbers; the faults are among the problems.
    fn write_contracts(&self, out: &mut String) {
        let kernels = || self.exercises.iter().filter(|one| one.answers.is_empty());
        let rejected = |one: &ExerciseReport| one.ideas.iter().filter(|idea| idea.outcome.is_telling()).count();
        let proved = kernels().filter(|one| rejected(one) >= REJECTED && one.honest.len() >= ALTERNATIVES).count();
        let _ = writeln!(
            out,
            "kernel exercises with at least {REJECTED} mutants of the idea rejected and at least {ALTERNATIVES} honest \
             alternatives accepted: {proved} of {}",
            kernels().count()
        );
        let open = bounds::open();
        let _ = writeln!(
            out,
            "counters of the report that no bound is about: {}; each of {} bounds holds for every kernel exercise",
            if open.is_empty() { "none".to_owned() } else { open.join(", ") },
            BOUNDS.len()
        );
        for one in kernels() {
            for (bound, because) in &one.loosened {
                let _ = writeln!(out, "  but for {}: {bound} is loosened: {because}", one.name);
            }
        }
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
        for idea in &self.ideas {
            let _ = writeln!(out, "idea {} {}: {}", idea.name, idea.outcome.words(), idea.evades);
        }
        for honest in &self.honest {
            let _ = writeln!(out, "right {}: {}", honest.name, honest.difference);
        }
        for (bound, because) in &self.loosened {
            let _ = writeln!(out, "loosened {bound}: {because}");
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
            let apply = self.ideas.iter().filter(|one| !matches!(one.outcome, IdeaOutcome::NotApplicable(_)));
            let evaded = apply.clone().filter(|one| one.outcome.is_rejection()).count();
            let _ = writeln!(
                out,
                "{}: {killed} of {} wrong solutions, {dead} of {} mutants and {evaded} of {} mutants of the idea are \
                 rejected; {} honest alternatives are accepted, with {SECRETS} secrets",
                self.name,
                self.wrong.len(),
                self.mutants.len(),
                apply.count(),
                self.honest.len()
            );
        } else {
            let _ = writeln!(out, "{}: {} questions", self.name, self.answers.len());
        }
        for (id, truth) in &self.answers {
            let _ = writeln!(out, "  {id}: {truth}");
        }
        let names_of =
            self.wrong.iter().map(|kill| kill.name.len()).chain(self.mutants.iter().map(|one| one.name.len()));
        let names_of = names_of.chain(self.ideas.iter().map(|one| one.name.len()));
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
        for idea in &self.ideas {
            let _ = writeln!(out, "  {:widest$}  {:<26}  {}", idea.name, idea.outcome.words(), idea.evades);
        }
        for honest in &self.honest {
            let _ = writeln!(out, "  {:widest$}  {:<26}  {}", honest.name, "accepted", honest.difference);
        }
        for (bound, because) in &self.loosened {
            let _ = writeln!(out, "  {bound:widest$}  {:<26}  {because}", "bound loosened");
        }
        for problem in &self.problems {
            let _ = writeln!(out, "  problem: {problem}");
        }
    }
}

impl IdeaOutcome {
    /// Whether no learner passes with it.
    pub(super) const fn is_rejection(&self) -> bool {
        matches!(self, Self::Rejected(_) | Self::Endless)
    }

    /// Whether it is rejected for its costs, and so hears of the lesson.
    pub(super) const fn is_telling(&self) -> bool {
        matches!(self, Self::Rejected(_))
    }

    /// The outcome in a few words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Rejected(limits) => {
                let more = limits.len().saturating_sub(2);
                let first = limits.iter().take(2).map(String::as_str).collect::<Vec<_>>().join(", ");
                if more > 0 { format!("contract ({first} and {more} more)") } else { format!("contract ({first})") }
            }
            Self::Endless => "findings (its budget is spent)".to_owned(),
            Self::NotApplicable(why) => format!("not applicable ({why})"),
            Self::AsGood(because) => format!("as good ({because})"),
            Self::Passes => "passes".to_owned(),
        }
    }
}
