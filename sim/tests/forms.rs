//! Every instruction form that real kernels use is lowered and executed, or stands on the list of what is not supported.

mod common;

use common::{kernel, run_text, unchecked};
use sim::semantics::{LaneOp, ScalarType as T};

/// What is not simulated: textures and surfaces.
const UNSUPPORTED: [&str; 4] = ["tex.", "tld4.", "suld.", "sust."];

/// Registers of [`kernel`] that hold values of this type.
fn register(ty: T, number: usize) -> String {
    let file = match (ty, ty.bits()) {
        (T::Pred, _) => "q",
        (T::F32, _) => "f",
        (T::F64, _) => "g",
        (_, 64) => "d",
        (_, 32) => "r",
        _ => "h",
    };
    format!("%{file}{number}")
}

/// `count` registers from `first` on, in braces when there are several.
fn vector(ty: T, first: usize, count: usize) -> String {
    let list: Vec<String> = (first..first + count).map(|number| register(ty, number)).collect();
    if count == 1 { list.concat() } else { format!("{{{}}}", list.join(", ")) }
}

/// The only type of a form, and how many elements it moves.
fn element(parts: &[&str]) -> (T, usize) {
    let ty = parts.iter().rev().find_map(|part| T::parse(part)).expect("a type");
    let count = parts.iter().find_map(|part| part.strip_prefix('v')?.parse().ok()).unwrap_or(1);
    (ty, count)
}

/// An address in the space that a form names: 64 bytes of it are there.
fn place(parts: &[&str]) -> &'static str {
    let has = |name: &str| parts.iter().any(|part| part.split("::").next() == Some(name));
    match () {
        () if has("shared") => "[block]",
        () if has("local") => "[own]",
        () if has("const") => "[fixed]",
        () if has("param") => "[words]",
        () => "[%p]",
    }
}

/// A few instructions with the form in the middle; `None` for a form that is not known here.
fn example(form: &str) -> Option<String> {
    let parts: Vec<&str> = form.split('.').collect();
    if let Ok(Some((_, signature))) = LaneOp::decode(&parts) {
        let mut operands = vec![register(signature.dst, 0)];
        // A table, a selector or a byte count is a number.
        operands.extend(signature.src.iter().enumerate().map(|(at, &ty)| match (parts[0], at) {
            ("lop3", 3) => "0x96".to_owned(),
            ("div" | "rem", 1) if ty.is_integer() => "3".to_owned(),
            _ => register(ty, at + 1),
        }));
        return Some(format!("{form} {};", operands.join(", ")));
    }
    Some(match parts[0] {
        "ret" | "exit" => format!("setp.eq.u32 %q1, %tid, 99;\n@%q1 {form};"),
        "trap" => "setp.eq.u32 %q1, %tid, 99;\n@%q1 trap;".to_owned(),
        "bra" => format!("{form} NEXT;\nNEXT:"),
        "call" => format!(
            "{{\n.param .b32 given;\n.param .b32 result;\nst.param.b32 [given], %tid;\n\
             {form} (result), function, (given);\nld.param.b32 %r1, [result];\n}}"
        ),
        "mov" => {
            let (ty, _) = element(&parts);
            format!("{form} {}, {};", register(ty, 0), register(ty, 1))
        }
        "ld" | "st" => {
            let (ty, count) = element(&parts);
            let registers = vector(ty, 0, count);
            match (parts[0], parts.contains(&"param")) {
                ("ld", _) => format!("{form} {registers}, {};", place(&parts)),
                (_, true) => format!(
                    "{{\n.param .align 16 .b8 given[16];\n.param .b32 result;\n{form} [given], {registers};\n\
                     call (result), wide, (given);\n}}"
                ),
                _ => format!("{form} {}, {registers};", place(&parts)),
            }
        }
        "cvta" => format!("{form} %d1, %d0;"),
        "atom" | "red" => {
            let (ty, _) = element(&parts);
            let result = if parts[0] == "atom" { format!("{}, ", register(ty, 0)) } else { String::new() };
            let second = if parts.contains(&"cas") { format!(", {}", register(ty, 2)) } else { String::new() };
            format!("{form} {result}{}, {}{second};", place(&parts), register(ty, 1))
        }
        "bar" | "barrier" => match parts[1] {
            "warp" => format!("{form} -1;"),
            "red" if parts[2] == "popc" => format!("{form} %r1, 0, %q1;"),
            "red" => format!("{form} %q2, 0, %q1;"),
            _ => format!("{form} 0;"),
        },
        "membar" | "fence" | "griddepcontrol" => format!("{form};"),
        "nanosleep" => format!("{form} 10;"),
        "prefetch" => format!("{form} [%p];"),
        "shfl" => format!("{form} %r1|%q1, %r2, 1, 31, -1;"),
        "vote" if parts.contains(&"ballot") => format!("{form} %r1, %q1, -1;"),
        "vote" if parts.contains(&"sync") => format!("{form} %q2, %q1, -1;"),
        "vote" => format!("{form} %q2, %q1;"),
        "match" => format!("{form} %r1, {}, -1;", register(element(&parts).0, 1)),
        "redux" => format!("{form} %r1, %r2, -1;"),
        "activemask" => format!("{form} %r1;"),
        "mbarrier" => {
            let made = "mbarrier.init.shared.b64 [block], 32;\nbar.sync 0;\n";
            match parts[1] {
                "init" => format!("{form} [block], 32;"),
                "inval" => format!("{made}{form} [block];"),
                "arrive" => format!("{made}{form} %d1, [block];"),
                "expect_tx" => format!("{made}{form} [block], 16;"),
                _ if parts.contains(&"parity") => format!("{made}{form} %q1, [block], 0;"),
                _ => format!("{made}{form} %q1, [block], %d1;"),
            }
        }
        "cp" => match parts[..] {
            [_, _, "commit_group"] => format!("{form};"),
            [_, _, "wait_group"] => format!("{form} 0;"),
            [_, _, "mbarrier", ..] => format!("mbarrier.init.shared.b64 [block], 32;\nbar.sync 0;\n{form} [block];"),
            [_, _, "bulk", ..] => format!(
                "mbarrier.init.shared.b64 [block], 1;\nsetp.eq.u32 %q1, %tid, 0;\n@%q1 {form} [block+16], [%p], 16, [block];"
            ),
            _ => format!("{form} [block], [%p], 16;"),
        },
        "wmma" => return matrix(form, &parts),
        _ => return None,
    })
}

