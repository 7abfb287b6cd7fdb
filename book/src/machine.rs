//! Machine code with its counts: the listing of a case, values of it, and how well it agrees with what a GPU counted.

use std::collections::BTreeMap;

use sim::report::machine_code::MachineInstruction;

use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{self, Markup, Table, code, html, row, text, texts};
use crate::runs::MachineRun;

/// `sass kernel=K case="C" [of=KERNEL] [lines="code; code"] [opcodes="LDL STL"] [control=yes]`: the machine instructions with
/// their counts, below their source lines. `of` names another kernel of the case's launches than the version's own.
pub(crate) fn sass(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    let of = directive.maybe("of");
    let wanted = directive.maybe("lines");
    let wanted: Vec<&str> = wanted.as_deref().map_or_else(Vec::new, |list| list.split(';').map(str::trim).collect());
    let opcodes = directive.maybe("opcodes");
    let opcodes: Vec<&str> = opcodes.as_deref().map_or_else(Vec::new, |list| list.split_whitespace().collect());
    let control = match directive.maybe("control").as_deref() {
        None | Some("no") => false,
        Some("yes") => true,
        Some(other) => {
            return Err(Reason::Wrong(format!("`control={other}` is neither `control=yes` nor `control=no`")));
        }
    };
    let run = context.machine(&kernel, &case, of.as_deref())?;
    let mut table = Table { text_columns: 1 + usize::from(control), ..Table::default() };
    table.heads = row!["instruction"];
    table.heads.extend(control.then(|| text("control")));
    table.heads.extend(texts(["warps", "lanes", "predicate true"]));
    let columns = table.heads.len();
    let mut found = vec![false; wanted.len()];
    let mut place = None;
    let mut shown = Vec::new();
    let mut lines = Lines::new(context);
    for (number, instruction) in executed_part(&run.listing).iter().enumerate() {
        let opcode = opcode_of(&instruction.text);
        if !opcodes.is_empty() && !opcodes.iter().any(|own| opcode.starts_with(own)) {
            continue;
        }
        let line = lines.of(instruction)?;
        let matching = wanted.iter().position(|part| line.is_some_and(|(_, text)| text.contains(part)));
        match matching {
            Some(at) => found[at] = true,
            None if !wanted.is_empty() => continue,
            None => {}
        }
        let here = (&instruction.file, instruction.line);
        if place != Some(here) {
            place = Some(here);
            let mut head = match line {
                Some((file, text)) => {
                    let number = context.link(file, instruction.line, instruction.line);
                    row![html! { (number) " " b { (code(text)) } }]
                }
                None => row![html! { b { "of no line" } }],
            };
            head.resize_with(columns, Markup::default);
            table.rows.push(head);
        }
        let mut cells = row![code(&instruction.text)];
        cells.extend(control.then(|| code(&instruction.control)));
        cells.extend(texts([instruction.executed, instruction.threads, instruction.pred_on].map(html::number)));
        table.rows.push(cells);
        shown.push(number);
    }
    agrees(&run, Some(&shown))?;
    if shown.is_empty() {
        return Err(Reason::Wrong(format!("{kernel} has no such instruction")));
    }
    if let Some(at) = found.iter().position(|found| !found) {
        return Err(Reason::Wrong(format!("no instruction of {kernel} belongs to a line with `{}` in it", wanted[at])));
    }
    let all = executed_part(&run.listing).len();
    let part = match shown.len() {
        some if some < all => format!("{some} of {all} instructions"),
        _ => format!("all {all} instructions"),
    };
    table.caption = html! {
        (code(&run.kernel)) ", " (case) ": " (part) ", " (run.registers) " registers per thread, of ptxas " (run.ptxas)
        ". Executed for this page" (counted(&run)) "."
    };
    Ok(table.html())
}

/// Who counted the same.
fn counted(run: &MachineRun) -> String {
    run.counted.as_ref().map_or_else(
        || "; no GPU has counted it yet".to_owned(),
        |(gpu, date)| format!("; an {} counted the same, instruction by instruction, on {date}", gpu),
    )
}

/// Makes sure that a GPU did not count something else of these instructions, or of the launch where there are none.
fn agrees(run: &MachineRun, shown: Option<&[usize]>) -> Result<(), Reason> {
    let concerns = |at: &Option<usize>| match (at, shown) {
        (Some(at), Some(shown)) => shown.contains(at),
        (None, Some(_)) => false,
        (_, None) => at.is_none(),
    };
    match run.differences.iter().find(|(at, _)| concerns(at)) {
        Some((_, first)) => Err(Reason::Contradicted(format!("the GPU's record of the machine code differs: {first}"))),
        None => Ok(()),
    }
}

/// The code without the padding behind its last instruction that was executed or may be: an endless branch, and no-ops.
fn executed_part(listing: &[MachineInstruction]) -> &[MachineInstruction] {
    let filler = |instruction: &&MachineInstruction| {
        let text = instruction.text.as_str();
        instruction.executed == 0 && (text == "NOP" || text == format!("BRA {:#x}", instruction.offset))
    };
    let padding = listing.iter().rev().take_while(filler).count();
    &listing[..listing.len() - padding]
}

/// The sources that a listing's instructions belong to, each read once.
struct Lines<'a> {
    context: &'a Context<'a>,
    /// None for CUDA's own headers.
    read: BTreeMap<String, Option<String>>,
}

impl<'a> Lines<'a> {
    const fn new(context: &'a Context<'a>) -> Self {
        Self { context, read: BTreeMap::new() }
    }

