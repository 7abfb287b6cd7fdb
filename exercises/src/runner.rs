//! The loop of `warpbook watch`: one exercise at a time, checked whenever its file is saved, with one prompt that is
//! always there. It never goes on by itself.
//!
//! What is typed comes from an [`Inputs`], and what is shown goes to a writer: `terminal.rs` has those of a terminal.

pub mod terminal;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use kernels::native::Device;
use rayon::prelude::*;

use crate::compiler::Compiler;
use crate::course::{Course, Exercise, read, write};
use crate::desk::{self, Asked, Attempted, DeskError, Filter, shown};
use crate::grade::Grade;
use crate::native;
use crate::state::State;

/// What happened outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A key was pressed.
    Key(char),
    /// The learner's file was saved.
    Saved,
    /// Nobody types any more.
    End,
}

/// Where keys and changes of files come from.
pub trait Inputs {
    /// Waits for the next event. `watched` is the file whose changes count.
    ///
    /// # Errors
    /// When the terminal or the file watcher fails.
    fn next(&mut self, watched: &Path) -> io::Result<Event>;

    /// A line that is typed after a question; none if nobody types.
    ///
    /// # Errors
    /// When the terminal fails.
    fn line(&mut self) -> io::Result<Option<String>>;

    /// Whether saving a file is noticed.
    fn watches(&self) -> bool;
}

/// The folder of the course that keeps what was reset.
const BACKUPS: &str = ".warpbook-backups";

/// A learner at work.
pub struct Runner<'a> {
    course: &'a Course,
    compiler: &'a dyn Compiler,
    device: Option<&'a dyn Device>,
    state: State,
    exercise: &'a Exercise,
    /// Whether the current exercise passed when it was last checked.
    passed: bool,
    /// What was just written to the learner's file here: that it changed is no news then.
    written: Option<String>,
}

/// Works through a course until the learner quits. What is right runs on `device` when that is asked for, if there is one.
///
/// # Errors
/// When files or the terminal fail, or nothing can be graded here.
pub fn run(
    course: &Course,
    compiler: &dyn Compiler,
    device: Option<&dyn Device>,
    start: Option<&str>,
    inputs: &mut dyn Inputs,
    out: &mut dyn Write,
) -> Result<(), DeskError> {
    let state = State::load(course)?;
    let first = match start {
        Some(name) => Some(course.exercise(name)?),
        None => state.current(course),
    };
    let Some(exercise) = first else {
        say(out, &finished(course, &state));
        return Ok(());
    };
    let mut runner = Runner { course, compiler, device, state, exercise, passed: false, written: None };
    runner.go_to(exercise)?;
    runner.check(out)?;
    loop {
        runner.prompt(inputs.watches(), out);
        let file = course.learner_file(runner.exercise);
        let event = loop {
            let event = inputs.next(&file)?;
            let own = if event == Event::Saved { runner.written.take() } else { None };
            if own.is_none() || own != read(&file).ok() {
                break event;
            }
        };
        match event {
            Event::End | Event::Key('q') => return Ok(()),
            Event::Saved => runner.check(out)?,
            Event::Key(key) => runner.key(key, inputs, out)?,
        }
    }
}

