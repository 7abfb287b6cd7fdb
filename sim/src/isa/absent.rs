//! What is not simulated.

use serde::Serialize;

/// A group of instructions of the PTX ISA manual that is not simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Absent {
    /// What it is.
    pub what: &'static str,
    /// The beginnings of its opcodes.
    pub names: &'static [&'static str],
    /// The manual's section.
    pub section: &'static str,
    /// One of them, in a kernel that has the registers `%r<8>` (32 bits), `%d<8>` (64 bits) and `%f<8>` (f32).
    pub example: &'static str,
}

/// What PTX 9.0 has for the simulated GPUs and the simulator does not.
pub const ABSENT: &[Absent] = &[
    Absent {
        what: "textures",
        names: &["tex", "tld4", "txq", "istypep"],
        section: "9.7.10",
        example: "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%r0}];",
    },
    Absent {
        what: "surfaces",
        names: &["suld", "sust", "sured", "suq"],
        section: "9.7.11",
        example: "sust.b.1d.b32.trap [%d0, {%r0}], {%r1};",
    },
    Absent {
        what: "bulk stores of zeros",
        names: &["st.bulk"],
        section: "9.7.9.13",
        example: "st.bulk.weak.shared::cta [%d0], 64, 0;",
    },
    Absent {
        what: "memory that several GPUs share",
        names: &["multimem"],
        section: "9.7.9.14",
        example: "multimem.red.relaxed.sys.global.add.u32 [%d0], %r0;",
    },
    Absent {
        what: "tensor copies",
        names: &["cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "cp.async.bulk.prefetch", "tensormap"],
        section: "9.7.9.25.5",
        example: "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%d0, {%r1}], [%r2];",
    },
    Absent {
        what: "sparse matrices",
        names: &["mma.sp"],
        section: "9.7.14.6",
        example: "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r2, %r3}, \
                  {%f0, %f1, %f2, %f3}, %r4, 0x0;",
    },
    Absent {
        what: "matrices of a group of four warps",
        names: &["wgmma"],
        section: "9.7.15",
        example: "wgmma.fence.sync.aligned;",
    },
    Absent {
        what: "the stack as memory to ask for",
        names: &["alloca", "stacksave", "stackrestore"],
        section: "9.7.17",
        example: "alloca.u64 %d0, 16;",
    },
];
