//! Lines that a listing has in common with one further up on its page, which a reader need not read again.
//!
//! They are folded behind a label that says where they stand already. A folded part is whole: its brackets match, and
//! it begins at the indentation at which it ends.

/// So many lines, those of brackets and blanks not counted, are worth a label.
const WORTH: usize = 5;

/// A line's number and text.
type Line<'a> = (u32, &'a str);

/// Some lines of a listing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    pub(crate) lines: Vec<Line<'a>>,
    /// The name of the listing that has the same lines.
    pub(crate) same_as: Option<String>,
}

/// A listing of the page: its name and its lines.
pub(crate) type Shown = (String, Vec<String>);

/// A listing in parts: those that are new, and those that one of `shown` has already.
pub(crate) fn split<'a>(lines: &[Line<'a>], shown: &[Shown]) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        // Of equally long parts the nearest listing's.
        let same = shown.iter().rev().map(|(name, old)| (common(&lines[at..], old), name));
        let same = same.fold((0, ""), |best, (length, name)| if length > best.0 { (length, name) } else { best });
        match same {
            (0, _) => {
                match parts.last_mut() {
                    Some(part) if part.same_as.is_none() => part.lines.push(lines[at]),
                    _ => parts.push(Part { lines: vec![lines[at]], same_as: None }),
                }
                at += 1;
            }
            (length, name) => {
                parts.push(Part { lines: lines[at..at + length].to_vec(), same_as: Some(name.to_owned()) });
                at += length;
            }
        }
    }
    parts
}

/// How many of the first lines stand somewhere in `old`, as a whole part that is worth a label; 0 if there is none.
fn common(lines: &[Line<'_>], old: &[String]) -> usize {
    let longest = (0..old.len()).map(|start| {
        let same = lines.iter().zip(&old[start..]).take_while(|((_, new), old)| new == old).count();
        (1..=same).rev().find(|length| is_whole(&lines[..*length])).unwrap_or(0)
    });
    longest.max().unwrap_or(0)
}

fn is_whole(lines: &[Line<'_>]) -> bool {
    let (Some((_, first)), Some((_, last))) = (lines.first(), lines.last()) else { return false };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let inner = |line: &str| line.trim().is_empty() || indent(line) >= indent(first);
    if first.trim().len() <= 1 || last.trim().is_empty() || indent(first) == 0 || indent(first) != indent(last) {
        return false;
    }
    let mut depth = 0_i32;
    for c in lines.iter().flat_map(|(_, line)| line.chars()) {
        depth += match c {
            '(' | '{' | '[' => 1,
            ')' | '}' | ']' => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    let counted = lines.iter().filter(|(_, line)| line.trim().len() > 1).count();
    depth == 0 && counted >= WORTH && lines.iter().all(|(_, line)| inner(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "    int a;\n    int b;\n\n    int c;\n    int d;\n    wait();";

    fn lines(text: &str) -> Vec<Line<'_>> {
        text.lines().enumerate().map(|(at, line)| (at as u32 + 10, line)).collect()
    }

    fn shown(name: &str, text: &str) -> Shown {
        (name.to_owned(), text.lines().map(str::to_owned).collect())
    }

    #[test]
    fn what_stands_above_is_folded_and_what_is_new_is_not() {
        let first = format!("void f()\n{{\n{HEAD}\n    for (;;) {{\n        x();\n    }}\n}}");
        let second = format!("void g()\n{{\n{HEAD}\n    for (;;) {{\n        y();\n    }}\n}}");
        let parts = split(lines(&second).as_slice(), &[shown("f", &first)])
            .into_iter()
            .map(|part| (part.lines.first().unwrap().0, part.lines.len(), part.same_as))
            .collect::<Vec<_>>();
        assert_eq!(parts, [(10, 2, None), (12, 6, Some("f".to_owned())), (18, 4, None)]);
        assert_eq!(split(&lines(&second), &[]).len(), 1);
    }

    #[test]
    fn parts_of_brackets_and_few_lines_stay() {
        let few = "    int a;\n    int b;\n    int c;\n    int d;";
        assert_eq!(split(&lines(few), &[shown("f", few)]).len(), 1);
        let open = "    for (;;) {\n        a();\n        b();\n        c();\n        d();";
        assert_eq!(split(&lines(open), &[shown("f", &format!("{open}\n    }}"))]).len(), 1);
    }
}
