//! Are the results right? Buffers beside what they must hold.

use serde::Serialize;

use super::element::Element;

/// A buffer beside what it must hold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The buffer, as the user names it.
    pub buffer: String,
    /// Elements that were compared; bytes, if the type of the elements is not known.
    pub elements: usize,
    /// How many of them differ.
    pub wrong: usize,
    /// The largest difference of numbers, in units of the larger of 1 and the expected value. Zero for whole numbers
    /// and for bytes.
    pub largest_difference: f64,
    /// The first difference, in words.
    pub first: Option<String>,
}

impl Comparison {
    /// One line for people.
    #[must_use]
    pub fn sentence(&self) -> String {
        match &self.first {
            None if self.largest_difference > 0.0 => {
                format!(
                    "{}: as expected ({} elements, off by at most {:.1e})",
                    self.buffer, self.elements, self.largest_difference
                )
            }
            None => format!("{}: as expected ({} elements)", self.buffer, self.elements),
            Some(first) => format!("{}: {} of {} elements are wrong; {first}", self.buffer, self.wrong, self.elements),
        }
    }
}

/// Compares bytes with those expected, as elements of a type if it is known.
#[must_use]
pub fn compare(buffer: &str, got: &[u8], expected: &[u8], element: Option<Element>, tolerance: f64) -> Comparison {
    let element = element.unwrap_or(Element::U8);
    let size = element.bytes();
    let mut comparison = Comparison {
        buffer: buffer.to_owned(),
        elements: expected.len() / size,
        wrong: 0,
        largest_difference: 0.0,
        first: None,
    };
    if got.len() < expected.len() {
        comparison.wrong = comparison.elements;
        comparison.first = Some(format!("it has {} bytes, and {} are expected", got.len(), expected.len()));
        return comparison;
    }
    for (index, (got, expected)) in got.chunks_exact(size).zip(expected.chunks_exact(size)).enumerate() {
        if got == expected {
            continue;
        }
        if element.is_real() {
            let (got, expected) = (element.value(got), element.value(expected));
            let difference = (got - expected).abs() / expected.abs().max(1.0);
            let same = got == expected || (got.is_nan() && expected.is_nan());
            if !same && difference.is_finite() {
                comparison.largest_difference = comparison.largest_difference.max(difference);
            }
            if same || difference <= tolerance {
                continue;
            }
        }
        comparison.wrong += 1;
        if comparison.first.is_none() {
            let (got, expected) = (element.show(got), element.show(expected));
            comparison.first = Some(format!("the first is [{index}]: {got} instead of {expected}"));
        }
    }
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reals(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn numbers_may_be_off_by_the_tolerance() {
        let (got, expected) = (reals(&[1.0, 100.001, f32::NAN]), reals(&[1.0, 100.0, f32::NAN]));
        let close = compare("x", &got, &expected, Some(Element::F32), 1e-4);
        assert_eq!((close.wrong, close.elements), (0, 3));
        assert!(close.sentence().starts_with("x: as expected (3 elements, off by"), "{}", close.sentence());
        let exact = compare("x", &got, &expected, Some(Element::F32), 0.0);
        assert_eq!(exact.wrong, 1);
        assert!(exact.sentence().contains("the first is [1]: 100.001 instead of 100"), "{}", exact.sentence());
        let nan = compare("x", &reals(&[f32::NAN]), &reals(&[1.0]), Some(Element::F32), 1e9);
        assert_eq!(nan.wrong, 1, "a NaN is never close to a number");
        let infinite = compare("x", &reals(&[f32::INFINITY]), &reals(&[1.0]), Some(Element::F32), 1e9);
        assert_eq!(infinite.wrong, 1);
    }

    #[test]
    fn whole_numbers_and_bytes_must_be_equal() {
        assert_eq!(compare("x", &[1, 0, 2, 0], &[1, 0, 3, 0], Some(Element::U16), 9.0).wrong, 1);
        assert_eq!(
            compare("x", &[1, 2, 3], &[1, 2], None, 0.0).wrong,
            0,
            "what is behind the expected part is left alone"
        );
        assert!(compare("x", &[1], &[1, 2], None, 0.0).sentence().contains("it has 1 bytes, and 2 are expected"));
    }
}
