//! How far a kernel is from the fastest one that there can be: its predicted time beside the time of an empty launch and of the
//! bytes that any kernel must move.

use caches::compulsory::{self, SECTOR};

use super::{Bench, least};
use crate::instance::{Code, Instance};
use crate::model::Distance;

/// Warp-instructions after which a block is given up, which nothing but a loop over a whole large input executes.
const BUDGET: u64 = 100_000;

/// The distance of accepted code on the exercise's large input, or on the largest case that everybody sees. Nothing, where its
/// time cannot be predicted: the verdict does not depend on it.
///
/// # Errors
/// A sentence for the course's author.
pub(super) fn of(bench: &Bench<'_>, code: &Code) -> Result<Option<Distance>, String> {
    let exercise = bench.exercise;
    let large = exercise.large.as_ref().map(|case| Instance::new(exercise, case, &bench.folder, None)).transpose();
    let large = large.map_err(|why| format!("{}, `large`: {why}", exercise.name))?;
    let public = || bench.instances.iter().filter(|instance| !instance.case.hidden);
    let Some(case) = large.as_ref().or_else(|| public().max_by_key(|instance| size(instance))) else { return Ok(None) };
    let options = sim::Options::default();
    let (Ok(predicted_us), Some(target)) = (case.predicted_us(code, BUDGET), sim::target::find(&options.target)) else {
        return Ok(None);
    };
    let bytes = least::sectors(case, exercise.run.tolerance) * SECTOR;
    let (launch_us, memory_us) = compulsory::least_us(target, bytes);
    let (case, gpu) = (case.case.name.clone(), target.title.clone());
    Ok(Some(Distance { case, gpu, predicted_us, bytes, launch_us, memory_us }))
}

/// Bytes of all buffers of a case.
fn size(instance: &Instance) -> u64 {
    instance.buffers.iter().map(|buffer| buffer.content.bytes).sum()
}
