//! The file of answers: a line `id: answer` for every question, and comments.

use std::fmt::Write as _;

use crate::course::{Exercise, Kind};

/// What a file of answers says about a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// Nothing yet.
    Open,
    /// That the learner does not want to answer.
    Skipped,
    /// An answer.
    Answer(String),
}

/// What stands for an answer that the learner does not want to give.
pub const SKIP: &str = "skip";

/// Longest line of comments.
const WIDTH: usize = 100;

/// The empty file of answers.
pub fn template(exercise: &Exercise) -> String {
    let mut out = format!("# {}\n#\n", exercise.title);
    comments(&mut out, &exercise.task);
    let how = if exercise.kind == Kind::Predict {
        "Write your predictions behind the colons before you run anything. Near ones count too: what you learn from is the \
         difference. The truth is shown when all are answered, and the answers that you have then are those that count; \
         `skip` leaves one out, and is counted."
    } else {
        "Write your answers behind the colons: a number, lanes such as `0-3, 7`, `none` or `all`, or a word. `skip` leaves \
         a question open."
    };
    out.push_str("#\n");
    comment(&mut out, &format!("The kernel: {}.cu, beside this file. {how}", exercise.name));
    let _ = write!(
        out,
        "#\n# Check it:     warpbook exercise check {0}\n# Get a hint:   warpbook exercise hint {0}\n",
        exercise.name
    );
    for question in &exercise.questions {
        out.push('\n');
        comments(&mut out, question.ask.trim());
        let _ = writeln!(out, "{}:", question.id);
    }
    out
}

/// Writes a text as comments: its paragraphs are wrapped anew, and what is indented, code or a table, stays as it is.
fn comments(out: &mut String, text: &str) {
    let mut paragraph = String::new();
    for line in text.lines() {
        if line.starts_with(' ') || line.trim().is_empty() {
            if !paragraph.is_empty() {
                comment(out, &std::mem::take(&mut paragraph));
            }
            let _ = writeln!(out, "{}", format!("# {line}").trim_end());
        } else {
            paragraph.push_str(line);
            paragraph.push('\n');
        }
    }
    if !paragraph.is_empty() {
        comment(out, &paragraph);
    }
}

/// Writes a paragraph as lines of comment.
fn comment(out: &mut String, text: &str) {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.len() + word.len() + 3 > WIDTH {
            let _ = writeln!(out, "# {line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(out, "# {line}");
}

/// Reads a file of answers: what it says about each question, in order, and the lines that are about none.
pub fn read(exercise: &Exercise, text: &str) -> (Vec<Given>, Vec<String>) {
    let mut given = vec![Given::Open; exercise.questions.len()];
    let mut strange = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let parts = line.split_once(':');
        let at = parts.and_then(|(id, _)| exercise.questions.iter().position(|question| question.id == id.trim()));
        let (Some(at), Some((_, answer))) = (at, parts) else {
            strange.push(line.chars().take(80).collect());
            continue;
        };
        // A comment may stand behind an answer.
        let answer = answer.split('#').next().unwrap_or_default().trim();
        given[at] = match answer {
            "" => Given::Open,
            SKIP => Given::Skipped,
            answer => Given::Answer(answer.to_owned()),
        };
    }
    (given, strange)
}
