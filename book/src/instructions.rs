//! The directives about the instruction set: `instructions` (what is simulated and what tests it) and `absent` (what is
//! not, with the message that its user reads).

use kernels::isa::coverage::{self, Coverage};

use crate::fault::Reason;
use crate::html::{self, Table, code, escape};

/// The part of the manual that a section is in: `9.7.1` of `9.7.1.12`.
fn part(section: &str) -> String {
    section.split('.').take(3).collect::<Vec<_>>().join(".")
}

/// `instructions`: a row per instruction. The parts of the manual are folded, each under the names of its instructions.
pub(crate) fn instructions() -> Result<String, Reason> {
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
    let row = |row: &Coverage| {
        let compared = row.exact + row.close + row.differing;
        let what = &row.instruction;
        vec![
            code(what.name),
            escape(what.section),
            escape(what.does),
            forms(row),
            how(row),
            number(compared),
            number(row.real),
        ]
    };
    let sum = |of: fn(&Coverage) -> usize| number(covered.rows.iter().map(of).sum());
    let total = [
        "all".to_owned(),
        String::new(),
        String::new(),
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
    let table = |rows: Vec<Vec<String>>, total: Option<Vec<String>>, caption: String| Table {
        caption,
        heads: heads.map(str::to_owned).to_vec(),
        rows,
        total,
        text_columns: 5,
    };
    let gpu = escape(&covered.gpu);
    let mut html = String::new();
    for (name, rows) in &parts {
        let mut names: Vec<&str> = rows.iter().map(|row| row.instruction.name).collect();
        names.dedup();
        let caption = format!("Section {} of the manual. Results compared with: {gpu}.", escape(name));
        html += &html::folded(
            &format!("Section {name}: {}", names.join(", ")),
            &table(rows.iter().map(|&own| row(own)).collect(), None, caption).html(),
        );
    }
    let caption = format!("Every instruction that is simulated. Results compared with: {gpu}.");
    Ok(html + &table(Vec::new(), Some(total.to_vec()), caption).html())
}

/// The patterns of an instruction, or the modifiers that were tested.
fn forms(row: &Coverage) -> String {
    let list = |items: Vec<String>| items.join(" ");
    if !row.instruction.forms.is_empty() {
        return list(row.instruction.forms.iter().map(|form| code(form)).collect());
    }
    list(row.modifiers.iter().map(|modifier| code(&format!(".{modifier}"))).collect())
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
        ways.push(format!("{} as the manual says: {}", row.differing, escape(why)));
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
pub(crate) fn absent() -> Result<String, Reason> {
    let refusals = coverage::refusals().map_err(Reason::Contradicted)?;
    let row = |refusal: &coverage::Refusal| {
        let names: Vec<String> = refusal.absent.names.iter().map(|name| code(name)).collect();
        vec![escape(refusal.absent.what), escape(refusal.absent.section), names.join(" "), code(&refusal.message)]
    };
    let table = Table {
        caption: "What is not simulated, and the message of an attempt, made for this page.".to_owned(),
        heads: ["what", "manual", "instructions", "message"].map(str::to_owned).to_vec(),
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
        let page = instructions().unwrap();
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
        let page = absent().unwrap();
        assert!(page.contains("<code>tex</code>") && page.contains("tex.1d.v4.f32.s32"), "{page}");
    }
}
