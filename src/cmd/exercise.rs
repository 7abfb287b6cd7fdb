//! `warpbook exercise` and `warpbook watch`.

use std::path::{Path, PathBuf};

use exercises::compiler::{Cached, Sandboxed};
use exercises::course::{Course, CourseError};
use exercises::desk::{self, Asked, DeskError, Filter, Lines, Whose};
use exercises::runner::{self, terminal::Terminal};
use exercises::state::{State, Way};
use kernels::native::{Device, Native};

use super::{Ended, Failure, INTERNAL, USAGE};
use crate::cli::{Exercise, ExerciseCommand, Line, Watch};
use crate::out::{self, say};

/// The course in the folder that was given, or the one around the current folder.
pub(crate) fn course(folder: Option<&Path>) -> Result<Course, Failure> {
    let here = std::env::current_dir().map_err(|error| Failure::new(USAGE, error))?;
    desk::open(folder, &here).map_err(|error| Failure::new(USAGE, error))
}

/// This program, which starts itself to compile what it does not trust.
pub(crate) fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| Failure::new(INTERNAL, format!("where is this program? {error}")))
}

pub(crate) fn failed(error: impl Into<DeskError>) -> Failure {
    let error = error.into();
    Failure::new(error.exit_code(), error)
}

pub(crate) fn run(args: &Exercise, json: bool) -> Ended {
    let course = course(args.exercises.as_deref())?;
    let state = || State::load(&course).map_err(failed);
    let save = |state: &State| state.save(&course).map_err(failed);
    let Some(command) = &args.command else { return watch(&course, &Watch::default()) };
    match command {
        ExerciseCommand::Watch(args) => return watch(&course, args),
        ExerciseCommand::List { search, done, open, path } => {
            let way = path.as_ref().map(|path| Way::read(&course, path)).transpose();
            let way = way.map_err(|why| Failure::new(USAGE, why))?;
            let only = if *done {
                Some(true)
            } else if *open {
                Some(false)
            } else {
                None
            };
            let filter = Filter { search: search.clone(), done: only, way };
            if json {
                out::json(&desk::list(&course, &state()?, &filter))?;
            } else {
                out::text(&desk::list_text(&course, &state()?, &filter));
            }
        }
        ExerciseCommand::Hint { name, step } => {
            let mut state = state()?;
            let step = step.unwrap_or_else(|| desk::next_hint(&course, &state, name));
            let hint = desk::hint(&course, name, step).map_err(failed)?;
            let progress = state.progress.entry(name.clone()).or_default();
            progress.hints = progress.hints.max(step);
            save(&state)?;
            if json {
                out::json(&serde_json::json!({ "exercise": name, "step": step, "hint": hint }))?;
            } else {
                say!("{}", hint.trim_end());
            }
        }
        ExerciseCommand::Check { what, case, show, access, solution, gpu } => {
            let gpu = native(*gpu)?;
            let whose = if *solution { Whose::Solution } else { Whose::Learner };
            let access = access.clone().map(|Line { file, line }| Lines { file, line });
            let (what, case) = (what.as_deref(), case.as_deref());
            let asked = Asked { what, whose, case, show: *show, access };
            let compiler = Cached::new(Sandboxed::new(this_program()?));
            let mut state = state()?;
            let checked = desk::check(&course, &state, &asked, &compiler, device(gpu.as_ref())).map_err(failed)?;
            // What passes on one input alone is not done.
            if whose == Whose::Learner && checked.only_case.is_none() {
                let before = state.clone();
                for grade in &checked.grades {
                    state.note(course.exercise(&grade.exercise).map_err(failed)?, grade);
                }
                if state != before {
                    save(&state)?;
                }
            }
            if json {
                out::json(&checked)?;
            } else {
                out::text(&checked.text());
            }
            return Ok(checked.exit_code());
        }
        ExerciseCommand::Reset { name } => {
            let exercise = course.exercise(name).map_err(failed)?;
            for backup in runner::reset(&course, exercise).map_err(failed)? {
                say!("kept: {}", backup.display());
            }
            say!("{} is the starter again", course.learner_file(exercise).display());
            let mut state = state()?;
            state.progress.entry(name.clone()).or_default().done = false;
            save(&state)?;
        }
        ExerciseCommand::Skip { name } => {
            course.exercise(name).map_err(failed)?;
            let mut state = state()?;
            let progress = state.progress.entry(name.clone()).or_default();
            progress.skipped = !progress.done;
            save(&state)?;
            say!("{name} is left out");
        }
        ExerciseCommand::Path { path } => {
            let mut state = state()?;
            state.path = Way::read(&course, path).map_err(|why| Failure::new(USAGE, why))?;
            state.current = None;
            save(&state)?;
            let (done, all) = state.count(&course);
            say!("the path is {path}: {done} of {all} exercises are done");
        }
        ExerciseCommand::Export { file } => {
            let written = std::fs::write(file, state()?.text());
            written.map_err(|source| failed(CourseError::Write { path: file.clone(), source }))?;
            say!("written: {}", file.display());
        }
        ExerciseCommand::Import { file } => {
            let text = std::fs::read_to_string(file);
            let text = text.map_err(|source| failed(CourseError::Read { path: file.clone(), source }))?;
            let mut state = state()?;
            state.merge(&State::parse(&text));
            save(&state)?;
            let done = state.progress.values().filter(|progress| progress.done).count();
            say!("{done} exercises are done");
        }
    }
    Ok(0)
}

/// `warpbook watch`.
pub(crate) fn run_watch(args: &Watch) -> Ended {
    watch(&course(None)?, args)
}

/// The GPU that `--gpu` asks for. Without one, nothing is begun.
pub(crate) fn native(ordinal: Option<u32>) -> Result<Option<Native>, Failure> {
    let Some(ordinal) = ordinal else { return Ok(None) };
    Native::open(ordinal, this_program()?).map(Some).map_err(|error| Failure::new(error.exit_code(), error))
}

fn device(gpu: Option<&Native>) -> Option<&dyn Device> {
    gpu.map(|gpu| gpu as &dyn Device)
}

fn watch(course: &Course, args: &Watch) -> Ended {
    let gpu = native(args.gpu)?;
    let compiler = Cached::new(Sandboxed::new(this_program()?));
    let mut terminal = Terminal::new(&course.dir, args.manual);
    if let Some(note) = &terminal.note {
        say!("note: {note}");
    }
    let (name, device) = (args.name.as_deref(), device(gpu.as_ref()));
    runner::run(course, &compiler, device, name, &mut terminal, &mut out::Page).map_err(failed)?;
    say!();
    Ok(0)
}
