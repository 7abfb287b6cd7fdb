//! How every version of the summed-area table is launched, and what it refuses.

use sim::{Dim3, Scalar};

use super::{PROBLEM, Size};
use crate::case::{Pass, Shape, Step};
use crate::workload::Own;

/// Edge of a patch that is scanned in shared memory, in pixels.
const PATCH: u32 = 32;

/// Width of a tile of the single-pass version, in pixels.
pub(super) const TILE_WIDTH: u32 = 128;

/// Its height: eight rows for each of sixteen warps.
const TILE_HEIGHT: u32 = 128;

/// The most rows of tiles whose pivots fit into the shared memory of the kernel that finds all borders.
const MOST_TILE_ROWS: u32 = 1024;

/// Radius of the box filter, in pixels.
const RADIUS: u32 = 3;

/// The depth that is in focus.
const FOCUS: u8 = 96;

/// A pixel's radius is its depth's difference from the focus, divided by this power of two.
const SHIFT: u32 = 4;

/// The radius of a pixel's square in the depth of field.
pub const fn radius_at(depth: u8) -> u32 {
    depth.abs_diff(FOCUS) as u32 >> SHIFT
}

/// The tiles of the versions that find their borders first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiles {
    /// Patches along the edge of a tile, 1 to 4.
    pub patches: u32,
}

impl Tiles {
    /// Pixels along the edge of a tile.
    pub const fn edge(self) -> u32 {
        PATCH * self.patches
    }
}

/// What comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Floats of floats.
    F32,
    /// The same with rows and columns exchanged.
    Transposed,
    /// Unsigned ints of bytes.
    U32,
    /// Four floats per pixel, of three bytes each, rows and columns exchanged.
    Rgb,
    /// Means over squares, from a table of floats.
    Means,
}

impl Table {
    /// Bytes of the table per pixel.
    pub(super) const fn bytes(self) -> usize {
        if matches!(self, Self::Rgb) { 16 } else { 4 }
    }

    /// Numbers per pixel.
    pub(super) const fn colours(self) -> usize {
        if matches!(self, Self::Rgb) { 3 } else { 1 }
    }

    /// Whether pixels can be negative.
    pub(super) const fn signed(self) -> bool {
        !matches!(self, Self::U32 | Self::Rgb)
    }
}

/// The launches of a version, and the memory that they need beside image and result.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The launches. Their buffers are `image`, `table`, and for [`Table::Means`] `means` and perhaps `depth`.
    pub steps: Vec<Step>,
    /// Further buffers.
    pub scratch: Vec<Own>,
    /// What comes out.
    pub table: Table,
    /// The radius of the means, if it is the same everywhere.
    pub radius: Option<u32>,
}

/// What these kernels are not made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The version does not exist.
    #[error("there is no version `{asked}` of the summed-area table; there are {}", PROBLEM.versions.join(", "))]
    Version {
        /// The name that was asked for.
        asked: String,
    },
    /// There is no image, or it is too large.
    #[error(
        "an image of {}×{} pixels has no summed-area table here: both sides are at least 1 and at most 1048576, \
         because a launch has at most 65535 rows of thread blocks and some take 16 rows of pixels each", .0.width, .0.height
    )]
    Size(Size),
    /// Tiles of this size do not fit.
    #[error("tiles of {0} × {0} patches do not fit into shared memory: a tile's edge is 1 to 4 patches of 32 pixels")]
    Tiles(u32),
    /// One thread block cannot hold all pivots.
    #[error(
        "{rows} rows of tiles are too many for `sat_tile_borders`, which keeps a number for each of at most 1024 in \
         shared memory; larger tiles, or the version `sat_tiles_spread`, can do it"
    )]
    TileRows {
        /// The rows of tiles.
        rows: u32,
    },
}

/// Whether a version works on tiles whose size can be chosen.
pub(super) fn has_tiles(version: &str) -> bool {
    version.starts_with("sat_tiles")
}

const fn unsigned(value: u32) -> Pass {
    Pass::Scalar(Scalar::U32(value))
}

const fn int(value: u32) -> Pass {
    Pass::Scalar(Scalar::I32(value as i32))
}

/// Puts launches one behind the other.
struct Steps(Vec<Step>);

impl Steps {
    fn add(&mut self, kernel: &'static str, grid: Dim3, block: Dim3, buffers: &[&'static str], numbers: &[u32]) {
        let buffers = buffers.iter().map(|&name| Pass::Buffer(name));
        let args = buffers.chain(numbers.iter().map(|&number| unsigned(number))).collect();
        self.0.push(Step { kernel, shape: Shape { grid, block, shared_bytes: 0 }, args });
    }
}

