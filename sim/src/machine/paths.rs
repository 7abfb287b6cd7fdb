//! The paths that the lanes of a warp are on, and where they meet again.
//!
//! Since Volta every lane has its own program counter. Lanes that are at the same place run together as a *path*; a
//! branch that they take differently splits the path in two. Lanes that part set out for a *meeting*: they wait at its
//! place for each other, as `BSSY` and `BSYNC` of the hardware make them wait. A lane that exits, or takes a turn from
//! which no way leads to the meeting (`BREAK`), is not waited for. Unlike the older stack of divergent paths, any path
//! may run at any time: a lane that waits for another lane of its warp cannot block it.

use crate::ir::inst::{NEVER, Pc};
use crate::prepare::convergence_barriers::Parting;

/// Why a path does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It can run.
    None,
    /// At a barrier of the thread block with this number.
    Barrier(u32),
    /// At a `_sync` instruction, for the lanes of this mask.
    Lanes(u32),
}

/// Lanes at the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Path {
    /// The next instruction.
    pub pc: Pc,
    /// The lanes.
    pub lanes: u32,
    /// Why it does not run.
    pub wait: Wait,
}

/// A place where paths meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Meeting {
    /// The instruction before which they meet.
    pc: Pc,
    /// Lanes that are still to go on from here: they have neither exited nor given it up.
    expected: u32,
    /// Those of them that are there.
    arrived: u32,
    /// Nobody waits here any more: lanes that come go on at once.
    open: bool,
}

/// All paths of a warp.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Paths {
    /// The paths; none when every lane has exited.
    pub list: Vec<Path>,
    /// The meetings that lanes are on their way to, in the order in which they set out.
    meetings: Vec<Meeting>,
    live: u32,
}

impl Paths {
    /// All `lanes` at the kernel's first instruction.
    pub(crate) fn start(&mut self, lanes: u32) {
        self.meetings.clear();
        self.live = lanes;
        self.list.clear();
        if lanes != 0 {
            self.list.push(Path { pc: 0, lanes, wait: Wait::None });
        }
    }

    /// The lanes that have not exited.
    pub(crate) fn live(&self) -> u32 {
        self.live
    }

    /// Where lanes wait for others to meet them, and which.
    pub(crate) fn arrived(&self) -> impl Iterator<Item = (Pc, u32)> {
        self.meetings.iter().filter(|meeting| meeting.arrived != 0).map(|meeting| (meeting.pc, meeting.arrived))
    }

    /// Whether lanes are on their way to a meeting.
    #[inline(always)]
    pub(crate) fn will_meet(&self) -> bool {
        !self.meetings.is_empty()
    }

    /// `lanes` set out for a meeting before `pc`, unless they already have.
    fn set_out(&mut self, pc: Pc, lanes: u32) {
        let known = self.meetings.iter().filter(|meeting| meeting.pc == pc).fold(0, |sum, known| sum | known.expected);
        // Lanes that leave a loop one after another all wait at the same meeting.
        if lanes & !known != 0 {
            self.meetings.push(Meeting { pc, expected: lanes & !known, arrived: 0, open: false });
        }
    }

    /// The lanes of `path` part: `taken` go to `target`, the others to `next`; they meet again at `meet`.
    pub(crate) fn split(&mut self, path: usize, taken: u32, target: Pc, next: Pc, meet: Pc) {
        let Path { lanes, .. } = self.list[path];
        if meet != NEVER {
            self.set_out(meet, lanes);
        }
        self.list[path] = Path { pc: next, lanes: lanes & !taken, wait: Wait::None };
        self.list.push(Path { pc: target, lanes: taken, wait: Wait::None });
        let other = self.list.len() - 1;
        // The later one first: removing it does not move the other.
        if target == meet {
            self.arrive(other);
        }
        if next == meet {
            self.arrive(path);
        }
    }

    /// The lanes of `path` come to a branch at which they may set out for places where only some of them meet, or give
    /// such places up: `taken` go to `target`, the others to `next`; all meet at `meet`. Where they go on, if they stay
    /// together.
    pub(crate) fn part(
        &mut self,
        path: usize,
        taken: u32,
        (target, next, meet): (Pc, Pc, Pc),
        parting: &Parting,
    ) -> Option<Pc> {
        let lanes = self.list[path].lanes;
        let parts = taken != 0 && taken != lanes;
        // All set out for the outermost meeting first: it is the last that they come to.
        if parts && meet != NEVER {
            self.set_out(meet, lanes);
        }
        for &place in &parting.opens {
            self.set_out(place, lanes);
        }
        let mut given_up = 0;
        for (places, lanes) in [(&parting.taken, taken), (&parting.passed, lanes & !taken)] {
            for &place in places.iter().filter(|_| lanes != 0) {
                for meeting in self.meetings.iter_mut().filter(|meeting| meeting.pc == place) {
                    given_up |= meeting.expected & lanes;
                    meeting.expected &= !lanes;
                }
            }
        }
        if parts {
            self.split(path, taken, target, next, meet);
        }
        if given_up != 0 {
            self.release();
        }
        (!parts).then_some(if taken == 0 { next } else { target })
    }

