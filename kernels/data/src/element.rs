//! The types that arguments and buffers are made of, and their values as people write them.

use half::{bf16, f16};

use crate::expression::{self, Names, Number};

/// A type of CUDA C++, by the name it has in a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the variants are the types they are named after")]
pub enum Element {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    Bf16,
    F32,
    F64,
}

/// Every type, with its name.
const NAMES: &[(&str, Element)] = &[
    ("bool", Element::Bool),
    ("i8", Element::I8),
    ("u8", Element::U8),
    ("i16", Element::I16),
    ("u16", Element::U16),
    ("i32", Element::I32),
    ("u32", Element::U32),
    ("i64", Element::I64),
    ("u64", Element::U64),
    ("f16", Element::F16),
    ("bf16", Element::Bf16),
    ("f32", Element::F32),
    ("f64", Element::F64),
];

/// What C++ and PTX call them.
const OTHER_NAMES: &[(&str, Element)] = &[
    ("char", Element::I8),
    ("signed char", Element::I8),
    ("int8_t", Element::I8),
    ("s8", Element::I8),
    ("unsigned char", Element::U8),
    ("uchar", Element::U8),
    ("uint8_t", Element::U8),
    ("short", Element::I16),
    ("int16_t", Element::I16),
    ("s16", Element::I16),
    ("unsigned short", Element::U16),
    ("ushort", Element::U16),
    ("uint16_t", Element::U16),
    ("int", Element::I32),
    ("int32_t", Element::I32),
    ("s32", Element::I32),
    ("unsigned", Element::U32),
    ("unsigned int", Element::U32),
    ("uint", Element::U32),
    ("uint32_t", Element::U32),
    ("long", Element::I64),
    ("long long", Element::I64),
    ("longlong", Element::I64),
    ("int64_t", Element::I64),
    ("ptrdiff_t", Element::I64),
    ("s64", Element::I64),
    ("unsigned long", Element::U64),
    ("unsigned long long", Element::U64),
    ("ulonglong", Element::U64),
    ("ulong", Element::U64),
    ("uint64_t", Element::U64),
    ("size_t", Element::U64),
    ("half", Element::F16),
    ("__half", Element::F16),
    ("__nv_bfloat16", Element::Bf16),
    ("nv_bfloat16", Element::Bf16),
    ("float", Element::F32),
    ("double", Element::F64),
];

impl Element {
    /// The type called `name`, here, in C++ or in PTX.
    pub fn find(name: &str) -> Option<Self> {
        let here = NAMES.iter().chain(OTHER_NAMES).find(|(known, _)| *known == name);
        here.map(|(_, element)| *element)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, element)| *element == self).map_or("", |(name, _)| name)
    }

    /// The names of all types, for messages.
    pub fn names() -> String {
        NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
    }

    /// Size in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub const fn is_real(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// Smallest and largest value of a whole-number type.
    const fn range(self) -> (i128, i128) {
        match self {
            Self::Bool => (0, 1),
            Self::I8 => (i8::MIN as i128, i8::MAX as i128),
            Self::U8 => (0, u8::MAX as i128),
            Self::I16 => (i16::MIN as i128, i16::MAX as i128),
            Self::U16 => (0, u16::MAX as i128),
            Self::I32 => (i32::MIN as i128, i32::MAX as i128),
            Self::U32 => (0, u32::MAX as i128),
            Self::I64 => (i64::MIN as i128, i64::MAX as i128),
            _ => (0, u64::MAX as i128),
        }
    }

    /// Reads a value, such as `-5`, `0xff`, `1e-3` or `inf`, and gives its little-endian bytes.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn parse(self, text: &str) -> Result<Vec<u8>, String> {
        let text = text.trim();
        if self.is_real() {
            let value: f64 =
                text.parse().map_err(|_| format!("`{text}` is not a number (needed for {})", self.name()))?;
            // Through double precision, a decimal fraction could be rounded twice.
            return Ok(match self {
                Self::F32 => text.parse::<f32>().unwrap_or(value as f32).to_le_bytes().to_vec(),
                _ => self.of_real(value),
            });
        }
        let whole = match text {
            "true" => 1,
            "false" => 0,
            _ => whole(text).ok_or_else(|| format!("`{text}` is not a whole number (needed for {})", self.name()))?,
        };
        let (low, high) = self.range();
        if whole < low || whole > high {
            return Err(format!("{text} does not fit into {}", self.name()));
        }
        Ok(self.of_whole(whole))
    }

    /// Reads a value that may be an expression: `n`, `2*n+1`, `1e-3`.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn evaluate(self, text: &str, names: &Names) -> Result<Vec<u8>, String> {
        // What is wrong with a plain number is best said of it itself.
        if !text.contains(|c: char| c.is_ascii_alphabetic() || matches!(c, '*' | '/' | '+' | '(')) {
            return self.parse(text);
        }
        self.parse(text).or_else(|_| self.of_number(expression::evaluate(text, names)?))
    }

    /// Reads a value as C converts it to the type of a parameter: a negative number may be given for an unsigned one.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn convert(self, text: &str, names: &Names) -> Result<Vec<u8>, String> {
        self.evaluate(text, names).or_else(|why| {
            let whole = expression::evaluate(text, names).ok().and_then(Number::whole);
            let half = 1i128 << (8 * self.bytes() - 1);
            match whole.filter(|whole| !self.is_real() && self != Self::Bool && (-half..2 * half).contains(whole)) {
                Some(whole) => Ok(self.of_whole(whole)),
                None => Err(why),
            }
        })
    }

    /// The bytes of a number.
    ///
    /// # Errors
    /// A sentence for the user, when the type cannot hold it.
    pub fn of_number(self, number: Number) -> Result<Vec<u8>, String> {
        match number.whole() {
            Some(whole) if !self.is_real() => {
                let (low, high) = self.range();
                let fits = whole >= low && whole <= high;
                fits.then(|| self.of_whole(whole)).ok_or_else(|| format!("{whole} does not fit into {}", self.name()))
            }
            None if !self.is_real() => Err(format!("{number} is no whole number (needed for {})", self.name())),
            _ => Ok(self.of_real(number.real())),
        }
    }

    /// The bytes of a whole number, cut to the type's size as a conversion in C does it.
    pub fn of_whole(self, value: i128) -> Vec<u8> {
        if self.is_real() { self.of_real(value as f64) } else { value.to_le_bytes()[..self.bytes()].to_vec() }
    }

    /// The bytes of a real number, rounded to the type (to zero for whole-number types).
    pub fn of_real(self, value: f64) -> Vec<u8> {
        match self {
            Self::F16 => f16::from_f64(value).to_le_bytes().to_vec(),
            Self::Bf16 => bf16::from_f64(value).to_le_bytes().to_vec(),
            Self::F32 => (value as f32).to_le_bytes().to_vec(),
            Self::F64 => value.to_le_bytes().to_vec(),
            _ => self.of_whole(value as i128),
        }
    }

    /// The value of an element's bytes. Whole numbers beyond 2^53 lose their last digits.
    ///
    /// # Panics
    /// When there are not as many bytes as the type has.
    pub fn value(self, bytes: &[u8]) -> f64 {
        match self {
            Self::F16 => f16::from_le_bytes([bytes[0], bytes[1]]).to_f64(),
            Self::Bf16 => bf16::from_le_bytes([bytes[0], bytes[1]]).to_f64(),
            Self::F32 => f32::from_le_bytes(bytes.try_into().expect("four bytes")).into(),
            Self::F64 => f64::from_le_bytes(bytes.try_into().expect("eight bytes")),
            _ => self.whole(bytes) as f64,
        }
    }

    fn whole(self, bytes: &[u8]) -> i128 {
        let mut wide = [0; 16];
        wide[..self.bytes()].copy_from_slice(bytes);
        let bits = self.bytes() as u32 * 8;
        let value = i128::from_le_bytes(wide);
        if self.range().0 < 0 { value << (128 - bits) >> (128 - bits) } else { value }
    }

    /// The element as a person reads it.
    pub fn show(self, bytes: &[u8]) -> String {
        match self {
            Self::F32 => format!("{}", f32::from_le_bytes(bytes.try_into().expect("four bytes"))),
            _ if self.is_real() => format!("{}", self.value(bytes)),
            _ => self.whole(bytes).to_string(),
        }
    }
}

