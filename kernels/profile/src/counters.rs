//! Every counter of the report by name, with what it counts, and what a GPU measured.

use maud::{Markup, html};
use sim::observe::exact::{Counter, EXACT};

use crate::number::whole;
use crate::origin::{Origin, mark};
use crate::parts::{column, table};
use crate::shown::Shown;

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    if !shown.counted() {
        return html! { p { "Only a sample of the thread blocks ran, for the time: nothing was counted." } };
    }
    let value = |counter: &Counter| shown.report.metric(counter.metric);
    let compared = EXACT.iter().any(|counter| shown.measured(counter.metric).is_some());
    let (some, none): (Vec<&Counter>, Vec<&Counter>) = EXACT
        .iter()
        .filter(|counter| shown.report.metrics.contains_key(counter.metric))
        .partition(|counter| value(counter) > 0 || shown.measured(counter.metric).is_some_and(|measured| measured > 0));
    let head = html! { tr {
        th scope="col" { "counter" }
        (column("simulated", shown.counters))
        @if compared { (column("on the GPU", Origin::Measured)) th scope="col" { "equal" } }
        th scope="col" { "unit" }
        th scope="col" { "Nsight Compute's name" }
        th scope="col" { "meaning" }
    } };
    let body = html! {
        @for counter in some {
            tr {
                th scope="row" { (counter.label) }
                td class="n" { (whole(value(counter))) }
                @if compared { (measured(value(counter), shown.measured(counter.metric))) }
                td { (counter.unit.name()) }
                td { code { (counter.metric) } }
                td class="text" { (counter.meaning) }
            }
        }
    };
    html! {
        (table("Counters under Nsight Compute's names", head, body))
        @if !none.is_empty() {
            details {
                summary { (none.len()) " counters are 0 " (mark(shown.counters)) }
                p { @for (at, counter) in none.iter().enumerate() { @if at > 0 { ", " } code { (counter.metric) } } "." }
            }
        }
        (own(shown))
    }
}

/// What a GPU counted, and whether that is the same; two cells.
pub(crate) fn measured(simulated: u64, measured: Option<u64>) -> Markup {
    html! {
        td class="n" { @match measured { Some(value) => (whole(value)), None => "–" } }
        td {
            @match measured {
                Some(value) if value == simulated => span class="yes" { "= equal" },
                Some(_) => span class="no" { "≠ differs" },
                None => "",
            }
        }
    }
}

/// The simulator's own counts.
fn own(shown: &Shown<'_>) -> Markup {
    let head = html! { tr { th scope="col" { "count of the simulator" } (column("value", Origin::Estimated)) } };
    let body = html! {
        @for (name, value) in &shown.report.estimates {
            tr { th scope="row" { code { (name) } } td class="n" { (whole(*value)) } }
        }
    };
    html! {
        details {
            summary { "Counts that only the simulator has " (mark(Origin::Estimated)) }
            (table("Counts that only the simulator has", head, body))
        }
    }
}
