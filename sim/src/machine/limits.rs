//! What a GPU, its compiler or the caller refuses before a launch begins: too much static shared memory, constant memory,
//! local memory or parameters, and more simulated memory than the caller allows. Nothing is allocated before.
//!
//! The words are ptxas' (13.0.88) where it is the one that refuses. Limits that no GPU here has otherwise: 48 KiB of static
//! shared memory, 64 KiB of constant memory and 512 KiB of local memory per thread (CUDA C++ Programming Guide,
//! "Technical Specifications per Compute Capability"), 4352 bytes of parameters, from PTX 8.1 on 32764 (PTX ISA, ".param").

use crate::error::Error;
use crate::launch::{Arg, Launch};
use crate::prepare::Executable;
use crate::target::Target;

const STATIC_SHARED: u64 = 48 << 10;
const CONSTANT: u64 = 64 << 10;
const LOCAL: u64 = 512 << 10;
const PARAMETERS: u64 = 0x7ffc;
const OLD_PARAMETERS: u64 = 0x1100;
/// The PTX version from which on there may be more parameters.
const MORE_PARAMETERS: (u32, u32) = (8, 1);

/// Blocks that count as running at once where blocks run side by side: more than most CPUs have cores for.
const SIDE_BY_SIDE: u64 = 16;

/// What ptxas and the driver refuse about the kernel itself, compiled from PTX of `version`.
///
/// # Errors
/// [`Error::Input`] with ptxas' words.
pub(super) fn check_kernel(program: &Executable, version: (u32, u32), target: &Target) -> Result<(), Error> {
    let kernel = &program.kernel;
    let refuse = |what: String, help: String| Err(Error::input(format!("ptxas refuses this kernel: {what}: {help}")));
    let shared = program.shared_static;
    if shared > STATIC_SHARED {
        return refuse(
            format!("Entry function '{kernel}' uses too much shared data ({shared:#x} bytes, {STATIC_SHARED:#x} max)"),
            format!(
                "a kernel can declare 48 KiB of `__shared__` variables; more is dynamic shared memory (`extern \
                 __shared__`), of which a block has up to {} bytes on {}",
                target.shared_per_block, target.title
            ),
        );
    }
    let parameters = program.params.iter().map(|param| param.offset + param.bytes).max().unwrap_or(0);
    let most = if version >= MORE_PARAMETERS { PARAMETERS } else { OLD_PARAMETERS };
    if parameters > most {
        return refuse(
            format!("Entry function '{kernel}' uses too much parameter space ({parameters:#x} bytes, {most:#x} max)"),
            "pass a pointer to a buffer in place of a large struct".to_owned(),
        );
    }
    let constant = program.constants.iter().map(|variable| variable.address + variable.bytes).max().unwrap_or(0);
    if constant > CONSTANT {
        return refuse(
            format!("File uses too much global constant data ({constant:#x} bytes, {CONSTANT:#x} max)"),
            "constant memory has 64 KiB; larger tables go to global memory".to_owned(),
        );
    }
    let local = program.local_bytes;
    if local > LOCAL {
        return Err(Error::input(format!(
            "a thread of `{kernel}` needs {local} bytes of local memory; a GPU has {LOCAL} per thread, and CUDA refuses \
             the launch (\"out of resources\"): put large arrays into shared or global memory"
        )));
    }
    Ok(())
}

/// What the buffers and the module's variables take together, in bytes.
fn global_bytes(program: &Executable, launch: &Launch) -> (u64, u64) {
    let sizes = launch.args.iter().map(|arg| match arg {
        Arg::Buffer(content) => content.len() as u64,
        Arg::Zeros(size) | Arg::Uninit(size) => *size,
        Arg::Memory { bytes, .. } => *bytes,
        Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. } => 0,
    });
    let variables = program.globals.iter().map(|variable| variable.bytes);
    (sizes.fold(0, u64::saturating_add), variables.fold(0, u64::saturating_add))
}

/// Whether the launch's memory fits the GPU, and what the caller allows: `resident` blocks are held at once where they run
/// in turn (`None`: side by side).
///
/// # Errors
/// [`Error::Input`] with what takes how much.
pub(super) fn check_memory(
    program: &Executable,
    launch: &Launch,
    target: &Target,
    allowed: Option<u64>,
    resident: Option<u64>,
) -> Result<(), Error> {
    let (buffers, variables) = global_bytes(program, launch);
    let global = buffers.saturating_add(variables);
    if global > target.memory {
        return Err(Error::input(format!(
            "the arguments and the module's variables need {global} bytes of global memory; {} has {}",
            target.title, target.memory
        )));
    }
    let Some(allowed) = allowed else { return Ok(()) };
    let warps = launch.block.count().div_ceil(32);
    let per_block = (program.local_bytes + program.frame_bytes).saturating_mul(32).saturating_mul(warps);
    let blocks = resident.unwrap_or(SIDE_BY_SIDE).min(launch.grid.count());
    let local = per_block.saturating_mul(blocks);
    let sum = global.saturating_add(local);
    if sum > allowed {
        return Err(Error::input(format!(
            "the launch needs {sum} bytes of memory ({buffers} in buffers, {variables} in variables of the module, {local} \
             of local memory); here it may take {allowed}"
        )));
    }
    Ok(())
}
