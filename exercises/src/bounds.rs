//! What a kernel may cost where its exercise says nothing. Every counter of the report is bounded: by what the costliest
//! of the exercise's own solutions needs on the same case, times the slack of its kind, and by a small allowance on top.
//!
//! The slacks come from honest solutions, not from cheats: solutions in other styles than the own solutions were held against
//! those of their exercise. Instructions are a matter of style: loops that are not unrolled and wide indices take more of
//! them. What goes through memory is not: an honest solution repeats the number of loads, stores, atomics, sectors and bytes
//! exactly, or pays for one guard. One whose style costs more than that, and is fair, stands among the honest alternatives
//! and widens the bounds of its exercise.
//!
//! What threads pass to each other, they pass on one road: by shuffles, by votes, or through shared memory. A kernel that takes
//! the shuffles of one own solution and the shared memory of another does the work twice. So these bounds have the limits of one
//! own solution, the one that the kernel is nearest to ([`Bound::nearest`]). All other bounds have the limits of the
//! costliest, since styles mix: one solution loads more, another one has longer indices.
//!
//! The own solutions are the solution and its honest alternatives (`right/GROUP/NAME/*.cu`). They run on the very case
//! that is judged, hidden ones too, so that no limit is written down anywhere. An author loosens a bound by its name and
//! with a reason (`[[loosened]]`).

mod implied;
mod table;

use sim::Report;
use sim::observe::busiest;
use sim::observe::metrics::{EXACT, OWN};

use crate::spec::Per;
pub use implied::IMPLIED;
pub use table::BOUNDS;

/// A factor: numerator, denominator, and how it is written.
pub type Slack = (u64, u64, &'static str);

/// For instructions of warps and threads, and for the bytes of shared memory of a block. They are a matter of style: a loop that is not
/// unrolled, an index of 64 bits and a bound that is checked twice cost instructions.
pub const STYLE: Slack = (6, 5, "1.2");

/// For what goes to global memory and for atomics (instructions, sectors, bytes, lines and requests), and for arithmetic of
/// floats. They hardly depend on style: an honest solution repeats them exactly, or pays for one guard.
const TRAFFIC: Slack = (11, 10, "1.1");

/// For loads and stores of shared memory and barriers. A learner may keep a value in a register or read it again, and may
/// want a barrier more than are needed.
const PASSED_ON: Slack = (5, 4, "1.25");

/// For exchanges between lanes. How many rounds of shuffles and how many votes an idea takes does not depend on style. An honest
/// solution that takes a round more than all others has another idea, and stands among the alternatives. With the allowance, the
/// slack adds up to one more exchange by all lanes of a warp only where an own solution has more than twelve.
const EXCHANGED: Slack = (26, 25, "1.04");

/// For the share of lanes that idle. It is a ratio: a solution in another style has more instructions, and hardly another
/// ratio. Where a quarter of the lanes idle, it is a third more than that of a solution.
const LANES: Slack = (5, 4, "1.25");

/// The same for the share of warps that idle. Nobody's style decides which warps work: where one of two warps idles, some
/// instructions of both come before, and the ratio is a quarter to a half more than that of a solution.
const WARPS: Slack = (6, 5, "1.2");

/// For memory instructions of the busiest warp, and for what the busiest thread loads from shared memory. How much of it a warp
/// or a thread needs does not depend on style, and where one of eight warps idles, another one has more.
const BUSY: Slack = (11, 10, "1.1");

/// A counter that only a launch as a whole has, not its lines.
pub(crate) const LONGEST_WARP: &str = "warpbook__longest_warp_inst_executed.max";
pub(crate) const LONGEST_PATH: &str = "warpbook__longest_path_inst_executed.max";
pub(crate) const ONE_LANE: &str = "warpbook__busiest_warp_inst_executed_one_lane.max";
pub(crate) const BUSIEST_THREAD: &str = "warpbook__busiest_thread_inst_executed.max";
pub(crate) const BUSIEST_LOADER: &str = "warpbook__busiest_thread_bytes_shared_ld.max";
pub(crate) const WARP_INSTRUCTIONS: &str = "warpbook__ptx_inst_executed.sum";
pub(crate) const THREAD_INSTRUCTIONS: &str = "warpbook__ptx_thread_inst_executed.sum";

/// What a bound is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The sum of counters.
    Sum(&'static [&'static str]),
    /// What the warp executes that executes most of it, and the counters that say which lines spend it.
    Busiest(&'static [&'static str], &'static [&'static str]),
    /// How many lanes could have worked for every 100 that did: 100 if all lanes of all warps work, 3,200 if one of 32
    /// does.
    LaneSlots,
    /// How many warps could have worked for every 100 that did, if all took as long as the longest one.
    WarpSlots,
    /// The shared memory of a block, static and dynamic, in bytes: no counter, but a multiprocessor has room for the fewer
    /// blocks the more of it each takes.
    SharedBytes,
}

