//! `sm_90` lowering: merges adjacent shared-memory accesses into wide ones, as ptxas does.
//!
//! What ptxas 13.0 was seen to do for sm_90, on kernels written to find out (`tests` below):
//!
//! - Accesses of a basic block with the same base register (or constant addresses), guard and element size become one
//!   of twice the width where the address is provably aligned: 32-bit loads and stores up to 128 bits, 16-bit stores up
//!   to 64 bits. Loads of 8 and 16 bits and stores of 8 bits stay apart.
//! - Three of the four words of an aligned 16-byte window are loaded as four; nobody uses the fourth. Two words that do
//!   not fill an aligned half of it stay apart. Three words are never stored as four.
//! - Loads are not moved up across a store to shared memory, stores not down across a load or another store to it, even
//!   where the addresses cannot meet; nothing is moved across a barrier, a fence or an atomic.
//! - `volatile` accesses stay as they are; global accesses are not merged.
//!
//! Predication of short branches is no pass here, because the exact counters (`smsp__sass_inst_executed_op_*`) count an
//! instruction only for warps in which at least one lane is predicated on: a skipped instruction and one that is
//! predicated off everywhere count alike.

use std::collections::HashMap;

use super::alignment::Alignment;
use crate::ir::cfg::Cfg;
use crate::ir::inst::{Access, Address, Inst, Op, Reg, Space};
use crate::ir::operands;
use crate::ir::{Instruction, Program};

/// Widest access, in bytes.
const WIDEST: u32 = 16;

/// Runs the pass.
pub(super) fn run(program: &mut Program) {
    let alignment = Alignment::new(program);
    let cfg = Cfg::new(program);
    // A load that the compiler removes takes no part: for this pass it is as if it were not there.
    let mut hidden: Vec<(usize, Inst)> = Vec::new();
    for (pc, instruction) in program.insts.iter_mut().enumerate() {
        if instruction.removed && matches!(instruction.op, Op::Load(_)) {
            let nothing = Inst { op: Op::Nop, guard: None };
            hidden.push((pc, std::mem::replace(&mut instruction.inst, nothing)));
        }
    }
    for block in &cfg.blocks {
        let insts = &mut program.insts[block.start as usize..block.end as usize];
        for kind in [Kind::Load, Kind::Store] {
            for width in [2, 4, 8] {
                merge_round(insts, kind, 2 * width, &|a, b| double(a, b, width, &alignment));
            }
        }
        merge_round(insts, Kind::Load, WIDEST, &|a, b| three_of_four(a, b, &alignment));
    }
    for (pc, inst) in hidden {
        program.insts[pc].inst = inst;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
}

/// The shared-memory access of an instruction, if this pass may touch it.
fn candidate(inst: &Inst, kind: Kind) -> Option<&Access> {
    let access = match (&inst.op, kind) {
        (Op::Load(access), Kind::Load) | (Op::Store(access), Kind::Store) => access,
        _ => return None,
    };
    let widest = match (kind, access.bytes) {
        (_, 4 | 8) => WIDEST,
        (Kind::Store, 2) => 8,
        _ => 0,
    };
    (access.space == Space::Shared && !access.strong && access.width() < widest).then_some(access)
}

/// Base register, guard and window of an access: only accesses that have these in common can become one.
type Window = (Option<Reg>, Option<(u16, bool)>, i64);

/// Merges every pair of a basic block within a window of `size` bytes for which `fit` has an access that does the work
/// of both. Candidates are found by their window, because an unrolled loop holds thousands of accesses.
fn merge_round(insts: &mut [Instruction], kind: Kind, size: u32, fit: &dyn Fn(&Access, &Access) -> Option<Access>) {
    let window = |inst: &Inst| {
        let address = candidate(inst, kind)?.address;
        Some((address.base, inst.guard, address.offset & !(i64::from(size) - 1)))
    };
    let mut windows: HashMap<Window, Vec<usize>> = HashMap::new();
    for (at, inst) in insts.iter().enumerate() {
        if let Some(window) = window(inst) {
            windows.entry(window).or_default().push(at);
        }
    }
    for first in 0..insts.len() {
        let Some(a) = candidate(&insts[first], kind).cloned() else { continue };
        let Some(members) = window(&insts[first]).and_then(|window| windows.get(&window)) else { continue };
        let partner = members.iter().filter(|&&second| second > first).find_map(|&second| {
            let merged = fit(&a, candidate(&insts[second], kind)?)?;
            may_move(&insts[first..=second], kind).then_some((second, merged))
        });
        let Some((second, merged)) = partner else { continue };
        // A wide load stands where the first part was, a wide store where the last value is known.
        let (op, keep, drop) = match kind {
            Kind::Load => (Op::Load(Box::new(merged)), first, second),
            Kind::Store => (Op::Store(Box::new(merged)), second, first),
        };
        insts[keep].op = op;
        insts[drop].inst = Inst { op: Op::Nop, guard: None };
    }
}

/// The two accesses in order of address, if they can be parts of one at all.
fn in_order<'a>(a: &'a Access, b: &'a Access) -> Option<(&'a Access, &'a Access)> {
    let same = a.address.base == b.address.base && a.bytes == b.bytes && a.signed == b.signed;
    same.then_some(if a.address.offset < b.address.offset { (a, b) } else { (b, a) })
}

