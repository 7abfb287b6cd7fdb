//! Divergence, calls, barriers and the ways in which a kernel ends badly.

mod common;

use common::{block, by_lane, kernel, run, run_text, unchecked, warp};
use sim::report::FindingKind;

#[test]
fn nested_conditions_meet_again() {
    let body = "and.b32 %r1, %tid, 1;\nsetp.eq.s32 %q1, %r1, 0;\nand.b32 %r2, %tid, 2;\nsetp.eq.s32 %q2, %r2, 0;\n\
                @%q1 bra A;\n@%q2 bra B;\nmov.b32 %out, 1;\nbra C;\nB:\nmov.b32 %out, 2;\nC:\nadd.u32 %out, %out, 10;\nbra E;\n\
                A:\nmov.b32 %out, 3;\nE:\nactivemask.b32 %r3;\nsetp.eq.s32 %q3, %r3, -1;\n@%q3 add.u32 %out, %out, 100;";
    assert_eq!(warp(body), by_lane(|lane| 100 + [3, 12, 3, 11][lane as usize % 4]));
}

#[test]
fn loops_that_lanes_leave_one_by_one() {
    // Collatz steps, with a break at 20.
    let body = "add.u32 %r1, %tid, 1;\nLOOP:\nsetp.eq.u32 %q1, %r1, 1;\n@%q1 bra END;\nand.b32 %r2, %r1, 1;\n\
                setp.eq.s32 %q2, %r2, 0;\n@%q2 bra HALF;\nmad.lo.u32 %r1, %r1, 3, 1;\nbra NEXT;\nHALF:\nshr.u32 %r1, %r1, 1;\n\
                NEXT:\nadd.u32 %out, %out, 1;\nsetp.ge.u32 %q3, %out, 20;\n@%q3 bra END;\nbra LOOP;\n\
                END:\nactivemask.b32 %r3;\nsetp.ne.s32 %q3, %r3, -1;\n@%q3 mov.b32 %out, 999;";
    let steps = |lane: u32| {
        let (mut n, mut count) = (lane + 1, 0);
        while n != 1 && count < 20 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            count += 1;
        }
        count
    };
    assert_eq!(warp(body), by_lane(steps));
}

#[test]
fn early_return_in_divergent_code() {
    let body = "setp.lt.u32 %q1, %tid, 10;\n@%q1 bra LOW;\nbra MEET;\nLOW:\nsetp.lt.u32 %q2, %tid, 3;\n@%q2 ret;\n\
                mov.b32 %out, 1;\nMEET:\nactivemask.b32 %r1;\nadd.u32 %out, %out, %r1;";
    assert_eq!(warp(body), by_lane(|lane| if lane < 3 { 0 } else { 0xffff_fff8 + u32::from(lane < 10) }));
    assert_eq!(
        warp("setp.lt.u32 %q1, %tid, 5;\n@%q1 exit;\nmov.b32 %out, 2;"),
        by_lane(|lane| if lane < 5 { 0 } else { 2 })
    );
}

#[test]
fn a_branch_by_index() {
    let body = "and.b32 %r1, %tid, 3;\nlist: .branchtargets ZERO, ONE, TWO, ONE;\nbrx.idx %r1, list;\n\
                ZERO:\nmov.b32 %out, 10;\nbra DONE;\nONE:\nmov.b32 %out, 11;\nbra DONE;\nTWO:\nmov.b32 %out, 12;";
    assert_eq!(warp(body), by_lane(|lane| [10, 11, 12, 11][lane as usize % 4]));
}