/// A bound that holds for every kernel exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The name by which an author loosens it.
    pub name: &'static str,
    /// What is counted, in a learner's words.
    pub label: &'static str,
    /// What it counts.
    pub measure: Measure,
    /// What the own solutions' need is multiplied with.
    pub slack: Slack,
    /// What may be given up for it, with how much of it each is worth: a learner may exchange registers where the own
    /// solutions go through shared memory, not the other way round, and not beside the shared memory. Who still spends more
    /// than half of it has given up nothing.
    pub instead_of: &'static [(&'static str, u64)],
    /// Whether the limit is that of one own solution, the one that the kernel is nearest to, and not of the costliest.
    pub nearest: bool,
    /// What may come on top, whatever the own solutions need: a guard, another form of an index.
    pub allowance: u64,
    /// What the allowance is multiplied with.
    pub per: Per,
    /// What a kernel does that breaks it.
    pub meaning: &'static str,
}

/// The counters of the simulator.
fn counters() -> impl Iterator<Item = &'static str> {
    EXACT.iter().chain(OWN).map(|metric| metric.name).chain(busiest::NAMES)
}

/// The counters of the simulator that no bound is about, and that follow from no others: none, or a report can show a cost
/// that no exercise bounds.
pub fn open() -> Vec<&'static str> {
    let known = counters();
    let bounded = |name: &str| BOUNDS.iter().any(|bound| bound.counters().contains(&name));
    let implied = |name: &str| IMPLIED.iter().any(|(other, _)| *other == name);
    known.filter(|name| !bounded(name) && !implied(name)).collect()
}

/// A counter of a report, the hardware's or ours.
fn counter(report: &Report, name: &str) -> u64 {
    report.metrics.get(name).or_else(|| report.estimates.get(name)).copied().unwrap_or(0)
}

