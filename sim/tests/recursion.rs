//! Functions that call themselves, or each other in a circle.

mod common;

use common::{by_lane, kernel, run, run_text, unchecked};
use sim::report::FindingKind;
use sim::{Checks, Options};

/// A call of a function with a word as its argument and its result.
fn call(function: &str, argument: &str, result: &str) -> String {
    format!(
        "{{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], {argument};\ncall.uni (b), {function}, (a);\n\
         ld.param.b32 {result}, [b]; }}\n"
    )
}

/// Fibonacci's numbers: two calls, between which a register, a predicate and the argument must stay.
fn fibonacci() -> String {
    let (first, second) = (call("fib", "%r2", "%r3"), call("fib", "%r4", "%r5"));
    format!(
        ".func (.param .b32 r) fib(.param .b32 n) {{\n.reg .b32 %r<8>; .reg .pred %q<3>;\n\
         ld.param.u32 %r1, [n];\nsetp.lt.u32 %q1, %r1, 2;\nand.b32 %r6, %r1, 1;\nsetp.eq.u32 %q2, %r6, 1;\n@%q1 bra LEAF;\n\
         sub.u32 %r2, %r1, 1;\n{first}ld.param.u32 %r1, [n];\nsub.u32 %r4, %r1, 2;\n{second}\
         add.u32 %r3, %r3, %r5;\n@%q2 add.u32 %r3, %r3, 1000;\n@!%q2 add.u32 %r3, %r3, 0;\n\
         st.param.b32 [r], %r3;\nret;\nLEAF:\nst.param.b32 [r], %r1;\nret;\n}}"
    )
}

#[test]
fn every_lane_goes_as_deep_as_it_must() {
    fn fib(n: u32) -> u32 {
        if n < 2 { n } else { fib(n - 1) + fib(n - 2) + n % 2 * 1000 }
    }
    let body = format!("rem.u32 %r1, %tid, 11;\n{}", call("fib", "%r1", "%out"));
    let ran = run(&fibonacci(), &body, 32);
    assert!(ran.report.findings.is_empty(), "{:?}", ran.report.findings);
    assert_eq!(ran.out, by_lane(|lane| fib(lane % 11)));
    // Two calls from outside, some lanes in each, and a register of the kernel that must stay.
    let body = format!(
        "add.u32 %r7, %tid, 50000;\nsetp.lt.u32 %q1, %tid, 12;\n@%q1 bra LOW;\n{}bra MEET;\nLOW:\n{}MEET:\nadd.u32 %out, %out, %r7;",
        call("fib", "7", "%out"),
        call("fib", "%tid", "%out"),
    );
    let expected = by_lane(|lane| 50_000 + lane + if lane < 12 { fib(lane) } else { fib(7) });
    assert_eq!(run(&fibonacci(), &body, 32).out, expected);
}

#[test]
fn a_circle_of_two_and_a_function_inlined_in_it() {
    let functions = format!(
        ".func (.param .b32 r) half(.param .b32 n) {{ .reg .b32 %r<2>; ld.param.u32 %r1, [n]; shr.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }}\n\
         .func (.param .b32 r) down(.param .b32 n);\n\
         .func (.param .b32 r) up(.param .b32 n) {{\n.reg .b32 %r<8>; .reg .pred %q;\n\
         ld.param.u32 %r1, [n];\nsetp.eq.u32 %q, %r1, 0;\n@%q bra LEAF;\n{}{}add.u32 %r3, %r3, %r1;\n\
         st.param.b32 [r], %r3;\nret;\nLEAF:\nst.param.b32 [r], 7;\nret;\n}}\n\
         .func (.param .b32 r) down(.param .b32 n) {{\n.reg .b32 %r<8>; .reg .pred %q;\n\
         ld.param.u32 %r1, [n];\n{}add.u32 %r3, %r3, 100;\nst.param.b32 [r], %r3;\nret;\n}}",
        call("half", "%r1", "%r2"),
        call("down", "%r2", "%r3"),
        call("up", "%r1", "%r3"),
    );
    fn up(n: u32) -> u32 {
        if n == 0 { 7 } else { up(n / 2) + 100 + n }
    }
    let ran = run(&functions, &call("up", "%tid", "%out"), 32);
    assert!(ran.report.findings.is_empty(), "{:?}", ran.report.findings);
    assert_eq!(ran.out, by_lane(up));
}

