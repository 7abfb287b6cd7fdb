//! How much of a launch's work its busiest warp and its busiest thread do: for each kind of instruction, the most that one
//! warp executes. Totals do not tell whether all warps share the work, or one of them does it for the others.
//!
//! With it goes the longest path through a block: a warp that waits at a barrier has come as far as the last of those that it
//! waits for. Where warps work one after the other, none of them executes much, and the path is the sum of all.
//!
//! Kept only when it is asked for ([`Options::busiest`](crate::Options)).

use crate::event::{LaunchInfo, MemoryEvent, MemoryKind};
use crate::ir::inst::Pc;
use crate::lanes::lanes_of;
use crate::observe::metrics::What;
use crate::report::Metrics;

/// Kinds of instructions that are counted by warp.
const KINDS: usize = 8;

/// What is counted by thread: instructions, and bytes that it loads from shared memory.
const BY_THREAD: usize = 2;

/// All that is counted: by warp, by thread, and the longest path of a block.
const COUNTERS: usize = KINDS + BY_THREAD + 1;

/// The counters, in the order in which a `Share` has them; those of threads come after those of warps, and the longest
/// path is the last. Of several launches, each is the sum of theirs.
pub const NAMES: [&str; COUNTERS] = [
    "warpbook__busiest_warp_inst_executed_op_global_ld.max",
    "warpbook__busiest_warp_inst_executed_op_global_st.max",
    "warpbook__busiest_warp_inst_executed_op_global_atom.max",
    "warpbook__busiest_warp_inst_executed_op_shared_ld.max",
    "warpbook__busiest_warp_inst_executed_op_shared_st.max",
    "warpbook__busiest_warp_inst_executed_op_shared_atom.max",
    "warpbook__busiest_warp_thread_inst_executed_op_inter_thread_communication.max",
    "warpbook__busiest_warp_inst_executed_one_lane.max",
    "warpbook__busiest_thread_inst_executed.max",
    "warpbook__busiest_thread_bytes_shared_ld.max",
    "warpbook__longest_path_inst_executed.max",
];

/// The place of the exchanges between lanes in a [`Share`].
const EXCHANGES: usize = KINDS - 2;

/// The place of the instructions that one lane executes while the others of its warp do nothing.
const ONE_LANE: usize = KINDS - 1;

/// What one warp has executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Share {
    kinds: [u64; KINDS],
    /// Instructions that all lanes executed.
    together: u64,
    /// Instructions of each lane in which some of the lanes took no part.
    apart: [u64; 32],
    /// Bytes that each lane loaded from shared memory.
    loaded: [u64; 32],
    /// Instructions on the longest path that leads to where the warp is.
    path: u64,
}

/// How many instructions of a kind stand before each instruction of the program: straight runs are counted at once.
#[derive(Debug, Clone)]
struct Before(Vec<u32>);

impl Before {
    fn new(launch: &LaunchInfo<'_>, counts: impl Fn(&What) -> bool) -> Self {
        let mut sum = 0;
        let mut before = vec![0];
        for inst in &launch.program.insts {
            sum += u32::from(counts(&What::of(&inst.op)));
            before.push(sum);
        }
        Self(before)
    }

    #[inline]
    fn within(&self, pc: Pc, length: usize) -> u64 {
        let at = pc as usize;
        u64::from(self.0[at + length] - self.0[at])
    }
}

/// Counts by warp, and keeps the most of each.
#[derive(Debug, Clone)]
pub(crate) struct Busiest {
    /// Instructions that the report counts.
    counted: Before,
    /// Shuffles, votes and other exchanges between lanes.
    exchanges: Before,
    /// Memory instructions that the compiler removes.
    removed: Vec<bool>,
    /// The warps of the block that runs.
    warps: Vec<Share>,
    /// The warp that runs.
    now: usize,
    most: [u64; COUNTERS],
}

impl Busiest {
    pub(crate) fn new(launch: &LaunchInfo<'_>) -> Self {
        Self {
            counted: Before::new(launch, |what| what.counted),
            exchanges: Before::new(launch, |what| what.exchanges),
            removed: launch.program.insts.iter().map(|inst| inst.removed).collect(),
            warps: Vec::new(),
            now: 0,
            most: [0; COUNTERS],
        }
    }

