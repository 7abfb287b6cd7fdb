//! The arguments of `warpbook sim`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use kernels::compile::Arch;

pub(super) const SIM_HELP: &str = "Arguments of the kernel, in order, one --arg each:
  1024, 0.5, true, 2*n+1       a number of the parameter's type; n is defined by --let n=…
  i32:5                        a number of this type, if the parameter's is not known
  'f32[1024]=random'           a buffer; the kernel gets its address
  'x:f32[n]=iota'              the same with a name, for --dump x=…, --expect x=… and &x
  &x, &x+64, &0, null          an address in a buffer, by name or by argument; a null pointer
  '{i32:3, &x, f32[4]=0}'      a struct by value; bytes:00ff… gives its bytes
  'ptr[]=[&x, &y]'             a buffer of addresses
TYPE[COUNT] alone is as cudaMalloc leaves it: reading it before it is written is a finding. TYPE[COUNT]=CONTENT holds
  zeros, 1.5, 2*i+1            zeros, a number, an expression of the element's index i
  random(min, max, seed)       uniform numbers: 0 to 1, whole ones 0 to 99, if nothing else is said: random(seed=7)
  normal(mean, deviation, seed), permutation(seed), iota(start, step)
  [1, 2, 3], file(x.bin), text(x.txt)   COUNT may be left out: f32[]=file(x.bin)
TYPE is bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64, or int, float, … as in C++. Without a type, in bytes:
zeros:4096, uninit:4096, in:x.bin. Numbers may be expressions: + - * / % << >> ceil floor min max, as in 'ceil(n/256)'.

Example:
  warpbook sim saxpy.cu --let n=10000 --grid 'ceil(n/256)' --block 256 \\
      --arg n --arg 2 --arg 'f32[n]=iota' --arg 'y:f32[n]=1' --expect 'y=f32[n]=2*i+1'

The same as a launch file, `warpbook sim saxpy.toml`, and with a second launch:
  file = \"saxpy.cu\"                     # all files are relative to the launch file
  let = { n = 10000 }                   # --let n=… changes it
  expect = { y = \"f32[n]=2*i+1\" }       # tolerance = 1e-5 allows as much
  dump = { y = \"y.bin\" }
  [buffers]                             # launches share them
  x = \"f32[n]=iota\"
  y = \"f32[n]=0\"
  [[launches]]
  kernel = \"fill<float>\"
  grid = \"ceil(n/256)\"
  block = 256                           # or [16, 16]
  args = [\"&y\", 1.0, \"n\"]
  [[launches]]
  kernel = \"saxpy\"
  grid = \"ceil(n/256)\"
  block = 256
  args = [\"n\", 2.0, \"&x\", \"&y\"]
A file with one launch may have its kernel, grid, block, shared and args at the top. More fields: symbols = { scale =
\"f32:2\" } for all launches or for one; repeat of a launch; compiler, arch, include, define, std, target, budget, seed,
schedules, tolerance.

Exit codes:
  0    clean; there may be remarks
  1    the kernel is faulty (see the findings that are no remarks), or a result is not the expected one
  2    wrong usage or unreadable input
  3    something that warpbook does not support, or that this machine lacks
  101  a bug in warpbook";

#[derive(Debug, Args)]
pub(crate) struct Sim {
    /// A CUDA source (.cu), PTX (.ptx), machine code (.cubin) or launch file (.toml)
    pub(crate) file: PathBuf,
    /// List the file's kernels with their parameters, each with a command that launches it and that was tried in the
    /// simulator (with --no-checks: an example that was not)
    #[arg(long)]
    pub(crate) list: bool,
    /// The kernel, as the source names it: scan, tree::scan, 'reduce<float, 256>' (not needed when there is only one)
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// Thread blocks: X, X,Y or X,Y,Z [default: 1]
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) grid: Option<String>,
    /// Threads per block: X, X,Y or X,Y,Z [default: what the kernel asks for]
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) block: Option<String>,
    /// Dynamic shared memory per block, in bytes
    #[arg(long, value_name = "BYTES")]
    pub(crate) shared: Option<String>,
    /// An argument of the kernel (see below)
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// Give a number a name, to be used in all that follows: --let n=1000 --grid 'ceil(n/256)'
    #[arg(long = "let", value_name = "NAME=NUMBER")]
    pub(crate) names: Vec<String>,
    /// Set a __constant__ or __device__ variable before the launch, as cudaMemcpyToSymbol does
    #[arg(long, value_name = "NAME=SPEC")]
    pub(crate) symbol: Vec<String>,
    /// Write a buffer to FILE after the run; argument 0's is called 0
    #[arg(long, value_name = "BUFFER=FILE")]
    pub(crate) dump: Vec<String>,
    /// Compare a buffer with what it must hold after the run: a file of bytes, or as for --arg
    #[arg(long, value_name = "BUFFER=SPEC")]
    pub(crate) expect: Vec<String>,
    /// How far a floating-point number may be from the expected one: relative, and absolute below 1
    #[arg(long, value_name = "DIFFERENCE")]
    pub(crate) tolerance: Option<f64>,
    /// Show every source line that has a counter, not only those that cost most
    #[arg(long)]
    pub(crate) lines: bool,
    /// Write a page that reads like a profiler's report, with the time, the details of accesses, the edits that would help
    /// and the source with its costs: HTML in one file
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub(crate) report: Option<PathBuf>,
    /// The GPU to simulate (`warpbook targets` lists them) [default: h200]
    #[arg(long, value_name = "GPU")]
    pub(crate) target: Option<String>,
    /// Whose memory instructions are counted: what ptxas makes of the PTX, or the PTX as it stands [default: sm_90 for
    /// h100 and h200, none for all other targets]
    #[arg(long, value_enum)]
    pub(crate) lowering: Option<LoweringChoice>,
    /// Execute the machine code that ptxas makes for the H200 instead of the PTX, as a cubin (.cubin) is executed: counts the
    /// instruction stream too, and looks only for accesses outside of memory, deadlocks and endless kernels
    #[arg(long, conflicts_with_all = ["access", "schedules", "seed", "symbol", "lowering", "registers"])]
    pub(crate) machine_code: bool,
    /// The same, and show every machine instruction with its counts beside its source line, and what warps wait for there
    #[arg(long, conflicts_with_all = ["sample", "access", "schedules", "seed", "symbol", "lowering", "registers"])]
    pub(crate) sass: bool,
    /// Bugs to look for: all, or some of memcheck, racecheck, initcheck, synccheck with commas between them
    #[arg(long, default_value = "all", value_name = "LIST")]
    pub(crate) checks: sim::Checks,
    /// Show each access of this source line: costs, banks by lane, atomics, waits (LINE, FILE:LINE, or all; --json has all)
    #[arg(long, value_name = "LINE")]
    pub(crate) access: Option<Line>,
    /// Also run the launches on this machine's GPU if nothing is wrong with them, and show what it leaves, its times and
    /// its counters beside the simulated ones; with --machine-code the very machine code, and the counters of the
    /// instruction stream and of each instruction, too
    #[arg(
        long,
        value_name = "GPU",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0",
        conflicts_with_all = ["no_checks", "checks", "sample", "list"]
    )]
    pub(crate) gpu: Option<u32>,
    /// Do not look for races and uninitialised reads, and do not compile a .cu file a second time to check it
    #[arg(long, conflicts_with = "checks")]
    pub(crate) no_checks: bool,
    /// Run the launch in N orders of blocks, warps and lanes: finds what only some show, and results that differ
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=kernels::launch::spec::MOST_SCHEDULES))]
    pub(crate) schedules: Option<u64>,
    /// The order to run in, or the first of --schedules; a finding names the one that shows it [default: 0, by number]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) time: Time,
    #[command(flatten)]
    pub(crate) compile: Compile,
    /// Warp-instructions that one thread block may execute before it is taken for endless
    #[arg(long, value_name = "COUNT")]
    pub(crate) budget: Option<u64>,
}

