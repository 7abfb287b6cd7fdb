//! The arguments of `warpbook debug`.

use std::path::PathBuf;

use clap::Args;

use super::launch::{Compile, CompilerChoice};

pub(super) const DEBUG_HELP: &str = "The launch is what `warpbook sim` takes, with the same options, and `warpbook sim --help` tells how arguments are written.
It runs once with all checks and is written down; then every position can be gone to, forwards and back.

What is stepped is the optimised code, as it runs on a GPU and as the book's pages step it; findings are those of this code.
--unoptimised compiles a .cu file without optimisation, which is what `warpbook sim` looks for faults in: then every source
line has code of its own.

Keys are those of the book's stepper: . and , step, > and < go to barriers, n and p to events, [ and ] to other warps,
w asks who wrote a word of shared memory; ? lists all. `--commands help` lists the commands.

Examples:
  warpbook debug scan.ptx --kernel scan_naive --block 64 --shared 512 --arg zeros:256 --arg zeros:256 --arg 64 --arg 64
  warpbook debug saxpy.toml --commands 'break 12; run; registers; next finding'

Exit codes:
  0    the launch was stepped, whatever is wrong with it
  2    wrong usage, unreadable input, a command that cannot be carried out, or no terminal
  3    something that warpbook does not support, or that this machine lacks
  101  a bug in warpbook";

#[derive(Debug, Args)]
pub(crate) struct Debug {
    /// A CUDA source (.cu), PTX (.ptx) or launch file (.toml)
    #[arg(required_unless_present = "dap")]
    pub(crate) file: Option<PathBuf>,
    /// The kernel, as the source names it (not needed when there is only one)
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
    /// An argument of the kernel
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// Give a number a name, to be used in all that follows
    #[arg(long = "let", value_name = "NAME=NUMBER")]
    pub(crate) names: Vec<String>,
    /// Set a __constant__ or __device__ variable before the launch
    #[arg(long, value_name = "NAME=SPEC")]
    pub(crate) symbol: Vec<String>,
    /// Which launch of a launch file is stepped, from 1; those before it are simulated [default: 1]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) launch: Option<usize>,
    /// The GPU to simulate (`warpbook targets` lists them) [default: h200]
    #[arg(long, value_name = "GPU")]
    pub(crate) target: Option<String>,
    /// The order of blocks, warps and lanes, as with `warpbook sim` [default: 0, by number]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Warp-instructions that are recorded: the launch can be stepped so far [default: 2097152]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=1 << 26))]
    pub(crate) steps: Option<u64>,
    /// Step a .cu file compiled without optimisation
    #[arg(long)]
    pub(crate) unoptimised: bool,
    /// A folder with the sources that PTX names
    #[arg(long, value_name = "DIR")]
    pub(crate) sources: Vec<PathBuf>,
    /// Carry out commands, with semicolons between them, and print what they show; - reads them from standard input
    #[arg(long, value_name = "COMMANDS", allow_hyphen_values = true)]
    pub(crate) commands: Option<String>,
    /// Speak the Debug Adapter Protocol on standard input and output; the editor then tells what is stepped
    #[arg(long, conflicts_with_all = ["file", "commands"])]
    pub(crate) dap: bool,
    #[command(flatten)]
    pub(crate) compile: Compile,
}

impl Debug {
    /// The name of the compiler that was asked for.
    pub(crate) fn compiler(&self) -> Option<String> {
        let name = match self.compile.compiler? {
            CompilerChoice::Auto => "auto",
            CompilerChoice::Nvrtc => "nvrtc",
            CompilerChoice::Nvcc => "nvcc",
            CompilerChoice::Clang => "clang",
        };
        Some(name.to_owned())
    }
}
