//! Probes of instructions in which lanes work together, and of those that change memory.

use sim::semantics::ScalarType as T;

use super::probe::{Probe, list};

/// Probes of warp-wide and block-wide instructions.
pub(super) fn together() -> Vec<Probe> {
    let mut probes = Vec::new();
    let mut add = |name: String, sources: &[T], outputs: &[T], body: String| {
        probes.push(Probe { together: true, ..Probe::new(name, sources, outputs, body) });
    };
    for mode in ["up", "down", "bfly", "idx"] {
        let form = format!("shfl.sync.{mode}.b32");
        add(form.clone(), &[T::B32; 3], &[T::B32, T::Pred], format!("{form} %o0|%o1, %a0, %a1, %a2, 0xffffffff;"));
        for clamp in ["0x0", "0x1f", "0x1c1f", "0x181f", "0x1000", "0x1e03"] {
            let name = format!("{form} {clamp}");
            add(name, &[T::B32; 3], &[T::B32, T::Pred], format!("{form} %o0|%o1, %a0, %a1, {clamp}, 0xffffffff;"));
        }
        // Half of the warp on each side of a branch, with its own mask.
        let half = format!(
            "setp.lt.u32 %q0, %lane, 16; mov.b32 %o0, 0;\n@%q0 {form} %o0, %a0, %a1, 0x101f, 0xffff;\n\
             @!%q0 {form} %o0, %a1, %a2, 0x101f, 0xffff0000;"
        );
        add(format!("{form} halves"), &[T::B32; 3], &[T::B32], half);
    }
    for mode in ["all", "any", "uni"] {
        for (what, condition) in
            [("even", "and.b32 %t0, %a0, 1;"), ("rare", "shr.u32 %t0, %a0, 31;"), ("never", "mov.b32 %t0, 0;")]
        {
            let body = format!(
                "{condition} setp.ne.u32 %q0, %t0, 0;\nvote.sync.{mode}.pred %o0, %q0, 0xffffffff;\n\
                 vote.sync.{mode}.pred %o1, !%q0, 0xffffffff;"
            );
            add(format!("vote.sync.{mode}.pred {what}"), &[T::B32; 3], &[T::Pred; 2], body);
        }
    }
    let ballot = "and.b32 %t0, %a0, 1; setp.ne.u32 %q0, %t0, 0; setp.lt.u32 %q1, %lane, 11; mov.b32 %o1, 0;\n\
                  vote.sync.ballot.b32 %o0, %q0, 0xffffffff;\n@%q1 vote.sync.ballot.b32 %o1, !%q0, 0x7ff;";
    add("vote.sync.ballot.b32".into(), &[T::B32; 3], &[T::B32; 2], ballot.into());
    add(
        "activemask.b32".into(),
        &[T::B32; 3],
        &[T::B32],
        "setp.lt.u32 %q1, %lane, 11; mov.b32 %o0, 0;\n@%q1 activemask.b32 %o0;".into(),
    );
    for (bits, ty) in [("b32", T::B32), ("b64", T::B64)] {
        let few = format!("and.{bits} %a9, %a0, 3;").replace("%a9", if bits == "b32" { "%t0" } else { "%d0" });
        let value = if bits == "b32" { "%t0" } else { "%d0" };
        let body = format!("{few}\nmatch.any.sync.{bits} %o0, {value}, 0xffffffff;");
        add(format!("match.any.sync.{bits}"), &[ty; 3], &[T::B32], body);
        let body = format!(
            "{few}\nmatch.all.sync.{bits} %o0|%o1, {value}, 0xffffffff;\nmov.{bits} {value}, 7;\n\
             match.all.sync.{bits} %o2|%o3, {value}, 0xffffffff;"
        );
        add(format!("match.all.sync.{bits}"), &[ty; 3], &[T::B32, T::Pred, T::B32, T::Pred], body);
    }
    for form in ["add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"] {
        let body = format!(
            "setp.lt.u32 %q1, %lane, 11; mov.b32 %o1, 0;\nredux.sync.{form} %o0, %a0, 0xffffffff;\n\
             @%q1 redux.sync.{form} %o1, %a1, 0x7ff;"
        );
        add(format!("redux.sync.{form}"), &[T::B32; 3], &[T::B32; 2], body);
    }
    let elect = "setp.gt.u32 %q1, %lane, 4; mov.b32 %o2, 0; setp.lt.u32 %o3, %lane, 0;\nelect.sync %o0|%o1, 0xffffffff;\n\
                 @%q1 elect.sync %o2|%o3, 0xffffffe0;";
    add("elect.sync".into(), &[T::B32; 3], &[T::B32, T::Pred, T::B32, T::Pred], elect.into());
    for (form, out) in [("popc.u32", T::U32), ("and.pred", T::Pred), ("or.pred", T::Pred)] {
        let body = format!(
            "and.b32 %t0, %a0, 1; setp.ne.u32 %q0, %t0, 0;\nbar.red.{form} %o0, 0, %q0;\n\
             barrier.red.{form} %o1, 0, !%q0;"
        );
        add(format!("bar.red.{form}"), &[T::B32; 3], &[out; 2], body);
    }
    let form = "movmatrix.sync.aligned.m8n8.trans.b16";
    add(form.into(), &[T::B32; 3], &[T::B32; 2], format!("{form} %o0, %a0;\n{form} %o1, %a1;"));
    for count in [1, 2, 4] {
        for trans in ["", ".trans"] {
            let form = format!("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16");
            let body = format!(
                "st.shared.v2.b32 [%sh], {{%a0, %a1}}; st.shared.v2.b32 [%sh+8], {{%a2, %a0}};\n\
                 st.shared.v2.b32 [%sh+16], {{%a1, %a2}}; st.shared.v2.b32 [%sh+24], {{%a2, %a1}};\nbar.warp.sync 0xffffffff;\n\
                 mad.lo.u32 %t0, %lane, 5, 3; and.b32 %t0, %t0, 63; mad.lo.u32 %t0, %t0, 16, %ws;\n\
                 {form} {{{}}}, [%t0];\nbar.warp.sync 0xffffffff;",
                list("%o", count)
            );
            add(form, &[T::B32; 3], &vec![T::B32; count], body);
            let form = format!("stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16");
            let values = ["%a0", "%a1", "%a2", "%t1"][..count].join(", ");
            let body = format!(
                "xor.b32 %t1, %a0, %a1; mov.b32 %t2, 0; st.shared.v2.b32 [%sh], {{%t2, %t2}};\n\
                 st.shared.v2.b32 [%sh+8], {{%t2, %t2}}; st.shared.v2.b32 [%sh+16], {{%t2, %t2}};\n\
                 st.shared.v2.b32 [%sh+24], {{%t2, %t2}};\nbar.warp.sync 0xffffffff;\n\
                 mad.lo.u32 %t0, %lane, 5, 3; and.b32 %t0, %t0, 63; mad.lo.u32 %t0, %t0, 16, %ws;\n\
                 {form} [%t0], {{{values}}};\nbar.warp.sync 0xffffffff;\n\
                 ld.shared.v4.b32 {{%o0, %o1, %o2, %o3}}, [%sh];\nld.shared.v4.b32 {{%o4, %o5, %o6, %o7}}, [%sh+16];"
            );
            add(form, &[T::B32; 3], &[T::B32; 8], body);
        }
    }
    probes
}

