//! Predicted hit rates of L1 and L2 beside those that Nsight Compute recorded of the bench's launches on an H200.

use std::cell::RefCell;

use caches::HitRates;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sim::predict::{How, Prediction};
use sim::{Checks, Options};

use super::rows::{self, TimingError};
use super::{LARGEST, speed_of_light};
use crate::bench::Selection;
use crate::simulate;
use crate::truth;

/// A launch of the bench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HitRow {
    /// The problem.
    pub problem: String,
    /// Size, unit and data of its input.
    pub workload: String,
    /// The kernel.
    pub kernel: String,
    /// Thread blocks of the launch.
    pub blocks: u64,
    /// Predicted.
    pub predicted: HitRates,
    /// `l1tex__t_sector_hit_rate.pct` and `lts__t_sector_hit_rate.pct`, as measured.
    pub measured: [f64; 2],
}

impl HitRow {
    /// How far the predictions are off, in percentage points.
    pub fn distances(&self) -> [f64; 2] {
        let [l1, l2] = self.measured;
        [self.predicted.l1.percent() - l1, self.predicted.l2.percent() - l2]
    }
}

/// Distances over launches, in percentage points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Distances {
    /// Half of the launches are at most so far off.
    pub median: f64,
    /// Nine of ten are.
    pub p90: f64,
    /// All are.
    pub worst: f64,
}

/// Of all rows, for L1 and for L2.
pub fn distances(rows: &[HitRow]) -> [Distances; 2] {
    [0, 1].map(|cache| {
        let mut own: Vec<f64> = rows.iter().map(|row| row.distances()[cache].abs()).collect();
        own.sort_by(f64::total_cmp);
        let at = |part: f64| own.get(((own.len() as f64 * part) as usize).min(own.len().saturating_sub(1))).copied();
        let [median, p90, worst] = [0.5, 0.9, 1.0].map(|part| (at(part).unwrap_or(0.0) * 100.0).round() / 100.0);
        Distances { median, p90, worst }
    })
}

/// Predicts what of the record is selected; a kernel that is launched several times with one grid on a workload counts
/// once, by its first launch. `progress` gets every row.
///
/// # Errors
/// [`TimingError`].
pub fn predict(selection: &Selection, progress: &(dyn Fn(&HitRow) + Sync)) -> Result<Vec<HitRow>, TimingError> {
    let registers = truth::registers();
    let mut all = Vec::new();
    for (problem, workloads) in selection.select()? {
        for workload in workloads.iter().filter(|workload| workload.elements <= LARGEST) {
            let key = [problem.name, &workload.size, workload.unit, &workload.data];
            if !speed_of_light::has(key) {
                continue;
            }
            let inputs = rows::inputs(&workload.make());
            let of_runs: Result<Vec<Vec<HitRow>>, TimingError> = workload
                .runs
                .par_iter()
                .map(|run| {
                    let Ok(launches) = run.launches() else { return Ok(Vec::new()) };
                    if !rows::is_feasible(workload.elements, &launches) {
                        return Ok(Vec::new());
                    }
                    let module = simulate::module(problem.name)?;
                    let found: RefCell<Vec<HitRow>> = RefCell::default();
                    let one = |kernel: &str, launch: &sim::Launch, _: Option<u64>| {
                        let blocks = launch.grid.count();
                        let known = found.borrow().iter().any(|row| row.kernel == kernel && row.blocks == blocks);
                        let measured = speed_of_light::hit_rates(key, kernel, blocks).filter(|_| !known);
                        if let Some(measured) = measured {
                            let options = Options { checks: Checks::NONE, ..Options::default() };
                            let how = How { registers: registers.get(kernel).copied(), ..How::default() };
                            let row = HitRow {
                                problem: problem.name.to_owned(),
                                workload: format!("{} {} {}", workload.size, workload.unit, workload.data),
                                kernel: kernel.to_owned(),
                                blocks,
                                predicted: caches::of(&module, kernel, launch, &options, &how)?,
                                measured,
                            };
                            progress(&row);
                            found.borrow_mut().push(row);
                        }
                        Ok(Prediction { blocks, ..Prediction::default() })
                    };
                    rows::version(problem.name, workload, run.version, &launches, &inputs, &one)?;
                    Ok(found.into_inner())
                })
                .collect();
            for row in of_runs?.into_iter().flatten() {
                let known =
                    |own: &HitRow| (&own.kernel, own.blocks, &own.workload) == (&row.kernel, row.blocks, &row.workload);
                if !all.iter().any(known) {
                    all.push(row);
                }
            }
        }
    }
    Ok(all)
}
