//! Tests of the histogram kernels on the simulator: edge sizes, distributions, and what each version promises.

use sim::Report;

use super::*;
use crate::testing::as_expected;

fn run(case: &Case) -> Vec<Report> {
    as_expected(case).reports
}

fn metric(report: &Report, metric: &str) -> u64 {
    report.metrics.get(metric).copied().unwrap_or(0)
}

/// Wavefronts of a kind of shared-memory access: `ld`, `st` or `atom`.
fn wavefronts(version: &'static str, count: u32, data: Data, kind: &str) -> u64 {
    let report = &run(&case(version, count, 256, data))[0];
    metric(report, &format!("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{kind}.sum"))
}

/// Lanes that add to global memory.
fn global_additions(version: &'static str, count: u32, data: Data) -> u64 {
    let report = &run(&case(version, count, 256, data))[0];
    metric(report, "smsp__sass_data_bytes_mem_global_op_red.sum") / 4
}

const DATA: [Data; 9] = [
    Data::Uniform,
    Data::Constant,
    Data::Two,
    Data::Bell,
    Data::Ramp,
    Data::OneBank,
    Data::Zipf,
    Data::Sorted,
    Data::Sparse,
];

#[test]
fn the_values_are_as_named() {
    assert_eq!(reference(&[1, 1, 0, 5], 6), [1, 2, 0, 0, 0, 1]);
    let counts = |data: Data| reference(&data.make(10_000, 256), 256);
    let different = |data: Data| counts(data).iter().filter(|&&count| count > 0).count();
    assert_eq!(DATA.map(different)[..3], [256, 1, 2]);
    assert_eq!((different(Data::Ramp), different(Data::OneBank), different(Data::Sorted)), (256, 8, 256));
    assert!(Data::Sorted.make(1000, 256).is_sorted());
    assert!((10..60).contains(&different(Data::Bell)));
    let zipf = counts(Data::Zipf);
    assert!((1400..1900).contains(&zipf[0]) && (700..950).contains(&zipf[1]), "one in six, one in twelve: {zipf:?}");
    assert!(
        (5500..7800).contains(&counts(Data::Sparse)[..32].iter().sum::<u32>()),
        "three bits of 1/8 each are not set"
    );
    assert!(Data::Uniform.make(1000, 40_960).into_iter().any(|value| value > 40_000));
}

#[test]
fn every_version_is_as_expected_at_the_edges_and_for_every_distribution() {
    for &version in PROBLEM.versions {
        let bins = if MANY_VERSIONS.contains(&version) { MANY[0] } else { 256 };
        for count in [2, 3, 31, 32, 255, 1023, 1025, 16_127, 16_129, 16_130, 32_768, 33_001] {
            run(&case(version, count, bins, Data::Uniform));
        }
        for data in DATA {
            run(&case(version, 5001, bins, data));
        }
    }
}

#[test]
fn a_bin_of_a_thread_holds_255() {
    let verdict = |count| case("histogram_packed_256", count, 256, Data::Constant).verdict;
    assert_eq!((verdict(16_128), verdict(16_131)), (Verdict::Right, Verdict::Right), "252 and 253");
    assert_ne!(verdict(16_384), Verdict::Right, "256");
    assert_eq!(verdict(16_387), Verdict::Right, "more than 256 for each are two blocks, with half as many for each");
    run(&case("histogram_packed_256", 16_387, 256, Data::Constant));
    run(&case("histogram_packed", 16_387, 256, Data::Constant));
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let text = |version, count, bins| plan(version, count, bins).unwrap_err().to_string();
    assert!(text("histogram_many", 9, 58_113).contains("shared memory for 58112"));
    assert!(text("histogram_lanes", 9, 512).contains("`histogram_many` counts others"));
    assert!(text("histogram_lanes", 1 << 32, 256).contains("up to 4294967295"));
    assert!(text("histogram", 9, 256).contains("histogram_lanes, histogram_bulk, histogram_many"));
    assert!(plan("histogram_many", 9, MOST_BINS).is_ok());
}

/// What the versions promise in closed form.
#[test]
fn the_counters_are_those_of_the_closed_forms() {
    // One addition in global memory per byte (per different byte of a warp, to be exact), or 256 per block.
    let n = 20_003;
    assert_eq!(global_additions("histogram_global", n, Data::Ramp), u64::from(n));
    for version in ["histogram_block4", "histogram_lanes", "histogram_packed"] {
        let blocks = u64::from(blocks(version, n));
        assert_eq!(global_additions(version, n, Data::OneBank), 256 * blocks, "{version}");
    }
    // The copy engine's additions are none of a warp's instructions. Bins that do not fill 16 bytes are left to threads.
    assert_eq!(global_additions("histogram_bulk", n, Data::OneBank), 0);
    // The printed grid merges four times as often as need be.
    let n = 64 * 252 * 4;
    assert_eq!(global_additions("histogram_packed_printed", n, Data::Uniform), 256 * 16);
    assert_eq!(global_additions("histogram_packed", n, Data::Uniform), 256 * 4);
    // Figure 6: a load and a store of one wavefront each per 32 bytes, whatever they are; the merge loads 64 rows with two
    // warps, and then the 256 sums.
    let n = 64 * 252;
    for data in DATA {
        assert_eq!(wavefronts("histogram_packed", n, data, "ld"), u64::from(n) / 32 + 128 + 8, "{data:?}");
    }
    // Figure 4: 32 wavefronts per access where all bytes are alike; figure 5: one.
    let counting = |version, data| wavefronts(version, n, data, "st");
    let cleared = counting("histogram_columns", Data::Constant) - u64::from(n) / 32;
    assert_eq!(counting("histogram_rows", Data::Constant), u64::from(n) + cleared);
    // Lane-private copies: one wavefront per 32 bytes for every distribution. One histogram: eight values of one bank
    // take nearly eight, random bytes more than three.
    let n = 16 * 1024 * 2;
    let least = u64::from(n) / 32;
    for data in DATA {
        assert_eq!(wavefronts("histogram_lanes", n, data, "atom"), least, "{data:?}");
        assert_eq!(wavefronts("histogram_bulk", n, data, "atom"), least, "{data:?}");
        assert_eq!(wavefronts("histogram_copies32", n, data, "atom"), least, "{data:?}");
    }
    let degree = |version, data| wavefronts(version, n, data, "atom") as f64 / least as f64;
    assert!((7.5..8.0).contains(&degree("histogram_block4", Data::OneBank)));
    assert!((3.0..3.3).contains(&degree("histogram_block4", Data::Uniform)));
    assert!(degree("histogram_copies4", Data::Uniform) > 3.0, "four copies spread what was spread already");
    // Pre-combined: one addition per different value of a warp, or per run. But what adds sixteen is no increment any
    // more, and lanes that add to one word take turns.
    assert_eq!(wavefronts("histogram_match", n, Data::Constant, "atom"), least);
    assert_eq!(wavefronts("histogram_runs", n, Data::Constant, "atom"), least / 16 * 32);
}
