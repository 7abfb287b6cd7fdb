//! The tables that begin a comparison: a row per problem, or a row per case.

use std::collections::BTreeSet;

use kernels::compare::{Comparison, Row};

use crate::out::{self, Table, grouped};

/// A row per problem: how many versions and cases, how many results are right, how many counters agree, and how long all
/// cases together take on the GPU.
pub(super) fn problems(comparison: &Comparison) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for row in &comparison.rows {
        if !names.contains(&row.problem) {
            names.push(row.problem);
        }
    }
    let rows = names.into_iter().map(|name| {
        let rows: Vec<&Row> = comparison.rows.iter().filter(|row| row.problem == name).collect();
        let versions: BTreeSet<&str> = rows.iter().map(|row| row.version).collect();
        let right = rows.iter().filter(|row| row.results_agree()).count();
        let judged = || rows.iter().flat_map(|row| row.judged()).filter(|counter| counter.agrees.is_some());
        let equal = judged().filter(|counter| counter.agrees == Some(true)).count();
        let known =
            rows.iter().flat_map(|row| row.judged()).filter(|counter| counter.word() == "known to differ").count();
        let times: Vec<f64> = rows.iter().filter_map(|row| median_us(row)).collect();
        vec![
            name.to_owned(),
            versions.len().to_string(),
            grouped(rows.len() as u64),
            if right == rows.len() { "all right".to_owned() } else { format!("{} WRONG", rows.len() - right) },
            format!("{} of {}", grouped(equal as u64), grouped(judged().count() as u64)),
            if known == 0 { String::new() } else { grouped(known as u64) },
            if times.is_empty() { "–".to_owned() } else { grouped(times.iter().sum::<f64>().round() as u64) },
        ]
    });
    let head = ["problem", "versions", "cases", "results", "counters that agree", "known to differ", "µs"];
    out::table(&head, rows.collect(), 1).spare(&["versions", "known to differ", "cases"])
}

/// The time on this machine's GPU, if there is one, else that of the record.
fn median_us(row: &Row) -> Option<f64> {
    let times = row.live.as_ref().map(|live| &live.times).or(row.recorded.as_ref().map(|recorded| &recorded.times));
    times.map(kernels::gpu::Times::median_us)
}

/// The counters of the overview, with the words for its head.
const SHOWN: [(&str, &str); 3] = [
    ("smsp__sass_inst_executed_op_shared_", "shared instr."),
    ("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_", "wavefronts"),
    ("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_", "sectors"),
];

/// A row per case: result, agreement, the three counters that tell most, loads and stores together, and the time.
pub(super) fn cases(comparison: &Comparison) -> Table {
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
            if row.recorded.is_some() { format!("{equal}/{compared}") } else { "simulator only".to_owned() },
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
        cells.push(median_us(row).map_or("–".to_owned(), |us| format!("{us:.1}")));
        cells
    });
    out::table(&head, rows.collect(), 4).spare(&["data", "sectors", "shared instr.", "result"])
}
