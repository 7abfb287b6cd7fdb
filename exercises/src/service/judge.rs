//! The process that judges one text of an exercise for a page, and the server's side of it.

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wait_timeout::ChildExt;

use crate::compiler::{Cached, Sandboxed};
use crate::course::Course;
use crate::page::{self, Failure, Judged, Request};
use crate::state::State;

/// The hidden subcommand that [`child`] is reached by.
pub const SUBCOMMAND: &str = "judge-text";

/// How long it may take. The instruction budget ends kernels long before.
const PATIENCE: Duration = Duration::from_secs(180);

/// Address space of the process, in bytes.
const MEMORY: u64 = 16 << 30;

/// Most bytes that are read of what the child says.
const MOST_OUTPUT: u64 = 16 << 20;

/// What the child is asked.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The course's folder.
    pub course: PathBuf,
    /// What is to be judged.
    pub request: Request,
}

/// What the child answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// A grade.
    Judged(Box<Judged>),
    /// Why there is none.
    Refused(Failure),
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
        Ok(Err(failure)) => Reply::Refused(failure),
        Err(_) => {
            let message = "this is a bug in warpbook, not in your text: please report it with the text";
            Reply::Refused(Failure::new("internal", message))
        }
    };
    std::io::stdout().write_all(&serde_json::to_vec(&reply)?)
}

fn judge(order: &Order, program: &Path) -> Result<Judged, Failure> {
    let course = Course::load(&order.course)?;
    // What the command line has recorded wins over what the page has.
    let state = State::load(&course)?;
    page::judge(&course, state, &order.request, &Cached::new(Sandboxed::new(program.to_owned())), None)
}
