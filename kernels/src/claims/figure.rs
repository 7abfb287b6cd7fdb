//! Figures: expressions over `run.quantity`, `times.name` and `target.number`.

use std::collections::BTreeMap;

use sim::target::Target;

use super::file::{Claim, Run};
use super::lab::{self, Lab, Measured};
use super::{Figure, Origin, command, quantity, show};
use crate::launch::expression::{self, Number};

/// A name with a dot in an expression.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    /// What stands before the dot: a run, `times` or `target`.
    of: String,
    /// What stands behind it.
    name: String,
}

impl Part {
    fn dotted(&self) -> String {
        format!("{}.{}", self.of, self.name)
    }

    /// Its name without a dot, as expressions can have it.
    fn plain(&self) -> String {
        format!("{}__{}", self.of, self.name)
    }
}

/// Finds the names with dots, and puts names without in their place.
fn parts(text: &str) -> (String, Vec<Part>) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut plain, mut parts) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end.max(c.len_utf8()));
        let name = behind.strip_prefix('.').filter(|_| c.is_ascii_alphabetic());
        match name {
            Some(name) => {
                let end = name.find(|c| !is_word(c)).unwrap_or(name.len());
                let part = Part { of: word.to_owned(), name: name[..end].to_owned() };
                plain += &part.plain();
                parts.push(part);
                rest = &name[end..];
            }
            None => {
                plain += word;
                // The digits behind a decimal point belong to its number.
                rest = behind;
            }
        }
    }
    parts.sort();
    parts.dedup();
    (plain, parts)
}

/// Where the parts of a figure come from.
struct Found {
    names: BTreeMap<String, Number>,
    parts: Vec<(String, String)>,
    commands: Vec<String>,
    /// The same names with what a GPU counted, if all parts were recorded.
    measured: Option<BTreeMap<String, Number>>,
    origin: Origin,
}

/// The claim's own numbers, and the value of an expression of them.
pub(super) fn names(claim: &Claim) -> Result<BTreeMap<String, Number>, String> {
    expression::resolve(&claim.names)
}

/// Computes an expression of a claim on a target.
///
/// The second number is what a GPU counted, where every part of the expression was recorded.
///
/// # Errors
/// A sentence about the row.
pub(super) fn compute(
    text: &str,
    claim: &Claim,
    target: &'static Target,
    lab: &mut Lab,
) -> Result<(Number, Option<Number>, Figure), String> {
    let (plain, parts) = parts(text);
    let found = find(&parts, claim, target, lab)?;
    let value = expression::evaluate(&plain, &found.names).map_err(|why| format!("`{text}`: {why}"))?;
    let measured = match &found.measured {
        Some(names) => Some(expression::evaluate(&plain, names).map_err(|why| format!("`{text}`: {why}"))?),
        None => None,
    };
    let figure = Figure {
        target: target.name.clone(),
        value: value.real(),
        text: show(value.real()),
        origin: found.origin,
        parts: found.parts,
        commands: found.commands,
        fits: false,
    };
    Ok((value, measured, figure))
}

fn find(parts: &[Part], claim: &Claim, target: &'static Target, lab: &mut Lab) -> Result<Found, String> {
    let own = names(claim)?;
    let mut found = Found {
        names: own.clone(),
        parts: Vec::new(),
        commands: Vec::new(),
        measured: Some(own),
        origin: Origin::ClosedForm,
    };
    let mut runs = Vec::new();
    for part in parts {
        let (value, measured, command) = match &*part.of {
            "target" => {
                found.origin = found.origin.and(Origin::Target);
                let value = number_of(target, &part.name)?;
                (value, Some(value), command::targets(&target.name))
            }
            "times" => {
                let time = claim.times.get(&part.name).ok_or_else(|| format!("there is no time `{}`", part.name))?;
                let (median, current) = lab::time(time)?;
                found.origin = found.origin.and(if current { Origin::Recorded } else { Origin::Outdated });
                (median, None, command::bench(time))
            }
            of => {
                found.origin = found.origin.and(Origin::Simulated);
                let run = claim.runs.get(of).ok_or_else(|| format!("there is no run `{of}`"))?;
                let details = parts.iter().any(|part| part.of == of && quantity::needs_details(&part.name));
                let (value, measured, command) = simulated(part, run, claim, target, details, lab)?;
                if measured.is_some() {
                    runs.extend(&run.record);
                }
                (value, measured, command)
            }
        };
        if !found.commands.contains(&command) {
            found.commands.push(command);
        }
        found.parts.push((part.dotted(), show(Number::from(value).real())));
        found.names.insert(part.plain(), value.into());
        found.measured = found.measured.zip(measured).map(|(mut names, measured)| {
            names.insert(part.plain(), measured.into());
            names
        });
    }
    runs.dedup();
    if runs.is_empty() {
        found.measured = None;
    } else if found.measured.is_some() {
        found.commands.extend(runs.into_iter().map(|case| command::compare(case)));
    }
    if found.commands.is_empty() {
        found.commands.push(command::line(&["claims".to_owned(), claim.id.clone()]));
    }
    Ok(found)
}

