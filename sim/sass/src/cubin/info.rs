//! What a launch needs, from the sections `.nv.info` and `.nv.info.KERNEL`.
//!
//! They are lists of attributes: a byte for the format, one for the attribute, and two that are the value or the number of
//! bytes that follow.

use std::collections::BTreeMap;

use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _};

use super::CubinError;

/// What a kernel takes of the multiprocessor, and where its parameters are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resources {
    /// Registers of each thread.
    pub registers: u32,
    /// Bytes of shared memory that are not given at the launch. From compute capability 9.0 on the 1024 bytes that the
    /// system keeps are among them.
    pub shared: u64,
    /// Bytes of local memory for the frame of the function.
    pub frame: u32,
    /// Bytes of the stack that the function and all that it calls need at least.
    pub stack: u32,
    /// Barriers of the thread block.
    pub barriers: u32,
    /// The most threads of a block, as `__launch_bounds__` says.
    pub max_threads: Option<[u32; 3]>,
    /// The threads that a block must have, as `.reqntid` says.
    pub required_threads: Option<[u32; 3]>,
    /// Where the parameters start in constant bank 0, and how many bytes they have.
    pub parameters_at: Option<(u16, u16)>,
    /// The parameters in their order.
    pub parameters: Vec<Parameter>,
    /// Offsets of the instructions that end a thread.
    pub exits: Vec<u32>,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its number.
    pub ordinal: u16,
    /// Bytes from the start of the parameters.
    pub offset: u16,
    /// Its size in bytes.
    pub size: u32,
}

/// Attributes by their numbers, named as nvdisasm names them (`EIATTR_…`).
mod attribute {
    pub(super) const MAX_THREADS: u8 = 0x05;
    pub(super) const PARAM_CBANK: u8 = 0x0a;
    pub(super) const REQNTID: u8 = 0x10;
    pub(super) const FRAME_SIZE: u8 = 0x11;
    pub(super) const MIN_STACK_SIZE: u8 = 0x12;
    pub(super) const KPARAM_INFO: u8 = 0x17;
    pub(super) const EXIT_INSTR_OFFSETS: u8 = 0x1c;
    /// Of kernels with more than 4 KiB of parameters.
    pub(super) const KPARAM_INFO_V2: u8 = 0x45;
    pub(super) const REGCOUNT: u8 = 0x2f;
    pub(super) const NUM_BARRIERS: u8 = 0x4c;
}

/// Reads the attributes of all kernels and functions, by their names.
pub(super) fn read(
    elf: &ElfFile64<'_>,
    symbols: &BTreeMap<usize, String>,
) -> Result<BTreeMap<String, Resources>, CubinError> {
    let mut all = BTreeMap::<String, Resources>::new();
    for section in elf.sections() {
        let Ok(name) = section.name() else { continue };
        let Some(kernel) = name.strip_prefix(".nv.info") else { continue };
        let kernel = kernel.strip_prefix('.').map(str::to_owned);
        let data = section.data().map_err(|error| CubinError::Elf(error.to_string()))?;
        let mut rest = data;
        while let [format, attribute, low, high, after @ ..] = rest {
            let value = u16::from_le_bytes([*low, *high]);
            let payload = if *format == 4 {
                let payload = after.get(..usize::from(value));
                payload.ok_or_else(|| CubinError::Damaged(format!("{name} ends within attribute {attribute:#04x}")))?
            } else {
                &[]
            };
            rest = &after[payload.len()..];
            let words: Vec<u32> = payload.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            match (&kernel, &words[..]) {
                (None, [symbol, number, ..]) => {
                    if let Some(name) = symbols.get(&(*symbol as usize)) {
                        all.entry(name.clone()).or_default().of_symbol(*attribute, *number);
                    }
                }
                (Some(kernel), words) => all.entry(kernel.clone()).or_default().of_kernel(*attribute, value, words),
                _ => {}
            }
        }
    }
    for resources in all.values_mut() {
        resources.parameters.sort_by_key(|parameter| parameter.ordinal);
    }
    Ok(all)
}

impl Resources {
    fn of_symbol(&mut self, attribute: u8, number: u32) {
        match attribute {
            attribute::REGCOUNT => self.registers = number,
            attribute::FRAME_SIZE => self.frame = number,
            attribute::MIN_STACK_SIZE => self.stack = number,
            _ => {}
        }
    }

    fn of_kernel(&mut self, attribute: u8, value: u16, words: &[u32]) {
        match (attribute, words) {
            (attribute::NUM_BARRIERS, _) => self.barriers = u32::from(value & 0xff),
            (attribute::PARAM_CBANK, [_, place]) => self.parameters_at = Some((*place as u16, (*place >> 16) as u16)),
            // A number that is not used, ordinal and offset, then flags below the size.
            (attribute::KPARAM_INFO, [_, place, size]) => self.parameters.push(Parameter {
                ordinal: *place as u16,
                offset: (*place >> 16) as u16,
                size: *size >> 18,
            }),
            // The same without flags: their 14 bits for the size do not suffice.
            (attribute::KPARAM_INFO_V2, [_, place, size]) => {
                self.parameters.push(Parameter { ordinal: *place as u16, offset: (*place >> 16) as u16, size: *size });
            }
            (attribute::EXIT_INSTR_OFFSETS, offsets) => self.exits = offsets.to_vec(),
            (attribute::MAX_THREADS, [x, y, z]) => self.max_threads = Some([*x, *y, *z]),
            (attribute::REQNTID, [x, y, z]) => self.required_threads = Some([*x, *y, *z]),
            _ => {}
        }
    }
}
