//! Shared-memory banks: how many wavefronts an access of a warp takes.
//!
//! Compute capability 5.x to 9.x: 32 banks of 4 bytes; word `w` lies in bank `w mod 32`; any number of lanes may read
//! or write the same word in one pass; each bank delivers one word per wavefront. The rules for wide accesses are what
//! an H200 was measured to do (`sim/tests/data/h200-warp-accesses.json`, 1,619 accesses):
//!
//! - up to 32 bits a lane: the largest number of distinct words in one bank;
//! - 64-bit stores: that, summed over lanes 0–15 and 16–31; 128-bit stores: over the four groups of eight lanes;
//! - 64-bit loads: one pass over all lanes if every active lane and its neighbour `lane ^ 1`, where that is active,
//!   address the same element, or every active lane and `lane ^ 2` do; else the two halves. 128-bit loads: under the
//!   same condition two passes of sixteen lanes; else the four groups of eight;
//! - atomics: lanes serialise within their bank, 64-bit ones over the two halves one after the other.

use super::rows::{self, each_lane};

/// Number of banks.
pub const BANKS: usize = 32;

/// Whether an access reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory")]
pub enum Direction {
    Load,
    Store,
}

/// How a shared-memory atomic is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SharedUnit {
    /// An arithmetic or logic instruction, or an exchange (`ATOMS.ADD` and its siblings).
    Alu,
    /// An increment by one without a result (`ATOMS.POPC.INC`).
    Increment,
    /// A compare-and-swap of the program (`ATOMS.CAS`).
    CompareAndSwap,
    /// One step of a loop that the compiler made (`ATOMS.CAST.SPIN`).
    LoopStep,
}

/// Wavefronts that one shared-memory instruction of a warp takes. `addresses` are byte addresses in shared memory,
/// `active` the lanes that take part, `width` the bytes per lane (1, 2, 4, 8 or 16). Zero when no lane takes part.
#[inline(always)]
pub fn wavefronts(addresses: &[u32; 32], active: u32, width: u32, direction: Direction) -> u32 {
    if active == 0 {
        return 0;
    }
    let lanes_per_pass = match width {
        0..=4 => return narrow(addresses, active),
        8 if direction == Direction::Load && neighbours_agree(addresses, active) => 32,
        8 => 16,
        _ if direction == Direction::Load && neighbours_agree(addresses, active) => 16,
        _ => 8,
    };
    let words = width / 4;
    let mut total = 0;
    for first in (0..32).step_by(lanes_per_pass) {
        let group = active & (((1u64 << lanes_per_pass) - 1) << first) as u32;
        if group != 0 {
            total += worst_bank(addresses, group, words);
        }
    }
    total
}

/// [`wavefronts`] of an access whose 32 lanes all address the same element.
#[inline(always)]
pub(crate) fn same_wavefronts(width: u32, direction: Direction) -> u32 {
    match (width, direction) {
        (0..=4, _) | (8, Direction::Load) => 1,
        (8, Direction::Store) | (_, Direction::Load) => 2,
        (_, Direction::Store) => 4,
    }
}

/// Wavefronts that the same access would take if its lanes addressed consecutive elements.
#[inline(always)]
pub fn ideal_wavefronts(active: u32, width: u32) -> u32 {
    // Each pass of the rule above that has an active lane takes one wavefront; packed lanes fill the fewest passes.
    (active.count_ones() * width.max(4)).div_ceil(BANKS as u32 * 4)
}

/// Wavefronts of a shared-memory atomic of a warp. Lanes serialise within their bank, also those with the same address:
/// the largest number of lanes on one bank, for 64-bit words summed over the two halves of the warp.
///
/// - An increment by one whose old value nobody uses adds up equal addresses first, so there distinct words count.
/// - A compare-and-swap takes every lane twice.
/// - A step of a compare-and-swap loop serves one lane of each bank, twice: see [`cas_winners`].
pub fn atomic_wavefronts(addresses: &[u32; 32], active: u32, width: u32, unit: SharedUnit) -> u32 {
    let halves = if width == 8 { [active & 0xffff, active & 0xffff_0000] } else { [active, 0] };
    let groups = || halves.into_iter().filter(|&lanes| lanes != 0);
    match unit {
        SharedUnit::Increment => narrow(addresses, active),
        SharedUnit::LoopStep => 2 * groups().count() as u32,
        SharedUnit::Alu => groups().map(|lanes| fullest_bank(addresses, lanes, width)).sum(),
        SharedUnit::CompareAndSwap => groups().map(|lanes| 2 * fullest_bank(addresses, lanes, width)).sum(),
    }
}

/// The largest number of lanes on one bank, for words of up to 8 bytes.
fn fullest_bank(addresses: &[u32; 32], active: u32, width: u32) -> u32 {
    rows::fullest(&rows::map(addresses, |address| bank_of(address, width) as u32), active)
}

