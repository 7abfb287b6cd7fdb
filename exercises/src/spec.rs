//! What an exercise's file says of running, judging and asking. `AUTHORING.md` tells it to authors.

use std::collections::BTreeMap;

pub use launch::schema::Text;
use launch::schema::{Extent, LaunchTable};
use serde::{Deserialize, Serialize};

/// What is run for every case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Numbers by name, for all expressions; a case can give them other values.
    #[serde(default, rename = "let")]
    pub names: BTreeMap<String, Text>,
    /// Warp-instructions that one thread block may execute.
    #[serde(default = "default_budget")]
    pub budget: u64,
    /// How many orders of warps are tried for races and results.
    #[serde(default = "one")]
    pub schedules: u64,
    /// Whether a remark counts as a finding: what the hardware forgives is not accepted either.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_remarks: bool,
    /// How far a floating-point number may be from the expected one: relative, and absolute below 1.
    #[serde(default)]
    pub tolerance: f64,
    /// The number that `per = "element"` divides by.
    #[serde(default)]
    pub elements: Option<Text>,
    /// Buffers that the kernel only reads.
    #[serde(default, rename = "in")]
    pub inputs: BTreeMap<String, String>,
    /// Buffers that the kernel writes; nobody has written them before.
    #[serde(default, rename = "out")]
    pub outputs: BTreeMap<String, String>,
    /// Buffers that it reads and changes, and that are judged.
    #[serde(default)]
    pub inout: BTreeMap<String, String>,
    /// Buffers that are not judged.
    #[serde(default)]
    pub scratch: BTreeMap<String, String>,
    /// What belongs into outputs, for those that the reference kernel does not compute.
    #[serde(default)]
    pub expect: BTreeMap<String, String>,
    /// The reference kernel's arguments; those of the first launch if not given.
    #[serde(default)]
    pub reference_args: Option<Vec<Text>>,
    /// The launches, in order.
    pub launch: Vec<Launch>,
}

const fn default_budget() -> u64 {
    2_000_000
}

const fn one() -> u64 {
    1
}

const fn one_point() -> u32 {
    1
}

/// One launch: a table as launch files have it, which names its kernel, its grid and its block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "LaunchTable")]
pub struct Launch {
    /// The kernel's name.
    pub kernel: String,
    /// Thread blocks.
    pub grid: Extent,
    /// Threads in a block.
    pub block: Extent,
    /// Dynamic shared memory, in bytes.
    pub shared: Option<Text>,
    /// Names of buffers, numbers and expressions.
    pub args: Vec<Text>,
}

impl TryFrom<LaunchTable> for Launch {
    type Error = String;

    fn try_from(table: LaunchTable) -> Result<Self, String> {
        let missing = |field: &str| format!("a launch of an exercise says its `{field}`");
        if !table.symbols.is_empty() || table.repeat.is_some() {
            return Err("a launch of an exercise has no `symbols` and no `repeat`".to_owned());
        }
        Ok(Self {
            kernel: table.kernel.ok_or_else(|| missing("kernel"))?,
            grid: table.grid.ok_or_else(|| missing("grid"))?,
            block: table.block.ok_or_else(|| missing("block"))?,
            shared: table.shared,
            args: table.args,
        })
    }
}

/// One input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What is special about it, in a few words.
    pub name: String,
    /// Numbers by name.
    #[serde(default, rename = "let")]
    pub names: BTreeMap<String, Text>,
    /// What its data is made from.
    #[serde(default)]
    pub seed: u64,
    /// Kept back: only run with a secret seed, which goes into its data.
    #[serde(default)]
    pub hidden: bool,
    /// Another kernel than that of the launch.
    #[serde(default)]
    pub kernel: Option<String>,
}

/// One clause of the cost contract: a counter and its limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// What is counted, in a learner's words.
    pub label: String,
    /// The counter's full name in Nsight Compute, or a sum of several.
    pub counter: String,
    /// What it may reach: a number, or an expression of names and of other counters.
    #[serde(default)]
    pub at_most: Option<Text>,
    /// What it must reach: a thing that the lesson is about, and that has to be done.
    #[serde(default)]
    pub at_least: Option<Text>,
    /// What it must be.
    #[serde(default)]
    pub equals: Option<Text>,
    /// What the limit is multiplied with.
    #[serde(default)]
    pub per: Per,
    /// What keeping to the limit means.
    pub meaning: String,
    /// The cases that it holds for; all if none is named.
    #[serde(default)]
    pub cases: Vec<String>,
}

