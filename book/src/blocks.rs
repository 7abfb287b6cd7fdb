//! Directives that enclose text: predictions, quizzes, and figures to step through. Each is opened by its name, parted by
//! directives of its own, and closed by `{{#wb end}}`.
//!
//! What they become works without JavaScript: answers are folded in `<details>`, all steps are shown. With it, the reader
//! enters an answer first, and steps one at a time (`theme/warpbook.js`).

use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::escape;
use crate::value::Value;

/// A block that is not closed yet.
#[derive(Debug)]
pub(crate) struct Open {
    /// The line that opened it, from 1.
    pub(crate) line: u32,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Predict { answered: bool },
    Quiz(Quiz),
    Steps { frames: u32 },
}

#[derive(Debug)]
struct Quiz {
    id: String,
    value: Option<Value>,
    /// Whether each option is right.
    options: Vec<bool>,
    /// Where the text of the last option's reason begins in the chapter, until it is taken from there.
    reason_at: Option<usize>,
    /// The letters of wrong options, each with why it is wrong.
    reasons: Vec<(char, String)>,
    explained: bool,
    /// Whether further questions of the same form have begun.
    again: bool,
}

/// The names of the directives in here.
pub(crate) const NAMES: [&str; 9] =
    ["predict", "answer", "quiz", "option", "reason", "because", "again", "steps", "frame"];

impl Open {
    /// What opened it.
    pub(crate) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Predict { .. } => "predict",
            Kind::Quiz(_) => "quiz",
            Kind::Steps { .. } => "steps",
        }
    }
}

/// Fills one of the directives [`NAMES`], or `end`.
///
/// `filled` is the chapter up to the directive.
pub(crate) fn block(
    context: &Context<'_>,
    directive: &mut Directive,
    open: &mut Vec<Open>,
    filled: &mut String,
) -> Result<String, Reason> {
    let line = directive.line;
    let name = directive.name.clone();
    match &*name {
        "predict" => {
            let value = Value::maybe(context, directive)?;
            let unit = directive.maybe("unit").unwrap_or_default();
            open.push(Open { line, kind: Kind::Predict { answered: false } });
            Ok(format!("<div class=\"wb-predict\"{}>\n\n**Predict.** ", data(value.as_ref(), &unit)))
        }
        "steps" => {
            let title = directive.word("a title, such as \"The up-sweep\"")?;
            open.push(Open { line, kind: Kind::Steps { frames: 0 } });
            Ok(format!("<div class=\"wb-steps\" role=\"group\" aria-label=\"{}\">\n", escape(&title)))
        }
        "quiz" => {
            let id = directive.word("a stable name, such as `scan-why-padding`")?;
            if id.is_empty() || !id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
                return Err(Reason::Wrong(format!("`{id}` names no question: use small letters, digits and `-`")));
            }
            let value = Value::maybe(context, directive)?;
            let unit = directive.maybe("unit").unwrap_or_default();
            let text = format!(
                "<section class=\"wb-quiz\" id=\"quiz-{id}\" data-quiz=\"{id}\"{} aria-label=\"Question\">\n\n\
                 **Question.** ",
                data(value.as_ref(), &unit)
            );
            let quiz = Quiz {
                id,
                value,
                options: Vec::new(),
                reason_at: None,
                reasons: Vec::new(),
                explained: false,
                again: false,
            };
            open.push(Open { line, kind: Kind::Quiz(quiz) });
            Ok(text)
        }
        "answer" => answer(directive, open),
        "option" => option(directive, open, filled),
        "reason" => reason(open, filled),
        "because" => because(open, filled),
        "again" => again(context, directive, open),
        "frame" => {
            let caption = directive.word("a caption")?;
            let Some(Open { kind: Kind::Steps { frames }, .. }) = open.last_mut() else {
                return Err(Reason::Wrong("`frame` belongs into `steps`".to_owned()));
            };
            *frames += 1;
            let close = if *frames > 1 { "\n</div>\n" } else { "" };
            let caption = escape(&caption);
            Ok(format!(
                "{close}<div class=\"wb-frame\"><p class=\"wb-caption\"><b>Step {frames}.</b> {caption}</p>\n\n"
            ))
        }
        _ => end(open),
    }
}

