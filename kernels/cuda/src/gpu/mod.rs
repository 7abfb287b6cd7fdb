//! Running kernels on a real GPU through the CUDA driver, which is loaded at run time: this builds and runs where no
//! driver is, and says so.
//!
//! [`Gpu::open`] finds the GPU, [`Gpu::load`] gives it PTX, [`Kernels::run`] and [`Kernels::time`] launch any [`Work`].

mod arena;
mod error;
mod kernels;
mod launch;
mod memory;
mod params;
mod sequence;
mod version;
mod work;

use std::ffi::CStr;
use std::process::Command;
use std::ptr;

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use serde::Serialize;

pub use arena::{Arena, Stopwatch, Timed};
pub use error::GpuError;
pub use kernels::{Kernels, Resources, Times};
pub use launch::{Pass, Shape, Step};
pub use sequence::Queue;
pub use work::{Memory, Value, Work, WorkLaunch};

use error::{check, describe};

/// What a GPU and its driver say about themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Properties {
    /// The GPU's name, such as `NVIDIA H200`.
    pub name: String,
    /// Compute capability, such as `9.0`.
    pub compute_capability: String,
    /// Number of SMs.
    pub sm_count: u32,
    /// Size of the L2 cache, in bytes.
    pub l2_bytes: u64,
    /// Most threads that an SM holds.
    pub threads_per_sm: u32,
    /// Most dynamic shared memory that a block can opt in to, in bytes.
    pub shared_optin_bytes: u32,
    /// Newest CUDA version that the driver supports, such as `13.0`.
    pub cuda: String,
    /// The driver's own version, such as `580.95.05`; `unknown` where nothing on the machine tells it.
    pub driver: String,
}

impl Properties {
    /// The GPU's name as it stands in file names, and as the targets are called: see [`slug`].
    pub fn slug(&self) -> String {
        slug(&self.name)
    }

    /// The compute capability as compilers call it: `sm_90` for 9.0.
    pub fn architecture(&self) -> String {
        format!("sm_{}", self.compute_capability.replace('.', ""))
    }
}

/// The name of a GPU as it stands in file names, and as the targets are called: `rtx4090` for `NVIDIA GeForce RTX 4090`, `h100`
/// for `NVIDIA H100 80GB HBM3`. Vendor, family, and the size, kind and socket of the memory board are left out; what makes
/// it another product (`PCIe`, `Ti`) stays.
pub fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_sized = |word: &str| word.strip_suffix("gb").is_some_and(|size| size.bytes().all(|b| b.is_ascii_digit()));
    let is_told = |word: &&str| {
        !["nvidia", "geforce", "quadro", "tesla"].contains(word)
            && !["hbm", "sxm"].iter().any(|kind| word.starts_with(kind))
            && !is_sized(word)
    };
    let told: Vec<&str> = words.filter(is_told).collect();
    let slug = told.join("-");
    match ["rtx-", "gtx-"].iter().find(|family| slug.starts_with(**family)) {
        _ if told.is_empty() => "gpu".to_owned(),
        Some(family) => slug.replacen(family, family.trim_end_matches('-'), 1),
        None => slug,
    }
}

/// Whether a CUDA driver can be loaded on this machine.
pub fn driver_is_here() -> bool {
    // SAFETY: loads the driver's library and drops it again; its constructors are NVIDIA's and expect this.
    unsafe { sys::is_culib_present() }
}

/// An open GPU. Holds its primary context, which it gives back when dropped.
#[derive(Debug)]
pub struct Gpu {
    device: sys::CUdevice,
    context: sys::CUcontext,
    driver_version: i32,
    properties: Properties,
}

impl Gpu {
    /// Opens the GPU with this number, from 0.
    ///
    /// # Errors
    /// [`GpuError::NoDriver`] or [`GpuError::NoDevice`] where there is none, [`GpuError::Ordinal`] for a number that is
    /// too large, [`GpuError::Call`] when the driver fails.
    pub fn open(ordinal: u32) -> Result<Self, GpuError> {
        if !driver_is_here() {
            return Err(GpuError::NoDriver);
        }
        // SAFETY: cuInit may be called any number of times.
        let result = unsafe { sys::cuInit(0) };
        if result != sys::CUresult::CUDA_SUCCESS {
            let (code, text) = describe(result);
            return Err(GpuError::NoDevice(format!("cuInit says {text} ({code})")));
        }
        let mut count = 0;
        // SAFETY: the out-pointer is valid and the driver is initialised.
        check("cuDeviceGetCount", unsafe { sys::cuDeviceGetCount(&raw mut count) })?;
        let count = count.max(0) as u32;
        if count == 0 {
            return Err(GpuError::NoDevice("it counts none (is CUDA_VISIBLE_DEVICES set?)".to_owned()));
        }
        if ordinal >= count {
            return Err(GpuError::Ordinal { ordinal, count });
        }
        let (mut device, mut driver_version, mut context) = (0, 0, ptr::null_mut());
        // SAFETY: the out-pointers are valid, the ordinal exists, and the retained context is released in `drop`, or
        // with the process when reading the properties fails.
        unsafe {
            check("cuDeviceGet", sys::cuDeviceGet(&raw mut device, ordinal as i32))?;
            check("cuDriverGetVersion", sys::cuDriverGetVersion(&raw mut driver_version))?;
            check("cuDevicePrimaryCtxRetain", sys::cuDevicePrimaryCtxRetain(&raw mut context, device))?;
        }
        let properties = properties(device, driver_version)?;
        Ok(Self { device, context, driver_version, properties })
    }