    /// The file and the trimmed text of the source line that an instruction belongs to; none for CUDA's own headers.
    fn of(&mut self, instruction: &MachineInstruction) -> Result<Option<(&str, &str)>, Reason> {
        let file = instruction.file.rsplit(['/', '\\']).next().unwrap_or(&instruction.file);
        if !self.read.contains_key(file) {
            self.read.insert(file.to_owned(), self.context.runs.source(file).ok());
        }
        let Some((file, Some(text))) = self.read.get_key_value(file) else { return Ok(None) };
        let line = (instruction.line as usize).checked_sub(1).and_then(|line| text.lines().nth(line));
        let line = line.ok_or_else(|| format!("{file} has no line {}", instruction.line))?;
        Ok(Some((file, line.trim())))
    }
}

/// `machine=K case="C" [launch=KERNEL] of=QUANTITY [opcode=LDG] [at="code"]`: a counter of the instruction stream,
/// `registers`; or of the instructions whose opcode begins so and whose source line has the code in it: `executed`, `listed`.
pub(crate) fn value(context: &Context<'_>, directive: &mut Directive, kernel: &str) -> Result<(u64, String), Reason> {
    let (case, of) = (directive.option("case")?, directive.option("of")?);
    let launch = directive.maybe("launch");
    let (opcode, at) = (directive.maybe("opcode"), directive.maybe("at"));
    let run = context.machine(kernel, &case, launch.as_deref())?;
    let title = |what: &str| {
        let who =
            run.counted.as_ref().map_or_else(String::new, |(gpu, date)| format!(" and counted by an {gpu} on {date}"));
        format!("{kernel}, {case}: {what}, executed as machine code{who}")
    };
    if opcode.is_some() || at.is_some() || of == "executed" || of == "listed" {
        let (mut own, mut numbers) = (Vec::new(), Vec::new());
        let mut lines = Lines::new(context);
        for (number, instruction) in executed_part(&run.listing).iter().enumerate() {
            let there = match &at {
                Some(at) => lines.of(instruction)?.is_some_and(|(_, text)| text.contains(at.as_str())),
                None => true,
            };
            if there && opcode.as_ref().is_none_or(|opcode| opcode_of(&instruction.text).starts_with(opcode.as_str())) {
                own.push(instruction);
                numbers.push(number);
            }
        }
        agrees(&run, Some(&numbers))?;
        let what = opcode.as_deref().unwrap_or("instructions");
        return match &*of {
            "executed" => Ok((own.iter().map(|i| i.executed).sum(), title(&format!("{what}, executed by warps")))),
            "threads" => Ok((own.iter().map(|i| i.pred_on).sum(), title(&format!("{what}, executed by threads")))),
            "listed" => Ok((own.len() as u64, title(&format!("{what} in the code")))),
            _ => Err(Reason::Wrong(format!("of instructions there is no `{of}`; there are executed, threads, listed"))),
        };
    }
    if of == "registers" {
        return Ok((run.registers.into(), title("registers per thread")));
    }
    agrees(&run, None)?;
    let counter = sim::machine_code::counters().find(|counter| counter.label == of || counter.metric == of);
    let counter = counter.ok_or_else(|| {
        let known: Vec<&str> = sim::machine_code::counters().map(|counter| counter.label).collect();
        Reason::Wrong(format!(
            "of machine code there is no `{of}`; there are registers, executed, listed, {}",
            known.join(", ")
        ))
    })?;
    Ok((run.counters.get(counter.metric).copied().unwrap_or(0), title(counter.label)))
}

/// The opcode with its modifiers, without the predicate before it.
fn opcode_of(text: &str) -> &str {
    text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default()
}

/// `machine-agreement`: the comparison of executed machine code with what a GPU counted of it.
pub(crate) fn agreement(context: &Context<'_>) -> Result<Markup, Reason> {
    let agreement = context.runs.machine_agreement()?;
    if let Some(first) = agreement.unexplained.first() {
        return Err(Reason::Contradicted(format!("machine code and record do not agree: {first}")));
    }
    let heads = ["problem", "cases", "launches", "counters of launches", "of instructions", "of memory", "that differ"];
    let row = |problem: &crate::runs::MachineProblem| {
        let counts =
            [problem.cases, problem.launches, problem.stream, problem.instructions, problem.memory, problem.differ];
        let name = match &problem.recorded {
            Some(_) => code(&problem.problem),
            None => html! { (code(&problem.problem)) " (not recorded)" },
        };
        let mut cells = row![name];
        cells.extend(texts(counts.map(|n| html::number(n as u64))));
        cells
    };
    let mut recorded: Vec<&str> = agreement.problems.iter().filter_map(|problem| problem.recorded.as_deref()).collect();
    recorded.sort_unstable();
    recorded.dedup();
    let table = Table {
        caption: html! {
            "Every case of at most " (html::number(agreement.most_threads))
            " threads, executed as machine code for this page. Recorded: " (recorded.join("; ")) "."
        },
        heads: texts(heads),
        rows: agreement.problems.iter().map(row).collect(),
        total: None,
        text_columns: 1,
    };
    let known = html! { ul { "\n" @for why in &agreement.known { li { (why) } "\n" } } "\n" };
    Ok(html! {
        p class="wb-closing" { strong { (agreement.closing) } }
        "\n"
        (table.html())
        (html::folded("What differs, and why", known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_and_predicates_are_not_the_code() {
        let instruction = |offset, text: &str, executed| MachineInstruction {
            offset,
            text: text.to_owned(),
            executed,
            ..MachineInstruction::default()
        };
        let listing = [
            instruction(0, "@P0 EXIT", 1),
            instruction(16, "NOP", 1),
            instruction(32, "EXIT", 0),
            instruction(48, "BRA 0x30", 0),
            instruction(64, "NOP", 0),
        ];
        assert_eq!(executed_part(&listing).len(), 3);
        assert_eq!(opcode_of("@!UP0 LDG.E.128 R4, desc[UR4][R4.64]"), "LDG.E.128");
    }
}
