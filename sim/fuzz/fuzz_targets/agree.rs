//! Race-free programs: the simulator's result is that of a plain scalar interpreter, and the checks find nothing.
#![no_main]

#[path = "../../tests/scalar/mod.rs"]
mod scalar;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Err(difference) = scalar::agree::agree(&scalar::program::Program::from_bytes(bytes)) {
        panic!("{difference}");
    }
});
