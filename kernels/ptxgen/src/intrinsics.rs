//! Intrinsics of LLVM that are one instruction of PTX: a table, one row per intrinsic.
//!
//! In a form `{d}` is the result and `{p}` a second one; `{0}` to `{9}` are the arguments in LLVM's order. Classes of registers
//! are those of the intrinsic's own types. What takes more than one form is in `emit/math.rs` and `emit/intrinsics.rs`.

/// An intrinsic: its name, its PTX, and whether it does anything besides its result.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) form: &'static str,
    pub(crate) effect: bool,
}

const fn pure(name: &'static str, form: &'static str) -> Row {
    Row { name, form, effect: false }
}

const fn effect(name: &'static str, form: &'static str) -> Row {
    Row { name, form, effect: true }
}

/// All that are one instruction. The names are without `llvm.nvvm.`.
pub(crate) const TABLE: &[Row] = &[
    // Special registers.
    pure("read.ptx.sreg.tid.x", "mov.u32 {d}, %tid.x;"),
    pure("read.ptx.sreg.tid.y", "mov.u32 {d}, %tid.y;"),
    pure("read.ptx.sreg.tid.z", "mov.u32 {d}, %tid.z;"),
    pure("read.ptx.sreg.ntid.x", "mov.u32 {d}, %ntid.x;"),
    pure("read.ptx.sreg.ntid.y", "mov.u32 {d}, %ntid.y;"),
    pure("read.ptx.sreg.ntid.z", "mov.u32 {d}, %ntid.z;"),
    pure("read.ptx.sreg.ctaid.x", "mov.u32 {d}, %ctaid.x;"),
    pure("read.ptx.sreg.ctaid.y", "mov.u32 {d}, %ctaid.y;"),
    pure("read.ptx.sreg.ctaid.z", "mov.u32 {d}, %ctaid.z;"),
    pure("read.ptx.sreg.nctaid.x", "mov.u32 {d}, %nctaid.x;"),
    pure("read.ptx.sreg.nctaid.y", "mov.u32 {d}, %nctaid.y;"),
    pure("read.ptx.sreg.nctaid.z", "mov.u32 {d}, %nctaid.z;"),
    pure("read.ptx.sreg.warpsize", "mov.u32 {d}, WARP_SZ;"),
    pure("read.ptx.sreg.laneid", "mov.u32 {d}, %laneid;"),
    pure("read.ptx.sreg.gridid", "mov.u32 {d}, %gridid;"),
    pure("read.ptx.sreg.warpid", "mov.u32 {d}, %warpid;"),
    pure("read.ptx.sreg.nwarpid", "mov.u32 {d}, %nwarpid;"),
    pure("read.ptx.sreg.smid", "mov.u32 {d}, %smid;"),
    pure("read.ptx.sreg.nsmid", "mov.u32 {d}, %nsmid;"),
    pure("read.ptx.sreg.lanemask.eq", "mov.u32 {d}, %lanemask_eq;"),
    pure("read.ptx.sreg.lanemask.le", "mov.u32 {d}, %lanemask_le;"),
    pure("read.ptx.sreg.lanemask.lt", "mov.u32 {d}, %lanemask_lt;"),
    pure("read.ptx.sreg.lanemask.ge", "mov.u32 {d}, %lanemask_ge;"),
    pure("read.ptx.sreg.lanemask.gt", "mov.u32 {d}, %lanemask_gt;"),
    pure("read.ptx.sreg.envreg1", "mov.b32 {d}, %envreg1;"),
    pure("read.ptx.sreg.envreg2", "mov.b32 {d}, %envreg2;"),
    effect("read.ptx.sreg.clock", "mov.u32 {d}, %clock;"),
    effect("read.ptx.sreg.clock64", "mov.u64 {d}, %clock64;"),
    effect("read.ptx.sreg.globaltimer", "mov.u64 {d}, %globaltimer;"),
    // Barriers and fences.
    effect("barrier0", "bar.sync 0;"),
    effect("barrier.sync", "barrier.sync {0};"),
    effect("barrier.sync.cnt", "barrier.sync {0}, {1};"),
    effect("barrier.n", "bar.sync {0};"),
    effect("barrier", "bar.sync {0}, {1};"),
    effect("bar.sync", "bar.sync {0};"),
    effect("barrier.cta.sync.aligned.all", "bar.sync {0};"),
    effect("barrier.cta.sync.aligned.count", "bar.sync {0}, {1};"),
    effect("barrier.cta.sync.all", "barrier.sync {0};"),
    effect("barrier.cta.sync.count", "barrier.sync {0}, {1};"),
    effect("barrier.cta.arrive.aligned.count", "bar.arrive {0}, {1};"),
    effect("barrier.cta.arrive.count", "barrier.arrive {0}, {1};"),
    effect("barrier.cta.red.popc.aligned.all", "bar.red.popc.u32 {d}, {0}, {1};"),
    effect("barrier.cta.red.and.aligned.all", "bar.red.and.pred {d}, {0}, {1};"),
    effect("barrier.cta.red.or.aligned.all", "bar.red.or.pred {d}, {0}, {1};"),
    effect("barrier.cta.red.popc.aligned.count", "bar.red.popc.u32 {d}, {0}, {1}, {2};"),
    effect("barrier.cta.red.and.aligned.count", "bar.red.and.pred {d}, {0}, {1}, {2};"),
    effect("barrier.cta.red.or.aligned.count", "bar.red.or.pred {d}, {0}, {1}, {2};"),
    effect("bar.warp.sync", "bar.warp.sync {0};"),
    effect("membar.cta", "membar.cta;"),
    effect("membar.gl", "membar.gl;"),
    effect("membar.sys", "membar.sys;"),
    effect("fence.sc.cluster", "fence.sc.cluster;"),
    effect("nanosleep", "nanosleep.u32 {0};"),
    effect("exit", "exit;"),
    // Exchanges within a warp.
    effect("shfl.sync.up.i32", "shfl.sync.up.b32 {d}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.up.f32", "shfl.sync.up.b32 {d}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.down.i32", "shfl.sync.down.b32 {d}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.down.f32", "shfl.sync.down.b32 {d}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.bfly.i32", "shfl.sync.bfly.b32 {d}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.bfly.f32", "shfl.sync.bfly.b32 {d}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.idx.i32", "shfl.sync.idx.b32 {d}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.idx.f32", "shfl.sync.idx.b32 {d}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.up.i32p", "shfl.sync.up.b32 {d}|{p}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.up.f32p", "shfl.sync.up.b32 {d}|{p}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.down.i32p", "shfl.sync.down.b32 {d}|{p}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.down.f32p", "shfl.sync.down.b32 {d}|{p}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.bfly.i32p", "shfl.sync.bfly.b32 {d}|{p}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.bfly.f32p", "shfl.sync.bfly.b32 {d}|{p}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.idx.i32p", "shfl.sync.idx.b32 {d}|{p}, {1}, {2}, {3}, {0};"),
    effect("shfl.sync.idx.f32p", "shfl.sync.idx.b32 {d}|{p}, {1}, {2}, {3}, {0};"),
    effect("vote.all.sync", "vote.sync.all.pred {d}, {1}, {0};"),
    effect("vote.any.sync", "vote.sync.any.pred {d}, {1}, {0};"),
    effect("vote.uni.sync", "vote.sync.uni.pred {d}, {1}, {0};"),
    effect("vote.ballot.sync", "vote.sync.ballot.b32 {d}, {1}, {0};"),
    effect("match.any.sync.i32", "match.any.sync.b32 {d}, {1}, {0};"),
    effect("match.any.sync.i64", "match.any.sync.b64 {d}, {1}, {0};"),
    effect("match.all.sync.i32p", "match.all.sync.b32 {d}|{p}, {1}, {0};"),
    effect("match.all.sync.i64p", "match.all.sync.b64 {d}|{p}, {1}, {0};"),
    effect("activemask", "activemask.b32 {d};"),
    effect("redux.sync.add", "redux.sync.add.s32 {d}, {0}, {1};"),
    effect("redux.sync.min", "redux.sync.min.s32 {d}, {0}, {1};"),
    effect("redux.sync.max", "redux.sync.max.s32 {d}, {0}, {1};"),
    effect("redux.sync.umin", "redux.sync.min.u32 {d}, {0}, {1};"),
    effect("redux.sync.umax", "redux.sync.max.u32 {d}, {0}, {1};"),
    effect("redux.sync.and", "redux.sync.and.b32 {d}, {0}, {1};"),
    effect("redux.sync.or", "redux.sync.or.b32 {d}, {0}, {1};"),
    effect("redux.sync.xor", "redux.sync.xor.b32 {d}, {0}, {1};"),
    pure("fns", "fns.b32 {d}, {0}, {1}, {2};"),
    effect("elect.sync", "elect.sync {d}|{p}, {0};"),
    // Integers.
    pure("mulhi.i", "mul.hi.s32 {d}, {0}, {1};"),
    pure("mulhi.ui", "mul.hi.u32 {d}, {0}, {1};"),
    pure("mulhi.ll", "mul.hi.s64 {d}, {0}, {1};"),
    pure("mulhi.ull", "mul.hi.u64 {d}, {0}, {1};"),
    pure("mulhi.s", "mul.hi.s16 {d}, {0}, {1};"),
    pure("mulhi.us", "mul.hi.u16 {d}, {0}, {1};"),
    pure("mul24.i", "mul24.lo.s32 {d}, {0}, {1};"),
    pure("mul24.ui", "mul24.lo.u32 {d}, {0}, {1};"),
    pure("sad.i", "sad.s32 {d}, {0}, {1}, {2};"),
    pure("sad.ui", "sad.u32 {d}, {0}, {1}, {2};"),
    pure("sad.ll", "sad.s64 {d}, {0}, {1}, {2};"),
    pure("sad.ull", "sad.u64 {d}, {0}, {1}, {2};"),
    pure("prmt", "prmt.b32 {d}, {0}, {1}, {2};"),
    pure("idp4a.s.s", "dp4a.s32.s32 {d}, {0}, {1}, {2};"),
    pure("idp4a.u.u", "dp4a.u32.u32 {d}, {0}, {1}, {2};"),
    // Floating-point numbers.
    pure("add.rn.f", "add.rn.f32 {d}, {0}, {1};"),
    pure("add.rz.f", "add.rz.f32 {d}, {0}, {1};"),
    pure("add.rm.f", "add.rm.f32 {d}, {0}, {1};"),
    pure("add.rp.f", "add.rp.f32 {d}, {0}, {1};"),
    pure("add.rn.d", "add.rn.f64 {d}, {0}, {1};"),
    pure("add.rz.d", "add.rz.f64 {d}, {0}, {1};"),
    pure("add.rm.d", "add.rm.f64 {d}, {0}, {1};"),
    pure("add.rp.d", "add.rp.f64 {d}, {0}, {1};"),
    pure("mul.rn.f", "mul.rn.f32 {d}, {0}, {1};"),
    pure("mul.rz.f", "mul.rz.f32 {d}, {0}, {1};"),
    pure("mul.rm.f", "mul.rm.f32 {d}, {0}, {1};"),
    pure("mul.rp.f", "mul.rp.f32 {d}, {0}, {1};"),
    pure("mul.rn.d", "mul.rn.f64 {d}, {0}, {1};"),
    pure("mul.rz.d", "mul.rz.f64 {d}, {0}, {1};"),
    pure("mul.rm.d", "mul.rm.f64 {d}, {0}, {1};"),
    pure("mul.rp.d", "mul.rp.f64 {d}, {0}, {1};"),
    pure("fma.rn.f", "fma.rn.f32 {d}, {0}, {1}, {2};"),
    pure("fma.rz.f", "fma.rz.f32 {d}, {0}, {1}, {2};"),
    pure("fma.rm.f", "fma.rm.f32 {d}, {0}, {1}, {2};"),
    pure("fma.rp.f", "fma.rp.f32 {d}, {0}, {1}, {2};"),
    pure("fma.rn.d", "fma.rn.f64 {d}, {0}, {1}, {2};"),
    pure("fma.rz.d", "fma.rz.f64 {d}, {0}, {1}, {2};"),
    pure("fma.rm.d", "fma.rm.f64 {d}, {0}, {1}, {2};"),
    pure("fma.rp.d", "fma.rp.f64 {d}, {0}, {1}, {2};"),
    pure("div.rn.f", "div.rn.f32 {d}, {0}, {1};"),
    pure("div.rz.f", "div.rz.f32 {d}, {0}, {1};"),
    pure("div.rm.f", "div.rm.f32 {d}, {0}, {1};"),
    pure("div.rp.f", "div.rp.f32 {d}, {0}, {1};"),
    pure("div.rn.d", "div.rn.f64 {d}, {0}, {1};"),
    pure("div.rz.d", "div.rz.f64 {d}, {0}, {1};"),
    pure("div.rm.d", "div.rm.f64 {d}, {0}, {1};"),
    pure("div.rp.d", "div.rp.f64 {d}, {0}, {1};"),
    pure("div.approx.f", "div.approx.f32 {d}, {0}, {1};"),
    pure("div.full", "div.full.f32 {d}, {0}, {1};"),
    pure("rcp.rn.f", "rcp.rn.f32 {d}, {0};"),
    pure("rcp.rz.f", "rcp.rz.f32 {d}, {0};"),
    pure("rcp.rm.f", "rcp.rm.f32 {d}, {0};"),
    pure("rcp.rp.f", "rcp.rp.f32 {d}, {0};"),
    pure("rcp.rn.d", "rcp.rn.f64 {d}, {0};"),
    pure("rcp.rz.d", "rcp.rz.f64 {d}, {0};"),
    pure("rcp.rm.d", "rcp.rm.f64 {d}, {0};"),
    pure("rcp.rp.d", "rcp.rp.f64 {d}, {0};"),
    pure("rcp.approx.ftz.f", "rcp.approx.ftz.f32 {d}, {0};"),
    pure("rcp.approx.ftz.d", "rcp.approx.ftz.f64 {d}, {0};"),
    pure("sqrt.f", "sqrt.rn.f32 {d}, {0};"),
    pure("sqrt.rn.f", "sqrt.rn.f32 {d}, {0};"),
    pure("sqrt.rz.f", "sqrt.rz.f32 {d}, {0};"),
    pure("sqrt.rm.f", "sqrt.rm.f32 {d}, {0};"),
    pure("sqrt.rp.f", "sqrt.rp.f32 {d}, {0};"),
    pure("sqrt.rn.d", "sqrt.rn.f64 {d}, {0};"),
    pure("sqrt.rz.d", "sqrt.rz.f64 {d}, {0};"),
    pure("sqrt.rm.d", "sqrt.rm.f64 {d}, {0};"),
    pure("sqrt.rp.d", "sqrt.rp.f64 {d}, {0};"),
    pure("sqrt.approx.f", "sqrt.approx.f32 {d}, {0};"),
    pure("rsqrt.approx.f", "rsqrt.approx.f32 {d}, {0};"),
    pure("rsqrt.approx.ftz.f", "rsqrt.approx.ftz.f32 {d}, {0};"),
    pure("rsqrt.approx.d", "rsqrt.approx.f64 {d}, {0};"),
    pure("ex2.approx.f", "ex2.approx.f32 {d}, {0};"),
    pure("ex2.approx.f32", "ex2.approx.f32 {d}, {0};"),
    pure("ex2.approx.ftz.f", "ex2.approx.ftz.f32 {d}, {0};"),
    pure("lg2.approx.f", "lg2.approx.f32 {d}, {0};"),
    pure("lg2.approx.ftz.f", "lg2.approx.ftz.f32 {d}, {0};"),
    pure("sin.approx.f", "sin.approx.f32 {d}, {0};"),
    pure("cos.approx.f", "cos.approx.f32 {d}, {0};"),
    pure("sin.approx.ftz.f", "sin.approx.ftz.f32 {d}, {0};"),
    pure("cos.approx.ftz.f", "cos.approx.ftz.f32 {d}, {0};"),
    pure("tanh.approx.f32", "tanh.approx.f32 {d}, {0};"),
    pure("fmin.f", "min.f32 {d}, {0}, {1};"),
    pure("fmax.f", "max.f32 {d}, {0}, {1};"),
    pure("fmin.nan.f", "min.NaN.f32 {d}, {0}, {1};"),
    pure("fmax.nan.f", "max.NaN.f32 {d}, {0}, {1};"),
    pure("fmin.d", "min.f64 {d}, {0}, {1};"),
    pure("fmax.d", "max.f64 {d}, {0}, {1};"),
    pure("fmin.f16", "min.f16 {d}, {0}, {1};"),
    pure("fmax.f16", "max.f16 {d}, {0}, {1};"),
    pure("fabs.f", "abs.f32 {d}, {0};"),
    pure("fabs.d", "abs.f64 {d}, {0};"),
    pure("saturate.f", "cvt.sat.f32.f32 {d}, {0};"),
    pure("saturate.d", "cvt.sat.f64.f64 {d}, {0};"),
    pure("floor.f", "cvt.rmi.f32.f32 {d}, {0};"),
    pure("ceil.f", "cvt.rpi.f32.f32 {d}, {0};"),
    pure("trunc.f", "cvt.rzi.f32.f32 {d}, {0};"),
    pure("round.f", "cvt.rni.f32.f32 {d}, {0};"),
    pure("floor.d", "cvt.rmi.f64.f64 {d}, {0};"),
    pure("ceil.d", "cvt.rpi.f64.f64 {d}, {0};"),
    pure("trunc.d", "cvt.rzi.f64.f64 {d}, {0};"),
    pure("round.d", "cvt.rni.f64.f64 {d}, {0};"),
    pure("lohi.i2d", "mov.b64 {d}, {{0}, {1}};"),
    // Asynchronous copies.
    effect("cp.async.commit.group", "cp.async.commit_group;"),
    effect("cp.async.wait.group", "cp.async.wait_group {0};"),
    effect("cp.async.wait.all", "cp.async.wait_all;"),
    effect("cp.async.ca.shared.global.4", "cp.async.ca.shared.global [{0}], [{1}], 4;"),
    effect("cp.async.ca.shared.global.8", "cp.async.ca.shared.global [{0}], [{1}], 8;"),
    effect("cp.async.ca.shared.global.16", "cp.async.ca.shared.global [{0}], [{1}], 16;"),
    effect("cp.async.cg.shared.global.16", "cp.async.cg.shared.global [{0}], [{1}], 16;"),
    effect("cp.async.ca.shared.global.4.s", "cp.async.ca.shared.global [{0}], [{1}], 4, {2};"),
    effect("cp.async.ca.shared.global.8.s", "cp.async.ca.shared.global [{0}], [{1}], 8, {2};"),
    effect("cp.async.ca.shared.global.16.s", "cp.async.ca.shared.global [{0}], [{1}], 16, {2};"),
    effect("cp.async.cg.shared.global.16.s", "cp.async.cg.shared.global [{0}], [{1}], 16, {2};"),
    effect("mbarrier.init.shared", "mbarrier.init.shared.b64 [{0}], {1};"),
    effect("mbarrier.inval.shared", "mbarrier.inval.shared.b64 [{0}];"),
    effect("mbarrier.arrive.shared", "mbarrier.arrive.shared.b64 {d}, [{0}];"),
    effect("mbarrier.test.wait.shared", "mbarrier.test_wait.shared.b64 {d}, [{0}], {1};"),
    // Which space an address is in.
    pure("isspacep.global", "isspacep.global {d}, {0};"),
    pure("isspacep.shared", "isspacep.shared {d}, {0};"),
    pure("isspacep.local", "isspacep.local {d}, {0};"),
    pure("isspacep.const", "isspacep.const {d}, {0};"),
];

