//! `figure merge-path left="1 3 5" right="2 4 6" [parts=4]`: the path that a merge takes through the grid of two sorted
//! runs, and where threads cut it.

use super::{caption, numbers, size};
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::Markup;
use crate::svg::Svg;

/// Side of a cell of the grid, and the margin for keys and labels.
const CELL: u32 = 36;
const MARGIN: u32 = 40;

pub(crate) fn merge_path(directive: &mut Directive) -> Result<Markup, Reason> {
    let left = run(directive, "left")?;
    let right = run(directive, "right")?;
    let parts = size(directive, "parts", 4, 1, 16)? as usize;
    let own = caption(directive);
    let total = left.len() + right.len();
    if parts > total {
        return Err(Reason::Wrong(format!("{total} keys cannot be cut into {parts} parts")));
    }
    let path = path(&left, &right);
    let cuts: Vec<(usize, usize)> = (0..=parts)
        .map(|part| (part * total).div_ceil(parts))
        .map(|place| {
            let from_left = from_left(&left, &right, place);
            (from_left, place - from_left)
        })
        .collect();
    // The search does not walk the path, and must meet it.
    if let Some(cut) = cuts.iter().find(|cut| !path.contains(cut)) {
        return Err(Reason::Contradicted(format!("the search finds {cut:?}, which is not on the path {path:?}")));
    }
    let svg = draw(&left, &right, &path, &cuts);
    let mut described = Vec::new();
    for (part, pair) in cuts.windows(2).enumerate() {
        let list = |keys: &[u64]| match keys {
            [] => "nothing".to_owned(),
            keys => keys.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
        };
        let (of_left, of_right) = (&left[pair[0].0..pair[1].0], &right[pair[0].1..pair[1].1]);
        described.push(format!(
            "part {}: {} of the left run and {} of the right",
            part + 1,
            list(of_left),
            list(of_right)
        ));
    }
    let most = cuts.windows(2).map(|pair| pair[1].0 + pair[1].1 - pair[0].0 - pair[0].1).max().unwrap_or(0);
    let text = format!(
        "{own}A step to the right takes a key of the left run, a step down one of the right. Rings are where the parts begin, \
         each found by a binary search on its diagonal; no part has more than {most} keys. By parts: {}.",
        described.join("; ")
    );
    Ok(svg.figure("The path of a merge, cut into equal parts", &(described.join(". ") + "."), text))
}

/// A sorted run of 1 to 12 keys.
fn run(directive: &mut Directive, key: &str) -> Result<Vec<u64>, Reason> {
    if !directive.has(key) {
        return Err(Reason::Wrong(format!("`merge-path` needs the option `{key}=\"…\"`, a sorted run of keys")));
    }
    let keys = numbers(directive, key, 0, 1000)?;
    if keys.len() > 12 {
        return Err(Reason::Wrong(format!("`{key}` has {} keys; at most 12 can be drawn", keys.len())));
    }
    if !keys.is_sorted() {
        return Err(Reason::Wrong(format!("`{key}` is not sorted, and only sorted runs can be merged")));
    }
    Ok(keys)
}

/// Every place of the path: how many keys of the left run and of the right one are taken, one step after the other.
fn path(left: &[u64], right: &[u64]) -> Vec<(usize, usize)> {
    let (mut a, mut b, mut path) = (0, 0, vec![(0, 0)]);
    while a < left.len() || b < right.len() {
        // Equal keys come from the left run first.
        if a < left.len() && (b == right.len() || left[a] <= right[b]) {
            a += 1;
        } else {
            b += 1;
        }
        path.push((a, b));
    }
    path
}

/// How many of the first `place` keys come from the left run: a binary search on the diagonal.
fn from_left(left: &[u64], right: &[u64], place: usize) -> usize {
    let (mut low, mut high) = (place.saturating_sub(right.len()), place.min(left.len()));
    while low < high {
        let middle = low + (high - low) / 2;
        if left[middle] <= right[place - 1 - middle] { low = middle + 1 } else { high = middle }
    }
    low
}

fn draw(left: &[u64], right: &[u64], path: &[(usize, usize)], cuts: &[(usize, usize)]) -> Svg {
    let (columns, rows) = (left.len() as u32, right.len() as u32);
    let mut svg = Svg::new((MARGIN + columns * CELL + MARGIN + 20).max(320));
    let at = |(a, b): (usize, usize)| (MARGIN + a as u32 * CELL, MARGIN + b as u32 * CELL);
    svg.text(MARGIN, 12, "wb-svg-small", "left run");
    svg.text(0, MARGIN - 16, "wb-svg-small", "right run");
    for (column, key) in left.iter().enumerate() {
        svg.text(MARGIN + column as u32 * CELL + CELL / 2, MARGIN - 8, "wb-svg-lane", &key.to_string());
    }
    for (row, key) in right.iter().enumerate() {
        svg.text(MARGIN - 14, MARGIN + row as u32 * CELL + CELL / 2 + 4, "wb-svg-lane", &key.to_string());
        for column in 0..columns {
            let (x, y) = at((column as usize, row));
            // Cells whose right key is smaller are on one side of the path, the others on the other.
            let class = if left[column as usize] <= *key { "wb-svg-cell" } else { "wb-svg-peer" };
            svg.rect(x, y, (CELL, CELL), class);
        }
    }
    for &(a, b) in cuts.iter().take(cuts.len().saturating_sub(1)).skip(1) {
        // The diagonal of all places with as many keys before them.
        let place = a + b;
        let (first, last) = (place.saturating_sub(right.len()), place.min(left.len()));
        svg.line(at((first, place - first)), at((last, place - last)), "wb-svg-copy");
    }
    for step in path.windows(2) {
        svg.line(at(step[0]), at(step[1]), "wb-svg-path");
    }
    for (part, &cut) in cuts.iter().enumerate().take(cuts.len().saturating_sub(1)) {
        let (x, y) = at(cut);
        svg.ring(x, y, 6, "wb-svg-ring");
        svg.text(x + 9, y + 14, "wb-svg-beside", &(part + 1).to_string());
    }
    svg.reach(MARGIN + rows * CELL + 8);
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_meets_the_path_at_every_place() {
        let runs: [(&[u64], &[u64]); 5] = [
            (&[1, 3, 5, 7], &[2, 4, 6, 8]),
            (&[1, 1, 1], &[1, 1]),
            (&[9], &[1, 2, 3]),
            (&[1, 2, 3], &[9]),
            (&[5, 5, 6, 6], &[5, 6, 6, 7, 8]),
        ];
        for (left, right) in runs {
            let path = path(left, right);
            assert_eq!(path.len(), left.len() + right.len() + 1);
            for (place, taken) in path.into_iter().enumerate() {
                let a = from_left(left, right, place);
                assert_eq!(taken, (a, place - a), "{left:?} {right:?} {place}");
            }
        }
    }
}
