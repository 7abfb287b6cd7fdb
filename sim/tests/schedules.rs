//! Other orders of blocks, warps and lanes: found faults name their seed, and results that depend on the order are told.

mod common;

use common::{Ran, kernel, run_text, unchecked};
use sim::report::FindingKind;
use sim::{Lowering, Options};

fn schedules(body: &str, blocks: u32, threads: u32, seed: u64, schedules: u64) -> Ran {
    run_text(&kernel("", body), blocks, threads, &Options { seed, schedules, ..unchecked(1 << 22) })
}

/// `%r1` is a number of the kind that is tried: 0 works, 1 fails when it comes first.
fn fails_when_one_comes_first(number: &str) -> String {
    format!(
        "{number}\nsetp.eq.u32 %q1, %r1, 0;\n@%q1 bra FIRST;\nld.volatile.global.u32 %r2, [%p];\n\
         setp.eq.u32 %q2, %r2, 77;\n@%q2 bra DONE;\ntrap;\nFIRST:\nst.volatile.global.u32 [%p], 77;"
    )
}

#[test]
fn a_fault_of_some_orders_names_its_seed_and_replays() {
    for (what, number, threads) in [
        ("blocks", "mov.u32 %r1, %ctaid.x;", 32),
        ("warps", "shr.u32 %r1, %tid, 5;", 64),
        ("lanes", "and.b32 %r1, %tid, 1;\nxor.b32 %r1, %r1, 1;", 32),
    ] {
        let body = fails_when_one_comes_first(number);
        let blocks = if what == "blocks" { 2 } else { 1 };
        let plain = schedules(&body, blocks, threads, 0, 1);
        assert_eq!(plain.report.findings, [], "{what}");
        let ran = schedules(&body, blocks, threads, 0, 32);
        let finding = ran.finding();
        assert_eq!(finding.kind, FindingKind::Trap, "{what}");
        assert!((1..32).contains(&finding.seed), "{what}: seed {}", finding.seed);
        let again = schedules(&body, blocks, threads, finding.seed, 1);
        assert_eq!(again.finding(), finding, "{what}");
        // And the whole report is the same in every run.
        assert_eq!(ran.report, schedules(&body, blocks, threads, 0, 32).report, "{what}");
    }
}

const DRAW: &str = "atom.global.add.u32 %r1, [%p], 1;\nmov.u32 %out, %r1;";

#[test]
fn results_that_depend_on_the_order_are_told() {
    let ran = schedules(DRAW, 8, 64, 0, 4);
    assert_eq!(ran.report.findings, []);
    assert_eq!(ran.out, (0..8 * 64).collect::<Vec<u32>>(), "the buffers are those of the first schedule");
    let order = &ran.report.order;
    assert_eq!(order.seeds, [0, 1, 2, 3]);
    assert_eq!(order.differing.iter().map(|differing| differing.argument).collect::<Vec<_>>(), [0]);
    assert!(order.places[0].what.contains("old value"), "{order:?}");
    let other = schedules(DRAW, 8, 64, order.differing[0].seed, 1);
    let first = ran.out.iter().zip(&other.out).position(|(one, two)| one != two).expect("another order");
    assert_eq!(order.differing[0].byte / 4, first as u64);
    let mut sorted = other.out;
    sorted.sort_unstable();
    assert_eq!(sorted, ran.out, "every thread has drawn one number");
}

