//! `cp.reduce.async.bulk`: what it leaves, and what the checks say of it. (What each operation computes is held against an
//! H200 by `kernels/tests/isa.rs`.)

mod common;

use common::{Ran, kernel, run_text};
use sim::report::FindingKind;
use sim::{Error, Lowering, Module, Options};

const SHARED: &str = ".shared .align 16 .b8 s[64];";

/// Sixteen threads write their number and 1 to shared memory.
const FILL: &str = "setp.lt.u32 %q1, %tid, 16;\nmov.u32 %r1, s;\nshl.b32 %r2, %tid, 2;\nadd.u32 %r2, %r1, %r2;\n\
                    add.u32 %r3, %tid, 1;\n@%q1 st.shared.u32 [%r2], %r3;\n";

/// Thread 0 adds them to global memory, `%p` and `offset` bytes further.
fn add(offset: u32) -> String {
    format!(
        "fence.proxy.async;\nsetp.eq.u32 %q2, %tid, 0;\n\
         @%q2 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%p+{offset}], [%r1], 64;\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"
    )
}

fn checked(body: &str, blocks: u32) -> Ran {
    run_text(&kernel(SHARED, body), blocks, 64, &Options::default())
}

#[test]
fn every_element_is_added_to_what_is_there() {
    let ran = checked(&format!("{FILL}bar.sync 0;\n{}", add(0)), 3);
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    let expected: Vec<u32> = (0..17).map(|i| if i < 16 { i + 3 * (i + 1) } else { i }).collect();
    assert_eq!(ran.words[..17], expected);
    // The copy engine's accesses are none of a warp's, but the L2 cache sees them: two sectors of one line.
    let metric = |name: &str| ran.report.metrics[name];
    assert_eq!(metric("smsp__sass_inst_executed_op_global_red.sum"), 0);
    assert_eq!(metric("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"), 0);
    assert_eq!(metric("lts__t_requests_srcunit_tex_op_red.sum"), 3);
    assert_eq!(metric("lts__t_sectors_srcunit_tex_op_red.sum"), 6);
    // Over the border of a line there are two requests.
    let ran = checked(&format!("{FILL}bar.sync 0;\n{}", add(80)), 1);
    assert_eq!(ran.report.metrics["lts__t_requests_srcunit_tex_op_red.sum"], 2);
    assert_eq!(ran.report.metrics["lts__t_sectors_srcunit_tex_op_red.sum"], 3);
}

#[test]
fn towards_shared_memory_an_mbarrier_counts_the_bytes() {
    let module = ".shared .align 16 .b8 s[64];\n.shared .align 16 .b8 t[64];\n.shared .align 8 .b64 full;";
    let body = format!(
        "{FILL}mov.u32 %r4, t;\nshl.b32 %r5, %tid, 2;\nadd.u32 %r5, %r4, %r5;\nmov.b32 %r6, 100;\n\
         @%q1 st.shared.u32 [%r5], %r6;\nmov.u32 %r7, full;\nsetp.eq.u32 %q2, %tid, 0;\n\
         @%q2 mbarrier.init.shared.b64 [%r7], 1;\nfence.proxy.async;\nbar.sync 0;\n\
         @%q2 mbarrier.arrive.expect_tx.shared.b64 %d1, [%r7], 64;\n\
         @%q2 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.s32 [%r4], [%r1], 64, [%r7];\n\
         WAIT:\nmbarrier.try_wait.parity.shared.b64 %q3, [%r7], 0;\n@!%q3 bra WAIT;\n@%q1 ld.shared.u32 %out, [%r5];"
    );
    let ran = run_text(&kernel(module, &body), 1, 64, &Options::default());
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    assert_eq!((ran.out[0], ran.out[15], ran.out[16]), (100, 100, 0));
}

#[test]
fn races_and_memory_that_nobody_has_written_are_found() {
    let finding = |body: &str| checked(body, 1).finding().kind;
    // The second warp writes the elements, and the first one does not wait for it.
    let late = "sub.u32 %r4, %tid, 32;\nsetp.lt.u32 %q1, %r4, 16;\nmov.u32 %r1, s;\nshl.b32 %r2, %r4, 2;\n\
                add.u32 %r2, %r1, %r2;\n@%q1 st.shared.u32 [%r2], %r4;\n";
    assert_eq!(finding(&format!("{late}{}", add(0))), FindingKind::Race);
    // A plain store meets the additions.
    let store = "setp.eq.u32 %q3, %tid, 40;\n@%q3 st.global.u32 [%p+8], %tid;\n";
    assert_eq!(finding(&format!("{FILL}bar.sync 0;\n{store}{}", add(0))), FindingKind::Race);
    assert_eq!(finding(&format!("mov.u32 %r1, s;\n{}", add(0))), FindingKind::Uninitialized);
}

#[test]
fn addresses_must_be_multiples_of_16_and_within_a_buffer() {
    let of = |offset| checked(&format!("{FILL}bar.sync 0;\n{}", add(offset)), 1);
    assert_eq!(of(8).finding().kind, FindingKind::Misaligned);
    assert_eq!(of(4096 - 16).finding().kind, FindingKind::OutOfBounds);
    assert_eq!(of(4096 - 64).report.findings.len(), 0);
}

#[test]
fn what_the_manual_does_not_have_is_refused() {
    for form in [
        "global.shared::cta.bulk_group.add.f16",
        "global.shared::cta.bulk_group.exch.b32",
        "global.shared::cta.add.u32",
        "shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32",
        "shared::cta.global.bulk_group.add.u32",
    ] {
        let body = format!("mov.u32 %r1, s;\ncp.reduce.async.bulk.{form} [%p], [%r1], 64;");
        let module = Module::parse("k.ptx", &kernel(SHARED, &body)).expect("PTX");
        let error = module.lower("k", Lowering::Sm90).map(|_| ()).expect_err(form);
        assert!(matches!(error, Error::Unsupported(_)), "{form}: {error}");
    }
}
