//! The GPUs that can be simulated, from 2006 to today: each is a file of `sim/targets`, in which every number names its
//! source.
//!
//! What a target decides: which launches it takes (threads, grid, shared and global memory), what memory accesses cost
//! ([`Rules`]), how many blocks are resident together ([`occupancy`]), whether diverged lanes of a warp can wait for
//! each other ([`Scheduling`]), and which compiler's memory instructions are
//! counted ([`Target::lowering`]). Everything else is the same on all targets: the PTX is executed as the PTX manual
//! defines it today, so arithmetic that old hardware rounded differently (multiply-add before compute capability 2.0)
//! gives today's results.
//!
//! Choices where no document decides:
//! - `lowering`: the passes for `sm_90` are applied where they were measured, on H100 and H200. For all others the PTX
//!   counts as it stands; their compilers merged accesses too, but what they merged is not recorded here.
//! - Counters keep Nsight Compute's names on GPUs that it does not know. They then stand for the same concept:
//!   wavefronts are passes through the shared memory's banks, sectors are 32-byte units of the bytes moved from or to
//!   global memory. Those of the H200 are measured, and the H100 was seen to follow them; [`Target::measured`] says so.

pub mod features;
mod file;
pub mod occupancy;
mod rules;

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::ptxas::Lowering;
pub use features::Missing;
pub use file::Fact;
pub use occupancy::{Limit, Occupancy, Resources, Usage};
pub use rules::{BankRule, Coalescing, Rules, Scheduling, SharedAtomics};

/// The target that is simulated where no other is asked for: the GPU that the project has records of.
pub const DEFAULT: &str = "h200";

/// A compute capability, `major.minor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Capability {
    /// The generation.
    pub major: u32,
    /// The variant within it.
    pub minor: u32,
}

impl Capability {
    /// `major.minor`.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Capability {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        parts.map(|(major, minor)| Self { major, minor }).ok_or_else(|| format!("`{text}` is no compute capability"))
    }
}

impl TryFrom<String> for Capability {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// What registers are allocated to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Granularity {
    /// A thread block as a whole.
    Block,
    /// Each warp.
    Warp,
}

/// A GPU. Field names are those of the files in `sim/targets`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Name on the command line and in reports.
    pub name: String,
    /// Other names that are understood.
    pub aliases: Vec<String>,
    /// Name in messages, with its article.
    pub title: String,
    /// NVIDIA's name of the chip.
    pub chip: String,
    /// Compute capability.
    pub compute_capability: Capability,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Clock of the multiprocessors in MHz: what the lanes run at.
    pub clock_mhz: u32,
    /// Global memory, in bytes, as it is sold: a gigabyte of GDDR has 2^30 bytes, one of HBM is counted as 10^9. Drivers
    /// keep some of it for themselves.
    pub memory: u64,
    /// Bandwidth of global memory by the data sheet, in 10^6 bytes per second.
    pub bandwidth_mb_per_s: u64,
    /// Lanes of a warp.
    pub warp_lanes: u32,
    /// Most threads of a thread block.
    pub threads_per_block: u32,
    /// Largest extent of a thread block in x.
    pub block_x: u32,
    /// Largest extent of a thread block in y.
    pub block_y: u32,
    /// Largest extent of a thread block in z.
    pub block_z: u32,
    /// Most thread blocks of a grid in x.
    pub grid_x: u32,
    /// Most thread blocks of a grid in y.
    pub grid_y: u32,
    /// Most thread blocks of a grid in z; 1 where grids have two dimensions.
    pub grid_z: u32,
    /// Most shared memory of a thread block, in bytes, what the system reserves included.
    pub shared_per_block: u32,
    /// Most resident threads of a multiprocessor.
    pub threads_per_multiprocessor: u32,
    /// Most resident warps of a multiprocessor.
    pub warps_per_multiprocessor: u32,
    /// Most resident blocks of a multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// 32-bit registers of a multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// Most registers of a thread.
    pub registers_per_thread: u32,
    /// Registers are allocated in multiples of this.
    pub register_unit: u32,
    /// What registers are allocated to.
    pub register_granularity: Granularity,
    /// Warps are allocated in multiples of this when registers are handed out: the multiprocessor's partitions.
    pub warp_unit: u32,
    /// Shared memory of a multiprocessor, in bytes.
    pub shared_per_multiprocessor: u32,
    /// Shared memory is allocated in multiples of this, in bytes.
    pub shared_unit: u32,
    /// Shared memory that the system takes for each block, in bytes.
    pub shared_reserved: u32,
    /// Whether kernel parameters lie in shared memory, as they did before compute capability 2.0.
    #[serde(deserialize_with = "file::yes_or_no")]
    pub parameters_in_shared: bool,
    /// Number of shared-memory banks.
    pub banks: u32,
    /// Bytes that a bank delivers at once.
    pub bank_bytes: u32,
    /// Which shared accesses conflict.
    pub bank_rule: BankRule,
    /// How global accesses are gathered into transactions.
    pub coalescing: Coalescing,
    /// How atomics in shared memory are done.
    pub shared_atomics: SharedAtomics,
    /// Lanes whose memory requests are issued together: 16 is a half-warp.
    pub request_lanes: u32,
    /// How diverged lanes run.
    pub scheduling: Scheduling,
    /// Which compiler's memory instructions are counted unless the user chooses.
    pub lowering: Lowering,
    /// Whether the counters of this target were compared with a real GPU of its kind. The others follow documents.
    #[serde(deserialize_with = "file::yes_or_no")]
    pub measured: bool,
    /// Every number with its source, in the order of the file.
    #[serde(skip)]
    pub facts: Vec<Fact>,
}

