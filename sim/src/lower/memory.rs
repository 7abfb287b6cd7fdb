//! Decodes loads, stores, atomics and address conversions.

use super::builder::Builder;
use super::decode::Guard;
use crate::error::Error;
use crate::ir::inst::{Access, Atomic, AtomicForm, AtomicOp, Op, Reg, Space};
use crate::ptx::ast::{Instruction, Operand};
use crate::semantics::ScalarType;

/// The parts of a memory opcode that we understand.
#[derive(Default)]
struct Form<'a> {
    space: Option<Space>,
    kind: Option<ScalarType>,
    lanes: usize,
    strong: bool,
    operation: Option<&'a str>,
}

fn space(part: &str) -> Option<Space> {
    Some(match part {
        "global" => Space::Global,
        // A cluster has one thread block.
        "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
        "local" => Space::Local,
        "const" => Space::Const,
        "param" | "param::entry" | "param::func" => Space::Param,
        _ => return None,
    })
}

/// Reads the parts behind `ld`, `st`, `atom` or `red`. `None` when one of them is unknown.
fn form<'a>(parts: &[&'a str], atomic: bool) -> Option<Form<'a>> {
    let mut form = Form { lanes: 1, ..Form::default() };
    for &part in &parts[1..] {
        if let Some(kind) = ScalarType::parse(part) {
            form.kind = Some(kind);
        } else if let Some(space) = space(part) {
            form.space = Some(space);
        } else {
            match part {
                "v2" => form.lanes = 2,
                "v4" => form.lanes = 4,
                "v8" => form.lanes = 8,
                "volatile" | "relaxed" | "acquire" | "release" | "acq_rel" | "mmio" | "sc" => form.strong = true,
                "weak" | "cta" | "gpu" | "sys" | "cluster" | "nc" | "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt"
                | "unified" => {}
                "noftz" if atomic => {}
                _ if part.starts_with("L1::") || part.starts_with("L2::") => {}
                "exch" | "cas" | "and" | "or" | "xor" | "add" | "inc" | "dec" | "min" | "max" if atomic => {
                    form.operation = Some(part);
                }
                _ => return None,
            }
        }
    }
    Some(form)
}

impl<'m> Builder<'m> {
    pub(super) fn memory(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        match parts[0] {
            "ld" | "ldu" | "st" => self.load_or_store(inst, parts, guard),
            "atom" | "red" => self.atomic(inst, parts, guard),
            "cvta" => self.convert_address(inst, parts, guard),
            "isspacep" => self.is_space(inst, parts, guard),
            // Moving data nearer changes no result and none of the counters.
            "prefetch" | "prefetchu" | "discard" | "applypriority" => self.emit(Op::Nop, guard, &inst.span),
            // A cache policy is a number that nothing here reads.
            "createpolicy" => match self.destination(&inst.operands[0])? {
                Some(Reg::D(d)) => {
                    let a = self.wide_constant(0, &inst.span)?;
                    self.emit(Op::Mov64 { d, a }, guard, &inst.span)
                }
                _ => Err(self.unsupported_instruction(inst)),
            },
            // A cluster has one thread block: every address is this block's own, and its rank is 0.
            "mapa" => self.same_block(inst, guard),
            "getctarank" => self.own_rank(inst, guard),
            _ => Err(self.unsupported_instruction(inst)),
        }
    }

    /// `mapa d, address, rank`.
    fn same_block(&mut self, inst: &'m Instruction, guard: Guard) -> Result<(), Error> {
        self.arity(inst, 3..=3)?;
        let kind = if inst.opcode.text.ends_with("u64") { ScalarType::B64 } else { ScalarType::B32 };
        let a = self.source(&inst.operands[1], kind)?;
        let op = match (self.destination(&inst.operands[0])?, a) {
            (Some(Reg::D(d)), Reg::D(a)) => Op::Mov64 { d, a },
            (Some(Reg::W(d, 32)), Reg::W(a, 32)) => Op::Mov32 { d, a },
            _ => return Err(self.unsupported_instruction(inst)),
        };
        self.emit(op, guard, &inst.span)
    }

    /// `getctarank d, address`.
    fn own_rank(&mut self, inst: &'m Instruction, guard: Guard) -> Result<(), Error> {
        self.arity(inst, 2..=2)?;
        let Some(Reg::W(d, 32)) = self.destination(&inst.operands[0])? else {
            return Err(self.unsupported_instruction(inst));
        };
        let Reg::W(a, _) = self.constant(0, ScalarType::B32, &inst.span)? else {
            return Err(self.unsupported_instruction(inst));
        };
        self.emit(Op::Mov32 { d, a }, guard, &inst.span)
    }

    fn load_or_store(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        let load = parts[0] != "st";
        let Some(Form { space, kind: Some(kind), lanes, strong, .. }) = form(parts, false) else {
            return Err(self.unsupported_instruction(inst));
        };
        // `ld.global.nc…` may carry a cache policy as a third operand: it changes no value.
        self.arity(inst, 2..=3)?;
        let width = lanes as u32 * kind.bytes();
        if kind == ScalarType::Pred
            || width > 32
            || (width > 16 && space != Some(Space::Global))
            || lanes == 8 && kind.bytes() != 4
        {
            let message = format!("`{}` would move {width} bytes at once; a GPU moves up to 16", inst.opcode.text);
            return Err(self.invalid(&inst.opcode.span, &message));
        }
        let (address, value) = if load { (1, 0) } else { (0, 1) };
        let (address, space) = self.address(&inst.operands[address], space.unwrap_or(Space::Generic))?;
        let items = inst.operands[value].items();
        if items.len() != lanes {
            return Err(self.invalid(&inst.operands[value].span(), &format!("{lanes} registers are needed here")));
        }
        let mut registers = Vec::with_capacity(lanes);
        for item in items {
            registers.push(if load { self.destination(item)? } else { Some(self.source(item, kind)?) });
        }
        let access = Access { space, address, bytes: kind.bytes() as u8, signed: kind.is_signed(), registers, strong };
        let op = if load { Op::Load(Box::new(access)) } else { Op::Store(Box::new(access)) };
        self.emit(op, guard, &inst.span)
    }

