//! The workbook's kernels: their CUDA sources, inputs and references, how they are compiled, run on a GPU, recorded
//! and compared with the simulation. What touches CUDA is the crate `cuda`, whose modules are named here too.

#![forbid(unsafe_code)]

pub use ::data::random;
pub use ::launch::checked;
pub use cuda::{clang, compile, doctor, gpu, names, ncu, nvcc, nvrtc, peers, sass, setup};

pub mod assembled;
pub mod baseline;
pub mod bench;
pub mod case;
pub mod cases;
pub mod check;
pub mod claims;
pub mod compare;
pub mod compilers;
pub mod counters;
pub mod cubins;
pub mod isa;
pub mod known;
pub mod known_differences;
pub mod launch;
pub mod least;
pub mod lowering;
pub mod machine_code;
pub mod machine_comparison;
pub mod machine_truth;
pub mod native;
pub mod open;
pub mod picture;
pub mod probes;
pub mod problem;
pub mod provenance;
pub mod ptx;
pub mod record;
pub mod regenerate;
pub mod requests;
pub mod roads;
pub mod sanitizer;
pub mod simulate;
mod stopwatch;
pub mod testing;
pub mod timing;
pub mod translation;
pub mod truth;
pub mod verdict;
pub mod workload;
