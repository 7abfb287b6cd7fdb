//! `warpbook sim`: any kernel on the simulated SM.

use std::path::Path;

use kernels::assembled::Assembled;
use kernels::compile::{Arch, Choice, Compiler, Options, arch_of_target};
use kernels::launch::command::CommandLine;
use kernels::launch::list;
use kernels::launch::native::{NativeSession, Twin};
use kernels::launch::run::{self, Ran, Timing};
use kernels::launch::spec::Session;
use kernels::lowering;
use kernels::names;
use kernels::native::Code;
use kernels::open::{self, How, Opened};
use kernels::timing::{gantt, roofline};
use profile::Profile;
use sim::report::access_text;
use sim::{Checks, Lowering};

use super::exercise::native;
use super::{Ended, FAULTY, Failure, USAGE};
use crate::cli::{CompilerChoice, Line, LoweringChoice, Sim};
use crate::out::{self, say};

fn usage(error: impl ToString) -> Failure {
    Failure::new(USAGE, error)
}

pub(crate) fn run(args: &Sim, json: bool) -> Ended {
    if args.list {
        return show_list(args, json);
    }
    let gpu = native(args.gpu)?;
    let session = command(args).session().map_err(usage)?;
    let options = options(args, &session);
    let how = How { options: compile_options(args, &session)?, checks: !args.no_checks, kernels: session.kernels() };
    let mut opened = open_file(args, &session, &how)?;
    if !opened.warnings.trim().is_empty() {
        eprintln!("{}", opened.warnings.trim_end());
    }
    let time = &args.time;
    let of_code = opened.machine_code.is_some();
    let timing = (time.wanted() || of_code || gpu.is_some() || args.report.is_some()).then(|| Timing {
        sample: time.sample,
        registers: time.registers,
        what_if: time.what_if.clone(),
        caches: time.caches || args.report.is_some() && !opened.ptx().is_empty(),
        advice: time.advice || args.report.is_some() && !opened.ptx().is_empty(),
        least: time.least || args.report.is_some() && !opened.ptx().is_empty() && !time.sample,
    });
    let mut twin = gpu.is_some().then(Twin::new);
    let ran = run::run(&session, &mut opened, &options, timing.as_ref(), twin.as_mut())
        .map_err(|error| Failure::new(error.exit_code(), error))?;
    let (ptx, cubin) = opened.native();
    let code = Code { ptx: &ptx, cubin };
    let on_gpu = gpu.zip(twin).map(|(gpu, twin)| twin.run(&ran, code, session.tolerance, &gpu));
    draw(&ran, args)?;
    if is_lowered(&options) && !time.sample && opened.machine_code.is_none() {
        let mut kernels: Vec<&str> = ran.launches.iter().map(|launch| &*launch.report.kernel).collect();
        kernels.sort_unstable();
        kernels.dedup();
        let note = lowering::note(&opened.name, opened.ptx(), &kernels);
        opened.notes.extend(note);
    }
    if let Some(file) = &args.report {
        let command = profile::command_line("warpbook", std::env::args().skip(1));
        write(file, profile::page(&Profile::of(&ran, &opened, on_gpu.as_ref(), command)))?;
    }
    if json {
        print_json(&ran, &opened, on_gpu.as_ref())?;
    } else {
        print_text(&ran, &opened, args);
        if let Some(on_gpu) = &on_gpu {
            out::text(&format!("\n{}", on_gpu.text()));
        }
    }
    Ok(if ran.is_clean() && on_gpu.is_none_or(|on_gpu| on_gpu.agrees()) { 0 } else { FAULTY })
}

/// Opens the file: a cubin as it stands, everything else as PTX, from which `--machine-code` makes a cubin.
fn open_file(args: &Sim, session: &Session, how: &How) -> Result<Opened, Failure> {
    if session.file.extension().is_some_and(|extension| extension == "cubin") {
        let name = session.file.display().to_string();
        let bytes = std::fs::read(&session.file).map_err(|why| usage(format!("cannot read {name}: {why}")))?;
        return Opened::of_cubin(&name, bytes).map_err(|error| Failure::new(error.class().exit_code(), error));
    }
    let mut opened = open::open(&session.file, how).map_err(|error| Failure::new(error.exit_code(), error))?;
    if args.machine_code || args.sass {
        let assembled = Assembled::of_ptx(&opened.name, opened.ptx());
        opened.machine_code = Some(assembled.map_err(|error| Failure::new(error.exit_code(), error))?);
    }
    Ok(opened)
}

