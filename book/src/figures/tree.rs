//! `figure tree algorithm=A [n=16] [data="…"]`: a scan or reduction round by round, drawn by running it.

use crate::directive::Directive;
use crate::fault::Reason;
use crate::figures::{caption, numbers, size};
use crate::html::Markup;
use crate::svg::Svg;

/// What a place gets in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Place `to` becomes the sum of itself and place `from`.
    Add { from: usize, to: usize },
    /// Both places at once: `from` takes the value of `to`, and `to` the sum of both.
    Swap { from: usize, to: usize },
    /// Place `to` becomes zero.
    Clear { to: usize },
}

/// The rounds of an algorithm over `n` places, a power of two, and whether the result is exclusive.
fn rounds(algorithm: &str, n: usize) -> Result<(Vec<Vec<Step>>, Kind), Reason> {
    let levels = n.ilog2();
    let up = |level: u32| {
        let d = 1usize << level;
        (0..n / (2 * d))
            .map(move |t| Step::Add { from: d * (2 * t + 1) - 1, to: d * (2 * t + 2) - 1 })
            .collect::<Vec<_>>()
    };
    Ok(match algorithm {
        "reduction" => ((0..levels).map(up).collect(), Kind::Sum { at: n - 1 }),
        // Halves are added to halves: the active places stay together.
        "sequential-reduction" => {
            let halves = (0..levels).rev().map(|level| 1usize << level);
            (halves.map(|d| (0..d).map(|t| Step::Add { from: t + d, to: t }).collect()).collect(), Kind::Sum { at: 0 })
        }
        "hillis-steele" => {
            let round = |level: u32| (1usize << level..n).map(|to| Step::Add { from: to - (1 << level), to }).collect();
            ((0..levels).map(round).collect(), Kind::Inclusive)
        }
        "sklansky" => {
            let round = |level: u32| {
                let d = 1usize << level;
                (0..n).filter(|to| to & d != 0).map(|to| Step::Add { from: (to / d) * d - 1, to }).collect()
            };
            ((0..levels).map(round).collect(), Kind::Inclusive)
        }
        "brent-kung" => {
            let down = |level: u32| {
                let d = 1usize << level;
                (1..n / (2 * d)).map(|t| Step::Add { from: 2 * d * t - 1, to: 2 * d * t + d - 1 }).collect()
            };
            ((0..levels).map(up).chain((0..levels - 1).rev().map(down)).collect(), Kind::Inclusive)
        }
        "blelloch" => {
            let down = |level: u32| {
                let swap = |step| match step {
                    Step::Add { from, to } => Step::Swap { from, to },
                    other => other,
                };
                up(level).into_iter().map(swap).collect()
            };
            let clear = std::iter::once(vec![Step::Clear { to: n - 1 }]);
            ((0..levels).map(up).chain(clear).chain((0..levels).rev().map(down)).collect(), Kind::Exclusive)
        }
        other => {
            return Err(Reason::Wrong(format!(
                "there is no algorithm `{other}`; there are reduction, sequential-reduction, hillis-steele, sklansky, \
                 brent-kung, blelloch"
            )));
        }
    })
}

/// What must come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sum { at: usize },
    Inclusive,
    Exclusive,
}

impl Kind {
    fn holds(self, data: &[u64], result: &[u64]) -> bool {
        let sum = |end: usize| data[..end].iter().sum::<u64>();
        match self {
            Self::Sum { at } => result[at] == sum(data.len()),
            Self::Inclusive => (0..data.len()).all(|at| result[at] == sum(at + 1)),
            Self::Exclusive => (0..data.len()).all(|at| result[at] == sum(at)),
        }
    }
}

/// One round: all places are read before any is written.
fn execute(round: &[Step], values: &[u64]) -> Vec<u64> {
    let mut next = values.to_vec();
    for step in round {
        match *step {
            Step::Add { from, to } => next[to] = values[to] + values[from],
            Step::Swap { from, to } => (next[from], next[to]) = (values[to], values[to] + values[from]),
            Step::Clear { to } => next[to] = 0,
        }
    }
    next
}

