//! The part of a report that only a simulator can write: for every source line how its costs are spread, its worst
//! access bank by bank and lane by lane, where its atomics meet, how many lanes are busy, who waits at its barriers; and
//! which lines keep the launch from the ideal.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Report;

/// Details of a launch, see [`Options::details`](crate::Options).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Details {
    /// How far the launch is from one whose accesses are all perfect.
    pub distance: Distance,
    /// Details per source line, in order of file and line.
    pub lines: Vec<LineDetails>,
}

/// What memory accesses cost, and what they would cost if the lanes of each addressed consecutive elements.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Distance {
    /// Wavefronts of shared memory.
    pub wavefronts: u64,
    /// The fewest.
    pub ideal_wavefronts: u64,
    /// Sectors of global memory.
    pub sectors: u64,
    /// The fewest.
    pub ideal_sectors: u64,
    /// The lines that cost more than they need to, the worst first.
    pub lines: Vec<LineDistance>,
}

/// What the memory accesses of a source line cost beyond the ideal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineDistance {
    /// Source file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Wavefronts beyond the fewest.
    pub excess_wavefronts: u64,
    /// Sectors beyond the fewest.
    pub excess_sectors: u64,
}

/// Details of a source line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineDetails {
    /// Source file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// How many lanes take part in the line's instructions.
    pub lanes: LaneActivity,
    /// Its memory accesses, in the order of the program.
    pub accesses: Vec<AccessDetails>,
    /// Its barriers, in the order of the program.
    pub barriers: Vec<BarrierDetails>,
}

/// How busy the lanes of warps are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaneActivity {
    /// Warp-instructions by the number of lanes that take part.
    pub by_count: BTreeMap<u32, u64>,
    /// Warp-instructions in which each of the 32 lanes takes part.
    pub by_lane: Vec<u64>,
}

/// The accesses of one instruction to one space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessDetails {
    /// The instruction as it stands in the PTX.
    pub instruction: String,
    /// Its line there, from 1.
    pub ptx_line: u32,
    /// What it does: `shared load`, `global atomic` and so on.
    pub kind: String,
    /// Bytes per lane.
    pub width: u32,
    /// What its costs are: `wavefronts` in shared memory, `sectors` elsewhere.
    pub unit: String,
    /// Accesses of warps by what they cost.
    pub histogram: BTreeMap<u32, u64>,
    /// What all of them cost.
    pub cost: u64,
    /// What they would cost if the lanes of each addressed consecutive elements.
    pub ideal: u64,
    /// The first access of those that cost most beyond the ideal.
    pub worst: WorstAccess,
    /// Of atomics: where lanes meet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub atomics: Option<Multiplicity>,
}

/// One access of a warp.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorstAccess {
    /// What it costs.
    pub cost: u32,
    /// What it would cost if its lanes addressed consecutive elements.
    pub ideal: u32,
    /// Thread block (x, y, z).
    pub block: [u32; 3],
    /// Warp within its block.
    pub warp: u32,
    /// The byte address of each lane, `None` where it takes no part: within shared memory, or generic.
    pub addresses: Vec<Option<u64>>,
    /// Of shared memory: which banks the lanes use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub banks: Option<BankMap>,
}

/// Which banks the lanes of an access use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BankMap {
    /// Number of banks.
    pub banks: u32,
    /// For each lane the words that it addresses: the bank, and the row within the bank. Lanes with the same bank and
    /// row are served together; different rows of one bank come one after the other.
    pub lanes: Vec<Vec<(u32, u32)>>,
}

/// Where the lanes of atomics meet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Multiplicity {
    /// How often so many lanes of one warp's access met at one address.
    pub together: BTreeMap<u32, u64>,
    /// Distinct addresses, of shared memory within a block. At most 65,536 are told apart.
    pub addresses: u64,
    /// Lanes at addresses that are not told apart.
    pub elsewhere: u64,
    /// The addresses with most lanes in the whole launch, and how many.
    pub busiest: Vec<BusyAddress>,
}

/// An address and how many lanes' atomics went to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BusyAddress {
    /// Byte address: within shared memory, or generic.
    pub address: u64,
    /// The address in words.
    pub place: String,
    /// Lanes.
    pub lanes: u64,
}

/// Who waits at a barrier. Time is the simulator's own: each warp-instruction takes one step, so this shows who has more
/// to do than others, not how long it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BarrierDetails {
    /// The barrier's line in the PTX, from 1.
    pub ptx_line: u32,
    /// Waits of warps.
    pub warps: u64,
    /// Steps that all of them waited.
    pub steps: u64,
    /// The longest wait, in steps.
    pub most: u64,
    /// How often each warp of a block came last.
    pub last: BTreeMap<u32, u64>,
}

impl Distance {
    /// Of a report, from what it counts per line.
    pub fn of(report: &Report) -> Self {
        let mut distance = Self::default();
        for line in &report.lines {
            let own = |name: &str| line.estimates.get(name).copied().unwrap_or(0);
            let excess_wavefronts = own("warpbook__shared_wavefronts_excessive.sum");
            let excess_sectors = own("warpbook__sectors_global_excessive.sum");
            let (ideal_wavefronts, ideal_sectors) =
                (own("warpbook__shared_wavefronts_ideal.sum"), own("warpbook__sectors_global_ideal.sum"));
            distance.wavefronts += ideal_wavefronts + excess_wavefronts;
            distance.ideal_wavefronts += ideal_wavefronts;
            distance.sectors += ideal_sectors + excess_sectors;
            distance.ideal_sectors += ideal_sectors;
            if excess_wavefronts + excess_sectors > 0 {
                let file = line.file.clone();
                distance.lines.push(LineDistance { file, line: line.line, excess_wavefronts, excess_sectors });
            }
        }
        distance.lines.sort_by_key(|line| std::cmp::Reverse(line.excess_wavefronts + line.excess_sectors));
        distance
    }
}

impl LaneActivity {
    /// Warp-instructions, and the lanes that take part in all of them together.
    pub fn totals(&self) -> (u64, u64) {
        let warps = self.by_count.values().sum();
        (warps, self.by_count.iter().map(|(&count, &times)| u64::from(count) * times).sum())
    }
}
