//! What a report says of the order in which threads run: a GPU leaves it open, and some results depend on it.

use std::fmt::{self, Write};

use serde::{Deserialize, Serialize};

/// How a result depends on the order in which blocks, warps and lanes run.
///
/// A finding says that a program is wrong; this says only what may differ from run to run on a GPU. A histogram adds
/// integers in any order and has one result. A sum of floats has several, that differ in rounding. A compaction through
/// a counter has as many as there are orders, and all may be right.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Order {
    /// Instructions that were executed and whose effect depends on which thread comes first. Each is judged by itself:
    /// a sum and a maximum at one address depend on the order too, and so does a relaxed load beside atomics, but neither
    /// is told here. Without these, when there are no places and no races, the result is the same in every order.
    pub places: Vec<OrderPlace>,
    /// The seeds of the schedules that were run, in order. Empty when it was one alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u64>,
    /// The buffers that not all schedules left alike.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differing: Vec<Differing>,
}

/// An instruction whose effect depends on which thread comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OrderPlace {
    /// Source file.
    pub file: String,
    /// Source line, from 1.
    pub line: u32,
    /// What depends on the order, as a sentence without a full stop.
    pub what: String,
}

/// A buffer that two schedules left different.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Differing {
    /// Position of the argument, from 0.
    pub argument: usize,
    /// The first schedule that differs from the one of the report.
    pub seed: u64,
    /// The first byte of the buffer that is different there.
    pub byte: u64,
}

impl Order {
    /// Nothing to say: one schedule ran, and nothing in it depends on the order.
    pub const fn is_empty(&self) -> bool {
        self.places.is_empty() && self.seeds.is_empty() && self.differing.is_empty()
    }

    /// What [`render`](super::text::render) says of it: nothing, or lines of text. `clean`: nothing was found.
    pub(super) fn write(&self, text: &mut String, clean: bool) -> fmt::Result {
        if let (Some(first), [_, others @ ..]) = (self.seeds.first(), &self.seeds[..]) {
            let last = others.last().unwrap_or(first);
            let count = self.seeds.len();
            let what = if clean && self.differing.is_empty() { ", all buffers are the same after each" } else { "" };
            writeln!(text, "\n{count} schedules were run (seeds {first} to {last}){what}")?;
        }
        for Differing { argument, seed, byte } in &self.differing {
            let first = self.seeds.first().unwrap_or(&0);
            writeln!(
                text,
                "\nthe result depends on the order of threads: from byte {byte} on, argument {argument} is not the same \
                 with --seed {first} and with --seed {seed}"
            )?;
        }
        if self.places.is_empty() {
            return Ok(());
        }
        let title = match (self.differing.is_empty(), self.seeds.is_empty()) {
            (false, _) => "what depends on the order",
            (true, false) => "what could still depend on the order",
            (true, true) => "the result may depend on the order of threads (--schedules 8 tries some)",
        };
        writeln!(text, "\n{title}")?;
        for OrderPlace { file, line, what } in &self.places {
            writeln!(text, "  {file}:{line}  {what}")?;
        }
        Ok(())
    }
}
