//! Computes what the figures that play are made of.

#[path = "../../../sim/wasm/inputs.rs"]
mod engine;
mod inputs;

use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../..");
    for source in engine::SOURCES.iter().chain(&inputs::ROUNDS) {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    println!("cargo::rustc-env=WARPBOOK_ROUNDS={}", engine::engine(&root, &inputs::ROUNDS));
}
