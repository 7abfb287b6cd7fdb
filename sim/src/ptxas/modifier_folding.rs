//! `sm_90` lowering: floating-point instructions that become part of others.
//!
//! - `neg` and `abs` are additions, unless everybody who reads the result takes a negated or absolute operand.
//! - A saturating conversion is part of what computes its operand.
//! - A product that is multiplied by 4, 8 or their reciprocals is scaled while it is written (`FMUL.D2`), once, if nobody
//!   wants it as it is and neither multiplication names a rounding. (Twice is a sum, and so none of these.)
//! - The negation of such a product is one fused operation with zero.
//! - Sine and cosine of the same value turn it into revolutions once.
//! - Approximate functions scale subnormal operands first; an operand that is still needed afterwards is scaled always.
//!
//! All of it was read from the machine code of ptxas 13.0.88 for kernels that hold one such pair each; counters of an
//! H200 agree on kernels of public samples that hold many.

use std::collections::{HashMap, HashSet};

use super::float_instructions::{factor, opcode};
use crate::ir::Program;
use crate::ir::arithmetic::{Arithmetic, NONE, single};
use crate::ir::def_use::{Flow, destination, value};
use crate::ir::inst::{Inst, Reg};
use crate::ir::operands;

/// Takes away what becomes part of other instructions.
pub(super) fn run(program: &Program, flow: &Flow, counts: &mut [Arithmetic]) {
    let mut scaled = HashSet::new();
    for pc in 0..program.insts.len() {
        let parts = opcode(program, pc);
        if counts[pc] == NONE && !scales(&parts) {
            continue;
        }
        let Some(target) = destination(&program.insts[pc]) else { continue };
        let alone = flow.sole_writer(target).is_some();
        match parts[0] {
            "neg" | "abs" if alone && flow.reads(target).iter().all(|&reader| takes(&opcode(program, reader))) => {
                counts[pc] = NONE;
            }
            "neg" => {
                if let Some(maker) =
                    plain_product(program, flow, pc, &parts).filter(|&at| counts[at] == single(0, 1, 0))
                {
                    counts[maker] = NONE;
                    counts[pc] = single(0, 0, 1);
                }
            }
            "cvt" if alone && parts.contains(&"sat") => {
                // Whoever computes the operand saturates it, if nobody else wants it as it is.
                let maker = source(&program.insts[pc]).and_then(|operand| flow.maker_for(operand, pc));
                if maker.is_some_and(|maker| {
                    matches!(opcode(program, maker)[0], "add" | "sub" | "mul" | "fma") && counts[maker] != NONE
                }) {
                    counts[pc] = NONE;
                }
            }
            "mul" => {
                let product = scaled_by(program, flow, pc, &parts).filter(|&maker| counts[maker] == single(0, 1, 0));
                if product.is_some_and(|maker| !scaled.contains(&maker)) {
                    counts[pc] = NONE;
                    scaled.insert(pc);
                }
            }
            "rsqrt" | "sqrt" | "lg2" | "ex2" | "div" if alone && scales(&parts) => {
                // Subnormal operands are scaled. An operand that is needed afterwards must not be overwritten by that,
                // so it is scaled always and one of the two is selected.
                let mut kept = 0;
                let mut note = |reg: Reg| kept += u8::from(value(reg).is_some_and(|reg| flow.is_live_behind(reg, pc)));
                operands::visit(&program.insts[pc], &mut note, &mut |_| {});
                counts[pc].fmul += kept;
            }
            _ => {}
        }
    }
    share(program, flow, counts);
}

/// The multiplication whose result the one at `pc` only scales, in a way that the GPU does while it writes.
fn scaled_by(program: &Program, flow: &Flow, pc: usize, parts: &[&str]) -> Option<usize> {
    let by = factor(program, &program.insts[pc].op)?;
    let scales = [4.0, 8.0, 0.5, 0.25, 0.125].contains(&by);
    scales.then(|| plain_product(program, flow, pc, parts))?.filter(|&maker| opcode(program, maker) == parts)
}

/// The single-precision multiplication without a named rounding that makes the only register which the instruction at
/// `pc` reads, if nobody else reads it.
fn plain_product(program: &Program, flow: &Flow, pc: usize, parts: &[&str]) -> Option<usize> {
    if !matches!(parts, [_, "f32"] | [_, "ftz", "f32"]) {
        return None;
    }
    let maker = flow.maker_for(source(&program.insts[pc])?, pc)?;
    let made = opcode(program, maker);
    (made[0] == "mul" && made[1..] == parts[1..]).then_some(maker)
}

/// Sine and cosine of the same value share their first step: it counts where it comes first on every way.
fn share(program: &Program, flow: &Flow, counts: &mut [Arithmetic]) {
    let mut sources: HashMap<Reg, Vec<usize>> = HashMap::new();
    for (pc, inst) in program.insts.iter().enumerate() {
        let first = matches!(opcode(program, pc)[0], "sin" | "cos") && counts[pc] == single(0, 1, 0);
        let operand = source(inst).filter(|&operand| flow.sole_writer(operand).is_some());
        if let Some(operand) = operand.filter(|_| first && !flow.is_guarded(pc)) {
            sources.entry(operand).or_default().push(pc);
        }
    }
    sources.retain(|_, list| list.len() > 1);
    if sources.is_empty() {
        return;
    }
    let dominator = flow.dominators();
    let above = |a: usize, b: usize| {
        let (a, mut b) = (flow.block_of(a), flow.block_of(b));
        while b != a && b != 0 && b != usize::MAX {
            b = dominator[b];
        }
        b == a
    };
    for list in sources.values() {
        for &pc in list {
            if list.iter().any(|&first| first < pc && above(first, pc)) {
                counts[pc] = NONE;
            }
        }
    }
}

