//! Predicts the launches of a version on a workload.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sim::machine_code::Program;
use sim::predict::{How, Light, Prediction, Series};
use sim::{Arg, Checks, Content as Bytes, Launch, Options};

use super::speed_of_light::{self, Speed};
use super::{LARGEST, MOST_WORK, SHORTEST_US};
use crate::bench::{BenchError, Record, Selection};
use crate::case::{Pass, Step};
use crate::cubins;
use crate::simulate::{self, SimulateError};
use crate::truth;
use crate::workload::{Content, Fill, Launches, Workload};

/// Launches of a version after which one of a kernel that was predicted with the same grid is not predicted again.
const ALIKE: usize = 2;

/// A version on a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The problem.
    pub problem: String,
    /// The size of its input.
    pub size: String,
    /// What its elements are.
    pub unit: String,
    /// What kind of data it is.
    pub data: String,
    /// The version.
    pub version: String,
    /// Median of the measured times, in microseconds.
    pub measured_us: f64,
    /// The predicted time of all launches together.
    pub predicted_us: f64,
    /// What limits the longest of them.
    pub bound: String,
    /// What Nsight Compute's speed of light is predicted to show of it.
    #[serde(default)]
    pub light: Light,
    /// What Nsight Compute says of that one, if it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ncu: Option<Speed>,
    /// The launches.
    pub launches: Vec<Launched>,
}

/// Launches of one kernel with one grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launched {
    /// The kernel.
    pub kernel: String,
    /// How many there are.
    pub times: u32,
    /// Thread blocks.
    pub blocks: u64,
    /// Microseconds of one, the launching included.
    pub us: f64,
    /// What limits it.
    pub bound: String,
    /// What Nsight Compute's speed of light is predicted to show.
    #[serde(default)]
    pub light: Light,
    /// Instructions of warps, estimated.
    pub instructions: u64,
    /// Bytes that memory reads and writes.
    pub dram_bytes: u64,
    /// Whether its machine code was replayed; else it was estimated from the PTX.
    #[serde(default)]
    pub from_machine_code: bool,
}

/// Why nothing was predicted.
#[derive(Debug, thiserror::Error)]
pub enum TimingError {
    /// Something was asked for that does not exist.
    #[error(transparent)]
    Selection(#[from] BenchError),
    /// The simulator refused.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

impl TimingError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Selection(error) => error.exit_code(),
            Self::Simulate(error) => error.exit_code(),
        }
    }
}

/// From what a time is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Road {
    /// The PTX, with the machine code estimated.
    Ptx,
    /// The committed machine code, as it is executed.
    MachineCode,
}

impl Road {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ptx => "PTX",
            Self::MachineCode => "machine code",
        }
    }
}

/// The machine code of a problem's kernels.
struct Programs {
    cubin: Option<cubins::CommittedCubin>,
    loaded: Mutex<HashMap<String, Arc<Program>>>,
}

impl Programs {
    fn of(problem: &str) -> Self {
        Self { cubin: cubins::committed(problem, cubins::ARCH), loaded: Mutex::default() }
    }

    fn program(&self, kernel: &str) -> Result<Arc<Program>, sim::Error> {
        let mut loaded = self.loaded.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(program) = loaded.get(kernel) {
            return Ok(program.clone());
        }
        let none = || sim::Error::input(format!("there is no committed machine code of `{kernel}`"));
        let cubin = self.cubin.as_ref().ok_or_else(none)?;
        let program = Arc::new(Program::load(&cubin.bytes, kernel)?);
        loaded.insert(kernel.to_owned(), program.clone());
        Ok(program)
    }
}

