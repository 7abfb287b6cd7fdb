//! A cache of lines of 128 bytes whose four sectors are filled one by one, as L1 and L2 have them (NVIDIA, CUDA C++ Best
//! Practices Guide, 10.2.1). Who was not used for longest leaves.

/// Sectors of a line.
const SECTORS: u64 = 4;
/// Lines that a line may displace. No document tells it; with sixteen, a cache of this size is nearly one in which any line
/// can displace any other.
const WAYS: usize = 16;

/// A line: its number, which of its sectors are there, and when it was used.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    number: u64,
    sectors: u8,
    used: u64,
}

/// A cache.
#[derive(Debug)]
pub(crate) struct Cache {
    sets: Vec<[Line; WAYS]>,
    clock: u64,
}

impl Cache {
    /// An empty cache of so many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        let lines = (bytes / (SECTORS * sim::memory::sectors::SECTOR)).max(WAYS as u64);
        Self { sets: vec![[Line::default(); WAYS]; (lines as usize).div_ceil(WAYS)], clock: 0 }
    }

    /// Whether a sector is there; nothing changes.
    pub(crate) fn has(&self, sector: u64) -> bool {
        let (number, bit) = (sector / SECTORS, 1 << (sector % SECTORS));
        self.sets[self.set(number)].iter().any(|line| line.number == number && line.sectors & bit != 0)
    }

    /// The set of a line: those at a regular distance go to different sets, as the hardware's hash sees to (here Fibonacci
    /// hashing).
    fn set(&self, number: u64) -> usize {
        let hashed = u128::from(number.wrapping_mul(0x9E37_79B9_7F4A_7C15)) * self.sets.len() as u128;
        (hashed >> 64) as usize
    }

    /// Touches a sector, which is in the cache from then on; whether it was there.
    pub(crate) fn touch(&mut self, sector: u64) -> bool {
        self.clock += 1;
        let (number, bit) = (sector / SECTORS, 1 << (sector % SECTORS));
        let set = self.set(number);
        let set = &mut self.sets[set];
        if let Some(line) = set.iter_mut().find(|line| line.number == number && line.sectors != 0) {
            line.used = self.clock;
            let there = line.sectors & bit != 0;
            line.sectors |= bit;
            return there;
        }
        // An empty place was never used.
        if let Some(oldest) = set.iter_mut().min_by_key(|line| line.used) {
            *oldest = Line { number, sectors: bit, used: self.clock };
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_of_a_line_are_filled_one_by_one() {
        let mut cache = Cache::new(1 << 14);
        assert_eq!([0, 1, 0, 1, 2].map(|sector| cache.touch(sector)), [false, false, true, true, false]);
    }

    #[test]
    fn what_fits_stays_and_what_does_not_fit_leaves() {
        let mut cache = Cache::new(1 << 16);
        // 2048 sectors are what it holds; sets are hashed, so that a little is lost when it is nearly full.
        for sector in 0..1024 {
            assert!(!cache.touch(sector));
        }
        let kept = (0..1024).filter(|&sector| cache.touch(sector)).count();
        assert!(kept > 1000, "{kept} of 1024 sectors are there");
        for sector in 4096..16384 {
            cache.touch(sector);
        }
        assert!((0..1024).all(|sector| !cache.touch(sector)));
    }
}
