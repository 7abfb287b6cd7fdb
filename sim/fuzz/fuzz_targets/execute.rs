//! Well-formed programs that make no sense: findings, never a panic, never a hang.
#![no_main]

#[path = "../../tests/wild/mod.rs"]
mod wild;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    wild::Wild::from_bytes(bytes).survive();
});
