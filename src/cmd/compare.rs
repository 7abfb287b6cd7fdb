//! `warpbook compare`.

use kernels::case;
use kernels::compare::{self, Against, Comparison, CounterRow, Row};
use kernels::gpu::Gpu;
use kernels::truth::Record;

use super::{Ended, FAULTY, Failure, USAGE};
use crate::cli::Compare;
use crate::out::{self, grouped};

pub(crate) fn run(args: &Compare, json: bool) -> Ended {
    let mut cases = case::select(&args.names).map_err(|error| Failure::new(USAGE, error))?;
    let (gpu, no_gpu) = match Gpu::open(0) {
        _ if args.no_gpu => (None, "--no-gpu was given".to_owned()),
        Ok(gpu) => (Some(gpu), String::new()),
        Err(error) => (None, error.to_string()),
    };
    let own_record;
    let failed = |error: compare::CompareError| Failure::new(error.exit_code(), error);
    let against = match &args.record {
        Some(path) => {
            own_record = Record::read(path).map_err(|error| Failure::new(USAGE, error))?;
            Against { records: vec![&own_record], gpu: gpu.as_ref() }
        }
        None => Against::recorded("h200", gpu.as_ref()).map_err(failed)?,
    };
    // Whoever asks for a problem by name is told that it has no record; who asks for everything gets what there is.
    let left_out = if args.names.is_empty() { against.without_a_record(&mut cases) } else { Vec::new() };
    let comparison = compare::compare(&cases, &against, &|_| {}).map_err(failed)?;
    if json {
        out::json(&comparison)?;
    } else {
        print(&comparison, args.counters, &no_gpu);
        for problem in left_out {
            println!("not recorded yet, so not compared: {problem}");
        }
    }
    Ok(if comparison.summary.agrees { 0 } else { FAULTY })
}

fn print(comparison: &Comparison, all_counters: bool, no_gpu: &str) {
    println!("{}", overview(comparison));
    println!("each pair: simulated = measured, loads and stores together (all counters: --counters)");
    let is_zero = |counter: &&CounterRow| counter.simulated == 0 && matches!(counter.measured, None | Some(0));
    let rows: Vec<&Row> = comparison.rows.iter().filter(|row| all_counters || !row.counters_agree()).collect();
    for row in rows {
        println!("\n{}, {} ({})", row.version, row.case, row.data);
        let lines = row.counters.iter().filter(|counter| !is_zero(counter)).map(|counter| {
            let verdict = match counter.agrees {
                Some(true) => "=",
                Some(false) => "DIFFERS",
                None if row.recorded.is_some() => "not recorded",
                None => "",
            };
            let measured = counter.measured.map_or("–".to_owned(), grouped);
            vec![counter.metric.to_owned(), verdict.to_owned(), grouped(counter.simulated), measured]
        });
        println!("{}", out::table(&["counter", "", "simulated", "measured"], lines.collect(), 2));
        match row.counters.iter().filter(is_zero).count() {
            0 => {}
            zeros => println!("{zeros} further counters are 0"),
        }
    }
    for row in comparison.rows.iter().filter(|row| !row.results_agree()) {
        if let Some(first) = &row.simulated.result.first {
            println!("{}, {}: wrong result on the simulator: {first}", row.version, row.case);
        }
        for finding in &row.simulated.findings {
            println!("{}, {}: {finding}", row.version, row.case);
        }
    }
    for twins in &comparison.twins {
        println!("{}", twins.sentence());
    }
    for record in &comparison.records {
        let p = &record.provenance;
        println!("measured: {} (driver {}, Nsight Compute {}), {}; {}", p.gpu, p.driver, p.ncu, p.date, record.file);
    }
    match &comparison.live {
        Some(gpu) => println!("live: {} of this machine ran the same PTX", gpu.name),
        None => println!("live: no GPU took part ({})", no_gpu.lines().next().unwrap_or_default()),
    }
    println!("{}", comparison.summary.closing);
}

/// The counters of the overview, with the words for its head.
const SHOWN: [(&str, &str); 3] = [
    ("smsp__sass_inst_executed_op_shared_", "shared instr."),
    ("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_", "wavefronts"),
    ("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_", "sectors"),
];

/// One line per case: result, agreement, the three counters that tell most, loads and stores together, and the time.
fn overview(comparison: &Comparison) -> tabled::Table {
    let mut head = vec!["version", "case", "data", "result", "counters"];
    head.extend(SHOWN.iter().map(|(_, title)| *title));
    head.push("µs");
    let rows = comparison.rows.iter().map(|row| {
        let compared = row.judged().filter(|c| c.agrees.is_some()).count();
        let equal = row.judged().filter(|c| c.agrees == Some(true)).count();
        let result = if row.results_agree() { row.verdict.word() } else { "WRONG" };
        let mut cells = vec![
            row.version.to_owned(),
            row.case.clone(),
            row.data.to_owned(),
            result.to_owned(),
            format!("{equal}/{compared}"),
        ];
        for (prefix, _) in SHOWN {
            let of = |direction: &str| {
                let name = format!("{prefix}{direction}.sum");
                row.counters.iter().find(|counter| counter.metric == name)
            };
            let (load, store) = (of("ld"), of("st"));
            let simulated: u64 = [load, store].into_iter().flatten().map(|c| c.simulated).sum();
            let measured: Option<u64> = [load, store].into_iter().flatten().map(|c| c.measured).sum();
            cells.push(match measured {
                Some(measured) => {
                    let sign = if measured == simulated { '=' } else { '≠' };
                    format!("{} {sign} {}", grouped(simulated), grouped(measured))
                }
                None => grouped(simulated),
            });
        }
        let time = row.live.as_ref().map(|live| &live.times).or(row.recorded.as_ref().map(|r| &r.times));
        cells.push(time.map_or("–".to_owned(), |times| format!("{:.1}", times.median_us())));
        cells
    });
    out::table(&head, rows.collect(), 4)
}
