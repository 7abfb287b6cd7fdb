//! Reads a cubin: an ELF file with machine code, and what the driver has to know of it.
//!
//! What the attributes of `.nv.info` mean was read off what nvdisasm prints of them.

mod data;
mod info;
mod lines;

use std::collections::BTreeMap;

use object::read::elf::{ElfFile64, FileHeader as _, SectionHeader as _};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget, SymbolFlags};

use crate::decode::{DecodeError, decode};
use crate::instruction::Instruction;
use crate::table::Architecture;

pub use data::{Data, Variable};
pub use info::{Parameter, Resources};
pub use lines::Line;

/// Why a file is no cubin that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CubinError {
    /// It is no ELF file of 64 bits, or a damaged one.
    #[error("this is no cubin: {0}. ptxas writes one: ptxas -arch=sm_90 -o FILE.cubin FILE.ptx")]
    Elf(String),
    /// It is an ELF file for another machine.
    #[error("this ELF file is for machine number {0}, not for an NVIDIA GPU (190)")]
    Machine(u16),
    /// A section or attribute has not the size that it should have.
    #[error("the cubin is damaged: {0}")]
    Damaged(String),
}

/// ELF's number of NVIDIA's GPUs.
const EM_CUDA: u16 = 190;
/// The bit of `st_other` that a kernel has, and a device function has not.
const ENTRY: u8 = 0x10;

/// A cubin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cubin {
    /// The compute capability that it is for, as `90` for 9.0.
    pub capability: u32,
    /// The sections of code in their order.
    pub sections: Vec<Code>,
    /// The sections of constants and variables in their order.
    pub data: Vec<Data>,
    /// The PTX it was made from, if it has it.
    pub ptx: Option<String>,
}

/// A section of code: a kernel, with the device functions that only it calls, or a device function of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The kernel's name: the section's without `.text.`.
    pub name: String,
    /// 16 bytes for each instruction.
    pub bytes: Vec<u8>,
    /// The functions in it.
    pub functions: Vec<Function>,
    /// What a launch needs.
    pub resources: Resources,
    /// What the loader has to write into it.
    pub relocations: Vec<Relocation>,
    /// The source lines, by the offset of the first instruction that they hold for.
    pub lines: Vec<Line>,
    /// The same of the PTX.
    pub ptx_lines: Vec<Line>,
}

/// A function in a section of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel.
    pub entry: bool,
    /// Where it starts, in bytes from the section's start.
    pub offset: u64,
    /// How many bytes it has.
    pub size: u64,
}

/// A place in the code that the loader fills in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// The offset of the instruction, in bytes from the section's start.
    pub offset: u64,
    /// NVIDIA's number of the kind.
    pub kind: u32,
    /// What it is about.
    pub symbol: String,
    /// What is added to the symbol's address.
    pub addend: i64,
}

impl Cubin {
    /// Reads a cubin.
    ///
    /// # Errors
    /// [`CubinError`] if it is none, or damaged. What the sections say is read as far as it is there.
    pub fn parse(data: &[u8]) -> Result<Self, CubinError> {
        let elf_error = |error: object::Error| CubinError::Elf(error.to_string());
        let elf: ElfFile64<'_> = ElfFile64::parse(data).map_err(elf_error)?;
        let header = elf.elf_header();
        let endian = elf.endian();
        if header.e_machine(endian) != EM_CUDA {
            return Err(CubinError::Machine(header.e_machine(endian)));
        }
        // Since version 8 of the ABI the compute capability stands in the second byte of the flags.
        let flags = header.e_flags(endian);
        let capability = if header.e_ident().abi_version >= 8 { flags >> 8 & 0xff } else { flags & 0xff };

        let mut sections = Vec::new();
        let shared = lines::read(&elf, ".debug_line")?;
        let ptx_lines = lines::read(&elf, ".nv_debug_line_sass")?;
        let symbols: BTreeMap<usize, String> =
            elf.symbols().map(|s| (s.index().0, s.name().unwrap_or_default().to_owned())).collect();
        let mut resources = info::read(&elf, &symbols)?;
        for section in elf.sections() {
            let Some(name) = section.name().ok().and_then(|name| name.strip_prefix(".text.")) else { continue };
            let bytes = section.data().map_err(elf_error)?.to_vec();
            let index = section.index();
            let mut functions: Vec<Function> = elf
                .symbols()
                .filter(|symbol| symbol.section_index() == Some(index) && symbol.kind() == object::SymbolKind::Text)
                .map(|symbol| Function {
                    name: symbol.name().unwrap_or_default().to_owned(),
                    entry: matches!(symbol.flags(), SymbolFlags::Elf { st_other, .. } if st_other & ENTRY != 0),
                    offset: symbol.address(),
                    size: symbol.size(),
                })
                .collect();
            functions.sort_by_key(|function| function.offset);
            let relocations = section
                .relocations()
                .map(|(offset, relocation)| Relocation {
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
                })
                .collect();
            let mut resources = resources.remove(name).unwrap_or_default();
            let shared_name = format!(".nv.shared.{name}");
            resources.shared = elf.section_by_name(&shared_name).map_or(0, |section| section.size());
            if resources.barriers == 0 {
                // Older compilers count barriers in the section's header.
                resources.barriers = section.elf_section_header().sh_flags(endian) as u32 >> 20 & 0x7f;
            }
            sections.push(Code {
                name: name.to_owned(),
                bytes,
                functions,
                resources,
                relocations,
                lines: shared.get(&index.0).cloned().unwrap_or_default(),
                ptx_lines: ptx_lines.get(&index.0).cloned().unwrap_or_default(),
            });
        }
        let ptx = elf.section_by_name(".nv_debug_ptx_txt").and_then(|section| section.data().ok());
        let ptx = ptx.map(|text| String::from_utf8_lossy(text).replace('\0', "\n"));
        Ok(Self { capability, sections, data: data::read(&elf, &symbols)?, ptx })
    }

    /// Returns the kernel or function of a name, with the section that it is in.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<(&Code, &Function)> {
        self.sections.iter().find_map(|code| code.functions.iter().find(|f| f.name == name).map(|f| (code, f)))
    }
}

impl Code {
    /// Decodes the instructions, each with its offset in bytes from the section's start.
    pub fn instructions(
        &self,
        architecture: Architecture,
    ) -> impl Iterator<Item = (u64, Result<Instruction, DecodeError>)> {
        self.bytes.as_chunks::<16>().0.iter().enumerate().map(move |(number, bytes)| {
            let offset = number as u64 * 16;
            (offset, decode(architecture, *bytes, offset))
        })
    }

    /// Returns the source line of the instruction at an offset.
    #[must_use]
    pub fn line(&self, offset: u64) -> Option<&Line> {
        at(&self.lines, offset)
    }

    /// Returns the line of the PTX of the instruction at an offset.
    #[must_use]
    pub fn ptx_line(&self, offset: u64) -> Option<&Line> {
        at(&self.ptx_lines, offset)
    }
}

fn at(lines: &[Line], offset: u64) -> Option<&Line> {
    lines[..lines.partition_point(|line| line.offset <= offset)].last()
}
