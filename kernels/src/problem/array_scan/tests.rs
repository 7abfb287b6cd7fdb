//! Tests of the array scans on the simulator: edge sizes, kinds of numbers, orders of blocks, and what each version
//! promises.

use sim::report::FindingKind;
use sim::{Checks, Options, Report};

use super::*;
use crate::check::Check;
use crate::simulate;
use crate::testing::as_expected;

fn run(version: &'static str, count: u32, data: Data) -> Vec<Report> {
    as_expected(&case(version, count, data)).reports
}

/// The numbers that a version's sizes are tried with: any order of additions gives the same.
fn plain(version: &str) -> Data {
    if of_floats(version) { Data::Whole } else { Data::Any }
}

/// A case of one of the kernels with small tiles, which are no versions of their own.
fn small(kernel: &'static str, count: u32) -> Case {
    let shape = plan::single_pass(kernel).expect("a single pass");
    case_of(kernel, plan::one_launch(kernel, shape, count), count, Data::Any)
}

fn metric(reports: &[Report], metric: &str) -> u64 {
    let of = |report: &Report| report.metrics.get(metric).or_else(|| report.estimates.get(metric)).copied();
    reports.iter().filter_map(of).sum()
}

const LOADED: &str = "smsp__sass_data_bytes_mem_global_op_ld.sum";
const STORED: &str = "smsp__sass_data_bytes_mem_global_op_st.sum";
const STORES: &str = "smsp__sass_inst_executed_op_global_st.sum";
const WAVEFRONTS: &str = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum";
const ACCESSES: &str = "smsp__sass_inst_executed_op_shared.sum";
const SHUFFLED: &str = "smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum";
const BARRIERS: &str = "warpbook__barriers.sum";

#[test]
fn the_reference_sums_what_lies_before() {
    assert_eq!(reference(&[3, 1, 7, 0, 4, 1, 6, 3]), [0, 3, 4, 11, 11, 15, 16, 22]);
    assert_eq!(reference(&[i32::MAX, 1, 1]), [0, i32::MAX, i32::MIN]);
    assert_eq!(reference_f32(&[0.5, 0.25, -1.0]), [0.0, 0.5, 0.75]);
    assert_eq!((reference(&[]), reference_f32(&[])), (vec![], vec![]));
}

#[test]
fn floats_have_room_for_what_is_compared_exactly() {
    // Every sum that any order of additions forms is a sum of neighbours: a difference of two prefix sums.
    for count in [LARGE, 3 * 8192 + 17, 8193] {
        let sums = reference_f32(&Data::Whole.floats(count));
        let (low, high) = sums.iter().fold((0.0f32, 0.0f32), |(low, high), &x| (low.min(x), high.max(x)));
        assert!(high - low < 16_777_216.0, "{count}: from {low} to {high}");
    }
    let spike = reference_f32(&Data::Spike.floats(1000));
    assert_eq!((spike[500], spike[501], spike[999]), (500.0, 1e30, 1e30));
}

#[test]
fn a_lost_element_is_out_of_tolerance() {
    for version in PROBLEM.versions.iter().filter(|version| of_floats(version)) {
        for data in [Data::Any, Data::Cancelling] {
            let case = case(version, 3 * plan::tile(version) + 17, data);
            let expected = &case.prepare().expected[0];
            let mut input = data.floats(3 * plan::tile(version) + 17);
            input[1000] = 0.0;
            let lost: Vec<u8> = reference_f32(&input).into_iter().flat_map(f32::to_le_bytes).collect();
            let check = expected.check(&lost);
            assert!(!check.right, "{case}: {check:?}");
        }
    }
}

#[test]
fn every_version_is_as_expected_at_the_edges() {
    for &version in PROBLEM.versions {
        let tile = plan::tile(version);
        for count in [0, 2, 3, 5, 64, 2 * tile - 1, 2 * tile, 2 * tile + 1] {
            run(version, count, plain(version));
        }
    }
    for count in [1025, 2047, 2049, 4099, 5003] {
        run("prefix_hybrid", count, Data::Any);
    }
}

