//! The one thing that a module asks of its host: to look at how far it has come, and to say whether it goes on.

/// Warp-instructions between two calls of the host: tens of milliseconds.
pub(crate) const PACE: u64 = 1 << 16;

#[cfg(target_family = "wasm")]
mod import {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Takes the number of warp-instructions so far; 0 says that the simulation goes on, anything else ends it.
        pub(super) safe fn progress(executed: f64) -> i32;
    }
}

/// Tells the host that so many warp-instructions have been executed; whether to go on.
#[cfg(target_family = "wasm")]
pub(crate) fn goes_on(executed: u64) -> bool {
    import::progress(executed as f64) == 0
}

/// Outside of a module nobody is told.
#[cfg(not(target_family = "wasm"))]
pub(crate) const fn goes_on(_executed: u64) -> bool {
    true
}