/// `sum(struct { int a; char b; double c; }, int scale) -> struct { double total; int which; }` and its caller.
const CALLS: &str = "
.func (.param .align 8 .b8 result[16]) sum(.param .align 8 .b8 value[16], .param .b32 scale);
.func (.param .b32 result) twice(.param .b32 x) {
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [x];
    shl.b32 %r1, %r1, 1;
    st.param.b32 [result], %r1;
    ret;
}
.func (.param .align 8 .b8 result[16]) sum(.param .align 8 .b8 value[16], .param .b32 scale) {
    .reg .b32 %r<8>; .reg .f64 %g<4>; .reg .pred %q; .reg .b64 %d<2>;
    ld.param.u32 %r1, [value];
    ld.param.s8 %r2, [value+4];
    ld.param.f64 %g1, [value+8];
    ld.param.b32 %r3, [scale];
    { .param .b32 a; .param .b32 b;
      st.param.b32 [a], %r3;
      call.uni (b), twice, (a);
      ld.param.b32 %r4, [b]; }
    setp.gt.s32 %q, %r2, 0;
    @%q bra POSITIVE;
    mov.b32 %r5, -1;
    bra END;
    POSITIVE: mov.b32 %r5, 1;
    END: mad.lo.s32 %r6, %r1, %r4, %r2;
    cvt.rn.f64.s32 %g2, %r6;
    add.f64 %g2, %g2, %g1;
    st.param.f64 [result], %g2;
    st.param.b32 [result+8], %r5;
    ret;
}";

#[test]
fn calls_with_structs_and_nested_calls() {
    let body = "sub.s32 %r1, %tid, 16;\n\
        { .param .align 8 .b8 v[16]; .param .b32 s; .param .align 8 .b8 r[16];\n\
        st.param.b32 [v], %tid;\nst.param.b8 [v+4], %r1;\nst.param.f64 [v+8], 0d3FE0000000000000;\nst.param.b32 [s], 5;\n\
        call.uni (r), sum, (v, s);\nld.param.f64 %g1, [r];\nld.param.b32 %r2, [r+8]; }\n\
        add.f64 %g1, %g1, %g1;\ncvt.rzi.s32.f64 %r3, %g1;\nmad.lo.s32 %out, %r2, 10000, %r3;";
    let ran = run(CALLS, body, 32);
    assert!(ran.report.findings.is_empty());
    let expected = by_lane(|lane| {
        let (a, b) = (lane as i32, lane as i32 - 16);
        ((if b > 0 { 10_000 } else { -10_000 }) + 2 * (a * 10 + b) + 1) as u32
    });
    assert_eq!(ran.out, expected);
    // Under a guard, only its lanes call.
    let some = "setp.lt.u32 %q1, %tid, 4;\nmov.b32 %r1, 7;\n{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %tid;\n\
                @%q1 call (b), twice, (a);\n@%q1 ld.param.b32 %r1, [b]; }\nmov.b32 %out, %r1;";
    assert_eq!(run(CALLS, some, 32).out, by_lane(|lane| if lane < 4 { 2 * lane } else { 7 }));
}

#[test]
fn an_argument_whose_address_is_taken() {
    let functions = ".func (.param .b32 result) pick(.param .align 4 .b8 list[16], .param .b32 at) {\n\
        .reg .b32 %r<4>; .reg .b64 %d<4>;\n ld.param.b32 %r1, [at];\n mov.b64 %d1, list;\n mul.wide.u32 %d2, %r1, 4;\n\
        add.u64 %d1, %d1, %d2;\n ld.param.b32 %r2, [%d1];\n st.param.b32 [result], %r2;\n ret;\n}";
    let body = "and.b32 %r1, %tid, 3;\n{ .param .align 4 .b8 l[16]; .param .b32 a; .param .b32 r;\n\
        st.param.v4.b32 [l], {10, 20, 30, 40};\nst.param.b32 [a], %r1;\ncall (r), pick, (l, a);\nld.param.b32 %out, [r]; }";
    assert_eq!(run(functions, body, 32).out, by_lane(|lane| 10 + lane % 4 * 10));
}

