//! The command line.

mod class;
mod debug;
mod dev;
mod gpu;
mod launch;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
pub(crate) use class::{Exercise, ExerciseCommand, Grade, Watch};
use debug::DEBUG_HELP;
pub(crate) use debug::Debug;
pub(crate) use dev::{Dev, DevCommand, SuiteChoice};
pub(crate) use gpu::{Bench, Calibrate, Record};
use launch::SIM_HELP;
pub(crate) use launch::{CompilerChoice, Line, LoweringChoice, Sim};

/// Exit codes, shown below every help text that can end in one of them.
const EXIT_CODES: &str = "Exit codes:
  0    clean; there may be remarks
  1    the kernel is faulty, or simulation and hardware disagree
  2    wrong usage or unreadable input
  3    something that warpbook does not support, or that this machine lacks
  101  a bug in warpbook";

/// A workbook of parallel algorithms: every CUDA kernel in it runs on a simulated SM that anyone has and on a real GPU.
///
/// Without a command, all kernels are simulated and compared with what a real GPU counted (`warpbook compare`).
/// Nothing but this program is needed for that: no GPU, no CUDA.
#[derive(Debug, Parser)]
#[command(name = "warpbook", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Print one JSON value instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Set simulated counters and results beside measured ones
    #[command(after_help = EXIT_CODES)]
    Compare(Compare),
    /// Run any kernel on the simulated SM and report what the hardware would count
    #[command(after_help = SIM_HELP)]
    Sim(Box<Sim>),
    /// Step a launch forwards and back: in this terminal, by commands, or from an editor
    #[command(after_help = DEBUG_HELP)]
    Debug(Box<Debug>),
    /// Show which memory accesses of a kernel the compiler makes of each source line, beside those that are simulated
    #[command(after_help = EXIT_CODES)]
    Lowering(Box<Lowering>),
    /// List the machine code of a kernel beside its source lines, with what the compiler tells the scheduler
    #[command(after_help = EXIT_CODES)]
    Sass(Box<Sass>),
    /// The GPUs that can be simulated, and where their numbers come from
    Targets(Targets),
    /// Hold what the publications behind the workbook claim in numbers against what comes out today
    #[command(after_help = EXIT_CODES)]
    Claims(Claims),
    /// Solve exercises: work through them, list them, check a solution, ask for a hint
    Exercise(Exercise),
    /// Work through the exercises: each is checked whenever its file is saved
    Watch(Watch),
    /// Grade submissions of a class: hidden cases, a secret, reports in many formats
    #[command(after_help = EXIT_CODES)]
    Grade(Grade),
    /// Compile what a stranger wrote, without any right to this machine's files: what graders start
    #[command(hide = true)]
    CompileSubmission,
    /// Grade one submission: what `grade` starts
    #[command(hide = true)]
    GradeSubmission,
    /// Judge one text of an exercise: what the server of the book starts
    #[command(hide = true)]
    JudgeText,
    /// Build the book, or look at where it is
    Book(Book),
    /// Look at this machine: what is there, what is missing, what to type
    Doctor,
    /// Fetch NVIDIA's compilers from PyPI into warpbook's cache
    #[command(after_help = EXIT_CODES)]
    Setup(Setup),
    /// Run the workbook's kernels on this machine's GPU under Nsight Compute and write down what it counts
    #[command(after_help = EXIT_CODES)]
    Record(Record),
    /// Blur an image by its summed-area tables, and write PNG files: the whole of it, and what is out of focus
    #[command(after_help = EXIT_CODES)]
    Picture(Picture),
    /// Time the workbook's kernels on this machine's GPU, beside a copy and beside CUB, or show what was recorded
    #[command(after_help = EXIT_CODES)]
    Bench(Bench),
    /// Measure what the parts of this machine's GPU take, and write the file from which times are predicted
    #[command(after_help = EXIT_CODES)]
    Calibrate(Calibrate),
    /// Commands for those who change the workbook
    Dev(Dev),
    /// Launch each case of a problem once: what `record` runs under the profiler
    #[command(hide = true)]
    LaunchCases {
        /// The problem
        problem: String,
        /// Ordinal of the GPU
        #[arg(long, default_value_t = 0)]
        gpu: u32,
        /// How often, one round after the other
        #[arg(long, default_value_t = 1)]
        times: u32,
        /// Run the committed machine code as it stands
        #[arg(long)]
        machine_code: bool,
    },
    /// Launch the work of a folder once: what `exercise check --gpu` runs under the profiler
    #[command(hide = true)]
    LaunchWork {
        /// The folder with kernels, launches and buffers, or with numbered folders of that kind
        folder: PathBuf,
        /// Ordinal of the GPU
        #[arg(long, default_value_t = 0)]
        gpu: u32,
        /// How often, one round after the other
        #[arg(long, default_value_t = 1)]
        times: u32,
    },
    /// Launch each probe of a suite once: what `dev probes --record` runs under the profiler
    #[command(hide = true)]
    LaunchProbes {
        /// The suite's folder
        folder: PathBuf,
        /// Ordinal of the GPU
        #[arg(long, default_value_t = 0)]
        gpu: u32,
    },
}

