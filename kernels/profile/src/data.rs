//! What a page is made of.

use std::collections::BTreeMap;

use advice::Advice;
use caches::HitRates;
use caches::compulsory::LowerBound;
use kernels::native::Pair;
use sim::Report;

/// A session of launches, with everything that its page shows.
#[derive(Debug, Clone, Default)]
pub struct Profile<'a> {
    /// The file that holds the kernels.
    pub title: String,
    /// The command that makes the page again.
    pub command: String,
    /// The compiler, its version and its architecture in words; `None` where nothing was compiled.
    pub compiler: Option<String>,
    /// The launches, in their order.
    pub launches: Vec<Launch<'a>>,
    /// The texts of source files, by the names that the reports' lines use.
    pub sources: BTreeMap<String, String>,
    /// The PTX, if there is any.
    pub ptx: Option<&'a str>,
    /// What the reader should know of the whole session, a sentence each.
    pub notes: Vec<String>,
    /// What a GPU made of the same launches.
    pub gpu: Option<Gpu>,
    /// The buffers beside what they must hold, a sentence each.
    pub comparisons: Vec<String>,
}

/// One launch.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// Counters, prediction and findings.
    pub report: &'a Report,
    /// What the reader should know of it, a sentence each.
    pub notes: &'a [String],
    /// The edits that would help, the most useful first; `None` where no edit was tried.
    pub advice: Option<&'a [Advice]>,
    /// How often L1 and L2 have the data; `None` where it was not asked for.
    pub hit_rates: Option<HitRates>,
    /// What any kernel with the same inputs and outputs must move; `None` where it was not computed.
    pub lower_bound: Option<LowerBound>,
}

/// What a GPU made of the launches, all of them together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gpu {
    /// The GPU and its driver.
    pub name: String,
    /// The median of its times, in microseconds.
    pub median_us: Option<f64>,
    /// How it was timed, what it left in the buffers, why it was not run: a sentence each.
    pub sentences: Vec<String>,
    /// The exact counters, simulated and measured; none where they were not measured.
    pub counters: Vec<Pair>,
}

impl Gpu {
    /// What the GPU counted of a metric.
    pub(crate) fn measured(&self, metric: &str) -> Option<u64> {
        self.counters.iter().find(|pair| pair.metric == metric).map(|pair| pair.measured)
    }
}