    /// What the GPU and its driver say about themselves.
    pub const fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Compiles and loads PTX. If the driver is older than the PTX's `.version`, the text is loaded with the version
    /// that the driver knows: see [`Kernels::lowered_version`].
    ///
    /// # Errors
    /// [`GpuError::Ptx`] with the driver's log when it refuses the text.
    pub fn load(&self, ptx: &str) -> Result<Kernels<'_>, GpuError> {
        self.make_current()?;
        Kernels::load(self, ptx)
    }

    /// Loads machine code that ptxas has made of `ptx`, as it stands: the driver compiles nothing. The PTX tells the
    /// kernels' parameters.
    ///
    /// # Errors
    /// [`GpuError::Ptx`] when the driver refuses the machine code, such as that of another architecture.
    pub fn load_cubin(&self, cubin: &[u8], ptx: &str) -> Result<Kernels<'_>, GpuError> {
        self.make_current()?;
        Kernels::load_cubin(self, cubin, ptx)
    }

    /// Makes the GPU's context the one that this thread's calls mean.
    fn make_current(&self) -> Result<(), GpuError> {
        // SAFETY: the context is retained for as long as `self` lives.
        check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.context) })
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: balances the retain in `open`. `Kernels` borrows the GPU, so nothing of it is left.
        unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

fn properties(device: sys::CUdevice, driver_version: i32) -> Result<Properties, GpuError> {
    let mut name = [0u8; 256];
    // SAFETY: the buffer is as long as the call is told, and the driver ends the name with a zero byte.
    check("cuDeviceGetName", unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast(), 256, device) })?;
    let name = CStr::from_bytes_until_nul(&name).map(CStr::to_string_lossy).unwrap_or_default().into_owned();
    let get = |attribute| {
        let mut value = 0;
        // SAFETY: the out-pointer is valid and the device exists.
        let result = unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, device) };
        check(&format!("cuDeviceGetAttribute({attribute:?})"), result).map(|()| value.max(0) as u32)
    };
    let major = get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok(Properties {
        name,
        compute_capability: format!("{major}.{minor}"),
        sm_count: get(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        l2_bytes: get(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        threads_per_sm: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        shared_optin_bytes: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        cuda: format!("{}.{}", driver_version / 1000, driver_version % 1000 / 10),
        driver: driver_name().unwrap_or_else(|| "unknown".to_owned()),
    })
}

/// The driver's version as NVIDIA names its releases. The driver API does not tell it, the kernel module does.
fn driver_name() -> Option<String> {
    let from_module = std::fs::read_to_string("/proc/driver/nvidia/version").ok();
    let from_tool = || {
        let asked = Command::new("nvidia-smi").args(["--query-gpu=driver_version", "--format=csv,noheader"]).output();
        asked.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    release(&from_module.unwrap_or_default()).or_else(|| release(&from_tool()?))
}

/// The first word that looks like a driver release: two or three numbers with dots between them.
fn release(text: &str) -> Option<String> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_release = |word: &&str| (2..=3).contains(&word.split('.').count()) && word.split('.').all(is_number);
    text.split_whitespace().find(is_release).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_name_the_gpu_and_nothing_else() {
        assert_eq!(slug("NVIDIA H200"), "h200");
        assert_eq!(slug("NVIDIA H100 80GB HBM3"), "h100");
        assert_eq!(slug("NVIDIA H100 PCIe"), "h100-pcie");
        assert_eq!(slug("NVIDIA A100-SXM4-80GB"), "a100");
        assert_eq!(slug("Tesla V100-SXM2-16GB"), "v100");
        assert_eq!(slug("NVIDIA GeForce RTX 4090"), "rtx4090");
        assert_eq!(slug("NVIDIA GeForce RTX 4070 Ti"), "rtx4070-ti");
        assert_eq!(slug("GeForce GTX 980"), "gtx980");
        assert_eq!(slug("Tesla T4"), "t4");
        assert_eq!(slug("NVIDIA"), "gpu");
        assert_eq!(slug("../../x"), "x");
    }

    #[test]
    fn the_release_is_found_in_what_the_machine_says() {
        let module = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (builder)\n\
                      GCC version:  gcc version 13.3.0 (Ubuntu 13.3.0-6)";
        assert_eq!(release(module).as_deref(), Some("580.95.05"));
        assert_eq!(release("550.54\n").as_deref(), Some("550.54"));
        assert_eq!(release("no devices were found"), None);
    }

    #[test]
    fn a_machine_without_a_gpu_is_told_so() {
        match Gpu::open(0) {
            Ok(gpu) => assert_eq!(Gpu::open(1000).unwrap_err().exit_code(), 2, "{:?}", gpu.properties()),
            Err(error) => assert_eq!(error.exit_code(), 3, "{error}"),
        }
    }
}