#[test]
fn calls_through_pointers_and_tables_of_them() {
    let functions = ".func (.param .b32 r) one(.param .b32 x);\n.func (.param .b32 r) two(.param .b32 x);\n\
        .global .align 8 .u64 table[2] = {one, two};\n\
        .func (.param .b32 r) one(.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; add.u32 %r, %r, 1; st.param.b32 [r], %r; ret; }\n\
        .func (.param .b32 r) two(.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; mul.lo.u32 %r, %r, 2; st.param.b32 [r], %r; ret; }";
    let call = "{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %tid;\n\
                prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %d3, (a), prototype;\n\
                ld.param.b32 %out, [b]; }";
    let body = format!(
        "and.b32 %r1, %tid, 1;\nmov.u64 %d1, table;\nmul.wide.u32 %d2, %r1, 8;\nadd.u64 %d1, %d1, %d2;\n\
         ld.global.u64 %d3, [%d1];\n{call}"
    );
    assert_eq!(run(functions, &body, 32).out, by_lane(|lane| if lane % 2 == 0 { lane + 1 } else { 2 * lane }));
    let null = run(functions, &format!("mov.u64 %d1, one;\nmov.u64 %d3, 0;\n{call}"), 32);
    assert_eq!(null.finding().kind, FindingKind::OutOfBounds);
    assert!(null.finding().message.contains("calls address 0x0"), "{}", null.finding().message);
}

#[test]
fn barriers_with_counts_ids_and_reductions() {
    // Warps 0 and 1 hand over to warp 2 through barrier 1 without waiting; it has 16 lanes only.
    let hand_over = "mov.u64 %d1, box;\nsetp.ge.u32 %q1, %tid, 64;\n@%q1 bra READ;\nmul.wide.u32 %d2, %tid, 4;\n\
        add.u64 %d1, %d1, %d2;\nadd.u32 %r1, %tid, 1000;\nst.shared.u32 [%d1], %r1;\nmembar.cta;\nbar.arrive 1, 96;\nbra DONE;\n\
        READ:\nbar.sync 1, 96;\nsub.u32 %r2, %tid, 64;\nmul.wide.u32 %d2, %r2, 4;\nadd.u64 %d1, %d1, %d2;\nld.shared.u32 %out, [%d1];";
    let ran = run(".shared .align 4 .b8 box[512];", hand_over, 80);
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    assert_eq!(ran.out[64..], (1000..1016).collect::<Vec<_>>()[..]);
    // The other way round: the incomplete warp arrives, the full ones wait.
    let reversed = "setp.ge.u32 %q1, %tid, 32;\n@%q1 bar.arrive 1, 64;\n@!%q1 bar.sync 1, 64;\nmov.b32 %out, 1;";
    assert_eq!(block(reversed, 48), vec![1; 48]);
    let reduce = "setp.lt.u32 %q1, %tid, 40;\nbar.red.popc.u32 %r1, 0, %q1;\nbar.red.and.pred %q2, 0, %q1;\n\
                  bar.red.or.pred %q3, 0, !%q1;\nselp.b32 %r2, 100, 0, %q2;\nselp.b32 %r3, 1000, 0, %q3;\n\
                  add.u32 %out, %r1, %r2;\nadd.u32 %out, %out, %r3;";
    assert_eq!(block(reduce, 70), vec![1040; 70]);
    assert_eq!(block(reduce, 40), vec![140; 40]);
    // Threads that have left are not waited for.
    assert_eq!(block("setp.lt.u32 %q1, %tid, 40;\n@%q1 exit;\nbar.sync 0;\nmov.b32 %out, 3;", 64)[39..41], [0, 3]);
}

#[test]
fn threads_that_return_early_keep_nobody_waiting() {
    // `if (tid >= 40) return;` as compilers write it: a branch to the `ret` at the kernel's end.
    let text = kernel("", "setp.ge.u32 %q1, %tid, 40;\n@%q1 bra END;\nbar.sync 0;\nbar.red.popc.u32 %out, 0, !%q1;")
        .replace("ret;", "END:\nret;");
    let ran = run_text(&text, 1, 64, &unchecked(1 << 20));
    assert!(ran.report.is_clean(), "{:#?}", ran.report.findings);
    assert!(ran.report.remarks().all(|remark| remark.message.contains("24 had ended")), "{:#?}", ran.report.findings);
    assert_eq!(ran.out, (0..64).map(|thread| if thread < 40 { 40 } else { 0 }).collect::<Vec<u32>>());
}

