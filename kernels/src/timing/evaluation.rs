//! How good predictions are: figures over all rows, and per problem.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::rows::Row;
use super::{DIFFERS, OPEN};

/// Figures over rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Rows.
    pub rows: usize,
    /// Median of the absolute errors, in percent of the measured time.
    pub median_percent: f64,
    /// Nine of ten absolute errors are at most this, in percent.
    pub p90_percent: f64,
    /// The largest absolute error, in percent.
    #[serde(default)]
    pub worst_percent: f64,
    /// Pairs of versions on one workload whose measured times differ by more than a tenth.
    pub pairs: usize,
    /// Those of them whose predicted times have the same order.
    pub ordered: usize,
    /// Rows for which Nsight Compute's speed of light was recorded.
    pub bounds: usize,
    /// Those of them for which it says the same as the prediction: compute, memory or latency.
    pub same_bound: usize,
}

/// Everything that is known of the quality of predictions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// All rows together.
    pub all: Figures,
    /// The rows that are looked at when a rule of the model is chosen: those of about half of the workloads.
    #[serde(default)]
    pub development: Figures,
    /// The others.
    #[serde(default)]
    pub held_out: Figures,
    /// Per problem.
    pub problems: BTreeMap<String, Figures>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Row {
    /// How far the prediction is off, in percent of the measured time; negative when it is too short.
    pub fn error_percent(&self) -> f64 {
        (self.predicted_us / self.measured_us - 1.0) * 100.0
    }

    /// Whether the prediction is off by more than a factor of two.
    pub fn is_open(&self) -> bool {
        let ratio = self.predicted_us / self.measured_us;
        !(1.0 / OPEN..=OPEN).contains(&ratio)
    }

    /// The workload in words.
    pub fn workload(&self) -> String {
        format!("{} {}, {}", self.size, self.unit, self.data)
    }

    /// Version and workload in words.
    pub fn title(&self) -> String {
        format!("{}, {}", self.version, self.workload())
    }

    /// Whether Nsight Compute names the same part of the GPU; `None` where it was not asked.
    pub fn same_bound(&self) -> Option<bool> {
        Some(self.ncu.as_ref()?.class == self.light.class())
    }

    /// Whether the row is held out when a rule of the model is chosen: decided by its workload's name alone.
    pub fn is_held_out(&self) -> bool {
        let name = [&*self.problem, &*self.size, &*self.unit, &*self.data].join("|");
        // FNV-1a: the same for ever, on every machine.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        hash >> 32 & 1 == 1
    }

    fn same_workload(&self, other: &Self) -> bool {
        (&self.problem, &self.size, &self.unit, &self.data) == (&other.problem, &other.size, &other.unit, &other.data)
    }
}

impl Figures {
    /// Of some rows.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let rows: Vec<&Row> = rows.into_iter().collect();
        let mut errors: Vec<f64> = rows.iter().map(|row| row.error_percent().abs()).collect();
        errors.sort_by(f64::total_cmp);
        let (mut pairs, mut ordered) = (0, 0);
        for (at, a) in rows.iter().enumerate() {
            for b in rows[..at].iter().filter(|b| a.same_workload(b)) {
                let ratio = a.measured_us / b.measured_us;
                if !(1.0 / DIFFERS..=DIFFERS).contains(&ratio) {
                    pairs += 1;
                    ordered += usize::from((ratio > 1.0) == (a.predicted_us > b.predicted_us));
                }
            }
        }
        let bounds: Vec<bool> = rows.iter().filter_map(|row| row.same_bound()).collect();
        Self {
            rows: rows.len(),
            median_percent: at(&errors, 0.5),
            p90_percent: at(&errors, 0.9),
            worst_percent: errors.last().copied().unwrap_or(0.0),
            pairs,
            ordered,
            bounds: bounds.len(),
            same_bound: bounds.iter().filter(|same| **same).count(),
        }
    }

    /// The part of the pairs that is in the right order, in percent; 100 where there are none.
    pub fn ordered_percent(&self) -> f64 {
        if self.pairs == 0 { 100.0 } else { 100.0 * self.ordered as f64 / self.pairs as f64 }
    }
}

impl Figures {
    /// The part of the bounds that is the same, in percent; 100 where there are none.
    pub fn same_bound_percent(&self) -> f64 {
        if self.bounds == 0 { 100.0 } else { 100.0 * self.same_bound as f64 / self.bounds as f64 }
    }
}

impl Evaluation {
    /// Writes the evaluation into `folder`, a row per line; the file's path.
    ///
    /// # Errors
    /// A sentence: the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, String> {
        let own = "our own types are values of JSON";
        let rows: Vec<String> =
            self.rows.iter().map(|row| format!("    {}", serde_json::to_string(row).expect(own))).collect();
        let text = format!(
            "{{\n  \"all\": {},\n  \"development\": {},\n  \"held_out\": {},\n  \"problems\": {},\n  \"rows\": [\n{}\n  ]\n}}\n",
            serde_json::to_string(&self.all).expect(own),
            serde_json::to_string(&self.development).expect(own),
            serde_json::to_string(&self.held_out).expect(own),
            serde_json::to_string(&self.problems).expect(own),
            rows.join(",\n")
        );
        let file = folder.join("time.h200.json");
        fs::write(&file, text).map_err(|why| format!("{} cannot be written: {why}", file.display()))?;
        Ok(file)
    }
}

/// The evaluation that was committed (`warpbook dev time` renews it).
///
/// # Errors
/// What is wrong with the committed file.
pub fn recorded() -> Result<Evaluation, String> {
    const RECORDED: &str = include_str!("../../truth/time.h200.json");
    serde_json::from_str(RECORDED).map_err(|error| format!("kernels/truth/time.h200.json: {error}"))
}

/// The smallest value that so many of the sorted `values` do not exceed.
fn at(values: &[f64], part: f64) -> f64 {
    let place = (part * values.len() as f64).ceil() as usize;
    values.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
}

impl Evaluation {
    /// Of all rows.
    pub fn of(rows: Vec<Row>) -> Self {
        let mut problems = BTreeMap::new();
        for row in &rows {
            let of_problem = || Figures::of(rows.iter().filter(|other| other.problem == row.problem));
            problems.entry(row.problem.clone()).or_insert_with(of_problem);
        }
        let half = |held_out: bool| Figures::of(rows.iter().filter(|row| row.is_held_out() == held_out));
        Self { all: Figures::of(&rows), development: half(false), held_out: half(true), problems, rows }
    }
}
