//! Single-pass versions on every size from one tile to two: a kernel whose tiles wait for each other, or that has a
//! special way for the last one, can be wrong at a single size. What comes out is looked at and nothing is timed.

use rayon::prelude::*;

use super::measure::Bench;
use super::record::Sweep;
use crate::bench::BenchError;
use crate::gpu::Kernels;
use crate::problem::Problem;
use crate::verdict::Verdict;
use crate::workload::{Content, Run, SinglePass, Size};

/// Sizes whose inputs and references are made side by side, ahead of the GPU.
const BATCH: usize = 256;

/// Runs a version on every size of its sweep and holds what comes out against the reference.
pub(super) fn run(
    bench: &mut Bench<'_>,
    kernels: &Kernels<'_>,
    problem: &Problem,
    pass: SinglePass,
) -> Result<Sweep, BenchError> {
    let sizes: Vec<Size> = pass.sizes().collect();
    let mut sweep = Sweep {
        problem: problem.name.to_owned(),
        version: pass.version.to_owned(),
        from: sizes.first().map(Size::to_string).unwrap_or_default(),
        to: sizes.last().map(Size::to_string).unwrap_or_default(),
        sizes: 0,
        wrong: None,
    };
    for batch in sizes.chunks(BATCH) {
        let made: Vec<_> = batch.par_iter().map(|&size| (size, make(problem, pass, size))).collect();
        for (size, made) in made {
            let Some((content, run)) = made else {
                sweep.wrong = Some(format!("{size}: there is no input of this size"));
                return Ok(sweep);
            };
            let failed = |error| BenchError::Gpu { case: format!("{}, {size}: ", pass.version), error };
            let wrong = match bench.upload(&content).map_err(failed)? {
                Ok(inputs) => bench.check(kernels, &inputs, &run).map_err(failed)?,
                Err(why) => Some(why),
            };
            if let (Some(why), Verdict::Right) = (wrong, run.verdict) {
                sweep.wrong = Some(format!("{size}: {why}"));
                return Ok(sweep);
            }
            sweep.sizes += 1;
        }
    }
    Ok(sweep)
}

/// The input of one size, and how the version is launched on it.
fn make(problem: &Problem, pass: SinglePass, size: Size) -> Option<(Content, Run)> {
    let workloads = (problem.bench_of)(size).ok()?;
    let is_its = |run: &&Run| run.version == pass.version;
    let workload = workloads.iter().find(|workload| workload.runs.iter().any(|run| is_its(&run)))?;
    let run = workload.runs.iter().find(is_its)?.clone();
    Some((workload.make(), run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem;

    /// Every size of every sweep has an input and a launch: the first and the last of each are tried.
    #[test]
    fn every_single_pass_has_inputs_of_all_its_sizes() {
        let mut sweeps = 0;
        for problem in problem::all() {
            for pass in (problem.single_pass)() {
                assert!(problem.versions.contains(&pass.version), "{}", pass.version);
                let sizes: Vec<Size> = pass.sizes().collect();
                assert_eq!(sizes.len(), pass.tile as usize + 1);
                for size in [sizes[0], sizes[sizes.len() - 1]] {
                    let (content, run) = make(problem, pass, size).expect("there is an input");
                    assert!(run.launches().is_ok() && !content.inputs.is_empty(), "{}, {size}", pass.version);
                }
                sweeps += 1;
            }
        }
        assert!(sweeps > 15, "{sweeps}");
    }
}
