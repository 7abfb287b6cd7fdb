//! The exact counters: those that the hardware counts too, under Nsight Compute's names and with the same values.
//!
//! This is the only list of them. The report holds every one of them, a recording asks `ncu` for them, a comparison
//! compares them, and the book explains them in these words. All have the suffix `.sum`: the sum over all units of the
//! GPU. Those that begin with `smsp__sass_` come from the executed instructions themselves, `l1tex__` and `lts__` from
//! the caches that serve them; the same kernel on the same input gives the same number every time. What Nsight Compute
//! says of them is printed by `ncu --query-metrics`.

mod caches;
mod global;
mod lanes;
mod shared;

use serde::Serialize;

use super::metrics::{Metric, Value};

/// What a counter counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Instructions, each executed by a whole warp.
    WarpInstructions,
    /// Instructions, counted once per thread.
    ThreadInstructions,
    /// Passes of a shared memory access through the data stage.
    Wavefronts,
    /// 32-byte pieces of global memory.
    Sectors,
    /// 128-byte pieces of global memory.
    Lines,
    /// What one unit of the GPU asks another for.
    Requests,
    /// Bytes.
    Bytes,
}

impl Unit {
    /// The unit as it stands in a table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WarpInstructions => "warp instructions",
            Self::ThreadInstructions => "thread instructions",
            Self::Wavefronts => "wavefronts",
            Self::Sectors => "sectors",
            Self::Lines => "lines",
            Self::Requests => "requests",
            Self::Bytes => "bytes",
        }
    }
}

/// A counter that the simulator and the hardware must agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counter {
    /// Nsight Compute's name, with its suffix.
    pub metric: &'static str,
    /// A short name for tables.
    pub label: &'static str,
    /// The unit.
    pub unit: Unit,
    /// What it counts, in plain English.
    pub meaning: &'static str,
}

/// A counter with the way in which it is computed.
#[derive(Clone, Copy)]
struct Exact {
    counter: Counter,
    value: Value,
}

const fn exact(metric: &'static str, label: &'static str, unit: Unit, meaning: &'static str, value: Value) -> Exact {
    Exact { counter: Counter { metric, label, unit, meaning }, value }
}

const GROUPS: [&[Exact]; 4] = [&shared::SHARED, &global::GLOBAL, &caches::CACHES, &lanes::LANES];

/// How many exact counters there are.
pub const COUNT: usize = {
    let (mut sum, mut group) = (0, 0);
    while group < GROUPS.len() {
        sum += GROUPS[group].len();
        group += 1;
    }
    sum
};

const ALL: [Exact; COUNT] = {
    let mut all = [GROUPS[0][0]; COUNT];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut index = 0;
        while index < GROUPS[group].len() {
            all[at] = GROUPS[group][index];
            at += 1;
            index += 1;
        }
        group += 1;
    }
    all
};

/// The exact counters, in the order in which tables show them.
pub const EXACT: [Counter; COUNT] = {
    let mut counters = [ALL[0].counter; COUNT];
    let mut at = 0;
    while at < COUNT {
        counters[at] = ALL[at].counter;
        at += 1;
    }
    counters
};

/// How they are computed, in the same order.
pub(super) const METRICS: [Metric; COUNT] = {
    let mut metrics = [Metric { name: EXACT[0].metric, value: ALL[0].value }; COUNT];
    let mut at = 0;
    while at < COUNT {
        metrics[at] = Metric { name: EXACT[at].metric, value: ALL[at].value };
        at += 1;
    }
    metrics
};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_counter_is_there_twice_and_all_are_sums() {
        let names: HashSet<_> = EXACT.iter().map(|counter| counter.metric).collect();
        let labels: HashSet<_> = EXACT.iter().map(|counter| counter.label).collect();
        assert_eq!((names.len(), labels.len()), (COUNT, COUNT));
        assert!(EXACT.iter().all(|counter| counter.metric.ends_with(".sum") && counter.meaning.ends_with('.')));
    }
}
