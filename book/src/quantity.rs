//! The quantities that a directive can ask for: counters, sums of counters, the simulator's own counters, and times.

use crate::fault::Reason;
use crate::html;
use crate::runs::{Counter, Run, Runs};

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
const SUMS: [(&str, &[&str]); 6] = [
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

/// The simulator's own counters: the name, and the metric.
pub(crate) const OWN: [(&str, &str); 7] = [
    ("instructions of warps", "warpbook__ptx_inst_executed.sum"),
    ("instructions of lanes", "warpbook__ptx_thread_inst_executed.sum"),
    ("ideal shared wavefronts", "warpbook__shared_wavefronts_ideal.sum"),
    ("excess shared wavefronts", "warpbook__shared_wavefronts_excessive.sum"),
    ("ideal global sectors", "warpbook__sectors_global_ideal.sum"),
    ("excess global sectors", "warpbook__sectors_global_excessive.sum"),
    ("barriers", "warpbook__barriers.sum"),
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
        if let Some((_, metric)) = OWN.iter().find(|(own, _)| *own == name) {
            return of(Kind::Simulated(metric));
        }
        let counters = runs.counters();
        if let Some(counter) = counters.iter().find(|counter| counter.label == name || counter.metric == name) {
            return Ok(Self::from(counter));
        }
        let known = SUMS.iter().map(|(name, _)| *name).chain(OWN.iter().map(|(name, _)| *name)).chain(["time"]);
        let known: Vec<&str> = counters.iter().map(|counter| &*counter.label).chain(known).collect();
        Err(format!("there is no counter `{name}`; there are {}", known.join(", ")))
    }

    /// Whether the hardware counts it too.
    pub(crate) const fn is_exact(&self) -> bool {
        matches!(self.kind, Kind::Exact(_))
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
