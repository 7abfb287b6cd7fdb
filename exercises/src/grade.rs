//! Grades one submission: does it compile, does it run without a finding, is the result right, and what does it cost? Of
//! questions: are the answers right?
//!
//! What a grade can miss: it sees the exercise's cases only, and findings only of the kinds that the simulator looks
//! for, in the orders of warps that the exercise asks for.

pub(crate) mod authors;
mod cases;
mod contract;
mod distance;
pub(crate) mod envelope;
pub(crate) mod least;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use authors::Authors;
use rayon::prelude::*;
use sim::Watch;

#[cfg(feature = "host")]
pub(crate) use cases::compare;
pub(crate) use cases::differs;
use envelope::Limits;

use crate::compiler::{CompileFailure, Compiled, Compiler};
use crate::course::{Course, Exercise, Kind, read};
use crate::instance::{Code, Instance, Ran, RunFailure};
pub use crate::model::{
    CaseGrade, Check, CheckKind, ContractRow, Distance, Grade, GradeError, LineSpend, Writer, WrongElement,
};
use crate::quiz;
use crate::quiz::truth::Truth;
use crate::spec::Case;
use crate::state::Progress;

impl Grade {
    fn new(exercise: &Exercise, file: &str, hidden_run: bool) -> Self {
        Self {
            exercise: exercise.name.clone(),
            file: file.to_owned(),
            passed: false,
            score: 0.0,
            practice: None,
            checks: Vec::new(),
            contract: Vec::new(),
            cases: Vec::new(),
            distance: None,
            answers: Vec::new(),
            misconception: None,
            warnings: String::new(),
            hidden: exercise.cases.iter().filter(|case| case.hidden).count() as u32,
            hidden_run,
        }
    }
}

/// An exercise with its data, ready to grade any number of submissions.
#[derive(Debug, Clone)]
pub struct Bench<'a> {
    /// The exercise.
    pub exercise: &'a Exercise,
    /// Its cases with data and expected results; hidden ones only if there is a secret.
    pub instances: Vec<Instance>,
    /// The limits of every case.
    limits: Vec<Limits>,
    authors: Arc<Authors>,
    hidden_run: bool,
    /// The folder of the files that its data comes from.
    folder: PathBuf,
}

/// How far a submission is graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// Every case.
    #[default]
    All,
    /// Until the first case that fails.
    FirstFailure,
}

