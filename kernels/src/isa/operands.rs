//! Operands of the probes: the same on every machine and in every version, so that a record stays comparable.
//!
//! Every probe gets [`THREADS`] tuples: values at which arithmetic changes (infinities, NaNs with payloads, subnormal
//! numbers, the ends of integer ranges, shifts by the width and more), numbers of moderate size with few or many
//! significant bits, random bits, and operands that nearly cancel each other.

use sim::semantics::ScalarType as T;

use crate::random::Random;

/// Threads of a probe's block, and tuples of operands: one each.
pub const THREADS: usize = 256;

/// How operands are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Style {
    /// Every lane for itself, special values everywhere.
    Lane,
    /// Fragments of matrices: one special value would show in whole rows, so they are rare.
    Matrix,
}

const INTEGERS: [u64; 40] = [
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    17,
    24,
    31,
    32,
    33,
    47,
    48,
    63,
    64,
    65,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_8000_0000,
    0xffff_ffff_ffff_8000,
    0xffff_ffff_ffff_fffe,
    u64::MAX,
];
const SINGLES: [u32; 44] = [
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0x3f00_0000,
    0xbf00_0000,
    0x3fc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x3dcc_cccd,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc1_2345,
    0x7f80_0001,
    0xff92_3456,
    0x7fff_ffff,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x4eff_ffff,
    0x4f00_0000,
    0x4f80_0000,
    0xcf00_0000,
    0xcf00_0001,
    0x5f00_0000,
    0x5f80_0000,
    0x4b80_0001,
    0x3380_0000,
    0x477f_e000,
    0x477f_f000,
    0x43e0_0000,
    0x43e8_0000,
    0x7e80_0001,
    0x3880_0000,
    0x42fe_0000,
    0x4780_0000,
];
const DOUBLES: [u64; 40] = [
    0,
    1 << 63,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x4000_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x3ff8_0000_0000_0000,
    0x4004_0000_0000_0000,
    0x3fb9_9999_9999_999a,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff8_1234_5678_9abc,
    0x7ff0_0000_0000_0001,
    0xfff4_5678_9abc_def0,
    0x7fff_ffff_ffff_ffff,
    1,
    0x8000_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x41df_ffff_ffc0_0000,
    0x41e0_0000_0000_0000,
    0xc1e0_0000_0000_0000,
    0x41f0_0000_0000_0000,
    0x43e0_0000_0000_0000,
    0xc3e0_0000_0000_0000,
    0x43f0_0000_0000_0000,
    0x4340_0000_0000_0001,
    0x3810_0000_0000_0000,
    0x380f_ffff_ffff_ffff,
    0x36a0_0000_0000_0000,
    0x47ef_ffff_e000_0000,
    0x47ef_ffff_f000_0000,
    0x40ef_fc00_0000_0000,
    0x40ef_fe00_0000_0000,
];
const HALVES: [u16; 24] = [
    0, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x3800, 0xb800, 0x3e00, 0x4100, 0x3555, 1, 0x8001, 0x03ff, 0x83ff, 0x0400,
    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe55, 0x7c01, 0xfd23, 0x5bff,
];
const BRAINS: [u16; 24] = [
    0, 0x8000, 0x3f80, 0xbf80, 0x4000, 0x3f00, 0xbf00, 0x3fc0, 0x4020, 0x3dcd, 1, 0x8001, 0x007f, 0x807f, 0x0080,
    0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffd5, 0x7f81, 0xff93, 0x4f00,
];

/// A floating-point format: bits of exponent and mantissa.
#[derive(Clone, Copy)]
struct Layout {
    exponent: u32,
    mantissa: u32,
}

impl Layout {
    fn of(ty: T) -> Option<Self> {
        let (exponent, mantissa) = match ty {
            T::F16 | T::F16x2 => (5, 10),
            T::BF16 | T::BF16x2 => (8, 7),
            T::F32 | T::TF32 => (8, 23),
            T::F64 => (11, 52),
            _ => return None,
        };
        Some(Self { exponent, mantissa })
    }

    /// A number with an exponent up to `spread` from that of one; about a third of them with few significant bits, so
    /// that rounding meets ties.
    fn number(self, random: &mut Random, low: i32, high: i32) -> u64 {
        let most = (1 << self.exponent) - 2;
        let bias = (1 << (self.exponent - 1)) - 1;
        let exponent = (bias + random.whole(low, high)).clamp(0, most) as u64;
        let mut mantissa = random.bits() & ((1 << self.mantissa) - 1);
        if random.whole(0, 2) == 0 {
            let kept = random.whole(0, 13.min(self.mantissa as i32)) as u32;
            mantissa &= !((1u64 << (self.mantissa - kept)) - 1);
        }
        (random.bits() & 1) << (self.exponent + self.mantissa) | exponent << self.mantissa | mantissa
    }
}

