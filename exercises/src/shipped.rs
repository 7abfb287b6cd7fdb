//! What a course ships: the learner's files as they are at first.

use std::path::PathBuf;

use crate::course::{Course, CourseError, Exercise};
use crate::{answers, starter};

impl Course {
    /// What the learner's files are at first: the starter generated from the solution, or the kernel and an empty file
    /// of answers.
    ///
    /// # Errors
    /// When the solution cannot be read or its markers are wrong.
    pub fn starters(&self, exercise: &Exercise) -> Result<Vec<(PathBuf, String)>, CourseError> {
        let path = self.solution_file(exercise);
        let text = self.read(&path)?;
        if exercise.kind.asks() {
            return Ok(vec![
                (self.kernel_file(exercise), text),
                (self.learner_file(exercise), answers::template(exercise)),
            ]);
        }
        let starter = starter::generate(&path.display().to_string(), &text)?;
        Ok(vec![(self.learner_file(exercise), starter)])
    }
}
