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
//! - Atomics do not race with each other; an atomic and a plain access do, unless the plain access comes behind an
//!   atomic that saw what the other had left.
//! - A thread that writes a variable with an atomic, or with a volatile, relaxed or release store, hands over what it
//!   did before a fence that lies behind it (`__threadfence…`, or the release of the store itself), and what it knew
//!   of others. Whoever reads the variable, with an atomic that returns a value or with a volatile, relaxed or acquire
//!   load, knows it as soon as a fence of its own or a barrier lies behind the read, or at once if the read itself
//!   acquires. Fences and accesses of scope `.cta` do nothing for threads of other blocks.
//! - An asynchronous copy (`cp.async`, `cp.async.bulk`) writes at any time until it is waited for: in groups by the thread
//!   that began it, or at an `mbarrier`. Until then nobody may touch what it writes or overwrite what it reads, and a
//!   barrier alone changes nothing. The copy engine (`cp.async.bulk`) sees what threads have stored to shared memory only
//!   behind a `fence.proxy.async`.
//! - Nothing else orders two blocks. Shared and global memory are treated alike.
//! - Two volatile accesses do not race (PTX: they are relaxed operations), but they order nothing either. A volatile store
//!   that nothing orders with a volatile store of another value, with a volatile load or with an atomic is a *remark*,
//!   unless it hands over: it stands behind a fence, or the load polls in a loop. What such a flag was to guard is judged by
//!   itself, and is an error if it is plain. Two volatile accesses of lanes of the same warp to shared memory do
//!   race: that is how code for GPUs before Volta leaned on lock step, and `volatile` does not repair it.
//! - Atomics of too narrow a scope race with those of other blocks. If all that is missing is the fence behind the read of a
//!   flag, that is a *remark*: a GPU begins no atomic before the loop in front of it has ended.
//! - Two lanes that write one place with the same instruction race. If the values are equal, here or between any two
//!   writes, that is a *remark* and no error: the result is the same whoever wins.
//!
//! # Why it matters
//!
//! The result depends on which warp is faster, which no test shows reliably: on another GPU, with another compiler or
//! block size, or once in a thousand launches, it is another one.
//!
//! # What it cannot see
//!
//! - Code that this launch does not reach, and accesses that the compiler has removed or merged: it reads the PTX.
//! - Of more than two unordered readers of a place some are forgotten, and so are some of more than two unordered
//!   atomics. A race with one of these alone is missed.
//! - Synchronisation through memory is taken to work whatever value was read.
//! - A variable in shared memory hands over without a fence at the reader: shared memory is read in order. That the
//!   compiler may exchange the reads is not seen.
//! - Of asynchronous copies: which of several phases of an mbarrier long ago (more than eight) somebody has waited for, a
//!   missing `fence.proxy.async` in front of a copy from global memory, or behind reads, and the `fence` that makes the
//!   beginning of an mbarrier known to the copy engine.
//!
//! # How
//!
//! Blocks of a kernel that does not hand over between blocks run side by side. Then there are two steps: within a
//! block races are found as in shared memory, and of every block only the *sets* of words that it reads, writes and
//! updates are kept. If those of two blocks conflict, [`Racecheck::disordered`] asks for a second run in which the
//! blocks run in order and the race is found with both its parties. So the report does not depend on the number of
//! CPU threads.
//!
//! # Example
//!
//! ```cuda
//! tile[t] = in[t];
//! out[t] = tile[n - 1 - t]; // race: the other thread's write may come later; __syncthreads() is missing above
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use super::blocks::{Blocks, Heads};
use super::cells::Cells;
use super::copies::{Copies, Hit};
use super::orders::{MemoryOrder, MemoryOrders, Step, Strength};
use super::pages::{PageMap, Pages, Touched};
use super::races::Races;
use super::shadow::Record;
use super::view::{Context, Look};
use super::volatile_stores::VolatileStores;
use crate::event::{AccessEvent, AccessKind, LaunchInfo, SyncEvent};
use crate::findings::{Accessor, Hazard, Pardon, Race};
use crate::ir::inst::{Op, Space};
use crate::lanes::lanes_of;
use crate::prepare::Executable;

/// Time at which a run has been too long to tell times apart.
const END_OF_TIME: u32 = u32::MAX - 64;

