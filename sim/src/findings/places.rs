//! Names for places: in the source, in the grid, in memory.

use super::Party;
use crate::event::LaunchInfo;
use crate::ir::inst::{Op, Pc};
use crate::launch::Dim3;
use crate::ptx::ast::Module;
use crate::ptx::inlining;

/// What is needed to name places in memory and in the source.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    /// The launch.
    pub launch: LaunchInfo<'a>,
    /// The module, for the names of its files.
    pub module: &'a Module,
    /// Name of the PTX file.
    pub ptx: &'a str,
}

impl Places<'_> {
    /// File and line of an instruction.
    pub(crate) fn line(&self, pc: Pc) -> (String, u32) {
        self.launch.program.place(self.module, self.ptx, pc as usize)
    }

    /// How the code of `pc` comes to stand at its line, if it is inlined: the end of a sentence.
    pub(crate) fn inlined(&self, pc: Pc) -> String {
        inlining::told(self.module, self.launch.program.insts[pc as usize].line)
    }

    /// The place of `pc` as a message about `here` says it: the file only if it is another one.
    pub(crate) fn reference(&self, pc: Pc, here: Pc) -> String {
        let ((file, line), (our_file, our_line)) = (self.line(pc), self.line(here));
        match (file == our_file, line == our_line) {
            (true, true) => format!("in line {line} too"),
            (true, false) => format!("in line {line}"),
            (false, _) => format!("in line {line} of {file}"),
        }
    }

    /// Whether a loop contains both instructions, the first before the second.
    pub(crate) fn in_a_loop(&self, first: Pc, second: Pc) -> bool {
        let insts = &self.launch.program.insts[second as usize..];
        insts.iter().any(|inst| matches!(inst.op, Op::Branch { target, .. } if target <= first))
    }

    /// A thread block, as `blockIdx` gives it.
    pub(crate) fn block(&self, index: u64) -> String {
        let at = self.launch.grid.coordinates(index);
        match self.launch.grid {
            Dim3 { y: 1, z: 1, .. } => format!("{}", at.x),
            Dim3 { z: 1, .. } => format!("({},{})", at.x, at.y),
            _ => format!("({},{},{})", at.x, at.y, at.z),
        }
    }

    /// A thread as a party of a finding.
    pub(crate) fn party(&self, block: u64, thread: u32, pc: Pc, does: &str) -> Party {
        let (file, line) = self.line(pc);
        Party {
            file,
            line,
            does: does.to_owned(),
            block: self.launch.grid.coordinates(block).into(),
            thread: self.launch.block.coordinates(thread.into()).into(),
            warp: thread / 32,
            lane: thread % 32,
        }
    }

    /// A thread's place in its block, as `threadIdx` gives it.
    pub(crate) fn thread(&self, index: u32) -> String {
        let Dim3 { x, y, z } = self.launch.block.coordinates(index.into());
        match self.launch.block {
            Dim3 { y: 1, z: 1, .. } => format!("{x}"),
            Dim3 { z: 1, .. } => format!("({x},{y})"),
            _ => format!("({x},{y},{z})"),
        }
    }

    /// Where a barrier belongs that keeps the accesses of two instructions apart.
    pub(crate) fn between(&self, earlier: Pc, later: Pc) -> String {
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
