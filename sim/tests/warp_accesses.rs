//! What an H200 was measured to do with single accesses of a warp, and brute force for everything else.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;
use sim::memory::banks::{self, Direction};
use sim::memory::sectors::{self, GlobalUnit};
use sim::observe::SharedUnit;

/// What `data/h200-warp-accesses.json` holds.
#[derive(Deserialize)]
struct Data {
    /// Element index of every lane; -1 for a lane that takes no part.
    indices: Vec<[i64; 32]>,
    accesses: Vec<Measured>,
}

/// One measured access of one warp, with the counters of Nsight Compute that fit its kind.
#[derive(Deserialize)]
struct Measured {
    access: String,
    bytes: u64,
    pattern: String,
    /// Which of the indices.
    index: usize,
    wavefronts: Option<u32>,
    atom_wavefronts: Option<u32>,
    atom_instructions: Option<u32>,
    load_wavefronts: Option<u32>,
    load_instructions: Option<u32>,
    sectors: Option<u32>,
    requests: Option<u32>,
    set_accesses: Option<u32>,
    l2_requests: Option<u32>,
}

#[test]
fn an_h200_does_the_same() {
    let data: Data = serde_json::from_str(include_str!("data/h200-warp-accesses.json")).expect("JSON");
    let mut checked = BTreeMap::<&str, usize>::new();
    for access in &data.accesses {
        let index = data.indices[access.index];
        let active = (0..32).filter(|&lane| index[lane] >= 0).fold(0, |mask, lane| mask | 1 << lane);
        let addresses = index.map(|index| index.max(0) as u64 * access.bytes);
        let shared = addresses.map(|address| address as u32);
        let width = access.bytes as u32;
        let atomic = |unit| banks::atomic_wavefronts(&shared, active, width, unit);
        let (measured, simulated) = match &*access.access {
            "ld1" | "ld4" | "ld8" | "ld16" => {
                (access.wavefronts, banks::wavefronts(&shared, active, width, Direction::Load))
            }
            "st1" | "st4" | "st8" | "st16" => {
                (access.wavefronts, banks::wavefronts(&shared, active, width, Direction::Store))
            }
            "at4" | "rd4" => (access.atom_wavefronts, atomic(SharedUnit::Alu)),
            "in4" => (access.atom_wavefronts, atomic(SharedUnit::Increment)),
            "cas4" => (access.atom_wavefronts, atomic(SharedUnit::CompareAndSwap)),
            "atf" | "at8" => {
                let steps = Loop::of(&shared, active, width);
                assert_eq!(access.atom_instructions, Some(steps.count), "{} {}", access.access, access.pattern);
                // At the end each of the measured kernels loads its 32 elements once, in order.
                let (own, wavefronts) = (1, width / 4);
                assert_eq!(access.load_instructions, Some(steps.count + own), "{} {}", access.access, access.pattern);
                assert_eq!(
                    access.load_wavefronts,
                    Some(steps.load_wavefronts + wavefronts),
                    "{} {}",
                    access.access,
                    access.pattern
                );
                (access.atom_wavefronts, steps.atom_wavefronts)
            }
            "g4" | "g16" | "gs4" => {
                assert_eq!(access.requests, Some(1));
                (access.sectors, sectors::sectors(&addresses, active))
            }
            "gr4" => {
                let passes = sectors::passes(&addresses, active, width, GlobalUnit::Alu);
                assert_eq!((access.requests, access.set_accesses), (Some(1), Some(passes.tags)), "{}", access.pattern);
                assert_eq!(access.l2_requests, Some(passes.tags), "{}", access.pattern);
                (access.sectors, passes.sectors)
            }
            other => panic!("unknown kind {other}"),
        };
        assert_eq!(measured, Some(simulated), "{} {}", access.access, access.pattern);
        *checked.entry(&access.access).or_default() += 1;
    }
    assert_eq!(checked.len(), 18, "{checked:?}");
    assert_eq!(checked.values().sum::<usize>(), data.accesses.len(), "{checked:?}");
    assert!(data.accesses.len() > 1600);
}

/// One `red.global.add` of one warp, on elements of 4 or 8 bytes, with what the L1 cache of an H200 did (Nsight Compute,
/// November 2026): `l1tex__t_sectors` and `l1tex__t_set_accesses` of `_pipe_lsu_mem_global_op_red`. The array begins at a
/// multiple of a mebibyte. Made up to find the rule: few and many lanes on few and many lines, one lane more at a time,
/// one lane less at a time, and every pair of lines up to 64 apart.
#[derive(Deserialize)]
struct Reduction {
    bytes: u32,
    index: [i64; 32],
    sectors: u32,
    set_accesses: u32,
}

