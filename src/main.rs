//! The `warpbook` command: reads arguments, calls the rooms that do the work, prints what they return.

#![forbid(unsafe_code)]

mod cli;
mod cmd;
mod out;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // A closed pipe (`warpbook | head`) ends the program quietly; any other panic is a bug of ours and says so.
    std::panic::set_hook(Box::new(|info| {
        if !out::is_broken_pipe(info) {
            eprintln!(
                "{info}\n\nthis is a bug in warpbook, not in your kernel; please report it with the command that you ran"
            );
        }
    }));
    let cli = cli::Cli::parse();
    match std::panic::catch_unwind(|| cmd::run(cli)) {
        Ok(code) => code,
        Err(_) => ExitCode::from(cmd::INTERNAL),
    }
}
