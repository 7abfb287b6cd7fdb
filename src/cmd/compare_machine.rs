//! `warpbook compare --machine-code`: the committed machine code, executed, beside what a GPU counted of it.

use kernels::case::Case;
use kernels::machine_comparison::{self, MOST_THREADS, MachineComparison};

use super::{Ended, FAULTY, Failure};
use crate::cli::Compare;
use crate::out::{self, grouped, say};

/// Differences of a case that are shown.
const MOST: usize = 12;

pub(crate) fn run(args: &Compare, cases: &[Case], json: bool) -> Ended {
    let most = if args.all { u64::MAX } else { MOST_THREADS };
    let compared = machine_comparison::compare(cases, most).map_err(|why| Failure::new(why.exit_code(), why))?;
    if json {
        out::json(&compared)?;
    } else {
        print(args, &compared);
    }
    Ok(if compared.unexplained().next().is_none() { 0 } else { FAULTY })
}

fn print(args: &Compare, compared: &MachineComparison) {
    let sums = compared.sums(|case| if args.names.is_empty() { case.problem } else { case.version });
    let rows = sums.iter().map(|sum| {
        vec![
            sum.group.to_owned(),
            sum.cases.to_string(),
            sum.launches.to_string(),
            grouped(sum.stream as u64),
            grouped(sum.instructions as u64),
            grouped(sum.memory as u64),
            grouped(sum.differ as u64),
            format!("{} of {}", sum.same_outputs, sum.cases),
        ]
    });
    let head = ["", "cases", "launches", "of launches", "of instructions", "of memory", "differ", "same outputs"];
    say!("{}", out::table(&head, rows.collect(), 1).spare(&["launches", "of memory"]));
    say!(
        "counters that were compared: of launches, of their instructions, of memory; outputs: those of the road over PTX, bit by bit"
    );
    for (case, difference) in compared.unexplained().take(MOST) {
        say!("DIFFERS: {}, {}: {}", case.version, case.case, difference.sentence);
    }
    for why in compared.reasons() {
        say!("known: {why}");
    }
    for (problem, provenance) in &compared.provenance {
        let p = provenance;
        say!(
            "measured: {problem}: {} (driver {}, Nsight Compute {}), {}, ptxas {}",
            p.gpu,
            p.driver,
            p.ncu,
            p.date,
            p.ptxas
        );
    }
    say!("{}", compared.closing());
}
