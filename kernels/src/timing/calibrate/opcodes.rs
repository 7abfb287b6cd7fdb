//! What single machine instructions take: reading what `kernels/calibrate/opcodes.cu` prints, and the file of it.

use std::fmt::Write as _;

use super::{CalibrateError, Calibrated, OfOpcodes};

/// The benchmarks of instructions.
pub(super) const SOURCE: &str = include_str!("../../../calibrate/opcodes.cu");

/// Kinds of number that are printed.
const KINDS: [&str; 3] = ["latency", "clocks", "ns"];

/// What every round gave for every name and kind.
pub(super) fn values(printed: &str) -> Result<OfOpcodes, CalibrateError> {
    let mut values = OfOpcodes::new();
    for line in printed.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let read = match cells[..] {
            [name, kind, value] if KINDS.contains(&kind) => value.trim().parse::<f64>().ok().map(|v| (name, kind, v)),
            _ => None,
        };
        let (name, kind, value) =
            read.ok_or_else(|| CalibrateError::Failed(format!("the benchmarks printed `{line}`, which is no number")))?;
        values.entry((name.to_owned(), kind.to_owned())).or_default().push(value);
    }
    Ok(values)
}

/// The median of all rounds.
pub(super) fn median(values: &OfOpcodes, name: &str, kind: &str) -> Option<f64> {
    let mut own = values.get(&(name.to_owned(), kind.to_owned())).filter(|own| !own.is_empty())?.clone();
    own.sort_by(f64::total_cmp);
    Some(own[own.len() / 2])
}

/// The file of a compute capability.
pub(super) fn to_tsv(calibrated: &Calibrated) -> String {
    let mut text = format!(
        "# What machine instructions take, and updates of one place: medians of rounds, and how far the rounds were apart in percent.\n\
         # Written by `warpbook calibrate`; the benchmarks are in kernels/calibrate/opcodes.cu. `clocks` are those of a partition whose\n\
         # warps execute nothing else, `latency` those of a chain, `ns` nanoseconds of a warp's update by the places that lanes share.\n\
         # measured on: {}, {}\n\
         name\tkind\tvalue\tspread\n",
        calibrated.on, calibrated.date
    );
    for ((name, kind), own) in &calibrated.opcodes {
        let value = median(&calibrated.opcodes, name, kind).unwrap_or(0.0);
        let most = own.iter().copied().fold(f64::MIN, f64::max);
        let least = own.iter().copied().fold(f64::MAX, f64::min);
        let spread = (most - least) / value.abs().max(f64::MIN_POSITIVE) * 100.0;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}\t{kind}\t{}\t{spread:.1}", super::digits(value));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_and_nothing_else() {
        let read =
            values("popc\tlatency\t17\npopc\tlatency\t19\npopc\tlatency\t18\npopc\tclocks\t8.7\n").expect("numbers");
        assert_eq!(median(&read, "popc", "latency"), Some(18.0));
        assert_eq!(median(&read, "popc", "ns"), None);
        for wrong in ["popc\tlatency", "popc\tspeed\t3", "popc\tclocks\tfast"] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_committed_file_is_one_of_these() {
        let text = include_str!("../../../../sim/targets/timing/opcodes/sm_90.tsv");
        let rows: String = (text.lines().filter(|line| !line.starts_with('#')).skip(1))
            .map(|line| line.rsplit_once('\t').map_or(String::new(), |(row, _)| format!("{row}\n")))
            .collect();
        let read = values(&rows).expect("rows of the committed file");
        for (name, _) in read.keys() {
            // `red_add_f32_1` is `red_add_f32` in the source, with the number of places.
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
            assert!(SOURCE.contains(&format!("MEASURE({name})")) || SOURCE.contains(&format!("\"{stem}\"")), "{name}");
        }
    }
}
