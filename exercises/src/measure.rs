//! Expressions of counters and names: `2 * warps`, `smsp__sass_inst_executed_op_shared_ld.sum + 1`.

use std::collections::BTreeSet;

use ::data::expression::{self, Names, Number};
use sim::Report;
use sim::observe::{busiest, metrics};
use sim::report::{LineReport, Metrics};

/// The counters that an expression names, each once.
pub fn counters(text: &str) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    words(text).filter(|word| word.contains("__") && seen.insert(*word)).collect()
}

/// The words of an expression: what is neither blank nor an operator.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))).filter(|word| !word.is_empty())
}

/// Whether the simulator knows all counters that an expression names.
///
/// # Errors
/// A sentence that names the first that it does not know.
pub fn known(text: &str) -> Result<(), String> {
    let all = || metrics::EXACT.iter().chain(metrics::OWN).map(|metric| metric.name).chain(busiest::NAMES);
    let exists = |name: &str| all().any(|known| known == name);
    match counters(text).into_iter().find(|name| !exists(name)) {
        None => Ok(()),
        Some(name) => {
            let near = all().find(|known| known.starts_with(name));
            let help = near.map_or_else(String::new, |known| format!("; there is `{known}`"));
            Err(format!("there is no counter `{name}`{help}"))
        }
    }
}

/// The value of an expression, with counters looked up in `lookup`.
fn value(text: &str, names: &Names, lookup: impl Fn(&str) -> u64) -> Result<Number, String> {
    let mut names = names.clone();
    let mut plain = text.to_owned();
    let mut counters = counters(text);
    // Longer names first, so that no name is replaced inside another.
    counters.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for (index, counter) in counters.into_iter().enumerate() {
        let stand_in = format!("counter_{index}_");
        plain = plain.replace(counter, &stand_in);
        names.insert(stand_in, Number::from(lookup(counter)));
    }
    expression::evaluate(&plain, &names)
}

/// A whole number from 0 on: what the expression gives, rounded down.
fn whole(number: Number) -> u64 {
    number.real().max(0.0).floor() as u64
}

/// The value of an expression for a whole run.
///
/// # Errors
/// A sentence about the expression.
pub fn of_report(text: &str, names: &Names, report: &Report) -> Result<u64, String> {
    value(text, names, |name| of_metrics(name, &report.metrics, &report.estimates)).map(whole)
}

/// The value of an expression for one source line.
///
/// # Errors
/// A sentence about the expression.
pub fn of_line(text: &str, names: &Names, line: Option<&LineReport>) -> Result<u64, String> {
    value(text, names, |name| line.map_or(0, |line| of_metrics(name, &line.metrics, &line.estimates))).map(whole)
}

fn of_metrics(name: &str, exact: &Metrics, own: &Metrics) -> u64 {
    exact.get(name).or_else(|| own.get(name)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOADS: &str = "smsp__sass_inst_executed_op_shared_ld.sum";

    #[test]
    fn counters_stand_in_expressions_by_their_names() {
        let text = format!("2 * {LOADS} + n");
        assert_eq!(counters(&text), [LOADS]);
        let names = Names::from([("n".to_owned(), Number::from(3))]);
        let mut report = Report::default();
        report.metrics.insert(LOADS.to_owned(), 5);
        assert_eq!(of_report(&text, &names, &report), Ok(13));
        assert_eq!(of_report("n / 2", &names, &report), Ok(1), "limits are rounded down");
        assert!(of_report("m", &names, &report).unwrap_err().contains("no number is called `m`"));
    }

    #[test]
    fn misspelt_counters_are_named() {
        assert_eq!(known(LOADS), Ok(()));
        let why = known("smsp__sass_inst_executed_op_shared_ld").unwrap_err();
        assert!(why.contains("there is `smsp__sass_inst_executed_op_shared_ld.sum`"), "{why}");
        assert!(known("smsp__loads.sum").is_err());
    }
}
