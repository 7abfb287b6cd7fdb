//! Probes: a few PTX instructions whose results show what one instruction form computes.

use sim::semantics::{LaneOp, ScalarType as T};

use super::operands::Style;
use super::tolerance::{self, Tolerance};

/// One instruction form under test.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// The form, with what is particular behind a blank: `lop3.b32 0x96`.
    pub name: String,
    /// Types of the sources, registers `%a0`, `%a1` and so on.
    pub sources: Vec<T>,
    /// Types of the results, registers `%o0`, `%o1` and so on.
    pub outputs: Vec<T>,
    /// The instructions. They may use `%thread`, `%lane`, `%own` (address of 32 bytes of global memory of the thread's
    /// own), `%sh` (the same in shared memory), `%ws` (1 KiB of shared memory of the warp's own), `%t0` to `%t7` (32
    /// bits), `%d0` to `%d7` (64 bits), `%q0` to `%q3` (predicates).
    pub body: String,
    /// How its operands are drawn.
    pub style: Style,
    /// Whether the lanes of a warp or the threads of the block work together.
    pub together: bool,
    /// How far a result of the simulator may be from a GPU's; `None` when every bit counts.
    pub tolerance: Option<Tolerance>,
}

impl Probe {
    pub(super) fn new(name: impl Into<String>, sources: &[T], outputs: &[T], body: impl Into<String>) -> Self {
        let (name, sources, outputs) = (name.into(), sources.to_vec(), outputs.to_vec());
        let tolerance = tolerance::of(form(&name));
        Self { name, sources, outputs, body: body.into(), style: Style::Lane, together: false, tolerance }
    }
}

