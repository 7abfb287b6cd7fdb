//! Numbers, lanes and wrong elements as a learner reads them.

use std::fmt::Write as _;

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Style};

use crate::model::WrongElement;

/// Wrong elements beside what belongs there.
pub(crate) fn elements(out: &mut String, wrong: &[WrongElement]) {
    let mut table = Builder::default();
    table.push_record(["element", "expected", "got"]);
    for element in wrong {
        let got = element.got.clone().unwrap_or_else(|| "never written".to_owned());
        table.push_record([format!("{}[{}]", element.output, element.index), element.expected.clone(), got]);
    }
    write_table(out, table, 2);
}

/// Writes a table whose columns from `numbers` on are numbers.
pub(crate) fn write_table(out: &mut String, table: Builder, numbers: usize) {
    let mut table = table.build();
    table.with(Style::psql()).modify(Columns::new(numbers.min(1)..), Alignment::right());
    for line in table.to_string().lines() {
        let _ = writeln!(out, " {}", line.trim_end());
    }
}

/// A number with its thousands apart: 12,345.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Lanes as ranges: `0-3, 7`.
pub(crate) fn ranges(lanes: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &lane in lanes {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(lane) => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let text = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    runs.iter().map(text).collect::<Vec<_>>().join(", ")
}
