//! Lane-local instructions: arithmetic, comparisons, selections, moves.
//!
//! The frequent ones are loops over 32 lanes that the compiler turns into vector instructions; the others apply their
//! scalar semantics lane by lane.

use crate::ir::inst::{Bool, Compared, Float, Int32, Int64, Lane, Op, Reg, Test, Variation, Varying, ops};
use crate::ir::slow_paths::{Difference, counts};
use crate::lanes::lanes_of;
use crate::machine::registers::{Constants, Registers, Row32, Row64};
use crate::memory::rows::{self, map2, map3, test2};

#[inline(always)]
fn compare<A: Copy, T: PartialOrd>(test: Test, a: &[A; 32], b: &[A; 32], typed: impl Fn(A) -> T + Copy) -> u32 {
    match test {
        Test::Eq => test2(a, b, |x, y| typed(x) == typed(y)),
        // An ordered `ne` of floats is false for NaN, where Rust's is true; for integers both agree.
        Test::Ne => test2(a, b, |x, y| typed(x) < typed(y) || typed(x) > typed(y)),
        Test::Lt => test2(a, b, |x, y| typed(x) < typed(y)),
        Test::Le => test2(a, b, |x, y| typed(x) <= typed(y)),
        Test::Gt => test2(a, b, |x, y| typed(x) > typed(y)),
        Test::Ge => test2(a, b, |x, y| typed(x) >= typed(y)),
    }
}