    fn atomic(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        let Some(Form { space, kind: Some(kind), lanes, operation: Some(operation), .. }) = form(parts, true) else {
            return Err(self.unsupported_instruction(inst));
        };
        let reduction = parts[0] == "red";
        let first = usize::from(!reduction);
        let operands = if operation == "cas" { 3 } else { 2 } + first;
        // A cache policy may stand behind them.
        self.arity(inst, operands..=operands + 1)?;
        use ScalarType as T;
        let op = match (operation, kind) {
            ("exch", _) => AtomicOp::Exch,
            ("cas", _) => AtomicOp::Cas,
            ("and", _) => AtomicOp::And,
            ("or", _) => AtomicOp::Or,
            ("xor", _) => AtomicOp::Xor,
            ("inc", T::U32) => AtomicOp::Inc,
            ("dec", T::U32) => AtomicOp::Dec,
            ("add", T::U32 | T::S32 | T::U64 | T::S64) => AtomicOp::AddInt,
            // Whether subnormal numbers are flushed depends on where the memory lies.
            ("add", T::F32) => AtomicOp::AddF32 { ftz: false },
            ("add", T::F64) => AtomicOp::AddF64,
            ("add", T::F16) => AtomicOp::AddF16,
            ("add", T::BF16) => AtomicOp::AddBf16,
            ("add", T::F16x2) => AtomicOp::AddF16x2,
            ("add", T::BF16x2) => AtomicOp::AddBf16x2,
            ("min", T::S32 | T::S64) => AtomicOp::MinS,
            ("max", T::S32 | T::S64) => AtomicOp::MaxS,
            ("min", T::U32 | T::U64) => AtomicOp::MinU,
            ("max", T::U32 | T::U64) => AtomicOp::MaxU,
            _ => return Err(self.unsupported_instruction(inst)),
        };
        if kind.bytes() > 8 && !matches!(op, AtomicOp::Exch | AtomicOp::Cas) {
            return Err(self.unsupported_instruction(inst));
        }
        let (address, space) = self.address(&inst.operands[first], space.unwrap_or(Space::Generic))?;
        // A vector is updated element by element: only each element is atomic.
        let width = lanes as u32 * kind.bytes();
        if lanes > 1 && (width > 16 || space == Space::Shared || operation == "cas") {
            return Err(self.unsupported_instruction(inst));
        }
        for lane in 0..lanes {
            let result = if reduction { None } else { self.destination(self.element(inst, 0, lane, lanes)?)? };
            let a = self.source(self.element(inst, first + 1, lane, lanes)?, kind)?;
            let b = if operation == "cas" { Some(self.source(&inst.operands[first + 2], kind)?) } else { None };
            let offset = address.offset.wrapping_add(i64::from(lane as u32 * kind.bytes()));
            let address = crate::ir::inst::Address::new(address.base, offset);
            // The machine makes one access of it.
            let elements = if lane == 0 { lanes as u8 } else { 0 };
            let bytes = kind.bytes() as u8;
            let atomic =
                Atomic { op, space, address, bytes, result, a, b, form: AtomicForm::default(), stays: false, elements };
            self.emit(Op::Atomic(Box::new(atomic)), guard, &inst.span)?;
        }
        Ok(())
    }

    /// Element `lane` of an operand that has `lanes` of them.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "every other operand is treated alike: as a register, or refused"
    )]
    fn element<'i>(&self, inst: &'i Instruction, at: usize, lane: usize, lanes: usize) -> Result<&'i Operand, Error> {
        match &inst.operands[at] {
            Operand::Vector(items, _) if items.len() == lanes => Ok(&items[lane]),
            operand if lanes == 1 => Ok(operand),
            operand => Err(self.invalid(&operand.span(), &format!("{lanes} registers are needed here"))),
        }
    }

    /// `cvta.SPACE.u64 generic, address` and `cvta.to.SPACE.u64 address, generic`.
    fn convert_address(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        self.arity(inst, 2..=2)?;
        let to_generic = parts.get(1) != Some(&"to");
        let named = parts.get(if to_generic { 1 } else { 2 }).and_then(|part| space(part));
        let Some(space) = named else {
            return Err(self.unsupported_instruction(inst));
        };
        let Some(d) = self.destination(&inst.operands[0])? else {
            return Ok(());
        };
        let a = self.source(&inst.operands[1], ScalarType::U64)?;
        let op = match (space, d, a) {
            (Space::Global, Reg::D(d), Reg::D(a)) => Op::Mov64 { d, a },
            _ => Op::Convert { d, a, space, to_generic },
        };
        self.emit(op, guard, &inst.span)
    }

    fn is_space(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        self.arity(inst, 2..=2)?;
        let (Some(space), Some(Reg::P(d))) =
            (parts.get(1).and_then(|part| space(part)), self.destination(&inst.operands[0])?)
        else {
            return Err(self.unsupported_instruction(inst));
        };
        let a = self.source(&inst.operands[1], ScalarType::U64)?;
        self.emit(Op::IsSpace { d, a, space }, guard, &inst.span)
    }
}
