//! The workbook's kernels as machine code: the simulator executes the committed cubins. Every output must be that of the road
//! over PTX, bit by bit; every exact counter that of the H200's record; the counters of the instruction stream, of each launch
//! and of each instruction, those of the H200's record of the same cubin.
//!
//! What differs stands with its reason in `kernels/truth/machine_code.toml`; a difference that is not in it fails, and so does
//! an entry that nothing needs. `WARPBOOK_MACHINE_CODE` names the problems, versions or cases to look at, and
//! `WARPBOOK_MACHINE_CODE_THREADS` the most threads that a case may have.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::{env, fs};

use kernels::case::{Case, Prepared};
use kernels::isa::record::IsaRecord;
use kernels::isa::replay;
use kernels::isa::text::batches;
use kernels::lowering::Tools;
use kernels::machine_comparison::exceptions::exceptions;
use kernels::machine_comparison::{self, MOST_THREADS};
use kernels::testing::not_run;
use kernels::{cases, problem, ptx, simulate};
use sim::machine_code::{Program, refusal};
use sim::{Checks, Options};

#[test]
fn every_case_gives_what_ptx_gives_and_counts_what_the_h200_counted() {
    let filter = env::var("WARPBOOK_MACHINE_CODE").ok();
    let wanted = |case: &Case| {
        filter.as_ref().is_none_or(|filter| {
            case.problem == filter || case.version == filter || case.to_string().contains(filter.as_str())
        })
    };
    let most = env::var("WARPBOOK_MACHINE_CODE_THREADS").ok().and_then(|most| most.parse().ok());
    let all: Vec<Case> = cases::all().into_iter().filter(wanted).collect();
    let comparison =
        machine_comparison::compare(&all, most.unwrap_or(MOST_THREADS)).unwrap_or_else(|why| panic!("{why}"));
    println!("{}", comparison.closing());
    let mut counts = BTreeMap::<String, usize>::new();
    let mut message = String::new();
    for (case, difference) in comparison.unexplained() {
        message += &format!("{}, {}: {}\n", case.version, case.case, difference.sentence);
        *counts.entry(format!("{} {}", case.version, difference.what)).or_default() += 1;
    }
    for (what, count) in &counts {
        println!("  {count}: {what}");
    }
    assert!(message.is_empty(), "{message}");
    if filter.is_none() && most.is_none() {
        let exceptions = exceptions().unwrap_or_else(|why| panic!("{why}"));
        let needed: BTreeSet<(&str, &str)> = comparison
            .cases
            .iter()
            .flat_map(|case| case.differences.iter().filter_map(|difference| Some((difference.known?, case.version))))
            .collect();
        let all = exceptions.known.iter().chain(&exceptions.stream);
        let idle: Vec<(&str, &str)> = all
            .flat_map(|entry| entry.versions.iter().map(|version| (&*entry.why, version.as_str())))
            .filter(|listed| !needed.contains(listed))
            .collect();
        assert!(idle.is_empty(), "nothing needs {idle:?}");
    }
}

