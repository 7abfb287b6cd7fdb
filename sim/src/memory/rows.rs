//! What the 32 lanes of a row have in common: the loops below everything that is counted per access.
//!
//! They are written so that they become a handful of vector instructions, and marked to be inlined into the executor's
//! loop, which is compiled for the vector units that the CPU has.

/// Does something for every lane of a mask. For all 32 that is a loop of known length. No function with a closure: what
/// stands in both loops is not always inlined, and then not compiled for the vector unit.
macro_rules! each_lane {
    ($lanes:expr, $lane:ident => $body:expr) => {{
        let lanes: u32 = $lanes;
        if lanes == u32::MAX {
            for $lane in 0..32usize {
                $body;
            }
        } else {
            let mut rest = lanes;
            while rest != 0 {
                let $lane = rest.trailing_zeros() as usize;
                $body;
                rest &= rest - 1;
            }
        }
    }};
}
pub(crate) use each_lane;

/// `f` of every lane. The library's `array::map` is not always inlined, and then not compiled for vector units.
#[inline(always)]
pub(crate) fn map<A: Copy, R: Copy + Default>(row: &[A; 32], f: impl Fn(A) -> R) -> [R; 32] {
    let mut result = [R::default(); 32];
    for lane in 0..32 {
        result[lane] = f(row[lane]);
    }
    result
}

/// `f` of every lane of two rows.
#[inline(always)]
pub(crate) fn map2<A: Copy, B: Copy, R: Copy + Default>(a: &[A; 32], b: &[B; 32], f: impl Fn(A, B) -> R) -> [R; 32] {
    let mut result = [R::default(); 32];
    for lane in 0..32 {
        result[lane] = f(a[lane], b[lane]);
    }
    result
}

/// `f` of every lane of three rows.
#[inline(always)]
pub(crate) fn map3<A: Copy, B: Copy, C: Copy, R: Copy + Default>(
    a: &[A; 32],
    b: &[B; 32],
    c: &[C; 32],
    f: impl Fn(A, B, C) -> R,
) -> [R; 32] {
    let mut result = [R::default(); 32];
    for lane in 0..32 {
        result[lane] = f(a[lane], b[lane], c[lane]);
    }
    result
}

/// The lanes of two rows for which `f` holds, one bit each.
#[inline(always)]
pub(crate) fn test2<A: Copy>(a: &[A; 32], b: &[A; 32], f: impl Fn(A, A) -> bool) -> u32 {
    let mut truth = [false; 32];
    for lane in 0..32 {
        truth[lane] = f(a[lane], b[lane]);
    }
    bits(truth)
}

/// One bit per lane.
#[inline(always)]
pub(crate) fn bits(truth: [bool; 32]) -> u32 {
    // Comparisons give bytes. Multiplying eight of them by this constant moves byte i, 0 or 1, to bit i of the highest
    // byte: setting the bits of a word one after the other does not vectorise.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let bytes = map(&truth, u8::from);
    let (chunks, _) = bytes.as_chunks::<8>();
    let mut result = 0;
    for (at, &chunk) in chunks.iter().enumerate() {
        result |= (u64::from_le_bytes(chunk).wrapping_mul(GATHER) >> 56 << (8 * at)) as u32;
    }
    result
}

/// The first lane and the number of lanes of a mask without gaps.
#[inline(always)]
pub(crate) fn run_of_lanes(active: u32) -> Option<(u32, u32)> {
    let first = active.trailing_zeros();
    let count = active.count_ones();
    (active != 0 && (u64::from(active) >> first) + 1 == 1u64 << count).then_some((first, count))
}

/// Every lane holds the first lane's number plus `step` for every lane in between.
#[inline(always)]
pub(crate) fn in_steps(row: &[u64; 32], step: u64) -> bool {
    let mut different = 0;
    for lane in 0..31 {
        different |= row[lane + 1].wrapping_sub(row[lane]) ^ step;
    }
    different == 0
}

/// How the elements lie that the lanes of an access address: most accesses are one of two kinds about which everything
/// is known at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// All 32 lanes take part, each at the element behind that of the lane before it; all are aligned.
    Run,
    /// All 32 lanes take part and address the same element, which is aligned.
    Same,
    /// Nothing is known.
    Any,
}

