//! Summed-area tables: the reference and the cases for `cu/summed_area_table.cu`. The launches are in `plan.rs`.

mod bench;
mod plan;

#[cfg(test)]
mod tests;

pub use plan::{Plan, PlanError, Table, Tiles, plan, radius_at};

use super::Problem;
use crate::case::{Buffer, Case, Planned, Prepared};
use crate::check::{Element, Expected, Tolerance};
use crate::random::Random;
use crate::verdict::Verdict;
use crate::workload::Own;
use sim::report::FindingKind;

/// The problem.
pub const PROBLEM: Problem = Problem {
    name: "summed_area_table",
    about: "tables of the sums of all pixels above and to the left",
    versions: &[
        "sat_serial",
        "sat_lines",
        "sat_columns",
        "sat_transpose_plain",
        "sat_transpose",
        "sat_transpose_rgb",
        "sat_tiles_plain",
        "sat_tiles_in_step",
        "sat_tiles",
        "sat_tiles_spread",
        "sat_strips",
        "sat_look_back",
        "sat_look_back_u8",
        "sat_box_filter",
        "sat_depth_of_field",
    ],
    cases,
    bench: bench::workloads,
    bench_of: bench::of_size,
    single_pass: bench::single_pass,
};

/// Width and height of an image, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Size {
    /// Pixels.
    pub const fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }
}

/// What is in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Whole numbers from 0 to 8.
    Whole,
    /// 255 everywhere: the largest sums that bytes can have.
    White,
    /// 1 and -1 (bytes: 1 and 0) like the squares of a chessboard.
    Chessboard,
    /// Zeros, and one pixel in the corner that comes first, which every sum contains.
    Corner,
}

impl Picture {
    /// What the picture is called in the list of cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "small whole numbers",
            Self::White => "all white",
            Self::Chessboard => "chessboard",
            Self::Corner => "one pixel in the corner",
        }
    }

    /// `count` numbers, of which `width` make a row. Whole numbers: sums below 2^24 are exact in floats.
    pub fn make(self, width: u32, count: usize, signed: bool) -> Vec<i64> {
        let mut random = Random::new(0x5a7 + count as u64);
        let number = |i: usize| match self {
            Self::Whole => i64::from(random.whole(0, 8)),
            Self::White => 255,
            Self::Chessboard if (i % width as usize + i / width as usize).is_multiple_of(2) => 1,
            Self::Chessboard => -i64::from(signed),
            Self::Corner => 7 * i64::from(i == 0),
        };
        (0..count).map(number).collect()
    }
}

/// The summed-area table of an image.
pub fn reference(image: &[i64], size: Size) -> Vec<i64> {
    let width = size.width as usize;
    let mut table: Vec<i64> = Vec::with_capacity(image.len());
    for (y, row) in image.chunks(width.max(1)).enumerate() {
        let mut sum = 0;
        for (x, pixel) in row.iter().enumerate() {
            sum += pixel;
            let above = if y > 0 { table[(y - 1) * width + x] } else { 0 };
            table.push(sum + above);
        }
    }
    table
}

/// Columns become rows.
pub fn transposed(table: &[i64], size: Size) -> Vec<i64> {
    let (width, height) = (size.width as usize, size.height as usize);
    (0..width).flat_map(|x| (0..height).map(move |y| table[y * width + x])).collect()
}

/// The mean of the pixels around each pixel, `radius(x, y)` to each side, of squares that are cut at the image's edge.
pub fn means(image: &[i64], size: Size, radius: impl Fn(usize) -> usize) -> Vec<f32> {
    let (width, height) = (size.width as usize, size.height as usize);
    let mean = |i: usize| {
        let (x, y, radius) = (i % width, i / width, radius(i));
        let (left, right) = (x.saturating_sub(radius), (x + radius).min(width - 1));
        let (top, bottom) = (y.saturating_sub(radius), (y + radius).min(height - 1));
        let sum: i64 = (top..=bottom).map(|y| image[y * width + left..=y * width + right].iter().sum::<i64>()).sum();
        sum as f32 / ((right - left + 1) * (bottom - top + 1)) as f32
    };
    (0..image.len()).map(mean).collect()
}

/// How far the pixels of the example are away: further to the right, in steps.
pub fn depths(size: Size) -> Vec<u8> {
    (0..size.pixels()).map(|i| (i % size.width as usize * 255 / size.width as usize) as u8 & 0xf8).collect()
}

/// Why the version that trusts lanes to run in step is faulty.
const IN_STEP: Verdict = Verdict::Faulty {
    finding: FindingKind::Race,
    why: "the lanes of a warp need not run in step, and nothing orders what they read and write",
};

