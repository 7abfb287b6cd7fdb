//! Large arrays: made by all cores, and held against what a GPU wrote by all cores.
//!
//! A case's [`crate::check::Expected`] keeps bytes and looks at them one element after the other, which is right for
//! thousands of elements and would take minutes for the billions of a bench.

use bytemuck::{Pod, cast_slice};
use rayon::prelude::*;

use crate::check::{POISON, Tolerance};
use crate::random::Random;

/// Elements that are made with one stream of random numbers: the result does not depend on the number of cores.
const CHUNK: usize = 1 << 16;

/// An array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Bytes.
    U8(Vec<u8>),
    /// 16-bit unsigned integers.
    U16(Vec<u16>),
    /// 32-bit signed integers.
    I32(Vec<i32>),
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// IEEE 754 binary32.
    F32(Vec<f32>),
    /// IEEE 754 binary64.
    F64(Vec<f64>),
}

/// Does the same with whatever an array holds.
macro_rules! each {
    ($values:expr, $of:ident => $do:expr) => {
        match $values {
            Values::U8($of) => $do,
            Values::U16($of) => $do,
            Values::I32($of) => $do,
            Values::U32($of) => $do,
            Values::F32($of) => $do,
            Values::F64($of) => $do,
        }
    };
}

impl Values {
    /// The bytes, in the order of this machine, which is a GPU's.
    pub fn bytes(&self) -> &[u8] {
        each!(self, values => cast_slice(values))
    }
}

macro_rules! from {
    ($($variant:ident $type:ty),*) => {
        $(impl From<Vec<$type>> for Values {
            fn from(values: Vec<$type>) -> Self {
                Self::$variant(values)
            }
        })*
    };
}
from!(U8 u8, U16 u16, I32 i32, U32 u32, F32 f32, F64 f64);

/// `count` numbers, the i-th made by `make` of i and of a stream of random numbers. The same seed gives the same.
pub fn generate<T: Pod + Send + Sync>(
    seed: u64,
    count: usize,
    make: impl Fn(&mut Random, usize) -> T + Sync,
) -> Vec<T> {
    let mut values = vec![T::zeroed(); count];
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, values)| {
        // Streams that begin at neighbouring states would overlap; the first output of each is far from the others.
        let mut random = Random::new(Random::new(seed.wrapping_add(chunk as u64)).bits());
        for (i, value) in values.iter_mut().enumerate() {
            *value = make(&mut random, chunk * CHUNK + i);
        }
    });
    values
}

/// What must be in a buffer at the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// The buffer's name.
    pub buffer: &'static str,
    /// Its first elements. What follows must be as it was before the first launch: [`POISON`].
    pub values: Values,
    /// How far a result may be from them.
    pub tolerance: Tolerance,
}

impl Reference {
    /// A buffer that must begin with exactly these numbers.
    pub fn exact(buffer: &'static str, values: impl Into<Values>) -> Self {
        Self { buffer, values: values.into(), tolerance: Tolerance::Exact }
    }

    /// Holds a buffer's bytes against the reference; with `unordered`, its elements may come in any order.
    ///
    /// # Errors
    /// The first wrong element, in a sentence.
    ///
    /// # Panics
    /// When `got` does not begin at a multiple of an element's size.
    pub fn check(&self, got: &[u8], unordered: bool) -> Result<(), String> {
        let name = self.buffer;
        let need = self.values.bytes().len();
        let Some((head, tail)) = got.split_at_checked(need) else {
            return Err(format!("`{name}` has {} bytes and should have {need}", got.len()));
        };
        let unordered = unordered || matches!(self.tolerance, Tolerance::AnyOrder { .. });
        each!(&self.values, values => {
            let got = cast_slice(head);
            if unordered { same_elements(name, got, values) } else { compare(name, got, values, &self.tolerance) }
        })?;
        match tail.par_iter().position_first(|&byte| byte != POISON) {
            Some(at) => {
                Err(format!("byte {} of `{name}` was written, and nothing may be behind the result", need + at))
            }
            None => Ok(()),
        }
    }
}

