//! `st.async` and `red.async`: what they leave, and that their data is there only behind the mbarrier that counts its bytes.

mod common;

use common::{Ran, kernel, run_text};
use sim::report::FindingKind;
use sim::{Error, Lowering, Module, Options};

/// An array of 64 words and an mbarrier. Thread 0 lets the mbarrier expect `bytes`; `%r1` is the array's address, `%r5` that of
/// the thread's word, `%r7` that of the mbarrier.
fn begin(bytes: u32) -> String {
    format!(
        "mov.u32 %r1, s;\nshl.b32 %r5, %tid, 2;\nadd.u32 %r5, %r1, %r5;\nmov.u32 %r7, full;\nsetp.eq.u32 %q2, %tid, 0;\n\
         st.shared.u32 [%r5], 100;\n@%q2 mbarrier.init.shared.b64 [%r7], 1;\nfence.proxy.async;\nbar.sync 0;\n\
         @%q2 mbarrier.arrive.expect_tx.shared.b64 %d1, [%r7], {bytes};\n"
    )
}

const WAIT: &str = "WAIT:\nmbarrier.try_wait.parity.shared.b64 %q3, [%r7], 0;\n@!%q3 bra WAIT;\n";
const STORE: &str = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], %tid, [%r7];\n";
const REVERSED: &str =
    "xor.b32 %r6, %tid, 63;\nshl.b32 %r6, %r6, 2;\nadd.u32 %r6, %r1, %r6;\nld.shared.u32 %out, [%r6];\n";

fn checked(body: &str) -> Ran {
    let module = ".shared .align 16 .b8 s[256];\n.shared .align 8 .b64 full;";
    run_text(&kernel(module, body), 1, 64, &Options::default())
}

#[test]
fn stored_words_are_there_when_the_mbarrier_says_so() {
    let ran = checked(&format!("{}{STORE}{WAIT}{REVERSED}", begin(256)));
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    assert_eq!(ran.out, (0..64).rev().collect::<Vec<u32>>());
}

#[test]
fn vectors_count_all_their_bytes() {
    let store = "setp.lt.u32 %q1, %tid, 16;\nshl.b32 %r8, %tid, 4;\nadd.u32 %r8, %r1, %r8;\n\
                 @%q1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r8], {1, 2, 3, %tid}, [%r7];\n";
    let ran = checked(&format!("{}{store}{WAIT}{REVERSED}", begin(256)));
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    assert_eq!(ran.out[..8], [15, 3, 2, 1, 14, 3, 2, 1]);
    // With more expected than is stored the mbarrier never opens.
    assert_eq!(checked(&format!("{}{store}{WAIT}{REVERSED}", begin(260))).finding().kind, FindingKind::Deadlock);
}

#[test]
fn reductions_do_not_race_with_one_another() {
    let reduce = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%r1], %tid, [%r7];\n\
                  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1+4], %tid, [%r7];\n";
    let ran =
        checked(&format!("{}{reduce}{WAIT}ld.shared.v2.u32 {{%r8, %r9}}, [%r1];\nadd.u32 %out, %r8, %r9;", begin(512)));
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    assert_eq!(ran.out, vec![100 + 100 + 63 * 32; 64]);
}

#[test]
fn who_does_not_wait_races() {
    // The thread itself reads its own word, behind a barrier of the block.
    let own = format!("{}{STORE}bar.sync 0;\nld.shared.u32 %out, [%r5];\n", begin(256));
    let ran = checked(&own);
    let finding = ran.finding();
    assert_eq!(finding.kind, FindingKind::Race);
    assert!(finding.message.contains("mbarrier"), "{}", finding.message);
    let reduce = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r5], 9, [%r7];\n";
    let early = format!("{}{reduce}bar.sync 0;\nld.shared.u32 %out, [%r5];\n", begin(256));
    assert_eq!(checked(&early).finding().kind, FindingKind::Race);
}

#[test]
fn other_forms_are_refused() {
    for instruction in [
        "st.async.release.sys.global.u32 [%d1], %r1;",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u16 [%r1], %h1, [%r2];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 [%r1], %f1, [%r2];",
        "red.async.mmio.release.sys.global.add.u32 [%d1], %r1;",
    ] {
        let module = Module::parse("k.ptx", &kernel("", instruction)).unwrap_or_else(|error| panic!("{error}"));
        let error = module.lower("k", Lowering::None).expect_err(instruction);
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
    }
}
