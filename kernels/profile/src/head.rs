//! The head of the page, with the legend and the list of launches, and the head of each launch.

use kernels::names;
use maud::{Markup, html};
use sim::Report;

use crate::counters;
use crate::data::{Gpu, Profile};
use crate::findings;
use crate::number::{extents, us, whole};
use crate::origin::{Origin, mark};
use crate::parts::{column, table};
use crate::shown::Shown;

/// The GPU that was simulated, as people call it.
fn gpu(report: &Report) -> String {
    sim::target::find(&report.target).map_or_else(|| report.target.clone(), |target| target.summary().gpu)
}

/// The head of the page.
pub(crate) fn page(profile: &Profile<'_>) -> Markup {
    html! {
        header class="top" {
            p class="faint" { "Profile of simulated launches, Warpbook" }
            h1 { (profile.title) }
            @if let Some(compiler) = &profile.compiler { p { "Compiled by " (compiler) "." } }
            @if !profile.command.is_empty() {
                p { "To make it again:" }
                pre class="scroll" tabindex="0" { code { (profile.command) } }
            }
            @for note in &profile.notes { p class="note" { "Note: " (note) } }
            @for comparison in &profile.comparisons { p { (comparison) } }
        }
    }
}

/// What the marks mean.
pub(crate) fn legend() -> Markup {
    html! {
        details class="legend" {
            summary { h2 { "What the marks mean" } @for origin in Origin::ALL { (mark(origin)) " " } }
            dl { @for origin in Origin::ALL { div { dt { (mark(origin)) } dd { (origin.meaning()) } } } }
        }
    }
}

/// The launches with links to their sections; `sections` are the numbers of those that have one.
pub(crate) fn launches(profile: &Profile<'_>, sections: &[usize]) -> Markup {
    let head = html! { tr {
        th scope="col" { "launch" }
        th scope="col" { "kernel" }
        (column("blocks", Origin::Given))
        (column("threads", Origin::Given))
        (column("µs", Origin::Predicted))
        th scope="col" { "limited by" }
        th scope="col" { "findings" }
    } };
    let body = html! {
        @for (at, launch) in profile.launches.iter().enumerate() {
            @let report = launch.report;
            @let name = names::short(&report.kernel);
            tr {
                td class="n" { (at + 1) }
                th scope="row" {
                    @if sections.contains(&(at + 1)) { a href={ "#l" (at + 1) } { (name) } } @else { (name) }
                }
                td class="n" { (extents(report.launch.grid)) }
                td class="n" { (extents(report.launch.block)) }
                td class="n" { @match &report.prediction { Some(p) => (us(p.us)), None => "–" } }
                td { @if let Some(p) = &report.prediction { (p.bound) } }
                td { (findings::number(report)) }
            }
        }
    };
    html! {
        section class="launches" aria-labelledby="launches" {
            h2 id="launches" { "Launches" }
            (table("The launches in their order", head, body))
            @if sections.len() < profile.launches.len() {
                p class="note" {
                    "The " (sections.len()) " launches whose predicted time is the longest have a section here; of the others "
                    "the counters are in the JSON of " code { "--json" } "."
                }
            }
        }
    }
}

/// What a GPU made of the launches.
pub(crate) fn on_gpu(gpu: &Gpu) -> Markup {
    let equal = gpu.counters.iter().filter(|pair| pair.simulated == pair.measured).count();
    let head = html! { tr {
        th scope="col" { "counter, all launches together" }
        (column("simulated", Origin::Exact))
        (column("on the GPU", Origin::Measured))
        th scope="col" { "equal" }
    } };
    let body = html! {
        @for pair in gpu.counters.iter().filter(|pair| pair.simulated > 0 || pair.measured > 0) {
            tr {
                th scope="row" { code { (pair.metric) } }
                td class="n" { (whole(pair.simulated)) }
                (counters::measured(pair.simulated, Some(pair.measured)))
            }
        }
    };
    html! {
        section class="gpu" aria-labelledby="gpu" {
            h2 id="gpu" { "On a GPU: " (gpu.name) }
            @if let Some(median) = gpu.median_us {
                p { "All launches together took " strong { (us(median)) " µs" } " " (mark(Origin::Measured)) " (median)." }
            }
            @for sentence in &gpu.sentences { p { (sentence) } }
            @if !gpu.counters.is_empty() {
                details open[equal < gpu.counters.len()] {
                    summary { (equal) " of " (gpu.counters.len()) " exact counters are equal" }
                    (table("Exact counters, simulated and measured", head, body))
                }
            }
        }
    }
}

