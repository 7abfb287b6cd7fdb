//! `sm_90` lowering: makes one fused operation of a product and a sum, as ptxas does.
//!
//! PTX leaves a compiler free to contract `mul` and `add` (or `sub`) that name no rounding. It shows twice: the product
//! is not rounded, so results differ in their last bits, and the hardware counts one fused operation instead of two.
//! What ptxas 13.0 was seen to do for sm_90, on kernels written to find out (`tests` below), for `.f32`, `.f64` and the
//! half formats alike:
//!
//! - A product is contracted when everything that still uses it is a sum that it can be contracted with: of the same
//!   type and `.ftz`, in the same straight run of instructions, and of two different operands. One other use, and it is
//!   computed once and rounded.
//! - Sums choose in program order. Of two products, the one with fewer uses left is contracted, and the first where they
//!   have as many. The other is an operand of the fused operation then, which is a use that contracts with nothing.
//! - `.rn` on either of the two, `.sat` or a guard on the product keep them apart; `.sat` and a guard on the sum do not.
//! - Neither barriers nor memory accesses in between matter; branches do, also those that are predicated later.

use std::collections::{HashMap, HashSet};

use crate::ir::cfg::Cfg;
use crate::ir::def_use::Flow;
use crate::ir::inst::{Float, Inst, Lane, Negate, Op, Reg};
use crate::ir::{Instruction, Program};
use crate::semantics::LaneOp;

/// Runs the pass.
pub(super) fn run(program: &mut Program) {
    let found: Vec<Option<Arithmetic>> =
        (0..program.insts.len()).map(|pc| Arithmetic::of(&program.insts[pc])).collect();
    if !found.iter().flatten().any(|one| one.part == Float::Mul) {
        return;
    }
    let flow = Flow::new(program);
    for run in straight_runs(&Cfg::new(program)) {
        contract(program, &run, &found, &flow);
    }
}

/// Instructions that are always executed one after the other: basic blocks that only an unconditional jump joins.
fn straight_runs(cfg: &Cfg) -> Vec<Vec<usize>> {
    let mut entries = vec![0; cfg.blocks.len()];
    for &successor in cfg.blocks.iter().flat_map(|block| &block.successors) {
        entries[successor] += 1;
    }
    let next = |index: usize| match cfg.blocks[index].successors[..] {
        [only] if only != 0 && entries[only] == 1 && !cfg.blocks[index].exits => Some(only),
        _ => None,
    };
    let continued: HashSet<usize> = (0..cfg.blocks.len()).filter_map(next).collect();
    let starts = (0..cfg.blocks.len()).filter(|index| !continued.contains(index));
    starts
        .map(|start| {
            let blocks = std::iter::successors(Some(start), |&index| next(index));
            blocks.flat_map(|index| cfg.blocks[index].start as usize..cfg.blocks[index].end as usize).collect()
        })
        .collect()
}

/// A number format of floating-point arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Format {
    name: &'static str,
    ftz: bool,
}

/// A product, sum or difference that may be contracted, as far as the instruction itself tells.
#[derive(Debug, Clone, Copy)]
struct Arithmetic {
    part: Float,
    format: Format,
    sat: bool,
    d: Reg,
    operands: [Reg; 2],
}

impl Arithmetic {
    /// `opcode` is as written: whether it names a rounding is not kept when it is decoded, because that
    /// changes no value.
    fn of(inst: &Instruction) -> Option<Self> {
        let part = match inst.opcode.name() {
            "mul" => Float::Mul,
            "add" => Float::Add,
            "sub" => Float::Sub,
            _ => return None,
        };
        let (mut format, mut sat) = (Format { name: "", ftz: false }, false);
        for word in inst.opcode.parts().into_iter().skip(1) {
            match word {
                "ftz" => format.ftz = true,
                "sat" => sat = true,
                _ => format.name = ["f32", "f64", "f16", "f16x2", "bf16", "bf16x2"].into_iter().find(|n| *n == word)?,
            }
        }
        let (d, operands) = if let Op::F32 { d, a, b, .. } = inst.op {
            (Reg::W(d, 32), [Reg::W(a, 32), Reg::W(b, 32)])
        } else if let Op::F64 { d, a, b, .. } = inst.op {
            (Reg::D(d), [Reg::D(a), Reg::D(b)])
        } else if let Op::Lane(ref lane) = inst.op
            && let [(a, _), (b, _)] = lane.src[..]
        {
            (lane.d?, [a, b])
        } else {
            return None;
        };
        let fits = part != Float::Mul || !sat && inst.guard.is_none() && !operands.contains(&d);
        fits.then_some(Self { part, format, sat, d, operands })
    }