#[test]
fn reductions_pass_through_l1_as_an_h200_lets_them() {
    let data: Vec<Reduction> = serde_json::from_str(include_str!("data/h200-global-reductions.json")).expect("JSON");
    assert!(data.len() > 500);
    for (number, access) in data.iter().enumerate() {
        let active = (0..32).filter(|&lane| access.index[lane] >= 0).fold(0, |mask, lane| mask | 1 << lane);
        let addresses = access.index.map(|index| index.max(0) as u64 * u64::from(access.bytes));
        let passes = sectors::passes(&addresses, active, access.bytes, GlobalUnit::Alu);
        assert_eq!((passes.sectors, passes.tags), (access.sectors, access.set_accesses), "access {number}");
    }
}

/// What a loop of load and compare-and-swap costs.
struct Loop {
    count: u32,
    atom_wavefronts: u32,
    load_wavefronts: u32,
}

impl Loop {
    fn of(addresses: &[u32; 32], mut active: u32, width: u32) -> Self {
        let mut this = Self { count: 0, atom_wavefronts: 0, load_wavefronts: 0 };
        while active != 0 {
            this.count += 1;
            this.load_wavefronts += banks::wavefronts(addresses, active, width, Direction::Load);
            this.atom_wavefronts += banks::atomic_wavefronts(addresses, active, width, SharedUnit::LoopStep);
            active &= !banks::cas_winners(addresses, active, width);
        }
        this
    }
}

/// Distinct words per bank of a group of lanes, counted one by one.
fn passes(addresses: &[u32; 32], lanes: impl Iterator<Item = usize>, words: u32) -> u32 {
    let mut banks = vec![std::collections::BTreeSet::new(); 32];
    for lane in lanes {
        for part in 0..words {
            let word = addresses[lane] / 4 + part;
            banks[word as usize % 32].insert(word);
        }
    }
    banks.iter().map(|bank| bank.len() as u32).max().unwrap_or(0)
}

fn brute_force(addresses: &[u32; 32], active: u32, width: u32, direction: Direction) -> u32 {
    let on = |lane: usize| active >> lane & 1 != 0;
    let pairs = |other: usize| (0..32).all(|l| !on(l) || !on(l ^ other) || addresses[l] == addresses[l ^ other]);
    let agree = pairs(1) || pairs(2);
    let merged = direction == Direction::Load && agree;
    let group = match width {
        1 | 2 | 4 => 32,
        8 => {
            if merged {
                32
            } else {
                16
            }
        }
        _ => {
            if merged {
                16
            } else {
                8
            }
        }
    };
    (0..32 / group)
        .map(|number| {
            passes(addresses, (number * group..(number + 1) * group).filter(|&lane| on(lane)), width.div_ceil(4))
        })
        .sum()
}

fn indices() -> impl Strategy<Value = [u32; 32]> {
    let free = proptest::array::uniform32(0u32..256);
    let strided =
        (0u32..64, 0u32..64).prop_map(|(first, stride)| std::array::from_fn(|lane| first + stride * lane as u32));
    let paired = proptest::array::uniform32(0u32..64).prop_map(|row| std::array::from_fn(|lane| row[lane & !1]));
    let few = proptest::array::uniform32(0u32..4);
    prop_oneof![free, strided, paired, few]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn banks_agree_with_brute_force(
        index in indices(),
        active in prop_oneof![Just(u32::MAX), any::<u32>()],
        width in proptest::sample::select(vec![1u32, 2, 4, 8, 16]),
        load in any::<bool>(),
    ) {
        let addresses = index.map(|index| index * width);
        let direction = if load { Direction::Load } else { Direction::Store };
        let expected = if active == 0 { 0 } else { brute_force(&addresses, active, width, direction) };
        prop_assert_eq!(banks::wavefronts(&addresses, active, width, direction), expected);
        let ideal = banks::ideal_wavefronts(active, width);
        prop_assert!(ideal >= u32::from(active != 0));
    }

    #[test]
    fn sectors_and_tags_agree_with_brute_force(
        index in indices(),
        active in prop_oneof![Just(u32::MAX), any::<u32>()],
        width in proptest::sample::select(vec![1u64, 2, 4, 8, 16]),
        base in (0u64..1 << 40).prop_map(|base| base * 16),
    ) {
        let addresses = index.map(|index| base + u64::from(index) * width);
        let distinct = |bytes: u64| {
            let lanes = (0..32).filter(|&lane| active >> lane & 1 != 0);
            lanes.map(|lane| addresses[lane] / bytes).collect::<std::collections::BTreeSet<_>>().len() as u32
        };
        prop_assert_eq!(sectors::sectors(&addresses, active), distinct(32));
        prop_assert_eq!(sectors::tags(&addresses, active), distinct(128));
        prop_assert!(sectors::ideal_sectors(active, width as u32) <= active.count_ones() * 32);
    }
}
