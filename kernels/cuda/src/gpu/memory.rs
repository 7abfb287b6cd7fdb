//! Device memory and events: thin owners around the driver's handles, so that every path gives them back.

use std::ptr;

use cudarc::driver::sys;

use super::error::{GpuError, check};

/// Bytes of device memory that are free.
pub(super) fn free() -> Result<u64, GpuError> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: both out-pointers are valid; asks about the current context's device.
    check("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) })?;
    Ok(free as u64)
}

/// A piece of device memory. Only valid while the context that was current at its allocation is.
#[derive(Debug)]
pub(super) struct DeviceBuffer {
    address: sys::CUdeviceptr,
    bytes: usize,
}

impl DeviceBuffer {
    /// Allocates `bytes` bytes with undefined content.
    pub(super) fn new(bytes: usize) -> Result<Self, GpuError> {
        let mut address = 0;
        // SAFETY: the out-pointer is valid. The driver refuses sizes of 0, so an empty buffer gets one byte.
        let result = unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes.max(1)) };
        check(&format!("cuMemAlloc of {bytes} bytes"), result)?;
        Ok(Self { address, bytes })
    }

    /// Allocates and fills from the host.
    pub(super) fn from_host(content: &[u8]) -> Result<Self, GpuError> {
        let buffer = Self::new(content.len())?;
        buffer.write(content)?;
        Ok(buffer)
    }

    /// The address that a kernel sees.
    pub(super) const fn address(&self) -> u64 {
        self.address
    }

    /// Overwrites the beginning from the host.
    pub(super) fn write(&self, content: &[u8]) -> Result<(), GpuError> {
        assert!(content.len() <= self.bytes, "a buffer takes what it has room for");
        // SAFETY: both sides are at least `content.len()` bytes long, and the copy is complete when the call returns.
        let result = unsafe { sys::cuMemcpyHtoD_v2(self.address, content.as_ptr().cast(), content.len()) };
        check("cuMemcpyHtoD", result)
    }

    /// Its size.
    pub(super) const fn len(&self) -> usize {
        self.bytes
    }

    /// Sets every byte, after the work that is queued already.
    pub(super) fn fill(&self, byte: u8) -> Result<(), GpuError> {
        // SAFETY: the range lies in this allocation. The null stream keeps the order of calls.
        let result = unsafe { sys::cuMemsetD8Async(self.address, byte, self.bytes, ptr::null_mut()) };
        check("cuMemsetD8Async", result)
    }

    /// Copies from a buffer of the same size, after the work that is queued already.
    pub(super) fn copy_from(&self, other: &Self) -> Result<(), GpuError> {
        assert_eq!(self.bytes, other.bytes, "a buffer is only ever restored from its own copy");
        // SAFETY: both allocations are `self.bytes` long and outlive the copy: freeing memory waits for it.
        let result = unsafe { sys::cuMemcpyDtoDAsync_v2(self.address, other.address, self.bytes, ptr::null_mut()) };
        check("cuMemcpyDtoDAsync", result)
    }

    /// The content, after all queued work.
    pub(super) fn to_host(&self) -> Result<Vec<u8>, GpuError> {
        let mut content = vec![0; self.bytes];
        self.read(&mut content)?;
        Ok(content)
    }

    /// Copies the content to the host, after all queued work.
    pub(super) fn read(&self, content: &mut [u8]) -> Result<(), GpuError> {
        assert_eq!(self.bytes, content.len(), "a buffer is read as a whole");
        // SAFETY: both sides are `self.bytes` long, and the copy is complete when the call returns.
        let result = unsafe { sys::cuMemcpyDtoH_v2(content.as_mut_ptr().cast(), self.address, self.bytes) };
        check("cuMemcpyDtoH", result)
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        // SAFETY: the address came from cuMemAlloc and is freed once. A failure (a dead context) has no remedy here.
        unsafe { sys::cuMemFree_v2(self.address) };
    }
}

/// A point in the queue of work whose time the GPU notes.
#[derive(Debug)]
pub(super) struct Event(sys::CUevent);

impl Event {
    /// An event that takes the time.
    pub(super) fn new() -> Result<Self, GpuError> {
        let mut event = ptr::null_mut();
        // SAFETY: the out-pointer is valid; flags 0 is an event with timing.
        check("cuEventCreate", unsafe { sys::cuEventCreate(&raw mut event, 0) })?;
        Ok(Self(event))
    }

    /// Puts the event behind the work that is queued already.
    pub(super) fn record(&self) -> Result<(), GpuError> {
        // SAFETY: the event is alive, and the null stream belongs to the current context.
        check("cuEventRecord", unsafe { sys::cuEventRecord(self.0, ptr::null_mut()) })
    }

    /// Nanoseconds from `earlier` to this event. Both have passed.
    pub(super) fn nanoseconds_since(&self, earlier: &Self) -> Result<u64, GpuError> {
        let mut milliseconds = 0.0;
        // SAFETY: both events are alive and the out-pointer is valid.
        let result = unsafe { sys::cuEventElapsedTime(&raw mut milliseconds, earlier.0, self.0) };
        check("cuEventElapsedTime", result)?;
        Ok((f64::from(milliseconds) * 1e6).round() as u64)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event came from cuEventCreate and is destroyed once.
        unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}
