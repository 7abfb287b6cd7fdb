//! The workbook's kernels: their CUDA sources, inputs and references, how they are compiled, run on a GPU, recorded
//! and compared with the simulation. The only crate that touches CUDA.

pub mod compile;
pub mod doctor;
pub mod nvrtc;
pub mod ptx;
pub mod setup;
pub mod testing;
