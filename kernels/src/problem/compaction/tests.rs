//! Tests of the compaction kernels on the simulator: edge sizes, distributions, and what each version promises.

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

const STORE_SECTORS: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
const LOAD_SECTORS: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const STORED_BYTES: &str = "smsp__sass_data_bytes_mem_global_op_st.sum";

#[test]
fn the_reference_keeps_the_positive_ones() {
    assert_eq!(reference(&[1, 0, 0, 0, 4, 3, 2, 0, 6, 8, 9, 0]), [1, 4, 3, 2, 6, 8, 9]);
    assert_eq!(reference(&[i32::MIN, -1, 0, i32::MAX]), [i32::MAX]);
    let kept = |data: Data| reference(&data.make(3200)).len();
    assert_eq!((kept(Data::Share(0)), kept(Data::Share(1000)), kept(Data::Alternating)), (0, 3200, 1600));
    assert!((1500..1700).contains(&kept(Data::Share(500))) && (1000..2200).contains(&kept(Data::Runs)));
    assert_eq!((kept(Data::Last), Data::Last.make(7)[6] > 0), (1, true));
    assert!(Data::FullWarp.make(3200)[32..64].iter().all(|&x| x > 0) && kept(Data::FullWarp) < 500);
}

#[test]
fn every_version_is_as_expected_at_the_edges_and_for_every_distribution() {
    let data = [Data::Share(1), Data::Share(100), Data::Share(900), Data::Runs, Data::Alternating, Data::Last];
    for &version in PROBLEM.versions {
        let tile = tile(version);
        for count in [2, 31, 32, 64, 2 * tile - 1, 2 * tile] {
            run(&case(version, count, Data::Share(500)));
        }
        for data in data {
            run(&case(version, 2 * tile + 31, data));
        }
    }
}

#[test]
fn single_passes_take_every_size_from_one_tile_to_two() {
    // Sizes that differ by less than a prime fall on every remainder of 4, 32 and 512.
    for (version, step) in [("compact_lookback", 61), ("compact_pipelined", 251)] {
        for count in (tile(version)..=2 * tile(version)).step_by(step) {
            run(&case(version, count, Data::Share(500)));
        }
    }
}

#[test]
fn what_cannot_be_compacted_is_refused() {
    let error = plan("compact_staged", LONGEST + 1).unwrap_err();
    assert!(error.to_string().contains("up to 4294959104"), "{error}");
    assert!(plan("compact_staged", LONGEST).is_ok());
    let error = plan("compact", 1).unwrap_err();
    assert!(error.to_string().contains("compact_ballot6, compact_shuffle"), "{error}");
}

#[test]
fn five_rounds_are_enough_for_half_and_wrong_for_full_warps() {
    assert_eq!(case("compact_ballot5", 785, Data::Share(500)).verdict, Verdict::Right);
    let full = case("compact_ballot5", 785, Data::FullWarp);
    let prepared = full.prepare();
    let check = prepared.check(&simulate::run(&full, &prepared).unwrap().contents);
    assert!(!check.right, "elements of the full warp are overwritten");
}

/// What the versions promise in closed form, for blocks of W = 8 warps.
#[test]
fn the_counters_are_those_of_the_closed_forms() {
    let of = |version, count, data| run(&case(version, count, data));
    // One block of the ballot kernel: W + 6 ballots for the warps that take part, two barriers, no atomics.
    let ballot = of("compact_ballot6", 256, Data::Share(500));
    assert_eq!(metric(&ballot[2], "warpbook__barriers.sum"), 2 * 8);
    assert_eq!(metric(&ballot[2], "smsp__sass_inst_executed_op_global_atom.sum"), 0);
    // One atomic per kept element in the source, per warp in fact; per block where the block adds first.
    let atomics = |version| {
        let report = &of(version, 1024, Data::Share(500))[0];
        let [returning, plain] = ["atom", "red"].map(|op| format!("smsp__sass_inst_executed_op_global_{op}.sum"));
        metric(report, &returning) + metric(report, &plain)
    };
    assert_eq!((atomics("compact_atomic"), atomics("compact_warp_atomic")), (32, 32));
    assert_eq!(atomics("compact_block_atomic"), 4);
    // Traffic in bytes per element, n elements of which k are kept: 24 n + 4 k, 8 n + 4 k, 4 n + 4 k. The rest is one
    // word per tile or block, and sectors that are touched twice where two warps or tiles meet.
    let (n, data) = (65_536, Data::Share(500));
    let k = reference(&data.make(n)).len() as u64;
    let traffic = |version| -> u64 {
        let reports = of(version, n, data);
        reports.iter().map(|report| 32 * metric(report, LOAD_SECTORS) + metric(report, STORED_BYTES)).sum()
    };
    let n = u64::from(n);
    for (version, bytes) in [("compact_scan_scatter", 24), ("compact_ballot6", 8), ("compact_lookback", 4)] {
        let (traffic, least) = (traffic(version), bytes * n + 4 * k);
        assert!((least..least + least / 8).contains(&traffic), "{version}: {traffic} bytes, at least {least}");
    }
    // Staged elements of a tile are stored side by side: a run of k touches at most k / 8 + 2 sectors.
    let staged = of("compact_staged", 4096, Data::Share(500));
    let k = reference(&Data::Share(500).make(4096)).len() as u64;
    assert!(metric(&staged[2], STORE_SECTORS) <= k / 8 + 2);
    let direct = of("compact_shuffle", 4096, Data::Share(500));
    assert!(metric(&direct[2], STORE_SECTORS) > k / 8 + 50, "every warp's run touches sectors of its own");
    // Two descriptor stores per tile, but for the first, which needs one.
    let lookback = of("compact_lookback", 16 * 4096, Data::Share(0));
    assert_eq!(metric(&lookback[0], "smsp__sass_inst_executed_op_global_st.sum"), 2 * 16 - 1 + 1);
}