#[derive(Debug, Args, Default)]
#[command(next_help_heading = "How long it takes")]
pub(crate) struct Time {
    /// Predict how long the launch takes on the target, and what limits it
    #[arg(long)]
    pub(crate) time: bool,
    /// Predict only, from a sample of the thread blocks: nothing is counted or checked
    #[arg(long, conflicts_with_all = ["schedules", "access", "expect", "dump"])]
    pub(crate) sample: bool,
    /// Also predict for a GPU of which something is faster, such as dram=x2,shared=x2: which wall comes next?
    #[arg(long, value_name = "RESOURCE=xN", value_delimiter = ',')]
    pub(crate) what_if: Vec<sim::predict::WhatIf>,
    /// Say which edits of the kernel would help, and by how much: they are tried on the addresses that the launch uses
    #[arg(long, conflicts_with = "sample")]
    pub(crate) advice: bool,
    /// Predict how often L1 and L2 have the data that is asked for, from empty caches
    #[arg(long)]
    pub(crate) caches: bool,
    /// Say what any kernel with the same inputs and outputs must move, and the least time that this takes
    #[arg(long, conflicts_with = "sample")]
    pub(crate) least: bool,
    /// Registers of a thread, as `ptxas -v` tells them [default: estimated from the PTX]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=255))]
    pub(crate) registers: Option<u32>,
    /// Draw the launches below the roofs of the GPU, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) roofline: Option<PathBuf>,
    /// Draw what the warps of a multiprocessor do and wait for in the last launch, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) timeline: Option<PathBuf>,
}

impl Time {
    /// Whether a time is asked for.
    pub(crate) const fn wanted(&self) -> bool {
        self.time
            || self.sample
            || self.advice
            || self.caches
            || self.least
            || !self.what_if.is_empty()
            || self.roofline.is_some()
            || self.timeline.is_some()
    }
}

#[derive(Debug, Args, Default)]
#[command(next_help_heading = "How a .cu file is compiled")]
pub(crate) struct Compile {
    /// The compiler [default: auto]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) compiler: Option<CompilerChoice>,
    /// Virtual architecture, such as compute_90 or sm_90 [default: what the file asks for, else the target's]
    #[arg(long, value_name = "ARCH")]
    pub(crate) arch: Option<Arch>,
    /// Folder in which included files are searched
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Macro to define
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
    /// Language standard, such as c++17
    #[arg(long, value_name = "STANDARD")]
    pub(crate) std: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoweringChoice {
    /// As ptxas compiles for compute capability 9.0
    #[value(name = "sm_90")]
    Sm90,
    /// Plain PTX
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompilerChoice {
    /// The one that fits the file, of those that are there; what one refuses is tried with the other, then without host code
    Auto,
    /// The library, for device code
    Nvrtc,
    /// The compiler driver, for files that hold host code too
    Nvcc,
    /// LLVM's compiler, for device code, also where NVIDIA's do not run
    Clang,
}

/// A source line, or all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The file's name or the end of it.
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
}

impl FromStr for Line {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::default());
        }
        let (file, line) = text.rsplit_once(':').map_or((None, text), |(file, line)| (Some(file.to_owned()), line));
        let line = line.parse().map_err(|_| format!("`{line}` is no line; write 74, scan.cu:74 or all"))?;
        Ok(Self { file, line: Some(line) })
    }
}