/// What is kept of a block while others run.
#[derive(Debug, Default)]
pub(crate) struct Held(Option<Context>);

/// What the detectors of one launch have in common.
pub(super) struct Plan {
    granules: [u32; 2],
    orders: Arc<MemoryOrders>,
    scoped_atomics: bool,
    asynchronous: bool,
    from_shared: bool,
    volatile_stores: bool,
}

impl Plan {
    pub(super) fn new(launch: &LaunchInfo<'_>) -> Self {
        let orders = MemoryOrders::new(launch.program);
        Self {
            granules: [Space::Shared, Space::Global].map(|space| granule(launch.program, space)),
            scoped_atomics: orders.any(|order| order.kind == AccessKind::Atomic && !order.device),
            asynchronous: orders.any(|order| order.step != Step::None),
            volatile_stores: orders
                .any(|order| order.kind == AccessKind::Store && order.strength == Strength::Volatile),
            from_shared: launch.program.insts.iter().any(|inst| match &inst.op {
                Op::Bulk(bulk) => bulk.from.0 == Space::Shared,
                _ => false,
            }),
            orders: Arc::new(orders),
        }
    }
}

/// The race detector of one group of thread blocks.
#[derive(Debug)]
pub(super) struct Racecheck {
    pub(super) context: Context,
    /// Blocks that have started and not ended.
    alive: u32,
    pub(super) blocks: Blocks,
    /// The lines of global memory: of all blocks when they run in order, else of the running one.
    pub(super) global: Pages,
    /// What the blocks so far touched, when they do not run in order.
    touched: PageMap<Touched>,
    /// The blocks of the whole grid run in order, one observer sees them all.
    pub(super) in_order: bool,
    /// Two blocks conflict: which accesses, only a run in order shows.
    pub disordered: bool,
    /// Binary logarithms of the granules of shared and global memory: the narrowest access of the program, at most
    /// four bytes.
    pub(super) granules: [u32; 2],
    pub(super) shared_bytes: u64,
    pub(super) orders: Arc<MemoryOrders>,
    /// Some atomics promise something to their own block only: those of two blocks race.
    pub(super) scoped_atomics: bool,
    /// The kernel copies asynchronously.
    asynchronous: bool,
    /// The copy engine reads shared memory.
    from_shared: bool,
    pub(super) volatile_stores: VolatileStores,
    /// What was found.
    pub races: Races,
    /// Conflicts of the running instruction: lane, earlier access and address.
    pub(super) conflicts: Vec<(u32, Record, u64)>,
    /// Places that the latest instruction wrote after a read that nothing orders before it: address and size.
    pub overtaken: Vec<(Space, u64, u32)>,
}

impl Racecheck {
    /// A detector for blocks of `machine`. It takes memory only when a block starts.
    pub(super) fn new(launch: &LaunchInfo<'_>, plan: &Plan) -> Self {
        Self {
            context: Context::new(launch.warps_per_block() as usize),
            alive: 0,
            blocks: Blocks::new(),
            global: Pages::default(),
            touched: PageMap::default(),
            in_order: launch.in_turn || launch.grid.count() == 1,
            disordered: false,
            granules: plan.granules,
            shared_bytes: launch.shared_bytes,
            scoped_atomics: plan.scoped_atomics,
            asynchronous: plan.asynchronous,
            from_shared: plan.from_shared,
            volatile_stores: VolatileStores::new(if plan.volatile_stores { plan.orders.len() } else { 0 }),
            orders: Arc::clone(&plan.orders),
            races: Races::default(),
            conflicts: Vec::new(),
            overtaken: Vec::new(),
        }
    }

