//! Tests of the summed-area table: the reference, the launches, the edges, and the closed forms.

use super::*;
use crate::simulate::Simulated;
use crate::testing::as_expected as run;

const PATCH: Tiles = Tiles { patches: 1 };

fn metric(run: &Simulated, name: &str) -> u64 {
    let of = |report: &sim::Report| report.metrics.get(name).or_else(|| report.estimates.get(name)).copied();
    run.reports.iter().map(|report| of(report).unwrap_or(0)).sum()
}

fn whole(version: &'static str, width: u32, height: u32) -> Case {
    case(version, Size { width, height }, PATCH, Picture::Whole)
}

#[test]
fn the_reference_is_a_sum_over_a_rectangle() {
    let size = Size { width: 3, height: 2 };
    let image = [1, 2, 3, 4, 5, 6];
    assert_eq!(reference(&image, size), [1, 3, 6, 5, 12, 21]);
    assert_eq!(transposed(&image, size), [1, 4, 2, 5, 3, 6]);
    assert_eq!(means(&image, size, |_| 0), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(means(&image, size, |_| 1), [3.0, 3.5, 4.0, 3.0, 3.5, 4.0]);
    let (width, height) = (17, 9);
    let size = Size { width, height };
    let image = Picture::Whole.make(width, size.pixels(), true);
    for (i, sum) in reference(&image, size).into_iter().enumerate() {
        let (x, y) = (i % 17, i / 17);
        let brute: i64 = (0..=y).map(|y| image[y * 17..=y * 17 + x].iter().sum::<i64>()).sum();
        assert_eq!(sum, brute);
    }
}

#[test]
fn what_the_kernels_are_not_made_for_is_refused() {
    let refused = |version, width, height, patches| {
        plan(version, Size { width, height }, Tiles { patches }).unwrap_err().to_string()
    };
    assert!(refused("sat", 1, 1, 1).contains("sat_look_back_u8"));
    assert!(refused("sat_serial", 0, 1, 1).contains("0×1 pixels"));
    assert!(refused("sat_lines", 1, (1 << 20) + 1, 1).contains("at most 1048576"));
    assert!(refused("sat_tiles", 64, 64, 5).contains("1 to 4 patches"));
    assert!(refused("sat_tiles", 64, 32 * 1024 + 1, 1).contains("1025 rows of tiles"));
    let large = Size { width: 64, height: 32 * 1024 + 1 };
    assert_eq!(plan("sat_tiles_spread", large, PATCH).unwrap().steps.len(), 5);
    assert_eq!(plan("sat_tiles", large, Tiles { patches: 2 }).unwrap().steps.len(), 3);
}

#[test]
fn every_version_is_right_at_the_edges() {
    for &version in PROBLEM.versions {
        for (width, height) in [(1, 33), (33, 1), (32, 31), (128, 128), (129, 129), (257, 20), (20, 257)] {
            if version != "sat_serial" || width < 128 {
                run(&whole(version, width, height));
            }
        }
    }
}

/// Widths that are no multiple of four are read pixel by pixel, and more than 8 tiles in a row are more than a warp
/// looks at in one go.
#[test]
fn the_single_pass_is_right_from_one_tile_to_two_and_over_many() {
    for width in (128..=256).step_by(17) {
        run(&whole("sat_look_back", width, 128));
        run(&whole("sat_look_back_u8", width, 128));
    }
    for height in (128..=256).step_by(13) {
        run(&whole("sat_look_back", 128, height));
    }
    run(&whole("sat_look_back", 128 * 40 + 3, 129));
    run(&whole("sat_look_back", 65, 128 * 20 + 1));
    // So many tiles that some are asked for ahead.
    run(&whole("sat_look_back", 128 * 140, 1));
}

#[test]
fn bytes_wrap_as_unsigned_ints_do() {
    let size = Size { width: 256, height: 128 };
    let case = case("sat_look_back_u8", size, PATCH, Picture::White);
    assert_eq!(case.prepare().expected[0].reference[size.pixels() * 4 - 4..], (255u32 * 256 * 128).to_le_bytes());
    run(&case);
}

/// 3 + 8 / b elements are moved per pixel by the three kernels with tiles of b × b pixels, 6 by transposing, 4 by rows
/// and columns, and 2 by a single pass, plus what tiles tell each other.
#[test]
fn the_elements_moved_are_those_of_the_closed_forms() {
    let size = Size { width: 256, height: 256 };
    let pixels = size.pixels() as u64;
    let moved = |version, patches| {
        let run = run(&case(version, size, Tiles { patches }, Picture::Whole));
        let bytes = |op: &str| metric(&run, &format!("smsp__sass_data_bytes_mem_global_op_{op}.sum"));
        (bytes("ld") + bytes("st")) / 4
    };
    for patches in [1, 2, 4] {
        let b = u64::from(32 * patches);
        for version in ["sat_tiles_plain", "sat_tiles"] {
            let own = moved(version, patches);
            // Threads that add up a tile's pivot read its column borders again.
            let again: u64 = (1..u64::from(patches)).map(|p| p * 32).sum::<u64>() * (256 / b) * (256 / b);
            assert_eq!(own - again, 3 * pixels + 8 * pixels / b, "{version}, {patches}");
        }
    }
    for (version, per_pixel) in
        [("sat_transpose_plain", 6), ("sat_transpose", 6), ("sat_columns", 4), ("sat_strips", 4)]
    {
        assert_eq!(moved(version, 1), per_pixel * pixels, "{version}");
    }
    assert!(moved("sat_look_back", 1) < pixels * 9 / 4, "{}", moved("sat_look_back", 1));
}

/// A thread per row touches 32 sectors with every request. A plain transpose has 32 wavefronts where a padded one has
/// one, and so have the plain patches' columns.
#[test]
fn what_is_wrong_with_a_version_shows_in_its_counters() {
    let lines = run(&whole("sat_lines", 64, 64));
    let of_rows = |name: &str| lines.reports[0].metrics[name];
    let (sectors, requests) = (
        of_rows("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"),
        of_rows("smsp__sass_inst_executed_op_global_ld.sum"),
    );
    assert_eq!(sectors, 32 * requests);
    let loads = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    let transpose = |version| run(&whole(version, 64, 64)).reports[1].metrics[loads];
    assert_eq!(transpose("sat_transpose_plain"), 32 * transpose("sat_transpose"));
    let tiles = |version| metric(&run(&whole(version, 64, 64)), loads);
    assert!(tiles("sat_tiles_plain") > 4 * tiles("sat_tiles"));
}
