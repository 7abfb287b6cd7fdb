//! `warpbook record`, and the launches that it runs under the profiler.

use std::path::Path;

use kernels::record::{self, Progress};

use super::{Ended, FAULTY, Failure};
use crate::cli::Record;
use crate::out::say;

pub(crate) fn run(args: Record, json: bool) -> Ended {
    if args.isa {
        return isa(&args, json);
    }
    let options = record::Options {
        problems: args.problems,
        folder: args.out,
        gpu: args.gpu,
        repeats: args.repeats,
        ncu: args.ncu,
        profiles: args.profiles,
        resume: args.resume,
        program: None,
    };
    let mut show = |progress: Progress<'_>| match progress {
        Progress::Running { case, number, total } => {
            eprintln!("[{number}/{total}] {} ({})", case.version, case.name);
        }
        Progress::Profiling { problem, launches } => {
            eprintln!("profiling {launches} launches of {problem} with Nsight Compute …");
        }
        Progress::Written(path) => eprintln!("written: {}", path.display()),
        Progress::There(path) => eprintln!("there already: {}", path.display()),
    };
    let record = if args.machine_code { record::machine::record } else { record::record };
    let summary = record(&options, &mut show).map_err(|error| Failure::new(error.exit_code(), error))?;
    if json {
        let value = serde_json::json!({
            "gpu": summary.gpu.name,
            "ncu": summary.ncu,
            "cases": summary.cases,
            "counters": summary.counters,
            "files": summary.files,
            "wrong": summary.wrong,
            "notes": summary.notes,
        });
        println!("{value:#}");
    } else {
        let (gpu, ncu) = (&summary.gpu.name, &summary.ncu);
        say!("{gpu}, ncu {ncu}: {} cases, {} exact counters", summary.cases, summary.counters);
        for line in summary.notes.iter().chain(&summary.wrong) {
            say!("{line}");
        }
    }
    Ok(if summary.wrong.is_empty() { 0 } else { FAULTY })
}

/// `warpbook record --isa`.
fn isa(args: &Record, json: bool) -> Ended {
    let mut show = |number: usize, total: usize| eprint!("\r[{number}/{total}]");
    let summary = kernels::isa::record::record(args.gpu, &args.out, args.all_results.as_deref(), &mut show)
        .map_err(|error| Failure::new(error.exit_code(), error))?;
    eprintln!();
    if json {
        let value = serde_json::json!({
            "gpu": summary.gpu.name,
            "probes": summary.probes,
            "refused": summary.refused,
            "file": summary.file,
        });
        println!("{value:#}");
    } else {
        say!("{}: {} probes, written to {}", summary.gpu.name, summary.probes, summary.file.display());
        for form in &summary.refused {
            say!("refused by the driver's compiler: {form}");
        }
    }
    Ok(0)
}

pub(crate) fn child(problem: &str, gpu: u32, times: u32, machine_code: bool) -> Ended {
    record::child(problem, gpu, times, machine_code).map_err(|error| Failure::new(error.exit_code(), error))?;
    Ok(0)
}

/// What the profiler starts for kernels that are no problem's.
pub(crate) fn launch_work(folder: &Path, gpu: u32, times: u32) -> Ended {
    record::work::child(folder, gpu, times).map_err(|error| Failure::new(error.exit_code(), error))?;
    Ok(0)
}
