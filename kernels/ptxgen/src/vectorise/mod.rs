//! Loads and stores side by side become one of a vector, where the address is aligned for it and nothing between them could
//! see the difference: what LLVM's LoadStoreVectorizer does before instructions are selected.

mod rewrite;

use std::collections::HashSet;

use crate::intrinsics;
use crate::ir::{Block, Callee, Function, Instruction, Kind, Module, Operand, Value};
use crate::linear::{Base, Linear, Sums, definitions};
use crate::spaces::{self, GENERIC};
use crate::types::Type;

/// Bytes of the widest access.
const WIDEST: u64 = 16;

/// Something between two accesses that might matter to them.
#[derive(Debug, Clone)]
enum Touch {
    /// Nothing can be moved over it.
    Barrier,
    /// An access.
    Access { at: Option<Linear>, space: u32, bytes: u64, reads: bool, writes: bool },
}

/// An access that may become part of a larger one.
#[derive(Debug, Clone)]
struct Member {
    place: usize,
    at: Linear,
    space: u32,
    element: Type,
    count: u64,
    bytes: u64,
    align: u64,
    load: bool,
}

/// Widens the accesses of all functions that were compiled with optimisation.
pub(crate) fn all(module: &mut Module) {
    let mut functions = std::mem::take(&mut module.functions);
    for function in functions.iter_mut().filter(|own| !own.blocks.is_empty() && !own.attributes.contains_key("optnone"))
    {
        widen(module, function);
    }
    module.functions = functions;
}

struct Context<'a> {
    module: &'a Module,
    function: &'a Function,
    sums: Sums<'a>,
    spaces: Vec<u32>,
}

fn widen(module: &Module, function: &mut Function) {
    let mut plans: Vec<Vec<Vec<Member>>> = Vec::new();
    {
        let in_place = crate::parameters::in_place(function);
        let context = Context {
            module,
            function,
            sums: Sums { definitions: definitions(function) },
            spaces: spaces::infer(function, true, &in_place),
        };
        for block in &function.blocks {
            plans.push(context.plan(block));
        }
    }
    let mut values = function.values;
    for (block, groups) in function.blocks.iter_mut().zip(plans) {
        rewrite::rewrite(block, groups, &mut values);
    }
    function.values = values;
}

