//! What of summed-area tables is benched.

use rayon::prelude::*;

use super::plan::{TILE_WIDTH, radius_at};
use super::{IN_STEP, PROBLEM, Plan, Size, Table, Tiles, depths, plan};
use crate::workload::values::{Reference, Values, generate, transposed};
use crate::workload::{self, Content, Launches, Own, Peer, Run, SinglePass, Workload};

/// Width and height.
const SIZES: [(u32, u32); 4] = [(256, 256), (1920, 1080), (2048, 2048), (8192, 8192)];

/// Width and height that end in the middle of a tile and of a vector: tables of about 1 GiB, and of more than 4 GiB.
const RAGGED: [(u32, u32); 2] = [(16_391, 16_381), (32_771, 32_779)];

/// The most pixels that one thread is left alone with.
const SERIAL: usize = 1 << 16;

/// What a workload's versions have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Tables of floats.
    Floats,
    /// Tables of bytes.
    Bytes,
    /// Tables of three bytes.
    Colours,
    /// Means over squares of one size.
    Means,
    /// Means over squares of many.
    DepthOfField,
}

impl Kind {
    fn of(plan: &Plan) -> Self {
        match plan.table {
            Table::F32 | Table::Transposed => Self::Floats,
            Table::U32 => Self::Bytes,
            Table::Rgb => Self::Colours,
            Table::Means if plan.radius.is_some() => Self::Means,
            Table::Means => Self::DepthOfField,
        }
    }

    /// What a pixel is, and what is made of the picture.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Floats => ("floats", "small whole numbers"),
            Self::Bytes => ("bytes", "any bytes"),
            Self::Colours => ("pixels of three bytes", "few pixels set"),
            Self::Means => ("floats", "small whole numbers, for a box filter"),
            Self::DepthOfField => ("floats", "small whole numbers, for a depth of field"),
        }
    }
}

/// The workloads: tables of floats from small to large, then the rest, small and large.
pub(super) fn workloads() -> Vec<Workload> {
    let size = |(width, height)| Size { width, height };
    let [smallest, .., largest] = SIZES.map(size);
    let floats = SIZES.map(|sides| workload(Kind::Floats, size(sides)));
    let others = [Kind::Bytes, Kind::Colours, Kind::Means, Kind::DepthOfField];
    let others = others.into_iter().flat_map(|kind| [smallest, largest].map(|size| workload(kind, size)));
    let ragged = [(Kind::Floats, RAGGED[0]), (Kind::Bytes, RAGGED[0]), (Kind::Floats, RAGGED[1])];
    let ragged = ragged.map(|(kind, sides)| workload(kind, size(sides)).only(is_long_run));
    floats.into_iter().chain(others).chain(ragged).collect()
}

/// The versions whose large ragged pictures are listed.
fn is_long_run(version: &str) -> bool {
    ["sat_strips", "sat_tiles_spread", "sat_look_back", "sat_look_back_u8"].contains(&version)
}

/// The workloads of another size.
pub(super) fn of_size(size: workload::Size) -> Result<Vec<Workload>, String> {
    let (width, height) = size.picture()?;
    let kinds = [Kind::Floats, Kind::Bytes, Kind::Colours, Kind::Means, Kind::DepthOfField];
    // Without a pixel there is no picture; the reference wants one, too.
    if width == 0 || height == 0 {
        return Err(plan("sat_look_back", Size { width, height }, Tiles { patches: 1 }).unwrap_err().to_string());
    }
    Ok(kinds.map(|kind| workload(kind, Size { width, height })).into())
}

/// The versions that make a table in one launch.
pub(super) fn single_pass() -> Vec<SinglePass> {
    ["sat_look_back", "sat_look_back_u8"].map(|version| SinglePass { version, tile: TILE_WIDTH, square: true }).into()
}

fn planned(version: &str, size: Size) -> Plan {
    plan(version, size, Tiles { patches: 1 }).expect("the sizes are in range")
}

fn workload(kind: Kind, size: Size) -> Workload {
    // The launches for one pixel tell what a version is for.
    let of_kind = |version: &&&'static str| Kind::of(&planned(version, Size { width: 1, height: 1 })) == kind;
    let run = |&version: &&'static str| match version {
        "sat_serial" if size.pixels() > SERIAL => Run::left_out(version, "one thread would take seconds"),
        _ => {
            let turned = planned(version, Size { width: 1, height: 1 }).table == Table::Transposed;
            let fits = plan(version, size, Tiles { patches: 1 }).map(drop);
            let run = Run::fitting(version, fits, move || launches(version, size));
            let run = run.leaving(if turned { "turned" } else { "upright" });
            if version == "sat_tiles_in_step" { run.expecting(IN_STEP) } else { run }
        }
    };
    let (unit, data) = kind.names();
    let workload = Workload::new(size.pixels() as u64, unit, data, move || make(kind, size))
        .sized(format!("{}×{}", size.width, size.height))
        .runs(PROBLEM.versions.iter().filter(of_kind).map(run));
    if kind != Kind::Bytes {
        return workload;
    }
    // NPP's table has one more row and column, of zeros, and what it sums up does not contain the pixel itself.
    let table = [Own::poisoned("table", 4 * ((size.width as u64 + 1) * (size.height as u64 + 1)))];
    let peer = Peer::npp("nppiIntegral_8u32s_C1R_Ctx", "NPP_INTEGRAL_8U32S", size.width, size.height, &table);
    workload.peer(Peer { result: Some("bordered"), ..peer })
}

