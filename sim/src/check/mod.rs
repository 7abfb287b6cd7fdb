//! Looks for bugs in a kernel while it runs. The names are those of compute-sanitizer's tools.
//!
//! Each check is one file that says what it does and what it cannot see. [`racecheck`] and [`initcheck`] are observers
//! with a shadow of memory; what orders accesses comes from [`clocks`] within a block and from [`blocks`] between them.
//! Out-of-bounds and misaligned accesses, barriers that not all threads reach, and wrong masks are found by the
//! executor itself, which cannot go on without looking at them; [`synccheck`] looks at the operands of barriers.
//!
//! [`Checked`] is the observer that counts and checks. Runs without checks use
//! [`Counters`] alone, and the compiler removes every call of this module from them.

mod blocks;
mod cells;
mod clocks;
mod copies;
mod early;
pub(crate) mod hook;
mod initcheck;
mod orders;
mod pages;
mod racecheck;
mod races;
mod shadow;
pub(crate) mod synccheck;
mod touch;
pub(crate) mod variables;
mod view;
mod written;

use std::str::FromStr;

use crate::ir::inst::{Op, Pc};
use crate::ir::slow_paths::Difference;
use crate::launch::Dim3;
use crate::machine::grid::Machine;
use crate::observe::counters::Counters;
use crate::observe::details::Details;
use crate::observe::{AccessEvent, MemoryEvent, Observer, SyncEvent};
use crate::observe::{inlining, metrics};
use crate::prepare::register_allocation::Code;
use crate::ptx::ast::Module;
use crate::report::{Finding, Party};
use initcheck::Initcheck;
use racecheck::Racecheck;
use view::Look;
pub(crate) use written::Coverage;

/// Which checks run, besides those that cost nothing and always do: `memcheck` and `synccheck`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks {
    /// Looks for races in shared and global memory.
    pub racecheck: bool,
    /// Looks for reads of memory that nobody has written.
    pub initcheck: bool,
}

impl Checks {
    /// Every check.
    pub const ALL: Self = Self { racecheck: true, initcheck: true };
    /// Only those that always run.
    pub const NONE: Self = Self { racecheck: false, initcheck: false };
}

impl FromStr for Checks {
    type Err = String;

    /// Reads `all` or names of checks with commas between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut checks = Self::NONE;
        for name in text.split(',') {
            match name.trim() {
                "all" => checks = Self::ALL,
                "memcheck" | "synccheck" => {}
                "racecheck" => checks.racecheck = true,
                "initcheck" => checks.initcheck = true,
                other => {
                    return Err(format!(
                        "there is no check `{other}`; there are all, memcheck, racecheck, initcheck and synccheck"
                    ));
                }
            }
        }
        Ok(checks)
    }
}

/// What the observers of one launch have in common, read off the kernel once.
pub(crate) struct Plan {
    races: Option<racecheck::Plan>,
    reads: Option<initcheck::Plan>,
    details: bool,
}

impl Plan {
    /// Which checks run on `machine`, and whether details are collected.
    pub(crate) fn new(machine: &Machine<'_>, checks: Checks, details: bool) -> Self {
        Self {
            races: checks.racecheck.then(|| racecheck::Plan::new(machine)),
            reads: checks.initcheck.then(|| initcheck::Plan::new(machine)),
            details,
        }
    }
}

/// Counts and checks.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The counters.
    pub counters: Counters,
    races: Option<Racecheck>,
    reads: Option<Initcheck>,
    /// What else was seen of each instruction, if asked for.
    pub details: Option<Box<Details>>,
    /// Shared memory of a block.
    shared_bytes: u64,
    /// The vector units that the checks are compiled for.
    cpu: pulp::Arch,
}

impl Checked {
    /// An observer that counts, and checks and collects details as planned.
    pub(crate) fn new(machine: &Machine<'_>, plan: &Plan) -> Self {
        Self {
            counters: Counters::of(machine),
            races: plan.races.as_ref().map(|plan| Racecheck::new(machine, plan)),
            reads: plan.reads.as_ref().map(|plan| Initcheck::new(machine, plan)),
            details: plan.details.then(|| Box::new(Details::new(machine))),
            shared_bytes: machine.shared_bytes,
            cpu: pulp::Arch::new(),
        }
    }

    /// What was counted without checks.
    pub(crate) fn unchecked(counters: Counters) -> Self {
        Self { counters, races: None, reads: None, details: None, shared_bytes: 0, cpu: pulp::Arch::new() }
    }