/// A number that can be compared within a tolerance.
trait Number: Pod + Send + Sync + PartialEq + std::fmt::Display {
    /// The number, exactly: none here has more than 53 bits.
    fn value(self) -> f64;
}

macro_rules! number {
    ($($type:ty)*) => { $(impl Number for $type {
        fn value(self) -> f64 { f64::from(self) }
    })* };
}
number!(u8 u16 i32 u32 f32 f64);

fn compare<T: Number>(name: &str, got: &[T], wanted: &[T], tolerance: &Tolerance) -> Result<(), String> {
    let allowed = |wanted: f64| match tolerance {
        Tolerance::Exact | Tolerance::AnyOrder { .. } => 0.0,
        Tolerance::Absolute { bound, .. } => *bound,
        Tolerance::Relative { bound, .. } => bound * wanted.abs(),
    };
    let is_wrong = |(&got, &wanted): (&T, &T)| {
        // A difference that is not a number is not within any tolerance.
        got != wanted
            && !matches!((got.value() - wanted.value()).abs().partial_cmp(&allowed(wanted.value())),
            Some(order) if order.is_le())
    };
    let chunks = got.par_chunks(CHUNK).zip(wanted.par_chunks(CHUNK)).enumerate();
    let first = chunks.find_map_first(|(chunk, (got, wanted))| {
        // Most chunks are equal byte by byte, and finding that out is as fast as reading them.
        let (got_bytes, wanted_bytes): (&[u8], &[u8]) = (cast_slice(got), cast_slice(wanted));
        if got_bytes == wanted_bytes {
            return None;
        }
        got.iter().zip(wanted).position(|pair| is_wrong((pair.0, pair.1))).map(|at| chunk * CHUNK + at)
    });
    match first {
        Some(i) => Err(format!("element {i} of `{name}` is {}; expected {}", got[i], wanted[i])),
        None => Ok(()),
    }
}

/// Whether two arrays hold the same elements as often, in whatever order: by two sums over a mixed-up form of every
/// element. Two arrays that differ agree in both with a probability of 2^-128.
fn same_elements<T: Number>(name: &str, got: &[T], wanted: &[T]) -> Result<(), String> {
    let sums = |values: &[T]| {
        let of = |value: &T| {
            let bits = value.value().to_bits();
            [Random::new(bits).bits(), Random::new(!bits.rotate_left(17)).bits()]
        };
        let add = |a: [u64; 2], b: [u64; 2]| [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])];
        values.par_chunks(CHUNK).map(|chunk| chunk.iter().map(of).fold([0; 2], add)).reduce(|| [0; 2], add)
    };
    if sums(got) == sums(wanted) {
        return Ok(());
    }
    Err(format!("the elements of `{name}` are not those that were expected, in any order"))
}

/// The sum of all elements before each, by all cores. `add` must give the same in whatever order terms are grouped.
pub fn sums_before<T: Pod + Send + Sync>(input: &[T], add: impl Fn(T, T) -> T + Sync) -> Vec<T> {
    let total = |part: &[T]| part.iter().fold(T::zeroed(), |sum, &x| add(sum, x));
    let totals: Vec<T> = input.par_chunks(CHUNK).map(total).collect();
    let next = |sum: &mut T, part: &T| {
        let before = *sum;
        *sum = add(before, *part);
        Some(before)
    };
    let starts: Vec<T> = totals.iter().scan(T::zeroed(), next).collect();
    let mut sums = vec![T::zeroed(); input.len()];
    let parts = sums.par_chunks_mut(CHUNK).zip(input.par_chunks(CHUNK)).zip(starts);
    parts.for_each(|((out, input), mut sum)| {
        for (out, &x) in out.iter_mut().zip(input) {
            *out = sum;
            sum = add(sum, x);
        }
    });
    sums
}

