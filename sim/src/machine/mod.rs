//! The machine's state: grid, thread blocks, warps and their lanes.
//!
//! # Decisions
//!
//! Where the PTX manual leaves something open, the machine does what an H200 was measured to do; `tests/machine` asks
//! both the same questions.
//!
//! - *Meeting again.* Lanes that part at a branch meet at its immediate post-dominator, and before that wherever some of
//!   them come together ([`paths`], [`convergence_barriers`](crate::prepare::convergence_barriers)). `activemask` returns
//!   the lanes that execute it together, so it tells where that is. CUDA C++ promises nothing here: code must not rely
//!   on it.
//! - *Exited threads* are not waited for: neither at a barrier of the whole block, nor by the lanes of a mask. A barrier
//!   with a count is different: threads that exited do not count, so it can wait for ever. A warp whose living lanes are
//!   all at the barrier counts as 32 threads there, however many have exited.
//! - *One barrier reached from several places* is one barrier: what counts is its number. Lanes of a warp may come to it
//!   on different sides of a branch. The language forbids it where the barrier is for the whole block, so it is
//!   `barrier-divergence` all the same ([`findings`](crate::findings)).
//! - *A barrier in a branch that other lanes of the warp do not take* is `barrier-divergence`, although an H200 comes to
//!   an end where nothing but the end of the kernel is behind the branch. With one more barrier there it hangs.
//! - *`_sync` instructions in several places* match each other when they are the same operation. A lane that executes one
//!   without being in its mask is `invalid-sync-mask`; a lane of the mask that never comes is `deadlock`.
//! - *What an absent lane gives* to a shuffle is 0. It is undefined, so that code must not use it. Many reductions read
//!   values there that nobody uses: whether somebody does is found out by runs in which absent lanes give other values.
//! - *Volatile accesses* happen one by one and in order, as the relaxed accesses that the PTX manual calls them. Whether
//!   two of them race is a question for the checks.
//! - *A thread that misses memory*, outside every buffer or at an address that its access cannot have, ends there. A GPU
//!   ends the whole launch; here the other threads go on for a while, and what follows from the early end (a barrier or a
//!   flag that waits for the thread, an element that it would have written) is no finding.
//! - *`trap`, `assert` and `brkpt`* stop the lanes that execute them and no others, so that the report shows more than the
//!   first. An H200 gives up the launch at the first two, and never comes back from the third.

pub(crate) mod barrier;
pub(crate) mod block;
pub(crate) mod grid;
mod limits;
pub(crate) mod pace;
pub(crate) mod paths;
pub(crate) mod printed;
pub(crate) mod registers;
pub(crate) mod schedule;
pub(crate) mod warp;
