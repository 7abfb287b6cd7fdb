//! `figure bitonic [n=8] [data="…"]`: a bitonic sorting network round by round, drawn by running it.

use super::{caption, numbers, size};
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, text};
use crate::svg::{Svg, steps};

/// Side of a key's cell, and height of a comparison.
const CELL: u32 = 40;
const PAIR: u32 = 10;

/// A round: what it is called, and the pairs of places that it compares, the left one first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Round {
    name: String,
    pairs: Vec<(usize, usize)>,
}

/// The rounds of the network for `n` keys, a power of two.
fn rounds(n: usize) -> Vec<Round> {
    let mut rounds = Vec::new();
    let mut length = 2;
    while length <= n {
        let flip = |pair: usize| {
            let left = pair / (length / 2) * length + pair % (length / 2);
            (left, left ^ (length - 1))
        };
        let name = if length == 2 {
            "Neighbours are compared: runs of two".to_owned()
        } else {
            format!(
                "Two sorted runs make {length} keys: the first is compared with the last, the second with the last but one"
            )
        };
        rounds.push(Round { name, pairs: (0..n / 2).map(flip).collect() });
        let mut distance = length / 4;
        while distance > 0 {
            let step = |pair: usize| {
                let left = 2 * pair - pair % distance;
                (left, left + distance)
            };
            let plural = if distance == 1 { "" } else { "s" };
            let name = format!("Keys {distance} place{plural} apart are compared");
            rounds.push(Round { name, pairs: (0..n / 2).map(step).collect() });
            distance /= 2;
        }
        length *= 2;
    }
    rounds
}

pub(crate) fn bitonic(directive: &mut Directive) -> Result<Markup, Reason> {
    let n = size(directive, "n", 8, 4, 16)? as usize;
    if !n.is_power_of_two() {
        return Err(Reason::Wrong(format!("`n={n}` is no power of two; there are 4, 8 and 16")));
    }
    let mut keys = numbers(directive, "data", n, 100)?;
    let own = caption(directive);
    if keys.len() != n {
        return Err(Reason::Wrong(format!("`data` has {} keys, and the network sorts {n}", keys.len())));
    }
    let mut wanted = keys.clone();
    wanted.sort_unstable();
    let rounds = rounds(n);
    let total = rounds.len();
    let mut frames = Vec::new();
    for (at, round) in rounds.into_iter().enumerate() {
        let before = keys.clone();
        let mut swapped = Vec::new();
        for &(left, right) in &round.pairs {
            if keys[left] > keys[right] {
                keys.swap(left, right);
                swapped.push((left, right));
            }
        }
        let list = |keys: &[u64]| keys.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
        let title = format!("Round {} of {total} of the network", at + 1);
        let description = format!("Before: {}. After: {}.", list(&before), list(&keys));
        let begin = if at == 0 { own.as_str() } else { "" };
        let many = if swapped.len() == 1 { "pair changes".to_owned() } else { "pairs change".to_owned() };
        let says = format!("{begin}{}. {} of {} {many} places.", round.name, swapped.len(), round.pairs.len());
        frames.push((draw(&before, &keys, &round, &swapped).html(&title, &description), text(says)));
    }
    if keys != wanted {
        return Err(Reason::Contradicted(format!("the network leaves {keys:?}, which is not sorted")));
    }
    Ok(steps("A bitonic sorting network, round by round", &frames))
}

/// One round: the keys before it, a bracket per comparison, the keys after it. Pairs that change places are marked.
fn draw(before: &[u64], after: &[u64], round: &Round, swapped: &[(usize, usize)]) -> Svg {
    let mut svg = Svg::new((before.len() as u32 * CELL).max(320));
    let moved = |place: usize| swapped.iter().any(|&(left, right)| left == place || right == place);
    let class = |place: usize| if moved(place) { "wb-svg-warn" } else { "wb-svg-cell" };
    let middle = |place: usize| place as u32 * CELL + CELL / 2;
    // Brackets that overlap lie below each other: the inner ones higher.
    let reach = |&(left, right): &(usize, usize)| right - left;
    let deep = |pair: &(usize, usize)| {
        let covers = |other: &&(usize, usize)| {
            **other != *pair && other.0 < pair.1 && pair.0 < other.1 && (reach(other), other.0) < (reach(pair), pair.0)
        };
        round.pairs.iter().filter(covers).count() as u32
    };
    let deepest = round.pairs.iter().map(deep).max().unwrap_or(0);
    let bottom = 24 + PAIR * (deepest + 2);
    for (place, key) in before.iter().enumerate() {
        svg.cell(place as u32 * CELL, 0, (CELL, 24), class(place), &key.to_string());
    }
    for pair in &round.pairs {
        let y = 24 + PAIR * (deep(pair) + 1);
        let class = if swapped.contains(pair) { "wb-svg-copy" } else { "wb-svg-edge" };
        svg.line((middle(pair.0), 24), (middle(pair.0), y), class);
        svg.line((middle(pair.1), 24), (middle(pair.1), y), class);
        svg.line((middle(pair.0), y), (middle(pair.1), y), class);
    }
    for (place, key) in after.iter().enumerate() {
        svg.cell(place as u32 * CELL, bottom, (CELL, 24), class(place), &key.to_string());
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_has_its_rounds_and_sorts_everything_of_zeros_and_ones() {
        for n in [4usize, 8, 16] {
            let rounds = rounds(n);
            let levels = n.ilog2() as usize;
            assert_eq!(rounds.len(), levels * (levels + 1) / 2);
            for round in &rounds {
                let mut places: Vec<usize> = round.pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
                places.sort_unstable();
                assert_eq!(places, (0..n).collect::<Vec<_>>(), "every place once");
            }
            // What sorts all zeros and ones sorts everything.
            for bits in 0..1u32 << n {
                let mut keys: Vec<u32> = (0..n).map(|place| bits >> place & 1).collect();
                for &(left, right) in rounds.iter().flat_map(|round| &round.pairs) {
                    assert!(left < right);
                    if keys[left] > keys[right] {
                        keys.swap(left, right);
                    }
                }
                assert!(keys.is_sorted(), "{bits:b}");
            }
        }
    }
}