    /// The path that a warp with one program counter runs: the one whose meeting was made last, for the stack of
    /// divergent paths finishes the inner ones first.
    pub(crate) fn innermost(&self) -> Option<usize> {
        let meeting = |lanes: u32| self.meetings.iter().rposition(|meeting| meeting.expected & lanes != 0);
        (0..self.list.len()).max_by_key(|&path| meeting(self.list[path].lanes))
    }

    /// Whether the path waits before `pc`, where lanes may meet: false when all lanes of the meeting are on it.
    pub(crate) fn meets(&mut self, path: usize, pc: Pc) -> bool {
        let lanes = self.list[path].lanes;
        let here = |meeting: &&Meeting| meeting.pc == pc && meeting.expected & lanes != 0;
        let Some(first) = self.meetings.iter().find(here) else { return false };
        if first.expected != lanes {
            return true;
        }
        self.meetings.retain(|meeting| meeting.pc != pc || meeting.expected != lanes);
        false
    }

    /// The path is at a meeting: its lanes wait there, and all go on together when the last one comes.
    pub(crate) fn arrive(&mut self, path: usize) {
        let Path { pc, lanes, .. } = self.list[path];
        let mut rest = lanes;
        for meeting in self.meetings.iter_mut().filter(|meeting| meeting.pc == pc) {
            let here = rest & meeting.expected;
            rest &= !here;
            if meeting.open {
                meeting.expected &= !here;
                rest |= here;
            } else {
                meeting.arrived |= here;
            }
        }
        if rest == 0 {
            self.list.swap_remove(path);
        } else {
            self.list[path].lanes = rest;
        }
        self.release();
    }

    /// Lets the lanes of every meeting go on at which all are there.
    fn release(&mut self) {
        for at in (0..self.meetings.len()).rev() {
            let Meeting { pc, expected, arrived, .. } = self.meetings[at];
            if expected == arrived {
                self.meetings.remove(at);
                if arrived != 0 {
                    self.list.push(Path { pc, lanes: arrived, wait: Wait::None });
                }
            }
        }
        // Lanes that wait for each other at different places: no graph that branches make leads there, as far as known.
        if self.list.is_empty() && self.live != 0 {
            self.stop_waiting();
        }
    }

    /// Lets all lanes go on that wait for others to meet them: those others wait for them. True when there were some.
    pub(crate) fn stop_waiting(&mut self) -> bool {
        let mut any = false;
        for meeting in self.meetings.iter_mut().filter(|meeting| meeting.arrived != 0) {
            let lanes = std::mem::take(&mut meeting.arrived);
            meeting.expected &= !lanes;
            meeting.open = true;
            self.list.push(Path { pc: meeting.pc, lanes, wait: Wait::None });
            any = true;
        }
        any
    }

    /// Lets the paths that `which` chooses go on behind the instruction at which they waited. Those that waited at the
    /// same one go on together.
    pub(crate) fn wake(&mut self, which: impl Fn(&Path) -> bool) {
        let mut at = 0;
        while at < self.list.len() {
            let path = self.list[at];
            if !which(&path) {
                at += 1;
                continue;
            }
            let woken = Path { pc: path.pc + 1, wait: Wait::None, ..path };
            let same = |other: &Path| (other.pc, other.wait) == (woken.pc, Wait::None);
            match self.list[..at].iter().position(same) {
                Some(other) => {
                    self.list[other].lanes |= path.lanes;
                    self.list.remove(at);
                }
                None => {
                    self.list[at] = woken;
                    at += 1;
                }
            }
        }
    }