/// The head of a launch: what was launched, on what, and what comes of it.
pub(crate) fn launch(shown: &Shown<'_>) -> Markup {
    let (report, launch) = (shown.report, &shown.report.launch);
    html! {
        @if names::readable(&report.kernel) != names::short(&report.kernel) {
            p class="faint" { code { (names::readable(&report.kernel)) } }
        }
        dl class="facts" {
            @if let Some(p) = &report.prediction {
                div class="main" {
                    dt { "time " (mark(Origin::Predicted)) }
                    dd { strong { (us(p.us)) " µs" } span class="faint" { (us(p.low_us)) " to " (us(p.high_us)) " µs" } }
                }
                div class="main" {
                    dt { "limited by " (mark(Origin::Predicted)) }
                    dd { strong { (p.bound) } span class="faint" { "class: " (p.light.class().name()) } }
                }
            }
            div class="main" { dt { "findings" } dd { strong { (findings::number(report)) } } }
            @if let Some(gpu) = shown.profile.gpu.as_ref().filter(|_| shown.profile.launches.len() == 1)
                && let Some(median) = gpu.median_us
            {
                div class="main" { dt { "time " (mark(Origin::Measured)) } dd { strong { (us(median)) " µs" } } }
            }
            div { dt { "GPU simulated" } dd { (gpu(report)) } }
            div { dt { "thread blocks " (mark(Origin::Given)) } dd { (extents(launch.grid)) } }
            div { dt { "threads per block " (mark(Origin::Given)) } dd { (extents(launch.block)) } }
            div { dt { "shared memory per block " (mark(Origin::Given)) }
                dd { (whole(u64::from(launch.shared_static) + u64::from(launch.shared_dynamic))) " bytes"
                    span class="faint" { (whole(launch.shared_static.into())) " static, " (whole(launch.shared_dynamic.into())) " dynamic" } } }
            (road(report))
        }
        @for note in shown.launch.notes { p class="note" { "Note: " (note) } }
        @if shown.counters == Origin::Documented && shown.counted() {
            p class="note" { (mark(Origin::Documented)) " " (Origin::Documented.meaning()) }
        }
    }
}

/// Which code was executed, and what a prediction is made of.
fn road(report: &Report) -> Markup {
    let executed = match &report.machine_code {
        Some(code) => {
            let compiler = code.compiler.as_ref().map_or_else(String::new, |version| format!(" of ptxas {version}"));
            format!("machine code{compiler}, {} instructions", code.listing.len())
        }
        None if report.versions.ptx.is_empty() => "a sample of thread blocks".to_owned(),
        None => format!("PTX {} for {}", report.versions.ptx, report.versions.ptx_target),
    };
    let counted = match &*report.versions.lowering {
        "" => None,
        "none" => Some("PTX as it stands".to_owned()),
        "machine code" => Some("machine instructions".to_owned()),
        lowering => Some(format!("what ptxas makes of it for {lowering}")),
    };
    html! {
        div { dt { "executed" } dd { (executed) } }
        @if let Some(counted) = counted { div { dt { "counted" } dd { (counted) } } }
        @if let Some(p) = &report.prediction {
            div { dt { "registers of a thread " (mark(if report.machine_code.is_some() { Origin::Exact } else { Origin::Estimated })) }
                dd { (p.registers) } }
            div { dt { "time predicted from" } dd {
                (whole(p.sampled_blocks)) " of " (whole(p.blocks)) " blocks"
                @if p.sampled_blocks < p.blocks { span class="faint" { "± " (p.sampling_percent) " % for that" } }
            } }
        }
    }
}
