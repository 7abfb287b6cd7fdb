//! Proves that a course is sound: every starter compiles and fails for its stated reason, every solution passes,
//! every wrong solution is rejected for the reasons that it states, and no file is left over.

mod files;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::compiler::Compiler;
use crate::course::{Course, CourseError, Exercise, read};
use crate::desk::DeskError;
use crate::grade::{CheckKind, Grade, grade};

/// What is wrong with a course, and which wrong solutions its grader rejects.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CourseReport {
    /// Whether nothing is wrong.
    pub passed: bool,
    /// What is wrong with the course as a whole.
    pub problems: Vec<String>,
    /// One entry for every exercise, in order.
    pub exercises: Vec<ExerciseReport>,
}

/// What is wrong with an exercise, and its kill table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExerciseReport {
    /// The exercise's name.
    pub name: String,
    /// What is wrong with it.
    pub problems: Vec<String>,
    /// Its wrong solutions, by file name.
    pub wrong: Vec<Kill>,
}

/// A wrong solution and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kill {
    /// Its file's stem.
    pub name: String,
    /// The misconception behind it.
    pub misconception: String,
    /// The kinds of check that it is meant to fail.
    pub expected: Vec<CheckKind>,
    /// The kinds of check that it failed.
    pub failed: Vec<CheckKind>,
}

/// Checks a course.
///
/// # Errors
/// When grading is impossible here. Faults of the course are in the report.
pub fn check_course(course: &Course, compiler: &dyn Compiler) -> Result<CourseReport, DeskError> {
    let mut report = CourseReport {
        passed: false,
        problems: files::stray(course)?.iter().map(|path| left_over(course, path)).collect(),
        exercises: Vec::new(),
    };
    for exercise in &course.exercises {
        let mut audit = Audit { course, exercise, compiler, problems: Vec::new() };
        audit.starter()?;
        audit.solution()?;
        let wrong = audit.wrong_solutions()?;
        report.exercises.push(ExerciseReport { name: exercise.name.clone(), problems: audit.problems, wrong });
    }
    report.passed = report.problems.is_empty() && report.exercises.iter().all(|one| one.problems.is_empty());
    Ok(report)
}

/// The message about a file that belongs to no exercise.
fn left_over(course: &Course, path: &Path) -> String {
    let path = path.strip_prefix(&course.dir).unwrap_or(path);
    format!("{} belongs to no exercise of info.toml: remove it, or add its exercise", path.display())
}

/// One exercise under examination.
struct Audit<'a> {
    course: &'a Course,
    exercise: &'a Exercise,
    compiler: &'a dyn Compiler,
    problems: Vec<String>,
}