/// Predicts what of `record` is selected and long enough, and whose input is not too large, on a road. `progress` gets every
/// row.
///
/// # Errors
/// [`TimingError`].
pub fn predict(
    selection: &Selection,
    record: &Record,
    road: Road,
    progress: &(dyn Fn(&Row) + Sync),
) -> Result<Vec<Row>, TimingError> {
    let registers = truth::registers();
    let mut rows = Vec::new();
    for (problem, workloads) in selection.select()? {
        let programs = Programs::of(problem.name);
        for workload in workloads.iter().filter(|workload| workload.elements <= LARGEST) {
            let measured = |version: &str| {
                let mut of = record.rows.iter().filter(|row| row.problem == problem.name && row.version == version);
                let row = of.find(|row| {
                    (&*row.size, &*row.unit, &*row.data) == (&*workload.size, workload.unit, &*workload.data)
                })?;
                row.outcome.times().map(crate::gpu::Times::median_us).filter(|&us| us >= SHORTEST_US)
            };
            let runs: Vec<_> = workload.runs.iter().filter_map(|run| Some((run, measured(run.version)?))).collect();
            if runs.is_empty() {
                continue;
            }
            let inputs = inputs(&workload.make());
            let of_workload: Result<Vec<Option<Row>>, TimingError> = runs
                .into_par_iter()
                .map(|(run, measured_us)| {
                    let Ok(launches) = run.launches() else { return Ok(None) };
                    if !is_feasible(workload.elements, &launches) {
                        return Ok(None);
                    }
                    let mut row =
                        version(problem.name, workload, run.version, &launches, &inputs, &|step, launch, touched| {
                            one(road, (problem.name, &programs), &registers, (step, launch), touched)
                        })?;
                    row.measured_us = measured_us;
                    progress(&row);
                    Ok(Some(row))
                })
                .collect();
            rows.extend(of_workload?.into_iter().flatten());
        }
    }
    Ok(rows)
}

pub(super) fn inputs(content: &Content) -> HashMap<&'static str, Bytes> {
    content.inputs.iter().map(|(name, values)| (*name, Bytes::from(values.bytes().to_vec()))).collect()
}

/// Whether a version's launches can be simulated in reasonable time.
pub(super) fn is_feasible(elements: u64, launches: &Launches) -> bool {
    let threads: u64 = launches.steps.iter().map(|step| step.shape.grid.count() * step.shape.block.count()).sum();
    (elements * launches.steps.len() as u64).min(threads * 4) <= MOST_WORK
}

/// Predicts one launch.
fn one(
    road: Road,
    (problem, programs): (&str, &Programs),
    registers: &HashMap<String, u32>,
    (kernel, launch): (&str, &Launch),
    touched: Option<u64>,
) -> Result<Prediction, sim::Error> {
    let options = Options { checks: Checks::NONE, ..Options::default() };
    let how = How { registers: registers.get(kernel).copied(), touched, ..How::default() };
    let of_ptx = || {
        let module = simulate::module(problem).map_err(|error| sim::Error::input(error.to_string()))?;
        sim::predict::predict(&module, kernel, launch, &options, &how)
    };
    let predicted = match road {
        Road::Ptx => of_ptx()?,
        // What is not executed is estimated, and says so.
        Road::MachineCode => match programs.program(kernel) {
            Ok(program) => sim::machine_code::predict(&program, launch, &options, &how)?,
            Err(sim::Error::Unsupported(_)) => of_ptx()?,
            Err(error) => return Err(error),
        },
    };
    Ok(predicted.prediction)
}

/// Predicts one launch of a kernel, behind launches that touched so many bytes.
pub(super) type Predict<'a> = dyn Fn(&str, &Launch, Option<u64>) -> Result<Prediction, sim::Error> + 'a;

