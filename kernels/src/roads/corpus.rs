//! Runs subjects on both roads: the workbook's cases, the probes, the catalogue of correct kernels.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use sim::machine_code::{self, Program};
use sim::{Checks, Module, Options};

use super::{Both, Roads, RoadsError, Suite, Trouble, Troubled, hold};
use crate::baseline;
use crate::case::{Case, Prepared};
use crate::known::{self, Kind, Place};
use crate::machine_comparison::Code;
use crate::machine_comparison::exceptions::{Exceptions, exceptions};
use crate::probes::{self, Suite as Probes};
use crate::ptx;
use crate::sanitizer;
use crate::sass::Tools;
use crate::simulate::{self, Simulated};
use crate::truth::{self, CaseRecord, Record};

/// Counters do not depend on checks, and these runs are about counters.
#[must_use]
pub fn options() -> Options {
    Options { checks: Checks::NONE, ..Options::default() }
}

/// The case that stands for each version ([`baseline::representative`]), in the order of `cases`.
#[must_use]
pub fn representatives(cases: &[Case]) -> Vec<Case> {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    for case in cases {
        if !keys.contains(&(case.problem, case.version)) {
            keys.push((case.problem, case.version));
        }
    }
    let own = |key: (&str, &str)| baseline::representative(cases.iter().filter(|c| (c.problem, c.version) == key));
    keys.into_iter().filter_map(own).cloned().collect()
}

/// The workbook's cases. Their machine code is committed: nothing of NVIDIA's is needed.
///
/// # Errors
/// [`RoadsError::File`] when a file of the workbook cannot be used.
pub fn cases(cases: &[Case]) -> Result<Roads, RoadsError> {
    let file = |why: String| RoadsError::File(why);
    let exceptions = exceptions().map_err(|why| file(why.to_owned()))?;
    let mut codes = BTreeMap::new();
    for case in cases {
        if !codes.contains_key(case.problem) {
            let code = Code::of(case.problem).map_err(|why| file(why.to_string()))?;
            codes.insert(case.problem, code);
        }
    }
    let all: Vec<Roads> = cases.par_iter().map(|case| one_case(case, &codes[case.problem], exceptions)).collect();
    Ok(joined(all))
}

fn joined(parts: Vec<Roads>) -> Roads {
    let mut roads = Roads::default();
    parts.into_iter().for_each(|part| roads.extend(part));
    roads
}

fn one_case(case: &Case, code: &Code, exceptions: &Exceptions) -> Roads {
    let prepared = case.prepare();
    let run = |road: &str, ran: Result<Simulated, String>| ran.map_err(|why| format!("{road}: {why}"));
    let module = simulate::module(case.problem);
    let ptx = module
        .as_ref()
        .map_err(ToString::to_string)
        .and_then(|module| simulate::run_with(module, &prepared, &options()).map_err(|why| why.to_string()));
    let machine_code = code.run(case, &prepared).map_err(|why| why.to_string());
    let record = truth::records().ok().and_then(|records| {
        let own = |record: &&Record| record.problem == case.problem && record.provenance.slug() == sim::target::DEFAULT;
        let record = records.iter().find(own)?;
        Some((record, record.case(case)?))
    });
    let entry = |kernel: &str, metric: &str| {
        let (record, _) = record?;
        let place = Place { case, kernel: Some(kernel), metric };
        Some(known::known().ok()?.find(place, &record.provenance)?.1)
    };
    // What the hardware does not repeat, the order of warps decides, which is another one on each road.
    let ranges = |(_, case): &(&Record, &CaseRecord), metric: &str| case.range(metric).is_some();
    let repeats = |kernel: &str, metric: &str| {
        record.as_ref().is_none_or(|record| !ranges(record, metric))
            && entry(kernel, metric).is_none_or(|entry| entry.kind != Kind::Noise)
    };
    let text = ptx::committed(case.problem).map_or("", |committed| committed.text);
    let pair = run("PTX", ptx).and_then(|ptx| Ok((ptx, run("machine code", machine_code)?)));
    let name = (Suite::Cases, case.version, case.name.as_str());
    let mut roads = match (pair, &module) {
        (Ok((ptx, machine_code)), Ok(module)) => {
            pairs(name, (module, text), (&ptx, &machine_code), &prepared, &repeats)
        }
        (Err(why), _) => refused(name, why),
        (_, Err(why)) => refused(name, why.to_string()),
    };
    for row in &mut roads.rows {
        for difference in &mut row.differences {
            let of_ptx = entry(&row.kernel, difference.counter).map(|entry| entry.cause.clone());
            let exception = exceptions.known.iter().find(|known| known.covers(case.version, difference.counter));
            difference.known = of_ptx.or_else(|| exception.map(|exception| exception.why.clone()));
        }
    }
    for troubled in roads.troubled.iter_mut().filter(|troubled| troubled.trouble == Trouble::Output) {
        let exception = exceptions.known.iter().find(|known| known.covers(case.version, "output"));
        troubled.known = exception.map(|exception| exception.why.clone());
    }
    roads
}

type Name<'a> = (Suite, &'a str, &'a str);

fn refused((suite, subject, case): Name<'_>, sentence: String) -> Roads {
    let (subject, case) = (subject.to_owned(), case.to_owned());
    let troubled = Troubled { suite, subject, case, trouble: Trouble::Refused, sentence, known: None };
    Roads { rows: Vec::new(), troubled: vec![troubled] }
}

