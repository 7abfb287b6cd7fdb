//! A part of a PTX file: some of its kernels with what they need. Pages of the book carry the kernels that they run.
//!
//! The text is cut between the items of the module's own level (variables, functions, sections). Kept is what is
//! named by something that is kept; every line that is kept stays as it was, so that source lines are the same.

use std::collections::{BTreeSet, HashMap};

/// An item of a module: its text, and the names that it declares.
struct Item<'a> {
    text: &'a str,
    names: Vec<&'a str>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Version, target, source files: always kept.
    Head,
    /// A function or variable: kept where it is needed.
    Declared,
    /// A section of debugging information, of which only the strings are kept that are named.
    Section,
}

/// The part of `ptx` that `kernels` need, without comments. A kernel that is not there adds nothing.
#[must_use]
pub fn slice(ptx: &str, kernels: &[&str]) -> String {
    let plain = without_comments(ptx);
    let items = items(&plain);
    let mut declared: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        item.names.iter().for_each(|name| declared.entry(name).or_default().push(at));
    }
    let mut kept = BTreeSet::new();
    let mut wanted: Vec<&str> = kernels.to_vec();
    let mut strings = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        for &at in declared.get(name).into_iter().flatten() {
            if items[at].kind == Kind::Section {
                strings.insert(name);
                kept.insert(at);
            } else if kept.insert(at) {
                wanted.extend(words(items[at].text).filter(|word| declared.contains_key(word)));
            }
        }
    }
    let mut text = String::new();
    for (at, item) in items.iter().enumerate() {
        match item.kind {
            Kind::Head => text += item.text,
            Kind::Declared if kept.contains(&at) => text += item.text,
            Kind::Section if kept.contains(&at) => text += &section(item.text, &strings),
            Kind::Declared | Kind::Section => continue,
        }
        text.push('\n');
    }
    text
}

/// The text without comments and blank lines. Strings stay as they are.
fn without_comments(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    let mut rest = ptx;
    while let Some(at) = rest.find(['/', '"']) {
        let (before, from) = rest.split_at(at);
        text += before;
        let length = if from.starts_with("//") {
            from.find('\n').unwrap_or(from.len())
        } else if from.starts_with("/*") {
            text.push(' ');
            from.find("*/").map_or(from.len(), |end| end + 2)
        } else {
            let quoted = from.strip_prefix('"').map(|inner| inner.find('"').map_or(from.len(), |end| end + 2));
            let end = quoted.unwrap_or(1);
            text += &from[..end];
            end
        };
        rest = &from[length..];
    }
    text += rest;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Cuts a text without comments into items.
fn items(text: &str) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    let mut rest = text;
    while !rest.trim().is_empty() {
        let start = rest.len() - rest.trim_start().len();
        rest = &rest[start..];
        let first = rest.split_whitespace().next().unwrap_or_default();
        let kind = match first {
            ".version" | ".target" | ".address_size" | ".file" => Kind::Head,
            ".section" => Kind::Section,
            _ => Kind::Declared,
        };
        let end = if kind == Kind::Head { rest.find('\n').unwrap_or(rest.len()) } else { end(rest) };
        let (item, after) = rest.split_at(end);
        let names = match kind {
            Kind::Head => Vec::new(),
            Kind::Section => item.lines().filter_map(|line| line.trim().strip_suffix(':')).collect(),
            Kind::Declared => declared(item).into_iter().collect(),
        };
        items.push(Item { text: item, names, kind });
        rest = after;
    }
    items
}

/// Where an item ends: behind its `;`, or behind the `}` of a body.
fn end(text: &str) -> usize {
    let (mut depth, mut quoted, mut initial) = (0u32, false, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            // What follows is a variable's content, and its braces end nothing.
            '=' if depth == 0 => initial = true,
            '{' | '(' => depth += 1,
            '}' | ')' => {
                depth = depth.saturating_sub(1);
                if c == '}' && depth == 0 && !initial {
                    return at + 1;
                }
            }
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The name that a function or variable has: the first word outside of brackets that is neither directive nor number.
fn declared(item: &str) -> Option<&str> {
    let mut depth = 0u32;
    let mut start = None;
    for (at, c) in item.char_indices() {
        let belongs = c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
        match (belongs, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let word = &item[from..at];
                start = None;
                if depth == 0 && !word.starts_with(|c: char| c == '.' || c.is_ascii_digit()) {
                    return Some(word);
                }
            }
            _ => {}
        }
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The words of an item that could be names.
fn words(item: &str) -> impl Iterator<Item = &str> {
    item.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'))).filter(|word| !word.is_empty())
}

/// A section with only the strings that are named.
fn section(text: &str, strings: &BTreeSet<&str>) -> String {
    let mut wanted = true;
    let keeps = |line: &&str| {
        if let Some(label) = line.strip_suffix(':') {
            wanted = strings.contains(label);
        } else if *line == "}" {
            wanted = true;
        }
        wanted
    };
    text.lines().map(str::trim).filter(keeps).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_braces_and_quotes_hold_ends_nothing() {
        let text = ".version 8.0\n.global .b8 a[2] = {1, 2};\n.global .u64 p = a; /* p; */\n.extern .func f\n(\n.param .b32 x\n)\n;\n\
                    .func (.param .b32 r) g(.param .b32 x)\n{ // }\nst.param.b32 [r], 1;\nret;\n}\n.file 1 \"a;}.cu\"\n\
                    .visible .entry k(.param .u64 o)\n{\ncall f;\nld.u64 %rd1, [p];\nret;\n}\n.visible .entry other()\n{\ncall g;\n}\n";
        let part = slice(text, &["k"]);
        for kept in ["a[2]", "p = a", "func f", "entry k", "a;}.cu"] {
            assert!(part.contains(kept), "{kept}: {part}");
        }
        assert!(!part.contains("other") && !part.contains("(.param .b32 r)") && !part.contains("/*"), "{part}");
        assert!(slice(text, &["other"]).contains("func (.param .b32 r) g"));
    }
}
