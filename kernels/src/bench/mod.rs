//! Benches: how long every version of every problem takes on a GPU, for full-size inputs of several kinds, beside a copy
//! of the same bytes and beside the algorithms of others.
//!
//! Problems list their [`Workload`]s; [`run`] makes each input once, puts it on the GPU, and then validates and times one
//! version after the other on it. Nothing that is wrong is timed.

mod measure;
pub mod plot;
pub mod record;
pub mod select;
mod sweep;
pub mod values;
pub mod view;
pub mod workload;

use std::collections::BTreeMap;
use std::time::Duration;

pub use record::{Outcome, Record, Row, Sweep};
pub use select::{BenchError, Selection};
pub use workload::Workload;

use crate::gpu::{Gpu, GpuError, Properties, Stopwatch};
use crate::peers::Peers;
use crate::problem::Problem;
use crate::ptx;
use measure::{Bench, WARM_UP};
use record::{Copy, Method, Provenance, SCHEMA};
use workload::{Call, Content, Run};

/// How to bench.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// What.
    pub selection: Selection,
    /// Timed runs of every version on every workload.
    pub runs: u32,
    /// After so many seconds a version gets no more runs on a workload, if it had three.
    pub seconds: f64,
    /// Number of the GPU, from 0.
    pub gpu: u32,
    /// Whether to compile and time the algorithms of others.
    pub peers: bool,
    /// Whether to run every single-pass version on every size from one tile to two as well.
    pub every_size: bool,
}

impl Default for Options {
    /// Everything, on GPU 0.
    fn default() -> Self {
        Self { selection: Selection::default(), runs: 15, seconds: 0.5, gpu: 0, peers: true, every_size: false }
    }
}

