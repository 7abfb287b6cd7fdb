//! What of NVIDIA's is used on this machine: the driver and its GPUs, NVRTC and nvcc, ptxas and nvdisasm, Nsight Compute,
//! and the harnesses of CUB and NPP. Where each is found, what is missing and how it is fetched.
//!
//! The only crate of the workbook that touches CUDA and the only one with `unsafe`. It knows launches and memory
//! ([`gpu::Work`]), and nothing of the workbook's problems.

#![allow(unsafe_code, reason = "the driver, NVRTC and the harnesses of CUB and NPP are C libraries")]

pub mod clang;
pub mod compile;
pub mod digest;
pub mod doctor;
pub mod gpu;
pub mod ncu;
pub mod nvcc;
pub mod nvrtc;
pub mod peers;
pub mod sass;
pub mod setup;

pub use launch::names;