/// `--roofline` and `--timeline`.
fn draw(ran: &Ran, args: &Sim) -> Result<(), Failure> {
    let shown: Vec<_> = (ran.launches.iter())
        .filter_map(|launch| Some((names::short(&launch.report.kernel), launch.report.prediction.as_ref()?)))
        .collect();
    if let Some(file) = &args.time.roofline {
        write(file, roofline::svg(&shown))?;
    }
    let last = ran.launches.iter().rev().find_map(|launch| Some((&launch.report, launch.timeline.as_ref()?)));
    if let (Some(file), Some((report, timeline))) = (&args.time.timeline, last) {
        write(file, gantt::svg(&names::short(&report.kernel), report.prediction.as_ref(), timeline))?;
    }
    Ok(())
}

/// Writes a drawing or a page, and says so.
fn write(file: &Path, content: String) -> Result<(), Failure> {
    std::fs::write(file, content).map_err(|why| usage(format!("cannot write {}: {why}", file.display())))?;
    eprintln!("written: {}", file.display());
    Ok(())
}

/// `--list`: the kernels and how to launch them.
fn show_list(args: &Sim, json: bool) -> Ended {
    let session = Session::default();
    let how = How {
        options: compile_options(args, &session)?,
        checks: !args.no_checks,
        kernels: args.kernel.clone().into_iter().collect(),
    };
    let given = given(args);
    let tried = options(args, &session);
    let tried = (!args.no_checks).then_some(&tried);
    let listed = list::open_and_list(&args.file, how, (args.kernel.as_deref(), &given), tried);
    let (opened, listed) = listed.map_err(|error| Failure::new(error.exit_code(), error))?;
    if !opened.warnings.trim().is_empty() {
        eprintln!("{}", opened.warnings.trim_end());
    }
    if json {
        out::json(&listed)?;
    } else {
        out::text(&listed.to_string());
    }
    Ok(0)
}

/// The compiler that a choice names; none if it is left to the file.
pub(crate) fn compiler_of(choice: CompilerChoice) -> Option<Compiler> {
    match choice {
        CompilerChoice::Auto => None,
        CompilerChoice::Nvrtc => Some(Compiler::Nvrtc),
        CompilerChoice::Nvcc => Some(Compiler::Nvcc),
        CompilerChoice::Clang => Some(Compiler::Clang),
    }
}

/// The options that say how the file is compiled and what is simulated, as they were typed.
fn given(args: &Sim) -> String {
    let mut words: Vec<String> = Vec::new();
    let compile = &args.compile;
    words.extend(compile.include.iter().map(|folder| format!("-I {}", folder.display())));
    words.extend(compile.define.iter().map(|define| format!("-D {define}")));
    words.extend(compile.arch.map(|arch| format!("--arch {arch}")));
    words.extend(compile.std.iter().map(|standard| format!("--std {standard}")));
    words.extend(compile.compiler.and_then(|compiler| match compiler {
        CompilerChoice::Auto => None,
        CompilerChoice::Nvrtc => Some("--compiler nvrtc".to_owned()),
        CompilerChoice::Nvcc => Some("--compiler nvcc".to_owned()),
        CompilerChoice::Clang => Some("--compiler clang".to_owned()),
    }));
    words.extend(args.target.iter().map(|target| format!("--target {target}")));
    words.iter().map(|word| format!(" {word}")).collect()
}

/// One launch: its report with what belongs to it. Several: a list of them.
fn print_json(ran: &Ran, opened: &Opened, on_gpu: Option<&NativeSession>) -> Result<(), Failure> {
    let compiler = opened.compiled.as_ref().map(|compiled| {
        serde_json::json!({
            "name": compiled.compiler,
            "version": compiled.build,
            "arch": compiled.arch.to_string(),
            "options": compiled.options,
        })
    });
    let mut value = match &ran.launches[..] {
        [only] => serde_json::to_value(only).map_err(anyhow::Error::from)?,
        several => serde_json::json!({ "launches": several, "cut_short": ran.cut_short }),
    };
    value["comparisons"] = serde_json::to_value(&ran.comparisons).map_err(anyhow::Error::from)?;
    value["compiler"] = serde_json::to_value(compiler).map_err(anyhow::Error::from)?;
    if let Some(on_gpu) = on_gpu {
        value["gpu"] = serde_json::to_value(on_gpu).map_err(anyhow::Error::from)?;
    }
    out::json(&value)?;
    Ok(())
}

