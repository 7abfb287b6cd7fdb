//! The simulator as a WebAssembly module: requests in, answers out, both as JSON ([`protocol`]).
//!
//! A host asks for room for its request with [`input`], writes the JSON there, calls [`run`], and reads as many bytes as
//! that returned from where [`output`] points. While a simulation runs the module calls the import `host.progress` again and
//! again, which may stop it (`host`). Where the module traps, [`panicked`] says why. `.ci/wasm` builds it and
//! holds its answers against those of the same code on this machine. Other programs ask an [`Engine`].

#![allow(unsafe_code, reason = "names that are exported unmangled count as unsafe")]

mod engine;
mod host;
mod inputs;
pub mod protocol;
pub mod rounds;
mod running;
mod session_protocol;
mod stepping;

use std::panic::PanicHookInfo;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

pub use engine::Engine;

static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ENGINE: Mutex<Option<Engine>> = Mutex::new(None);
static HOOK: Once = Once::new();

/// A panic ends a module, so what it left behind is never seen.
fn lock<T>(own: &Mutex<T>) -> MutexGuard<'_, T> {
    own.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a request of `bytes` bytes and returns its address.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    let mut input = lock(&INPUT);
    input.clear();
    input.resize(bytes, 0);
    input.as_mut_ptr()
}

/// Answers the request that lies in the room and returns the size of the answer in bytes.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn run() -> usize {
    // In a module nobody else would show it; elsewhere it is shown as always.
    HOOK.call_once(|| {
        if cfg!(target_family = "wasm") {
            std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
                if let Ok(mut output) = OUTPUT.try_lock() {
                    *output = info.to_string().into_bytes();
                }
            }));
        }
    });
    let answer = lock(&ENGINE).get_or_insert_default().answer(&lock(&INPUT));
    let mut output = lock(&OUTPUT);
    *output = answer.into_bytes();
    output.len()
}

/// The address of the latest answer. It is good until the next call of [`run`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output() -> *const u8 {
    lock(&OUTPUT).as_ptr()
}

/// After a trap: the size of the message that tells why, which lies where [`output`] points.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn panicked() -> usize {
    lock(&OUTPUT).len()
}