/// Whether a byte offset from an access's base is provably a multiple of `width`.
fn aligned(access: &Access, offset: i64, width: u32, alignment: &Alignment) -> bool {
    let base = access.address.base.map_or(u32::MAX, |base| alignment.of(base));
    base.min(offset.trailing_zeros()) >= width.trailing_zeros()
}

/// Two neighbours of `width` bytes that fill an aligned access of twice the width.
fn double(a: &Access, b: &Access, width: u32, alignment: &Alignment) -> Option<Access> {
    let (low, high) = in_order(a, b)?;
    let offset = low.address.offset;
    let fits = low.width() == width
        && high.width() == width
        && high.address.offset - offset == i64::from(width)
        && aligned(low, offset, 2 * width, alignment);
    fits.then(|| Access { registers: [&low.registers[..], &high.registers].concat(), ..low.clone() })
}

/// Two words and one word of the same aligned 16-byte window.
fn three_of_four(a: &Access, b: &Access, alignment: &Alignment) -> Option<Access> {
    let (low, high) = in_order(a, b)?;
    let window = low.address.offset & !15;
    let fits = low.bytes == 4
        && low.width() + high.width() == 12
        && high.address.offset & !15 == window
        && high.address.offset - low.address.offset >= i64::from(low.width())
        && aligned(low, window, WIDEST, alignment);
    if !fits {
        return None;
    }
    let mut registers = vec![None; 4];
    for part in [low, high] {
        let at = (part.address.offset - window) as usize / 4;
        registers[at..at + part.registers.len()].copy_from_slice(&part.registers);
    }
    Some(Access { address: Address { offset: window, ..low.address }, registers, ..low.clone() })
}

/// Nothing is merged across these.
fn blocks_all(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Barrier(_)
            | Op::WarpSync { .. }
            | Op::Fence
            | Op::Atomic(_)
            | Op::Copy(_)
            | Op::Bulk(_)
            | Op::Shuffle { .. }
            | Op::Matrix(_)
    )
}

