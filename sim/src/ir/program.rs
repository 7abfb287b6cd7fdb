//! A kernel as the passes see it: its instructions and everything that they name.

use std::ops::{Deref, DerefMut};

use super::inst::{Inst, Pc, Reg};
use super::opcode::Opcode;
use super::slots::Slots;
use crate::ptx::ast::{Line, Module, Relocation};
use crate::ptx::inlining;

/// The source text of a module, for messages.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// File name.
    pub file: &'a str,
    /// The text.
    pub text: &'a str,
}

/// A kernel parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelParam {
    /// Its name in the PTX.
    pub name: String,
    /// Type without the dot; `b8` for a struct.
    pub element: String,
    /// Byte offset in parameter space.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// A module variable that the kernel uses, at its address.
#[derive(Debug, Clone)]
pub struct PlacedVariable {
    /// Its name.
    pub name: String,
    /// Address within its space.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Initial content; the rest is zero.
    pub content: Vec<u8>,
    /// Addresses to be stored into the content.
    pub relocations: Vec<Relocation>,
}

/// Registers as the PTX declares them.
#[derive(Debug, Clone)]
pub struct Declared {
    /// The instruction from which on they are there. A function that was left frees its registers for the next one.
    pub from: Pc,
    /// Their name; of several it is followed by each one's number.
    pub name: String,
    /// How many registers the PTX declares so: `%r<9>`, or the elements of a vector.
    pub numbered: bool,
    /// The registers.
    pub registers: Vec<Reg>,
}

/// An instruction of a program: what is executed, and what is known of where it comes from. It can be read and changed as
/// the [`Inst`] that it is.
#[derive(Debug, Clone)]
pub struct Instruction {
    /// Its operation and its guard.
    pub inst: Inst,
    /// The opcode with its modifiers, as written.
    pub opcode: Opcode,
    /// The instruction as written.
    pub text: String,
    /// Source line.
    pub line: Line,
    /// Line in the PTX text, from 1.
    pub ptx_line: u32,
    /// The compiler removes it: it is executed, but not counted.
    pub removed: bool,
}

impl Deref for Instruction {
    type Target = Inst;

    fn deref(&self) -> &Inst {
        &self.inst
    }
}

impl DerefMut for Instruction {
    fn deref_mut(&mut self) -> &mut Inst {
        &mut self.inst
    }
}

/// A lowered kernel.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Name of the kernel.
    pub kernel: String,
    /// The PTX version of its module.
    pub version: (u32, u32),
    /// Its module was compiled without optimisation.
    pub debug: bool,
    /// Its instructions, each value in a register of its own as far as the PTX has it so.
    pub insts: Vec<Instruction>,
    /// The registers that the PTX declares, in order.
    pub declared: Vec<Declared>,
    /// Slots and what they hold at the start.
    pub slots: Slots,
    /// Kernel parameters in order.
    pub params: Vec<KernelParam>,
    /// Module-scope variables in global memory.
    pub globals: Vec<PlacedVariable>,
    /// Device functions whose address the program may hold, with that address.
    pub functions: Vec<(String, u64)>,
    /// Constant bank.
    pub constants: Vec<PlacedVariable>,
    /// Statically declared shared memory, in bytes.
    pub shared_static: u64,
    /// Alignment of dynamic shared memory, in bytes.
    pub shared_align: u64,
    /// Shared variables: name, offset, size in bytes (0 for dynamic).
    pub shared_variables: Vec<(String, u64, u64)>,
    /// Local memory per thread, in bytes.
    pub local_bytes: u64,
    /// Bytes of call arguments and results per thread.
    pub frame_bytes: u64,
    /// `.maxntid` and `.reqntid`.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`: the only block shape that the kernel takes.
    pub required_threads: Option<[u32; 3]>,
}

impl Program {
    /// Source file and line of an instruction; the PTX itself where it has no line table. Of what comes from the headers of
    /// CUDA and its libraries, it is the line that called it.
    pub fn place(&self, module: &Module, ptx_file: &str, pc: usize) -> (String, u32) {
        let line = inlining::of_user(module, self.insts[pc].line);
        match module.files.get(&line.file) {
            Some(file) if line.line > 0 => (file.clone(), line.line),
            _ => (ptx_file.to_owned(), self.insts[pc].ptx_line),
        }
    }
}