/// The last register of 32 or 64 bits that an instruction reads: the only one of an instruction with one source.
fn source(inst: &Inst) -> Option<Reg> {
    let mut found = None;
    operands::visit(inst, &mut |reg| found = value(reg).or(found), &mut |_| {});
    found
}

/// Whether an approximate function scales subnormal operands first.
fn scales(opcode: &[&str]) -> bool {
    opcode.contains(&"approx") && !opcode.contains(&"ftz") && opcode.last() == Some(&"f32")
}

/// Whether an instruction of the GPU takes the negated (or absolute) value of a source.
fn takes(opcode: &[&str]) -> bool {
    let float = matches!(opcode.last(), Some(&"f32" | &"f64"));
    match opcode[0] {
        "add" | "sub" | "setp" | "min" | "max" | "mul" | "fma" | "mad" | "selp" | "cvt" => float,
        // The sequence of a division or root takes it, too; only its longer way is in need of the value itself.
        "div" | "rcp" | "sqrt" if !opcode.contains(&"approx") => opcode.last() == Some(&"f32"),
        "rcp" | "sqrt" | "rsqrt" | "ex2" | "lg2" => opcode.contains(&"approx") && opcode.contains(&"ftz"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Lowering, Module};

    /// Additions, multiplications and fused operations of a body, as ptxas 13.0.88 emits them for sm_90: `%f1` to `%f4`
    /// are loaded, what is in `%f20` to `%f22` is stored.
    fn counted(body: &str) -> [u32; 3] {
        let loads: String = (1..5).map(|i| format!("ld.global.f32 %f{i}, [%rd1+{}];\n", 4 * i)).collect();
        let stores: String = (20..23)
            .filter(|i| body.contains(&format!("%f{i},")))
            .map(|i| format!("st.global.f32 [%rd1+{}], %f{i};\n", 4 * i))
            .collect();
        let text = format!(
            ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .f32 %f<40>;\n\
             .reg .b64 %rd<9>; .reg .pred %p<9>;\nld.param.u64 %rd1, [p];\nsetp.gt.u64 %p1, %rd1, 7;\n{loads}{body}\n\
             {stores}ret;\n}}\n"
        );
        let module = Module::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
        let program = module.lower("k", Lowering::Sm90).unwrap_or_else(|error| panic!("{error}"));
        (0..program.insts.len()).map(|pc| program.emitted(pc).arithmetic).fold([0; 3], |[add, mul, fma], each| {
            [add + u32::from(each.fadd), mul + u32::from(each.fmul), fma + u32::from(each.ffma)]
        })
    }

    #[test]
    fn products_are_scaled_while_they_are_written() {
        for factor in ["0f40800000", "0f41000000", "0f3F000000", "0f3E800000", "0f3E000000"] {
            assert_eq!(counted(&format!("mul.f32 %f9, %f1, %f2; mul.f32 %f20, %f9, {factor};")), [0, 1, 0], "{factor}");
        }
        for factor in ["0f41800000", "0f3D800000", "0fBF000000", "%f3"] {
            assert_eq!(counted(&format!("mul.f32 %f9, %f1, %f2; mul.f32 %f20, %f9, {factor};")), [0, 2, 0], "{factor}");
        }
    }

    #[test]
    fn products_are_scaled_once_and_only_where_nobody_wants_them_as_they_are() {
        let twice = "mul.f32 %f9, %f1, %f2; mul.f32 %f10, %f9, 0f3F000000; mul.f32 %f20, %f10, 0f3E800000;";
        assert_eq!(counted(twice), [0, 2, 0]);
        assert_eq!(counted("mul.f32 %f20, %f1, %f2; mul.f32 %f21, %f20, 0f3F000000;"), [0, 2, 0]);
        assert_eq!(counted("mul.rn.f32 %f9, %f1, %f2; mul.f32 %f20, %f9, 0f3F000000;"), [0, 2, 0]);
        assert_eq!(counted("mul.f32 %f9, %f1, %f2; mul.rn.f32 %f20, %f9, 0f3F000000;"), [0, 2, 0]);
        assert_eq!(counted("add.f32 %f9, %f1, %f2; mul.f32 %f20, %f9, 0f3F000000;"), [1, 1, 0]);
    }

    #[test]
    fn a_negated_product_is_one_fused_operation() {
        assert_eq!(counted("mul.f32 %f9, %f1, %f2; neg.f32 %f20, %f9;"), [0, 0, 1]);
        assert_eq!(counted("mul.rn.f32 %f9, %f1, %f2; neg.f32 %f20, %f9;"), [1, 1, 0]);
        assert_eq!(counted("mul.f32 %f20, %f1, %f2; neg.f32 %f21, %f20;"), [1, 1, 0], "the product is stored, too");
        assert_eq!(counted("add.f32 %f9, %f1, %f2; neg.f32 %f20, %f9;"), [2, 0, 0]);
    }

    #[test]
    fn sine_and_cosine_share_their_first_step() {
        let both = "sin.approx.f32 %f20, %f1; cos.approx.f32 %f21, %f1;";
        assert_eq!(counted(both), [0, 1, 0]);
        assert_eq!(counted("sin.approx.f32 %f20, %f1; @%p1 bra L; cos.approx.f32 %f21, %f1; L:"), [0, 1, 0]);
        assert_eq!(counted("@%p1 bra L; sin.approx.f32 %f20, %f1; L: cos.approx.f32 %f21, %f1;"), [0, 2, 0]);
        assert_eq!(counted("sin.approx.f32 %f20, %f1; cos.approx.f32 %f21, %f2;"), [0, 2, 0]);
    }
}
