//! The decoder without any tool: a line per form of an instruction, written from what nvdisasm prints, and bits of any kind.

use proptest::prelude::*;
use sass::{Architecture, DecodeError, decode};

/// Encoding, offset in the section and text of one instruction of every form. `WARPBOOK_BLESS=1 cargo test -p kernels --test
/// machine_code` writes it anew.
const SM90: &str = include_str!("forms/sm90.tsv");
/// The same for compute capability 8.0.
const SM80: &str = include_str!("forms/sm80.tsv");
/// The same for compute capability 8.9.
const SM89: &str = include_str!("forms/sm89.tsv");
/// The same for compute capability 7.5.
const SM75: &str = include_str!("forms/sm75.tsv");

/// The same for compute capability 10.0.
const SM100: &str = include_str!("forms/sm100.tsv");
/// The same for compute capability 12.0.
const SM120: &str = include_str!("forms/sm120.tsv");

#[test]
fn every_form_reads_as_nvdisasm_prints_it() {
    assert!(forms(Architecture::Sm90, SM90) > 2000);
    assert!(forms(Architecture::Sm80, SM80) > 300);
    assert!(forms(Architecture::Sm89, SM89) > 300);
    assert!(forms(Architecture::Sm75, SM75) > 300);
    assert!(forms(Architecture::Sm100, SM100) > 300);
    assert!(forms(Architecture::Sm120, SM120) > 300);
}

/// Holds the forms of an architecture against the decoder; returns how many there are.
fn forms(architecture: Architecture, table: &str) -> usize {
    let mut forms = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.splitn(3, '\t').collect();
        let [encoding, offset, text] = parts[..] else { panic!("{line}") };
        let bytes = u128::from_str_radix(encoding, 16).unwrap_or_else(|why| panic!("{line}: {why}")).to_le_bytes();
        let offset = u64::from_str_radix(offset, 16).unwrap_or_else(|why| panic!("{line}: {why}"));
        let instruction = decode(architecture, bytes, offset).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(instruction.to_string(), text, "{encoding}");
        forms += 1;
    }
    forms
}

#[test]
fn what_is_unknown_is_refused_by_its_bits() {
    let error = decode(Architecture::Sm90, [0; 16], 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no instruction is known with the opcode 0x000 (bits 0 to 11 of 0x00000000000000000000000000000000)"
    );
    // ISETP whose bits 74 and 75 combine nothing.
    let error =
        decode(Architecture::Sm90, 0x040f_e400_0474_2e70_0000_00ff_0600_720c_u128.to_le_bytes(), 0).unwrap_err();
    let DecodeError::Field { name, field, value, .. } = &error else { panic!("{error}") };
    assert_eq!((*name, *field, *value), ("ISETP", "bool", 3));
}

proptest! {
    #[test]
    fn any_bits_are_an_instruction_or_an_error(bytes: [u8; 16], offset: u64) {
        if let Ok(instruction) = decode(Architecture::Sm90, bytes, offset) {
            prop_assert!(!instruction.to_string().is_empty());
        }
    }

    /// As above, with opcodes that are known.
    #[test]
    fn any_fields_of_a_known_form_are_an_instruction_or_an_error(form in 0usize..2600, bits: u128, offset: u64) {
        let line = SM90.lines().filter(|line| !line.starts_with('#')).nth(form).unwrap();
        let opcode = u128::from_str_radix(line.split('\t').next().unwrap(), 16).unwrap() & 0xfff;
        let bytes = (bits & !0xfff | opcode).to_le_bytes();
        match decode(Architecture::Sm90, bytes, offset) {
            Ok(instruction) => prop_assert!(!instruction.to_string().is_empty()),
            Err(error) => prop_assert!(!matches!(error, DecodeError::Opcode { .. }), "{}", error),
        }
    }

    #[test]
    fn any_bytes_are_a_cubin_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let _ = sass::Cubin::parse(&bytes);
    }
}
