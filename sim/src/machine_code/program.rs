//! A kernel's machine code, ready to be launched: every instruction decoded once, and what a launch needs.

use std::collections::BTreeMap;
use std::sync::Arc;

use sass::cubin::{Code, Resources};
use sass::{Architecture, Control, Cubin};

use super::decode::{self, Constants, Refused};
use super::op::{AtomicOp, Op, Pred, Space};
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::ir::layout::{GLOBALS_BASE, align_up};

/// A kernel of a cubin.
#[derive(Debug, Clone)]
pub struct Program {
    /// The kernel's name.
    pub(super) kernel: String,
    pub(super) instructions: Vec<Inst>,
    /// The kernel's first instruction.
    pub(super) entry: u32,
    pub(super) constants: Constants,
    /// What the kernel takes of a multiprocessor.
    pub(super) resources: Resources,
    /// Registers that are named, 1 more than the highest.
    pub(super) registers: u32,
    /// Bytes of local memory of each thread.
    pub(super) local_bytes: u32,
    /// The banks of constant memory but bank 0, by their numbers.
    pub(super) banks: BTreeMap<u8, Vec<u8>>,
    /// The variables in global memory, in order of address.
    pub(super) variables: Vec<Placed>,
    /// The version of the compiler, if the cubin tells.
    pub(super) compiler: Option<String>,
    /// Whether the result may depend on the order of the blocks.
    pub(super) communicates: bool,
    /// Whether what a block executes may depend on what others did.
    pub(super) asks: bool,
    /// Whether a block may wait for what others store.
    pub(super) waits: bool,
    /// Whether warps of a block may compare and swap the same place in shared memory.
    pub(super) contends: bool,
}

/// A variable in global memory.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) name: String,
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) content: Vec<u8>,
}

/// An instruction.
#[derive(Debug, Clone)]
pub(super) struct Inst {
    pub(super) guard: Option<Pred>,
    pub(super) op: Op,
    /// The name without modifiers, for the table of classes and pipes.
    pub(super) name: &'static str,
    /// As nvdisasm prints it.
    pub(super) text: String,
    /// What the scheduler is told: for the model of time.
    #[allow(dead_code, reason = "the model of time reads it")]
    pub(super) control: Control,
    /// Bytes from the start of the section.
    pub(super) offset: u64,
    pub(super) file: Arc<str>,
    /// From 1; 0 if none is known.
    pub(super) line: u32,
}

/// Bytes of the stack of a thread whose kernel calls itself; ptxas does not tell how much that takes.
const RECURSION_STACK: u32 = 64 << 10;
/// Addresses of functions that are not in the cubin.
const EXTERNALS_BASE: u64 = 0x1000_0000;

/// What is not executed in a kernel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotExecuted {
    /// The instruction's name with its modifiers.
    pub opcode: String,
    /// Why not.
    pub why: String,
    /// The source file.
    pub file: String,
    /// The line, from 1; 0 if none is known.
    pub line: u32,
}

impl Program {
    /// Reads a kernel of a cubin.
    ///
    /// # Errors
    /// [`Error::Input`] when the bytes are no cubin or have no such kernel, [`Error::Unsupported`] when the cubin is for
    /// another architecture, or the kernel has an instruction that is not executed: with its name and its line.
    pub fn load(bytes: &[u8], kernel: &str) -> Result<Self, Error> {
        let (program, refused) = read(bytes, kernel)?;
        match refused.into_iter().next() {
            None => Ok(program),
            Some(first) => Err(unsupported(format!(
                "the machine code of `{kernel}` has an instruction that is not executed: {}{}",
                first.why,
                if first.line > 0 { format!(" ({}:{})", first.file, first.line) } else { String::new() }
            ))),
        }
    }

    /// Lists what is not executed in a kernel of a cubin.
    ///
    /// # Errors
    /// As [`Program::load`] for everything but instructions.
    pub fn not_executed(bytes: &[u8], kernel: &str) -> Result<Vec<NotExecuted>, Error> {
        read(bytes, kernel).map(|(_, refused)| refused)
    }