/// Probes of atomics, each thread on memory of its own: what was there, and what is there afterwards.
pub(super) fn memory() -> Vec<Probe> {
    let mut probes = Vec::new();
    for space in ["global", "shared"] {
        let at = if space == "global" { "[%own]" } else { "[%sh]" };
        let mut add = |operation: &str, ty: T, modifier: &str| {
            let form = format!("atom.{space}.{operation}{modifier}{ty}");
            let bits = if ty.bits() == 64 {
                "b64"
            } else if ty.bits() == 16 {
                "b16"
            } else {
                "b32"
            };
            let value = if operation == "cas" { "%a1, %a2" } else { "%a1" };
            // A comparison that always fails would say little: every other thread's word holds what it compares with.
            let initial = if operation == "cas" {
                format!(
                    "and.b32 %t0, %thread, 1; setp.eq.u32 %q0, %t0, 0; st.{space}.{bits} {at}, %a0;\n@%q0 st.{space}.{bits} {at}, %a1;"
                )
            } else {
                format!("st.{space}.{bits} {at}, %a0;")
            };
            let body = format!("{initial}\n{form} %o0, {at}, {value};\nld.{space}.{bits} %o1, {at};");
            probes.push(Probe::new(form.clone(), &[ty; 3], &[ty; 2], body));
            if !matches!(operation, "cas" | "exch") {
                let form = form.replacen("atom", "red", 1);
                let body = format!("{initial}\n{form} {at}, {value};\nld.{space}.{bits} %o0, {at};");
                probes.push(Probe::new(form, &[ty; 3], &[ty], body));
            }
        };
        for ty in [T::U32, T::S32, T::U64, T::S64] {
            add("min", ty, "");
            add("max", ty, "");
        }
        for ty in [T::U32, T::S32, T::U64] {
            add("add", ty, "");
        }
        for ty in [T::B32, T::B64] {
            for operation in ["and", "or", "xor", "exch", "cas"] {
                add(operation, ty, "");
            }
        }
        add("cas", T::B16, "");
        add("inc", T::U32, "");
        add("dec", T::U32, "");
        add("add", T::F32, "");
        add("add", T::F64, "");
        for ty in [T::F16, T::F16x2, T::BF16, T::BF16x2] {
            add("add", ty, ".noftz");
        }
        let wide = format!(
            "st.{space}.v2.b64 {at}, {{%a0, %a1}}; and.b32 %t0, %thread, 1; setp.eq.u32 %q0, %t0, 0;\n\
             selp.b64 %d0, %a0, %a2, %q0; mov.b64 %d1, %a1;\n{{ .reg .b128 %x, %y, %z; mov.b128 %y, {{%a2, %a0}};\n\
             mov.b128 %z, {{%d0, %d1}};\nOP\nmov.b128 {{%o0, %o1}}, %x; }}\nld.{space}.v2.b64 {{%o2, %o3}}, {at};"
        );
        for (form, operands) in [("exch", "%y"), ("cas", "%z, %y")] {
            let form = format!("atom.{space}.{form}.b128");
            let body = wide.replace("OP", &format!("{form} %x, {at}, {operands};"));
            probes.push(Probe::new(form, &[T::B64; 3], &[T::B64; 4], body));
        }
    }
    probes.extend(generic());
    probes.extend(vectors());
    probes.extend(widths());
    probes
}

