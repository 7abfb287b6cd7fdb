//! Reads `info.toml`: what a mistake in it is, and on which line.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use sim::diagnostic::{Diagnostic, Place, Span};
use toml::Spanned;

use crate::course::{Clause, Course, Exercise, Input, Kind, Limit, Link, Run};
use crate::grade::CheckKind;
use crate::problem;

/// The version of the file's format that this program reads.
const FORMAT: u32 = 1;

/// The file as it stands. `Spanned` marks what is judged after reading, so that a message can point at it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Info {
    format: Spanned<u32>,
    title: String,
    #[serde(default)]
    exercise: Vec<ExerciseInfo>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExerciseInfo {
    name: Spanned<String>,
    title: Spanned<String>,
    dir: Spanned<String>,
    kind: Kind,
    minutes: Spanned<u32>,
    prerequisites: Vec<String>,
    objectives: Spanned<Vec<String>>,
    hints: Spanned<Vec<String>>,
    explanation: Spanned<String>,
    #[serde(default)]
    further_reading: Vec<Link>,
    starter_fails: CheckKind,
    run: RunInfo,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunInfo {
    kernel: Spanned<String>,
    problem: Spanned<String>,
    budget: Spanned<u64>,
    input: Spanned<Vec<Spanned<Input>>>,
    #[serde(default)]
    contract: Vec<Spanned<Clause>>,
}

/// A mistake: where, what, and a help if there is one.
type Mistake = (Span, String, Option<String>);

/// Reads the text of an `info.toml`. `file` is its name for messages.
pub(crate) fn parse(dir: &Path, file: &str, text: &str) -> Result<Course, Box<Diagnostic>> {
    let located = |(span, message, help): Mistake| {
        let diagnostic = Diagnostic::new(message).at(Place::new(file, text, span, ""));
        Box::new(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        })
    };
    let info: Info = toml::from_str(text).map_err(|why| {
        let message = why.message().trim().to_owned();
        match why.span() {
            Some(span) => located((span, message, None)),
            None => Box::new(Diagnostic::new(format!("{file}: {message}"))),
        }
    })?;
    course(dir, info).map_err(located)
}

/// Judges what TOML's grammar and types do not.
fn course(dir: &Path, info: Info) -> Result<Course, Mistake> {
    if *info.format.get_ref() != FORMAT {
        let help = format!("this version reads `format = {FORMAT}`");
        return Err((info.format.span(), "this course has another format".to_owned(), Some(help)));
    }
    let mut names = BTreeSet::new();
    let mut exercises = Vec::with_capacity(info.exercise.len());
    for exercise in info.exercise {
        if !names.insert(exercise.name.get_ref().clone()) {
            let message = format!("there are two exercises called `{}`", exercise.name.get_ref());
            return Err((exercise.name.span(), message, Some("a name belongs to one exercise".to_owned())));
        }
        exercises.push(judge(exercise)?);
    }
    if exercises.is_empty() {
        return Err((info.format.span(), "this course has no exercise".to_owned(), Some("add an [[exercise]]".into())));
    }
    Ok(Course { dir: dir.to_owned(), title: info.title, exercises })
}

/// One exercise.
fn judge(info: ExerciseInfo) -> Result<Exercise, Mistake> {
    let word = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    // Names become paths and arguments: nothing in them may need quoting or lead out of the folder.
    for name in [&info.name, &info.dir] {
        if !word(name.get_ref()) {
            let help = "use lower-case letters, digits and underscores, such as padding_macro".to_owned();
            return Err((name.span(), format!("`{}` cannot be a name", name.get_ref()), Some(help)));
        }
    }
    for (what, text) in [("title", &info.title), ("explanation", &info.explanation)] {
        if text.get_ref().trim().is_empty() {
            return Err((text.span(), format!("the {what} is empty"), None));
        }
    }
    if *info.minutes.get_ref() == 0 {
        return Err((info.minutes.span(), "an exercise takes at least a minute".to_owned(), None));
    }
    if info.objectives.get_ref().is_empty() {
        let message = "an exercise has at least one objective".to_owned();
        return Err((info.objectives.span(), message, Some("say what the learner can do afterwards".into())));
    }
    let hints = info.hints.get_ref();
    if hints.len() != 3 || hints.iter().any(|hint| hint.trim().is_empty()) {
        let filled = hints.iter().filter(|hint| !hint.trim().is_empty()).count();
        let help = "a ladder of three: a question, a pointer to the line, a worked sibling".to_owned();
        return Err((info.hints.span(), format!("there are three hints, not {filled}"), Some(help)));
    }
    Ok(Exercise {
        run: judge_run(info.run)?,
        name: info.name.into_inner(),
        title: info.title.into_inner(),
        dir: info.dir.into_inner(),
        kind: info.kind,
        minutes: info.minutes.into_inner(),
        prerequisites: info.prerequisites,
        objectives: info.objectives.into_inner(),
        hints: info.hints.into_inner().iter().map(|hint| hint.trim().to_owned()).collect(),
        explanation: info.explanation.get_ref().trim().to_owned(),
        further_reading: info.further_reading,
        starter_fails: info.starter_fails,
    })
}

/// What is run: the problem has to exist, to accept every input, and to know every bound.
fn judge_run(info: RunInfo) -> Result<Run, Mistake> {
    if info.kernel.get_ref().is_empty() {
        return Err((info.kernel.span(), "the kernel's name is empty".to_owned(), None));
    }
    let Some(problem) = problem::find(info.problem.get_ref()) else {
        let help = format!("there is {}", problem::names().join(", "));
        return Err((info.problem.span(), format!("no problem is called `{}`", info.problem.get_ref()), Some(help)));
    };
    if *info.budget.get_ref() == 0 {
        return Err((info.budget.span(), "a budget of 0 ends every launch at once".to_owned(), None));
    }
    if info.input.get_ref().is_empty() {
        return Err((info.input.span(), "an exercise has at least one input".to_owned(), None));
    }
    let mut names = BTreeSet::new();
    for input in info.input.get_ref() {
        let instance = problem
            .instance(&input.get_ref().values, input.get_ref().seed)
            .map_err(|why| (input.span(), why, Some(format!("{} takes {}", problem.name(), problem.values()))))?;
        if !names.insert(&input.get_ref().name) {
            let message = format!("there are two inputs called `{}`", input.get_ref().name);
            return Err((input.span(), message, None));
        }
        for clause in &info.contract {
            let Limit::Bound(bound) = &clause.get_ref().at_most else { continue };
            if !instance.bounds.contains_key(bound.as_str()) {
                let known: Vec<&str> = instance.bounds.keys().copied().collect();
                let message = format!("{} has no bound called `{bound}`", problem.name());
                return Err((clause.span(), message, Some(format!("there is {}", known.join(", ")))));
            }
        }
    }
    Ok(Run {
        kernel: info.kernel.into_inner(),
        problem: info.problem.into_inner(),
        budget: info.budget.into_inner(),
        inputs: info.input.into_inner().into_iter().map(Spanned::into_inner).collect(),
        contract: info.contract.into_iter().map(Spanned::into_inner).collect(),
    })
}

#[cfg(test)]
mod tests;
