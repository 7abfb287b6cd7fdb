//! Values that threads of a block pass on through shared memory in rounds with barriers: trees and scans, which shuffles
//! and votes do within a warp.

use std::collections::{BTreeMap, HashMap};

use sim::event::AccessEvent;

use crate::watch::Code;

/// Words of a block that are followed.
const MOST_WORDS: usize = 1 << 14;
/// Rounds from which on an exchange counts as one in rounds.
const ROUNDS: u64 = 4;

/// The exchanges of a launch.
#[derive(Debug, Default, Clone)]
pub(crate) struct Exchange {
    /// Blocks that exchange values in rounds.
    pub(crate) blocks: u64,
    /// Their barriers.
    pub(crate) barriers: u64,
    /// Their loads and stores of warps.
    pub(crate) accesses: u64,
    /// Of these blocks, those whose words were flags at first: only 0 and 1, and both.
    pub(crate) of_flags: u64,
    /// Loads and stores by instruction.
    pub(crate) by_pc: BTreeMap<u32, u64>,
}

/// What is known of a block that runs.
#[derive(Debug, Default)]
pub(crate) struct Block {
    barriers: u64,
    /// Barriers behind which values of other threads were loaded.
    rounds: u64,
    loaded: bool,
    accesses: u64,
    by_pc: BTreeMap<u32, u64>,
    /// By word: the thread that wrote it last.
    writers: HashMap<u64, u32>,
    /// Values that words got first: 0, 1, others.
    first: [u64; 3],
    /// Loads of other threads' words by the distance of the threads, where that is a power of two; and all others.
    distances: BTreeMap<u32, u64>,
    elsewhere: u64,
    /// Something that this does not follow.
    other: bool,
}

impl Block {
    pub(crate) fn store(&mut self, event: &AccessEvent<'_>) {
        self.count(event.pc);
        for lane in lanes(event.lanes) {
            if self.writers.len() >= MOST_WORDS || event.bytes != 4 || event.parts != 1 {
                self.other = true;
                return;
            }
            let thread = event.warp * 32 + lane;
            if self.writers.insert(event.addresses[lane as usize], thread).is_none() {
                match (event.value)(lane, 0).0 {
                    0 => self.first[0] += 1,
                    1 => self.first[1] += 1,
                    _ => self.first[2] += 1,
                }
            }
        }
    }

    pub(crate) fn load(&mut self, event: &AccessEvent<'_>) {
        self.count(event.pc);
        for lane in lanes(event.lanes) {
            let thread = event.warp * 32 + lane;
            let Some(&writer) = self.writers.get(&event.addresses[lane as usize]) else { continue };
            match thread.abs_diff(writer) {
                0 => {}
                distance if distance.is_power_of_two() => {
                    *self.distances.entry(distance).or_default() += 1;
                    self.loaded = true;
                }
                _ => self.elsewhere += 1,
            }
        }
    }

    /// Atomics are another way to exchange values.
    pub(crate) fn atomic(&mut self) {
        self.other = true;
    }

    pub(crate) fn barrier(&mut self) {
        self.barriers += 1;
        self.rounds += u64::from(std::mem::take(&mut self.loaded));
    }

    fn count(&mut self, pc: u32) {
        self.accesses += 1;
        *self.by_pc.entry(pc).or_default() += 1;
    }

    /// The block has come to its end.
    pub(crate) fn end(self, code: &Code, sum: &mut Exchange) {
        let near: u64 = self.distances.values().sum();
        // A tree or a scan: the distances are powers of two, one for each round, and few words are no thread's own.
        let in_rounds = self.rounds >= ROUNDS
            && self.distances.len() as u64 >= ROUNDS
            && near >= 4 * self.elsewhere
            && self.writers.len() <= 2 * code.threads as usize;
        if self.other || !in_rounds {
            return;
        }
        sum.blocks += 1;
        sum.barriers += self.barriers;
        sum.accesses += self.accesses;
        sum.of_flags += u64::from(self.first[0] > 0 && self.first[1] > 0 && self.first[2] == 0);
        for (pc, count) in self.by_pc {
            *sum.by_pc.entry(pc).or_default() += count;
        }
    }
}

impl Exchange {
    pub(crate) fn merge(&mut self, later: Self) {
        self.blocks += later.blocks;
        self.barriers += later.barriers;
        self.accesses += later.accesses;
        self.of_flags += later.of_flags;
        for (pc, count) in later.by_pc {
            *self.by_pc.entry(pc).or_default() += count;
        }
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}
