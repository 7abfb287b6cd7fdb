//! `figure radix [keys="…"] [bits=2] [width=4]`: a radix sort pass by pass, drawn by running it.

use super::{caption, numbers, size};
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, text};
use crate::svg::{Svg, steps};

/// Side of a key's cell.
const CELL: u32 = 40;

pub(crate) fn radix(directive: &mut Directive) -> Result<Markup, Reason> {
    let bits = size(directive, "bits", 2, 1, 4)?;
    let width = size(directive, "width", 4, bits, 8)?;
    let mut keys = numbers(directive, "keys", 16, 1 << width)?;
    let own = caption(directive);
    if keys.len() > 16 {
        return Err(Reason::Wrong("at most 16 keys can be drawn".to_owned()));
    }
    let given = keys.clone();
    let mut frames = Vec::new();
    for pass in 0..width.div_ceil(bits) {
        let digit = |key: u64| (key >> (pass * bits) & ((1 << bits) - 1)) as usize;
        let mut counts = vec![0usize; 1 << bits];
        keys.iter().for_each(|key| counts[digit(*key)] += 1);
        let starts: Vec<usize> =
            counts.iter().scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect();
        let mut next = starts.clone();
        let mut sorted = vec![0; keys.len()];
        let mut places = Vec::new();
        for key in &keys {
            let place = &mut next[digit(*key)];
            sorted[*place] = *key;
            places.push(*place);
            *place += 1;
        }
        let mut svg = Svg::new((keys.len() as u32 * CELL).max(320));
        let class = |key: u64| ["wb-svg-on", "wb-svg-cell", "wb-svg-warn", "wb-svg-peer"][digit(key) % 4];
        for (at, key) in keys.iter().enumerate() {
            let x = at as u32 * CELL;
            svg.cell(x, 0, (CELL, 24), class(*key), &binary(*key, width));
            svg.text(x + CELL / 2, 38, "wb-svg-bank", &digit(*key).to_string());
            svg.line((x + CELL / 2, 44), (places[at] as u32 * CELL + CELL / 2, 100), "wb-svg-edge");
        }
        for (at, key) in sorted.iter().enumerate() {
            svg.cell(at as u32 * CELL, 100, (CELL, 24), class(*key), &binary(*key, width));
        }
        let list = |keys: &[u64]| keys.iter().map(|key| binary(*key, width)).collect::<Vec<_>>().join(" ");
        let title = format!("Pass {} of the radix sort", pass + 1);
        let drawing = svg.html(&title, &format!("Before: {}. After: {}.", list(&keys), list(&sorted)));
        let joined = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let before = if pass == 0 { own.clone() } else { String::new() };
        frames.push((
            drawing,
            text(format_args!(
                "{before}Keys go where their digit begins, bits {} to {}, and keep their order among equals. Digits 0 to {} \
                 occur {} times, and so begin at {}.",
                pass * bits,
                (pass + 1) * bits - 1,
                (1 << bits) - 1,
                joined(&counts),
                joined(&starts)
            )),
        ));
        keys = sorted;
    }
    let mut plain = given;
    plain.sort_unstable();
    if keys != plain {
        return Err(Reason::Contradicted(format!("the passes give {keys:?}, which is not sorted")));
    }
    Ok(steps("A radix sort, pass by pass", &frames))
}

fn binary(key: u64, width: u32) -> String {
    format!("{key:0width$b}", width = width as usize)
}
