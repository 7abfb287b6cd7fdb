//! Kernels that are loaded on a GPU, and what they need of an SM.

use std::ffi::{CString, c_void};
use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys::{self, CUfunction_attribute as Attribute, CUjit_option as Jit, CUresult};
use serde::{Deserialize, Serialize};

use super::error::{GpuError, check, describe};
use super::launch::{Pass, Shape, Step};
use super::{Gpu, params, version};

/// Dynamic shared memory that a block gets without opting in, in bytes.
const SHARED_WITHOUT_OPTIN: u32 = 48 * 1024;

/// A module of kernels, loaded on a GPU.
#[derive(Debug)]
pub struct Kernels<'gpu> {
    pub(super) gpu: &'gpu Gpu,
    module: Rc<Module<'gpu>>,
    ptx: String,
    lowered: Option<String>,
}

/// Kernels in a GPU's memory. Whoever has a function of them has the module too, so that it is not unloaded before.
#[derive(Debug)]
pub(super) struct Module<'gpu> {
    gpu: &'gpu Gpu,
    handle: sys::CUmodule,
}

/// How long a case's launches took, by CUDA events around all of them, with cold caches. Starting a kernel costs a few
/// microseconds, which are part of it: times below some 20 microseconds say little about the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Median, in nanoseconds.
    pub median_ns: u64,
    /// Shortest, in nanoseconds.
    pub min_ns: u64,
    /// Longest, in nanoseconds.
    pub max_ns: u64,
    /// Number of timed runs.
    pub runs: u32,
}

impl Times {
    /// Median, in microseconds.
    pub const fn median_us(&self) -> f64 {
        self.median_ns as f64 / 1e3
    }

    /// The statistics of single times in nanoseconds; `None` when there are none.
    pub fn of(mut nanoseconds: Vec<u64>) -> Option<Self> {
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
        let module = Rc::new(Module { gpu, handle: module });
        Ok(Self { gpu, module, ptx: ptx.to_owned(), lowered })
    }

    /// Loads machine code that was made of `ptx`; the GPU's context is current.
    pub(super) fn load_cubin(gpu: &'gpu Gpu, cubin: &[u8], ptx: &str) -> Result<Self, GpuError> {
        let handle = load_image(cubin).map_err(|(result, log)| refused(result, log))?;
        Ok(Self { gpu, module: Rc::new(Module { gpu, handle }), ptx: ptx.to_owned(), lowered: None })
    }

    /// Whether the PTX's `.version` had to be lowered for this driver: `9.0 lowered to 8.5`.
    pub fn lowered_version(&self) -> Option<&str> {
        self.lowered.as_deref()
    }

