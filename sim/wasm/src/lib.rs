//! The simulator as a WebAssembly module: requests in, answers out, both as JSON ([`protocol`]).
//!
//! What a host calls is what every module of the pages exports (`wasm_interface`). While a simulation runs the module calls the
//! import `host.progress` again and again, which may stop it. `.ci/wasm` builds it and holds its answers against those of the
//! same code on this machine. Other programs ask an [`Engine`].

#![forbid(unsafe_code)]

mod engine;
mod inputs;
pub mod protocol;
pub mod rounds;
mod running;
mod session_protocol;
mod stepping;
pub mod waves;

pub use engine::Engine;

/// What the module `sim` exports.
#[cfg(feature = "module")]
pub mod module {
    use std::sync::{Mutex, PoisonError};

    use crate::Engine;

    static ENGINE: Mutex<Option<Engine>> = Mutex::new(None);

    wasm_interface::exports!(answer);

    /// What the module's engine answers to a request.
    fn answer(request: &[u8]) -> String {
        // A panic ends a module, so what it left behind is never seen.
        ENGINE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().answer(request)
    }
}
