//! Memory: a chart of what goes where, and tables of accesses by kind.

mod accesses;
mod chart;

use maud::{Markup, html};
use sim::report::details::Details;

use crate::number::{percent, quotient, whole};
use crate::origin::{Origin, mark};
use crate::parts::{column, not_modelled, table};
use crate::shown::Shown;

/// Kinds of accesses: what a row is called, and what Nsight Compute calls it.
const KINDS: [(&str, &str); 4] = [("loads", "ld"), ("stores", "st"), ("atomics", "atom"), ("reductions", "red")];

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    if !shown.counted() {
        return html! { p { "Only a sample of the thread blocks ran, for the time: nothing was counted." } };
    }
    html! {
        (chart::chart(shown))
        (shared(shown))
        (global(shown))
        (local(shown))
        (atomics(shown))
        (hit_rates(shown))
        (device(shown))
        (accesses::worst(shown))
        (not_modelled("Throughput of NVLink and PCIe, ECC."))
    }
}

/// A cell with a counter; `–` where the report has none of that name.
fn counter(shown: &Shown<'_>, metric: &str) -> Markup {
    match shown.report.metrics.get(metric) {
        Some(value) => html! { td class="n" title=(metric) { (whole(*value)) } },
        None => absent(),
    }
}

fn absent() -> Markup {
    html! { td class="n faint" { "–" } }
}

/// A cell with one of the simulator's own counts.
fn estimate(shown: &Shown<'_>, metric: &str) -> Markup {
    match shown.report.estimates.get(metric) {
        Some(value) => html! { td class="n" title=(metric) { (whole(*value)) } },
        None => absent(),
    }
}

/// The ideal of a kind of access, and what is beyond it, from the details of its accesses; two cells. Where those do not add
/// up to the counter, because a compiler changes accesses, there is nothing.
fn ideal(shown: &Shown<'_>, kind: &str, counted: Option<u64>) -> Markup {
    let of = |details: &Details| {
        let accesses = details.lines.iter().flat_map(|line| &line.accesses).filter(|access| access.kind == kind);
        accesses.fold((0, 0), |(cost, ideal), access| (cost + access.cost, ideal + access.ideal))
    };
    let sums = shown.report.details.as_ref().map(of).filter(|(cost, _)| Some(*cost) == counted);
    match sums {
        Some((cost, ideal)) => html! {
            td class="n" { (whole(ideal)) }
            td class="n" { (whole(cost.saturating_sub(ideal))) }
        },
        None => html! { (absent()) (absent()) },
    }
}

fn ratio(shown: &Shown<'_>, above: &str, below: &str) -> Markup {
    let value = |metric: &str| shown.report.metrics.get(metric).copied();
    match quotient(value(above), value(below)) {
        Some(text) => html! { td class="n" { (text) } },
        None => absent(),
    }
}

fn shared(shown: &Shown<'_>) -> Markup {
    let head = html! { tr {
        th scope="col" { "shared memory" }
        (column("instructions", shown.counters))
        (column("wavefronts", shown.counters))
        (column("per instruction", shown.counters))
        (column("ideal wavefronts", Origin::Estimated))
        (column("excess", Origin::Estimated))
        (column("bytes", shown.counters))
    } };
    let singular = ["shared load", "shared store", "shared atomic"];
    let body = html! {
        @for ((title, kind), of_details) in KINDS.iter().zip(singular) {
            @let instructions = format!("smsp__sass_inst_executed_op_shared_{kind}.sum");
            @let wavefronts = format!("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{kind}.sum");
            tr {
                th scope="row" { (title) }
                (counter(shown, &instructions))
                (counter(shown, &wavefronts))
                (ratio(shown, &wavefronts, &instructions))
                (ideal(shown, of_details, shown.report.metrics.get(&wavefronts).copied()))
                (counter(shown, &format!("smsp__sass_data_bytes_mem_shared_op_{kind}.sum")))
            }
        }
        tr class="sum" {
            @let instructions = "smsp__sass_inst_executed_op_shared.sum";
            @let wavefronts = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum";
            th scope="row" { "all" }
            (counter(shown, instructions))
            (counter(shown, wavefronts))
            (ratio(shown, wavefronts, instructions))
            (estimate(shown, "warpbook__shared_wavefronts_ideal.sum"))
            (estimate(shown, "warpbook__shared_wavefronts_excessive.sum"))
            (counter(shown, "smsp__sass_data_bytes_mem_shared.sum"))
        }
    };
    table("Shared memory", head, body)
}

