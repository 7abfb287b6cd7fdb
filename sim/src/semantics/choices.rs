//! Everything that the PTX manual leaves open and that this simulator had to decide, in one place, so that a
//! measurement on the hardware can settle each point by changing one line.
//!
//! Sources: "manual" is the PTX ISA manual 9.0; "CUDA header" is `math_constants.h` of CUDA 13.0; "ptxas" is the
//! machine code that ptxas 13.0 generates for compute capability 9.0, read as the definition of a compound operation;
//! "assumed" is a guess that nothing supports yet.
//!
//! Choices that are not a value but a way of computing:
//!
//! - `.ftz` rounds a result as if exponents had no end and makes it zero when it is then below the smallest normal
//!   number, so 2^-126 · (1 − 2^-24) is flushed although the subnormal format would round it up. ptxas computes it so
//!   for constant operands of `mul` and `cvt`; assumed for `fma`, `div`, `rcp` and half precision.
//! - `.sat` makes +0 of −0 (ptxas, for constant operands).
//! - `cvt.f32.bf16` keeps a NaN's bits: ptxas generates a shift. (With a constant operand it writes the canonical NaN.)
//! - `sub.cc` leaves the complement of the borrow and `subc` takes it, as the hardware's adder does: seen by `addc` after
//!   `sub.cc` (H200).
//! - `abs`, `neg` of floats make a NaN canonical: ptxas generates an addition of −0 with operand modifiers.
//! - `min.f64`, `max.f64` of two NaNs give the second one, quieted (H200).
//! - Scalar video instructions compute what ptxas makes of them, which is not the manual's where results do not fit:
//!   `.sat`, the secondary `min` and `max` of unsigned numbers, and `vmad` of unsigned words (`video.rs`; ptxas, H200).
//! - Approximate functions are computed in double precision and rounded: nearer to the true value than the hardware
//!   need be, within the manual's error bounds, not bit for bit the hardware's.

/// The NaN that f32 arithmetic produces, whatever NaN went in. Manual 9.7.3 ("NaN payloads are not preserved");
/// CUDA header `CUDART_NAN_F`.
pub(super) const NAN_F32: u32 = 0x7fff_ffff;

/// The NaN that f64 arithmetic produces from operands that are no NaN. CUDA header `CUDART_NAN`.
pub(super) const NAN_F64: u64 = 0xfff8_0000_0000_0000;

/// The NaN that f16 arithmetic produces. Manual, `cvt` and half-precision `min`/`max`: canonical NaN is 0x7fff.
pub(super) const NAN_F16: u16 = 0x7fff;

/// The NaN that bf16 arithmetic produces. Manual, half-precision `min`/`max`: canonical NaN is 0x7fff.
pub(super) const NAN_BF16: u16 = 0x7fff;

/// The NaN of both 8-bit float types. Manual, `cvt`: 0x7f.
pub(super) const NAN_F8: u8 = 0x7f;

/// The NaN that `cvt.f64.f32` makes of a NaN: quieted, its payload at the top of the wider mantissa (ptxas computes it
/// so when the operand is a constant, an H200 when it is not).
pub(super) const fn widen_nan_f32(nan: u32) -> u64 {
    let sign = ((nan >> 31) as u64) << 63;
    sign | 0x7ff8_0000_0000_0000 | (((nan & 0x7f_ffff) as u64) << 29)
}

/// The NaN that `cvt.f64` makes of a 16-bit NaN whose mantissa has this many bits: likewise (H200).
pub(super) const fn widen_nan_16(nan: u16, mantissa: u32) -> u64 {
    let sign = ((nan >> 15) as u64) << 63;
    let payload = nan as u64 & ((1 << mantissa) - 1);
    sign | 0x7ff8_0000_0000_0000 | payload << (52 - mantissa)
}

/// The NaN that `cvt` makes of an f64 NaN for a 16-bit format whose mantissa has this many bits: quieted, the top of its
/// payload kept (H200).
pub(super) const fn narrow_nan_16(nan: u64, mantissa: u32) -> u64 {
    let exponent = (0x7fff >> mantissa) << mantissa;
    (nan >> 63) << 15 | exponent | 1 << (mantissa - 1) | nan >> (52 - mantissa) & ((1 << mantissa) - 1)
}

/// The NaN that `cvt.f32.f64` makes of a NaN: quieted, the top of its payload kept (ptxas computes it so when the
/// operand is a constant).
pub(super) const fn narrow_nan_f64(nan: u64) -> u32 {
    let sign = ((nan >> 63) as u32) << 31;
    sign | 0x7fc0_0000 | (nan >> 29) as u32 & 0x3f_ffff
}

/// The NaN of an f64 operation with NaN operands: the last NaN operand, quieted (H200; the manual says only that the
/// result is a NaN). Division is a routine and takes the first.
pub(super) fn propagate_f64(operands: &[f64]) -> f64 {
    let nan = operands.iter().rev().find(|operand| operand.is_nan());
    f64::from_bits(nan.map_or(NAN_F64, |nan| nan.to_bits() | 0x0008_0000_0000_0000))
}

/// What integer `div` gives for a zero divisor: all ones. The manual calls it unspecified and machine-specific; the
/// routine that ptxas generates ends in replacing the quotient by the divisor's complement.
pub(super) const DIV_BY_ZERO: u64 = u64::MAX;

/// What integer `rem` gives for a zero divisor: all ones for the same reason as [`DIV_BY_ZERO`].
pub(super) const REM_BY_ZERO: u64 = u64::MAX;

/// `fns` with a base above 31 finds nothing. The manual restricts the base to 0..31 without saying what else happens.
pub(super) const FNS_NOT_FOUND: u32 = u32::MAX;

/// The integer that a NaN becomes in `cvt`. Manual, `cvt`: zero when neither side is 64 bits wide, else the
/// destination's highest bit alone.
pub(super) const fn nan_to_integer(bits_of_destination: u32, source_is_f64: bool) -> u64 {
    if source_is_f64 || bits_of_destination == 64 { 1 << (bits_of_destination - 1) } else { 0 }
}
