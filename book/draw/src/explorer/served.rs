//! In which order banks serve the lanes of an access, as far as what it costs tells.
//!
//! The rules say how many wavefronts an access takes, and not what is in each. A way to serve the lanes is shown only if it
//! takes exactly as many: in parts of the warp, one after the other, each as long as its fullest bank.

use sim::target::{BankRule, Rules};

use crate::access::{Access, LANES};
use crate::banks::{Bank, Pass};

/// What fills a turn of a bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A row of words, for all lanes that need it: loads and stores.
    Words,
    /// A lane, so many wavefronts long: atomics.
    Lanes(u32),
}

/// The parts of an access, and for every lane its turn, if they explain what it costs; else all lanes as one part.
pub(super) struct Served {
    pub(super) passes: Vec<Pass>,
    /// For every lane the turn in which the last of its words is delivered, from 1.
    pub(super) turns: Vec<Option<u32>>,
    /// Whether the parts together are as high as the cost.
    pub(super) is_explained: bool,
}

impl Served {
    pub(super) fn of(access: &Access, rules: &Rules, unit: Unit, cost: u64) -> Self {
        let height = match unit {
            Unit::Words => 1,
            Unit::Lanes(wavefronts) => u64::from(wavefronts),
        };
        for (lanes, by_word) in ways(rules, access.width) {
            let passes = parts(access, rules, unit, lanes, by_word);
            if passes.iter().map(|pass| u64::from(pass.height()) * height).sum::<u64>() == cost {
                let turns = turns(&passes);
                return Self { passes, turns, is_explained: true };
            }
        }
        let passes = parts(access, rules, unit, LANES, false);
        Self { passes, turns: vec![None; LANES as usize], is_explained: false }
    }
}

/// The ways in which a warp may be cut: lanes of a part, and whether every word of a wide access has a part of its own.
fn ways(rules: &Rules, width: u32) -> Vec<(u32, bool)> {
    match (rules.banks, width) {
        (BankRule::HalfWarpBroadcast, _) => vec![(16, true)],
        (BankRule::Kepler, 0..=8) | (_, 0..=4) => vec![(32, false)],
        (_, 8) => vec![(16, false), (32, false)],
        _ => vec![(8, false), (16, false)],
    }
}

fn parts(access: &Access, rules: &Rules, unit: Unit, size: u32, by_word: bool) -> Vec<Pass> {
    let words = u64::from(access.width.div_ceil(4));
    let rounds: Vec<std::ops::Range<u64>> =
        if by_word { (0..words).map(|word| word..word + 1).collect() } else { std::iter::once(0..words).collect() };
    let mut passes = Vec::new();
    for first in (0..LANES).step_by(size as usize) {
        for round in &rounds {
            let pass = part(access, rules, unit, first..first + size, round.clone());
            if pass.lanes != 0 {
                passes.push(pass);
            }
        }
    }
    passes
}

fn part(access: &Access, rules: &Rules, unit: Unit, lanes: std::ops::Range<u32>, words: std::ops::Range<u64>) -> Pass {
    let count = if rules.banks == BankRule::HalfWarpBroadcast { 16 } else { 32 };
    // For every bank its rows, each with its lowest word.
    let mut banks: Vec<Vec<(u32, u64, Vec<u32>)>> = vec![Vec::new(); count];
    let mut mask = 0;
    for lane in lanes {
        let Some(address) = access.addresses[lane as usize] else { continue };
        mask |= 1 << lane;
        for part in words.clone() {
            let word = address / 4 + part;
            let (bank, row) = rules.bank_and_row(word as u32);
            let bank = &mut banks[bank as usize % count];
            match bank.iter_mut().find(|(own, ..)| unit == Unit::Words && *own == row) {
                Some((_, lowest, lanes)) => {
                    *lowest = word.min(*lowest);
                    if !lanes.contains(&lane) {
                        lanes.push(lane);
                    }
                }
                None => bank.push((row, word, vec![lane])),
            }
        }
    }
    let sorted = |mut bank: Vec<(u32, u64, Vec<u32>)>| -> Bank {
        bank.sort_by_key(|(row, ..)| *row);
        bank.into_iter().map(|(_, word, lanes)| (word, lanes)).collect()
    };
    Pass { lanes: mask, banks: banks.into_iter().map(sorted).collect() }
}

fn turns(passes: &[Pass]) -> Vec<Option<u32>> {
    let mut turns = vec![None; LANES as usize];
    let mut before = 0;
    for pass in passes {
        for bank in &pass.banks {
            for (turn, (_, lanes)) in (before + 1..).zip(bank) {
                for &lane in lanes {
                    let own: &mut Option<u32> = &mut turns[lane as usize];
                    *own = (*own).max(Some(turn));
                }
            }
        }
        before += pass.height();
    }
    turns
}
