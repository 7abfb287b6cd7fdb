//! Pass 10: chains of instructions are executed in fewer steps.
//!
//! Most arithmetic of a kernel finds addresses: an index is widened, multiplied by the size of an element and added to
//! the beginning of an array. Every step is an instruction of the PTX and is counted as one; to execute them one by one
//! takes the simulator longer than the access that they are for. So, inside a basic block:
//!
//! - a register that holds a constant from the kernel's first instructions on is that constant;
//! - a constant that is added to an address becomes part of the access's offset, and an access widens its address
//!   itself;
//! - a product and a sum of 64 bits become one operation, and so do a widening and a sum;
//! - a mask for a widened value is applied before it is widened, to half as many bits.
//!
//! Only values that nothing else reads disappear. Each instruction keeps its position: one that has become part of
//! another is a [`Nop`](Op::Nop) there, and whoever counts, meets or waits at a position still does.

use std::collections::{HashMap, HashSet};

use crate::ir::cfg::Cfg;
use crate::ir::inst::{Address, Inst, Int32, Int64, Op, Reg, Space, ops};
use crate::ir::numbers::Numbers;
use crate::ir::slots::TooMany;
use crate::ir::{Program, operands};

/// Instructions that a chain may have in between.
const NEAR: usize = 64;

/// Where a register gets its value from, and how often it is read.
#[derive(Debug, Clone, Copy, Default)]
struct Value {
    writers: u32,
    /// The last one.
    writer: usize,
    readers: u32,
    /// Somebody reads less than all bits of it.
    partly: bool,
}

struct Chains<'p> {
    program: &'p mut Program,
    numbers: Numbers,
    insts: Vec<Inst>,
    values: Vec<Value>,
}

/// The instructions of `program`, with chains as steps.
pub(super) fn run(program: &mut Program) -> Vec<Inst> {
    let cfg = Cfg::new(program);
    let numbers = Numbers::of(program);
    let insts = program.insts.iter().map(|instruction| instruction.inst.clone()).collect();
    let mut chains = Chains { program, numbers, values: Vec::new(), insts };
    chains.count();
    if let Some(entry) = cfg.blocks.first() {
        chains.constants(entry.end as usize);
    }
    // What becomes part of an access, and what then remains. Too many constants: what is done by then is right, and the
    // rest stays as it is.
    let first = |chains: &mut Chains<'_>, block, pc| chains.mask(block, pc).and_then(|()| chains.address(block, pc));
    if chains.each(&cfg, first).is_ok() {
        let _ = chains.each(&cfg, Chains::sum);
    }
    chains.insts
}

