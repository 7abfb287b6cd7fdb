//! Reads `info.toml` and the files of the exercises: what a mistake in them is, and where.

use std::collections::BTreeSet;
use std::path::Path;

use ::data::expression;
use serde::Deserialize;
use sim::diagnostic::{Diagnostic, Place};

use crate::bounds::Bound;
use crate::course::{Course, CourseError, Exercise, Files, Group, Kind, Link, read};
use crate::measure;
use crate::model::CheckKind;
use crate::spec::{Case, Clause, Equivalent, Loosened, Question, Run};

/// The version of the files' format that this program reads.
const FORMAT: u32 = 2;

/// `info.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Info {
    format: u32,
    title: String,
    #[serde(default)]
    group: Vec<GroupInfo>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupInfo {
    dir: String,
    title: String,
    #[serde(default)]
    section: Option<String>,
    exercises: Vec<String>,
}

/// An exercise's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExerciseInfo {
    title: String,
    kind: Kind,
    minutes: u32,
    #[serde(default = "ten")]
    points: u32,
    #[serde(default)]
    challenge: bool,
    #[serde(default)]
    after: Vec<String>,
    #[serde(default)]
    prerequisites: Vec<String>,
    objectives: Vec<String>,
    hints: Vec<String>,
    explanation: String,
    #[serde(default)]
    section: Option<String>,
    #[serde(default)]
    further_reading: Vec<Link>,
    #[serde(default)]
    task: String,
    starter_fails: Option<CheckKind>,
    edit: Option<advice::Edit>,
    run: Run,
    #[serde(default)]
    case: Vec<Case>,
    large: Option<Case>,
    #[serde(default)]
    lesson: String,
    #[serde(default)]
    contract: Vec<Clause>,
    #[serde(default)]
    loosened: Vec<Loosened>,
    #[serde(default)]
    question: Vec<Question>,
    #[serde(default)]
    equivalent: Vec<Equivalent>,
}

const fn ten() -> u32 {
    10
}

impl Course {
    /// Reads `DIR/info.toml` and the files of the exercises that it names.
    ///
    /// # Errors
    /// [`CourseError::Read`], or [`CourseError::Info`] with the place of the mistake.
    pub fn load(dir: &Path) -> Result<Self, CourseError> {
        load(dir)
    }
}

/// Reads a course.
fn load(dir: &Path) -> Result<Course, CourseError> {
    let path = dir.join("info.toml");
    let (file, text) = (path.display().to_string(), read(&path)?);
    let info: Info = parse(&file, &text)?;
    let wrong = |message: String, help: &str| mistake(&file, &message, help);
    if info.format != FORMAT {
        let message = format!("this course has format {}", info.format);
        return Err(wrong(message, &format!("this version reads `format = {FORMAT}`")));
    }
    let mut course = Course {
        dir: dir.to_owned(),
        files: Files::Folder,
        title: info.title,
        groups: Vec::new(),
        exercises: Vec::new(),
    };
    let mut names = BTreeSet::new();
    for group in info.group {
        word(&file, &group.dir)?;
        for name in &group.exercises {
            word(&file, name)?;
            if !names.insert(name.clone()) {
                return Err(wrong(
                    format!("there are two exercises called `{name}`"),
                    "a name belongs to one exercise",
                ));
            }
            let path = dir.join("solutions").join(&group.dir).join(format!("{name}.toml"));
            let mut exercise = exercise(&path, &group.dir, name)?;
            exercise.section = exercise.section.or_else(|| group.section.clone());
            if let Some(later) = exercise.after.iter().find(|before| *before == name || !names.contains(*before)) {
                let message = format!("`after` names `{later}`, which is no exercise before this one");
                return Err(mistake(&path.display().to_string(), &message, "info.toml has the order"));
            }
            course.exercises.push(exercise);
        }
        course.groups.push(Group { dir: group.dir, title: group.title, section: group.section });
    }
    if course.exercises.is_empty() {
        return Err(wrong("this course has no exercise".to_owned(), "add a [[group]] with its `exercises`"));
    }
    Ok(course)
}

/// Reads TOML; what is wrong is shown at its place.
fn parse<T: for<'de> Deserialize<'de>>(file: &str, text: &str) -> Result<T, CourseError> {
    toml::from_str(text).map_err(|why| {
        let message = why.message().trim().to_owned();
        CourseError::Info(Box::new(match why.span() {
            Some(span) => Diagnostic::new(message).at(Place::new(file, text, span, "")),
            None => Diagnostic::new(format!("{file}: {message}")),
        }))
    })
}

/// A mistake that TOML's grammar does not know.
fn mistake(file: &str, message: &str, help: &str) -> CourseError {
    CourseError::Info(Box::new(Diagnostic::new(format!("{file}: {message}")).help(help)))
}

