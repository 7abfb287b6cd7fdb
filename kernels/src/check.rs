//! Holding a result against its reference: element types, tolerances, and what counts as wrong.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The type of a buffer's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// 8-bit unsigned integer, CUDA's `unsigned char`.
    U8,
    /// 32-bit signed integer, CUDA's `int`.
    I32,
    /// 32-bit unsigned integer, CUDA's `unsigned int`.
    U32,
    /// 64-bit unsigned integer, CUDA's `unsigned long long`.
    U64,
    /// IEEE 754 binary32, CUDA's `float`.
    F32,
    /// IEEE 754 binary64, CUDA's `double`.
    F64,
}

impl Element {
    /// Size of an element, in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::U64 | Self::F64 => 8,
        }
    }

    /// The element's value; 64-bit integers are rounded to 53 bits, which only a tolerance sees.
    fn value(self, bytes: &[u8]) -> f64 {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        match self {
            Self::U8 | Self::U32 | Self::U64 => bits as f64,
            Self::I32 => (bits as u32 as i32).into(),
            Self::F32 => f32::from_bits(bits as u32).into(),
            Self::F64 => f64::from_bits(bits),
        }
    }

    /// The element as a person reads it.
    fn show(self, bytes: &[u8]) -> String {
        match self {
            // Not by way of f64, which would print digits that the type does not have.
            Self::F32 => (self.value(bytes) as f32).to_string(),
            Self::U64 => u64::from_le_bytes(bytes.try_into().unwrap_or_default()).to_string(),
            _ => self.value(bytes).to_string(),
        }
    }

    /// Sorts the elements of a buffer by their bytes: two buffers with the same elements become equal.
    fn sorted(self, buffer: &[u8]) -> Vec<u8> {
        let mut elements: Vec<&[u8]> = buffer.chunks(self.bytes()).collect();
        elements.sort_unstable();
        elements.concat()
    }
}

/// How far a result may be from the reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tolerance {
    /// Every element equals the reference.
    Exact,
    /// The elements are those of the reference, in any order.
    AnyOrder {
        /// Why the order is not determined.
        reason: String,
    },
    /// No element is further than `bound` from the reference.
    Absolute {
        /// The largest difference allowed.
        bound: f64,
        /// Where the bound comes from.
        reason: String,
    },
    /// No element is further than `bound` times the reference's magnitude from the reference.
    Relative {
        /// The largest relative difference allowed.
        bound: f64,
        /// Where the bound comes from.
        reason: String,
    },
}

impl Tolerance {
    /// The largest difference allowed from a reference value.
    fn allowed(&self, reference: f64) -> f64 {
        match self {
            Self::Exact | Self::AnyOrder { .. } => 0.0,
            Self::Absolute { bound, .. } => *bound,
            Self::Relative { bound, .. } => bound * reference.abs(),
        }
    }
}

/// What a buffer must hold after the last launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The buffer's name.
    pub buffer: &'static str,
    /// The type of its elements.
    pub element: Element,
    /// The CPU reference, little-endian. An element of [`POISON`] bytes is one that nobody may write.
    pub reference: Vec<u8>,
    /// How far the result may be from it.
    pub tolerance: Tolerance,
}

/// The outcome of holding a result against its reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Whether every element is within its tolerance.
    pub right: bool,
    /// Number of elements that are not.
    pub wrong: u64,
    /// The largest finite difference from the reference.
    pub max_error: f64,
    /// The first wrong element, in a sentence.
    pub first: Option<String>,
}

impl Check {
    /// The check of a case with several outputs: right when all are.
    pub fn all(checks: impl IntoIterator<Item = Self>) -> Self {
        let nothing = Self { right: true, wrong: 0, max_error: 0.0, first: None };
        checks.into_iter().fold(nothing, |sum, check| Self {
            right: sum.right && check.right,
            wrong: sum.wrong + check.wrong,
            max_error: sum.max_error.max(check.max_error),
            first: sum.first.or(check.first),
        })
    }
}

/// The byte that outputs are filled with before a launch: a missing write leaves NaN, -1 or 255 behind.
pub const POISON: u8 = 0xff;

impl Expected {
    /// Holds a result against the reference.
    pub fn check(&self, actual: &[u8]) -> Check {
        let (name, total) = (self.buffer, self.reference.len() / self.element.bytes());
        if actual.len() != self.reference.len() {
            let (got, need) = (actual.len(), self.reference.len());
            let first = format!("`{name}` has {got} bytes after the launch, not {need}");
            return Check { right: false, wrong: total as u64, max_error: 0.0, first: Some(first) };
        }
        let sorted = if matches!(self.tolerance, Tolerance::AnyOrder { .. }) { "sorted " } else { "" };
        self.compare(&self.settled(actual), &self.settled(&self.reference), sorted)
    }

