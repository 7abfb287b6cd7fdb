//! The lists of AUTHORING.md: what an author writes, and what it makes.

use crate::directives::DIRECTIVES;
use crate::figures;

/// The sections of AUTHORING.md that have a list, and each list: what is written, and what it makes.
pub fn directive_lists() -> Vec<(&'static str, String)> {
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
    use crate::directives::find;

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
        let text: String = directive_lists().into_iter().map(|(_, list)| list).collect();
        for entry in DIRECTIVES {
            assert!(!entry.help.is_empty() || !entry.usage.is_empty(), "`{}` is not described", entry.name);
            assert!(text.contains(entry.name), "{}", entry.name);
        }
    }
}
