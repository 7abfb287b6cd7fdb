//! Answers a request from standard input on standard output, as the module does: the other side of the comparison.

use std::io::{Read, Write};

fn main() -> std::io::Result<()> {
    let mut request = Vec::new();
    std::io::stdin().read_to_end(&mut request)?;
    std::io::stdout().write_all(sim_wasm::answer(&request).as_bytes())
}
