//! The functions of CUDA C++ ([`functions`]) as clang compiles them with the headers of `kernels/clang`, held against
//! NVRTC's: both are simulated with the same operands.
//!
//! Exact functions must agree in every bit, all others within the error that the CUDA C++ Programming Guide documents, on
//! each side. What the headers lack is in one committed list, with the reason.

use std::collections::{BTreeMap, BTreeSet};

use cuda::compile::{self, CompileError, Compiler, Options, Source};
use sim::Module;

use super::functions::{self, Function};
use super::operands::{self, THREADS};
use super::replay;
use super::text::{function_launch, rows_of};

/// What clang does not have or computes otherwise: an expression with its types, a tab, the reason.
pub const KNOWN: &str = include_str!("../../isa/clang.tsv");

/// How clang's functions stand to NVRTC's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Functions {
    /// Functions whose every result has the same bits.
    pub equal: usize,
    /// Functions whose results differ by no more than their documented errors.
    pub close: usize,
    /// Functions that the headers lack: name, and what clang says.
    pub lacking: Vec<(String, String)>,
    /// Functions with other results: name, and the first of them.
    pub different: Vec<(String, String)>,
}

/// The reasons of [`KNOWN`] by the function's name.
#[must_use]
pub fn known() -> BTreeMap<&'static str, &'static str> {
    KNOWN.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t')).collect()
}

/// Compiles all functions with clang, runs them on the simulator, and compares them with NVRTC's.
///
/// # Errors
/// Where there is no clang, or what is not about single functions.
pub fn compare() -> Result<Functions, CompileError> {
    let functions = functions::functions();
    let (ptx, refused) = compile_what_can_be(&functions)?;
    let parse = |name: &str, text: &str| {
        let failed = |error: sim::Error| CompileError::ClangFailed {
            name: name.to_owned(),
            path: String::new(),
            why: error.to_string(),
        };
        Module::parse(name, text).map_err(failed)
    };
    let (own, nvrtcs) = (parse("clang.ptx", &ptx)?, parse(functions::FILE, functions::PTX)?);
    let mut outcome = Functions::default();
    for (number, ((kernel, probe), function)) in functions::kernels().into_iter().zip(&functions).enumerate() {
        if let Some(why) = refused.get(&number) {
            outcome.lacking.push((probe.name.clone(), why.clone()));
            continue;
        }
        let launch = function_launch(kernel, &probe);
        let run = |module: &Module| replay::launch(module, &launch).map(|contents| rows_of(&contents));
        let (mine, theirs) = match (run(&own), run(&nvrtcs)) {
            (Ok(mine), Ok(theirs)) => (mine, theirs),
            (Err(why), _) | (_, Err(why)) => {
                outcome.different.push((probe.name.clone(), why));
                continue;
            }
        };
        let ty = probe.outputs[0];
        let near = |a: u64, b: u64| function.error.map_or(a == b, |error| error.allows(ty, a, b));
        match (0..THREADS).find(|&thread| !near(theirs[0][thread], mine[0][thread])) {
            Some(thread) => {
                let rows = operands::rows(probe.style, &probe.sources);
                let from: Vec<String> = rows.iter().map(|row| format!("{:#x}", row[thread])).collect();
                let (nvrtc, clang) = (theirs[0][thread], mine[0][thread]);
                let count = (0..THREADS).filter(|&t| !near(theirs[0][t], mine[0][t])).count();
                let what =
                    format!("of ({}): NVRTC {nvrtc:#x}, clang {clang:#x}; {count} of {THREADS}", from.join(", "));
                outcome.different.push((probe.name.clone(), what));
            }
            None if mine[0] == theirs[0] => outcome.equal += 1,
            None => outcome.close += 1,
        }
    }
    Ok(outcome)
}

/// Most times that functions are left out because clang complains of them.
const ROUNDS: usize = 20;

/// The PTX of all functions that clang compiles, and what it says of the others, by number.
fn compile_what_can_be(all: &[Function]) -> Result<(String, BTreeMap<usize, String>), CompileError> {
    let whole = functions::source();
    let head = whole.lines().take_while(|line| !line.starts_with("extern \"C\"")).count();
    let mut refused: BTreeMap<usize, String> = BTreeMap::new();
    let options = Options { line_info: false, ..Options::with(Compiler::Clang) };
    for _ in 0..ROUNDS {
        let left_out: BTreeSet<usize> = refused.keys().map(|number| head + number).collect();
        let lines = whole.lines().enumerate().map(|(at, line)| if left_out.contains(&at) { "" } else { line });
        let text = lines.collect::<Vec<_>>().join("\n");
        let error = match compile::compile_source(&Source { name: "functions.cu", text: &text }, &options) {
            Ok(compiled) => return Ok((compiled.ptx, refused)),
            Err(CompileError::Rejected { log, .. }) => log,
            Err(other) => return Err(other),
        };
        let before = refused.len();
        for line in error.lines().filter(|line| line.contains("error:")) {
            let number = line.strip_prefix("functions.cu:").and_then(|rest| rest.split(':').next()?.parse().ok());
            let function = number.and_then(|line: usize| line.checked_sub(head + 1)).filter(|&at| at < all.len());
            if let Some(function) = function {
                let why = line.split_once("error: ").map_or(line, |(_, why)| why);
                refused.entry(function).or_insert_with(|| why.to_owned());
            }
        }
        if refused.len() == before {
            return Err(CompileError::Rejected { name: "functions.cu".to_owned(), log: error, help: None });
        }
    }
    Err(CompileError::ClangFailed {
        name: "functions.cu".to_owned(),
        path: String::new(),
        why: format!("functions are still refused after {ROUNDS} rounds"),
    })
}
