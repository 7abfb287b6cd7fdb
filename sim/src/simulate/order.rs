//! Which executed instructions make the result depend on the order of the threads.

use std::collections::BTreeSet;

use crate::ir::inst::{Atomic, AtomicForm, AtomicOp, Op, Reg, Space};
use crate::ir::operands;
use crate::observe::counters::Counters;
use crate::prepare::Executable;
use crate::ptx::ast;
use crate::ptxas::dead_code::Needed;
use crate::report::OrderPlace;

/// The executed instructions whose effect depends on which thread comes first.
pub(super) fn places(program: &Executable, counters: &Counters, module: &ast::Module, ptx: &str) -> Vec<OrderPlace> {
    let mut places = BTreeSet::new();
    let mut needed = None;
    for (pc, (inst, counts)) in program.insts.iter().zip(&counters.by_pc).enumerate() {
        let combined;
        let atomic = match &inst.op {
            Op::Atomic(atomic) => &**atomic,
            Op::Bulk(bulk) => match bulk.reduces {
                // What it depends on is what one atomic per element would depend on.
                Some((op, bytes)) => {
                    let ((space, address), form) = (bulk.to, AtomicForm::default());
                    combined = Atomic {
                        op,
                        space,
                        address,
                        bytes,
                        result: None,
                        a: bulk.bytes,
                        b: None,
                        form,
                        stays: false,
                        elements: 1,
                    };
                    &combined
                }
                None => continue,
            },
            _ => continue,
        };
        // One thread alone has an order.
        if counts.lanes < 2 {
            continue;
        }
        // Compilers that do not optimise keep old values that nobody asks for.
        let returns =
            (atomic.result).is_some_and(|result| needed.get_or_insert_with(|| Needed::of(program)).has(result));
        // The bounds of a bulk copy are its elements.
        let bulk = matches!(inst.op, Op::Bulk(_)) && matches!(atomic.op, AtomicOp::Inc | AtomicOp::Dec);
        if let Some(what) = if bulk { Some(BOUNDS) } else { depends(atomic, returns, program) } {
            let (file, line) = program.place(module, ptx, pc);
            places.insert(OrderPlace { file, line, what: what.to_owned() });
        }
    }
    places.into_iter().collect()
}

const BOUNDS: &str = "counts up to bounds that may differ: with which one it wraps depends on the order";

/// What depends on the order in which threads execute an atomic; `returns`: its old value is used.
fn depends(atomic: &Atomic, returns: bool, program: &Executable) -> Option<&'static str> {
    if atomic.space == Space::Frame {
        return None;
    }
    match atomic.op {
        AtomicOp::AddF32 { .. }
        | AtomicOp::AddF64
        | AtomicOp::AddF16
        | AtomicOp::AddBf16
        | AtomicOp::AddF16x2
        | AtomicOp::AddBf16x2 => Some("adds floats atomically: how the sum is rounded depends on the order"),
        AtomicOp::Exch if !returns => Some("stores atomically: the last thread's value stays"),
        AtomicOp::Exch => Some("swaps atomically: each thread gets what the one before it left"),
        AtomicOp::Cas => Some("compares and swaps: which thread succeeds depends on the order"),
        // Steps with one bound are alike. Steps with different bounds are not: 0 to 1 to 2, or 0 to 1 to 0.
        AtomicOp::Inc | AtomicOp::Dec if !returns => (!same_for_all(program, atomic.a)).then_some(BOUNDS),
        AtomicOp::MbarrierInit
        | AtomicOp::MbarrierArrive
        | AtomicOp::MbarrierDrop
        | AtomicOp::MbarrierExpect
        | AtomicOp::MbarrierComplete
        | AtomicOp::MbarrierTest => None,
        // Sums, minima, maxima and bitwise operations of integers have one result in every order.
        AtomicOp::Inc
        | AtomicOp::Dec
        | AtomicOp::AddInt
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::MinF16
        | AtomicOp::MaxF16
        | AtomicOp::MinBf16
        | AtomicOp::MaxBf16
        | AtomicOp::Xor
        | AtomicOp::MinS
        | AtomicOp::MaxS
        | AtomicOp::MinU
        | AtomicOp::MaxU => {
            returns.then_some("uses the old value of an atomic: which thread gets which depends on the order")
        }
    }
}

/// Whether a register is a constant or a kernel parameter, or a copy of one. What is computed from them is not looked at.
fn same_for_all(program: &Executable, mut reg: Reg) -> bool {
    // A chain of copies longer than the program runs in a circle.
    for _ in 0..=program.insts.len() {
        if reg.is_constant() {
            return true;
        }
        let mut definitions = program.insts.iter().filter(|inst| operands::writes(inst, reg));
        let (Some(definition), None) = (definitions.next(), definitions.next()) else { return false };
        reg = match &definition.op {
            &Op::Mov32 { a, .. } => Reg::W(a, 32),
            &Op::Mov64 { a, .. } => Reg::D(a),
            Op::Load(access) => return access.space == Space::Param && access.address.base.is_none(),
            _ => return false,
        };
    }
    false
}
