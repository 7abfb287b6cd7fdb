//! What a kernel may cost where its exercise says nothing. Every counter of the report is bounded: by what the costliest
//! of the exercise's own solutions needs on the same case, times [`SLACK`] (ratios: less), and by a small allowance that
//! does not grow with the work.
//!
//! The own solutions are the solution and its honest alternatives (`right/GROUP/NAME/*.cu`). They run on the very case
//! that is judged, hidden ones too, so that no limit is written down anywhere. An author loosens a bound by its name and
//! with a reason (`[[loosened]]`).

use sim::Report;
use sim::observe::metrics::{EXACT, OWN};

use crate::spec::Per;

/// A factor: numerator, denominator, and how it is written.
pub type Slack = (u64, u64, &'static str);

/// What the costliest of the own solutions needs is multiplied with this.
pub const SLACK: Slack = (3, 2, "1.5");

/// The same for the share of lanes that idle. It is a ratio: a solution in another style has more instructions, and
/// hardly another ratio. Where half of the lanes idle, it is twice that of a solution.
const LANE_SLACK: Slack = (4, 3, "4/3");

/// The same for the share of warps that idle. It is less, because nobody's style decides which warps work: where one of
/// two warps idles, some instructions of both come before, and the ratio is about 1.6 times that of a solution.
const WARP_SLACK: Slack = (5, 4, "1.25");

/// A counter that only a launch as a whole has, not its lines.
pub(crate) const LONGEST_WARP: &str = "warpbook__longest_warp_inst_executed.max";
pub(crate) const WARP_INSTRUCTIONS: &str = "warpbook__ptx_inst_executed.sum";
pub(crate) const THREAD_INSTRUCTIONS: &str = "warpbook__ptx_thread_inst_executed.sum";

/// What a bound is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The sum of counters.
    Sum(&'static [&'static str]),
    /// How many lanes could have worked for every 100 that did: 100 if all lanes of all warps work, 3,200 if one of 32
    /// does.
    LaneSlots,
    /// How many warps could have worked for every 100 that did, if all took as long as the longest one.
    WarpSlots,
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
    /// What may be given up for it, with how much of it each is worth: a learner may exchange registers where the own
    /// solutions go through shared memory, not the other way round.
    pub instead_of: &'static [(&'static str, u64)],
    /// What may come on top, whatever the own solutions need: a guard, another form of an index.
    pub allowance: u64,
    /// What the allowance is multiplied with.
    pub per: Per,
    /// What a kernel does that breaks it.
    pub meaning: &'static str,
}

const fn bound(
    name: &'static str,
    label: &'static str,
    counters: &'static [&'static str],
    [allowance, per]: [u64; 2],
    meaning: &'static str,
) -> Bound {
    let per = match per {
        WARP => Per::Warp,
        BLOCK => Per::Block,
        THREAD => Per::Thread,
        _ => Per::Case,
    };
    Bound { name, label, measure: Measure::Sum(counters), instead_of: &[], allowance, per, meaning }
}

// `Per` as a number, for the table below.
const CASE: u64 = 0;
const WARP: u64 = 1;
const BLOCK: u64 = 2;
const THREAD: u64 = 3;

const LOADS: &str = "loads are repeated, or one lane loads what a warp could load in one instruction";
const LOAD_SECTORS: &str = "neighbouring lanes read addresses that lie apart, or the same data is read again";
const STORES: &str = "stores are repeated, or one lane stores what a warp could store in one instruction";
const STORE_SECTORS: &str =
    "neighbouring lanes write addresses that lie apart, or intermediate results go to global memory";
const ATOMICS: &str = "threads update global memory one after the other, where they could combine their values first";
const SHARED: &str = "threads go through shared memory more often than the work takes";
const CONFLICTS: &str = "lanes of a warp need different words of one bank, and wait for each other";
const SHARED_ATOMICS: &str = "threads update one word of shared memory one after the other";
const LOCAL: &str = "an array or a spilled value of a thread lies in memory, where registers or shared memory would do";
const ARITHMETIC: &str = "the same is computed again and again, where threads could pass it on";