/// The hardware returns one NaN, whatever went in.
#[inline(always)]
fn canonical32(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

/// A NaN operand comes out quieted, the last one of several; see `semantics::choices`.
#[inline(always)]
fn canonical64<const N: usize>(value: f64, operands: [u64; N]) -> u64 {
    if !value.is_nan() {
        return value.to_bits();
    }
    let nan = operands.into_iter().rfind(|&operand| f64::from_bits(operand).is_nan());
    nan.map_or(0xfff8_0000_0000_0000, |nan| nan | 0x0008_0000_0000_0000)
}

#[inline(always)]
fn f32s(op: Float, a: &Row32, b: &Row32) -> Row32 {
    match op {
        Float::Add => map2(a, b, |x, y| canonical32(f32::from_bits(x) + f32::from_bits(y))),
        Float::Sub => map2(a, b, |x, y| canonical32(f32::from_bits(x) - f32::from_bits(y))),
        Float::Mul => map2(a, b, |x, y| canonical32(f32::from_bits(x) * f32::from_bits(y))),
    }
}

#[inline(always)]
fn int32(op: Int32, a: &Row32, b: &Row32) -> Row32 {
    match op {
        Int32::Add => map2(a, b, u32::wrapping_add),
        Int32::Sub => map2(a, b, u32::wrapping_sub),
        Int32::Mul => map2(a, b, u32::wrapping_mul),
        Int32::And => map2(a, b, |x, y| x & y),
        Int32::Or => map2(a, b, |x, y| x | y),
        Int32::Xor => map2(a, b, |x, y| x ^ y),
        // Shifts by the width or more give what shifting bit by bit would.
        Int32::Shl => map2(a, b, |x, y| if y < 32 { x << y } else { 0 }),
        Int32::ShrU => map2(a, b, |x, y| if y < 32 { x >> y } else { 0 }),
        Int32::ShrS => map2(a, b, |x, y| ((x as i32) >> y.min(31)) as u32),
        Int32::MinS => map2(a, b, |x, y| (x as i32).min(y as i32) as u32),
        Int32::MaxS => map2(a, b, |x, y| (x as i32).max(y as i32) as u32),
        Int32::MinU => map2(a, b, u32::min),
        Int32::MaxU => map2(a, b, u32::max),
        Int32::MulHiU => map2(a, b, |x, y| (wide_product(false, x, y) >> 32) as u32),
        Int32::MulHiS => map2(a, b, |x, y| (wide_product(true, x, y) >> 32) as u32),
        Int32::CountBoth => map2(a, b, |x, y| (x & y).count_ones()),
    }
}

#[inline(always)]
fn int64(op: Int64, a: &Row64, b: &Row64) -> Row64 {
    match op {
        Int64::Add => map2(a, b, u64::wrapping_add),
        Int64::Sub => map2(a, b, u64::wrapping_sub),
        Int64::Mul => map2(a, b, u64::wrapping_mul),
        Int64::And => map2(a, b, |x, y| x & y),
        Int64::Or => map2(a, b, |x, y| x | y),
        Int64::Xor => map2(a, b, |x, y| x ^ y),
    }
}

#[inline(always)]
fn wide_product(signed: bool, x: u32, y: u32) -> u64 {
    if signed { (i64::from(x as i32) * i64::from(y as i32)) as u64 } else { u64::from(x) * u64::from(y) }
}

/// Executes a lane-local instruction for the lanes of `active`.
#[inline(always)]
pub(super) fn execute(registers: &mut Registers, constants: &Constants, op: &Op, active: u32) {
    let r = &*registers;
    // Macros, because closures are not always inlined, and then not compiled for the vector unit.
    macro_rules! w {
        ($slot:expr) => {
            r.w(constants, $slot)
        };
    }
    macro_rules! long {
        ($slot:expr) => {
            r.d(constants, $slot)
        };
    }
    match *op {
        Op::Mov32 { d, a } => {
            let value = *w!(a);
            registers.set_w(d, &value, active);
        }
        Op::Mov64 { d: to, a } => {
            let value = *long!(a);
            registers.set_d(to, &value, active);
        }
        Op::Int32 { op, d, a, b } => {
            let value = int32(op, w!(a), w!(b));
            registers.set_w(d, &value, active);
        }
        Op::Mad32 { d, a, b, c } => {
            let value = map3(w!(a), w!(b), w!(c), |x, y, z| x.wrapping_mul(y).wrapping_add(z));
            registers.set_w(d, &value, active);
        }
        Op::Int64 { op, d: to, a, b } => {
            let value = int64(op, long!(a), long!(b));
            registers.set_d(to, &value, active);
        }
        Op::Shl64 { d: to, a, b } => {
            let value = map2(long!(a), w!(b), |x, y| if y < 64 { x << y } else { 0 });
            registers.set_d(to, &value, active);
        }
        Op::Shr64 { signed, d: to, a, b } => {
            let value = if signed {
                map2(long!(a), w!(b), |x, y| ((x as i64) >> y.min(63)) as u64)
            } else {
                map2(long!(a), w!(b), |x, y| if y < 64 { x >> y } else { 0 })
            };
            registers.set_d(to, &value, active);
        }
        Op::MulWide { signed, d, a, b } => {
            let (a, b) = (w!(a), w!(b));
            let value = if signed {
                map2(a, b, |x, y| wide_product(true, x, y))
            } else {
                map2(a, b, |x, y| wide_product(false, x, y))
            };
            registers.set_d(d, &value, active);
        }
        Op::MadWide { signed, d: to, a, b, c } => {
            let (a, b, c) = (w!(a), w!(b), long!(c));
            let value = if signed {
                map3(a, b, c, |x, y, z| wide_product(true, x, y).wrapping_add(z))
            } else {
                map3(a, b, c, |x, y, z| wide_product(false, x, y).wrapping_add(z))
            };
            registers.set_d(to, &value, active);
        }
        Op::Widen { signed, d, a } => {
            let a = w!(a);
            let value = if signed { rows::map(a, |x| x as i32 as u64) } else { rows::map(a, u64::from) };
            registers.set_d(d, &value, active);
        }
        Op::Narrow { d: to, a } => {
            let value = rows::map(long!(a), |x| x as u32);
            registers.set_w(to, &value, active);
        }
        Op::F32 { op, d, a, b } => {
            let value = f32s(op, w!(a), w!(b));
            registers.set_w(d, &value, active);
        }
        Op::Fma32 { d, a, b, c, negate } => {
            let (product, addend) = (u32::from(negate.product) << 31, u32::from(negate.addend) << 31);
            let value = map3(w!(a), w!(b), w!(c), |x, y, z| {
                canonical32(f32::from_bits(x ^ product).mul_add(f32::from_bits(y), f32::from_bits(z ^ addend)))
            });
            registers.set_w(d, &value, active);
        }
        Op::F64 { .. } | Op::Fma64 { .. } => f64s(registers, constants, op, active),
        Op::Compare32 { test, what, p, a, b } => {
            let (a, b) = (w!(a), w!(b));
            let bits = match what {
                Compared::U32 => compare(test, a, b, |x| x),
                Compared::S32 => compare(test, a, b, |x| x as i32),
                Compared::F32 => compare(test, a, b, f32::from_bits),
            };
            registers.set_p(p, bits, active);
        }
        Op::Compare64 { test, signed, p, a, b } => {
            let (a, b) = (long!(a), long!(b));
            let bits = if signed { compare(test, a, b, |x| x as i64) } else { compare(test, a, b, |x| x) };
            registers.set_p(p, bits, active);
        }
        Op::Select32 { d, a, b, p } => {
            let mut value = *w!(b);
            let (chosen, a) = (r.p(p), w!(a));
            for lane in 0..32 {
                let mask = (chosen >> lane & 1).wrapping_neg();
                value[lane] = value[lane] & !mask | a[lane] & mask;
            }
            registers.set_w(d, &value, active);
        }
        Op::Select64 { d: to, a, b, p } => {
            let mut value = *long!(b);
            let (chosen, a) = (r.p(p), long!(a));
            for lane in 0..32 {
                let mask = u64::from(chosen >> lane & 1).wrapping_neg();
                value[lane] = value[lane] & !mask | a[lane] & mask;
            }
            registers.set_d(to, &value, active);
        }
        Op::PredicateConstant { d, value } => registers.set_p(d, if value { u32::MAX } else { 0 }, active),
        Op::PredicateMov { d, a, negated } => {
            let value = r.p(a);
            registers.set_p(d, if negated { !value } else { value }, active);
        }
        Op::Predicate { op, d, a, b } => {
            let (a, b) = (r.p(a), r.p(b));
            let value = match op {
                Bool::And => a & b,
                Bool::Or => a | b,
                Bool::Xor => a ^ b,
            };
            registers.set_p(d, value, active);
        }
        Op::Lane(ref lane) => general(registers, constants, lane, active),
        Op::Pack { d, ref parts, bits } => pack(registers, constants, d, parts, bits, active),
        Op::Unpack { ref parts, a, bits } => unpack(registers, constants, parts, a, bits, active),
        // No instruction; and what is executed elsewhere.
        Op::Nop | Op::Varying(_) => {}
        ops!(query) | ops!(memory) | ops!(sync) | ops!(exchange) | ops!(control) | ops!(stop) | ops!(system) => {}
    }
}

fn f64s(registers: &mut Registers, constants: &Constants, op: &Op, active: u32) {
    match *op {
        Op::F64 { op, d, a, b } => {
            let (a, b) = (registers.d(constants, a), registers.d(constants, b));
            let value = match op {
                Float::Add => map2(a, b, |x, y| canonical64(f64::from_bits(x) + f64::from_bits(y), [x, y])),
                Float::Sub => map2(a, b, |x, y| canonical64(f64::from_bits(x) - f64::from_bits(y), [x, y])),
                Float::Mul => map2(a, b, |x, y| canonical64(f64::from_bits(x) * f64::from_bits(y), [x, y])),
            };
            registers.set_d(d, &value, active);
        }
        Op::Fma64 { d, a, b, c, negate } => {
            let (product, addend) = (u64::from(negate.product) << 63, u64::from(negate.addend) << 63);
            let (a, b, c) = (registers.d(constants, a), registers.d(constants, b), registers.d(constants, c));
            let value = map3(a, b, c, |x, y, z| {
                let (x, z) = (x ^ product, z ^ addend);
                canonical64(f64::from_bits(x).mul_add(f64::from_bits(y), f64::from_bits(z)), [x, y, z])
            });
            registers.set_d(d, &value, active);
        }
        Op::Nop
        | Op::Mov32 { .. }
        | Op::Mov64 { .. }
        | Op::Int32 { .. }
        | Op::Mad32 { .. }
        | Op::Int64 { .. }
        | Op::Shl64 { .. }
        | Op::Shr64 { .. }
        | Op::MulWide { .. }
        | Op::MadWide { .. }
        | Op::Widen { .. }
        | Op::Narrow { .. }
        | Op::F32 { .. }
        | Op::Fma32 { .. }
        | Op::Compare32 { .. }
        | Op::Compare64 { .. }
        | Op::Select32 { .. }
        | Op::Select64 { .. }
        | Op::PredicateConstant { .. }
        | Op::PredicateMov { .. }
        | Op::Predicate { .. }
        | Op::Lane(_)
        | Op::Varying(_)
        | Op::Pack { .. }
        | Op::Unpack { .. }
        | ops!(query)
        | ops!(memory)
        | ops!(sync)
        | ops!(exchange)
        | ops!(control)
        | ops!(stop)
        | ops!(system) => {}
    }
}

/// What the lanes of an instruction execute beyond what all execute.
pub(super) fn difference(registers: &Registers, constants: &Constants, varying: &Varying, active: u32) -> Difference {
    let mut sum = Difference::default();
    match varying.by {
        Variation::Only(p, value) => {
            let selected = if value { registers.p(p) } else { !registers.p(p) };
            let others = i64::from((active & !selected).count_ones());
            for (sum, each) in sum.iter_mut().zip(counts(varying.ordinary)) {
                *sum -= others * each;
            }
        }
        Variation::Operands(way, operands) => {
            let [a, b] = operands.map(|operand| operand.map_or([0; 32], |reg| registers.wide(constants, reg)));
            for lane in lanes_of(active) {
                let lane = lane as usize;
                for (sum, each) in sum.iter_mut().zip(way.difference(varying.ordinary, a[lane], b[lane])) {
                    *sum += each;
                }
            }
        }
    }
    sum
}

/// An instruction by its scalar semantics, lane by lane.
fn general(registers: &mut Registers, constants: &Constants, lane_op: &Lane, active: u32) {
    let mut sources = [[0u64; 32]; 4];
    for (row, &(reg, mask)) in sources.iter_mut().zip(&lane_op.src) {
        *row = rows::map(&registers.wide(constants, reg), |value| value & mask);
    }
    let (uses_carry, sets_carry) = (lane_op.op.uses_carry(), lane_op.op.sets_carry());
    let mut value = [0u64; 32];
    let mut carry = registers.carry;
    for lane in (0..32).filter(|lane| active >> lane & 1 != 0) {
        let operands = std::array::from_fn(|operand| sources[operand][lane]);
        value[lane] = if uses_carry || sets_carry {
            let (value, out) = lane_op.op.eval_carry(operands, carry >> lane & 1 != 0);
            if sets_carry {
                carry = carry & !(1 << lane) | u32::from(out) << lane;
            }
            value
        } else {
            lane_op.op.eval(operands)
        };
    }
    registers.carry = carry;
    if let Some(q) = lane_op.q {
        let bits = (0..32).fold(0, |bits, lane| bits | ((value[lane] >> 1 & 1) as u32) << lane);
        registers.set_p(q, bits, active);
    }
    if let Some(d) = lane_op.d {
        if let Some(bits @ 1..64) = lane_op.extend_from {
            let shift = 64 - u32::from(bits);
            value = rows::map(&value, |v| ((v << shift) as i64 >> shift) as u64);
        }
        registers.set_wide(d, &value, active);
    }
}

fn pack(registers: &mut Registers, constants: &Constants, d: Reg, parts: &[Reg], bits: u8, active: u32) {
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    if let (Reg::Q(low, high), [a, b]) = (d, parts) {
        let (a, b) = (registers.wide(constants, *a), registers.wide(constants, *b));
        registers.set_d(low, &a, active);
        registers.set_d(high, &b, active);
        return;
    }
    let mut value = [0u64; 32];
    for (index, &part) in parts.iter().enumerate() {
        let row = registers.wide(constants, part);
        for lane in 0..32 {
            value[lane] |= (row[lane] & mask) << (index as u32 * u32::from(bits) % 64);
        }
    }
    registers.set_wide(d, &value, active);
}

fn unpack(registers: &mut Registers, constants: &Constants, parts: &[Option<Reg>], a: Reg, bits: u8, active: u32) {
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let row = registers.wide(constants, a);
    let high = match a {
        Reg::Q(_, high) => *registers.d(constants, high),
        Reg::W(..) | Reg::D(_) | Reg::P(_) => [0; 32],
    };
    for (index, part) in parts.iter().enumerate() {
        let Some(part) = *part else { continue };
        let at = index as u32 * u32::from(bits);
        let value = if at >= 64 { high.map(|v| v >> (at - 64) & mask) } else { row.map(|v| v >> at & mask) };
        registers.set_wide(part, &value, active);
    }
}