/// What the script needs: the value, as a number and as it is shown, and its unit.
fn data(value: Option<&Value>, unit: &str) -> String {
    let unit = if unit.is_empty() { String::new() } else { format!(" data-unit=\"{}\"", escape(unit)) };
    value.map_or(String::new(), |Value { exact, shown, .. }| {
        format!(" data-value=\"{exact}\" data-shown=\"{}\"{unit}", escape(shown))
    })
}

fn answer(directive: &mut Directive, open: &mut [Open]) -> Result<String, Reason> {
    let summary = directive.word("what the answer shows, such as \"What the two cost\"")?;
    match open.last_mut() {
        Some(Open { kind: Kind::Predict { answered }, .. }) if !*answered => {
            *answered = true;
            let summary = escape(&summary);
            Ok(format!("\n\n</div>\n\n<details class=\"wb-answer\">\n<summary>{summary}</summary>\n\n"))
        }
        _ => Err(Reason::Wrong("`answer` belongs into `predict`, once".to_owned())),
    }
}

/// The letter of an option.
fn letter(at: usize) -> char {
    char::from(b'A' + (at % 26) as u8)
}

fn option(directive: &mut Directive, open: &mut [Open], filled: &mut String) -> Result<String, Reason> {
    let Some(Open { kind: Kind::Quiz(quiz), .. }) = open.last_mut() else {
        return Err(Reason::Wrong("`option` belongs into `quiz`".to_owned()));
    };
    if quiz.explained {
        return Err(Reason::Wrong("an option cannot come after `because`".to_owned()));
    }
    take_reason(quiz, filled);
    let start = if quiz.options.is_empty() { "\n\n<ol class=\"wb-options\">\n" } else { "\n\n</li>\n" };
    let (right, text) = match &quiz.value {
        Some(value) => {
            let number = directive.word("a number, since the right one is computed: {{#wb option 16}}")?;
            let plain: f64 = number
                .replace(',', "")
                .parse()
                .map_err(|_| Reason::Wrong(format!("`{number}` is no number to compare with the computed one")))?;
            // Whole numbers are compared exactly; others as the text shows them.
            let shown = value.shown.split(' ').next().unwrap_or_default();
            (plain == value.exact || number == shown, number)
        }
        None => match directive.word("").ok().as_deref() {
            None => (false, String::new()),
            Some("right") => (true, String::new()),
            Some(other) => {
                return Err(Reason::Wrong(format!(
                    "`option {other}`: write `option`, or `option right` for the right one"
                )));
            }
        },
    };
    quiz.options.push(right);
    let mark = if right { " data-right=\"yes\"" } else { "" };
    Ok(format!("{start}<li{mark}>\n\n{text}"))
}

/// Why the option before it is wrong. Its text stands beside the option in the chapter and with the answer on the page,
/// where it gives nothing away.
fn reason(open: &mut [Open], filled: &str) -> Result<String, Reason> {
    let Some(Open { kind: Kind::Quiz(quiz), .. }) = open.last_mut() else {
        return Err(Reason::Wrong("`reason` belongs behind an `option` of a `quiz`".to_owned()));
    };
    match quiz.options.last() {
        Some(false) if !quiz.explained && quiz.reason_at.is_none() => {
            quiz.reason_at = Some(filled.len());
            Ok(String::new())
        }
        Some(true) if !quiz.explained => Err(Reason::Wrong(format!(
            "option {} of {} is right; `because` says why, and `reason` why an option is wrong",
            letter(quiz.options.len() - 1),
            quiz.id
        ))),
        Some(false) if !quiz.explained => Err(Reason::Wrong(format!("an option of {} has two reasons", quiz.id))),
        _ => Err(Reason::Wrong("`reason` belongs behind an `option` of a `quiz`".to_owned())),
    }
}

/// Takes the reason of the option that has just ended out of the chapter.
fn take_reason(quiz: &mut Quiz, filled: &mut String) {
    if let Some(at) = quiz.reason_at.take() {
        let text = filled.split_off(at).trim().to_owned();
        quiz.reasons.push((letter(quiz.options.len() - 1), text));
    }
}

