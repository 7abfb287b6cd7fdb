//! Global memory of compute capability 2.x to 6.x, where accesses of 8 and 16 bytes are split into requests of half- and
//! quarter-warps (CUDA C Programming Guide 4.2, section F.4.2, to which the later sections up to 6.x refer).

use super::banks::Direction;
use super::rules::Traffic;
use super::sectors;

/// Lanes of each request of a warp.
fn requests(active: u32, width: u32) -> impl Iterator<Item = u32> {
    let lanes = (128 / width.max(4)) as usize;
    let group = if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 };
    (0..32).step_by(lanes).map(move |first| active & (group << first)).filter(|lanes| *lanes != 0)
}

/// Compute capability 2.x: loads go through L1 and move whole lines of 128 bytes; stores and atomics go to L2 and move
/// sectors of 32 bytes.
pub(crate) fn lines(addresses: &[u64; 32], active: u32, width: u32, direction: Direction) -> Traffic {
    if direction == Direction::Store {
        return sectors(addresses, active, width);
    }
    let lines = requests(active, width).map(|lanes| sectors::tags(addresses, lanes)).sum();
    Traffic { sectors: 4 * lines, transactions: lines }
}

/// Compute capability 3.x to 6.x: all global accesses are served by L2 in sectors of 32 bytes.
pub(crate) fn sectors(addresses: &[u64; 32], active: u32, width: u32) -> Traffic {
    let mut traffic = Traffic::default();
    for lanes in requests(active, width) {
        traffic.sectors += sectors::sectors(addresses, lanes);
        traffic.transactions += sectors::tags(addresses, lanes);
    }
    traffic
}