#[test]
fn floats_that_round_cancel_or_vanish_are_within_tolerance() {
    for version in PROBLEM.versions.iter().filter(|version| of_floats(version)) {
        for data in [Data::Any, Data::Cancelling, Data::Spike] {
            run(version, plan::tile(version) + 1031, data);
        }
    }
}

#[test]
fn sums_of_sums_of_tiles_are_scanned_too() {
    // More than 1024 sums for the one block that scans them, and more than 512 for a tile of them.
    run("prefix_shuffle", 1025 * 256 + 1, Data::Any);
    run("prefix_three_kernels", 513 * 512 + 3, Data::Any);
    run("prefix_three_kernels_f32", 513 * 512 + 3, Data::Cancelling);
}

#[test]
fn single_passes_take_every_size_from_one_tile_to_two() {
    for kernel in ["prefix_lookback_small", "prefix_bulk_small", "prefix_pipelined_small"] {
        for count in 256..=512 {
            as_expected(&small(kernel, count));
        }
    }
    for &version in PROBLEM.versions.iter().filter(|version| plan::is_single_pass(version)) {
        let tile = plan::tile(version);
        for count in (tile..=2 * tile).step_by(tile as usize / 4 + 3) {
            run(version, count, plain(version));
        }
    }
}

#[test]
fn who_looks_back_finds_the_same_in_every_order_of_blocks() {
    let module = simulate::module(PROBLEM.name).unwrap();
    let small = ["prefix_lookback_small", "prefix_bulk_small", "prefix_pipelined_small"].map(|k| small(k, 5_001));
    let large =
        ["prefix_chained", "prefix_lookback_thread", "prefix_lookback_warp"].map(|v| case(v, 24_577, Data::Any));
    for case in small.into_iter().chain(large) {
        for seed in 1..=3 {
            let prepared = case.prepare();
            let run = simulate::run_with(&module, &prepared, &Options { seed, ..Options::default() }).unwrap();
            let check: Check = prepared.check(&run.contents);
            assert!(check.right && run.reports[0].findings.is_empty(), "{case}, {seed}: {:?}", run.reports[0].findings);
        }
    }
}

#[test]
fn tiles_by_block_number_wait_for_blocks_that_never_start() {
    let module = simulate::module(PROBLEM.name).unwrap();
    let options = Options { seed: 2, checks: Checks::NONE, ..Options::default() };
    for (version, ends) in [("prefix_chained_by_block", false), ("prefix_chained", true)] {
        let mut prepared = case(version, 1_600_001, Data::Any).prepare();
        // One block per multiprocessor: the sooner is the GPU full.
        prepared.steps[0].shape.shared_bytes = 220_000;
        let run = simulate::run_with(&module, &prepared, &options).unwrap();
        let finding = run.reports[0].findings.first().map(|finding| finding.kind);
        assert_eq!(finding, (!ends).then_some(FindingKind::Deadlock), "{version}");
        assert_eq!(prepared.check(&run.contents).right, ends, "{version}");
    }
}

#[test]
fn what_cannot_be_scanned_is_refused() {
    let error = plan("prefix_pipelined", LONGEST + 1).unwrap_err();
    assert!(error.to_string().contains("up to 4294959104"), "{error}");
    for version in PROBLEM.versions {
        let plan = plan(version, LONGEST).unwrap();
        assert!(plan.steps.iter().all(|step| step.shape.grid.count() < 1 << 31), "{version}");
    }
    let error = plan("prefix_sum", 1).unwrap_err();
    assert!(error.to_string().contains("prefix_blocked, prefix_odd"), "{error}");
}