    /// Whether this is a sum that a product of `format` can be contracted with.
    fn takes(&self, format: Format) -> bool {
        self.part != Float::Mul && self.format == format && self.operands[0] != self.operands[1]
    }

    /// The fused operation that does the work of `product` and of this sum, whose operand `at` the product is.
    fn fused(&self, product: &Self, at: usize) -> Option<Op> {
        let ([a, b], c) = (product.operands, self.operands[1 - at]);
        let minus = self.part == Float::Sub;
        let negate = Negate { product: minus && at == 1, addend: minus && at == 0 };
        if !self.sat && !self.format.ftz {
            match (self.format.name, self.d, a, b, c) {
                ("f32", Reg::W(d, _), Reg::W(a, _), Reg::W(b, _), Reg::W(c, _)) => {
                    return Some(Op::Fma32 { d, a, b, c, negate });
                }
                ("f64", Reg::D(d), Reg::D(a), Reg::D(b), Reg::D(c)) => return Some(Op::Fma64 { d, a, b, c, negate }),
                _ => {}
            }
        }
        let mut opcode = vec!["fma", "rn"];
        opcode.extend(self.format.ftz.then_some("ftz"));
        opcode.extend(self.sat.then_some("sat"));
        opcode.push(self.format.name);
        let (op, _) = LaneOp::decode(&opcode).ok()??;
        let mask = match self.format.name {
            "f64" => u64::MAX,
            "f32" | "f16x2" | "bf16x2" => 0xffff_ffff,
            _ => 0xffff,
        };
        let src = [a, b, c].map(|reg| (reg, mask)).to_vec();
        let op = op.negated(negate.product, negate.addend)?;
        Some(Op::Lane(Box::new(Lane { op, d: Some(self.d), q: None, src, extend_from: None })))
    }
}

/// Whether `reg` is written by an instruction that stands between two of a run, by their places in it.
fn changes(flow: &Flow, reg: Reg, from: usize, to: usize, place: &HashMap<usize, usize>) -> bool {
    flow.writes(reg).iter().any(|pc| place.get(pc).is_some_and(|at| (from..to).contains(at)))
}

/// A product of a run, and the sums that may still take it in.
struct Product {
    at: usize,
    uses: usize,
    /// Something else uses it, too: it has to be computed.
    needed: bool,
}

