//! The files of a course: which there are, and which belong to no exercise.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::course::{Course, CourseError, entries, sources};

/// The files in a course's folders that belong to no exercise. A `README.md` may stand anywhere.
///
/// The course's own folder may hold other things too (in the repository, the crate that reads it), so there only
/// folders are looked into that are groups (`00_machine`), and `solutions`, `right`, `wrong` and `ptx`.
pub(super) fn stray(course: &Course) -> Result<Vec<PathBuf>, CourseError> {
    let mut known = BTreeSet::new();
    for exercise in &course.exercises {
        known.extend([course.learner_file(exercise), course.kernel_file(exercise)]);
        known.extend([course.spec_file(exercise), course.solution_file(exercise), course.sibling_file(exercise)]);
        known.extend([course.reference_file(exercise), course.proof_file(exercise), course.built_file(exercise)]);
        known.extend(sources(&course.wrong_folder(exercise))?);
        known.extend(sources(&course.right_folder(exercise))?);
    }
    let mut stray = Vec::new();
    for path in entries(&course.dir)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let topic = name.bytes().take_while(u8::is_ascii_digit).count() == 2 && name.as_bytes().get(2) == Some(&b'_');
        if path.is_dir() && (topic || ["solutions", "right", "wrong", "ptx"].contains(&&*name)) {
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
