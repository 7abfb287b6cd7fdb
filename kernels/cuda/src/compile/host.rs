//! Does a source hold host code? NVRTC takes device code only.
//!
//! This looks at tokens, not at meaning: comments and string literals are blanked, then a few signs of host code are
//! looked for. A wrong guess costs time, not correctness: what NVRTC rejects is tried with nvcc.

use std::path::{Path, PathBuf};

/// What a source holds besides device code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// Nothing that shows.
    None,
    /// Headers that device code uses too and that nvcc takes better, such as `<cstdio>`; no host code itself.
    Headers,
    /// Host code.
    Code {
        /// The first piece of it.
        what: String,
        /// Its line, from 1.
        line: usize,
    },
}

/// Headers of C that say nothing of host code: device code uses `printf`, `assert`, `sqrtf` and `uint32_t` from them.
/// NVRTC, which has those functions built in, gets them as headers without content, except for the types.
pub(super) const C_HEADERS: &[&str] = &[
    "assert.h",
    "cassert",
    "cfloat",
    "climits",
    "cmath",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "math.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "sys/time.h",
    "time.h",
];

/// Headers without `.h` that NVRTC can read, by how they begin.
const DEVICE_HEADERS: &[&str] = &["cuda/", "nv/"];

/// Parts of CUDA's core libraries that launch kernels: NVRTC takes some, nvcc all.
const HOST_PARTS: &[&str] = &["cub/cub.cuh", "cub/device/", "thrust/"];

/// Words that are host code wherever they stand.
const HOST_WORDS: &[&str] = &[
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMemcpy",
    "cudaMemset",
    "cudaFree",
    "cudaDeviceSynchronize",
    "cudaMemcpyToSymbol",
    "cudaGetLastError",
    "cudaEventCreate",
    "cudaLaunchKernel",
    "cudaSetDevice",
];

/// Looks into a source.
#[must_use]
pub fn look(text: &str) -> Host {
    let code = blanked(text);
    let mut headers = false;
    for (index, (line, original)) in code.lines().zip(text.lines()).enumerate() {
        let found = |what: &str| Host::Code { what: what.to_owned(), line: index + 1 };
        if let Some(header) = included(line, original) {
            if C_HEADERS.contains(&header) || HOST_PARTS.iter().any(|start| header.starts_with(start)) {
                headers = true;
            } else if !header.contains('.') && !DEVICE_HEADERS.iter().any(|start| header.starts_with(start)) {
                return found(&format!("#include <{header}>"));
            }
            continue;
        }
        if line.contains("<<<") {
            return found("<<<");
        }
        let mut words = words(line).peekable();
        let mut before = ("", "");
        while let Some(word) = words.next() {
            let after_word = words.peek().copied().unwrap_or_default();
            if HOST_WORDS.contains(&word) {
                return found(word);
            }
            // cuda::std is made for devices.
            if word == "std" && after_word == ":" && before != (":", ":") {
                return found("std::");
            }
            if word == "main" && after_word == "(" && matches!(before.1, "int" | "void" | "auto") {
                return found("main");
            }
            before = (before.1, word);
        }
    }
    if headers { Host::Headers } else { Host::None }
}

/// Looks into a source that stands at `name`, and into the files of its own that it includes.
#[must_use]
pub fn look_tree(name: &str, text: &str, includes: &[PathBuf]) -> Host {
    let mut all = look(text);
    for (path, text) in own_files(name, text, includes) {
        match (look(&text), &all) {
            (_, Host::Code { .. }) => break,
            (Host::Code { what, .. }, _) => {
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let line = line_of_include(name, &file).unwrap_or(1);
                all = Host::Code { what: format!("{what}, in {file}"), line };
            }
            (Host::Headers, Host::None) => all = Host::Headers,
            _ => {}
        }
    }
    all
}

fn line_of_include(name: &str, file: &str) -> Option<usize> {
    let text = std::fs::read_to_string(name).ok()?;
    text.lines().position(|line| line.contains("include") && line.contains(file)).map(|at| at + 1)
}

/// The files that a source includes and that lie beside it or in `includes`, with all that they include, in the order in
/// which they are met. Conditions are not looked at.
#[must_use]
pub fn own_files(name: &str, text: &str, includes: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    let mut open = vec![(PathBuf::from(name), text.to_owned())];
    while let Some((path, text)) = open.pop() {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let code = blanked(&text);
        for (line, original) in code.lines().zip(text.lines()) {
            let Some(header) = included(line, original) else { continue };
            let places = std::iter::once(&folder).chain(includes).map(|folder| folder.join(header));
            let read = |path: PathBuf| Some((std::fs::read_to_string(&path).ok()?, path));
            let Some((text, path)) = places.into_iter().find_map(read) else { continue };
            if found.len() < MOST_FILES && !found.iter().any(|(known, _)| *known == path) {
                found.push((path.clone(), text.clone()));
                open.push((path, text));
            }
        }
    }
    found
}

