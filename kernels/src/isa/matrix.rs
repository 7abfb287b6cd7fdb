//! Probes of the tensor cores' instructions: `mma`, and `wmma` with its loads and stores.

use sim::semantics::ScalarType as T;

use super::operands::Style;
use super::probe::{Probe, list};

/// A shape with its types: how many registers of which type the fragments of A, B and C have.
struct Shape {
    name: &'static str,
    types: &'static str,
    a: (T, usize),
    b: (T, usize),
    c: (T, usize),
}

const fn shape(name: &'static str, types: &'static str, a: (T, usize), b: (T, usize), c: (T, usize)) -> Shape {
    Shape { name, types, a, b, c }
}

#[rustfmt::skip]
const MMA: &[Shape] = &[
    shape("m16n8k8", "f32.f16.f16.f32", (T::F16x2, 2), (T::F16x2, 1), (T::F32, 4)),
    shape("m16n8k16", "f32.f16.f16.f32", (T::F16x2, 4), (T::F16x2, 2), (T::F32, 4)),
    shape("m16n8k8", "f16.f16.f16.f16", (T::F16x2, 2), (T::F16x2, 1), (T::F16x2, 2)),
    shape("m16n8k16", "f16.f16.f16.f16", (T::F16x2, 4), (T::F16x2, 2), (T::F16x2, 2)),
    shape("m16n8k8", "f32.bf16.bf16.f32", (T::BF16x2, 2), (T::BF16x2, 1), (T::F32, 4)),
    shape("m16n8k16", "f32.bf16.bf16.f32", (T::BF16x2, 4), (T::BF16x2, 2), (T::F32, 4)),
    shape("m16n8k4", "f32.tf32.tf32.f32", (T::F32, 2), (T::F32, 1), (T::F32, 4)),
    shape("m16n8k8", "f32.tf32.tf32.f32", (T::F32, 4), (T::F32, 2), (T::F32, 4)),
    shape("m16n8k32", "f32.e4m3.e4m3.f32", (T::B32, 4), (T::B32, 2), (T::F32, 4)),
    shape("m16n8k32", "f32.e5m2.e4m3.f32", (T::B32, 4), (T::B32, 2), (T::F32, 4)),
    shape("m8n8k4", "f64.f64.f64.f64", (T::F64, 1), (T::F64, 1), (T::F64, 2)),
    shape("m16n8k4", "f64.f64.f64.f64", (T::F64, 2), (T::F64, 1), (T::F64, 4)),
    shape("m16n8k8", "f64.f64.f64.f64", (T::F64, 4), (T::F64, 2), (T::F64, 4)),
    shape("m16n8k16", "f64.f64.f64.f64", (T::F64, 8), (T::F64, 4), (T::F64, 4)),
    shape("m8n8k16", "s32.s8.s8.s32", (T::B32, 1), (T::B32, 1), (T::S32, 2)),
    shape("m8n8k16", "s32.u8.s8.s32", (T::B32, 1), (T::B32, 1), (T::S32, 2)),
    shape("m16n8k16", "s32.s8.s8.s32", (T::B32, 2), (T::B32, 1), (T::S32, 4)),
    shape("m16n8k16", "s32.u8.u8.s32", (T::B32, 2), (T::B32, 1), (T::S32, 4)),
    shape("m16n8k32", "s32.s8.s8.s32", (T::B32, 4), (T::B32, 2), (T::S32, 4)),
    shape("m16n8k32", "s32.s8.u8.s32", (T::B32, 4), (T::B32, 2), (T::S32, 4)),
    shape("m8n8k32", "s32.s4.s4.s32", (T::B32, 1), (T::B32, 1), (T::S32, 2)),
    shape("m16n8k32", "s32.s4.u4.s32", (T::B32, 2), (T::B32, 1), (T::S32, 4)),
    shape("m16n8k64", "s32.u4.s4.s32", (T::B32, 4), (T::B32, 2), (T::S32, 4)),
];

