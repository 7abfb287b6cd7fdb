//! What a grade consists of: plain types, that who grades fills in and who shows reads.

use serde::{Deserialize, Serialize};
use sim::report::{Finding, LaunchShape, Metrics, Printed};

/// What a check looks at. The order is that of a learner's work: a later one means little before the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    /// The source compiles.
    Compile,
    /// The kernel is there and takes the exercise's arguments.
    Launch,
    /// The simulator finds no fault: no race, no access out of bounds, no deadlock.
    Findings,
    /// The output is right, and the inputs are left alone.
    Result,
    /// The cost contract is kept.
    Contract,
    /// The questions are answered.
    Answers,
}

impl CheckKind {
    /// The kinds that a kernel can fail, in order.
    pub const ALL: [Self; 5] = [Self::Compile, Self::Launch, Self::Findings, Self::Result, Self::Contract];

    /// The kind's name, as it stands in an exercise's file and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::Launch => "launch",
            Self::Findings => "findings",
            Self::Result => "result",
            Self::Contract => "contract",
            Self::Answers => "answers",
        }
    }
}

/// What a submission is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grade {
    /// The exercise's name.
    pub exercise: String,
    /// The graded file, as its author knows it.
    pub file: String,
    /// Whether every check passed.
    pub passed: bool,
    /// The share of the points, from 0 to 1. Of a prediction, that of the first answers, where they are known.
    pub score: f64,
    /// Of a prediction whose answers are other ones than the first: the share that they would get. They are practice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub practice: Option<f64>,
    /// The checks that were made, in order. What could not be reached is not in the list.
    pub checks: Vec<Check>,
    /// The cost contract: every clause of the author and every bound, for every case that ran.
    pub contract: Vec<ContractRow>,
    /// What happened on each case.
    pub cases: Vec<CaseGrade>,
    /// How far an accepted kernel is from the fastest one that there can be, where the verdict tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
    /// The answers, if the exercise asks.
    pub answers: Vec<AnswerRow>,
    /// The misconception that the course knows this very result from.
    pub misconception: Option<String>,
    /// The compiler's warnings; its errors are in the check's detail.
    pub warnings: String,
    /// The exercise's hidden cases. They are no part of this grade unless `hidden_run`.
    pub hidden: u32,
    /// Whether the hidden cases were run.
    pub hidden_run: bool,
}

impl Grade {
    /// The kinds of checks that failed, each once, in order.
    pub fn failed_kinds(&self) -> Vec<CheckKind> {
        let failed = |kind: &CheckKind| self.checks.iter().any(|check| check.kind == *kind && !check.passed);
        CheckKind::ALL.into_iter().chain([CheckKind::Answers]).filter(failed).collect()
    }

    /// Whether every check of these kinds passed, on hidden cases too or on the others only.
    pub(crate) fn good(&self, kinds: &[CheckKind], hidden_too: bool) -> bool {
        let mut of_kinds =
            self.checks.iter().filter(|check| kinds.contains(&check.kind) && (hidden_too || !check.hidden)).peekable();
        of_kinds.peek().is_some() && of_kinds.all(|check| check.passed)
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What kind of check it is.
    pub kind: CheckKind,
    /// What was checked: the kind, and the case if there is one.
    pub name: String,
    /// Whether it is as it should be.
    pub passed: bool,
    /// Whether it is about a hidden case.
    pub hidden: bool,
    /// What was seen.
    pub detail: String,
}

/// What happened on one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseGrade {
    /// The case's name.
    pub case: String,
    /// Whether it is a hidden one.
    pub hidden: bool,
    /// The seed of its data.
    pub seed: u64,
    /// The first launch's shape.
    pub launch: LaunchShape,
    /// How many launches ran.
    pub launches: usize,
    /// The length of all judged buffers, in elements.
    pub elements: usize,
    /// How many of their elements are wrong.
    pub wrong: usize,
    /// The first of them.
    pub first_wrong: Vec<WrongElement>,
    /// The names of inputs that the kernel changed.
    pub changed_inputs: Vec<String>,
    /// What the simulator found: what counts as wrong. Where the exercise wants no remarks, they are among them.
    pub findings: Vec<Finding>,
    /// What it remarks, where that is allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Finding>,
    /// What the kernel printed.
    #[serde(skip_serializing_if = "Printed::is_empty")]
    pub printed: Printed,
    /// A digest of the judged buffers after the run.
    #[serde(skip)]
    pub outcome: u64,
    /// The exact counters of all launches.
    #[serde(skip)]
    pub exact: Metrics,
    /// How many times the least sectors the kernel moved through global memory, where the verdict tells it.
    #[serde(skip)]
    pub times_the_least: Option<f64>,
}