    /// The kernels of a cubin, in their order.
    ///
    /// # Errors
    /// [`Error::Input`] when the bytes are no cubin.
    pub fn kernels(bytes: &[u8]) -> Result<Vec<String>, Error> {
        let cubin = Cubin::parse(bytes).map_err(Error::input)?;
        let functions = cubin.sections.iter().flat_map(|code| &code.functions);
        Ok(functions.filter(|function| function.entry).map(|function| function.name.clone()).collect())
    }

    /// The kernels of a cubin, each with the sizes of its parameters in bytes.
    ///
    /// # Errors
    /// [`Error::Input`] when the bytes are no cubin.
    pub fn signatures(bytes: &[u8]) -> Result<Vec<(String, Vec<u32>)>, Error> {
        let cubin = Cubin::parse(bytes).map_err(Error::input)?;
        let signature = |code: &Code| {
            let entry = code.functions.iter().find(|function| function.entry)?;
            Some((entry.name.clone(), code.resources.parameters.iter().map(|parameter| parameter.size).collect()))
        };
        Ok(cubin.sections.iter().filter_map(signature).collect())
    }

    /// Says which compiler made it, for the report.
    pub fn set_compiler(&mut self, version: Option<String>) {
        self.compiler = version;
    }

    /// Changes what a variable in global memory holds when a launch begins; nothing if it has none of the name.
    pub fn write_variable(&mut self, name: &str, bytes: &[u8]) {
        for variable in self.variables.iter_mut().filter(|variable| variable.name == name) {
            variable.content.clear();
            variable.content.extend(bytes.iter().take(variable.bytes as usize));
        }
    }

    /// The kernel's name.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// Registers of each thread.
    pub const fn registers_per_thread(&self) -> u32 {
        self.resources.registers
    }
}

/// Why an instruction for compute capability 9.0 is not executed; `None` if it is. `offset`: bytes from the start of its
/// section.
pub fn refusal(bytes: [u8; 16], offset: u64) -> Option<String> {
    match sass::decode(Architecture::Sm90, bytes, offset) {
        Err(why) => Some(why.to_string()),
        Ok(instruction) => decode::decode(&instruction, &mut Constants::new(), 0, offset).err().map(|Refused(why)| why),
    }
}

pub(super) fn unsupported(message: String) -> Error {
    Error::Unsupported(Box::new(Diagnostic::new(message)))
}

fn read(bytes: &[u8], kernel: &str) -> Result<(Program, Vec<NotExecuted>), Error> {
    let cubin = Cubin::parse(bytes).map_err(Error::input)?;
    if cubin.capability != 90 {
        return Err(unsupported(format!(
            "this cubin is for compute capability {}.{}; machine code is executed for 9.0 (sm_90) only",
            cubin.capability / 10,
            cubin.capability % 10
        )));
    }
    let Some((code, function)) = cubin.function(kernel).filter(|(_, function)| function.entry) else {
        let kernels = Program::kernels(bytes)?;
        return Err(Error::input(format!("the cubin has no kernel `{kernel}`; it has {}", kernels.join(", "))));
    };
    let mut constants = Constants::new();
    let (mut instructions, mut refused) = (Vec::new(), Vec::new());
    section(code, &mut constants, &mut instructions, &mut refused);
    for relocation in &code.relocations {
        let why = format!("the loader has to fill in the address of `{}`, which is not done", relocation.symbol);
        refused.push(NotExecuted { opcode: "relocation".to_owned(), why, file: String::new(), line: 0 });
    }
    let layout = Layout::of(&cubin);
    let mut banks = BTreeMap::new();
    for data in &cubin.data {
        let Some(bank) = data.name.strip_prefix(".nv.constant") else { continue };
        let (number, owner) = bank.split_once('.').unwrap_or((bank, ""));
        let Ok(number) = number.parse::<u8>() else { continue };
        if number == 0 || !owner.is_empty() && owner != code.name {
            continue;
        }
        banks.insert(number, layout.content(data));
    }
    layout.check_calls(&instructions, &banks, &mut refused);
    let resources = code.resources.clone();
    let recursive = resources.stack > 1 << 20 || calls_itself(&instructions);
    let stack = if resources.stack > 1 << 20 { 0 } else { resources.stack };
    let local = stack.max(resources.frame) + if recursive { RECURSION_STACK } else { 0 };
    let communicates = instructions.iter().any(|inst| communicates(&inst.op));
    let asks = instructions.iter().any(|inst| asks(&inst.op));
    let waits = instructions.iter().any(|inst| looks_past_l1(&inst.op));
    let contends = instructions.iter().any(|inst| contends(&inst.op));
    let program = Program {
        kernel: kernel.to_owned(),
        entry: (function.offset / 16) as u32,
        registers: (u32::from(constants.highest) + 1).max(resources.registers).min(255),
        local_bytes: local.next_multiple_of(16),
        instructions,
        constants,
        resources,
        banks,
        variables: layout.variables,
        compiler: None,
        communicates,
        asks,
        waits,
        contends,
    };
    Ok((program, refused))
}

