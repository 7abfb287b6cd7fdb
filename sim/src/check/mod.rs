//! Looks for bugs in a kernel while it runs. The names are those of compute-sanitizer's tools.
//!
//! Each check is one file that says what it does and what it cannot see. [`racecheck`] and [`initcheck`] are observers
//! with a shadow of the block's memory; what their findings say of synchronisation comes from [`clocks`]. Out-of-bounds
//! and misaligned accesses, barriers that not all threads reach, and wrong masks are found by the executor itself,
//! which cannot go on without looking at them.
//!
//! [`Checked`] is the observer that counts and checks. Runs without checks use
//! [`Counters`] alone, and the compiler removes every call of this module from them.

mod clocks;
pub(crate) mod hook;
mod initcheck;
mod racecheck;
mod races;
mod shadow;
mod variables;

use crate::launch::Dim3;
use crate::machine::grid::Machine;
use crate::observe::counters::Counters;
use crate::observe::details::Details;
use crate::observe::metrics;
use crate::observe::{AccessEvent, MemoryEvent, Observer, SyncEvent};
use crate::program::inst::{Op, Pc};
use crate::program::ways::Difference;
use crate::ptx::ast::Module;
use crate::report::Finding;
use initcheck::Initcheck;
use racecheck::Racecheck;

/// Counts, and checks if asked to.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The counters.
    pub counters: Counters,
    checks: Option<(Racecheck, Initcheck)>,
    /// What else was seen of each instruction, if asked for.
    pub details: Option<Box<Details>>,
}

impl Checked {
    /// An observer that counts, and checks and collects details if asked to.
    pub(crate) fn new(machine: &Machine<'_>, checks: bool, details: bool) -> Self {
        Self {
            counters: Counters::of(machine),
            checks: checks.then(|| (Racecheck::new(machine), Initcheck::new(machine))),
            details: details.then(|| Box::new(Details::new(machine))),
        }
    }

    /// What was counted without checks.
    pub(crate) fn unchecked(counters: Counters) -> Self {
        Self { counters, checks: None, details: None }
    }

    /// Adds what an observer of later blocks saw.
    pub(crate) fn merge(&mut self, later: Self) {
        self.counters.merge(&later.counters);
        if let (Some(details), Some(later)) = (&mut self.details, later.details) {
            details.merge(*later);
        }
        if let (Some((races, reads)), Some((later_races, later_reads))) = (&mut self.checks, later.checks) {
            races.races.merge(later_races.races);
            reads.merge(later_reads);
        }
    }

    /// What was found: faults, and what is worth a remark.
    pub(crate) fn findings(&self, places: Places<'_>) -> (Vec<Finding>, Vec<Finding>) {
        let Some((races, reads)) = &self.checks else { return (Vec::new(), Vec::new()) };
        let (mut findings, remarks) = races.races.findings(places);
        findings.extend(reads.findings(places));
        (findings, remarks)
    }
}

impl Observer for Checked {
    const CHECKS: bool = true;

    type Held = Option<(racecheck::Held, initcheck::Held)>;

    #[inline(always)]
    fn instruction(&mut self, pc: Pc, active: u32) {
        self.counters.instruction(pc, active);
        if let Some(details) = &mut self.details {
            details.instruction(pc, active);
        }
    }

    fn memory(&mut self, event: &MemoryEvent<'_>) {
        self.counters.memory(event);
        if let Some(details) = &mut self.details {
            details.memory(event);
        }
    }

    fn turn(&mut self, block: u64, warp: u32) {
        if let Some(details) = &mut self.details {
            details.turn(block, warp);
        }
    }

    fn waited(&mut self, pc: Pc, warp: u32, steps: u64) {
        if let Some(details) = &mut self.details {
            details.waited(pc, warp, steps);
        }
    }

    fn unusual(&mut self, pc: Pc, difference: Difference) {
        self.counters.unusual(pc, difference);
    }

    fn communicate(&mut self, pc: Pc, thread_instructions: u32) {
        self.counters.communicate(pc, thread_instructions);
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        if let Some((races, reads)) = &mut self.checks {
            races.access(event);
            reads.access(event);
            for (address, bytes) in races.overtaken.drain(..) {
                reads.excuse(address, bytes);
            }
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        if let Some((races, reads)) = &mut self.checks {
            races.sync(event);
            match *event {
                SyncEvent::Start(block) => reads.start(block),
                SyncEvent::End => reads.end(),
                _ => {}
            }
        }
    }

    fn exchange(&mut self, held: &mut Self::Held) {
        if let Some((races, reads)) = &mut self.checks {
            let (of_races, of_reads) = held.get_or_insert_with(|| (races.fresh(), initcheck::Held::default()));
            races.exchange(of_races);
            reads.exchange(of_reads);
        }
    }

    fn finish(&mut self) {
        if let Some((races, reads)) = &mut self.checks {
            races.finish();
            reads.finish();
        }
    }
}

/// What is needed to name places in memory and in the source.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    /// The launch.
    pub machine: &'a Machine<'a>,
    /// The module, for the names of its files.
    pub module: &'a Module,
    /// Name of the PTX file.
    pub ptx: &'a str,
}

impl Places<'_> {
    /// File and line of an instruction.
    fn line(&self, pc: Pc) -> (String, u32) {
        metrics::place(self.machine.program, self.module, self.ptx, pc as usize)
    }

    /// The place of `pc` as a message about `here` says it: the file only if it is another one.
    fn reference(&self, pc: Pc, here: Pc) -> String {
        let ((file, line), (our_file, our_line)) = (self.line(pc), self.line(here));
        match (file == our_file, line == our_line) {
            (true, true) => format!("in line {line} too"),
            (true, false) => format!("in line {line}"),
            (false, _) => format!("in line {line} of {file}"),
        }
    }

    /// Whether a loop contains both instructions, the first before the second.
    fn in_a_loop(&self, first: Pc, second: Pc) -> bool {
        let insts = &self.machine.program.insts[second as usize..];
        insts.iter().any(|inst| matches!(inst.op, Op::Branch { target, .. } if target <= first))
    }

    /// A thread's place in its block, as `threadIdx` gives it.
    fn thread(&self, index: u32) -> String {
        let Dim3 { x, y, z } = self.machine.block.coordinates(index.into());
        match self.machine.block {
            Dim3 { y: 1, z: 1, .. } => format!("{x}"),
            Dim3 { z: 1, .. } => format!("({x},{y})"),
            _ => format!("({x},{y},{z})"),
        }
    }

    /// Where a barrier belongs that keeps the accesses of two instructions apart.
    fn between(&self, earlier: Pc, later: Pc) -> String {
        let ((file, line), (later_file, later_line)) = (self.line(earlier), self.line(later));
        match line.cmp(&later_line) {
            _ if file != later_file => format!("between line {line} of {file} and line {later_line} of {later_file}"),
            std::cmp::Ordering::Less => format!("between line {line} and line {later_line}"),
            std::cmp::Ordering::Greater => {
                format!("behind line {line}, before the loop comes to line {later_line} again")
            }
            std::cmp::Ordering::Equal => format!("between the two accesses of line {line}"),
        }
    }
}
