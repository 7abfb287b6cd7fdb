//! `warpbook compare`.

mod overview;

use kernels::baseline::Changes;
use kernels::case::Case;
use kernels::cases;
use kernels::compare::sides::{self, Change, Sides};
use kernels::compare::{self, Against, Comparison, CounterRow, Row, edited, flat, html, lines};
use kernels::gpu::Gpu;
use kernels::problem;
use kernels::truth::Record;

use super::{Ended, FAULTY, Failure, USAGE};
use crate::cli::Compare;
use crate::out::{self, grouped, say};

/// Lines of an edited source that are shown, and lines with other counters.
const MOST_LINES: usize = 12;

pub(crate) fn run(args: &Compare, json: bool) -> Ended {
    if args.time {
        return super::compare_time::run(args, json);
    }
    let mut cases = selected(args)?;
    if args.caches {
        return super::compare_caches::run(args, json);
    }
    if args.machine_code {
        return super::compare_machine::run(args, &cases, json);
    }
    let (gpu, no_gpu) = match Gpu::open(0) {
        _ if args.no_gpu => (None, "--no-gpu was given".to_owned()),
        Ok(gpu) => (Some(gpu), String::new()),
        Err(error) => (None, error.to_string()),
    };
    let own_record;
    let failed = |error: compare::CompareError| Failure::new(error.exit_code(), error);
    let mut against = match &args.record {
        Some(path) => {
            own_record = Record::read(path).map_err(|error| Failure::new(USAGE, error))?;
            // A record is about one problem: whoever names nothing else means that one.
            if args.names.is_empty() && args.problem.is_none() {
                cases.retain(|case| case.problem == own_record.problem);
            }
            Against::record(&own_record, gpu.as_ref()).map_err(failed)?
        }
        None => Against::recorded(&target(args)?, gpu.as_ref()).map_err(failed)?,
    };
    against.simulator.all_checks = args.all_checks;
    // Whoever asks for a problem by name is told that it has no record; who asks for everything gets what there is.
    let everything = args.names.is_empty();
    let left_out = if everything { against.without_a_record(&mut cases) } else { Vec::new() };
    against.simulator.edited = edited(args, &mut cases)?;
    let comparison = compare::compare(&cases, &against, &|_| {}).map_err(failed)?;
    if let Some(file) = &args.html {
        let page = html::page(&comparison, &args.counter);
        std::fs::write(file, page)
            .map_err(|why| Failure::new(USAGE, format!("cannot write {}: {why}", file.display())))?;
        eprintln!("written: {}", file.display());
    }
    let pair = pair(args).and_then(|[a, b]| sides::sides(&comparison, a, b, &args.counter));
    if json {
        let mut value = serde_json::to_value(&comparison).map_err(anyhow::Error::from)?;
        if let Some(pair) = &pair {
            value["sides"] = serde_json::to_value(pair).map_err(anyhow::Error::from)?;
        }
        out::json(&value)?;
    } else if args.csv {
        print!("{}", flat::csv(&comparison, &args.counter).map_err(anyhow::Error::from)?);
    } else {
        match (&pair, args.worst) {
            (Some(pair), _) => print_sides(pair),
            (None, Some(count)) => print_worst(&comparison, &args.counter, count),
            (None, None) => print(&comparison, args),
        }
        print_end(&comparison, &no_gpu);
        for problem in left_out {
            say!("not recorded yet, so not compared: {problem}");
        }
        say!("{}", comparison.summary.closing);
    }
    Ok(if comparison.summary.agrees { 0 } else { FAULTY })
}

/// The GPU to simulate.
fn target(args: &Compare) -> Result<String, Failure> {
    let Some(name) = &args.target else { return Ok(sim::target::DEFAULT.to_owned()) };
    let found = sim::target::find(name).ok_or_else(|| Failure::new(USAGE, sim::target::unknown(name)))?;
    Ok(found.name.clone())
}

/// The cases that were asked for.
fn selected(args: &Compare) -> Result<Vec<Case>, Failure> {
    let mut cases = match pair(args) {
        // By their full names: `scan_blelloch` is not `scan_blelloch_pairs` here.
        Some(pair) => cases::all().into_iter().filter(|case| pair.contains(&case.version)).collect(),
        None => cases::select(&args.names).map_err(|error| Failure::new(USAGE, error))?,
    };
    if let Some(name) = &args.problem {
        let problem = problem::find(name).ok_or_else(|| {
            let known: Vec<&str> = problem::all().iter().map(|problem| problem.name).collect();
            Failure::new(USAGE, format!("there is no problem `{name}`; there are {}", known.join(", ")))
        })?;
        cases.retain(|case| case.problem == problem.name);
        if cases.is_empty() {
            return Err(Failure::new(USAGE, format!("nothing of {name} is called like that")));
        }
    }
    for counter in &args.counter {
        let part = counter.to_lowercase();
        let is_called =
            |own: &kernels::counters::Counter| own.metric.contains(&part) || own.label.to_lowercase().contains(&part);
        if !kernels::counters::EXACT.iter().any(is_called) {
            return Err(Failure::new(
                USAGE,
                format!("no exact counter has `{counter}` in its name; the book's page on the counters lists them"),
            ));
        }
    }
    Ok(cases)
}

