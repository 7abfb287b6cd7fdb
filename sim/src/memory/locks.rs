//! Shared atomics by locks (compute capability 1.2 to 3.x).
//!
//! There the compiler makes a loop of every atomic: a load that also asks for the word's lock (`LDSLK`), the change, and
//! a store that gives the lock back (`STSUL`, `STSCUL`), which only the lanes with a lock execute; the others go round
//! again. Of the lanes that address one word, one gets the lock in each round; here the lowest. So a warp goes round as
//! often as its fullest word has lanes. Waiting for locks that other warps hold is not modelled: how long that takes
//! depends on timing.

use super::banks::Direction;
use crate::target::Rules;

/// Wavefronts of the loads and stores of all rounds together.
pub(crate) fn wavefronts(rules: &Rules, addresses: &[u32; 32], active: u32, width: u32) -> u32 {
    let mut waiting = active;
    let mut total = 0;
    while waiting != 0 {
        let mut winners = 0u32;
        for lane in (0..32).filter(|lane| waiting >> lane & 1 != 0) {
            let taken =
                (0..lane).any(|other| winners >> other & 1 != 0 && addresses[other] >> 2 == addresses[lane] >> 2);
            if !taken {
                winners |= 1 << lane;
            }
        }
        total += rules.wavefronts(addresses, waiting, width, Direction::Load);
        total += rules.wavefronts(addresses, winners, width, Direction::Store);
        waiting &= !winners;
    }
    total
}
