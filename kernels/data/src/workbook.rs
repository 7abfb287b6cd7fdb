//! The inputs of the workbook's problems by name: `histogram`, `one value`, so many bytes.

use crate::element::Element;
use crate::{compaction, histogram, reduction, scan};

/// The problems whose inputs can be made here.
pub const PROBLEMS: [&str; 4] = ["compaction", "histogram", "reduction", "scan"];

/// Most elements: more are made by nobody who waits.
const MOST: u64 = 1 << 26;

/// The kinds of input of a problem, by name. Empty for a problem that is not known.
pub fn kinds(problem: &str) -> Vec<&'static str> {
    match problem {
        "compaction" => compaction::Data::ALL.iter().map(|data| data.name()).collect(),
        "histogram" => histogram::Data::ALL.iter().map(|data| data.name()).collect(),
        "reduction" => reduction::Data::ALL.iter().map(|data| data.name()).collect(),
        "scan" => scan::Data::ALL.iter().map(|data| data.name()).collect(),
        _ => Vec::new(),
    }
}

/// The bytes of `count` elements of the kind `kind` of a problem's input; with seed 0 those that GPUs were recorded with.
///
/// # Errors
/// A sentence for the user, when there is no such problem or kind, the type is another one, or they are too many.
pub fn make(problem: &str, kind: &str, element: Element, count: u64, seed: u64) -> Result<Vec<u8>, String> {
    if count > MOST {
        return Err(format!("{count} elements are too many to be made; there can be {MOST}"));
    }
    let count = count as u32;
    let unknown = || match kinds(problem) {
        kinds if kinds.is_empty() => {
            format!("there is no problem `{problem}` whose input can be made; there are {}", PROBLEMS.join(", "))
        }
        kinds => format!("`{problem}` has no input `{kind}`; there are {}", kinds.join(", ")),
    };
    let wrong = |wanted: &str| format!("the input of `{problem}` is made of {wanted}, not of {}", element.name());
    match (problem, element) {
        ("compaction", Element::I32) => {
            let data = compaction::Data::ALL.iter().find(|data| data.name() == kind).ok_or_else(unknown)?;
            Ok(data.make_seeded(count, seed).into_iter().flat_map(i32::to_le_bytes).collect())
        }
        ("histogram", Element::U8) => {
            let data = histogram::Data::ALL.iter().find(|data| data.name() == kind).ok_or_else(unknown)?;
            Ok(data.make_seeded(count, 256, seed).into_iter().map(|value| value as u8).collect())
        }
        ("reduction", Element::I32) => {
            let data = reduction::Data::ALL.iter().find(|data| data.name() == kind).ok_or_else(unknown)?;
            Ok(data.make_seeded(count, seed).into_iter().flat_map(i32::to_le_bytes).collect())
        }
        ("scan", Element::F32) => {
            let data = scan::Data::ALL.iter().find(|data| data.name() == kind).ok_or_else(unknown)?;
            Ok(data.make_seeded(count, seed).into_iter().flat_map(f32::to_le_bytes).collect())
        }
        ("compaction" | "reduction", _) => Err(wrong("i32")),
        ("histogram", _) => Err(wrong("u8")),
        ("scan", _) => Err(wrong("f32")),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_made_and_seeds_differ() {
        for problem in PROBLEMS {
            let element = match problem {
                "histogram" => Element::U8,
                "scan" => Element::F32,
                _ => Element::I32,
            };
            let kinds = kinds(problem);
            assert!(!kinds.is_empty());
            for kind in &kinds {
                let made = make(problem, kind, element, 1000, 0).unwrap();
                assert_eq!(made.len(), 1000 * element.bytes(), "{problem}, {kind}");
                assert_eq!(made, make(problem, kind, element, 1000, 0).unwrap());
            }
            let differs = |kind: &&str| make(problem, kind, element, 1000, 0) != make(problem, kind, element, 1000, 1);
            assert!(kinds.iter().any(differs), "{problem}");
        }
    }

    #[test]
    fn what_cannot_be_made_is_named() {
        let fault = |problem, kind, element, count| make(problem, kind, element, count, 0).unwrap_err();
        assert!(fault("sort", "ones", Element::I32, 1).contains("there are compaction, histogram, reduction, scan"));
        assert!(fault("scan", "zeros", Element::F32, 1).contains("there are ones"));
        assert!(fault("scan", "ones", Element::I32, 1).contains("made of f32, not of i32"));
        assert!(fault("scan", "ones", Element::F32, u64::MAX).contains("too many"));
    }
}
