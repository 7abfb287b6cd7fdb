//! The GPUs that can be simulated: limits and sizes, each with its source.

/// Numbers of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Name on the command line and in reports.
    pub name: &'static str,
    /// Name in messages.
    pub title: &'static str,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Most threads of a thread block.
    pub threads_per_block: u32,
    /// Most shared memory of a thread block, in bytes.
    pub shared_per_block: u32,
    /// Most resident warps of a multiprocessor.
    pub warps_per_multiprocessor: u32,
    /// Most resident blocks of a multiprocessor.
    pub blocks_per_multiprocessor: u32,
    /// Shared memory of a multiprocessor, in bytes.
    pub shared_per_multiprocessor: u32,
    /// Shared memory that the system takes for each block, in bytes.
    pub shared_reserved: u32,
    /// Global memory, in bytes.
    pub memory: u64,
}

/// All targets.
///
/// H200: 132 multiprocessors and 227 KiB of opt-in shared memory per block as the driver reports them
/// (`cudaDeviceProp::multiProcessorCount`, `sharedMemPerBlockOptin`); 1024 threads per block for every compute
/// capability since 2.0, 64 warps, 32 blocks and 228 KiB of shared memory per multiprocessor, of which the system takes
/// 1 KiB per block (CUDA C++ Programming Guide, table of technical specifications); 141 GB of memory (data sheet).
pub const TARGETS: &[Target] = &[Target {
    name: "h200",
    title: "an H200",
    multiprocessors: 132,
    threads_per_block: 1024,
    shared_per_block: 227 * 1024,
    warps_per_multiprocessor: 64,
    blocks_per_multiprocessor: 32,
    shared_per_multiprocessor: 228 * 1024,
    shared_reserved: 1024,
    memory: 141_000_000_000,
}];

/// The target called `name`.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
