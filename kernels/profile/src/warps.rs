//! Warp states: what warps do, or wait for, at every clock.

use maud::{Markup, html};
use sim::report::prediction::Share;
use sim::report::stall::Stall;

use crate::number::percent;
use crate::origin::Origin;
use crate::parts::{bar, column, table};
use crate::shown::Shown;

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    let Some(p) = &shown.report.prediction else {
        return html! { p { "No time was predicted for this launch." } };
    };
    html! {
        @if p.stalls.is_empty() {
            p class="note" {
                "The stall reasons of Nsight Compute belong to machine instructions: they are told where the machine code is "
                "executed (" code { "--machine-code" } "). Here the PTX was, and its warps are told in the words of the model."
            }
        } @else {
            (states("Warp states under Nsight Compute's names, in percent of the clocks of a warp", &p.stalls))
        }
        @if !p.warps.is_empty() {
            (states("What a warp spends its time on, on average", &p.warps))
        }
    }
}

/// What a state means, if it is one of Nsight Compute's.
fn meaning(name: &str) -> &'static str {
    Stall::ALL.iter().find(|stall| stall.name() == name).map_or("", |stall| stall.meaning())
}

fn states(caption: &str, shares: &[Share]) -> Markup {
    let mut sorted: Vec<&Share> = shares.iter().filter(|share| share.percent > 0.0).collect();
    sorted.sort_by(|a, b| b.percent.total_cmp(&a.percent));
    let meanings = sorted.iter().any(|share| !meaning(&share.name).is_empty());
    let head = html! { tr {
        th scope="col" { "state" }
        (column("of the time", Origin::Predicted))
        th scope="col" class="wide" { span class="hide" { "bar" } }
        @if meanings { th scope="col" { "meaning" } }
    } };
    let body = html! {
        @for share in sorted {
            @let class = if share.name == Stall::Selected.name() || share.name == "issues" { "fill good" } else { "fill" };
            tr {
                th scope="row" { (share.name) }
                td class="n" { (percent(share.percent)) }
                td { (bar(share.percent, class)) }
                @if meanings { td { (meaning(&share.name)) } }
            }
        }
    };
    table(caption, head, body)
}
