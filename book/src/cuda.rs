//! The part of a CUDA source that some of its kernels need. Pages of the book open it in an editor.
//!
//! The text is cut between the items at its own level: functions, types, variables, lines of the preprocessor. Kept is what
//! is named by something that is kept, with the comment that stands right above it. What is kept stays as it was, so that
//! it compiles to what the whole file does; a test with the compiler demands that.

use std::collections::{BTreeSet, HashMap};

/// Words with parentheses behind them that are no function's name.
const ATTRIBUTES: [&str; 5] = ["__launch_bounds__", "__align__", "alignas", "__attribute__", "decltype"];

/// An item at the level of the file.
#[derive(Debug, PartialEq, Eq)]
struct Item<'a> {
    /// Its text with the comment right above it.
    text: &'a str,
    /// What it declares; nothing for what is always kept.
    name: Option<&'a str>,
}

/// The part of `source` that `kernels` need; all of it where one of them is not found.
pub(crate) fn part(source: &str, kernels: &[&str]) -> String {
    let items = items(source);
    let mut declared: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        item.name.iter().for_each(|name| declared.entry(name).or_default().push(at));
    }
    if kernels.iter().any(|kernel| !declared.contains_key(kernel)) {
        return source.to_owned();
    }
    let mut kept: BTreeSet<usize> = (0..items.len()).filter(|at| items[*at].name.is_none()).collect();
    let mut wanted: Vec<&str> = kept.iter().flat_map(|at| words(items[*at].text)).collect();
    wanted.extend(kernels);
    while let Some(name) = wanted.pop() {
        for &at in declared.get(name).into_iter().flatten() {
            if kept.insert(at) {
                wanted.extend(words(items[at].text));
            }
        }
    }
    let lines = kept.iter().map(|at| {
        let lines = items[*at].text.lines().filter(|line| !is_anchor(line));
        lines.map(|line| format!("{}\n", line.trim_end())).collect::<String>()
    });
    let mut text = String::new();
    for item in lines {
        // Lines of the preprocessor stand together.
        let directive = |text: &str| text.lines().last().is_some_and(|line| line.starts_with('#'));
        let together = directive(&text) && directive(&item);
        if !text.is_empty() && !together {
            text.push('\n');
        }
        text += item.trim_start_matches('\n');
    }
    text
}

fn is_anchor(line: &str) -> bool {
    let comment = line.trim().strip_prefix("//").unwrap_or_default().trim_start();
    comment.starts_with("ANCHOR:") || comment.starts_with("ANCHOR_END:")
}

/// The words of a text; those of its comments, too, which at worst keeps something that nobody needs.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().flat_map(|line| line.split("//").next());
    code.flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))).filter(|word| !word.is_empty())
}

/// Cuts a source. Comments that stand alone are left out.
fn items(source: &str) -> Vec<Item<'_>> {
    let bytes = source.as_bytes();
    let mut items = Vec::new();
    // Where the comment right above begins, if there is one.
    let mut above = None;
    let mut at = 0;
    while at < bytes.len() {
        let line_end = source[at..].find('\n').map_or(bytes.len(), |end| at + end + 1);
        let line = source[at..line_end].trim();
        if line.is_empty() {
            above = None;
            at = line_end;
        } else if line.starts_with("//") {
            above = above.or(Some(at));
            at = line_end;
        } else if line.starts_with("/*") {
            let end = source[at..].find("*/").map_or(bytes.len(), |end| at + end + 2);
            above = above.or(Some(at));
            at = source[end..].find('\n').map_or(bytes.len(), |rest| end + rest + 1);
        } else {
            let (end, name) = if line.starts_with('#') { (directive_end(source, at), None) } else { item(source, at) };
            items.push(Item { text: &source[above.take().unwrap_or(at)..end], name });
            at = end;
        }
    }
    items
}

/// The end of a line of the preprocessor, which may go on in the next one.
fn directive_end(source: &str, mut at: usize) -> usize {
    loop {
        let end = source[at..].find('\n').map_or(source.len(), |end| at + end + 1);
        if end >= source.len() || !source[at..end].trim_end().ends_with('\\') {
            return end;
        }
        at = end;
    }
}

