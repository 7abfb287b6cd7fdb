//! Printing: the one place that knows whether a terminal reads, how wide it is and whether it wants colours.
//!
//! In a terminal, tables fit its width ([`mod@table`]), sentences wrap at words ([`wrap`]) and marks are coloured
//! ([`colour`]). What is piped has no borders, no colours and lines of any length, so that other programs can read it.

mod colour;
mod table;
mod wrap;

use std::io::{self, IsTerminal, Write};
use std::panic::PanicHookInfo;

use serde::Serialize;
pub(crate) use table::Table;

/// A line, or several, for a reader: as `println!`, and wrapped in a terminal.
macro_rules! say {
    () => {
        $crate::out::text("\n")
    };
    ($($words:tt)*) => {
        $crate::out::text(&format!("{}\n", format_args!($($words)*)))
    };
}
pub(crate) use say;

/// The terminal's width where its size cannot be found out.
const USUAL: usize = 80;
/// Narrower than this, nothing can be laid out.
const NARROWEST: usize = 20;

/// Whether a panic only says that nobody reads our output any more.
pub(crate) fn is_broken_pipe(info: &PanicHookInfo<'_>) -> bool {
    let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
    text.starts_with("failed printing to stdout")
}

/// The columns of the terminal that standard output is; none if it is something else.
fn width() -> Option<usize> {
    let stdout = io::stdout();
    let told = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    stdout.is_terminal().then(|| width_of(told()))
}

/// A terminal that does not tell its size may be described by the environment.
fn width_of(told: Option<usize>) -> usize {
    let columns = || std::env::var("COLUMNS").ok()?.trim().parse().ok();
    told.filter(|columns| *columns > 0).or_else(columns).unwrap_or(USUAL).max(NARROWEST)
}

/// Prints a text for a reader, whose lines are wrapped in a terminal; nothing is added to it.
pub(crate) fn text(text: &str) {
    let laid = match width() {
        Some(width) => wrap::text(text, width),
        None => text.to_owned(),
    };
    print!("{}", colour::marked(&laid, colour::wanted(&io::stdout())));
}

/// Prints the message of a command that could not do its work.
pub(crate) fn error(message: &str) {
    aside(&format!("error: {message}"));
}

/// Prints a line, or several, beside the output: on standard error.
pub(crate) fn aside(message: &str) {
    let stderr = io::stderr();
    let text = format!("{message}\n");
    let laid = match stderr.is_terminal() {
        true => {
            let told = terminal_size::terminal_size_of(&stderr).map(|(width, _)| usize::from(width.0));
            wrap::text(&text, width_of(told))
        }
        false => text,
    };
    eprint!("{}", colour::marked(&laid, colour::wanted(&stderr)));
}

/// Prints a value as JSON, indented.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}

/// A table with a head, its columns from `numbers` on aligned to the right.
pub(crate) fn table(head: &[&str], rows: Vec<Vec<String>>, numbers: usize) -> Table {
    Table::new(head, rows, numbers)
}

/// Standard output as a writer that lays out what it gets; each call is a text of its own.
pub(crate) struct Page;

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        text(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// A number with thousands set apart, for reading.
pub(crate) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
