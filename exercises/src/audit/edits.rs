//! Advice on the starter of an exercise to improve suggests its lesson first, on the largest of its visible inputs.

use super::ExerciseReport;
use super::one::Audit;
use crate::desk::DeskError;
use crate::grade::author_code;
use crate::instance::Instance;

impl Audit<'_> {
    /// Looks for the edits that would help the starter.
    pub(super) fn edits(&self, report: &mut ExerciseReport) -> Result<(), DeskError> {
        let Some(edit) = self.exercise.edit else { return Ok(()) };
        let (code, _) = author_code(self.compiler, &self.course.learner_file(self.exercise))?;
        let visible = self.exercise.cases.iter().filter(|case| !case.hidden);
        let made = visible.map(|case| Instance::new(self.exercise, case, &self.course.dir, None));
        let threads = |instance: &Instance| -> u64 {
            instance.launches.iter().map(|made| made.grid.count() * made.block.count()).sum()
        };
        let Some(largest) = made.filter_map(Result::ok).max_by_key(threads) else { return Ok(()) };
        let suggested = match largest.advice(&code) {
            Ok(advice) => advice.into_iter().flatten().map(|one| one.edit).collect::<Vec<_>>(),
            Err(why) => {
                report.problems.push(format!("no edits are found for the starter: {why}"));
                return Ok(());
            }
        };
        if suggested.first() != Some(&edit) {
            let all: Vec<String> = suggested.iter().map(|edit| format!("`{edit}`")).collect();
            let got = if all.is_empty() { "nothing".to_owned() } else { all.join(", then ") };
            report.problems.push(format!(
                "the edit of the lesson is `{edit}`, and for the starter on \"{}\" advice suggests {got}",
                largest.case.name
            ));
        }
        Ok(())
    }
}
