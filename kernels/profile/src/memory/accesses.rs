//! The accesses that cost most beyond the ideal, one by one, where the details of accesses were collected.

use maud::{Markup, html};
use sim::report::details::{AccessDetails, LineDetails};

use crate::number::whole;
use crate::origin::Origin;
use crate::parts::{column, table};
use crate::shown::Shown;

/// Most accesses that are shown.
const SHOWN: usize = 16;

/// The table of the worst accesses; nothing where each is as good as it can be.
pub(super) fn worst(shown: &Shown<'_>) -> Markup {
    let Some(details) = &shown.report.details else { return html! {} };
    let mut all: Vec<(&LineDetails, &AccessDetails)> =
        details.lines.iter().flat_map(|line| line.accesses.iter().map(move |access| (line, access))).collect();
    if all.is_empty() {
        return html! {};
    }
    let total = all.len();
    all.retain(|(_, access)| access.cost > access.ideal);
    if all.is_empty() {
        return html! { p { "Each of the " (total) " accesses in the code costs no more than the ideal." } };
    }
    all.sort_by_key(|(_, access)| std::cmp::Reverse(access.cost - access.ideal));
    let hidden = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    let head = html! { tr {
        th scope="col" { "line" }
        th scope="col" { "access" }
        th scope="col" { "PTX" }
        (column("accesses of warps", Origin::Estimated))
        (column("cost", Origin::Estimated))
        (column("ideal", Origin::Estimated))
        (column("excess", Origin::Estimated))
        (column("worst of one", Origin::Estimated))
        th scope="col" { "unit" }
    } };
    let body = html! {
        @for (line, access) in all {
            tr {
                th scope="row" { (shown.place(&line.file, line.line)) }
                td { (access.kind) ", " (access.width) " bytes" }
                td { code { (access.instruction) } }
                td class="n" { (whole(access.histogram.values().sum())) }
                td class="n" { (whole(access.cost)) }
                td class="n" { (whole(access.ideal)) }
                td class="n" { (whole(access.cost - access.ideal)) }
                td class="n" { (access.worst.cost) " instead of " (access.worst.ideal) }
                td { (access.unit) }
            }
        }
    };
    html! {
        (table("The accesses that cost most beyond the ideal", head, body))
        @if hidden > 0 { p class="faint" { "… and " (hidden) " more accesses cost more than the ideal." } }
    }
}
