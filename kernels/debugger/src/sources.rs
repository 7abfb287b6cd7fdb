//! The texts of the source files that the code names, and of its PTX.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::words::base;

/// A larger file is no source.
const LARGEST: u64 = 1 << 24;

/// A text with its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// What it is called.
    pub name: String,
    /// Where the file is; nothing for a text that is in no file.
    pub path: Option<PathBuf>,
    /// The lines.
    pub lines: Vec<String>,
}

impl Text {
    pub(crate) fn new(name: &str, path: Option<PathBuf>, text: &str) -> Self {
        // A tab is as wide as four blanks, everywhere.
        let lines = text.lines().map(|line| line.replace('\t', "    ")).collect();
        Self { name: name.to_owned(), path, lines }
    }

    /// A line, from 1.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&str> {
        self.lines.get((number as usize).checked_sub(1)?).map(String::as_str)
    }
}

/// Whether two paths may name one file: one is the other, or the end of it.
pub(crate) fn same_file(one: &str, other: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".");
        parts.map(str::to_owned).collect()
    };
    let (one, other) = (parts(one), parts(other));
    !one.is_empty() && !other.is_empty() && one.iter().rev().zip(other.iter().rev()).all(|(a, b)| a == b)
}

/// The texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// The PTX.
    pub ptx: Text,
    /// The file that was given, or the first that the code names.
    pub own: String,
    texts: BTreeMap<String, Text>,
}

impl Sources {
    /// Finds the texts of `files`, as the code names them: `known` ones, and others in the folders.
    pub(crate) fn find(ptx: Text, own: &str, known: Option<Text>, files: &[String], folders: &[PathBuf]) -> Self {
        let mut texts = BTreeMap::new();
        for file in files {
            let text = known.clone().filter(|known| same_file(&known.name, file)).or_else(|| read(file, folders));
            texts.extend(text.map(|text| (file.clone(), Text { name: file.clone(), ..text })));
        }
        Self { ptx, own: own.to_owned(), texts }
    }

    /// The text of a file that the code names.
    #[must_use]
    pub fn text(&self, file: &str) -> Option<&Text> {
        self.texts.get(file)
    }

    /// All texts, by the names that the code has for them.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.texts.values()
    }
}

fn read(file: &str, folders: &[PathBuf]) -> Option<Text> {
    let own = Path::new(file);
    let in_folder = |folder: &PathBuf| [folder.join(own), folder.join(base(file))];
    let paths = std::iter::once(own.to_owned()).chain(folders.iter().flat_map(in_folder));
    for path in paths {
        if fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= LARGEST)
            && let Ok(bytes) = fs::read(&path)
        {
            let path = std::path::absolute(&path).unwrap_or(path);
            return Some(Text::new(file, Some(path), &String::from_utf8_lossy(&bytes)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_the_same_by_the_ends_of_their_paths() {
        assert!(same_file("scan.cu", "/work/kernels/scan.cu"));
        assert!(same_file("kernels/scan.cu", "/work/kernels/scan.cu"));
        assert!(same_file("C:\\x\\scan.cu", "scan.cu"));
        assert!(!same_file("other/scan.cu", "/work/kernels/scan.cu"));
        assert!(!same_file("an.cu", "scan.cu"));
        assert!(!same_file("", "scan.cu"));
    }
}