/// The bounds, in the order in which a learner hears of them: first what says most about the idea of a kernel.
pub const BOUNDS: &[Bound] = &[
    bound(
        "longest-warp",
        "instructions of the longest warp",
        &[LONGEST_WARP],
        [40, CASE],
        "the launch takes as long as its longest warp, and that one does the work of others, or the same again and again",
    ),
    bound(
        "global-atomics",
        "atomic instructions in global memory",
        &["smsp__sass_inst_executed_op_global_atom.sum", "smsp__sass_inst_executed_op_global_red.sum"],
        [0, CASE],
        ATOMICS,
    ),
    bound(
        "shared-atomics",
        "atomic instructions in shared memory",
        &["smsp__sass_inst_executed_op_shared_atom.sum"],
        [0, CASE],
        SHARED_ATOMICS,
    ),
    bound(
        "global-loads",
        "global load instructions",
        &["smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_ldgsts.sum"],
        [2, WARP],
        LOADS,
    ),
    bound(
        "global-load-sectors",
        "global-load sectors",
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
        [4, WARP],
        LOAD_SECTORS,
    ),
    bound(
        "global-stores",
        "global store instructions",
        &["smsp__sass_inst_executed_op_global_st.sum"],
        [1, BLOCK],
        STORES,
    ),
    bound(
        "global-store-sectors",
        "global-store sectors",
        &["smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"],
        [4, BLOCK],
        STORE_SECTORS,
    ),
    bound(
        "shared-loads",
        "shared load instructions",
        &["smsp__sass_inst_executed_op_shared_ld.sum"],
        [1, WARP],
        SHARED,
    ),
    bound(
        "shared-stores",
        "shared store instructions",
        &["smsp__sass_inst_executed_op_shared_st.sum"],
        [1, WARP],
        SHARED,
    ),
    bound(
        "shared-load-wavefronts",
        "shared-load wavefronts",
        &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
        [1, WARP],
        CONFLICTS,
    ),
    bound(
        "shared-store-wavefronts",
        "shared-store wavefronts",
        &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
        [1, WARP],
        CONFLICTS,
    ),
    bound(
        "shared-atomic-wavefronts",
        "wavefronts of shared atomics",
        &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"],
        [0, CASE],
        SHARED_ATOMICS,
    ),
    Bound {
        // A shuffle by 32 lanes moves what a store and a load of shared memory move.
        instead_of: &[("smsp__sass_inst_executed_op_shared.sum", 16)],
        ..bound(
            "exchanges",
            "shuffles, votes and matches, by lane",
            &["smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"],
            [64, WARP],
            "lanes exchange values one after the other, where a vote or a few rounds tell all of them at once",
        )
    },
    bound(
        "barriers",
        "barriers",
        &["warpbook__barriers.sum"],
        [1, WARP],
        "warps wait for each other more often than one needs what another has written",
    ),
    bound(
        "warp-instructions",
        "instructions of all warps",
        &[WARP_INSTRUCTIONS],
        [40, WARP],
        "work is done again and again, or one element after the other where all lanes could work at once",
    ),
    Bound {
        measure: Measure::LaneSlots,
        ..bound(
            "lane-efficiency",
            "lane slots for every 100 lanes at work",
            &[],
            [0, CASE],
            "a few lanes work and the others of their warps wait: an instruction takes as long for one lane as for 32",
        )
    },
    Bound {
        measure: Measure::WarpSlots,
        ..bound(
            "warp-balance",
            "warp slots for every 100 warps at work",
            &[],
            [0, CASE],
            "a few warps work and the others have nothing to do: the multiprocessor waits for the few",
        )
    },
    bound(
        "thread-instructions",
        "instructions of all threads",
        &[THREAD_INSTRUCTIONS],
        [40, THREAD],
        "threads do the same work side by side, where each could do its part",
    ),
    bound(
        "float-operations",
        "additions and multiplications of floats",
        &[
            "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
            "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
            "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
        ],
        [2, THREAD],
        ARITHMETIC,
    ),
    bound(
        "double-operations",
        "additions and multiplications of doubles",
        &[
            "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
            "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
            "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
        ],
        [0, CASE],
        "doubles take far more time than floats, and the work needs none",
    ),
    bound(
        "local-accesses",
        "local memory instructions",
        &["smsp__sass_inst_executed_op_local_ld.sum", "smsp__sass_inst_executed_op_local_st.sum"],
        [8, WARP],
        LOCAL,
    ),
    bound(
        "local-bytes",
        "bytes of local memory",
        &["smsp__sass_data_bytes_mem_local_op_ld.sum", "smsp__sass_data_bytes_mem_local_op_st.sum"],
        [1024, WARP],
        LOCAL,
    ),
    bound(
        "global-load-bytes",
        "bytes of global loads",
        &["smsp__sass_data_bytes_mem_global_op_ld.sum"],
        [128, WARP],
        LOADS,
    ),
    bound(
        "global-store-bytes",
        "bytes of global stores",
        &["smsp__sass_data_bytes_mem_global_op_st.sum"],
        [128, BLOCK],
        STORES,
    ),
    bound(
        "global-atomic-bytes",
        "bytes of atomics in global memory",
        &["smsp__sass_data_bytes_mem_global_op_atom.sum", "smsp__sass_data_bytes_mem_global_op_red.sum"],
        [0, CASE],
        ATOMICS,
    ),
    bound(
        "global-atomic-sectors",
        "sectors of atomics in global memory, in every pass",
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"],
        [0, CASE],
        ATOMICS,
    ),
    bound(
        "l2-atomic-requests",
        "requests of atomics to the L2 cache",
        &["lts__t_requests_srcunit_tex_op_atom.sum", "lts__t_requests_srcunit_tex_op_red.sum"],
        [0, CASE],
        ATOMICS,
    ),
    bound(
        "l2-atomic-sectors",
        "sectors of atomics in the L2 cache",
        &["lts__t_sectors_srcunit_tex_op_atom.sum", "lts__t_sectors_srcunit_tex_op_red.sum"],
        [0, CASE],
        ATOMICS,
    ),
    bound(
        "global-lines",
        "lines of all global accesses",
        &["smsp__sass_l1tex_tags_mem_global.sum"],
        [3, WARP],
        LOAD_SECTORS,
    ),
    bound(
        "shared-load-bytes",
        "bytes of shared loads",
        &["smsp__sass_data_bytes_mem_shared_op_ld.sum"],
        [128, WARP],
        SHARED,
    ),
    bound(
        "shared-store-bytes",
        "bytes of shared stores",
        &["smsp__sass_data_bytes_mem_shared_op_st.sum"],
        [128, WARP],
        SHARED,
    ),
    bound(
        "shared-atomic-bytes",
        "bytes of shared atomics",
        &["smsp__sass_data_bytes_mem_shared_op_atom.sum"],
        [0, CASE],
        SHARED_ATOMICS,
    ),
    bound(
        "shared-conflicts",
        "shared wavefronts beyond the least",
        &["warpbook__shared_wavefronts_excessive.sum"],
        [2, WARP],
        CONFLICTS,
    ),
    bound(
        "scattered-sectors",
        "global sectors beyond the least",
        &["warpbook__sectors_global_excessive.sum"],
        [8, WARP],
        LOAD_SECTORS,
    ),
    bound(
        "printf",
        "calls of printf",
        &["warpbook__printf_calls.sum"],
        [0, CASE],
        "printing takes more time than the work: it is for looking for a mistake, and goes when that is found",
    ),
];

