//! Answers requests from standard input on standard output, one a line, as the module does: the other side of the
//! comparison.

use std::io::{BufRead, Write};

use exercises::page::module;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for request in std::io::stdin().lock().lines() {
        writeln!(out, "{}", module::answer(request?.as_bytes(), None))?;
    }
    Ok(())
}
