//! One exercise in one piece: what a page of the book needs to judge it without any file and without the authors' sources.
//!
//! Solutions are in it as PTX only, because the limits follow from what they cost. Hidden cases are left out but for their
//! number, and of wrong solutions there are the heads: which mistake it is and how to tell it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::built::{Kept, key};
use crate::course::{Course, CourseError, Exercise, Files, sources};
use crate::grade::authors;
use crate::spec::Case;

/// An exercise and the texts that belong to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bundle {
    /// What is run, asked and demanded.
    pub exercise: Exercise,
    /// The files, with paths from the course's folder.
    pub kept: Kept,
}

/// Why there is no bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A file cannot be read.
    #[error(transparent)]
    Course(#[from] CourseError),
    /// The authors' sources have changed since they were compiled.
    #[error(
        "{0}: the authors' sources were compiled before they changed; `warpbook dev ptx --exercises` compiles them again"
    )]
    Stale(String),
}

impl Bundle {
    /// The bundle of an exercise of a course in a folder.
    ///
    /// # Errors
    /// [`BundleError`].
    pub fn of(course: &Course, exercise: &Exercise) -> Result<Self, BundleError> {
        let built = authors::committed(course, exercise).ok_or_else(|| BundleError::Stale(exercise.name.clone()))?;
        let mut kept = Kept { built, ..Kept::default() };
        let mut keep = |path: PathBuf, text: String| {
            let path = path.strip_prefix(&course.dir).map(PathBuf::from).unwrap_or(path);
            kept.texts.insert(key(&path), text);
        };
        for (path, text) in course.starters(exercise)? {
            keep(path, text);
        }
        if exercise.kind.asks() {
            let path = course.solution_file(exercise);
            let text = course.read(&path)?;
            keep(path, text);
        } else {
            // An exercise whose mistakes nobody has proven yet is judged all the same.
            let path = course.proof_file(exercise);
            if let Ok(text) = course.read(&path) {
                let known: Vec<&str> = text.lines().filter(|line| line.starts_with("wrong ")).collect();
                keep(path, known.join("\n"));
            }
            for path in sources(&course.wrong_folder(exercise))? {
                let text = course.read(&path)?;
                let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("// ")).collect();
                keep(path, head.join("\n"));
            }
        }
        let hidden = Case { name: "hidden".to_owned(), names: BTreeMap::new(), seed: 0, hidden: true, kernel: None };
        let cases = exercise.cases.iter().map(|case| if case.hidden { hidden.clone() } else { case.clone() });
        let exercise = Exercise {
            cases: cases.collect(),
            // What only authors and the book's other pages read.
            hints: Vec::new(),
            equivalent: Vec::new(),
            ..exercise.clone()
        };
        Ok(Self { exercise, kept })
    }

    /// The course of this one exercise.
    pub fn course(self) -> Course {
        Course {
            dir: PathBuf::new(),
            files: Files::Memory(Arc::new(self.kept)),
            title: String::new(),
            groups: Vec::new(),
            exercises: vec![self.exercise],
        }
    }
}