/// Contracts what a straight run of instructions holds.
fn contract(program: &mut Program, run: &[usize], found: &[Option<Arithmetic>], flow: &Flow) {
    let place: HashMap<usize, usize> = run.iter().enumerate().map(|(place, &pc)| (pc, place)).collect();
    let mut products: HashMap<Reg, Product> = HashMap::new();
    for &pc in run {
        let Some(one) = &found[pc] else { continue };
        if one.part == Float::Mul {
            // A register with several definitions is what meets after branches or goes round a loop.
            let uses = flow.reads(one.d);
            let sums = |&user: &usize| {
                let later = place.get(&user).is_some_and(|&at| at > place[&pc]);
                later && found[user].as_ref().is_some_and(|sum| sum.takes(one.format))
            };
            if flow.writes(one.d).len() == 1 && uses.iter().all(sums) {
                products.insert(one.d.whole(), Product { at: pc, uses: uses.len(), needed: false });
            }
            continue;
        }
        let candidate = |operand: &Reg| {
            let product = products.get(&operand.whole()).filter(|product| !product.needed)?;
            let factors = found[product.at].as_ref()?;
            let (from, to) = (place[&product.at], place[&pc]);
            let kept = factors.operands.iter().all(|&reg| !changes(flow, reg, from, to, &place));
            (kept && one.takes(factors.format)).then_some(product)
        };
        let [first, second] = one.operands.each_ref().map(candidate);
        let at = match (first, second) {
            (None, None) => continue,
            (Some(_), None) => 0,
            (None, Some(_)) => 1,
            (Some(a), Some(b)) => usize::from(b.uses < a.uses),
        };
        let Some(product) = [first, second][at] else { continue };
        let product_at = product.at;
        let Some(fused) = found[product_at].as_ref().and_then(|factors| one.fused(factors, at)) else { continue };
        program.insts[pc].op = fused;
        if let Some(other) = products.get_mut(&one.operands[1 - at].whole()) {
            other.needed = true;
        }
        if let Some(product) = products.get_mut(&one.operands[at].whole()) {
            product.uses -= 1;
            if product.uses == 0 {
                program.insts[product_at].inst = Inst { op: Op::Nop, guard: None };
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::wildcard_enum_match_arm, reason = "a test picks the operations that it is about")]
mod tests {
    use crate::ir::inst::{Float, Op};
    use crate::{Lowering, Module};

    /// Products, sums and fused operations of a body after the pass, in order: `*`, `+`, `f`, and for a fused
    /// operation with a negated product or addend `n` and `m`. `%f1` to `%f8` are loaded, what is in `%f20` to `%f29` is
    /// stored; the expectations are what ptxas 13.0.88 emits for sm_90.
    fn shape(body: &str) -> String {
        shape_of("f32", body)
    }

    fn shape_of(ty: &str, body: &str) -> String {
        let body = body.replace("TY", ty);
        let loads: String = (1..9).map(|i| format!("ld.global.{ty} %f{i}, [%rd1+{}];\n", 8 * i)).collect();
        let stores: String = (20..30)
            .filter(|i| body.contains(&format!("%f{i},")))
            .map(|i| format!("st.global.{ty} [%rd1+{}], %f{i};\n", 8 * i))
            .collect();
        let text = format!(
            ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .{ty} %f<40>;\n\
             .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n\
             setp.gt.u32 %p1, %r1, 7;\n{loads}{body}\n{stores}ret;\n}}\n"
        );
        let module = Module::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
        let program = module.lower("k", Lowering::Sm90).unwrap_or_else(|error| panic!("{error}"));
        let letter = |op: &Op| match op {
            Op::F32 { op: Float::Mul, .. } | Op::F64 { op: Float::Mul, .. } => Some('*'),
            Op::F32 { .. } | Op::F64 { .. } => Some('+'),
            Op::Fma32 { negate, .. } | Op::Fma64 { negate, .. } => Some(match (negate.product, negate.addend) {
                (false, false) => 'f',
                (true, false) => 'n',
                (false, true) => 'm',
                (true, true) => 'b',
            }),
            Op::Lane(lane) if lane.src.len() == 3 => Some('f'),
            Op::Lane(_) => Some('l'),
            _ => None,
        };
        program.insts.iter().filter_map(|inst| letter(&inst.op)).collect()
    }

    #[test]
    fn a_product_and_a_sum() {
        for ty in ["f32", "f64"] {
            assert_eq!(shape_of(ty, "mul.TY %f9, %f1, %f2; add.TY %f20, %f9, %f3;"), "f");
            assert_eq!(shape_of(ty, "mul.TY %f9, %f1, %f2; add.TY %f20, %f3, %f9;"), "f");
            assert_eq!(shape_of(ty, "mul.TY %f9, %f1, %f2; sub.TY %f20, %f9, %f3;"), "m");
            assert_eq!(shape_of(ty, "mul.TY %f9, %f1, %f2; sub.TY %f20, %f3, %f9;"), "n");
            assert_eq!(shape_of(ty, "mul.TY %f9, %f1, %f2; add.TY %f20, %f9, %f9;"), "*+", "twice the product");
        }
    }

    #[test]
    fn a_product_is_contracted_with_all_its_users_or_none() {
        assert_eq!(shape("mul.f32 %f9, %f1, %f2; add.f32 %f20, %f9, %f3; sub.f32 %f21, %f4, %f9;"), "fn");
        assert_eq!(shape("mul.f32 %f20, %f1, %f2; add.f32 %f21, %f20, %f3;"), "*+", "it is stored, too");
        assert_eq!(shape("mul.f32 %f9, %f1, %f2; add.f32 %f20, %f9, %f3; mul.f32 %f21, %f9, %f4;"), "*+*");
        assert_eq!(shape("mul.f32 %f9, %f1, %f2; fma.rn.f32 %f20, %f3, %f4, %f9; add.f32 %f21, %f9, %f5;"), "*f+");
    }

    #[test]
    fn of_two_products_the_one_with_fewer_uses_goes_in() {
        let two = "mul.f32 %f9, %f1, %f2; mul.f32 %f10, %f3, %f4;";
        assert_eq!(shape(&format!("{two} add.f32 %f20, %f9, %f10;")), "*f");
        assert_eq!(shape(&format!("{two} sub.f32 %f20, %f9, %f10;")), "*m");
        assert_eq!(shape(&format!("{two} add.f32 %f20, %f9, %f10; add.f32 %f21, %f9, %f5;")), "*f+");
        assert_eq!(shape(&format!("{two} sub.f32 %f20, %f9, %f10; add.f32 %f21, %f9, %f5;")), "*n+");
        assert_eq!(shape(&format!("{two} add.f32 %f20, %f9, %f10; add.f32 %f21, %f10, %f5;")), "*f+");
        assert_eq!(shape(&format!("{two} add.f32 %f20, %f9, %f10; sub.f32 %f21, %f10, %f9;")), "*fn");
        let others = "add.f32 %f21, %f9, %f5; add.f32 %f22, %f10, %f6;";
        assert_eq!(shape(&format!("{two} add.f32 %f20, %f9, %f10; {others}")), "*ff+");
        assert_eq!(shape(&format!("{two} {others} add.f32 %f20, %f9, %f10;")), "*fff");
        let ring =
            "mul.f32 %f11, %f5, %f6; add.f32 %f20, %f9, %f10; add.f32 %f21, %f10, %f11; add.f32 %f22, %f11, %f9;";
        assert_eq!(shape(&format!("{two} {ring}")), "**fff");
    }

    #[test]
    fn a_named_rounding_a_guarded_product_and_branches_keep_them_apart() {
        assert_eq!(shape("mul.rn.f32 %f9, %f1, %f2; add.f32 %f20, %f9, %f3;"), "*+");
        assert_eq!(shape("mul.f32 %f9, %f1, %f2; add.rn.f32 %f20, %f9, %f3;"), "*+");
        assert_eq!(shape("mul.f32 %f9, %f1, %f2; mov.f32 %f20, %f5; @%p1 add.f32 %f20, %f9, %f3;"), "f");
        assert_eq!(shape("mov.f32 %f9, %f5; @%p1 mul.f32 %f9, %f1, %f2; add.f32 %f20, %f9, %f3;"), "*+");
        assert_eq!(shape("mul.f32 %f9, %f1, %f2; mov.f32 %f20, %f5; @%p1 bra L; add.f32 %f20, %f9, %f3; L:"), "*+");
        assert_eq!(shape("mul.f32 %f9, %f1, %f2; bra.uni L; L: add.f32 %f20, %f9, %f3;"), "f");
        assert_eq!(shape("mul.f32 %f9, %f1, %f2; bar.sync 0; add.f32 %f20, %f9, %f3;"), "f");
    }

    #[test]
    fn modifiers_have_to_agree() {
        assert_eq!(shape("mul.ftz.f32 %f9, %f1, %f2; add.ftz.f32 %f20, %f9, %f3;"), "f");
        assert_eq!(shape("mul.ftz.f32 %f9, %f1, %f2; add.f32 %f20, %f9, %f3;"), "l+");
        assert_eq!(shape("mul.f32 %f9, %f1, %f2; add.ftz.f32 %f20, %f9, %f3;"), "*l");
        assert_eq!(shape("mul.f32 %f9, %f1, %f2; add.sat.f32 %f20, %f9, %f3;"), "f");
        assert_eq!(shape("mul.sat.f32 %f9, %f1, %f2; add.f32 %f20, %f9, %f3;"), "l+");
    }
}