/// A bound that holds for every exercise ([`crate::bounds`]), and for this one otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loosened {
    /// The bound's name.
    pub bound: String,
    /// What the costliest of the own solutions is multiplied with instead of the bound's own factor.
    #[serde(default)]
    pub times: Option<u64>,
    /// The limit itself: a number, or an expression of names. With neither, nothing is bounded.
    #[serde(default)]
    pub at_most: Option<Text>,
    /// The cases that it holds for; all if none is named.
    #[serde(default)]
    pub cases: Vec<String>,
    /// Why.
    pub because: String,
}

/// What a limit is multiplied with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// Nothing: the limit is for the whole case.
    #[default]
    Case,
    /// The elements that the exercise names.
    Element,
    /// The warps of all launches.
    Warp,
    /// The thread blocks of all launches.
    Block,
    /// The threads of all launches.
    Thread,
}

/// A question whose answer the simulator computes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// A stable name: the word before the colon in the file of answers.
    pub id: String,
    /// The question.
    pub ask: String,
    /// The case that it is about; the first if none is named.
    #[serde(default)]
    pub case: Option<String>,
    /// Where the answer comes from.
    pub answer: Answer,
    /// What it is worth beside the exercise's other questions.
    #[serde(default = "one_point")]
    pub points: u32,
    /// Why it is so; shown with the right answer.
    #[serde(default)]
    pub explain: String,
    /// Answers that a misconception gives.
    #[serde(default)]
    pub wrong: Vec<WrongAnswer>,
}

/// An answer that a misconception gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrongAnswer {
    /// The answer as a learner writes it.
    pub answer: Text,
    /// What it comes from.
    pub because: String,
}

/// Where an answer comes from: exactly one of these, with the line that it is about.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Answer {
    /// A counter, or an expression of counters: of the whole case, or of `line`.
    pub counter: Option<String>,
    /// The bank that this lane uses in the access on `line`.
    pub bank_of_lane: Option<u32>,
    /// The lanes that use this bank in the access on `line`.
    pub lanes_in_bank: Option<u32>,
    /// The lanes that need the same bank as this lane in the access on `line`, itself included.
    pub lanes_with_lane: Option<u32>,
    /// The lanes that take part in the access on `line`.
    pub lanes_active: Option<bool>,
    /// What the dearest access on `line` costs, in wavefronts or sectors.
    pub cost_of_access: Option<bool>,
    /// Of the case's finding: `kind`, `line`, `other-line`, `lane`, `other-lane`, `warp`, `block` or `lanes`.
    pub finding: Option<String>,
    /// An element of a buffer after the launch: `out[5]`.
    pub value: Option<String>,
    /// The name of the case in which this expression of counters is largest.
    pub largest: Option<String>,
    /// Text that stands in exactly one line of the kernel's file.
    pub line: Option<String>,
    /// Which access of that line, if there are several: `load`, `store` or `atomic`.
    pub access: Option<String>,
}

impl Answer {
    /// Whether an answer comes from exactly one place, and has the line that it needs.
    ///
    /// # Errors
    /// A sentence for the course's author.
    pub(crate) fn judge(&self) -> Result<(), String> {
        let by_line = [
            self.bank_of_lane.is_some(),
            self.lanes_in_bank.is_some(),
            self.lanes_with_lane.is_some(),
            self.lanes_active == Some(true),
            self.cost_of_access == Some(true),
        ];
        let others = [self.counter.is_some(), self.finding.is_some(), self.value.is_some(), self.largest.is_some()];
        let count = by_line.iter().chain(&others).filter(|given| **given).count();
        if count != 1 {
            return Err(format!("the answer comes from {count} places, not from one"));
        }
        if by_line.contains(&true) && self.line.is_none() {
            return Err("the answer is about an access: `line` is missing".to_owned());
        }
        Ok(())
    }
}

/// A mutant of the solution that is as right as the solution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalent {
    /// The mutant's name, as `warpbook dev check` shows it.
    pub mutant: String,
    /// What stands in the line that it changes; nothing for a mutant of the idea.
    #[serde(default)]
    pub line: String,
    /// Why it is as right as the solution.
    pub because: String,
}
