//! The grader as a module of a page: requests and answers as JSON, each about one exercise, whose bundle comes along.
//!
//! ```text
//! {"op":"starter","course":BUNDLE,"exercise":"block_sum"}            {"ok":{"file":…,"text":…}}
//! {"op":"check","course":BUNDLE,"exercise":"block_sum","text":…,
//!  "compiled":{"ptx":…,"debug_ptx":…,"warnings":…},"progress":…}     {"ok":{"passed":…,"text":…,"grade":…,"lines":…,"progress":…}}
//! ```
//!
//! Of a text that the page's compiler refused `compiled` is `{"rejected":LOG}`; answers to questions need none. What goes wrong is
//! `{"error":{"kind":…,"message":…}}`, as the program that serves a book answers.

use serde::Deserialize;
use serde_json::json;
use sim::Watch;

use super::{Begin, Begun, Failure, Judged, Request, judge};
use crate::bundle::Bundle;
use crate::compiler::{CompileFailure, Compiled, Compiler};
use crate::course::Course;
use crate::state::State;

/// What a page asks of its module.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Asked {
    Check {
        course: Box<Bundle>,
        #[serde(default)]
        compiled: Option<Given>,
        exercise: String,
        text: String,
        #[serde(default)]
        progress: String,
    },
    Starter {
        course: Box<Bundle>,
        exercise: String,
    },
}

/// What the page's compiler made of the text.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Given {
    Rejected { rejected: String },
    Compiled(Compiled),
}

/// A compiler that has done its work already.
struct Done(Option<Given>);

impl Compiler for Done {
    fn compile(&self, _name: &str, _text: &str) -> Result<Compiled, CompileFailure> {
        match &self.0 {
            Some(Given::Compiled(compiled)) => Ok(compiled.clone()),
            Some(Given::Rejected { rejected }) => Err(CompileFailure::Rejected(rejected.clone())),
            None => Err(CompileFailure::Missing(
                "this kernel has not been compiled: the page needs its compiler before it can judge".to_owned(),
            )),
        }
    }

    fn identity(&self) -> Option<String> {
        None
    }

    fn is_nvrtc(&self) -> bool {
        false
    }
}

/// The answer to a request. `watch` is told how far the simulations have come, and may stop them.
pub fn answer(request: &[u8], watch: Option<Watch>) -> String {
    let answer = match serde_json::from_slice(request) {
        Ok(asked) => answered(asked, watch),
        Err(why) => Err(Failure::new("input", format!("the request cannot be read: {why}"))),
    };
    match answer {
        Ok(ok) => json!({ "ok": ok }).to_string(),
        Err(failure) => json!({ "error": failure }).to_string(),
    }
}

fn answered(asked: Asked, watch: Option<Watch>) -> Result<serde_json::Value, Failure> {
    let value = match asked {
        Asked::Check { course, compiled, exercise, text, progress } => {
            let request = Request { exercise, text, progress };
            let judged: Judged = judge(&course.course(), State::default(), &request, &Done(compiled), watch)?;
            serde_json::to_value(judged)
        }
        Asked::Starter { course, exercise } => serde_json::to_value(starter(&course.course(), &Begin { exercise })?),
    };
    value.map_err(|why| Failure::new("internal", why))
}

/// What [`super::begin`] makes of the solution is in the bundle already.
fn starter(course: &Course, asked: &Begin) -> Result<Begun, Failure> {
    let exercise = course.exercise(&asked.exercise)?;
    let text = course.read(&course.learner_file(exercise))?;
    Ok(Begun { file: exercise.file_name(), text })
}
