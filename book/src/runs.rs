//! What the directives ask for: kernels, their cases, their runs, and the sources.
//!
//! The book reads runs only through [`Runs`]. [`RealRuns`](crate::RealRuns) answers with the simulator and the records
//! of real GPUs; tests answer with made-up numbers.

use std::collections::BTreeMap;
use std::rc::Rc;

use kernels::bench::Record;
use kernels::least::Least;
use kernels::requests::Launches;
use serde::{Deserialize, Serialize};
use sim::predict::timeline::Timeline;
use sim::report::Metrics;
use sim::report::machine_code::MachineInstruction;
use sim::{Prediction, Report};

use crate::access::{Access, Space};

/// Answers the directives' questions. Errors are sentences for the author of a chapter.
pub trait Runs {
    /// The kernels, in the order of the book.
    fn kernels(&self) -> Vec<String>;

    /// The names of a kernel's cases, from small to large. Empty for a kernel that does not exist.
    fn cases(&self, kernel: &str) -> Vec<String>;

    /// The counters that simulator and hardware must agree on, in the order in which tables show them.
    fn counters(&self) -> Vec<Counter>;

    /// Simulates a case that exists, and looks it up in the record.
    ///
    /// # Errors
    /// A sentence when the simulator refuses the case, finds a fault in it, or its result is wrong.
    fn run(&self, kernel: &str, case: &str) -> Result<Rc<Run>, String>;

    /// Simulates a case that exists on the GPU `target`, whose name the simulator knows. The PTX counts as it stands, and
    /// nothing is measured.
    ///
    /// # Errors
    /// As [`Runs::run`], and when that GPU does not take the launch.
    fn run_on(&self, kernel: &str, case: &str, target: &str) -> Result<Rc<Run>, String>;

    /// Simulates a case with all details that only a simulator has ([`Report::details`]): one report per launch.
    ///
    /// # Errors
    /// As [`Runs::run`].
    fn detailed(&self, kernel: &str, case: &str) -> Result<Rc<Vec<Report>>, String>;

    /// Simulates one access of a warp, and says what it costs: wavefronts of shared memory, sectors of global memory.
    ///
    /// # Errors
    /// A sentence when the simulator refuses.
    fn access(&self, access: &Access) -> Result<u64, String>;

    /// The wavefronts of a warp whose lane i reads word `words[i]` of shared memory. Lanes without a word sit it out.
    ///
    /// # Errors
    /// A sentence when there are more words than lanes, or the simulator refuses.
    fn wavefronts(&self, words: &[u32]) -> Result<u64, String> {
        if words.is_empty() || words.len() > 32 {
            return Err(format!("a warp has 32 lanes, and this is an access of {}", words.len()));
        }
        let mut addresses: Vec<Option<u64>> = words.iter().map(|word| Some(u64::from(*word) * 4)).collect();
        addresses.resize(32, None);
        self.access(&Access { space: Space::Shared, width: 4, addresses })
    }

    /// What a real GPU took for inputs of full size.
    ///
    /// # Errors
    /// A sentence when there is no record.
    fn bench(&self) -> Result<&Record, String>;

    /// The text of a CUDA source file, such as `scan.cu`.
    ///
    /// # Errors
    /// A sentence when there is no such file, or it is not the text that the runs were compiled from.
    fn source(&self, file: &str) -> Result<String, String>;

    /// Runs a kernel of the simulator's catalogue of faulty kernels.
    ///
    /// # Errors
    /// A sentence when there is no such kernel, or nothing is found in it.
    fn faulty(&self, name: &str) -> Result<Faulty, String>;

    /// What any kernel must do for the inputs and outputs of a case that exists; none of a case that is wrong on purpose.
    ///
    /// # Errors
    /// A sentence for a listing, whose outputs nobody has written down.
    fn least(&self, kernel: &str, case: &str) -> Result<Option<Least>, String>;

    /// What a page needs to run a case that exists itself.
    ///
    /// # Errors
    /// A sentence when its launch cannot be read or its PTX is stale.
    fn playable(&self, kernel: &str, case: &str) -> Result<Rc<Playable>, String>;

    /// The same of a kernel of the simulator's catalogue of faulty kernels.
    ///
    /// # Errors
    /// A sentence when there is no such kernel.
    fn playable_fault(&self, name: &str) -> Result<Rc<Playable>, String>;

    /// Simulates a case that exists and is known to be wrong, and tells what is wrong with it.
    ///
    /// # Errors
    /// A sentence when the simulator refuses the case, or the case is not known to be wrong.
    fn wrong(&self, kernel: &str, case: &str) -> Result<Rc<Wrong>, String>;

