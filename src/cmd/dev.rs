//! `warpbook dev`: for those who change the workbook.

use std::path::Path;

use exercises::audit;
use exercises::built::Maker;
use exercises::compiler::{Cached, Local};
use exercises::course::Course;
use exercises::prebuild;
use kernels::compilers::Table;
use kernels::isa::coverage;
use kernels::probes::{self, Suite};
use kernels::regenerate;
use kernels::sanitizer::{self, SanitizerError};

use super::{Ended, FAULTY, Failure, INTERNAL, UNSUPPORTED, USAGE, exercise};
use crate::cli::{Compare, Dev, DevCommand};
use crate::out::{self, say};

pub(crate) fn run(args: &Dev, json: bool) -> Ended {
    match &args.command {
        DevCommand::Ptx { exercises: Some(course), .. } => write_exercises(course),
        DevCommand::Ptx { kernels, .. } => write_ptx(kernels, json),
        DevCommand::Cubins { out } => {
            let made = kernels::cubins::make(out).map_err(|error| Failure::new(error.exit_code(), error))?;
            for (file, changed) in &made {
                say!("{}: {}", file.display(), if *changed { "changed" } else { "as it was" });
            }
            Ok(0)
        }
        DevCommand::Isa => instructions(json),
        DevCommand::Clang { names, exercises: None, .. } => {
            let table = kernels::compilers::compare(names).map_err(|error| Failure::new(error.exit_code(), error))?;
            compilers(&table, "versions", json)
        }
        DevCommand::Clang { names, exercises: Some(folder), alternatives } => {
            let course = Course::load(folder).map_err(exercise::failed)?;
            let table = exercises::compilers::compare(&course, names, *alternatives).map_err(exercise::failed)?;
            compilers(&table, "cases of the course", json)
        }
        DevCommand::Ptxgen { names, unoptimised } => translations(names, !unoptimised, json),
        DevCommand::Time { out } => {
            let evaluation = super::compare_time::evaluate(&Compare::default(), kernels::timing::Road::Ptx)?;
            let file = evaluation.write(out).map_err(|why| Failure::new(USAGE, why))?;
            say!("written: {}", file.display());
            Ok(0)
        }
        DevCommand::Lines { out } => {
            let written = kernels::baseline::write_all(out).map_err(|error| Failure::new(error.exit_code(), error))?;
            for file in &written {
                say!("written: {}", file.display());
            }
            if written.is_empty() {
                say!("nothing has changed");
            }
            Ok(0)
        }
        command @ DevCommand::Lowering { .. } => super::dev_lowering::run(command, json),
        DevCommand::Probes { folder, gpu_name, record, gpu, ncu } => {
            let suite = Suite::read(folder).map_err(|error| Failure::new(error.exit_code(), error))?;
            let mut name = gpu_name.clone();
            if *record {
                let file = probes::record(&suite, *gpu, ncu.as_deref())
                    .map_err(|error| Failure::new(error.exit_code(), error))?;
                eprintln!("written: {}", file.display());
                // What was recorded is compared by the tests that it is for.
                if suite.counters.is_some() {
                    return Ok(0);
                }
                name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            }
            compare_probes(&suite, &name, json)
        }
        DevCommand::Sanitize {
            folder,
            problems,
            only,
            patience,
            processes,
            sanitizer: tool,
            launch,
            launch_version,
        } => {
            let failure = |error: SanitizerError| Failure::new(error.exit_code(), error);
            if let Some(file) = launch {
                sanitizer::launch(file, 0).map_err(failure)?;
                return Ok(0);
            }
            if let Some(version) = launch_version {
                sanitizer::launch_version(version, 0).map_err(failure)?;
                return Ok(0);
            }
            let program = std::env::current_exe().map_err(|error| Failure::new(INTERNAL, error))?;
            let (subjects, folder, flag) = match problems {
                Some(folder) => (sanitizer::subjects_of_problems(), folder, "--launch-version"),
                None => (sanitizer::subjects(folder).map_err(failure)?, folder, "--launch"),
            };
            let arguments = ["dev", "sanitize", flag];
            let patience = std::time::Duration::from_secs_f64(*patience);
            let options = sanitizer::Options { only: only.clone(), processes: *processes, patience };
            let file = sanitizer::record(&subjects, folder, &program, &arguments, tool, &options).map_err(failure)?;
            say!("written: {}", file.display());
            Ok(0)
        }
        DevCommand::Check { names, write, compiler, exercises } => {
            let course = exercise::course(exercises.as_deref())?;
            let compiler = compiler.and_then(super::sim::compiler_of);
            let prove = || {
                let report = audit::check_course(&course, names, &Cached::new(Local { compiler }));
                report.map_err(|error| Failure::new(error.exit_code(), error))
            };
            let mut report = prove()?;
            if *write {
                let written = audit::write_proofs(&course, &report).map_err(|error| Failure::new(USAGE, error))?;
                for file in &written {
                    eprintln!("written: {}", file.display());
                }
                if !written.is_empty() {
                    report = prove()?;
                }
            }
            if json {
                out::json(&report)?;
            } else {
                out::text(&report.text());
            }
            Ok(if report.passed { 0 } else { FAULTY })
        }
        DevCommand::Requests { exercises: Some(course), .. } => {
            let course = Course::load(course).map_err(exercise::failed)?;
            let pages = prebuild::compiler(Maker::Pages);
            for request in exercises::page::requests::lines(&course, &*pages).map_err(exercise::failed)? {
                say!("{request}");
            }
            Ok(0)
        }
        DevCommand::Requests { threads, .. } => {
            for request in kernels::requests::all(*threads).map_err(|error| Failure::new(error.exit_code(), error))? {
                say!("{request}");
            }
            Ok(0)
        }
        DevCommand::Starters { exercises } => {
            let course = exercise::course(exercises.as_deref())?;
            let written = audit::write_starters(&course).map_err(|error| Failure::new(USAGE, error))?;
            for file in &written {
                say!("written: {}", file.display());
            }
            Ok(0)
        }
    }
}

