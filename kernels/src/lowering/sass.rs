//! Reads the memory accesses out of machine code as nvdisasm prints it.

use std::collections::BTreeSet;

use super::{Access, Action, Room};

/// An access of the machine code, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placed {
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// The source file's name; empty when nothing tells it.
    pub file: String,
    /// The line, from 1; 0 when nothing tells it.
    pub line: u32,
    /// What is accessed.
    pub access: Access,
}

/// Reads what nvdisasm printed: the memory accesses of all kernels, each kind once per line.
pub(super) fn parse(text: &str) -> BTreeSet<Placed> {
    let mut accesses = BTreeSet::new();
    let (mut kernel, mut file, mut line) = (String::new(), String::new(), 0);
    for text in text.lines().map(str::trim) {
        if let Some(section) = text.strip_prefix(".section\t.text.").or_else(|| text.strip_prefix(".section .text.")) {
            kernel = section.split(',').next().unwrap_or_default().to_owned();
            (file, line) = (String::new(), 0);
        } else if let Some(place) = text.strip_prefix("//## File \"") {
            let (name, rest) = place.split_once('"').unwrap_or_default();
            let digits = rest.trim_start_matches(", line ").chars().take_while(char::is_ascii_digit);
            file = name.rsplit('/').next().unwrap_or_default().to_owned();
            line = digits.collect::<String>().parse().unwrap_or(0);
        } else if let Some((_, instruction)) = text.strip_prefix("/*").and_then(|text| text.split_once("*/")) {
            for access in accesses_of(instruction.trim()) {
                accesses.insert(Placed { kernel: kernel.clone(), file: file.clone(), line, access });
            }
        }
    }
    accesses
}

/// What an instruction accesses. A look at an `mbarrier` counts as an atomic and a load.
pub(super) fn accesses_of(instruction: &str) -> Vec<Access> {
    if instruction.contains("SYNCS.PHASECHK") {
        let access = |action| Access { action, room: Room::Shared, bytes: 8 };
        return vec![access(Action::Atomic), access(Action::Load)];
    }
    access(instruction).into_iter().collect()
}

/// What an instruction accesses, such as `@!P0 LDG.E.128 R4, desc[UR6][R2.64] ;`; None for all that access no memory, or
/// constants.
fn access(instruction: &str) -> Option<Access> {
    let word = instruction.split_whitespace().find(|word| !word.starts_with('@'))?;
    let mut parts = word.trim_end_matches(';').split('.');
    let (action, room) = match parts.next()? {
        "LDG" => (Action::Load, Room::Global),
        "STG" => (Action::Store, Room::Global),
        "LDS" | "LDSM" => (Action::Load, Room::Shared),
        "STS" | "STSM" => (Action::Store, Room::Shared),
        "LDL" => (Action::Load, Room::Local),
        "STL" => (Action::Store, Room::Local),
        "LD" => (Action::Load, Room::Generic),
        "ST" => (Action::Store, Room::Generic),
        "ATOMG" => (Action::Atomic, Room::Global),
        "ATOMS" => (Action::Atomic, Room::Shared),
        "ATOM" => (Action::Atomic, Room::Generic),
        "RED" | "REDG" => (Action::Reduction, Room::Global),
        "LDGSTS" => (Action::Copy, Room::Global),
        "UBLKCP" | "UBLKRED" => (Action::Bulk, Room::Global),
        _ => return None,
    };
    let mut bits = 32;
    for part in parts {
        bits = match part {
            "U8" | "S8" => 8,
            "U16" | "S16" => 16,
            "64" | "F64" => 64,
            "128" => 128,
            _ => bits,
        };
    }
    if matches!(action, Action::Bulk) {
        bits = 0;
    }
    Some(Access { action, room, bytes: bits / 8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_read_with_their_places() {
        let text = "\t.section\t.text.scan,\"ax\",@progbits\n\t//## File \"dir/scan.cu\", line 136\n\
                    \t/*0100*/              @!P0 LDG.E R15, desc[UR6][R8.64] ;\n\
                    \t//## File \"scan.cu\", line 73\n\
                    \t/*01e0*/                   STS.128 [R4], R12 ;\n\t/*01f0*/ IADD3 R1, R2, R3, RZ ;\n\
                    \t/*0200*/ LDC R1, c[0x0][0x28] ;\n\t/*0210*/ ATOMS.POPC.INC.32 RZ, [R2+URZ] ;\n\
                    \t/*0218*/ SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R9+URZ], R8 ;\n\
                    \t/*0220*/ LDG.E.U8.CONSTANT R0, desc[UR4][R2.64] ;\n";
        let read: Vec<String> = parse(text)
            .into_iter()
            .map(|placed| format!("{}:{}:{} {}", placed.kernel, placed.file, placed.line, placed.access))
            .collect();
        assert_eq!(
            read,
            [
                "scan:scan.cu:73 8-bit load from global memory",
                "scan:scan.cu:73 64-bit load from shared memory",
                "scan:scan.cu:73 128-bit store to shared memory",
                "scan:scan.cu:73 32-bit atomic in shared memory",
                "scan:scan.cu:73 64-bit atomic in shared memory",
                "scan:scan.cu:136 32-bit load from global memory",
            ]
        );
    }
}