    /// What the warps of a multiprocessor do in launch number `launch` of a case that exists, from 0.
    ///
    /// # Errors
    /// A sentence when the simulator refuses the case, or it has no such launch.
    fn predicted(&self, kernel: &str, case: &str, launch: usize) -> Result<Rc<Foretold>, String>;

    /// A kernel and a small case of it in which this counter was recorded and is not 0; none where no case is like that.
    ///
    /// # Errors
    /// A sentence when there are no records.
    fn example(&self, metric: &str) -> Result<Option<(String, String)>, String>;

    /// Compares all cases of all kernels with the records.
    ///
    /// # Errors
    /// A sentence when there is no comparison.
    fn agreement(&self) -> Result<Agreement, String>;

    /// Executes a case that exists as machine code: the launches of `launched`, or of the kernel's own name.
    ///
    /// # Errors
    /// A sentence when there is no committed machine code of it, or it is not executed.
    fn machine(&self, kernel: &str, case: &str, launched: Option<&str>) -> Result<Rc<MachineRun>, String>;

    /// Compares all cases, executed as machine code, with the records of machine code.
    ///
    /// # Errors
    /// A sentence when there is no comparison.
    fn machine_agreement(&self) -> Result<MachineAgreement, String>;
}

/// Runs that several books share: what was run for one is there for the next.
impl<R: Runs> Runs for Rc<R> {
    fn kernels(&self) -> Vec<String> {
        (**self).kernels()
    }

    fn cases(&self, kernel: &str) -> Vec<String> {
        (**self).cases(kernel)
    }

    fn counters(&self) -> Vec<Counter> {
        (**self).counters()
    }

    fn run(&self, kernel: &str, case: &str) -> Result<Rc<Run>, String> {
        (**self).run(kernel, case)
    }

    fn run_on(&self, kernel: &str, case: &str, target: &str) -> Result<Rc<Run>, String> {
        (**self).run_on(kernel, case, target)
    }

    fn detailed(&self, kernel: &str, case: &str) -> Result<Rc<Vec<Report>>, String> {
        (**self).detailed(kernel, case)
    }

    fn access(&self, access: &Access) -> Result<u64, String> {
        (**self).access(access)
    }

    fn bench(&self) -> Result<&Record, String> {
        (**self).bench()
    }

    fn source(&self, file: &str) -> Result<String, String> {
        (**self).source(file)
    }

    fn faulty(&self, name: &str) -> Result<Faulty, String> {
        (**self).faulty(name)
    }

    fn least(&self, kernel: &str, case: &str) -> Result<Option<Least>, String> {
        (**self).least(kernel, case)
    }

    fn playable(&self, kernel: &str, case: &str) -> Result<Rc<Playable>, String> {
        (**self).playable(kernel, case)
    }

    fn playable_fault(&self, name: &str) -> Result<Rc<Playable>, String> {
        (**self).playable_fault(name)
    }

    fn wrong(&self, kernel: &str, case: &str) -> Result<Rc<Wrong>, String> {
        (**self).wrong(kernel, case)
    }

    fn predicted(&self, kernel: &str, case: &str, launch: usize) -> Result<Rc<Foretold>, String> {
        (**self).predicted(kernel, case, launch)
    }

    fn example(&self, metric: &str) -> Result<Option<(String, String)>, String> {
        (**self).example(metric)
    }

    fn agreement(&self) -> Result<Agreement, String> {
        (**self).agreement()
    }

    fn machine(&self, kernel: &str, case: &str, launched: Option<&str>) -> Result<Rc<MachineRun>, String> {
        (**self).machine(kernel, case, launched)
    }

    fn machine_agreement(&self) -> Result<MachineAgreement, String> {
        (**self).machine_agreement()
    }
}

/// A counter that simulator and hardware must agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    /// Nsight Compute's name, with its suffix.
    pub metric: String,
    /// The short name for tables.
    pub label: String,
    /// The unit.
    pub unit: String,
    /// What it counts, in one or two sentences.
    pub meaning: String,
}

/// One case of one version of a kernel, simulated now and measured once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What kind of data went in.
    pub data: String,
    /// The first launch's arguments as `warpbook sim --arg` takes them, buffers without their data.
    pub args: Vec<String>,
    /// How many launches the case has.
    pub launches: usize,
    /// What the simulator says; the shape is the first launch's, the counters are those of all launches together.
    pub report: Report,
    /// What the record says, if there is one.
    pub measured: Option<Measured>,
    /// Whether this is a listing of the book, which no GPU has recorded: the simulator's numbers stand alone.
    pub listing: bool,
}

