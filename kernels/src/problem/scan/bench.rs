//! What of the scans of tiles is benched. No algorithm of others does the same: theirs scan whole arrays.

use rayon::prelude::*;

use super::{LARGE_TILE, PROBLEM, ShapeError, shape};
use crate::case::{Pass, Step};
use crate::workload::values::{Reference, generate};
use crate::workload::{Content, Launches, Own, Run, SinglePass, Size, Workload};
use sim::Scalar;

/// Elements.
const SIZES: [u64; 4] = [1 << 16, 1 << 20, 1 << 24, 1 << 28];

/// Elements that end in the middle of a tile: of about 1 GiB, and of more than 4 GiB.
const RAGGED: [u64; 2] = [(1 << 28) + 7, (1 << 30) + 7];

/// The workloads, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    SIZES.into_iter().chain(RAGGED).map(workload).collect()
}

/// The workloads of another size.
pub(super) fn of_size(size: Size) -> Result<Vec<Workload>, String> {
    size.array().map(|count| vec![workload(count)])
}

/// No tile has anything to do with another one here.
pub(super) const fn single_pass() -> Vec<SinglePass> {
    Vec::new()
}

fn workload(count: u64) -> Workload {
    let make = move || {
        // Sums of whole numbers are exact in whatever order they are formed.
        let input: Vec<f32> = generate(0x5ca0, count as usize, |random, _| random.whole(-8, 8) as f32);
        let mut scanned = vec![0.0; input.len()];
        let tile = LARGE_TILE as usize;
        scanned.par_chunks_mut(tile).zip(input.par_chunks(tile)).for_each(|(out, input)| {
            let mut sum = 0.0;
            for (out, value) in out.iter_mut().zip(input) {
                *out = sum;
                sum += value;
            }
        });
        Content {
            inputs: vec![("in", input.into())],
            results: vec![("scans", vec![Reference::exact("out", scanned)])],
            bytes: 8 * count,
        }
    };
    let run = |&version: &&'static str| {
        let fits = u32::try_from(count).map_err(|_| ShapeError::Count(u32::MAX).to_string());
        let fits = fits.and_then(|count| shape(version, LARGE_TILE, count).map_err(|why| why.to_string()));
        Run::fitting(version, fits.map(drop), move || launches(version, count as u32))
    };
    Workload::new(count, "floats", format!("small whole numbers, tiles of {LARGE_TILE}"), make)
        .runs(PROBLEM.versions.iter().map(run))
}

fn launches(version: &'static str, count: u32) -> Launches {
    let shape = shape(version, LARGE_TILE, count).expect("every version takes this tile, and these sizes");
    let int = |value: u32| Pass::Scalar(Scalar::I32(value as i32));
    let args = vec![Pass::Buffer("out"), Pass::Buffer("in"), int(count), int(LARGE_TILE)];
    Launches {
        steps: vec![Step { kernel: version, shape, args }],
        buffers: vec![Own::poisoned("out", 4 * u64::from(count))],
    }
}
