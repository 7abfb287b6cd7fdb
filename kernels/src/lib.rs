//! The workbook's kernels: their CUDA sources, inputs and references, how they are compiled, run on a GPU, recorded
//! and compared with the simulation. The only crate that touches CUDA.