    /// This warp of the block runs from now on.
    pub(crate) fn turn(&mut self, warp: u32) {
        self.now = warp as usize;
        if self.warps.len() <= self.now {
            self.warps.resize(self.now + 1, Share::default());
        }
    }

    /// The warp executes a straight run with these lanes.
    #[inline]
    pub(crate) fn straight(&mut self, pc: Pc, length: usize, active: u32) {
        let Some(share) = self.warps.get_mut(self.now) else { return };
        let instructions = self.counted.within(pc, length);
        share.path += instructions;
        share.kinds[EXCHANGES] += self.exchanges.within(pc, length) * u64::from(active.count_ones());
        if active == u32::MAX {
            share.together += instructions;
        } else {
            if active.is_power_of_two() {
                share.kinds[ONE_LANE] += instructions;
            }
            for lane in lanes_of(active) {
                share.apart[lane as usize] += instructions;
            }
        }
    }

    pub(crate) fn memory(&mut self, event: &MemoryEvent<'_>) {
        let kind = match event.kind {
            MemoryKind::GlobalLoad | MemoryKind::GlobalCopy => 0,
            MemoryKind::GlobalStore => 1,
            MemoryKind::GlobalAtomic | MemoryKind::GlobalSwap | MemoryKind::GlobalReduction => 2,
            MemoryKind::SharedLoad | MemoryKind::SharedLoopLoad => 3,
            MemoryKind::SharedStore => 4,
            MemoryKind::SharedAtomic(_) => 5,
            // The other side of a copy, a part of an atomic that is counted as one, and a thread's own memory.
            MemoryKind::SharedCopy | MemoryKind::SharedAttempt | MemoryKind::LocalLoad | MemoryKind::LocalStore => {
                return;
            }
        };
        if !self.removed[event.pc as usize]
            && let Some(share) = self.warps.get_mut(self.now)
        {
            share.kinds[kind] += 1;
            if event.kind == MemoryKind::SharedLoad {
                for lane in lanes_of(event.active) {
                    share.loaded[lane as usize] += u64::from(event.width);
                }
            }
        }
    }

    /// The lanes of the warp exchange values by so many more thread instructions.
    pub(crate) fn communicate(&mut self, thread_instructions: u32) {
        if let Some(share) = self.warps.get_mut(self.now) {
            share.kinds[EXCHANGES] += u64::from(thread_instructions);
        }
    }

    /// A barrier opens for these warps: each has come as far as the last of them.
    pub(crate) fn meet(&mut self, waited: impl Fn(usize) -> bool) {
        let last = self.warps.iter().enumerate().filter(|(warp, _)| waited(*warp)).map(|(_, share)| share.path).max();
        for (warp, share) in self.warps.iter_mut().enumerate() {
            if let (true, Some(last)) = (waited(warp), last) {
                share.path = last;
            }
        }
    }

    /// Another block runs from now on.
    pub(crate) fn exchange(&mut self, held: &mut Vec<Share>) {
        std::mem::swap(&mut self.warps, held);
    }

    /// The block that runs has ended.
    pub(crate) fn end(&mut self) {
        for share in self.warps.drain(..) {
            let thread = share.apart.iter().max().map_or(0, |apart| apart + share.together);
            let loaded = share.loaded.into_iter().max().unwrap_or(0);
            let all = share.kinds.into_iter().chain([thread, loaded, share.path]);
            for (most, own) in self.most.iter_mut().zip(all) {
                *most = (*most).max(own);
            }
        }
    }

    /// Adds what was seen of later blocks.
    pub(crate) fn merge(&mut self, later: &Self) {
        for (mine, theirs) in self.most.iter_mut().zip(later.most) {
            *mine = (*mine).max(theirs);
        }
    }

    /// The counters by name.
    pub(crate) fn metrics(&self) -> Metrics {
        NAMES.iter().zip(self.most).map(|(name, value)| ((*name).to_owned(), value)).collect()
    }
}
