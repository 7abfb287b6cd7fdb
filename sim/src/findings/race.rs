//! Races: two accesses to one place that nothing orders, and how they are told.

use super::early;
use super::names;
use super::{Early, Finding, FindingKind, Memory, Places, Severity};
use crate::event::AccessKind;
use crate::ir::inst::{Pc, Space};
use crate::lanes::lanes_of;

/// What two accesses do to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hazard {
    /// What the access did that was executed first.
    pub earlier: AccessKind,
    /// What the other does.
    pub later: AccessKind,
}

/// One of the two threads of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accessor {
    /// Linear index of the block.
    pub block: u64,
    /// Number within the block.
    pub thread: u32,
    /// Its instruction.
    pub pc: Pc,
}

/// Why a race is a remark and no error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pardon {
    /// There is no reason: it is an error.
    None,
    /// Both write, and the same value.
    Equal,
    /// Both are volatile, or one is and the other an atomic: to PTX no data race, and in no order.
    Volatile,
    /// Both are atomic or volatile, and what would order them lacks the fence of the thread that reads the flag.
    Unfenced,
}

/// A race, as it was seen the first time.
#[derive(Debug, Clone)]
pub(crate) struct Race {
    /// What the two do.
    pub hazard: Hazard,
    /// Why it is a remark, if it is.
    pub pardon: Pardon,
    /// Both are lanes of one warp that execute the same instruction together.
    pub together: bool,
    /// The earlier access is an asynchronous copy that may be under way, or the later one a copy that does not see the
    /// earlier one; and why.
    pub early: Option<Early>,
    /// The access that was executed first.
    pub earlier: Accessor,
    /// The other.
    pub later: Accessor,
    /// The lanes of the later access's warp that race in this instruction.
    pub lanes: u32,
    /// Time of the later access.
    pub time: u32,
    /// Shared or global memory.
    pub space: Space,
    /// Address of the element that the later access touches.
    pub address: u64,
    /// Size of the element.
    pub bytes: u32,
    /// Pairs of accesses that race like this.
    pub count: u64,
}

/// How far apart the threads of a race are. What orders the farthest orders the nearer ones, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Lanes of one warp.
    Warp,
    /// Warps of one block.
    Block,
    /// Blocks of the grid.
    Grid,
}

/// What the other races of a launch say of how one is to be mended.
pub(crate) struct RaceContext {
    /// How far the widest race reaches that has a line in common with this one; between blocks, both lines.
    pub reach: Reach,
    /// A line reads and writes plainly what the other one updates atomically.
    pub plain_update: bool,
}

impl Hazard {
    /// The name of the hazard, as compute-sanitizer and the literature on pipelines have it.
    fn name(self) -> &'static str {
        use AccessKind::{Atomic, Load, Store};
        match (self.earlier, self.later) {
            (Store, Load) => "read after write",
            (Load, Store) => "write after read",
            (Atomic, Load) => "read after atomic update",
            (Atomic, Store) => "write after atomic update",
            (Load, Atomic) => "atomic update after read",
            (Store, Atomic) => "atomic update after write",
            _ => "write after write",
        }
    }
}

impl Race {
    /// The same race, told in the order of the program instead of the order in which it was executed, which is luck.
    /// In a loop both orders are the program's.
    fn in_program_order(&self, places: Places<'_>) -> Self {
        let ordered = if self.early.is_some() {
            true
        } else if self.same_block() {
            self.earlier.pc <= self.later.pc || self.together || places.in_a_loop(self.later.pc, self.earlier.pc)
        } else {
            // Which block came first is luck, too: first who wrote, then who read.
            self.hazard.earlier != AccessKind::Load
        };
        if ordered {
            return self.clone();
        }
        let hazard = Hazard { earlier: self.hazard.later, later: self.hazard.earlier };
        let lanes = 1 << (self.earlier.thread % 32);
        Self { hazard, earlier: self.later, later: self.earlier, lanes, ..self.clone() }
    }

    /// How far apart its threads are.
    pub(crate) const fn reach(&self) -> Reach {
        if self.earlier.block != self.later.block {
            Reach::Grid
        } else if self.earlier.thread / 32 == self.later.thread / 32 {
            Reach::Warp
        } else {
            Reach::Block
        }
    }

    /// Whether one line wrote twice. Threads that go through the same line seldom want to take turns there.
    fn writes_of_one_line(&self, places: Places<'_>) -> bool {
        let stores = (self.hazard.earlier, self.hazard.later) == (AccessKind::Store, AccessKind::Store);
        stores && places.line(self.earlier.pc) == places.line(self.later.pc)
    }

    fn same_block(&self) -> bool {
        self.earlier.block == self.later.block
    }

    /// The finding; `context` is what the other races of the launch say.
    pub(crate) fn finding(&self, places: Places<'_>, context: &RaceContext) -> Finding {
        let this = self.in_program_order(places);
        let (file, line) = places.line(this.later.pc);
        Finding {
            kind: FindingKind::Race,
            severity: if this.pardon == Pardon::None { Severity::Error } else { Severity::Remark },
            message: this.message(places) + &places.inlined(this.later.pc),
            help: this.help(places, context),
            file,
            line,
            seed: places.launch.seed,
            block: places.launch.grid.coordinates(this.later.block).into(),
            warp: this.later.thread / 32,
            lanes: lanes_of(this.lanes).collect(),
            count: this.count,
            space: Some(Memory::of(this.space)),
            parties: vec![
                places.party(this.later.block, this.later.thread, this.later.pc, does(this.hazard.later)),
                places.party(this.earlier.block, this.earlier.thread, this.earlier.pc, does(this.hazard.earlier)),
            ],
        }
    }

