//! Special registers: every one that PTX 9.0 has is executed where the launch determines it, and refused by its name where it
//! does not.

mod common;

use common::{kernel, run_text, unchecked};
use sim::{Error, Lowering, Module, Options};

/// Shared memory of the kernels: 1,024 bytes are dynamic, as `common` launches them.
const SHARED: &str = ".shared .align 4 .b8 s[20];";

/// What a thread reads, as 32 bits, of block 3 of 5 with 64 threads.
fn read(register: &str) -> u32 {
    let target = Options::default().target;
    read_on(&target, register)
}

fn read_on(target: &str, register: &str) -> u32 {
    let body = match register {
        "%is_explicit_cluster" => format!("mov.pred %q1, {register};\nselp.u32 %out, 1, 0, %q1;"),
        "%gridid" | "%current_graph_exec" | "%clock64" | "%globaltimer" => {
            format!("mov.u64 %d1, {register};\ncvt.u32.u64 %out, %d1;")
        }
        _ => format!("mov.u32 %out, {register};"),
    };
    let options = Options { target: target.to_owned(), ..unchecked(1 << 16) };
    // The variable is used, so that it is a part of the kernel's shared memory.
    let body = format!("st.shared.u32 [s], %tid;\n{body}");
    run_text(&kernel(SHARED, &body), 5, 64, &options).out[3 * 64 + 33]
}

#[test]
fn a_launch_without_clusters_has_clusters_of_one_block() {
    for (register, value) in [
        ("%is_explicit_cluster", 0),
        ("%clusterid.x", 3),
        ("%clusterid.y", 0),
        ("%clusterid.z", 0),
        ("%nclusterid.x", 5),
        ("%nclusterid.y", 1),
        ("%nclusterid.z", 1),
        ("%cluster_ctaid.x", 0),
        ("%cluster_ctaid.y", 0),
        ("%cluster_ctaid.z", 0),
        ("%cluster_nctaid.x", 1),
        ("%cluster_nctaid.y", 1),
        ("%cluster_nctaid.z", 1),
        ("%cluster_ctarank", 0),
        ("%cluster_nctarank", 1),
    ] {
        assert_eq!(read(register), value, "{register}");
    }
}

#[test]
fn sizes_of_shared_memory_are_multiples_of_what_is_allocated() {
    assert_eq!(read("%dynamic_smem_size"), 1024);
    // 20 bytes are static.
    for (target, total, all) in [("h200", 1152, 2176), ("a100", 1152, 2176), ("v100", 1280, 1280), ("k40", 1280, 1280)]
    {
        assert_eq!((read_on(target, "%total_smem_size"), read_on(target, "%aggr_smem_size")), (total, all), "{target}");
    }
}

#[test]
fn places_in_the_grid_and_on_the_gpu() {
    for (register, value) in [
        ("%tid.x", 33),
        ("%tid.w", 0),
        ("%ntid.x", 64),
        ("%ntid.w", 0),
        ("%ctaid.x", 3),
        ("%ctaid.w", 0),
        ("%nctaid.x", 5),
        ("%nctaid.w", 0),
        ("%clusterid.w", 0),
        ("%cluster_nctaid.w", 0),
        ("%laneid", 1),
        ("%warpid", 1),
        ("%nwarpid", 2),
        ("%smid", 3),
        ("%nsmid", 132),
        ("%gridid", 1),
        ("%lanemask_eq", 2),
        ("%lanemask_lt", 1),
        ("%lanemask_le", 3),
        ("%lanemask_gt", 0xffff_fffc),
        ("%lanemask_ge", 0xffff_fffe),
        ("%current_graph_exec", 0),
    ] {
        assert_eq!(read(register), value, "{register}");
    }
    assert!(read("%clock") > 0 && read("%clock64") > 0 && read("%globaltimer") > 0 && read("%globaltimer_lo") > 0);
    assert_eq!((read("%clock_hi"), read("%globaltimer_hi")), (0, 0));
}

#[test]
fn any_instruction_reads_them() {
    let sum = "add.u32 %out, %cluster_nctarank, %nclusterid.x;\nmov.u32 %r1, %clock;\nsub.u32 %r2, %clock, %r1;\n\
               setp.lt.u32 %q1, %r2, 100;\nsetp.eq.and.u32 %q2, %nctaid.x, 5, %q1;\n@!%q2 mov.b32 %out, 99;";
    assert_eq!(run_text(&kernel("", sum), 5, 64, &unchecked(1 << 16)).out, vec![6; 320]);
}

fn refused(register: &str) -> Error {
    let text = kernel("", &format!("mov.u32 %out, {register};"));
    let module = Module::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
    module.lower("k", Lowering::None).expect_err(register)
}

#[test]
fn what_no_launch_determines_is_refused_by_name_and_what_is_none_is_not_declared() {
    for register in [
        "%pm0",
        "%pm7",
        "%pm3_64",
        "%envreg0",
        "%envreg31",
        "%reserved_smem_offset_begin",
        "%reserved_smem_offset_end",
        "%reserved_smem_offset_cap",
        "%reserved_smem_offset_0",
        "%reserved_smem_offset_1",
        "%nctaid",
        "%cluster_ctaid",
    ] {
        let error = refused(register);
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
        assert!(error.to_string().contains(&format!("`{register}`")), "{error}");
    }
    for name in ["%pm8", "%pm07", "%envreg32", "%clusterid.a", "%reserved_smem_offset_2", "%nothing"] {
        let error = refused(name);
        assert!(error.to_string().contains("is not declared"), "{error}");
    }
}
