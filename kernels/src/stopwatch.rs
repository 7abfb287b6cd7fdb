//! The stopwatch of everything that is timed on a GPU.

use crate::gpu::{Gpu, GpuError, Stopwatch};
use crate::ptx;

/// A stopwatch whose kernel, which empties caches, is one of the workbook's.
///
/// # Errors
/// [`GpuError`] when the GPU has no memory left or refuses the kernel.
pub(crate) fn stopwatch(gpu: &Gpu) -> Result<Stopwatch<'_>, GpuError> {
    let missing = || GpuError::Launch("this program was built without the kernel that empties caches".to_owned());
    Stopwatch::new(gpu, ptx::committed("copy").ok_or_else(missing)?.text)
}
