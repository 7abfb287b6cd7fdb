//! The PTX of the kernels that were launched, each line with the source line that it comes from.

use std::collections::{BTreeMap, BTreeSet};

use kernels::names;
use maud::{Markup, html};
use sim::ptx::ast::{Function, Module, Statement};

use crate::data::Profile;
use crate::number::whole;
use crate::shown::Files;

/// A section with the PTX of each kernel, folded; nothing where there is no PTX.
pub(crate) fn section(profile: &Profile<'_>, files: &Files) -> Markup {
    let Some(text) = profile.ptx.filter(|text| !text.is_empty()) else { return html! {} };
    let (module, errors) = sim::ptx::parse(&profile.title, text);
    if !errors.is_empty() {
        return html! {};
    }
    let launched: BTreeSet<&str> = profile.launches.iter().map(|launch| &*launch.report.kernel).collect();
    let functions = module.functions.iter().filter(|function| launched.contains(&*function.name.text));
    let starts = line_starts(text);
    html! {
        section class="ptx" aria-labelledby="ptx" {
            h2 id="ptx" { "PTX" }
            p { "Of the kernels that were launched; a line that stands in bold type belongs to a source line of this page." }
            @for function in functions { (listing(&module, function, text, &starts, files)) }
        }
    }
}

/// The byte at which each line begins.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// The line of a byte, from 1.
fn line_of(starts: &[usize], byte: usize) -> usize {
    starts.partition_point(|start| *start <= byte)
}

/// The source line of every line that holds an instruction.
fn places<'a>(module: &'a Module, function: &Function, starts: &[usize]) -> BTreeMap<usize, (&'a str, u32)> {
    let mut places = BTreeMap::new();
    let mut here = None;
    for statement in function.body.iter().flatten() {
        match statement {
            Statement::Line(line) => here = module.files.get(&line.file).map(|file| (&**file, line.line)),
            Statement::Instruction(instruction) => {
                if let Some(here) = here {
                    places.insert(line_of(starts, instruction.span.start), here);
                }
            }
            _ => {}
        }
    }
    places
}

fn listing(module: &Module, function: &Function, text: &str, starts: &[usize], files: &Files) -> Markup {
    let places = places(module, function, starts);
    let first = line_of(starts, function.name.span.start);
    // A function ends with the first brace that stands alone at the beginning of a line.
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).skip(first - 1).collect();
    let length = lines.iter().position(|(_, line)| line.trim_end() == "}").map_or(lines.len(), |at| at + 1);
    let name = names::short(&function.name.text);
    html! {
        details {
            summary { (name) ", " (whole(length as u64)) " lines" }
            div class="scroll tall" tabindex="0" role="region" aria-label={ "PTX of " (name) ", to scroll" } {
                table class="code" aria-label={ "PTX of " (name) } {
                    thead class="hide" { tr { th scope="col" { "line" } th scope="col" { "PTX" } th scope="col" { "source" } } }
                    tbody {
                        @for (number, line) in &lines[..length] {
                            @let place = places.get(number);
                            @let key = place.and_then(|(file, line)| files.key(file, *line));
                            tr data-at=[key.as_deref()] {
                                td class="n faint" { (number) }
                                td { code { (line) } }
                                td class="faint" { @if let (Some((file, line)), Some(_)) = (place, &key) { (file) ":" (line) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
