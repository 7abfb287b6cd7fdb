//! A comparison as one list of counters: for spreadsheets, and for finding the worst.

use super::comparison::{Comparison, CounterRow, Row};

/// One counter of the launches of a case that are alike.
#[derive(Debug, Clone, Copy)]
pub struct Flat<'a> {
    /// The case.
    pub row: &'a Row,
    /// The kernel; None for all launches together.
    pub kernel: Option<&'a str>,
    /// The counter.
    pub counter: &'a CounterRow,
}

/// Whether a counter's name or its short name has `part` in it; upper and lower case are the same.
pub fn is_called(counter: &CounterRow, part: &str) -> bool {
    let part = part.to_lowercase();
    counter.metric.contains(&part) || counter.label.to_lowercase().contains(&part)
}

/// Every counter that is compared, as far as it is called like one of `parts` (all, if there are none).
pub fn all<'a>(comparison: &'a Comparison, parts: &'a [String]) -> impl Iterator<Item = Flat<'a>> {
    let of = |row: &'a Row| {
        let several = row.launches.len() > 1;
        let own = if several { &[][..] } else { &row.counters[..] };
        let kernel = row.launches.first().map(|launch| launch.kernel);
        let own = own.iter().map(move |counter| Flat { row, kernel, counter });
        let launches = row.launches.iter().flat_map(move |launch| {
            launch.counters.iter().map(move |counter| Flat { row, kernel: Some(launch.kernel), counter })
        });
        own.chain(launches)
    };
    let wanted = |flat: &Flat<'_>| parts.is_empty() || parts.iter().any(|part| is_called(flat.counter, part));
    comparison.rows.iter().flat_map(of).filter(wanted)
}

/// The counters that are not equal, the farthest from equal first: what differs and is not known before what is known,
/// and this before what the hardware does not repeat.
pub fn worst<'a>(comparison: &'a Comparison, parts: &'a [String]) -> Vec<Flat<'a>> {
    let unequal = |flat: &Flat<'_>| flat.counter.measured.is_some_and(|measured| measured != flat.counter.simulated);
    let mut worst: Vec<Flat<'a>> = all(comparison, parts).filter(unequal).collect();
    // A stable sort: what is equally far apart stays in the order of the cases.
    worst.sort_by(|a, b| {
        rank(a.counter).cmp(&rank(b.counter)).then(distance(b.counter).total_cmp(&distance(a.counter)))
    });
    worst
}

/// What comes first.
const fn rank(counter: &CounterRow) -> u8 {
    match (counter.agrees, counter.known) {
        (Some(false), _) => 0,
        (_, Some(known)) if matches!(known.kind, crate::known::Kind::Lowering) => 1,
        _ => 2,
    }
}

/// How far apart two numbers are: the logarithm of their ratio, infinite when only one of them is 0.
fn distance(counter: &CounterRow) -> f64 {
    match (counter.simulated, counter.measured.unwrap_or(0)) {
        (0, 0) => 0.0,
        (0, _) | (_, 0) => f64::INFINITY,
        (simulated, measured) => (simulated as f64 / measured as f64).ln().abs(),
    }
}

/// The columns of [`csv()`].
pub const COLUMNS: [&str; 15] = [
    "problem",
    "version",
    "case",
    "data",
    "kernel",
    "metric",
    "label",
    "simulated",
    "measured",
    "least",
    "most",
    "ratio",
    "verdict",
    "cause",
    "page",
];

/// The list as comma-separated values, with a line of names.
///
/// # Errors
/// As [`csv::Writer`]; never, since it writes into memory.
pub fn csv(comparison: &Comparison, parts: &[String]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    for Flat { row, kernel, counter } in all(comparison, parts) {
        writer.write_record([
            row.problem,
            row.version,
            &row.case,
            row.data,
            kernel.unwrap_or_default(),
            counter.metric,
            counter.label,
            &counter.simulated.to_string(),
            &number(counter.measured),
            &number(counter.range.map(|[least, _]| least)),
            &number(counter.range.map(|[_, most]| most)),
            &counter.ratio().map_or(String::new(), |ratio| format!("{ratio:.4}")),
            counter.word(),
            counter.known.map_or("", |known| known.cause),
            counter.known.map_or("", |known| known.page),
        ])?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