/// Compares what both roads gave, counters and buffers.
fn pairs(
    (suite, subject, case): Name<'_>,
    (module, text): (&Module, &str),
    (ptx, machine_code): (&Simulated, &Simulated),
    prepared: &Prepared,
    repeats: &dyn Fn(&str, &str) -> bool,
) -> Roads {
    let both =
        Both { suite, subject, case, module, text, ptx: &ptx.reports, machine_code: &machine_code.reports, repeats };
    let mut roads = Roads::default();
    match hold(&both) {
        Ok(rows) => roads.rows = rows,
        Err(troubled) => roads.troubled.push(troubled),
    }
    let contents = ptx.contents.iter().zip(&machine_code.contents);
    let other = |(_, (one, other)): &(&crate::case::Buffer, (&Vec<u8>, &Vec<u8>))| one != other;
    if let Some((buffer, (one, other))) = prepared.buffers.iter().zip(contents).find(other) {
        let byte = (0..one.len().max(other.len())).find(|&at| one.get(at) != other.get(at)).unwrap_or(0);
        let sentence = format!("`{}` differs from byte {byte} on", buffer.name);
        roads.troubled.push(both.trouble(Trouble::Output, sentence));
    }
    roads
}

/// The probes of a folder, such as `sim/tests/counters`.
///
/// # Errors
/// [`RoadsError`] when there is no ptxas, or the folder cannot be used.
pub fn probes(folder: &Path) -> Result<Roads, RoadsError> {
    let file = |why: probes::ProbeError| RoadsError::File(why.to_string());
    let suite = Probes::read(folder).map_err(file)?;
    let known = suite.known().map_err(file)?;
    let tools = Tools::find()?;
    let mut cubins = BTreeMap::new();
    for (name, text) in &suite.ptx {
        cubins.insert(name.as_str(), tools.assemble(name, text, "sm_90")?);
    }
    let one = |probe: &probes::Probe| {
        let name = (Suite::Probes, probe.kernel.as_str(), "");
        let text = &suite.ptx[&probe.file];
        let launch = match suite.launch(probe) {
            Ok(launch) => launch,
            Err(why) => return refused(name, why.to_string()),
        };
        let run = || -> Result<_, sim::Error> {
            let module = Module::parse(&format!("{}.ptx", probe.file), text)?;
            let ptx = sim::simulate(&module, &probe.kernel, &launch, &options())?;
            let program = Program::load(&cubins[probe.file.as_str()], &probe.kernel)?;
            let machine_code = machine_code::simulate(&program, &launch, &options())?;
            Ok((module, ptx, machine_code))
        };
        let (module, ptx, machine_code) = match run() {
            Ok(ran) => ran,
            Err(why) => return refused(name, first_line(&why)),
        };
        let both = Both {
            suite: Suite::Probes,
            subject: &probe.kernel,
            case: "",
            module: &module,
            text,
            ptx: &[ptx.report],
            machine_code: &[machine_code.report],
            repeats: &|_, _| true,
        };
        let mut roads = of_reports(&both);
        for difference in roads.rows.iter_mut().flat_map(|row| &mut row.differences) {
            let covers = |known: &&probes::Known| {
                known.kernel == probe.kernel && known.metrics.iter().any(|metric| metric == difference.counter)
            };
            difference.known = known.iter().find(covers).map(|known| known.cause.clone());
        }
        roads
    };
    Ok(joined(suite.probes.par_iter().map(one).collect()))
}

/// Compares the reports of both roads, and the digests of the buffers that they name.
#[must_use]
pub fn of_reports(both: &Both<'_>) -> Roads {
    let mut roads = Roads::default();
    match hold(both) {
        Ok(rows) => roads.rows = rows,
        Err(troubled) => roads.troubled.push(troubled),
    }
    let outputs = both.ptx.iter().zip(both.machine_code).enumerate();
    let differs = outputs.flat_map(|(launch, (ptx, machine_code))| {
        let pairs = ptx.output.iter().zip(&machine_code.output);
        pairs.filter(|(one, other)| one.blake3 != other.blake3).map(move |(one, _)| (launch, one.argument))
    });
    if let Some((launch, argument)) = differs.into_iter().next() {
        let sentence = format!("launch {}: argument {argument} holds other bytes", launch + 1);
        roads.troubled.push(both.trouble(Trouble::Output, sentence));
    }
    roads
}

/// The catalogue of correct kernels in a folder, such as `sim/tests/correct`.
///
/// # Errors
/// [`RoadsError`] when there is no ptxas, or the folder cannot be read.
pub fn catalogue(folder: &Path) -> Result<Roads, RoadsError> {
    let tools = Tools::find()?;
    let files = sanitizer::files(folder).map_err(|why| RoadsError::File(why.to_string()))?;
    let one = |file: &std::path::PathBuf| {
        let subject = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = (Suite::Correct, &*subject, "");
        let (text, prepared) = match sanitizer::prepare(file) {
            Ok(prepared) => prepared,
            Err(why) => return refused(name, why.to_string()),
        };
        let run = || -> Result<_, String> {
            let line = |why: sim::Error| first_line(&why);
            let module = Module::parse(&format!("{subject}.ptx"), &text).map_err(line)?;
            let ptx = simulate::run_with(&module, &prepared, &options()).map_err(line)?;
            let cubin = tools.assemble(&subject, &text, "sm_90").map_err(|why| first_line(&why))?;
            let program = |kernel: &str| Program::load(&cubin, kernel).map(Arc::new);
            let machine_code = simulate::run_machine_code(program, &prepared, &options()).map_err(line)?;
            Ok((module, ptx, machine_code))
        };
        match run() {
            Ok((module, ptx, machine_code)) => {
                pairs(name, (&module, &text), (&ptx, &machine_code), &prepared, &|_, _| true)
            }
            Err(why) => refused(name, why),
        }
    };
    Ok(joined(files.par_iter().map(one).collect()))
}

/// The first line of an error, which says what is wrong.
pub(super) fn first_line(why: &impl ToString) -> String {
    let text = why.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}