fn instructions(json: bool) -> Ended {
    let covered = coverage::coverage().map_err(|error| Failure::new(INTERNAL, error))?;
    let refusals = coverage::refusals().map_err(|error| Failure::new(INTERNAL, error))?;
    if json {
        out::json(&serde_json::json!({ "gpu": covered.gpu, "instructions": covered.rows, "absent": refusals }))?;
        return Ok(0);
    }
    let head = ["instruction", "section", "what it does", "bit for bit", "within error", "may differ", "real forms"];
    let rows = covered.rows.iter().map(|row| {
        let what = &row.instruction;
        let mut cells = [what.name, what.section, what.does].map(str::to_owned).to_vec();
        cells.extend([row.exact, row.close, row.differing, row.real].map(|count| count.to_string()));
        cells
    });
    say!("{}", out::table(&head, rows.collect(), 3));
    say!("compared with {}\n\nnot simulated:", covered.gpu);
    for refusal in refusals {
        say!("  {} ({}, section {})", refusal.absent.what, refusal.absent.names.join(" "), refusal.absent.section);
    }
    Ok(0)
}

fn write_ptx(kernels: &Path, json: bool) -> Ended {
    let files = regenerate::regenerate(kernels).map_err(|error| Failure::new(UNSUPPORTED, error))?;
    for file in &files {
        if !file.log.trim().is_empty() {
            eprintln!("{}", file.log.trim_end());
        }
    }
    if json {
        let list: Vec<_> = files
            .iter()
            .map(|f| serde_json::json!({ "problem": f.problem, "path": f.path, "changed": f.changed }))
            .collect();
        out::json(&list)?;
    } else {
        for file in &files {
            say!("{}: {}", file.path.display(), if file.changed { "changed" } else { "as it was" });
        }
    }
    Ok(0)
}

fn write_exercises(course: &Path) -> Ended {
    let course = Course::load(course).map_err(exercise::failed)?;
    let made = prebuild::write(&course).map_err(exercise::failed)?;
    for (file, changed) in &made {
        say!("{}: {}", file.display(), if *changed { "changed" } else { "as it was" });
    }
    Ok(0)
}

fn compare_probes(suite: &Suite, record: &str, json: bool) -> Ended {
    let failed = |error: probes::ProbeError| Failure::new(error.exit_code(), error);
    let truth = suite.truth(record).map_err(failed)?;
    let known = suite.known().map_err(failed)?;
    let comparison = probes::compare(suite, &truth).map_err(failed)?;
    if json {
        out::json(&comparison)?;
    } else {
        for line in comparison.lines(&known) {
            say!("{line}");
        }
    }
    Ok(if comparison.unexplained(&known).next().is_none() { 0 } else { FAULTY })
}

/// What the profiler starts.
pub(crate) fn launch_probes(folder: &Path, gpu: u32) -> Ended {
    probes::child(folder, gpu).map_err(|error| Failure::new(error.exit_code(), error))?;
    Ok(0)
}

/// The workbook's kernels by clang beside NVRTC's.
fn translations(names: &[String], optimised: bool, json: bool) -> Ended {
    let rows =
        kernels::translation::compare(names, optimised).map_err(|error| Failure::new(error.exit_code(), error))?;
    if json {
        out::json(&rows)?;
    } else {
        for row in &rows {
            let differing: Vec<String> = (row.differences.iter())
                .map(|difference| format!("{} {} -> {}", difference.counter, difference.llvm, difference.own))
                .collect();
            let equal = row.counters - row.differences.len();
            say!("{}: {equal}/{} {}", row.version, row.counters, differing.join(", "));
            if let Some(wrong) = &row.wrong {
                say!("  wrong: {wrong}");
            }
        }
        let counters: usize = rows.iter().map(|row| row.counters).sum();
        let differing: usize = rows.iter().map(|row| row.differences.len()).sum();
        let versions = rows.len();
        say!(
            "{} of {counters} exact counters of {versions} versions are those of LLVM's back end",
            counters - differing
        );
    }
    Ok(if rows.iter().any(|row| row.wrong.is_some()) { FAULTY } else { 0 })
}

/// Says how many exact counters clang's code shares with NVRTC's; `what` is what a row is.
fn compilers(table: &Table, what: &str, json: bool) -> Ended {
    if json {
        out::json(table)?;
    } else {
        for row in &table.rows {
            let equal = row.counters - row.differences.len();
            let differing: Vec<String> = (row.differences.iter())
                .map(|difference| format!("{} {} -> {}", difference.counter, difference.nvrtc, difference.clang))
                .collect();
            say!("{} ({}): {equal}/{} {}", row.version, row.case, row.counters, differing.join(", "));
            if let Some(wrong) = &row.wrong {
                say!("  wrong: {wrong}");
            }
        }
        let counters: usize = table.rows.iter().map(|row| row.counters).sum();
        let differing: usize = table.rows.iter().map(|row| row.differences.len()).sum();
        say!(
            "{} of {counters} exact counters ({:.1} %) of {} {what} are those of NVRTC's code ({})",
            counters - differing,
            100.0 * table.share(),
            table.rows.len(),
            table.clang.as_ref().map_or_else(|| "as committed".to_owned(), |version| format!("clang {version}"))
        );
    }
    Ok(if table.rows.iter().any(|row| row.wrong.is_some()) { FAULTY } else { 0 })
}
