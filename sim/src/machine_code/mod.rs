//! Executes machine code (SASS), as a GPU does: the cubin that ptxas makes, instruction by instruction.
//!
//! [`Program::load`] decodes a kernel of a cubin once into typed operations (`decode`, `op`); what is not executed is
//! refused there, by its name and line. [`simulate`] runs a launch: `machine` lays out constant bank 0 and memory, `run` lets
//! warps and blocks take turns, `exec` executes an instruction for all lanes of a group. A group is a mask of lanes with
//! one program counter: a branch parts it, and it waits at `BSYNC` for the lanes that entered the region with it. Groups
//! are never merged before that, and the one that leaves a loop goes first; the counts of every instruction were seen to
//! be an H200's then.
//!
//! What is counted is what the hardware counts: the exact counters of the road over PTX, from the same rules
//! (`observe`), and those of the instruction stream (`stream`), by pipes and classes (`table`). Findings in general come
//! from the road over PTX; this one tells accesses outside of memory, misaligned ones, deadlocks and endless kernels.
//! Blocks that race run side by side all the same, and may do so in another order each time.

mod banks;
mod block;
mod contend;
mod decode;
mod exec;
mod issue;
mod machine;
mod op;
mod program;
mod run;
mod stream;
mod summary;
pub mod table;
mod time;
mod warp;

pub use program::{NotExecuted, Program, refusal};
pub use stream::counters;
pub use summary::{simulate, simulate_timed};
pub use time::predict;
