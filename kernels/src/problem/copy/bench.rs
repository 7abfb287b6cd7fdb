//! What of copies and transposes is benched.

use super::{PROBLEM, Size, plan, transposes};
use crate::bench::values::{Reference, generate, transposed};
use crate::bench::workload::{Call, Content, Launches, Own, Peer, Run, Workload, power};

/// Rows and columns, from 2^16 elements to 2^28.
const SIDES: [u32; 4] = [1 << 8, 1 << 10, 1 << 12, 1 << 14];

/// The workloads, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    SIDES.map(|side| workload(Size { width: side, height: side })).into()
}

fn workload(size: Size) -> Workload {
    let bytes = 4 * size.elements();
    let out = Own::poisoned("out", bytes);
    let run = |&version: &&'static str| {
        let launches = move || Launches {
            steps: vec![plan(version, size).expect("both sides are powers of two")],
            buffers: vec![out],
        };
        Run::new(version, launches).leaving(if transposes(version) { "transposed" } else { "copied" })
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
    Workload::new(size.elements(), "ints", "any ints, a square", make)
        .sized(power(size.elements()))
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