/// Whether the last access of `run` can be done where the first is (loads), or the first where the last is (stores).
fn may_move(run: &[Instruction], kind: Kind) -> bool {
    let [first, between @ .., last] = run else { return false };
    let moved = if kind == Kind::Load { last } else { first };
    let (Op::Load(access) | Op::Store(access)) = &moved.op else { return false };
    let fixed: Vec<Reg> = access.address.base.into_iter().chain(moved.guard.map(|(p, _)| Reg::P(p))).collect();
    let values: Vec<Reg> = access.registers.iter().copied().flatten().collect();
    // The first load must not overwrite what the second one needs, nor be overwritten by it.
    if kind == Kind::Load
        && (values.iter().any(|&reg| operands::touches(first, reg))
            || fixed.iter().any(|&reg| operands::writes(first, reg)))
    {
        return false;
    }
    between.iter().all(|inst| {
        let values_free = values.iter().all(|&reg| match kind {
            Kind::Load => !operands::touches(inst, reg),
            Kind::Store => !operands::writes(inst, reg),
        });
        values_free
            && !blocks_all(inst)
            && !fixed.iter().any(|&reg| operands::writes(inst, reg))
            && !touches_shared(inst, kind)
    })
}

/// Whether `inst` accesses shared memory in a way that keeps an access of `kind` in its place.
fn touches_shared(inst: &Inst, kind: Kind) -> bool {
    let other = match (&inst.op, kind) {
        (Op::Store(other), _) | (Op::Load(other), Kind::Store) => other,
        _ => return false,
    };
    matches!(other.space, Space::Shared | Space::Generic)
}

#[cfg(test)]
#[allow(clippy::wildcard_enum_match_arm, reason = "a test picks the operations that it is about")]
mod tests {
    use crate::ir::inst::{Op, Space};
    use crate::{Lowering, Module};

    /// Widths in bits of the shared loads and stores of a body after the pass. `%r1` is any number, `%r2` a multiple
    /// of 16, `%r3` of 4; the expected widths are what ptxas 13.0.88 emits for sm_90.
    fn widths(body: &str) -> (Vec<u32>, Vec<u32>) {
        // What nobody reads would not be there: every register that is loaded is stored at the end.
        let loaded = |name: &str| body.contains(&format!("{name},"));
        let names = (0..40).map(|i| format!("%f{i}")).filter(|name| loaded(name));
        let uses: Vec<String> = names.map(|name| format!("st.global.f32 [%rd1], {name};")).collect();
        let body = [body, &uses.join("\n")].join("\n");
        let text = format!(
            ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k()\n{{\n.shared .align 16 .b8 s[4096];\n\
             .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b16 %h<9>; .reg .pred %p<4>;\n\
             .reg .b64 %rd<2>; mov.u64 %rd1, 0;\n\
             mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; shl.b32 %r3, %r1, 2; mov.u32 %r4, s; add.s32 %r2, %r2, %r4;\n\
             add.s32 %r3, %r3, %r4;\n{body}\nret;\n}}\n"
        );
        let module = Module::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
        let program = module.lower("k", Lowering::Sm90).unwrap_or_else(|error| panic!("{error}"));
        let of = |load: bool| {
            let access = |op: &Op| match op {
                Op::Load(access) if load && access.space == Space::Shared => Some(access.width() * 8),
                Op::Store(access) if !load && access.space == Space::Shared => Some(access.width() * 8),
                _ => None,
            };
            program.insts.iter().filter_map(|inst| access(&inst.op)).collect::<Vec<_>>()
        };
        (of(true), of(false))
    }

    fn loads(offsets: &[u32], base: &str) -> Vec<u32> {
        let body: Vec<String> =
            offsets.iter().enumerate().map(|(i, o)| format!("ld.shared.f32 %f{i}, [{base}+{o}];")).collect();
        widths(&body.join("\n")).0
    }

    #[test]
    fn neighbours_become_wide_where_they_are_aligned() {
        assert_eq!(loads(&[0, 4, 8, 12], "%r2"), [128]);
        assert_eq!(loads(&[0, 4], "%r2"), [64]);
        assert_eq!(loads(&[12, 4, 8, 0], "%r2"), [128]);
        assert_eq!(loads(&[0, 4, 8, 12, 16, 20, 24, 28], "%r2"), [128, 128]);
        assert_eq!(loads(&[4, 8], "%r2"), [32, 32]);
        assert_eq!(loads(&[0, 8], "%r2"), [32, 32]);
        assert_eq!(loads(&[0, 4, 8, 12], "%r3"), [32; 4], "a multiple of 4 only");
    }

