//! Scalar and packed video instructions (manual 9.7.18): integer operations on bytes, halves and words that the
//! operands' selectors pick (`%r1.b0`, `%r2.h10`).
//!
//! No GPU since Maxwell has the scalar ones. ptxas 13.0.88 replaces them by other instructions, and what those compute
//! is not always what the manual says: where results do not fit, and in the upper half of a destination. This computes
//! the same, as read from the machine code for `sm_90`; an H200's results of all forms agree.

mod decode;

pub(super) use decode::decode;

/// One video instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Scalar {
        kind: Kind,
        signed: bool,
        a: Part,
        b: Part,
        sat: bool,
        second: Second,
        /// The part of the destination that is written; the rest comes from the third source.
        merge: Option<Lane>,
    },
    Mad {
        a: Part,
        b: Part,
        plus_one: bool,
        negate_product: bool,
        negate_c: bool,
        sat: bool,
        scale: u8,
    },
    Packed {
        kind: Kind,
        /// Four bytes rather than two halves.
        quad: bool,
        signed: bool,
        a_signed: bool,
        b_signed: bool,
        sat: bool,
        /// Results are added to the third source rather than placed beside its elements.
        accumulate: bool,
        mask: u8,
        /// Which element of the pair of `a` and `b` each lane takes: four bits a lane.
        a_elements: u16,
        b_elements: u16,
    },
}

/// What is done with two elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Add,
    Sub,
    AbsDiff,
    Min,
    Max,
    Average,
    ShiftLeft { clamp: bool },
    ShiftRight { clamp: bool },
    Set(Comparison),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

const COMPARISONS: [(&str, Comparison); 6] = [
    ("eq", Comparison::Eq),
    ("ne", Comparison::Ne),
    ("lt", Comparison::Lt),
    ("le", Comparison::Le),
    ("gt", Comparison::Gt),
    ("ge", Comparison::Ge),
];

/// What is done with the result of a scalar instruction and the third source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Second {
    Nothing,
    Add,
    Min,
    Max,
}

/// A source of a scalar instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    signed: bool,
    lane: Lane,
}

/// A part of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    Word,
    Byte(u8),
    Half(u8),
}

impl Lane {
    /// Position of its lowest bit, and its width.
    const fn span(self) -> (u32, u32) {
        match self {
            Self::Word => (0, 32),
            Self::Byte(index) => (index as u32 * 8, 8),
            Self::Half(index) => (index as u32 * 16, 16),
        }
    }

    fn parse(selector: &str) -> Option<Self> {
        const LANES: [(&str, Lane); 6] = [
            ("b0", Lane::Byte(0)),
            ("b1", Lane::Byte(1)),
            ("b2", Lane::Byte(2)),
            ("b3", Lane::Byte(3)),
            ("h0", Lane::Half(0)),
            ("h1", Lane::Half(1)),
        ];
        LANES.iter().find(|lane| lane.0 == selector).map(|lane| lane.1)
    }
}

/// What stands at the operands of a video instruction besides their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Selectors<'a> {
    /// Behind the dot of the destination: the part that is written.
    pub dst: Option<&'a str>,
    /// Behind the dot of the first source.
    pub a: Option<&'a str>,
    /// Behind the dot of the second source.
    pub b: Option<&'a str>,
    /// Whether a minus stands before each of the three sources; only `vmad` allows that.
    pub negate: [bool; 3],
}

