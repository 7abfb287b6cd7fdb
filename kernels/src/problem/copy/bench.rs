//! What of copies and transposes is benched.

use super::{PROBLEM, Size, plan, transposes};
use crate::workload::values::{Reference, generate, transposed};
use crate::workload::{self, Call, Content, Launches, Own, Peer, Run, SinglePass, Workload};

/// Rows and columns, from 2^16 elements to 2^28.
const SIDES: [u32; 4] = [1 << 8, 1 << 10, 1 << 12, 1 << 14];

/// Width and height that end in the middle of a tile and of a vector: of about 1 GiB, and of more than 4 GiB.
const RAGGED: [(u32, u32); 2] = [(16_391, 16_381), (32_771, 32_779)];

/// The workloads, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    let squares = SIDES.map(|side| workload(Size { width: side, height: side }).sized(workload::power(square(side))));
    squares.into_iter().chain(RAGGED.map(|(width, height)| workload(Size { width, height }))).collect()
}

const fn square(side: u32) -> u64 {
    side as u64 * side as u64
}

/// The workloads of another size: one number is a square's, if it is one, and else one row.
pub(super) fn of_size(size: workload::Size) -> Result<Vec<Workload>, String> {
    let (width, height) = match size {
        workload::Size::Sides(width, height) => (width, height),
        workload::Size::Elements(count) => {
            let side = count.isqrt();
            let too_long = || format!("a row of {count} elements is too long: sides are unsigned ints");
            let line = u32::try_from(count).map_err(|_| too_long());
            if square(side as u32) == count { (side as u32, side as u32) } else { (line?, 1) }
        }
    };
    Ok(vec![workload(Size { width, height }).sized(size.to_string())])
}

/// No block has anything to do with another one here.
pub(super) const fn single_pass() -> Vec<SinglePass> {
    Vec::new()
}

fn workload(size: Size) -> Workload {
    let bytes = 4 * size.elements();
    let out = Own::poisoned("out", bytes);
    let run = |&version: &&'static str| {
        let launches = move || Launches { steps: vec![plan(version, size).expect("it fits")], buffers: vec![out] };
        Run::fitting(version, plan(version, size).map(drop), launches).leaving(if transposes(version) {
            "transposed"
        } else {
            "copied"
        })
    };
    let make = move || {
        let input: Vec<u32> = generate(0xc09, size.elements() as usize, |random, _| random.bits() as u32);
        let transposed = transposed(&input, size.width as usize);
        Content {
            results: vec![
                ("copied", vec![Reference::exact("out", input.clone())]),
                ("transposed", vec![Reference::exact("out", transposed)]),
            ],
            inputs: vec![("in", input.into())],
            bytes: 2 * bytes,
        }
    };
    let data = if size.width == size.height { "any ints, a square" } else { "any ints" };
    Workload::new(size.elements(), "ints", data, make)
        .sized(size.to_string())
        .runs(PROBLEM.versions.iter().map(run))
        .peer(Peer {
            name: "cuMemcpyDtoD",
            call: Call::Copy,
            reads: vec!["in"],
            writes: vec![out],
            count: size.elements(),
            result: Some("copied"),
        })
}
