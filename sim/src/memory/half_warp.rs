//! Compute capability 1.x, where a warp's memory request is two requests of 16 lanes (CUDA C Programming Guide 4.2,
//! sections F.3.2 and F.3.3).

use super::banks::Direction;
use super::rules::Traffic;

/// Banks of shared memory, of 4 bytes each.
const BANKS: usize = 16;
/// Lanes of a request.
const HALF: usize = 16;

/// Steps that the two requests of a shared load or store take together.
///
/// Accesses of 8 and 16 bytes are compiled into accesses of 4 bytes. Of one request, each step serves
/// - for loads: all lanes that read from one *broadcast word*, and one lane for every other bank. Which word is broadcast
///   is not specified; here it is the one that most remaining lanes read from, and of those the one of the lowest lane.
/// - for stores: one address of every bank; lanes that write to the same address are one write.
pub(crate) fn wavefronts(addresses: &[u32; 32], active: u32, width: u32, direction: Direction) -> u32 {
    let mut steps = 0;
    for half in [0, HALF] {
        for part in 0..(width / 4).max(1) {
            let request: Vec<u32> = (half..half + HALF)
                .filter(|lane| active >> lane & 1 != 0)
                .map(|lane| addresses[lane].wrapping_add(4 * part))
                .collect();
            steps += match direction {
                Direction::Load => load_steps(request),
                Direction::Store => store_steps(request),
            };
        }
    }
    steps
}

fn bank(address: u32) -> usize {
    (address >> 2) as usize % BANKS
}

fn load_steps(mut remaining: Vec<u32>) -> u32 {
    let mut steps = 0;
    while let Some(&first) = remaining.first() {
        let mut broadcast = (0, first >> 2);
        for (at, address) in remaining.iter().enumerate() {
            let word = address >> 2;
            let readers = remaining[at..].iter().filter(|other| **other >> 2 == word).count();
            if readers > broadcast.0 {
                broadcast = (readers, word);
            }
        }
        let word = broadcast.1;
        let mut busy = [false; BANKS];
        busy[bank(word << 2)] = true;
        remaining.retain(|&address| address >> 2 != word && std::mem::replace(&mut busy[bank(address)], true));
        steps += 1;
    }
    steps
}

fn store_steps(mut addresses: Vec<u32>) -> u32 {
    addresses.sort_unstable();
    addresses.dedup();
    let mut of_bank = [0; BANKS];
    for address in addresses {
        of_bank[bank(address)] += 1;
    }
    of_bank.into_iter().max().unwrap_or(0)
}

/// Compute capability 1.0 and 1.1: if the k-th lane of a half-warp addresses the k-th word of an aligned segment (of 64
/// bytes for 4-byte words, 128 bytes for 8-byte words, twice 128 bytes for 16-byte words; lanes may be missing), the
/// segment is moved in one transaction (two for 16-byte words). Otherwise each lane makes a transaction of 32 bytes.
pub(crate) fn in_order(addresses: &[u64; 32], active: u32, width: u32) -> Traffic {
    let mut traffic = Traffic::default();
    for half in [0, HALF] {
        let lanes: Vec<usize> = (half..half + HALF).filter(|lane| active >> lane & 1 != 0).collect();
        let Some(&first) = lanes.first() else { continue };
        let bytes = u64::from(width) * HALF as u64;
        let base = addresses[first].wrapping_sub((first - half) as u64 * u64::from(width));
        let ordered = width >= 4
            && base.is_multiple_of(bytes.min(128))
            && lanes.iter().all(|&lane| addresses[lane] == base.wrapping_add((lane - half) as u64 * u64::from(width)));
        if ordered {
            traffic.transactions += bytes.div_ceil(128) as u32;
            traffic.sectors += (bytes / 32) as u32;
        } else {
            traffic.transactions += lanes.len() as u32;
            traffic.sectors += lanes.len() as u32;
        }
    }
    traffic
}

/// Compute capability 1.2 and 1.3: the lowest lane that is not served yet names a segment (32 bytes for 1-byte words, 64
/// for 2-byte words, else 128); all lanes in it are served together; as long as they use only one half of it and it is
/// longer than 32 bytes, only that half is moved.
pub(crate) fn segments(addresses: &[u64; 32], active: u32, width: u32) -> Traffic {
    let mut traffic = Traffic::default();
    for half in [0, HALF] {
        let mut waiting: Vec<u64> =
            (half..half + HALF).filter(|lane| active >> lane & 1 != 0).map(|lane| addresses[lane]).collect();
        while let Some(&first) = waiting.first() {
            let mut size = (32 * u64::from(width)).min(128);
            let segment = first / size;
            let (served, rest): (Vec<u64>, Vec<u64>) = waiting.into_iter().partition(|at| at / size == segment);
            let lowest = served.iter().min().copied().unwrap_or(first);
            let highest = served.iter().max().copied().unwrap_or(first) + u64::from(width) - 1;
            while size > 32 && lowest / (size / 2) == highest / (size / 2) {
                size /= 2;
            }
            traffic.transactions += 1;
            traffic.sectors += (size / 32) as u32;
            waiting = rest;
        }
    }
    traffic
}
