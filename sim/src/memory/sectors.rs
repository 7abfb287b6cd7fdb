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

use super::rows::{self, Layout};

/// Bytes of a sector.
pub const SECTOR: u64 = 32;
const SECTOR_SHIFT: u32 = SECTOR.trailing_zeros();

/// The logarithm of the bytes of a line.
const LINE: u32 = 7;

/// Sets of lines that can be looked up at once.
const SETS: usize = 4;

/// Distinct sectors that the `active` lanes address.
pub fn sectors(addresses: &[u64; 32], active: u32) -> u32 {
    distinct(addresses, active, [SECTOR_SHIFT])[0]
}

/// Fewest sectors that could hold what `active` lanes of `width` bytes each ask for.
pub fn ideal_sectors(active: u32, width: u32) -> u32 {
    (active.count_ones() * width).div_ceil(SECTOR as u32)
}

/// Distinct 128-byte lines, that is L1 tags, that the `active` lanes address.
pub fn tags(addresses: &[u64; 32], active: u32) -> u32 {
    distinct(addresses, active, [LINE])[0]
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
            GlobalUnit::CompareAndSwap => distinct(addresses, pass, [LINE - 1])[0],
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
    distinct(addresses, active, [width.trailing_zeros()])[0]
}

/// What a request of a warp touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    /// As [`elements`].
    pub elements: u32,
    /// As [`sectors`].
    pub sectors: u32,
    /// As [`tags`].
    pub tags: u32,
}

/// [`elements`], [`sectors`] and [`tags`] at once.
#[inline(always)]
pub(crate) fn request(addresses: &[u64; 32], layout: Layout, active: u32, width: u32) -> Request {
    let (first, last) = (addresses[0], addresses[31]);
    match layout {
        Layout::Run if first <= last => {
            let touched = |shift: u32| ((last >> shift) - (first >> shift)) as u32 + 1;
            return Request { elements: 32, sectors: touched(SECTOR_SHIFT), tags: touched(LINE) };
        }
        Layout::Same => return Request { elements: 1, sectors: 1, tags: 1 },
        _ => {}
    }
    let [elements, sectors, tags] = distinct(addresses, active, [width.trailing_zeros(), SECTOR_SHIFT, LINE]);
    Request { elements, sectors, tags }
}

/// Distinct addresses of the `active` lanes after each of the shifts to the right.
#[inline(always)]
fn distinct<const N: usize>(addresses: &[u64; 32], active: u32, shifts: [u32; N]) -> [u32; N] {
    if let Some((addresses, before)) = rows::ordered(addresses, active) {
        // Where addresses are in order, a number is new where it differs from the one before.
        let inner = active & active.wrapping_sub(1);
        let mut truth = [false; 32];
        return shifts.map(|shift| {
            for lane in 0..32 {
                truth[lane] = (addresses[lane] ^ before[lane]) >> shift != 0;
            }
            u32::from(active != 0) + (rows::bits(truth) & inner).count_ones()
        });
    }
    shifts.map(|shift| rows::distinct_in_any_order(active, |lane| addresses[lane] >> shift).count_ones())
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

    #[test]
    fn all_at_once_is_what_each_one_says() {
        let rows: [[u64; 32]; 6] = [
            std::array::from_fn(|lane| 0x1000 + lane as u64 * 4),
            std::array::from_fn(|lane| 0x1014 + lane as u64 * 8),
            std::array::from_fn(|lane| 0x2000 - lane as u64 * 4),
            std::array::from_fn(|lane| (u64::MAX - 40).wrapping_add(lane as u64 * 4)),
            std::array::from_fn(|lane| lane as u64 * lane as u64 * 52 % 1024),
            [0x1230; 32],
        ];
        for addresses in rows {
            for active in [u32::MAX, 0xffff, 0x0ff0_0000, 0x5555_5555, 1 << 31, 0] {
                for width in [1, 4, 8, 16] {
                    let request = request(&addresses, Layout::of(&addresses, active, width), active, width);
                    let count = |shift: u32| {
                        let lanes = (0..32).filter(|lane| active >> lane & 1 != 0);
                        lanes.map(|lane| addresses[lane] >> shift).collect::<std::collections::BTreeSet<u64>>().len()
                            as u32
                    };
                    let wanted = [count(width.trailing_zeros()), count(5), count(7)];
                    assert_eq!([request.elements, request.sectors, request.tags], wanted);
                    let single =
                        [elements(&addresses, active, width), sectors(&addresses, active), tags(&addresses, active)];
                    assert_eq!(single, wanted);
                }
            }
        }
    }
}