/// A whole number, decimal or hexadecimal, with or without a sign.
fn whole(text: &str) -> Option<i128> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let digits = digits.replace('_', "");
    let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok()?,
        None => return None,
    };
    if negative { number.checked_neg() } else { Some(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_type() {
        assert_eq!(Element::I8.parse("-128"), Ok(vec![0x80]));
        assert_eq!(Element::U16.parse("0xFFFF"), Ok(vec![0xff, 0xff]));
        assert_eq!(Element::Bool.parse("true"), Ok(vec![1]));
        assert_eq!(Element::F16.parse("1"), Ok(vec![0, 0x3c]));
        assert_eq!(Element::Bf16.parse("-2"), Ok(vec![0, 0xc0]));
        assert_eq!(Element::F32.parse("1e-3"), Ok(1e-3f32.to_le_bytes().to_vec()));
        assert_eq!(Element::F64.parse("inf"), Ok(f64::INFINITY.to_le_bytes().to_vec()));
        for (element, text, part) in [
            (Element::I8, "128", "does not fit"),
            (Element::U32, "-1", "does not fit"),
            (Element::I32, "1.5", "not a whole number"),
            (Element::F32, "x", "not a number"),
            (Element::Bool, "2", "does not fit"),
        ] {
            assert!(element.parse(text).unwrap_err().contains(part), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for (name, element) in NAMES {
            let bytes = element.parse("1").unwrap();
            assert_eq!((bytes.len(), element.value(&bytes)), (element.bytes(), 1.0), "{name}");
            assert_eq!((element.show(&bytes).as_str(), Element::find(name)), ("1", Some(*element)));
        }
        assert_eq!(Element::I16.show(&Element::I16.parse("-3").unwrap()), "-3");
    }

    #[test]
    fn values_may_be_expressions() {
        let names = crate::testing::names();
        assert_eq!(Element::I32.evaluate("2*n+1", &names), Element::I32.parse("2001"));
        assert_eq!(Element::F32.evaluate("n/3", &names), Element::F32.parse("333.33333333333"));
        assert_eq!(Element::F64.evaluate("1e300", &names), Element::F64.parse("1e300"));
        assert!(Element::I8.evaluate("n", &names).unwrap_err().contains("1000 does not fit into i8"));
        assert_eq!(Element::U8.convert("-1", &names), Ok(vec![255]));
        assert!(Element::U8.convert("-129", &names).unwrap_err().contains("does not fit"));
    }
}
