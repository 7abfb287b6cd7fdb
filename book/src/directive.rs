//! Finds and reads the directives of a chapter: `{{#wb NAME WORD… KEY=VALUE…}}`.
//!
//! Words and values that hold spaces stand in double quotes. A directive may go over several lines. Written as
//! `\{{#wb …}}` it is left for mdBook, which drops the backslash and shows the rest as it is.

use std::collections::BTreeMap;

/// One directive, as it stands in a chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// The line that it begins on, from 1.
    pub line: u32,
    /// What is to be put here, such as `counters`.
    pub name: String,
    /// Whether it has its lines for itself, so that it may become a block.
    pub alone: bool,
    words: Vec<String>,
    options: BTreeMap<String, String>,
}

/// A piece of a chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text that stays as it is.
    Text(&'a str),
    /// A directive.
    Directive(Directive),
}

/// Something in a chapter that looks like a directive and is none: its line, from 1, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong with it.
    pub message: String,
}

/// mdBook's own directives, which are left to it.
const MDBOOK_DIRECTIVES: [&str; 4] = ["include", "rustdoc_include", "playground", "title"];

/// Cuts a chapter into text and directives.
///
/// # Errors
/// Everything that looks like a directive and cannot be read.
pub fn pieces(text: &str) -> Result<Vec<Piece<'_>>, Vec<Malformed>> {
    let (mut pieces, mut malformed) = (Vec::new(), Vec::new());
    let (mut from, mut search) = (0, 0);
    while let Some(start) = text[search..].find("{{#").map(|at| search + at) {
        search = start + 3;
        let line = text[..start].matches('\n').count() as u32 + 1;
        if text[..start].ends_with('\\') {
            continue;
        }
        let kind_end = text[search..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
        let kind = &text[search..kind_end.map_or(text.len(), |at| search + at)];
        if MDBOOK_DIRECTIVES.contains(&kind) {
            continue;
        }
        if kind != "wb" {
            let message = format!(
                "`{{{{#{kind}` begins no directive; there is {{{{#wb …}}}}, and mdBook's own {}",
                MDBOOK_DIRECTIVES.join(", ")
            );
            malformed.push(Malformed { line, message });
            continue;
        }
        let inside = search + kind.len();
        let Some(end) = closing(&text[inside..]).map(|at| inside + at) else {
            malformed.push(Malformed { line, message: "this directive has no closing `}}`".to_owned() });
            continue;
        };
        match read(&text[inside..end]) {
            Ok((name, words, options)) => {
                let before = text[..start].rsplit('\n').next().unwrap_or_default();
                let after = text[end + 2..].split('\n').next().unwrap_or_default();
                let alone = before.is_empty() && after.trim().is_empty();
                pieces.push(Piece::Text(&text[from..start]));
                pieces.push(Piece::Directive(Directive { line, name, alone, words, options }));
                from = end + 2;
            }
            Err(message) => malformed.push(Malformed { line, message }),
        }
        search = end + 2;
    }
    pieces.push(Piece::Text(&text[from..]));
    pieces.retain(|piece| *piece != Piece::Text(""));
    if malformed.is_empty() { Ok(pieces) } else { Err(malformed) }
}

/// Where the `}}` is that ends a directive: not in quotes, and before the next directive or blank line.
fn closing(text: &str) -> Option<usize> {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        match c {
            '"' => quoted = !quoted,
            '}' if !quoted && rest.starts_with("}}") => return Some(at),
            '\n' if rest[1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n') => return None,
            '{' if rest.starts_with("{{#") => return None,
            _ => {}
        }
    }
    None
}

type Parts = (String, Vec<String>, BTreeMap<String, String>);

/// Reads what stands between `{{#wb` and `}}`.
fn read(inside: &str) -> Result<Parts, String> {
    let (mut name, mut words, mut options) = (None, Vec::new(), BTreeMap::new());
    let mut rest = inside.trim_start();
    while !rest.is_empty() {
        let key_end = rest.find(|c: char| c.is_whitespace() || c == '"' || c == '=').unwrap_or(rest.len());
        if rest[key_end..].starts_with('=') {
            let key = rest[..key_end].to_owned();
            let (value, after) = value(&rest[key_end + 1..])?;
            if key.is_empty() || value.is_empty() {
                return Err(format!("`{key}={value}` is no option; an option is key=value or key=\"some words\""));
            }
            if options.insert(key.clone(), value).is_some() {
                return Err(format!("the option `{key}` is given twice"));
            }
            rest = after.trim_start();
        } else {
            let (word, after) = value(rest)?;
            if name.is_none() {
                name = Some(word);
            } else {
                words.push(word);
            }
            rest = after.trim_start();
        }
    }
    Ok((name.ok_or("a directive needs a name: {{#wb NAME …}}")?, words, options))
}

