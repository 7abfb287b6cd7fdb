//! The L1 cache of a multiprocessor: how long it looks a load up, and what it still has.
//!
//! Tags lie in four banks, each of which looks up one line a clock, and the data in the banks of shared memory. Microbenchmarks
//! of an H100 told both: loads that hit, with strides of 1 to 256 words and at random, take as many clocks as the fuller of
//! the tags' banks has lines (Nsight Compute's `l1tex__t_output_wavefronts`), or as many as shared memory takes for the same
//! words, whichever is more. What stays was told by threads that each walk through a row of their own, and by rows that are
//! read again: up to three quarters of the cache nearly everything stays, beyond that more is lost the less regularly the rows
//! lie. A cache of four ways does so, in which who was not used for longest leaves.

/// Which bits of a line's number tell the bank of its tag. No document has them. These are one of several pairs that give the
/// measured wavefronts of nineteen strides of 1 to 99 lines, within a clock on average.
const TAG_BANKS: [u64; 2] = [0x1_c16f, 0x2_8392];
/// Lines that a line may displace.
const WAYS: f64 = 4.0;
/// Irreducible polynomials over the field of two elements, of the degrees 4 to 9. A line's number modulo one of them is its set,
/// which spreads lines at a distance of any power of two evenly (Rau, Pseudo-randomly interleaved memory, ISCA 1991). Which one
/// an H100 has, if it is one, is not known; of those of degree 9 most explain the benchmarks as well as this one.
const POLYNOMIALS: [u64; 6] = [0x13, 0x3d, 0x73, 0xf1, 0x1e7, 0x3cb];

/// Clocks in which the tags of these sectors are looked up.
pub(in super::super) fn tag_wavefronts(sectors: &[u64]) -> u32 {
    let mut lines: Vec<u64> = sectors.iter().map(|sector| sector >> 2).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut banks = [0u32; 4];
    for line in lines {
        let [low, high] = TAG_BANKS.map(|bits| ((line & bits).count_ones() & 1) as usize);
        banks[low + 2 * high] += 1;
    }
    banks.into_iter().max().unwrap_or(0)
}

/// A line that is there, with its sectors.
#[derive(Debug, Clone, Copy)]
struct Line {
    number: u64,
    sectors: u8,
}

/// The lines that a multiprocessor's L1 has, by sets; of a set who was used last stands last.
#[derive(Debug)]
pub(super) struct L1 {
    sets: Vec<Vec<Line>>,
    /// Lines of a set, on average.
    ways: f64,
    polynomial: u64,
}

impl L1 {
    /// An empty cache of so many bytes.
    pub(super) fn new(bytes: f64) -> Self {
        let lines = (bytes / 128.0).max(WAYS);
        let degree = (libm::round(libm::log2(lines / WAYS)) as usize).clamp(4, 3 + POLYNOMIALS.len());
        let sets = 1usize << degree;
        Self { sets: vec![Vec::new(); sets], ways: lines / sets as f64, polynomial: POLYNOMIALS[degree - 4] }
    }

    /// A load touches a sector, which is there from then on; whether it was.
    pub(super) fn touch(&mut self, sector: u64) -> bool {
        let (number, bit) = (sector >> 2, 1 << (sector & 3));
        let index = remainder(number, self.polynomial);
        // Where shared memory leaves no whole number of ways, some sets have one more.
        let more = (index as f64 + 0.5) / (self.sets.len() as f64) < self.ways.fract();
        let ways = self.ways as usize + usize::from(more);
        let set = &mut self.sets[index];
        let mut line = Line { number, sectors: 0 };
        if let Some(place) = set.iter().position(|line| line.number == number) {
            line = set.remove(place);
        } else if set.len() >= ways {
            set.remove(0);
        }
        let there = line.sectors & bit != 0;
        set.push(Line { sectors: line.sectors | bit, ..line });
        there
    }
}

/// A polynomial's remainder: what is left of it when the other one has been subtracted until nothing of its degree is there.
fn remainder(mut number: u64, polynomial: u64) -> usize {
    let size = 64 - polynomial.leading_zeros();
    while 64 - number.leading_zeros() >= size {
        number ^= polynomial << (64 - number.leading_zeros() - size);
    }
    number as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_side_by_side_lie_in_different_banks_of_tags() {
        let strided = |stride: u64| -> Vec<u64> { (0..32).map(|lane| lane * stride * 4).collect() };
        assert_eq!(tag_wavefronts(&[0, 1, 2, 3]), 1);
        assert_eq!(tag_wavefronts(&[]), 0);
        for stride in [1, 2, 4, 8] {
            assert_eq!(tag_wavefronts(&strided(stride)), 8, "{stride} lines");
        }
        // 11.9 and 10.6 were counted.
        assert!((10..=14).contains(&tag_wavefronts(&strided(3))), "{}", tag_wavefronts(&strided(3)));
        assert!((9..=13).contains(&tag_wavefronts(&strided(5))), "{}", tag_wavefronts(&strided(5)));
    }

    /// The part of what is read again that is there, of `rows` rows of so many lines, `pitch` lines apart.
    fn kept(rows: u64, pitch: u64, lines: u64) -> f64 {
        let mut cache = L1::new(262_144.0);
        let (mut there, mut all) = (0, 0);
        for round in 0..4 {
            for line in 0..lines {
                for row in 0..rows {
                    let hit = cache.touch((row * pitch + line) * 4);
                    if round > 0 {
                        all += 1;
                        there += u32::from(hit);
                    }
                }
            }
        }
        f64::from(there) / f64::from(all)
    }

    #[test]
    fn what_fits_stays_unless_rows_meet_in_a_set() {
        assert_eq!(kept(256, 4, 4), 1.0);
        assert_eq!(kept(256, 32, 4), 1.0);
        // 256 rows of 3, 4 and 6 lines, 33 lines apart: 98, 90 and 70 of a hundred were counted.
        for (lines, counted) in [(3, 0.98), (4, 0.90), (6, 0.70)] {
            assert!((kept(256, 33, lines) - counted).abs() < 0.15, "{}", kept(256, 33, lines));
        }
        assert!(kept(256, 12, 12) < 0.1);
    }

    #[test]
    fn lines_at_a_distance_of_a_power_of_two_go_to_different_sets() {
        for polynomial in POLYNOMIALS {
            let sets = (1u64 << 63 >> polynomial.leading_zeros()) as usize;
            for shift in 0..20 {
                let mut found: Vec<usize> = (0..sets as u64).map(|line| remainder(line << shift, polynomial)).collect();
                found.sort_unstable();
                assert!(found.into_iter().eq(0..sets), "{polynomial:x} << {shift}");
            }
        }
    }

    #[test]
    fn sectors_of_a_line_come_one_by_one() {
        let mut cache = L1::new(16_384.0);
        assert_eq!([0, 1, 0, 1, 2].map(|sector| cache.touch(sector)), [false, false, true, true, false]);
    }
}
