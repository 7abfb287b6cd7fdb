//! What the WebAssembly modules of the book's pages export and import, for all of them in one place. Requests and answers are
//! bytes; what they mean is up to each module.
//!
//! A host asks for room for its request with `input`, writes the bytes there, calls `run`, and reads as many bytes as that
//! returned from where `output` points. Where the module traps, `panicked` says how many bytes at `output` tell why.
//! [`exports!`](crate::exports) makes a crate such a module. A module that works for long asks the import `host.progress`
//! again and again whether to go on ([`goes_on`]); where none is asked for, the module imports nothing.

#![allow(unsafe_code, reason = "names that are exported unmangled, and what is imported, count as unsafe")]

use std::panic::PanicHookInfo;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Warp-instructions between two calls of [`goes_on`]: tens of milliseconds.
pub const PACE: u64 = 1 << 16;

#[cfg(target_family = "wasm")]
mod import {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Takes the number of warp-instructions so far; 0 says that the work goes on, anything else ends it.
        pub(super) safe fn progress(executed: f64) -> i32;
    }
}

/// Tells the host that so many warp-instructions have been executed, and asks whether to go on.
#[cfg(target_family = "wasm")]
#[must_use]
pub fn goes_on(executed: u64) -> bool {
    import::progress(executed as f64) == 0
}

/// Tells the host that so many warp-instructions have been executed, and asks whether to go on. Outside of a module nobody is
/// told.
#[cfg(not(target_family = "wasm"))]
#[must_use]
pub const fn goes_on(_executed: u64) -> bool {
    true
}

/// A panic ends a module, so what it left behind is never seen.
fn lock(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bytes of a module that its host writes and reads: one request, and one answer.
#[derive(Debug)]
pub struct Buffers {
    input: Mutex<Vec<u8>>,
    output: Mutex<Vec<u8>>,
    hook: Once,
}

impl Buffers {
    /// Without a request.
    #[must_use]
    pub const fn new() -> Self {
        Self { input: Mutex::new(Vec::new()), output: Mutex::new(Vec::new()), hook: Once::new() }
    }

    /// Makes room for a request of `bytes` bytes and returns its address.
    pub fn input(&self, bytes: usize) -> *mut u8 {
        let mut input = lock(&self.input);
        input.clear();
        input.resize(bytes, 0);
        input.as_mut_ptr()
    }

    /// Answers the request that lies in the room and returns the size of the answer in bytes.
    pub fn run(&'static self, answer: impl FnOnce(&[u8]) -> String) -> usize {
        // In a module nobody else would show a panic; elsewhere it is shown as always.
        if cfg!(target_family = "wasm") {
            self.hook.call_once(|| std::panic::set_hook(Box::new(|info| self.keep(info))));
        }
        let answer = answer(&lock(&self.input));
        self.put(answer)
    }

    /// Lays a text where [`Buffers::output`] points and returns its size in bytes.
    pub fn put(&self, text: String) -> usize {
        let mut output = lock(&self.output);
        *output = text.into_bytes();
        output.len()
    }

    /// The address of the latest answer. It is good until the next call of [`Buffers::run`] or [`Buffers::put`].
    pub fn output(&self) -> *const u8 {
        lock(&self.output).as_ptr()
    }

    /// After a trap: the size of the message that tells why, which lies where [`Buffers::output`] points.
    pub fn panicked(&self) -> usize {
        self.output.try_lock().map_or(0, |output| output.len())
    }

    fn keep(&self, info: &PanicHookInfo<'_>) {
        if let Ok(mut output) = self.output.try_lock() {
            *output = info.to_string().into_bytes();
        }
    }
}

impl Default for Buffers {
    fn default() -> Self {
        Self::new()
    }
}

/// Makes the crate a module: `exports!(answer)` exports `input`, `run`, `output` and `panicked`, where `answer` is a function
/// that makes the answer, a `String`, of a request, a `&[u8]`. With `exports!(answer, sources: NUMBER)` it also exports
/// `sources`, which lays `NUMBER`, a `&str`, where `output` points and returns its size.
///
/// Names are exported unmangled in modules alone: one program can hold several such crates.
#[macro_export]
macro_rules! exports {
    ($answer:expr) => {
        static BUFFERS: $crate::Buffers = $crate::Buffers::new();

        /// Makes room for a request of `bytes` bytes and returns its address.
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub extern "C" fn input(bytes: usize) -> *mut u8 {
            BUFFERS.input(bytes)
        }

        /// Answers the request that lies in the room and returns the size of the answer in bytes.
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub extern "C" fn run() -> usize {
            BUFFERS.run($answer)
        }

        /// The address of the latest answer. It is good until the next call of [`run`].
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub extern "C" fn output() -> *const u8 {
            BUFFERS.output()
        }

        /// After a trap: the size of the message that tells why, which lies where [`output`] points.
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub extern "C" fn panicked() -> usize {
            BUFFERS.panicked()
        }
    };
    ($answer:expr, sources: $sources:expr) => {
        $crate::exports!($answer);

        /// The number of the sources that the module was made from: its size, and it lies where [`output`] points.
        #[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
        pub extern "C" fn sources() -> usize {
            BUFFERS.put(String::from($sources))
        }
    };
}

#[cfg(test)]
mod tests {
    use super::Buffers;

    #[test]
    fn a_request_of_each_size_is_answered_and_no_byte_of_the_one_before_is_left() {
        static BUFFERS: Buffers = Buffers::new();
        for bytes in [5, 3, 0] {
            assert!(!BUFFERS.input(bytes).is_null());
            let size = BUFFERS.run(|request| {
                assert_eq!(request, vec![0; bytes]);
                format!("{} bytes", request.len())
            });
            assert_eq!((size, BUFFERS.panicked()), (7, 7));
            assert!(!BUFFERS.output().is_null());
        }
        assert_eq!(BUFFERS.put(String::from("abc")), 3);
    }

    mod module {
        #![forbid(unsafe_code)]
        #![expect(unreachable_pub, reason = "what a module exports is public in its crate")]

        crate::exports!(|request| String::from_utf8_lossy(request).into_owned(), sources: "0123");

        #[test]
        fn what_is_exported_reaches_the_function_that_answers() {
            input(2);
            assert_eq!(run(), 2);
            assert_eq!((sources(), panicked()), (4, 4));
            assert!(!output().is_null());
        }
    }
}
