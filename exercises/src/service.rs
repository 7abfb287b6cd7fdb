//! What the pages of the book have done by the program that serves them: sources compiled, exercises judged.
//!
//! A request and its answer are JSON. An answer is `{"ok": …}` or `{"error": {"kind": …, "message": …}}`. What a page sends is
//! compiled as what strangers send is ([`Sandboxed`]), and judged in a process of its own ([`judge`]), so that neither a
//! source nor a kernel can keep the server from its work.

pub mod judge;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use front::slice::slice;
use serde::Deserialize;
use serde_json::json;

use crate::compiler::{CompileFailure, Compiler, Sandboxed};
use crate::course::Course;
use crate::page::{self, Failure, messages};

/// Longest name of a file that a page may give.
const LONGEST_NAME: usize = 80;

/// What is said where exercises cannot be judged.
const NO_COURSE: &str = "there is no course beside this book: exercises cannot be judged here";

/// What works for pages.
#[derive(Debug)]
pub struct Service {
    /// This program, which starts itself.
    program: PathBuf,
    /// The course's folder; none where there is no course.
    course: Option<PathBuf>,
    /// One piece of work at a time: a page that asks often does not fill the machine.
    turn: Mutex<()>,
}

/// A source to be compiled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Compile {
    /// The file's bare name, for messages and the line table.
    name: String,
    source: String,
    /// Only these kernels are wanted; all if there is none.
    #[serde(default)]
    kernels: Vec<String>,
}

impl Service {
    /// A service by `program`, which calls [`judge::child`] and the compiler's child when it is asked to. Exercises are those
    /// of the course in the folder `course`.
    pub const fn new(program: PathBuf, course: Option<PathBuf>) -> Self {
        Self { program, course, turn: Mutex::new(()) }
    }

    /// The answer to an operation as JSON; none where there is no such operation.
    pub fn answer(&self, operation: &str, request: &[u8]) -> Option<String> {
        let answer = match operation {
            "compile" => self.compile(request),
            "check" => self.check(request),
            "starter" => self.starter(request),
            _ => return None,
        };
        Some(match answer {
            Ok(ok) => json!({ "ok": ok }).to_string(),
            Err(failure) => json!({ "error": failure }).to_string(),
        })
    }

    fn compile(&self, request: &[u8]) -> Result<serde_json::Value, Failure> {
        let Compile { name, source, kernels } = read(request)?;
        let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.len() > LONGEST_NAME || !name.ends_with(".cu") || name.starts_with('.') || !name.chars().all(good) {
            let message = "`name` is no bare name of a CUDA source, such as `scan.cu`";
            return Err(Failure::new("input", message));
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let compiler = Sandboxed::new(self.program.clone());
        match compiler.compile(&name, &source) {
            Ok(compiled) => {
                let wanted: Vec<&str> = kernels.iter().map(String::as_str).collect();
                let ptx = if wanted.is_empty() { compiled.ptx } else { slice(&compiled.ptx, &wanted) };
                let lines = messages(&name, &compiled.warnings);
                Ok(json!({"ptx": ptx, "warnings": compiled.warnings, "lines": lines}))
            }
            Err(CompileFailure::Rejected(log)) => {
                let lines = messages(&name, &log);
                Err(Failure { lines, ..Failure::new("rejected", log) })
            }
            Err(CompileFailure::Stopped(why)) => Err(Failure::new("stopped", why)),
            Err(CompileFailure::Missing(why)) => Err(Failure::new("missing", why)),
        }
    }

    /// What a learner gets of an exercise: the kernel to edit.
    fn starter(&self, request: &[u8]) -> Result<serde_json::Value, Failure> {
        let course = self.course.clone().ok_or_else(|| Failure::new("missing", NO_COURSE))?;
        let begun = page::begin(&Course::load(&course)?, &read(request)?)?;
        serde_json::to_value(begun).map_err(|why| Failure::new("internal", why))
    }

    fn check(&self, request: &[u8]) -> Result<serde_json::Value, Failure> {
        let request: page::Request = read(request)?;
        let course = self.course.clone().ok_or_else(|| Failure::new("missing", NO_COURSE))?;
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        match judge::ask(&self.program, &judge::Order { course, request }) {
            Ok(judge::Reply::Judged(judged)) => {
                serde_json::to_value(judged).map_err(|why| Failure::new("internal", why))
            }
            Ok(judge::Reply::Refused(failure)) => Err(failure),
            Err(why) => Err(Failure::new("stopped", why)),
        }
    }
}

fn read<T: for<'de> Deserialize<'de>>(request: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(request).map_err(|why| Failure::new("input", format!("the request cannot be read: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_refused_with_a_sentence() {
        let service = Service::new(PathBuf::from("/no/such/program"), None);
        assert_eq!(service.answer("format", b"{}"), None);
        for (operation, request, what) in [
            ("compile", "", "cannot be read"),
            ("compile", "{\"name\": \"a.cu\"}", "missing field `source`"),
            ("compile", "{\"name\": \"a.cu\", \"source\": \"\", \"path\": \"/\"}", "unknown field `path`"),
            ("compile", "{\"name\": \"../a.cu\", \"source\": \"\"}", "no bare name"),
            ("compile", "{\"name\": \"a.txt\", \"source\": \"\"}", "no bare name"),
            ("check", "{\"exercise\": 3}", "cannot be read"),
            ("check", "{\"exercise\": \"x\", \"text\": \"\"}", "no course"),
        ] {
            let answer = service.answer(operation, request.as_bytes()).unwrap();
            assert!(answer.starts_with("{\"error\":") && answer.contains(what), "{request}: {answer}");
        }
    }
}