/// Compiles a file of the course's authors.
pub(crate) fn author_code(compiler: &dyn Compiler, path: &Path) -> Result<(Code, String), GradeError> {
    let text = read(path).map_err(|why| GradeError::Course(why.to_string()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let made = compiled(compiler, &name, &text)?;
    let warnings = made.warnings.clone();
    Ok((code(&name, &text, &made)?, warnings))
}

/// Compiles a text of the course's authors.
pub(crate) fn compiled(compiler: &dyn Compiler, name: &str, text: &str) -> Result<Compiled, GradeError> {
    compiler.compile(name, text).map_err(|why| match why {
        CompileFailure::Missing(why) => GradeError::NoCompiler(why),
        CompileFailure::Rejected(log) | CompileFailure::Stopped(log) => {
            GradeError::Course(format!("{name} does not compile:\n{log}"))
        }
    })
}

/// Reads what the compiler made.
pub(crate) fn code(file: &str, source: &str, compiled: &Compiled) -> Result<Code, GradeError> {
    let module = |ptx: &str| {
        // The PTX is the compiler's work: if it cannot be read, the learner's text is not to blame.
        sim::Module::parse(file, ptx).map_err(|why| match why.class() {
            sim::ErrorClass::Unsupported => GradeError::Unsupported(why.to_string()),
            _ => GradeError::Internal(format!("the compiler's PTX cannot be read\n{why}")),
        })
    };
    Ok(Code {
        file: file.to_owned(),
        source: source.to_owned(),
        counted: module(&compiled.ptx)?,
        checked: compiled.debug_ptx.as_deref().map(module).transpose()?,
        counted_ptx: compiled.ptx.clone(),
        checked_ptx: compiled.debug_ptx.clone(),
    })
}

impl<'a> Bench<'a> {
    /// Makes the data of an exercise's cases. Hidden cases are made, and their data depends on it, if there is a secret.
    ///
    /// # Errors
    /// [`GradeError`], when the course is wrong or there is no compiler.
    pub fn new(
        course: &Course,
        exercise: &'a Exercise,
        secret: Option<&str>,
        compiler: &dyn Compiler,
    ) -> Result<Self, GradeError> {
        Self::watched(course, exercise, secret, compiler, None)
    }

    /// The same for whoever wants to know how far it has come, from the first run of the authors' kernels on.
    ///
    /// # Errors
    /// As [`Bench::new`].
    pub fn watched(
        course: &Course,
        exercise: &'a Exercise,
        secret: Option<&str>,
        compiler: &dyn Compiler,
        watch: Option<Watch>,
    ) -> Result<Self, GradeError> {
        let authors = Arc::new(Authors::new(course, exercise, compiler)?);
        Self::with(course, exercise, (secret, watch), authors, |case| !case.hidden || secret.is_some())
    }

    /// The hidden cases alone, with another secret.
    ///
    /// # Errors
    /// [`GradeError`], when the course is wrong.
    pub(crate) fn hidden(&self, course: &Course, secret: &str) -> Result<Self, GradeError> {
        Self::with(course, self.exercise, (Some(secret), None), Arc::clone(&self.authors), |case| case.hidden)
    }

    /// Whether only hidden cases are run.
    fn is_hidden(&self) -> bool {
        self.instances.iter().all(|instance| instance.case.hidden)
    }

    /// The cases that are `wanted`.
    fn with(
        course: &Course,
        exercise: &'a Exercise,
        (secret, watch): (Option<&str>, Option<Watch>),
        authors: Arc<Authors>,
        wanted: impl Fn(&Case) -> bool,
    ) -> Result<Self, GradeError> {
        let solution = course.solution_file(exercise);
        let folder = solution.parent().unwrap_or(&course.dir);
        let cases: Vec<&Case> = exercise.cases.iter().filter(|case| wanted(case)).collect();
        let made: Result<Vec<(Instance, Limits)>, GradeError> = cases
            .into_par_iter()
            .map(|case| {
                let wrong = |why| GradeError::Course(format!("{}, case `{}`: {why}", exercise.name, case.name));
                let mut instance = Instance::new(exercise, case, folder, secret).map_err(wrong)?;
                instance.watch.clone_from(&watch);
                if let Some(reference) = &authors.reference
                    && instance.open_outputs()
                {
                    instance.expect(reference, exercise.run.reference_args.as_deref()).map_err(wrong)?;
                }
                let limits = match exercise.has_contract() {
                    true => envelope::limits(exercise, &authors.all(), &instance)?,
                    false => Limits::default(),
                };
                Ok((instance, limits))
            })
            .collect();
        let (instances, limits) = made?.into_iter().unzip();
        let folder = folder.to_owned();
        Ok(Self { exercise, instances, limits, authors, hidden_run: secret.is_some(), folder })
    }

    /// What the authors wrote: the solution first, then its alternatives.
    pub(crate) fn own(&self) -> &[Code] {
        &self.authors.own
    }

    /// The right answers to the questions.
    ///
    /// # Errors
    /// [`GradeError`], when the course is wrong.
    pub(crate) fn truths(&self) -> Result<Vec<Truth>, GradeError> {
        quiz::truth::all(self.exercise, self.authors.kernel.as_ref(), &self.instances)
    }

    /// The file of answers that gets every point.
    ///
    /// # Errors
    /// [`GradeError`], when the course is wrong.
    pub(crate) fn right_answers(&self) -> Result<String, GradeError> {
        Ok(self.answers_of(&self.truths()?))
    }

    /// The file of answers that says these truths.
    pub(crate) fn answers_of(&self, truths: &[Truth]) -> String {
        quiz::right(self.exercise, truths)
    }

    /// Lets the first answers to a prediction count, if they are known. Those of the file are practice then: the truth had
    /// been shown when they were written.
    ///
    /// # Errors
    /// [`GradeError`], when the course is wrong.
    pub fn count_first(&self, first: &Progress, grade: &mut Grade) -> Result<(), GradeError> {
        if self.exercise.kind == Kind::Predict && grade.passed && first.first_score.is_some() {
            quiz::count_first(self.exercise, first, &self.truths()?, grade);
        }
        Ok(())
    }

    /// Runs a case of this bench once more, to be looked at; nothing if the submission does not compile or cannot be
    /// launched, which its grade says.
    ///
    /// # Errors
    /// [`GradeError`], when something is not simulated.
    pub(crate) fn look(
        &self,
        file: &str,
        text: &str,
        case: &Instance,
        compiler: &dyn Compiler,
        details: bool,
    ) -> Result<Option<(Code, Ran)>, GradeError> {
        let compiled = match compiler.compile(file, text) {
            Ok(compiled) => compiled,
            Err(CompileFailure::Missing(why)) => return Err(GradeError::NoCompiler(why)),
            Err(CompileFailure::Rejected(_) | CompileFailure::Stopped(_)) => return Ok(None),
        };
        let code = code(file, text, &compiled)?;
        let run = &self.exercise.run;
        let options = sim::Options { budget: run.budget, schedules: run.schedules, details, ..sim::Options::default() };
        match case.run(&code, &options) {
            Ok(ran) => Ok(Some((code, ran))),
            Err(RunFailure::Launch(_)) => Ok(None),
            Err(RunFailure::Unsupported(why)) => Err(GradeError::Unsupported(why)),
            Err(RunFailure::Internal(why)) => Err(GradeError::Internal(why)),
        }
    }

    /// Grades a submission: the text of a kernel, or of a file of answers. `file` is the path that the learner knows it
    /// by.
    ///
    /// # Errors
    /// [`GradeError`], when no grade can be given. Whatever the learner did wrong is in the grade.
    pub fn grade(&self, file: &str, text: &str, compiler: &dyn Compiler, depth: Depth) -> Result<Grade, GradeError> {
        let mut grade = Grade::new(self.exercise, file, self.hidden_run);
        if self.exercise.kind.asks() {
            let truths = self.truths()?;
            quiz::grade(self.exercise, text, &truths, &mut grade);
            return Ok(grade);
        }
        let compiled = match compiler.compile(file, text) {
            Ok(compiled) => compiled,
            Err(CompileFailure::Missing(why)) => return Err(GradeError::NoCompiler(why)),
            Err(CompileFailure::Rejected(log) | CompileFailure::Stopped(log)) => {
                grade.checks.push(cases::check(CheckKind::Compile, None, false, log));
                return Ok(grade);
            }
        };
        grade.warnings.clone_from(&compiled.warnings);
        grade.checks.push(cases::check(CheckKind::Compile, None, true, String::new()));
        self.run(&code(file, text, &compiled)?, depth, grade)
    }

    /// Grades a kernel that is compiled already.
    ///
    /// # Errors
    /// As [`Bench::grade`].
    pub(crate) fn grade_code(&self, code: &Code, depth: Depth) -> Result<Grade, GradeError> {
        let mut grade = Grade::new(self.exercise, &code.file, self.hidden_run);
        grade.checks.push(cases::check(CheckKind::Compile, None, true, String::new()));
        self.run(code, depth, grade)
    }

    fn run(&self, code: &Code, depth: Depth, mut grade: Grade) -> Result<Grade, GradeError> {
        for (instance, limits) in self.instances.iter().zip(&self.limits) {
            cases::run(self.exercise, code, (instance, limits), &mut grade)?;
            if depth == Depth::FirstFailure && grade.checks.iter().any(|check| !check.passed) {
                break;
            }
        }
        if depth == Depth::All {
            cases::name_writers(code, &self.instances, &mut grade);
        }
        grade.passed = grade.checks.iter().all(|check| check.passed);
        grade.score = score(self.exercise, &grade);
        // Hidden cases are run many times with other secrets, and time is told of what everybody sees.
        if grade.passed && depth == Depth::All && self.exercise.tells_the_least() && !self.is_hidden() {
            grade.distance = distance::of(self, code).map_err(GradeError::Course)?;
        }
        Ok(grade)
    }
}

/// The share of the points. Of an exercise with hidden cases that were run, half is for the public cases alone, and half
/// for all cases together.
fn score(exercise: &Exercise, grade: &Grade) -> f64 {
    let public = share(exercise, grade, false);
    if grade.hidden_run && grade.hidden > 0 { public / 2.0 + share(exercise, grade, true) / 2.0 } else { public }
}

/// The share of the points for the public cases, or for all. Right results without findings are 60 %, and keeping to the
/// contract is the rest. The contract's part needs right results; it is all of an exercise whose starter is right already.
pub(crate) fn share(exercise: &Exercise, grade: &Grade, hidden_too: bool) -> f64 {
    const RIGHT: [CheckKind; 4] = [CheckKind::Compile, CheckKind::Launch, CheckKind::Findings, CheckKind::Result];
    if exercise.kind.asks() {
        return grade.score;
    }
    let for_result = if exercise.starter_fails == Some(CheckKind::Contract) { 0.0 } else { 0.6 };
    if !grade.good(&[CheckKind::Result], hidden_too) || !grade.good(&RIGHT, hidden_too) {
        return 0.0;
    }
    if grade.good(&[CheckKind::Contract], hidden_too) { 1.0 } else { for_result }
}

/// Grades `text` as an attempt at `exercise`, on the cases that everybody sees.
///
/// # Errors
/// [`GradeError`], when no grade can be given. Whatever the learner did wrong is in the grade.
pub fn grade(
    course: &Course,
    exercise: &Exercise,
    file: &str,
    text: &str,
    compiler: &dyn Compiler,
) -> Result<Grade, GradeError> {
    Bench::new(course, exercise, None, compiler)?.grade(file, text, compiler, Depth::All)
}
