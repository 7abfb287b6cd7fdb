//! What the explorer says of an access is what an H200 was measured to do: every access of the simulator's own data that an
//! explorer can show.

use std::collections::BTreeMap;

use draw::access::Space;
use draw::explorer::{Kind, Mode, State, answer};
use serde::Deserialize;

/// What `h200-warp-accesses.json` holds.
#[derive(Deserialize)]
struct Data {
    /// Element index of every lane; -1 for a lane that takes no part.
    indices: Vec<[i64; 32]>,
    accesses: Vec<Measured>,
}

/// One access of one warp.
#[derive(Deserialize)]
struct Measured {
    access: String,
    bytes: u32,
    pattern: String,
    /// Which of the indices.
    index: usize,
    wavefronts: Option<u64>,
    atom_wavefronts: Option<u64>,
    sectors: Option<u64>,
}

fn addresses(index: &[i64; 32], bytes: u32) -> Vec<Option<u64>> {
    index.iter().map(|index| u64::try_from(*index).ok().map(|index| index * u64::from(bytes))).collect()
}

#[test]
fn every_access_costs_what_it_cost_on_the_gpu() {
    let text = include_str!("../../../sim/tests/data/h200-warp-accesses.json");
    let data: Data = serde_json::from_str(text).expect("JSON");
    let (mut checked, mut explained, mut refused) = (BTreeMap::<&str, usize>::new(), 0, 0);
    for access in &data.accesses {
        let (mode, space, kind, measured) = match &*access.access {
            "ld1" | "ld4" | "ld8" | "ld16" => (Mode::Banks, Space::Shared, Kind::Load, access.wavefronts),
            "st1" | "st4" | "st8" | "st16" => (Mode::Banks, Space::Shared, Kind::Store, access.wavefronts),
            "at4" | "rd4" => (Mode::Atomics, Space::Shared, Kind::Add, access.atom_wavefronts),
            "in4" => (Mode::Atomics, Space::Shared, Kind::Increment, access.atom_wavefronts),
            "cas4" => (Mode::Atomics, Space::Shared, Kind::CompareAndSwap, access.atom_wavefronts),
            "g4" | "g16" => (Mode::Sectors, Space::Global, Kind::Load, access.sectors),
            "gs4" => (Mode::Sectors, Space::Global, Kind::Store, access.sectors),
            "gr4" => (Mode::Atomics, Space::Global, Kind::Add, access.sectors),
            // Loops of compare-and-swap that the compiler makes: several accesses, of which none is chosen by the program.
            "atf" | "at8" => continue,
            other => panic!("unknown kind {other}"),
        };
        let addresses = addresses(&data.indices[access.index], access.bytes);
        let state = State { mode, space, kind, width: access.bytes, addresses: Some(addresses), ..State::default() };
        let shown = match answer(&state) {
            Ok(shown) => shown,
            // Addresses that lie too far apart are refused, and say so.
            Err(fault) if fault.message.contains("can be shown") => {
                refused += 1;
                continue;
            }
            Err(fault) => panic!("{} {}: {fault:?}", access.access, access.pattern),
        };
        assert_eq!(shown.cost, measured, "{} {}", access.access, access.pattern);
        // Where a way to serve the lanes is drawn, the last lane is served in the last turn.
        if let Some(last) = shown.turns.iter().flatten().max().filter(|_| mode == Mode::Banks) {
            assert_eq!(Some(u64::from(*last)), shown.cost, "{} {}", access.access, access.pattern);
            explained += 1;
        }
        *checked.entry(&access.access).or_default() += 1;
    }
    assert_eq!(checked.len(), 16, "{checked:?}");
    assert!(checked.values().sum::<usize>() > 1400, "{checked:?}");
    assert!(refused < 10, "{refused} accesses are refused");
    assert!(explained > 700, "only {explained} of the accesses to banks are explained by their columns");
}

/// One reduction of one warp.
#[derive(Deserialize)]
struct Reduction {
    bytes: u32,
    index: [i64; 32],
    sectors: u64,
}

#[test]
fn reductions_move_the_sectors_that_the_gpu_moved() {
    let text = include_str!("../../../sim/tests/data/h200-global-reductions.json");
    let data: Vec<Reduction> = serde_json::from_str(text).expect("JSON");
    let mut shown = 0;
    for (number, reduction) in data.iter().enumerate() {
        let state = State {
            mode: Mode::Atomics,
            space: Space::Global,
            kind: Kind::Add,
            width: reduction.bytes,
            addresses: Some(addresses(&reduction.index, reduction.bytes)),
            ..State::default()
        };
        match answer(&state) {
            Ok(answer) => {
                assert_eq!(answer.cost, Some(reduction.sectors), "reduction {number}");
                shown += 1;
            }
            Err(fault) => assert!(fault.message.contains("leaves no lane"), "reduction {number}: {fault:?}"),
        }
    }
    assert!(shown > 500, "{shown} of {}", data.len());
}