/// Two versions that were named in full.
fn pair(args: &Compare) -> Option<[&'static str; 2]> {
    let version = |name: &String| problem::all().iter().flat_map(|p| p.versions).find(|own| *own == name).copied();
    match &args.names[..] {
        [a, b] if a != b => Some([version(a)?, version(b)?]),
        _ => None,
    }
}

/// The sources that are not those of the committed PTX. Of cases only those that are theirs remain, if they were named.
fn edited(args: &Compare, cases: &mut Vec<Case>) -> Result<Vec<edited::Edited>, Failure> {
    let failed = |error: edited::EditedError| Failure::new(error.exit_code(), error);
    if args.source.is_empty() {
        let mut problems: Vec<&str> = cases.iter().map(|case| case.problem).collect();
        problems.dedup();
        return edited::here(problems.into_iter()).map_err(failed);
    }
    let stem = |file: &std::path::PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let named: Vec<String> = args.source.iter().map(stem).collect();
    let edited = args.source.iter().map(|file| edited::of_file(file)).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    cases.retain(|case| named.iter().any(|name| name == case.problem));
    if cases.is_empty() {
        return Err(Failure::new(USAGE, "nothing that was named is in the source"));
    }
    Ok(edited.into_iter().flatten().collect())
}

fn print(comparison: &Comparison, args: &Compare) {
    if args.asks_for_everything() && !args.all {
        say!("{}", overview::problems(comparison));
        say!("µs: all cases together, one after the other, on the GPU; a row for every case: warpbook compare --all");
    } else {
        say!("{}", overview::cases(comparison));
        say!("each pair: simulated = measured, loads and stores together (all counters: --counters)");
    }
    let is_zero = |counter: &&CounterRow| counter.simulated == 0 && matches!(counter.measured, None | Some(0));
    let wanted = |counter: &&CounterRow| {
        args.counter.is_empty() || args.counter.iter().any(|part| flat::is_called(counter, part))
    };
    let all = args.counters || args.lines || !args.counter.is_empty();
    let rows: Vec<&Row> = comparison.rows.iter().filter(|row| all || !row.counters_agree()).collect();
    for row in rows {
        say!("\n{}, {} ({})", row.version, row.case, row.data);
        if args.lines {
            print_lines(row, &args.counter);
            continue;
        }
        // Of a case that disagrees, what does not agree.
        let telling = |counter: &&CounterRow| all || counter.word() != "equal";
        let shown = row.counters.iter().filter(wanted).filter(telling);
        let lines = shown.clone().filter(|counter| !is_zero(counter)).map(|counter| {
            let verdict = match counter.word() {
                "equal" => "=",
                word => word,
            };
            let measured = counter.measured.map_or("–".to_owned(), grouped);
            let measured =
                counter.range.map_or(measured, |[least, most]| format!("{} to {}", grouped(least), grouped(most)));
            vec![counter.metric.to_owned(), verdict.to_owned(), grouped(counter.simulated), measured]
        });
        say!("{}", out::table(&["counter", "", "simulated", "measured"], lines.collect(), 2));
        match shown.filter(is_zero).count() {
            0 => {}
            zeros => say!("{zeros} further counters are 0"),
        }
    }
}

/// Every counter of a case, and the lines that it comes from.
fn print_lines(row: &Row, parts: &[String]) {
    let mut table = Vec::new();
    for counter in lines::by_line(row, parts) {
        let total = counter.total;
        let measured = total.measured.map_or("–".to_owned(), grouped);
        table.push(vec![total.label.to_owned(), "all lines".to_owned(), grouped(total.simulated), measured]);
        for (file, line, value) in counter.lines {
            table.push(vec![String::new(), format!("{file}:{line}"), grouped(value), String::new()]);
        }
    }
    say!("{}", out::table(&["counter", "line", "simulated", "measured"], table, 2));
}

