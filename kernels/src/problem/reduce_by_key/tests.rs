//! Tests of the reduction by key: the reference, the launches, the edges, and the closed forms.

use sim::Options;
use sim::report::FindingKind;

use super::plan::TILE;
use super::*;
use crate::simulate::{self, Simulated};
use crate::testing::as_expected as run;

fn metric(run: &Simulated, name: &str) -> u64 {
    let of = |report: &sim::Report| report.metrics.get(name).or_else(|| report.estimates.get(name)).copied();
    run.reports.iter().map(|report| of(report).unwrap_or(0)).sum()
}

/// How many lanes did an atomic in global memory.
fn lanes(case: &Case) -> u64 {
    let module = simulate::module(case.problem).unwrap_or_else(|error| panic!("{error}"));
    let options = Options { details: true, ..Options::default() };
    let run = simulate::run_with(&module, &case.prepare(), &options).unwrap_or_else(|error| panic!("{error}"));
    let lines = run.reports.iter().filter_map(|report| report.details.as_ref()).flat_map(|details| &details.lines);
    let atomics = lines.flat_map(|line| &line.accesses).filter(|access| access.kind.starts_with("global"));
    let together = atomics.filter_map(|access| access.atomics.as_ref()).flat_map(|meet| &meet.together);
    together.map(|(&lanes, &times)| u64::from(lanes) * times).sum()
}

#[test]
fn the_references_are_sums() {
    let (keys, values) = ([2, 2, 0, 2, 0], [1.0, 2.0, 4.0, 8.0, 16.0]);
    assert_eq!(table(&keys, &values, 1, 3).sums, [20.0, 0.0, 11.0]);
    let by_run = runs(&keys, &values);
    assert_eq!((by_run.keys, by_run.sums), (vec![2, 0, 2, 0], vec![3.0, 4.0, 8.0, 16.0]));
    let (keys, values) = sorted(&keys, &values);
    assert_eq!((keys, values), (vec![0, 0, 2, 2, 2], vec![4.0, 16.0, 1.0, 2.0, 8.0]));
    assert_eq!(table(&[1, 1], &[1.0, 2.0, 3.0, 4.0], 2, 2).sums, [0.0, 0.0, 4.0, 6.0]);
}

#[test]
fn what_the_kernels_are_not_made_for_is_refused() {
    let refused = |version, count, table| plan(version, count, table).unwrap_err().to_string();
    assert!(refused("by_key", 1, 1).contains("by_key_look_back_f64"));
    assert!(refused("by_key_atomic_f32", u64::from(u32::MAX), 1).contains("at most 4294963200 elements"));
    assert!(refused("by_key_atomic_f32", 1, 0).contains("at least 1"));
    assert!(refused("by_key_sort_f64", 1, u32::MAX).contains("type int"));
    assert_eq!(plan("by_key_sort_f64", 4500, 200).unwrap().steps.len(), 2 * 3 + 1);
    assert_eq!(plan("by_key_sort_f64", 4500, 1).unwrap().steps.len(), 1, "one key is sorted as it is");
    assert_eq!(plan("by_key_look_back_f64", u64::from(TILE) + 1, 9).unwrap().steps[0].shape.grid.x, 2);
}

#[test]
fn every_version_is_right_with_keys_of_every_order() {
    let orders = [
        Keys::Runs { length: 10 },
        Keys::One,
        Keys::Alternating,
        Keys::Random { table: 40 },
        Keys::Power { table: 40 },
    ];
    for &version in PROBLEM.versions.iter().filter(|version| **version != "by_key_peers_printed") {
        for keys in orders {
            for count in [1, 32, 300, 511] {
                run(&case(version, keys, count));
            }
        }
    }
}

#[test]
fn the_single_pass_is_right_from_one_tile_to_two() {
    for count in (TILE..2 * TILE).step_by(179).chain([TILE - 1, TILE + 1, 2 * TILE - 1, 2 * TILE, 2 * TILE + 1]) {
        for length in [1, 10, 32, TILE + 1] {
            run(&case("by_key_look_back_f64", Keys::Runs { length }, count));
        }
    }
    // More tiles than a warp looks at in one go, none of which begins a run.
    run(&case("by_key_look_back_f64", Keys::One, 40 * TILE + 5));
}

/// Ported word for word, the listings wait for lanes that never come as soon as a warp has two keys.
#[test]
fn the_ported_listings_wait_for_ever() {
    for keys in [Keys::Runs { length: 10 }, Keys::Random { table: 40 }, Keys::Alternating] {
        let case = case("by_key_peers_printed", keys, 64);
        let run = simulate::run(&case, &case.prepare()).unwrap_or_else(|error| panic!("{error}"));
        let findings: Vec<FindingKind> = run.reports[0].findings.iter().map(|finding| finding.kind).collect();
        assert_eq!(findings, [FindingKind::Deadlock], "{case}");
    }
}

/// Atomics per warp: 32 if everybody does one, one per different key after finding peers, one per run after a scan.
#[test]
fn atomics_are_those_of_the_closed_forms() {
    let count = 6 * 6 * 6 * 10;
    let atomics = |version, keys: Keys, count| lanes(&case(version, keys, count));
    let distinct = |keys: &[i32]| keys.iter().collect::<std::collections::HashSet<_>>().len() as u64;
    for keys in [Keys::Ordered { side: 6 }, Keys::ByAxes { side: 6 }, Keys::Random { table: 216 }] {
        let made = keys.make(count);
        let per_warp: u64 = made.chunks(32).map(distinct).sum();
        let per_block: u64 = made.chunks(256).map(distinct).sum();
        let runs: u64 =
            made.chunks(32).map(|warp| 1 + warp.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64).sum();
        assert_eq!(atomics("by_key_atomic_f64", keys, count), u64::from(count));
        for version in ["by_key_peers_f64", "by_key_match_f64", "by_key_match_redux_i32"] {
            assert_eq!(atomics(version, keys, count), per_warp, "{version}, {keys}");
        }
        assert_eq!(atomics("by_key_segmented_f64", keys, count), runs, "{keys}");
        assert_eq!(atomics("by_key_block_sort_f64", keys, count), per_block, "{keys}");
    }
    // a b a b: two keys, but 32 runs.
    assert_eq!(atomics("by_key_match_f64", Keys::Alternating, 32), 2);
    assert_eq!(atomics("by_key_segmented_f64", Keys::Alternating, 32), 32);
}

/// Of m lanes with one key, one succeeds per round: m rounds and m (m + 1) / 2 tries.
#[test]
fn a_loop_of_compare_and_swap_tries_as_often_as_it_must() {
    for m in [1, 2, 4, 8, 16, 32] {
        let case = case("by_key_cas_f64", Keys::Runs { length: m }, 32);
        let rounds = metric(&run(&case), "smsp__sass_inst_executed_op_global_atom.sum");
        assert_eq!(rounds, u64::from(m), "{m} lanes");
        assert_eq!(lanes(&case), u64::from(32 / m * (m * (m + 1) / 2)), "{m} lanes");
    }
}
