//! # What it does
//!
//! Finds pairs of accesses to one place in memory, by two threads, at least one of which writes, that nothing orders:
//! data races (`race`). Judged is not the order in which the simulator happened to execute them but what
//! *happens before* what, so one run finds the race whichever way it went:
//!
//! - The accesses of one thread are ordered. Those of two lanes of a warp are not: since Volta every lane has a
//!   program counter of its own, and that lanes execute an instruction together promises nothing about the next.
//! - A barrier orders what all its threads did before it before what they do after it; `bar.arrive` counts for what
//!   came before. Barriers with ids and of some threads order those threads only. A thread that has exited counts as
//!   having arrived.
//! - `__syncwarp` (`bar.warp.sync`) does the same for the lanes that execute it together. `shfl`, `vote`, `match`,
//!   `redux` and `activemask` order nothing, with and without `.sync`: neither PTX nor CUDA C++ promises it.
//! - Atomics do not race with each other; an atomic and a plain access do.
//! - A thread that writes a variable with an atomic, or with a volatile, relaxed or release store, hands over what it
//!   did before a fence that lies behind it (`__threadfence…`, or the release of the store itself), and what it knew
//!   of others. Whoever reads the variable, with an atomic that returns a value or with a volatile, relaxed or acquire
//!   load, knows it from then on; a fence on the reading side is not asked for.
//! - Two volatile accesses of different warps do not race (PTX: they are relaxed operations). Two of lanes of the same
//!   warp do: that is how code for GPUs before Volta leaned on lock step, and `volatile` does not repair it.
//! - Two lanes that write one place with the same instruction race. If the values are equal, here or between any two
//!   writes, that is a *remark* and no finding: the result is the same whoever wins.
//!
//! # Why it matters
//!
//! The result depends on which warp is faster, which no test shows reliably: on another GPU, with another compiler or
//! block size, or once in a thousand launches, it is another one.
//!
//! # What it cannot see
//!
//! - Code that this launch does not reach, and accesses that the compiler has removed or merged: it reads the PTX.
//! - Of more than two unordered readers of a place some are forgotten, and of several unordered atomics all but the
//!   last. A race with one of these alone is missed.
//! - Fences count for all scopes, and synchronisation through memory is taken to work whatever value was read.
//! - Global memory: see [`globals`](super::globals).
//!
//! # Example
//!
//! ```cuda
//! tile[t] = in[t];
//! out[t] = tile[n - 1 - t]; // race: the other thread's write may come later; __syncthreads() is missing above
//! ```

use std::collections::HashMap;

use super::clocks::{Clocks, Vector};
use super::races::{Hazard, Party, Race, Races};
use super::shadow::{Record, Word};
use crate::machine::grid::Machine;
use crate::observe::{AccessEvent, AccessKind, SyncEvent, lanes_of};
use crate::program::inst::{Op, Space};
use crate::program::{Inst, Program};

/// What an instruction's memory order says about races.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strength {
    /// A plain access.
    Weak,
    /// `.volatile`.
    Volatile,
    /// Atomic, or `.relaxed`, `.acquire`, `.release` and stronger.
    Strong,
}

/// What is to be known of a memory instruction or fence.
#[derive(Debug, Clone, Copy)]
struct Order {
    kind: AccessKind,
    strength: Strength,
    /// It contains a fence: `.release` and stronger.
    releases: bool,
    /// It reads, and the program gets to see what.
    reads: bool,
}

/// The race detector of one group of thread blocks.
#[derive(Debug)]
pub(super) struct Racecheck {
    clocks: Clocks,
    /// One entry for each granule of shared memory.
    shared: Vec<Word>,
    /// Binary logarithm of the granule: the narrowest access of the program, at most four bytes.
    granule: u32,
    shared_bytes: u64,
    orders: Vec<Order>,
    /// What was handed over at each synchronisation variable.
    handed: HashMap<(Space, u64), Vector>,
    /// Linear index of the block.
    block: u64,
    /// What was found.
    pub races: Races,
    /// Places that the latest instruction wrote after a read that nothing orders before it: address and size.
    pub overtaken: Vec<(u64, u32)>,
}

/// What is kept of a block while others run.
#[derive(Debug)]
pub(crate) struct Held {
    clocks: Clocks,
    shared: Vec<Word>,
    handed: HashMap<(Space, u64), Vector>,
    block: u64,
}

