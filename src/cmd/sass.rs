//! `warpbook sass`.

use kernels::compile::Options;
use kernels::machine_code::{self, Listing};
use kernels::open::How;

use super::{Ended, Failure};
use crate::cli::Sass;
use crate::out::{self, say};

pub(crate) fn run(args: &Sass, json: bool) -> Ended {
    let how = How {
        options: Options { includes: args.include.clone(), defines: args.define.clone(), ..Options::default() },
        kernels: args.kernel.clone().into_iter().collect(),
        ..How::default()
    };
    let listings = machine_code::list(&args.file, &how, &args.arch, args.kernel.as_deref());
    let listings = listings.map_err(|error| Failure::new(error.exit_code(), error))?;
    if json {
        out::json(&listings)?;
        return Ok(0);
    }
    listings.iter().for_each(show);
    Ok(0)
}

fn show(listing: &Listing) {
    say!(
        "{}: {} instructions, {} registers, {} bytes of shared memory, {} bytes of stack, {} barriers",
        listing.name,
        listing.instructions.len(),
        listing.registers,
        listing.shared,
        listing.stack,
        listing.barriers
    );
    let mut place = ("", u32::MAX);
    for instruction in &listing.instructions {
        if place != (instruction.file.as_str(), instruction.line) {
            place = (&instruction.file, instruction.line);
            let source = instruction.source.as_deref().unwrap_or_default();
            say!("{}", format!("{}:{}  {source}", instruction.file, instruction.line).trim_end());
        }
        say!("  {:05x}  {:<20}  {}", instruction.offset, instruction.control, instruction.text);
    }
    say!();
}
