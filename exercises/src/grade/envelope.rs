//! What the exercise's own solutions cost on a case, and the limits that follow from it.

use std::fmt::Write as _;

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
    /// What the own solutions spend that a kernel may give up for more of this ([`Bound::instead_of`]), slack included.
    instead: u64,
    slack: (u64, u64),
}

impl Limit {
    /// The limit for one run: what the run gives up of what the own solutions spend, it may spend here.
    fn of(&self, report: &Report) -> Self {
        let spent = times(self.bound.spent_instead(report), self.slack);
        let more = if spent > self.instead / 2 { 0 } else { self.instead - spent };
        let mut limit = self.clone();
        if more > 0 {
            limit.most = limit.most.saturating_add(more);
            let _ = write!(limit.words, ", and {more} more for the shared memory that is done without");
        }
        limit
    }
}

/// The limits of a case. Most are the same whichever own solution a kernel is like. Some are those of the nearest one
/// ([`Bound::nearest`]): of these there is one list for each own solution, the solution's first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Limits {
    costliest: Vec<Limit>,
    nearest: Vec<Vec<Limit>>,
}

impl Limits {
    /// The limits for a run, in the order of [`BOUNDS`]. It is held against the own solution that it is nearest to: the one whose
    /// limits it breaks by the least, in percent and all together.
    pub(crate) fn nearest(&self, report: &Report) -> Vec<Limit> {
        let of = |limits: &Vec<Limit>| -> Vec<Limit> { limits.iter().map(|limit| limit.of(report)).collect() };
        let beyond = |limits: &Vec<Limit>| {
            let percent = |limit: &Limit| {
                let actual = limit.bound.value(report);
                (actual > limit.most).then(|| actual.saturating_mul(100) / limit.most.max(1))
            };
            limits.iter().filter_map(percent).fold(0, u64::saturating_add)
        };
        let mut limits = self.nearest.iter().map(of).min_by_key(beyond).unwrap_or_default();
        limits.extend(of(&self.costliest));
        limits.sort_by_key(|limit| BOUNDS.iter().position(|bound| bound.name == limit.bound.name));
        limits
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
    let costliest = of_reports(exercise, &all, case, false)?;
    let nearest: Result<_, _> = files.iter().map(|file| of_reports(exercise, &of(file), case, true)).collect();
    Ok(Limits { costliest, nearest: nearest? })
}

/// The limits that follow from the runs of all own solutions, or from those of one of them (`nearest`).
fn of_reports(
    exercise: &Exercise,
    reports: &[&Report],
    case: &Instance,
    nearest: bool,
) -> Result<Vec<Limit>, GradeError> {
    let sparse = case.is_sparse();
    let (elements, threads) = case.elements_and_threads();
    let whose = if nearest { "nearest" } else { "costliest" };
    let bounds = BOUNDS.iter().filter(|bound| bound.nearest == nearest && bound.applies(sparse, elements < threads));
    let mut limits = Vec::with_capacity(BOUNDS.len());
    for bound in bounds {
        let holds = |one: &&Loosened| one.cases.is_empty() || one.cases.contains(&case.case.name);
        let loosened = exercise.loosened.iter().filter(|one| one.bound == bound.name).find(holds);
        let own = reports.iter().map(|report| bound.permits(report, sparse)).max().unwrap_or(0);
        let instead = reports.iter().map(|report| bound.spent_instead(report)).max().unwrap_or(0);
        // Who has no element may leave at once, or do nothing beside the others: that is a matter of style.
        let idle = (bound.is_ratio() && elements < threads).then_some((threads, elements.max(1)));
        let base = idle.map_or(own, |(threads, elements)| own.saturating_mul(threads) / elements);
        let allowance = bound.allowance.saturating_mul(factor(bound.per, case));
        let wrong = |why: String| GradeError::Course(format!("{}, [[loosened]] {}: {why}", exercise.name, bound.name));
        let of_own = |slack: (u64, u64), written: &str| Limit {
            bound,
            most: times(base, slack) + allowance,
            words: derived(written, own, whose, allowance, idle),
            instead: times(instead, slack),
            slack,
        };
        limits.push(match loosened {
            None => of_own((bound.slack.0, bound.slack.1), bound.slack.2),
            Some(Loosened { times: Some(times), .. }) => of_own((*times, 1), &times.to_string()),
            Some(Loosened { at_most: Some(text), .. }) => {
                let most = measure::of_report(&text.0, &case.names, &Report::default()).map_err(wrong)?;
                Limit { bound, most, words: text.0.clone(), instead: 0, slack: (1, 1) }
            }
            // Not bounded, and the reason is in the exercise's file.
            Some(_) => continue,
        });
    }
    Ok(limits)
}

/// A number times a slack.
const fn times(number: u64, (times, of): (u64, u64)) -> u64 {
    number.saturating_mul(times) / of
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

    fn limits(most: [u64; 2], instead: u64) -> Vec<Limit> {
        let limit = |name, most, instead| {
            let bound = Bound::find(name).unwrap();
            Limit { bound, most, words: String::new(), instead, slack: (1, 1) }
        };
        // In the order of the bounds.
        vec![limit("shared-loads", most[1], 0), limit("exchanges", most[0], instead)]
    }

    fn report(exchanges: u64, loads: u64) -> Report {
        let of = |name: &str| Bound::find(name).unwrap().counters()[0].to_owned();
        let counts = [
            (of("exchanges"), exchanges),
            (of("shared-loads"), loads),
            ("smsp__sass_inst_executed_op_shared.sum".to_owned(), loads),
        ];
        Report { metrics: counts.into(), ..Report::default() }
    }

    #[test]
    fn a_run_is_held_against_one_solution() {
        let (by_shuffles, by_memory) = (limits([320, 1], 0), limits([0, 16], 0));
        let both = Limits { costliest: Vec::new(), nearest: vec![by_shuffles.clone(), by_memory.clone()] };
        assert_eq!(both.nearest(&report(300, 1)), by_shuffles);
        assert_eq!(both.nearest(&report(0, 16)), by_memory);
        // The shuffles of one and the loads of the other: it breaks a limit of whichever it is held against.
        assert_eq!(both.nearest(&report(320, 16)), by_shuffles);
        assert_eq!(both.nearest(&report(330, 2)), by_shuffles, "two by little, and not one by much");
        assert!(Limits::default().nearest(&report(1, 1)).is_empty());
    }

    #[test]
    fn exchanges_stand_for_shared_memory_that_is_done_without() {
        let by_memory = Limits { costliest: limits([8, 16], 16 * 16), nearest: Vec::new() };
        let most = |loads: u64| by_memory.nearest(&report(0, loads))[1].most;
        assert_eq!((most(16), most(20), most(9), most(8), most(0)), (8, 8, 8, 8 + 128, 8 + 256));
        assert!(
            by_memory.nearest(&report(0, 8))[1].words.ends_with("128 more for the shared memory that is done without")
        );
    }
}
