//! Speed of light: how near compute and memory come to what the GPU can do, and what limits the launch.

use maud::{Markup, html};
use sim::Prediction;
use sim::predict::{BUSY_PERCENT, Class};

use crate::number::{percent, us};
use crate::origin::{Origin, mark};
use crate::parts::{bar, column, table};
use crate::shown::Shown;

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    let Some(p) = &shown.report.prediction else {
        return html! { p { "No time was predicted for this launch." } };
    };
    html! {
        dl class="meters" {
            (meter("Compute", p.light.compute_percent, "issue slots, pipes and votes of the multiprocessors"))
            (meter("Memory", p.light.memory_percent, "L1 and shared memory, L2, or device memory"))
        }
        p { (verdict(p)) }
        (resources(p))
        (what_if(p))
        @for note in &p.notes { p class="note" { "Note: " (note) "." } }
    }
}

fn meter(name: &str, value: f64, of: &str) -> Markup {
    html! {
        div {
            dt { (name) " " span class="faint" { "busiest of " (of) } }
            dd { (bar(value, "fill")) " " strong { (percent(value)) } " " (mark(Origin::Predicted)) }
        }
    }
}

/// What the two percentages and the bound say.
fn verdict(p: &Prediction) -> Markup {
    let class = p.light.class();
    let meaning = match class {
        Class::Compute => "a part of the multiprocessors is the busiest",
        Class::Memory => "a part of the memories is the busiest",
        Class::Latency => {
            "no part is busy for most of the time, so warps wait for results, for each other or for the launch"
        }
    };
    html! {
        "Class: " strong { (class.name()) } " " (mark(Origin::Predicted)) ", " (meaning)
        ". As in Nsight Compute, a part is busy from " (BUSY_PERCENT) " % on. The predicted time is limited by "
        strong { (p.bound) } "."
    }
}

fn resources(p: &Prediction) -> Markup {
    let (mut working, idle): (Vec<_>, Vec<_>) = p.resources.iter().partition(|resource| resource.us > 0.0);
    working.sort_by(|a, b| b.us.total_cmp(&a.us));
    let idle: Vec<&str> = idle.iter().map(|resource| &*resource.name).collect();
    let head = html! { tr {
        th scope="col" { "resource" }
        (column("µs at work", Origin::Predicted))
        (column("of the time", Origin::Predicted))
        th scope="col" class="wide" { span class="hide" { "bar" } }
    } };
    let body = html! {
        @for resource in &working {
            @let part = resource.us / p.us.max(f64::MIN_POSITIVE) * 100.0;
            tr {
                th scope="row" { (resource.name) @if resource.name == p.bound { " " span class="tag" { "limits the launch" } } }
                td class="n" { (us(resource.us)) }
                td class="n" { (percent(part)) }
                td { (bar(part, "fill")) }
            }
        }
    };
    html! {
        (table("How long each resource works", head, body))
        @if !idle.is_empty() { p class="faint" { "Without work: " (idle.join(", ")) "." } }
    }
}

/// The same launch on a GPU of which something is faster.
fn what_if(p: &Prediction) -> Markup {
    if p.what_if.is_empty() {
        return html! {};
    }
    let head = html! { tr {
        th scope="col" { "if" }
        (column("µs", Origin::Predicted))
        (column("change", Origin::Predicted))
        th scope="col" { "limited by" }
    } };
    let body = html! {
        @for supposed in &p.what_if {
            tr {
                th scope="row" { (supposed.changes.join(" and ")) }
                td class="n" { (us(supposed.us)) }
                td class="n" { (change(p.us, supposed.us)) }
                td { (supposed.bound) }
            }
        }
    };
    table("On a GPU of which something is faster", head, body)
}

/// How much longer or shorter, in percent of the time before.
pub(crate) fn change(before: f64, after: f64) -> String {
    let percent = (after / before.max(f64::MIN_POSITIVE) - 1.0) * 100.0;
    let sign = if percent < 0.0 { "−" } else { "+" };
    format!("{sign}{:.0} %", percent.abs())
}
