//! The directives about the instruction set: `instructions` (what is simulated and what tests it) and `absent` (what is
//! not, with the message that its user reads).

use kernels::isa::coverage::{self, Coverage};

use crate::fault::Reason;
use crate::html::{self, Append, Markup, Table, code, joined, row, text, texts};

/// The part of the manual that a section is in: `9.7.1` of `9.7.1.12`.
fn part(section: &str) -> String {
    section.split('.').take(3).collect::<Vec<_>>().join(".")
}

/// `instructions`: a row per instruction. The parts of the manual are folded, each under the names of its instructions.
pub(crate) fn instructions() -> Result<Markup, Reason> {
    let covered = coverage::coverage().map_err(Reason::Contradicted)?;
    if !covered.strays.is_empty() {
        return Err(Reason::Contradicted(format!("no instruction of the table has the forms {:?}", covered.strays)));
    }
    let heads = [
        "instruction",
        "manual",
        "what it does",
        "forms",
        "how it is tested",
        "results compared",
        "real kernels' forms",
    ];
    let number = |count: usize| html::number(count as u64);
    let cells = |row: &Coverage| {
        let compared = row.exact + row.close + row.differing;
        let what = &row.instruction;
        row![code(what.name), what.section, what.does, forms(row), how(row), number(compared), number(row.real)]
    };
    let sum = |of: fn(&Coverage) -> usize| number(covered.rows.iter().map(of).sum());
    let total = row![
        "all",
        "",
        "",
        format!("{} opcodes of patterns", sum(|row| row.opcodes)),
        format!("{} bit for bit as the GPU, {} within the manual's error", sum(|row| row.exact), sum(|row| row.close)),
        sum(|row| row.exact + row.close + row.differing),
        sum(|row| row.real),
    ];
    let mut parts: Vec<(String, Vec<&Coverage>)> = Vec::new();
    for row in &covered.rows {
        let name = part(row.instruction.section);
        match parts.iter_mut().find(|(own, _)| *own == name) {
            Some((_, rows)) => rows.push(row),
            None => parts.push((name, vec![row])),
        }
    }
    let table = |rows: Vec<Vec<Markup>>, total: Option<Vec<Markup>>, caption: String| Table {
        caption: text(caption),
        heads: texts(heads),
        rows,
        total,
        text_columns: 5,
    };
    let gpu = &covered.gpu;
    let mut page = Markup::default();
    for (name, rows) in &parts {
        let mut names: Vec<&str> = rows.iter().map(|row| row.instruction.name).collect();
        names.dedup();
        let caption = format!("Section {name} of the manual. Results compared with: {gpu}.");
        let rows = rows.iter().map(|&own| cells(own)).collect();
        page.add(html::folded(&format!("Section {name}: {}", names.join(", ")), table(rows, None, caption).html()));
    }
    let caption = format!("Every instruction that is simulated. Results compared with: {gpu}.");
    page.add(table(Vec::new(), Some(total), caption).html());
    Ok(page)
}

/// The patterns of an instruction, or the modifiers that were tested.
fn forms(row: &Coverage) -> Markup {
    if !row.instruction.forms.is_empty() {
        return joined(row.instruction.forms.iter().map(|form| code(form)), " ");
    }
    joined(row.modifiers.iter().map(|modifier| code(&format!(".{modifier}"))), " ")
}

/// How an instruction is tested.
fn how(row: &Coverage) -> String {
    let mut ways = Vec::new();
    if row.exact > 0 {
        ways.push(format!("{} bit for bit as the GPU", row.exact));
    }
    if row.close > 0 {
        ways.push(format!("{} within the manual's error", row.close));
    }
    if let Some(why) = row.why {
        ways.push(format!("{} as the manual says: {}", row.differing, why));
    }
    if row.exact + row.close + row.differing == 0 && row.real > 0 {
        ways.push("run".to_owned());
    }
    if !row.is_compared() {
        ways.push("the simulator's own tests".to_owned());
    }
    ways.join("; ")
}

/// `absent`: what is not simulated.
pub(crate) fn absent() -> Result<Markup, Reason> {
    let refusals = coverage::refusals().map_err(Reason::Contradicted)?;
    let row = |refusal: &coverage::Refusal| {
        let names = refusal.absent.names.iter().map(|name| code(name));
        row![refusal.absent.what, refusal.absent.section, joined(names, " "), code(&refusal.message)]
    };
    let table = Table {
        caption: text("What is not simulated, and the message of an attempt, made for this page."),
        heads: texts(["what", "manual", "instructions", "message"]),
        rows: refusals.iter().map(row).collect(),
        total: None,
        text_columns: 4,
    };
    Ok(table.html())
}

#[cfg(test)]
mod tests {
    use super::{absent, instructions};

    #[test]
    fn every_instruction_has_a_row_and_a_test() {
        let page = instructions().unwrap().0;
        let parts = page.matches("<details").count();
        assert!(parts > 5);
        // Each part has a row of heads, and all of them together a head and a total.
        assert_eq!(page.matches("<tr>").count(), parts + 2 + sim::isa::instructions().len());
        for text in ["<code>add.{int}</code>", "within the manual's error", "bit for bit as the GPU", "NVIDIA H200"] {
            assert!(page.contains(text), "{text}");
        }
        // No row is without a word on how it is tested, or without a number.
        assert!(!page.contains("<td></td><td class=\"wb-n\">"), "{page}");
    }

    #[test]
    fn what_is_absent_shows_its_message() {
        let page = absent().unwrap().0;
        assert!(page.contains("<code>tex</code>") && page.contains("tex.1d.v4.f32.s32"), "{page}");
    }
}