#[test]
fn a_barrier_that_some_never_reach() {
    let body = "setp.lt.u32 %q1, %tid, 40;\n@%q1 bra A;\nbar.sync 2;\nbra DONE;\nA:\nbar.sync 3;";
    let ran = run("", body, 64);
    assert!(!ran.report.findings.is_empty());
    assert!(ran.report.findings.iter().all(|finding| finding.kind == FindingKind::BarrierDivergence));
}

/// `if (t < 32) { __syncthreads(); } else { __syncthreads(); }` on one line.
#[test]
fn two_barriers_of_one_line_are_two_where_nothing_is_copied() {
    let body = ".loc 1 1 5\nsetp.lt.u32 %q1, %tid, 32;\n@%q1 bra A;\nbar.sync 0;\nbra DONE;\nA:\nbar.sync 0;";
    let optimised = kernel("", body).replace("ret;\n}", "ret;\n}\n.file 1 \"one_line.cu\"\n");
    let target = optimised.lines().find(|line| line.starts_with(".target")).expect("a target");
    let debug = optimised.replace(target, &format!("{target}, debug"));
    let kinds = |text: &str| {
        let ran = run_text(text, 1, 64, &unchecked(1 << 20));
        ran.report.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    // A compiler that optimises copies barriers with their lines: these may be one.
    assert_eq!(kinds(&optimised), []);
    assert_eq!(kinds(&debug), [FindingKind::BarrierDivergence]);
}

#[test]
fn traps_asserts_and_endless_loops() {
    let trap = run("", "setp.eq.u32 %q1, %tid, 5;\n@%q1 trap;\nmov.b32 %out, 1;", 32);
    assert_eq!((trap.finding().kind, &trap.finding().lanes[..]), (FindingKind::Trap, &[5][..]));
    assert_eq!(trap.out, by_lane(|lane| u32::from(lane != 5)));

    let text = |name: &str, text: &str| {
        let bytes: Vec<String> = text.bytes().chain([0]).map(|byte| byte.to_string()).collect();
        format!(".global .align 1 .b8 {name}[{}] = {{{}}};\n", bytes.len(), bytes.join(", "))
    };
    let module = text("what", "n > 0")
        + &text("file", "some.cu")
        + &text("function", "k")
        + ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);";
    let body = "setp.ge.u32 %q1, %tid, 3;\n@%q1 bra DONE;\nmov.u64 %d1, what;\nmov.u64 %d2, file;\nmov.u64 %d3, function;\n\
        { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n st.param.b64 [a], %d1;\n\
        st.param.b64 [b], %d2;\nst.param.b32 [c], 42;\nst.param.b64 [d], %d3;\nst.param.b64 [e], 1;\n\
        call.uni __assertfail, (a, b, c, d, e); }";
    let failed = run(&module, body, 32);
    assert_eq!((failed.finding().kind, &failed.finding().lanes[..]), (FindingKind::Assert, &[0, 1, 2][..]));
    assert!(
        failed.finding().message.contains("`n > 0` does not hold for thread (0,0,0): some.cu, line 42, in k"),
        "{}",
        failed.finding().message
    );

    let options = unchecked(5000);
    let endless = run_text(&kernel("", "FOREVER:\nbra FOREVER;"), 3, 64, &options);
    assert_eq!(endless.finding().kind, FindingKind::Budget);
    assert_eq!(endless.finding().block, [0, 0, 0], "the launch ends at the first endless block");
}

#[test]
fn printing_is_counted() {
    let module = ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);\n\
                  .global .align 1 .b8 text[3] = {104, 105, 0};";
    let body = "mov.u64 %d1, text;\n{ .param .b64 a; .param .b64 b; .param .b32 r;\nst.param.b64 [a], %d1;\n\
                st.param.b64 [b], 0;\ncall.uni (r), vprintf, (a, b);\nld.param.b32 %out, [r]; }";
    let ran = run(module, body, 40);
    assert_eq!(ran.report.estimates["warpbook__printf_calls.sum"], 40);
    assert_eq!(ran.out, vec![0; 40]);
}