/// Matrix instructions: how many registers their fragments have.
fn matrix(form: &str, parts: &[&str]) -> Option<String> {
    let types: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| ["f16", "bf16", "tf32", "f32", "f64", "u8", "s8", "s32"].contains(part))
        .collect();
    let sum = |ty: &str| match ty {
        "f64" => (T::F64, 2),
        "f32" => (T::F32, 8),
        "s32" => (T::B32, 8),
        _ => (T::B32, 4),
    };
    let factor = |ty: &str| match ty {
        "f64" => (T::F64, 1),
        "f16" => (T::B32, 8),
        "u8" | "s8" => (T::B32, 2),
        _ => (T::B32, 4),
    };
    let list = |(ty, count): (T, usize), first: usize| {
        let list: Vec<String> = (first..first + count).map(|number| register(ty, number)).collect();
        format!("{{{}}}", list.join(", "))
    };
    Some(match parts[1] {
        "mma" => {
            let (d, a) = if types.len() == 2 { (types[0], "f16") } else { (types[0], types[1]) };
            format!("{form} {}, {}, {}, {};", list(sum(d), 0), list(factor(a), 0), list(factor(a), 2), list(sum(d), 0))
        }
        "load" if parts[2] == "c" => format!("{form} {}, {}, 16;", list(sum(types[0]), 0), place(parts)),
        "load" => format!("{form} {}, {}, 16;", list(factor(types[0]), 0), place(parts)),
        "store" => format!("{form} {}, {}, 16;", place(parts), list(sum(types[0]), 0)),
        _ => return None,
    })
}

/// A kernel around an example.
fn program(body: &str) -> String {
    let module = ".const .align 16 .b8 fixed[64];\n.shared .align 128 .b8 block[4096];\n\
                  .func (.param .b32 out) function(.param .b32 in)\n{\n.reg .b32 %x;\nld.param.b32 %x, [in];\n\
                  st.param.b32 [out], %x;\nret;\n}\n\
                  .func (.param .b32 out) wide(.param .align 16 .b8 in[16])\n{\n.reg .b32 %x;\nld.param.b32 %x, [in];\n\
                  st.param.b32 [out], %x;\nret;\n}\n";
    let text = kernel(module, body);
    text.replacen("{\n.reg .b32 %out", "{\n.local .align 16 .b8 own[64];\n.reg .b32 %out", 1)
}

#[test]
fn every_form_of_real_kernels_runs() {
    let forms = include_str!("data/forms.txt").lines().filter(|line| !line.starts_with('#'));
    let (mut ran, mut unsupported) = (0, 0);
    for form in forms {
        if UNSUPPORTED.iter().any(|prefix| form.starts_with(prefix)) {
            unsupported += 1;
            continue;
        }
        let body = example(form).unwrap_or_else(|| panic!("there is no example of {form}"));
        let report = run_text(&program(&body), 1, 32, &unchecked(1 << 16)).report;
        assert!(report.findings.is_empty(), "{form}: {:#?}", report.findings);
        ran += 1;
    }
    assert_eq!((ran, unsupported), (676, 20), "forms that ran, and that are not supported");
}