/// The time of a kernel beside the least time of any kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Distance {
    /// The input that it is about.
    pub case: String,
    /// The GPU, with its article.
    pub gpu: String,
    /// Microseconds of all launches, as the simulator predicts them.
    pub predicted_us: f64,
    /// Bytes of memory that any kernel moves for this input.
    pub bytes: u64,
    /// Microseconds that the GPU takes for an empty launch.
    pub launch_us: f64,
    /// Microseconds that memory takes for these bytes, at the highest rate that was measured.
    pub memory_us: f64,
}

impl Distance {
    /// The least microseconds of any kernel.
    pub const fn least_us(&self) -> f64 {
        self.launch_us + self.memory_us
    }

    /// How many times the least the predicted time is.
    pub const fn times(&self) -> f64 {
        self.predicted_us / self.least_us()
    }
}

/// An element of an output that is not what it should be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WrongElement {
    /// The output's name.
    pub output: String,
    /// The element's index.
    pub index: usize,
    /// What belongs there.
    pub expected: String,
    /// What is there; nothing if the kernel never wrote it.
    pub got: Option<String>,
    /// Who wrote it, as far as that is told: of the first wrong elements of the first wrong case.
    pub writer: Option<Writer>,
}

/// A thread that wrote an element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Writer {
    /// Source line.
    pub line: u32,
    /// The line's text without its indentation.
    pub text: String,
    /// Thread block (x, y, z).
    pub block: [u32; 3],
    /// Thread within the block (x, y, z).
    pub thread: [u32; 3],
    /// Warp within the block.
    pub warp: u32,
    /// Lane within the warp.
    pub lane: u32,
}

/// One clause of the contract, judged for one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContractRow {
    /// The case's name.
    pub case: String,
    /// The bound's name, if it is one that holds for every exercise; the author's clauses have none.
    pub bound: Option<String>,
    /// What is counted, in a learner's words.
    pub label: String,
    /// The counter's full name in Nsight Compute, or a sum of several.
    pub counter: String,
    /// The limit as the course writes it, if it is no plain number.
    pub limit_text: Option<String>,
    /// What the counter may reach.
    pub limit: u64,
    /// Whether it must be that number.
    pub exact: bool,
    /// Whether it must reach that number, and may be larger.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// What it reached.
    pub actual: u64,
    /// Whether the clause is kept.
    pub passed: bool,
    /// What keeping it means.
    pub meaning: String,
    /// The source lines that spend it, the worst first.
    pub lines: Vec<LineSpend>,
}

impl ContractRow {
    /// By how much the limit is exceeded.
    pub const fn excess(&self) -> u64 {
        if self.at_least { 0 } else { self.actual.saturating_sub(self.limit) }
    }
}

/// What one source line spends of a counter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineSpend {
    /// The file; the graded file under the name that its author knows it by.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The line's text without its indentation; empty if it is not in the graded file.
    pub text: String,
    /// What the line spends.
    pub actual: u64,
    /// What the limiting counter shows for this line, if the limit is made of counters.
    pub limit: Option<u64>,
}

impl LineSpend {
    /// What the line spends beyond its limit; all that it spends if it has no limit of its own.
    pub const fn excess(&self) -> u64 {
        match self.limit {
            Some(limit) => self.actual.saturating_sub(limit),
            None => self.actual,
        }
    }
}

/// One question with what was answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerRow {
    /// The question's id.
    pub id: String,
    /// The question.
    pub ask: String,
    /// What the learner wrote; nothing if the question is open.
    pub given: Option<String>,
    /// Whether the learner chose not to answer.
    pub skipped: bool,
    /// What the learner wrote first, if that is another answer and the one that counts; `skip` if nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// The share of the question's points, from 0 to 1: of the first answer, where there is one.
    pub credit: f64,
    /// What the question is worth.
    pub points: u32,
    /// The right answer; only once the learner has committed to all answers, and never while tracing goes on.
    pub truth: Option<String>,
    /// What cannot be read about the answer, or how far it is from the truth.
    pub note: String,
    /// The misconception that gives this answer, if the course knows one.
    pub because: String,
    /// Why the right answer is right; there with the truth.
    pub explain: String,
}

/// Why a submission could not be graded. None of these is the learner's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GradeError {
    /// There is no compiler on this machine; the text says what to type.
    #[error("{0}")]
    NoCompiler(String),
    /// The simulator does not support something that the kernel uses.
    #[error("{0}")]
    Unsupported(String),
    /// The course is wrong.
    #[error("the exercise itself is wrong: {0}")]
    Course(String),
    /// A bug of ours.
    #[error("{0}")]
    Internal(String),
}