#[derive(Debug, Args, Default)]
pub(crate) struct Compare {
    /// Kernels, cases or problems: any part of their names (all, if none is given). Two versions by their full names are
    /// compared with each other
    pub(crate) names: Vec<String>,
    /// Only this problem
    #[arg(long, value_name = "NAME")]
    pub(crate) problem: Option<String>,
    /// Show a row for every case where nothing is named, not one for every problem
    #[arg(long)]
    pub(crate) all: bool,
    /// Show only counters with this in their names, as Nsight Compute or as the tables call them: 'shared wavefronts'
    #[arg(long = "counter", value_name = "NAME")]
    pub(crate) counter: Vec<String>,
    /// Show every counter of every case, not only sums and disagreements
    #[arg(long)]
    pub(crate) counters: bool,
    /// Show every counter of every case line by line (with --counter only those)
    #[arg(long)]
    pub(crate) lines: bool,
    /// Show the counters that are farthest from equal instead, with what is known of them
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "20")]
    pub(crate) worst: Option<usize>,
    /// Print comma-separated values, a line for every counter
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Also write all of it as a page of HTML that needs no other file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Compare with a record that was made elsewhere (`warpbook record`)
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Simulate another GPU (`warpbook targets`), whether it was measured or not
    #[arg(long, value_name = "GPU", conflicts_with = "record")]
    pub(crate) target: Option<String>,
    /// A source of a problem that you have edited: which line counts something else than the code that was recorded?
    /// [default: kernels/cu/*.cu of this folder, if they are edited]
    #[arg(long, value_name = "FILE")]
    pub(crate) source: Vec<PathBuf>,
    /// Look for races and uninitialised reads in the large cases, too
    #[arg(long)]
    pub(crate) all_checks: bool,
    /// Leave this machine's GPU alone, if it has one
    #[arg(long)]
    pub(crate) no_gpu: bool,
    /// Set predicted times beside those of the bench record instead of counters, and say how good predictions are
    /// (minutes; names are those of versions)
    #[arg(long, conflicts_with_all = ["counter", "counters", "lines", "worst", "csv", "html", "record", "target", "source", "all_checks"])]
    pub(crate) time: bool,
    /// Set predicted hit rates of L1 and L2 beside those that were recorded of the bench's launches
    #[arg(long, conflicts_with_all = ["time", "machine_code", "counter", "counters", "lines", "worst", "csv", "html", "record", "target", "source", "all_checks"])]
    pub(crate) caches: bool,
    /// Execute the committed machine code instead of PTX, and set its instruction stream beside what the GPU counted of the
    /// same machine code, launch by launch and instruction by instruction (with --all also of large cases: minutes)
    #[arg(long, conflicts_with_all = ["time", "counter", "counters", "lines", "worst", "csv", "html", "record", "target", "source", "all_checks"])]
    pub(crate) machine_code: bool,
}

impl Compare {
    /// Whether no kernel, problem, counter or source is named, and nothing more detailed is asked for.
    pub(crate) fn asks_for_everything(&self) -> bool {
        self.names.is_empty()
            && self.problem.is_none()
            && self.counter.is_empty()
            && self.source.is_empty()
            && self.record.is_none()
            && !self.counters
            && !self.lines
    }
}