fn global(shown: &Shown<'_>) -> Markup {
    let head = html! { tr {
        th scope="col" { "global memory" }
        (column("instructions", shown.counters))
        (column("sectors", shown.counters))
        (column("per instruction", shown.counters))
        (column("ideal sectors", Origin::Estimated))
        (column("excess", Origin::Estimated))
        (column("bytes", shown.counters))
        (column("L1 requests", shown.counters))
        (column("L1 sectors", shown.counters))
        (column("per request", shown.counters))
    } };
    let singular = ["global load", "global store", "global atomic", "global reduction"];
    let body = html! {
        @for ((title, kind), of_details) in KINDS.iter().zip(singular) {
            @let instructions = format!("smsp__sass_inst_executed_op_global_{kind}.sum");
            @let sectors = format!("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_{kind}.sum");
            @let requests = format!("l1tex__t_requests_pipe_lsu_mem_global_op_{kind}.sum");
            @let looked_up = format!("l1tex__t_sectors_pipe_lsu_mem_global_op_{kind}.sum");
            tr {
                th scope="row" { (title) }
                (counter(shown, &instructions))
                (counter(shown, &sectors))
                (ratio(shown, &sectors, &instructions))
                (ideal(shown, of_details, shown.report.metrics.get(&sectors).copied()))
                (counter(shown, &format!("smsp__sass_data_bytes_mem_global_op_{kind}.sum")))
                (counter(shown, &requests))
                (counter(shown, &looked_up))
                (ratio(shown, &looked_up, &requests))
            }
        }
        tr {
            th scope="row" { "asynchronous copies" }
            (counter(shown, "smsp__sass_inst_executed_op_ldgsts.sum"))
            @for _ in 0..8 { (absent()) }
        }
        tr class="sum" {
            @let (instructions, sectors) = ("smsp__sass_inst_executed_op_global.sum", "smsp__sass_sectors_mem_global.sum");
            th scope="row" { "all" }
            (counter(shown, instructions))
            (counter(shown, sectors))
            (ratio(shown, sectors, instructions))
            (estimate(shown, "warpbook__sectors_global_ideal.sum"))
            (estimate(shown, "warpbook__sectors_global_excessive.sum"))
            (counter(shown, "smsp__sass_data_bytes_mem_global.sum"))
            (absent()) (absent()) (absent())
        }
    };
    table("Global memory: as instructions ask for it, and as the L1 cache sees it", head, body)
}

fn local(shown: &Shown<'_>) -> Markup {
    let head = html! { tr {
        th scope="col" { "local memory" }
        (column("instructions", shown.counters))
        (column("bytes", shown.counters))
    } };
    let body = html! {
        @for (title, kind) in &KINDS[..2] {
            tr {
                th scope="row" { (title) }
                (counter(shown, &format!("smsp__sass_inst_executed_op_local_{kind}.sum")))
                (counter(shown, &format!("smsp__sass_data_bytes_mem_local_op_{kind}.sum")))
            }
        }
    };
    table("Local memory: arrays of a thread, and what its registers cannot hold", head, body)
}

fn atomics(shown: &Shown<'_>) -> Markup {
    let head = html! { tr {
        th scope="col" { "atomics in L2" }
        (column("requests", shown.counters))
        (column("sectors", shown.counters))
    } };
    let body = html! {
        @for (title, kind) in [("with a result", "atom"), ("reductions", "red")] {
            tr {
                th scope="row" { (title) }
                (counter(shown, &format!("lts__t_requests_srcunit_tex_op_{kind}.sum")))
                (counter(shown, &format!("lts__t_sectors_srcunit_tex_op_{kind}.sum")))
            }
        }
    };
    table("Atomics on global memory, which the L2 cache does", head, body)
}

/// Bytes of device memory: of the prediction.
fn hit_rates(shown: &Shown<'_>) -> Markup {
    let Some(rates) = &shown.launch.hit_rates else { return not_modelled("Hit rates of L1 and L2.") };
    let head = html! { tr {
        th scope="col" { "caches, empty before the launch" }
        (column("sectors looked up", Origin::Predicted))
        (column("hits", Origin::Predicted))
        (column("hit rate", Origin::Predicted))
    } };
    let body = html! {
        @for (title, metric, of) in
            [("L1", "l1tex__t_sector_hit_rate.pct", &rates.l1), ("L2", "lts__t_sector_hit_rate.pct", &rates.l2)]
        {
            tr {
                th scope="row" { (title) }
                td class="n" { (whole(of.sectors)) }
                td class="n" { (whole(of.hits)) }
                td class="n" title=(metric) { (percent(of.percent())) }
            }
        }
    };
    html! {
        (table("Caches", head, body))
        p class="note" { "Counted in " (whole(rates.blocks)) " neighbouring blocks, in the order of a simulation." }
    }
}

fn device(shown: &Shown<'_>) -> Markup {
    match &shown.report.prediction {
        Some(p) => html! {
            p {
                "Device memory reads " strong { (whole(p.dram_read_bytes)) } " bytes and is written "
                strong { (whole(p.dram_written_bytes)) } " bytes " (mark(Origin::Predicted)) "."
            }
        },
        None => html! {},
    }
}
