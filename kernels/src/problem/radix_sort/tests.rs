//! Tests of the radix sorts on the simulator: edge sizes, distributions, orders of thread blocks, and what each version
//! promises.

use sim::{Options, Report};

use super::plan::{SMALL, SWEEP, TILE};
use super::*;
use crate::simulate;
use crate::testing::as_expected;

fn run(case: &Case) -> Vec<Report> {
    as_expected(case).reports
}

fn metric(report: &Report, metric: &str) -> u64 {
    report.metrics.get(metric).or_else(|| report.estimates.get(metric)).copied().unwrap_or(0)
}

fn sum(reports: &[Report], name: &str) -> u64 {
    reports.iter().map(|report| metric(report, name)).sum()
}

const STORE_SECTORS: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
const STORES: &str = "smsp__sass_inst_executed_op_global_st.sum";
const LOADED_BYTES: &str = "smsp__sass_data_bytes_mem_global_op_ld.sum";
const STORED_BYTES: &str = "smsp__sass_data_bytes_mem_global_op_st.sum";
const ATOMIC_WAVEFRONTS: &str = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum";
const SHARED_LOADS: &str = "smsp__sass_inst_executed_op_shared_ld.sum";
const INSTRUCTIONS: &str = "warpbook__ptx_inst_executed.sum";

#[test]
fn the_reference_is_stable_and_knows_the_types() {
    let keys = [3, 0x8000_0000, 3, 0, u32::MAX];
    let (sorted, places) = reference(Kind::U32, &keys);
    assert_eq!((sorted, places), (vec![0, 3, 3, 0x8000_0000, u32::MAX], vec![3, 0, 2, 1, 4]));
    assert_eq!(reference(Kind::I32, &keys).1, [1, 4, 3, 0, 2]);
    let floats = [f32::NAN, 0.0, -0.0, f32::NEG_INFINITY, 1.0, f32::INFINITY, -f32::NAN].map(f32::to_bits);
    assert_eq!(reference(Kind::F32, &floats).1, [6, 3, 2, 1, 4, 5, 0]);
}

#[test]
fn the_keys_are_as_named() {
    let different = |keys: Keys| {
        let mut keys = keys.make(5000);
        keys.sort_unstable();
        keys.dedup();
        keys.len()
    };
    assert_eq!((different(Keys::Constant), different(Keys::OneDigit(3))), (1, 256));
    assert!(different(Keys::Uniform) > 4990 && different(Keys::Special) > 2000);
    assert!(Keys::Sorted.make(99).is_sorted() && Keys::Reverse.make(99).is_sorted_by(|a, b| a >= b));
    assert!(Keys::Narrow.make(99).iter().all(|&key| key < 1 << 16));
    let ones = |keys: Keys| keys.make(5000).iter().map(|key| key.count_ones()).sum::<u32>() / 5000;
    assert!((15..=16).contains(&ones(Keys::Uniform)) && (3..=4).contains(&ones(Keys::And(3))));
    let special = Keys::Special.make(5000);
    assert!([0.0, -0.0, f32::NAN, f32::NEG_INFINITY].iter().all(|float| special.contains(&float.to_bits())));
}

#[test]
fn every_version_is_as_expected_at_the_edges_and_for_every_distribution() {
    for &version in PROBLEM.versions {
        let (_, tile) = plan::tile(version);
        for count in [0, 2, 31, 32, 2 * tile - 1, 2 * tile] {
            run(&case(version, count, Keys::Uniform));
        }
        for keys in Keys::ALL {
            run(&case(version, tile + 31, keys));
        }
    }
}

/// Sizes that differ by less than a prime fall on every remainder of 4 and of 32.
#[test]
fn single_passes_take_every_size_from_one_tile_to_two() {
    for count in SMALL.1..=2 * SMALL.1 {
        run(&case("radix_onesweep_small", count, Keys::And(2)));
    }
    for version in ["radix_onesweep", "radix_onesweep_pairs"] {
        let (_, tile) = plan::tile(version);
        for count in (tile..=2 * tile).step_by(1637) {
            run(&case(version, count, Keys::Uniform));
        }
    }
}

/// Blocks that come in any order get their tickets in that order, and whoever looks back finds what was told, or waits.
#[test]
fn looking_back_is_right_in_every_order_of_blocks() {
    for keys in [Keys::Uniform, Keys::Constant] {
        let case = case("radix_onesweep_small", 20 * SMALL.1 + 5, keys);
        let (module, prepared) = (simulate::module(PROBLEM.name).unwrap(), case.prepare());
        for seed in 0..6 {
            let run = simulate::run_with(&module, &prepared, &Options { seed, ..Options::default() }).unwrap();
            let check = prepared.check(&run.contents);
            assert!(check.right, "seed {seed}: {check:?}");
            assert!(run.reports.iter().all(|report| report.findings.is_empty()), "seed {seed}");
        }
    }
}

