//! `warpbook book`.

use std::io;

use super::{Ended, Failure, USAGE};
use crate::cli::{Book, BookCommand};
use crate::out;

pub(crate) fn run(args: &Book, json: bool) -> Ended {
    let failed = |error: book::BuildError| Failure::new(error.exit_code(), error);
    match &args.command {
        BookCommand::Build { out } => {
            let here = std::env::current_dir().map_err(|error| Failure::new(USAGE, error))?;
            let root = book::find(&here).map_err(failed)?;
            let built = book::build(&root, out.as_deref()).map_err(failed)?;
            if json {
                out::json(&serde_json::json!({ "index": built.index, "chapters": built.chapters }))?;
            } else {
                println!("{} chapters, every number from a run", built.chapters);
                println!("open {}", built.index.display());
            }
        }
        // `supports RENDERER`: the directives become HTML that every renderer passes on.
        BookCommand::Preprocess { arguments } if arguments.first().is_some_and(|word| word == "supports") => {}
        BookCommand::Preprocess { .. } => {
            book::preprocess(io::stdin().lock(), io::stdout().lock()).map_err(failed)?;
        }
    }
    Ok(0)
}
