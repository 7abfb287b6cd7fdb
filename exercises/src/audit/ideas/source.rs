//! Where the parts of a kernel stand in its source.

use std::ops::Range;

/// A kernel in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kernel {
    /// Where its first line begins (`extern "C" __global__ …`).
    pub(super) start: usize,
    /// The list of parameters, without its brackets.
    pub(super) params: Range<usize>,
    /// The body, without its braces.
    pub(super) body: Range<usize>,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Param {
    /// Its type without blanks at the ends: `const int *`.
    pub(super) of_type: String,
    pub(super) name: String,
}

/// Finds a kernel by its name.
pub(super) fn kernel(source: &str, name: &str) -> Option<Kernel> {
    let plain = without_comments(source);
    plain.match_indices("__global__").find_map(|(at, _)| {
        let open = at + plain[at..].find(&format!(" {name}("))? + name.len() + 1;
        // Nothing but attributes and the type may stand in between.
        if plain[at..open].contains([';', '{', '}']) {
            return None;
        }
        let close = matching(&plain, open, '(', ')')?;
        let brace = close + plain[close..].find('{')?;
        let end = matching(&plain, brace, '{', '}')?;
        let start = plain[..at].rfind('\n').map_or(0, |line| line + 1);
        Some(Kernel { start, params: open + 1..close, body: brace + 1..end })
    })
}

/// The source with blanks for what stands in comments, at the same places.
fn without_comments(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        plain.push_str(&rest[..at]);
        let comment = &rest[at..];
        let length = match comment.starts_with("//") {
            true => comment.find('\n').unwrap_or(comment.len()),
            false => comment.find("*/").map_or(comment.len(), |end| end + 2),
        };
        plain.extend(comment[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &comment[length..];
    }
    plain.push_str(rest);
    plain
}

/// The place of the bracket that closes the one at `open`.
fn matching(text: &str, open: usize, one: char, other: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text[open..].char_indices() {
        if c == one {
            depth += 1;
        } else if c == other {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(open + at);
            }
        }
    }
    None
}

/// The parameters of a list.
pub(super) fn params(list: &str) -> Vec<Param> {
    let one = |text: &str| {
        let text = text.trim();
        let at = text.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
        let (of_type, name) = text.split_at(at + 1);
        Some(Param { of_type: of_type.replace("__restrict__", "").trim().to_owned(), name: name.to_owned() })
    };
    list.split(',').filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_with_their_parts() {
        let text = "// __global__ void k(int x) {\n__device__ int f(int a) { return a; }\n\
            extern \"C\" __global__ void k(float *out, const int *__restrict__ in, int n)\n{\n    if (n) { f(1); }\n}\n";
        let found = kernel(text, "k").unwrap();
        assert!(text[found.start..].starts_with("extern"));
        assert_eq!(text[found.body.clone()].trim(), "if (n) { f(1); }");
        let list = params(&text[found.params.clone()]);
        let all: Vec<(&str, &str)> = list.iter().map(|one| (&*one.of_type, &*one.name)).collect();
        assert_eq!(all, [("float *", "out"), ("const int *", "in"), ("int", "n")]);
        assert_eq!(kernel(text, "f"), None);
        assert_eq!(kernel("int x;", "k"), None);
    }
}
