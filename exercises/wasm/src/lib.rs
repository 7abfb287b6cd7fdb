//! The grader of exercises as a WebAssembly module: requests in, answers out, both as JSON ([`exercises::page::module`]).
//!
//! What a host calls is what every module of the pages exports (`wasm_interface`), and `sources`. While a kernel runs, the module
//! calls the import `host.progress` with the number of warp-instructions so far; anything but 0 ends it.

#![forbid(unsafe_code)]

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use exercises::page::module;
use sim::Watch;
use wasm_interface::{PACE, goes_on};

wasm_interface::exports!(|request| module::answer(request, Some(watch())), sources: env!("WARPBOOK_GRADER"));

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
