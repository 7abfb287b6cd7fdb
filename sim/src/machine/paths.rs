//! The paths that the lanes of a warp are on, and where they meet again.
//!
//! Since Volta every lane has its own program counter. Lanes that are at the same place run together as a *path*; a
//! branch that they take differently splits the path in two, which meet again at the branch's meeting point (its
//! immediate post-dominator, as `BSSY`/`BSYNC` do it). Unlike the older stack of divergent paths, any path may run at
//! any time: a lane that waits for another lane of its warp cannot block it.

use crate::program::inst::{NEVER, Pc};

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
    /// Index of the meeting they are on their way to.
    pub meeting: usize,
    /// Why it does not run.
    pub wait: Wait,
}

/// A place where paths meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Meeting {
    /// The instruction before which they meet.
    pc: Pc,
    /// Lanes that are still to be there: neither gone on nor exited.
    expected: u32,
    /// Lanes that are there.
    arrived: u32,
    /// The meeting that the lanes are on their way to afterwards.
    next: usize,
    /// Nobody waits here any more: lanes that come go on at once.
    open: bool,
}

/// All paths of a warp.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Paths {
    /// The paths; none when every lane has exited.
    pub list: Vec<Path>,
    meetings: Vec<Meeting>,
}

/// The outermost meeting: the end of the kernel.
const OUTERMOST: usize = 0;

impl Paths {
    /// All `lanes` at the kernel's first instruction.
    pub(crate) fn start(&mut self, lanes: u32) {
        self.meetings.clear();
        self.meetings.push(Meeting { pc: NEVER, expected: lanes, arrived: 0, next: OUTERMOST, open: false });
        self.list.clear();
        if lanes != 0 {
            self.list.push(Path { pc: 0, lanes, meeting: OUTERMOST, wait: Wait::None });
        }
    }

    /// The lanes that have not exited.
    pub(crate) fn live(&self) -> u32 {
        self.meetings.first().map_or(0, |outermost| outermost.expected)
    }

    /// Where the lanes of a path meet others: it stops before this instruction.
    #[inline(always)]
    pub(crate) fn meeting_pc(&self, path: usize) -> Pc {
        self.meetings[self.list[path].meeting].pc
    }

    /// The lanes of `path` part: `taken` go to `target`, the others to `next`; they meet again at `meet`.
    pub(crate) fn split(&mut self, path: usize, taken: u32, target: Pc, next: Pc, meet: Pc) {
        let Path { lanes, meeting, .. } = self.list[path];
        // Lanes that leave a loop one after another all wait at the same meeting.
        let meeting = if meet == NEVER || self.meetings[meeting].pc == meet {
            meeting
        } else {
            self.meetings.push(Meeting { pc: meet, expected: lanes, arrived: 0, next: meeting, open: false });
            self.meetings.len() - 1
        };
        self.list[path] = Path { pc: next, lanes: lanes & !taken, meeting, wait: Wait::None };
        self.list.push(Path { pc: target, lanes: taken, meeting, wait: Wait::None });
        let other = self.list.len() - 1;
        // The later one first: removing it does not move the other.
        if target == meet && meet != NEVER {
            self.arrive(other);
        }
        if next == meet && meet != NEVER {
            self.arrive(path);
        }
    }

    /// The path that a warp with one program counter runs: the one whose meeting was made last, for the stack of
    /// divergent paths finishes the inner ones first.
    pub(crate) fn innermost(&self) -> Option<usize> {
        (0..self.list.len()).max_by_key(|&path| self.list[path].meeting)
    }

    /// The path is at its meeting: it waits there, and all go on together when the last one comes.
    pub(crate) fn arrive(&mut self, path: usize) {
        let Path { lanes, meeting, .. } = self.list.swap_remove(path);
        self.come(meeting, lanes);
    }

    /// Lanes come to a meeting, and on to the next one if they need not wait and it is at the same place.
    fn come(&mut self, meeting: usize, lanes: u32) {
        if self.meetings[meeting].open {
            self.go_on(meeting, lanes);
        } else {
            self.meetings[meeting].arrived |= lanes;
            self.release(meeting);
        }
    }

    /// `lanes` leave a meeting behind.
    fn go_on(&mut self, meeting: usize, lanes: u32) {
        let Meeting { pc, next, .. } = self.meetings[meeting];
        self.meetings[meeting].expected &= !lanes;
        // Meetings are made and completed like brackets, so the empty ones are at the end of the list sooner or later.
        while self.meetings.len() > 1 && self.meetings.last().is_some_and(|last| last.expected == 0) {
            self.meetings.pop();
        }
        if next != OUTERMOST && self.meetings[next].pc == pc {
            self.come(next, lanes);
        } else {
            self.list.push(Path { pc, lanes, meeting: next, wait: Wait::None });
        }
    }