/// Predicts all launches of a version. What a launch leaves is computed as a whole where a later one is predicted.
pub(super) fn version(
    problem: &'static str,
    workload: &Workload,
    name: &str,
    launches: &Launches,
    inputs: &HashMap<&'static str, Bytes>,
    predict: &Predict<'_>,
) -> Result<Row, TimingError> {
    let module = simulate::module(problem)?;
    let options = Options { checks: Checks::NONE, ..Options::default() };
    let mut buffers: HashMap<&str, Arg> =
        inputs.iter().map(|(&name, bytes)| (name, Arg::Buffer(bytes.clone()))).collect();
    for own in &launches.buffers {
        let content = match own.fill {
            Fill::Poison(bytes) | Fill::Zeros(bytes) => Arg::Zeros(bytes),
            Fill::Copy(of) => buffers.get(of).cloned().unwrap_or(Arg::Zeros(0)),
        };
        buffers.insert(own.name, content);
    }
    let failed = |error| SimulateError::Sim { case: format!("{name}, {} {}", workload.size, workload.data), error };
    let keys: Vec<(&str, u64)> = launches.steps.iter().map(|step| (step.kernel, step.shape.grid.count())).collect();
    let is_predicted = |at: usize| keys[..at].iter().filter(|key| **key == keys[at]).count() < ALIKE;
    let last = (0..keys.len()).rev().find(|&at| is_predicted(at)).unwrap_or(0);
    let mut series = Series::on(&options.target);
    let mut launched: Vec<Launched> = Vec::new();
    for (at, step) in launches.steps.iter().enumerate() {
        if !is_predicted(at) {
            let alike = |l: &&mut Launched| (&*l.kernel, l.blocks) == keys[at];
            if let Some(before) = launched.iter_mut().rev().find(alike) {
                before.times += 1;
                series.again(before.us);
            }
            if at > last {
                continue;
            }
        }
        let (launch, passed) = launch(step, &mut buffers);
        if is_predicted(at) {
            let p = predict(step.kernel, &launch, series.touched()).map_err(failed)?;
            series.push(&p);
            launched.push(Launched {
                kernel: step.kernel.to_owned(),
                times: 1,
                blocks: p.blocks,
                us: p.us,
                bound: p.bound,
                light: p.light,
                instructions: p.instructions,
                dram_bytes: p.dram_read_bytes + p.dram_written_bytes,
                from_machine_code: p.from_machine_code,
            });
        }
        if at < last {
            let after = sim::simulate(&module, step.kernel, &launch, &options).map_err(failed)?;
            for ((_, buffer), after) in passed.iter().zip(passed.iter().map(|&(place, _)| &after.buffers[place])) {
                buffers.insert(buffer, after.clone().map_or(Arg::Zeros(0), Arg::Buffer));
            }
        }
    }
    let of_all = |l: &&Launched| f64::from(l.times) * l.us;
    let longest = launched.iter().max_by(|a, b| of_all(a).total_cmp(&of_all(b)));
    let ncu = longest.and_then(|longest| {
        let workload = [problem, &*workload.size, workload.unit, &*workload.data];
        speed_of_light::find(workload, &longest.kernel, longest.blocks)
    });
    Ok(Row {
        problem: problem.to_owned(),
        size: workload.size.clone(),
        unit: workload.unit.to_owned(),
        data: workload.data.clone(),
        version: name.to_owned(),
        measured_us: 0.0,
        predicted_us: (series.us() * 1000.0).round() / 1000.0,
        bound: longest.map(|longest| longest.bound.clone()).unwrap_or_default(),
        light: longest.map(|longest| longest.light).unwrap_or_default(),
        ncu: ncu.cloned(),
        launches: launched,
    })
}

/// The launch of one step, and which argument is which buffer.
fn launch<'a>(step: &'a Step, buffers: &mut HashMap<&'a str, Arg>) -> (Launch, Vec<(usize, &'a str)>) {
    let mut passed = Vec::new();
    let mut args = Vec::new();
    for arg in &step.args {
        args.push(match arg {
            Pass::Scalar(scalar) => Arg::Scalar(*scalar),
            Pass::Buffer(name) => {
                passed.push((args.len(), *name));
                buffers.get(name).cloned().unwrap_or(Arg::Zeros(0))
            }
        });
    }
    (Launch { grid: step.shape.grid, block: step.shape.block, shared_bytes: step.shape.shared_bytes, args }, passed)
}