/// Everything that is run, version by version, from small to large.
fn cases() -> Vec<Case> {
    let of = |&version: &&'static str| {
        let mut cases = Vec::new();
        let mut add =
            |width, height, picture| cases.push(case(version, Size { width, height }, Tiles { patches: 1 }, picture));
        match version {
            "sat_serial" => {
                [(1, 1), (9, 1), (1, 9), (31, 33)].into_iter().for_each(|(w, h)| add(w, h, Picture::Whole));
            }
            "sat_look_back" | "sat_look_back_u8" => {
                // One tile: nobody waits, and every counter is determined.
                for (width, height) in [(1, 1), (128, 128), (127, 127), (31, 33), (124, 1), (1, 128)] {
                    add(width, height, Picture::Whole);
                }
                for (width, height) in [(129, 129), (300, 200), (1, 1000), (1000, 1), (640, 480), (1024, 1024)] {
                    add(width, height, Picture::Whole);
                }
                add(300, 200, Picture::White);
                add(128, 128, Picture::Chessboard);
                add(260, 130, Picture::Corner);
            }
            _ => {
                for (width, height) in [(1, 1), (31, 33), (32, 32), (70, 20), (100, 1), (1, 100), (130, 70)] {
                    add(width, height, Picture::Whole);
                }
                add(130, 70, Picture::Chessboard);
                add(64, 64, Picture::White);
                add(64, 64, Picture::Corner);
                add(300, 200, Picture::Whole);
                add(1024, 1024, Picture::Whole);
            }
        }
        if plan::has_tiles(version) {
            for patches in [2, 4] {
                cases.push(case(version, Size { width: 300, height: 200 }, Tiles { patches }, Picture::Whole));
            }
        }
        cases
    };
    PROBLEM.versions.iter().flat_map(of).collect()
}

/// One case. Only for what [`plan`] accepts.
fn case(version: &'static str, size: Size, tiles: Tiles, picture: Picture) -> Case {
    let plan = move || plan(version, size, tiles).expect("the cases hold only what the kernels are made for");
    let launches = plan().steps.iter().map(|step| Planned { kernel: step.kernel, shape: step.shape }).collect();
    let mut name = format!("{}×{}, {}", size.width, size.height, picture.name());
    if plan::has_tiles(version) {
        name.push_str(&format!(", tiles of {0}×{0}", tiles.edge()));
    }
    let case = Case::new(PROBLEM.name, version, name, picture.name(), launches, move || prepare(plan(), size, picture));
    if version == "sat_tiles_in_step" { case.expecting(IN_STEP) } else { case }
}

fn prepare(plan: Plan, size: Size, picture: Picture) -> Prepared {
    let floats = |numbers: &[i64]| numbers.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect::<Vec<u8>>();
    let ints = |numbers: &[i64]| numbers.iter().flat_map(|&x| (x as u32).to_le_bytes()).collect::<Vec<u8>>();
    let bytes = |numbers: &[i64]| numbers.iter().map(|&x| x as u8).collect::<Vec<u8>>();
    let exact = |buffer, element, reference| Expected { buffer, element, reference, tolerance: Tolerance::Exact };
    let image = picture.make(size.width, size.pixels() * plan.table.colours(), plan.table.signed());
    let table = reference(&image[..size.pixels()], size);
    let (pixels, expected) = match plan.table {
        Table::F32 => (floats(&image), exact("table", Element::F32, floats(&table))),
        Table::Transposed => (floats(&image), exact("table", Element::F32, floats(&transposed(&table, size)))),
        Table::U32 => (bytes(&image), exact("table", Element::U32, ints(&table))),
        Table::Rgb => {
            let colour = |c: usize| -> Vec<i64> { image.iter().skip(c).step_by(3).copied().collect() };
            let tables = [0, 1, 2].map(|c| transposed(&reference(&colour(c), size), size));
            let joined: Vec<i64> =
                (0..size.pixels()).flat_map(|i| [tables[0][i], tables[1][i], tables[2][i], 0]).collect();
            (bytes(&image), exact("table", Element::F32, floats(&joined)))
        }
        Table::Means => {
            let depths = depths(size);
            let means = match plan.radius {
                Some(radius) => means(&image, size, |_| radius as usize),
                None => means(&image, size, |i| radius_at(depths[i]) as usize),
            };
            // Both divide the same two whole numbers, so the quotients are the same to the last bit.
            let bytes = means.into_iter().flat_map(f32::to_le_bytes).collect();
            (floats(&image), exact("means", Element::F32, bytes))
        }
    };
    let mut buffers = vec![Buffer::of("image", &pixels), Buffer::poisoned("table", size.pixels() * plan.table.bytes())];
    if plan.table == Table::Means {
        buffers.push(Buffer::poisoned("means", size.pixels() * 4));
        if plan.radius.is_none() {
            buffers.push(Buffer::of("depth", &depths(size)));
        }
    }
    buffers.extend(plan.scratch.iter().map(Own::buffer));
    Prepared { buffers, steps: plan.steps, expected: vec![expected] }
}
