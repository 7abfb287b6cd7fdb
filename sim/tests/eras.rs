//! The costs of memory accesses on old GPUs: every rule against a slow transcription of the document that states it, and
//! against what was published at the time.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sim::memory::banks::Direction;
use sim::observe::SharedUnit;
use sim::target::{Rules, find};

fn rules(target: &str) -> Rules {
    find(target).expect("a target").rules()
}

fn stride(words: u32) -> [u32; 32] {
    std::array::from_fn(|lane| lane as u32 * words * 4)
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn active_lanes(active: u32) -> Vec<usize> {
    (0..32).filter(|lane| active >> lane & 1 != 0).collect()
}

/// CUDA C Programming Guide 4.2, F.3.3.2, word for word: each step serves a conflict-free subset of the addresses, made
/// of all addresses within a broadcast word and one address for each other bank. Which word is broadcast is unspecified:
/// every choice is tried, and the fewest and the most steps are returned.
fn broadcast_steps(
    addresses: &BTreeSet<(usize, u32)>,
    memo: &mut BTreeMap<BTreeSet<(usize, u32)>, (u32, u32)>,
) -> (u32, u32) {
    if addresses.is_empty() {
        return (0, 0);
    }
    if let Some(&known) = memo.get(addresses) {
        return known;
    }
    let bank = |address: u32| address / 4 % 16;
    let words: BTreeSet<u32> = addresses.iter().map(|(_, address)| address / 4).collect();
    let mut range = (u32::MAX, 0);
    for word in words {
        let mut rest = addresses.clone();
        rest.retain(|(_, address)| address / 4 != word);
        for other in (0..16).filter(|other| *other != word % 16) {
            let picked = rest.iter().find(|(_, address)| bank(*address) == other).copied();
            if let Some(picked) = picked {
                rest.remove(&picked);
            }
        }
        let (least, most) = broadcast_steps(&rest, memo);
        range = (range.0.min(least + 1), range.1.max(most + 1));
    }
    memo.insert(addresses.clone(), range);
    range
}

/// F.3.3: half-warps, wide accesses as several accesses of 4 bytes; the fewest and most steps that loads can take.
fn half_warp_loads(addresses: &[u32; 32], active: u32, width: u32) -> (u32, u32) {
    let mut sum = (0, 0);
    for half in [0..16, 16..32] {
        for part in 0..(width / 4).max(1) {
            let lanes = half.clone().filter(|lane| active >> lane & 1 != 0);
            let request = lanes.map(|lane| (lane, addresses[lane] + part * 4)).collect();
            let (least, most) = broadcast_steps(&request, &mut BTreeMap::new());
            sum = (sum.0 + least, sum.1 + most);
        }
    }
    sum
}

/// Number of distinct values of `what` in the fullest of the classes `class`.
fn fullest<C: Ord, W: Ord>(items: impl Iterator<Item = (C, W)>) -> u32 {
    let mut classes: BTreeMap<C, BTreeSet<W>> = BTreeMap::new();
    for (class, what) in items {
        classes.entry(class).or_default().insert(what);
    }
    classes.values().map(BTreeSet::len).max().unwrap_or(0) as u32
}

fn half_warp_stores(addresses: &[u32; 32], active: u32, width: u32) -> u32 {
    let mut sum = 0;
    for half in [0..16, 16..32] {
        for part in 0..(width / 4).max(1) {
            let lanes = half.clone().filter(|lane| active >> lane & 1 != 0);
            let address = |lane: usize| addresses[lane] + part * 4;
            sum += fullest(lanes.map(|lane| (address(lane) / 4 % 16, address(lane))));
        }
    }
    sum
}

/// F.4.3 and F.4.3.2.
fn fermi(addresses: &[u32; 32], active: u32, width: u32) -> u32 {
    let words = |lanes: std::ops::Range<usize>| {
        let lanes: Vec<usize> = lanes.filter(|lane| active >> lane & 1 != 0).collect();
        let all = lanes.into_iter().flat_map(|lane| (0..width.div_ceil(4)).map(move |part| addresses[lane] / 4 + part));
        fullest(all.map(|word| (word % 32, word)))
    };
    match width {
        8 => [0..16, 16..32].into_iter().map(words).sum(),
        16 => [0..8, 8..16, 16..24, 24..32].into_iter().map(words).filter(|ways| *ways > 0).map(|ways| ways + 1).sum(),
        _ => words(0..32),
    }
}

/// F.5.3.2: two lanes do not conflict if they address the same word, or words i and j = i + 32 of one aligned segment of
/// 64 words. So a bank needs as many passes as it has words no two of which are related like that.
fn kepler(addresses: &[u32; 32], active: u32, width: u32) -> u32 {
    let passes = |lanes: std::ops::Range<usize>| {
        let lanes: Vec<usize> = lanes.filter(|lane| active >> lane & 1 != 0).collect();
        let words: BTreeSet<u32> =
            lanes.iter().flat_map(|&lane| (0..width.div_ceil(4)).map(move |part| addresses[lane] / 4 + part)).collect();
        let mut most = 0;
        for bank in 0..32 {
            let mut representatives: Vec<u32> = Vec::new();
            for &word in words.iter().filter(|word| **word % 32 == bank) {
                let together = |a: u32, b: u32| a == b || (a.abs_diff(b) == 32 && a / 64 == b / 64);
                if !representatives.iter().any(|&other| together(other, word)) {
                    representatives.push(word);
                }
            }
            most = most.max(representatives.len() as u32);
        }
        most
    };
    if width == 16 { passes(0..16) + passes(16..32) } else { passes(0..32) }
}

/// F.3.2.1, per half-warp: (transactions, sectors of 32 bytes).
fn in_order(addresses: &[u64; 32], active: u32, width: u64) -> (u32, u32) {
    let mut sum = (0, 0);
    for half in [0u64, 16] {
        let lanes: Vec<u64> = (half..half + 16).filter(|lane| active >> lane & 1 != 0).collect();
        if lanes.is_empty() {
            continue;
        }
        let segment = match width {
            4 => 64,
            8 | 16 => 128,
            _ => 0,
        };
        // Some aligned start of which every active lane k addresses word k.
        let fits = |start: u64| lanes.iter().all(|&lane| addresses[lane as usize] == start + (lane - half) * width);
        let candidates = addresses[lanes[0] as usize].saturating_sub(256)..=addresses[lanes[0] as usize];
        let coalesced = segment != 0 && candidates.into_iter().any(|start| start % segment == 0 && fits(start));
        let (transactions, sectors) = match (coalesced, width) {
            (true, 4) => (1, 2),
            (true, 8) => (1, 4),
            (true, _) => (2, 8),
            (false, _) => (lanes.len() as u32, lanes.len() as u32),
        };
        sum = (sum.0 + transactions, sum.1 + sectors);
    }
    sum
}

/// F.3.2.2, step by step.
fn segments(addresses: &[u64; 32], active: u32, width: u64) -> (u32, u32) {
    let mut sum = (0, 0);
    for half in [0, 16] {
        let mut active: BTreeSet<usize> = (half..half + 16).filter(|lane| active >> lane & 1 != 0).collect();
        while let Some(lowest) = active.first() {
            let mut size: u64 = match width {
                1 => 32,
                2 => 64,
                _ => 128,
            };
            let mut start = addresses[*lowest] / size * size;
            let served: BTreeSet<usize> =
                active.iter().copied().filter(|lane| (start..start + size).contains(&addresses[*lane])).collect();
            for reducible in [128, 64] {
                let bytes = || served.iter().flat_map(|lane| addresses[*lane]..addresses[*lane] + width);
                if size == reducible {
                    if bytes().all(|byte| byte < start + size / 2) {
                        size /= 2;
                    } else if bytes().all(|byte| byte >= start + size / 2) {
                        start += size / 2;
                        size /= 2;
                    }
                }
            }
            sum = (sum.0 + 1, sum.1 + size as u32 / 32);
            active = active.difference(&served).copied().collect();
        }
    }
    sum
}

/// F.4.2: requests of 128 bytes at most, each broken into lines or sectors: (requests for lines, sectors).
fn split(addresses: &[u64; 32], active: u32, width: u64, unit: u64) -> u32 {
    let lanes = match width {
        8 => 16,
        16 => 8,
        _ => 32,
    };
    let request = |first: usize| {
        let lanes = (first..first + lanes).filter(|lane| active >> lane & 1 != 0);
        lanes.map(|lane| addresses[lane] / unit).collect::<BTreeSet<_>>().len() as u32
    };
    (0..32).step_by(lanes).map(request).sum()
}

fn mask() -> impl Strategy<Value = u32> {
    prop_oneof![2 => Just(u32::MAX), 1 => Just(0xffff), 1 => Just(0x0001_0001), 1 => Just(1u32 << 31), 4 => any::<u32>()]
}

/// Aligned addresses of a window, with neighbours, repeats and strides more frequent than chance has them.
fn accesses(window: u64) -> impl Strategy<Value = ([u64; 32], u32, u32)> {
    (proptest::sample::select(vec![1u32, 2, 4, 8, 16]), mask(), 0..window, 0u64..40, any::<bool>()).prop_flat_map(
        move |(width, active, base, step, ordered)| {
            let free = proptest::collection::vec(0..window, 32);
            let noise = proptest::collection::vec(0u64..40, 32);
            (free, noise).prop_map(move |(free, noise)| {
                let elements: [u64; 32] = std::array::from_fn(|lane| match (ordered, noise[lane]) {
                    (true, 0) => free[lane],
                    (true, _) => base + lane as u64 * step,
                    (false, 0..20) => free[lane / 4],
                    (false, _) => free[lane],
                });
                (elements.map(|element| element * u64::from(width)), active, width)
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn half_warp_loads_take_what_the_guide_allows(
        free in proptest::collection::vec(0u64..48, 32), active in mask(), width in proptest::sample::select(vec![1u32, 2, 4]),
    ) {
        // Few words, so that broadcasts matter; the search over all choices stays small with a quarter of the lanes.
        let active = active & 0x1f3f_8fcf;
        let addresses: [u32; 32] = std::array::from_fn(|lane| free[lane] as u32 * width);
        let (least, most) = half_warp_loads(&addresses, active, width);
        let steps = rules("g80").wavefronts(&addresses, active, width, Direction::Load);
        prop_assert!((least..=most).contains(&steps), "{steps} is not between {least} and {most}");
        // One step for each half-warp at most.
        prop_assert!(steps <= least + 2, "the choice of the broadcast word costs {steps} instead of {least}");
    }

    #[test]
    fn shared_accesses_cost_what_the_guides_say((addresses, active, width) in accesses(600)) {
        let addresses = addresses.map(|address| address as u32);
        let cost = |target: &str, direction| rules(target).wavefronts(&addresses, active, width, direction);
        prop_assert_eq!(cost("gt200", Direction::Store), half_warp_stores(&addresses, active, width));
        prop_assert_eq!(cost("gtx580", Direction::Load), fermi(&addresses, active, width));
        prop_assert_eq!(cost("gtx580", Direction::Store), fermi(&addresses, active, width));
        prop_assert_eq!(cost("k40", Direction::Load), kepler(&addresses, active, width));
        // F.5.3.2: the same pattern never conflicts more than on compute capability 2.x.
        prop_assert!(cost("k40", Direction::Load) <= cost("gtx580", Direction::Load));
        for target in sim::target::all() {
            let ideal = target.rules().ideal_wavefronts(active, width);
            prop_assert_eq!(ideal == 0, active == 0);
        }
    }

    #[test]
    fn global_accesses_cost_what_the_guides_say((addresses, active, width) in accesses(2000), far in any::<u32>()) {
        let addresses = addresses.map(|address| address + (u64::from(far) << 12));
        let wide = u64::from(width);
        let cost = |target: &str, direction| {
            let traffic = rules(target).traffic(&addresses, active, width, direction);
            (traffic.transactions, traffic.sectors)
        };
        for direction in [Direction::Load, Direction::Store] {
            prop_assert_eq!(cost("g80", direction), in_order(&addresses, active, wide));
            prop_assert_eq!(cost("gt200", direction), segments(&addresses, active, wide));
            let sectors = (split(&addresses, active, wide, 128), split(&addresses, active, wide, 32));
            prop_assert_eq!(cost("k40", direction), sectors);
            prop_assert_eq!(cost("gtx980", direction), sectors);
        }
        let lines = split(&addresses, active, wide, 128);
        prop_assert_eq!(cost("gtx580", Direction::Load), (lines, 4 * lines));
        prop_assert_eq!(cost("gtx580", Direction::Store).1, split(&addresses, active, wide, 32));
        // From one generation to the next, the same access never moves more.
        prop_assert!(cost("v100", Direction::Load).1 <= cost("k40", Direction::Load).1);
        prop_assert!(cost("k40", Direction::Load).1 <= cost("gtx580", Direction::Load).1);
    }

    #[test]
    fn locks_go_round_once_per_lane_of_the_fullest_word(words in proptest::collection::vec(0u32..40, 32), active in mask()) {
        let addresses: [u32; 32] = std::array::from_fn(|lane| words[lane] * 4);
        let rules = rules("gtx580");
        // Round by round: all lanes that wait load, the first lane of every word stores and is done.
        let mut waiting = active_lanes(active);
        let mut expected = 0;
        while !waiting.is_empty() {
            let mut seen = BTreeSet::new();
            let winners: Vec<usize> = waiting.iter().copied().filter(|&lane| seen.insert(words[lane])).collect();
            let mask = |lanes: &[usize]| lanes.iter().fold(0u32, |mask, lane| mask | 1 << lane);
            expected += fermi(&addresses, mask(&waiting), 4) + fermi(&addresses, mask(&winners), 4);
            waiting.retain(|lane| !winners.contains(lane));
        }
        for unit in [SharedUnit::Alu, SharedUnit::Increment, SharedUnit::CompareAndSwap] {
            prop_assert_eq!(rules.atomic_wavefronts(&addresses, active, 4, unit), expected);
        }
    }
}

#[test]
fn strides_conflict_by_the_greatest_common_divisor() {
    // Programming Guide 4.2, F.3.3.1 (16 banks), F.4.3.1 (32 banks) and figure F-2 (compute capability 3.0: strides of
    // two words are free of conflicts).
    for words in 1..=64 {
        let cost = |target: &str| rules(target).wavefronts(&stride(words), u32::MAX, 4, Direction::Load);
        assert_eq!(cost("g80"), 2 * gcd(words, 16), "{words}");
        assert_eq!(cost("gtx580"), gcd(words, 32), "{words}");
        assert_eq!(cost("h200"), gcd(words, 32), "{words}");
        // Words 32 apart in one aligned segment of 64 come together on 3.0: half as many passes for powers of two.
        let halved = words.is_power_of_two() && (2..=32).contains(&words);
        assert_eq!(cost("k40"), gcd(words, 32) / if halved { 2 } else { 1 }, "{words}");
    }
}

#[test]
fn the_examples_of_the_guide() {
    let all = u32::MAX;
    let bytes: [u32; 32] = std::array::from_fn(|lane| lane as u32);
    let doubles: [u32; 32] = std::array::from_fn(|lane| lane as u32 * 8);
    let load =
        |target: &str, addresses: &[u32; 32], width| rules(target).wavefronts(addresses, all, width, Direction::Load);
    // F.3.3.3: an array of char conflicts on 1.x because four lanes share a bank; F.4.3: not on 2.x.
    assert_eq!((load("g80", &bytes, 1), load("gtx580", &bytes, 1)), (2 * 4, 1));
    // F.3.3.4: an array of double is two requests with conflicts of two lanes on 1.x; F.4.3.2: no conflict on 2.x.
    assert_eq!((load("g80", &doubles, 8), load("gtx580", &doubles, 8)), (2 * 2 * 2, 2));
    // Figure F-3: all lanes read one word; lanes read two words (two steps on 1.x, where one word is broadcast).
    assert_eq!((load("g80", &[64; 32], 4), load("gtx580", &[64; 32], 4)), (2, 1));
    let two = std::array::from_fn(|lane| if lane % 2 == 0 { 48 } else { 80 });
    assert_eq!((load("g80", &two, 4), load("gtx580", &two, 4)), (4, 1));
    // F.4.3.2: consecutive accesses of 128 bits conflict two ways on 2.x.
    let quads: [u32; 32] = std::array::from_fn(|lane| lane as u32 * 16);
    assert_eq!(load("gtx580", &quads, 16), 4 * 2);
}

#[test]
fn coalescing_of_one_shifted_word() {
    // Figure F-1: 128 consecutive bytes; permuted; shifted by one word.
    let traffic = |target: &str, addresses: &[u64; 32]| {
        let traffic = rules(target).traffic(addresses, u32::MAX, 4, Direction::Load);
        (traffic.transactions, traffic.sectors)
    };
    let row = |shift: u64| std::array::from_fn(|lane| 0x1000 + shift + lane as u64 * 4);
    let mut permuted: [u64; 32] = row(0);
    permuted.swap(2, 3);
    // Aligned: two transactions of 64 bytes on 1.x, one of 128 bytes on 2.x.
    assert_eq!(
        (traffic("g80", &row(0)), traffic("gt200", &row(0)), traffic("gtx580", &row(0))),
        ((2, 4), (2, 4), (1, 4))
    );
    // Permuted: the half-warp out of order makes 16 transactions on 1.0.
    assert_eq!((traffic("g80", &permuted), traffic("gt200", &permuted)), ((17, 18), (2, 4)));
    // Misaligned: 32 transactions of 32 bytes on 1.0; 128 + 64 + 32 bytes on 1.3; two lines on 2.x.
    assert_eq!(traffic("g80", &row(4)), (32, 32));
    assert_eq!(traffic("gt200", &row(4)), (3, 7));
    assert_eq!(traffic("gtx580", &row(4)), (2, 8));
    assert_eq!(traffic("h200", &row(4)), (2, 5));
}

/// The work-efficient scan of GPU Gems 3, chapter 39, on 512 elements, without padding: threads 0..d address elements
/// `offset·(2·thread + 1) - 1` and `offset·(2·thread + 2) - 1` of an array of floats at each level of the two sweeps.
fn scan_degrees(target: &str, elements: u32) -> Vec<u32> {
    let mut offset = 1;
    let mut degrees = Vec::new();
    while offset < elements {
        let threads = elements / 2 / offset;
        let worst = (0..threads.div_ceil(32)).map(|warp| {
            let addresses: [u32; 32] =
                std::array::from_fn(|lane| ((offset * (2 * (warp * 32 + lane as u32) + 1)) - 1) * 4);
            let active = if threads >= 32 { u32::MAX } else { (1 << threads) - 1 };
            // Ways: the degree of the worst half-warp on machines that issue half-warps.
            if target == "g80" {
                let half = |mask: u32| rules(target).wavefronts(&addresses, active & mask, 4, Direction::Load);
                half(0xffff).max(half(0xffff_0000))
            } else {
                rules(target).wavefronts(&addresses, active, 4, Direction::Load)
            }
        });
        degrees.push(worst.max().unwrap_or(0));
        offset *= 2;
    }
    degrees
}

#[test]
fn the_scan_of_gpu_gems_conflicts_up_to_sixteen_ways() {
    // "… up to 16-way for 512 elements": two lanes share a bank at the first level, then twice as many at each, until
    // there are fewer threads than banks.
    assert_eq!(scan_degrees("g80", 512), [2, 4, 8, 16, 16, 8, 4, 2, 1]);
    assert_eq!(scan_degrees("h200", 512), [2, 4, 8, 16, 16, 8, 4, 2, 1]);
    assert_eq!(scan_degrees("h200", 1024), [2, 4, 8, 16, 32, 16, 8, 4, 2, 1].map(|degree: u32| degree.min(32)));
}