const WMMA: &[Shape] = &[
    shape("m16n16k16", "f32.f32", (T::F16x2, 8), (T::F16x2, 8), (T::F32, 8)),
    shape("m16n16k16", "f16.f16", (T::F16x2, 8), (T::F16x2, 8), (T::F16x2, 4)),
    shape("m32n8k16", "f32.f32", (T::F16x2, 8), (T::F16x2, 8), (T::F32, 8)),
    shape("m8n32k16", "f32.f32", (T::F16x2, 8), (T::F16x2, 8), (T::F32, 8)),
    shape("m16n16k16", "f32.bf16.bf16.f32", (T::BF16x2, 4), (T::BF16x2, 4), (T::F32, 8)),
    shape("m32n8k16", "f32.bf16.bf16.f32", (T::BF16x2, 8), (T::BF16x2, 2), (T::F32, 8)),
    shape("m8n32k16", "f32.bf16.bf16.f32", (T::BF16x2, 2), (T::BF16x2, 8), (T::F32, 8)),
    shape("m16n16k8", "f32.tf32.tf32.f32", (T::F32, 4), (T::F32, 4), (T::F32, 8)),
    shape("m8n8k4", "f64.f64.f64.f64", (T::F64, 1), (T::F64, 1), (T::F64, 2)),
    shape("m16n16k16", "s32.s8.s8.s32", (T::B32, 2), (T::B32, 2), (T::S32, 8)),
    shape("m16n16k16", "s32.u8.u8.s32", (T::B32, 2), (T::B32, 2), (T::S32, 8)),
    shape("m32n8k16", "s32.s8.s8.s32", (T::B32, 4), (T::B32, 1), (T::S32, 8)),
    shape("m8n32k16", "s32.s8.s8.s32", (T::B32, 1), (T::B32, 4), (T::S32, 8)),
];

/// Loads: fragment, shapes and types, registers, elements of a row and of a column.
const LOADS: &[(&str, &str, &str, usize, usize, usize)] = &[
    ("a", "m16n16k16", "f16", 8, 16, 16),
    ("b", "m16n16k16", "f16", 8, 16, 16),
    ("a", "m32n8k16", "f16", 8, 16, 32),
    ("b", "m32n8k16", "f16", 8, 8, 16),
    ("a", "m8n32k16", "f16", 8, 16, 8),
    ("b", "m8n32k16", "f16", 8, 32, 16),
    ("c", "m16n16k16", "f16", 4, 16, 16),
    ("c", "m16n16k16", "f32", 8, 16, 16),
    ("c", "m32n8k16", "f32", 8, 8, 32),
    ("c", "m8n32k16", "f32", 8, 32, 8),
    ("c", "m32n8k16", "f16", 4, 8, 32),
    ("c", "m8n32k16", "f16", 4, 32, 8),
    ("a", "m16n16k16", "bf16", 4, 16, 16),
    ("b", "m16n16k16", "bf16", 4, 16, 16),
    ("a", "m32n8k16", "bf16", 8, 16, 32),
    ("b", "m32n8k16", "bf16", 2, 8, 16),
    ("a", "m8n32k16", "bf16", 2, 16, 8),
    ("b", "m8n32k16", "bf16", 8, 32, 16),
    ("a", "m16n16k8", "tf32", 4, 8, 16),
    ("b", "m16n16k8", "tf32", 4, 16, 8),
    ("c", "m16n16k8", "f32", 8, 16, 16),
    ("a", "m16n16k16", "u8", 2, 16, 16),
    ("b", "m16n16k16", "s8", 2, 16, 16),
    ("a", "m32n8k16", "s8", 4, 16, 32),
    ("b", "m32n8k16", "u8", 1, 8, 16),
    ("a", "m8n32k16", "u8", 1, 16, 8),
    ("b", "m8n32k16", "s8", 4, 32, 16),
    ("c", "m16n16k16", "s32", 8, 16, 16),
    ("a", "m8n8k4", "f64", 1, 4, 8),
    ("b", "m8n8k4", "f64", 1, 8, 4),
    ("c", "m8n8k4", "f64", 2, 8, 8),
];

