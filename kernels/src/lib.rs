//! The workbook's kernels: their CUDA sources, inputs and references, how they are compiled, run on a GPU, recorded
//! and compared with the simulation. The only crate that touches CUDA.

pub mod baseline;
pub mod bench;
pub mod case;
pub mod check;
pub mod checked;
pub mod claims;
pub mod compare;
pub mod compile;
pub mod counters;
pub mod doctor;
pub mod gpu;
pub mod isa;
pub mod known;
pub mod launch;
pub mod lowering;
pub mod machine_code;
pub mod names;
pub mod native;
pub mod nvcc;
pub mod nvrtc;
pub mod open;
pub mod picture;
pub mod probes;
pub mod problem;
pub mod ptx;
pub mod random;
pub mod record;
pub mod sanitizer;
pub mod setup;
pub mod simulate;
pub mod svg;
pub mod testing;
pub mod timing;
pub mod truth;
pub mod verdict;
