//! The machine code, each instruction with its counts, what the scheduler is told, and what warps wait for there.

use maud::{Markup, html};
use sim::report::MachineCode;
use sim::report::machine_code::MachineInstruction;

use super::values::{Values, largest};
use super::{cells, heads, heats};
use crate::number::whole;
use crate::parts::column;
use crate::shown::Shown;

/// The listing as a table.
pub(super) fn listing(shown: &Shown<'_>, code: &MachineCode, heat: usize) -> Markup {
    let values: Vec<Values> = code.listing.iter().map(Values::of_instruction).collect();
    let largest = largest(values.iter());
    let clocks = values.iter().map(Values::clocks).sum();
    html! {
        div class="scroll tall" tabindex="0" role="region" aria-label="Machine code, to scroll" {
            table class="code" aria-label="Machine code" {
                thead { tr {
                    th scope="col" { "offset" }
                    th scope="col" { "instruction" }
                    (heads(shown, clocks, true))
                    (column("predicate true", shown.counters))
                    (column("divergent", shown.counters))
                    th scope="col" { "control" }
                    th scope="col" { "line" }
                } }
                tbody {
                    @for (instruction, values) in code.listing.iter().zip(&values) {
                        (row(shown, instruction, values, &largest, clocks, heat))
                    }
                }
            }
        }
    }
}

fn row(
    shown: &Shown<'_>,
    instruction: &MachineInstruction,
    values: &Values,
    largest: &[u64],
    clocks: u64,
    heat: usize,
) -> Markup {
    let MachineInstruction { offset, text, control, file, line, pred_on, divergent, .. } = instruction;
    let heats = heats(values, largest);
    let number = |value: u64| if value == 0 { String::new() } else { whole(value) };
    html! {
        tr data-at=[shown.files.key(file, *line)] style={ "--h:" (heats[heat]) } data-heat=(heats.join(" ")) {
            td class="n faint" { (format!("{offset:05x}")) }
            td class="text" { code { (text) } }
            (cells(values, clocks, true))
            td class="n" { (number(*pred_on)) }
            td class="n" { (number(*divergent)) }
            td { code { (control) } }
            td { (shown.place(file, *line)) }
        }
    }
}
