//! How occupancy depends on each of the three inputs, as small curves with the launch marked.

use std::fmt::Write as _;

use markup::Append;
use markup::drawing::{Tenths, dot, label, line, text};
use maud::{Markup, html};

use super::tables::Tables;
use crate::number::whole;
use crate::parts::drawing;
use crate::shown::Shown;

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 170.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;

/// What a thread block of the launch uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) threads: u64,
    pub(super) registers: Option<u64>,
    pub(super) shared: u64,
}

/// The three curves.
pub(super) fn curves(shown: &Shown<'_>, tables: &Tables, point: Point) -> Markup {
    let (threads, registers) = (ends(tables.sizes.iter().map(|size| size.to)), last_registers(tables));
    let shared = ends(tables.shared.iter().map(|step| step.to));
    let curve = |id: &str, title: &str, unit: &str, last: u64, now: Option<u64>, of: &dyn Fn(u64) -> u32| {
        let (body, words) = draw(tables, last, now, of, unit);
        let words = format!("Occupancy by {title}, the other two as in this launch. {words}");
        html! {
            figure {
                figcaption { "by " (title) }
                (drawing(WIDTH, HEIGHT, &format!("Occupancy by {title}"), &words, &shown.id(id), &body))
            }
        }
    };
    html! {
        div class="curves" {
            (curve("by-threads", "threads of a block", "threads", threads, Some(point.threads), &|threads| {
                tables.look(threads, point.registers, point.shared).warps
            }))
            (curve("by-registers", "registers of a thread", "registers", registers, point.registers, &|registers| {
                tables.look(point.threads, Some(registers), point.shared).warps
            }))
            (curve("by-shared", "shared memory of a block", "bytes", shared, Some(point.shared), &|shared| {
                tables.look(point.threads, point.registers, shared).warps
            }))
        }
    }
}

fn ends(steps: impl Iterator<Item = u64>) -> u64 {
    steps.max().unwrap_or(1)
}

fn last_registers(tables: &Tables) -> u64 {
    ends(tables.sizes.iter().flat_map(|size| size.registers.iter().map(|step| step.to)))
}

/// The shapes of one curve, and what they show in words.
fn draw(tables: &Tables, last: u64, now: Option<u64>, warps: &dyn Fn(u64) -> u32, unit: &str) -> (Markup, String) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    #[allow(clippy::cast_precision_loss, reason = "a place in a figure")]
    let x = |input: u64| LEFT + input as f64 / last.max(1) as f64 * (right - LEFT);
    let part = |warps: u32| f64::from(warps) / f64::from(tables.warps.max(1));
    let y = |warps: u32| bottom - part(warps) * (bottom - TOP);
    let mut svg = Markup::default();
    for quarter in 0..=4u32 {
        let at = bottom - f64::from(quarter) / 4.0 * (bottom - TOP);
        svg.add(line("grid", (LEFT, Tenths(at)), (right, Tenths(at))));
        if quarter % 2 == 0 {
            svg.add(label("faint end", (LEFT - 5.0, Tenths(at + 4.0)), &format!("{} %", quarter * 25)));
        }
    }
    for quarter in [0, 2, 4] {
        let input = last * quarter / 4;
        let at = x(input);
        let anchor = if quarter == 4 { "end" } else { "middle" };
        let at = if quarter == 4 { at + RIGHT - 2.0 } else { at };
        svg.add(text(&format!("faint {anchor}"), at, bottom + 16.0, &whole(input)));
    }
    svg.add(text("faint middle", f64::midpoint(LEFT, right), bottom + 32.0, unit));
    // A step wherever the value changes.
    let mut points = format!("{:.1},{:.1}", x(1), y(warps(1)));
    let mut before = warps(1);
    for input in 2..=last {
        let here = warps(input);
        if here != before {
            let _ = write!(points, " {:.1},{:.1} {:.1},{:.1}", x(input - 1), y(before), x(input), y(here));
            before = here;
        }
    }
    let _ = write!(points, " {:.1},{:.1}", x(last), y(before));
    svg.add(html! { polyline class="curve" points=(points) {} "\n" });
    let words = match now {
        Some(now) => {
            let here = warps(now);
            let (cx, cy) = (x(now.min(last)), y(here));
            let words = format!(
                "This launch: {} {unit}, {here} of {} warps ({:.0} %).",
                whole(now),
                tables.warps,
                part(here) * 100.0
            );
            svg.add(line("now", (Tenths(cx), TOP), (Tenths(cx), bottom)));
            svg.add(dot((cx, cy), 4.5, &words));
            words
        }
        None => format!("How many {unit} this launch uses is not known."),
    };
    (svg, words)
}