    /// `lanes` of `path` exit; the others go on at `next`.
    pub(crate) fn exit(&mut self, path: usize, lanes: u32, next: Pc) {
        self.list[path].lanes &= !lanes;
        self.list[path].pc = next;
        if self.list[path].lanes == 0 {
            self.list.swap_remove(path);
        }
        self.live &= !lanes;
        self.meetings.iter_mut().for_each(|meeting| meeting.expected &= !lanes);
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the only path of `lanes` up to `pc` and lets it arrive there.
    fn arrive(paths: &mut Paths, lanes: u32, pc: Pc) {
        let path = paths.list.iter().position(|path| path.lanes == lanes).expect("a path of these lanes");
        paths.list[path].pc = pc;
        if paths.meets(path, pc) {
            paths.arrive(path);
        }
    }

    #[test]
    fn both_sides_of_an_if_meet_behind_it() {
        let mut paths = Paths::default();
        paths.start(0xff);
        paths.split(0, 0x0f, 10, 1, 20);
        assert_eq!(paths.list.len(), 2);
        arrive(&mut paths, 0x0f, 20);
        assert_eq!(paths.list.len(), 1, "half of the lanes wait");
        arrive(&mut paths, 0xf0, 20);
        assert_eq!(paths.list, [Path { pc: 20, lanes: 0xff, wait: Wait::None }]);
    }

    #[test]
    fn an_if_without_else_waits_for_the_lanes_inside() {
        let mut paths = Paths::default();
        paths.start(3);
        paths.split(0, 1, 5, 1, 5);
        assert_eq!(paths.list, [Path { pc: 1, lanes: 2, wait: Wait::None }]);
        arrive(&mut paths, 2, 5);
        assert_eq!(paths.list, [Path { pc: 5, lanes: 3, wait: Wait::None }]);
    }

    #[test]
    fn lanes_leave_a_loop_one_by_one() {
        let mut paths = Paths::default();
        paths.start(7);
        for lanes in [7u32, 6, 4] {
            let path = paths.list.iter().position(|p| p.lanes == lanes).expect("the loop's path");
            let leaving = lanes & lanes.wrapping_neg();
            if leaving == lanes {
                arrive(&mut paths, lanes, 9);
            } else {
                // `@p bra loop`: the others go back to 1, the leaving lane falls through to 9.
                paths.split(path, lanes & !leaving, 1, 9, 9);
            }
        }
        assert_eq!(paths.list, [Path { pc: 9, lanes: 7, wait: Wait::None }]);
    }

    #[test]
    fn a_meeting_that_is_given_up_lets_later_lanes_pass() {
        let mut paths = Paths::default();
        paths.start(7);
        paths.split(0, 6, 1, 9, 9); // lane 0 leaves the loop, the others spin
        assert_eq!(paths.list.len(), 1);
        assert!(paths.stop_waiting());
        assert!(paths.list.contains(&Path { pc: 9, lanes: 1, wait: Wait::None }));
        let spinning = paths.list.iter().position(|p| p.lanes == 6).expect("the loop's path");
        paths.split(spinning, 4, 1, 9, 9);
        assert!(paths.list.contains(&Path { pc: 9, lanes: 2, wait: Wait::None }), "it does not wait");
        arrive(&mut paths, 4, 9);
        assert!(!paths.stop_waiting());
        for lanes in [1, 2, 4] {
            let path = paths.list.iter().position(|p| p.lanes == lanes).expect("a path");
            paths.exit(path, lanes, 10);
        }
        assert_eq!((paths.list.len(), paths.live()), (0, 0));
    }

    #[test]
    fn nobody_waits_for_lanes_that_exited() {
        let mut paths = Paths::default();
        paths.start(0xf);
        paths.split(0, 0x3, 10, 1, 20); // outer if
        let inner = paths.list.iter().position(|p| p.lanes == 0x3).expect("taken side");
        paths.split(inner, 0x1, 15, 11, 18); // inner if
        let path = paths.list.iter().position(|p| p.lanes == 0x1).expect("lane 0");
        paths.exit(path, 0x1, 16);
        arrive(&mut paths, 0x2, 18); // meets nobody at 18 and goes on
        assert!(paths.list.contains(&Path { pc: 18, lanes: 0x2, wait: Wait::None }));
        arrive(&mut paths, 0x2, 20);
        arrive(&mut paths, 0xc, 20);
        assert_eq!(paths.list, [Path { pc: 20, lanes: 0xe, wait: Wait::None }]);
        assert_eq!(paths.live(), 0xe);
        paths.exit(0, 0xe, 21);
        assert!(paths.list.is_empty());
        assert_eq!(paths.live(), 0);
    }

    #[test]
    fn lanes_that_give_a_place_up_are_not_waited_for() {
        // `if (a || b) x;`: 0 tests a and goes to x at 10, else 1 tests b and goes there, or behind it to 20.
        let mut paths = Paths::default();
        paths.start(0xf);
        let opens = Parting { opens: vec![10], ..Parting::default() };
        assert_eq!(paths.part(0, 0x3, (10, 1, 20), &opens), None);
        arrive(&mut paths, 0x3, 10);
        let gives_up = Parting { passed: vec![10], ..Parting::default() };
        let path = paths.list.iter().position(|path| path.lanes == 0xc).expect("the others");
        assert_eq!(paths.part(path, 0x4, (10, 20, 20), &gives_up), None);
        arrive(&mut paths, 0x4, 10);
        assert_eq!(paths.list, [Path { pc: 10, lanes: 0x7, wait: Wait::None }], "x runs once");
        arrive(&mut paths, 0x7, 20);
        assert_eq!(paths.list, [Path { pc: 20, lanes: 0xf, wait: Wait::None }]);
    }
}
