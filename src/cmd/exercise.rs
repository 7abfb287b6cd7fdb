//! `warpbook exercise`.

use std::path::Path;

use exercises::compiler::Nvrtc;
use exercises::course::Course;
use exercises::desk::{self, Whose};

use super::{Ended, Failure, USAGE};
use crate::cli::{Exercise, ExerciseCommand};
use crate::out;

/// The course in the folder that was given, or the one around the current folder.
pub(crate) fn course(folder: Option<&Path>) -> Result<Course, Failure> {
    let here = std::env::current_dir().map_err(|error| Failure::new(USAGE, error))?;
    desk::open(folder, &here).map_err(|error| Failure::new(USAGE, error))
}

pub(crate) fn run(args: &Exercise, json: bool) -> Ended {
    let course = course(args.exercises.as_deref())?;
    let failed = |error: desk::DeskError| Failure::new(error.exit_code(), error);
    match &args.command {
        ExerciseCommand::List if json => out::json(&desk::list(&course))?,
        ExerciseCommand::List => print!("{}", desk::list_text(&course)),
        ExerciseCommand::Hint { name, step } => {
            let hint = desk::hint(&course, name, *step).map_err(failed)?;
            if json {
                out::json(&serde_json::json!({ "exercise": name, "step": step, "hint": hint }))?;
            } else {
                println!("{}", hint.trim_end());
            }
        }
        ExerciseCommand::Check { what, solution } => {
            let whose = if *solution { Whose::Solution } else { Whose::Learner };
            let checked = desk::check(&course, what.as_deref(), whose, &Nvrtc).map_err(failed)?;
            if json {
                out::json(&checked)?;
            } else {
                print!("{}", checked.text());
            }
            return Ok(checked.exit_code());
        }
    }
    Ok(0)
}
