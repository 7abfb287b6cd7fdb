//! What happens to a part of all loads only. No clock and no random source is asked: parts are added up until one load is due, or a
//! place's number decides.

use super::super::slices;
use super::recency::LINE;

/// Adds a part to what was not done so far; whether it has become one to do now.
pub(super) fn is_due(so_far: &mut f64, part: f64) -> bool {
    *so_far += part;
    let due = *so_far >= 1.0;
    *so_far -= f64::from(u8::from(due));
    due
}

/// How much longer than the mean the slowest of so many chunks takes, the first of which is `chunk`: the quantile of a number
/// that the chunk's own gives.
pub(super) fn spread(chunk: u64, chunks: f64, mean: f64) -> f64 {
    let part = (slices::mix(chunk, 1) >> 11) as f64 / (1u64 << 53) as f64;
    let slowest = libm::pow(part.max(f64::EPSILON), 1.0 / chunks.max(1.0));
    // Of an exponential distribution; the longest of some thousand.
    mean * (-libm::log((1.0 - slowest).max(1e-3)) - 1.0)
}

/// Whether a sector that others have loaded is on the other side of L2 only. Each line belongs to one of two sides, and stays on the other
/// one, too, once it was loaded from there. So of what one block loaded, or stored, a quarter is far from another block: 25 of a
/// hundred lines take an H200's thread 430 to 535 clocks the first time, and 273 to 345 like all others from then on.
pub(super) fn is_far(sector: u64) -> bool {
    slices::mix(sector / LINE, 2) & 3 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_so_many_is_due() {
        let mut so_far = 0.0;
        assert_eq!((0..40).filter(|_| is_due(&mut so_far, 0.25)).count(), 10);
    }

    #[test]
    fn the_slowest_of_several_chunks_takes_longer() {
        let mean = |chunks: f64| (0..4000).map(|chunk| spread(chunk, chunks, 100.0)).sum::<f64>() / 4000.0;
        // The mean of the slowest of n exponential times is the sum of 1/1 to 1/n.
        assert!(mean(1.0).abs() < 5.0, "{}", mean(1.0));
        assert!((mean(2.0) - 50.0).abs() < 5.0, "{}", mean(2.0));
        assert!((mean(4.0) - 108.3).abs() < 6.0, "{}", mean(4.0));
    }
}