/// A quantity of a run: simulated, and, on the H200, measured.
fn simulated(
    part: &Part,
    run: &Run,
    claim: &Claim,
    target: &'static Target,
    details: bool,
    lab: &mut Lab,
) -> Result<(u64, Option<u64>, String), String> {
    let about = |why: String| format!("run `{}` on {}: {why}", part.of, target.name);
    let (ran, command) = lab.run(run, &claim.names, target, details).map_err(about)?;
    let value = quantity::of(&part.name, &ran, run.only.as_deref(), target).map_err(about)?;
    let measured = match (&run.record, quantity::metrics(&part.name)) {
        (Some(case), Some(metrics)) if target.name == super::NOW => {
            let Measured { launches } = lab::record(case, &ran).map_err(about)?;
            let counted = launches.iter().filter(|launch| run.only.as_ref().is_none_or(|only| launch.kernel == *only));
            Some(counted.map(|launch| metrics.iter().map(|metric| launch.metrics[*metric]).sum::<u64>()).sum())
        }
        _ => None,
    };
    Ok((value, measured, command))
}

/// A number of a target's file.
fn number_of(target: &Target, name: &str) -> Result<u64, String> {
    let fact = target.facts.iter().find(|fact| fact.name == name);
    let fact = fact.ok_or_else(|| format!("{} has no number `{name}`", target.name))?;
    fact.value
        .replace(['_', ','], "")
        .parse()
        .map_err(|_| format!("{}: {name} is {}, no number", target.name, fact.value))
}

impl Origin {
    /// The origin of something made of two parts: the one that says most about how it was found.
    const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Outdated, _) | (_, Self::Outdated) => Self::Outdated,
            (Self::Recorded, _) | (_, Self::Recorded) => Self::Recorded,
            (Self::Simulated, _) | (_, Self::Simulated) => Self::Simulated,
            (Self::Target, _) | (_, Self::Target) => Self::Target,
            _ => self,
        }
    }
}

/// Fills the braces of a text: `{expression}` on the H200, `{then: expression}` on the GPU of the claim's time.
///
/// # Errors
/// A sentence about the row.
pub(super) fn fill(text: &str, claim: &Claim, then: &'static Target, lab: &mut Lab) -> Result<String, String> {
    let now = sim::target::find(super::NOW).ok_or("there is no target for today")?;
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('{') {
        let (inside, after) = behind.split_once('}').ok_or("a brace of `why` is not closed")?;
        let (expression, target) = match inside.strip_prefix("then:") {
            Some(expression) => (expression, then),
            None => (inside, now),
        };
        let (_, _, figure) = compute(expression.trim(), claim, target, lab)?;
        filled += before;
        filled += &figure.text;
        rest = after;
    }
    Ok(filled + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_dots_are_found_and_decimal_points_are_none() {
        let (plain, parts) = parts("(a.wavefronts - 1.5*b2.degree) / (32/target.request_lanes) + n");
        assert_eq!(plain, "(a__wavefronts - 1.5*b2__degree) / (32/target__request_lanes) + n");
        let dotted: Vec<String> = parts.iter().map(Part::dotted).collect();
        assert_eq!(dotted, ["a.wavefronts", "b2.degree", "target.request_lanes"]);
    }

    #[test]
    fn numbers_of_targets_are_read() {
        let target = sim::target::find("g80").unwrap();
        assert_eq!(number_of(target, "threads_per_block"), Ok(512));
        assert!(number_of(target, "bank_rule").unwrap_err().contains("no number"));
        assert!(number_of(target, "cores").unwrap_err().contains("has no number `cores`"));
    }
}