/// The end of the item that begins at a place, behind its line; and what it declares.
fn item(source: &str, start: usize) -> (usize, Option<&str>) {
    let bytes = source.as_bytes();
    let (mut at, mut depth) = (start, 0_i32);
    // Where the head ends: the body, the value or the end.
    let mut head = None;
    let mut value = false;
    while at < bytes.len() {
        match bytes[at] {
            b'/' if source[at..].starts_with("//") => {
                at = source[at..].find('\n').map_or(bytes.len(), |end| at + end);
                continue;
            }
            b'/' if source[at..].starts_with("/*") => {
                at = source[at..].find("*/").map_or(bytes.len(), |end| at + end + 2);
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'{' | b'(' | b'[' => {
                if bytes[at] == b'{' && depth == 0 {
                    head = head.or(Some(at));
                }
                depth += 1;
            }
            b'}' | b')' | b']' => {
                depth -= 1;
                let body = bytes[at] == b'}' && depth == 0 && !value;
                if body && !is_type(&source[start..head.unwrap_or(at)]) {
                    return (line_end(source, at + 1), name(&source[start..head.unwrap_or(at)]));
                }
            }
            // The default of a template's parameter is no value.
            b'=' if depth == 0
                && (!source[start..at].trim_start().starts_with("template") || source[start..at].contains('>')) =>
            {
                head = head.or(Some(at));
                value = true;
            }
            b';' if depth == 0 => {
                return (line_end(source, at + 1), name(&source[start..head.unwrap_or(at)]));
            }
            _ => {}
        }
        at += 1;
    }
    (bytes.len(), name(&source[start..head.unwrap_or(bytes.len())]))
}

/// The end of the line, if nothing but a comment is left in it.
fn line_end(source: &str, at: usize) -> usize {
    let end = source[at..].find('\n').map_or(source.len(), |end| at + end + 1);
    let rest = source[at..end].trim();
    if rest.is_empty() || rest.starts_with("//") { end } else { at }
}

/// Whether a head is that of a type, whose braces a semicolon follows.
fn is_type(head: &str) -> bool {
    let first = words(without_template(head)).next().unwrap_or_default();
    matches!(first, "struct" | "union" | "class" | "enum") && !head.contains('(')
}

/// A head without `template <…>`.
fn without_template(head: &str) -> &str {
    let Some(rest) = head.trim_start().strip_prefix("template") else { return head };
    let mut depth = 0_i32;
    for (at, letter) in rest.char_indices() {
        depth += match letter {
            '<' => 1,
            '>' => -1,
            _ => 0,
        };
        if letter == '>' && depth == 0 {
            return without_template(&rest[at + 1..]);
        }
    }
    head
}

/// What a head declares.
fn name(head: &str) -> Option<&str> {
    let head = without_template(head);
    let mut all = words(head);
    let first = all.next()?;
    match first {
        "struct" | "union" | "class" | "enum" | "using" if !head.contains('(') => {
            return all.find(|word| !matches!(*word, "class" | "struct" | "namespace") && !ATTRIBUTES.contains(word));
        }
        "typedef" => return words(head).last(),
        "static_assert" | "namespace" => return None,
        _ => {}
    }
    let mut rest = head;
    while let Some(open) = rest.find('(') {
        let before = words(&rest[..open]).last();
        match before {
            Some(word) if !ATTRIBUTES.contains(&word) => return Some(word),
            _ => {
                let mut depth = 0_i32;
                let close = rest[open..].char_indices().find(|(_, letter)| {
                    depth += i32::from(*letter == '(') - i32::from(*letter == ')');
                    depth == 0
                });
                rest = &rest[open + close.map_or(rest.len() - open, |(at, _)| at + 1)..];
            }
        }
    }
    words(rest.split('[').next().unwrap_or(rest)).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"// The file's head.
// warpbook: arch=compute_80

#include <cuda_fp16.h>
#define WIDE(x) \
    twice(x)

// ANCHOR: helpers
// Says what it does.
template <int (*pad)(int), typename T = int>
__device__ __forceinline__ T twice(T x) { return x + pad(x); }  // always

__device__ int none(int i) { return i; }
// ANCHOR_END: helpers

struct Pair {
    int a, b;
};
constexpr int WIDTH = 32, OTHER[] = {1, 2};
__constant__ float table[4] = {0, 1, 2, 3};
using Small = unsigned char;

extern "C" __global__ void __launch_bounds__(128, 2) first(Pair *out)
{
    __shared__ int tile[WIDTH]; /* } */
    if (threadIdx.x == '}') out->a = WIDE(1);
}

extern "C" __global__ void second(float *out, Small s) { *out = table[s] + none(s); }
"#;

    #[test]
    fn every_item_has_a_name() {
        let names: Vec<_> = items(TEXT).iter().map(|item| item.name.unwrap_or("-")).collect();
        assert_eq!(
            names,
            ["-", "-", "twice", "none", "Pair", "WIDTH", "table", "Small", "first", "second"],
            "the first of several variables is what counts: `{TEXT}`"
        );
    }

    #[test]
    fn a_kernel_comes_with_what_it_needs_and_without_the_rest() {
        let first = part(TEXT, &["first"]);
        for kept in
            ["cuda_fp16", "WIDE", "// Says what it does.", "T twice", "// always", "struct Pair", "WIDTH", "first"]
        {
            assert!(first.contains(kept), "{kept}:\n{first}");
        }
        for gone in ["none", "second", "table", "Small", "ANCHOR", "file's head"] {
            assert!(!first.contains(gone), "{gone}:\n{first}");
        }
        assert!(first.contains("    twice(x)\n\n//"), "{first}");
        let second = part(TEXT, &["second"]);
        assert!(second.contains("table") && second.contains("none") && !second.contains("Pair"), "{second}");
        assert_eq!(part(TEXT, &["third"]), TEXT);
    }

    /// What counts of PTX: its instructions, without the table of lines and without the numbers of functions in labels.
    fn instructions(ptx: &str, kernels: &[&str]) -> Vec<String> {
        let number = regex::Regex::new(r"\$L__BB\d+_").unwrap();
        let text = front::slice::slice(ptx, kernels);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let counts = |line: &&str| {
            ![".loc", ".file", ".section", ".version", ".b8", "}", "$L__info_string"]
                .iter()
                .any(|own| line.starts_with(own))
        };
        lines.filter(counts).map(|line| number.replace_all(line, "$$L_").into_owned()).collect()
    }

    #[test]
    fn a_part_compiles_to_what_the_whole_does() {
        if !kernels::testing::compiler_for("parts of sources that readers edit") {
            return;
        }
        for (problem, wanted) in [
            ("reduction", &["reduce_modulo", "reduce_strided"][..]),
            ("scan", &["scan_naive", "scan_blelloch", "scan_blelloch_padded"]),
            ("compaction", &["compact_atomic", "compact_warp_atomic", "compact_block_atomic"]),
            ("histogram", &["histogram_block", "histogram_global"]),
        ] {
            let committed = kernels::ptx::committed(problem).unwrap();
            let text = part(committed.source, wanted);
            assert!(text.len() < committed.source.len(), "{problem}: {} bytes", text.len());
            let target = committed.text.lines().find_map(|line| line.strip_prefix(".target sm_")).unwrap();
            let text = format!("// warpbook: arch=compute_{target}\n{text}");
            let name = format!("{problem}.cu");
            let compiler = kernels::compile::for_device_code().unwrap();
            let options = kernels::compile::Options { kept: false, ..kernels::compile::Options::with(compiler) };
            let source = kernels::compile::Source { name: &name, text: &text };
            let built = kernels::open::build(&source, &options, false).unwrap_or_else(|why| panic!("{why}\n{text}"));
            let (own, whole) = (built.optimised.ptx, committed.text);
            assert_eq!(instructions(&own, wanted), instructions(whole, wanted), "{problem}:\n{text}");
        }
    }
}
