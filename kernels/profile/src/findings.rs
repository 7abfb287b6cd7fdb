//! Findings: what is wrong with the kernel, or worth a look.

use markup::sentence;
use maud::{Markup, html};
use sim::Report;
use sim::report::{Finding, Severity};

use crate::number::whole;
use crate::shown::Shown;

/// How many findings and remarks there are, in words.
pub(crate) fn number(report: &Report) -> String {
    if report.metrics.is_empty() { "nothing was checked".to_owned() } else { sim::report::text::number(report) }
}

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    let report = shown.report;
    let all: Vec<&Finding> = report.errors().chain(report.remarks()).collect();
    html! {
        p { (number(report)) "." }
        @if report.machine_code.is_some() {
            p class="note" {
                @if shown.profile.ptx.is_some() {
                    "They are those of the PTX without optimisation: an optimiser removes and merges faulty accesses."
                } @else {
                    "In a cubin only accesses outside of memory, misaligned ones, deadlocks and endless kernels are looked for."
                }
            }
        }
        @if !all.is_empty() { ol class="cards" { @for finding in all { li { (card(shown, finding)) } } } }
        @for missing in &report.missing { p class="note" { (missing.sentence(&report.target)) } }
        @if !report.printed.is_empty() {
            h4 { "Printed by the kernel" }
            pre class="scroll" tabindex="0" { (report.printed.text) }
            @if report.printed.lost > 0 {
                p class="note" { (whole(report.printed.lost)) " calls of printf more, for which there was no room." }
            }
        }
    }
}

fn card(shown: &Shown<'_>, finding: &Finding) -> Markup {
    let class = match finding.severity {
        Severity::Error => "card error",
        Severity::Remark => "card remark",
    };
    let [x, y, z] = finding.block;
    let lanes: Vec<String> = finding.lanes.iter().map(u32::to_string).collect();
    html! {
        article class=(class) {
            h4 { span class="severity" { (finding.severity.title()) } " " (finding.kind.name()) " "
                span class="faint" { (shown.place(&finding.file, finding.line)) } }
            p { (sentence(&finding.message)) }
            @if !finding.help.is_empty() { p { strong { "Help: " } (sentence(&finding.help)) } }
            p class="faint" {
                "block (" (x) "," (y) "," (z) "), warp " (finding.warp)
                @if !lanes.is_empty() { ", lanes " (lanes.join(" ")) }
                @if finding.count > 1 { "; " (whole(finding.count)) " times in all" }
                @if finding.seed > 0 { "; with --seed " (finding.seed) }
                @if let [_, other] = &finding.parties[..] {
                    "; the other " (other.does) " at " (shown.place(&other.file, other.line))
                }
            }
        }
    }
}