/// The first word or quoted text, folded to one line, and what follows it.
fn value(text: &str) -> Result<(String, &str), String> {
    if let Some(quoted) = text.strip_prefix('"') {
        let end = quoted.find('"').ok_or("a quote is opened and never closed")?;
        return Ok((quoted[..end].split_whitespace().collect::<Vec<_>>().join(" "), &quoted[end + 1..]));
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    Ok((text[..end].to_owned(), &text[end..]))
}

impl Directive {
    /// Takes the next word, which says `what`.
    ///
    /// # Errors
    /// A sentence when there is none.
    pub fn word(&mut self, what: &str) -> Result<String, String> {
        if self.words.is_empty() {
            return Err(format!("`{}` needs {what}: {{{{#wb {} …}}}}", self.name, self.name));
        }
        Ok(self.words.remove(0))
    }

    /// Takes the option `key`.
    ///
    /// # Errors
    /// A sentence when it is missing.
    pub fn option(&mut self, key: &str) -> Result<String, String> {
        self.maybe(key).ok_or_else(|| format!("`{}` needs the option `{key}=…`", self.name))
    }

    /// Whether the option `key` is given and not taken yet.
    pub fn has(&self, key: &str) -> bool {
        self.options.contains_key(key)
    }

    /// Takes the option `key`, if it is given.
    pub fn maybe(&mut self, key: &str) -> Option<String> {
        self.options.remove(key)
    }

    /// Takes all options that are left: those whose names the author of a chapter chooses.
    pub fn take_rest(&mut self) -> BTreeMap<String, String> {
        std::mem::take(&mut self.options)
    }

    /// The options in `text` as a directive of their own, named as this one: what stands in the value of an option, where
    /// values with blanks have single quotes (`a="kernel=scan_naive case='tile 512, 1 block'"`).
    ///
    /// # Errors
    /// A sentence when they cannot be read.
    pub fn within(&self, text: &str) -> Result<Self, String> {
        let text = format!("{} {}", self.name, text.replace('\'', "\""));
        let (name, words, options) = read(&text)?;
        Ok(Self { line: self.line, name, alone: self.alone, words, options })
    }

    /// Makes sure that every word and option was taken.
    ///
    /// # Errors
    /// A sentence that names the first that was not.
    pub fn finish(&self) -> Result<(), String> {
        match (self.words.first(), self.options.keys().next()) {
            (Some(word), _) => Err(format!("`{}` does not know what to do with `{word}`", self.name)),
            (_, Some(key)) => Err(format!("`{}` has no option `{key}`", self.name)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Directive {
        let pieces = pieces(text).unwrap();
        let mut directives = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Directive(directive) => Some(directive),
            Piece::Text(_) => None,
        });
        let first = directives.next().unwrap();
        assert_eq!(directives.next(), None);
        first
    }

    fn fault(text: &str) -> (u32, String) {
        let faults = pieces(text).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        (faults[0].line, faults[0].message.clone())
    }

    #[test]
    fn words_options_and_quotes_are_read() {
        let mut directive =
            only("a\n\n{{#wb counters kernel=scan_naive\n  case=\"tile 512,\n 1 block\" \"two words\"}}\nb");
        assert_eq!((directive.line, &*directive.name, directive.alone), (3, "counters", true));
        assert_eq!(directive.option("case").unwrap(), "tile 512, 1 block");
        assert_eq!(directive.word("a thing").unwrap(), "two words");
        assert_eq!(directive.finish(), Err("`counters` has no option `kernel`".to_owned()));
        assert_eq!(directive.maybe("kernel").as_deref(), Some("scan_naive"));
        assert_eq!(directive.finish(), Ok(()));
        assert!(directive.option("kernel").unwrap_err().contains("`kernel=…`"));
    }

    #[test]
    fn a_value_can_hold_the_options_of_another_directive() {
        let mut directive = only("{{#wb hold \"a < 2\" a=\"kernel=x case='tile 512, 1 block'\"}}");
        assert_eq!(directive.word("an expression").unwrap(), "a < 2");
        let mut rest = directive.take_rest();
        assert_eq!(directive.finish(), Ok(()));
        let mut own = directive.within(&rest.remove("a").unwrap()).unwrap();
        assert_eq!(
            (own.option("kernel").unwrap(), own.option("case").unwrap()),
            ("x".into(), "tile 512, 1 block".into())
        );
        assert!(directive.within("kernel='x").unwrap_err().contains("never closed"));
    }

    #[test]
    fn text_around_directives_is_kept() {
        let text = "one {{#wb number of=x}} two {{#wb number of=\"}}\"}}\nthree";
        let pieces = pieces(text).unwrap();
        assert_eq!(pieces.len(), 5);
        assert_eq!(
            (&pieces[0], &pieces[2], &pieces[4]),
            (&Piece::Text("one "), &Piece::Text(" two "), &Piece::Text("\nthree"))
        );
        let Piece::Directive(inline) = &pieces[1] else { panic!() };
        assert!(!inline.alone && inline.line == 1);
    }

    #[test]
    fn escaped_directives_and_mdbooks_own_are_left() {
        let text = "\\{{#wb nothing}} {{#include a.md}} {{#title T}} { {#wb x} }";
        assert_eq!(pieces(text).unwrap(), [Piece::Text(text)]);
    }

    #[test]
    fn what_looks_like_a_directive_and_is_none_has_a_line_and_a_reason() {
        assert_eq!(fault("x\n{{#wbx a}}").0, 2);
        assert!(fault("{{#sim a}}").1.contains("`{{#sim` begins no directive"));
        assert!(fault("\n\n{{#wb number\n\n}}").1.contains("no closing"));
        assert!(fault("{{#wb a {{#title b}}").1.contains("no closing"));
        assert!(fault("{{#wb }}").1.contains("needs a name"));
        assert!(fault("{{#wb a b=}}").1.contains("`b=` is no option"));
        assert!(fault("{{#wb a b=1 b=2}}").1.contains("twice"));
        assert!(fault("{{#wb a \"b}}").1.contains("no closing"));
        let both = pieces("{{#x}}\n{{#wb}}\n{{#wb ok}}").unwrap_err();
        assert_eq!(both.iter().map(|m| m.line).collect::<Vec<_>>(), [1, 2]);
    }
}
