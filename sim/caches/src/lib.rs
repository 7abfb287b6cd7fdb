//! How often a launch finds its data in L1 and in L2. Neighbouring blocks are executed as the multiprocessors of the GPU
//! hold them, and every access goes through caches of the target's size: an L1 for each multiprocessor and the L2 that all
//! share. Counted is what Nsight Compute counts: sectors that are looked up, and those of them that are there.
//!
//! What an access looks up, and what it leaves in the caches, was asked of an H200 (`tests/lookups`); `model` has the rules.

#![forbid(unsafe_code)]

mod cache;
pub mod compulsory;
mod model;
mod order;

use serde::{Deserialize, Serialize};
use sim::predict::{self, How};
use sim::target;
use sim::{Error, Launch, Module, Options};

use model::through;

/// Most accesses of warps that go through the caches. A launch of more is shown by fewer multiprocessors.
const MOST: u64 = 1 << 20;
/// Multiprocessors of the sample that shows how many accesses a block makes.
const FEW: u64 = 2;
/// How many times the sample is what the multiprocessors hold: the second time caches are as in the middle of a launch.
const WAVES: u64 = 2;

/// Sectors that a launch looks up in a cache, and how many of them are there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Lookups {
    /// Sectors that are looked up.
    pub sectors: u64,
    /// Those that are there.
    pub hits: u64,
}

impl Lookups {
    /// The hit rate in percent: 0 where nothing was looked up, as Nsight Compute says it.
    pub fn percent(&self) -> f64 {
        if self.sectors == 0 { 0.0 } else { (self.hits as f64 / self.sectors as f64 * 10_000.0).round() / 100.0 }
    }
}

/// What a launch finds in the caches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct HitRates {
    /// `l1tex__t_sector_hit_rate.pct`.
    pub l1: Lookups,
    /// `lts__t_sector_hit_rate.pct`.
    pub l2: Lookups,
    /// Blocks whose accesses were counted, for all blocks of the launch.
    pub blocks: u64,
}

impl HitRates {
    /// For a terminal.
    pub fn text(&self) -> String {
        let line = |name: &str, of: &Lookups| {
            format!("  {name}  {:>5.1} %  {} of {} sectors\n", of.percent(), of.hits, of.sectors)
        };
        format!(
            "predicted hit rates, from empty caches, in {} neighbouring blocks\n{}{}",
            self.blocks,
            line("L1", &self.l1),
            line("L2", &self.l2)
        )
    }
}

/// The hit rates of a launch on caches that are empty.
///
/// # Errors
/// As [`sim::simulate`].
pub fn of(module: &Module, kernel: &str, launch: &Launch, options: &Options, how: &How) -> Result<HitRates, Error> {
    let target = target::find(&options.target)
        .ok_or_else(|| Error::input(format!("there is no target `{}`", options.target)))?;
    let sample = |multiprocessors: u64, waves: u64| {
        let how = How { multiprocessors, waves, what_if: Vec::new(), ..how.clone() };
        predict::sample(module, kernel, launch, options, &how)
    };
    let all = u64::from(target.multiprocessors);
    let few = sample(FEW, 1)?;
    let (blocks, sampled) = (few.shape.blocks, few.trace.blocks.len() as u64);
    if sampled == blocks {
        return Ok(through(&few, target, all));
    }
    // A small grid leaves multiprocessors with fewer blocks than they could hold.
    let resident = u64::from(few.shape.resident).max(1);
    let held = blocks.div_ceil(all).min(resident);
    let waves = if blocks > all * resident { WAVES } else { 1 };
    let of_one = (few.trace.accesses.len() as u64 * held * waves / sampled.max(1)).max(1);
    let many = (MOST / of_one).clamp(1, all);
    // What is too much for a few is shown by what these few hold at once.
    if many * held <= sampled {
        return Ok(through(&few, target, sampled.div_ceil(held)));
    }
    Ok(through(&sample((many * held).div_ceil(resident).max(2), waves)?, target, many))
}
