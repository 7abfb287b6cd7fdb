//! What every instruction says about the order of memory accesses, read off its opcode once.

use crate::observe::AccessKind;
use crate::program::inst::{Op, Pc};
use crate::program::{Inst, Program};

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
    /// It reaches other blocks: its scope is not `.cta`.
    pub device: bool,
}

/// One entry for each instruction.
#[derive(Debug)]
pub(super) struct MemoryOrders(Vec<MemoryOrder>);

impl MemoryOrders {
    /// Those of a program.
    pub(super) fn new(program: &Program) -> Self {
        Self(program.insts.iter().zip(&program.texts).map(|(inst, text)| order(inst, text)).collect())
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

fn order(inst: &Inst, text: &str) -> MemoryOrder {
    let opcode = text.split_whitespace().find(|word| !word.starts_with(['@', '%', '!'])).unwrap_or_default();
    let has = |modifier: &str| opcode.split('.').any(|part| part.trim_end_matches(';') == modifier);
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
    let arrives = (has("mbarrier") || has("mbarrier::complete_tx::bytes")) && !looks && !has("relaxed");
    let releases = has("release") || has("acq_rel") || has("sc") || arrives;
    MemoryOrder { kind, strength, releases, reads, looks, device: !has("cta") }
}