impl Racecheck {
    /// A detector for blocks of `machine`. It takes memory only when a block starts.
    pub(super) fn new(machine: &Machine<'_>) -> Self {
        let narrowest = machine.program.insts.iter().filter_map(|inst| match &inst.op {
            Op::Load(access) | Op::Store(access) => may_be(access.space, Space::Shared).then_some(access.bytes),
            Op::Atomic(atomic) => may_be(atomic.space, Space::Shared).then_some(atomic.bytes),
            _ => None,
        });
        Self {
            clocks: Clocks::new(machine.warps_per_block() as usize),
            shared: Vec::new(),
            granule: narrowest.min().unwrap_or(4).clamp(1, 4).ilog2(),
            shared_bytes: machine.shared_bytes,
            orders: orders(machine.program),
            handed: HashMap::new(),
            block: 0,
            races: Races::default(),
            overtaken: Vec::new(),
        }
    }

    /// Lanes synchronise.
    pub(super) fn sync(&mut self, event: &SyncEvent<'_>) {
        match *event {
            SyncEvent::Start(block) => self.start(block),
            SyncEvent::End => {}
            SyncEvent::Everyone => self.clocks.everyone(),
            SyncEvent::Some { id, participants } => self.clocks.some(id, participants),
            SyncEvent::Arrive { id, warp, lanes } => self.clocks.arrive(id, warp, lanes),
            SyncEvent::Warp { warp, lanes } => self.clocks.warp(warp, lanes),
            SyncEvent::Fence { warp, lanes, .. } => self.clocks.fence(warp, lanes),
        }
    }

    /// What is kept of a block that has not started.
    pub(super) fn fresh(&self) -> Held {
        Held { clocks: Clocks::new(self.clocks.warps()), shared: Vec::new(), handed: HashMap::new(), block: 0 }
    }

    /// Exchanges what is kept of the running block with what was kept of another one.
    pub(super) fn exchange(&mut self, held: &mut Held) {
        std::mem::swap(&mut self.clocks, &mut held.clocks);
        std::mem::swap(&mut self.shared, &mut held.shared);
        std::mem::swap(&mut self.handed, &mut held.handed);
        std::mem::swap(&mut self.block, &mut held.block);
    }

    fn start(&mut self, block: u64) {
        // A block has at most 2^31 events: its budget is smaller.
        if self.clocks.time > 1 << 31 {
            self.clocks = Clocks::new(self.clocks.warps());
            self.shared.fill(Word::default());
        }
        self.block = block;
        self.clocks.next_block();
        self.handed.clear();
        self.shared.resize((self.shared_bytes >> self.granule) as usize + 1, Word::default());
    }

    /// Frees what only a running block needs.
    pub(super) fn finish(&mut self) {
        self.shared = Vec::new();
        self.handed = HashMap::new();
    }

    /// A warp accesses memory.
    pub(super) fn access(&mut self, event: &AccessEvent<'_>) {
        let now = self.clocks.tick();
        let order = self.orders[event.pc as usize];
        if order.strength != Strength::Weak {
            self.synchronise(event, order);
        }
        if event.space == Space::Shared {
            // One copy of the loop for each kind.
            match event.kind {
                AccessKind::Load => self.shared(event, now, AccessKind::Load),
                AccessKind::Store => self.shared(event, now, AccessKind::Store),
                AccessKind::Atomic => self.shared(event, now, AccessKind::Atomic),
            }
        }
    }

    #[inline(always)]
    fn shared(&mut self, event: &AccessEvent<'_>, now: u32, kind: AccessKind) {
        let width = event.bytes * event.parts;
        let whole = event.used == (1 << event.parts) - 1;
        for lane in lanes_of(event.lanes) {
            let address = event.addresses[lane as usize];
            if address & u64::from(width.next_power_of_two() - 1) != 0
                || address.saturating_add(u64::from(width)) > self.shared_bytes
            {
                continue; // out of bounds or misaligned: a finding of its own
            }
            let me = Record::new(now, event.warp * 32 + lane, event.pc);
            let mut conflict = None;
            let mut touch = |from: u64, bytes: u32| {
                let first = (from >> self.granule) as usize;
                let count = (bytes >> self.granule) as usize;
                for (index, word) in self.shared[first..first + count].iter_mut().enumerate() {
                    if let Some(earlier) = word.access(me, kind, &self.clocks) {
                        conflict.get_or_insert((earlier, from + ((index as u64) << self.granule)));
                    }
                }
            };
            if whole {
                touch(address, width);
            } else {
                for part in lanes_of(event.used) {
                    touch(address + u64::from(part * event.bytes), event.bytes);
                }
            }
            if let Some((earlier, at)) = conflict {
                self.conflict(event, lane, earlier, me, at);
            }
        }
    }