/// Rows as columns, by all cores: some columns at a time, so that neither side leaves the caches.
pub fn transposed<T: Pod + Send + Sync>(input: &[T], width: usize) -> Vec<T> {
    const COLUMNS: usize = 16;
    let height = input.len() / width.max(1);
    let mut output = vec![T::zeroed(); input.len()];
    output.par_chunks_mut((COLUMNS * height).max(1)).enumerate().for_each(|(chunk, columns)| {
        let first = chunk * COLUMNS;
        for y in 0..height {
            for x in first..width.min(first + COLUMNS) {
                columns[(x - first) * height + y] = input[y * width + x];
            }
        }
    });
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_with_any_number_of_cores() {
        let make = || generate(7, 3 * CHUNK + 5, |random, i| random.bits() as u32 ^ i as u32);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(make);
        assert_eq!(one, make());
        assert_ne!(one[..CHUNK], one[CHUNK..2 * CHUNK]);
        assert_ne!(one, generate(8, one.len(), |random, i| random.bits() as u32 ^ i as u32));
    }

    #[test]
    fn the_first_wrong_element_is_named() {
        let values: Vec<i32> = (0..200_000).collect();
        let reference = Reference::exact("out", values.clone());
        let mut got = values;
        assert_eq!(reference.check(cast_slice(&got), false), Ok(()));
        got[150_000] = -1;
        got[150_001] = -1;
        let error = reference.check(cast_slice(&got), false).unwrap_err();
        assert_eq!(error, "element 150000 of `out` is -1; expected 150000");
        assert!(reference.check(cast_slice(&got[1..]), false).unwrap_err().contains("799996 bytes"));
    }

    #[test]
    fn what_lies_behind_must_be_untouched() {
        let reference = Reference::exact("out", vec![1u8, 2]);
        assert_eq!(reference.check(&[1, 2, POISON, POISON], false), Ok(()));
        assert!(reference.check(&[1, 2, POISON, 0], false).unwrap_err().contains("byte 3"));
    }

    #[test]
    fn any_order_means_the_same_elements_as_often() {
        let reference = Reference::exact("out", vec![1.0f32, 2.0, 2.0]);
        assert_eq!(reference.check(cast_slice(&[2.0f32, 1.0, 2.0]), true), Ok(()));
        assert!(reference.check(cast_slice(&[2.0f32, 1.0, 1.0]), true).is_err());
        assert!(reference.check(cast_slice(&[2.0f32, 1.0, 2.0]), false).is_err());
    }

    #[test]
    fn tolerances_hold_and_nan_is_wrong() {
        let tolerance = Tolerance::Absolute { bound: 0.5, reason: "test".to_owned() };
        let reference = Reference { buffer: "out", values: vec![1.0f64, 2.0].into(), tolerance };
        assert_eq!(reference.check(cast_slice(&[1.5f64, 2.0]), false), Ok(()));
        assert!(reference.check(cast_slice(&[1.75f64, 2.0]), false).is_err());
        assert!(reference.check(cast_slice(&[f64::NAN, 2.0]), false).is_err());
    }

    #[test]
    fn all_cores_add_up_as_one_does() {
        let input: Vec<i32> = generate(3, 3 * CHUNK + 1, |random, _| random.bits() as i32);
        let mut one = vec![0i32; input.len()];
        (1..input.len()).for_each(|i| one[i] = one[i - 1].wrapping_add(input[i - 1]));
        assert_eq!(sums_before(&input, i32::wrapping_add), one);
    }

    #[test]
    fn all_cores_transpose_as_one_does() {
        let input: Vec<u32> = (0..37 * 50).collect();
        let one: Vec<u32> = (0..37).flat_map(|x| (0..50).map(move |y| y * 37 + x)).collect();
        assert_eq!(transposed(&input, 37), one);
        assert!(transposed::<u32>(&[], 1).is_empty());
    }
}
