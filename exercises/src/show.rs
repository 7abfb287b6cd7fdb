//! What a case holds: its numbers and launches, the beginning of its inputs, and of its outputs what belongs there beside
//! what the kernel left.

use std::fmt::Write as _;

use ::data::expression::Number;
use sim::report::{Printed, access_text};

use crate::instance::{Buffer, Code, Instance, Made, Ran, Role, is_the_file};
use crate::model::WrongElement;
use crate::words::{elements, grouped};

/// Most elements of an input that are shown.
const INPUT: usize = 64;
/// Most elements of an output that are shown.
const OUTPUT: usize = 16;
/// How many right ones of them stand before the first wrong one.
const BEFORE: usize = 2;
/// Most columns of a line of elements.
const WIDTH: usize = 76;
/// Most lines of what a kernel printed.
const PRINTED_LINES: usize = 20;
/// Most characters of such a line.
const PRINTED_WIDTH: usize = 160;

/// The case with its data, and what a kernel left in its outputs.
pub fn text(case: &Instance, ran: &Ran, differs: &dyn Fn(usize, usize) -> bool) -> String {
    let mut out = format!("The input \"{}\", seed {}:\n", case.case.name, case.case.seed);
    let numbers: Vec<String> = case.names.iter().filter(|(name, _)| *name != "secret").map(number).collect();
    if !numbers.is_empty() {
        let _ = writeln!(out, "  {}", numbers.join(", "));
    }
    for made in &case.launches {
        let _ = writeln!(out, "  {}", launch(made));
    }
    for (at, buffer) in case.buffers.iter().enumerate() {
        let count = buffer.content.bytes as usize / buffer.element().bytes();
        let role = match buffer.role {
            Role::In => "is only read",
            Role::Out => "is written",
            Role::InOut => "is read and changed",
            Role::Scratch => "is not judged",
        };
        let of = if count == 1 { "element" } else { "elements" };
        let kind = buffer.element().name();
        let _ = writeln!(out, "\n{}, {} {of} of type {kind}, {role}", buffer.name, grouped(count as u64));
        if buffer.content.written {
            if buffer.role != Role::In {
                out.push_str("  at the start:\n");
            }
            row(&mut out, buffer, &buffer.content.to_bytes());
        }
        if let (Some(expected), Some(got)) = (&buffer.expected, ran.buffers.get(at)) {
            outputs(&mut out, buffer, expected, got, &|index| differs(at, index));
        }
    }
    out
}

fn number((name, number): (&String, &Number)) -> String {
    match number.whole() {
        Some(whole) => format!("{name} = {whole}"),
        None => format!("{name} = {}", number.real()),
    }
}

/// The launch as CUDA C++ writes it.
fn launch(made: &Made) -> String {
    let extent = |of: [u32; 3]| match of {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("({x}, {y})"),
        [x, y, z] => format!("({x}, {y}, {z})"),
    };
    let shared = if made.shared == 0 { String::new() } else { format!(", {}", made.shared) };
    let args: Vec<&str> = made.args.iter().map(|text| text.0.as_str()).collect();
    let (grid, block) = (extent(made.grid.into()), extent(made.block.into()));
    format!("{}<<<{grid}, {block}{shared}>>>({})", made.kernel, args.join(", "))
}

/// The first elements, with the index of each line's first one.
fn row(out: &mut String, buffer: &Buffer, bytes: &[u8]) {
    let element = buffer.element();
    let all = bytes.len() / element.bytes();
    let texts: Vec<String> = bytes.chunks_exact(element.bytes()).take(INPUT).map(|bytes| element.show(bytes)).collect();
    let widest = texts.iter().map(String::len).max().unwrap_or(1);
    // As many to a line as fit, in a round number: an index is easily counted then.
    let fit = (WIDTH.saturating_sub(9) / (widest + 1)).max(1);
    let to_a_line = [16, 8, 4, 2].into_iter().find(|count| *count <= fit).unwrap_or(1);
    for (at, line) in texts.chunks(to_a_line).enumerate() {
        let cells: String = line.iter().map(|text| format!(" {text:>widest$}")).collect();
        let _ = writeln!(out, "  {:>6}:{cells}", at * to_a_line);
    }
    if all > INPUT {
        let _ = writeln!(out, "  and {} more", grouped((all - INPUT) as u64));
    }
}

/// What belongs into an output beside what is there, around the first wrong element.
fn outputs(out: &mut String, buffer: &Buffer, expected: &[u8], got: &[u8], differs: &dyn Fn(usize) -> bool) {
    let element = buffer.element();
    let size = element.bytes();
    let all = expected.len() / size;
    let first = (0..all).find(|index| differs(*index));
    let start = first.map_or(0, |first| first.saturating_sub(BEFORE)).min(all.saturating_sub(OUTPUT));
    let rows: Vec<WrongElement> = (start..all.min(start + OUTPUT))
        .map(|index| {
            let own = &got[index * size..(index + 1) * size];
            let mark = if differs(index) { "" } else { " =" };
            WrongElement {
                output: buffer.name.clone(),
                index,
                expected: element.show(&expected[index * size..(index + 1) * size]),
                got: (!buffer.is_filler(index, own)).then(|| format!("{}{mark}", element.show(own))),
                writer: None,
            }
        })
        .collect();
    elements(out, &rows);
    let left = all - rows.len();
    if left > 0 {
        let wrong = (0..all).filter(|index| differs(*index)).count();
        let _ =
            writeln!(out, "  {} more are not shown; {} of all are wrong", grouped(left as u64), grouped(wrong as u64));
    }
}

/// What a kernel printed, of limited length; characters that could steer a terminal are replaced.
pub(crate) fn printed(out: &mut String, printed: &Printed) {
    let safe = |c: char| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
    for line in printed.text.split_terminator('\n').take(PRINTED_LINES) {
        let line = line.trim_end_matches('\r');
        let shown: String = line.chars().take(PRINTED_WIDTH).map(safe).collect();
        let more = if line.chars().nth(PRINTED_WIDTH).is_some() { "…" } else { "" };
        let _ = writeln!(out, "  {shown}{more}");
    }
    let more = printed.text.split_terminator('\n').count().saturating_sub(PRINTED_LINES);
    if more > 0 || printed.lost > 0 {
        let calls = grouped(printed.calls);
        let _ = writeln!(out, "  … this is the beginning of what {calls} calls printed; `warpbook sim` shows the rest");
    }
}

/// The costs, banks and sectors of the learner's lines: of `line`, or of all.
pub fn access(code: &Code, ran: &Ran, file: Option<&str>, line: Option<u32>) -> String {
    let mut out = String::new();
    for (at, details) in ran.details.iter().enumerate() {
        let own = |seen: &&String| is_the_file(seen, &code.file);
        let files = details.lines.iter().map(|line| &line.file).filter(own);
        let sources = files.map(|file| (file.clone(), code.source.clone())).collect();
        if ran.details.len() > 1 {
            let _ = writeln!(out, "launch {} of {}", at + 1, ran.details.len());
        }
        match access_text::render(details, file, line, &sources) {
            Some(text) => out.push_str(&text),
            None => out.push_str("nothing was executed at that line; --access all shows all lines that were\n"),
        }
    }
    out
}
