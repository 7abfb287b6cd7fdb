//! Loops over the 32 lanes of a warp, written so that the compiler makes vector instructions of them.

use crate::machine_code::op::Combine;
use crate::memory::rows::bits;

#[inline(always)]
pub(super) fn map2<A: Copy, B: Copy, R: Copy + Default>(a: &[A; 32], b: &[B; 32], f: impl Fn(A, B) -> R) -> [R; 32] {
    let mut result = [R::default(); 32];
    for lane in 0..32 {
        result[lane] = f(a[lane], b[lane]);
    }
    result
}

#[inline(always)]
pub(super) fn map3<A: Copy, R: Copy + Default>(
    a: &[A; 32],
    b: &[A; 32],
    c: &[A; 32],
    f: impl Fn(A, A, A) -> R,
) -> [R; 32] {
    let mut result = [R::default(); 32];
    for lane in 0..32 {
        result[lane] = f(a[lane], b[lane], c[lane]);
    }
    result
}

#[inline(always)]
pub(super) fn test2<A: Copy>(a: &[A; 32], b: &[A; 32], f: impl Fn(A, A) -> bool) -> u32 {
    let mut truth = [false; 32];
    for lane in 0..32 {
        truth[lane] = f(a[lane], b[lane]);
    }
    bits(truth)
}

#[inline(always)]
pub(super) const fn combine(how: Combine, value: u32, with: u32) -> u32 {
    match how {
        Combine::And => value & with,
        Combine::Or => value | with,
        Combine::Xor => value ^ with,
    }
}