/// How to launch `version` for an image of `size`.
///
/// # Errors
/// [`PlanError`] when the kernels are not made for that.
pub fn plan(version: &str, size: Size, tiles: Tiles) -> Result<Plan, PlanError> {
    let Some(&version) = PROBLEM.versions.iter().find(|known| **known == version) else {
        return Err(PlanError::Version { asked: version.to_owned() });
    };
    let Size { width, height } = size;
    if ![width, height].iter().all(|side| (1..=1 << 20).contains(side)) {
        return Err(PlanError::Size(size));
    }
    let mut steps = Steps(Vec::new());
    let mut scratch = Vec::new();
    let (mut table, mut radius) = (Table::F32, None);
    let floats = |name, count: usize| Own::poisoned(name, count as u64 * 4);
    let line = Dim3::linear;
    match version {
        "sat_serial" => steps.add("sat_serial", line(1), line(1), &["table", "image"], &[width, height]),
        "sat_lines" | "sat_columns" | "sat_strips" => {
            let (rows, buffers) = (["sat_rows_by_thread", "sat_rows_by_warp"], ["table", "image"]);
            if version == "sat_lines" {
                steps.add(rows[0], line(height.div_ceil(64)), line(64), &buffers, &[width, height]);
            } else {
                steps.add(rows[1], line(height.div_ceil(8)), line(256), &buffers, &[width, height]);
            }
            if version == "sat_strips" {
                let grid = line(width.div_ceil(32));
                steps.add("sat_columns_by_strip", grid, Dim3::new(32, 8, 1), &["table"], &[width, height]);
            } else {
                steps.add("sat_columns_by_thread", line(width.div_ceil(64)), line(64), &["table"], &[width, height]);
            }
        }
        "sat_transpose_plain" | "sat_transpose" | "sat_transpose_rgb" => {
            let rgb = version == "sat_transpose_rgb";
            let colours = if rgb { 3 } else { 1 };
            let count = colours as usize * size.pixels();
            scratch.extend([floats("along", count), floats("across", count)]);
            let pixels = size.pixels() as u32;
            let (mut image, mut result) = ("image", "table");
            if rgb {
                scratch.extend([floats("planes", count), floats("tables", count)]);
                (image, result) = ("planes", "tables");
                let grid = line(pixels.div_ceil(256));
                steps.add("sat_split_rgb", grid, line(256), &["planes", "image"], &[pixels]);
            }
            steps.add("sat_rows_by_block", line(colours * height), line(64), &["along", image], &[width]);
            let kernel = if version == "sat_transpose_plain" { "transpose_plain" } else { "transpose_padded" };
            let grid = Dim3::new(width.div_ceil(32), height.div_ceil(32), colours);
            steps.add(kernel, grid, Dim3::new(32, 8, 1), &["across", "along"], &[width, height]);
            steps.add("sat_rows_by_block", line(colours * width), line(64), &[result, "across"], &[height]);
            if rgb {
                let grid = line(pixels.div_ceil(256));
                steps.add("sat_join_rgb", grid, line(256), &["table", "tables"], &[pixels]);
            }
            table = if rgb { Table::Rgb } else { Table::Transposed };
        }
        "sat_tiles_plain" | "sat_tiles_in_step" | "sat_tiles" | "sat_tiles_spread" => {
            in_tiles(version, size, tiles, &mut steps, &mut scratch)?;
        }
        _ => {
            let kernel = if version == "sat_look_back_u8" { "sat_look_back_u8" } else { "sat_look_back" };
            if version == "sat_look_back_u8" {
                table = Table::U32;
            }
            let tiles = width.div_ceil(TILE_WIDTH) * height.div_ceil(TILE_HEIGHT);
            scratch.push(Own::zeros("work", 8 * (1 + u64::from(tiles) * u64::from(TILE_WIDTH + TILE_HEIGHT))));
            steps.add(kernel, line(tiles), line(512), &["table", "image"], &[width, height]);
            steps.0[0].args.extend([Pass::Buffer("work"), unsigned(1)]);
            let grid = Dim3::new(width.div_ceil(32), height.div_ceil(8), 1);
            if version == "sat_box_filter" {
                (table, radius) = (Table::Means, Some(RADIUS));
                let buffers = ["means", "table"];
                steps.add("sat_box_filter", grid, Dim3::new(32, 8, 1), &buffers, &[width, height]);
                steps.0[1].args.push(int(RADIUS));
            } else if version == "sat_depth_of_field" {
                table = Table::Means;
                let buffers = ["means", "table", "depth"];
                steps.add("sat_depth_of_field", grid, Dim3::new(32, 8, 1), &buffers, &[width, height]);
                steps.0[1].args.extend([int(FOCUS.into()), int(SHIFT)]);
            }
        }
    }
    Ok(Plan { steps: steps.0, scratch, table, radius })
}

/// The versions that find the borders of tiles first.
fn in_tiles(
    version: &'static str,
    Size { width, height }: Size,
    tiles: Tiles,
    steps: &mut Steps,
    scratch: &mut Vec<Own>,
) -> Result<(), PlanError> {
    let Tiles { patches } = tiles;
    if !(1..=4).contains(&patches) {
        return Err(PlanError::Tiles(patches));
    }
    let b = tiles.edge();
    let (across, down) = (width.div_ceil(b), height.div_ceil(b));
    let spread = version == "sat_tiles_spread";
    if down > MOST_TILE_ROWS && !spread {
        return Err(PlanError::TileRows { rows: down });
    }
    let [sums, scan] = match version {
        "sat_tiles_plain" => ["sat_tiles_plain_sums", "sat_tiles_plain_scan"],
        "sat_tiles_in_step" => ["sat_tiles_in_step_sums", "sat_tiles_in_step_scan"],
        _ => ["sat_tiles_sums", "sat_tiles_scan"],
    };
    let border = across as usize * down as usize * b as usize;
    scratch.extend(["rows", "columns"].map(|name| Own::poisoned(name, border as u64 * 4)));
    let (grid, block) = (Dim3::new(across, down, 1), Dim3::new(PATCH, PATCH, 1));
    steps.add(sums, grid, block, &["rows", "columns", "image"], &[width, height, patches]);
    let line = Dim3::linear;
    if spread {
        let numbers = [across, down, b];
        steps.add("sat_borders_of_rows", line((down * b).div_ceil(256)), line(256), &["rows"], &numbers);
        steps.add("sat_borders_of_columns", line((across * b).div_ceil(256)), line(256), &["columns"], &numbers);
        steps.add("sat_pivots", line(down), line(32), &["columns"], &[across, b]);
    } else {
        steps.add("sat_tile_borders", line(1), line(1024), &["rows", "columns"], &[across, down, b]);
    }
    steps.add(scan, grid, block, &["table", "image", "rows", "columns"], &[width, height, patches]);
    Ok(())
}
