//! The Debug Adapter Protocol, by which editors step a launch: a warp is a thread, the functions that its code is inlined
//! in are its stack.
//!
//! A request is answered before the next is read: nothing runs in between, since every position of a session can be gone
//! to at once. `wire` reads and writes, `adapter` answers, `variables` unfolds registers and memory.

mod adapter;
mod moves;
mod protocol;
mod stack;
mod variables;
mod wire;

use std::io::{self, BufRead, Write};

use adapter::Adapter;

/// Answers an editor until it disconnects or nothing more comes from it.
///
/// # Errors
/// Those of reading and writing.
pub fn serve(from: &mut impl BufRead, to: &mut impl Write) -> io::Result<()> {
    let mut adapter = Adapter::default();
    while !adapter.has_ended() {
        match wire::read(from)? {
            wire::Read::Message(message) => adapter.take(message),
            wire::Read::Malformed(why) => adapter.malformed(&why),
            wire::Read::End => break,
        }
        for message in adapter.outgoing() {
            wire::write(to, &message)?;
        }
    }
    Ok(())
}
