//! Tests of the chunk sorts and merges on the simulator: edge sizes, distributions, and what each version promises.

use sim::Report;

use super::*;
use crate::simulate;
use crate::testing::as_expected;

fn run(case: &Case) -> Vec<Report> {
    as_expected(case).reports
}

fn metric(report: &Report, metric: &str) -> u64 {
    report.metrics.get(metric).or_else(|| report.estimates.get(metric)).copied().unwrap_or(0)
}

const LOADS: &str = "smsp__sass_inst_executed_op_shared_ld.sum";
const LOAD_WAVEFRONTS: &str = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
const LOADED_BYTES: &str = "smsp__sass_data_bytes_mem_shared_op_ld.sum";
const STORED_BYTES: &str = "smsp__sass_data_bytes_mem_global_op_st.sum";
const BARRIERS: &str = "warpbook__barriers.sum";

#[test]
fn the_reference_sorts_chunks_or_everything() {
    let keys = [5, 3, 9, 1, 7, 0, u32::MAX];
    assert_eq!(reference(&keys, 3), [3, 5, 9, 0, 1, 7, u32::MAX]);
    assert_eq!(reference(&keys, 7), [0, 1, 3, 5, 7, 9, u32::MAX]);
    assert!(reference(&[], 1).is_empty());
}

#[test]
fn every_version_is_as_expected_at_the_edges_and_for_every_distribution() {
    for &version in PROBLEM.versions {
        for count in [0, 2, 31, 32, 64, 2 * CHUNK - 1, 2 * CHUNK, 3 * CHUNK, 4 * CHUNK + 1] {
            run(&case(version, count, Keys::Uniform));
        }
        for keys in Keys::ALL {
            run(&case(version, 2 * CHUNK + 31, keys));
        }
    }
}

#[test]
fn merges_take_every_size_from_one_tile_to_two() {
    for count in (TILE..=2 * TILE).step_by(31) {
        run(&case("merge_path", count, Keys::Uniform));
        run(&case("merge_bitonic", count, Keys::And(2)));
    }
}

#[test]
fn what_cannot_be_sorted_is_refused() {
    let error = plan("merge_path", LONGEST + 1).unwrap_err().to_string();
    assert!(error.contains("2147483649 keys") && error.contains("at most 2147483648"), "{error}");
    let error = plan("merge", 1).unwrap_err().to_string();
    assert!(error.contains("chunks_split_ballots, merge_bitonic"), "{error}");
    // The longest array: 22 merges of runs of 2^9 keys and up, 22 * 25 / 2 launches of flips and steps.
    assert_eq!(plan("merge_path", LONGEST).unwrap().steps.len(), 1 + 2 * 22);
    assert_eq!(plan("merge_bitonic", LONGEST).unwrap().steps.len(), 1 + 22 * 23 / 2 + 22);
}

/// The number that is taken as printed is right when the chunk ends with a key of ones, and wrong for random keys.
#[test]
fn the_forgotten_flag_matters_where_the_last_key_has_a_zero() {
    let padded = case("chunks_split_printed", CHUNK - 1, Keys::Uniform);
    assert_eq!(padded.verdict, Verdict::Right);
    run(&padded);
    let full = case("chunks_split_printed", CHUNK, Keys::Uniform);
    assert_ne!(full.verdict, Verdict::Right);
    let prepared = full.prepare();
    assert!(!prepared.check(&simulate::run(&full, &prepared).unwrap().contents).right);
    assert_eq!(
        case("chunks_split_printed", CHUNK, Keys::Constant).verdict,
        Verdict::Right,
        "zeros alone, or ones alone"
    );
    assert_eq!(case("chunks_split_scan", CHUNK, Keys::Uniform).verdict, Verdict::Right);
}

/// What the versions promise in closed form, for a chunk of 2^p = 512 keys and W = 8 warps (16 where a thread has one key).
#[test]
fn the_counters_are_those_of_the_closed_forms() {
    let of = |version, keys| run(&case(version, CHUNK, keys)).remove(0);
    let (p, w) = (9, 8);
    // p (p + 1) / 2 rounds, each with a barrier and two loads per thread, whatever the keys are. All rounds but those that
    // compare keys at least 32 apart, (p - 5) (p - 4) / 2 of them, put two lanes on each bank.
    let rounds = p * (p + 1) / 2;
    let apart = (p - 5) * (p - 4) / 2;
    for keys in [Keys::Uniform, Keys::Constant, Keys::Reverse] {
        let bitonic = of("chunks_bitonic", keys);
        assert_eq!(metric(&bitonic, BARRIERS), (1 + rounds) * w);
        assert_eq!(metric(&bitonic, LOADS), 2 * rounds * w + 16);
        assert_eq!(metric(&bitonic, LOAD_WAVEFRONTS), 2 * (2 * rounds - apart) * w + 16);
        assert_eq!(metric(&bitonic, LOADED_BYTES), 8 * 256 * rounds + 4 * 512);
    }
    // Batcher's count of comparisons: (p^2 - p + 4) 2^(p - 2) - 1, against p (p + 1) 2^(p - 2).
    let odd_even = of("chunks_odd_even", Keys::Uniform);
    assert_eq!(metric(&odd_even, BARRIERS), (1 + rounds) * w);
    assert_eq!(metric(&odd_even, LOADED_BYTES), 8 * ((p * p - p + 4) * (1 << (p - 2)) - 1) + 4 * 512);
    // Per bit: the tree's 2 p barriers, one before its leaves are read and one after keys have moved; or two.
    assert_eq!(metric(&of("chunks_split_scan", Keys::Uniform), BARRIERS), 32 * (2 * p + 2) * w);
    assert_eq!(metric(&of("chunks_split_ballots", Keys::Uniform), BARRIERS), 32 * 2 * 2 * w);
    // Chunks are stored once, and once more for every doubling of the runs, with a word per tile.
    let n = 8 * CHUNK;
    let merged = run(&case("merge_path", n, Keys::Uniform));
    assert_eq!(merged.len(), 1 + 2 * 3);
    let stored: u64 = merged.iter().map(|report| metric(report, STORED_BYTES)).sum();
    assert_eq!(stored, 4 * u64::from(n) * (1 + 3) + 4 * u64::from(n / TILE) * 3);
    // 1 + 2 + 3 launches of flips and steps, and one within chunks for each of the three lengths.
    assert_eq!(run(&case("merge_bitonic", n, Keys::Uniform)).len(), 1 + 6 + 3);
}
