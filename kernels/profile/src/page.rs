//! The page as a whole.

use kernels::names;
use markup::committed;
use maud::{DOCTYPE, Markup, html};
use sim::target;

use crate::data::Profile;
use crate::origin::Origin;
use crate::parts::section;
use crate::shown::{Files, Shown};
use crate::{advised, counters, findings, head, least, light, memory, mix, occupancy, ptx, roofline, source, warps};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Most launches that have a section of their own.
const SECTIONS: usize = 24;

/// A section of a launch: the end of its name in the page, its title, and what makes it.
type Part = (&'static str, &'static str, fn(&Shown<'_>) -> Markup);

/// The sections of a launch, in their order.
const PARTS: [Part; 11] = [
    ("light", "Speed of light", light::content),
    ("advice", "Advice", advised::content),
    ("findings", "Findings", findings::content),
    ("warps", "Warp states", warps::content),
    ("occupancy", "Occupancy", occupancy::content),
    ("memory", "Memory", memory::content),
    ("least", "Lower bound", least::content),
    ("roofline", "Roofline", roofline::content),
    ("mix", "Instruction mix", mix::content),
    ("source", "Source", source::content),
    ("counters", "Counters", counters::content),
];

/// The whole page as HTML in one file.
pub fn page(profile: &Profile<'_>) -> String {
    let files = Files::of(profile);
    let numbers = sections(profile);
    let kernels: Vec<String> = profile.launches.iter().map(|launch| names::short(&launch.report.kernel)).collect();
    let title = match &kernels[..] {
        [only] => format!("{only}: profile of {}", profile.title),
        _ => format!("Profile of {}", profile.title),
    };
    let targets = target::all().iter();
    let targets = targets.filter(|target| profile.launches.iter().any(|launch| launch.report.target == target.name));
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "warpbook " (env!("CARGO_PKG_VERSION")) };
                title { (title) }
                style { (committed(STYLE)) }
            }
            body {
                a class="skip" href="#main" { "To the launches" }
                (head::page(profile))
                main id="main" {
                    (head::legend())
                    @if profile.launches.len() > 1 { (head::launches(profile, &numbers)) }
                    @if profile.launches.is_empty() { p { "Nothing was launched." } }
                    @if let Some(gpu) = &profile.gpu { (head::on_gpu(gpu)) }
                    @for number in &numbers { (launch(profile, &files, *number)) }
                    (ptx::section(profile, &files))
                }
                @for target in targets { (occupancy::script(target)) }
                script { (committed(SCRIPT)) }
            }
        }
    };
    html.into_string()
}

/// The numbers of the launches that have sections, from 1: all, or those that take longest.
fn sections(profile: &Profile<'_>) -> Vec<usize> {
    let us = |number: &usize| {
        let launch = profile.launches.get(number - 1);
        launch.and_then(|launch| Some(launch.report.prediction.as_ref()?.us)).unwrap_or(0.0)
    };
    let mut numbers: Vec<usize> = (1..=profile.launches.len()).collect();
    numbers.sort_by(|a, b| us(b).total_cmp(&us(a)));
    numbers.truncate(SECTIONS);
    numbers.sort_unstable();
    numbers
}

fn launch(profile: &Profile<'_>, files: &Files, number: usize) -> Markup {
    let Some(launch) = profile.launches.get(number - 1) else { return html! {} };
    let report = launch.report;
    let shown = Shown { profile, launch, report, number, files, counters: Origin::of_counters(report) };
    let several = profile.launches.len() > 1;
    html! {
        section class="launch" id={ "l" (number) } aria-labelledby=(shown.id("h")) {
            h2 id=(shown.id("h")) {
                @if several { span class="faint" { "Launch " (number) ": " } }
                (names::short(&report.kernel))
            }
            (head::launch(&shown))
            nav aria-label={ "Sections of " (names::short(&report.kernel)) } {
                @for (name, title, _) in PARTS { a href={ "#" (shown.id(name)) } { (title) } " " }
                @if several { a href="#launches" { "All launches" } }
            }
            @for (name, title, content) in PARTS { (section(&shown, name, title, content(&shown))) }
        }
    }
}
