//! Input data, computed: the same on every machine, in a page of the book too. Nothing here touches a file.
//!
//! [`generate`] makes buffers of any type from what people write (`random(min=-1, max=1, seed=7)`, an expression of the index);
//! [`workbook`] makes the inputs of the workbook's own problems, which the records of GPUs belong to.

#![forbid(unsafe_code)]

pub mod compaction;
pub mod element;
pub mod generate;
pub mod histogram;
pub mod random;
pub mod reduction;
pub mod scan;
pub mod workbook;

pub use ::expression;

/// The parts between commas that stand in no bracket.
pub fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0i64, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

#[cfg(test)]
mod testing {
    use crate::expression::{Names, Number};

    /// `n` is 1000.
    pub(crate) fn names() -> Names {
        Names::from([("n".to_owned(), Number::from(1000))])
    }
}
