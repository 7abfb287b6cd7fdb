//! The least sectors of global memory that a kernel can move that reads all inputs of a case and makes its outputs.
//!
//! Every sector of an input is read. A sector of an output is written if one of its elements is not there before. What is read
//! and changed (`inout`) counts as written alone: an atomic updates it without a load.

use caches::compulsory::{SECTOR, asked};
use sim::report::Report;

use super::cases::differs;
use crate::course::Exercise;
use crate::instance::{Buffer, Instance, Role};
#[cfg(feature = "host")]
use crate::model::{CaseGrade, Grade};

/// How many times the least sectors of a case a run moved; `None` where there is nothing to move.
pub(super) fn times(case: &Instance, exercise: &Exercise, report: &Report) -> Option<f64> {
    factor(report, sectors(case, exercise.run.tolerance))
}

/// How many times `least` the sectors of a run are.
#[allow(clippy::cast_precision_loss, reason = "a factor for people")]
fn factor(report: &Report, least: u64) -> Option<f64> {
    (least > 0).then(|| asked(report) as f64 / least as f64)
}

/// The least sectors for a case whose outputs may be off by `tolerance`. Where nobody has computed what belongs into them, an
/// output that held nothing before is written as a whole, and of what is changed in place no sector is sure to be.
pub(super) fn sectors(case: &Instance, tolerance: f64) -> u64 {
    let of = |buffer: &Buffer| match buffer.role {
        Role::In => buffer.content.bytes.div_ceil(SECTOR),
        Role::Out if buffer.expected.is_none() => buffer.content.bytes.div_ceil(SECTOR),
        Role::Out | Role::InOut => changed(buffer, tolerance),
        Role::Scratch => 0,
    };
    case.buffers.iter().map(of).sum()
}

/// The sectors of a judged buffer that do not hold what belongs there before the first launch.
fn changed(buffer: &Buffer, tolerance: f64) -> u64 {
    let before = buffer.content.to_bytes();
    let size = buffer.element().bytes();
    let mut sectors: Vec<usize> = (0..before.len() / size)
        .filter(|&index| differs(buffer, &before, index, tolerance))
        .map(|index| index * size / SECTOR as usize)
        .collect();
    sectors.dedup();
    sectors.len() as u64
}

/// What is wrong if `who` moves fewer sectors than the least, or is predicted to take less time: then there is an input that need
/// not be read, or a number of the GPU is wrong.
#[cfg(feature = "host")]
pub(crate) fn problems(who: &str, exercise: &Exercise, grade: &Grade) -> Vec<String> {
    let fewer = |case: &&CaseGrade| case.times_the_least.is_some_and(|times| times < 1.0);
    let mut problems: Vec<String> = grade
        .cases
        .iter()
        .filter(fewer)
        .map(|case| format!("{who}, case `{}`: fewer sectors of global memory than the least", case.case))
        .collect();
    match &grade.distance {
        Some(distance) if distance.times() < 1.0 => problems.push(format!(
            "{who}, `{}`: {:.2} µs are predicted, and no kernel can take less than {:.2}",
            distance.case,
            distance.predicted_us,
            distance.least_us()
        )),
        None if exercise.tells_the_least() && grade.passed => problems.push(format!("{who}: no time is predicted")),
        _ => {}
    }
    problems
}

#[cfg(test)]
mod tests {
    use ::data::element::Element;
    use caches::compulsory::ASKED;
    use launch::content::Content;

    use super::*;

    /// An output of zeros, into which `expected` belongs.
    fn output(expected: &[u32]) -> Buffer {
        let bytes: Vec<u8> = expected.iter().flat_map(|word| word.to_le_bytes()).collect();
        let zeros = vec![0; bytes.len()];
        let content =
            Content { bytes: bytes.len() as u64, data: zeros.into(), written: true, element: Some(Element::U32) };
        Buffer { name: "out".to_owned(), role: Role::InOut, content, expected: Some(bytes) }
    }

    #[test]
    fn a_sector_is_written_once_and_only_if_it_changes() {
        let mut words = [0; 24];
        assert_eq!(changed(&output(&words), 0.0), 0);
        (words[0], words[7], words[16]) = (1, 2, 3);
        assert_eq!(changed(&output(&words), 0.0), 2);
        words[23] = 4;
        words[8] = 5;
        assert_eq!(changed(&output(&words), 0.0), 3);
    }

    #[test]
    fn all_requests_count_and_nothing_is_divided_by_zero() {
        let metrics = ASKED.iter().map(|name| ((*name).to_owned(), 3)).collect();
        let report = Report { metrics, ..Report::default() };
        assert_eq!(factor(&report, 8), Some(1.5));
        assert!(factor(&report, 13).unwrap() < 1.0);
        assert_eq!(factor(&report, 0), None);
    }
}