/// Decodes a section of code.
fn section(code: &Code, constants: &mut Constants, instructions: &mut Vec<Inst>, refused: &mut Vec<NotExecuted>) {
    let start = instructions.len() as u32;
    let none: Arc<str> = "".into();
    for (offset, decoded) in code.instructions(Architecture::Sm90) {
        let (file, line) = code.line(offset).map_or((none.clone(), 0), |line| (line.file.clone(), line.line));
        let mut refuse = |opcode: String, why: String| {
            refused.push(NotExecuted { opcode, why, file: file.to_string(), line });
        };
        let inst = match decoded {
            Ok(instruction) => {
                let (guard, op) = match decode::decode(&instruction, constants, start, offset) {
                    Ok(found) => found,
                    Err(Refused(why)) => {
                        refuse(instruction.opcode(), why);
                        (None, Op::Trap)
                    }
                };
                let (name, text) = (instruction.name, instruction.to_string());
                Inst { guard, op, name, text, control: instruction.control, offset, file, line }
            }
            Err(why) => {
                refuse("unknown".to_owned(), why.to_string());
                continue;
            }
        };
        instructions.push(inst);
    }
}

/// Whether the result of an instruction may depend on the order of the blocks. Integer reductions up to 32 bits whose old
/// value nobody uses give the same result in any order.
fn communicates(op: &Op) -> bool {
    match op {
        Op::Load(access) | Op::Store(access) => access.strong && matches!(access.space, Space::Global | Space::Generic),
        Op::Atomic(atomic) => {
            let commutes = !matches!(
                atomic.op,
                AtomicOp::Exch
                    | AtomicOp::Cas
                    | AtomicOp::CasSpin
                    | AtomicOp::AddF32 { .. }
                    | AtomicOp::AddF64
                    | AtomicOp::AddHalves(_)
            );
            let unused = atomic.result.is_none_or(|register| register == 255);
            atomic.space != Space::Shared && !(commutes && unused && atomic.bytes <= 4)
        }
        _ => false,
    }
}

/// Whether an instruction tells a block what others did: it loads past the L1 cache, or returns the old value of what it updates.
fn asks(op: &Op) -> bool {
    match op {
        Op::Load(access) | Op::Store(access) => access.strong && matches!(access.space, Space::Global | Space::Generic),
        Op::Atomic(atomic) => atomic.space != Space::Shared && atomic.result.is_some_and(|register| register != 255),
        _ => false,
    }
}

/// Whether an instruction loads past the L1 cache, as one with which a block waits for what others store.
pub(super) fn looks_past_l1(op: &Op) -> bool {
    matches!(op, Op::Load(access) if access.strong && matches!(access.space, Space::Global | Space::Generic))
}

/// Whether an instruction compares and swaps in shared memory.
fn contends(op: &Op) -> bool {
    matches!(op, Op::Atomic(atomic) if matches!(atomic.space, Space::Shared | Space::Generic)
        && matches!(atomic.op, AtomicOp::Cas | AtomicOp::CasSpin))
}

