//! The instructions that need more than values: memory, control flow, other lanes, other threads.

use super::Instruction;

/// The part of the decoder that knows an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Copies between registers and from special ones.
    Move,
    /// Loads, stores, atomics, addresses.
    Memory,
    /// Copies that somebody waits for.
    Asynchronous,
    /// Branches, calls, barriers, fences.
    Control,
    /// Exchange between the lanes of a warp.
    Warp,
    /// Matrix fragments.
    Matrix,
}

type Row = (&'static str, &'static str, Unit, &'static str);

/// Name, section, decoder and what it does. A longer name stands before a shorter one that begins it.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("mov", "9.7.9.3", Unit::Move, "copies a register, packs and unpacks, takes an address or a special register"),
    ("ldu", "9.7.9.10", Unit::Memory, "loads what is the same for all lanes"),
    ("st.async", "9.7.9.12", Unit::Asynchronous, "stores to shared memory; an mbarrier tells when it is there"),
    ("ld", "9.7.9.8", Unit::Memory, "loads one element or a vector"),
    ("st", "9.7.9.11", Unit::Memory, "stores one element or a vector"),
    ("prefetchu", "9.7.9.15", Unit::Memory, "a hint; does nothing"),
    ("prefetch", "9.7.9.15", Unit::Memory, "a hint; does nothing"),
    ("applypriority", "9.7.9.16", Unit::Memory, "a hint; does nothing"),
    ("discard", "9.7.9.17", Unit::Memory, "gives up what a cache line holds; the content stays as it is here"),
    ("createpolicy", "9.7.9.18", Unit::Memory, "makes a cache policy, which nothing depends on"),
    ("isspacep", "9.7.9.19", Unit::Memory, "p = whether an address lies in a state space"),
    ("cvta", "9.7.9.20", Unit::Memory, "converts between generic addresses and those of a state space"),
    ("mapa", "9.7.9.23", Unit::Memory, "an address in the shared memory of a block of the cluster, which is the own one"),
    ("getctarank", "9.7.9.24", Unit::Memory, "d = the rank of the block that an address belongs to"),
    ("cp.reduce.async.bulk", "9.7.9.25", Unit::Asynchronous, "one lane combines many elements of shared memory with those of global memory, each by one atomic operation"),
    ("cp.async.bulk", "9.7.9.25", Unit::Asynchronous, "one lane copies many bytes; an mbarrier or a group tells when they are there"),
    ("cp.async", "9.7.9.25", Unit::Asynchronous, "copies 4, 8 or 16 bytes from global to shared memory, waited for in groups"),
    ("bra", "9.7.12.3", Unit::Control, "goes to a label; lanes may diverge"),
    ("brx", "9.7.12.4", Unit::Control, "goes to a label of a list"),
    ("call", "9.7.12.5", Unit::Control, "calls a function, also through a register"),
    ("ret", "9.7.12.6", Unit::Control, "returns from a function or ends the thread"),
    ("exit", "9.7.12.7", Unit::Control, "ends the thread"),
    ("bar.warp.sync", "9.7.13.2", Unit::Control, "lanes of a mask wait for each other"),
    ("barrier.cluster", "9.7.13.3", Unit::Control, "threads of the cluster, which is the own block, wait for each other"),
    ("barrier", "9.7.13.1", Unit::Control, "threads of the block wait for each other, without all lanes of a warp at once"),
    ("bar", "9.7.13.1", Unit::Control, "threads of the block wait for each other"),
    ("membar", "9.7.13.4", Unit::Control, "orders the accesses around it"),
    ("fence", "9.7.13.4", Unit::Control, "orders the accesses around it"),
    ("atom", "9.7.13.5", Unit::Memory, "reads, changes and writes in one step"),
    ("red.async", "9.7.13.7", Unit::Asynchronous, "changes shared memory in one step; an mbarrier tells when it is done"),
    ("red", "9.7.13.6", Unit::Memory, "changes in one step, without a result"),
    ("griddepcontrol", "9.7.13.13", Unit::Control, "a hint of one launch to the next; does nothing"),
    ("mbarrier", "9.7.13.15", Unit::Asynchronous, "a barrier that is an object in shared memory"),
    ("shfl", "9.7.9.6", Unit::Warp, "d = the value of another lane"),
    ("vote", "9.7.13.9", Unit::Warp, "one predicate from those of all lanes"),
    ("match", "9.7.13.10", Unit::Warp, "d = the lanes that hold the same value"),
    ("activemask", "9.7.13.11", Unit::Warp, "d = the lanes that execute this together"),
    ("redux", "9.7.13.12", Unit::Warp, "d = sum, minimum, maximum or logic over the lanes"),
    ("elect", "9.7.13.14", Unit::Warp, "p = whether this lane is the chosen one"),
    ("wmma", "9.7.14.4", Unit::Matrix, "loads, multiplies and stores matrices of a warp"),
    ("mma", "9.7.14.5", Unit::Matrix, "multiplies matrices of a warp and adds"),
    ("ldmatrix", "9.7.14.5.15", Unit::Matrix, "loads 8 × 8 matrices into the lanes of a warp"),
    ("stmatrix", "9.7.14.5.16", Unit::Matrix, "stores 8 × 8 matrices from the lanes of a warp"),
    ("movmatrix", "9.7.14.5.17", Unit::Matrix, "transposes an 8 × 8 matrix in the lanes of a warp"),
    ("brkpt", "9.7.19.1", Unit::Control, "stops the kernel where a debugger would look at it"),
    ("nanosleep", "9.7.19.2", Unit::Control, "lets the others go first"),
    ("pmevent", "9.7.19.3", Unit::Control, "tells a profiler; does nothing"),
    ("trap", "9.7.19.4", Unit::Control, "ends the kernel as faulty"),
    ("setmaxnreg", "9.7.19.5", Unit::Control, "changes how many registers a warp has; does nothing"),
];

/// Which part of the decoder knows an instruction, by its opcode split at the dots: that of the first row whose name begins
/// it. `None` for those that compute from registers alone, and for those that nobody knows.
pub(crate) fn unit(opcode: &[&str]) -> Option<Unit> {
    let begins = |name: &str| {
        let mut parts = opcode.iter();
        name.split('.').all(|part| parts.next() == Some(&part))
    };
    ROWS.iter().find(|row| begins(row.0)).map(|row| row.2)
}

/// The rows as others see them.
pub(super) fn rows() -> impl Iterator<Item = Instruction> {
    ROWS.iter().map(|&(name, section, _, does)| Instruction { name, section, does, forms: Vec::new() })
}