fn print_text(ran: &Ran, opened: &Opened, args: &Sim) {
    let total = ran.launches.len();
    for (index, launch) in ran.launches.iter().enumerate() {
        if total > 1 {
            say!("{}launch {} of {total}", if index > 0 { "\n" } else { "" }, index + 1);
        }
        let shown = sim::Report { kernel: names::short(&launch.report.kernel), ..launch.report.clone() };
        let sources = opened.sources(&shown);
        out::text(&sim::report::text::render(&shown, &sources, args.lines));
        if args.sass {
            out::text(&sim::report::machine_code::listing(&shown, &sources));
        }
        if let (Some(Line { file, line }), Some(details)) = (&args.access, &shown.details) {
            match access_text::render(details, file.as_deref(), *line, &sources) {
                Some(text) => out::text(&format!("\n{text}")),
                None => say!("note: nothing was executed at that line; --access all shows all lines that were"),
            }
        }
        if let (Some(rates), true) = (&launch.hit_rates, args.time.caches) {
            out::text(&format!("\n{}", rates.text()));
        }
        if let (Some(bound), true) = (&launch.lower_bound, args.time.least) {
            out::text(&format!("\n{}", bound.text_beside(&launch.report)));
        }
        if let (Some(advice), true) = (&launch.advice, args.time.advice) {
            out::text(&format!("\n{}", advice::text::render(advice)));
        }
        for note in &launch.notes {
            say!("note: {note}");
        }
    }
    for note in &opened.notes {
        say!("note: {note}");
    }
    if ran.cut_short {
        say!("\nthe launches after this one were not run, because it did not come to its end");
    }
    for comparison in &ran.comparisons {
        say!("{}", comparison.sentence());
    }
}

fn options(args: &Sim, session: &Session) -> sim::Options {
    let default = sim::Options::default();
    sim::Options {
        target: args.target.clone().or(session.settings.target.clone()).unwrap_or(default.target),
        lowering: match args.lowering {
            None => Lowering::OfTarget,
            Some(LoweringChoice::Sm90) => Lowering::Sm90,
            Some(LoweringChoice::None) => Lowering::None,
        },
        budget: args.budget.or(session.settings.budget).unwrap_or(default.budget),
        checks: if args.no_checks { Checks::NONE } else { args.checks },
        details: args.access.is_some() || args.report.is_some(),
        seed: args.seed.or(session.settings.seed).unwrap_or(default.seed),
        schedules: args.schedules.or(session.settings.schedules).unwrap_or(default.schedules),
        ..default
    }
}

/// Whether what is counted is what ptxas would make of the PTX.
fn is_lowered(options: &sim::Options) -> bool {
    let of_target = || sim::target::find(&options.target).is_some_and(|target| target.summary().lowering == "sm_90");
    options.lowering == Lowering::Sm90 || options.lowering == Lowering::OfTarget && of_target()
}

fn compile_options(args: &Sim, session: &Session) -> Result<Options, Failure> {
    let (given, settings) = (&args.compile, &session.settings);
    let compiler = match (given.compiler, settings.compiler.as_deref()) {
        (Some(CompilerChoice::Auto), _) | (None, None | Some("auto")) => Choice::Auto,
        (Some(CompilerChoice::Nvrtc), _) | (None, Some("nvrtc")) => Choice::Only(Compiler::Nvrtc),
        (Some(CompilerChoice::Nvcc), _) | (None, Some("nvcc")) => Choice::Only(Compiler::Nvcc),
        (Some(CompilerChoice::Clang), _) | (None, Some("clang")) => Choice::Only(Compiler::Clang),
        (None, Some(other)) => {
            return Err(usage(format!("compiler: `{other}` is none of auto, nvrtc, nvcc, clang")));
        }
    };
    let target = args.target.as_deref().or(settings.target.as_deref());
    let arch = given.arch.map_or_else(|| settings.arch.as_deref().map(str::parse::<Arch>).transpose(), |a| Ok(Some(a)));
    Ok(Options {
        compiler,
        arch: arch.map_err(|why| usage(format!("arch: {why}")))?,
        default_arch: arch_of_target(target.unwrap_or(&sim::Options::default().target)),
        defines: settings.define.iter().chain(&given.define).cloned().collect(),
        includes: settings.include.iter().chain(&given.include).cloned().collect(),
        standard: given.std.clone().or(settings.std.clone()),
        ..Options::default()
    })
}

/// What the command line says of the launch.
fn command(args: &Sim) -> CommandLine {
    CommandLine {
        file: args.file.clone(),
        kernel: args.kernel.clone(),
        grid: args.grid.clone(),
        block: args.block.clone(),
        shared: args.shared.clone(),
        args: args.args.clone(),
        names: args.names.clone(),
        symbols: args.symbol.clone(),
        dump: args.dump.clone(),
        expect: args.expect.clone(),
        tolerance: args.tolerance,
    }
}
