//! Shared memory of compute capability 2.x and 3.x.

use crate::lanes::lanes_of;

/// Banks of both generations.
const BANKS: usize = 32;

/// Compute capability 2.x (CUDA C Programming Guide 4.2, section F.4.3): up to 4 bytes a lane, the largest number of
/// distinct words in one bank; 8 bytes, that for each half-warp; 16 bytes, for each quarter-warp one more than the
/// largest number of lanes with different addresses in one bank.
///
/// The last rule says that an access of 16 bytes takes eight passes at least. (A GTX 480 was measured to move 2/3 as
/// many bytes per second by such accesses as by smaller ones, which would be six.)
pub(crate) fn fermi(addresses: &[u32; 32], active: u32, width: u32) -> u32 {
    let row = |word: u32| word / BANKS as u32;
    match width {
        0..=4 => groups(active, 32).map(|lanes| worst(addresses, lanes, 1, row)).sum(),
        8 => groups(active, 16).map(|lanes| worst(addresses, lanes, 2, row)).sum(),
        _ => groups(active, 8).map(|lanes| 1 + worst(addresses, lanes, 4, row)).sum(),
    }
}

/// Compute capability 3.x with the default mode of 4 bytes (CUDA C Programming Guide 4.2, section
/// F.5.3.2): word `i` lies in bank `i mod 32`, and a bank delivers words `i` and `i + 32` of an aligned segment of 64
/// words together. Wide accesses are not described; since a pass moves 256 bytes, accesses of up to 8 bytes are taken
/// for one request of the warp and those of 16 bytes for two.
pub(crate) fn kepler(addresses: &[u32; 32], active: u32, width: u32) -> u32 {
    let row = |word: u32| word / (2 * BANKS as u32);
    let (lanes, words) = if width <= 8 { (32, width.div_ceil(4)) } else { (16, 4) };
    groups(active, lanes).map(|lanes| worst(addresses, lanes, words, row)).sum()
}

/// The active lanes of each group of `size` lanes that has any.
fn groups(active: u32, size: usize) -> impl Iterator<Item = u32> {
    let lanes = if size == 32 { u32::MAX } else { (1 << size) - 1 };
    (0..32).step_by(size).map(move |first| active & (lanes << first)).filter(|group| *group != 0)
}

/// The largest number of distinct rows that `lanes`, of `words` words each, need from one bank.
fn worst(addresses: &[u32; 32], lanes: u32, words: u32, row: impl Fn(u32) -> u32) -> u32 {
    // No pass has more than 64 words: 32 lanes of two or 16 lanes of four.
    let mut wanted = [(0, 0); 64];
    let mut used = 0;
    for lane in lanes_of(lanes) {
        for part in 0..words {
            let word = (addresses[lane as usize] >> 2).wrapping_add(part);
            wanted[used] = (word % BANKS as u32, row(word));
            used += 1;
        }
    }
    let wanted = &mut wanted[..used];
    wanted.sort_unstable();
    let mut rows = [0; BANKS];
    for (at, &(bank, row)) in wanted.iter().enumerate() {
        if at == 0 || wanted[at - 1] != (bank, row) {
            rows[bank as usize] += 1;
        }
    }
    rows.into_iter().max().unwrap_or(0)
}
