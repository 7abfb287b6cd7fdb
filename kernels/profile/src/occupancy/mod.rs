//! Occupancy: how many warps a multiprocessor holds at once, what limits them, and what other launches would give.

mod curves;
pub(crate) mod tables;

use markup::json;
use maud::{Markup, html};
use sim::Report;
use sim::target::{self, Limit, Occupancy, Target, Usage};

use crate::number::{percent, share, whole};
use crate::origin::{Origin, mark};
use crate::parts::{bar, column, not_modelled, table};
use crate::shown::Shown;
use curves::Point;
use tables::Tables;

/// Registers of a thread, and where that number comes from.
fn registers(report: &Report) -> Option<(u32, Origin)> {
    let code = report.machine_code.as_ref().map(|code| (code.registers, Origin::Exact));
    let predicted = || report.prediction.as_ref().map(|p| (p.registers, Origin::Estimated));
    code.or_else(predicted).filter(|(registers, _)| *registers > 0)
}

/// The occupancy of the launch with all that is known of it. The parameters of a kernel take shared memory on the oldest
/// targets; what the report says of shared memory stays.
fn occupancy(report: &Report, target: &Target, point: Point) -> Occupancy {
    let usage = Usage {
        threads: point.threads as u32,
        shared_bytes: point.shared,
        parameter_bytes: 0,
        registers: point.registers.map(|registers| registers as u32),
    };
    let own = target.occupancy(&usage);
    match report.occupancy {
        Some(told) if told.blocks < own.blocks => told,
        _ => own,
    }
}

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    let report = shown.report;
    let Some(target) = target::find(&report.target) else {
        return html! { p { "There is no GPU called " (report.target) "." } };
    };
    let launch = &report.launch;
    let registers = registers(report);
    let point = Point {
        threads: launch.block.iter().map(|side| u64::from(*side)).product(),
        registers: registers.map(|(registers, _)| u64::from(registers)),
        shared: u64::from(launch.shared_static) + u64::from(launch.shared_dynamic),
    };
    let occupancy = occupancy(report, target, point);
    let tables = Tables::of(target);
    let origin =
        if registers.is_some_and(|(_, origin)| origin == Origin::Exact) { Origin::Computed } else { Origin::Estimated };
    let reached = share(u64::from(occupancy.warps), u64::from(occupancy.most_warps));
    html! {
        dl class="meters" { div {
            dt { "Theoretical occupancy" }
            dd {
                (bar(reached, "fill")) " " strong { (percent(reached)) } " " (mark(origin))
                span class="faint" {
                    " " (occupancy.warps) " of " (occupancy.most_warps) " warps, " (occupancy.blocks)
                    " blocks of a multiprocessor, limited by " (occupancy.limited_by.text())
                }
            }
        } }
        (limits(&occupancy, registers, point))
        @match registers {
            None => p class="note" { "PTX does not tell how many registers a thread gets: they limit nothing here." },
            Some((_, Origin::Exact)) => {},
            Some(_) => p class="note" {
                "The registers are not those of ptxas: they were estimated from the PTX, or given on the command line."
            },
        }
        p { "With up to " strong { (occupancy.most_registers) } " registers in a thread as many blocks are resident "
            (mark(Origin::Computed)) "." }
        @if target.parameters_in_shared {
            p class="note" { "On this GPU the kernel's parameters lie in shared memory, too; the calculator leaves them out." }
        }
        (calculator(shown, point))
        (curves::curves(shown, &tables, point))
        (not_modelled("Achieved occupancy as Nsight Compute measures it, over the whole launch."))
    }
}

/// How many blocks each resource has room for.
fn limits(occupancy: &Occupancy, registers: Option<(u32, Origin)>, point: Point) -> Markup {
    let rows = [
        (Limit::Warps, Some(occupancy.by_warps), format!("{} threads", whole(point.threads)), Some(Origin::Given)),
        (Limit::Blocks, Some(occupancy.by_blocks), String::new(), None),
        (
            Limit::Registers,
            occupancy.by_registers,
            registers.map_or_else(String::new, |(registers, _)| format!("{registers} a thread")),
            registers.map(|(_, origin)| origin),
        ),
        (
            Limit::SharedMemory,
            occupancy.by_shared_memory,
            format!("{} bytes", whole(point.shared)),
            Some(Origin::Given),
        ),
    ];
    let head = html! { tr {
        th scope="col" { "resource" }
        th scope="col" class="n" { "a block uses" }
        (column("blocks that fit", Origin::Computed))
        th scope="col" { span class="hide" { "limit" } }
    } };
    let body = html! {
        @for (limit, blocks, used, origin) in rows {
            tr {
                th scope="row" { (limit.text()) }
                td class="n" { (used) @if let Some(origin) = origin { " " (mark(origin)) } }
                td class="n" { @match blocks { Some(blocks) => (blocks), None => "no limit" } }
                td { @if limit == occupancy.limited_by { span class="tag" { "limits" } } }
            }
        }
    };
    table("Thread blocks that fit on a multiprocessor", head, body)
}

/// The calculator: inputs, and the tables in which the page's script looks up. Without the script it stays hidden.
fn calculator(shown: &Shown<'_>, point: Point) -> Markup {
    let (threads, registers, shared) = (shown.id("threads"), shown.id("registers"), shown.id("shared"));
    let regs = point.registers.map(|registers| registers.to_string());
    html! {
        form class="calculator" hidden data-tables={ "tables-" (shown.report.target) } {
            h4 { "Calculator " (mark(Origin::Computed)) }
            div class="inputs" {
                label for=(threads) { "Threads of a block"
                    input id=(threads) name="threads" type="number" inputmode="numeric" min="1" step="1" value=(point.threads); }
                label for=(registers) { "Registers of a thread"
                    input id=(registers) name="registers" type="number" inputmode="numeric" min="0" step="1" value=[regs]
                        placeholder="no limit"; }
                label for=(shared) { "Shared memory of a block, bytes"
                    input id=(shared) name="shared" type="number" inputmode="numeric" min="0" step="1" value=(point.shared); }
            }
            p { output for={ (threads) " " (registers) " " (shared) } {} }
        }
    }
}

/// The tables of a GPU for the page's script, once for all of its launches.
pub(crate) fn script(target: &Target) -> Markup {
    let tables = serde_json::to_string(&Tables::of(target)).unwrap_or_default();
    html! { script type="application/json" id={ "tables-" (target.name) } { (json(&tables)) } }
}
