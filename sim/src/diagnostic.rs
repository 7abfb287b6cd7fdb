//! Messages with a place in a source text, and how they are shown.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// A byte range of a source text.
pub type Span = Range<usize>;

/// A message about a place in a source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where, if the message is about a text.
    pub place: Option<Place>,
    /// Another place that belongs to it.
    pub second: Option<Place>,
    /// What to do, if there is something to do.
    pub help: Option<String>,
}

/// A place in a named text, with enough of the text to show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Name of the text, usually the file's.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The line itself, cut to a readable length.
    pub text: String,
    /// The marked bytes of `text`.
    pub marked: Span,
    /// What to write below the mark.
    pub label: String,
}

/// Longest stretch of a line that a code frame shows, in bytes.
const FRAME_WIDTH: usize = 160;

impl Place {
    /// The place of `span` in `source`. Never panics: a span outside the text, or inside a character, is moved in.
    pub fn new(file: &str, source: &str, span: Span, label: impl Into<String>) -> Self {
        let clamp = |mut at: usize| {
            at = at.min(source.len());
            while !source.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (start, end) = (clamp(span.start), clamp(span.end.max(span.start)));
        let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = source[start..].find('\n').map_or(source.len(), |at| start + at);
        let line = source[..start].matches('\n').count() as u32 + 1;
        let column = source[line_start..start].chars().count() as u32 + 1;
        // A minified or binary file can have one endless line: show the part around the mark.
        let from = if start - line_start > FRAME_WIDTH { clamp(start - FRAME_WIDTH / 2) } else { line_start };
        let to = clamp(line_end.min(from + FRAME_WIDTH)).max(start);
        let text: String = source[from..to].to_owned();
        let marked = start - from..end.clamp(start, to) - from;
        Self { file: file.to_owned(), line, column, text, marked, label: label.into() }
    }
}

impl Diagnostic {
    /// A message without a place.
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), place: None, second: None, help: None }
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn and_at(mut self, place: Place) -> Self {
        self.second = Some(place);
        self
    }

    /// Adds a sentence of advice.
    #[must_use]
    pub fn help(mut self, help: impl fmt::Display) -> Self {
        self.help = Some(help.to_string());
        self
    }
}

impl fmt::Display for Diagnostic {
    /// The message with a code frame, as a terminal without colours shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut group = Group::with_title(Level::ERROR.primary_title(&*self.message));
        if let Some(place) = &self.place {
            group = group.element(
                Snippet::source(&*place.text)
                    .line_start(place.line as usize)
                    .path(&*place.file)
                    .annotation(AnnotationKind::Primary.span(place.marked.clone()).label(&*place.label)),
            );
        }
        if let Some(place) = &self.second {
            group = group.element(
                Snippet::source(&*place.text)
                    .line_start(place.line as usize)
                    .path(&*place.file)
                    .annotation(AnnotationKind::Context.span(place.marked.clone()).label(&*place.label)),
            );
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(&**help));
        }
        f.write_str(Renderer::plain().render(&[group]).trim_start_matches("error: "))
    }
}
