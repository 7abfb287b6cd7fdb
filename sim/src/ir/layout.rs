//! Where variables lie: address windows of the generic address space and the layout within each space.

/// Generic addresses of shared memory begin here.
pub const SHARED_WINDOW: u64 = 0x0001_0000_0000;
/// Generic addresses of local memory begin here.
pub const LOCAL_WINDOW: u64 = 0x0001_1000_0000;
/// Generic addresses of constant memory begin here.
pub const CONST_WINDOW: u64 = 0x0001_2000_0000;
/// Generic addresses of parameters begin here.
pub const PARAM_WINDOW: u64 = 0x0001_3000_0000;
/// In the local and parameter windows, call arguments (frame variables) begin here.
pub const FRAME_OFFSET: u64 = WINDOW / 2;
/// Every window is this many bytes.
pub const WINDOW: u64 = 0x1000_0000;
/// Device functions have addresses from here on, for pointers to them.
pub(crate) const FUNCTIONS_BASE: u64 = 0x1000_0000;
/// Global variables of the module begin here; argument buffers lie far above.
pub const GLOBALS_BASE: u64 = 0x0002_0000_0000;

/// Address of the first argument buffer.
pub const BUFFERS_BASE: u64 = 0x0100_0000_0000;
/// Distance between the beginnings of two buffers: the largest size of one, and a gap that no stray index crosses.
pub const BUFFER_STRIDE: u64 = 1 << 40;

/// Bytes of each of the two stacks of a thread: variables in local memory, and what calls save. They lie before everything else
/// in their spaces. A GPU's own has 1 KiB unless the host asks for more (`cudaLimitStackSize`).
pub(crate) const STACK: u64 = 64 << 10;

/// Rounds `at` up to a multiple of `align`, a power of two.
pub(crate) fn align_up(at: u64, align: u64) -> u64 {
    at.next_multiple_of(align.max(1))
}