/// What the versions promise in closed form, for blocks of W = 8 warps.
#[test]
fn a_block_costs_what_the_closed_forms_say() {
    let of = |version: &'static str, count| run(version, count, plain(version));
    // 2 W + 2 accesses, 5 (W + 1) shuffles, two barriers; the tree has a barrier per level, up and down, and one more.
    let shuffle = &of("prefix_shuffle", 256)[2..];
    let found = [ACCESSES, SHUFFLED, BARRIERS].map(|name| metric(shuffle, name));
    assert_eq!(found, [2 * 8 + 2, 5 * (8 + 1) * 32, 2 * 8]);
    assert_eq!(metric(&of("prefix_three_kernels", 512), BARRIERS), 19 * 8);
    // Written out, the tree has one barrier less: at the root one thread goes on with its own words.
    let (plain, float4) = (of("prefix_three_kernels_f32", 2048), of("prefix_float4_f32", 2048));
    assert_eq!(metric(&float4, BARRIERS), 18 * 8);
    // A tree over a quarter as many words, in one launch; the other one has four tiles, and one more for their sums.
    let (tiles, quarter) = (metric(&plain[..1], WAVEFRONTS), metric(&float4, WAVEFRONTS));
    assert!((quarter * 39 / 10..=quarter * 43 / 10).contains(&tiles), "{tiles} wavefronts, {quarter} with float4");
    // In rows of I elements lanes are I words apart. 24 is a multiple of 4, so the compiler makes accesses of 16 bytes,
    // 6 instead of 24; each takes 8 wavefronts instead of 4, because two of every eight lanes meet on a bank. With 23
    // every access is a word and a wavefront. The other way and the warps' totals are I and 1 per warp.
    let (blocked, odd) = (of("prefix_blocked", 6144), of("prefix_odd", 5888));
    assert_eq!(metric(&blocked[2..], ACCESSES), 2 * 8 * (24 + 6 + 1));
    assert_eq!(metric(&blocked[2..], WAVEFRONTS), 2 * 8 * (24 + 6 * 8 + 1));
    assert_eq!([ACCESSES, WAVEFRONTS].map(|name| metric(&odd[2..], name)), [2 * 8 * (23 + 23 + 1); 2]);
}

/// Traffic in bytes per element: 16, 12 or 8. The rest is a word or a descriptor per tile.
#[test]
fn an_array_moves_as_often_as_the_versions_say() {
    let (n, tiles) = (131_072, 32);
    let of = |version: &'static str| run(version, n, plain(version));
    let n = u64::from(n);
    let versions = [
        ("prefix_three_kernels", 16),
        ("prefix_float4_f32", 16),
        ("prefix_reduce_scan", 12),
        ("prefix_blocked", 12),
        ("prefix_odd", 12),
        ("prefix_chained", 8),
        ("prefix_lookback_warp", 8),
        ("prefix_pipelined", 8),
    ];
    for (version, bytes) in versions {
        let traffic = [LOADED, STORED].map(|name| metric(&of(version), name)).iter().sum::<u64>();
        assert!((bytes * n..bytes * n + n / 5).contains(&traffic), "{version}: {traffic} bytes");
    }
    // The copy engine's loads pass the units that count; what is stored is the result and one descriptor per tile.
    let bulk = of("prefix_bulk");
    assert!(metric(&bulk, LOADED) < n / 5);
    assert_eq!(metric(&bulk, STORED), 4 * n + 8 * (tiles / 2));
    // Two descriptors per tile of 4096, but for the first, and one per tile of 8192 where nobody tells what is before.
    assert_eq!(metric(&of("prefix_lookback_warp"), STORES), n / 128 + 2 * tiles - 1);
    assert_eq!(metric(&of("prefix_pipelined"), STORES), n / 128 + tiles / 2);
    // Up, down, and the naive rounds over what is left, each a launch: 2 log2(n / 1024) + 11.
    assert_eq!(of("prefix_hybrid").len(), 2 * 7 + 11);
}
