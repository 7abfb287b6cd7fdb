//! Global-memory sectors: how many 32-byte sectors a request of a warp touches.
//!
//! An L1 cache line of 128 bytes holds four sectors; a request is one memory instruction of a warp. Each lane's access
//! is naturally aligned and at most 32 bytes, so it lies within one sector.
//!
//! Atomics come in passes. Lines lie in four sets, and a pass looks up one line of each set: that of the set's first
//! lane that still waits. A lane takes part if its element lies in that line and no lane before it waits for the same
//! place of a line of that set, be it the same element or not. Each pass looks up its own lines and sectors. So an H200
//! was measured to do with reductions: on 547 accesses that were made up for it all counters are those of this rule
//! (among them every pair of lines 0 and 1 to 63, which gave the sets), and on the 72 patterns of
//! `sim/tests/data/h200-warp-accesses.json` (kind `gr4`).

/// Bytes of a sector.
pub const SECTOR: u64 = 32;

/// The logarithm of the bytes of a line.
const LINE: u32 = 7;

/// Sets of lines that can be looked up at once.
const SETS: usize = 4;

/// Distinct sectors that the `active` lanes address.
pub fn sectors(addresses: &[u64; 32], active: u32) -> u32 {
    distinct(addresses, active, SECTOR.trailing_zeros())
}

/// Fewest sectors that could hold what `active` lanes of `width` bytes each ask for.
pub fn ideal_sectors(active: u32, width: u32) -> u32 {
    (active.count_ones() * width).div_ceil(SECTOR as u32)
}

/// Distinct 128-byte lines, that is L1 tags, that the `active` lanes address.
pub fn tags(addresses: &[u64; 32], active: u32) -> u32 {
    distinct(addresses, active, LINE)
}

/// What the passes of an atomic touch, all together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Passes {
    /// Sectors.
    pub sectors: u32,
    /// Look-ups of a line; a compare-and-swap looks up its two halves one after the other.
    pub tags: u32,
}

/// What does an atomic in global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobalUnit {
    /// Everything that has one operand.
    Alu,
    /// Compare-and-swap: its two operands leave room for half a line.
    CompareAndSwap,
}

/// Sectors and lines of an atomic of the `active` lanes on elements of `width` bytes.
pub fn passes(addresses: &[u64; 32], active: u32, width: u32, unit: GlobalUnit) -> Passes {
    let mut waiting = active;
    let mut sum = Passes::default();
    while waiting != 0 {
        // What each set looks up, and the places that lanes have asked for so far, a bit per byte of a line.
        let mut line_of = [None; SETS];
        let mut asked = [0u128; SETS];
        let mut pass = 0u32;
        for lane in (0..32).filter(|lane| waiting >> lane & 1 != 0) {
            let (line, place) = (addresses[lane] >> LINE, addresses[lane] & !u64::from(width - 1) & 127);
            let set = set_of(line);
            if *line_of[set].get_or_insert(line) == line && asked[set] >> place & 1 == 0 {
                pass |= 1 << lane;
            }
            asked[set] |= 1 << place;
        }
        sum.sectors += sectors(addresses, pass);
        sum.tags += match unit {
            GlobalUnit::Alu => tags(addresses, pass),
            GlobalUnit::CompareAndSwap => distinct(addresses, pass, LINE - 1),
        };
        waiting &= !pass;
    }
    sum
}

/// Calls `visit` with the lanes of each pass of an atomic on a GPU about whose sets nothing is known: the n-th lane of
/// every element in the n-th pass.
pub(crate) fn each_pass(addresses: &[u64; 32], active: u32, width: u32, mut visit: impl FnMut(u32)) {
    let mut rest = active;
    while rest != 0 {
        let mut pass = 0u32;
        let mut seen = [0u64; 32];
        let mut used = 0;
        for lane in (0..32).filter(|lane| rest >> lane & 1 != 0) {
            let element = addresses[lane] >> width.trailing_zeros();
            if !seen[..used].contains(&element) {
                seen[used] = element;
                used += 1;
                pass |= 1 << lane;
            }
        }
        visit(pass);
        rest &= !pass;
    }
}

/// The set in which the L1 cache looks for a line, from the line's number. Which bits of an address decide was measured
/// for the lowest ten; those above are the same for all lanes in most accesses.
fn set_of(line: u64) -> usize {
    let odd = |mask: u64| ((line & mask).count_ones() & 1) as usize;
    odd(0b10_1011_0101) | odd(0b01_1101_1010) << 1
}

/// Distinct elements of `width` bytes that the `active` lanes address.
pub fn elements(addresses: &[u64; 32], active: u32, width: u32) -> u32 {
    distinct(addresses, active, width.trailing_zeros())
}

fn distinct(addresses: &[u64; 32], active: u32, shift: u32) -> u32 {
    let mut numbers = [0u64; 32];
    let mut used = 0;
    let mut ascending = true;
    let mut lanes = active;
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let number = addresses[lane] >> shift;
        if used > 0 {
            ascending &= number >= numbers[used - 1];
            if number == numbers[used - 1] {
                continue;
            }
        }
        numbers[used] = number;
        used += 1;
    }
    if ascending {
        return used as u32;
    }
    let numbers = &mut numbers[..used];
    numbers.sort_unstable();
    1 + numbers.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let stride = |bytes: u64| std::array::from_fn(|lane| 0x1000 + lane as u64 * bytes);
        assert_eq!(sectors(&stride(4), u32::MAX), 4);
        assert_eq!(sectors(&stride(16), u32::MAX), 16);
        assert_eq!(sectors(&stride(32), u32::MAX), 32);
        assert_eq!(sectors(&stride(0), u32::MAX), 1);
        assert_eq!(sectors(&stride(4), 0), 0);
        assert_eq!(tags(&stride(128), 0xff), 8);
        // One element off the boundary costs one more sector.
        let shifted: [u64; 32] = std::array::from_fn(|lane| 0x1004 + lane as u64 * 4);
        assert_eq!(sectors(&shifted, u32::MAX), 5);
        assert_eq!(elements(&stride(0), u32::MAX, 4), 1);
        assert_eq!(elements(&stride(8), 0xf, 8), 4);
        // Order does not matter.
        let shuffled: [u64; 32] = std::array::from_fn(|lane| 0x1000 + (lane as u64 * 7 % 32) * 4);
        assert_eq!(sectors(&shuffled, u32::MAX), 4);
    }
}
