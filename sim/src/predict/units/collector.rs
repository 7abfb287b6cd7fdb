//! What reads the registers of a partition. They lie in two banks, even and odd numbers, each of which delivers one register of
//! a warp a clock (`register_read`, measured by `operands` of `kernels/calibrate/calibrate.cu`); what is asked of the one does
//! not wait for the other.
//!
//! A register with `.reuse` is kept, by bank and operand, until another one is read there; so the compiler sets it across
//! instructions that read the other bank (Huerta et al., Analyzing Modern NVIDIA GPU cores, describe it for Ampere). Where
//! another warp has its turn, nothing is kept. Sixteen loops of `FFMA`, `FADD`, `LOP3`, `IADD3` and `IMAD`, sixteen warps of a
//! partition on an H200, take by this rule 3.7 percent less or more than measured on average; 8.4 if a register is kept for the
//! next instruction only, 4.9 if other warps do not matter.

use super::super::trace::{Issue, Source};

/// Banks of a partition's registers.
const BANKS: usize = 2;
/// No register: `RZ` is none.
const NONE: u8 = u8::MAX;

/// The banks of a partition, and what is kept of them.
#[derive(Debug, Clone)]
pub(super) struct Collector {
    /// When each bank has delivered what was asked of it.
    free: [f64; BANKS],
    /// The warp that read last.
    warp: u32,
    /// The register that is kept, by bank and operand.
    kept: [[u8; Source::PLACES]; BANKS],
}

impl Default for Collector {
    fn default() -> Self {
        Self { free: [0.0; BANKS], warp: u32::MAX, kept: [[NONE; Source::PLACES]; BANKS] }
    }
}

impl Collector {
    /// When both banks have delivered what was asked of them.
    pub(super) fn free(&self) -> f64 {
        self.free[0].max(self.free[1])
    }

    /// A warp's instruction reads its registers from `time` on, each in `clocks`.
    pub(super) fn read(&mut self, warp: u32, issue: &Issue, time: f64, clocks: f64) {
        if self.warp != warp {
            (self.warp, self.kept) = (warp, [[NONE; Source::PLACES]; BANKS]);
        }
        let reads = self.reads(&issue.sources);
        for (free, reads) in self.free.iter_mut().zip(reads) {
            *free = free.max(time) + f64::from(reads) * clocks;
        }
    }

    /// How many registers are read from each bank; what is kept is told from then on.
    fn reads(&mut self, sources: &[Option<Source>]) -> [u8; BANKS] {
        let mut reads = [0; BANKS];
        // Who reads a register twice reads it once.
        let mut seen = [NONE; 2 * Source::PLACES];
        let mut count = 0;
        for source in sources.iter().flatten() {
            for register in source.register..=source.register.saturating_add(u8::from(source.pair)) {
                let bank = usize::from(register) % BANKS;
                let kept = &mut self.kept[bank][usize::from(source.place) % Source::PLACES];
                if *kept != register && !seen[..count].contains(&register) {
                    reads[bank] += 1;
                }
                *kept = if source.kept { register } else { NONE };
                seen[count] = register;
                count += 1;
            }
        }
        reads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operands in their order: the register, and whether it is kept.
    fn sources(registers: &[(u8, bool)]) -> Vec<Option<Source>> {
        let source = |(place, &(register, kept)): (u8, &(u8, bool))| Source { place, register, pair: false, kept };
        (0..).zip(registers).map(source).map(Some).collect()
    }

    #[test]
    fn a_register_is_kept_until_another_is_read_from_its_bank() {
        let mut collector = Collector::default();
        assert_eq!(collector.reads(&sources(&[(9, true), (17, false), (10, false)])), [1, 2]);
        // Another register of the other bank, as the same operand.
        assert_eq!(collector.reads(&sources(&[(4, false), (7, false), (8, false)])), [2, 1]);
        assert_eq!(collector.reads(&sources(&[(9, false), (15, false), (10, false)])), [1, 1]);
        // It was not kept again.
        assert_eq!(collector.reads(&sources(&[(9, true), (9, false)])), [0, 1]);
        assert_eq!(collector.reads(&sources(&[(5, false)])), [0, 1]);
        assert_eq!(collector.reads(&sources(&[(9, false)])), [0, 1]);
    }

    #[test]
    fn a_pair_is_read_from_both_banks() {
        let pair = Source { place: 0, register: 4, pair: true, kept: true };
        let mut collector = Collector::default();
        assert_eq!(collector.reads(&[Some(pair)]), [1, 1]);
        assert_eq!(collector.reads(&[Some(pair)]), [0, 0]);
    }

    #[test]
    fn another_warp_finds_nothing_kept() {
        let mut collector = Collector::default();
        let mut issue = Issue::default();
        issue.sources[0] = Some(Source { place: 0, register: 3, pair: false, kept: true });
        for (warp, free) in [(0, 1.0), (0, 1.0), (1, 2.0), (0, 3.0)] {
            collector.read(warp, &issue, 0.0, 1.0);
            assert_eq!(collector.free(), free);
        }
    }
}
