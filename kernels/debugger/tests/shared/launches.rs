//! The launches that the tests step. Included by path.

use std::path::{Path, PathBuf};

use debugger::Start;

/// A path from the repository's root.
pub(crate) fn path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// One block of 64 threads that scans ones.
pub(crate) fn scan() -> Start {
    let args = ["sums:f32[64]=zeros", "ones:f32[64]=1", "i32:64", "i32:64"];
    Start {
        file: path("kernels/ptx/scan.ptx"),
        kernel: Some("scan_naive".to_owned()),
        block: Some("64".to_owned()),
        shared: Some("512".to_owned()),
        args: args.map(str::to_owned).to_vec(),
        ..Start::default()
    }
}
