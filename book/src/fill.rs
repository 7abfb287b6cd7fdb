//! Fills a chapter: every directive becomes Markdown or HTML.

use std::collections::BTreeMap;

use crate::context::Context;
use crate::directive::{Directive, Malformed, Piece, pieces};
use crate::fault::Reason;
use crate::html::Markdown;
use crate::registry::{Form, Page};
use crate::runs::Runs;
use crate::{directives, math};

/// Fills the directives of chapters.
#[derive(Clone, Copy)]
pub struct Filler<'a>(Context<'a>);

impl<'a> Filler<'a> {
    /// A filler for a chapter. `pages` says which page of the site shows a source file, `to_root` leads from the
    /// chapter to the site's root (`../` for every folder).
    pub fn new(runs: &'a dyn Runs, pages: &'a BTreeMap<String, String>, to_root: &'a str) -> Self {
        Self(Context { runs, pages, to_root, below: "" })
    }

    /// The same for a chapter whose generated pages lie in the folder `below`, seen from it.
    #[must_use]
    pub fn with_pages_below(self, below: &'a str) -> Self {
        Self(Context { below, ..self.0 })
    }

    /// The chapter with every directive filled.
    ///
    /// # Errors
    /// Every directive that cannot be filled: its line, from 1, and why.
    pub fn fill(&self, text: &str) -> Result<String, Vec<(u32, Reason)>> {
        let text = math::render(text)
            .map_err(|all| all.into_iter().map(|(line, why)| (line, Reason::Wrong(why))).collect::<Vec<_>>())?;
        let wrong = |Malformed { line, message }| (line, Reason::Wrong(message));
        let pieces = pieces(&text).map_err(|all| all.into_iter().map(wrong).collect::<Vec<_>>())?;
        let (mut page, mut faults) = (Page::default(), Vec::new());
        for piece in pieces {
            match piece {
                Piece::Text(text) => page.filled.push_str(text),
                Piece::Directive(directive) => {
                    let line = directive.line;
                    match fill(&self.0, directive, &mut page) {
                        Ok(text) => page.filled.push_str(&text.0),
                        Err(reason) => faults.push((line, reason)),
                    }
                }
            }
        }
        for open in &page.open {
            faults.push((open.line, Reason::Wrong(format!("this `{}` has no `{{{{#wb end}}}}`", open.name()))));
        }
        if faults.is_empty() { Ok(page.filled) } else { Err(faults) }
    }
}

/// What comes in the place of a directive.
fn fill(context: &Context<'_>, mut directive: Directive, page: &mut Page) -> Result<Markdown, Reason> {
    let entry = directives::find(&directive.name)?;
    if entry.form == Form::Block && !directive.alone {
        return Err(Reason::Wrong(format!("`{}` is a block and must stand on lines of its own", directive.name)));
    }
    let text = (entry.make)(context, &mut directive, page)?;
    directive.finish()?;
    // An HTML block ends at a blank line.
    Ok(if entry.form == Form::Block { format!("\n{text}\n").into() } else { text })
}