/// `build(n, list)`: fills an array of its own, has the next deeper call add to it through its address, and adds its sum
/// to the caller's array.
const ARRAYS: &str = "
.func build(.param .b32 n, .param .b64 list) {
    .local .align 8 .b8 own[8];
    .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %q;
    ld.param.u32 %r1, [n];
    ld.param.u64 %d1, [list];
    mov.u64 %d2, own;
    cvta.local.u64 %d3, %d2;
    st.local.u32 [own], %r1;
    mul.lo.u32 %r2, %r1, 10;
    st.local.u32 [%d2+4], %r2;
    setp.eq.u32 %q, %r1, 0;
    @%q bra END;
    sub.u32 %r3, %r1, 1;
    { .param .b32 a; .param .b64 b;
      st.param.b32 [a], %r3; st.param.b64 [b], %d3;
      call.uni build, (a, b); }
    END:
    ld.local.u32 %r4, [own];
    ld.u32 %r5, [%d3+4];
    ld.u32 %r6, [%d1];
    add.u32 %r4, %r4, %r5;
    add.u32 %r6, %r6, %r4;
    st.u32 [%d1], %r6;
    ret;
}";

#[test]
fn every_call_has_local_variables_of_its_own() {
    let body = "mul.wide.u32 %d1, %tid, 4;\nadd.u64 %d2, %p, %d1;\nand.b32 %r1, %tid, 7;\n\
                { .param .b32 a; .param .b64 b;\nst.param.b32 [a], %r1; st.param.b64 [b], %d2;\ncall build, (a, b); }\n\
                ld.global.u32 %out, [%d2];";
    // The kernel's own word holds the lane at first; every call adds what it has and got.
    let expected = by_lane(|lane| lane + (0..=lane & 7).map(|n| 11 * n).sum::<u32>());
    for checks in [Checks::NONE, Checks::ALL] {
        let options = Options { checks, ..unchecked(1 << 20) };
        let ran = run_text(&kernel(ARRAYS, body), 1, 32, &options);
        assert!(ran.report.findings.is_empty(), "{:?}", ran.report.findings);
        assert_eq!(ran.out, expected);
    }
    let local = |ran: &common::Ran| ran.report.metric("smsp__sass_inst_executed_op_local_ld.sum");
    let once = run(ARRAYS, &body.replace("%tid, 7", "%tid, 0"), 32);
    assert_eq!(local(&once), 2, "what calls save is no access of the program");
}

#[test]
fn a_circle_through_a_pointer() {
    let prototype = "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);";
    let functions = format!(
        ".func (.param .b32 r) step(.param .b32 n);\n.func (.param .b32 r) stop(.param .b32 n);\n\
         .global .align 8 .u64 table[2] = {{stop, step}};\n\
         .func (.param .b32 r) stop(.param .b32 n) {{ .reg .b32 %r; ld.param.u32 %r, [n]; add.u32 %r, %r, 5000; st.param.b32 [r], %r; ret; }}\n\
         .func (.param .b32 r) step(.param .b32 n) {{\n.reg .b32 %r<8>; .reg .b64 %d<4>;\n\
         ld.param.u32 %r1, [n];\nmin.u32 %r2, %r1, 1;\nsub.u32 %r3, %r1, %r2;\nmul.wide.u32 %d1, %r2, 8;\nmov.u64 %d2, table;\n\
         add.u64 %d2, %d2, %d1;\nld.global.u64 %d3, [%d2];\n\
         {{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %r3;\n{prototype}\ncall (b), %d3, (a), prototype;\nld.param.b32 %r4, [b]; }}\n\
         add.u32 %r4, %r4, %r1;\nst.param.b32 [r], %r4;\nret;\n}}"
    );
    let body = format!("rem.u32 %r1, %tid, 6;\n{}", call("step", "%r1", "%out"));
    let ran = run(&functions, &body, 32);
    assert!(ran.report.findings.is_empty(), "{:?}", ran.report.findings);
    assert_eq!(ran.out, by_lane(|lane| 5000 + (0..=lane % 6).sum::<u32>()));
}

#[test]
fn a_recursion_without_an_end_is_told() {
    let functions = format!(
        ".func (.param .b32 r) on(.param .b32 n) {{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [n];\nadd.u32 %r1, %r1, 1;\n{}\
         st.param.b32 [r], %r2;\nret;\n}}",
        call("on", "%r1", "%r2")
    );
    let ran = run(&functions, &call("on", "%tid", "%out"), 32);
    let finding = ran.finding();
    assert_eq!(finding.kind, FindingKind::OutOfBounds);
    assert!(finding.message.contains("64 KiB of stack"), "{finding:?}");
}

#[test]
fn the_report_is_the_same_with_every_lowering_of_it() {
    let body = format!("rem.u32 %r1, %tid, 9;\n{}", call("fib", "%r1", "%out"));
    let text = kernel(&fibonacci(), &body);
    let report = || run_text(&text, 2, 64, &unchecked(1 << 20)).report;
    let first = report();
    (0..4).for_each(|_| assert_eq!(report(), first));
}