/// What a bench is busy with.
#[derive(Debug)]
pub enum Progress<'a> {
    /// An input is made.
    Making {
        /// Of which problem.
        problem: &'a str,
        /// Its size.
        size: &'a str,
        /// What kind of data it is.
        data: &'a str,
        /// Its number, from 1.
        number: usize,
        /// How many there are.
        total: usize,
    },
    /// A version has been measured.
    Measured(&'a Row),
    /// A version has been run on every size from one tile to two.
    Swept(&'a Sweep),
}

/// Measures what `options` select.
///
/// # Errors
/// [`BenchError`] for a name that does not exist, for a GPU that is missing, and when the GPU fails.
pub fn run(options: &Options, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Record, BenchError> {
    let selected = options.selection.select()?;
    let gpu = Gpu::open(options.gpu)?;
    let mut peers = if options.peers {
        Peers::start(&operations(&selected), &gpu.properties().compute_capability)
    } else {
        Err("peers were not asked for".to_owned())
    };
    let budget = Duration::try_from_secs_f64(options.seconds).unwrap_or(Duration::MAX);
    let mut bench = Bench::new(&gpu, options.runs, budget)?;
    let total = selected.iter().map(|(_, workloads)| workloads.len()).sum();
    let (mut rows, mut copies, mut code, mut number) = (Vec::new(), BTreeMap::new(), BTreeMap::new(), 0);
    let mut sweeps = Vec::new();
    for (problem, workloads) in &selected {
        let ptx = ptx::committed(problem.name).ok_or_else(|| BenchError::NoPtx(problem.name.to_owned()))?;
        let kernels = gpu.load(ptx.text)?;
        code.insert(problem.name.to_owned(), ptx::code_sha256(ptx.text));
        for workload in workloads {
            number += 1;
            let (size, data) = (&workload.size, &workload.data);
            progress(Progress::Making { problem: problem.name, size, data, number, total });
            let content = workload.make();
            let mut add = |version: &str, peer: bool, outcome: Outcome| {
                let row = row(problem, workload, &content, version, peer, outcome);
                progress(Progress::Measured(&row));
                rows.push(row);
            };
            let failed = |version: &str, error| BenchError::Gpu {
                case: format!("{version}, {size} {}, {data}: ", workload.unit),
                error,
            };
            let inputs = match bench.upload(&content)? {
                Ok(inputs) => inputs,
                Err(why) => {
                    for (version, peer) in names(workload) {
                        add(version, peer, Outcome::LeftOut { why: why.clone() });
                    }
                    continue;
                }
            };
            for run in &workload.runs {
                let outcome =
                    bench.run(&kernels, &inputs, run).or_else(survived).map_err(|error| failed(run.version, error))?;
                add(run.version, false, outcome);
            }
            for peer in &workload.peers {
                let outcome = bench
                    .peer(&mut peers, &inputs, peer)
                    .or_else(survived)
                    .map_err(|error| failed(peer.name, error))?;
                add(peer.name, true, outcome);
            }
            drop(inputs);
            if let std::collections::btree_map::Entry::Vacant(entry) = copies.entry(content.bytes)
                && let Some(times) = bench.roof(content.bytes)?
            {
                entry.insert(times);
            }
        }
        if options.every_size {
            for pass in options.selection.single_passes(problem) {
                let sweep = sweep::run(&mut bench, &kernels, problem, pass)?;
                progress(Progress::Swept(&sweep));
                sweeps.push(sweep);
            }
        }
    }
    Ok(Record {
        schema: SCHEMA,
        provenance: provenance(gpu.properties(), &peers),
        method: Method {
            runs: options.runs,
            warm_up: WARM_UP,
            seconds: options.seconds,
            scrub_bytes: Stopwatch::scrub_bytes(&gpu),
        },
        code,
        copies: copies.into_iter().map(|(bytes, times)| Copy { bytes, times }).collect(),
        sweeps,
        rows,
    })
}

/// What a version leaves behind that could not be run, unless it took the GPU's context with it.
fn survived(error: GpuError) -> Result<Outcome, GpuError> {
    match error {
        GpuError::Fault { .. } => Err(error),
        _ => Ok(Outcome::Failed { why: error.to_string() }),
    }
}

/// The versions and peers of a workload.
fn names(workload: &Workload) -> impl Iterator<Item = (&'static str, bool)> {
    let runs = workload.runs.iter().map(|Run { version, .. }| (*version, false));
    runs.chain(workload.peers.iter().map(|peer| (peer.name, true)))
}

/// The operations of the harness that are needed.
fn operations(selected: &[(&Problem, Vec<Workload>)]) -> Vec<&'static str> {
    let peers = selected.iter().flat_map(|(_, workloads)| workloads).flat_map(|workload| &workload.peers);
    let mut operations: Vec<&str> = peers
        .filter_map(|peer| match peer.call {
            Call::Cub(operation) | Call::Npp(operation) => Some(operation),
            Call::Copy => None,
        })
        .collect();
    operations.sort_unstable();
    operations.dedup();
    operations
}

fn row(problem: &Problem, workload: &Workload, content: &Content, version: &str, peer: bool, outcome: Outcome) -> Row {
    Row {
        problem: problem.name.to_owned(),
        size: workload.size.clone(),
        elements: workload.elements,
        unit: workload.unit.to_owned(),
        data: workload.data.clone(),
        bytes: content.bytes,
        version: version.to_owned(),
        peer,
        outcome,
    }
}

fn provenance(gpu: &Properties, peers: &Result<Peers, String>) -> Provenance {
    Provenance {
        gpu: gpu.name.clone(),
        compute_capability: gpu.compute_capability.clone(),
        sm_count: gpu.sm_count,
        driver: gpu.driver.clone(),
        cuda: gpu.cuda.clone(),
        cub: peers.as_ref().ok().and_then(Peers::cub_version),
        npp: peers.as_ref().ok().and_then(Peers::npp_version),
        nvcc: peers.as_ref().ok().map(|peers| peers.nvcc.clone()),
        no_peers: peers.as_ref().err().cloned(),
        date: crate::record::today(),
        warpbook: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

impl From<GpuError> for BenchError {
    fn from(error: GpuError) -> Self {
        Self::Gpu { case: String::new(), error }
    }
}

#[cfg(test)]
mod tests;
