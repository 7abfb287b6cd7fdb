//! What was handed in: a folder, or a single file, in which files are found by the names of exercises.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Deepest folder that is looked into.
const DEEPEST: usize = 8;
/// Most entries that are looked at: an archive can hold any number.
const MOST_ENTRIES: usize = 20_000;
/// Longest file that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// What one person handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The name of the folder or file.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// The submissions that paths stand for: each path is one, or with `each` each folder in it.
///
/// # Errors
/// When a path does not exist or a folder cannot be read.
pub fn find(paths: &[PathBuf], each: bool) -> io::Result<Vec<Submission>> {
    let named = |path: PathBuf| {
        let full = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        Submission { name: full.file_name().unwrap_or_default().to_string_lossy().into_owned(), path }
    };
    let mut found = Vec::new();
    for path in paths {
        fs::metadata(path).map_err(|why| io::Error::new(why.kind(), format!("{}: {why}", path.display())))?;
        if !each {
            found.push(named(path.clone()));
            continue;
        }
        let mut inside: Vec<PathBuf> = fs::read_dir(path)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        inside.retain(|path| path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.')));
        inside.sort();
        found.extend(inside.into_iter().map(named));
    }
    Ok(found)
}

/// What a submission holds for an exercise.
pub(super) enum Handed {
    /// A text, with its path within the submission.
    Text(String, String),
    /// A file that cannot be graded: its path and why.
    Unreadable(String, String),
    /// No file.
    Nothing,
}

/// Looks for a file by its name. Links are not followed: they could lead to files that the submitter may not read.
pub(super) fn look(submission: &Path, file_name: &str) -> Handed {
    let mut left = MOST_ENTRIES;
    let Some(path) = search(submission, file_name, DEEPEST, &mut left) else { return Handed::Nothing };
    let shown = path.strip_prefix(submission).unwrap_or(&path).to_string_lossy().into_owned();
    let shown = if shown.is_empty() { file_name.to_owned() } else { shown };
    let mut bytes = Vec::new();
    let read = fs::File::open(&path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
    match read {
        Err(why) => Handed::Unreadable(shown, format!("it cannot be read: {}", why.kind())),
        Ok(_) if bytes.len() as u64 > LONGEST => {
            Handed::Unreadable(shown, format!("it is longer than {LONGEST} bytes, which no exercise needs"))
        }
        Ok(_) => match String::from_utf8(bytes) {
            Ok(text) => Handed::Text(shown, text),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
                Handed::Unreadable(shown, format!("it is not text: byte {at} (line {line}) is no part of a character"))
            }
        },
    }
}

/// The first regular file of that name, nearest to the top.
fn search(path: &Path, file_name: &str, depth: usize, left: &mut usize) -> Option<PathBuf> {
    let kind = fs::symlink_metadata(path).ok()?.file_type();
    if kind.is_file() {
        return path.file_name().is_some_and(|name| name == file_name).then(|| path.to_owned());
    }
    // The submission itself may be a link of the instructor's.
    let folder = kind.is_dir() || (kind.is_symlink() && depth == DEEPEST && path.is_dir());
    if !folder || depth == 0 {
        return None;
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path).ok()?.take(*left).filter_map(|entry| Some(entry.ok()?.path())).collect();
    *left = left.saturating_sub(entries.len());
    entries.sort();
    let direct = entries.iter().find(|path| {
        path.file_name().is_some_and(|name| name == file_name)
            && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
    });
    if let Some(direct) = direct {
        return Some(direct.clone());
    }
    entries.iter().find_map(|path| {
        let folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
        if folder { search(path, file_name, depth - 1, left) } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_name_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("x.cu"), "text").unwrap();
        fs::write(folder.path().join("junk.cu"), [0xff, 0xfe]).unwrap();
        assert!(
            matches!(look(folder.path(), "x.cu"), Handed::Text(path, text) if path == "a/b/x.cu" && text == "text")
        );
        assert!(matches!(look(&deep.join("x.cu"), "x.cu"), Handed::Text(path, _) if path == "x.cu"));
        assert!(matches!(look(folder.path(), "junk.cu"), Handed::Unreadable(_, why) if why.contains("not text")));
        assert!(matches!(look(folder.path(), "y.cu"), Handed::Nothing));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", folder.path().join("y.cu")).unwrap();
            std::os::unix::fs::symlink("/etc", folder.path().join("etc")).unwrap();
            assert!(matches!(look(folder.path(), "y.cu"), Handed::Nothing));
            assert!(matches!(look(folder.path(), "passwd"), Handed::Nothing));
        }
    }
}
