//! Sections that are no code: banks of constant memory, variables in global memory, and what stands in them.

use std::collections::BTreeMap;

use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget};

use super::{CubinError, Relocation};

/// A section of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// The section's name: `.nv.constant3`, `.nv.constant2.KERNEL`, `.nv.global.init`, `.nv.global`.
    pub name: String,
    /// Its content; empty for a section that only takes room.
    pub bytes: Vec<u8>,
    /// Its size in bytes.
    pub size: u64,
    /// The variables in it, by their offsets.
    pub variables: Vec<Variable>,
    /// The places that hold addresses of symbols.
    pub relocations: Vec<Relocation>,
}

/// A variable in a section of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it starts, in bytes from the section's start.
    pub offset: u64,
    /// How many bytes it has.
    pub size: u64,
}

/// Reads the sections of constants and variables.
pub(super) fn read(elf: &ElfFile64<'_>, symbols: &BTreeMap<usize, String>) -> Result<Vec<Data>, CubinError> {
    let mut all = Vec::new();
    for section in elf.sections() {
        let Ok(name) = section.name() else { continue };
        if !name.starts_with(".nv.constant") && !name.starts_with(".nv.global") {
            continue;
        }
        let bytes = section.data().map_err(|error| CubinError::Elf(error.to_string()))?.to_vec();
        let index = section.index();
        let mut variables: Vec<Variable> = elf
            .symbols()
            .filter(|symbol| symbol.section_index() == Some(index) && symbol.kind() == object::SymbolKind::Data)
            .map(|symbol| Variable {
                name: symbol.name().unwrap_or_default().to_owned(),
                offset: symbol.address(),
                size: symbol.size(),
            })
            .collect();
        variables.sort_by_key(|variable| variable.offset);
        let relocations = section.relocations().map(|(offset, relocation)| Relocation {
            offset,
            kind: match relocation.flags() {
                object::RelocationFlags::Elf { r_type } => r_type,
                _ => 0,
            },
            symbol: match relocation.target() {
                RelocationTarget::Symbol(symbol) => symbols.get(&symbol.0).cloned().unwrap_or_default(),
                _ => String::new(),
            },
            addend: relocation.addend(),
        });
        let relocations = relocations.collect();
        all.push(Data { name: name.to_owned(), bytes, size: section.size(), variables, relocations });
    }
    Ok(all)
}