impl Target {
    /// What memory accesses cost on this target.
    pub const fn rules(&self) -> Rules {
        Rules { banks: self.bank_rule, coalescing: self.coalescing, shared_atomics: self.shared_atomics }
    }

    /// What a list of targets says about this one.
    pub fn summary(&self) -> Summary {
        let words = |name: &str| {
            let fact = self.facts.iter().find(|fact| fact.name == name);
            fact.map(|fact| fact.value.replace('-', " ")).unwrap_or_default()
        };
        Summary {
            name: self.name.clone(),
            gpu: self.title.split_once(' ').map_or(&*self.title, |(_, name)| name).to_owned(),
            compute_capability: self.compute_capability.to_string(),
            multiprocessors: self.multiprocessors,
            clock_mhz: self.clock_mhz,
            bandwidth_mb_per_s: self.bandwidth_mb_per_s,
            banks: format!("{} × {} bytes", self.banks, self.bank_bytes),
            coalescing: words("coalescing"),
            lowering: words("lowering"),
            measured: self.measured,
        }
    }

    /// The numbers by their source, in the order in which the sources appear first.
    pub fn by_source(&self) -> Vec<(&str, Vec<&Fact>)> {
        let mut groups: Vec<(&str, Vec<&Fact>)> = Vec::new();
        for fact in &self.facts {
            match groups.iter_mut().find(|(source, _)| *source == fact.source) {
                Some((_, facts)) => facts.push(fact),
                None => groups.push((&fact.source, vec![fact])),
            }
        }
        groups
    }
}

/// A target in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Name on the command line.
    pub name: String,
    /// The GPU's name.
    pub gpu: String,
    /// `major.minor`.
    pub compute_capability: String,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Clock of the multiprocessors, in MHz.
    pub clock_mhz: u32,
    /// Bandwidth of global memory by the data sheet, in 10^6 bytes per second.
    pub bandwidth_mb_per_s: u64,
    /// Banks of shared memory: number and width.
    pub banks: String,
    /// How global accesses are gathered.
    pub coalescing: String,
    /// Which compiler's memory instructions are counted unless the user chooses.
    pub lowering: String,
    /// Whether counters were compared with a GPU of this kind.
    pub measured: bool,
}

/// The files, oldest GPU first.
const FILES: &[&str] = &[
    include_str!("../../targets/g80.toml"),
    include_str!("../../targets/gt200.toml"),
    include_str!("../../targets/gtx580.toml"),
    include_str!("../../targets/k40.toml"),
    include_str!("../../targets/gtx980.toml"),
    include_str!("../../targets/v100.toml"),
    include_str!("../../targets/a100.toml"),
    include_str!("../../targets/rtx4090.toml"),
    include_str!("../../targets/h100.toml"),
    include_str!("../../targets/h200.toml"),
];

static TARGETS: LazyLock<Vec<Target>> = LazyLock::new(|| {
    FILES.iter().map(|text| file::read(text).unwrap_or_else(|error| panic!("sim/targets: {error}"))).collect()
});

/// All targets, oldest first.
pub fn all() -> &'static [Target] {
    &TARGETS
}

/// The target called `name`. Upper and lower case are the same, spaces and hyphens do not matter, and the name may begin
/// with the maker's and the family's: `g80`, `8800 GTX` and `NVIDIA GeForce 8800 GTX` are one.
pub fn find(name: &str) -> Option<&'static Target> {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
    let mut short = &*plain;
    for family in ["nvidia", "geforce", "tesla"] {
        short = short.strip_prefix(family).unwrap_or(short);
    }
    all().iter().find(|target| target.name == short || target.aliases.iter().any(|alias| alias == short))
}

/// What to say when there is no target called `name`.
pub fn unknown(name: &str) -> String {
    let known: Vec<&str> = all().iter().map(|target| &*target.name).collect();
    format!("there is no target `{name}`; there are: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_can_be_read_and_names_are_unique() {
        let mut names: Vec<&String> = all().iter().flat_map(|t| t.aliases.iter().chain([&t.name])).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!((all().len(), names.len()), (FILES.len(), count));
        for (text, name) in [
            ("8800 GTX", "g80"),
            ("NVIDIA GeForce GTX 580", "gtx580"),
            ("GTX-980", "gtx980"),
            ("Tesla K40", "k40"),
            ("H200", "h200"),
        ] {
            assert_eq!(find(text).map(|target| &*target.name), Some(name), "{text}");
        }
        assert!(find("").is_none() && find("geforce").is_none());
        assert!(all().is_sorted_by_key(|target| target.compute_capability));
    }

    #[test]
    fn the_numbers_of_a_target_fit_together() {
        for target in all() {
            let name = &target.name;
            assert_eq!(
                target.threads_per_multiprocessor,
                target.warps_per_multiprocessor * target.warp_lanes,
                "{name}"
            );
            assert!(target.shared_per_block <= target.shared_per_multiprocessor, "{name}");
            assert!(target.threads_per_block <= target.threads_per_multiprocessor, "{name}");
            // One block of the largest size with the fewest registers always fits.
            let usage = Usage { threads: target.threads_per_block, registers: Some(8), ..Usage::default() };
            assert!(target.resident_blocks(&usage) >= 1, "{name}");
            let half_warps = target.compute_capability < Capability::new(2, 0);
            assert_eq!((target.request_lanes == 16, target.banks == 16), (half_warps, half_warps), "{name}");
            let independent = target.compute_capability >= Capability::new(7, 0);
            assert_eq!(target.scheduling == Scheduling::Independent, independent, "{name}");
        }
    }
}