/// What a page needs to run a case itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Playable {
    /// The PTX file's name.
    pub file: String,
    /// Its text.
    pub ptx: String,
    /// The launches and their data.
    pub launches: Launches,
    /// Registers of a thread, by kernel, as far as a GPU told them.
    pub registers: BTreeMap<String, u32>,
}

/// A faulty kernel, and what the checks find in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faulty {
    /// Its source: line numbers and lines.
    pub source: Vec<(u32, String)>,
    /// The findings, as `warpbook sim` prints them. Never empty.
    pub findings: Vec<String>,
}

/// What a real GPU did with a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The GPU's short name, such as `H200`.
    pub gpu: String,
    /// The day of the recording: YYYY-MM-DD.
    pub date: String,
    /// Its exact counters.
    pub metrics: Metrics,
    /// Median time of a launch, in nanoseconds.
    pub median_ns: u64,
    /// How many launches were timed.
    pub timed: u64,
    /// The exact counters of which it is known that the simulator counts, or may count, something else.
    #[serde(default)]
    pub known: BTreeMap<String, KnownDifference>,
}

/// The comparison of all cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The closing line, such as `1365 of 1365 exact counters agree (H200, recorded 2026-11-21)`.
    pub closing: String,
    /// Whether there is nothing to complain about.
    pub agrees: bool,
    /// Kernel by kernel.
    pub kernels: Vec<KernelAgreement>,
    /// Where the records come from: what is said, and what it is, record by record.
    pub provenance: Vec<Vec<(String, String)>>,
}

/// A case that is wrong on purpose: what the simulator says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrong {
    /// The source file.
    pub file: String,
    /// The kind of finding that it must have; none where no check can know that the result is wrong.
    pub kind: Option<String>,
    /// What is wrong with it, in words.
    pub why: String,
    /// The findings, each with its code frame.
    pub findings: Vec<String>,
    /// The first wrong element of the result, if the result is wrong.
    pub result: Option<String>,
}

/// A launch as the simulator foretells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Foretold {
    /// The kernel.
    pub kernel: String,
    /// How long it takes, and why.
    pub prediction: Prediction,
    /// What the first warps of a multiprocessor do.
    pub timeline: Timeline,
}

/// A difference between simulator and GPU that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownDifference {
    /// Why they differ, in a sentence.
    pub cause: String,
    /// The page of the book that explains it, with the heading, from the site's root: `truth.md#waiting-and-arrival`.
    pub page: String,
    /// The hardware itself does not repeat it.
    pub noise: bool,
}

/// The comparison of one kernel's cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelAgreement {
    /// The kernel.
    pub kernel: String,
    /// Number of cases.
    pub cases: usize,
    /// Number of counters that were compared.
    pub counters: usize,
    /// Number of those that are equal.
    pub agree: usize,
    /// Number of cases whose outputs are right and equal bit by bit.
    pub same_output: usize,
}

/// The launches of one kernel of a case, executed as machine code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineRun {
    /// The kernel.
    pub kernel: String,
    /// The version of the ptxas that made the machine code.
    pub ptxas: String,
    /// Registers of each thread.
    pub registers: u32,
    /// Counters of the instruction stream, of all its launches together.
    pub counters: Metrics,
    /// Every instruction with its counts.
    pub listing: Vec<MachineInstruction>,
    /// The GPU that counted the same machine code, and the day; nothing where it was not recorded.
    pub counted: Option<(String, String)>,
    /// Where the GPU counted something else: the number of the instruction, if it is about one, and a sentence.
    pub differences: Vec<(Option<usize>, String)>,
}

/// The comparison of all cases that are executed as machine code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineAgreement {
    /// The closing line.
    pub closing: String,
    /// The most threads of a case that takes part.
    pub most_threads: u64,
    /// Problem by problem.
    pub problems: Vec<MachineProblem>,
    /// Why something differs.
    pub known: Vec<String>,
    /// What differs for no known reason.
    pub unexplained: Vec<String>,
}

/// The comparison of one problem's cases that are executed as machine code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineProblem {
    /// The problem.
    pub problem: String,
    /// Where its record comes from; nothing where its instruction stream was not recorded.
    pub recorded: Option<String>,
    /// Cases.
    pub cases: usize,
    /// Launches whose instruction stream was compared.
    pub launches: usize,
    /// Counters of launches that were compared.
    pub stream: usize,
    /// Counters of instructions that were compared.
    pub instructions: usize,
    /// Exact memory counters that were compared.
    pub memory: usize,
    /// Counters that differ.
    pub differ: usize,
}
