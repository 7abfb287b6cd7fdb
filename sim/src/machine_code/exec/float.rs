//! Floating-point numbers: frequent operations as loops over 32 lanes, all others by PTX's lane-local semantics.
//!
//! The hardware returns one NaN of single precision, whatever went in.

use super::bits::combine;
use crate::lanes::lanes_of;
use crate::machine_code::op::{Float, Halves, Op, Result as To, Row, Src, Test, Value, Wide};
use crate::machine_code::warp::Warp;
use crate::memory::rows::{bits, map, map2, map3, test2};
use crate::semantics::LaneOp;

#[inline(always)]
fn canonical(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

/// A subnormal number becomes a zero of its sign.
#[inline(always)]
fn flushed(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

#[inline(always)]
fn flush_row(row: &Row, flush: bool) -> Row {
    if flush { map(row, flushed) } else { *row }
}

/// `a * b + c` rounded once: the product is exact in double precision, and the sum is rounded to odd before it is rounded.
#[inline(always)]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let part = sum - product;
    let rest = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    let away = (rest > 0.0) == (sum > 0.0);
    let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    // The rest is NaN when the sum is not finite, and then the sum stands.
    let inexact = rest.abs() > 0.0 && bits & 1 == 0;
    f64::from_bits(if inexact { odd } else { bits }) as f32
}

/// Executes an instruction for some lanes; false if it is of another kind.
#[inline(always)]
pub(super) fn execute(warp: &mut Warp, constants: &[u32], op: &Op, active: u32) -> bool {
    let get = |warp: &Warp, source: Src, flush: bool| flush_row(&warp.source(constants, source), flush);
    match *op {
        Op::Float { op, d, a, b, flush } => {
            let (a, b) = (get(warp, a, flush), get(warp, b, flush));
            let row = match op {
                Float::Add => map2(&a, &b, |a, b| canonical(f32::from_bits(a) + f32::from_bits(b))),
                Float::Mul => map2(&a, &b, |a, b| canonical(f32::from_bits(a) * f32::from_bits(b))),
            };
            warp.set(d, &flush_row(&row, flush), active);
        }
        Op::Fma { d, a, b, c, flush } => {
            let (a, b, c) = (get(warp, a, flush), get(warp, b, flush), get(warp, c, flush));
            let row =
                map3(&a, &b, &c, |a, b, c| canonical(fused(f32::from_bits(a), f32::from_bits(b), f32::from_bits(c))));
            warp.set(d, &flush_row(&row, flush), active);
        }
        Op::FSetp { p, q, test, unordered, combine: how, a, b, with, flush } => {
            let (a, b) = (get(warp, a, flush), get(warp, b, flush));
            let result = compare(test, unordered, &a, &b);
            let with = warp.pred(with);
            warp.set_pred(p, combine(how, result, with), active);
            warp.set_pred(q, combine(how, !result, with), active);
        }
        Op::FSel { d, a, b, p, flush } => {
            let (a, b, p) = (get(warp, a, flush), get(warp, b, flush), warp.pred(p));
            let mut row = [0; 32];
            for lane in 0..32 {
                row[lane] = if p >> lane & 1 != 0 { a[lane] } else { b[lane] };
            }
            warp.set(d, &row, active);
        }
        _ => return rare(warp, constants, op, active),
    }
    true
}

#[inline(always)]
fn compare(test: Test, unordered: bool, a: &Row, b: &Row) -> u32 {
    let float = f32::from_bits;
    let nan = || test2(a, b, |a, b| float(a).is_nan() || float(b).is_nan());
    let result = match test {
        Test::Lt => test2(a, b, |a, b| float(a) < float(b)),
        Test::Eq => test2(a, b, |a, b| float(a) == float(b)),
        Test::Le => test2(a, b, |a, b| float(a) <= float(b)),
        Test::Gt => test2(a, b, |a, b| float(a) > float(b)),
        Test::Ge => test2(a, b, |a, b| float(a) >= float(b)),
        Test::Ne => test2(a, b, |a, b| float(a) < float(b) || float(a) > float(b)),
        Test::NotANumber => return nan(),
        Test::Number => return !nan(),
        Test::True => return u32::MAX,
        Test::False => return 0,
    };
    if unordered { result | nan() } else { result }
}

#[inline(never)]
fn rare(warp: &mut Warp, constants: &[u32], op: &Op, active: u32) -> bool {
    match *op {
        Op::Lanes { d, op, ref sources } => lanes(warp, constants, d, op, sources, active),
        Op::MulScaled { d, a, b, power, flush } => {
            let get = |source| flush_row(&warp.source(constants, source), flush);
            let scale = 2f64.powi(power.into());
            // The product of two numbers of single precision is exact in double precision, with the scale, too.
            let scaled = |a, b| (f64::from(f32::from_bits(a)) * f64::from(f32::from_bits(b)) * scale) as f32;
            let row = map2(&get(a), &get(b), |a, b| canonical(scaled(a, b)));
            warp.set(d, &flush_row(&row, flush), active);
        }
        Op::FMinMax { d, a, b, min, least, most } => {
            let (a, b, min) = (value(warp, constants, a), value(warp, constants, b), warp.pred(min));
            let mut row = [0; 32];
            for lane in lanes_of(active) {
                let lane = lane as usize;
                let op = if min >> lane & 1 != 0 { least } else { most };
                row[lane] = op.eval([a[lane], b[lane], 0, 0]) as u32;
            }
            warp.set(d, &row, active);
        }
        Op::FChk { p, a, b } => {
            let (a, b) = (warp.source(constants, a), warp.source(constants, b));
            let slow = test2(&a, &b, |a, b| {
                let (a, b) = ((a >> 23 & 255) as i32, (b >> 23 & 255) as i32);
                !(2..=252).contains(&b) || a == 255 || a - b < -125 || a - b > 127 || a < 24
            });
            warp.set_pred(p, slow, active);
        }
        Op::DExtremum { p, q, a, b, max } => {
            let (a, b) = (warp.source64(constants, a), warp.source64(constants, b));
            let number = f64::from_bits;
            let first = test2(&a, &b, |a, b| {
                let (x, y) = (number(a), number(b));
                let zeros = x == y && if max { b >> 63 > a >> 63 } else { a >> 63 > b >> 63 };
                let better = if max { x > y } else { x < y };
                better || zeros || y.is_nan() && !x.is_nan()
            });
            warp.set_pred(p, first, active);
            warp.set_pred(q, test2(&a, &b, |a, b| number(a).is_nan() && number(b).is_nan()), active);
        }
        Op::HAddF32 { d, a, b, widen } => {
            let zero = |value: Value| matches!(value, Value::Word(source) if source.slot == super::super::op::ZERO);
            let (plain, one) = (zero(a), if zero(a) { b } else { a });
            let row = map(&value(warp, constants, one), |half| widen.eval([half & 0xffff, 0, 0, 0]) as u32);
            let row = if plain || zero(b) {
                row
            } else {
                let other = map(&value(warp, constants, b), |half| widen.eval([half & 0xffff, 0, 0, 0]) as u32);
                map2(&row, &other, |a, b| canonical(f32::from_bits(a) + f32::from_bits(b)))
            };
            warp.set(d, &row, active);
        }
        Op::Turn { d, a, cosine } => {
            let row = map(&warp.source(constants, a), |a| {
                let turns = f64::from(f32::from_bits(flushed(a)));
                let angle = (turns % 1.0) * std::f64::consts::TAU;
                let value = if cosine { libm::cos(angle) } else { libm::sin(angle) };
                canonical(f32::from_bits(flushed((value as f32).to_bits())))
            });
            warp.set(d, &row, active);
        }
        _ => return false,
    }
    true
}

fn lanes(warp: &mut Warp, constants: &[u32], d: To, op: LaneOp, sources: &[Option<Value>; 3], active: u32) {
    let [a, b, c] = sources.map(|source| source.map_or([0; 32], |source| value(warp, constants, source)));
    let mut result: Wide = [0; 32];
    for lane in lanes_of(active) {
        let lane = lane as usize;
        result[lane] = op.eval([a[lane], b[lane], c[lane], 0]);
    }
    match d {
        To::Word(d) => warp.set(d, &map(&result, |value| value as u32), active),
        To::Signed(d, width) => {
            let shift = 32 - width;
            warp.set(d, &map(&result, |value| (((value as u32) << shift) as i32 >> shift) as u32), active);
        }
        To::Wide(d) => warp.set64(d, &result, active),
        To::Upper(d) => warp.set(d, &map(&result, |value| (value >> 32) as u32), active),
        To::Truth(p, q) => {
            warp.set_pred(p, bits(map(&result, |value| value & 1 != 0)), active);
            warp.set_pred(q, bits(map(&result, |value| value & 2 != 0)), active);
        }
    }
}

/// What lane-local semantics take.
fn value(warp: &Warp, constants: &[u32], value: Value) -> Wide {
    match value {
        Value::Word(source) => map(&warp.source(constants, source), u64::from),
        Value::Part(source, shift) => map(&warp.source(constants, source), |value| u64::from(value >> shift)),
        Value::Wide(source) => warp.source64(constants, source),
        Value::Packed(source, halves) => {
            let row = warp.raw(constants, source.slot);
            map(&row, |value| {
                let value = match halves {
                    Halves::Both => value,
                    Halves::Low => value & 0xffff | value << 16,
                    Halves::High => value >> 16 | value & 0xffff_0000,
                };
                u64::from((value & source.and) ^ source.xor)
            })
        }
        Value::Truth(pred) => {
            let truth = warp.pred(pred);
            std::array::from_fn(|lane| u64::from(truth >> lane & 1))
        }
    }
}
