//! Printing that several commands share.

use std::panic::PanicHookInfo;

use serde::Serialize;
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::Style;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify};

/// Whether a panic only says that nobody reads our output any more.
pub(crate) fn is_broken_pipe(info: &PanicHookInfo<'_>) -> bool {
    let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
    text.starts_with("failed printing to stdout")
}

/// Prints a value as JSON, indented.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}

/// A table with a head, its columns from `numbers` on aligned to the right.
pub(crate) fn table(head: &[&str], rows: Vec<Vec<String>>, numbers: usize) -> Table {
    let mut builder = Builder::default();
    builder.push_record(head.iter().copied());
    for row in rows {
        builder.push_record(row);
    }
    let mut table = builder.build();
    table.with(Style::sharp());
    if numbers < head.len() {
        table.with(Modify::new(Columns::new(numbers..)).with(Alignment::right()));
    }
    table
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
