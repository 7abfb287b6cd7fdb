//! The device code of a source alone: what remains for a compiler when host code is in the way.
//!
//! Functions that are not marked for the device are left out with their bodies, and so is every other declaration of the
//! outermost level that a compiler complains of, as long as it is not device code itself. Lines keep their numbers.

use super::host::{self, blanked};

/// What a source's device code is compiled from.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Part {
    /// The text.
    pub text: String,
    /// Headers that are not there, and that are taken as empty.
    pub stubs: Vec<String>,
}

/// What functions of older CUDA did that newer ones have removed, for device code that still calls them.
const REMOVED: &str = "\
#define __shfl(...) __shfl_sync(__activemask(), __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(__activemask(), __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(__activemask(), __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(__activemask(), __VA_ARGS__)
#define __ballot(p) __ballot_sync(__activemask(), p)
#define __any(p) __any_sync(__activemask(), p)
#define __all(p) __all_sync(__activemask(), p)
";

/// The names of these functions.
const REMOVED_NAMES: &[&str] = &["__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all"];

/// A declaration of the outermost level, or of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    /// Bytes of the text.
    start: usize,
    end: usize,
    /// It is, or holds, code for the device.
    device: bool,
    /// It is a function of the host with a body.
    host_function: bool,
}

impl Part {
    /// The device code of a text.
    pub(super) fn of(text: &str) -> Self {
        let items = items(text);
        let mut part = text.to_owned();
        // From the end: what goes moves all that stands behind it.
        for item in items.iter().rev().filter(|item| item.host_function) {
            part = without(&part, item);
        }
        Self { text: part, stubs: Vec::new() }
    }

    /// Gives in to a compiler's complaints: leaves out what they are about, or stands in for a header. False if that
    /// cannot be done.
    pub(super) fn yield_to(&mut self, name: &str, log: &str) -> bool {
        if let Some(header) = super::error::missing_header(log) {
            // What device code needs of a header, an empty one does not give: the next complaint is about that.
            return if self.stubs.iter().any(|known| known == header) {
                false
            } else {
                self.stubs.push(header.to_owned());
                true
            };
        }
        let removed = REMOVED_NAMES.iter().any(|name| {
            log.contains(&format!("identifier \"{name}\" is undefined"))
                || log.contains(&format!("undeclared identifier '{name}'"))
        });
        if removed && !self.text.starts_with("#define __shfl(") {
            // All lines keep their numbers.
            self.text = format!("{REMOVED}#line 1\n{}", self.text);
            return true;
        }
        let lines = error_lines(name, log);
        let shift = if self.text.starts_with("#define __shfl(") { REMOVED.lines().count() + 1 } else { 0 };
        let mut changed = false;
        for item in items(&self.text).iter().rev().filter(|item| !item.device) {
            let first = self.text[..item.start].matches('\n').count() + 1;
            let last = first + self.text[item.start..item.end].matches('\n').count();
            if lines.iter().any(|line| (first..=last).contains(&(line + shift))) {
                let text = without(&self.text, item);
                changed |= text != self.text;
                self.text = text;
            }
        }
        changed
    }

    /// The headers that only hosts have, as NVRTC needs them: empty.
    pub(super) fn host_headers(text: &str) -> Vec<String> {
        let code = blanked(text);
        let headers = code.lines().zip(text.lines()).filter_map(|(line, original)| host::included(line, original));
        headers.filter(|header| host::is_for_hosts(header)).map(str::to_owned).collect()
    }

    /// What the user is told.
    pub(super) fn sentence(&self, name: &str, why: &str) -> String {
        let stubs = match &self.stubs[..] {
            [] => String::new(),
            stubs => format!(" (without {})", stubs.join(", ")),
        };
        let removed = if self.text.starts_with("#define __shfl(") {
            "; __shfl and its like, which CUDA removed, were taken as __shfl_sync of the active lanes: name the lanes in the source"
        } else {
            ""
        };
        format!("note: {name} was compiled without its host code{stubs}, of which the compiler says: {why}{removed}")
    }
}

/// The lines of `name` that a log's errors are about.
fn error_lines(name: &str, log: &str) -> Vec<usize> {
    let line = |text: &str| {
        let rest = text.strip_prefix(name)?;
        let (number, rest) = match rest.strip_prefix('(') {
            Some(rest) => rest.split_once(')')?,
            None => rest.strip_prefix(':')?.split_once(':')?,
        };
        rest.contains("error").then(|| number.parse().ok()).flatten()
    };
    log.lines().filter_map(line).collect()
}

/// A text with an item blanked out. Lines stay, and so do those of the preprocessor.
fn without(text: &str, item: &Item) -> String {
    let mut kept = String::with_capacity(text.len());
    kept.push_str(&text[..item.start]);
    let mut continued = false;
    for line in text[item.start..item.end].split_inclusive('\n') {
        let directive = continued || line.trim_start().starts_with('#');
        continued = directive && line.trim_end().ends_with('\\');
        if directive {
            kept.push_str(line);
        } else if line.ends_with('\n') {
            kept.push('\n');
        }
    }
    kept.push_str(&text[item.end..]);
    kept
}

/// Words that mark code for the device, the text's own macros among them.
fn marks(code: &str) -> Vec<String> {
    let mut marks = vec!["__global__".to_owned(), "__device__".to_owned(), "__constant__".to_owned()];
    for line in code.lines() {
        let define = line.trim_start().strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("define"));
        if let Some((name, text)) = define.map(str::trim).and_then(|rest| rest.split_once(char::is_whitespace))
            && (text.contains("__device__") || text.contains("__global__"))
        {
            marks.push(name.split('(').next().unwrap_or(name).to_owned());
        }
    }
    marks.push("constexpr".to_owned());
    marks
}

