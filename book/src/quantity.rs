//! The quantities that a directive can ask for: counters, sums of counters, the simulator's own counters, and times.

use crate::fault::Reason;
use crate::html;
use crate::runs::{Counter, KnownDifference, Run, Runs};

/// A number that a run has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quantity {
    /// Its name, as directives and tables write it.
    pub(crate) name: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// The sum of these exact counters. The hardware counts them too.
    Exact(Vec<String>),
    /// A counter that only the simulator has.
    Simulated(&'static str),
    /// The median time on the recorded GPU, in nanoseconds.
    Time,
}

/// Sums of exact counters: the name, and the metrics.
pub(crate) const SUMS: [(&str, &[&str]); 6] = [
    (
        "shared wavefronts",
        &[
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        ],
    ),
    (
        "shared instructions",
        &["smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared_st.sum"],
    ),
    ("shared bytes", &["smsp__sass_data_bytes_mem_shared_op_ld.sum", "smsp__sass_data_bytes_mem_shared_op_st.sum"]),
    (
        "global instructions",
        &["smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_global_st.sum"],
    ),
    (
        "global sectors",
        &[
            "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
            "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
        ],
    ),
    ("global bytes", &["smsp__sass_data_bytes_mem_global_op_ld.sum", "smsp__sass_data_bytes_mem_global_op_st.sum"]),
];

/// A counter that only the simulator has.
pub(crate) struct Own {
    /// Its name, as directives and tables write it.
    pub(crate) label: &'static str,
    /// Its name in the report.
    pub(crate) metric: &'static str,
    /// The unit.
    pub(crate) unit: &'static str,
    /// What it counts.
    pub(crate) meaning: &'static str,
}

const fn own(label: &'static str, metric: &'static str, unit: &'static str, meaning: &'static str) -> Own {
    Own { label, metric, unit, meaning }
}

/// The simulator's own counters.
pub(crate) const OWN: [Own; 14] = [
    own(
        "instructions of warps",
        "warpbook__ptx_inst_executed.sum",
        "warp instructions",
        "How many PTX instructions the warps executed. The machine code has others: this is a measure of the program, not of \
         its time.",
    ),
    own(
        "instructions of lanes",
        "warpbook__ptx_thread_inst_executed.sum",
        "thread instructions",
        "The same, counted once for every active lane. Divided by 32 times the instructions of warps, it says how \
         full the warps were.",
    ),
    own(
        "instructions of the longest warp",
        "warpbook__longest_warp_inst_executed.max",
        "warp instructions",
        "How many PTX instructions the warp executed that executed most: the launch takes at least as long as this warp, \
         however many others there are. Of several launches, the sum of theirs.",
    ),
    own(
        "ideal shared wavefronts",
        "warpbook__shared_wavefronts_ideal.sum",
        "wavefronts",
        "How many wavefronts the accesses to shared memory would need without bank conflicts, if all lanes needed different words.",
    ),
    own(
        "excessive shared wavefronts",
        "warpbook__shared_wavefronts_excessive.sum",
        "wavefronts",
        "What bank conflicts add to that.",
    ),
    own(
        "ideal global sectors",
        "warpbook__sectors_global_ideal.sum",
        "sectors",
        "How many sectors the accesses to global memory would need if the bytes of each lay side by side, from an aligned \
         address.",
    ),
    own(
        "excessive global sectors",
        "warpbook__sectors_global_excessive.sum",
        "sectors",
        "What scattered and shifted addresses add to that.",
    ),
    own("barriers", "warpbook__barriers.sum", "warp instructions", "How often a warp reached a barrier of its block."),
    own(
        "memory instructions of 8 bits",
        "warpbook__memory_inst_8b.sum",
        "warp instructions",
        "Loads, stores and atomics of one byte per lane, in any memory.",
    ),
    own(
        "memory instructions of 16 bits",
        "warpbook__memory_inst_16b.sum",
        "warp instructions",
        "Loads, stores and atomics of two bytes per lane, in any memory.",
    ),
    own(
        "memory instructions of 32 bits",
        "warpbook__memory_inst_32b.sum",
        "warp instructions",
        "Loads, stores and atomics of four bytes per lane, in any memory.",
    ),
    own(
        "memory instructions of 64 bits",
        "warpbook__memory_inst_64b.sum",
        "warp instructions",
        "Loads, stores and atomics of eight bytes per lane, in any memory.",
    ),
    own(
        "memory instructions of 128 bits",
        "warpbook__memory_inst_128b.sum",
        "warp instructions",
        "Loads, stores and copies of sixteen bytes per lane, in any memory: the widest that there are up to compute capability 9.0.",
    ),
    own("calls of printf", "warpbook__printf_calls.sum", "thread instructions", "How often threads called `printf`."),
];

impl Quantity {
    /// The quantity of this name: a counter's label or metric, a sum, one of our own counters, or `time`.
    ///
    /// # Errors
    /// A sentence that lists the names.
    pub(crate) fn find(name: &str, runs: &dyn Runs) -> Result<Self, String> {
        let of = |kind| Ok(Self { name: name.to_owned(), kind });
        if name == "time" {
            return of(Kind::Time);
        }
        if let Some((_, metrics)) = SUMS.iter().find(|(sum, _)| *sum == name) {
            return of(Kind::Exact(metrics.iter().map(|&metric| metric.to_owned()).collect()));
        }
        if let Some(own) = OWN.iter().find(|own| own.label == name) {
            return of(Kind::Simulated(own.metric));
        }
        let counters = runs.counters();
        if let Some(counter) = counters.iter().find(|counter| counter.label == name || counter.metric == name) {
            return Ok(Self::from(counter));
        }
        let known = SUMS.iter().map(|(name, _)| *name).chain(OWN.iter().map(|own| own.label)).chain(["time"]);
        let known: Vec<&str> = counters.iter().map(|counter| &*counter.label).chain(known).collect();
        Err(format!("there is no counter `{name}`; there are {}", known.join(", ")))
    }