/// Conversions, whose names say their types: how a target, a rounding and a source are written.
const ROUNDINGS: [&str; 4] = ["rn", "rz", "rm", "rp"];

/// The PTX of a conversion such as `f2i.rz` or `d2ull.rn`.
pub(crate) fn conversion(name: &str) -> Option<String> {
    let (pair, rounding) = name.split_once('.')?;
    let (rounding, flush) = rounding.strip_suffix(".ftz").map_or((rounding, ""), |rounding| (rounding, ".ftz"));
    if !ROUNDINGS.contains(&rounding) {
        return None;
    }
    let (from, to) = pair.split_once('2')?;
    let name = |text: &str| {
        Some(match text {
            "f" => "f32",
            "d" => "f64",
            "h" => "f16",
            "i" => "s32",
            "ui" => "u32",
            "ll" => "s64",
            "ull" => "u64",
            _ => return None,
        })
    };
    let (from, to) = (name(from)?, name(to)?);
    let rounding = if to.starts_with('f') { rounding.to_owned() } else { format!("{rounding}i") };
    Some(format!("cvt.{rounding}{flush}.{to}.{from} {{d}}, {{0}};"))
}

/// The row of an intrinsic, by its name without `llvm.nvvm.`.
pub(crate) fn find(name: &str) -> Option<&'static Row> {
    let own = |name: &str| TABLE.iter().find(|row| row.name == name);
    // Overloaded intrinsics end in the types of their pointers.
    own(name).or_else(|| own(name.strip_suffix(".p0").or_else(|| name.strip_suffix(".p3"))?))
}

/// Whether an intrinsic has no effect but its result.
pub(crate) fn is_pure(name: &str) -> bool {
    if let Some(own) = name.strip_prefix("llvm.nvvm.") {
        return find(own).map_or_else(
            || conversion(own).is_some() || own.starts_with("ldg.") || own.starts_with("ldu."),
            |row| !row.effect,
        );
    }
    let Some(own) = name.strip_prefix("llvm.") else { return false };
    !["memcpy", "memmove", "memset", "trap", "debugtrap", "assume", "lifetime", "dbg", "experimental", "prefetch"]
        .iter()
        .any(|effect| own.starts_with(effect))
        && !is_nothing(name)
}

/// Whether an intrinsic tells the compiler something, and is nothing when the program runs.
pub(crate) fn is_nothing(name: &str) -> bool {
    [
        "llvm.lifetime.",
        "llvm.dbg.",
        "llvm.assume",
        "llvm.experimental.noalias.scope.decl",
        "llvm.invariant.",
        "llvm.donothing",
        "llvm.sideeffect",
        "llvm.pseudoprobe",
        "llvm.var.annotation",
    ]
    .iter()
    .any(|beginning| name.starts_with(beginning))
}