impl Audit<'_> {
    /// Grades a file, or notes that it cannot be read.
    fn grade(&mut self, path: &Path) -> Result<Option<(String, Grade)>, DeskError> {
        match read(path) {
            Ok(text) => {
                let grade = grade(self.exercise, &path.display().to_string(), &text, self.compiler)?;
                Ok(Some((text, grade)))
            }
            Err(why @ CourseError::Read { .. }) => {
                self.problems.push(why.to_string());
                Ok(None)
            }
            Err(why) => Err(why.into()),
        }
    }

    /// The starter comes from the solution, compiles without a warning and fails for its stated reason only.
    fn starter(&mut self) -> Result<(), DeskError> {
        let path = self.course.learner_file(self.exercise);
        let Some((text, grade)) = self.grade(&path)? else { return Ok(()) };
        match self.course.starter(self.exercise) {
            Ok(generated) if generated == text => {}
            Ok(_) => self.problems.push(format!(
                "{} is not what its solution generates: type `warpbook dev starters`, or change the solution",
                path.display()
            )),
            Err(why) => self.problems.push(why.to_string()),
        }
        if !grade.warnings.is_empty() {
            self.problems.push(format!("the starter compiles with warnings:\n{}", grade.warnings));
        }
        let stated = [self.exercise.starter_fails];
        if grade.failed_kinds() != stated {
            let failed = names(&grade.failed_kinds());
            self.problems.push(format!("the starter fails {failed}, and should fail {} alone", names(&stated)));
        }
        Ok(())
    }

    /// The solution passes without a warning, and every clause of the contract measures something on it.
    fn solution(&mut self) -> Result<(), DeskError> {
        let path = self.course.solution_file(self.exercise);
        let Some((_, grade)) = self.grade(&path)? else { return Ok(()) };
        if !grade.warnings.is_empty() {
            self.problems.push(format!("the solution compiles with warnings:\n{}", grade.warnings));
        }
        for check in grade.checks.iter().filter(|check| !check.passed) {
            self.problems.push(format!("the solution fails {}: {}", check.name, check.detail));
        }
        for clause in &self.exercise.run.contract {
            let mut rows = grade.contract.iter().filter(|row| row.counter == clause.counter);
            // A counter that is always 0 keeps every limit: most likely its name is misspelt.
            if !grade.contract.is_empty() && rows.all(|row| row.actual == 0) {
                let message = format!("`{}` is 0 for every input: is the counter's name right?", clause.counter);
                self.problems.push(message);
            }
        }
        Ok(())
    }

    /// Every wrong solution names its misconception and fails exactly the checks that it says it fails.
    fn wrong_solutions(&mut self) -> Result<Vec<Kill>, DeskError> {
        let folder = self.course.wrong_folder(self.exercise);
        let mut kills = Vec::new();
        for path in files::sources(&folder)? {
            let Some((text, grade)) = self.grade(&path)? else { continue };
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let Some((misconception, expected)) = heading(&text) else {
                self.problems.push(format!(
                    "{} does not begin with `// wrong: MISCONCEPTION` and `// fails: KINDS`, \
                     where the kinds are of {}",
                    path.display(),
                    names(&CheckKind::ALL)
                ));
                continue;
            };
            let failed = grade.failed_kinds();
            if failed != expected {
                let (failed, expected) = (names(&failed), names(&expected));
                self.problems.push(format!("wrong solution {name} fails {failed}, and should fail {expected}"));
            }
            kills.push(Kill { name, misconception, expected, failed });
        }
        let (have, need) = (kills.len(), self.exercise.kind.least_wrong_solutions());
        if have < need {
            self.problems.push(format!("{} has {have} wrong solutions and needs {need}", folder.display()));
        }
        Ok(kills)
    }
}

/// The first two lines of a wrong solution: its misconception, and the kinds of check that it fails.
fn heading(text: &str) -> Option<(String, Vec<CheckKind>)> {
    let mut lines = text.lines();
    let misconception = lines.next()?.strip_prefix("// wrong: ")?.trim().to_owned();
    let kinds = lines.next()?.strip_prefix("// fails: ")?;
    let kind = |name: &str| CheckKind::ALL.into_iter().find(|kind| kind.name() == name.trim());
    let kinds: Option<Vec<CheckKind>> = kinds.split(',').map(kind).collect();
    kinds.filter(|_| !misconception.is_empty()).map(|mut kinds| {
        kinds.sort_unstable();
        (misconception, kinds)
    })
}

/// Kinds of check as a list in words.
fn names(kinds: &[CheckKind]) -> String {
    match kinds {
        [] => "nothing".to_owned(),
        kinds => kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
    }
}

/// Writes every starter anew from its solution, and gives the files that changed.
///
/// This overwrites what a learner wrote: it is for authors.
///
/// # Errors
/// When a solution cannot be read, its markers are wrong, or a starter cannot be written.
pub fn write_starters(course: &Course) -> Result<Vec<PathBuf>, CourseError> {
    let mut changed = Vec::new();
    for exercise in &course.exercises {
        let (path, text) = (course.learner_file(exercise), course.starter(exercise)?);
        if read(&path).is_ok_and(|old| old == text) {
            continue;
        }
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        folder
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|source| CourseError::Write { path: path.clone(), source })?;
        changed.push(path);
    }
    Ok(changed)
}

impl CourseReport {
    /// The report as text, with every exercise's kill table.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for problem in &self.problems {
            let _ = writeln!(out, "problem: {problem}");
        }
        for exercise in &self.exercises {
            let killed = exercise.wrong.iter().filter(|kill| !kill.failed.is_empty()).count();
            let all = exercise.wrong.len();
            let _ = writeln!(out, "{}: {killed} of {all} wrong solutions are rejected", exercise.name);
            let widest = exercise.wrong.iter().map(|kill| kill.name.len()).max().unwrap_or(0);
            for kill in &exercise.wrong {
                let failed = names(&kill.failed);
                let _ = writeln!(out, "  {:widest$}  {failed:<26}  {}", kill.name, kill.misconception);
            }
            for problem in &exercise.problems {
                let _ = writeln!(out, "  problem: {problem}");
            }
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
