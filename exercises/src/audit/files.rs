//! The files of a course: which there are, and which belong to no exercise.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::course::{Course, CourseError};

/// The `.cu` files in a folder, by name; none if there is no such folder.
pub(super) fn sources(folder: &Path) -> Result<Vec<PathBuf>, CourseError> {
    let entries = if folder.is_dir() { entries(folder)? } else { Vec::new() };
    Ok(entries.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "cu")).collect())
}

/// The files in a course's folders that belong to no exercise. A `README.md` may stand anywhere.
///
/// The course's own folder may hold other things too (in the repository, the crate that reads it), so there only
/// folders are looked into that are groups (`00_machine`), and `solutions` and `wrong`.
pub(super) fn stray(course: &Course) -> Result<Vec<PathBuf>, CourseError> {
    let mut known = BTreeSet::new();
    for exercise in &course.exercises {
        known.extend([course.learner_file(exercise), course.kernel_file(exercise)]);
        known.extend([course.spec_file(exercise), course.solution_file(exercise), course.sibling_file(exercise)]);
        known.extend([course.reference_file(exercise), course.proof_file(exercise)]);
        known.extend(sources(&course.wrong_folder(exercise))?);
    }
    let mut stray = Vec::new();
    for path in entries(&course.dir)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let topic = name.bytes().take_while(u8::is_ascii_digit).count() == 2 && name.as_bytes().get(2) == Some(&b'_');
        if path.is_dir() && (topic || name == "solutions" || name == "wrong") {
            collect(&path, &known, &mut stray)?;
        }
    }
    Ok(stray)
}

/// Adds the files below `folder` that are not `known`.
fn collect(folder: &Path, known: &BTreeSet<PathBuf>, stray: &mut Vec<PathBuf>) -> Result<(), CourseError> {
    for path in entries(folder)? {
        if path.is_dir() {
            collect(&path, known, stray)?;
        } else if !known.contains(&path) && path.file_name().is_some_and(|name| name != "README.md") {
            stray.push(path);
        }
    }
    Ok(())
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, CourseError> {
    let unreadable = |source| CourseError::Read { path: folder.to_owned(), source };
    let entries: Result<Vec<PathBuf>, _> =
        std::fs::read_dir(folder).map_err(unreadable)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut entries = entries.map_err(unreadable)?;
    entries.sort();
    Ok(entries)
}