    /// What of a result is determined: its bytes, or its elements in sorted order when they may come in any.
    pub(crate) fn settled<'a>(&self, actual: &'a [u8]) -> Cow<'a, [u8]> {
        match &self.tolerance {
            Tolerance::AnyOrder { .. } => Cow::Owned(self.element.sorted(actual)),
            _ => Cow::Borrowed(actual),
        }
    }

    fn compare(&self, actual: &[u8], reference: &[u8], sorted: &str) -> Check {
        let (name, size) = (self.buffer, self.element.bytes());
        let mut check = Check { right: true, wrong: 0, max_error: 0.0, first: None };
        let pairs = actual.chunks(size).zip(reference.chunks(size)).enumerate();
        for (index, (got, reference)) in pairs.filter(|(_, (got, reference))| got != reference) {
            let value = self.element.value(reference);
            let error = (self.element.value(got) - value).abs();
            if error.is_finite() {
                check.max_error = check.max_error.max(error);
            }
            let exact = matches!(self.tolerance, Tolerance::Exact | Tolerance::AnyOrder { .. });
            // 64-bit integers can differ although their rounded values do not. A NaN compares as neither, and is wrong.
            let rounded = exact && self.element == Element::U64;
            if rounded || !matches!(error.partial_cmp(&self.tolerance.allowed(value)), Some(order) if order.is_le()) {
                check.right = false;
                check.wrong += 1;
                check.first.get_or_insert_with(|| {
                    let untouched = got.iter().all(|&byte| byte == POISON);
                    let poison = if untouched { ", as before the launch: it was not written" } else { "" };
                    let wanted = match reference.iter().all(|&byte| byte == POISON) {
                        true => "what was there before, which must not be overwritten".to_owned(),
                        false => self.element.show(reference),
                    };
                    let got = self.element.show(got);
                    format!("element {index} of {sorted}`{name}` is {got}{poison}; expected {wanted}")
                });
            }
        }
        check
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    fn expected(values: &[f32], tolerance: Tolerance) -> Expected {
        Expected { buffer: "out", element: Element::F32, reference: floats(values), tolerance }
    }

    fn exact(element: Element, reference: &[u8]) -> Expected {
        Expected { buffer: "out", element, reference: reference.to_vec(), tolerance: Tolerance::Exact }
    }

    #[test]
    fn a_tolerance_is_held_at_its_edge() {
        let bound = Tolerance::Absolute { bound: 0.5, reason: "test".to_owned() };
        let check = expected(&[1.0, 2.0], bound).check(&floats(&[1.5, 2.75]));
        assert_eq!((check.right, check.wrong, check.max_error), (false, 1, 0.75));
        assert_eq!(check.first.unwrap(), "element 1 of `out` is 2.75; expected 2");
        let relative = Tolerance::Relative { bound: 0.25, reason: "test".to_owned() };
        assert!(expected(&[-8.0], relative.clone()).check(&floats(&[-6.0])).right);
        assert!(!expected(&[-8.0], relative).check(&floats(&[-5.0])).right);
        assert!(!expected(&[0.0], Tolerance::Exact).check(&floats(&[f32::MIN_POSITIVE])).right);
        assert!(expected(&[0.0], Tolerance::Exact).check(&floats(&[-0.0])).right, "equal, as numbers");
    }

    #[test]
    fn a_missing_write_and_a_short_buffer_are_wrong() {
        let wide = Tolerance::Absolute { bound: f64::INFINITY, reason: "test".to_owned() };
        let check = expected(&[1.0], wide.clone()).check(&[POISON; 4]);
        assert!(!check.right && check.max_error == 0.0);
        assert!(check.first.unwrap().contains("it was not written"));
        assert!(!expected(&[1.0, 2.0], wide).check(&floats(&[1.0])).right);
    }

    #[test]
    fn what_nobody_may_write_stays_as_it_was() {
        let tail = exact(Element::F32, &[POISON; 4]);
        assert!(tail.check(&[POISON; 4]).right);
        assert!(tail.check(&floats(&[0.0])).first.unwrap().contains("must not be overwritten"));
    }

    #[test]
    fn integers_are_compared_as_integers() {
        assert!(exact(Element::I32, &(-1i32).to_le_bytes()).check(&[0xff; 4]).right);
        let check = exact(Element::U32, &7u32.to_le_bytes()).check(&[0xff; 4]);
        assert_eq!(check.max_error, f64::from(u32::MAX - 7));
        assert!(check.first.unwrap().starts_with("element 0 of `out` is 4294967295"));
        let big = u64::MAX - 1;
        let check = exact(Element::U64, &big.to_le_bytes()).check(&(big - 1).to_le_bytes());
        assert_eq!((check.wrong, check.max_error), (1, 0.0), "a difference of one beyond 2^53");
        assert!(check.first.unwrap().contains("is 18446744073709551613; expected 18446744073709551614"));
        assert_eq!(exact(Element::U8, &[1, 2, 3]).check(&[1, 9, 9]).wrong, 2);
    }

    #[test]
    fn any_order_means_the_same_elements_as_often() {
        let tolerance = Tolerance::AnyOrder { reason: "test".to_owned() };
        let expected = expected(&[1.0, 2.0, 2.0], tolerance);
        assert!(expected.check(&floats(&[2.0, 1.0, 2.0])).right);
        assert!(!expected.check(&floats(&[2.0, 1.0, 1.0])).right);
    }
}
