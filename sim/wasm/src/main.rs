//! Answers requests from standard input on standard output, one a line, as the module does: the other side of the
//! comparison. One engine answers all of them.

use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut engine = sim_wasm::Engine::default();
    let mut out = std::io::stdout().lock();
    for request in std::io::stdin().lock().lines() {
        writeln!(out, "{}", engine.answer(request?.as_bytes()))?;
    }
    Ok(())
}
