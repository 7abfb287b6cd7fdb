//! Builds the site with mdBook's driver, and speaks mdBook's preprocessor protocol for a plain `mdbook build`.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use mdbook_driver::MDBook;
use mdbook_driver::book::BookItem;
use mdbook_driver::config::Config;
use mdbook_preprocessor::parse_input;

use crate::fault::{Faults, Reason};
use crate::lab;
use crate::log;
use crate::preprocessor::Warpbook;
use crate::real::RealRuns;
use crate::runs::Runs;

/// Why the book was not built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no book.
    #[error("there is no book in {}: no `book.toml` is there. Run this in the repository", .0.display())]
    NoBook(PathBuf),
    /// There is no built book.
    #[error("there is no built book in {}: `warpbook book build` makes one in book/html", .0.display())]
    NoSite(PathBuf),
    /// The book cannot be served there.
    #[error("nothing can be served on port {port} of this machine: {why}. Choose another: --port 0 takes any")]
    Port {
        /// The port.
        port: u16,
        /// The operating system's reason.
        why: String,
    },
    /// A file is no chapter.
    #[error("{} is no chapter: SUMMARY.md does not name it", .0.display())]
    NoChapter(PathBuf),
    /// Chapters are wrong.
    #[error("{0}")]
    Faults(#[from] Faults),
    /// mdBook refused.
    #[error("mdBook cannot build the book: {0:#}")]
    Refused(anyhow::Error),
    /// mdBook built the book and complained.
    #[error("mdBook built the book and complained, which counts as a failure:\n{}", .0.join("\n"))]
    Complained(Vec<String>),
}

impl BuildError {
    /// The exit code that a program should end with: 1 when a run contradicts the text or the record of a GPU,
    /// otherwise 2, because a file of the book is wrong.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Faults(Faults(all)) if all.iter().any(|fault| matches!(fault.reason, Reason::Contradicted(_))) => {
                sim::FAULTY
            }
            _ => sim::ErrorClass::Input.exit_code(),
        }
    }
}

impl From<anyhow::Error> for BuildError {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<Faults>() {
            Ok(faults) => Self::Faults(faults),
            Err(error) => Self::Refused(error),
        }
    }
}

/// A built site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The site's first page.
    pub index: PathBuf,
    /// Number of chapters.
    pub chapters: usize,
    /// What of the lab is in it and what is lacking, a line each.
    pub lab: Vec<String>,
}

/// The folder of the book: `book`, in `start` or the nearest folder above it that has one.
///
/// # Errors
/// [`BuildError::NoBook`] when there is none.
pub fn find(start: &Path) -> Result<PathBuf, BuildError> {
    let folder = start.ancestors().map(|above| above.join("book")).find(|folder| folder.join("book.toml").is_file());
    folder.ok_or_else(|| BuildError::NoBook(start.to_owned()))
}

/// Builds the book in the folder `root` with real runs, into the folder `destination`, or where its `book.toml` says.
///
/// # Errors
/// [`BuildError`]. Nothing is written when a chapter is wrong.
pub fn build(root: &Path, destination: Option<&Path>) -> Result<Built, BuildError> {
    build_with(root, destination, RealRuns::new())
}

/// Builds the book in the folder `root` from `runs`, into the folder `destination`, or where its `book.toml`
/// says.
///
/// # Errors
/// As for [`build`].
pub fn build_with<R: Runs + 'static>(root: &Path, destination: Option<&Path>, runs: R) -> Result<Built, BuildError> {
    let configuration = root.join("book.toml");
    if !configuration.is_file() {
        return Err(BuildError::NoBook(root.to_owned()));
    }
    let (built, complaints) = log::listen(|| -> Result<Built, BuildError> {
        let mut config = Config::from_disk(configuration)?;
        config.update_from_env()?;
        // A page that SUMMARY.md names and that does not exist is a mistake, not a page to be made up.
        config.build.create_missing = false;
        // Before mdBook's own directives, so that the lines in our messages are those of the chapters' files.
        config.set("preprocessor.warpbook.before", ["links"])?;
        if let Some(destination) = destination {
            config.build.build_dir = std::path::absolute(destination).map_err(anyhow::Error::from)?;
        }
        let mut book = MDBook::load_with_config(root, config)?;
        book.with_preprocessor(Warpbook::new(runs));
        book.build()?;
        let lab = lab::write(root, &book.build_dir_for("html")).map_err(anyhow::Error::from)?;
        let chapters = book.iter().filter(|item| matches!(item, BookItem::Chapter(_))).count();
        Ok(Built { index: book.build_dir_for("html").join("index.html"), chapters, lab })
    });
    let built = built?;
    if complaints.is_empty() { Ok(built) } else { Err(BuildError::Complained(complaints)) }
}

/// Fills the chapters in the files `chapters` with real runs, or all where there are none, and writes nothing. Returns how
/// many there are.
///
/// # Errors
/// [`BuildError`]: what is wrong with them, or a file that is no chapter of the book.
pub fn check(root: &Path, chapters: &[PathBuf]) -> Result<usize, BuildError> {
    let configuration = root.join("book.toml");
    if !configuration.is_file() {
        return Err(BuildError::NoBook(root.to_owned()));
    }
    let mut book = MDBook::load_with_config(root, Config::from_disk(configuration)?)?;
    let sources = root.join(&book.config.book.src);
    let known: Vec<PathBuf> = book
        .iter()
        .filter_map(|item| if let BookItem::Chapter(chapter) = item { chapter.path.clone() } else { None })
        .collect();
    let mut only = Vec::new();
    for file in chapters {
        let place = std::path::absolute(file).map_err(anyhow::Error::from)?;
        match known.iter().find(|path| std::path::absolute(sources.join(path)).is_ok_and(|own| own == place)) {
            Some(path) => only.push(path.clone()),
            None => return Err(BuildError::NoChapter(file.clone())),
        }
    }
    let count = if only.is_empty() { known.len() } else { only.len() };
    Warpbook::only(RealRuns::new(), only).fill(&sources, &mut book.book)?;
    Ok(count)
}

/// Does the work of a preprocessor that mdBook runs as a program: reads mdBook's JSON, fills the chapters, writes JSON.
/// mdBook also asks `supports RENDERER` before; the answer is always yes, which a program says with exit code 0.
///
/// # Errors
/// [`BuildError`] when the input is not mdBook's, a chapter is wrong, or the output cannot be written.
pub fn preprocess(input: impl Read, output: impl Write) -> Result<(), BuildError> {
    let (context, mut book) = parse_input(input)?;
    let chapters = context.root.join(&context.config.book.src);
    Warpbook::new(RealRuns::new()).fill(&chapters, &mut book)?;
    serde_json::to_writer(output, &book).map_err(anyhow::Error::from)?;
    Ok(())
}
