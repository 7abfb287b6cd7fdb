//! Steps and runs, and why they stop.

use serde_json::{Value, json};
use sim::session::{Direction, Unit};

use super::adapter::{Adapter, Answer};
use super::protocol::{Granularity, OfThread};
use crate::model::{Stop, Warp};

impl Adapter {
    /// The number of a warp among the threads.
    pub(super) fn thread_id(&mut self, (block, warp): Warp) -> Result<u64, String> {
        Ok(block.saturating_mul(u64::from(self.model()?.warps())).saturating_add(u64::from(warp) + 1))
    }

    /// The warp that is a thread.
    pub(super) fn warp(&mut self, thread: u64) -> Result<Warp, String> {
        let model = self.model()?;
        let warps = u64::from(model.warps());
        let own = thread.checked_sub(1).map(|index| (index / warps, (index % warps) as u32));
        own.filter(|warp| model.has(*warp)).ok_or_else(|| format!("there is no thread {thread}"))
    }

    /// Tells that the launch stands still, and forgets what was told of where it stood before.
    pub(super) fn stopped(&mut self, reason: &str, text: Option<(String, String)>) {
        self.frames.clear();
        self.handles.clear();
        if reason != "exception" {
            self.finding = None;
        }
        let Ok(look) = self.model().map(|model| model.look()) else { return };
        let thread = self.thread_id(look).unwrap_or(1);
        let mut body = json!({"reason": reason, "threadId": thread, "allThreadsStopped": true});
        if let Some((description, text)) = text {
            body["description"] = description.into();
            body["text"] = text.into();
        }
        self.event("stopped", body);
    }

    fn stopped_at(&mut self, stop: Stop) -> Result<(), String> {
        let words = self.commands()?.stopped(stop);
        match stop {
            Stop::Breakpoint(number) => {
                self.stopped("breakpoint", None);
                self.last_event()["body"]["hitBreakpointIds"] = json!([number]);
            }
            Stop::Finding(index) => {
                self.finding = Some(index);
                self.stopped("exception", Some(("Paused on a finding".to_owned(), words)));
            }
            Stop::End | Stop::Beginning => self.stopped("pause", Some((words.clone(), words))),
        }
        Ok(())
    }

    /// Runs to the next breakpoint or finding, or to an end.
    pub(super) fn run(&mut self, direction: Direction) -> Result<(), String> {
        let stop = self.model()?.run(direction);
        self.stopped_at(stop)
    }

    /// Steps a warp. Where a step forwards passes a finding, it stops there.
    pub(super) fn step(&mut self, request: &str, wanted: OfThread) -> Answer {
        let warp = self.warp(wanted.thread_id)?;
        let instruction = wanted.granularity == Granularity::Instruction;
        let model = self.model()?;
        model.look_at(warp)?;
        let from = model.position();
        let mut by = |unit: Unit, direction: Direction| model.step(unit, direction, 1) == 1;
        let moved = match request {
            "next" if !instruction => model.over(Direction::Forward),
            "stepIn" if !instruction => by(Unit::Line, Direction::Forward),
            "next" | "stepIn" => by(Unit::Warp, Direction::Forward),
            "stepOut" => model.out(),
            _ if instruction => by(Unit::Warp, Direction::Back),
            _ => model.over(Direction::Back),
        };
        let to = model.position();
        let passed = |at: u64| at > from && at <= to;
        let findings = model.findings().iter().position(|found| model.stops_at_findings && passed(found.position));
        if let Some(index) = findings {
            let position = model.findings()[index].position;
            model.jump(Some(position));
            self.stopped_at(Stop::Finding(index))?;
        } else if moved {
            self.stopped("step", None);
        } else {
            let words = "This warp has no step there".to_owned();
            self.stopped("step", Some((words.clone(), words)));
        }
        Ok(Value::Null)
    }
}