pub(crate) fn tree(directive: &mut Directive) -> Result<Markup, Reason> {
    let algorithm = directive.option("algorithm")?;
    let n = size(directive, "n", 16, 4, 16)? as usize;
    let data = numbers(directive, "data", n, 10)?;
    let own = caption(directive);
    if !data.len().is_power_of_two() || !(4..=16).contains(&data.len()) {
        return Err(Reason::Wrong("a tree has 4, 8 or 16 places".to_owned()));
    }
    let (rounds, kind) = rounds(&algorithm, data.len())?;
    let (side, gap) = (38, 34);
    let left = 8;
    let mut svg = Svg::new(left + side * data.len() as u32 + 8);
    let mut values = data.clone();
    let (mut y, mut described, mut additions) = (0, vec![format!("Start: {}", list(&data))], 0);
    let centre = |place: usize| left + place as u32 * side + side / 2;
    for (place, value) in data.iter().enumerate() {
        svg.cell(left + place as u32 * side, y, (side, 24), "wb-svg-cell", &value.to_string());
    }
    for (number, round) in (1..).zip(&rounds) {
        let next = execute(round, &values);
        let below = y + 24 + gap;
        for step in round {
            match *step {
                Step::Add { from, to } => {
                    svg.line((centre(from), y + 24), (centre(to), below), "wb-svg-edge");
                    svg.line((centre(to), y + 24), (centre(to), below), "wb-svg-edge");
                    additions += 1;
                }
                Step::Swap { from, to } => {
                    svg.line((centre(from), y + 24), (centre(to), below), "wb-svg-edge");
                    svg.line((centre(to), y + 24), (centre(to), below), "wb-svg-edge");
                    svg.line((centre(to), y + 24), (centre(from), below), "wb-svg-copy");
                    additions += 1;
                }
                Step::Clear { .. } => {}
            }
        }
        let written = |place: usize| {
            round.iter().any(|step| match *step {
                Step::Add { to, .. } | Step::Clear { to } => to == place,
                Step::Swap { from, to } => from == place || to == place,
            })
        };
        for (place, value) in next.iter().enumerate() {
            let class = if written(place) { "wb-svg-on" } else { "wb-svg-idle" };
            svg.cell(left + place as u32 * side, below, (side, 24), class, &value.to_string());
        }
        described.push(format!("Round {number}: {}", list(&next)));
        (values, y) = (next, below);
    }
    if !kind.holds(&data, &values) {
        return Err(Reason::Contradicted(format!("{algorithm} of {data:?} gives {values:?}, which is not right")));
    }
    let title = format!("{algorithm} of {} numbers, round by round", data.len());
    let caption = format!(
        "{own}Rounds from top to bottom: {} rounds and {additions} additions. A filled cell is written in its round from the \
         cells that lines lead to it from{}.",
        rounds.len(),
        if algorithm == "blelloch" { "; a dashed line copies" } else { "" }
    );
    Ok(svg.figure(&title, &(described.join(". ") + "."), caption))
}

fn list(values: &[u64]) -> String {
    values.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_computes_what_it_should() {
        for (algorithm, count) in [
            ("reduction", 4),
            ("sequential-reduction", 4),
            ("hillis-steele", 4),
            ("sklansky", 4),
            ("brent-kung", 7),
            ("blelloch", 9),
        ] {
            let data: Vec<u64> = (1..=16).collect();
            let (rounds, kind) = rounds(algorithm, 16).unwrap();
            assert_eq!(rounds.len(), count, "{algorithm}");
            let result = rounds.iter().fold(data.clone(), |values, round| execute(round, &values));
            assert!(kind.holds(&data, &result), "{algorithm}: {result:?}");
        }
        assert!(rounds("bubble", 16).is_err());
    }
}