/// Names become paths and arguments: nothing in them may need quoting or lead out of the folder.
fn word(file: &str, name: &str) -> Result<(), CourseError> {
    let good = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    if !name.is_empty() && name.bytes().all(good) {
        return Ok(());
    }
    let help = "use lower-case letters, digits and underscores, such as padding_macro";
    Err(mistake(file, &format!("`{name}` cannot be a name"), help))
}

/// Reads and judges the file of one exercise.
fn exercise(path: &Path, group: &str, name: &str) -> Result<Exercise, CourseError> {
    let (file, text) = (path.display().to_string(), read(path)?);
    let info: ExerciseInfo = parse(&file, &text)?;
    let exercise = Exercise {
        name: name.to_owned(),
        group: group.to_owned(),
        title: info.title.trim().to_owned(),
        kind: info.kind,
        minutes: info.minutes,
        points: info.points,
        challenge: info.challenge,
        after: info.after,
        prerequisites: info.prerequisites,
        objectives: info.objectives,
        hints: info.hints.iter().map(|hint| hint.trim().to_owned()).collect(),
        explanation: info.explanation.trim().to_owned(),
        section: info.section,
        further_reading: info.further_reading,
        task: info.task.trim().to_owned(),
        starter_fails: info.starter_fails,
        edit: info.edit,
        run: info.run,
        cases: info.case,
        large: info.large,
        lesson: info.lesson.trim().to_owned(),
        contract: info.contract,
        loosened: info.loosened,
        questions: info.question,
        equivalent: info.equivalent,
    };
    let checks = [
        texts(&exercise),
        kind(&exercise),
        run(&exercise),
        contract(&exercise),
        loosened(&exercise),
        questions(&exercise),
    ];
    match checks.into_iter().find_map(Result::err) {
        Some((message, help)) => Err(mistake(&file, &message, &help)),
        None => Ok(exercise),
    }
}

/// What is wrong, and what to do.
type Judged = Result<(), (String, String)>;

fn wrong(message: impl Into<String>, help: impl Into<String>) -> Judged {
    Err((message.into(), help.into()))
}

fn texts(exercise: &Exercise) -> Judged {
    for (what, text) in [("title", &exercise.title), ("explanation", &exercise.explanation)] {
        if text.is_empty() {
            return wrong(format!("the {what} is empty"), "say it in a sentence");
        }
    }
    if exercise.minutes == 0 || exercise.points == 0 {
        return wrong(
            "an exercise takes at least a minute and is worth at least a point",
            "set `minutes` and `points`",
        );
    }
    if exercise.objectives.is_empty() {
        return wrong("an exercise has at least one objective", "say what the learner can do afterwards");
    }
    if exercise.hints.len() != 3 || exercise.hints.iter().any(String::is_empty) {
        let filled = exercise.hints.iter().filter(|hint| !hint.is_empty()).count();
        return wrong(
            format!("there are three hints, not {filled}"),
            "a ladder of three: a question, a pointer to the line, what leads to a worked sibling",
        );
    }
    Ok(())
}

fn kind(exercise: &Exercise) -> Judged {
    let kind = exercise.kind.name();
    if exercise.kind.asks() {
        if exercise.questions.is_empty() {
            return wrong(format!("an exercise to {kind} asks something"), "add a [[question]]");
        }
        if exercise.task.is_empty() {
            return wrong(
                format!("an exercise to {kind} has a `task`"),
                "say what the kernel does and what to look at",
            );
        }
        let costs = exercise.contract.len() + exercise.loosened.len() + exercise.lesson.len();
        if exercise.starter_fails.is_some() || costs > 0 {
            return wrong("questions have no starter that fails, no lesson and no contract", "remove them");
        }
        return Ok(());
    }
    if exercise.starter_fails.is_none() {
        let known: Vec<&str> = CheckKind::ALL.iter().map(|kind| kind.name()).collect();
        return wrong("`starter_fails` is missing", format!("say which check the starter fails: {}", known.join(", ")));
    }
    if !exercise.questions.is_empty() {
        return wrong(format!("an exercise to {kind} asks no questions"), "use kind = \"predict\" or \"trace\"");
    }
    if exercise.kind == Kind::Improve && exercise.contract.is_empty() {
        return wrong("an exercise to improve has a cost contract", "add a [[contract]]");
    }
    if (exercise.kind == Kind::Improve) != exercise.edit.is_some() {
        return wrong(
            "an exercise to improve, and no other, names the `edit` that `warpbook sim --advice` should suggest first",
            format!("the edits are {}", advice::Edit::ALL.map(advice::Edit::name).join(", ")),
        );
    }
    Ok(())
}