/// The instruction form in a probe's name: the name without what is particular.
fn form(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

/// `prefix0, prefix1, …`
pub(super) fn list(prefix: &str, count: usize) -> String {
    (0..count).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>().join(", ")
}

/// A probe for every lane-local form of the table, and more for forms with immediate operands and selectors.
pub(super) fn lane_local() -> Vec<Probe> {
    let forms = sim::semantics::TABLE.iter().flat_map(|row| sim::isa::expand(row.forms));
    let mut probes: Vec<Probe> = forms.flat_map(|form| of_form(&form)).collect();
    probes.extend(mixed_carries());
    probes.extend(selectors());
    probes
}

fn of_form(form: &str) -> Vec<Probe> {
    let parts: Vec<&str> = form.split('.').collect();
    let Ok(Some((op, signature))) = LaneOp::decode(&parts) else {
        return Vec::new(); // a test of `sim` proves that every form of the table decodes
    };
    let (mut sources, mut outputs) = (signature.src.clone(), vec![signature.dst]);
    if parts[0] == "lop3" {
        let tables = [0x00, 0x01, 0x80, 0xfe, 0x96, 0xe8, 0xca, 0x1b, 0x3c, 0x7f, 0xaa, 0xff];
        sources.pop();
        let probe = |table: u8| {
            let (name, body) = (format!("{form} {table:#04x}"), format!("{form} %o0, %a0, %a1, %a2, {table:#04x};"));
            Probe::new(name, &sources, &outputs, body)
        };
        return tables.map(probe).into();
    }
    let operands = list("%a", sources.len());
    let mut body = String::new();
    let subtracts = parts[0].starts_with("sub");
    if op.uses_carry() {
        // The last source becomes the carry (of a subtraction: the borrow) that goes in.
        let last = sources.len();
        sources.push(T::U32);
        body += &if subtracts {
            format!("sub.cc.u32 %t0, 0, %a{last}; ")
        } else {
            format!("add.cc.u32 %t0, %a{last}, 0xffffffff; ")
        };
    }
    // Only these have one predicate.
    let single = matches!(sources[0], T::F16 | T::BF16);
    if parts[0] == "setp" && !single {
        outputs.push(T::Pred);
        body += &format!("{form} %o0|%o1, {operands};");
    } else if parts[0] == "cvt"
        && parts.contains(&"bf16")
        && [signature.dst, sources[0]].iter().any(|ty| ty.bits() == 8)
    {
        // Between `.bf16` and bytes, the byte must be in a register of its own size.
        body += &match signature.dst {
            T::BF16 => format!("{{ .reg .b8 %x; cvt.u8.u32 %x, %a0; {form} %o0, %x; }}"),
            _ => format!("{{ .reg .b8 %x; {form} %x, %a0; cvt.u32.u8 %o0, %x; }}"),
        };
    } else {
        body += &format!("{form} %o0, {operands};");
    }
    if op.sets_carry() {
        outputs.push(T::U32);
        body += if subtracts { " subc.u32 %o1, 0, 0;" } else { " addc.u32 %o1, 0, 0;" };
    }
    vec![Probe::new(form, &sources, &outputs, body)]
}

/// Additions that read what a subtraction left, and the other way round.
fn mixed_carries() -> Vec<Probe> {
    let mut probes = Vec::new();
    for ty in [T::U32, T::U64] {
        for (first, second) in [("sub", "addc"), ("add", "subc"), ("mad.lo", "subc"), ("sub", "madc.lo")] {
            let (first, second) = (first.to_owned() + ".cc", second.to_owned());
            let first_operands = if first.starts_with("mad") { "%a0, %a1, %a2" } else { "%a0, %a1" };
            let second_operands = if second.starts_with("madc") { "%a1, %a2, %a0" } else { "%a1, %a2" };
            let body = format!("{first}{ty} %o0, {first_operands}; {second}{ty} %o1, {second_operands};");
            probes.push(Probe::new(format!("{second}{ty} after {first}{ty}"), &[ty; 3], &[ty; 2], body));
        }
    }
    probes
}

/// Video instructions with selectors, masks and signs at their operands.
fn selectors() -> Vec<Probe> {
    let mut probes = Vec::new();
    let mut add = |form: &str, operands: &str| {
        let sources = [T::U32; 3];
        probes.push(Probe::new(format!("{form} {}", operands.replace(' ', "")), &sources, &[T::U32], {
            // What a destination's selector does not name comes from the third source.
            format!("{form} {operands};")
        }));
    };
    for name in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"] {
        for types in ["s32.s32.s32", "u32.u32.u32", "s32.u32.s32", "u32.s32.u32"] {
            for sat in ["", ".sat"] {
                let form = format!("{name}.{types}{sat}");
                add(&form, "%o0, %a0.b1, %a1.h0");
                add(&form, "%o0, %a0.h1, %a1.b3");
                add(&form, "%o0.h0, %a0, %a1.b2, %a2");
                add(&form, "%o0.h1, %a0.b0, %a1, %a2");
                add(&form, "%o0.b2, %a0.b0, %a1.h1, %a2");
                add(&form, "%o0.b0, %a0, %a1, %a2");
                add(&format!("{form}.add"), "%o0, %a0.b0, %a1.h1, %a2");
                add(&format!("{form}.max"), "%o0, %a0.h0, %a1.b1, %a2");
            }
        }
    }
    for name in ["vshl", "vshr"] {
        for types in ["s32.s32.u32", "u32.u32.u32", "u32.s32.u32"] {
            for mode in [".clamp", ".wrap", ".sat.clamp", ".sat.wrap"] {
                let form = format!("{name}.{types}{mode}");
                add(&form, "%o0, %a0.h1, %a1.b0");
                add(&form, "%o0.h1, %a0, %a1.b1, %a2");
                add(&format!("{form}.add"), "%o0, %a0.b3, %a1.b0, %a2");
            }
        }
    }
    for comparison in ["eq", "lt", "ge"] {
        for types in ["s32.s32", "u32.s32"] {
            add(&format!("vset.{types}.{comparison}"), "%o0, %a0.b1, %a1.b2");
            add(&format!("vset.{types}.{comparison}"), "%o0.b3, %a0.h1, %a1.h0, %a2");
        }
    }
    for types in ["s32.s32.s32", "u32.u32.u32", "s32.u32.u32", "s32.s32.u32"] {
        for rest in ["", ".sat", ".sat.shr7", ".sat.shr15", ".shr7"] {
            let form = format!("vmad.{types}{rest}");
            add(&form, "%o0, %a0.h0, %a1.h1, %a2");
            add(&form, "%o0, %a0.b1, %a1.b3, %a2");
            add(&form, "%o0, -%a0.h0, %a1.h1, %a2");
            add(&form, "%o0, %a0.h0, %a1.b1, -%a2");
        }
        add(&format!("vmad.{types}.po"), "%o0, %a0.h0, %a1.h1, %a2");
    }
    for name in ["vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2"] {
        for types in ["s32.s32.s32", "u32.u32.u32", "s32.u32.s32"] {
            for rest in ["", ".sat", ".add"] {
                let form = format!("{name}.{types}{rest}");
                add(&form, "%o0.h0, %a0.h32, %a1.h01, %a2");
                add(&form, "%o0.h1, %a0.h13, %a1.h22, %a2");
                add(&form, "%o0.h10, %a0.h10, %a1.h32, %a2");
            }
        }
    }
    for name in ["vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4"] {
        for types in ["s32.s32.s32", "u32.u32.u32", "s32.u32.s32"] {
            for rest in ["", ".sat", ".add"] {
                let form = format!("{name}.{types}{rest}");
                add(&form, "%o0.b20, %a0.b7531, %a1.b0246, %a2");
                add(&form, "%o0.b3, %a0.b3210, %a1.b1111, %a2");
                add(&form, "%o0.b3210, %a0.b4567, %a1.b7654, %a2");
            }
        }
    }
    for (form, operands) in [
        ("vset2.s32.u32.lt", "%o0.h1, %a0.h23, %a1.h10, %a2"),
        ("vset2.u32.u32.ge.add", "%o0.h10, %a0.h01, %a1.h32, %a2"),
        ("vset4.u32.u32.ne", "%o0.b310, %a0.b3210, %a1.b7654, %a2"),
        ("vset4.s32.s32.gt.add", "%o0.b10, %a0.b3210, %a1.b0000, %a2"),
    ] {
        add(form, operands);
    }
    probes
}