fn launches(version: &'static str, size: Size) -> Launches {
    let plan = planned(version, size);
    let bytes = |each: usize| (each * size.pixels()) as u64;
    let mut buffers = vec![Own::poisoned("table", bytes(plan.table.bytes()))];
    if plan.table == Table::Means {
        buffers.push(Own::poisoned("means", bytes(4)));
    }
    buffers.extend(plan.scratch);
    Launches { steps: plan.steps, buffers }
}

/// Images whose sums are exact: those of positive and negative numbers stay near zero, those of a few pixels of 1 below
/// 2^24, and those of bytes are taken modulo 2^32.
fn make(kind: Kind, size: Size) -> Content {
    let (width, pixels) = (size.width as usize, size.pixels());
    let floats = |numbers: &[i32]| numbers.par_iter().map(|&x| x as f32).collect::<Vec<f32>>();
    let exact = |buffer, values: Values| vec![Reference::exact(buffer, values)];
    let (image, results, per_pixel): (Values, _, u64) = match kind {
        Kind::Bytes => {
            let image: Vec<u8> = generate(0x5a7, pixels, |random, _| random.bits() as u8);
            let table = summed(image.par_iter().map(|&x| i32::from(x)).collect(), width);
            let table: Vec<u32> = table.into_par_iter().map(|sum| sum as u32).collect();
            let bordered = bordered(&table, width);
            let results =
                vec![("upright", exact("table", table.into())), ("bordered", exact("table", bordered.into()))];
            (image.into(), results, 1 + 4)
        }
        Kind::Colours => {
            let image: Vec<u8> = generate(0x5a7, 3 * pixels, |random, _| u8::from(random.whole(0, 15) == 0));
            let tables = [0, 1, 2].map(|colour| {
                let plane = image.par_iter().skip(colour).step_by(3).map(|&x| i32::from(x)).collect();
                transposed(&summed(plane, width), width)
            });
            let joined = (0..4 * pixels).into_par_iter().map(|i| tables.get(i % 4).map_or(0.0, |t| t[i / 4] as f32));
            (image.into(), vec![("upright", exact("table", joined.collect::<Vec<f32>>().into()))], 3 + 16)
        }
        Kind::Floats | Kind::Means | Kind::DepthOfField => {
            let image: Vec<i32> = generate(0x5a7, pixels, |random, _| random.whole(-8, 8));
            let input = floats(&image).into();
            let table = summed(image, width);
            match kind {
                Kind::Floats => {
                    let turned = floats(&transposed(&table, width)).into();
                    let upright = floats(&table).into();
                    (input, vec![("upright", exact("table", upright)), ("turned", exact("table", turned))], 8)
                }
                _ => {
                    let depths = depths(size);
                    let fixed = planned("sat_box_filter", size).radius.unwrap_or_default();
                    let radius = |i: usize| match kind {
                        Kind::Means => fixed,
                        _ => radius_at(depths[i]),
                    };
                    let means = means(&table, size, radius);
                    let results = vec![("upright", exact("means", means.into()))];
                    (input, results, if kind == Kind::Means { 8 } else { 9 })
                }
            }
        }
    };
    let mut inputs = vec![("image", image)];
    if kind == Kind::DepthOfField {
        inputs.push(("depth", depths(size).into()));
    }
    Content { inputs, results, bytes: per_pixel * pixels as u64 }
}

/// The summed-area table, modulo 2^32: rows by all cores, then row after row.
fn summed(mut image: Vec<i32>, width: usize) -> Vec<i32> {
    image.par_chunks_mut(width).for_each(|row| {
        let mut sum = 0i32;
        for pixel in row {
            sum = sum.wrapping_add(*pixel);
            *pixel = sum;
        }
    });
    let mut rows = image.chunks_mut(width);
    if let Some(mut above) = rows.next() {
        for row in rows {
            row.iter_mut().zip(&*above).for_each(|(sum, above)| *sum = sum.wrapping_add(*above));
            above = row;
        }
    }
    image
}

/// A table with a row of zeros above it and a column of zeros on its left.
fn bordered(table: &[u32], width: usize) -> Vec<u32> {
    let mut bordered = vec![0; (width + 1) * (table.len() / width + 1)];
    let rows = bordered.par_chunks_mut(width + 1).skip(1).zip(table.par_chunks(width));
    rows.for_each(|(to, from)| to[1..].copy_from_slice(from));
    bordered
}

/// The means of the pixels around each pixel, from their table.
fn means(table: &[i32], size: Size, radius: impl Fn(usize) -> u32 + Sync) -> Vec<f32> {
    let (width, height) = (size.width as usize, size.height as usize);
    // The sum of what is above and to the left of (x, y), itself left out.
    let before = |x: usize, y: usize| if x > 0 && y > 0 { table[(y - 1) * width + x - 1] } else { 0 };
    let mean = |i: usize| {
        let (x, y, radius) = (i % width, i / width, radius(i) as usize);
        let (left, right) = (x.saturating_sub(radius), (x + radius + 1).min(width));
        let (top, bottom) = (y.saturating_sub(radius), (y + radius + 1).min(height));
        let sum = before(right, bottom) - before(left, bottom) - before(right, top) + before(left, top);
        sum as f32 / ((right - left) * (bottom - top)) as f32
    };
    (0..table.len()).into_par_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cores_sum_as_one_does() {
        let size = Size { width: 67, height: 41 };
        let image: Vec<i32> = generate(2, size.pixels(), |random, _| random.whole(-8, 8));
        let wide: Vec<i64> = image.iter().map(|&x| x.into()).collect();
        let table = summed(image, 67);
        assert_eq!(table.iter().map(|&x| i64::from(x)).collect::<Vec<_>>(), super::super::reference(&wide, size));
        let radius = |i: usize| i % 5;
        assert_eq!(means(&table, size, |i| radius(i) as u32), super::super::means(&wide, size, radius));
    }
}
