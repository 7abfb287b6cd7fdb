//! `warpbook bench`.

use kernels::bench::record::{self, Record, Row};
use kernels::bench::view::{self, Block, Line};
use kernels::bench::{self, Options, Progress, Selection, plot};

use super::{Ended, FAULTY, Failure, UNSUPPORTED, USAGE};
use crate::cli::Bench;
use crate::out::{self, say};

/// Which rows of a record are shown.
type Keep = Box<dyn Fn(&Row) -> bool>;

pub(crate) fn run(args: Bench, json: bool) -> Ended {
    let selection = Selection {
        problems: args.problems.clone(),
        versions: args.versions.clone(),
        sizes: args.sizes.clone(),
        data: args.data.clone(),
    };
    let failed = |error: bench::BenchError| {
        let hint = if error.is_missing_gpu() { elsewhere() } else { String::new() };
        Failure::new(error.exit_code(), format!("{error}{hint}"))
    };
    let measured;
    let (record, keep): (&Record, Keep) = if args.show {
        let keep = selection.rows().map_err(failed)?;
        let records = record::records().map_err(|error| Failure::new(super::INTERNAL, error))?;
        let none = || Failure::new(UNSUPPORTED, "this program was built without a record of a bench");
        (records.first().ok_or_else(none)?, Box::new(keep))
    } else {
        let options = Options {
            selection,
            runs: args.runs,
            seconds: args.seconds,
            gpu: args.gpu,
            peers: !args.no_peers,
            every_size: args.every_size || args.record && args.sizes.is_empty() && args.data.is_empty(),
        };
        measured = bench::run(&options, &mut progress).map_err(failed)?;
        if args.record {
            let file = measured.clone().into_record(&args.out).map_err(|why| Failure::new(USAGE, why))?;
            let file = file.write(&args.out).map_err(|(file, why)| unwritten(&file, &why))?;
            eprintln!("written: {}", file.display());
        }
        (&measured, Box::new(|_| true))
    };
    if let Some(file) = &args.svg {
        let svg =
            plot::svg(record, &keep).ok_or_else(|| Failure::new(USAGE, "nothing was timed that could be drawn"))?;
        std::fs::write(file, svg).map_err(|why| unwritten(file, &why))?;
        eprintln!("written: {}", file.display());
    }
    let blocks = view::blocks(record, &keep);
    if json {
        let notes = view::notes(record);
        out::json(&serde_json::json!({
            "recorded": args.show, "sweeps": record.sweeps, "provenance": record.provenance, "method": record.method, "notes": notes,
            "workloads": blocks,
        }))?;
    } else if args.csv {
        let csv = view::csv(record, &keep).map_err(anyhow::Error::from)?;
        print!("{csv}");
    } else {
        blocks.iter().for_each(print);
        let swept = |sweep: &bench::Sweep| blocks.iter().any(|block| block.problem == sweep.problem);
        view::sweeps(record, &swept).iter().for_each(|sentence| say!("{sentence}"));
        if args.show {
            say!("this is a record of another machine; without --show this machine's GPU is measured");
        }
        view::notes(record).iter().for_each(|note| say!("{note}"));
    }
    let wrong = |line: &Line<'_>| matches!(line.row.outcome, bench::Outcome::Failed { .. });
    let swept_wrong = !args.show && record.sweeps.iter().any(|sweep| sweep.wrong.is_some());
    Ok(if swept_wrong || blocks.iter().flat_map(|block| &block.lines).any(wrong) { FAULTY } else { 0 })
}

fn unwritten(file: &std::path::Path, why: &std::io::Error) -> Failure {
    Failure::new(USAGE, format!("cannot write {}: {why}", file.display()))
}

/// Where times can be seen on a machine that has no GPU.
fn elsewhere() -> String {
    let recorded = record::records().ok().and_then(|records| records.first());
    recorded.map_or(String::new(), |record| {
        format!("; the times of an {} are in this program: warpbook bench --show", record.provenance.gpu)
    })
}

fn progress(progress: Progress<'_>) {
    match progress {
        Progress::Making { problem, size, data, number, total } => {
            eprintln!("[{number}/{total}] {problem}: {size}, {data}");
        }
        Progress::Measured(row) => match row.outcome.times() {
            Some(times) => eprintln!("    {}: {}", row.version, plot::microseconds(times.median_ns)),
            None => eprintln!("    {}: not timed", row.version),
        },
        Progress::Swept(sweep) => eprintln!("    {}: {} sizes", sweep.version, sweep.sizes),
    }
}

fn print(block: &Block<'_>) {
    let copy = block.copy.map_or(String::new(), |copy| {
        format!("; a copy of as many bytes takes {}", plot::microseconds(copy.median_ns))
    });
    let least = block.least_us.map_or(String::new(), |us| format!(", in {us:.1} µs at least"));
    say!(
        "{}, {} {}, {}: {} bytes at least{least}{copy}",
        block.problem,
        block.size,
        block.unit,
        block.data,
        out::grouped(block.bytes)
    );
    let head = ["version", "µs", "from", "to", "runs", "GB/s", "% of copy", "× least", "× peer"];
    let number =
        |value: Option<f64>, digits: usize| value.map_or("–".to_owned(), |value| format!("{value:.digits$}"));
    let rows = block.lines.iter().map(|line| {
        let times = line.times();
        let us = |of: fn(&kernels::gpu::Times) -> u64| number(times.map(|times| of(times) as f64 / 1e3), 1);
        vec![
            line.row.version.clone(),
            us(|times| times.median_ns),
            us(|times| times.min_ns),
            us(|times| times.max_ns),
            times.map_or("–".to_owned(), |times| times.runs.to_string()),
            number(line.gb_per_s, 0),
            number(line.percent_of_copy, 1),
            number(line.over_least, 2),
            number(line.over_peer, 2),
        ]
    });
    say!("{}", out::table(&head, rows.collect(), 1).spare(&["runs", "to", "from", "% of copy"]));
    for line in &block.lines {
        if let Some(why) = line.why() {
            say!("{}: {why}", line.row.version);
        }
    }
    say!();
}