    /// What a kernel needs of an SM when it is launched like this.
    ///
    /// # Errors
    /// As for [`Kernels::run`].
    pub fn resources(&self, step: &Step) -> Result<Resources, GpuError> {
        self.gpu.make_current()?;
        let sizes: Vec<usize> = step.args.iter().map(bytes_passed).collect();
        let function = self.function(step.kernel, step.shape, &sizes)?;
        let get = |attribute| {
            let mut value = 0;
            // SAFETY: the out-pointer is valid and the function's module is loaded.
            let result = unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, function) };
            check(&format!("cuFuncGetAttribute({attribute:?})"), result).map(|()| value.max(0) as u32)
        };
        let (threads, shared) = (step.shape.block.count() as i32, step.shape.shared_bytes as usize);
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
            warps_per_sm: blocks_per_sm * step.shape.block.count().div_ceil(32) as u32,
            warps_limit: self.gpu.properties.threads_per_sm / 32,
        })
    }

    /// Finds a launch's kernel, holds the launch and the sizes of its arguments against it, and opts in to as much shared
    /// memory as it asks for.
    pub(super) fn function(&self, kernel: &str, shape: Shape, given: &[usize]) -> Result<sys::CUfunction, GpuError> {
        let Some(params) = params::of(&self.ptx, kernel) else {
            let known = params::kernels(&self.ptx).join(", ");
            return Err(GpuError::Launch(format!("the PTX has no kernel `{kernel}`; its kernels are: {known}")));
        };
        if given != params {
            return Err(GpuError::Launch(format!(
                "the arguments do not fit `{kernel}`: its parameters have {params:?} bytes, the arguments {given:?}"
            )));
        }
        let optin = self.gpu.properties.shared_optin_bytes;
        if shape.block.count() > 1024 || shape.shared_bytes > optin {
            return Err(GpuError::Launch(format!(
                "{shape} is more than this GPU can launch: at most 1024 threads and {optin} bytes per block"
            )));
        }
        let name = CString::new(kernel).expect("a name that was found in PTX has no zero byte");
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name is zero-terminated and the out-pointer is valid.
        let result = unsafe { sys::cuModuleGetFunction(&raw mut function, self.module.handle, name.as_ptr()) };
        check(&format!("cuModuleGetFunction({kernel})"), result)?;
        // What a block may have without opting in counts its static shared memory, too.
        if shape.shared_bytes > 0 && self.static_shared(function)? + shape.shared_bytes > SHARED_WITHOUT_OPTIN {
            let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function's module is loaded.
            let result = unsafe { sys::cuFuncSetAttribute(function, attribute, shape.shared_bytes as i32) };
            check(&format!("cuFuncSetAttribute({attribute:?}, {})", shape.shared_bytes), result)?;
        }
        Ok(function)
    }

    /// The module that the functions belong to.
    pub(super) fn module(&self) -> Rc<Module<'gpu>> {
        Rc::clone(&self.module)
    }

    /// Static shared memory of a kernel, in bytes.
    fn static_shared(&self, function: sys::CUfunction) -> Result<u32, GpuError> {
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
        let mut bytes = 0;
        // SAFETY: the function's module is loaded and the out-pointer is valid.
        let result = unsafe { sys::cuFuncGetAttribute(&raw mut bytes, attribute, function) };
        check(&format!("cuFuncGetAttribute({attribute:?})"), result)?;
        Ok(bytes.unsigned_abs())
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        if self.gpu.make_current().is_ok() {
            // SAFETY: the module was loaded in this context and is unloaded once.
            unsafe { sys::cuModuleUnload(self.handle) };
        }
    }
}

/// Bytes that an argument takes in the kernel's parameter list.
fn bytes_passed(arg: &Pass) -> usize {
    match arg {
        Pass::Scalar(scalar) => scalar.to_bytes().len(),
        Pass::Buffer(_) => size_of::<sys::CUdeviceptr>(),
    }
}

fn refused(result: CUresult, log: String) -> GpuError {
    GpuError::Ptx { code: describe(result).0, log }
}

/// Loads PTX; on failure the result code and the driver's compiler log.
fn load_module(ptx: &str) -> Result<sys::CUmodule, (CUresult, String)> {
    let Ok(text) = CString::new(ptx) else {
        return Err((CUresult::CUDA_ERROR_INVALID_PTX, "the text holds a zero byte".to_owned()));
    };
    load_image(text.as_bytes_with_nul())
}

/// Loads PTX that a zero byte ends, or a cubin, whose header tells its size.
fn load_image(image: &[u8]) -> Result<sys::CUmodule, (CUresult, String)> {
    let mut log = vec![0u8; 16 * 1024];
    let mut options = [Jit::CU_JIT_ERROR_LOG_BUFFER, Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The driver wants the size itself where the pointer stands.
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(log.len())];
    let mut module = ptr::null_mut();
    // SAFETY: the image ends where it says, options and values are arrays of two, and the log outlives the call.
    let result = unsafe {
        sys::cuModuleLoadDataEx(
            &raw mut module,
            image.as_ptr().cast(),
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
        let args = [Pass::Scalar(sim::Scalar::I16(1)), Pass::Buffer("out"), Pass::Scalar(sim::Scalar::F64(1.0))];
        assert_eq!(args.iter().map(bytes_passed).collect::<Vec<_>>(), [2, 8, 8]);
    }
}