#[test]
fn what_cannot_be_sorted_is_refused() {
    let error = plan("radix_onesweep", LONGEST + 1).unwrap_err().to_string();
    assert!(error.contains("4294918145 keys") && error.contains("at most 4294918144 keys fit"), "{error}");
    let error = plan("radix_onesweep_small", LONGEST_SMALL + 1).unwrap_err().to_string();
    assert!(error.contains("at most 1073740800"), "{error}");
    let error = plan("radix", 1).unwrap_err().to_string();
    assert!(error.contains("radix_onesweep, radix_onesweep_small"), "{error}");
    // What a tile tells fits for the longest arrays: the place behind the last key, and the tile's size.
    for (longest, tile) in [(LONGEST, SWEEP.1), (LONGEST, TILE), (LONGEST_SMALL, SMALL.1)] {
        assert!(longest + 2 * u64::from(tile) + 2 < 1 << 32);
    }
    assert!(16 + 4 * 256 * LONGEST_SMALL.div_ceil(SMALL.1.into()) < 1 << 32);
}

/// What the versions promise in closed form.
#[test]
fn the_counters_are_those_of_the_closed_forms() {
    let of = |version, count, keys| run(&case(version, count, keys));
    let bytes = |reports: &[Report]| sum(reports, LOADED_BYTES) + sum(reports, STORED_BYTES);
    // 12 bytes per key and pass. What comes on top: two counts of 4 bytes per tile and value of the digit are written and
    // read, 16 bytes in all, and the sums over all tiles, written once and read by every tile.
    for (version, passes, digits) in [("radix_three_4", 8, 16), ("radix_three_8", 4, 256), ("radix_local_or", 4, 256)] {
        let tiles = 3;
        let n = u64::from(TILE) * tiles;
        let counted = passes * (12 * n + digits * (16 * tiles + 4 + 4 * tiles));
        assert_eq!(bytes(&of(version, n as u32, Keys::Uniform)), counted, "{version}");
    }
    // 4 + 8 * 4 bytes per key, and 4 + 4 * 16 per pair; what tiles tell is cleared, told twice and read.
    for (version, per_key) in [("radix_onesweep", 36), ("radix_onesweep_pairs", 68)] {
        let (_, tile) = plan::tile(version);
        let (tiles, n) = (3, 3 * u64::from(tile));
        let reports = of(version, n as u32, Keys::Uniform);
        let stored = sum(&reports, STORED_BYTES) - (per_key - 4) / 2 * n;
        // 16 words and 1024 per tile are cleared; a tile tells 1024 words twice, but for the first, once.
        assert_eq!(stored, 4 * (16 + 1024 * tiles) + 4 * 1024 * (2 * tiles - 1), "{version}");
        let loaded = sum(&reports, LOADED_BYTES) - (per_key + 4) / 2 * n;
        // The first tile reads the histograms. Whoever finds at once what it looks for has looked at four tiles, or at
        // the first one again.
        assert_eq!(loaded, 4 * 1024 * (1 + 4 * (tiles - 1)), "{version}");
        let stores: u64 = reports[1..].iter().map(|report| metric(report, STORES)).sum();
        let keys_and_values = if per_key == 36 { 4 } else { 8 };
        assert_eq!(stores, keys_and_values * n / 32 + 4 * 8 * (2 * tiles - 1), "{version}");
    }
    // A tile sorted before: a run of k keys touches at most k / 8 + 2 sectors. Unsorted, nearly every key has its own.
    let n = TILE;
    let scattered = |version| metric(&of(version, n, Keys::Uniform)[2], STORE_SECTORS);
    let local = scattered("radix_local_ballots");
    assert!(local <= u64::from(n) / 8 + 2 * 256, "{local}");
    assert!(scattered("radix_three_8") > 4 * local);
    assert_eq!(scattered("radix_local_match"), local);
    // All four histograms of a key are four additions, each with one wavefront, whatever the keys are.
    for keys in Keys::ALL {
        let histogram = &of("radix_onesweep", SWEEP.1, keys)[0];
        assert_eq!(metric(histogram, ATOMIC_WAVEFRONTS), u64::from(SWEEP.1) / 32 * 4, "{keys}");
    }
    // Three ways to find the lanes with the same digit: one instruction, or eight votes and what goes with them, or a word
    // of shared memory, read back by every lane.
    let [ballots, matches, or] = ["ballots", "match", "or"].map(|way| {
        let version = PROBLEM.versions.iter().find(|version| version.ends_with(way)).expect("three ways");
        of(version, n, Keys::Uniform).remove(2)
    });
    let warps_keys = u64::from(n) / 32;
    assert_eq!(metric(&or, SHARED_LOADS) - metric(&ballots, SHARED_LOADS), warps_keys);
    assert_eq!(metric(&matches, SHARED_LOADS), metric(&ballots, SHARED_LOADS));
    assert!(metric(&ballots, INSTRUCTIONS) - metric(&matches, INSTRUCTIONS) >= 8 * 4 * warps_keys);
    assert!(metric(&matches, INSTRUCTIONS) < metric(&or, INSTRUCTIONS));
}