fn run(exercise: &Exercise) -> Judged {
    let run = &exercise.run;
    if run.launch.is_empty() {
        return wrong("nothing is launched", "add a [[run.launch]]");
    }
    if run.budget == 0 || run.schedules == 0 {
        return wrong("a budget of 0 ends every launch at once, and 0 schedules run nothing", "leave them out");
    }
    if run.tolerance.is_nan() || run.tolerance < 0.0 {
        return wrong("the tolerance is a number from 0 on", "such as 1e-5");
    }
    if exercise.cases.iter().all(|case| case.hidden) {
        return wrong("an exercise has at least one case that is not hidden", "add a [[case]]");
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = exercise.cases.iter().find(|case| !names.insert(&case.name)) {
        return wrong(format!("there are two cases called `{}`", twice.name), "a name belongs to one case");
    }
    if let Some(large) = &exercise.large {
        if !exercise.tells_the_least() {
            return wrong("`large` is for a challenge, or an exercise to improve", "no other verdict tells a time");
        }
        if large.hidden || large.kernel.is_some() {
            return wrong("the `large` input is never hidden, and has no kernel of its own", "leave that out");
        }
    }
    let mut names = BTreeSet::new();
    for name in run.inputs.keys().chain(run.outputs.keys()).chain(run.inout.keys()).chain(run.scratch.keys()) {
        if !expression::is_name(name) || run.names.contains_key(name) {
            return wrong(format!("`{name}` cannot name a buffer"), "letters, digits and _, and no name of a number");
        }
        if !names.insert(name) {
            return wrong(format!("there are two buffers called `{name}`"), "a buffer has one role");
        }
    }
    for name in run.expect.keys() {
        if !run.outputs.contains_key(name) && !run.inout.contains_key(name) {
            return wrong(format!("`expect` names `{name}`, which is no `out` or `inout`"), "only these are judged");
        }
    }
    Ok(())
}

fn contract(exercise: &Exercise) -> Judged {
    for clause in &exercise.contract {
        let limits = [&clause.at_most, &clause.at_least, &clause.equals];
        if limits.iter().filter(|limit| limit.is_some()).count() != 1 {
            let message = format!("the clause `{}` needs one of `at_most`, `at_least` and `equals`", clause.label);
            return wrong(message, "a number, or an expression of names and counters");
        }
        let limit = limits.into_iter().flatten().map(|text| &text.0);
        for text in limit.chain([&clause.counter]) {
            measure::known(text).or_else(|why| wrong(format!("the clause `{}`: {why}", clause.label), COUNTERS))?;
        }
        if measure::counters(&clause.counter).is_empty() {
            return wrong(format!("the clause `{}` names no counter", clause.label), COUNTERS);
        }
        if clause.per == crate::spec::Per::Element && exercise.run.elements.is_none() {
            return wrong(format!("the clause `{}` is per element", clause.label), "set `elements` in [run]");
        }
        if let Some(unknown) = clause.cases.iter().find(|name| exercise.cases.iter().all(|case| case.name != **name)) {
            return wrong(format!("the clause `{}` names no case: `{unknown}`", clause.label), "write a case's name");
        }
    }
    Ok(())
}

fn loosened(exercise: &Exercise) -> Judged {
    for one in &exercise.loosened {
        if Bound::find(&one.bound).is_none() {
            let known: Vec<&str> = crate::bounds::BOUNDS.iter().map(|bound| bound.name).collect();
            return wrong(
                format!("[[loosened]] names `{}`, which is no bound", one.bound),
                format!("the bounds are {}", known.join(", ")),
            );
        }
        if one.because.trim().is_empty() {
            return wrong(format!("the bound `{}` is loosened without a reason", one.bound), "say why in `because`");
        }
        if one.times.is_some() && one.at_most.is_some() || one.times == Some(0) {
            let message = format!("the bound `{}` has one of `times` (from 1 on) and `at_most`, or neither", one.bound);
            return wrong(message, "with neither, nothing is bounded");
        }
        if let Some(unknown) = one.cases.iter().find(|name| exercise.cases.iter().all(|case| case.name != **name)) {
            return wrong(format!("[[loosened]] {} names no case: `{unknown}`", one.bound), "write a case's name");
        }
    }
    Ok(())
}

const COUNTERS: &str = "`warpbook compare --json` and the book's page of counters show all names";

fn questions(exercise: &Exercise) -> Judged {
    let mut ids = BTreeSet::new();
    for question in &exercise.questions {
        let id = &question.id;
        let good = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if id.is_empty() || !id.bytes().all(good) || !ids.insert(id) {
            return wrong(
                format!("`{id}` cannot be the id of a question"),
                "lower-case letters, digits and -, each once",
            );
        }
        if let Some(case) = &question.case
            && exercise.cases.iter().all(|known| known.name != *case || known.hidden)
        {
            return wrong(format!("question `{id}` is about no case: `{case}`"), "write a case's name");
        }
        question.answer.judge().or_else(|why| {
            wrong(format!("question `{id}`: {why}"), "AUTHORING.md lists what an answer can come from")
        })?;
        if let Some(counter) = &question.answer.counter {
            measure::known(counter).or_else(|why| wrong(format!("question `{id}`: {why}"), COUNTERS))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
