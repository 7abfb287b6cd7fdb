//! Directives that enclose text: predictions, quizzes, and figures to step through. Each is opened by its name, parted by
//! directives of its own, and closed by `{{#wb end}}`.
//!
//! What they become works without JavaScript: answers are folded in `<details>`, all steps are shown. With it, the reader
//! enters an answer first, and steps one at a time (`theme/warpbook.js`).

use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Around, Markdown, Markup, html};
use crate::value::Value;

/// A block that is not closed yet.
#[derive(Debug)]
pub(crate) struct Open {
    /// The line that opened it, from 1.
    pub(crate) line: u32,
    kind: Kind,
    tags: Tags,
}

/// The elements of a block that are open, the innermost last: what closes each.
#[derive(Debug, Default)]
struct Tags(Vec<String>);

impl Tags {
    /// Opens an element around what comes: its tags before it.
    fn open(&mut self, element: impl FnOnce(&str) -> Markup) -> String {
        let Around { before, behind } = Around::of(element);
        self.0.push(behind);
        before
    }

    /// Closes the innermost element: its tags.
    fn close(&mut self) -> String {
        self.0.pop().unwrap_or_default()
    }
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

/// Fills one of these directives: what opens a block, what parts it, or `end`.
///
/// `filled` is the chapter up to the directive.
pub(crate) fn block(
    context: &Context<'_>,
    directive: &mut Directive,
    open: &mut Vec<Open>,
    filled: &mut String,
) -> Result<Markdown, Reason> {
    let line = directive.line;
    let name = directive.name.clone();
    match &*name {
        "predict" => {
            let data = Data::of(Value::maybe(context, directive)?, directive);
            let mut tags = Tags::default();
            let before = tags.open(|content| {
                html! {
                    div class="wb-predict" data-value=[data.exact] data-shown=[&data.shown] data-unit=[&data.unit] { (content) }
                }
            });
            open.push(Open { line, kind: Kind::Predict { answered: false }, tags });
            Ok(format!("{before}\n\n**Predict.** ").into())
        }
        "steps" => {
            let title = directive.word("a title, such as \"The up-sweep\"")?;
            let mut tags = Tags::default();
            let before =
                tags.open(|content| html! { div class="wb-steps" role="group" aria-label=(title) { (content) } });
            open.push(Open { line, kind: Kind::Steps { frames: 0 }, tags });
            Ok(format!("{before}\n").into())
        }
        "quiz" => {
            let id = directive.word("a stable name, such as `scan-why-padding`")?;
            if id.is_empty() || !id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
                return Err(Reason::Wrong(format!("`{id}` names no question: use small letters, digits and `-`")));
            }
            let value = Value::maybe(context, directive)?;
            let data = Data::of(value.clone(), directive);
            let mut tags = Tags::default();
            let before = tags.open(|content| {
                html! {
                    section class="wb-quiz" id={ "quiz-" (id) } data-quiz=(id) data-value=[data.exact]
                        data-shown=[&data.shown] data-unit=[&data.unit] aria-label="Question" { (content) }
                }
            });
            let quiz = Quiz {
                id,
                value,
                options: Vec::new(),
                reason_at: None,
                reasons: Vec::new(),
                explained: false,
                again: false,
            };
            open.push(Open { line, kind: Kind::Quiz(quiz), tags });
            Ok(format!("{before}\n\n**Question.** ").into())
        }
        "answer" => answer(directive, open),
        "option" => option(directive, open, filled),
        "reason" => reason(open, filled),
        "because" => because(open, filled),
        "again" => again(context, directive, open),
        "frame" => {
            let caption = directive.word("a caption")?;
            let Some(Open { kind: Kind::Steps { frames }, tags, .. }) = open.last_mut() else {
                return Err(Reason::Wrong("`frame` belongs into `steps`".to_owned()));
            };
            *frames += 1;
            let close = if *frames > 1 { format!("\n{}\n", tags.close()) } else { String::new() };
            let before = tags.open(|content| {
                html! { div class="wb-frame" { p class="wb-caption" { b { "Step " (frames) "." } " " (caption) } (content) } }
            });
            Ok(format!("{close}{before}\n\n").into())
        }
        _ => end(open),
    }
}

/// What the script needs, if there is a value: it as a number and as it is shown, and its unit.
#[derive(Default)]
struct Data {
    exact: Option<f64>,
    shown: Option<String>,
    unit: Option<String>,
}

impl Data {
    fn of(value: Option<Value>, directive: &mut Directive) -> Self {
        let unit = directive.maybe("unit").filter(|unit| !unit.is_empty());
        value.map_or_else(Self::default, |Value { exact, shown, .. }| Self {
            exact: Some(exact),
            shown: Some(shown),
            unit,
        })
    }
}

fn answer(directive: &mut Directive, open: &mut [Open]) -> Result<Markdown, Reason> {
    let summary = directive.word("what the answer shows, such as \"What the two cost\"")?;
    match open.last_mut() {
        Some(Open { kind: Kind::Predict { answered }, tags, .. }) if !*answered => {
            *answered = true;
            let close = tags.close();
            let before = tags.open(|content| {
                html! { details class="wb-answer" { "\n" summary { (summary) } "\n" (content) } }
            });
            Ok(format!("\n\n{close}\n\n{before}\n").into())
        }
        _ => Err(Reason::Wrong("`answer` belongs into `predict`, once".to_owned())),
    }
}

/// The letter of an option.
fn letter(at: usize) -> char {
    char::from(b'A' + (at % 26) as u8)
}