/// The bank of a word of up to 4 bytes, or the pair of banks of a word of 8.
fn bank_of(address: u32, width: u32) -> usize {
    if width == 8 { (address >> 3) as usize % (BANKS / 2) } else { (address >> 2) as usize % BANKS }
}

/// The lanes of `active` whose compare-and-swap succeeds in one step of a loop over all of them (`ATOMS.CAST.SPIN`):
/// the lowest lane of each bank; of 64-bit words the lowest of each pair of banks in either half of the warp, where the
/// lane of the upper half fails if the lower half has just changed its word.
pub fn cas_winners(addresses: &[u32; 32], active: u32, width: u32) -> u32 {
    let lanes_per_group = if width == 8 { 16 } else { 32 };
    let mut winners = 0;
    for first in (0..32).step_by(lanes_per_group) {
        let before = winners;
        let mut served = [false; BANKS];
        for lane in (first..first + lanes_per_group).filter(|lane| active >> lane & 1 != 0) {
            let bank = bank_of(addresses[lane], width);
            if !std::mem::replace(&mut served[bank], true) {
                let changed = (0..32).any(|other| before >> other & 1 != 0 && addresses[other] == addresses[lane]);
                winners |= u32::from(!changed) << lane;
            }
        }
    }
    winners
}

/// Lane n and lane n ^ 1 address the same element wherever both are active, or lane n and lane n ^ 2 do.
fn neighbours_agree(addresses: &[u32; 32], active: u32) -> bool {
    let agree = |distance: usize| {
        (0..32usize).filter(|lane| lane & distance == 0).all(|lane| {
            let other = lane + distance;
            active >> lane & 1 == 0 || active >> other & 1 == 0 || addresses[lane] == addresses[other]
        })
    };
    agree(1) || agree(2)
}

#[inline(always)]
fn narrow(addresses: &[u32; 32], active: u32) -> u32 {
    words_and_wavefronts(addresses, active).1
}

/// Distinct words of 4 bytes that the `active` lanes address, and the wavefronts of an access of up to 32 bits a lane.
#[inline(always)]
fn words_and_wavefronts(addresses: &[u32; 32], active: u32) -> (u32, u32) {
    let words = rows::map(addresses, |address| address >> 2);
    let distinct = rows::distinct(&words, active);
    (distinct.count_ones(), rows::fullest(&words, distinct))
}

/// Which words of shared memory an access has come to: a mark per word, another one for every access, so that nothing
/// has to be cleared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    words: Vec<u32>,
    now: u32,
}

impl Marks {
    /// More words than any target's shared memory has; what lies beyond is out of bounds.
    const MOST: u32 = 1 << 16;

    /// Distinct words of 4 bytes that the `active` lanes address, and the wavefronts of an access of up to 32 bits a
    /// lane.
    #[inline(always)]
    pub(crate) fn words_and_wavefronts(&mut self, addresses: &[u32; 32], active: u32) -> (u32, u32) {
        let words = rows::map(addresses, |address| address >> 2);
        // Words in different banks are different words: one wavefront, as for most accesses.
        let lanes = active.count_ones();
        if rows::places(&words, active).count_ones() == lanes {
            return (lanes, u32::from(lanes != 0));
        }
        self.scattered(&words, active)
    }

    /// The same for words that are not expected to lie in different banks.
    #[inline(always)]
    pub(crate) fn scattered(&mut self, words: &[u32; 32], active: u32) -> (u32, u32) {
        const ROWS: usize = 8;
        let first = words[(active.trailing_zeros() & 31) as usize];
        if rows::union(&rows::map(words, |word| word ^ first), active) >= (ROWS * BANKS) as u32 {
            return self.far_apart(words, active);
        }
        // A few rows of banks side by side, as small tables are. To store is cheaper than to look what is there already.
        let mut asked = [0u8; ROWS * BANKS];
        each_lane!(active, lane => asked[words[lane] as usize % (ROWS * BANKS)] = 1);
        let mut count = [0u8; BANKS];
        for row in asked.as_chunks::<BANKS>().0 {
            for bank in 0..BANKS {
                count[bank] += row[bank];
            }
        }
        sum_and_most(&count)
    }

    #[inline(always)]
    fn far_apart(&mut self, words: &[u32; 32], active: u32) -> (u32, u32) {
        // At least the highest word, and below the same power of two. A lane that takes no part may address anything.
        let highest = rows::union(words, active);
        if highest as usize >= self.words.len() {
            if highest >= Self::MOST {
                let distinct = rows::distinct(words, active);
                return (distinct.count_ones(), rows::fullest(words, distinct));
            }
            self.words.resize((highest as usize + 1).next_power_of_two(), 0);
        }
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.words.fill(0);
            self.now = 1;
        }
        let now = self.now;
        let marks = &mut self.words[..];
        let last = marks.len() - 1;
        let mut count = [0u8; BANKS];
        each_lane!(active, lane => {
            // The length is a power of two and the word below it: no lane is elsewhere, and none needs a branch.
            let mark = &mut marks[words[lane] as usize & last];
            count[words[lane] as usize % BANKS] += u8::from(*mark != now);
            *mark = now;
        });
        sum_and_most(&count)
    }
}