impl Layout {
    /// The layout of an access of `width` bytes a lane.
    #[inline(always)]
    pub(crate) fn of(addresses: &[u64; 32], active: u32, width: u32) -> Self {
        let step = addresses[1].wrapping_sub(addresses[0]);
        let known = step == 0 || step == u64::from(width);
        let aligned = width.is_power_of_two() && addresses[0] & u64::from(width - 1) == 0;
        if active != u32::MAX || !known || !aligned || !in_steps(addresses, step) {
            return Self::Any;
        }
        if step == 0 { Self::Same } else { Self::Run }
    }
}

/// The keys of the `active` lanes with, beside each, the key of the active lane before it, if they ascend from lane to
/// lane or descend: as they do in most accesses. The first active lane has none before it; what is said of inactive
/// lanes means nothing.
#[inline(always)]
pub(crate) fn ordered<K: Copy + Default + PartialOrd>(keys: &[K; 32], active: u32) -> Option<([K; 32], [K; 32])> {
    let mut filled = *keys;
    if active != 0 && run_of_lanes(active).is_none() {
        // Lanes that take no part repeat the one before them.
        let mut last = keys[active.trailing_zeros() as usize];
        for lane in 0..32 {
            last = if active >> lane & 1 != 0 { keys[lane] } else { last };
            filled[lane] = last;
        }
    }
    let mut before = [K::default(); 32];
    before[1..].copy_from_slice(&filled[..31]);
    if active == u32::MAX {
        // The first lane has nothing before it to be less than.
        before[0] = filled[0];
        let (mut up, mut down) = (false, false);
        for lane in 0..32 {
            up |= filled[lane] > before[lane];
            down |= filled[lane] < before[lane];
        }
        return (!up || !down).then_some((filled, before));
    }
    let inner = active & active.wrapping_sub(1);
    let mut truth = [false; 32];
    for lane in 0..32 {
        truth[lane] = filled[lane] < before[lane];
    }
    if bits(truth) & inner != 0 {
        for lane in 0..32 {
            truth[lane] = filled[lane] > before[lane];
        }
        if bits(truth) & inner != 0 {
            return None;
        }
    }
    Some((filled, before))
}

/// One lane of `active` for each different key among them.
#[inline(always)]
pub(crate) fn distinct(keys: &[u32; 32], active: u32) -> u32 {
    distinct_in_order(keys, active).unwrap_or_else(|| distinct_in_any_order(active, |lane| keys[lane]))
}

/// As [`distinct`], if the keys ascend from lane to lane or descend.
#[inline(always)]
pub(crate) fn distinct_in_order(keys: &[u32; 32], active: u32) -> Option<u32> {
    let (keys, before) = ordered(keys, active)?;
    if active == u32::MAX {
        let mut same = false;
        for lane in 1..32 {
            same |= keys[lane] == before[lane];
        }
        if !same {
            return Some(active);
        }
    }
    let mut truth = [false; 32];
    for lane in 0..32 {
        truth[lane] = keys[lane] != before[lane];
    }
    let inner = active & active.wrapping_sub(1);
    Some(bits(truth) & inner | active & !inner)
}

/// Places of the small table in which [`distinct_in_any_order`] looks keys up.
const PLACES: usize = 1024;

/// As [`distinct`], for keys that need not be in order.
#[inline]
pub(crate) fn distinct_in_any_order<K: Copy + Eq + Into<u64>>(active: u32, key: impl Fn(usize) -> K) -> u32 {
    // The first lane that comes to the place of its key, which follows from the key, stands for all lanes with that
    // key; lanes that find another key there take part in the next round. Up to 1024 neighbouring words, and strides of
    // powers of two, have places of their own, so one round is the rule. Nothing in it is a branch: whether keys are
    // equal is often as good as random.
    let mut chosen = 0;
    let mut pending = active;
    while pending != 0 {
        let mut table = [0u8; PLACES];
        let mut next = 0;
        each_lane!(pending, lane => {
            let own = key(lane);
            let number: u64 = own.into();
            let place = &mut table[(number ^ number >> 10 ^ number >> 20) as usize % PLACES];
            let new = *place == 0;
            let other = key(usize::from(place.wrapping_sub(1)) & 31) != own;
            chosen |= u32::from(new) << lane;
            next |= u32::from(!new & other) << lane;
            *place = if new { lane as u8 + 1 } else { *place };
        });
        pending = next;
    }
    chosen
}

/// The element of memory that an address lies in, for elements of 2^`shift` bytes.
#[inline(always)]
pub(crate) fn element(address: u64, shift: u32) -> usize {
    usize::try_from(address >> shift).unwrap_or(usize::MAX)
}

