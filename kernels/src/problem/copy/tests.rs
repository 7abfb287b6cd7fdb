//! Tests of the copies and transposes on the simulator: edge sizes, refusals, and what each version promises.

use super::*;
use crate::testing::as_expected;

fn size(width: u32, height: u32) -> Size {
    Size { width, height }
}

#[test]
fn rows_become_columns() {
    assert_eq!(transposed(&[1, 2, 3, 4, 5, 6], 3), [1, 4, 2, 5, 3, 6]);
    assert_eq!(transposed(&[], 1), [0u32; 0]);
}

#[test]
fn every_version_is_right_at_the_edges_and_faultless() {
    for case in cases().iter().filter(|case| case.blocks() < 2000) {
        as_expected(case);
    }
    for count in [2, 3, 32, 255, 256, 257, 1023, 8191, 8193] {
        as_expected(&case("copy_words", size(count, 1)));
        as_expected(&case("copy_vectors", size(count, 1)));
    }
    for (width, height) in [(2, 1), (33, 1), (32, 31), (65, 64), (7, 129)] {
        for version in ["transpose_naive", "transpose_shared", "transpose_padded"] {
            as_expected(&case(version, size(width, height)));
        }
    }
    for (width, height) in [(8, 4), (4, 60), (68, 64), (64, 124), (128, 4)] {
        as_expected(&case("transpose_vectors", size(width, height)));
    }
}

#[test]
fn nothing_is_copied_of_nothing() {
    for version in ["copy_words", "copy_vectors"] {
        let case = case(version, size(0, 1));
        let run = crate::simulate::run(&case, &case.prepare()).unwrap_or_else(|error| panic!("{error}"));
        assert!(run.reports.iter().all(|report| report.findings.is_empty()), "{version}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let error = plan("transpose_vectors", size(64, 30)).unwrap_err().to_string();
    assert!(error.contains("64×30 is not") && error.contains("transpose_padded"), "{error}");
    let error = plan("transpose_naive", size(0, 5)).unwrap_err().to_string();
    assert!(error.contains("at least 1"), "{error}");
    assert_eq!(plan("transpose_naive", size(1, 3_000_000)), Err(PlanError::Sides(size(1, 3_000_000))));
    assert_eq!(plan("copy_vectors", size(1 << 16, 1 << 16)), Err(PlanError::Count(1 << 32)));
    assert!(plan("copy_vectors", size(u32::MAX, 1)).is_ok());
    assert!(plan("copy", size(1, 1)).unwrap_err().to_string().contains("copy_words"));
}

/// What each version promises, in closed form, for a square of 64 × 64: 4096 words, 128 requests of 32 words each.
#[test]
fn the_counters_are_those_of_the_closed_forms() {
    let of = |version, metric: &str| {
        let report = &as_expected(&case(version, size(64, 64))).reports[0];
        report.metrics.get(metric).copied().unwrap_or(0)
    };
    let both = |version, start: &str| ["ld", "st"].map(|op| of(version, &format!("{start}{op}.sum")));
    let sectors = |version| both(version, "l1tex__t_sectors_pipe_lsu_mem_global_op_");
    let instructions = |version| both(version, "smsp__sass_inst_executed_op_global_");
    let wavefronts = |version| both(version, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_");
    // 16 KiB are 512 sectors; a column that is stored with a row between its elements is a sector per element.
    assert_eq!(sectors("transpose_naive"), [512, 4096]);
    for version in ["copy_words", "copy_vectors", "transpose_shared", "transpose_padded", "transpose_vectors"] {
        assert_eq!(sectors(version), [512, 512], "{version}");
    }
    // 4 bytes per lane and request, or 16.
    for version in ["copy_words", "transpose_naive", "transpose_shared", "transpose_padded"] {
        assert_eq!(instructions(version), [128, 128], "{version}");
    }
    assert_eq!(instructions("copy_vectors"), [32, 32]);
    assert_eq!(instructions("transpose_vectors"), [32, 32]);
    // A column of the tile is one bank, or all 32. Vectors are stored in four wavefronts of 128 bytes each.
    assert_eq!(wavefronts("transpose_shared"), [32 * 128, 128]);
    assert_eq!(wavefronts("transpose_padded"), [128, 128]);
    assert_eq!(wavefronts("transpose_vectors"), [128, 128]);
}
