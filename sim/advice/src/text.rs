//! Advice as text for a terminal.

use std::fmt::Write as _;

use crate::Advice;

/// Renders the edits that would help, or that none of those that are tried would.
pub fn render(advice: &[Advice]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, advice);
    text
}

fn write(text: &mut String, advice: &[Advice]) -> std::fmt::Result {
    if advice.is_empty() {
        return writeln!(text, "advice: none of the edits that are tried would help ({})", tried());
    }
    writeln!(text, "advice: edits that would help, the most useful first")?;
    for (number, one) in advice.iter().enumerate() {
        let Advice { edit, file, line, also, now, then, unit, before, after, counted, time } = one;
        let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let others: Vec<String> = also.iter().map(u32::to_string).collect();
        let others = if others.is_empty() { String::new() } else { format!(" (also {})", others.join(", ")) };
        writeln!(text, "  {}. {edit}: {file} line {line}{others}", number + 1)?;
        writeln!(text, "     {now}")?;
        writeln!(text, "     {then}")?;
        let about = if *counted { "" } else { "about " };
        write!(text, "     {unit}: {about}{before} now, {about}{after} then; ")?;
        match time {
            Some(time) => writeln!(
                text,
                "predicted time {:.2} µs now, {:.2} µs then ({})",
                time.before_us,
                time.after_us,
                time.change()
            )?,
            None => writeln!(text, "what it does to the time is not modelled")?,
        }
    }
    Ok(())
}

/// The names of all edits.
fn tried() -> String {
    crate::Edit::ALL.map(|edit| edit.to_string()).join(", ")
}