impl Chains<'_> {
    /// Goes through all instructions, each with the first one of its block.
    fn each(
        &mut self,
        cfg: &Cfg,
        mut step: impl FnMut(&mut Self, usize, usize) -> Result<(), TooMany>,
    ) -> Result<(), TooMany> {
        for block in &cfg.blocks {
            let start = block.start as usize;
            (start..block.end as usize).try_for_each(|pc| step(self, start, pc))?;
        }
        Ok(())
    }

    fn count(&mut self) {
        self.values = vec![Value::default(); self.numbers.count()];
        let (values, numbers) = (&mut self.values, self.numbers);
        for slot in self.program.slots.start.values() {
            values[usize::from(*slot)].writers += 1;
        }
        for (pc, inst) in self.insts.iter().enumerate() {
            let mut read: Vec<(usize, bool)> = Vec::new();
            let mut reads = |reg: Reg| numbers.each(reg, |number| read.push((number, reg.whole() != reg)));
            operands::visit(inst, &mut reads, &mut |reg| {
                numbers.each(reg, |number| {
                    values[number].writers += 1;
                    values[number].writer = pc;
                });
            });
            for (number, partly) in read {
                values[number].readers += 1;
                values[number].partly |= partly;
            }
        }
    }

    fn value(&self, reg: Reg) -> Value {
        let mut value = Value::default();
        self.numbers.each(reg, |number| value = self.values[number]);
        value
    }

    /// Registers that are written once, with a constant, before anything else can happen: in the first `entry`
    /// instructions.
    fn constants(&mut self, entry: usize) {
        let mut known: HashMap<Reg, Reg> = HashMap::new();
        let mut read: HashSet<Reg> = HashSet::new();
        for pc in 0..self.insts.len() {
            operands::rename(&mut self.insts[pc], &mut |reg| known.get(&reg).copied().unwrap_or(reg));
            if pc >= entry {
                continue;
            }
            operands::visit(&self.insts[pc], &mut |reg| _ = read.insert(reg.whole()), &mut |_| {});
            let (to, from) = match (&self.insts[pc].op, self.insts[pc].guard) {
                (&Op::Mov64 { d, a }, None) => (Reg::D(d), Reg::D(a)),
                (&Op::Mov32 { d, a }, None) => (Reg::W(d, 32), Reg::W(a, 32)),
                _ => continue,
            };
            let value = self.value(to);
            if from.is_constant() && value.writers == 1 && !value.partly && !read.contains(&to) {
                known.insert(to, from);
                self.drop(pc, to);
            }
        }
    }

    /// An instruction that nobody needs any more.
    fn drop(&mut self, pc: usize, result: Reg) {
        self.insts[pc].op = Op::Nop;
        let values = &mut self.values;
        self.numbers.each(result, |number| values[number].readers = 0);
    }

    /// The instruction that computes `reg` for `reader` alone, if it stands before it in its block, all lanes execute it,
    /// and what it reads is still there.
    fn only_for(&self, reg: Reg, block: usize, reader: usize) -> Option<usize> {
        if reg.is_constant() {
            return None;
        }
        let value = self.value(reg);
        let at = value.writer;
        let near = at >= block && at < reader && reader - at <= NEAR;
        if value.writers != 1 || value.readers != 1 || !near || self.insts[at].guard.is_some() {
            return None;
        }
        let mut operands = Vec::new();
        operands::visit(&self.insts[at], &mut |reg| operands.push(reg.whole()), &mut |_| {});
        let overwritten = self.insts[at + 1..reader].iter().any(|inst| {
            let mut overwritten = false;
            operands::visit(inst, &mut |_| {}, &mut |reg| overwritten |= operands.contains(&reg.whole()));
            overwritten
        });
        (!overwritten).then_some(at)
    }

    /// Constants that are added to the address of an access, and the widening of an address.
    fn address(&mut self, block: usize, pc: usize) -> Result<(), TooMany> {
        loop {
            let Some(Address { base: Some(Reg::D(base)), offset, .. }) = address_of(&self.insts[pc].op) else {
                return Ok(());
            };
            let Some(at) = self.only_for(Reg::D(base), block, pc) else { return Ok(()) };
            if let Op::Widen { signed: false, a, .. } = self.insts[at].op {
                let address = Address { base: Some(Reg::W(a, 32)), offset, widened: true };
                set_address(&mut self.insts[pc].op, address);
                self.drop(at, Reg::D(base));
                return Ok(());
            }
            let Op::Int64 { op: Int64::Add, a, b, .. } = self.insts[at].op else { return Ok(()) };
            let value64 = |slot| self.program.slots.value64(slot);
            let (rest, added) = match (value64(a), value64(b)) {
                (None, Some(added)) => (a, added),
                (Some(added), None) => (b, added),
                _ => return Ok(()),
            };
            let address = Address::new(Some(Reg::D(rest)), offset.wrapping_add(added as i64));
            set_address(&mut self.insts[pc].op, address);
            self.drop(at, Reg::D(base));
        }
    }

    /// A mask for a value that has been widened.
    fn mask(&mut self, block: usize, pc: usize) -> Result<(), TooMany> {
        let Inst { op: Op::Int64 { op: Int64::And, d, a, b }, guard: None } = self.insts[pc] else { return Ok(()) };
        let value64 = |slot| self.program.slots.value64(slot);
        let (wide, mask) = match (value64(a), value64(b)) {
            (None, Some(mask)) => (a, mask),
            (Some(mask), None) => (b, mask),
            _ => return Ok(()),
        };
        let Some(at) = self.only_for(Reg::D(wide), block, pc) else { return Ok(()) };
        let Op::Widen { signed: false, a: narrow, .. } = self.insts[at].op else { return Ok(()) };
        let mask = self.program.slots.constant32(mask as u32)?;
        let masked = self.program.slots.word()?;
        self.drop(at, Reg::D(wide));
        self.insts[at].op = Op::Int32 { op: Int32::And, d: masked, a: narrow, b: mask };
        self.insts[pc].op = Op::Widen { signed: false, d, a: masked };
        Ok(())
    }

    /// Sums of a product, or of a widened value.
    fn sum(&mut self, block: usize, pc: usize) -> Result<(), TooMany> {
        let Inst { op: Op::Int64 { op: Int64::Add, d, a, b }, guard: None } = self.insts[pc] else { return Ok(()) };
        for (part, c) in [(a, b), (b, a)] {
            let Some(at) = self.only_for(Reg::D(part), block, pc) else { continue };
            let (signed, a, b) = if let Op::MulWide { signed, a, b, .. } = self.insts[at].op {
                (signed, a, b)
            } else if let Op::Widen { signed, a, .. } = self.insts[at].op {
                (signed, a, self.program.slots.constant32(1)?)
            } else {
                continue;
            };
            self.insts[pc].op = Op::MadWide { signed, d, a, b, c };
            self.drop(at, Reg::D(part));
            break;
        }
        Ok(())
    }
}

/// The address of an access to memory that all lanes know by the same name.
fn address_of(op: &Op) -> Option<Address> {
    match op {
        Op::Load(access) | Op::Store(access) => {
            matches!(access.space, Space::Shared | Space::Global).then_some(access.address)
        }
        Op::Atomic(atomic) => Some(atomic.address),
        Op::Copy(_)
        | Op::Bulk(_)
        | ops!(lane_local)
        | ops!(query)
        | ops!(sync)
        | ops!(exchange)
        | ops!(control)
        | ops!(stop)
        | ops!(system) => None,
    }
}

fn set_address(op: &mut Op, new: Address) {
    match op {
        Op::Load(access) | Op::Store(access) => access.address = new,
        Op::Atomic(atomic) => atomic.address = new,
        Op::Copy(_)
        | Op::Bulk(_)
        | ops!(lane_local)
        | ops!(query)
        | ops!(sync)
        | ops!(exchange)
        | ops!(control)
        | ops!(stop)
        | ops!(system) => {}
    }
}