fn option(directive: &mut Directive, open: &mut [Open], filled: &mut String) -> Result<Markdown, Reason> {
    let Some(Open { kind: Kind::Quiz(quiz), tags, .. }) = open.last_mut() else {
        return Err(Reason::Wrong("`option` belongs into `quiz`".to_owned()));
    };
    if quiz.explained {
        return Err(Reason::Wrong("an option cannot come after `because`".to_owned()));
    }
    take_reason(quiz, filled);
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
    let start = match quiz.options.is_empty() {
        true => tags.open(|content| html! { ol class="wb-options" { (content) } }),
        false => tags.close(),
    };
    quiz.options.push(right);
    let item = tags.open(|content| html! { li data-right=[right.then_some("yes")] { (content) } });
    Ok(format!("\n\n{start}\n{item}\n\n{text}").into())
}

/// Why the option before it is wrong. Its text stands beside the option in the chapter and with the answer on the page,
/// where it gives nothing away.
fn reason(open: &mut [Open], filled: &str) -> Result<Markdown, Reason> {
    let Some(Open { kind: Kind::Quiz(quiz), .. }) = open.last_mut() else {
        return Err(Reason::Wrong("`reason` belongs behind an `option` of a `quiz`".to_owned()));
    };
    match quiz.options.last() {
        Some(false) if !quiz.explained && quiz.reason_at.is_none() => {
            quiz.reason_at = Some(filled.len());
            Ok(Markdown::default())
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
fn again(context: &Context<'_>, directive: &mut Directive, open: &mut [Open]) -> Result<Markdown, Reason> {
    let Some(Open { kind: Kind::Quiz(quiz), tags, .. }) = open.last_mut() else {
        return Err(Reason::Wrong("`again` belongs into `quiz`".to_owned()));
    };
    if !quiz.explained {
        return Err(Reason::Wrong("`again` comes after `because`: it is asked when the answer is known".to_owned()));
    }
    let data = Data::of(Some(Value::take(context, directive)?), directive);
    let before = match std::mem::replace(&mut quiz.again, true) {
        true => format!("\n\n{}", tags.close()),
        false => reasons(quiz).0,
    };
    let element = tags.open(|content| {
        html! { div class="wb-again" data-value=[data.exact] data-shown=[&data.shown] data-unit=[&data.unit] { (content) } }
    });
    Ok(format!("{before}\n\n{element}\n\n**Once more.** ").into())
}

/// The list of why options are wrong.
fn reasons(quiz: &mut Quiz) -> Markdown {
    let reasons = std::mem::take(&mut quiz.reasons);
    if reasons.is_empty() {
        return Markdown::default();
    }
    let mut items = Markdown::from("\n");
    for (letter, text) in reasons {
        let item = Around::of(|content| html! { li data-option=(letter) { (content) } "\n" });
        let not = html! { b { "Not " (letter) "." } }.into_string();
        items.push(item.with(&format!("{not} {text}\n").into()));
    }
    let list = Around::of(|content| html! { ul class="wb-reasons" { (content) } "\n" });
    format!("\n\n{}", list.close(&items)).into()
}

fn because(open: &mut [Open], filled: &mut String) -> Result<Markdown, Reason> {
    let Some(Open { kind: Kind::Quiz(quiz), tags, .. }) = open.last_mut() else {
        return Err(Reason::Wrong("`because` belongs into `quiz`".to_owned()));
    };
    if quiz.explained {
        return Err(Reason::Wrong("`because` stands once in a quiz".to_owned()));
    }
    take_reason(quiz, filled);
    quiz.explained = true;
    let right: Vec<usize> = (0..quiz.options.len()).filter(|&at| quiz.options[at]).collect();
    let (close, answer) = match (&quiz.value, &*quiz.options, &*right) {
        (Some(value), [], _) => (String::new(), value.html()),
        (None, [] | [_], _) => {
            return Err(Reason::Wrong(format!("the question {} needs two options or a number to compute", quiz.id)));
        }
        (_, _, [at]) => (format!("\n\n{}\n{}", tags.close(), tags.close()), html! { (letter(*at)) }),
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
    let details = tags.open(|content| {
        html! {
            details class="wb-answer" { "\n" summary { "Answer" } "\n" p { b { (answer) } } (content) }
        }
    });
    Ok(format!("{close}\n\n{details}\n\n").into())
}

fn end(open: &mut Vec<Open>) -> Result<Markdown, Reason> {
    let Some(Open { kind, mut tags, .. }) = open.pop() else {
        return Err(Reason::Wrong("`end` closes nothing: no predict, quiz or steps is open".to_owned()));
    };
    match kind {
        Kind::Predict { answered: false } => {
            Err(Reason::Wrong("this prediction has no `{{#wb answer \"…\"}}`".to_owned()))
        }
        Kind::Predict { .. } => Ok(format!("\n{}\n", tags.close()).into()),
        Kind::Quiz(mut quiz) if quiz.explained => {
            let again = if quiz.again { format!("\n\n{}\n", tags.close()) } else { String::new() };
            Ok(format!("{}{again}\n{}\n{}\n", reasons(&mut quiz), tags.close(), tags.close()).into())
        }
        Kind::Quiz(quiz) => Err(Reason::Wrong(format!("the question {} has no `{{{{#wb because}}}}`", quiz.id))),
        Kind::Steps { frames: 0 } => Err(Reason::Wrong("these steps have no `{{#wb frame \"…\"}}`".to_owned())),
        Kind::Steps { .. } => Ok(format!("\n{}\n{}\n", tags.close(), tags.close()).into()),
    }
}