    #[inline(always)]
    fn access_here(&mut self, event: &AccessEvent<'_>) {
        let look = Look::at(event, self.shared_bytes);
        if let Some(races) = &mut self.races {
            races.access(event, &look);
        }
        if let Some(reads) = &mut self.reads {
            reads.access(event, &look);
            if let Some(races) = &mut self.races
                && !races.overtaken.is_empty()
            {
                for (space, address, bytes) in races.overtaken.drain(..) {
                    reads.excuse(space, address, bytes);
                }
            }
        }
    }

    /// Adds what an observer of later blocks saw.
    pub(crate) fn merge(&mut self, later: Self) {
        self.counters.merge(&later.counters);
        if let (Some(details), Some(later)) = (&mut self.details, later.details) {
            details.merge(*later);
        }
        if let (Some(races), Some(later)) = (&mut self.races, later.races) {
            races.merge(later);
        }
        if let (Some(reads), Some(later)) = (&mut self.reads, later.reads) {
            reads.merge(later);
        }
    }

    /// What of the buffer that begins at an address was written by the end of the launch, if it was not all and that
    /// was looked at.
    pub(crate) fn written(&self, base: u64) -> Option<Coverage> {
        self.reads.as_ref()?.written(base)
    }

    /// Whether blocks that ran side by side race: only a run in order tells how, and has one result.
    pub(crate) fn disordered(&self) -> bool {
        self.races.as_ref().is_some_and(|races| races.disordered)
    }

    /// What was found: errors and remarks.
    pub(crate) fn findings(&self, places: Places<'_>) -> Vec<Finding> {
        let mut findings = self.races.as_ref().map_or_else(Vec::new, |races| races.races.findings(places));
        if let Some(reads) = &self.reads {
            findings.extend(reads.findings(places));
        }
        findings
    }
}

impl Observer for Checked {
    const CHECKS: bool = true;

    type Held = (racecheck::Held, initcheck::Held);

    #[inline(always)]
    fn instruction(&mut self, pc: Pc, active: u32) {
        self.counters.instruction(pc, active);
        if let Some(details) = &mut self.details {
            details.instruction(pc, active);
        }
    }

    #[inline(always)]
    fn straight(&mut self, pc: Pc, length: usize, active: u32) {
        self.counters.straight(pc, length, active);
        if let Some(details) = &mut self.details {
            (pc..pc + length as Pc).for_each(|pc| details.instruction(pc, active));
        }
    }

    #[inline(always)]
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

    fn worked(&mut self, executed: u64) {
        self.counters.worked(executed);
    }

    fn engine(&mut self, pc: Pc, requests: u64, sectors: u64) {
        self.counters.engine(pc, requests, sectors);
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.cpu.dispatch(Access { checked: self, event });
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        if let Some(races) = &mut self.races {
            races.sync(event);
        }
        if let Some(reads) = &mut self.reads {
            reads.sync(event);
        }
    }

    fn exchange(&mut self, held: &mut Self::Held) {
        if let Some(races) = &mut self.races {
            races.exchange(&mut held.0);
        }
        if let Some(reads) = &mut self.reads {
            reads.exchange(&mut held.1);
        }
    }

    fn finish(&mut self, code: &Code) {
        self.counters.finish(code);
        if let Some(races) = &mut self.races {
            races.finish();
        }
        if let Some(reads) = &mut self.reads {
            reads.finish();
        }
    }
}

/// The arguments of [`Checked::access_here`], which is compiled for every kind of vector unit, as the executor is.
struct Access<'c, 'e> {
    checked: &'c mut Checked,
    event: &'c AccessEvent<'e>,
}

impl pulp::WithSimd for Access<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.checked.access_here(self.event);
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

    /// How the code of `pc` comes to stand at its line, if it is inlined: the end of a sentence.
    fn inlined(&self, pc: Pc) -> String {
        inlining::told(self.module, self.machine.program.insts[pc as usize].line)
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

    /// A thread block, as `blockIdx` gives it.
    fn block(&self, index: u64) -> String {
        let at = self.machine.grid.coordinates(index);
        match self.machine.grid {
            Dim3 { y: 1, z: 1, .. } => format!("{}", at.x),
            Dim3 { z: 1, .. } => format!("({},{})", at.x, at.y),
            _ => format!("({},{},{})", at.x, at.y, at.z),
        }
    }

    /// A thread as a party of a finding.
    fn party(&self, block: u64, thread: u32, pc: Pc, does: &str) -> Party {
        let (file, line) = self.line(pc);
        Party {
            file,
            line,
            does: does.to_owned(),
            block: self.machine.grid.coordinates(block).into(),
            thread: self.machine.block.coordinates(thread.into()).into(),
            warp: thread / 32,
            lane: thread % 32,
        }
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
