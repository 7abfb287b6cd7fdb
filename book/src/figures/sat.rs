//! `figure sat [n=8] [data="…"]`: a summed-area table by rows and then by columns.

use super::{caption, numbers, size};
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, text};
use crate::svg::{Svg, steps};

/// Side of a cell.
const CELL: u32 = 34;

pub(crate) fn sat(directive: &mut Directive) -> Result<Markup, Reason> {
    let n = size(directive, "n", 6, 2, 8)? as usize;
    let data = numbers(directive, "data", n * n, 10)?;
    let own = caption(directive);
    if data.len() != n * n {
        return Err(Reason::Wrong(format!("{n} rows of {n} are {} numbers, and `data` has {}", n * n, data.len())));
    }
    let mut rows = data.clone();
    for y in 0..n {
        for x in 1..n {
            rows[y * n + x] += rows[y * n + x - 1];
        }
    }
    let mut table = rows.clone();
    for y in 1..n {
        for x in 0..n {
            table[y * n + x] += table[(y - 1) * n + x];
        }
    }
    for y in 0..n {
        for x in 0..n {
            let plain: u64 = (0..=y).flat_map(|v| (0..=x).map(move |u| (v, u))).map(|(v, u)| data[v * n + u]).sum();
            if table[y * n + x] != plain {
                return Err(Reason::Contradicted(format!("the table has {} at ({x}, {y})", table[y * n + x])));
            }
        }
    }
    // The sum over the lower right part, of four corners.
    let (x0, y0) = (n / 2 - 1, n / 2 - 1);
    let whole = |x: usize, y: usize| table[y * n + x];
    let sum = whole(n - 1, n - 1) + whole(x0, y0) - whole(x0, n - 1) - whole(n - 1, y0);
    let box_sum: u64 = (y0 + 1..n).flat_map(|v| (x0 + 1..n).map(move |u| (v, u))).map(|(v, u)| data[v * n + u]).sum();
    if sum != box_sum {
        return Err(Reason::Contradicted(format!("the four corners give {sum}, and the box holds {box_sum}")));
    }
    let corner = |x: usize, y: usize| (x == x0 || x == n - 1) && (y == y0 || y == n - 1);
    let frame = |values: &[u64], on: &dyn Fn(usize, usize) -> bool, title: &str| {
        let mut svg = Svg::new((n as u32 * CELL).max(240));
        for y in 0..n {
            for x in 0..n {
                let class = if on(x, y) { "wb-svg-on" } else { "wb-svg-cell" };
                svg.cell(x as u32 * CELL, y as u32 * CELL, (CELL, CELL), class, &values[y * n + x].to_string());
            }
        }
        let list: Vec<String> =
            values.chunks(n).map(|row| row.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")).collect();
        svg.html(title, &format!("Rows from top to bottom: {}.", list.join("; ")))
    };
    let frames = [
        (frame(&data, &|_, _| false, "The input"), text(own + "The input.")),
        (
            frame(&rows, &|x, _| x > 0, "After the rows"),
            text("Every row is scanned: each place holds the sum of its row up to it."),
        ),
        (
            frame(&table, &|_, y| y > 0, "After the columns"),
            text("Then every column: each place holds the sum of everything above and to the left of it."),
        ),
        (
            frame(&table, &corner, "Four corners"),
            text(format_args!(
                "The sum over any box takes four places. For the box of the last {} columns and rows: {} + {} − {} − {} = \
                 {sum}.",
                n - 1 - x0,
                whole(n - 1, n - 1),
                whole(x0, y0),
                whole(x0, n - 1),
                whole(n - 1, y0)
            )),
        ),
    ];
    Ok(steps("A summed-area table, step by step", &frames))
}
