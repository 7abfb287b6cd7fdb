//! What can go wrong on the way to and on a GPU, and the one place where CUDA's result codes become messages.

use std::ffi::CStr;
use std::ptr;

use cudarc::driver::sys::{self, CUresult};

/// Why a GPU could not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// No CUDA driver on this machine.
    #[error("there is no NVIDIA driver on this machine (libcuda.so.1, or nvcuda.dll on Windows, could not be loaded)")]
    NoDriver,
    /// A driver, but no GPU that it can use.
    #[error("the NVIDIA driver is here, but there is no GPU it can use: {0}")]
    NoDevice(String),
    /// A GPU number that does not exist.
    #[error("there is no GPU {ordinal}; this machine has {count}, numbered from 0")]
    Ordinal {
        /// The number that was asked for.
        ordinal: u32,
        /// How many there are.
        count: u32,
    },
    /// The launch does not fit the kernel or the GPU.
    #[error("{0}")]
    Launch(String),
    /// The driver's compiler refused the PTX.
    #[error("the driver could not load the PTX ({code}){}", indented(.log))]
    Ptx {
        /// CUDA's name of the error.
        code: String,
        /// What the driver's compiler had to say.
        log: String,
    },
    /// The kernel was ended by the hardware.
    #[error(
        "`{kernel}` was stopped by the GPU: {text} ({code}); \
         run it on the simulator, which names the line, with `warpbook sim`"
    )]
    Fault {
        /// The kernel.
        kernel: String,
        /// CUDA's name of the error.
        code: String,
        /// CUDA's description of the error.
        text: String,
    },
    /// Any other call that failed.
    #[error("{call} failed: {text} ({code})")]
    Call {
        /// The driver's function, and what it was called for.
        call: String,
        /// CUDA's name of the error.
        code: String,
        /// CUDA's description of the error.
        text: String,
    },
}

impl GpuError {
    /// The exit code that a program should end with: 1 when the kernel is at fault, 2 when the launch is, 3 when
    /// something is missing on this machine.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Fault { .. } => 1,
            Self::Launch(_) | Self::Ordinal { .. } => 2,
            Self::NoDriver | Self::NoDevice(_) | Self::Ptx { .. } | Self::Call { .. } => 3,
        }
    }
}

fn indented(log: &str) -> String {
    if log.is_empty() { String::new() } else { format!(":\n    {}", log.trim_end().replace('\n', "\n    ")) }
}

/// CUDA's name and description of a result code.
pub(super) fn describe(result: CUresult) -> (String, String) {
    type Getter = unsafe fn(CUresult, *mut *const core::ffi::c_char) -> CUresult;
    let get = |getter: Getter| {
        let mut text = ptr::null();
        // SAFETY: both getters only write a pointer to a static, zero-terminated string, or null for an unknown code.
        unsafe {
            let found = getter(result, &raw mut text) == CUresult::CUDA_SUCCESS && !text.is_null();
            if found { CStr::from_ptr(text).to_string_lossy().into_owned() } else { format!("{result:?}") }
        }
    };
    (get(sys::cuGetErrorName), get(sys::cuGetErrorString))
}

/// Turns a result code into an error that names the call.
pub(super) fn check(call: &str, result: CUresult) -> Result<(), GpuError> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let (code, text) = describe(result);
    Err(GpuError::Call { call: call.to_owned(), code, text })
}

/// Like [`check`], for a call that waits for `kernel`: what the hardware found wrong with the kernel is its fault.
pub(super) fn check_kernel(call: &str, kernel: &str, result: CUresult) -> Result<(), GpuError> {
    use CUresult as R;
    match result {
        R::CUDA_ERROR_ILLEGAL_ADDRESS
        | R::CUDA_ERROR_MISALIGNED_ADDRESS
        | R::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | R::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | R::CUDA_ERROR_INVALID_PC
        | R::CUDA_ERROR_HARDWARE_STACK_ERROR
        | R::CUDA_ERROR_ASSERT
        | R::CUDA_ERROR_LAUNCH_TIMEOUT
        | R::CUDA_ERROR_LAUNCH_FAILED => {
            let (code, text) = describe(result);
            Err(GpuError::Fault { kernel: kernel.to_owned(), code, text })
        }
        _ => check(call, result),
    }
}