    /// Two accesses that nothing orders touch the byte at `at`: decides whether they race.
    #[cold]
    fn conflict(&mut self, event: &AccessEvent<'_>, lane: u32, earlier: Record, me: Record, at: u64) {
        let strength = |pc: u32| self.orders[pc as usize].strength;
        let same_warp = earlier.thread() / 32 == me.thread() / 32;
        match (strength(earlier.pc()), strength(me.pc())) {
            (Strength::Weak, _) | (_, Strength::Weak) => {}
            (Strength::Volatile, Strength::Volatile) if same_warp => {}
            _ => return,
        }
        let part = ((at - event.addresses[lane as usize]) / u64::from(event.bytes)) as u32;
        let address = event.addresses[lane as usize] + u64::from(part * event.bytes);
        let together = earlier.time() == me.time();
        let earlier_kind = self.orders[earlier.pc() as usize].kind;
        let both_write = event.kind == AccessKind::Store && earlier_kind == AccessKind::Store;
        if event.space == Space::Shared && earlier_kind == AccessKind::Load {
            self.overtaken.push((event.addresses[lane as usize], event.bytes * event.parts));
        }
        let equal = both_write && {
            let mine = (event.value)(lane, part);
            let mask =
                |value: (u64, u64)| if event.bytes < 8 { (value.0 & ((1 << (event.bytes * 8)) - 1), 0) } else { value };
            let theirs = if together {
                mask((event.value)(earlier.thread() % 32, part))
            } else {
                (event.old)(address, event.bytes)
            };
            mask(mine) == theirs
        };
        self.races.note(Race {
            hazard: Hazard { earlier: earlier_kind, later: event.kind },
            equal,
            together,
            earlier: Party { thread: earlier.thread(), pc: earlier.pc() },
            later: Party { thread: me.thread(), pc: me.pc() },
            lanes: 1 << lane,
            time: me.time(),
            space: event.space,
            address,
            bytes: event.bytes,
            block: self.block,
            count: 1,
        });
    }

    /// An atomic, volatile or otherwise strong access: hands over and takes over what happened before.
    fn synchronise(&mut self, event: &AccessEvent<'_>, order: Order) {
        if order.releases {
            self.clocks.fence(event.warp, event.lanes);
        }
        for lane in lanes_of(event.lanes) {
            if order.reads
                && let Some(handed) = self.handed.get(&(event.space, event.addresses[lane as usize]))
            {
                self.clocks.learn(event.warp * 32 + lane, handed);
            }
            if event.kind != AccessKind::Load {
                self.hand_over(event, lane);
            }
        }
    }

    fn hand_over(&mut self, event: &AccessEvent<'_>, lane: u32) {
        let Some(published) = self.clocks.published(event.warp * 32 + lane) else { return };
        let place = (event.space, event.addresses[lane as usize]);
        let sum = match self.handed.get(&place) {
            Some(before) => before.iter().zip(published).map(|(&a, b)| a.max(b)).collect(),
            None => published.into(),
        };
        self.handed.insert(place, sum);
    }
}

fn may_be(named: Space, space: Space) -> bool {
    named == space || named == Space::Generic
}

fn orders(program: &Program) -> Vec<Order> {
    let order = |(inst, text): (&Inst, &String)| {
        let opcode = text.split_whitespace().find(|word| !word.starts_with(['@', '%', '!'])).unwrap_or_default();
        let has = |modifier: &str| opcode.split('.').any(|part| part == modifier);
        let (kind, strong, reads) = match &inst.op {
            Op::Atomic(atomic) => (AccessKind::Atomic, true, atomic.result.is_some()),
            Op::Store(access) => (AccessKind::Store, access.strong, false),
            Op::Load(access) => (AccessKind::Load, access.strong, true),
            _ => (AccessKind::Load, false, false),
        };
        let strength = match strong {
            false => Strength::Weak,
            true if has("volatile") => Strength::Volatile,
            true => Strength::Strong,
        };
        Order { kind, strength, releases: has("release") || has("acq_rel") || has("sc"), reads }
    };
    program.insts.iter().zip(&program.texts).map(order).collect()
}
