//! Simulated counters of probes beside recorded ones.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::{Known, Probe, ProbeCounters, ProbeError, ProbeRecord, Suite, format_error};

/// A counter with two values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The kernel.
    pub kernel: String,
    /// The counter.
    pub metric: String,
    /// What the simulator counts.
    pub simulated: u64,
    /// What the GPU counted.
    pub measured: u64,
}

/// What a comparison of a whole suite found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Comparison {
    /// Kernels that were compared.
    pub kernels: usize,
    /// Counters that were compared: every counter of every kernel.
    pub counters: usize,
    /// Counters that neither side found to be 0.
    pub nonzero: usize,
    /// The counters that differ, in the order of the probes.
    pub differences: Vec<Difference>,
}

impl Comparison {
    /// The differences that `known` does not explain.
    pub fn unexplained<'a>(&'a self, known: &'a [Known]) -> impl Iterator<Item = &'a Difference> {
        self.differences.iter().filter(|difference| !known.iter().any(|known| known.explains(difference)))
    }

    /// The comparison as text: every difference, those per counter, and a closing line.
    pub fn lines(&self, known: &[Known]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut per_counter: BTreeMap<&str, usize> = BTreeMap::new();
        for difference in &self.differences {
            let Difference { kernel, metric, simulated, measured } = difference;
            let cause = known.iter().find(|known| known.explains(difference)).map_or("", |known| &*known.cause);
            let note = if cause.is_empty() { String::new() } else { format!("  (known: {cause})") };
            lines.push(format!("{kernel:24} {metric:75} simulated {simulated:>8}  measured {measured:>8}{note}"));
            *per_counter.entry(metric).or_default() += 1;
        }
        lines.extend(per_counter.into_iter().map(|(metric, count)| format!("{count:4} kernels differ in {metric}")));
        lines.push(format!(
            "{} kernels, {} counters: {} differ, {} of them unexplained; of the {} that are not 0 on both sides {:.2} % agree",
            self.kernels,
            self.counters,
            self.differences.len(),
            self.unexplained(known).count(),
            self.nonzero,
            self.percent(),
        ));
        lines
    }

    /// Equal counters in percent of those that are not 0 on both sides.
    pub fn percent(&self) -> f64 {
        let all = self.nonzero.max(1) as f64;
        100.0 * (all - self.differences.len() as f64) / all
    }
}

impl Known {
    /// Whether a difference is this one.
    pub fn explains(&self, difference: &Difference) -> bool {
        self.kernel == difference.kernel && self.metrics.contains(&difference.metric)
    }
}

/// Simulates every probe of a record and compares every counter that both sides have.
///
/// # Errors
/// [`ProbeError`] when a probe of the record is missing, faulty or cannot be simulated.
pub fn compare(suite: &Suite, record: &ProbeRecord) -> Result<Comparison, ProbeError> {
    let one = |recorded: &ProbeCounters| {
        let missing = || format_error(&suite.folder, format!("there is no probe `{}`", recorded.kernel));
        let probe = suite.probes.iter().find(|probe| probe.kernel == recorded.kernel).ok_or_else(missing)?;
        against(suite, probe, record, recorded)
    };
    let each: Vec<Comparison> = record.probes.par_iter().map(one).collect::<Result<_, _>>()?;
    let mut sum = Comparison::default();
    for one in each {
        sum.kernels += one.kernels;
        sum.counters += one.counters;
        sum.nonzero += one.nonzero;
        sum.differences.extend(one.differences);
    }
    Ok(sum)
}

fn against(
    suite: &Suite,
    probe: &Probe,
    record: &ProbeRecord,
    recorded: &ProbeCounters,
) -> Result<Comparison, ProbeError> {
    let all = suite.simulate(probe)?;
    let mut result = Comparison { kernels: 1, ..Comparison::default() };
    for metric in &record.counters {
        let Some(&simulated) = all.get(metric) else { continue };
        // Zeros are left out of a record.
        let measured = recorded.metrics.get(metric).copied().unwrap_or(0);
        result.counters += 1;
        result.nonzero += usize::from(simulated != 0 || measured != 0);
        if simulated != measured {
            let (kernel, metric) = (probe.kernel.clone(), metric.clone());
            result.differences.push(Difference { kernel, metric, simulated, measured });
        }
    }
    Ok(result)
}
