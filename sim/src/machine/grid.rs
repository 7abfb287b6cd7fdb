//! A launch: checks that a GPU would take it, and lays its memory out.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::limits;
use super::registers::Constants;
use crate::error::Error;
use crate::event::LaunchInfo;
use crate::ir::inst::{Op, Space};
use crate::ir::{CONST_WINDOW, PlacedVariable, SHARED_WINDOW};
use crate::launch::{Arg, Dim3, Launch};
use crate::memory::global::GlobalMemory;
use crate::options::{Options, Watch};
use crate::prepare::Executable;
use crate::target::{Occupancy, Scheduling, Target, Usage};

/// Everything that all blocks of a launch share.
pub(crate) struct Machine<'a> {
    /// The kernel.
    pub program: &'a Executable,
    /// Its constants as rows.
    pub constants: Constants,
    /// The arguments as they lie in parameter space.
    pub params: Vec<u8>,
    /// Constant memory.
    pub constant_memory: Vec<u8>,
    /// Global memory.
    pub global: GlobalMemory<'a>,
    /// Thread blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// Dynamic shared memory per block, in bytes.
    pub shared_dynamic: u32,
    /// All shared memory per block, in bytes.
    pub shared_bytes: u64,
    /// The GPU.
    pub target: &'a Target,
    /// How many thread blocks of this launch a multiprocessor holds at once. PTX does not say how many registers ptxas
    /// gives a thread, so they are left out: a GPU may hold fewer.
    pub occupancy: Occupancy,
    /// The same for all multiprocessors together.
    pub resident_blocks: u64,
    /// How the lanes of a warp that part at a branch run.
    pub scheduling: Scheduling,
    /// The order in which things happen that the hardware leaves open; 0 is the plain one.
    pub seed: u64,
    /// The first block, as far as known, that comes to no end: the blocks behind it need not run.
    pub(crate) endless: AtomicU64,
    /// A block waits for others: they have to run in turn.
    pub(crate) waiting: AtomicBool,
    /// Whether the result may depend on the order of the blocks.
    communicates: bool,
    /// Warp-instructions that one block may execute.
    pub budget: u64,
    /// What lanes that take no part in a shuffle give to those that read from them; 0 as on an H200 if nothing is said.
    pub absent: Option<u32>,
    /// The blocks run in turn although their code does not show that they communicate: one waits for another, or they
    /// race.
    pub forced_turns: bool,
    /// Who is told how far it has come.
    watch: Option<Watch>,
    /// Whether they have stopped it.
    stopped: AtomicBool,
}

impl<'a> Machine<'a> {
    /// Prepares a launch of `program`.
    ///
    /// # Errors
    /// [`Error::Input`] when the launch does not fit the kernel or the GPU.
    pub(crate) fn new(
        program: &'a Executable,
        launch: &'a Launch,
        target: &'a Target,
        options: &Options,
    ) -> Result<Self, Error> {
        check_shape((program.required_threads, program.max_threads), launch, target, &usage(program, launch))?;
        limits::check_kernel(program, program.version, target)?;
        let occupancy = target.occupancy(&usage(program, launch));
        let capacity = u64::from(occupancy.blocks.max(1)) * u64::from(target.multiprocessors);
        let communicates = blocks_communicate(program);
        let in_turn = options.seed != 0 || communicates;
        limits::check_memory(program, launch, target, options.memory, in_turn.then_some(capacity))?;
        let addresses = addresses(program);
        let mut global = GlobalMemory::default();
        for variable in &program.globals {
            global.add_variable(variable.address, variable.bytes, content(variable, &addresses), variable.name.clone());
        }
        let constant_bytes = program.constants.iter().map(|variable| variable.address + variable.bytes).max();
        let mut constant_memory = vec![0; constant_bytes.unwrap_or(0) as usize];
        for variable in &program.constants {
            let content = content(variable, &addresses);
            constant_memory[variable.address as usize..][..content.len()].copy_from_slice(&content);
        }
        let params = arguments(program, launch, &mut global)?;
        let shared_bytes =
            program.shared_static.next_multiple_of(program.shared_align) + u64::from(launch.shared_bytes);
        Ok(Self {
            program,
            constants: Constants::new(&program.slots),
            params,
            constant_memory,
            global,
            grid: launch.grid,
            block: launch.block,
            shared_dynamic: launch.shared_bytes,
            shared_bytes,
            target,
            resident_blocks: capacity,
            occupancy,
            scheduling: options.scheduling.unwrap_or(target.scheduling),
            seed: options.seed,
            endless: AtomicU64::new(u64::MAX),
            waiting: AtomicBool::new(false),
            communicates,
            budget: options.budget,
            absent: None,
            forced_turns: false,
            watch: options.watch.clone(),
            stopped: AtomicBool::new(false),
        })
    }

    /// So many more warp-instructions have been executed.
    pub(crate) fn executed(&self, instructions: u64) {
        if let Some(watch) = &self.watch
            && watch.tell(instructions).is_break()
        {
            self.stopped.store(true, Relaxed);
        }
    }

