//! Kernels that are loaded on a GPU: launching, timing, and what they need of an SM.

use std::ffi::{CString, c_void};
use std::ptr;

use cudarc::driver::sys::{self, CUfunction_attribute as Attribute, CUjit_option as Jit, CUresult};
use serde::{Deserialize, Serialize};
use sim::{Arg, Launch};

use super::error::{GpuError, check, check_kernel, describe};
use super::memory::{DeviceBuffer, Event};
use super::{Gpu, params, version};
use crate::case::Shape;

/// Dynamic shared memory that a block gets without opting in, in bytes.
const SHARED_WITHOUT_OPTIN: u32 = 48 * 1024;

/// Untimed launches before the first timed one: they load the code and bring the clocks up.
const WARM_UP: u32 = 5;

/// A module of kernels, loaded on a GPU.
#[derive(Debug)]
pub struct Kernels<'gpu> {
    gpu: &'gpu Gpu,
    module: sys::CUmodule,
    ptx: String,
    lowered: Option<String>,
}

/// What a launch on a GPU left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuRun {
    /// One entry per argument: the buffer's bytes after the launch, `None` for a scalar.
    pub buffers: Vec<Option<Vec<u8>>>,
}

/// How long a kernel took, by CUDA events around single launches with cold caches. Starting a kernel costs a few
/// microseconds, which are part of it: times below some 20 microseconds say little about the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Median, in nanoseconds.
    pub median_ns: u64,
    /// Shortest, in nanoseconds.
    pub min_ns: u64,
    /// Longest, in nanoseconds.
    pub max_ns: u64,
    /// Number of timed launches.
    pub runs: u32,
}

impl Times {
    /// Median, in microseconds.
    pub const fn median_us(&self) -> f64 {
        self.median_ns as f64 / 1e3
    }

    /// The statistics of single times in nanoseconds; `None` when there are none.
    fn of(mut nanoseconds: Vec<u64>) -> Option<Self> {
        nanoseconds.sort_unstable();
        let (&min_ns, &max_ns) = (nanoseconds.first()?, nanoseconds.last()?);
        let n = nanoseconds.len();
        let median_ns = (nanoseconds[(n - 1) / 2] + nanoseconds[n / 2]) / 2;
        Some(Self { median_ns, min_ns, max_ns, runs: n as u32 })
    }
}

/// What a kernel needs of an SM, and how much of it fits there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Registers per thread.
    pub registers: u32,
    /// Shared memory that the kernel declares itself, in bytes per block.
    pub shared_static: u32,
    /// Local memory (spilled registers, arrays), in bytes per thread.
    pub local_bytes: u32,
    /// Blocks of this launch that an SM holds at a time.
    pub blocks_per_sm: u32,
    /// Warps of this launch that an SM holds at a time.
    pub warps_per_sm: u32,
    /// Most warps that an SM can hold.
    pub warps_limit: u32,
}

impl<'gpu> Kernels<'gpu> {
    /// Loads `ptx`; the GPU's context is current.
    pub(super) fn load(gpu: &'gpu Gpu, ptx: &str) -> Result<Self, GpuError> {
        let (module, lowered) = match load_module(ptx) {
            Ok(module) => (module, None),
            Err((CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION, log)) => {
                let known = version::newest_for(gpu.driver_version);
                let Some((text, old)) = known.and_then(|known| version::replace(ptx, known)) else {
                    return Err(refused(CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION, log));
                };
                let module = load_module(&text).map_err(|(result, log)| refused(result, log))?;
                (module, Some(format!("{old} lowered to {}", known.unwrap_or_default())))
            }
            Err((result, log)) => return Err(refused(result, log)),
        };
        Ok(Self { gpu, module, ptx: ptx.to_owned(), lowered })
    }

    /// Whether the PTX's `.version` had to be lowered for this driver: `9.0 lowered to 8.5`.
    pub fn lowered_version(&self) -> Option<&str> {
        self.lowered.as_deref()
    }

    /// Launches `kernel` once and returns its buffers.
    ///
    /// # Errors
    /// [`GpuError::Launch`] when the launch does not fit the kernel, [`GpuError::Fault`] when the GPU stops it.
    pub fn run(&self, kernel: &str, launch: &Launch) -> Result<GpuRun, GpuError> {
        self.gpu.make_current()?;
        let function = self.function(kernel, launch)?;
        let memory = upload(&launch.args)?;
        start(kernel, function, launch, &memory)?;
        wait(kernel)?;
        let buffers = memory.iter().map(|buffer| buffer.as_ref().map(DeviceBuffer::to_host).transpose());
        Ok(GpuRun { buffers: buffers.collect::<Result<_, _>>()? })
    }