    /// Lets the lanes of a meeting go on if all are there.
    fn release(&mut self, mut meeting: usize) {
        while meeting != OUTERMOST {
            let Meeting { expected, arrived, next, .. } = self.meetings[meeting];
            if arrived != expected {
                return;
            }
            self.meetings[meeting].arrived = 0;
            if arrived != 0 {
                self.go_on(meeting, arrived);
                return;
            }
            // All lanes exited on the way; the meeting around this one may be complete now.
            meeting = next;
        }
    }

    /// Lets all lanes go on that wait for others to meet them: those others wait for them. True when there were some.
    pub(crate) fn stop_waiting(&mut self) -> bool {
        let mut any = false;
        for meeting in (1..self.meetings.len()).rev() {
            // The list of meetings can get shorter on the way.
            if self.meetings.get(meeting).is_some_and(|meeting| meeting.arrived != 0) {
                let lanes = std::mem::take(&mut self.meetings[meeting].arrived);
                self.meetings[meeting].open = true;
                self.go_on(meeting, lanes);
                any = true;
            }
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
            let same = |other: &Path| (other.pc, other.meeting, other.wait) == (woken.pc, woken.meeting, Wait::None);
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
        let meeting = self.list[path].meeting;
        self.list[path].lanes &= !lanes;
        self.list[path].pc = next;
        if self.list[path].lanes == 0 {
            self.list.swap_remove(path);
        }
        let mut at = meeting;
        loop {
            self.meetings[at].expected &= !lanes;
            if at == OUTERMOST {
                break;
            }
            at = self.meetings[at].next;
        }
        self.release(meeting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the only path of `lanes` up to `pc` and lets it arrive there.
    fn arrive(paths: &mut Paths, lanes: u32) {
        let path = paths.list.iter().position(|path| path.lanes == lanes).expect("a path of these lanes");
        paths.arrive(path);
    }

    #[test]
    fn both_sides_of_an_if_meet_behind_it() {
        let mut paths = Paths::default();
        paths.start(0xff);
        paths.split(0, 0x0f, 10, 1, 20);
        assert_eq!(paths.list.len(), 2);
        arrive(&mut paths, 0x0f);
        assert_eq!(paths.list.len(), 1, "half of the lanes wait");
        arrive(&mut paths, 0xf0);
        assert_eq!(paths.list, [Path { pc: 20, lanes: 0xff, meeting: 0, wait: Wait::None }]);
    }

    #[test]
    fn an_if_without_else_waits_for_the_lanes_inside() {
        let mut paths = Paths::default();
        paths.start(3);
        paths.split(0, 1, 5, 1, 5);
        assert_eq!(paths.list, [Path { pc: 1, lanes: 2, meeting: 1, wait: Wait::None }]);
        arrive(&mut paths, 2);
        assert_eq!(paths.list, [Path { pc: 5, lanes: 3, meeting: 0, wait: Wait::None }]);
    }

    #[test]
    fn lanes_leave_a_loop_one_by_one() {
        let mut paths = Paths::default();
        paths.start(7);
        for lanes in [7u32, 6, 4] {
            let path = paths.list.iter().position(|p| p.lanes == lanes).expect("the loop's path");
            let leaving = lanes & lanes.wrapping_neg();
            if leaving == lanes {
                paths.arrive(path);
            } else {
                // `@p bra loop`: the others go back to 1, the leaving lane falls through to 9.
                paths.split(path, lanes & !leaving, 1, 9, 9);
            }
        }
        assert_eq!(paths.list, [Path { pc: 9, lanes: 7, meeting: 0, wait: Wait::None }]);
    }

    #[test]
    fn a_meeting_that_is_given_up_lets_later_lanes_pass() {
        let mut paths = Paths::default();
        paths.start(7);
        paths.split(0, 6, 1, 9, 9); // lane 0 leaves the loop, the others spin
        assert_eq!(paths.list.len(), 1);
        assert!(paths.stop_waiting());
        assert!(paths.list.contains(&Path { pc: 9, lanes: 1, meeting: 0, wait: Wait::None }));
        let spinning = paths.list.iter().position(|p| p.lanes == 6).expect("the loop's path");
        paths.split(spinning, 4, 1, 9, 9);
        assert!(paths.list.contains(&Path { pc: 9, lanes: 2, meeting: 0, wait: Wait::None }), "it does not wait");
        arrive(&mut paths, 4);
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
        arrive(&mut paths, 0x2); // meets nobody at 18 and goes on
        assert!(paths.list.contains(&Path { pc: 18, lanes: 0x2, meeting: 1, wait: Wait::None }));
        arrive(&mut paths, 0x2);
        arrive(&mut paths, 0xc);
        assert_eq!(paths.list, [Path { pc: 20, lanes: 0xe, meeting: 0, wait: Wait::None }]);
        assert_eq!(paths.live(), 0xe);
        paths.exit(0, 0xe, 21);
        assert!(paths.list.is_empty());
        assert_eq!(paths.live(), 0);
    }
}
