//! Runs one launch in several orders: what only some of them show is a finding that names its seed, and what they leave
//! different in the buffers is the program's own dependence on the order of its threads.

use std::collections::BTreeSet;

use crate::ir::inst::{Atomic, AtomicForm, AtomicOp, Op, Reg, Space};
use crate::ir::operands;
use crate::launch::Launch;
use crate::machine::grid::Machine;
use crate::observe::counters::Counters;
use crate::observe::metrics;
use crate::prepare::Executable;
use crate::ptx::ast;
use crate::ptxas::dead_code::Needed;
use crate::report::{Differing, Finding, FindingKind, OrderPlace, Severity};
use crate::{Error, Module, Options, Outcome};

/// Runs the first schedule with `run`, then the others, and adds to the first one's report what the others show.
pub(crate) fn run(
    module: &Module,
    kernel: &str,
    launch: &Launch,
    options: &Options,
    run: impl Fn(&Module, &str, &Launch, &Options) -> Result<Outcome, Error>,
) -> Result<Outcome, Error> {
    let mut outcome = run(module, kernel, launch, options)?;
    if options.schedules <= 1 {
        return Ok(outcome);
    }
    let report = &mut outcome.report;
    let last = options.seed.saturating_add(options.schedules - 1);
    report.order.seeds = (options.seed..=last).collect();
    for seed in options.seed + 1..=last {
        let other = run(module, kernel, launch, &Options { seed, ..options.clone() })?;
        add(&mut report.findings, other.report.findings);
        report.order.places.extend(other.report.order.places);
        // The content of a buffer after a faulty run says nothing about order.
        if !report.is_clean() {
            report.order.differing.clear();
            continue;
        }
        for (before, after) in report.output.iter().zip(&other.report.output) {
            let known = report.order.differing.iter().any(|differing| differing.argument == before.argument);
            if before.blake3 == after.blake3 || known {
                continue;
            }
            let [one, two] =
                [&outcome.buffers, &other.buffers].map(|buffers| buffers[before.argument].as_deref().unwrap_or(&[]));
            let byte = one.iter().zip(two).position(|(one, two)| one != two).unwrap_or(0) as u64;
            report.order.differing.push(Differing { argument: before.argument, seed, byte });
        }
    }
    // Where two lines race in one order, it goes without saying that in another they write equal values.
    let lines = |finding: &Finding| -> BTreeSet<(String, u32)> {
        let parties = finding.parties.iter().map(|party| (party.file.clone(), party.line));
        parties.chain([(finding.file.clone(), finding.line)]).collect()
    };
    let races: Vec<_> = report.errors().filter(|finding| finding.kind == FindingKind::Race).map(lines).collect();
    let said = |finding: &Finding| finding.kind == FindingKind::Race && races.contains(&lines(finding));
    report.findings.retain(|finding| finding.severity == Severity::Error || !said(finding));
    report.order.places.sort();
    report.order.places.dedup();
    report.order.differing.sort_by_key(|differing| differing.argument);
    Ok(outcome)
}

/// Adds what a later schedule found, unless an earlier one found the same at the same line.
fn add(findings: &mut Vec<Finding>, later: Vec<Finding>) {
    let key = |finding: &Finding| (finding.severity, finding.file.clone(), finding.line, finding.kind);
    let known: BTreeSet<(Severity, String, u32, FindingKind)> = findings.iter().map(key).collect();
    findings.extend(later.into_iter().filter(|finding| !known.contains(&key(finding))));
    findings.sort_by_key(key);
}

/// The executed instructions whose effect depends on which thread comes first.
pub(crate) fn places(machine: &Machine<'_>, counters: &Counters, module: &ast::Module, ptx: &str) -> Vec<OrderPlace> {
    let mut places = BTreeSet::new();
    let mut needed = None;
    for (pc, (inst, counts)) in machine.program.insts.iter().zip(&counters.by_pc).enumerate() {
        let combined;
        let atomic = match &inst.op {
            Op::Atomic(atomic) => &**atomic,
            Op::Bulk(bulk) => match bulk.reduces {
                // What it depends on is what one atomic per element would depend on.
                Some((op, bytes)) => {
                    let ((space, address), form) = (bulk.to, AtomicForm::default());
                    combined =
                        Atomic { op, space, address, bytes, result: None, a: bulk.bytes, b: None, form, elements: 1 };
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
            (atomic.result).is_some_and(|result| needed.get_or_insert_with(|| Needed::of(machine.program)).has(result));
        // The bounds of a bulk copy are its elements.
        let bulk = matches!(inst.op, Op::Bulk(_)) && matches!(atomic.op, AtomicOp::Inc | AtomicOp::Dec);
        if let Some(what) = if bulk { Some(BOUNDS) } else { depends(atomic, returns, machine.program) } {
            let (file, line) = metrics::place(machine.program, module, ptx, pc);
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