/// Atomics by generic address: where the memory lies shows at run time only.
fn generic() -> Vec<Probe> {
    let mut probes = Vec::new();
    for (place, to_generic) in
        [("global", "mov.b64 %d0, %own;"), ("shared", "cvt.u64.u32 %d0, %sh; cvta.shared.u64 %d0, %d0;")]
    {
        for (operation, ty) in [
            ("add", T::F32),
            ("add", T::F64),
            ("add.noftz", T::F16x2),
            ("add.noftz", T::BF16x2),
            ("add", T::U32),
            ("inc", T::U32),
            ("max", T::S64),
            ("exch", T::B32),
        ] {
            let form = format!("atom.{operation}{ty}");
            let bits = if ty.bits() == 64 { "b64" } else { "b32" };
            let body = format!("{to_generic}\nst.{bits} [%d0], %a0;\n{form} %o0, [%d0], %a1;\nld.{bits} %o1, [%d0];");
            probes.push(Probe::new(format!("{form} {place}"), &[ty; 3], &[ty; 2], body));
        }
    }
    probes
}

/// Atomics on vectors, which only global memory has.
fn vectors() -> Vec<Probe> {
    let mut probes = Vec::new();
    for (ty, counts, modifier) in [
        (T::F32, &[2, 4][..], ""),
        (T::F16, &[2, 4, 8], ".noftz"),
        (T::BF16, &[2, 4, 8], ".noftz"),
        (T::F16x2, &[2, 4], ".noftz"),
        (T::BF16x2, &[2, 4], ".noftz"),
    ] {
        let bits = if ty.bits() == 16 { "b16" } else { "b32" };
        for &count in counts {
            for name in ["atom", "red"] {
                let form = format!("{name}.global.add{modifier}.v{count}{ty}");
                let mut body = String::new();
                for at in 0..count {
                    body += &format!("st.global.{bits} [%own+{}], %a{};\n", at * ty.bytes() as usize, at % 2);
                }
                let values: Vec<String> = (0..count).map(|at| format!("%a{}", [1, 2, 2, 0][at % 4])).collect();
                let (old, now) = if name == "atom" { (count, count) } else { (0, count) };
                let result = if old > 0 { format!("{{{}}}, ", list("%o", old)) } else { String::new() };
                body += &format!("{form} {result}[%own], {{{}}};\n", values.join(", "));
                for at in 0..now {
                    body += &format!("ld.global.{bits} %o{}, [%own+{}];\n", old + at, at * ty.bytes() as usize);
                }
                probes.push(Probe::new(form, &[ty; 3], &vec![ty; old + now], body));
            }
        }
    }
    probes
}

/// Loads and stores of every type, in registers as wide as the type and wider.
fn widths() -> Vec<Probe> {
    let mut probes = Vec::new();
    for ty in ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"] {
        let bits: u32 = ty[1..].parse().unwrap_or(64);
        for wide in [T::B16, T::B32, T::B64] {
            let float = ty.starts_with('f');
            if wide.bits() < bits || float && wide.bits() != bits {
                continue;
            }
            let narrowed = match wide {
                T::B16 => "cvt.u16.u64 %o0, %a2;",
                T::B32 => "cvt.u32.u64 %o0, %a2;",
                _ => "mov.b64 %o0, %a2;",
            };
            let text = format!(
                "st.global.b64 [%own], %a0; {narrowed} st.global.{ty} [%own], %o0; ld.global.b64 %o1, [%own];\n\
                 st.global.b64 [%own+8], %a1; ld.global.{ty} %o0, [%own+8];"
            );
            probes.push(Probe::new(format!("ld.global.{ty} into{wide}"), &[T::B64; 3], &[wide, T::B64], text));
        }
    }
    probes
}
