//! Probes of asynchronous copies, each thread between memory of its own.

use sim::semantics::ScalarType as T;

use super::probe::Probe;

/// Fills the thread's 16 bytes of global memory with the sources, and its shared memory with something else.
const FILL: &str = "st.global.v2.b32 [%own], {%a0, %a1}; st.global.v2.b32 [%own+8], {%a2, %a0};\n\
                    not.b32 %t0, %a1; st.shared.v2.b32 [%sh], {%t0, %t0}; st.shared.v2.b32 [%sh+8], {%t0, %t0};";
/// Reads the thread's 16 bytes of shared memory.
const SHOW: &str = "ld.shared.v4.b32 {%o0, %o1, %o2, %o3}, [%sh];";

/// All probes of asynchronous copies.
pub(super) fn probes() -> Vec<Probe> {
    let mut probes = Vec::new();
    let mut add = |name: String, body: String| probes.push(Probe::new(name, &[T::B32; 3], &[T::B32; 4], body));
    for (cache, bytes) in [("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)] {
        let form = format!("cp.async.{cache}.shared.global");
        for (what, source) in [("", ""), (" part", ", %t1"), (" ignored", ", %q0")] {
            let prepare = format!("rem.u32 %t1, %thread, {}; and.b32 %t2, %a2, 1; setp.ne.u32 %q0, %t2, 0;", bytes + 1);
            let body = format!(
                "{FILL}\n{prepare}\n{form} [%sh], [%own], {bytes}{source};\ncp.async.commit_group;\ncp.async.wait_group \
                 0;\n{SHOW}"
            );
            add(format!("{form} {bytes}{what}"), body);
        }
    }
    let all = "cp.async.ca.shared.global [%sh], [%own], 16;\ncp.async.wait_all;";
    add("cp.async.wait_all".into(), format!("{FILL}\n{all}\n{SHOW}"));
    let form = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    add(
        form.into(),
        format!(
            "{FILL}\nmbarrier.init.shared.b64 [%sh+16], 1;\nfence.mbarrier_init.release.cluster;\nfence.proxy.async;\n\
             mbarrier.arrive.expect_tx.shared.b64 %d0, [%sh+16], 16;\n{form} [%sh], [%own], 16, [%sh+16];\n\
             WAIT: mbarrier.try_wait.parity.shared.b64 %q0, [%sh+16], 0;\n@!%q0 bra WAIT;\n{SHOW}\n\
             mbarrier.inval.shared.b64 [%sh+16];"
        ),
    );
    let form = "cp.async.bulk.global.shared::cta.bulk_group";
    for wait in ["cp.async.bulk.wait_group", "cp.async.bulk.wait_group.read"] {
        let back = "ld.global.v4.b32 {%o0, %o1, %o2, %o3}, [%own];";
        // Behind `.read` only the source is free again: the destination is waited for as well.
        let body = format!(
            "{FILL}\nfence.proxy.async;\n{form} [%own], [%sh], 16;\ncp.async.bulk.commit_group;\n{wait} 0;\n\
             cp.async.bulk.wait_group 0;\n{back}"
        );
        add(format!("{form} {wait}"), body);
    }
    for operation in [
        "add.u32",
        "add.s32",
        "add.u64",
        "add.f32",
        "add.f64",
        "add.noftz.f16",
        "add.noftz.bf16",
        "min.s32",
        "max.u32",
        "min.u64",
        "max.s64",
        "and.b32",
        "or.b64",
        "xor.b32",
        "inc.u32",
        "dec.u32",
        "min.f16",
        "max.bf16",
    ] {
        let form = format!("cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation}");
        let body = format!(
            "{FILL}\nfence.proxy.async;\n{form} [%own], [%sh], 16;\ncp.async.bulk.commit_group;\n\
             cp.async.bulk.wait_group 0;\nld.global.v4.b32 {{%o0, %o1, %o2, %o3}}, [%own];"
        );
        add(form, body);
    }
    probes
}
