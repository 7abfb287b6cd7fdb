//! Predicted hit rates of L1 and L2 against what Nsight Compute counted on an H200: of kernels that do one thing each
//! (`sim/caches/tests/lookups`), by which the rules were found, and of launches of the bench, which nobody looked at for that.

use std::path::Path;

use kernels::bench::Selection;
use kernels::probes::{Probe, Suite};
use kernels::timing::hit_rates;
use rayon::prelude::*;
use sim::predict::How;
use sim::{Checks, Module, Options};

/// Percentage points by which a kernel that does one thing may be off.
const NEAR: f64 = 3.0;

/// Kernels of which a rule is known to be missing, and which.
const MISSING: [(&str, &str); 8] = [
    ("read_again_past_l1", "what L2 displaces when an array nearly fills it"),
    ("read_common", "multiprocessors that ask for one sector at the same time share one lookup of L2"),
    ("read_volatile", "a sample keeps one round of a loop that asks again and again"),
    ("write_columns", "a store finds a line of which other sectors are there"),
    ("write_walk", "L1 keeps a part of a sector until L2 has taken it, which depends on how busy the way there is"),
    ("write_then_read", "ptxas takes what was stored from its register"),
    ("write_then_read_later", "L1 keeps less of what is stored than of what is loaded"),
    ("copy_to_shared_by_l1", "a sample does not tell which copies look into L1"),
];

fn suite() -> Suite {
    Suite::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/caches/tests/lookups")).expect("a suite")
}

#[test]
fn kernels_that_do_one_thing_find_what_an_h200_found() {
    let suite = suite();
    let record = suite.truth("h200").expect("a record of this code");
    assert_eq!(record.probes.len(), suite.probes.len());
    let module = Module::parse("lookups.ptx", &suite.ptx["lookups"]).expect("PTX");
    let options = Options { checks: Checks::NONE, ..Options::default() };
    let is_missing = |probe: &Probe| MISSING.iter().any(|(kernel, _)| *kernel == probe.kernel);
    let compared: Vec<Vec<String>> = (suite.probes.par_iter().zip(&record.probes).enumerate())
        .map(|(at, (probe, counted))| {
            let launch = suite.launch(probe).expect("a launch");
            let rates = caches::of(&module, &probe.kernel, &launch, &options, &How::default()).expect("hit rates");
            let count = |metric: &str| counted.metrics.get(metric).copied().unwrap_or(0);
            let percent = |hits: &str, all: &str| count(hits) as f64 / count(all).max(1) as f64 * 100.0;
            let looked_up = count("l1tex__t_sectors.sum");
            // A sample that is not the whole launch counts for all blocks, to a sector.
            let other = rates.l1.sectors.abs_diff(looked_up) > looked_up / 1000;
            let sectors =
                other.then(|| format!("{} sectors are looked up in L1, and {looked_up} were", rates.l1.sectors));
            let both = [
                ("L1", rates.l1.percent(), percent("l1tex__t_sectors_lookup_hit.sum", "l1tex__t_sectors.sum")),
                ("L2", rates.l2.percent(), percent("lts__t_sectors_lookup_hit.sum", "lts__t_sectors.sum")),
            ];
            // Nsight Compute reads hits and lookups in different passes, so that there may be more of the former.
            let far =
                both.into_iter().filter(|(_, predicted, measured)| (predicted - measured.min(100.0)).abs() > NEAR);
            let far =
                far.map(|(cache, predicted, measured)| format!("{cache} {predicted:.1} %, measured {measured:.1} %"));
            sectors.into_iter().chain(far).map(|what| format!("launch {at}, {}: {what}", probe.kernel)).collect()
        })
        .collect();
    let of = |missing: bool| {
        let own = suite.probes.iter().zip(&compared).filter(move |(probe, _)| is_missing(probe) == missing);
        own.flat_map(|(_, wrong)| wrong.clone()).collect::<Vec<String>>()
    };
    let (wrong, known) = (of(false), of(true));
    let idle: Vec<&str> = MISSING
        .iter()
        .map(|(kernel, _)| *kernel)
        .filter(|kernel| !known.iter().any(|line| line.contains(&format!(", {kernel}: "))))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(idle.is_empty(), "no rule is missing of these any more: {idle:?}");
}

#[test]
fn launches_of_the_bench_find_about_what_they_found() {
    // The others take minutes: `warpbook compare --caches`.
    let selection = Selection { problems: vec!["copy".to_owned()], ..Selection::default() };
    let rows = hit_rates::predict(&selection, &|_| {}).expect("hit rates");
    let [l1, l2] = hit_rates::distances(&rows);
    assert!(rows.len() > 5, "{} launches", rows.len());
    assert!(l1.median <= 2.0 && l2.median <= 2.0, "{l1:?} {l2:?}\n{rows:#?}");
}

#[test]
fn the_suite_is_whole() {
    let suite = suite();
    let header = kernels::ptx::Header::parse(&suite.ptx["lookups"]).expect("a whole header");
    let source = suite.sources().expect("the source");
    let hint = "run: warpbook dev ptx --kernels sim/caches/tests/lookups";
    assert_eq!(header.source_sha256, kernels::ptx::sha256(&source), "lookups.cu has changed. {hint}");
}
