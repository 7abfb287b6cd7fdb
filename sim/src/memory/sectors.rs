//! Global-memory sectors: how many 32-byte sectors a request of a warp touches.
//!
//! An L1 cache line of 128 bytes holds four sectors; a request is one memory instruction of a warp. Each lane's access
//! is naturally aligned and at most 32 bytes, so it lies within one sector.
//!
//! Atomics: lanes that address the same element cannot be served together. They come in passes, the n-th lane of every
//! element in the n-th pass, and each pass looks up its own lines and sectors: so an H200 was measured to do with
//! reductions (`sim/tests/data/h200-warp-accesses.json`, kind `gr4`, all 72 patterns).

/// Bytes of a sector.
pub const SECTOR: u64 = 32;

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
    distinct(addresses, active, 7)
}

/// What the passes of an atomic touch, all together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Passes {
    /// Sectors.
    pub sectors: u32,
    /// 128-byte lines.
    pub tags: u32,
}

/// Sectors and lines of an atomic of the `active` lanes on elements of `width` bytes.
pub fn passes(addresses: &[u64; 32], active: u32, width: u32) -> Passes {
    let mut sum = Passes::default();
    each_pass(addresses, active, width, |pass| {
        sum.sectors += sectors(addresses, pass);
        sum.tags += tags(addresses, pass);
    });
    sum
}

/// Calls `visit` with the lanes of each pass of an atomic.
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