/// A further question of the same form, with another number, for those who want to try it once more.
fn again(context: &Context<'_>, directive: &mut Directive, open: &mut [Open]) -> Result<String, Reason> {
    let Some(Open { kind: Kind::Quiz(quiz), .. }) = open.last_mut() else {
        return Err(Reason::Wrong("`again` belongs into `quiz`".to_owned()));
    };
    if !quiz.explained {
        return Err(Reason::Wrong("`again` comes after `because`: it is asked when the answer is known".to_owned()));
    }
    let value = Value::take(context, directive)?;
    let unit = directive.maybe("unit").unwrap_or_default();
    let before = if std::mem::replace(&mut quiz.again, true) { "\n\n</div>" } else { &*reasons(quiz) };
    Ok(format!("{before}\n\n<div class=\"wb-again\"{}>\n\n**Once more.** ", data(Some(&value), &unit)))
}

/// The list of why options are wrong.
fn reasons(quiz: &mut Quiz) -> String {
    let reasons = std::mem::take(&mut quiz.reasons);
    if reasons.is_empty() {
        return String::new();
    }
    let items: String = reasons
        .iter()
        .map(|(letter, text)| format!("<li data-option=\"{letter}\">\n\n<b>Not {letter}.</b> {text}\n\n</li>\n"))
        .collect();
    format!("\n\n<ul class=\"wb-reasons\">\n{items}</ul>\n")
}

fn because(open: &mut [Open], filled: &mut String) -> Result<String, Reason> {
    let Some(Open { kind: Kind::Quiz(quiz), .. }) = open.last_mut() else {
        return Err(Reason::Wrong("`because` belongs into `quiz`".to_owned()));
    };
    if quiz.explained {
        return Err(Reason::Wrong("`because` stands once in a quiz".to_owned()));
    }
    take_reason(quiz, filled);
    quiz.explained = true;
    let right: Vec<usize> = (0..quiz.options.len()).filter(|&at| quiz.options[at]).collect();
    let (close, answer) = match (&quiz.value, &*quiz.options, &*right) {
        (Some(value), [], _) => ("\n\n", value.html()),
        (None, [] | [_], _) => {
            return Err(Reason::Wrong(format!("the question {} needs two options or a number to compute", quiz.id)));
        }
        (_, _, [at]) => ("\n\n</li>\n</ol>\n\n", letter(*at).to_string()),
        (Some(value), _, _) => {
            return Err(Reason::Contradicted(format!(
                "the answer to {} is {}, and {} of its options say so",
                quiz.id,
                value.shown,
                right.len()
            )));
        }
        (None, _, _) => {
            return Err(Reason::Wrong(format!("{} options of {} are right; one must be", right.len(), quiz.id)));
        }
    };
    Ok(format!("{close}<details class=\"wb-answer\">\n<summary>Answer</summary>\n<p><b>{answer}</b></p>\n\n"))
}

fn end(open: &mut Vec<Open>) -> Result<String, Reason> {
    match open.pop().map(|open| open.kind) {
        None => Err(Reason::Wrong("`end` closes nothing: no predict, quiz or steps is open".to_owned())),
        Some(Kind::Predict { answered: false }) => {
            Err(Reason::Wrong("this prediction has no `{{#wb answer \"…\"}}`".to_owned()))
        }
        Some(Kind::Predict { .. }) => Ok("\n</details>\n".to_owned()),
        Some(Kind::Quiz(mut quiz)) if quiz.explained => {
            let again = if quiz.again { "\n\n</div>\n" } else { "" };
            Ok(format!("{}{again}\n</details>\n</section>\n", reasons(&mut quiz)))
        }
        Some(Kind::Quiz(quiz)) => Err(Reason::Wrong(format!("the question {} has no `{{{{#wb because}}}}`", quiz.id))),
        Some(Kind::Steps { frames: 0 }) => Err(Reason::Wrong("these steps have no `{{#wb frame \"…\"}}`".to_owned())),
        Some(Kind::Steps { .. }) => Ok("\n</div>\n</div>\n".to_owned()),
    }
}