/// All probes of matrix instructions.
pub(super) fn probes() -> Vec<Probe> {
    let mut probes = Vec::new();
    let mut add = |name: String, sources: &[T], outputs: &[T], body: String| {
        probes.push(Probe { together: true, style: Style::Matrix, ..Probe::new(name, sources, outputs, body) });
    };
    let fragments = |shape: &Shape| {
        let mut at = 0;
        let mut take = |(_, count): (T, usize)| {
            let names: Vec<String> = (at..at + count).map(|at| format!("%a{at}")).collect();
            at += count;
            format!("{{{}}}", names.join(", "))
        };
        let (a, b, c) = (take(shape.a), take(shape.b), take(shape.c));
        let sources: Vec<T> =
            [shape.a, shape.b, shape.c].iter().flat_map(|&(ty, count)| std::iter::repeat_n(ty, count)).collect();
        (sources, vec![shape.c.0; shape.c.1], format!("{{{}}}, {a}, {b}, {c}", list("%o", shape.c.1)))
    };
    for shape in MMA {
        let (sources, outputs, operands) = fragments(shape);
        let saturations: &[&str] = if shape.types.starts_with("s32") { &["", ".satfinite"] } else { &[""] };
        for sat in saturations {
            let form = format!("mma.sync.aligned.{}.row.col{sat}.{}", shape.name, shape.types);
            add(form.clone(), &sources, &outputs, format!("{form} {operands};"));
        }
    }
    for (name, a, b, c) in [("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4)] {
        for operation in ["xor", "and"] {
            let bits = shape("", "", (T::B32, a), (T::B32, b), (T::S32, c));
            let (sources, outputs, operands) = fragments(&bits);
            let form = format!("mma.sync.aligned.{name}.row.col.s32.b1.b1.s32.{operation}.popc");
            add(form.clone(), &sources, &outputs, format!("{form} {operands};"));
        }
    }
    for shape in WMMA {
        let (sources, outputs, operands) = fragments(shape);
        let saturations: &[&str] = if shape.types.starts_with("s32") { &["", ".satfinite"] } else { &[""] };
        for layout in ["row.col", "row.row", "col.col", "col.row"] {
            for sat in saturations {
                let rounding = if shape.types.starts_with("f64") { ".rn" } else { "" };
                // The rounding of f64 stands behind the shape.
                let form = format!("wmma.mma.sync.aligned.{layout}.{}{rounding}.{}{sat}", shape.name, shape.types);
                add(form.clone(), &sources, &outputs, format!("{form} {operands};"));
            }
        }
    }
    for &(fragment, shape, ty, registers, width, height) in LOADS {
        for layout in ["row", "col"] {
            let wide = ty == "f64";
            let stride = if layout == "row" { width } else { height };
            let fill = "st.shared.v2.b32 [%sh], {%a0, %a1}; st.shared.v2.b32 [%sh+8], {%a2, %a3};\n\
                        st.shared.v2.b32 [%sh+16], {%a4, %a5}; st.shared.v2.b32 [%sh+24], {%a6, %a7};\n\
                        bar.warp.sync 0xffffffff;";
            let out = if wide { T::B64 } else { T::B32 };
            let form = format!("wmma.load.{fragment}.sync.aligned.{layout}.{shape}.shared.{ty}");
            let body =
                format!("{fill}\n{form} {{{}}}, [%ws], {stride};\nbar.warp.sync 0xffffffff;", list("%o", registers));
            add(form, &[T::B32; 8], &vec![out; registers], body);
            if fragment == "c" {
                let form = format!("wmma.store.d.sync.aligned.{layout}.{shape}.shared.{ty}");
                let pairs: Vec<String> =
                    (0..registers).map(|at| format!("mov.b64 %d{at}, {{%a{at}, %a{}}};", (at + 1) % 8)).collect();
                let values = if wide { list("%d", registers) } else { list("%a", registers) };
                let set = if wide { pairs.join(" ") } else { String::new() };
                let body = format!(
                    "{fill}\n{set}\n{form} [%ws], {{{values}}}, {stride};\nbar.warp.sync 0xffffffff;\n\
                     ld.shared.v4.b32 {{%o0, %o1, %o2, %o3}}, [%sh];\nld.shared.v4.b32 {{%o4, %o5, %o6, %o7}}, [%sh+16];"
                );
                add(form, &[T::B32; 8], &[T::B32; 8], body);
            }
        }
    }
    probes
}