/// Every instruction form and function of CUDA C++ whose results the H200's record holds, as machine code.
#[test]
#[ignore = "takes many minutes, and not all of its differences are explained yet"]
fn every_form_gives_what_the_h200_gave() {
    let Ok(tools) = Tools::find().map_err(|why| not_run("machine code of all forms", &why.to_string())) else { return };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("truth/isa.h200.tsv");
    let text = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let record = IsaRecord::parse(&text).unwrap_or_else(|why| panic!("{why}"));
    let cubins = Mutex::new(HashMap::<String, Vec<u8>>::new());
    let options = Options { checks: Checks::NONE, ..Options::default() };
    let launch = |ptx: &str, prepared: &Prepared| {
        let mut cubins = cubins.lock().expect("no panic elsewhere");
        if !cubins.contains_key(ptx) {
            let cubin = tools.assemble("probes", ptx, "sm_90").map_err(|why| why.to_string())?;
            cubins.insert(ptx.to_owned(), cubin);
        }
        let program = |kernel: &str| Program::load(&cubins[ptx], kernel).map(Arc::new);
        let ran = simulate::run_machine_code(program, prepared, &options).map_err(|error| error.to_string())?;
        match ran.reports.iter().flat_map(sim::Report::errors).next() {
            Some(finding) => Err(finding.message.clone()),
            None => Ok(ran.contents),
        }
    };
    let replay = replay::replay_by(&record, &launch);
    println!("{} equal, {} close, {} differ", replay.equal, replay.close, replay.differences.len());
    let known = &exceptions().unwrap_or_else(|why| panic!("{why}")).probes;
    let covers = |probe: &str| {
        kernels::isa::known::reason(probe).is_some()
            || known.iter().any(|known| known.probes.iter().any(|name| probe.starts_with(name.as_str())))
    };
    let list: Vec<String> = replay.differences.iter().filter(|d| !covers(&d.probe)).map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} differences:\n{}", list.len(), list.join("\n"));
    for name in known.iter().flat_map(|known| &known.probes) {
        let needed = replay.differences.iter().any(|difference| difference.probe.starts_with(name.as_str()));
        assert!(needed, "`{name}` differs no more: take it off the list");
    }
}

/// Every form of an instruction that the decoder's tests know is executed, or refused as the data file says.
#[test]
fn every_form_is_executed_or_refused_by_name() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/sass/tests/forms/sm90.tsv");
    let text = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let listed: BTreeSet<String> =
        exceptions().unwrap_or_else(|why| panic!("{why}")).not_executed.iter().cloned().collect();
    let (mut needed, mut message, mut executed) = (BTreeSet::new(), String::new(), 0);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (Some(encoding), Some(offset), Some(shown)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let encoding = u128::from_str_radix(encoding, 16).expect("an encoding");
        let offset = u64::from_str_radix(offset, 16).expect("an offset");
        let Some(why) = refusal(encoding.to_le_bytes(), offset) else {
            executed += 1;
            continue;
        };
        let name = shown.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
        match listed.iter().find(|listed| name == *listed || name.starts_with(&format!("{listed}."))) {
            Some(listed) => {
                needed.insert(listed.clone());
            }
            None => message += &format!("{shown}: {why}\n"),
        }
    }
    println!("{executed} forms are executed");
    assert!(message.is_empty(), "{message}");
    assert_eq!(needed, listed, "some are executed now: take them off the list");
}

/// Prints which instructions of the repository's PTX are not executed, and how often they stand there.
#[test]
#[ignore = "prints a table"]
fn what_is_not_executed() {
    let Ok(tools) = Tools::find().map_err(|why| not_run("a table of machine code", &why.to_string())) else { return };
    let mut texts: Vec<(String, String)> =
        batches(kernels::isa::probes()).iter().map(|batch| ("probes".to_owned(), batch.ptx())).collect();
    for problem in problem::all() {
        let text = ptx::committed(problem.name).expect("the PTX of a problem").text;
        texts.push((problem.name.to_owned(), text.to_owned()));
    }
    texts.push(("functions".to_owned(), kernels::isa::functions::PTX.to_owned()));
    let (mut refused, mut kernels) = (BTreeMap::<String, usize>::new(), [0, 0]);
    for (name, text) in &texts {
        let Ok(cubin) = tools.assemble(name, text, "sm_90") else { continue };
        for kernel in Program::kernels(&cubin).unwrap_or_else(|why| panic!("{why}")) {
            let list = Program::not_executed(&cubin, &kernel).unwrap_or_else(|why| panic!("{why}"));
            kernels[usize::from(list.is_empty())] += 1;
            for what in list {
                *refused.entry(format!("{} ({name}): {}", what.opcode, what.why)).or_default() += 1;
            }
        }
    }
    println!("{} kernels are executed, {} are not", kernels[1], kernels[0]);
    for (what, count) in refused {
        println!("{count:6}  {what}");
    }
}