/// Most files of a source's own that are looked into.
const MOST_FILES: usize = 400;

/// Whether NVRTC's messages are about host code, or about a header that only hosts have.
pub(super) fn is_about_host_code(log: &str) -> bool {
    ["__host__", "cannot open source file", "could not open source file", "identifier \"std\"", "file not found"]
        .iter()
        .any(|sign| log.contains(sign))
}

/// Whether a header is one that only hosts have: NVRTC can do nothing with it.
pub(super) fn is_for_hosts(header: &str) -> bool {
    let of_device = DEVICE_HEADERS.iter().chain(HOST_PARTS).chain(&["cub/"]).any(|start| header.starts_with(start));
    !header.contains('.') && !C_HEADERS.contains(&header) && !of_device
}

/// The file that a line includes. `line` has its string literals blanked, `original` has not.
pub(super) fn included<'a>(line: &str, original: &'a str) -> Option<&'a str> {
    line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    let (_, rest) = original.split_once("include")?;
    let rest = rest.trim_start();
    let end = if rest.starts_with('<') { '>' } else { '"' };
    rest.get(1..)?.split_once(end).map(|(name, _)| name.trim())
}

/// Identifiers and single other characters of a line, blanks left out.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(length);
        rest = after;
        Some(word)
    })
}

/// The text with the content of comments and string literals replaced by blanks; line breaks stay.
#[must_use]
pub fn blanked(text: &str) -> String {
    #[derive(PartialEq)]
    enum In {
        Code,
        Line,
        Block,
        Quote(char),
    }
    let mut state = In::Code;
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut previous = ' ';
    while let Some(c) = rest.next() {
        let mut show = state == In::Code;
        match state {
            In::Code => match c {
                '/' if rest.peek() == Some(&'/') => (state, show) = (In::Line, false),
                '/' if rest.peek() == Some(&'*') => {
                    (state, show) = (In::Block, false);
                    rest.next();
                    out.push(' ');
                }
                '"' => state = In::Quote('"'),
                // A mark between digits is a separator, as in 1'000.
                '\'' if !previous.is_ascii_alphanumeric() => state = In::Quote('\''),
                _ => {}
            },
            In::Line => {
                if c == '\n' {
                    state = In::Code;
                }
            }
            In::Block => {
                if c == '*' && rest.peek() == Some(&'/') {
                    rest.next();
                    out.push(' ');
                    state = In::Code;
                }
            }
            In::Quote(mark) => match c {
                '\\' => {
                    if let Some(escaped) = rest.next() {
                        out.push(if escaped == '\n' { '\n' } else { ' ' });
                    }
                }
                _ if c == mark || c == '\n' => state = In::Code,
                _ => {}
            },
        }
        out.push(if c == '\n' || show { c } else { ' ' });
        previous = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(what: &str, line: usize) -> Host {
        Host::Code { what: what.to_owned(), line }
    }

    #[test]
    fn device_code_alone() {
        for text in [
            "__global__ void k(int *p) { p[threadIdx.x] = 1; }",
            "#include <cooperative_groups.h>\n#include <cub/block/block_scan.cuh>\n#include \"mine.h\"\n",
            "// k<<<1, 2>>>(); std::vector\n/* int main() */ const char *s = \"std::x <<<\"; char c = '\"';",
            "#include <cuda/std/array>\n__device__ cuda::std::array<int, 3> a; int domain(int); int x = 1'000;",
        ] {
            assert_eq!(look(text), Host::None, "{text}");
        }
    }

    #[test]
    fn headers_that_device_code_uses_too() {
        assert_eq!(look("#include <cub/cub.cuh>"), Host::Headers);
        assert_eq!(look("#include <cstdio>\n# include \"cuda_runtime.h\"\n__global__ void k() {}"), Host::Headers);
    }

    #[test]
    fn host_code_is_located() {
        assert_eq!(look("#include <stdio.h>\n#include <vector>\n"), code("#include <vector>", 2));
        assert_eq!(look("\nvoid run() { k<<<1, 2>>>(); }"), code("<<<", 2));
        assert_eq!(look("int main() {}"), code("main", 1));
        assert_eq!(look("/* a\n * b */ std::string s;"), code("std::", 2));
        assert_eq!(look("void f() { cudaMalloc(&p, 4); }"), code("cudaMalloc", 1));
    }

    #[test]
    fn odd_texts_do_not_panic() {
        for text in ["", "#include", "#include <", "#include \"é", "\"\\", "'", "/*", "a/", "é<<<"] {
            let _ = look(text);
        }
    }
}
