//! Loads that touch places of two kinds. The first steps of a binary search go to the same few places in every block, the last ones to
//! places of the block's own; a table of words is asked for the frequent ones by all, for the rare ones by few. The mean of both is
//! true of neither: what all touch is in L1 and L2, and what one block touches comes from memory.

use std::collections::{HashMap, HashSet};

use super::trace::{Sharing, Trace};

/// How many times as many other groups touch a place, as seen from a touch, as they would if all places were alike, before two kinds
/// are told apart; a place of the first kind is touched by more than that.
const UNEVEN: f64 = 3.0;

/// The sectors that many more groups of blocks touch than most others, from what each group touches; none where all are alike.
/// `expected` is the number of further groups of the sample that touch a sector which one of them touches, if all are alike.
pub(super) fn of(sets: &[HashSet<u64>], expected: f64) -> HashSet<u64> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    sets.iter().flatten().for_each(|&sector| *counts.entry(sector).or_default() += 1);
    let others = |count: u32| f64::from(count) - 1.0;
    let (touches, further) = counts.values().fold((0.0, 0.0), |(touches, further), &count| {
        (touches + f64::from(count), further + f64::from(count) * others(count))
    });
    let many = (UNEVEN * expected).max(1.0);
    if further <= UNEVEN * expected * touches {
        return HashSet::new();
    }
    counts.into_iter().filter(|&(_, count)| others(count) > many).map(|(sector, _)| sector).collect()
}

/// How blocks share what an access at `pc` touches, as far as that is known.
pub(super) fn shared(trace: &Trace, pc: u32, access: u32) -> Option<&Sharing> {
    let touched = || trace.touched(&trace.accesses[access as usize]).iter();
    let hot = trace.hot.get(&pc).filter(|hot| touched().all(|sector| hot.sectors.contains(sector)));
    hot.map(|hot| &hot.sharing).or_else(|| trace.sharing.get(&pc))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What 50 groups touch: each a place of its own, one of ten that two of them share, and `common` that all do.
    fn touched(common: u64) -> Vec<HashSet<u64>> {
        (0..50).map(|group| [1000 + group, 2000 + group / 2].into_iter().chain(0..common).collect()).collect()
    }

    #[test]
    fn what_all_touch_is_told_from_what_one_does() {
        assert_eq!(of(&touched(3), 1.0), (0..3).collect());
        assert!(of(&touched(0), 0.5).is_empty());
    }

    #[test]
    fn places_that_are_alike_are_of_one_kind() {
        let all: Vec<HashSet<u64>> = (0..50).map(|_| (0..20).collect()).collect();
        assert!(of(&all, 49.0).is_empty());
    }
}