    fn message(&self, places: Places<'_>) -> String {
        let what = names::name(&places.launch, self.space, self.address, self.bytes);
        let who = |party: Accessor| {
            let (warp, lane) = (party.thread / 32, party.thread % 32);
            let block =
                if self.same_block() { String::new() } else { format!("block {}, ", places.block(party.block)) };
            format!("thread {} ({block}warp {warp}, lane {lane})", places.thread(party.thread))
        };
        let (earlier, later) = (who(self.earlier), who(self.later));
        let at = places.reference(self.earlier.pc, self.later.pc);
        if let Some(early) = self.early {
            let (does_now, did) = (self.hazard.later, self.hazard.earlier);
            return early::message(early, (&later, does_now), &what, (&earlier, did, &at));
        }
        if self.together {
            let values = if self.pardon == Pardon::Equal { "the same value" } else { "different values" };
            return format!("{earlier} and {later} write {values} to {what} with one instruction, {at}");
        }
        let (later_does, earlier_does) = (does(self.hazard.later), does(self.hazard.earlier));
        let atomic = [self.hazard.earlier, self.hazard.later].contains(&AccessKind::Atomic);
        let nothing = match self.pardon {
            Pardon::None => "nothing orders the two",
            Pardon::Equal => "the value is the same, but nothing orders the two",
            Pardon::Volatile if atomic => "one is volatile and one an atomic, and nothing orders the two",
            Pardon::Volatile => "both are volatile, and nothing orders the two",
            Pardon::Unfenced => "the flag between them was read without a fence behind it",
        };
        let hazard = self.hazard.name();
        format!("{later} {later_does} {what}, which {earlier} {earlier_does} {at}: {nothing} ({hazard})")
    }

    fn help(&self, places: Places<'_>, context: &RaceContext) -> String {
        if let Some(early) = self.early {
            let reads = self.hazard.earlier == AccessKind::Load;
            return early::help(early, reads, places, (self.earlier, self.later));
        }
        match self.pardon {
            Pardon::Volatile if !self.together => return VOLATILE_HELP.to_owned(),
            Pardon::Unfenced => return UNFENCED_HELP.to_owned(),
            _ => {}
        }
        if context.reach == Reach::Grid {
            return self.help_between_blocks(places);
        }
        if self.together {
            return "one instruction of a warp can leave only one value: let one lane write, give every lane its own \
                    element, or combine the values with an atomic"
                .to_owned();
        }
        let between = places.between(self.earlier.pc, self.later.pc);
        let within_warp = context.reach == Reach::Warp;
        let barrier = if within_warp { "__syncwarp()" } else { "__syncthreads()" };
        if self.pardon == Pardon::Equal {
            return format!(
                "harmless as long as the values are equal; to be sure, let one thread write, or put a barrier {between}"
            );
        }
        if (self.hazard.earlier == AccessKind::Atomic) != (self.hazard.later == AccessKind::Atomic) {
            // A store that clears or sets would destroy what was added, also as an atomic: its place in time is wrong.
            if context.plain_update {
                return "an atomic is safe from other atomics only: make the plain update atomic, too".to_owned();
            }
            return format!("an atomic is safe from other atomics only: put `{barrier}` {between}");
        }
        if self.writes_of_one_line(places) {
            return format!(
                "both threads write in this one line, so it is likely that they come to the same index: give every \
                 thread its own element, or combine the values with an atomic; only if one shall write after the \
                 other, put `{barrier}` {between}"
            );
        }
        if within_warp {
            return format!(
                "the lanes of a warp do not run in lock step: put `__syncwarp()` {between}, where every lane executes it"
            );
        }
        format!("put `__syncthreads()` {between}, where every thread of the block executes it")
    }

    fn help_between_blocks(&self, places: Places<'_>) -> String {
        use AccessKind::{Atomic, Store};
        let cta = |party: Accessor| places.launch.program.insts[party.pc as usize].opcode.has("cta");
        match (self.hazard.earlier, self.hazard.later) {
            (Store, Store) if self.pardon == Pardon::Equal => {
                "harmless as long as the values are equal; to be sure, let one thread of the \
                                             grid write, or use `atomicExch`"
                    .to_owned()
            }
            (Atomic, Atomic) => {
                "an atomic with the suffix `_block` promises something to its own block only: leave the \
                                 suffix out"
                    .to_owned()
            }
            _ if cta(self.earlier) || cta(self.later) => {
                "fences and accesses with the scope of a block promise nothing to \
                                                          other blocks: take the scope of the device"
                    .to_owned()
            }
            (Store | Atomic, Store | Atomic) => {
                "blocks run in any order, also at once: give each block its own elements, \
                                                 or combine the values with atomics"
                    .to_owned()
            }
            _ => {
                "blocks run in any order, also at once: split the kernel in two launches here, or hand the value over \
                  with `__threadfence()` and an atomic flag that the reader waits for"
                    .to_owned()
            }
        }
    }
}

const VOLATILE_HELP: &str = "`volatile` makes the compiler keep the access and orders nothing: put `__threadfence()` between \
                             the data and the flag on both sides, behind the read too, or take `cuda::atomic_ref` with \
                             release and acquire. To PTX a volatile access is a relaxed one, so no value is torn and this is \
                             no data race; to C++ it is one";

const UNFENCED_HELP: &str = "put `__threadfence()` behind the loop that waits for the flag, or let it read with \
                             `cuda::memory_order_acquire`. A GPU begins no atomic before the loop in front of it has ended; \
                             the memory model does not promise that";

/// What a thread does, as a verb.
pub(super) const fn does(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "reads",
        AccessKind::Store => "writes",
        AccessKind::Atomic => "atomically updates",
    }
}