/// Counters that need no bound of their own, each with the reason.
pub const IMPLIED: &[(&str, &str)] = &[
    ("smsp__sass_inst_executed_op_shared.sum", "the sum of the shared instructions of each kind"),
    (
        "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum",
        "the sum of the shared wavefronts of each kind, and of copies",
    ),
    ("smsp__sass_data_bytes_mem_shared.sum", "the sum of the shared bytes of each kind, and of copies"),
    ("smsp__sass_inst_executed_op_global.sum", "the sum of the global instructions of each kind"),
    ("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum", "the L1 cache's sectors of loads without copies"),
    ("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum", "the sectors of atomics, in one pass each"),
    ("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum", "the sectors of reductions, in one pass each"),
    ("smsp__sass_sectors_mem_global.sum", "the sum of the global sectors of each kind"),
    ("smsp__sass_data_bytes_mem_global.sum", "the sum of the global bytes of each kind"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "one for each global load instruction"),
    ("l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", "among the lines of all global accesses"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "one for each global store instruction"),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "the sectors of the global stores"),
    ("l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum", "among the lines of all global accesses"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "one for each global atomic instruction"),
    ("l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum", "at most the sectors of atomics in every pass"),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "one for each global reduction instruction"),
    ("l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum", "at most the sectors of reductions in every pass"),
    ("warpbook__memory_inst_8b.sum", "memory instructions, which are bounded by space and kind"),
    ("warpbook__memory_inst_16b.sum", "memory instructions, which are bounded by space and kind"),
    ("warpbook__memory_inst_32b.sum", "memory instructions, which are bounded by space and kind"),
    ("warpbook__memory_inst_64b.sum", "memory instructions, which are bounded by space and kind"),
    ("warpbook__memory_inst_128b.sum", "memory instructions, which are bounded by space and kind"),
    ("warpbook__shared_wavefronts_ideal.sum", "a measure of the accesses, not a cost"),
    ("warpbook__sectors_global_ideal.sum", "a measure of the accesses, not a cost"),
];

