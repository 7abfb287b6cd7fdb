//! `warpbook grade`.

use std::path::{Path, PathBuf};

use exercises::class::export::{self, Action, Format};
use exercises::class::{self, ClassReport, Settings, Submission};
use exercises::course::Course;
use indicatif::{ProgressBar, ProgressStyle};

use super::exercise::{course, this_program};
use super::{Ended, FAULTY, Failure, INTERNAL, USAGE};
use crate::cli::Grade;
use crate::out::{self, say};

/// The environment variable that holds the secret.
const SECRET: &str = "WARPBOOK_SECRET";

fn usage(message: impl ToString) -> Failure {
    Failure::new(USAGE, message)
}

pub(crate) fn run(args: &Grade, json: bool) -> Ended {
    let course = course(args.exercises.as_deref())?;
    for name in &args.only {
        course.exercise(name).map_err(usage)?;
    }
    let secret = secret(args.secret_file.as_deref())?;
    if let Some(system) = &args.pack {
        return pack(&course, args, system, secret.as_deref());
    }
    let formats: Vec<Format> = args.format.iter().map(|name| format(name)).collect::<Result<_, _>>()?;
    let results: Vec<(Format, PathBuf)> = args.results.iter().map(|text| result(text)).collect::<Result<_, _>>()?;
    let submissions = class::find(&args.submissions, args.each).map_err(usage)?;
    let settings = Settings {
        secret: secret.unwrap_or_else(|| {
            out::aside(&format!("note: hidden cases are made from no secret; --secret-file or {SECRET} gives one"));
            String::new()
        }),
        only: args.only.clone(),
        program: this_program()?,
        jobs: args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
    };
    let report = with_progress(&course, &submissions, &settings);
    if let Some(folder) = &args.out {
        for format in formats {
            let files = export::files(&course, &report, format).map_err(|why| Failure::new(INTERNAL, why))?;
            export::write_all(folder, &files).map_err(usage)?;
        }
    }
    for (format, path) in results {
        let files = export::files(&course, &report, format).map_err(|why| Failure::new(INTERNAL, why))?;
        let [(_, text)] = files.as_slice() else {
            return Err(usage("--results writes one file: give one submission, or use --out"));
        };
        std::fs::write(&path, text).map_err(|why| usage(format!("cannot write {}: {why}", path.display())))?;
    }
    eprint!("{}", Action::of_environment().tell(&course, &report, &submissions).map_err(usage)?);
    if json {
        out::json(&report)?;
    } else {
        say!("{}", out::table(&ClassReport::HEAD, report.rows(), 1));
        if let [only] = report.submissions.as_slice() {
            for result in &only.exercises {
                say!("\n{}: {}", result.name, result.message);
            }
        }
    }
    Ok(if report.passed() { 0 } else { FAULTY })
}

/// The secret, if there is one.
fn secret(file: Option<&Path>) -> Result<Option<String>, Failure> {
    let Some(file) = file else { return Ok(std::env::var(SECRET).ok().filter(|secret| !secret.is_empty())) };
    let text = std::fs::read_to_string(file).map_err(|why| usage(format!("cannot read {}: {why}", file.display())))?;
    Ok(Some(text.trim().to_owned()))
}

fn format(name: &str) -> Result<Format, Failure> {
    Format::find(name.trim()).ok_or_else(|| {
        let known: Vec<&str> = Format::ALL.iter().map(|(name, _)| *name).collect();
        usage(format!("there is no format `{name}`; there are {}", known.join(", ")))
    })
}

fn result(text: &str) -> Result<(Format, PathBuf), Failure> {
    let (name, path) = text.split_once('=').ok_or_else(|| usage(format!("`{text}` is not FORMAT=FILE")))?;
    Ok((format(name)?, PathBuf::from(path)))
}

/// Grades with a bar on standard error, if that is a terminal.
fn with_progress(course: &Course, submissions: &[Submission], settings: &Settings) -> ClassReport {
    let bar = ProgressBar::new(submissions.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} submissions, {eta} left  {msg}") {
        bar.set_style(style);
    }
    let report = class::grade(course, submissions, settings, &|one| {
        bar.set_message(one.name.clone());
        bar.inc(1);
    });
    bar.finish_and_clear();
    report
}

/// `--pack`: an autograder for another system.
fn pack(course: &Course, args: &Grade, system: &str, secret: Option<&str>) -> Ended {
    if system != "gradescope" {
        return Err(usage(format!("`{system}` takes no zip of ours; --pack knows gradescope")));
    }
    let secret =
        secret.ok_or_else(|| usage(format!("an autograder needs a secret: --secret-file FILE or {SECRET}")))?;
    let path = args.out.clone().unwrap_or_default();
    let failed = |why: std::io::Error| usage(format!("cannot write {}: {why}", path.display()));
    let file = std::fs::File::create(&path).map_err(failed)?;
    class::pack::gradescope(course, &this_program()?, secret, &args.only, file).map_err(failed)?;
    say!("written: {}; it holds the secret and the solutions: keep it to yourself", path.display());
    Ok(0)
}
