//! `warpbook book`.

use std::io;
use std::sync::Arc;

use book::serve::Event;
use exercises::service::Service;

use super::exercise::this_program;
use super::{Ended, Failure, USAGE};
use crate::cli::{Book, BookCommand};
use crate::out::{self, say};

/// The program's work for pages.
struct Pages(Service);

impl book::Service for Pages {
    fn answer(&self, operation: &str, request: &[u8]) -> Option<String> {
        self.0.answer(operation, request)
    }
}

pub(crate) fn run(args: &Book, json: bool) -> Ended {
    let failed = |error: book::BuildError| Failure::new(error.exit_code(), error);
    let default = BookCommand::Serve { port: 3000, open: false, site: None };
    match args.command.as_ref().unwrap_or(&default) {
        BookCommand::Serve { port, open, site } => {
            let here = std::env::current_dir().map_err(|error| Failure::new(USAGE, error))?;
            let course = exercises::Course::find(&here).ok();
            let service = Arc::new(Pages(Service::new(this_program()?, course)));
            if let Some(site) = site {
                let mut told = |address: &str| {
                    say!("{} at {address}", site.display());
                    if *open && opener::open_browser(address).is_err() {
                        eprintln!("no browser could be opened: open {address} in one");
                    }
                };
                book::serve::as_it_is(site, *port, Some(service), &mut told).map_err(failed)?;
                return Ok(0);
            }
            let root = book::find(&here).map_err(failed)?;
            let mut first = true;
            let mut told = |event: Event<'_>| match event {
                Event::Built(built, address) => {
                    say!("{} chapters at {address}", built.chapters);
                    if first && *open && opener::open_browser(address).is_err() {
                        eprintln!("no browser could be opened: open {address} in one");
                    }
                    if first {
                        say!("every change of a file in {} builds it again; end with Ctrl-C", root.display());
                    }
                    first = false;
                }
                Event::Failed(error) => eprintln!("{error}\nthe last book that was built stays as it is"),
            };
            book::serve::serve(&root, *port, Some(service), &mut told).map_err(failed)?;
        }
        BookCommand::Build { out } => {
            let here = std::env::current_dir().map_err(|error| Failure::new(USAGE, error))?;
            let root = book::find(&here).map_err(failed)?;
            let built = book::build(&root, out.as_deref()).map_err(failed)?;
            if json {
                out::json(&serde_json::json!({ "index": built.index, "chapters": built.chapters, "lab": built.lab }))?;
            } else {
                say!("{} chapters, every number from a run", built.chapters);
                built.lab.iter().for_each(|line| say!("{line}"));
                say!("open {}", built.index.display());
            }
        }
        BookCommand::Check { chapters } => {
            let here = std::env::current_dir().map_err(|error| Failure::new(USAGE, error))?;
            let count = book::check(&book::find(&here).map_err(failed)?, chapters).map_err(failed)?;
            if json {
                out::json(&serde_json::json!({ "chapters": count }))?;
            } else {
                say!("{count} chapter{} filled, nothing wrong", if count == 1 { "" } else { "s" });
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
