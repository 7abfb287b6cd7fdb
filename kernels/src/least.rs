//! What any kernel must do that computes the outputs of a case from its inputs: the sectors that it must move, and for some
//! problems the additions that it must make. Both are proofs, not estimates.
//!
//! *Sectors.* A kernel that never reads an element of an input leaves the same outputs when that element changes. For each of
//! the problems here they must change, so every element is read, but for the last one where sums are exclusive. An element of
//! an output is written unless memory holds its value before the first launch. Memory moves in sectors of 32 bytes, and
//! buffers begin at the beginning of one.
//!
//! *Additions.* Where the only operation is the addition of two numbers, each sum of several inputs that must come out is
//! the result of an addition of its own, since different outputs are different sums. So there are at least as many additions
//! as such outputs. In a summed-area table those are all but the first. In an exclusive scan they are all but the first two,
//! which are zero and an element as it stands. Sums of ints have no bound here, since no counter tells them from additions of
//! addresses. Neither have sums that atomics form: no counter of additions has those.

use caches::compulsory::{self, SECTOR};
use serde::{Deserialize, Serialize};
use sim::Arg;

use crate::case::{Buffer, Case};
use crate::check::{Element, Expected, POISON};

/// The counters of the sectors that launches ask for.
pub const SECTORS: [&str; 4] = compulsory::ASKED;

/// Bytes at the end of the input of an exclusive scan that no output depends on: its last float or int.
const EXCLUSIVE: u64 = 4;

/// The least that any kernel does for a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Least {
    /// Sectors of the inputs.
    pub read_sectors: u64,
    /// Sectors of the outputs.
    pub written_sectors: u64,
    /// Additions of floats; `None` where no bound is claimed.
    pub additions: Option<u64>,
}

impl Least {
    /// Of a case. Its inputs and references are made for it.
    pub fn of(case: &Case) -> Self {
        let prepared = case.prepare();
        let floats = prepared.expected.first().filter(|expected| expected.element == Element::F32);
        let outputs = floats.map(|expected| expected.reference.len() as u64 / 4);
        let additions = match case.problem {
            // Of each tile all outputs but the first two.
            "scan" => outputs.map(|count| count.saturating_sub(2 * case.blocks())),
            "array_scan" => outputs.map(|count| count.saturating_sub(2)),
            "summed_area_table" => outputs.filter(|_| is_table(case)).map(|count| count.saturating_sub(1)),
            _ => None,
        };
        let unread = if ["scan", "array_scan"].contains(&case.problem) { EXCLUSIVE } else { 0 };
        let read = |buffer: &Buffer| input(buffer).saturating_sub(unread).div_ceil(SECTOR);
        let written = |expected: &Expected| {
            let buffer = prepared.buffers.iter().find(|buffer| buffer.name == expected.buffer);
            buffer.map_or(0, |buffer| written(expected, &buffer.content))
        };
        Self {
            read_sectors: prepared.buffers.iter().map(read).sum(),
            written_sectors: prepared.expected.iter().map(written).sum(),
            additions,
        }
    }

    /// The sectors of inputs and outputs together.
    pub const fn sectors(&self) -> u64 {
        self.read_sectors + self.written_sectors
    }
}

/// Whether what comes out is a table of one float per pixel, and not what is made of it afterwards.
fn is_table(case: &Case) -> bool {
    !["sat_transpose_rgb", "sat_box_filter", "sat_depth_of_field"].contains(&case.version)
}

/// The bytes of a buffer that is an input; 0 of any other: outputs hold poison, and what a kernel needs besides holds it or
/// zeros.
fn input(buffer: &Buffer) -> u64 {
    match &buffer.content {
        Arg::Buffer(bytes) if bytes.iter().any(|byte| *byte != POISON) => bytes.len() as u64,
        _ => 0,
    }
}

/// The sectors of an output with an element that is not there before the first launch. `before` is what its buffer holds then.
fn written(expected: &Expected, before: &Arg) -> u64 {
    let width = expected.element.bytes();
    let is_there = |at: usize, element: &[u8]| match before {
        Arg::Buffer(bytes) => bytes.get(at..at + element.len()) == Some(element),
        Arg::Zeros(_) => element.iter().all(|byte| *byte == 0),
        _ => false,
    };
    let must = |(sector, bytes): (usize, &[u8])| {
        let mut elements = bytes.chunks(width).enumerate();
        elements.any(|(at, element)| !is_there(sector * SECTOR as usize + at * width, element))
    };
    expected.reference.chunks(SECTOR as usize).enumerate().filter(|sector| must(*sector)).count() as u64
}
