//! How the work is divided among lanes: rounds of a block that a warp could do alone, and loops that one lane executes.

use std::collections::BTreeMap;

use super::{Rules, Suggestion};
use crate::Edit;

/// Part of the instructions that one lane alone executes from which on the others are missed.
const ALONE: f64 = 0.4;
/// Instructions that a warp executes with one lane, from which on it is a loop that could be shared.
const LOOP: u64 = 64;

impl Rules<'_> {
    /// Trees and scans in shared memory.
    pub(super) fn exchange(&self) -> Option<Suggestion> {
        let seen = &self.seen.exchange;
        if seen.blocks == 0 || seen.blocks * 2 < self.seen.blocks {
            return None;
        }
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for (&pc, &count) in &seen.by_pc {
            *counts.entry(self.code.place_of[pc as usize]).or_default() += count;
        }
        let mut places: Vec<u32> = counts.keys().copied().collect();
        places.sort_by_key(|place| (std::cmp::Reverse(counts[place]), *place));
        let edit = if seen.of_flags * 2 > seen.blocks { Edit::Vote } else { Edit::Shuffle };
        let mut advice = self.advice(edit, &places, "barriers of thread blocks", (seen.barriers, seen.blocks));
        let each = seen.barriers / seen.blocks;
        advice.now = format!(
            "The threads of a block pass values on through shared memory in rounds, with {each} barriers: each round waits for \
             the slowest warp."
        );
        advice.then = match edit {
            Edit::Vote => "All of them were 0 or 1 at first: if they are flags, __ballot_sync gives a warp its flags as one word, __popc counts those of the lanes \
                before one's own, and only one total of each warp goes through shared memory, with one barrier."
                .to_owned(),
            _ => "Let the lanes of a warp exchange values in registers (__shfl_down_sync, __shfl_up_sync), and only one value of \
                each warp through shared memory, with one barrier."
                .to_owned(),
        };
        let all = advice.before;
        Some(Suggestion { advice, change: None, most: self.waits, all })
    }

    /// Loops that one lane executes for all.
    pub(super) fn spread(&self) -> Option<Suggestion> {
        let (all, alone) = self.seen.executed.iter().fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        let warps = self.warps();
        if (alone as f64) < ALONE * all as f64 || alone < LOOP * warps {
            return None;
        }
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for (pc, (_, alone)) in self.seen.executed.iter().enumerate() {
            *counts.entry(self.code.place_of[pc]).or_default() += alone;
        }
        let mut places: Vec<u32> =
            counts.iter().filter(|(_, alone)| **alone * 8 >= self.most_of(&counts)).map(|(p, _)| *p).collect();
        places.sort_by_key(|place| (std::cmp::Reverse(counts[place]), *place));
        let after = all - alone + alone.div_ceil(32);
        let mut advice = self.advice(Edit::Spread, &places, "instructions of warps", (all, after));
        advice.now = if self.code.threads == 1 {
            "A block has one thread: its warp takes as long as if it had 32.".to_owned()
        } else {
            format!(
                "One lane of a warp works and 31 wait for it in {:.0} % of all instructions: the warp takes as long as if all \
                 worked.",
                alone as f64 / all.max(1) as f64 * 100.0
            )
        };
        "Let all lanes of the warp take a part of that work, 32 neighbouring elements at a time, and combine what they have by \
         shuffles."
            .clone_into(&mut advice.then);
        let (most, all) = (alone as f64 / all.max(1) as f64 * 31.0 / 32.0, advice.before);
        Some(Suggestion { advice, change: None, most, all })
    }

    fn most_of(&self, counts: &BTreeMap<u32, u64>) -> u64 {
        counts.values().copied().max().unwrap_or(0)
    }
}