/// The counters of the simulator that no bound is about, and that follow from no others: none, or a report can show a cost
/// that no exercise bounds.
pub fn open() -> Vec<&'static str> {
    let known = EXACT.iter().chain(OWN).map(|metric| metric.name);
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
            Measure::Sum(counters) => counters,
            Measure::LaneSlots => &[WARP_INSTRUCTIONS, THREAD_INSTRUCTIONS],
            Measure::WarpSlots => &[LONGEST_WARP, WARP_INSTRUCTIONS],
        }
    }

    /// What the own solutions' need is multiplied with.
    pub const fn slack(&self) -> Slack {
        match self.measure {
            Measure::Sum(_) => SLACK,
            Measure::LaneSlots => LANE_SLACK,
            Measure::WarpSlots => WARP_SLACK,
        }
    }

    /// What a run shows.
    pub fn value(&self, report: &Report) -> u64 {
        match self.measure {
            Measure::Sum(counters) => counters.iter().map(|name| counter(report, name)).sum(),
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
        let given_up: u64 = self.instead_of.iter().map(|(name, worth)| counter(report, name) * worth).sum();
        if sparse && self.name == "thread-instructions" {
            return counter(report, WARP_INSTRUCTIONS).saturating_mul(32);
        }
        self.value(report).saturating_add(given_up)
    }

    /// Whether it is about a share, of lanes or of warps.
    pub(crate) const fn is_ratio(&self) -> bool {
        matches!(self.measure, Measure::LaneSlots | Measure::WarpSlots)
    }

    /// Whether it says anything about a case whose input is `sparse`.
    pub(crate) const fn applies(&self, sparse: bool) -> bool {
        !(sparse && self.is_ratio())
    }

    /// The counters that say which lines spend it.
    pub(crate) fn spent_on_lines(&self) -> &'static [&'static str] {
        match self.measure {
            Measure::Sum(&[LONGEST_WARP]) | Measure::LaneSlots | Measure::WarpSlots => &[WARP_INSTRUCTIONS],
            Measure::Sum(counters) => counters,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_counter_of_the_report_is_bounded_or_implied() {
        let known: BTreeSet<&str> = EXACT.iter().chain(OWN).map(|metric| metric.name).collect();
        let bounded: BTreeSet<&str> = BOUNDS.iter().flat_map(Bound::counters).copied().collect();
        let implied: BTreeSet<&str> = IMPLIED.iter().map(|(name, _)| *name).collect();
        assert_eq!(open(), Vec::<&str>::new(), "neither bounded nor implied by other bounds");
        let strange: Vec<_> = bounded.union(&implied).filter(|name| !known.contains(*name)).collect();
        assert!(strange.is_empty(), "the simulator does not know {strange:?}");
        assert!(bounded.is_disjoint(&implied));
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
        assert!(slots.applies(false) && !slots.applies(true));
        // Half of the lanes cost 200 slots for every 100: more than the slack of a ratio.
        let (times, of, _) = slots.slack();
        assert!(slots.value(&report(&[(WARP_INSTRUCTIONS, 10), (THREAD_INSTRUCTIONS, 160)])) > 100 * times / of);
        let exchanges = Bound::find("exchanges").unwrap();
        let shared = report(&[("smsp__sass_inst_executed_op_shared.sum", 3)]);
        assert_eq!((exchanges.value(&shared), exchanges.permits(&shared, false)), (0, 48));
    }
}
