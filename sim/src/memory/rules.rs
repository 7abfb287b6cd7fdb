//! What memory accesses cost on a target: one place that knows which generation follows which rule.
//!
//! | compute capability | shared memory | global memory |
//! |---|---|---|
//! | 1.0, 1.1 | [`half_warp`]: 16 banks, one broadcast word a step | [`half_warp`]: in order, or one by one |
//! | 1.2, 1.3 | the same | [`half_warp`]: segments of 32 to 128 bytes |
//! | 2.x | [`wide_banks`]: 32 banks, 128-bit accesses conflict | [`split`]: loads by lines of 128 bytes |
//! | 3.x | [`wide_banks`]: 32 banks of 8 bytes | [`split`]: sectors of 32 bytes |
//! | 5.x, 6.x | [`banks`]: 32 banks of 4 bytes | [`split`]: sectors of 32 bytes |
//! | 7.0 and later | the same | [`sectors`]: sectors of 32 bytes, whole warps |

use super::banks::{self, Direction, SharedUnit};
use super::{half_warp, locks, sectors, split, wide_banks};
use crate::target::{BankRule, Coalescing, Rules, SharedAtomics};

/// What a global access of a warp moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Bytes moved, in sectors of 32 bytes.
    pub sectors: u32,
    /// Transactions (1.x), lines of 128 bytes that are looked up (2.x and later).
    pub transactions: u32,
}

impl Rules {
    /// Wavefronts (passes through the banks) that a shared load or store of a warp takes; on half-warp machines those of
    /// both halves together. Arguments as of [`banks::wavefronts`].
    pub fn wavefronts(&self, addresses: &[u32; 32], active: u32, width: u32, direction: Direction) -> u32 {
        match self.banks {
            BankRule::Words => banks::wavefronts(addresses, active, width, direction),
            BankRule::HalfWarpBroadcast => half_warp::wavefronts(addresses, active, width, direction),
            BankRule::Fermi => wide_banks::fermi(addresses, active, width),
            BankRule::Kepler => wide_banks::kepler(addresses, active, width),
        }
    }

    /// The bank that holds a word of 4 bytes, and the row within the bank: words of one row come together.
    pub const fn bank_and_row(&self, word: u32) -> (u32, u32) {
        match self.banks {
            BankRule::HalfWarpBroadcast => (word % 16, word / 16),
            BankRule::Kepler => (word % 32, word / 64),
            BankRule::Fermi | BankRule::Words => (word % 32, word / 32),
        }
    }

    /// Wavefronts that as many lanes would take if they addressed consecutive elements.
    pub fn ideal_wavefronts(&self, active: u32, width: u32) -> u32 {
        match self.banks {
            BankRule::Words => banks::ideal_wavefronts(active, width),
            _ => {
                let (addresses, lanes) = packed(active, width);
                self.wavefronts(&addresses.map(|address| address as u32), lanes, width, Direction::Load)
            }
        }
    }

    /// Wavefronts of a shared atomic, see [`banks::atomic_wavefronts`].
    pub fn atomic_wavefronts(&self, addresses: &[u32; 32], active: u32, width: u32, unit: SharedUnit) -> u32 {
        match self.shared_atomics {
            SharedAtomics::Native if unit == SharedUnit::Increment => {
                banks::atomic_wavefronts(addresses, active, width, SharedUnit::Alu)
            }
            SharedAtomics::Native | SharedAtomics::NativeIncrement => {
                banks::atomic_wavefronts(addresses, active, width, unit)
            }
            SharedAtomics::LockLoop | SharedAtomics::None => locks::wavefronts(self, addresses, active, width),
        }
    }

    /// What a global atomic moves when lanes with the same address come one after the other, the n-th lane of every
    /// element in the n-th pass.
    pub fn atomic_passes(&self, addresses: &[u64; 32], active: u32, width: u32) -> sectors::Passes {
        let mut sum = sectors::Passes::default();
        sectors::each_pass(addresses, active, width, |pass| {
            let traffic = self.traffic(addresses, pass, width, Direction::Store);
            sum.sectors += traffic.sectors;
            sum.tags += traffic.transactions;
        });
        sum
    }

    /// What a global access moves. `addresses` are byte addresses, `width` the bytes per lane (1, 2, 4, 8 or 16).
    pub fn traffic(&self, addresses: &[u64; 32], active: u32, width: u32, direction: Direction) -> Traffic {
        match self.coalescing {
            Coalescing::Sectors => {
                Traffic { sectors: sectors::sectors(addresses, active), transactions: sectors::tags(addresses, active) }
            }
            Coalescing::SplitSectors => split::sectors(addresses, active, width),
            Coalescing::Lines => split::lines(addresses, active, width, direction),
            Coalescing::HalfWarpSegments => half_warp::segments(addresses, active, width),
            Coalescing::HalfWarpInOrder => half_warp::in_order(addresses, active, width),
        }
    }

    /// Sectors that as many lanes would take if they addressed consecutive elements.
    pub fn ideal_sectors(&self, active: u32, width: u32, direction: Direction) -> u32 {
        match self.coalescing {
            Coalescing::Sectors | Coalescing::SplitSectors => sectors::ideal_sectors(active, width),
            _ => {
                let (addresses, lanes) = packed(active, width);
                self.traffic(&addresses, lanes, width, direction).sectors
            }
        }
    }
}

/// Consecutive elements for as many lanes as are active, from the first lane on.
fn packed(active: u32, width: u32) -> ([u64; 32], u32) {
    let addresses = std::array::from_fn(|lane| lane as u64 * u64::from(width));
    let count = active.count_ones();
    (addresses, if count == 32 { u32::MAX } else { (1 << count) - 1 })
}
