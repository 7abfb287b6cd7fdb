//! The arguments of the commands for those who change the workbook.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::EXIT_CODES;
use super::gpu::seconds;

#[derive(Debug, Args)]
pub(crate) struct Dev {
    #[command(subcommand)]
    pub(crate) command: DevCommand,
}

/// A part of the repository that runs on both roads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SuiteChoice {
    /// The workbook's cases
    Cases,
    /// The kernels of sim/tests/counters and sim/tests/lowering
    Probes,
    /// The kernels of sim/tests/correct
    Correct,
    /// The course's solutions
    Exercises,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DevCommand {
    /// Compile kernels/cu/*.cu into kernels/ptx/
    Ptx {
        /// The folder that holds cu/ and ptx/
        #[arg(long, default_value = "kernels", value_name = "DIR")]
        kernels: PathBuf,
        /// Instead: compile what the authors of the course in this folder wrote, with NVRTC and clang, into its ptx/
        #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "exercises", conflicts_with = "kernels")]
        exercises: Option<PathBuf>,
    },
    /// Make the machine code of kernels/ptx/*.ptx with ptxas
    Cubins {
        /// The folder that it is written to
        #[arg(long, default_value = "kernels/cubins", value_name = "DIR")]
        out: PathBuf,
    },
    /// Write down predicted times beside those of the bench record (minutes)
    Time {
        /// The folder of the records
        #[arg(long, default_value = "kernels/truth", value_name = "DIR")]
        out: PathBuf,
    },
    /// Write down what the simulator counts on each line of the problems' sources, beside their records
    Lines {
        /// The folder of the records
        #[arg(long, default_value = "kernels/truth", value_name = "DIR")]
        out: PathBuf,
    },
    /// List every PTX instruction that is simulated, with what tests it, and what is not simulated
    Isa,
    /// Compare the workbook's kernels as clang makes them with NVRTC's: results, findings, exact counters
    Clang {
        /// Versions or problems (all, if none is given); with --exercises, exercises
        names: Vec<String>,
        /// Instead: what the authors of the course in this folder wrote, as it is committed; the solutions in all their cases
        #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "exercises")]
        exercises: Option<PathBuf>,
        /// With --exercises: the honest alternatives, too
        #[arg(long, requires = "exercises")]
        alternatives: bool,
    },
    /// Compare the PTX that ptxgen makes of clang's LLVM IR with that of LLVM's own back end: results, findings and exact
    /// counters of the workbook's kernels
    #[command(after_help = EXIT_CODES)]
    Ptxgen {
        /// Versions or problems (all, if none is given)
        names: Vec<String>,
        /// Without optimisation, as code is compiled for the checks
        #[arg(long)]
        unoptimised: bool,
    },
    /// Run launches on both roads, PTX and the machine code that ptxas makes of it, and list every exact counter that differs
    ///
    /// Without a path: the workbook's cases, the probes, the catalogue of correct kernels and the course, as far as --suite
    /// says. Machine code of the cases is committed; everything else needs ptxas (warpbook setup --sass).
    #[command(after_help = EXIT_CODES)]
    Lowering {
        /// Instead: sources, PTX and launch files, or folders of such; of sources the launches are run that `sim --list` finds
        paths: Vec<PathBuf>,
        /// Only these parts of the repository
        #[arg(long, value_enum, value_delimiter = ',', value_name = "NAME", conflicts_with = "paths")]
        suite: Vec<SuiteChoice>,
        /// Only versions, problems and exercises of these names
        #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "paths")]
        only: Vec<String>,
        /// All cases of the workbook, not one for each version (minutes)
        #[arg(long, conflicts_with = "paths")]
        all: bool,
        /// The honest alternatives of the course, too
        #[arg(long, conflicts_with = "paths")]
        alternatives: bool,
        /// Folders to look for included files
        #[arg(short = 'I', long, value_name = "DIR")]
        include: Vec<PathBuf>,
        /// Also list what is known, and lines of kernels whose totals agree
        #[arg(long)]
        known: bool,
        /// Every difference as comma-separated values
        #[arg(long)]
        csv: bool,
    },
    /// Compare the simulator's exact counters on small kernels with what a GPU counted
    #[command(after_help = EXIT_CODES)]
    Probes {
        /// The folder that holds probes.toml, cu/ and ptx/
        #[arg(long, default_value = "sim/tests/counters", value_name = "DIR")]
        folder: PathBuf,
        /// Which record: the file NAME.json of that folder
        #[arg(long, default_value = sim::target::DEFAULT, value_name = "NAME")]
        gpu_name: String,
        /// First launch them on this machine's GPU under Nsight Compute and write the record anew
        #[arg(long)]
        record: bool,
        /// Ordinal of the GPU
        #[arg(long, default_value_t = 0)]
        gpu: u32,
        /// Nsight Compute's `ncu`, if it is not on the PATH
        #[arg(long, value_name = "FILE")]
        ncu: Option<PathBuf>,
    },
    /// Write down what compute-sanitizer says of each faulty kernel of the simulator's catalogue, on this machine's GPU
    Sanitize {
        /// The folder that holds the kernels
        #[arg(long, default_value = "sim/tests/faulty", value_name = "DIR")]
        folder: PathBuf,
        /// Look at every version of the workbook's problems instead, and write the record into this folder
        #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "kernels/truth")]
        problems: Option<PathBuf>,
        /// Only kernels with this in their names; what was recorded of others stays in the record
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Seconds after which a kernel that has not ended is stopped
        #[arg(long, default_value_t = 25.0, value_parser = seconds, value_name = "SECONDS")]
        patience: f64,
        /// Processes that run at a time
        #[arg(long, default_value_t = 8)]
        processes: usize,
        /// `compute-sanitizer`, if it is not on the PATH
        #[arg(long, default_value = "compute-sanitizer", value_name = "FILE")]
        sanitizer: PathBuf,
        /// Launch the kernel of this file once, and nothing else: what runs under compute-sanitizer
        #[arg(long, value_name = "FILE")]
        launch: Option<PathBuf>,
        /// The same for the smaller cases of this version of a problem
        #[arg(long, value_name = "VERSION")]
        launch_version: Option<String>,
    },
    /// Prove the course: starters fail for their reason, solutions pass, wrong solutions and mutants are rejected
    Check {
        /// Exercises (all, if none is given)
        names: Vec<String>,
        /// Also write what was proved beside each exercise: the kill table, or the right answers
        #[arg(long)]
        write: bool,
        /// The compiler [default: NVRTC, or clang where there is no NVRTC]
        #[arg(long, value_enum, value_name = "NAME", conflicts_with = "write")]
        compiler: Option<super::launch::CompilerChoice>,
        /// Folder of the course (found from the current folder upwards, if not given)
        #[arg(long, value_name = "DIR")]
        exercises: Option<PathBuf>,
    },
    /// Print the workbook's cases as requests of the engine in the book's pages, one a line
    Requests {
        /// Leave out cases with more threads than this
        #[arg(long, value_name = "N", default_value_t = 65_536)]
        threads: u64,
        /// Instead: the solutions and wrong solutions of the course in this folder, compiled by clang, as requests of the grader
        #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "exercises", conflicts_with = "threads")]
        exercises: Option<PathBuf>,
    },
    /// Write the exercises' starters anew from their solutions
    Starters {
        /// Folder of the course (found from the current folder upwards, if not given)
        #[arg(long, value_name = "DIR")]
        exercises: Option<PathBuf>,
    },
}