impl Op {
    pub(super) fn eval(self, [a, b, c, _]: [u64; 4]) -> u64 {
        match self {
            Self::Scalar { kind, signed, a: pa, b: pb, sat, second, merge } => {
                let result = kind.apply(pa.of(a), pb.of(b));
                let (shift, width) = merge.unwrap_or(Lane::Word).span();
                let result = if sat { saturate(kind, result, width, signed) } else { result };
                // Some results come to the secondary operation cut to 32 bits, extended with their sign whatever their
                // type; others as they are. `vset` names no type of its own.
                let word = match kind {
                    Kind::Add | Kind::Sub => i64::from(result as i32),
                    Kind::ShiftLeft { .. } | Kind::ShiftRight { .. } if sat => i64::from(result as i32),
                    _ => result,
                };
                let signed = if let Kind::Set(_) = kind { pa.signed } else { signed };
                let third = extend(c, 0, 32, signed);
                let less = if signed { word < third } else { (word as u64) < third as u64 };
                let whole = match second {
                    Second::Nothing => word,
                    Second::Add => word.wrapping_add(third),
                    Second::Min => {
                        if less {
                            word
                        } else {
                            third
                        }
                    }
                    Second::Max => {
                        if less {
                            third
                        } else {
                            word
                        }
                    }
                };
                let field = ((1_u64 << width) - 1) << shift;
                let kept = if merge.is_some() { c & 0xffff_ffff & !field } else { 0 };
                // The upper half of the destination gets the upper half of the result.
                let place = if merge == Some(Lane::Half(1)) { 0 } else { shift };
                kept | (whole as u64) << place & field
            }
            Self::Mad { a: pa, b: pb, plus_one, negate_product, negate_c, sat, scale } => {
                let signed = pa.signed || pb.signed || negate_product || negate_c;
                // A whole word is taken as signed whatever its type. Sums wrap at 64 bits.
                let factor = |part: Part, word: u64| match part.lane {
                    Lane::Word => i64::from(word as i32),
                    _ => part.of(word),
                };
                let product = factor(pa, a).wrapping_mul(factor(pb, b));
                let c = i64::from(c as i32);
                let product = if negate_product { product.wrapping_neg() } else { product };
                let c = if negate_c { -c } else { c };
                let sum = product.wrapping_add(c).wrapping_add(i64::from(plus_one));
                let sum = if signed { sum >> scale } else { (sum as u64 >> scale) as i64 };
                let (least, greatest) = limits(32, signed);
                let sum = if sat { sum.clamp(least, greatest) } else { sum };
                sum as u64 & 0xffff_ffff
            }
            Self::Packed { kind, quad, signed, a_signed, b_signed, sat, accumulate, mask, a_elements, b_elements } => {
                let (count, width) = if quad { (4, 8) } else { (2, 16) };
                let pair = (b & 0xffff_ffff) << 32 | a & 0xffff_ffff;
                let element = |lane: u32, elements: u16, signed: bool| {
                    extend(pair, u32::from(elements >> (4 * lane) & 0xf) * width, width, signed)
                };
                let field = (1_u64 << width) - 1;
                let mut out = if accumulate { c } else { 0 };
                for lane in 0..count {
                    let chosen = mask >> lane & 1 == 1;
                    let result = kind.apply(element(lane, a_elements, a_signed), element(lane, b_elements, b_signed));
                    let result = if sat { clamp(result, width, signed) } else { result };
                    if accumulate {
                        out = out.wrapping_add(if chosen { result as u64 } else { 0 });
                    } else {
                        let kept = c >> (lane * width);
                        out |= (if chosen { result as u64 } else { kept } & field) << (lane * width);
                    }
                }
                out & 0xffff_ffff
            }
        }
    }
}

impl Part {
    /// The selected part, extended by its type.
    fn of(self, word: u64) -> i64 {
        let (shift, width) = self.lane.span();
        extend(word, shift, width, self.signed)
    }
}

/// `width` bits of `word` from bit `shift` on.
const fn extend(word: u64, shift: u32, width: u32, signed: bool) -> i64 {
    let up = word << (64 - width - shift);
    if signed { up as i64 >> (64 - width) } else { (up >> (64 - width)) as i64 }
}

const fn limits(width: u32, signed: bool) -> (i64, i64) {
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

/// What `.sat` makes of the result of a scalar instruction with a destination of `width` bits.
fn saturate(kind: Kind, result: i64, width: u32, signed: bool) -> i64 {
    match (kind, width) {
        // 34 bits are kept, the destination's part does not matter.
        (Kind::ShiftLeft { .. } | Kind::ShiftRight { .. }, _) => clamp(extend(result as u64, 0, 34, true), 32, signed),
        (_, 32) if signed => clamp(result, 32, true),
        // Nothing is too great.
        (_, 32) => {
            if result < 0 {
                0
            } else {
                result
            }
        }
        // Bytes and halves: what is negative counts as too great.
        _ => {
            let (_, greatest) = limits(width, signed);
            if (0..=greatest).contains(&result) { result } else { greatest }
        }
    }
}

fn clamp(value: i64, width: u32, signed: bool) -> i64 {
    let (least, greatest) = limits(width, signed);
    value.clamp(least, greatest)
}

impl Kind {
    fn apply(self, a: i64, b: i64) -> i64 {
        let amount = |clamp: bool| if clamp { b.min(32) } else { b & 31 };
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::AbsDiff => (a - b).abs(),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            // Rounds up, but a negative sum down.
            Self::Average => (a + b + i64::from(a + b >= 0)) >> 1,
            Self::ShiftLeft { clamp } => a << amount(clamp),
            Self::ShiftRight { clamp } => a >> amount(clamp),
            Self::Set(comparison) => i64::from(match comparison {
                Comparison::Eq => a == b,
                Comparison::Ne => a != b,
                Comparison::Lt => a < b,
                Comparison::Le => a <= b,
                Comparison::Gt => a > b,
                Comparison::Ge => a >= b,
            }),
        }
    }
}