    /// A sum of exact counters that has no name in directives.
    pub(crate) fn sum(name: &str, metrics: &[&str]) -> Self {
        let metrics = metrics.iter().map(|&metric| metric.to_owned()).collect();
        Self { name: name.to_owned(), kind: Kind::Exact(metrics) }
    }

    /// Whether the hardware counts it too.
    pub(crate) const fn is_exact(&self) -> bool {
        matches!(self.kind, Kind::Exact(_))
    }

    /// The counters of a report whose sum it is. Nothing for a time.
    pub(crate) fn terms(&self) -> Option<Vec<String>> {
        match &self.kind {
            Kind::Exact(metrics) => Some(metrics.clone()),
            Kind::Simulated(metric) => Some(vec![(*metric).to_owned()]),
            Kind::Time => None,
        }
    }

    /// The simulator's number. Nothing for a time.
    pub(crate) fn simulated(&self, run: &Run) -> Option<u64> {
        match &self.kind {
            Kind::Exact(metrics) => Some(metrics.iter().map(|metric| run.report.metric(metric)).sum()),
            Kind::Simulated(metric) => Some(run.report.estimates.get(*metric).copied().unwrap_or(0)),
            Kind::Time => None,
        }
    }

    /// The hardware's number, where it is recorded. Nothing for a counter that only the simulator has.
    pub(crate) fn measured(&self, run: &Run) -> Option<u64> {
        let measured = run.measured.as_ref()?;
        match &self.kind {
            Kind::Exact(metrics) => metrics.iter().map(|metric| measured.metrics.get(metric).copied()).sum(),
            Kind::Simulated(_) => None,
            Kind::Time => Some(measured.median_ns),
        }
    }

    /// The number that the text may show: the simulator's, which must be the hardware's too if there is one; or the
    /// measured time.
    ///
    /// # Errors
    /// When the hardware counted something else, or when a record is needed (`recorded`, or for a time) and missing.
    pub(crate) fn agreed(&self, run: &Run, recorded: bool) -> Result<u64, Reason> {
        let report = &run.report;
        let missing = || {
            let advice =
                if self.is_exact() { ", or write measured=no to show the simulator's number alone" } else { "" };
            Reason::Wrong(format!(
                "no GPU has recorded `{}` of {} for this case: record it with `warpbook record`{advice}",
                self.name, report.kernel
            ))
        };
        match (self.simulated(run), self.measured(run)) {
            (Some(simulated), Some(measured)) if simulated != measured => {
                let gpu = run.measured.as_ref().map_or("GPU", |measured| &measured.gpu);
                Err(Reason::Contradicted(format!(
                    "the simulator counts {} {} for {}, and the {gpu} counted {}",
                    html::number(simulated),
                    self.name,
                    report.kernel,
                    html::number(measured)
                )))
            }
            (Some(_), None) if self.is_exact() && recorded && !run.listing => Err(missing()),
            (Some(value), _) | (None, Some(value)) => Ok(value),
            (None, None) => Err(missing()),
        }
    }

    /// The number that a table may show beside the hardware's: as [`Quantity::agreed`], but where the two differ and the
    /// list of known differences has the reason, that comes with it.
    ///
    /// # Errors
    /// As [`Quantity::agreed`], for a difference that is not known.
    pub(crate) fn beside<'a>(&self, run: &'a Run, recorded: bool) -> Result<(u64, Vec<&'a KnownDifference>), Reason> {
        let failed = match self.agreed(run, recorded) {
            Ok(value) => return Ok((value, Vec::new())),
            Err(failed) => failed,
        };
        let (Kind::Exact(metrics), Some(measured)) = (&self.kind, &run.measured) else { return Err(failed) };
        let differs = |metric: &&String| measured.metrics.get(*metric) != Some(&run.report.metric(metric));
        let known: Option<Vec<_>> = metrics.iter().filter(differs).map(|metric| measured.known.get(metric)).collect();
        match (self.simulated(run), known) {
            (Some(value), Some(known)) if !known.is_empty() => Ok((value, known)),
            _ => Err(failed),
        }
    }

    /// A value of this quantity as a reader sees it.
    pub(crate) fn show(&self, value: u64) -> String {
        if self.kind == Kind::Time { html::time(value) } else { html::number(value) }
    }
}

impl From<&Counter> for Quantity {
    fn from(counter: &Counter) -> Self {
        Self { name: counter.label.clone(), kind: Kind::Exact(vec![counter.metric.clone()]) }
    }
}

/// Where a number comes from, for a reader.
pub(crate) fn origin(quantity: &Quantity, run: &Run) -> String {
    let measured = run.measured.as_ref();
    match (quantity.simulated(run), quantity.measured(run).and(measured)) {
        (Some(_), Some(m)) => format!("simulated, and counted by an {} on {}", m.gpu, m.date),
        (None, Some(m)) => format!("measured on an {} on {}, median of {} launches", m.gpu, m.date, m.timed),
        (Some(_), None) if quantity.is_exact() => "simulated, not measured".to_owned(),
        _ => "known to the simulator only".to_owned(),
    }
}
