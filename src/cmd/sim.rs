//! `warpbook sim`: any kernel on the simulated SM.

use std::path::PathBuf;

use kernels::checked::{self, Checked, Subject};
use kernels::compile::{Choice, Compiler, Options};
use kernels::launch_spec::{LaunchSpec, SpecError, parse_dump};
use kernels::names;
use kernels::open::{self, How};
use sim::Lowering;

use super::{Ended, FAULTY, Failure, USAGE};
use crate::cli::{Compile, CompilerChoice, LoweringChoice, Sim};
use crate::out;

fn usage(error: SpecError) -> Failure {
    Failure::new(USAGE, error)
}

pub(crate) fn run(args: &Sim, json: bool) -> Ended {
    let spec = specification(args)?;
    let how = How {
        options: compile_options(&args.compile),
        checks: !args.no_checks,
        kernels: spec.kernel.iter().cloned().collect(),
    };
    let opened = open::open(&spec.file, &how).map_err(|error| Failure::new(error.exit_code(), error))?;
    if !opened.warnings.trim().is_empty() {
        eprintln!("{}", opened.warnings.trim_end());
    }
    let kernel = opened.kernel(spec.kernel.as_deref()).map_err(|error| Failure::new(USAGE, error))?;
    let launch = spec.launch().map_err(usage)?;
    let mut options = sim::Options {
        target: args.target.clone(),
        lowering: match args.lowering {
            None => Lowering::OfTarget,
            Some(LoweringChoice::Sm90) => Lowering::Sm90,
            Some(LoweringChoice::None) => Lowering::None,
        },
        checks: !args.no_checks,
        ..sim::Options::default()
    };
    options.seed = spec.seed.unwrap_or(options.seed);
    options.schedules = spec.schedules.unwrap_or(options.schedules);
    options.budget = args.budget.unwrap_or(options.budget);
    let subject = Subject { counted: &opened.module, checked: opened.checked.as_ref(), kernel: &kernel };
    let Checked { outcome, mut notes } =
        checked::run(subject, &launch, &options).map_err(|error| Failure::new(open::exit_code(&error), error))?;
    notes.splice(0..0, opened.notes.iter().cloned());
    spec.write_dumps(&outcome.buffers).map_err(usage)?;
    if json {
        out::json(&outcome.report)?;
    } else {
        let sources = opened.sources(&outcome.report);
        let shown = sim::Report { kernel: names::short(&kernel), ..outcome.report.clone() };
        print!("{}", sim::report::text::render(&shown, &sources));
    }
    for note in notes {
        eprintln!("note: {note}");
    }
    Ok(if outcome.report.findings.is_empty() { 0 } else { FAULTY })
}

fn compile_options(args: &Compile) -> Options {
    Options {
        compiler: match args.compiler {
            None | Some(CompilerChoice::Auto) => Choice::Auto,
            Some(CompilerChoice::Nvrtc) => Choice::Only(Compiler::Nvrtc),
            Some(CompilerChoice::Nvcc) => Choice::Only(Compiler::Nvcc),
        },
        arch: args.arch,
        defines: args.define.clone(),
        includes: args.include.clone(),
        standard: args.std.clone(),
        ..Options::default()
    }
}

/// The launch as the command line or the launch file gives it.
fn specification(args: &Sim) -> Result<LaunchSpec, Failure> {
    if args.file.extension().is_some_and(|extension| extension == "toml") {
        let mut spec = LaunchSpec::read(&args.file).map_err(usage)?;
        // What is given on the command line as well goes before the file.
        spec.kernel = args.kernel.clone().or(spec.kernel);
        spec.grid = args.grid.unwrap_or(spec.grid);
        spec.block = args.block.unwrap_or(spec.block);
        spec.shared_bytes = args.shared.unwrap_or(spec.shared_bytes);
        spec.seed = args.seed.or(spec.seed);
        spec.schedules = args.schedules.or(spec.schedules);
        if !args.args.is_empty() || !args.dump.is_empty() {
            let message = "arguments and dumps stand in the launch file; change them there, or name the .cu or .ptx \
                           file itself on the command line";
            return Err(Failure::new(USAGE, message));
        }
        return Ok(spec);
    }
    let missing = |what: &str| {
        Failure::new(
            USAGE,
            format!("--{what} is missing: a launch needs --grid and --block, such as --grid 4 --block 256"),
        )
    };
    Ok(LaunchSpec {
        file: args.file.clone(),
        kernel: args.kernel.clone(),
        grid: args.grid.ok_or_else(|| missing("grid"))?,
        block: args.block.ok_or_else(|| missing("block"))?,
        shared_bytes: args.shared.unwrap_or(0),
        args: args.args.clone(),
        dump: args.dump.iter().map(|text| parse_dump(text)).collect::<Result<_, _>>().map_err(usage)?,
        seed: args.seed,
        schedules: args.schedules,
        folder: PathBuf::new(),
    })
}
