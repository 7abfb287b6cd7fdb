//! The lower bound: what any kernel with the same inputs and outputs must move, and how far the launch is from it.

use caches::compulsory::{LowerBound, SECTOR, asked};
use maud::{Markup, html};

use crate::number::{quotient, us, whole};
use crate::origin::{Origin, mark};
use crate::parts::table;
use crate::shown::Shown;

/// Sectors of loads, as L1 sees them.
const LOADS: [&str; 1] = ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"];
/// Sectors of everything that writes.
const WRITES: [&str; 3] = [
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
];

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    let Some(bound) = &shown.launch.lower_bound else {
        return html! { p { "The lower bound was not computed: it is computed over PTX, and all thread blocks must be executed for it." } };
    };
    html! {
        p {
            "Any kernel with these inputs and outputs moves at least " strong { (whole(bound.bytes())) } " bytes: the sectors of "
            (SECTOR) " bytes that this launch reads before it writes them, and those that it writes. Buffers in which blocks pass sums "
            "to each other are among the outputs, although another kernel may do without them. The least time is "
            (us(bound.launch_us)) " µs for an empty launch and " (us(bound.memory_us))
            " µs for these bytes at the highest rate of memory."
        }
        (distance(shown, bound))
    }
}

/// The least of every resource, beside what the launch takes of it.
fn distance(shown: &Shown<'_>, bound: &LowerBound) -> Markup {
    let head = html! { tr {
        th scope="col" { "resource" }
        th scope="col" class="n" { "least" }
        th scope="col" class="n" { "this launch" }
        th scope="col" class="n" { "times the least" }
    } };
    let all: Vec<&str> = LOADS.into_iter().chain(WRITES).collect();
    let sectors = [
        ("sectors read", bound.read_sectors, &LOADS[..]),
        ("sectors written", bound.written_sectors, &WRITES[..]),
        ("all sectors", bound.read_sectors + bound.written_sectors, &all[..]),
    ];
    let report = shown.report;
    let predicted = report.prediction.as_ref().map(|p| (p.us, Origin::Predicted));
    let gpu = shown.profile.gpu.as_ref().filter(|_| shown.profile.launches.len() == 1);
    let measured = gpu.and_then(|gpu| gpu.median_us).map(|us| (us, Origin::Measured));
    let body = html! {
        @if shown.counted() {
            @for (title, least, counters) in sectors {
                @let asked = counters.iter().map(|counter| report.metric(counter)).sum::<u64>();
                tr {
                    th scope="row" { (title) }
                    td class="n" { (whole(least)) " " (mark(Origin::Estimated)) }
                    td class="n" { (whole(asked)) " " (mark(shown.counters)) }
                    td class="n" { (quotient(Some(asked), Some(least)).unwrap_or_else(|| "–".to_owned())) }
                }
            }
        }
        @for (time, origin) in predicted.into_iter().chain(measured) {
            tr {
                th scope="row" { "time in µs" }
                td class="n" { (us(bound.us())) " " (mark(Origin::Predicted)) }
                td class="n" { (us(time)) " " (mark(origin)) }
                td class="n" { (format!("{:.2}", time / bound.us().max(f64::MIN_POSITIVE))) }
            }
        }
    };
    let least = bound.read_sectors + bound.written_sectors;
    html! {
        (table("The least that any kernel needs, and what this launch takes", head, body))
        @if shown.counted() && asked(report) < least {
            p class="note" { "Bulk copies move sectors, too, and no counter of L1 counts those." }
        }
    }
}