    /// Times `repeats` (at least 20) launches of `kernel` after a warm-up. Before each, the buffers get their initial
    /// content back, and the L2 cache is overwritten so that no launch profits from the one before.
    ///
    /// # Errors
    /// As for [`Kernels::run`].
    pub fn time(&self, kernel: &str, launch: &Launch, repeats: u32) -> Result<Times, GpuError> {
        self.gpu.make_current()?;
        let function = self.function(kernel, launch)?;
        let (pristine, memory) = (upload(&launch.args)?, upload(&launch.args)?);
        let scrub = DeviceBuffer::new((2 * self.gpu.properties.l2_bytes) as usize)?;
        let (before, after) = (Event::new()?, Event::new()?);
        let mut times = Vec::new();
        for run in 0..WARM_UP + repeats.max(20) {
            for (buffer, initial) in memory.iter().flatten().zip(pristine.iter().flatten()) {
                buffer.copy_from(initial)?;
            }
            // The GPU is still busy with this while the host queues the launch, so that the time between the two
            // events does not include the host.
            scrub.fill(run as u8)?;
            before.record()?;
            start(kernel, function, launch, &memory)?;
            after.record()?;
            wait(kernel)?;
            if run >= WARM_UP {
                times.push(after.nanoseconds_since(&before)?);
            }
        }
        Ok(Times::of(times).expect("at least 20 launches were timed"))
    }

    /// What `kernel` needs of an SM when it is launched like this.
    ///
    /// # Errors
    /// As for [`Kernels::run`].
    pub fn resources(&self, kernel: &str, launch: &Launch) -> Result<Resources, GpuError> {
        self.gpu.make_current()?;
        let function = self.function(kernel, launch)?;
        let get = |attribute| {
            let mut value = 0;
            // SAFETY: the out-pointer is valid and the function's module is loaded.
            let result = unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, function) };
            check(&format!("cuFuncGetAttribute({attribute:?})"), result).map(|()| value.max(0) as u32)
        };
        let (threads, shared) = (launch.block.count() as i32, launch.shared_bytes as usize);
        let mut blocks = 0;
        // SAFETY: the out-pointer is valid and the function's module is loaded.
        let result =
            unsafe { sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, function, threads, shared) };
        check("cuOccupancyMaxActiveBlocksPerMultiprocessor", result)?;
        let blocks_per_sm = blocks.max(0) as u32;
        Ok(Resources {
            registers: get(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            shared_static: get(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: get(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            blocks_per_sm,
            warps_per_sm: blocks_per_sm * launch.block.count().div_ceil(32) as u32,
            warps_limit: self.gpu.properties.threads_per_sm / 32,
        })
    }

    /// Finds `kernel`, holds the launch against it, and opts in to as much shared memory as it asks for.
    fn function(&self, kernel: &str, launch: &Launch) -> Result<sys::CUfunction, GpuError> {
        let Some(params) = params::of(&self.ptx, kernel) else {
            let known = params::kernels(&self.ptx).join(", ");
            return Err(GpuError::Launch(format!("the PTX has no kernel `{kernel}`; its kernels are: {known}")));
        };
        let given: Vec<usize> = launch.args.iter().map(bytes_passed).collect();
        if given != params {
            return Err(GpuError::Launch(format!(
                "the arguments do not fit `{kernel}`: its parameters have {params:?} bytes, the arguments {given:?}"
            )));
        }
        let optin = self.gpu.properties.shared_optin_bytes;
        if launch.block.count() > 1024 || launch.shared_bytes > optin {
            let shape = Shape { grid: launch.grid, block: launch.block, shared_bytes: launch.shared_bytes };
            return Err(GpuError::Launch(format!(
                "{shape} is more than this GPU can launch: at most 1024 threads and {optin} bytes per block"
            )));
        }
        let name = CString::new(kernel).expect("a name that was found in PTX has no zero byte");
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name is zero-terminated and the out-pointer is valid.
        let result = unsafe { sys::cuModuleGetFunction(&raw mut function, self.module, name.as_ptr()) };
        check(&format!("cuModuleGetFunction({kernel})"), result)?;
        if launch.shared_bytes > SHARED_WITHOUT_OPTIN {
            let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function's module is loaded.
            let result = unsafe { sys::cuFuncSetAttribute(function, attribute, launch.shared_bytes as i32) };
            check(&format!("cuFuncSetAttribute({attribute:?}, {})", launch.shared_bytes), result)?;
        }
        Ok(function)
    }
}

impl Drop for Kernels<'_> {
    fn drop(&mut self) {
        if self.gpu.make_current().is_ok() {
            // SAFETY: the module was loaded in this context and is unloaded once.
            unsafe { sys::cuModuleUnload(self.module) };
        }
    }
}

