//! What an exercise's authors wrote, compiled ahead of its use: `ptx/GROUP/NAME.json.gz` in the course's folder, and the part of
//! a page's bundle that stands for the authors' sources.
//!
//! What a kernel may cost follows from what the authors' own solutions cost. One source is not the same code from every compiler:
//! the limits are those of all of them together, so that a learner is judged alike whichever compiler is at hand, and where there
//! is none at all. The right answers to questions are those of NVRTC's code.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The authors' sources of one exercise, compiled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Built {
    /// A digest of the sources, which tells whether they are still the same.
    pub sources: String,
    /// The solution and its honest alternatives, by each compiler: only what is counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<Build>,
    /// What computes the results, by each compiler, if the exercise needs it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference: Vec<Build>,
    /// Of questions: the kernel that they are about, with its line table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Build>,
}

/// One source, compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The source's bare name.
    pub file: String,
    /// Who compiled it.
    pub compiler: Maker,
    /// The PTX that is counted.
    pub ptx: String,
    /// The PTX that is checked, where that is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debug_ptx: Option<String>,
}

/// The compilers whose code the limits come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Maker {
    /// NVIDIA's.
    Nvrtc,
    /// LLVM's.
    Clang,
    /// The one of the book's pages: clang's front end, and our own back end.
    Pages,
}

/// The texts of a course that judging one exercise needs, where there is no folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Kept {
    /// By the path in the course's folder, with slashes.
    pub texts: BTreeMap<String, String>,
    /// The authors' sources.
    pub built: Built,
}

impl Kept {
    /// The text of a file, if it is here.
    pub fn text(&self, path: &Path) -> Option<&str> {
        self.texts.get(&key(path)).map(String::as_str)
    }
}

/// A path in the course's folder, as [`Kept::texts`] has it.
pub(crate) fn key(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The lines of a PTX without its sections for debuggers: these hold paths of the machine that compiled it.
fn outside_of_sections(ptx: &str) -> impl Iterator<Item = &str> {
    let mut section = false;
    ptx.lines().filter(move |line| {
        let text = line.trim();
        section |= text.starts_with(".section");
        let goes = section;
        section &= text != "}";
        !goes
    })
}

/// PTX as every machine compiles it.
pub(crate) fn portable(ptx: &str) -> String {
    outside_of_sections(ptx).flat_map(|line| [line, "\n"]).collect()
}

/// PTX without what no counter depends on: comments, lines of the source and sections for debuggers.
pub(crate) fn slim(ptx: &str) -> String {
    let mut out = String::with_capacity(ptx.len());
    for line in outside_of_sections(ptx) {
        let text = line.trim();
        if !text.is_empty() && ![".loc", ".file", "//"].iter().any(|start| text.starts_with(start)) {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slim_text_has_all_instructions() {
        let ptx = "// by NVRTC\n.version 8.0\n\n\t.loc 1 2 3\n\tret; // end\n}\n.section .debug_str\n{\n.b8 0\n}\n.file 1 \"a\"\n.func f();\n";
        assert_eq!(slim(ptx), ".version 8.0\n\tret; // end\n}\n.func f();\n");
        let lines = "// by NVRTC\n.version 8.0\n\n\t.loc 1 2 3\n\tret; // end\n}\n.file 1 \"a\"\n.func f();\n";
        assert_eq!(portable(ptx), lines);
    }

    #[test]
    fn paths_have_slashes() {
        assert_eq!(key(&Path::new("").join("solutions").join("g").join("e.toml")), "solutions/g/e.toml");
    }
}