/// Whether a function may call itself: through a register, or because a call leads to itself.
fn calls_itself(instructions: &[Inst]) -> bool {
    let mut targets: Vec<u32> = Vec::new();
    for inst in instructions {
        match inst.op {
            Op::CallRegister { .. } => return true,
            Op::Call { target } if !targets.contains(&target) => targets.push(target),
            _ => {}
        }
    }
    targets.into_iter().any(|function| {
        let mut reached = vec![false; instructions.len()];
        let mut stack = vec![function as usize];
        while let Some(at) = stack.pop() {
            let Some(inst) = instructions.get(at) else { continue };
            if std::mem::replace(&mut reached[at], true) {
                continue;
            }
            if matches!(inst.op, Op::Call { target } if target == function) {
                return true;
            }
            let never_falls_through = match inst.op {
                Op::Exit { .. } | Op::Return { .. } => inst.guard.is_none(),
                Op::Branch { taken, .. } => inst.guard.is_none() && taken.number == 7 && !taken.not,
                _ => false,
            };
            let target = match inst.op {
                Op::Call { target } | Op::Branch { target, .. } | Op::BranchDivergent { target, .. } => Some(target),
                _ => None,
            };
            stack.extend(target.map(|target| target as usize));
            if !never_falls_through {
                stack.push(at + 1);
            }
        }
        false
    })
}

/// Where the variables of a cubin lie.
struct Layout {
    addresses: BTreeMap<String, u64>,
    variables: Vec<Placed>,
    externals: BTreeMap<u64, String>,
}

impl Layout {
    fn of(cubin: &Cubin) -> Self {
        let mut layout = Self { addresses: BTreeMap::new(), variables: Vec::new(), externals: BTreeMap::new() };
        let mut at = GLOBALS_BASE;
        let globals = || cubin.data.iter().filter(|data| data.name.starts_with(".nv.global"));
        for data in globals() {
            for variable in &data.variables {
                at = align_up(at, 256);
                layout.addresses.insert(variable.name.clone(), at);
                at += variable.size.max(1);
            }
        }
        let placed = globals().chain(cubin.data.iter().filter(|data| data.name.starts_with(".nv.constant")));
        for relocation in placed.flat_map(|data| &data.relocations) {
            if !layout.addresses.contains_key(&relocation.symbol) {
                let address = EXTERNALS_BASE + 16 * layout.externals.len() as u64;
                layout.addresses.insert(relocation.symbol.clone(), address);
                layout.externals.insert(address, relocation.symbol.clone());
            }
        }
        for data in globals() {
            let content = layout.content(data);
            for variable in &data.variables {
                let range = variable.offset as usize..(variable.offset + variable.size) as usize;
                let content = content.get(range).map(<[u8]>::to_vec).unwrap_or_default();
                let address = layout.addresses[&variable.name];
                layout.variables.push(Placed { name: variable.name.clone(), address, bytes: variable.size, content });
            }
        }
        layout
    }

    /// The bytes of a section with the addresses filled in.
    fn content(&self, data: &sass::cubin::Data) -> Vec<u8> {
        let mut bytes = data.bytes.clone();
        for relocation in &data.relocations {
            let address = self.addresses.get(&relocation.symbol).copied().unwrap_or(0);
            let value = address.wrapping_add_signed(relocation.addend).to_le_bytes();
            let at = relocation.offset as usize;
            if let Some(place) = bytes.get_mut(at..at + 8) {
                place.copy_from_slice(&value);
            }
        }
        bytes
    }

    /// Finds the loads of addresses of functions that are not in the cubin.
    fn check_calls(&self, instructions: &[Inst], banks: &BTreeMap<u8, Vec<u8>>, refused: &mut Vec<NotExecuted>) {
        for inst in instructions {
            let Op::LoadConstant { bank, index, offset, bytes: 8, .. } = inst.op else { continue };
            let Some(content) = banks.get(&bank).and_then(|content| content.get(offset as usize..)) else { continue };
            // Behind a register it may be any word of the bank.
            let words = content.as_chunks::<8>().0.iter().take(if index.is_none() { 1 } else { usize::MAX });
            // An assertion that holds calls nothing.
            let called = |function: &&String| index.is_none() || *function != "__assertfail";
            let function = words.filter_map(|word| self.externals.get(&u64::from_le_bytes(*word))).find(called);
            let Some(function) = function else { continue };
            let why = format!("a call of `{function}`, which is not in the cubin, is not executed");
            let opcode = "CALL.ABS.NOINC".to_owned();
            refused.push(NotExecuted { opcode, why, file: inst.file.to_string(), line: inst.line });
        }
    }
}