/// The declarations of a text.
fn items(text: &str) -> Vec<Item> {
    // Bytes keep their places where only plain characters were blanked.
    let code = blanked_bytes(text);
    let marks = marks(&code);
    let has_mark = |text: &str| marks.iter().any(|mark| has_word(text, mark));
    let bytes = code.as_bytes();
    let mut items = Vec::new();
    let (mut at, mut start, mut parens) = (0, 0, 0i32);
    while at < bytes.len() {
        let line_start = code[..at].trim_end_matches([' ', '\t']).ends_with('\n') || code[..at].trim().is_empty();
        match bytes[at] {
            b'#' if line_start => {
                // A directive ends an item only where one has not begun.
                let mut end = at;
                loop {
                    let next = code[end..].find('\n').map_or(code.len(), |length| end + length + 1);
                    let more = code[end..next].trim_end().ends_with('\\');
                    end = next;
                    if !more || end >= code.len() {
                        break;
                    }
                }
                if code[start..at].trim().is_empty() {
                    start = end;
                }
                at = end;
                continue;
            }
            b'(' => parens += 1,
            b')' => parens -= 1,
            b';' if parens <= 0 => {
                push(&mut items, &code, start, at + 1, has_mark(&code[start..at]), false);
                (start, parens) = (at + 1, 0);
            }
            b'}' if parens <= 0 => start = at + 1,
            b'{' if parens <= 0 => {
                let header = code[start..at].trim();
                let scope = has_word(header, "namespace")
                    || header.starts_with("extern") && !header.contains('(') && text[start..at].contains('"');
                if scope {
                    start = at + 1;
                } else {
                    let end = closing(bytes, at);
                    let kind = ["struct", "class", "union", "enum"].iter().any(|word| {
                        let before = header.split('(').next().unwrap_or(header);
                        has_word(strip_template(before), word)
                    }) && !header.trim_end().ends_with(')');
                    let function =
                        header.contains('(') && !kind && !header.split('(').next().unwrap_or("").contains('=');
                    let device = has_mark(&code[start..if function { at } else { end }]);
                    if function {
                        push(&mut items, &code, start, end, device, !device);
                        start = end;
                    }
                    // Types and initialisers go on to their semicolon.
                    at = end;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    items
}

/// A header without `template <class T>`.
fn strip_template(header: &str) -> &str {
    let Some(rest) = header.trim_start().strip_prefix("template") else { return header };
    let mut depth = 0;
    for (at, c) in rest.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 && c == '>' {
            return &rest[at + 1..];
        }
    }
    header
}

fn push(items: &mut Vec<Item>, code: &str, start: usize, end: usize, device: bool, host_function: bool) {
    let skipped = code[start..end].len() - code[start..end].trim_start().len();
    items.push(Item { start: start + skipped, end, device, host_function });
}

fn closing(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    bytes.len()
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

/// The text with comments and strings blanked, byte for byte.
fn blanked_bytes(text: &str) -> String {
    // `blanked` replaces characters; those of several bytes become one.
    let ascii: String =
        text.chars().map(|c| if c.is_ascii() { c.to_string() } else { "_".repeat(c.len_utf8()) }).collect();
    let code = blanked(&ascii);
    if code.len() == text.len() { code } else { ascii }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_functions_go_and_lines_stay() {
        let source = "#include <cstdio>\n#define HD __host__ __device__\n// é {\nvoid run(int n) {\n  k<<<1, 2>>>(n);\n}\n\
            HD int f(int x) { return x; }\nnamespace a {\nstatic int g() { return 1; }\n\
            template <class T> __global__ void k(T *p) { p[0] = f(1); }\n}\nstruct S { int x; };\nint main() {\n\
            #define B 2\n  return 0;\n}\n__constant__ int c[2] = {1, 2};\n";
        let part = Part::of(source).text;
        assert_eq!(part.lines().count(), source.lines().count());
        for gone in ["run", "main", "g()", "<<<"] {
            assert!(!part.contains(gone), "{gone}: {part}");
        }
        for kept in ["HD int f", "__global__ void k", "struct S { int x; };", "#define B 2", "c[2] = {1, 2};"] {
            assert!(part.contains(kept), "{kept}: {part}");
        }
        assert_eq!(part.lines().nth(9).map(str::trim_start).map(|l| l.starts_with("template")), Some(true), "{part}");
    }

    #[test]
    fn what_a_compiler_complains_of_goes_unless_it_is_for_the_device() {
        let mut part = Part::of("texture<float, 1> t;\nMat m;\n__device__ int d;\n");
        assert!(part.yield_to("k.cu", "k.cu(2): error: identifier \"Mat\" is undefined\n"));
        assert_eq!(part.text, "texture<float, 1> t;\n\n__device__ int d;\n");
        assert!(!part.yield_to("k.cu", "k.cu(3): error: no\n"));
        assert!(part.yield_to("k.cu", "k.cu(9): catastrophic error: cannot open source file \"opencv.hpp\"\n"));
        assert_eq!(part.stubs, ["opencv.hpp"]);
    }

    #[test]
    fn odd_texts_do_not_panic() {
        for text in
            ["", "{", "}", "}}}}", "(((", "#", "#define", "\\", "\"", "é{é}é", "namespace {", "a(){", "template <"]
        {
            let _ = Part::of(text).yield_to("k", "k(1): error: x");
        }
    }
}
