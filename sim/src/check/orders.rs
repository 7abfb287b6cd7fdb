//! What every instruction says about the order of memory accesses, read off its opcode once.

use crate::event::AccessKind;
use crate::ir::Instruction;
use crate::ir::inst::{AtomicOp, Op, Pc};
use crate::prepare::Executable;

/// What an instruction's memory order says about races.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// A plain access.
    Weak,
    /// `.volatile`.
    Volatile,
    /// Atomic, or `.relaxed`, `.acquire`, `.release` and stronger.
    Strong,
}

/// What an instruction has to do with asynchronous copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing.
    None,
    /// `cp.async`: each lane copies a few bytes.
    Copy,
    /// `cp.async.bulk`: one lane has the copy engine copy many. Waited for at an mbarrier, or else by groups. And `st.async`
    /// and `red.async`, which are waited for at an mbarrier.
    Bulk { at_barrier: bool },
    /// The bytes of the copy or store before it are taken off what an mbarrier expects.
    Completes,
    /// `cp.async.mbarrier.arrive`: an mbarrier waits for the copies that the thread has begun.
    Tracks,
    /// `commit_group`: what a thread has begun since the last one is a group.
    Commit { bulk: bool },
    /// `wait_group`: for all but the latest `left` groups, perhaps only until their sources are read.
    Wait { bulk: bool, left: u32, reads: bool },
    /// `cp.async.wait_all`.
    WaitAll,
    /// `fence.proxy.async`.
    ProxyFence,
}

/// What is to be known of a memory instruction or fence.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryOrder {
    /// What it does.
    pub kind: AccessKind,
    /// Whether it may meet others of its kind unordered.
    pub strength: Strength,
    /// It contains a fence: `.release` and stronger.
    pub releases: bool,
    /// It is an atomic for the machine, but changes nothing: a look at an mbarrier.
    pub looks: bool,
    /// It reads, and the program gets to see what.
    pub reads: bool,
    /// What it reads orders what comes after it: `.acquire` and stronger.
    pub acquires: bool,
    /// It reaches other blocks: its scope is not `.cta`.
    pub device: bool,
    /// It is about an mbarrier.
    pub mbarrier: bool,
    /// What it has to do with asynchronous copies.
    pub step: Step,
}

/// One entry for each instruction.
#[derive(Debug)]
pub(super) struct MemoryOrders(Vec<MemoryOrder>);

impl MemoryOrders {
    /// Those of a program.
    pub(super) fn new(program: &Executable) -> Self {
        Self(program.insts.iter().map(order).collect())
    }

    /// How many instructions there are.
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether one is like this.
    pub(super) fn any(&self, like: impl Fn(&MemoryOrder) -> bool) -> bool {
        self.0.iter().any(like)
    }

    /// That of one instruction.
    #[inline]
    pub(super) fn of(&self, pc: Pc) -> MemoryOrder {
        self.0[pc as usize]
    }
}

fn order(inst: &Instruction) -> MemoryOrder {
    let has = |modifier: &str| inst.opcode.has(modifier);
    let (kind, strong, reads) = match &inst.op {
        Op::Atomic(atomic) => (AccessKind::Atomic, true, atomic.result.is_some()),
        // Each addition of a bulk copy is relaxed, for the whole GPU (PTX ISA, "cp.reduce.async.bulk").
        Op::Bulk(bulk) if bulk.reduces.is_some() => (AccessKind::Atomic, true, false),
        Op::Store(access) => (AccessKind::Store, access.strong, false),
        Op::Load(access) => (AccessKind::Load, access.strong, true),
        _ => (AccessKind::Load, false, false),
    };
    let strength = match strong {
        false => Strength::Weak,
        true if has("volatile") => Strength::Volatile,
        true => Strength::Strong,
    };
    // Looking at an mbarrier changes nothing. An arrival at it releases, unless it says otherwise, and so does the end of
    // a copy that it waits for.
    let looks = has("test_wait") || has("try_wait");
    let completes = has("mbarrier::complete_tx::bytes");
    let arrives = completes || has("mbarrier") && !looks && !has("relaxed");
    let releases = has("release") || has("acq_rel") || has("sc") || arrives;
    let mbarrier = matches!(&inst.op, Op::Atomic(atomic) if atomic.op.is_mbarrier());
    let acquires = has("acquire") || has("acq_rel") || has("sc") || mbarrier;
    let step = step(inst);
    MemoryOrder { kind, strength, releases, reads, looks, acquires, device: !has("cta"), mbarrier, step }
}

fn step(inst: &Instruction) -> Step {
    let (opcode, parts) = (&inst.opcode, inst.opcode.parts());
    let begins = |with: &[&str]| parts.starts_with(with);
    let later = begins(&["st", "async"]) || begins(&["red", "async"]);
    match &inst.op {
        Op::Copy(_) => Step::Copy,
        Op::Bulk(_) => Step::Bulk { at_barrier: parts.iter().any(|part| part.starts_with("mbarrier::complete_tx")) },
        Op::Atomic(atomic) if atomic.op == AtomicOp::MbarrierComplete && (later || opcode.has("bulk")) => {
            Step::Completes
        }
        Op::Store(_) | Op::Atomic(_) if later => Step::Bulk { at_barrier: true },
        Op::Atomic(_) if begins(&["cp", "async", "mbarrier", "arrive"]) => Step::Tracks,
        Op::Fence if begins(&["fence", "proxy", "async"]) => Step::ProxyFence,
        Op::CopyStep if begins(&["cp", "async", "wait_all"]) => Step::WaitAll,
        Op::CopyStep if opcode.has("commit_group") => Step::Commit { bulk: begins(&["cp", "async", "bulk"]) },
        Op::CopyStep => {
            // The number of groups is a literal (PTX ISA, "cp.async.wait_group").
            let number = inst.text.trim_end().trim_end_matches(';').split_whitespace().next_back();
            let left = number.and_then(|number| number.parse().ok()).unwrap_or(0);
            Step::Wait { bulk: begins(&["cp", "async", "bulk"]), left, reads: opcode.has("read") }
        }
        _ => Step::None,
    }
}