impl Bound {
    /// The bound of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        BOUNDS.iter().find(|bound| bound.name == name)
    }

    /// The counters that it is about.
    pub const fn counters(&self) -> &'static [&'static str] {
        match self.measure {
            Measure::Sum(counters) | Measure::Busiest(counters, _) => counters,
            Measure::LaneSlots => &[WARP_INSTRUCTIONS, THREAD_INSTRUCTIONS],
            Measure::WarpSlots => &[LONGEST_WARP, WARP_INSTRUCTIONS],
            Measure::SharedBytes => &[],
        }
    }

    /// What a run shows.
    pub fn value(&self, report: &Report) -> u64 {
        match self.measure {
            Measure::Sum(counters) | Measure::Busiest(counters, _) => {
                counters.iter().map(|name| counter(report, name)).sum()
            }
            Measure::SharedBytes => {
                u64::from(report.launch.shared_static).saturating_add(u64::from(report.launch.shared_dynamic))
            }
            Measure::LaneSlots => {
                let (warps, threads) = (counter(report, WARP_INSTRUCTIONS), counter(report, THREAD_INSTRUCTIONS));
                if threads == 0 { 0 } else { warps.saturating_mul(3200).div_ceil(threads) }
            }
            Measure::WarpSlots => {
                let count = |extent: [u32; 3]| extent.into_iter().map(u64::from).product::<u64>();
                let warps = count(report.launch.grid).saturating_mul(count(report.launch.block).div_ceil(32));
                let (longest, all) = (counter(report, LONGEST_WARP), counter(report, WARP_INSTRUCTIONS));
                longest.saturating_mul(warps).saturating_mul(100).checked_div(all).unwrap_or(0)
            }
        }
    }

    /// What a run of an own solution permits, before the slack. `sparse` says that the input leaves most threads without
    /// an element: then it depends on the form of a bound check how many lanes work.
    pub(crate) fn permits(&self, report: &Report, sparse: bool) -> u64 {
        if sparse && self.name == "thread-instructions" {
            return counter(report, WARP_INSTRUCTIONS).saturating_mul(32);
        }
        self.value(report)
    }

    /// What a run spends on what may be given up for it ([`Bound::instead_of`]), in units of this bound.
    pub(crate) fn spent_instead(&self, report: &Report) -> u64 {
        self.instead_of.iter().map(|(name, worth)| counter(report, name).saturating_mul(*worth)).sum()
    }

    /// Whether it is about a share, of lanes or of warps.
    pub(crate) const fn is_ratio(&self) -> bool {
        matches!(self.measure, Measure::LaneSlots | Measure::WarpSlots)
    }

    /// Whether it says anything about a case whose input is `sparse`, or leaves threads without an element (`idle`): then
    /// the last warp may have a single element, and one lane of it that goes on is a matter of style.
    pub(crate) fn applies(&self, sparse: bool, idle: bool) -> bool {
        !(sparse && self.is_ratio() || idle && self.counters() == [ONE_LANE])
    }

    /// The counters that say which lines spend it.
    pub(crate) fn spent_on_lines(&self) -> &'static [&'static str] {
        match self.measure {
            Measure::Sum(&[BUSIEST_LOADER]) => &["smsp__sass_inst_executed_op_shared_ld.sum"],
            Measure::Sum(&[LONGEST_WARP | LONGEST_PATH | ONE_LANE | BUSIEST_THREAD])
            | Measure::LaneSlots
            | Measure::WarpSlots => &[WARP_INSTRUCTIONS],
            Measure::Sum(counters) | Measure::Busiest(_, counters) => counters,
            Measure::SharedBytes => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_counter_of_the_report_is_bounded_or_implied() {
        let known: BTreeSet<&str> = counters().collect();
        let bounded: BTreeSet<&str> = BOUNDS.iter().flat_map(Bound::counters).copied().collect();
        let implied: BTreeSet<&str> = IMPLIED.iter().map(|(name, _)| *name).collect();
        assert_eq!(open(), Vec::<&str>::new(), "neither bounded nor implied by other bounds");
        let strange: Vec<_> = bounded.union(&implied).filter(|name| !known.contains(*name)).collect();
        assert!(strange.is_empty(), "the simulator does not know {strange:?}");
        assert!(bounded.is_disjoint(&implied));
    }

    #[test]
    fn one_warp_that_does_the_work_of_others_is_told_from_many() {
        let stores = Bound::find("busiest-warp-global-stores").unwrap();
        let report = |most: u64| {
            let name = "warpbook__busiest_warp_inst_executed_op_global_st.max".to_owned();
            Report { estimates: [(name, most)].into(), ..Report::default() }
        };
        let (times, of, _) = stores.slack;
        // Four rounds of all warps, five where one of eight warps idles.
        let most = stores.permits(&report(4), false) * times / of + stores.allowance;
        assert!(stores.value(&report(4)) <= most && stores.value(&report(5)) > most);
        assert_eq!(stores.spent_on_lines(), ["smsp__sass_inst_executed_op_global_st.sum"]);
    }

    #[test]
    fn names_are_different() {
        let names: BTreeSet<&str> = BOUNDS.iter().map(|bound| bound.name).collect();
        assert_eq!(names.len(), BOUNDS.len());
        assert!(Bound::find("barriers").is_some() && Bound::find("speed").is_none());
    }

    #[test]
    fn idle_lanes_cost_slots_and_exchanges_may_stand_for_shared_memory() {
        let report = |counts: &[(&str, u64)]| Report {
            metrics: counts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            ..Report::default()
        };
        let slots = Bound::find("lane-efficiency").unwrap();
        assert_eq!(slots.value(&report(&[(WARP_INSTRUCTIONS, 10), (THREAD_INSTRUCTIONS, 320)])), 100);
        assert_eq!(slots.value(&report(&[(WARP_INSTRUCTIONS, 10), (THREAD_INSTRUCTIONS, 10)])), 3200);
        assert!(slots.applies(false, true) && !slots.applies(true, true));
        let alone = Bound::find("one-lane").unwrap();
        assert!(alone.applies(false, false) && !alone.applies(false, true));
        // Half of the lanes cost 200 slots for every 100: more than the slack of a ratio.
        let (times, of, _) = slots.slack;
        assert!(slots.value(&report(&[(WARP_INSTRUCTIONS, 10), (THREAD_INSTRUCTIONS, 160)])) > 100 * times / of);
        let exchanges = Bound::find("exchanges").unwrap();
        let shared = report(&[("smsp__sass_inst_executed_op_shared.sum", 3)]);
        assert_eq!((exchanges.permits(&shared, false), exchanges.spent_instead(&shared)), (0, 48));
    }
}
