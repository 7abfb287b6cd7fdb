//! The register banks that an instruction reads. A partition's registers lie in two banks, even and odd numbers, each of
//! which delivers one register of a warp a clock; so a multiplication and addition of three registers takes one and a half
//! clocks on average (`register_read`, measured by `operands` of `kernels/calibrate/calibrate.cu`). An operand with `.reuse`
//! is kept for the same operand of the next instruction, which does not read it again.

/// An operand that is a register: which operand it is, its number, and whether it is kept.
type Operand = (usize, u32, bool);

/// Reads of the even and of the odd bank by each of some instructions in their order.
pub(super) fn reads<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<[u8; 2]> {
    let mut kept: Vec<(usize, u32)> = Vec::new();
    let of = |text: &str| {
        let operands = operands(text);
        let pairs = is_double(text);
        let mut reads = [0; 2];
        let mut seen: Vec<u32> = Vec::new();
        for &(place, register, _) in &operands {
            if !kept.contains(&(place, register)) && !seen.contains(&register) {
                seen.push(register);
                reads[(register & 1) as usize] += 1;
                if pairs {
                    reads[(register & 1 ^ 1) as usize] += 1;
                }
            }
        }
        kept = operands.iter().filter(|operand| operand.2).map(|&(place, register, _)| (place, register)).collect();
        reads
    };
    texts.map(of).collect()
}

/// Whether an instruction's registers are pairs, one of each bank: double precision. Four chains of `DFMA` with three registers
/// each take an H100 3.1 clocks an instruction, where its pipe takes 2.
fn is_double(text: &str) -> bool {
    let name = text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or("");
    ["DADD", "DMUL", "DFMA", "DSETP"].iter().any(|double| name.split('.').next() == Some(double))
}

/// The registers that an instruction reads, as nvdisasm prints it: all but the first operand, which is written.
fn operands(text: &str) -> Vec<Operand> {
    let rest = text.split_once(' ').map_or("", |(name, rest)| if name.starts_with('@') { rest } else { text });
    let list = rest.split_once(' ').map_or("", |(_, list)| list);
    let operand = |(place, part): (usize, &str)| {
        let name = part.trim().trim_start_matches(['-', '|', '~', '!']);
        let digits = name.strip_prefix('R')?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let register = digits[..end].parse().ok()?;
        Some((place, register, part.contains(".reuse")))
    };
    list.split(',').enumerate().skip(1).filter_map(operand).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_registers_are_three_reads() {
        let texts = ["FFMA R11, R10, R9, R11", "FFMA R16, R16, R3.reuse, R3.reuse", "FADD R8, -R0, |R13|"];
        assert_eq!(reads(texts.into_iter()), [[1, 2], [1, 1], [1, 1]]);
    }

    #[test]
    fn doubles_are_read_from_both_banks() {
        let texts = ["DFMA R6, R8, R6, R10", "@!P1 DADD R4, R4, -R2", "DSETP.GT.AND P0, PT, R2, RZ, PT"];
        assert_eq!(reads(texts.into_iter()), [[3, 3], [2, 2], [1, 1]]);
    }

    #[test]
    fn what_is_kept_is_not_read_again() {
        let texts = ["@P0 FFMA R4, R6.reuse, R8, R4", "FFMA R5, R6, R10, R5", "FFMA R7, R6, R10, R7"];
        assert_eq!(reads(texts.into_iter()), [[3, 0], [1, 1], [2, 1]]);
        assert_eq!(reads(["ISETP.GE.AND P0, PT, R2, 0x1, PT", "EXIT"].into_iter()), [[1, 0], [0, 0]]);
    }
}
