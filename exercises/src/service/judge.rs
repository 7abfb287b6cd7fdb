//! The process that judges one text of an exercise for a page, and the server's side of it.

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wait_timeout::ChildExt;

use super::{Message, messages};
use crate::class::worker;
use crate::compiler::{Cached, Sandboxed};
use crate::course::Course;
use crate::desk::{self, DeskError};
use crate::grade::Grade;
use crate::state::State;

/// The hidden subcommand that [`child`] is reached by.
pub const SUBCOMMAND: &str = "judge-text";

/// How long it may take. The instruction budget ends kernels long before.
const PATIENCE: Duration = Duration::from_secs(180);

/// Address space of the process, in bytes.
const MEMORY: u64 = 16 << 30;

/// Most bytes that are read of what the child says.
const MOST_OUTPUT: u64 = 16 << 20;

/// What a page asks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The exercise's name.
    pub exercise: String,
    /// The kernel, or the file of answers.
    pub text: String,
    /// What the page keeps of this exercise, as the file of progress has it.
    #[serde(default)]
    pub progress: String,
}

/// What the child is asked.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The course's folder.
    pub course: PathBuf,
    /// What is to be judged.
    pub request: Request,
}

/// What the page learns.
#[derive(Debug, Serialize, Deserialize)]
pub struct Judged {
    /// Whether every check passed.
    pub passed: bool,
    /// The message for the learner.
    pub text: String,
    /// The grade.
    pub grade: serde_json::Value,
    /// What is to be looked at, by line: what the compiler says, or what was found and what costs too much.
    pub lines: Vec<Message>,
    /// What is known of the exercise now, as the file of progress has it: what was known already stays.
    pub progress: String,
}

/// What the child answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// A grade.
    Judged(Box<Judged>),
    /// Why there is none: with the exit code that the command would have.
    Refused {
        /// The exit code.
        code: u8,
        /// The sentence.
        message: String,
    },
}

/// Runs a child and waits for its answer.
///
/// # Errors
/// A sentence: why there is none.
pub(super) fn ask(program: &Path, order: &Order) -> Result<Reply, String> {
    let failed = |why: &dyn std::fmt::Display| format!("the judge could not be started: {why}");
    let mut child = Command::new(program)
        .arg(SUBCOMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|why| failed(&why))?;
    let order = serde_json::to_vec(order).map_err(|why| failed(&why))?;
    if let Some(mut pipe) = child.stdin.take() {
        // A child that has died already is noticed when its answer is read.
        let _ = pipe.write_all(&order);
    }
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.map(|pipe| pipe.take(MOST_OUTPUT).read_to_end(&mut bytes));
        read.and_then(Result::ok).map(|_| bytes)
    });
    let ended = child.wait_timeout(PATIENCE);
    if !matches!(ended, Ok(Some(_))) {
        let _ = child.kill();
        let _ = child.wait();
        let _ = reader.join();
        return Err(format!("judging took more than {} seconds and was stopped", PATIENCE.as_secs()));
    }
    let bytes = reader.join().ok().flatten().unwrap_or_default();
    let died =
        "the judge was ended while it worked on this: most likely the kernel needed more memory than it may have";
    serde_json::from_slice(&bytes).map_err(|_| died.to_owned())
}

/// What the child process does: reads an order from standard input, judges, and writes the reply to standard output.
/// `program` is this program, which compiles in processes of its own.
///
/// # Errors
/// When it cannot read, write or limit itself.
pub fn child(program: &Path) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let order: Order = serde_json::from_slice(&bytes)?;
    #[cfg(unix)]
    {
        let (_, hard) = rlimit::Resource::AS.get()?;
        rlimit::Resource::AS.set(MEMORY.min(hard), MEMORY.min(hard))?;
    }
    let judged = catch_unwind(AssertUnwindSafe(|| judge(&order, program)));
    let reply = match judged {
        Ok(Ok(judged)) => Reply::Judged(Box::new(judged)),
        Ok(Err(why)) => Reply::Refused { code: why.exit_code(), message: why.to_string() },
        Err(_) => {
            let message = "this is a bug in warpbook, not in your text: please report it with the text";
            Reply::Refused { code: 101, message: message.to_owned() }
        }
    };
    std::io::stdout().write_all(&serde_json::to_vec(&reply)?)
}

fn judge(order: &Order, program: &Path) -> Result<Judged, DeskError> {
    let Request { exercise, text, progress } = &order.request;
    let course = Course::load(&order.course)?;
    let exercise = course.exercise(exercise)?;
    // What the command line has recorded wins over what the page has.
    let mut state = State::load(&course)?;
    state.merge(&State::parse(progress));
    let compiler = Cached::new(Sandboxed::new(program.to_owned()));
    let checked = desk::check_text(&course, &state, exercise, text, &compiler)?;
    let mut lines = Vec::new();
    let grade = checked.grades.first().map(|grade| {
        state.note(exercise, grade);
        lines = places(grade);
        serde_json::to_value(grade)
    });
    let grade = grade.transpose().map_err(std::io::Error::other)?.unwrap_or_default();
    let progress = state.only(&exercise.name).lines();
    Ok(Judged { passed: checked.passed, text: checked.text(), grade, lines, progress })
}

/// What is to be looked at in a graded kernel.
fn places(grade: &Grade) -> Vec<Message> {
    let mut all: Vec<Message> = grade.checks.iter().flat_map(|check| messages(&grade.file, &check.detail)).collect();
    let found = worker::places(grade);
    all.extend(found.into_iter().map(|(line, message)| Message { line, severity: "finding".to_owned(), message }));
    all
}
