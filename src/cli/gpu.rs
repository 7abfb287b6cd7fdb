//! The commands that measure this machine's GPU, and their options.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Record {
    /// Problems to record (all, if none is given)
    pub(crate) problems: Vec<String>,
    /// Folder that the records are written to
    #[arg(long, default_value = "kernels/truth", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Ordinal of the GPU
    #[arg(long, default_value_t = 0)]
    pub(crate) gpu: u32,
    /// Timed launches per case, after the warm-up (at least 20)
    #[arg(long, default_value_t = 30)]
    pub(crate) repeats: u32,
    /// Profiles of each launch: what the hardware does not repeat shows from two on
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) profiles: u32,
    /// Leave out the problems of which a whole record of this GPU, these tools and this code is there already
    #[arg(long)]
    pub(crate) resume: bool,
    /// Record the counters of the committed machine code, of launches and of each instruction
    #[arg(long, conflicts_with_all = ["repeats", "resume"])]
    pub(crate) machine_code: bool,
    /// Nsight Compute's `ncu`, if it is not on the PATH
    #[arg(long, value_name = "FILE")]
    pub(crate) ncu: Option<PathBuf>,
    /// Record what every PTX instruction form computes, instead of problems
    #[arg(long, conflicts_with_all = ["problems", "repeats", "profiles", "resume", "machine_code", "ncu"])]
    pub(crate) isa: bool,
    /// With --isa: a file for all results of all forms, for finding out what one computes
    #[arg(long, requires = "isa", value_name = "FILE")]
    pub(crate) all_results: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Calibrate {
    /// How often every benchmark is run; the file holds medians and how far the rounds were apart
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub(crate) rounds: u32,
    /// The folder of the targets' files
    #[arg(long, default_value = "sim/targets/timing", value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Problems to bench (all, if none is given)
    #[arg(value_name = "PROBLEM")]
    pub(crate) problems: Vec<String>,
    /// Only versions with this in their names
    #[arg(long = "version", value_name = "NAME")]
    pub(crate) versions: Vec<String>,
    /// Only inputs of this size, any one: 2^28, 2^28+7, 268435456, 8192x8192
    #[arg(long = "size", value_name = "SIZE")]
    pub(crate) sizes: Vec<String>,
    /// Only inputs with this in the name of their kind of data
    #[arg(long, value_name = "NAME")]
    pub(crate) data: Vec<String>,
    /// Timed runs of every version, of which the median counts
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(3..=10_000))]
    pub(crate) runs: u32,
    /// After so many seconds a version gets no more runs, if it had three
    #[arg(long, default_value_t = 0.5, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Also run every version that takes one launch on every size from one tile to two; results are checked, not timed
    #[arg(long)]
    pub(crate) every_size: bool,
    /// Do not compile and time CUB and NPP
    #[arg(long)]
    pub(crate) no_peers: bool,
    /// Print comma-separated values instead of tables
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Also draw the largest inputs of every problem
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Show what was recorded on the authors' machine; needs no GPU
    #[arg(long, conflicts_with_all = ["record", "no_peers"])]
    pub(crate) show: bool,
    /// Write everything down as the record of this machine's GPU; what is not measured now stays as it was
    #[arg(long, conflicts_with_all = ["versions", "no_peers"])]
    pub(crate) record: bool,
    /// Folder that the record is written to
    #[arg(long, default_value = "kernels/truth", value_name = "DIR", requires = "record")]
    pub(crate) out: PathBuf,
    /// Ordinal of the GPU
    #[arg(long, default_value_t = 0)]
    pub(crate) gpu: u32,
}

/// A number of seconds that a program can wait.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    if (0.0..=3600.0).contains(&number) { Ok(number) } else { Err("it must be from 0 to 3600".to_owned()) }
}
