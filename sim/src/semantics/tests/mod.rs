//! Tests of the semantics against independent formulations, by family.

mod convert;
mod decode;
mod float;
mod half;
mod integer;
mod select;
mod video;

use super::LaneOp;

/// The instruction called `form`.
fn op(form: &str) -> LaneOp {
    let opcode: Vec<&str> = form.split('.').collect();
    match LaneOp::decode(&opcode) {
        Ok(Some((op, _))) => op,
        other => panic!("{form}: {other:?}"),
    }
}

/// Runs `form` on up to four sources.
fn run<const N: usize>(form: &str, sources: [u64; N]) -> u64 {
    let mut src = [0; 4];
    src[..N].copy_from_slice(&sources);
    op(form).eval(src)
}

/// Operands that arithmetic stumbles over, for every width.
const SPECIAL: [u64; 24] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];

/// A special operand or any other.
fn operand() -> impl proptest::strategy::Strategy<Value = u64> {
    use proptest::prelude::*;
    prop_oneof![proptest::sample::select(SPECIAL.to_vec()), any::<u64>(), any::<u32>().prop_map(u64::from)]
}