/// Writes to the terminal. That it has gone is noticed when it is read.
fn say(out: &mut dyn Write, text: &str) {
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// What is said when nothing is left.
fn finished(course: &Course, state: &State) -> String {
    let (done, all) = state.count(course);
    let skipped = course.exercises.iter().filter(|one| state.of(&one.name).skipped).count();
    format!(
        "{done} of {all} exercises are done, {skipped} skipped: nothing is left on this path.\n\
         warpbook exercise list shows all; warpbook exercise path chooses another path.\n"
    )
}

impl<'a> Runner<'a> {
    fn go_to(&mut self, exercise: &'a Exercise) -> Result<(), DeskError> {
        self.exercise = exercise;
        self.passed = false;
        self.state.current = Some(exercise.name.clone());
        self.state.save(self.course)?;
        Ok(())
    }

    /// Checks the current exercise.
    fn check(&mut self, out: &mut dyn Write) -> Result<(), DeskError> {
        let file = shown(&self.course.learner_file(self.exercise));
        say(out, &format!("\n{}\nChecking {file}, please wait ...\n", "-".repeat(72)));
        match attempt(self.course, &self.state, self.exercise, self.compiler) {
            Ok(attempt) => {
                self.passed = attempt.grade().passed;
                self.state.note(self.exercise, attempt.grade());
                self.state.save(self.course)?;
                say(out, &format!("\n{}", attempt.message(self.course).0));
            }
            // The file may be missing for a moment while an editor saves it.
            Err(error) if error.exit_code() == sim::ErrorClass::Internal.exit_code() => return Err(error),
            Err(error) => {
                self.passed = false;
                say(out, &format!("\n{error}\n"));
            }
        }
        Ok(())
    }

    /// The prompt, always the last thing on the screen.
    fn prompt(&self, watches: bool, out: &mut dyn Write) {
        let (done, all) = self.state.count(self.course);
        let full = (40 * done).checked_div(all).unwrap_or(0);
        let bar = format!("[{}{}] {done}/{all}", "#".repeat(full), "-".repeat(40 - full));
        let file = shown(&self.course.learner_file(self.exercise));
        let next = if self.passed { "n:next / " } else { "" };
        let how = if watches { "save it to check it again" } else { "r:run checks it again" };
        let run = if watches { "" } else { "r:run / " };
        let gpu = if self.device.is_some() { "g:gpu / " } else { "" };
        let name = &self.exercise.name;
        let title = &self.exercise.title;
        say(
            out,
            &format!(
                "\n{bar}\n{name}: {title} ({}, {} minutes)\nYour file: {file} ({how})\n\n\
                 {next}{run}{gpu}h:hint / l:list / s:skip / c:check all / x:reset / q:quit ? ",
                self.exercise.kind.name(),
                self.exercise.minutes
            ),
        );
    }

    /// Does what a key stands for.
    fn key(&mut self, key: char, inputs: &mut dyn Inputs, out: &mut dyn Write) -> Result<(), DeskError> {
        say(out, "\n");
        match key {
            'n' if self.passed => self.next(out),
            'n' => {
                say(out, "This exercise is not done yet: s leaves it out, l goes to another.\n");
                Ok(())
            }
            'r' | '\n' => self.check(out),
            'g' => self.on_gpu(out),
            'h' => self.hint(out),
            's' => {
                let progress = self.state.progress.entry(self.exercise.name.clone()).or_default();
                progress.skipped = !progress.done;
                self.next(out)
            }
            'l' => self.list(inputs, out),
            'c' => self.check_all(out),
            'x' => self.reset(inputs, out),
            _ => Ok(()),
        }
    }

    fn next(&mut self, out: &mut dyn Write) -> Result<(), DeskError> {
        let name = self.exercise.name.clone();
        match self.state.next(self.course, Some(&name)) {
            Some(exercise) => {
                self.go_to(exercise)?;
                self.check(out)
            }
            None => {
                self.state.save(self.course)?;
                say(out, &finished(self.course, &self.state));
                Ok(())
            }
        }
    }

    /// Runs the current exercise's file on the GPU.
    fn on_gpu(&self, out: &mut dyn Write) -> Result<(), DeskError> {
        let Some(device) = self.device else {
            say(out, "No GPU takes part: start with warpbook watch --gpu to run on this machine's.\n");
            return Ok(());
        };
        say(out, "Running on the GPU, please wait ...\n\n");
        match desk::on_gpu(self.course, self.exercise, self.compiler, device) {
            Ok(run) => say(out, &native::text::text(&run)),
            Err(error) if error.exit_code() == sim::ErrorClass::Internal.exit_code() => return Err(error),
            Err(error) => say(out, &format!("{error}\n")),
        }
        Ok(())
    }

    /// The next step of the hints; the last one again and again.
    fn hint(&mut self, out: &mut dyn Write) -> Result<(), DeskError> {
        let progress = self.state.progress.entry(self.exercise.name.clone()).or_default();
        progress.hints = (progress.hints + 1).min(self.exercise.hints.len());
        let step = progress.hints;
        self.state.save(self.course)?;
        say(out, &format!("{}\n", desk::hint_text(self.course, self.exercise, step, "Press h for the next hint.")));
        Ok(())
    }

    /// The list, with a search, until an exercise is chosen.
    fn list(&mut self, inputs: &mut dyn Inputs, out: &mut dyn Write) -> Result<(), DeskError> {
        let mut filter = Filter { way: Some(self.state.path.clone()), ..Filter::default() };
        loop {
            let entries = desk::list(self.course, &self.state, &filter);
            say(out, &desk::list_text(self.course, &self.state, &filter));
            say(out, "\na name or number goes there, /WORD searches, /done /open /all filter;\nEnter goes back: ");
            let typed = inputs.line()?.unwrap_or_default();
            let typed = typed.trim();
            let by_number =
                typed.parse::<usize>().ok().and_then(|number| entries.iter().find(|one| one.number == number));
            let name = by_number.map_or(typed, |one| one.name.as_str());
            match typed {
                "" => return Ok(()),
                "/done" => filter.done = Some(true),
                "/open" => filter.done = Some(false),
                "/all" => filter = Filter::default(),
                word if word.starts_with('/') => filter.search = Some(word[1..].to_owned()),
                _ => match self.course.exercise(name) {
                    Ok(exercise) => {
                        self.go_to(exercise)?;
                        return self.check(out);
                    }
                    Err(error) => say(out, &format!("{error}\n\n")),
                },
            }
        }
    }

    /// Checks every file that the learner has, all at once.
    fn check_all(&mut self, out: &mut dyn Write) -> Result<(), DeskError> {
        let course = self.course;
        say(out, &format!("Checking {} exercises, please wait ...\n", course.exercises.len()));
        let grades: Vec<(&Exercise, Result<Grade, DeskError>)> =
            course.exercises.par_iter().map(|one| (one, grade(course, &self.state, one, self.compiler))).collect();
        for (exercise, grade) in grades {
            let before = self.state.of(&exercise.name).done;
            let said = match grade {
                Ok(grade) if grade.passed => {
                    self.state.note(exercise, &grade);
                    "done"
                }
                Ok(_) if before => {
                    self.state.progress.entry(exercise.name.clone()).or_default().done = false;
                    "no longer passes"
                }
                Ok(_) => "not yet",
                Err(_) => "cannot be checked",
            };
            say(out, &format!("  {:<32} {said}\n", exercise.name));
        }
        self.passed = self.state.of(&self.exercise.name).done;
        self.state.save(self.course)?;
        Ok(())
    }

    fn reset(&mut self, inputs: &mut dyn Inputs, out: &mut dyn Write) -> Result<(), DeskError> {
        let file = shown(&self.course.learner_file(self.exercise));
        say(out, &format!("{file} becomes the starter again; what is in it now is kept. Type y to do it: "));
        if inputs.line()?.is_none_or(|line| line.trim() != "y") {
            say(out, "nothing was changed\n");
            return Ok(());
        }
        for backup in reset(self.course, self.exercise)? {
            say(out, &format!("kept: {}\n", shown(&backup)));
        }
        self.written = read(&self.course.learner_file(self.exercise)).ok();
        self.state.progress.entry(self.exercise.name.clone()).or_default().done = false;
        self.state.save(self.course)?;
        self.check(out)
    }
}

/// Grades the learner's file of an exercise.
fn attempt<'a>(
    course: &Course,
    state: &State,
    exercise: &'a Exercise,
    compiler: &dyn Compiler,
) -> Result<Attempted<'a>, DeskError> {
    desk::attempt(course, state, exercise, &course.learner_file(exercise), &Asked::default(), compiler)
}

/// Its grade alone.
fn grade(course: &Course, state: &State, exercise: &Exercise, compiler: &dyn Compiler) -> Result<Grade, DeskError> {
    attempt(course, state, exercise, compiler).map(|attempt| attempt.grade().clone())
}

/// Makes the learner's files of an exercise the starters again, and gives the copies of what was in them.
///
/// # Errors
/// When a file cannot be written. Nothing is lost then.
pub fn reset(course: &Course, exercise: &Exercise) -> Result<Vec<PathBuf>, DeskError> {
    let mut kept = Vec::new();
    for (path, starter) in course.starters(exercise)? {
        let own = read(&path).unwrap_or_default();
        if own == starter {
            continue;
        }
        if !own.is_empty() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let folder = course.dir.join(BACKUPS);
            let free = (1u32..).map(|number| folder.join(format!("{name}.{number}"))).find(|path| !path.exists());
            if let Some(backup) = free {
                write(&backup, &own)?;
                kept.push(backup);
            }
        }
        write(&path, &starter)?;
    }
    Ok(kept)
}