/// Bytes that an argument takes in the kernel's parameter list.
fn bytes_passed(arg: &Arg) -> usize {
    match arg {
        Arg::Scalar(scalar) => scalar.to_bytes().len(),
        Arg::Bytes(bytes) => bytes.len(),
        Arg::Buffer(_) | Arg::Zeros(_) => size_of::<sys::CUdeviceptr>(),
    }
}

/// Device memory for the arguments that are buffers.
fn upload(args: &[Arg]) -> Result<Vec<Option<DeviceBuffer>>, GpuError> {
    let upload = |arg: &Arg| match arg {
        Arg::Scalar(_) | Arg::Bytes(_) => Ok(None),
        Arg::Buffer(content) => DeviceBuffer::from_host(content).map(Some),
        Arg::Zeros(bytes) => {
            let bytes = usize::try_from(*bytes).map_err(|_| GpuError::Launch(format!("{bytes} bytes are too many")))?;
            let buffer = DeviceBuffer::new(bytes)?;
            buffer.fill(0)?;
            Ok(Some(buffer))
        }
    };
    args.iter().map(upload).collect()
}

/// Queues a launch. `function` has been held against `launch`.
fn start(
    kernel: &str,
    function: sys::CUfunction,
    launch: &Launch,
    memory: &[Option<DeviceBuffer>],
) -> Result<(), GpuError> {
    let value = |(arg, memory): (&Arg, &Option<DeviceBuffer>)| match (arg, memory) {
        (_, Some(buffer)) => buffer.address().to_le_bytes().to_vec(),
        (Arg::Scalar(scalar), None) => scalar.to_bytes(),
        (Arg::Bytes(bytes), None) => bytes.clone(),
        (Arg::Buffer(_) | Arg::Zeros(_), None) => unreachable!("`upload` gave every buffer its memory"),
    };
    let mut values: Vec<Vec<u8>> = launch.args.iter().zip(memory).map(value).collect();
    let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
    let (grid, block) = (launch.grid, launch.block);
    // SAFETY: `function` checked that number and sizes of the values are those of the kernel's parameters; the driver
    // copies them before it returns. What the kernel does to device memory is checked by the GPU's own protection.
    let result = unsafe {
        sys::cuLaunchKernel(
            function,
            grid.x,
            grid.y,
            grid.z,
            block.x,
            block.y,
            block.z,
            launch.shared_bytes,
            ptr::null_mut(),
            pointers.as_mut_ptr(),
            ptr::null_mut(),
        )
    };
    check_kernel(&format!("cuLaunchKernel({kernel})"), kernel, result)
}

/// Waits for everything that is queued.
fn wait(kernel: &str) -> Result<(), GpuError> {
    // SAFETY: waits for the null stream of the current context.
    let result = unsafe { sys::cuStreamSynchronize(ptr::null_mut()) };
    check_kernel(&format!("cuStreamSynchronize after {kernel}"), kernel, result)
}

fn refused(result: CUresult, log: String) -> GpuError {
    GpuError::Ptx { code: describe(result).0, log }
}

/// Loads PTX; on failure the result code and the driver's compiler log.
fn load_module(ptx: &str) -> Result<sys::CUmodule, (CUresult, String)> {
    let Ok(text) = CString::new(ptx) else {
        return Err((CUresult::CUDA_ERROR_INVALID_PTX, "the text holds a zero byte".to_owned()));
    };
    let mut log = vec![0u8; 16 * 1024];
    let mut options = [Jit::CU_JIT_ERROR_LOG_BUFFER, Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The driver wants the size itself where the pointer stands.
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(log.len())];
    let mut module = ptr::null_mut();
    // SAFETY: the text is zero-terminated, options and values are arrays of two, and the log outlives the call.
    let result = unsafe {
        sys::cuModuleLoadDataEx(
            &raw mut module,
            text.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    if result == CUresult::CUDA_SUCCESS {
        return Ok(module);
    }
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    Err((result, String::from_utf8_lossy(&log[..end]).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_between_the_two_middles() {
        let times = Times::of(vec![5, 1, 9]).unwrap();
        assert_eq!((times.median_ns, times.min_ns, times.max_ns, times.runs), (5, 1, 9, 3));
        assert_eq!(Times::of(vec![4, 1, 2, 9]).unwrap().median_ns, 3);
        assert_eq!(Times::of(vec![]), None);
    }

    #[test]
    fn arguments_take_their_own_size_and_buffers_a_pointer() {
        let args = [Arg::Scalar(sim::Scalar::I16(1)), Arg::Bytes(vec![0; 24]), Arg::Buffer(vec![1]), Arg::Zeros(0)];
        assert_eq!(args.iter().map(bytes_passed).collect::<Vec<_>>(), [2, 24, 8, 8]);
    }
}
