//! Who watches a session's launch: the recorder when it runs for the first time, afterwards the accesses of the last step.
//!
//! Both are one type, so that the executor is compiled for one observer of sessions and not for two: in a page every
//! executor is part of what a reader loads.

use super::record::Recorder;
use super::replay::Replay;
use crate::check::Checked;
use crate::event::{AccessEvent, MemoryEvent, Observer, SyncEvent};
use crate::ir::inst::Pc;
use crate::ir::slow_paths::Difference;
use crate::prepare::register_allocation::Code;

/// The observer of a session.
pub(super) enum Eye {
    /// Writes everything down, and looks for bugs.
    Record(Box<Recorder>),
    /// Keeps the accesses of the last step.
    Replay(Replay),
}

impl Eye {
    fn recorder(&mut self) -> Option<&mut Recorder> {
        match self {
            Self::Record(recorder) => Some(recorder),
            Self::Replay(_) => None,
        }
    }
}

impl Observer for Eye {
    // A replay runs as the first run did, and only drops what the checks are told.
    const CHECKS: bool = true;
    const STEPS: bool = true;

    type Held = <Checked as Observer>::Held;

    fn step(&mut self, pc: Pc, lanes: u32, found: usize) {
        match self {
            Self::Record(recorder) => recorder.step(pc, lanes, found),
            Self::Replay(replay) => replay.step(),
        }
    }

    fn instruction(&mut self, pc: Pc, active: u32) {
        if let Some(recorder) = self.recorder() {
            recorder.instruction(pc, active);
        }
    }

    fn straight(&mut self, pc: Pc, length: usize, active: u32) {
        if let Some(recorder) = self.recorder() {
            recorder.straight(pc, length, active);
        }
    }

    fn memory(&mut self, event: &MemoryEvent<'_>) {
        match self {
            Self::Record(recorder) => recorder.memory(event),
            Self::Replay(replay) => replay.memory(event),
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        if let Some(recorder) = self.recorder() {
            recorder.access(event);
        }
    }

    fn turn(&mut self, block: u64, warp: u32) {
        if let Some(recorder) = self.recorder() {
            recorder.turn(block, warp);
        }
    }

    fn waited(&mut self, pc: Pc, warp: u32, steps: u64) {
        if let Some(recorder) = self.recorder() {
            recorder.waited(pc, warp, steps);
        }
    }

    fn unusual(&mut self, pc: Pc, difference: Difference) {
        if let Some(recorder) = self.recorder() {
            recorder.unusual(pc, difference);
        }
    }

    fn communicate(&mut self, pc: Pc, thread_instructions: u32) {
        if let Some(recorder) = self.recorder() {
            recorder.communicate(pc, thread_instructions);
        }
    }

    fn engine(&mut self, pc: Pc, requests: u64, sectors: u64) {
        if let Some(recorder) = self.recorder() {
            recorder.engine(pc, requests, sectors);
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        if let Some(recorder) = self.recorder() {
            recorder.sync(event);
        }
    }

    fn exchange(&mut self, held: &mut Self::Held) {
        if let Some(recorder) = self.recorder() {
            recorder.exchange(held);
        }
    }

    fn finish(&mut self, code: &Code) {
        if let Some(recorder) = self.recorder() {
            recorder.finish(code);
        }
    }
}
