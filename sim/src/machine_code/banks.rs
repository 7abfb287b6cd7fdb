//! The registers that an instruction reads, as nvdisasm prints it: `predict/units/collector.rs` has what they cost.

use crate::predict::trace::Source;

/// The registers that an instruction reads: all but the first operand, which is written. Of more than there is room for, the first
/// ones.
pub(super) fn sources(text: &str) -> [Option<Source>; Source::PLACES] {
    let rest = text.split_once(' ').map_or("", |(name, rest)| if name.starts_with('@') { rest } else { text });
    let (name, list) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut sources = [None; Source::PLACES];
    // Predicates take no place among the operands that are registers.
    let operands = list.split(',').skip(1).map(str::trim).filter(|operand| !is_predicate(operand));
    let found = (0..).zip(operands).filter_map(|(place, operand)| source(name, place, operand));
    for (room, source) in sources.iter_mut().zip(found) {
        *room = Some(source);
    }
    sources
}

/// The operand at a place, if it is a register.
fn source(name: &str, place: u8, operand: &str) -> Option<Source> {
    let digits = operand.trim_start_matches(['-', '|', '~', '!']).strip_prefix('R')?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let register = digits[..end].parse().ok()?;
    let kept = operand.contains(".reuse");
    (usize::from(place) < Source::PLACES).then_some(Source { place, register, pair: is_pair(name, place), kept })
}

/// Whether an operand is a predicate: `P0`, `!PT`, `UP1`.
fn is_predicate(operand: &str) -> bool {
    let name = operand.trim_start_matches('!');
    let number = name.strip_prefix("UP").or_else(|| name.strip_prefix('P'));
    number.is_some_and(|number| number == "T" || number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether the register at a place is a pair, one of each bank. Four chains of `DFMA` with three registers each take an H100 3.1
/// clocks an instruction, where its pipe takes 2.
fn is_pair(name: &str, place: u8) -> bool {
    let mut parts = name.split('.');
    match parts.next().unwrap_or("") {
        "DADD" | "DMUL" | "DFMA" | "DSETP" => true,
        // What is added to a product of two words.
        "IMAD" => place == 2 && parts.any(|part| part == "WIDE"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places and numbers of the registers, those with a minus that are kept, and how many are pairs.
    fn of(text: &str) -> (Vec<(u8, i32)>, usize) {
        let sources = sources(text);
        let number = |source: &Source| i32::from(source.register) * if source.kept { -1 } else { 1 };
        let read = sources.iter().flatten().map(|source| (source.place, number(source))).collect();
        (read, sources.iter().flatten().filter(|source| source.pair).count())
    }

    #[test]
    fn registers_are_told_from_what_else_is_an_operand() {
        assert_eq!(of("FFMA R16, R16, R3.reuse, R4"), (vec![(0, 16), (1, -3), (2, 4)], 0));
        assert_eq!(of("FADD R8, -R0, |R13|"), (vec![(0, 0), (1, 13)], 0));
        assert_eq!(of("IMAD R5, R4, c[0x0][0x210], RZ"), (vec![(0, 4)], 0));
        assert_eq!(of("@!P0 IADD3 R4, P1, R4.reuse, 0x1, RZ"), (vec![(0, -4)], 0));
        assert_eq!(of("ISETP.GE.U32.AND P0, PT, R4, UR4, PT"), (vec![(0, 4)], 0));
        assert_eq!(of("BRA 0x610"), (vec![], 0));
    }

    #[test]
    fn doubles_and_sums_of_two_words_are_pairs() {
        assert_eq!(of("DFMA R4, R6, R8, R4").1, 3);
        assert_eq!(of("IMAD.WIDE R2, R3, 0x4, R4"), (vec![(0, 3), (2, 4)], 1));
    }
}