#[derive(Debug, Args)]
pub(crate) struct Lowering {
    /// A CUDA source (.cu) or PTX (.ptx)
    pub(crate) file: PathBuf,
    /// Only this kernel
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// The architecture that ptxas compiles for
    #[arg(long, default_value = "sm_90", value_name = "sm_NN", value_parser = architecture)]
    pub(crate) arch: String,
    /// Show the lines that agree, too
    #[arg(long)]
    pub(crate) all: bool,
    /// Folder in which included files are searched
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Macro to define
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Sass {
    /// Machine code (.cubin), or a CUDA source (.cu) or PTX (.ptx), which ptxas compiles
    pub(crate) file: PathBuf,
    /// Only this kernel
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// The architecture that ptxas compiles for
    #[arg(long, default_value = "sm_90", value_name = "sm_NN", value_parser = architecture)]
    pub(crate) arch: String,
    /// Folder in which included files are searched
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Macro to define
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
}

/// The name of an architecture, as ptxas takes it.
fn architecture(text: &str) -> Result<String, String> {
    let number = text.strip_prefix("sm_").map(|number| number.trim_end_matches(['a', 'f']));
    let is_number = number.is_some_and(|number| number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit()));
    if is_number { Ok(text.to_owned()) } else { Err("an architecture is written like sm_90".to_owned()) }
}

#[derive(Debug, Args)]
pub(crate) struct Claims {
    /// Only claims with this in their name, place, words or verdict; the whole name of one explains it
    pub(crate) filter: Option<String>,
    /// Only those of one publication: gems, wilt, westphal, ha, spataro
    #[arg(long, value_name = "NAME")]
    pub(crate) seed: Option<kernels::claims::Seed>,
    /// Print comma-separated values instead of tables
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Targets {
    /// Show every number of this target with its source
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Setup {
    /// Also fetch nvcc, which compiles ordinary files with host and device code (it needs g++)
    #[arg(long)]
    pub(crate) nvcc: bool,
    /// Also fetch ptxas and nvdisasm, which show the machine code of a kernel
    #[arg(long)]
    pub(crate) sass: bool,
    /// Also fetch clang, which compiles device code where NVRTC does not run (fetched anyway where there is no NVRTC)
    #[arg(long)]
    pub(crate) clang: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Picture {
    /// The image, a PNG file (spheres on a chessboard are drawn, if none is given)
    pub(crate) file: Option<PathBuf>,
    /// How far away its pixels are: a PNG file of the same size (what is lower is nearer, if none is given)
    #[arg(long, value_name = "FILE", requires = "file")]
    pub(crate) depth: Option<PathBuf>,
    /// Size of the image that is drawn
    #[arg(long, default_value = "480x320", value_name = "WIDTHxHEIGHT", conflicts_with = "file", value_parser = picture_size)]
    pub(crate) size: (u32, u32),
    /// Folder that the images are written to; existing files are left alone
    #[arg(long, default_value = "pictures", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Run the kernels on this machine's GPU
    #[arg(long, value_name = "GPU", num_args = 0..=1, default_missing_value = "0")]
    pub(crate) gpu: Option<u32>,
}

fn picture_size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    sides.ok_or_else(|| "a size is two whole numbers, such as 480x320".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct Book {
    /// `serve` where none is given
    #[command(subcommand)]
    pub(crate) command: Option<BookCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BookCommand {
    /// Build the book into book/html; every number in it is computed while it builds
    Build {
        /// Where to write it instead
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Build the book, show it to this machine's browsers, and build it again whenever a file of it changes (the default)
    Serve {
        /// The port of this machine to serve it on; 0 takes any that is free
        #[arg(long, default_value_t = 3000)]
        port: u16,
        /// Open it in a browser
        #[arg(long)]
        open: bool,
        /// Serve this built book as it is, and build nothing
        #[arg(long, value_name = "DIR")]
        site: Option<PathBuf>,
    },
    /// Compute what chapters show, and tell what is wrong with them, without building the site
    Check {
        /// The chapters' files [default: all]
        #[arg(value_name = "CHAPTER.md")]
        chapters: Vec<PathBuf>,
    },
    /// mdBook's preprocessor protocol: what `mdbook build book` calls
    #[command(hide = true)]
    Preprocess {
        /// `supports RENDERER`, or nothing
        arguments: Vec<String>,
    },
}