#[test]
fn sums_of_floats_depend_on_the_order_and_sums_of_integers_do_not() {
    let floats = "cvt.rn.f32.u32 %f1, %tid;\nmov.u32 %r1, %ctaid.x;\ncvt.rn.f32.u32 %f2, %r1;\nadd.f32 %f2, %f2, 0f3F800000;\n\
                  div.rn.f32 %f1, %f1, %f2;\nred.global.add.f32 [%p], %f1;";
    let ran = schedules(floats, 33, 64, 0, 8);
    assert!(ran.report.order.places[0].what.contains("rounded"), "{:?}", ran.report.order);
    assert_eq!(ran.report.order.differing[0].argument, 1);
    let integers = "and.b32 %r1, %tid, 28;\ncvt.u64.u32 %d1, %r1;\nadd.u64 %d1, %p, %d1;\nred.global.add.u32 [%d1], 1;";
    let ran = schedules(integers, 33, 64, 0, 8);
    assert_eq!((&ran.report.order.places[..], &ran.report.order.differing[..]), (&[][..], &[][..]));
    assert_eq!(schedules(integers, 33, 64, 5, 1).words[..32], ran.words[..32]);
}

/// The instructions that depend on the order, of a program as it is written.
fn places(body: &str) -> Vec<String> {
    let options = Options { lowering: Lowering::None, schedules: 4, ..unchecked(1 << 22) };
    let ran = run_text(&kernel("", body), 8, 64, &options);
    assert_eq!(ran.report.findings, [], "{body}");
    assert!(!ran.report.order.places.is_empty() || ran.report.order.differing.is_empty(), "{:?}", ran.report.order);
    ran.report.order.places.into_iter().map(|place| place.what).collect()
}

#[test]
fn an_old_value_that_nobody_reads_does_not_matter() {
    let none: [&str; 0] = [];
    for op in ["add.u32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32"] {
        let atomic = format!("atom.global.{op} %r5, [%p], %tid;");
        assert_eq!(places(&atomic), none, "{op}");
        // A copy is no use of it; what is stored, or decides about a store, is.
        assert_eq!(places(&format!("{atomic}\nmov.u32 %r6, %r5;")), none, "{op}");
        for used in ["mov.u32 %out, %r5;", "setp.eq.u32 %q1, %r5, 0;\n@%q1 mov.u32 %out, 1;"] {
            let told = places(&format!("{atomic}\n{used}"));
            assert!(told.len() == 1 && told[0].contains("old value"), "{op}, {used}: {told:?}");
        }
    }
}

#[test]
fn what_an_atomic_leaves_in_memory_may_depend_on_the_order_itself() {
    let float = "cvt.rn.f32.u32 %f1, %tid;\ndiv.rn.f32 %f1, %f1, 0f40400000;\n";
    for (atomic, what) in [
        (format!("{float}atom.global.add.f32 %f2, [%p], %f1;"), "rounded"),
        ("atom.global.exch.b32 %r5, [%p], %tid;".to_owned(), "last thread"),
        ("atom.global.cas.b32 %r5, [%p], 0, %tid;".to_owned(), "succeeds"),
        ("atom.global.inc.u32 %r5, [%p], %tid;".to_owned(), "bounds"),
        ("mov.u32 %r4, 5;\n@%q1 mov.u32 %r4, 6;\natom.global.dec.u32 %r5, [%p], %r4;".to_owned(), "bounds"),
    ] {
        let told = places(&atomic);
        assert!(told.len() == 1 && told[0].contains(what), "{atomic}: {told:?}");
    }
    // One bound for all threads: each counts one step.
    for bound in ["mov.u32 %r4, 5;", "mov.u32 %r3, 5;\nmov.u32 %r4, %r3;", "ld.param.u32 %r4, [words];"] {
        assert_eq!(places(&format!("{bound}\natom.global.inc.u32 %r5, [%p], %r4;")), Vec::<String>::new(), "{bound}");
    }
}

#[test]
fn one_schedule_alone_says_nothing_of_seeds() {
    let ran = schedules(DRAW, 2, 64, 0, 1);
    assert!(ran.report.order.seeds.is_empty());
    assert_eq!(ran.report.order.places.len(), 1, "what may depend on the order is known from the instructions");
    // One thread alone has an order.
    assert_eq!(schedules(DRAW, 1, 1, 0, 1).report.order.places, []);
}