impl Context<'_> {
    fn space(&self, pointer: &Operand) -> u32 {
        match (&pointer.ty, &pointer.value) {
            (Type::Ptr(GENERIC), Value::Local(id)) => self.spaces[*id],
            (Type::Ptr(GENERIC), Value::Constant(constant)) => {
                spaces::of_constant(constant, &pointer.ty).unwrap_or(GENERIC)
            }
            (Type::Ptr(space), _) => *space,
            _ => GENERIC,
        }
    }

    fn base_alignment(&self, base: &Base) -> u64 {
        match base {
            Base::Nothing => 1,
            Base::Global(name) => {
                self.module.globals.iter().find(|global| global.name == *name).map_or(1, |global| global.align)
            }
            Base::Local(id) => {
                if let Some(own) = self.function.parameters.iter().find(|own| own.id == *id) {
                    return own.attributes.align.max(1);
                }
                match self.sums.definitions[*id].map(|instruction| &instruction.kind) {
                    Some(Kind::Alloca { align, .. }) => *align,
                    _ => 1,
                }
            }
        }
    }

    fn member(&self, place: usize, instruction: &Instruction) -> Option<Member> {
        let (ty, pointer, access, load) = match &instruction.kind {
            Kind::Load { pointer, access } => (&instruction.ty, pointer, access, true),
            Kind::Store { value, pointer, access } => (&value.ty, pointer, access, false),
            _ => return None,
        };
        if access.volatile || access.atomic.is_some() {
            return None;
        }
        let (element, count) = match ty {
            Type::Vector(count, element) => ((**element).clone(), u64::from(*count)),
            ty => (ty.clone(), 1),
        };
        let simple = matches!(
            element,
            Type::Int(8 | 16 | 32 | 64) | Type::Half | Type::BFloat | Type::Float | Type::Double | Type::Ptr(_)
        );
        let bytes = element.size() * count;
        if !simple || !bytes.is_power_of_two() || bytes > WIDEST / 2 {
            return None;
        }
        let at = self.sums.address(pointer);
        let known = self.sums.alignment(&at, self.base_alignment(&at.base));
        let align = access.align.max(known);
        Some(Member { place, at, space: self.space(pointer), element, count, bytes, align, load })
    }

    fn touch(&self, instruction: &Instruction) -> Option<Touch> {
        let access = |pointer: &Operand, bytes: u64, reads: bool, writes: bool| {
            let at = Some(self.sums.address(pointer));
            Some(Touch::Access { at, space: self.space(pointer), bytes, reads, writes })
        };
        match &instruction.kind {
            Kind::Load { access: own, .. } if own.volatile || own.atomic.is_some() => Some(Touch::Barrier),
            Kind::Store { access: own, .. } if own.volatile || own.atomic.is_some() => Some(Touch::Barrier),
            Kind::Load { pointer, access: own } => {
                if own.invariant {
                    None
                } else {
                    access(pointer, instruction.ty.size(), true, false)
                }
            }
            Kind::Store { pointer, value, .. } => access(pointer, value.ty.size(), false, true),
            Kind::AtomicRmw { pointer, value, .. } => access(pointer, value.ty.size(), true, true),
            Kind::CmpXchg { pointer, new, .. } => access(pointer, new.ty.size(), true, true),
            Kind::Fence { .. } => Some(Touch::Barrier),
            Kind::Call { callee: Callee::Function(name), .. } => {
                if intrinsics::is_nothing(name) || intrinsics::is_pure(name) {
                    return None;
                }
                // What only exchanges values within the warp does not touch memory.
                let exchanges = ["shfl.", "vote.", "match.", "redux.", "activemask", "fns"];
                let own = name.strip_prefix("llvm.nvvm.").unwrap_or_default();
                if exchanges.iter().any(|beginning| own.starts_with(beginning)) {
                    return None;
                }
                Some(Touch::Barrier)
            }
            Kind::Call { callee: Callee::Asm { sideeffect: false, .. }, .. } => None,
            Kind::Call { .. } => Some(Touch::Barrier),
            _ => None,
        }
    }

    /// Whether two accesses may touch the same memory.
    fn may_meet(&self, member: &Member, touch: &Touch) -> bool {
        let Touch::Access { at, space, bytes, reads, writes } = touch else { return true };
        if member.load && !writes || !(*reads || *writes) {
            return false;
        }
        if member.space != *space && member.space != GENERIC && *space != GENERIC {
            return false;
        }
        let Some(at) = at else { return true };
        if at.base == member.at.base && at.terms == member.at.terms {
            let (a, b) = (member.at.offset, at.offset);
            return a < b.saturating_add(*bytes as i64) && b < a.saturating_add(member.bytes as i64);
        }
        at.base == member.at.base || !(self.apart(&at.base, &member.at.base) || self.apart(&member.at.base, &at.base))
    }

    /// Whether what begins with `a` is something else than what begins with `b`.
    fn apart(&self, a: &Base, b: &Base) -> bool {
        let parameter = |base: &Base| match base {
            Base::Local(id) => self.function.parameters.iter().find(|own| own.id == *id),
            _ => None,
        };
        let alloca = |base: &Base| match base {
            Base::Local(id) => {
                matches!(self.sums.definitions[*id], Some(Instruction { kind: Kind::Alloca { .. }, .. }))
            }
            _ => false,
        };
        let known = |base: &Base| alloca(base) || parameter(base).is_some() || matches!(base, Base::Global(_));
        if let Some(own) = parameter(a) {
            return own.attributes.noalias && known(b) || alloca(b);
        }
        let variable = |base: &Base| alloca(base) || matches!(base, Base::Global(_));
        variable(a) && variable(b)
    }

    /// The groups of accesses of a block that become one each.
    fn plan(&self, block: &Block) -> Vec<Vec<Member>> {
        let touches: Vec<Option<Touch>> =
            block.instructions.iter().map(|instruction| self.touch(instruction)).collect();
        let mut members: Vec<Member> = Vec::new();
        for (place, instruction) in block.instructions.iter().enumerate() {
            members.extend(self.member(place, instruction));
        }
        let mut segment = 0;
        let mut segments = vec![0; block.instructions.len()];
        for (place, touch) in touches.iter().enumerate() {
            if matches!(touch, Some(Touch::Barrier)) {
                segment += 1;
            }
            segments[place] = segment;
        }
        let mut groups = Vec::new();
        let mut done: HashSet<usize> = HashSet::new();
        for first in 0..members.len() {
            if done.contains(&first) {
                continue;
            }
            let lead = &members[first];
            let mut chain: Vec<&Member> = Vec::new();
            for (index, own) in members.iter().enumerate() {
                let same = own.load == lead.load
                    && own.space == lead.space
                    && own.element.bits() == lead.element.bits()
                    && matches!(own.element, Type::Ptr(_)) == matches!(lead.element, Type::Ptr(_))
                    && own.at.base == lead.at.base
                    && own.at.terms == lead.at.terms
                    && segments[own.place] == segments[lead.place];
                if same && !done.contains(&index) {
                    done.insert(index);
                    chain.push(own);
                }
            }
            chain.sort_by_key(|own| (own.at.offset, own.place));
            self.split(&chain, &touches, &mut groups);
        }
        groups
    }

    /// Splits accesses in the order of their addresses into those that become one.
    fn split(&self, chain: &[&Member], touches: &[Option<Touch>], groups: &mut Vec<Vec<Member>>) {
        let mut from = 0;
        while from < chain.len() {
            let mut taken = 0;
            let mut end = chain[from].at.offset;
            let mut ends = Vec::new();
            for (index, own) in chain.iter().enumerate().skip(from) {
                if own.at.offset != end || end - chain[from].at.offset + own.bytes as i64 > WIDEST as i64 {
                    break;
                }
                end += own.bytes as i64;
                ends.push(index + 1);
            }
            for &to in ends.iter().rev() {
                let group = &chain[from..to];
                let bytes: u64 = group.iter().map(|own| own.bytes).sum();
                // A load may fetch an element more than anybody needs, since an aligned access does not leave its memory.
                let bytes = if group[0].load { bytes.next_power_of_two() } else { bytes };
                let fits = group.len() > 1 && bytes.is_power_of_two() && group[0].align.is_multiple_of(bytes);
                if fits && self.movable(group, touches) {
                    groups.push(group.iter().map(|own| (*own).clone()).collect());
                    taken = group.len();
                    break;
                }
            }
            from += taken.max(1);
        }
    }

    /// Whether loads may all happen where the first is, or stores where the last is.
    fn movable(&self, group: &[&Member], touches: &[Option<Touch>]) -> bool {
        let places = || group.iter().map(|own| own.place);
        let (first, last) = (places().min().unwrap_or(0), places().max().unwrap_or(0));
        group.iter().all(|own| {
            let between = if own.load { first..own.place } else { own.place + 1..last + 1 };
            between.into_iter().all(|place| {
                // Members of the group do not overlap.
                let inside = group.iter().any(|other| other.place == place);
                inside || touches[place].as_ref().is_none_or(|touch| !self.may_meet(own, touch))
            })
        })
    }
}