/// The words of all banks, 32 at most, and those of the bank with the most.
#[inline(always)]
fn sum_and_most(count: &[u8; BANKS]) -> (u32, u32) {
    let (mut most, mut sum) = (0, 0);
    for &number in count {
        most = most.max(number);
        sum += number;
    }
    (sum.into(), most.into())
}

/// The largest number of distinct words that one bank must deliver to `active` lanes of `words` words each.
fn worst_bank(addresses: &[u32; 32], active: u32, words: u32) -> u32 {
    /// Marks the end of a bank's list.
    const NONE: u8 = u8::MAX;
    // All words of a pass fit into one row, except where neighbours ask for the same element.
    if words * active.count_ones() <= 32 {
        let mut all = [0; 32];
        let mut used = 0;
        each_lane!(active, lane => {
            for part in 0..words {
                all[used & 31] = (addresses[lane] >> 2).wrapping_add(part);
                used += 1;
            }
        });
        let lanes = ((1u64 << used) - 1) as u32;
        return rows::fullest(&all, rows::distinct(&all, lanes));
    }
    let mut first = [NONE; BANKS];
    let mut count = [0u8; BANKS];
    let mut next = [NONE; 32 * 4];
    let mut seen = [0u32; 32 * 4];
    let mut used = 0u8;
    let mut worst = 0;
    let mut lanes = active;
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        for part in 0..words {
            let word = (addresses[lane] >> 2).wrapping_add(part);
            let bank = word as usize % BANKS;
            let mut at = first[bank];
            while at != NONE && seen[at as usize] != word {
                at = next[at as usize];
            }
            if at == NONE {
                seen[used as usize] = word;
                next[used as usize] = first[bank];
                first[bank] = used;
                used += 1;
                count[bank] += 1;
                worst = worst.max(count[bank]);
            }
        }
    }
    u32::from(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stride(words: u32) -> [u32; 32] {
        std::array::from_fn(|lane| lane as u32 * words * 4)
    }

    #[test]
    fn a_stride_of_s_words_takes_gcd_of_s_and_32() {
        for s in 1..=64u32 {
            let (mut a, mut b) = (s, 32);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            assert_eq!(wavefronts(&stride(s), u32::MAX, 4, Direction::Load), a, "stride {s}");
        }
        assert_eq!(wavefronts(&stride(0), u32::MAX, 4, Direction::Load), 1);
    }

    #[test]
    fn wide_accesses() {
        let contiguous16: [u32; 32] = std::array::from_fn(|lane| lane as u32 * 16);
        assert_eq!(wavefronts(&contiguous16, u32::MAX, 16, Direction::Load), 4);
        assert_eq!(wavefronts(&[0; 32], u32::MAX, 16, Direction::Load), 2);
        assert_eq!(wavefronts(&[0; 32], u32::MAX, 16, Direction::Store), 4);
        for width in [1, 2, 4, 8, 16] {
            for direction in [Direction::Load, Direction::Store] {
                let same = same_wavefronts(width, direction);
                assert_eq!(same, wavefronts(&[64; 32], u32::MAX, width, direction), "{width} bytes");
                let run: [u32; 32] = std::array::from_fn(|lane| 48 + lane as u32 * width);
                // What the counters take for granted of neighbours.
                assert_eq!(width.div_ceil(4), wavefronts(&run, u32::MAX, width, direction), "{width} bytes");
            }
        }
        let pairs: [u32; 32] = std::array::from_fn(|lane| lane as u32 / 2 * 16);
        assert_eq!(wavefronts(&pairs, u32::MAX, 16, Direction::Load), 2);
        let contiguous8: [u32; 32] = std::array::from_fn(|lane| lane as u32 * 8);
        assert_eq!(wavefronts(&contiguous8, u32::MAX, 8, Direction::Store), 2);
        assert_eq!(wavefronts(&contiguous8, 0xffff, 8, Direction::Store), 1);
    }

    #[test]
    fn no_lane_no_wavefront() {
        assert_eq!(wavefronts(&[0; 32], 0, 4, Direction::Load), 0);
        assert_eq!(ideal_wavefronts(0, 4), 0);
        assert_eq!(ideal_wavefronts(u32::MAX, 16), 4);
        assert_eq!(ideal_wavefronts(1, 1), 1);
    }
}
