//! What a directive of chapters is: its name, what an author writes and what it makes.
//!
//! Everything that knows all directives reads the table in [`directives`](crate::directives): the filler, the sentence
//! that answers a wrong name, and AUTHORING.md (`authoring.rs`).

use crate::blocks::Open;
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::Markdown;
use crate::repeats::Shown;

/// A chapter while it is filled.
#[derive(Default)]
pub(crate) struct Page {
    /// The blocks that are open.
    pub(crate) open: Vec<Open>,
    /// The chapter up to here, from which a block may take back what belongs further below.
    pub(crate) filled: String,
    /// The listings so far.
    pub(crate) shown: Vec<Shown>,
}

/// Where a directive may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// In a sentence, or alone.
    Inline,
    /// On lines of its own.
    Block,
    /// It opens, parts or closes a block.
    Part,
}

/// What a directive makes of its words and options: Markdown or HTML.
pub(crate) type Make = fn(&Context<'_>, &mut Directive, &mut Page) -> Result<Markdown, Reason>;

/// One directive.
pub(crate) struct Entry {
    /// What stands behind `{{#wb`.
    pub(crate) name: &'static str,
    /// The section of AUTHORING.md that lists it.
    pub(crate) section: &'static str,
    /// Where it may stand.
    pub(crate) form: Form,
    /// Examples of what an author writes behind the name.
    pub(crate) usage: &'static [&'static str],
    /// What it makes, as a clause behind the name; empty where the section's prose says it.
    pub(crate) help: &'static str,
    /// Makes it.
    pub(crate) make: Make,
}
