//! One exercise under examination.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::honest::failures;
use super::report::names;
use super::{ExerciseReport, IdeaOutcome, Kill, MutantReport, SECRET, mutants};
use crate::answers;
use crate::compiler::Compiler;
use crate::course::{Course, Exercise, read, sources};
use crate::desk::DeskError;
use crate::grade::{Bench, CheckKind, Depth, Grade, GradeError, author_code, least};
use crate::misconception::{self, Heading};

/// Checks one exercise.
pub(super) fn check(
    course: &Course,
    exercise: &Exercise,
    compiler: &dyn Compiler,
) -> Result<ExerciseReport, DeskError> {
    let mut report = ExerciseReport { name: exercise.name.clone(), ..ExerciseReport::default() };
    let bench = match Bench::new(course, exercise, Some(SECRET), compiler) {
        Ok(bench) => bench,
        Err(GradeError::Course(why)) => {
            report.problems.push(why);
            return Ok(report);
        }
        Err(why) => return Err(why.into()),
    };
    let audit = Audit { course, exercise, bench, compiler };
    audit.starters(&mut report)?;
    if exercise.kind.asks() {
        audit.questions(&mut report)?;
    } else {
        if exercise.lesson.is_empty() {
            report.problems.push(
                "`lesson` is missing: say in one sentence what a kernel must do here, for a learner who evades it"
                    .to_owned(),
            );
        }
        audit.solution(&mut report)?;
        audit.alternatives(&mut report)?;
        audit.secrets(&mut report)?;
        audit.wrong_solutions(&mut report)?;
        audit.mutants(&mut report)?;
        audit.evasions(&mut report)?;
        audit.unused_equivalents(&mut report);
        report.loosened = exercise.loosened.iter().map(|one| (one.bound.clone(), one.because.clone())).collect();
        let rejected = report.wrong.iter().filter(|kill| !kill.failed.is_empty()).count()
            + report.mutants.iter().filter(|mutant| !mutant.failed.is_empty()).count();
        let need = exercise.kind.least_wrong_solutions();
        if rejected < need {
            let message = format!("{rejected} wrong solutions and mutants are rejected, and {need} are needed");
            report.problems.push(message);
        }
        if report.wrong.is_empty() {
            let folder = course.wrong_folder(exercise);
            report.problems.push(format!("{} has no wrong solution with its misconception", folder.display()));
        }
        audit.sibling(&mut report)?;
        audit.edits(&mut report)?;
    }
    let file = course.proof_file(exercise);
    // What is committed names the bounds that NVRTC's code breaks.
    if compiler.is_nvrtc() && read(&file).unwrap_or_default() != report.proof() {
        report.problems.push(format!("{} is out of date: type `warpbook dev check --write`", file.display()));
    }
    Ok(report)
}

pub(super) struct Audit<'a> {
    pub(super) course: &'a Course,
    pub(super) exercise: &'a Exercise,
    pub(super) bench: Bench<'a>,
    pub(super) compiler: &'a dyn Compiler,
}

/// A source of the course and its grade; a sentence where the course makes grading impossible.
pub(super) struct Graded {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) grade: Result<Grade, String>,
}