/// A bit for each place, a number modulo 32, that one of `lanes` has.
#[inline(always)]
pub(crate) fn places(places: &[u32; 32], lanes: u32) -> u32 {
    let mut seen = 0u32;
    if lanes == u32::MAX {
        for place in places {
            seen |= 1 << (place & 31);
        }
    } else {
        for (lane, place) in places.iter().enumerate() {
            seen |= (lanes >> lane & 1) << (place & 31);
        }
    }
    seen
}

/// The bits that are set in the number of one of `lanes` at least.
#[inline(always)]
pub(crate) fn union(row: &[u32; 32], lanes: u32) -> u32 {
    let mut bits = 0;
    if lanes == u32::MAX {
        for number in row {
            bits |= number;
        }
    } else {
        for (lane, number) in row.iter().enumerate() {
            bits |= if lanes >> lane & 1 != 0 { *number } else { 0 };
        }
    }
    bits
}

/// The largest number of `lanes` whose place, a number below 32, is the same.
#[inline(always)]
pub(crate) fn fullest(places: &[u32; 32], lanes: u32) -> u32 {
    if self::places(places, lanes).count_ones() == lanes.count_ones() {
        return u32::from(lanes != 0);
    }
    let mut count = [0u8; 32];
    each_lane!(lanes, lane => count[(places[lane] & 31) as usize] += 1);
    let mut most = 0;
    for number in count {
        most = most.max(number);
    }
    u32::from(most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Rows as kernels make them: steps with a little disorder, or anything.
    fn row() -> impl Strategy<Value = [u32; 32]> {
        let steps = (any::<u32>(), 0..70u32, proptest::collection::vec(0..3u32, 32)).prop_map(|(base, step, noise)| {
            std::array::from_fn(|lane| base.wrapping_add(step * lane as u32).wrapping_add(noise[lane] / 2))
        });
        prop_oneof![
            steps,
            proptest::array::uniform32(0..300u32),
            proptest::array::uniform32(any::<u32>()),
            any::<u32>().prop_map(|value| [value; 32]),
        ]
    }

    fn mask() -> impl Strategy<Value = u32> {
        let run = (0..32u32, 0..=32u32).prop_map(|(first, count)| (((1u64 << count) - 1) << first) as u32);
        prop_oneof![Just(u32::MAX), Just(0), run, any::<u32>()]
    }

    proptest! {
        #[test]
        fn one_lane_stands_for_each_key(keys in row(), active in mask()) {
            let lanes = |mask: u32| (0..32usize).filter(move |lane| mask >> lane & 1 != 0);
            let wanted: BTreeSet<u32> = lanes(active).map(|lane| keys[lane]).collect();
            for chosen in [distinct(&keys, active), distinct_in_any_order(active, |lane| keys[lane])] {
                prop_assert_eq!(chosen & !active, 0);
                prop_assert_eq!(chosen.count_ones() as usize, wanted.len());
                prop_assert_eq!(&lanes(chosen).map(|lane| keys[lane]).collect::<BTreeSet<u32>>(), &wanted);
            }
            let mut places: BTreeMap<u32, u32> = BTreeMap::new();
            lanes(active).for_each(|lane| *places.entry(keys[lane] % 32).or_default() += 1);
            prop_assert_eq!(fullest(&keys, active), places.values().copied().max().unwrap_or(0));
        }

        #[test]
        fn masks_and_steps(truth in proptest::array::uniform32(any::<bool>()), active in mask(), start in any::<u64>(), step in 0..20u64) {
            let one_by_one = (0..32).fold(0u32, |bits, lane| bits | u32::from(truth[lane]) << lane);
            prop_assert_eq!(bits(truth), one_by_one);
            let gapless = active != 0 && format!("{active:b}").trim_end_matches('0').chars().all(|digit| digit == '1');
            prop_assert_eq!(run_of_lanes(active), gapless.then(|| (active.trailing_zeros(), active.count_ones())));
            let mut row: [u64; 32] = std::array::from_fn(|lane| start.wrapping_add(lane as u64 * step));
            prop_assert!(in_steps(&row, step));
            prop_assert_eq!(Layout::of(&row, active, 4) == Layout::Run, active == u32::MAX && step == 4 && start % 4 == 0);
            prop_assert_eq!(Layout::of(&row, active, 4) == Layout::Same, active == u32::MAX && step == 0 && start % 4 == 0);
            row[17] ^= 4;
            prop_assert!(!in_steps(&row, step));
            prop_assert_eq!(Layout::of(&row, active, 4), Layout::Any);
        }
    }
}