    /// Lanes synchronise.
    pub(super) fn sync(&mut self, event: &SyncEvent<'_>) {
        let Context { clocks, heads, copies, .. } = &mut self.context;
        let threads = |warp: u32, lanes: u32| lanes_of(lanes).map(move |lane| warp * 32 + lane);
        match *event {
            SyncEvent::Start(block) => self.start(block),
            SyncEvent::End => self.end(),
            SyncEvent::Everyone => {
                clocks.everyone();
                copies.everyone();
                self.blocks.everyone(heads);
            }
            SyncEvent::Some { id, participants } => {
                clocks.some(id, participants);
                let threads = (0u32..).zip(participants).flat_map(|(warp, &lanes)| threads(warp, lanes));
                self.blocks.meet(heads, threads, true);
            }
            SyncEvent::Arrive { id, warp, lanes } => {
                clocks.arrive(id, warp, lanes);
                Blocks::arrive(heads, threads(warp, lanes));
            }
            SyncEvent::Warp { warp, lanes } => {
                clocks.warp(warp, lanes);
                self.blocks.meet(heads, threads(warp, lanes), false);
            }
            SyncEvent::Fence { pc, warp, lanes } => {
                let order = self.orders.of(pc);
                if matches!(order.step, Step::None | Step::ProxyFence) {
                    clocks.fence(warp, lanes, order.device);
                    if order.device {
                        Blocks::acquire(heads, threads(warp, lanes));
                    }
                } else {
                    clocks.tick();
                }
                if order.step != Step::None {
                    copies.step(order.step, warp, lanes, clocks);
                }
            }
            SyncEvent::Fault => {}
        }
    }

    fn start(&mut self, block: u64) {
        if self.context.clocks.time > 1 << 31 && self.alive == 0 {
            // Room for a long block, at the price of forgetting the blocks before.
            self.context = Context::new(self.context.clocks.warps());
            self.blocks = Blocks::new();
            self.global.clear();
        }
        self.alive += 1;
        let context = &mut self.context;
        (context.runs, context.block) = (true, block);
        context.clocks.next_block();
        context.handed.clear();
        context.copies = Copies::default();
        context.heads = Heads::default();
        context.shared.resize(self.shared_bytes.div_ceil(1 << self.granules[0]) as usize);
        if self.in_order {
            self.blocks.turn(block, context.clocks.floor);
        }
    }

    /// Exchanges what is kept of the running block with what was kept of another one.
    pub(super) fn exchange(&mut self, held: &mut Held) {
        let mut next = held.0.take().unwrap_or_else(|| Context::new(self.context.clocks.warps()));
        // There is one time for all blocks.
        next.clocks.time = self.context.clocks.time;
        held.0 = Some(std::mem::replace(&mut self.context, next));
        if self.in_order && self.context.runs {
            self.blocks.turn(self.context.block, self.context.clocks.tick());
        }
    }

    fn end(&mut self) {
        self.context.runs = false;
        self.alive = self.alive.saturating_sub(1);
        if !self.in_order {
            for page in self.global.touched() {
                let sets = |line| page.sets(line, self.granules[1], self.scoped_atomics);
                self.disordered |= self.touched.entry(page.number).or_default().add_lines(page.used, sets);
            }
            self.global.clear();
        }
    }

    /// Frees what only a running block needs.
    pub(super) fn finish(&mut self) {
        self.context.shared = Cells::default();
        self.context.handed = HashMap::new();
        self.context.copies = Copies::default();
        self.global = Pages::default();
    }

    /// Adds what was found in later blocks.
    pub(super) fn merge(&mut self, later: Self) {
        self.disordered |= later.disordered;
        self.races.merge(later.races);
        if self.touched.len() < later.touched.len() {
            // Which of the two is added to the other makes no difference.
            let earlier = std::mem::replace(&mut self.touched, later.touched);
            self.add_touched(earlier);
        } else {
            self.add_touched(later.touched);
        }
    }

