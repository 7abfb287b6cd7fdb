//! `printf`: reads the format and the arguments that a lane passes to `vprintf`, and writes what would be printed.
//!
//! The hardware hands format and arguments to the host, whose C library formats them; this file does what that library
//! does. Arguments lie behind each other, each at a multiple of its size: 4 bytes for `int` and shorter, 8 for `long`,
//! `double` and pointers. The result is the number of arguments that the format takes, as an H200 was measured to
//! return it. A conversion that CUDA does not have (`%n`, a precision given as `*`) is printed as it stands. The lengths
//! `hh`, `z`, `j` and `t` mean here what they mean in C; the H200 took them for the end of the format and printed garbage
//! for the arguments behind.

mod float;
mod format;

use super::spaces;
use crate::event::Observer;
use crate::ir::inst::Print;
use crate::lanes::lanes_of;
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use format::{Piece, parse};

/// Executes `vprintf`, lane after lane.
pub(super) fn execute<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, print: &Print, active: u32) {
    let constants = &block.machine.constants;
    let formats = warp.registers.wide(constants, print.format);
    let arguments = warp.registers.wide(constants, print.arguments);
    let mut results = [0; 32];
    let mut parsed: Option<(u64, Vec<Piece>)> = None;
    for lane in lanes_of(active) {
        let lane = lane as usize;
        // Lanes that print together mostly share their format.
        let pieces = match &parsed {
            Some((address, pieces)) if *address == formats[lane] => pieces,
            _ => &parsed.insert((formats[lane], parse(&spaces::text(warp, block, formats[lane], lane)))).1,
        };
        results[lane] = pieces.iter().map(Piece::arguments).sum();
        if block.printed.is_full() {
            block.printed.add_lost();
            continue;
        }
        let mut at = arguments[lane];
        let mut next = |bytes: u32| {
            let address = at.next_multiple_of(u64::from(bytes));
            at = address + u64::from(bytes);
            spaces::value(warp, block, address, bytes, lane).unwrap_or(0)
        };
        let string =
            |address: u64| if address == 0 { b"(null)".to_vec() } else { spaces::text(warp, block, address, lane) };
        let mut text = Vec::new();
        for piece in pieces {
            piece.write(&mut text, &mut next, &string);
        }
        block.printed.add(&text);
    }
    if let Some(result) = print.result {
        warp.registers.set_wide(result, &results, active);
    }
}