fn special(random: &mut Random, ty: T) -> u64 {
    let mut pick = |count: usize| random.whole(0, count as i32 - 1) as usize;
    match ty {
        T::F32 | T::TF32 => SINGLES[pick(SINGLES.len())].into(),
        T::F64 => DOUBLES[pick(DOUBLES.len())],
        T::F16 => HALVES[pick(HALVES.len())].into(),
        T::BF16 => BRAINS[pick(BRAINS.len())].into(),
        T::F16x2 => u64::from(HALVES[pick(HALVES.len())]) << 16 | u64::from(HALVES[pick(HALVES.len())]),
        T::BF16x2 => u64::from(BRAINS[pick(BRAINS.len())]) << 16 | u64::from(BRAINS[pick(BRAINS.len())]),
        T::U16x2 | T::S16x2 => INTEGERS[pick(INTEGERS.len())] << 16 | INTEGERS[pick(INTEGERS.len())] & 0xffff,
        _ => INTEGERS[pick(INTEGERS.len())],
    }
}

fn moderate(random: &mut Random, ty: T) -> u64 {
    if let T::F16x2 | T::BF16x2 = ty {
        let half = if ty == T::F16x2 { T::F16 } else { T::BF16 };
        return moderate(random, half) << 16 | moderate(random, half);
    }
    if let Some(layout) = Layout::of(ty) {
        return match random.whole(0, 3) {
            0 => layout.number(random, -40, 70),
            1 => layout.number(random, -1100, 1100),
            _ => layout.number(random, -3, 3),
        };
    }
    match random.whole(0, 3) {
        0 => random.whole(0, 72) as u64,
        1 => (random.bits() >> random.whole(0, 63)).wrapping_neg(),
        _ => random.bits() >> random.whole(0, 63),
    }
}

/// A value close to `of` or to its opposite.
fn related(random: &mut Random, ty: T, of: u64) -> u64 {
    let near = of.wrapping_add(random.whole(-2, 2) as u64);
    match (random.whole(0, 2), ty.is_float()) {
        (0, true) => near ^ 1 << (ty.bits() - 1),
        (0, false) => near.wrapping_neg(),
        (1, _) => of,
        _ => near,
    }
}

fn lane(random: &mut Random, types: &[T], tuple: usize) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::with_capacity(types.len());
    let odd_one = random.whole(0, types.len().max(1) as i32 - 1) as usize;
    for (at, &ty) in types.iter().enumerate() {
        let first = values.first().copied();
        let value = match (tuple, first) {
            // Sources of 8-bit floats come as untyped 16 bits: every byte shall occur.
            _ if ty == T::B16 && types.len() == 1 => tuple as u64 | random.bits() << 8 & 0xff00,
            (0..112, _) => special(random, ty),
            (112..144, _) if at == odd_one => special(random, ty),
            (208..232, _) => random.bits(),
            (232.., Some(first)) if types[0] == ty => {
                let product = |a: u64, b: u64| match ty {
                    T::F32 => u64::from((f32::from_bits(a as u32) * f32::from_bits(b as u32)).to_bits()),
                    T::F64 => (f64::from_bits(a) * f64::from_bits(b)).to_bits(),
                    _ => a,
                };
                let of = if at == 2 { product(first, values[1]) } else { first };
                related(random, ty, of)
            }
            _ => moderate(random, ty),
        };
        values.push(if ty.bits() >= 64 { value } else { value & 0xffff_ffff });
    }
    values
}

fn matrix(random: &mut Random, types: &[T], tuple: usize) -> Vec<u64> {
    let mut element = |ty: T| {
        let Some(layout) = Layout::of(ty) else { return random.bits() };
        let (low, high) = match tuple / 32 {
            0..4 => (-3, 3),
            4 => (-14, 14),
            5 => (-1100, 1100),
            6 => (0, 6),
            _ if random.whole(0, 60) == 0 => return special(random, ty),
            _ => (-2, 2),
        };
        layout.number(random, low, high)
    };
    let each = types.iter().map(|&ty| match ty {
        T::F16x2 => element(T::F16) << 16 | element(T::F16),
        T::BF16x2 => element(T::BF16) << 16 | element(T::BF16),
        _ => element(ty),
    });
    each.collect()
}

/// The operands of all threads: one row of [`THREADS`] values per source.
pub fn rows(style: Style, types: &[T]) -> Vec<Vec<u64>> {
    let seed = types.iter().fold(style as u64 + 1, |seed, &ty| seed.wrapping_mul(0x1_0000_01b3) ^ (ty as u64 + 17));
    let mut random = Random::new(seed);
    let mut rows = vec![Vec::with_capacity(THREADS); types.len()];
    for tuple in 0..THREADS {
        let values = match style {
            Style::Lane => lane(&mut random, types, tuple),
            Style::Matrix => matrix(&mut random, types, tuple),
        };
        for (row, value) in rows.iter_mut().zip(values) {
            row.push(value);
        }
    }
    rows
}
