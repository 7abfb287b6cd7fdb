//! Runs files of a user's own on both roads: sources and PTX with the launches that `warpbook sim --list` finds, and launch
//! files with their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sim::Options;

use super::corpus::{first_line, of_reports, options};
use super::{Both, Roads, RoadsError, Suite, Trouble, Troubled};
use crate::assembled::Assembled;
use crate::compile;
use crate::launch::list;
use crate::launch::run::{self, RunError};
use crate::launch::spec::Session;
use crate::open::{self, How, Opened};
use crate::sass::Tools;

/// What is run of a folder.
const ENDINGS: [&str; 3] = ["cu", "ptx", "toml"];

/// The files that a path names: itself, or all below it that can be run.
///
/// # Errors
/// [`RoadsError::Folder`] when it cannot be read, or holds nothing to run.
pub fn find(path: &Path) -> Result<Vec<PathBuf>, RoadsError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    below(path, &mut files).map_err(|why| RoadsError::Folder(format!("cannot read {}: {why}", path.display())))?;
    // A launch file runs its source; a PTX beside its source is that source, compiled.
    let sources: Vec<PathBuf> = files.iter().filter(|file| has_ending(file, "cu")).cloned().collect();
    files.retain(|file| !has_ending(file, "ptx") || !sources.contains(&file.with_extension("cu")));
    if files.is_empty() {
        return Err(RoadsError::Folder(format!("{} holds no .cu, .ptx or launch file", path.display())));
    }
    Ok(files)
}

fn has_ending(file: &Path, ending: &str) -> bool {
    file.extension().is_some_and(|own| own == ending)
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            below(&entry, files)?;
        } else if ENDINGS.iter().any(|ending| has_ending(&entry, ending)) && !is_other_toml(&entry) {
            files.push(entry);
        }
    }
    Ok(())
}

/// Whether a TOML file is something else than a launch file.
fn is_other_toml(file: &Path) -> bool {
    has_ending(file, "toml") && Session::read(file, &BTreeMap::new()).is_err()
}

/// Runs every file that the paths name.
///
/// # Errors
/// [`RoadsError`] when there is no ptxas, or a path holds nothing to run.
pub fn files(paths: &[PathBuf], compile: &compile::Options) -> Result<Roads, RoadsError> {
    Tools::find()?;
    let mut all = Vec::new();
    for path in paths {
        all.extend(find(path)?);
    }
    let parts: Vec<Roads> = all.par_iter().map(|file| one(file, compile)).collect();
    let mut roads = Roads::default();
    parts.into_iter().for_each(|part| roads.extend(part));
    Ok(roads)
}

fn refused(subject: &str, case: &str, sentence: String) -> Roads {
    let troubled = Troubled {
        suite: Suite::Files,
        subject: subject.to_owned(),
        case: case.to_owned(),
        trouble: Trouble::Refused,
        sentence,
        known: None,
    };
    Roads { rows: Vec::new(), troubled: vec![troubled] }
}

fn one(file: &Path, compile: &compile::Options) -> Roads {
    let subject = file.display().to_string();
    let how = How { options: compile.clone(), ..How::default() };
    let options = options();
    if has_ending(file, "toml") {
        let session = match Session::read(file, &BTreeMap::new()) {
            Ok(session) => session,
            Err(why) => return refused(&subject, "", first_line(&why)),
        };
        let how = How { kernels: session.kernels(), ..how };
        return match open::open(&session.file, &how) {
            Ok(opened) => session_on_both(&subject, "", &session, &opened, &options),
            Err(why) => refused(&subject, "", first_line(&why)),
        };
    }
    let (opened, listed) = match list::open_and_list(file, how, (None, ""), Some(&Options::default())) {
        Ok(listed) => listed,
        Err(why) => return refused(&subject, "", first_line(&why)),
    };
    let mut roads = Roads::default();
    for kernel in listed.kernels {
        let name = &kernel.signature.name;
        roads.extend(match kernel.launch {
            Some(launch) => {
                let session = Session { launches: vec![launch], ..Session::default() };
                session_on_both(&subject, name, &session, &opened, &options)
            }
            None => refused(&subject, name, kernel.why.unwrap_or_else(|| "no launch was found".to_owned())),
        });
    }
    roads
}

/// Runs the launches of a session on each road, and compares.
fn session_on_both(subject: &str, case: &str, session: &Session, opened: &Opened, options: &Options) -> Roads {
    let run = |mut opened: Opened| run::run(session, &mut opened, options, None, None);
    let both = || -> Result<_, RunError> {
        let ptx = run(opened.clone())?;
        Ok((ptx, Assembled::of_ptx(&opened.name, opened.ptx())))
    };
    let (ptx, assembled) = match both() {
        Ok(ran) => ran,
        Err(why) => return refused(subject, case, format!("PTX: {}", first_line(&why))),
    };
    let machine_code = match assembled {
        Ok(assembled) => {
            let mut opened = opened.clone();
            opened.machine_code = Some(assembled);
            run(opened)
        }
        Err(why) => return refused(subject, case, first_line(&why)),
    };
    let machine_code = match machine_code {
        Ok(ran) => ran,
        Err(why) => return refused(subject, case, format!("machine code: {}", first_line(&why))),
    };
    let reports = |ran: run::Ran| ran.launches.into_iter().map(|launch| launch.report).collect::<Vec<_>>();
    of_reports(&Both {
        suite: Suite::Files,
        subject,
        case,
        module: &opened.module,
        text: opened.ptx(),
        ptx: &reports(ptx),
        machine_code: &reports(machine_code),
        repeats: &|_, _| true,
    })
}