    fn add_touched(&mut self, other: PageMap<Touched>) {
        for (page, touched) in other {
            match self.touched.entry(page) {
                std::collections::hash_map::Entry::Occupied(mut entry) => {
                    self.disordered |= entry.get_mut().add(touched);
                }
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(touched);
                }
            }
        }
    }

    /// A warp accesses memory.
    #[inline(always)]
    pub(super) fn access(&mut self, event: &AccessEvent<'_>, look: &Look) {
        self.overtaken.clear();
        let now = self.context.clocks.tick();
        if now >= END_OF_TIME {
            return;
        }
        let order = self.orders.of(event.pc);
        if order.strength != Strength::Weak {
            self.synchronise(event, order);
        }
        if self.asynchronous {
            self.copies(event, order, now);
        }
        // One copy of the loops for each kind.
        match (event.space, event.kind) {
            (Space::Shared, AccessKind::Load) => self.touch_shared(event, look, now, AccessKind::Load),
            (Space::Shared, AccessKind::Store) => self.touch_shared(event, look, now, AccessKind::Store),
            (Space::Shared, AccessKind::Atomic) => self.touch_shared(event, look, now, AccessKind::Atomic),
            (_, AccessKind::Load) => self.touch_global(event, look, now, AccessKind::Load),
            (_, AccessKind::Store) => self.touch_global(event, look, now, AccessKind::Store),
            (_, AccessKind::Atomic) => self.touch_global(event, look, now, AccessKind::Atomic),
        }
        if !self.conflicts.is_empty() {
            self.judge(event, now);
        }
    }

    /// An access of a kernel that copies asynchronously.
    #[cold]
    fn copies(&mut self, event: &AccessEvent<'_>, order: MemoryOrder, now: u32) {
        let Context { clocks, copies, block, .. } = &mut self.context;
        let mut hits = Vec::new();
        if copies.any() || order.step != Step::None || order.mbarrier {
            copies.access(event, order, clocks, (now, self.shared_bytes), &mut hits);
        }
        if self.from_shared && order.step == Step::None && !order.mbarrier {
            copies.written(event, now, self.shared_bytes);
        }
        for Hit { lane, address, thread, kind, pc, why } in hits {
            self.races.note(Race {
                hazard: Hazard { earlier: kind, later: event.kind },
                pardon: Pardon::None,
                together: false,
                early: Some(why),
                earlier: Accessor { block: *block, thread, pc },
                later: Accessor { block: *block, thread: event.warp * 32 + lane, pc: event.pc },
                lanes: 1 << lane,
                time: now,
                space: event.space,
                address,
                bytes: 4.min(event.bytes),
                count: 1,
            });
        }
    }

    /// An atomic, volatile or otherwise strong access: hands over and takes over what happened before.
    #[inline(never)]
    fn synchronise(&mut self, event: &AccessEvent<'_>, order: MemoryOrder) {
        if order.releases {
            self.context.clocks.fence(event.warp, event.lanes, order.device);
        }
        if self.volatile_stores.any() && event.kind != AccessKind::Load && !order.looks {
            self.volatile_stores.look_for_fences(event, order, &mut self.context.clocks);
        }
        let Context { clocks, heads, handed, .. } = &mut self.context;
        let abroad = self.in_order && order.device && event.space == Space::Global;
        let takes_over = order.reads && (!handed.is_empty() || abroad && self.blocks.any());
        if !takes_over && (event.kind == AccessKind::Load || !clocks.publishes(abroad)) {
            return; // as nearly always
        }
        for lane in lanes_of(event.lanes) {
            let (thread, address) = (event.warp * 32 + lane, event.addresses[lane as usize]);
            let place = (event.space, address);
            if order.reads {
                // Shared memory is read in order: that a fence is missing there shows nowhere.
                let acquires = order.acquires || event.space == Space::Shared;
                match handed.get(&place) {
                    Some(handed) if acquires => clocks.learn(thread, handed),
                    Some(handed) => clocks.defer(thread, handed),
                    None => {}
                }
                if abroad {
                    self.blocks.read(heads, address, thread, acquires);
                }
            }
            if event.kind == AccessKind::Load || order.looks {
                continue;
            }
            if let Some(published) = clocks.published(thread) {
                let sum = match handed.get(&place) {
                    Some(before) => before.iter().zip(published).map(|(&a, b)| a.max(b)).collect(),
                    None => published.into(),
                };
                handed.insert(place, sum);
            }
            if abroad && let Some(published) = clocks.published_abroad(thread) {
                self.blocks.publish(heads, address, thread, published);
            }
        }
    }
}

/// Binary logarithm of the narrowest access to a memory.
fn granule(program: &Executable, space: Space) -> u32 {
    let narrowest = program.insts.iter().filter_map(|inst| match &inst.op {
        Op::Load(access) | Op::Store(access) => may_be(access.space, space).then_some(access.bytes),
        Op::Atomic(atomic) => may_be(atomic.space, space).then_some(atomic.bytes),
        Op::Bulk(bulk) => bulk.reduces.map(|(_, bytes)| bytes),
        _ => None,
    });
    narrowest.min().unwrap_or(4).clamp(1, 4).ilog2()
}

fn may_be(named: Space, space: Space) -> bool {
    named == space || named == Space::Generic
}
