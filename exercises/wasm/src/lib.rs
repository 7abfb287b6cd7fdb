//! The grader of exercises as a WebAssembly module: requests in, answers out, both as JSON ([`exercises::page::module`]).
//!
//! The exports are those of `sim/wasm`: [`input`] makes room for a request, [`run`] answers it and returns the answer's size,
//! [`output`] says where the answer lies, and after a trap [`panicked`] says why. While a kernel runs, the module calls the import
//! `host.progress` with the number of warp-instructions so far; anything but 0 ends it.

#![allow(unsafe_code, reason = "names that are exported unmangled count as unsafe")]

use std::ops::ControlFlow;
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use exercises::page::module;
use sim::Watch;

static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static HOOK: Once = Once::new();

/// Warp-instructions between two calls of the host: tens of milliseconds.
const PACE: u64 = 1 << 16;

#[cfg(target_family = "wasm")]
mod import {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Takes the number of warp-instructions so far; 0 says that the work goes on, anything else ends it.
        pub(super) safe fn progress(executed: f64) -> i32;
    }
}

#[cfg(target_family = "wasm")]
fn goes_on(executed: u64) -> bool {
    import::progress(executed as f64) == 0
}

/// Outside of a module nobody is told.
#[cfg(not(target_family = "wasm"))]
const fn goes_on(_executed: u64) -> bool {
    true
}

/// A panic ends a module, so what it left behind is never seen.
fn lock(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
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
    let answer = module::answer(&lock(&INPUT), Some(watch()));
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

/// The number of the sources that the module was made from: its size, and it lies where [`output`] points.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn sources() -> usize {
    let mut output = lock(&OUTPUT);
    *output = env!("WARPBOOK_GRADER").as_bytes().to_vec();
    output.len()
}

/// Tells the host how far the simulations of one request have come.
fn watch() -> Watch {
    let (executed, told) = (AtomicU64::new(0), AtomicU64::new(0));
    Watch::new(move |more| {
        let sum = executed.fetch_add(more, Relaxed) + more;
        if sum >= told.load(Relaxed) + PACE {
            told.store(sum, Relaxed);
            if !goes_on(sum) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })
}
