//! The commands, one file each.

mod bench;
mod book;
mod calibrate;
mod claims;
mod compare;
mod compare_caches;
mod compare_machine;
mod compare_time;
mod debug;
mod dev;
mod dev_lowering;
mod doctor;
mod exercise;
mod grade;
mod lowering;
mod picture;
mod record;
mod sass;
mod setup;
mod sim;
mod targets;

use std::process::ExitCode;

use ::sim::ErrorClass;

use crate::cli::{Cli, Command, Compare};

/// The kernel is faulty, or simulation and hardware disagree.
pub(crate) const FAULTY: u8 = ::sim::FAULTY;
/// Wrong usage or unreadable input.
pub(crate) const USAGE: u8 = ErrorClass::Input.exit_code();
/// Not supported, or not on this machine.
pub(crate) const UNSUPPORTED: u8 = ErrorClass::Unsupported.exit_code();
/// A bug of ours.
pub(crate) const INTERNAL: u8 = ErrorClass::Internal.exit_code();

/// How a command ends: with a code, or with a message and a code.
pub(crate) type Ended = Result<u8, Failure>;

/// Why a command could not do its work.
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: u8, message: impl ToString) -> Self {
        Self { code, message: message.to_string() }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::new(INTERNAL, format!("{error:#}"))
    }
}

/// Runs the command.
pub(crate) fn run(cli: Cli) -> ExitCode {
    let json = cli.json;
    let ended = match cli.command.unwrap_or(Command::Compare(Compare::default())) {
        Command::Compare(args) => compare::run(&args, json),
        Command::Sim(args) => sim::run(&args, json),
        Command::Debug(args) => debug::run(&args, json),
        Command::Lowering(args) => lowering::run(&args, json),
        Command::Sass(args) => sass::run(&args, json),
        Command::Claims(args) => claims::run(&args, json),
        Command::Targets(args) => targets::run(&args, json),
        Command::Doctor => doctor::run(json),
        Command::Setup(args) => setup::run(&args, json),
        Command::Record(args) => record::run(args, json),
        Command::Bench(args) => bench::run(args, json),
        Command::Calibrate(args) => calibrate::run(&args, json),
        Command::LaunchCases { problem, gpu, times, machine_code } => record::child(&problem, gpu, times, machine_code),
        Command::LaunchWork { folder, gpu, times } => record::launch_work(&folder, gpu, times),
        Command::LaunchProbes { folder, gpu } => dev::launch_probes(&folder, gpu),
        Command::Exercise(args) => exercise::run(&args, json),
        Command::Watch(args) => exercise::run_watch(&args),
        Command::Grade(args) => grade::run(&args, json),
        Command::CompileSubmission => child(exercises::compiler::sandbox::child),
        Command::GradeSubmission => child(|| exercises::class::worker::child(&std::env::current_exe()?)),
        Command::JudgeText => child(|| exercises::service::judge::child(&std::env::current_exe()?)),
        Command::Picture(args) => picture::run(&args, json),
        Command::Dev(args) => dev::run(&args, json),
        Command::Book(args) => book::run(&args, json),
    };
    let code = ended.unwrap_or_else(|failure| {
        if json {
            let value = serde_json::json!({ "error": { "code": failure.code, "message": failure.message } });
            println!("{value:#}");
        }
        crate::out::error(&failure.message);
        failure.code
    });
    ExitCode::from(code)
}

/// The work of a process that this program started.
fn child(work: impl FnOnce() -> std::io::Result<()>) -> Ended {
    work().map_err(|error| Failure::new(USAGE, error))?;
    Ok(0)
}
