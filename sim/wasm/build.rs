//! Computes what the engine is made of.

mod inputs;

use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    for source in inputs::SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    println!("cargo::rustc-env=WARPBOOK_ENGINE={}", inputs::engine(&root, &[]));
}
