//! A GPU one of whose resources is faster than it is: which wall comes next?

use std::fmt;
use std::str::FromStr;

use super::rates::Rates;

/// What can be made faster.
pub const NAMES: [&str; 13] = [
    "clock",
    "issue",
    "integer",
    "fp32",
    "fp64",
    "special",
    "shared",
    "l2",
    "dram",
    "atomics",
    "latency",
    "launch",
    "multiprocessors",
];

/// A resource and how many times as fast it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WhatIf {
    name: &'static str,
    factor: f64,
}

impl fmt::Display for WhatIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=x{}", self.name, self.factor)
    }
}

impl WhatIf {
    /// Changes the rates.
    pub(super) fn apply(&self, rates: &mut Rates) {
        let factor = self.factor;
        let faster = |list: &mut [&mut f64]| list.iter_mut().for_each(|rate| **rate *= factor);
        let shorter = |list: &mut [&mut f64]| list.iter_mut().for_each(|clocks| **clocks /= factor);
        match self.name {
            "clock" => faster(&mut [&mut rates.clock_mhz]),
            "dram" => {
                faster(&mut [&mut rates.dram_read_bytes, &mut rates.dram_write_bytes, &mut rates.dram_mixed_bytes]);
            }
            "l2" => faster(&mut [
                &mut rates.l2_read_sectors,
                &mut rates.l2_read_lines,
                &mut rates.l2_updated_lines,
                &mut rates.l2_write_sectors,
                &mut rates.l2_partial_sectors,
                &mut rates.l2_write_lines,
            ]),
            "atomics" => {
                faster(&mut [&mut rates.l2_atomic_sectors, &mut rates.l2_returning_sectors]);
                shorter(&mut [&mut rates.same_element, &mut rates.same_sector, &mut rates.hand_over]);
            }
            "latency" => shorter(&mut [
                &mut rates.shared_latency,
                &mut rates.l1_latency,
                &mut rates.l2_latency,
                &mut rates.dram_latency,
                &mut rates.atomic_latency,
                &mut rates.store_latency,
                &mut rates.fence_latency,
            ]),
            "issue" => faster(&mut [&mut rates.issue]),
            "shared" => {
                faster(&mut [&mut rates.shared_wavefronts]);
                shorter(&mut [&mut rates.shared_latency]);
            }
            "special" => faster(&mut [&mut rates.special_lanes]),
            "launch" => shorter(&mut [
                &mut rates.launch_us,
                &mut rates.next_launch_us,
                &mut rates.block_start,
                &mut rates.block_latency,
            ]),
            "fp32" => faster(&mut [&mut rates.fp32_lanes]),
            "integer" => faster(&mut [&mut rates.integer_lanes]),
            "fp64" => faster(&mut [&mut rates.fp64_lanes]),
            _ => faster(&mut [&mut rates.multiprocessors]),
        }
    }
}

impl FromStr for WhatIf {
    type Err = String;

    /// Reads `dram=x2`.
    fn from_str(text: &str) -> Result<Self, String> {
        let form = || format!("`{text}` is no change: write a resource and a factor, such as dram=x2");
        let (name, factor) = text.split_once('=').ok_or_else(form)?;
        let factor: f64 = factor.trim().trim_start_matches('x').parse().map_err(|_| form())?;
        if !(factor.is_finite() && factor > 0.0) {
            return Err(form());
        }
        let known = NAMES.iter().find(|known| **known == name.trim());
        let name = known.ok_or_else(|| format!("there is no resource `{name}`; there are {}", NAMES.join(", ")))?;
        Ok(Self { name, factor })
    }
}