    /// Whether the caller wants no more of it. What ran is worth nothing then.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// What observers may know of it.
    pub(crate) fn info(&self) -> LaunchInfo<'_> {
        LaunchInfo {
            program: self.program,
            global: &self.global,
            grid: self.grid,
            block: self.block,
            shared_bytes: self.shared_bytes,
            target: self.target,
            scheduling: self.scheduling,
            seed: self.seed,
            in_turn: self.in_turn(),
        }
    }

    /// Warps that a block needs.
    pub(crate) fn warps_per_block(&self) -> u32 {
        self.block.count().div_ceil(32) as u32
    }

    /// Whether the blocks run in turn, seen by one observer.
    pub(crate) fn in_turn(&self) -> bool {
        self.forced_turns || self.seed != 0 || self.communicates
    }
}

/// Whether the result may depend on the order of the blocks: then they run in order, so that every run is alike.
/// Integer reductions up to 32 bits whose old value nobody uses give the same result in any order.
fn blocks_communicate(program: &Executable) -> bool {
    program.insts.iter().any(|inst| match &inst.op {
        Op::Atomic(atomic) => {
            let harmless = atomic.op.commutes() && atomic.result.is_none() && atomic.bytes <= 4;
            atomic.space != Space::Shared && !harmless
        }
        Op::Bulk(bulk) => match bulk.reduces {
            Some((op, bytes)) => bulk.to.0 != Space::Shared && !(op.commutes() && bytes <= 4),
            None => false,
        },
        // The addresses that they get.
        Op::Allocate { .. } => true,
        Op::Load(access) | Op::Store(access) => access.strong && matches!(access.space, Space::Global | Space::Generic),
        _ => false,
    })
}

/// Where the variables of a program lie: the address within their space and the generic one.
pub(crate) type Addresses<'a> = HashMap<&'a str, (u64, u64)>;

pub(crate) fn addresses(program: &Executable) -> Addresses<'_> {
    let shared = program.shared_variables.iter().map(|v| (&*v.0, (v.1, SHARED_WINDOW + v.1)));
    let constant = program.constants.iter().map(|v| (&*v.name, (v.address, CONST_WINDOW + v.address)));
    let global = program.globals.iter().map(|v| (&*v.name, (v.address, v.address)));
    let functions = program.functions.iter().map(|f| (&*f.0, (f.1, f.1)));
    shared.chain(constant).chain(global).chain(functions).collect()
}

/// A variable's initial bytes, addresses of other variables filled in.
pub(crate) fn content(variable: &PlacedVariable, addresses: &Addresses<'_>) -> Vec<u8> {
    let mut content = variable.content.clone();
    for relocation in &variable.relocations {
        let (own, generic) = addresses.get(&*relocation.symbol.text).copied().unwrap_or_default();
        let address = if relocation.generic { generic } else { own }.wrapping_add(relocation.addend as u64);
        let bytes = &address.to_le_bytes()[..relocation.bytes.min(8) as usize];
        content[relocation.at as usize..][..bytes.len()].copy_from_slice(bytes);
    }
    content
}

/// Refuses a launch whose shape the GPU does not take, or a kernel that must have, or have at most, other `threads`.
pub(crate) fn check_shape(
    (required, most): (Option<[u32; 3]>, Option<[u32; 3]>),
    launch: &Launch,
    target: &Target,
    usage: &Usage,
) -> Result<(), Error> {
    let most_threads = most;
    let Launch { grid, block, .. } = launch;
    for (what, extent) in [("grid", grid), ("block", block)] {
        if extent.x == 0 || extent.y == 0 || extent.z == 0 {
            return Err(Error::input(format!("the {what} {extent} has an extent of 0; every extent is at least 1")));
        }
    }
    let threads = block.count();
    let most = Dim3::new(target.block_x, target.block_y, target.block_z);
    if threads > u64::from(target.threads_per_block) || block.x > most.x || block.y > most.y || block.z > most.z {
        return Err(Error::input(format!(
            "a block of {block} has {threads} threads; a thread block of {} holds at most {}, and at most {} in x, {} in \
             y and {} in z",
            target.title, target.threads_per_block, most.x, most.y, most.z
        )));
    }
    let most = Dim3::new(target.grid_x, target.grid_y, target.grid_z);
    if grid.x > most.x || grid.y > most.y || grid.z > most.z {
        return Err(Error::input(format!(
            "a grid of {grid} is too large: {} takes at most {} blocks in x, {} in y and {} in z",
            target.title, most.x, most.y, most.z
        )));
    }
    if let Some([x, y, z]) = required
        && *block != Dim3::new(x, y, z)
    {
        let needed = Dim3::new(x, y, z);
        return Err(Error::input(format!("this kernel requires a block of {needed} (`.reqntid`), not {block}")));
    }
    if let Some([x, y, z]) = most_threads
        && threads > Dim3::new(x, y, z).count()
    {
        let most = Dim3::new(x, y, z).count();
        return Err(Error::input(format!(
            "this kernel was compiled for at most {most} threads per block (`__launch_bounds__`), not {threads}"
        )));
    }
    let resources = target.resources();
    if resources.shared_of_block(usage) > resources.shared_limit() {
        let mut message = format!(
            "the block needs {} bytes of shared memory; {} has {} per block",
            usage.shared_bytes, target.title, target.shared_per_block
        );
        if target.parameters_in_shared {
            message += &format!(
                ", of which the kernel's parameters take {} and the system {}",
                usage.parameter_bytes, target.shared_reserved
            );
        }
        return Err(Error::input(message));
    }
    Ok(())
}

