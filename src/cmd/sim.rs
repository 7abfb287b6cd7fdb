//! `warpbook sim`: any kernel on the simulated SM.

use std::path::PathBuf;

use kernels::launch_spec::{LaunchSpec, SpecError, parse_dump};
use kernels::open::{self, Opened};
use sim::Lowering;

use super::{Ended, FAULTY, Failure, USAGE};
use crate::cli::{LoweringChoice, Sim};
use crate::out;

fn usage(error: SpecError) -> Failure {
    Failure::new(USAGE, error)
}

pub(crate) fn run(args: &Sim, json: bool) -> Ended {
    let spec = specification(args)?;
    let opened = open::open(&spec.file).map_err(|error| Failure::new(error.exit_code(), error))?;
    if !opened.warnings.trim().is_empty() {
        eprintln!("{}", opened.warnings.trim_end());
    }
    let kernel = kernel(&spec, &opened)?;
    let launch = spec.launch().map_err(usage)?;
    let mut options = sim::Options {
        target: args.target.clone(),
        lowering: match args.lowering {
            LoweringChoice::Sm90 => Lowering::Sm90,
            LoweringChoice::None => Lowering::None,
        },
        ..sim::Options::default()
    };
    options.budget = args.budget.unwrap_or(options.budget);
    let outcome = sim::simulate(&opened.module, &kernel, &launch, &options)
        .map_err(|error| Failure::new(open::exit_code(&error), error))?;
    spec.write_dumps(&outcome.buffers).map_err(usage)?;
    if json {
        out::json(&outcome.report)?;
    } else {
        print!("{}", sim::report::text::render(&outcome.report, opened.source.as_deref()));
    }
    Ok(if outcome.report.findings.is_empty() { 0 } else { FAULTY })
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
        folder: PathBuf::new(),
    })
}

/// The kernel that was named, or the only one.
fn kernel(spec: &LaunchSpec, opened: &Opened) -> Result<String, Failure> {
    if let Some(kernel) = &spec.kernel {
        return Ok(kernel.clone());
    }
    let file = spec.file.display();
    match opened.module.kernels()[..] {
        [only] => Ok(only.to_owned()),
        [] => Err(Failure::new(USAGE, format!("{file} holds no kernel; was the function declared `__global__`?"))),
        ref several => {
            let names = several.join(", ");
            Err(Failure::new(USAGE, format!("{file} holds several kernels: name one with --kernel: {names}")))
        }
    }
}
