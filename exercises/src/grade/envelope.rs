//! What the exercise's own solutions cost on a case, and the limits that follow from it.

use ::data::expression::Number;
use rayon::prelude::*;
use sim::Report;

use super::GradeError;
use crate::bounds::{BOUNDS, Bound};
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

/// The limits of a case: one list for each own solution, the solution's first. They differ in the bounds whose limits are those
/// of the nearest own solution ([`Bound::nearest`]).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Limits(Vec<Vec<Limit>>);

impl Limits {
    /// The limits of the own solution that a run is nearest to: those that it breaks by the least, in percent and all together.
    pub(crate) fn nearest(&self, report: &Report) -> &[Limit] {
        let beyond = |limits: &&Vec<Limit>| {
            let percent = |limit: &Limit| {
                let actual = limit.bound.value(report);
                (actual > limit.most).then(|| actual.saturating_mul(100) / limit.most.max(1))
            };
            limits.iter().filter_map(percent).fold(0, u64::saturating_add)
        };
        self.0.iter().min_by_key(beyond).map_or(&[], Vec::as_slice)
    }
}

/// The limits of a case, from a run of each of the own solutions.
///
/// # Errors
/// When one of them cannot be run, which is the course's fault.
pub(crate) fn limits(exercise: &Exercise, own: &[&Code], case: &Instance) -> Result<Limits, GradeError> {
    let options = sim::Options {
        budget: exercise.run.budget,
        checks: sim::Checks::NONE,
        busiest: true,
        ..sim::Options::default()
    };
    let reports: Result<Vec<Report>, GradeError> = own
        .par_iter()
        .map(|code| {
            let ran = case.count(code, &options);
            let wrong = |why: String| GradeError::Course(format!("{}, case `{}`: {why}", code.file, case.case.name));
            ran.map(|ran| ran.report).map_err(|why| wrong(why.to_string()))
        })
        .collect();
    let reports = reports?;
    if reports.is_empty() {
        return Err(GradeError::Course(format!(
            "{}: there is no code of a solution, which limits come from",
            exercise.name
        )));
    }
    let all: Vec<&Report> = reports.iter().collect();
    // Several compilers' code of one source is one solution.
    let mut files: Vec<&str> = Vec::new();
    for code in own {
        if !files.contains(&code.file.as_str()) {
            files.push(&code.file);
        }
    }
    let of = |file: &str| -> Vec<&Report> {
        own.iter().zip(&reports).filter(|(code, _)| code.file == file).map(|(_, report)| report).collect()
    };
    let limits: Result<_, _> = files.iter().map(|file| of_reports(exercise, &all, &of(file), case)).collect();
    limits.map(Limits)
}

/// The limits that follow from the runs of all own solutions and from those of one of them.
fn of_reports(
    exercise: &Exercise,
    all: &[&Report],
    one: &[&Report],
    case: &Instance,
) -> Result<Vec<Limit>, GradeError> {
    let sparse = case.is_sparse();
    let (elements, threads) = case.elements_and_threads();
    let mut limits = Vec::with_capacity(BOUNDS.len());
    for bound in BOUNDS.iter().filter(|bound| bound.applies(sparse, elements < threads)) {
        let holds = |one: &&Loosened| one.cases.is_empty() || one.cases.contains(&case.case.name);
        let loosened = exercise.loosened.iter().filter(|one| one.bound == bound.name).find(holds);
        let (reports, whose) = if bound.nearest { (one, "nearest") } else { (all, "costliest") };
        let own = reports.iter().map(|report| bound.permits(report, sparse)).max().unwrap_or(0);
        // Who has no element may leave at once, or do nothing beside the others: that is a matter of style.
        let idle = (bound.is_ratio() && elements < threads).then_some((threads, elements.max(1)));
        let base = idle.map_or(own, |(threads, elements)| own.saturating_mul(threads) / elements);
        let allowance = bound.allowance.saturating_mul(factor(bound.per, case));
        let derived = |times: &str| derived(times, own, whose, allowance, idle);
        let slack = |times: u64, of: u64| base.saturating_mul(times) / of + allowance;
        let wrong = |why: String| GradeError::Course(format!("{}, [[loosened]] {}: {why}", exercise.name, bound.name));
        let (most, words) = match loosened {
            None => {
                let (times, of, words) = bound.slack;
                (slack(times, of), derived(words))
            }
            Some(Loosened { times: Some(times), .. }) => (slack(*times, 1), derived(&times.to_string())),
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

/// How a limit comes about: `own` is what the solution needs, and `whose` says which solution that is. `idle` are the threads
/// and the elements of an input that leaves threads without one.
fn derived(times: &str, own: u64, whose: &str, allowance: u64, idle: Option<(u64, u64)>) -> String {
    let more = if allowance == 0 { String::new() } else { format!(", and {allowance} more") };
    let idle = idle
        .map_or_else(String::new, |(threads, elements)| format!(", times {threads} threads for {elements} elements"));
    format!("{times} times the {own} of the {whose} of the course's own solutions{more}{idle}")
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

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(most: [u64; 2]) -> Vec<Limit> {
        let limit = |name, most| Limit { bound: Bound::find(name).unwrap(), most, words: String::new() };
        vec![limit("exchanges", most[0]), limit("shared-loads", most[1])]
    }

    fn report(exchanges: u64, loads: u64) -> Report {
        let of = |name: &str| Bound::find(name).unwrap().counters()[0].to_owned();
        Report { metrics: [(of("exchanges"), exchanges), (of("shared-loads"), loads)].into(), ..Report::default() }
    }

    #[test]
    fn a_run_is_held_against_one_solution() {
        let (by_shuffles, by_memory) = (limits([320, 1]), limits([0, 16]));
        let both = Limits(vec![by_shuffles.clone(), by_memory.clone()]);
        assert_eq!(both.nearest(&report(300, 1)), by_shuffles);
        assert_eq!(both.nearest(&report(0, 16)), by_memory);
        // The shuffles of one and the loads of the other: it breaks a limit of whichever it is held against.
        assert_eq!(both.nearest(&report(320, 16)), by_shuffles);
        assert_eq!(both.nearest(&report(330, 2)), by_shuffles, "two by little, and not one by much");
        assert!(Limits::default().nearest(&report(1, 1)).is_empty());
    }
}
