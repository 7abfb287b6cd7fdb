//! The table of instructions against tests: one that neither the record of a GPU nor a real kernel holds has an example
//! here, and every example is of an instruction of the table.

mod common;

use common::{kernel, run_text, unchecked};
use sim::isa::{Instruction, instructions};

const RECORD: &str = include_str!("../../kernels/truth/isa.h200.tsv");
const REAL: &str = include_str!("data/forms.txt");

/// Instructions that are tested nowhere else: what a thread executes, and what it must leave in `%out`.
const EXAMPLES: &[(&str, &str, u32)] = &[
    ("ldu", "ldu.global.b32 %out, [%p+12];", 3),
    ("prefetchu", "prefetchu.L1 [%p];\nmov.b32 %out, 1;", 1),
    ("applypriority", "applypriority.global.L2::evict_normal [%p], 128;\nmov.b32 %out, 1;", 1),
    ("discard", "discard.global.L2 [%p], 128;\nld.global.b32 %out, [%p+4];", 1),
    (
        "createpolicy",
        "createpolicy.fractional.L2::evict_last.b64 %d0, 0.5;\nld.global.L2::cache_hint.b32 %out, [%p+8], %d0;",
        2,
    ),
    ("isspacep", "isspacep.global %q1, %p;\nselp.u32 %out, 1, 0, %q1;", 1),
    ("isspacep", "isspacep.shared %q1, %p;\nselp.u32 %out, 1, 0, %q1;", 0),
    (
        "mapa",
        "mov.u32 %r1, block;\nst.shared.b32 [block], 7;\nmapa.shared::cluster.u32 %r2, %r1, 0;\nld.shared::cluster.b32 %out, [%r2];",
        7,
    ),
    ("getctarank", "mov.u32 %r1, block;\ngetctarank.shared::cluster.u32 %out, %r1;", 0),
    (
        "brx",
        "mov.u32 %r1, 1;\nT: .branchtargets A, B;\nbrx.idx %r1, T;\nA: mov.b32 %out, 5;\nbra DONE;\nB: mov.b32 %out, 6;",
        6,
    ),
    (
        "st.async",
        "setp.eq.u32 %q2, %tid, 0;\nmov.u32 %r7, full;\n@%q2 mbarrier.init.shared.b64 [%r7], 1;\nbar.sync 0;\n\
         @%q2 mbarrier.arrive.expect_tx.shared.b64 %d1, [%r7], 4;\n\
         @%q2 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [block], 7, [%r7];\n\
         WAIT:\nmbarrier.try_wait.parity.shared.b64 %q3, [%r7], 0;\n@!%q3 bra WAIT;\nld.shared.u32 %out, [block];",
        7,
    ),
    (
        "red.async",
        "setp.eq.u32 %q2, %tid, 0;\nmov.u32 %r7, full;\n@%q2 st.shared.u32 [block], 0;\n\
         @%q2 mbarrier.init.shared.b64 [%r7], 1;\nbar.sync 0;\n\
         @%q2 mbarrier.arrive.expect_tx.shared.b64 %d1, [%r7], 128;\n\
         red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [block], 2, [%r7];\n\
         WAIT:\nmbarrier.try_wait.parity.shared.b64 %q3, [%r7], 0;\n@!%q3 bra WAIT;\nld.shared.u32 %out, [block];",
        64,
    ),
    ("barrier.cluster", "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nmov.b32 %out, 1;", 1),
    ("pmevent", "pmevent 3;\nmov.b32 %out, 1;", 1),
    ("setmaxnreg", "setmaxnreg.inc.sync.aligned.u32 64;\nmov.b32 %out, 1;", 1),
    ("elect", "elect.sync %r1|%q1, -1;\nselp.u32 %out, 1, 1, %q1;", 1),
];

#[test]
fn examples_leave_what_they_should() {
    for &(name, body, wanted) in EXAMPLES {
        let text = kernel(".shared .align 16 .b8 block[64];\n.shared .align 8 .b64 full;", body);
        let ran = run_text(&text, 1, 32, &unchecked(1 << 16));
        assert!(ran.report.findings.is_empty(), "{name}: {:#?}", ran.report.findings);
        assert_eq!(ran.out, vec![wanted; 32], "{name}");
    }
}

#[test]
fn a_breakpoint_is_a_finding() {
    let ran = run_text(&kernel("", "brkpt;"), 1, 32, &unchecked(1 << 16));
    assert_eq!(ran.finding().kind.name(), "trap");
}

#[test]
fn every_instruction_is_tested() {
    let forms: Vec<&str> = RECORD
        .lines()
        .chain(REAL.lines())
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(['\t', ' ']).next().unwrap_or_default())
        .collect();
    let tested = |row: &Instruction| {
        forms.iter().any(|form| row.covers(form))
            || row.name == "brkpt"
            || EXAMPLES.iter().any(|&(name, ..)| name == row.name)
    };
    // Patterns are expanded once each here, which takes a while for all of them: those have a record of their own
    // (`kernels/src/isa/coverage.rs`).
    let machine = instructions().into_iter().filter(|row| row.forms.is_empty());
    let untested: Vec<&str> = machine.filter(|row| !tested(row)).map(|row| row.name).collect();
    assert!(untested.is_empty(), "{untested:?}: give each an example here");
    for (name, ..) in EXAMPLES {
        assert!(instructions().iter().any(|row| row.name == *name), "{name} is not in the table");
    }
}
