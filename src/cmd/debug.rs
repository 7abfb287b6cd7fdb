//! `warpbook debug`: a launch stepped forwards and back, in a terminal, by commands or by an editor.

use std::io::Read;

use debugger::answers::Commands;
use debugger::{Start, dap, tui};

use super::{Ended, Failure, USAGE};
use crate::cli::Debug;
use crate::out;

pub(crate) fn run(args: &Debug, json: bool) -> Ended {
    if json {
        return Err(Failure::new(USAGE, "`warpbook debug` has no JSON: --dap speaks the Debug Adapter Protocol"));
    }
    if args.dap {
        let served = dap::serve(&mut std::io::stdin().lock(), &mut std::io::stdout().lock());
        served.map_err(|why| Failure::new(USAGE, format!("the editor's end of the protocol: {why}")))?;
        return Ok(0);
    }
    let model = start(args).open().map_err(|refused| Failure::new(refused.code, refused))?;
    if !model.about.warnings.is_empty() {
        eprintln!("{}", model.about.warnings);
    }
    for note in &model.about.notes {
        eprintln!("note: {note}");
    }
    let mut commands = Commands::new(model);
    let Some(given) = &args.commands else {
        tui::run(commands).map_err(|why| Failure::new(USAGE, why))?;
        return Ok(0);
    };
    let text = match given.as_str() {
        "-" => {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            read.map_err(|why| Failure::new(USAGE, format!("cannot read commands from standard input: {why}")))?;
            text
        }
        given => given.to_owned(),
    };
    let done = commands.all(&text, |command, answer| out::text(&format!("debug> {command}\n{answer}")));
    done.map_err(|why| Failure::new(USAGE, why))?;
    Ok(0)
}

/// What is stepped.
fn start(args: &Debug) -> Start {
    let compile = &args.compile;
    Start {
        file: args.file.clone().unwrap_or_default(),
        kernel: args.kernel.clone(),
        grid: args.grid.clone(),
        block: args.block.clone(),
        shared: args.shared.clone(),
        args: args.args.clone(),
        names: args.names.clone(),
        symbol: args.symbol.clone(),
        launch: args.launch,
        target: args.target.clone(),
        seed: args.seed,
        steps: args.steps,
        unoptimised: args.unoptimised,
        sources: args.sources.clone(),
        compiler: args.compiler(),
        arch: compile.arch.as_ref().map(ToString::to_string),
        include: compile.include.clone(),
        define: compile.define.clone(),
        std: compile.std.clone(),
    }
}
