//! Integers, bits and predicates: loops over 32 lanes.

use super::bits::{add_halves, combine, extremum, lop3, permuted, positive, shifted, table_of};
use crate::machine_code::op::{MinMax, Op, Row, Src, Test};
use crate::machine_code::warp::Warp;
use crate::memory::rows::{bits, map, map2, map3, test2};

#[inline(always)]
fn compare<T: PartialOrd>(test: Test, a: &Row, b: &Row, typed: impl Fn(u32) -> T + Copy) -> u32 {
    match test {
        Test::Eq => test2(a, b, |x, y| x == y),
        Test::Ne => test2(a, b, |x, y| x != y),
        Test::Lt => test2(a, b, |x, y| typed(x) < typed(y)),
        Test::Le => test2(a, b, |x, y| typed(x) <= typed(y)),
        Test::Gt => test2(a, b, |x, y| typed(x) > typed(y)),
        Test::Ge => test2(a, b, |x, y| typed(x) >= typed(y)),
        Test::True | Test::Number => u32::MAX,
        Test::False | Test::NotANumber => 0,
    }
}

/// Executes an instruction for some lanes; false if it is of another kind.
#[inline(always)]
pub(super) fn execute(warp: &mut Warp, constants: &[u32], op: &Op, active: u32) -> bool {
    let get = |warp: &Warp, source: Src| warp.source(constants, source);
    match *op {
        Op::Mov { d, a } => {
            let a = get(warp, a);
            warp.set(d, &a, active);
        }
        Op::Add3 { d, a, b, c } => {
            let (a, b, c) = (get(warp, a), get(warp, b), get(warp, c));
            warp.set(d, &map3(&a, &b, &c, |a, b, c| a.wrapping_add(b).wrapping_add(c)), active);
        }
        Op::Add3Carry { d, out, a, b, c, plus, carry } => {
            let (a, b, c) = (get(warp, a), get(warp, b), get(warp, c));
            let carries = [warp.pred(carry[0]), warp.pred(carry[1])];
            let mut sums = [0u64; 32];
            for lane in 0..32 {
                let carried = u64::from(carries[0] >> lane & 1) + u64::from(carries[1] >> lane & 1);
                sums[lane] = u64::from(a[lane]) + u64::from(b[lane]) + u64::from(c[lane]) + plus + carried;
            }
            if out.iter().any(|p| p.number != 7) {
                let above = |least: u64| bits(map(&sums, |sum| sum >> 32 >= least));
                let one = above(1);
                if out[0].number != 7 {
                    warp.set_pred(out[0], one, active);
                    warp.set_pred(out[1], above(2), active);
                } else {
                    warp.set_pred(out[1], one, active);
                }
            }
            warp.set(d, &map(&sums, |sum| sum as u32), active);
        }
        Op::Mad { d, a, b, c, carry } => {
            let (a, b, c) = (get(warp, a), get(warp, b), get(warp, c));
            let mut row = map3(&a, &b, &c, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
            if let Some(carry) = carry {
                let carry = warp.pred(carry);
                for (lane, value) in row.iter_mut().enumerate() {
                    *value = value.wrapping_add(carry >> lane & 1);
                }
            }
            warp.set(d, &row, active);
        }
        Op::MadWide { d, out, a, b, c, signed, high, carry } => {
            let (a, b, c) = (get(warp, a), get(warp, b), warp.source64(constants, c));
            let product = if signed {
                map2(&a, &b, |a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64)
            } else {
                map2(&a, &b, |a, b| u64::from(a) * u64::from(b))
            };
            let mut sum = map2(&product, &c, u64::wrapping_add);
            if let Some(carry) = carry {
                let carry = warp.pred(carry);
                for (lane, value) in sum.iter_mut().enumerate() {
                    *value = value.wrapping_add(u64::from(carry >> lane & 1));
                }
            }
            if out.number != 7 {
                // A sum that wrapped around is less than what was added.
                warp.set_pred(out, test2(&sum, &c, |sum, c| sum < c), active);
            }
            if high {
                warp.set(d, &map(&sum, |value| (value >> 32) as u32), active);
            } else {
                warp.set64(d, &sum, active);
            }
        }
        Op::Lea { d, a, b, shift } => {
            let (a, b) = (get(warp, a), get(warp, b));
            warp.set(d, &map2(&a, &b, |a, b| (a << (shift & 31)).wrapping_add(b)), active);
        }
        Op::LeaCarry { d, out, a, b, c, shift, high, signed, plus, carry } => {
            let (a, b, c) = (get(warp, a), get(warp, b), get(warp, c));
            let carry = warp.pred(carry);
            let mut sums = [0u64; 32];
            for lane in 0..32 {
                let upper = if signed { (a[lane] as i32 >> 31) as u32 } else { c[lane] };
                let shifted = (u64::from(a[lane]) | u64::from(upper) << 32) << (shift & 31);
                let part = if high { shifted >> 32 } else { shifted & 0xffff_ffff };
                sums[lane] = part + u64::from(b[lane]) + plus + u64::from(carry >> lane & 1);
            }
            if out.number != 7 {
                warp.set_pred(out, bits(map(&sums, |sum| sum >> 32 != 0)), active);
            }
            warp.set(d, &map(&sums, |sum| sum as u32), active);
        }
        Op::Lop3 { d, p, a, b, c, table, pand, q } => {
            let (a, b, c) = (get(warp, a), get(warp, b), get(warp, c));
            let row = lop3(table, &a, &b, &c);
            if p.number != 7 {
                let nonzero = bits(map(&row, |value| value != 0));
                let with = warp.pred(q);
                warp.set_pred(p, if pand { nonzero & with } else { nonzero | with }, active);
            }
            warp.set(d, &row, active);
        }
        Op::Shf { d, a, b, c, shift } => {
            let (a, b, c) = (get(warp, a), get(warp, b), get(warp, c));
            warp.set(d, &shifted(shift, &a, &b, &c), active);
        }
        Op::Sel { d, a, b, p } => {
            let (a, b, p) = (get(warp, a), get(warp, b), warp.pred(p));
            let mut row = [0; 32];
            for lane in 0..32 {
                row[lane] = if p >> lane & 1 != 0 { a[lane] } else { b[lane] };
            }
            warp.set(d, &row, active);
        }
        Op::ISetp { p, q, test, signed, combine: how, a, b, with, extends } => {
            let (a, b) = (get(warp, a), get(warp, b));
            let truth = |test| {
                if signed { compare(test, &a, &b, |x| x as i32) } else { compare(test, &a, &b, |x| x) }
            };
            let result = match extends {
                None => truth(test),
                // The upper words of 64-bit numbers: the lower ones decide where these are equal.
                Some(lower) => {
                    let (equal, lower) = (truth(Test::Eq), warp.pred(lower));
                    match test {
                        Test::Eq => equal & lower,
                        Test::Ne => !equal | lower,
                        Test::Lt | Test::Le => truth(Test::Lt) | equal & lower,
                        Test::Gt | Test::Ge => truth(Test::Gt) | equal & lower,
                        Test::True | Test::False | Test::Number | Test::NotANumber => truth(test),
                    }
                }
            };
            let with = warp.pred(with);
            warp.set_pred(p, combine(how, result, with), active);
            warp.set_pred(q, combine(how, !result, with), active);
        }
        Op::MinMax { d, a, add, b, kind, relu, min } => {
            let mut a = get(warp, a);
            let b = get(warp, b);
            if let Some(add) = add {
                let add = get(warp, add);
                a = match kind {
                    MinMax::Signed | MinMax::Unsigned => map2(&a, &add, u32::wrapping_add),
                    MinMax::SignedHalves | MinMax::UnsignedHalves => map2(&a, &add, add_halves),
                };
            }
            let row = extremum(kind, warp.pred(min), &a, &b);
            warp.set(d, &if relu { map(&row, |value| positive(kind, value)) } else { row }, active);
        }
        Op::MinMax3 { d, a, b, c, kind, relu, min } => {
            let (a, b, c, min) = (get(warp, a), get(warp, b), get(warp, c), warp.pred(min));
            let row = extremum(kind, min, &extremum(kind, min, &a, &b), &c);
            warp.set(d, &if relu { map(&row, |value| positive(kind, value)) } else { row }, active);
        }
        Op::Popc { d, a } => {
            let a = get(warp, a);
            warp.set(d, &map(&a, u32::count_ones), active);
        }
        Op::Prmt { d, a, b, c, mode } => {
            let (a, b, c) = (get(warp, a), get(warp, b), get(warp, c));
            warp.set(d, &map3(&a, &b, &c, |a, b, c| permuted(mode, a, b, c)), active);
        }
        Op::Plop3 { p, q, a, b, c, first, second } => {
            let (a, b, c) = (warp.pred(a), warp.pred(b), warp.pred(c));
            warp.set_pred(p, table_of(first, a, b, c), active);
            warp.set_pred(q, table_of(second, a, b, c), active);
        }
        _ => return rare(warp, constants, op, active),
    }
    true
}

#[inline(never)]
fn rare(warp: &mut Warp, constants: &[u32], op: &Op, active: u32) -> bool {
    let get = |warp: &Warp, source: Src| warp.source(constants, source);
    match *op {
        Op::AddHalves { d, a, b } => {
            let row = map2(&get(warp, a), &get(warp, b), add_halves);
            warp.set(d, &row, active);
        }
        Op::Abs { d, a } => {
            let row = map(&get(warp, a), |a| (a as i32).unsigned_abs());
            warp.set(d, &row, active);
        }
        Op::AbsDiff { d, a, b, c, signed } => {
            let difference = |a: u32, b: u32| if signed { (a as i32).abs_diff(b as i32) } else { a.abs_diff(b) };
            let row = map3(&get(warp, a), &get(warp, b), &get(warp, c), |a, b, c| difference(a, b).wrapping_add(c));
            warp.set(d, &row, active);
        }
        Op::AbsDiff4 { d, a, b, c, signed, accumulate } => {
            let row = map3(&get(warp, a), &get(warp, b), &get(warp, c), |a, b, c| {
                let mut result = if accumulate { c } else { 0 };
                for byte in 0..4 {
                    let (x, y) = (a >> (8 * byte) & 255, b >> (8 * byte) & 255);
                    let difference = if signed { u32::from((x as i8).abs_diff(y as i8)) } else { x.abs_diff(y) };
                    result =
                        if accumulate { result.wrapping_add(difference) } else { result | difference << (8 * byte) };
                }
                result
            });
            warp.set(d, &row, active);
        }
        Op::Brev { d, a } => {
            let row = map(&get(warp, a), u32::reverse_bits);
            warp.set(d, &row, active);
        }
        Op::Flo { d, p, a, signed, shift } => {
            let row = map(&get(warp, a), |a| {
                let a = if signed && (a as i32) < 0 { !a } else { a };
                match a.checked_ilog2() {
                    None => u32::MAX,
                    Some(place) => {
                        if shift {
                            31 - place
                        } else {
                            place
                        }
                    }
                }
            });
            warp.set_pred(p, bits(map(&row, |place| place != u32::MAX)), active);
            warp.set(d, &row, active);
        }
        Op::Sgxt { d, a, b, signed, wraps } => {
            let row = map2(&get(warp, a), &get(warp, b), |a, b| {
                let count = if wraps { b & 31 } else { b.min(32) };
                match (count, signed) {
                    (0, _) => 0,
                    (32, _) => a,
                    (_, true) => ((a << (32 - count)) as i32 >> (32 - count)) as u32,
                    (_, false) => a & ((1 << count) - 1),
                }
            });
            warp.set(d, &row, active);
        }
        Op::Bmsk { d, a, b, wraps } => {
            let row = map2(&get(warp, a), &get(warp, b), |a, b| {
                let (at, count) = if wraps { (a & 31, b & 31) } else { (a.min(32), b.min(32)) };
                (((1u64 << count) - 1) << at) as u32
            });
            warp.set(d, &row, active);
        }
        Op::PredsToReg { d, a, mask, byte } => {
            let a = get(warp, a);
            let mut row = [0; 32];
            for lane in 0..32 {
                let all = (0..7).fold(0, |all, number| all | (warp.p[number] >> lane & 1) << number);
                let mask = mask << (8 * byte);
                row[lane] = a[lane] & !mask | all << (8 * byte) & mask;
            }
            warp.set(d, &row, active);
        }
        Op::RegToPreds { a, mask, byte } => {
            let a = get(warp, a);
            for number in (0..7u32).filter(|number| mask >> number & 1 != 0) {
                let value = bits(map(&a, |a| a >> (8 * byte + number) & 1 != 0));
                let place = &mut warp.p[number as usize];
                *place = *place & !active | value & active;
            }
        }
        _ => return false,
    }
    true
}
