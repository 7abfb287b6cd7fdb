//! What a directive of chapters is: its name, what an author writes and what it makes.
//!
//! Everything that knows all directives reads the table in [`directives`](crate::directives): the filler, the sentence
//! that answers a wrong name, and AUTHORING.md, whose lists `tests/authoring.rs` holds against [`listings`].

use crate::blocks::Open;
use crate::context::Context;
use crate::directive::Directive;
use crate::directives::DIRECTIVES;
use crate::fault::Reason;
use crate::figures;
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
type Make = fn(&Context<'_>, &mut Directive, &mut Page) -> Result<String, Reason>;

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

/// The directive of a name.
///
/// # Errors
/// A sentence with all names.
pub(crate) fn find(name: &str) -> Result<&'static Entry, Reason> {
    DIRECTIVES.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<&str> = DIRECTIVES.iter().map(|entry| entry.name).collect();
        Reason::Wrong(format!("there is no directive `{name}`; there are {}", names.join(", ")))
    })
}

/// The sections of AUTHORING.md that have a list, and each list: what is written, and what it makes.
pub fn listings() -> Vec<(&'static str, String)> {
    let mut sections: Vec<&'static str> = Vec::new();
    for entry in DIRECTIVES {
        if !sections.contains(&entry.section) {
            sections.push(entry.section);
        }
    }
    sections.into_iter().map(|section| (section, listing(section))).collect()
}

fn listing(section: &str) -> String {
    let (mut examples, mut helps) = (String::new(), String::new());
    let own = DIRECTIVES.iter().filter(|entry| entry.section == section);
    let figures = figures::KINDS.iter().filter(|_| section == figures::SECTION);
    let rows = own
        .map(|entry| (entry.name.to_owned(), entry.usage, entry.help))
        .chain(figures.map(|kind| (format!("figure {}", kind.name), kind.usage, kind.help)));
    for (name, usage, help) in rows {
        for words in usage {
            let blank = if words.is_empty() { "" } else { " " };
            examples += &format!("    {{{{#wb {name}{blank}{words}}}}}\n");
        }
        if !help.is_empty() {
            helps += &format!("- `{name}`: {help}\n");
        }
    }
    let between = if examples.is_empty() || helps.is_empty() { "" } else { "\n" };
    format!("{examples}{between}{helps}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::{Piece, pieces};

    #[test]
    fn every_example_is_one_directive_of_its_name() {
        let kinds = figures::KINDS.iter().map(|kind| (format!("figure {}", kind.name), kind.usage));
        for (name, usage) in DIRECTIVES.iter().map(|entry| (entry.name.to_owned(), entry.usage)).chain(kinds) {
            for words in usage {
                let text = format!("{{{{#wb {name} {words}}}}}");
                let read = pieces(&text).unwrap_or_else(|why| panic!("{text}: {why:?}"));
                let [Piece::Directive(one)] = &*read else { panic!("{text}: {read:?}") };
                assert!(name.starts_with(&one.name) && find(&one.name).is_ok(), "{text}");
            }
        }
    }

    #[test]
    fn names_are_unique_and_every_directive_is_listed() {
        let mut names: Vec<&str> = DIRECTIVES.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        let text: String = listings().into_iter().map(|(_, list)| list).collect();
        for entry in DIRECTIVES {
            assert!(!entry.help.is_empty() || !entry.usage.is_empty(), "`{}` is not described", entry.name);
            assert!(text.contains(entry.name), "{}", entry.name);
        }
    }
}
