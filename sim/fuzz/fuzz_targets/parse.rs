//! Any bytes as PTX: a module or an error with its place, from the parser and from lowering.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sim::{Error, ErrorClass, Lowering, Module};

fn place_is_known(error: &Error) -> bool {
    match error {
        Error::Input(diagnostic) | Error::Unsupported(diagnostic) => diagnostic.place.is_some(),
        Error::Internal(_) => false,
    }
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match Module::parse("fuzz.ptx", &text) {
        Err(error) => assert!(error.class() == ErrorClass::Input && place_is_known(&error), "{error}"),
        Ok(module) => {
            for kernel in module.kernels() {
                for lowering in [Lowering::Sm90, Lowering::None] {
                    if let Err(error) = module.lower(kernel, lowering) {
                        assert!(place_is_known(&error), "{error}");
                    }
                }
            }
        }
    }
});
