//! Instruction mix: which pipes execute the instructions, and which classes they belong to.

use maud::{Markup, html};
use sim::machine_code;
use sim::observe::exact::Counter;
use sim::report::MachineCode;

use crate::number::{percent, share, whole};
use crate::parts::{bar, column, table};
use crate::shown::Shown;

/// How the names of counters by pipe begin.
const PIPE: &str = "smsp__inst_executed_pipe_";
/// How the names of counters by class begin; those by class are of threads.
const CLASS: &str = "smsp__sass_thread_inst_executed_op_";
const INSTRUCTIONS: &str = "smsp__inst_executed.sum";
const THREADS: &str = "smsp__thread_inst_executed_pred_on.sum";

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    match &shown.report.machine_code {
        Some(code) => of_code(shown, code),
        None => html! {
            p class="note" {
                "The PTX was executed. Pipes and classes belong to machine instructions: they are counted where the machine "
                "code is executed (" code { "--machine-code" } ")."
            }
        },
    }
}

fn of_code(shown: &Shown<'_>, code: &MachineCode) -> Markup {
    let starts = |beginning: &'static str| move |counter: &Counter| counter.metric.starts_with(beginning);
    let others = |counter: &Counter| !starts(PIPE)(counter) && !starts(CLASS)(counter);
    html! {
        (bars(shown, code, "Warp instructions by pipe", "instructions", INSTRUCTIONS, &starts(PIPE)))
        (bars(shown, code, "Thread instructions by class", "thread instructions", THREADS, &starts(CLASS)))
        (bars(shown, code, "Instructions and branches", "times", "", &others))
        @if !code.by_likeness.is_empty() {
            p class="note" {
                "The pipe and class of these opcodes were not measured, but taken from opcodes like them: "
                (code.by_likeness.join(", ")) "."
            }
        }
    }
}

/// A row for each counter that is wanted and not 0, the largest first; with its share of the counter `of`, if that is
/// named.
fn bars(
    shown: &Shown<'_>,
    code: &MachineCode,
    caption: &str,
    title: &str,
    of: &str,
    wanted: &dyn Fn(&Counter) -> bool,
) -> Markup {
    let value = |metric: &str| code.counters.get(metric).copied().unwrap_or(0);
    let mut rows: Vec<(Counter, u64)> = machine_code::counters()
        .filter(|counter| wanted(counter))
        .map(|counter| (counter, value(counter.metric)))
        .filter(|(_, value)| *value > 0)
        .collect();
    if !of.is_empty() {
        rows.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    }
    let all = value(of);
    let head = html! { tr {
        th scope="col" { "counter" }
        (column(title, shown.counters))
        @if all > 0 { (column("share", shown.counters)) th scope="col" class="wide" { span class="hide" { "bar" } } }
        th scope="col" { "meaning" }
    } };
    let body = html! {
        @for (counter, value) in rows {
            tr {
                th scope="row" { (counter.label) }
                td class="n" title=(counter.metric) { (whole(value)) }
                @if all > 0 {
                    td class="n" { (percent(share(value, all))) }
                    td { (bar(share(value, all), "fill")) }
                }
                td class="text" { (counter.meaning) }
            }
        }
    };
    table(caption, head, body)
}
