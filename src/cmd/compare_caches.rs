//! `warpbook compare --caches`: predicted hit rates of the caches beside measured ones.

use kernels::bench::Selection;
use kernels::problem;
use kernels::timing::hit_rates::{self, HitRow};

use super::{Ended, Failure, USAGE};
use crate::cli::Compare;
use crate::out::{self, say};

pub(crate) fn run(args: &Compare, json: bool) -> Ended {
    let problems = match &args.problem {
        Some(name) => vec![name.clone()],
        None => problem::all().iter().map(|problem| problem.name.to_owned()).collect(),
    };
    let selection = Selection { problems, versions: args.names.clone(), ..Selection::default() };
    let progress = |row: &HitRow| eprintln!("{}, {}", row.kernel, row.workload);
    let rows = hit_rates::predict(&selection, &progress).map_err(|error| Failure::new(error.exit_code(), error))?;
    if rows.is_empty() {
        return Err(Failure::new(USAGE, "hit rates were recorded of nothing of that, or its inputs are too large"));
    }
    let [l1, l2] = hit_rates::distances(&rows);
    if json {
        out::json(&serde_json::json!({ "rows": rows, "l1": l1, "l2": l2 }))?;
        return Ok(0);
    }
    let cells = rows.iter().map(|row| {
        let ([l1, l2], [l1_off, l2_off]) = (row.measured, row.distances());
        let predicted = [row.predicted.l1.percent(), row.predicted.l2.percent()];
        let numbers = [predicted[0], l1, l1_off, predicted[1], l2, l2_off].map(|value| format!("{value:.1}"));
        [row.kernel.clone(), row.workload.clone(), row.blocks.to_string()].into_iter().chain(numbers).collect()
    });
    let head = ["kernel", "workload", "blocks", "L1 %", "measured", "off", "L2 %", "measured", "off"];
    say!("{}", out::table(&head, cells.collect(), 2));
    for (name, own) in [("L1", l1), ("L2", l2)] {
        say!(
            "{name}, {} launches: half are at most {:.1} points off, nine of ten {:.1}, all {:.1}",
            rows.len(),
            own.median,
            own.p90,
            own.worst
        );
    }
    Ok(0)
}
