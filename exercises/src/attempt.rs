//! A graded text with what it was graded on: which of its inputs to look at first, and what that shows.

use crate::compiler::Compiler;
use crate::course::Course;
use crate::grade::{Bench, Depth, Grade, GradeError, differs};
use crate::misconception;
use crate::show;
use crate::state::Progress;

/// A graded text.
pub(crate) struct Attempt<'a> {
    /// What it was graded on.
    pub(crate) bench: Bench<'a>,
    /// What was graded.
    pub(crate) text: String,
    /// The grade.
    pub(crate) grade: Grade,
}

impl<'a> Attempt<'a> {
    /// Grades a text that its author knows as `file`. Of a prediction whose first answers are given, those count.
    pub(crate) fn new(
        course: &Course,
        bench: Bench<'a>,
        (file, text): (&str, String),
        first: Option<&Progress>,
        compiler: &dyn Compiler,
    ) -> Result<Self, GradeError> {
        let mut grade = bench.grade(file, &text, compiler, Depth::All)?;
        if let Some(first) = first {
            bench.count_first(first, &mut grade)?;
        }
        let known = misconception::recognise(course, bench.exercise, &grade);
        grade.misconception = known.map_err(|why| GradeError::Course(why.to_string()))?;
        Ok(Self { bench, text, grade })
    }

    /// The place in the bench of the smallest case that fails; the first one where none does.
    pub(crate) fn case(&self) -> usize {
        let failing = |name: &str| {
            let ending = format!(": {name}");
            self.grade.checks.iter().any(|check| !check.passed && check.name.ends_with(&ending))
        };
        let cases = self.bench.instances.iter().enumerate();
        let smallest = cases.filter(|(_, one)| failing(&one.case.name)).min_by_key(|(at, one)| {
            let bytes: u64 = one.buffers.iter().map(|buffer| buffer.content.bytes).sum();
            (bytes, *at)
        });
        smallest.map_or(0, |(at, _)| at)
    }

    /// That case once more: its data, expected and got, if they are to be shown, and the banks or sectors of a line of a
    /// file, or of all lines. Nothing where it cannot be launched, which the grade says.
    pub(crate) fn look(
        &self,
        data: bool,
        access: Option<(Option<&str>, Option<u32>)>,
        compiler: &dyn Compiler,
    ) -> Result<String, GradeError> {
        let Some(case) = self.bench.instances.get(self.case()) else { return Ok(String::new()) };
        let looked = self.bench.look(&self.grade.file, &self.text, case, compiler, access.is_some())?;
        let Some((code, ran)) = looked else { return Ok(String::new()) };
        let mut out = String::new();
        if data {
            out += "\n";
            let tolerance = self.bench.exercise.run.tolerance;
            out += &show::text(case, &ran, &|buffer, index| {
                differs(&case.buffers[buffer], &ran.buffers[buffer], index, tolerance)
            });
        }
        if let Some((file, line)) = access {
            out += "\n";
            out += &show::access(&code, &ran, file, line);
        }
        Ok(out)
    }
}
