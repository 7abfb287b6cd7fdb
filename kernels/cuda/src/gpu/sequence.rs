//! The launches of work on a GPU: its buffers, running it once, timing it.

use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
use std::time::Duration;

use cudarc::driver::sys;

use super::arena::{Stopwatch, Timed};
use super::error::{GpuError, check_kernel};
use super::kernels::{Kernels, Module, Times};
use super::launch::{Pass, Shape, Step};
use super::memory::DeviceBuffer;
use super::work::{Memory, Value, Work, WorkLaunch};

/// Untimed runs before the first timed one: they load the code and bring the clocks up.
const WARM_UP: u32 = 5;

impl<'gpu> Kernels<'gpu> {
    /// Runs the launches once and returns the content of the buffers.
    ///
    /// # Errors
    /// [`GpuError::Launch`] when a launch does not fit its kernel, [`GpuError::Fault`] when the GPU stops it.
    pub fn run(&self, work: &Work) -> Result<Vec<Vec<u8>>, GpuError> {
        self.gpu.make_current()?;
        let memory = upload(&work.buffers)?;
        let queue = self.queue_of(work, &memory)?;
        queue.start()?;
        wait_for(&work.kernels())?;
        memory.iter().map(DeviceBuffer::to_host).collect()
    }

    /// Times `repeats` (at least 20) runs of the launches, all of them together, after a warm-up. Before each run the
    /// buffers get their initial content back, and the stopwatch empties the L2 cache: no run profits from the one before, or
    /// has to write back what that left.
    ///
    /// # Errors
    /// As for [`Kernels::run`].
    pub fn time(&self, work: &Work, repeats: u32, stopwatch: &Stopwatch<'_>) -> Result<Times, GpuError> {
        self.gpu.make_current()?;
        let (pristine, memory) = (upload(&work.buffers)?, upload(&work.buffers)?);
        let queue = self.queue_of(work, &memory)?;
        let reset = || memory.iter().zip(&pristine).try_for_each(|(buffer, initial)| buffer.copy_from(initial));
        let timed = Timed { name: &work.kernels(), reset: &reset, start: &|| queue.start() };
        stopwatch.time(&timed, WARM_UP, repeats.max(20), Duration::MAX)
    }

    /// The launches of work whose buffers are `memory`.
    fn queue_of(&self, work: &Work, memory: &[DeviceBuffer]) -> Result<Queue<'gpu>, GpuError> {
        let queued = |launch: &WorkLaunch| {
            let value = |value: &Value| match value {
                Value::Bytes(bytes) => Ok(bytes.clone()),
                Value::Address { buffer, offset } => {
                    let none = || GpuError::Launch(format!("`{}` is passed buffer {buffer}, of none", launch.kernel));
                    let start = memory.get(*buffer).ok_or_else(none)?.address();
                    Ok(start.wrapping_add(*offset).to_le_bytes().to_vec())
                }
            };
            let values = launch.args.iter().map(value).collect::<Result<_, _>>()?;
            self.queued(&launch.kernel, launch.shape, values)
        };
        work.launches.iter().map(queued).collect::<Result<_, _>>().map(Queue)
    }

    /// The launches of steps whose buffers `address` knows.
    pub(super) fn queue(&self, steps: &[Step], address: &dyn Fn(&str) -> Option<u64>) -> Result<Queue<'gpu>, GpuError> {
        let queued = |step: &Step| {
            let value = |arg: &Pass| match arg {
                Pass::Scalar(scalar) => Ok(scalar.to_bytes()),
                Pass::Buffer(name) => {
                    Ok(address(name).ok_or_else(|| GpuError::no_buffer(step, name))?.to_le_bytes().to_vec())
                }
            };
            let values = step.args.iter().map(value).collect::<Result<_, _>>()?;
            self.queued(step.kernel, step.shape, values)
        };
        steps.iter().map(queued).collect::<Result<_, _>>().map(Queue)
    }

    /// Holds a launch against its kernel.
    fn queued(&self, kernel: &str, shape: Shape, values: Vec<Vec<u8>>) -> Result<Queued<'gpu>, GpuError> {
        let sizes: Vec<usize> = values.iter().map(Vec::len).collect();
        let function = self.function(kernel, shape, &sizes)?;
        Ok(Queued { kernel: kernel.to_owned(), function, shape, values, _module: self.module() })
    }
}

/// Launches that have been held against their kernels.
#[derive(Debug)]
pub struct Queue<'gpu>(Vec<Queued<'gpu>>);

impl Queue<'_> {
    /// Queues the launches on the GPU, one behind the other.
    ///
    /// # Errors
    /// [`GpuError`] when the driver refuses one.
    pub fn start(&self) -> Result<(), GpuError> {
        self.0.iter().try_for_each(Queued::start)
    }
}

/// A launch that has been held against its kernel.
#[derive(Debug)]
struct Queued<'gpu> {
    kernel: String,
    function: sys::CUfunction,
    shape: Shape,
    /// The arguments' bytes.
    values: Vec<Vec<u8>>,
    /// The function is one of it.
    _module: Rc<Module<'gpu>>,
}

impl Queued<'_> {
    /// Queues the launch on the GPU.
    fn start(&self) -> Result<(), GpuError> {
        let mut pointers: Vec<*mut c_void> = self.values.iter().map(|value| value.as_ptr().cast_mut().cast()).collect();
        let Shape { grid, block, shared_bytes } = self.shape;
        // SAFETY: `Kernels::function` checked that number and sizes of the values are those of the kernel's parameters;
        // the driver copies them before it returns and does not write to them, and the function's module is loaded. What the kernel does to device memory is
        // checked by the GPU's own protection.
        let result = unsafe {
            sys::cuLaunchKernel(
                self.function,
                grid.x,
                grid.y,
                grid.z,
                block.x,
                block.y,
                block.z,
                shared_bytes,
                ptr::null_mut(),
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        check_kernel(&format!("cuLaunchKernel({})", self.kernel), &self.kernel, result)
    }
}

/// Device memory for buffers.
fn upload(buffers: &[Memory]) -> Result<Vec<DeviceBuffer>, GpuError> {
    let upload = |memory: &Memory| {
        let bytes = memory.bytes;
        let bytes = usize::try_from(bytes).map_err(|_| GpuError::Launch(format!("{bytes} bytes are too many")))?;
        let buffer = DeviceBuffer::new(bytes)?;
        if memory.written && memory.content.len() < bytes {
            buffer.fill(0)?;
        }
        if !memory.content.is_empty() {
            buffer.write(&memory.content[..memory.content.len().min(bytes)])?;
        }
        Ok(buffer)
    };
    buffers.iter().map(upload).collect()
}

/// Waits for everything that is queued; `kernels` names it for a message.
pub(super) fn wait_for(kernels: &str) -> Result<(), GpuError> {
    // SAFETY: waits for the null stream of the current context.
    let result = unsafe { sys::cuStreamSynchronize(ptr::null_mut()) };
    check_kernel(&format!("cuStreamSynchronize after {kernels}"), kernels, result)
}