impl Audit<'_> {
    /// Grades a text; what makes grading impossible because of the course is a problem.
    pub(super) fn grade(&self, name: &str, text: &str, depth: Depth) -> Result<Result<Grade, String>, DeskError> {
        match self.bench.grade(name, text, self.compiler, depth) {
            Ok(grade) => Ok(Ok(grade)),
            Err(why @ (GradeError::Course(_) | GradeError::Unsupported(_))) => Ok(Err(format!("{name}: {why}"))),
            Err(why) => Err(why.into()),
        }
    }

    /// Grades the sources of a folder, each under the learner's own name, so that signatures are those of a learner.
    pub(super) fn grade_all(&self, folder: &Path) -> Result<Vec<Graded>, DeskError> {
        let graded = sources(folder)?.into_par_iter().map(|path| {
            let text = read(&path)?;
            let grade = self.grade(&self.exercise.file_name(), &text, Depth::All)?;
            Ok(Graded { path, text, grade })
        });
        graded.collect()
    }

    /// The learner's files come from the solution; a starter compiles without a warning and fails for its reason only.
    fn starters(&self, report: &mut ExerciseReport) -> Result<(), DeskError> {
        match self.course.starters(self.exercise) {
            Ok(generated) => {
                for (path, text) in generated {
                    if !read(&path).is_ok_and(|own| own == text) {
                        report.problems.push(format!(
                            "{} is not what its solution generates: type `warpbook dev starters`, or change the solution",
                            path.display()
                        ));
                    }
                    if !self.exercise.kind.asks() {
                        self.starter(&text, report)?;
                    }
                }
            }
            Err(why) => report.problems.push(why.to_string()),
        }
        Ok(())
    }

    fn starter(&self, text: &str, report: &mut ExerciseReport) -> Result<(), DeskError> {
        let grade = match self.grade(&self.exercise.file_name(), text, Depth::All)? {
            Ok(grade) => grade,
            Err(why) => {
                report.problems.push(why);
                return Ok(());
            }
        };
        if !grade.warnings.is_empty() {
            report.problems.push(format!("the starter compiles with warnings:\n{}", grade.warnings));
        }
        // What comes after the first failure may fail with it; what comes before may not.
        let failed = grade.failed_kinds();
        if failed.first() != self.exercise.starter_fails.as_ref() {
            let stated: Vec<CheckKind> = self.exercise.starter_fails.into_iter().collect();
            let message = format!("the starter fails {}, and should first fail {}", names(&failed), names(&stated));
            report.problems.push(message);
        }
        Ok(())
    }

    /// The solution passes without a warning, and every clause of the contract measures something on it.
    fn solution(&self, report: &mut ExerciseReport) -> Result<(), DeskError> {
        let text = read(&self.course.solution_file(self.exercise))?;
        let grade = match self.grade(&self.exercise.file_name(), &text, Depth::All)? {
            Ok(grade) => grade,
            Err(why) => {
                report.problems.push(why);
                return Ok(());
            }
        };
        if !grade.warnings.is_empty() {
            report.problems.push(format!("the solution compiles with warnings:\n{}", grade.warnings));
        }
        report.problems.extend(failures("the solution", &grade));
        report.problems.extend(least::problems("the solution", self.exercise, &grade));
        if grade.passed && grade.score < 1.0 {
            report.problems.push(format!("the solution passes and gets {} of the points", grade.score));
        }
        Ok(())
    }

    /// Every wrong solution names its misconception and fails exactly the checks that it says it fails.
    fn wrong_solutions(&self, report: &mut ExerciseReport) -> Result<(), DeskError> {
        for Graded { path, text, grade } in self.grade_all(&self.course.wrong_folder(self.exercise))? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let Some(heading) = Heading::of(&text) else {
                report.problems.push(format!(
                    "{} does not begin with `// wrong: MISCONCEPTION` and `// fails: KINDS`, where the kinds are of {}",
                    path.display(),
                    names(&CheckKind::ALL)
                ));
                continue;
            };
            let grade = match grade {
                Ok(grade) => grade,
                Err(why) => {
                    report.problems.push(format!("wrong solution {name}: {why}"));
                    continue;
                }
            };
            if heading.because.is_empty() {
                report.problems.push(format!("wrong solution {name} does not say why it is wrong (`// because: …`)"));
            }
            let failed = grade.failed_kinds();
            // What a faulty kernel costs, besides, may differ between compilers: the heading tells it of NVRTC's code.
            let alone = [&failed, &heading.fails].into_iter().any(|kinds| *kinds == [CheckKind::Contract]);
            let same = |kind: &&CheckKind| self.compiler.is_nvrtc() || **kind != CheckKind::Contract || alone;
            if failed.iter().filter(same).ne(heading.fails.iter().filter(same)) {
                let (failed, expected) = (names(&failed), names(&heading.fails));
                report.problems.push(format!("wrong solution {name} fails {failed}, and should fail {expected}"));
            }
            let signature = misconception::signature(&grade);
            let misconception = heading.misconception;
            report.wrong.push(Kill { name, misconception, expected: heading.fails, failed, signature });
        }
        Ok(())
    }

    /// Every mutant is rejected, or known to be as right as the solution.
    fn mutants(&self, report: &mut ExerciseReport) -> Result<(), DeskError> {
        let solution = read(&self.course.solution_file(self.exercise))?;
        let graded: Result<Vec<_>, DeskError> = mutants::mutants(&solution)
            .into_par_iter()
            .map(|mutant| {
                let grade = self.grade(&self.exercise.file_name(), &mutant.text, Depth::FirstFailure)?;
                Ok((mutant, grade))
            })
            .collect();
        let known = &self.exercise.equivalent;
        for (mutant, grade) in graded? {
            // What is not simulated is not accepted either.
            let failed = grade.map_or_else(|_| vec![CheckKind::Launch], |grade| grade.failed_kinds());
            if failed == [CheckKind::Compile] {
                continue;
            }
            let listed = known.iter().find(|one| one.mutant == mutant.name && mutant.before.contains(&one.line));
            let equivalent = if failed.is_empty() { listed.map(|one| one.because.clone()) } else { None };
            if failed.is_empty() && listed.is_none() {
                report.problems.push(format!(
                    "mutant {} (line {}: `{}` for `{}`) passes: add a case that rejects it, or an [[equivalent]] with \
                     its reason",
                    mutant.name, mutant.line, mutant.after, mutant.before
                ));
            }
            report.mutants.push(MutantReport {
                name: mutant.name,
                line: mutant.line,
                after: mutant.after,
                failed,
                equivalent,
            });
        }
        Ok(())
    }

    /// Every mutant that the author calls equivalent is one that passes.
    fn unused_equivalents(&self, report: &mut ExerciseReport) {
        let mutants = report.mutants.iter().filter(|one| one.equivalent.is_some()).map(|one| &one.name);
        let ideas =
            report.ideas.iter().filter(|one| matches!(one.outcome, IdeaOutcome::AsGood(_))).map(|one| &one.name);
        let used: Vec<String> = mutants.chain(ideas).cloned().collect();
        for one in self.exercise.equivalent.iter().filter(|one| !used.contains(&one.mutant)) {
            let message = format!("[[equivalent]] {} (`{}`) is no mutant that passes: remove it", one.mutant, one.line);
            report.problems.push(message);
        }
    }

    /// The worked sibling is there and compiles without a warning.
    fn sibling(&self, report: &mut ExerciseReport) -> Result<(), DeskError> {
        match author_code(self.compiler, &self.course.sibling_file(self.exercise)) {
            Ok((_, warnings)) if warnings.is_empty() => {}
            Ok((_, warnings)) => report.problems.push(format!("the sibling compiles with warnings:\n{warnings}")),
            Err(GradeError::Course(why)) => report.problems.push(format!("the worked sibling: {why}")),
            Err(why) => return Err(why.into()),
        }
        Ok(())
    }

    /// Every question has an answer, no answer of a misconception is right, and an empty file does not pass.
    fn questions(&self, report: &mut ExerciseReport) -> Result<(), DeskError> {
        let truths = match self.bench.truths() {
            Ok(truths) => truths,
            Err(GradeError::Course(why)) => {
                report.problems.push(why);
                return Ok(());
            }
            Err(why) => return Err(why.into()),
        };
        let (_, warnings) = author_code(self.compiler, &self.course.solution_file(self.exercise))?;
        if !warnings.is_empty() {
            report.problems.push(format!("the kernel compiles with warnings:\n{warnings}"));
        }
        for (question, truth) in self.exercise.questions.iter().zip(&truths) {
            report.answers.push((question.id.clone(), truth.to_string()));
            for wrong in &question.wrong {
                match truth.read(&wrong.answer.0) {
                    Ok(own) if truth.credit(&own) >= 1.0 => {
                        report
                            .problems
                            .push(format!("question {}: the wrong answer `{}` is right", question.id, wrong.answer.0));
                    }
                    Ok(_) => {}
                    Err(why) => report.problems.push(format!("question {}: {why}", question.id)),
                }
            }
            if question.wrong.is_empty() || question.explain.trim().is_empty() {
                let message =
                    format!("question {} has no `explain` or no `wrong` answer with its misconception", question.id);
                report.problems.push(message);
            }
        }
        let file = self.exercise.file_name();
        let grade = |text: &str| self.bench.grade(&file, text, self.compiler, Depth::All);
        if grade(&answers::template(self.exercise))?.passed {
            report.problems.push("the empty file of answers passes".to_owned());
        }
        let full = grade(&self.bench.answers_of(&truths))?;
        if !full.passed || full.score < 1.0 {
            report.problems.push("the right answers do not pass".to_owned());
        }
        Ok(())
    }
}
