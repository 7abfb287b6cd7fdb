//! The line tables: `.debug_line` for the source, `.nv_debug_line_sass` for the PTX. Both are DWARF.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gimli::{DebugLine, DebugLineOffset, EndianSlice, LittleEndian};
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget};

use super::CubinError;

/// From which instruction on a line holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The offset of the instruction, in bytes from the section's start.
    pub offset: u64,
    /// The file as the compiler was given it; empty in the table of the PTX.
    pub file: Arc<str>,
    /// The line, from 1; 0 if none is known.
    pub line: u32,
}

/// Reads a line table: for each section of code (by its number) the lines in the order of their offsets.
pub(super) fn read(elf: &ElfFile64<'_>, name: &str) -> Result<BTreeMap<usize, Vec<Line>>, CubinError> {
    let mut tables = BTreeMap::<usize, Vec<Line>>::new();
    let Some(section) = elf.section_by_name(name) else { return Ok(tables) };
    let damaged = |what: &dyn std::fmt::Display| CubinError::Damaged(format!("{name}: {what}"));
    let mut data = section.data().map_err(|error| damaged(&error))?.to_vec();
    // A table's addresses are filled in by the loader, relative to a section of code. The section's number in the upper half
    // of the address tells them apart here.
    for (offset, relocation) in relocations(elf, &section) {
        let Some(address) = usize::try_from(offset).ok().and_then(|at| data.get_mut(at..at.checked_add(8)?)) else {
            continue;
        };
        address.copy_from_slice(&relocation.to_le_bytes());
    }
    let lines = DebugLine::new(&data, LittleEndian);
    let mut files = HashMap::<String, Arc<str>>::new();
    let mut offset = 0;
    while offset < data.len() {
        let program = lines.program(DebugLineOffset(offset), 8, None, None).map_err(|error| damaged(&error))?;
        offset += program.header().unit_length() + 4;
        let mut rows = program.rows();
        while let Some((header, row)) = rows.next_row().map_err(|error| damaged(&error))? {
            if row.end_sequence() {
                continue;
            }
            let file = row.file(header).map_or_else(String::new, |file| path(header, file));
            let file = files.entry(file).or_insert_with_key(|file| file.as_str().into()).clone();
            let line = row.line().map_or(0, |line| u32::try_from(line.get()).unwrap_or(0));
            let table = tables.entry((row.address() >> 32) as usize).or_default();
            table.push(Line { offset: row.address() & 0xffff_ffff, file, line });
        }
    }
    for table in tables.values_mut() {
        table.sort_by_key(|line| line.offset);
    }
    Ok(tables)
}

/// The addresses that a table's relocations stand for.
fn relocations<'a>(elf: &'a ElfFile64<'a>, section: &impl object::ObjectSection<'a>) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
        let Ok(symbol) = elf.symbol_by_index(symbol) else { continue };
        let Some(code) = symbol.section_index() else { continue };
        let place = symbol.address().wrapping_add_signed(relocation.addend()) & 0xffff_ffff;
        all.push((offset, (code.0 as u64) << 32 | place));
    }
    all
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// A file's name with its folder, as nvdisasm prints it.
fn path(header: &gimli::LineProgramHeader<Slice<'_>>, file: &gimli::FileEntry<Slice<'_>>) -> String {
    let text = |value: gimli::AttributeValue<Slice<'_>>| match value {
        gimli::AttributeValue::String(text) => Some(String::from_utf8_lossy(text.slice()).into_owned()),
        _ => None,
    };
    let name = text(file.path_name()).unwrap_or_default();
    if name.starts_with('/') || file.directory_index() == 0 {
        return name;
    }
    match file.directory(header).and_then(text) {
        Some(folder) if !folder.is_empty() => format!("{folder}/{name}"),
        _ => name,
    }
}
