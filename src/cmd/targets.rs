//! `warpbook targets`: the GPUs that can be simulated, and where their numbers come from.

use sim::target;

use super::{Ended, Failure, USAGE};
use crate::cli::Targets;
use crate::out::{self, say};

pub(crate) fn run(args: &Targets, json: bool) -> Ended {
    match &args.name {
        Some(name) => one(name, json),
        None => all(json),
    }
}

fn all(json: bool) -> Ended {
    if json {
        out::json(&target::all().iter().map(target::Target::summary).collect::<Vec<_>>())?;
        return Ok(0);
    }
    let head = ["target", "GPU", "capability", "multiprocessors", "MHz", "GB/s", "banks", "global memory", "lowering"];
    let rows = target::all().iter().map(|target| {
        let summary = target.summary();
        vec![
            summary.name,
            summary.gpu,
            summary.compute_capability,
            summary.multiprocessors.to_string(),
            summary.clock_mhz.to_string(),
            (summary.bandwidth_mb_per_s / 1000).to_string(),
            summary.banks,
            summary.coalescing,
            summary.lowering,
        ]
    });
    let spare = ["lowering", "multiprocessors", "MHz", "capability"];
    say!("{}", out::table(&head, rows.collect(), head.len()).spare(&spare));
    say!("`warpbook targets NAME` shows every number of a target with its source.");
    Ok(0)
}

fn one(name: &str, json: bool) -> Ended {
    let Some(target) = target::find(name) else {
        return Err(Failure::new(USAGE, target::unknown(name)));
    };
    if json {
        out::json(&target.facts)?;
        return Ok(0);
    }
    say!("{}: {}, chip {}\n", target.name, target.title, target.chip);
    for (source, facts) in target.by_source() {
        say!("{source}");
        for fact in facts {
            say!("  {:<30} {}", fact.name, fact.value);
        }
    }
    Ok(0)
}