fn print_worst(comparison: &Comparison, parts: &[String], count: usize) {
    let worst = flat::worst(comparison, parts);
    let rows = worst.iter().take(count).map(|flat| {
        let counter = flat.counter;
        let ratio = counter.ratio().map_or("–".to_owned(), |ratio| format!("{ratio:.3}"));
        vec![
            flat.row.version.to_owned(),
            flat.row.case.clone(),
            counter.label.to_owned(),
            counter.word().to_owned(),
            grouped(counter.simulated),
            counter.measured.map_or("–".to_owned(), grouped),
            ratio,
        ]
    });
    let head = ["version", "case", "counter", "", "simulated", "measured", "ratio"];
    say!("{}", out::table(&head, rows.collect(), 4));
    let mut causes: Vec<(&str, &str)> =
        worst.iter().take(count).filter_map(|flat| flat.counter.known).map(|known| (known.cause, known.page)).collect();
    causes.sort_unstable();
    causes.dedup();
    for (cause, page) in causes {
        say!("known: {cause} ({page})");
    }
    match worst.len().saturating_sub(count) {
        0 => {}
        more => say!("{more} more counters are not equal; --worst {} shows them all", worst.len()),
    }
}

fn print_sides(sides: &Sides) {
    let Sides { first, second, case, common, times, changed, equal } = sides;
    say!("from {first} to {second}, in the largest of the {common} cases that both have ({case}):");
    let table = changed.iter().map(|change| {
        let [a, b] = change.simulated;
        vec![change.label.to_owned(), change.words(), change.hardware(), grouped(a), grouped(b)]
    });
    say!("{}", out::table(&["counter", "", "on the GPU", first, second], table.collect(), 3));
    say!("{equal} counters that are not 0 are equal");
    if let Some([a, b]) = times {
        say!("measured time: {:.1} µs and {:.1} µs", *a as f64 / 1e3, *b as f64 / 1e3);
    }
    if !changed.is_empty() {
        say!("the lines that count most:");
    }
    for change in changed {
        say!("  {}", change.label);
        print_side(first, change, 0);
        print_side(second, change, 1);
    }
    say!();
}

fn print_side(version: &str, change: &Change, side: usize) {
    let lines = change.lines[side].iter().map(|(file, line, value)| format!("{file}:{line} {}", grouped(*value)));
    let lines: Vec<String> = lines.collect();
    say!("    {version}: {}", if lines.is_empty() { "none".to_owned() } else { lines.join(", ") });
}

/// What stands below every table: wrong results, changed code, twins, records, what has to be looked at.
fn print_end(comparison: &Comparison, no_gpu: &str) {
    for row in comparison.rows.iter().filter(|row| !row.results_agree()) {
        if let Some(first) = &row.simulated.result.first {
            say!("{}, {}: wrong result on the simulator: {first}", row.version, row.case);
        }
        for finding in &row.simulated.findings {
            say!("{}, {}: {finding}", row.version, row.case);
        }
    }
    for changes in &comparison.changes {
        print_changes(changes);
    }
    for twins in &comparison.twins {
        say!("{}", twins.sentence());
    }
    for record in &comparison.records {
        let p = &record.provenance;
        say!("measured: {} (driver {}, Nsight Compute {}), {}; {}", p.gpu, p.driver, p.ncu, p.date, record.file);
    }
    if comparison.records.is_empty() {
        say!("nothing was measured: only the simulator knows {}", comparison.target);
    }
    match &comparison.live {
        Some(gpu) => say!("live: {} of this machine ran the same PTX", gpu.name),
        None => say!("live: no GPU took part ({})", no_gpu.lines().next().unwrap_or_default()),
    }
    for sentence in &comparison.summary.review {
        say!("to be looked at: {sentence}");
    }
}

/// Which lines of an edited source count something else.
fn print_changes(changes: &Changes) {
    say!("{} is not the code that was recorded:", changes.file);
    for (line, text) in changes.source.iter().take(MOST_LINES) {
        say!("  changed: {}:{line}: {text}", changes.file);
    }
    if changes.source.len() > MOST_LINES {
        say!("  and {} more lines of the source", changes.source.len() - MOST_LINES);
    }
    for changed in changes.lines.iter().take(MOST_LINES) {
        let counts: Vec<String> = changed
            .counters
            .iter()
            .map(|count| format!("{} {} → {}", count.label, grouped(count.was), grouped(count.now)))
            .collect();
        let place = changed.line.or(changed.was).unwrap_or_default();
        let place = match changed.line {
            Some(_) => format!("{}:{place}", changes.file),
            None => format!("{}, line {place} as it was", changes.file),
        };
        let (version, case) = &changed.versions[0];
        let more = match changed.versions.len() {
            1 => String::new(),
            several => format!(", and {} more versions", several - 1),
        };
        say!("  {place}: {} ({version}, {case}{more})", counts.join(", "));
    }
    match changes.lines.len() {
        0 => say!("  no line counts anything else in the cases that were looked at"),
        many if many > MOST_LINES => say!("  and {} more lines (--json lists them)", many - MOST_LINES),
        _ => {}
    }
}