/// What a block of the launch needs of a multiprocessor; PTX does not tell how many registers.
pub(crate) fn usage(program: &Executable, launch: &Launch) -> Usage {
    Usage {
        threads: u32::try_from(launch.block.count()).unwrap_or(u32::MAX),
        shared_bytes: program.shared_static + u64::from(launch.shared_bytes),
        parameter_bytes: program.params.iter().map(|param| param.offset + param.bytes).max().unwrap_or(0),
        registers: None,
    }
}

/// Lays the arguments out in parameter space, checked against the kernel's parameters.
fn arguments<'a>(program: &Executable, launch: &'a Launch, global: &mut GlobalMemory<'a>) -> Result<Vec<u8>, Error> {
    let passed = launch.args.iter().filter(|arg| !matches!(arg, Arg::Memory { .. })).count();
    if passed != program.params.len() {
        let params: Vec<String> =
            program.params.iter().map(|param| format!("{} ({} bytes)", param.name, param.bytes)).collect();
        return Err(Error::input(format!(
            "`{}` takes {} arguments, {passed} were given; its parameters are: {}",
            program.kernel,
            program.params.len(),
            if params.is_empty() { "none".to_owned() } else { params.join(", ") }
        )));
    }
    let addresses = allocate(launch, global);
    let end = program.params.iter().map(|param| param.offset + param.bytes).max().unwrap_or(0);
    let mut bytes = vec![0; end as usize];
    let passed = launch.args.iter().enumerate().filter(|(_, arg)| !matches!(arg, Arg::Memory { .. }));
    for ((index, arg), param) in passed.zip(&program.params) {
        let value = argument(&addresses, index, arg)?;
        if value.len() as u64 != param.bytes {
            let given = match arg {
                Arg::Buffer(_) | Arg::Zeros(_) | Arg::Uninit(_) | Arg::Address { .. } => {
                    "a buffer (an address of 8 bytes)".to_owned()
                }
                _ => format!("a value of {} bytes", value.len()),
            };
            return Err(Error::input(format!(
                "argument {index} is {given}, but parameter `{}` of `{}` has {} bytes (.{})",
                param.name, program.kernel, param.bytes, param.element
            )));
        }
        bytes[param.offset as usize..][..value.len()].copy_from_slice(&value);
    }
    Ok(bytes)
}

/// The bytes of an argument, the `index`-th of the list.
pub(crate) fn argument(addresses: &[Option<u64>], index: usize, arg: &Arg) -> Result<Vec<u8>, Error> {
    let address = |place: usize| addresses.get(place).copied().flatten();
    Ok(match arg {
        Arg::Scalar(scalar) => scalar.to_bytes(),
        Arg::Bytes(bytes) => bytes.clone(),
        Arg::Address { argument, offset } => match address(*argument) {
            Some(address) => address.wrapping_add(*offset).to_le_bytes().to_vec(),
            None => {
                let message = format!("argument {index} is the address of argument {argument}, which is no buffer");
                return Err(Error::input(message));
            }
        },
        Arg::Buffer(_) | Arg::Zeros(_) | Arg::Uninit(_) | Arg::Memory { .. } => {
            address(index).unwrap_or_default().to_le_bytes().to_vec()
        }
    })
}

/// Gives the launch's buffers their memory: the address of each place in the list that is one.
pub(crate) fn allocate<'a>(launch: &'a Launch, global: &mut GlobalMemory<'a>) -> Vec<Option<u64>> {
    let mut addresses = Vec::with_capacity(launch.args.len());
    for (index, arg) in launch.args.iter().enumerate() {
        addresses.push(match arg {
            Arg::Buffer(content) => {
                Some(global.add_content(content.len() as u64, content, format!("argument {index}")))
            }
            Arg::Zeros(size) => Some(global.add_buffer(*size, &[], format!("argument {index}"))),
            Arg::Uninit(size) => Some(global.add_uninitialized(*size, format!("argument {index}"))),
            Arg::Memory { name, bytes, written: false, .. } => Some(global.add_uninitialized(*bytes, name.clone())),
            Arg::Memory { name, bytes, content, .. } => Some(global.add_content(*bytes, content, name.clone())),
            Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. } => None,
        });
    }
    addresses
}
