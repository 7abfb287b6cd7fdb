//! A launch of machine code: constant bank 0, the arguments, memory.
//!
//! The layout of constant bank 0 was read off the code that ptxas makes for compute capability 9.0: the block's shape at 0,
//! the grid's at 0xc, the base of generic addresses of local memory at 0x20, the top of the stack at 0x28, the parameters
//! where the cubin says (0x210).

use std::sync::atomic::AtomicU64;

use super::decode::Constant;
use super::program::Program;
use crate::error::Error;
use crate::ir::layout::LOCAL_WINDOW;
use crate::launch::{Arg, Dim3, Launch};
use crate::machine::grid;
use crate::memory::global::GlobalMemory;
use crate::options::Options;
use crate::target::{self, Occupancy, Rules, Target, Usage};

/// Bytes at the beginning of shared memory that belong to the system.
pub(super) const RESERVED_SHARED: u64 = 1024;
const PARAMETERS: usize = 0x210;

/// What all blocks of a launch share.
pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    /// The values of the program's constants.
    pub(super) constants: Vec<u32>,
    pub(super) bank0: Vec<u8>,
    pub(super) global: GlobalMemory<'a>,
    pub(super) grid: Dim3,
    pub(super) block: Dim3,
    /// Bytes of shared memory, those of the system among them.
    pub(super) shared_bytes: u64,
    pub(super) shared_static: u64,
    pub(super) target: &'static Target,
    pub(super) rules: Rules,
    pub(super) occupancy: Occupancy,
    pub(super) resident_blocks: u64,
    pub(super) budget: u64,
    /// The first block, as far as known, that comes to no end.
    pub(super) endless: AtomicU64,
}

impl<'a> Machine<'a> {
    /// Prepares a launch.
    ///
    /// # Errors
    /// [`Error::Input`] when the launch does not fit the kernel or the GPU.
    pub(super) fn new(program: &'a Program, launch: &'a Launch, options: &Options) -> Result<Self, Error> {
        let target = target::find(&options.target).ok_or_else(|| Error::input(target::unknown(&options.target)))?;
        let resources = &program.resources;
        let shared_static = resources.shared.saturating_sub(RESERVED_SHARED);
        let usage = Usage {
            threads: u32::try_from(launch.block.count()).unwrap_or(u32::MAX),
            shared_bytes: shared_static + u64::from(launch.shared_bytes),
            parameter_bytes: 0,
            registers: Some(resources.registers),
        };
        grid::check_shape((resources.required_threads, resources.max_threads), launch, target, &usage)?;
        let occupancy = target.occupancy(&usage);
        let mut global = GlobalMemory::default();
        for variable in &program.variables {
            global.add_variable(variable.address, variable.bytes, variable.content.clone(), variable.name.clone());
        }
        let bank0 = bank0(program, launch, &mut global)?;
        let word = |content: &[u8], at: u32| {
            let word = content.get(at as usize..).and_then(|rest| rest.first_chunk::<4>());
            word.map_or(0, |word| u32::from_le_bytes(*word))
        };
        let value = |constant: &Constant| match *constant {
            Constant::Immediate(value) => value,
            Constant::Bank { bank: 0, offset } => word(&bank0, offset),
            Constant::Bank { bank, offset } => program.banks.get(&bank).map_or(0, |content| word(content, offset)),
        };
        let constants = program.constants.list.iter().map(value).collect();
        Ok(Self {
            program,
            constants,
            bank0,
            global,
            grid: launch.grid,
            block: launch.block,
            shared_bytes: RESERVED_SHARED + shared_static.next_multiple_of(16) + u64::from(launch.shared_bytes),
            shared_static,
            target,
            rules: target.rules(),
            occupancy,
            resident_blocks: u64::from(occupancy.blocks.max(1)) * u64::from(target.multiprocessors),
            budget: options.budget,
            endless: AtomicU64::new(u64::MAX),
        })
    }

    /// Whether the blocks run in turn.
    pub(super) const fn in_turn(&self) -> bool {
        self.program.communicates
    }

    /// Whether what a block executes may depend on what others did, so that only the first ones can be followed.
    pub(super) const fn asks(&self) -> bool {
        self.program.asks
    }

    /// Whether a block may wait for what others store.
    pub(super) const fn waits(&self) -> bool {
        self.program.waits
    }

    /// Warps of a block.
    pub(super) const fn warps_per_block(&self) -> u32 {
        self.block.count().div_ceil(32) as u32
    }
}

/// Lays out constant bank 0; the arguments are checked against the kernel's parameters.
fn bank0<'a>(program: &Program, launch: &'a Launch, global: &mut GlobalMemory<'a>) -> Result<Vec<u8>, Error> {
    let resources = &program.resources;
    let passed = launch.args.iter().filter(|arg| !matches!(arg, Arg::Memory { .. })).count();
    let parameters = &resources.parameters;
    if passed != parameters.len() {
        let sizes: Vec<String> = parameters.iter().map(|parameter| format!("{} bytes", parameter.size)).collect();
        return Err(Error::input(format!(
            "`{}` takes {} arguments, {passed} were given; its parameters are: {}",
            program.kernel,
            parameters.len(),
            if sizes.is_empty() { "none".to_owned() } else { sizes.join(", ") }
        )));
    }
    let start = resources.parameters_at.map_or(PARAMETERS, |(start, _)| usize::from(start));
    let end = parameters.iter().map(|parameter| usize::from(parameter.offset) + parameter.size as usize).max();
    // A parameter of two bytes at the end may be read as a word.
    let mut bank = vec![0; (start + end.unwrap_or(0)).next_multiple_of(16)];
    let mut put = |at: usize, value: u32| bank[at..at + 4].copy_from_slice(&value.to_le_bytes());
    let shapes = [<[u32; 3]>::from(launch.block), launch.grid.into()];
    for (number, extent) in shapes.into_iter().flatten().enumerate() {
        put(4 * number, extent);
    }
    put(0x20, LOCAL_WINDOW as u32);
    put(0x24, (LOCAL_WINDOW >> 32) as u32);
    put(0x28, program.local_bytes);
    let addresses = grid::allocate(launch, global);
    let given = launch.args.iter().enumerate().filter(|(_, arg)| !matches!(arg, Arg::Memory { .. }));
    for ((index, arg), parameter) in given.zip(parameters) {
        let value = grid::argument(&addresses, index, arg)?;
        if value.len() != parameter.size as usize {
            return Err(Error::input(format!(
                "argument {index} has {} bytes, but that parameter of `{}` has {} bytes",
                value.len(),
                program.kernel,
                parameter.size
            )));
        }
        bank[start + usize::from(parameter.offset)..][..value.len()].copy_from_slice(&value);
    }
    Ok(bank)
}
