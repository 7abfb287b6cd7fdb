//! A kernel, lowered from its syntax tree to what the executor runs.
//!
//! Passes, in order, one file each:
//! 1. [`build`](builder): names to slots and addresses, device functions inlined, except those that call each other in a
//!    circle (`recursion.rs`), opcodes decoded (`decode.rs`).
//! 2. [`dead`]: what nobody needs is not counted (`sm_90` lowering only, like the next four).
//! 3. [`narrow`]: of an element, the half is loaded that is used.
//! 4. [`contract`]: products and sums become fused operations, as ptxas does it.
//! 5. [`atomics`]: one lane for all, loops of compare-and-swap, increments, reductions, as ptxas does it.
//! 6. [`merge`]: adjacent shared-memory accesses become wide ones, as ptxas does it.
//! 7. [`reconverge`]: where the lanes that part at a branch meet again, from the control-flow graph ([`mod@cfg`]).
//! 8. [`joins`]: where some of them meet before all do.
//! 9. [`arithmetic`]: the floating-point instructions that each instruction becomes, ([`sink`]) where, and
//!    (`vary`) for which lanes and operands.
//! 10. [`shorten`]: chains of instructions are executed in fewer steps.
//! 11. [`compact`]: registers that are not needed at the same time share a slot.

pub mod alignment;
mod areas;
pub mod arithmetic;
mod asynchronous;
pub mod atomics;
pub mod builder;
mod call;
pub mod cfg;
mod circles;
pub mod compact;
pub mod contract;
mod control;
pub mod dead;
mod decode;
mod edit;
mod flow;
mod folds;
pub mod inst;
pub mod joins;
mod layout;
mod matrix;
mod memory;
pub mod merge;
pub mod narrow;
mod operand;
mod place;
pub mod reconverge;
mod recursion;
mod rename;
mod selectors;
pub mod shorten;
pub mod sink;
pub mod slots;
pub mod uniform;
pub mod uses;
mod vary;
mod warp;
pub mod ways;

use crate::Lowering;
use crate::error::Error;
use crate::ptx::ast::{Line, Module, Relocation};

pub use inst::Inst;
pub use layout::{CONST_WINDOW, FRAME_OFFSET, GLOBALS_BASE, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW};
pub(crate) use recursion::STACK;

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

/// A lowered kernel.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Name of the kernel.
    pub kernel: String,
    /// Instructions, each value in a register of its own as far as the PTX has it so: what the passes look at.
    pub insts: Vec<Inst>,
    /// The same instructions with chains of them in fewer steps: some do nothing, others more than the PTX says.
    pub steps: Vec<Inst>,
    /// The steps as they are executed.
    pub code: compact::Code,
    /// Instructions that the compiler removes: they are executed, but not counted. Empty when there are none.
    pub removed: Vec<bool>,
    /// Floating-point instructions that each instruction becomes.
    pub arithmetic: Vec<arithmetic::Arithmetic>,
    /// Where some of the lanes that part at a branch meet before all do.
    pub joins: joins::Joins,
    /// Where these are executed. Empty: where they stand.
    pub places: Vec<sink::Place>,
    /// Source line of each instruction.
    pub lines: Vec<Line>,
    /// Line in the PTX text of each instruction, from 1.
    pub ptx_lines: Vec<u32>,
    /// The instructions as written.
    pub texts: Vec<String>,
    /// Slots and what they hold at the start.
    pub slots: slots::Slots,
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
    /// Whether the compiler removes the instruction at a position: it is executed, but not counted.
    pub fn is_removed(&self, pc: usize) -> bool {
        self.removed.get(pc).is_some_and(|&removed| removed)
    }

    /// The opcode of the instruction at a position as it was written, without its guard.
    pub fn opcode(&self, pc: usize) -> &str {
        let word = self.texts[pc].split_whitespace().find(|word| !word.starts_with('@'));
        word.unwrap_or_default().trim_end_matches(';')
    }
}

/// Lowers `kernel` of `module`.
///
/// # Errors
/// [`Error::Input`] when there is no such kernel or the PTX contradicts itself, [`Error::Unsupported`] with the place
/// of the first instruction that we do not have.
pub fn lower(module: &Module, source: Source<'_>, kernel: &str, lowering: Lowering) -> Result<Program, Error> {
    let mut program = builder::build(module, source, kernel)?;
    if lowering == Lowering::Sm90 {
        dead::run(&mut program);
        narrow::run(&mut program);
        contract::run(&mut program);
        atomics::run(&mut program);
        merge::run(&mut program);
    }
    reconverge::run(&mut program);
    joins::run(&mut program);
    arithmetic::run(&mut program, lowering);
    program.steps = shorten::run(&mut program);
    program.code = compact::run(&program);
    Ok(program)
}
