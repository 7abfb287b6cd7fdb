//! What the exercise's own solutions cost on a case, and the limits that follow from it.

use kernels::launch::expression::Number;
use rayon::prelude::*;
use sim::Report;

use super::GradeError;
use crate::bounds::{BOUNDS, Bound, SLACK};
use crate::course::Exercise;
use crate::instance::{Code, Instance};
use crate::measure;
use crate::spec::{Loosened, Per};

/// What a bound is on one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) bound: &'static Bound,
    pub(crate) most: u64,
    /// How it comes about, for whoever breaks it.
    pub(crate) words: String,
}

/// The limits of a case, from a run of each of the own solutions.
///
/// # Errors
/// When one of them cannot be run, which is the course's fault.
pub(crate) fn limits(exercise: &Exercise, own: &[Code], case: &Instance) -> Result<Vec<Limit>, GradeError> {
    let options = sim::Options { budget: exercise.run.budget, checks: sim::Checks::NONE, ..sim::Options::default() };
    let reports: Result<Vec<Report>, GradeError> = own
        .par_iter()
        .map(|code| {
            let ran = case.count(code, &options);
            let wrong = |why: String| GradeError::Course(format!("{}, case `{}`: {why}", code.file, case.case.name));
            ran.map(|ran| ran.report).map_err(|why| wrong(why.to_string()))
        })
        .collect();
    of_reports(exercise, &reports?, case)
}

/// The limits that follow from these runs.
fn of_reports(exercise: &Exercise, reports: &[Report], case: &Instance) -> Result<Vec<Limit>, GradeError> {
    let sparse = case.is_sparse();
    let mut limits = Vec::with_capacity(BOUNDS.len());
    for bound in BOUNDS.iter().filter(|bound| bound.applies(sparse)) {
        let holds = |one: &&Loosened| one.cases.is_empty() || one.cases.contains(&case.case.name);
        let loosened = exercise.loosened.iter().filter(|one| one.bound == bound.name).find(holds);
        let own = reports.iter().map(|report| bound.permits(report, sparse)).max().unwrap_or(0);
        let allowance = bound.allowance.saturating_mul(factor(bound.per, case));
        let slack = |times: [u64; 2]| own.saturating_mul(times[0]) / times[1] + allowance;
        let wrong = |why: String| GradeError::Course(format!("{}, [[loosened]] {}: {why}", exercise.name, bound.name));
        let (most, words) = match loosened {
            None => (slack(SLACK), derived("1.5", own, allowance)),
            Some(Loosened { times: Some(times), .. }) => {
                (slack([*times, 1]), derived(&times.to_string(), own, allowance))
            }
            Some(Loosened { at_most: Some(text), .. }) => {
                let most = measure::of_report(&text.0, &case.names, &Report::default()).map_err(wrong)?;
                (most, text.0.clone())
            }
            // Not bounded, and the reason is in the exercise's file.
            Some(_) => continue,
        };
        limits.push(Limit { bound, most, words });
    }
    Ok(limits)
}

/// How a limit comes about.
fn derived(times: &str, own: u64, allowance: u64) -> String {
    let more = if allowance == 0 { String::new() } else { format!(", and {allowance} more") };
    format!("{times} times the {own} of the costliest of the course's own solutions{more}")
}

/// What an allowance is multiplied with.
fn factor(per: Per, case: &Instance) -> u64 {
    let number = |name: &str| case.names.get(name).map_or(1, |number: &Number| number.real().max(1.0) as u64);
    match per {
        Per::Case => 1,
        Per::Element => number("elements"),
        Per::Warp => number("warps"),
        Per::Block => number("blocks"),
        Per::Thread => number("threads"),
    }
}