    #[test]
    fn three_words_of_a_window_are_loaded_as_four() {
        for three in [[0, 4, 8], [4, 8, 12], [0, 4, 12], [0, 8, 12]] {
            assert_eq!(loads(&three, "%r2"), [128], "{three:?}");
        }
        assert_eq!(loads(&[4, 8, 12, 16, 20, 24], "%r2"), [128, 128]);
    }

    #[test]
    fn stores_merge_less() {
        let store = |offsets: &[u32]| {
            let body: Vec<String> = offsets.iter().map(|o| format!("st.shared.f32 [%r2+{o}], %f1;")).collect();
            widths(&body.join("\n")).1
        };
        assert_eq!(store(&[0, 4, 8, 12]), [128]);
        assert_eq!(store(&[0, 4, 8]), [64, 32]);
        let halves: Vec<String> = (0..8).map(|i| format!("st.shared.u16 [%r2+{}], %h{i};", 2 * i)).collect();
        assert_eq!(widths(&halves.join("\n")).1, [64, 64]);
        let bytes: Vec<String> = (0..4).map(|i| format!("st.shared.u8 [%r2+{i}], %h{i};")).collect();
        assert_eq!(widths(&bytes.join("\n")).1, [8; 4]);
    }

    #[test]
    fn what_stands_between_keeps_them_apart() {
        let (l, _) = widths("ld.shared.f32 %f1, [%r2]; st.shared.f32 [%r2+32], %f3; ld.shared.f32 %f2, [%r2+4];");
        assert_eq!(l, [32, 32]);
        let (_, s) = widths("st.shared.f32 [%r2], %f1; ld.shared.f32 %f2, [%r2+32]; st.shared.f32 [%r2+4], %f2;");
        assert_eq!(s, [32, 32]);
        let (l, _) = widths("ld.shared.f32 %f1, [%r2]; bar.sync 0; ld.shared.f32 %f2, [%r2+4];");
        assert_eq!(l, [32, 32]);
        let (l, _) = widths("ld.volatile.shared.f32 %f1, [%r2]; ld.volatile.shared.f32 %f2, [%r2+4];");
        assert_eq!(l, [32, 32]);
        let (l, _) = widths("ld.shared.f32 %f1, [%r2]; add.s32 %r2, %r2, 16; ld.shared.f32 %f2, [%r2+4];");
        assert_eq!(l, [32, 32]);
        let (l, _) = widths("@%p1 ld.shared.f32 %f1, [%r2]; ld.shared.f32 %f2, [%r2+4];");
        assert_eq!(l, [32, 32]);
    }

    #[test]
    fn alignment_is_lost_where_ptxas_loses_it() {
        let (l, _) =
            widths("mov.u32 %r9, 4080; sub.s32 %r9, %r9, %r2; ld.shared.f32 %f1, [%r9]; ld.shared.f32 %f2, [%r9+4];");
        assert_eq!(l, [32, 32], "a difference");
        let (l, _) = widths(
            "shl.b32 %r8, %r1, 4; mov.u32 %r9, 4080; sub.s32 %r9, %r9, %r8; ld.shared.f32 %f1, [%r9]; ld.shared.f32 %f2, [%r9+4];",
        );
        assert_eq!(l, [64], "a difference into which a shift is folded");
        let (l, _) = widths("max.s32 %r9, %r2, 64; ld.shared.f32 %f1, [%r9]; ld.shared.f32 %f2, [%r9+4];");
        assert_eq!(l, [32, 32], "a maximum");
        let (l, _) = widths("mad.lo.s32 %r9, %r1, -16, 4080; ld.shared.f32 %f1, [%r9]; ld.shared.f32 %f2, [%r9+4];");
        assert_eq!(l, [64], "a product with a negative factor");
        let (l, _) = widths("ld.shared.f32 %f1, [s]; ld.shared.f32 %f2, [s+4];");
        assert_eq!(l, [64], "a constant address");
    }
}
