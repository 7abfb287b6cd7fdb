//! The real runs: simulations made now, and the records of a real GPU that this program was built with.

mod recorded;
mod simulated;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use kernels::bench::{self, Record};
use kernels::case::Case;
use kernels::compare::{Against, compare};
use kernels::known::Place;
use kernels::least::Least;
use kernels::truth;
use kernels::verdict::Verdict;
use kernels::{cases, counters, known, problem, ptx, requests, simulate};
use sim::{Arg, Dim3, Launch, Lowering, Module, Options, Report};

use crate::access::{self, Access, LANES, Space};
use crate::cache::Cache;
use crate::runs::{Agreement, Counter, Faulty, Foretold, MachineAgreement, MachineRun, Playable, Run, Runs, Wrong};
use crate::{catalogue, listings, machine_runs, wrong};
use recorded::{agreement, measured};
use simulated::simulated;

/// The GPU that the book's numbers are about.
const TARGET: &str = sim::target::DEFAULT;

/// The reports of a case's launches.
type Launches = Rc<Vec<Report>>;

/// Runs of the workbook's kernels. Every case is simulated once and then remembered, here and in warpbook's cache.
#[derive(Default)]
pub struct RealRuns {
    cache: Cache,
    cases: OnceCell<Vec<Case>>,
    runs: RefCell<HashMap<(String, String), Rc<Run>>>,
    /// On other GPUs: by kernel, case and GPU.
    elsewhere: RefCell<HashMap<(String, String, String), Rc<Run>>>,
    /// With details, launch by launch.
    detailed: RefCell<HashMap<(String, String), Launches>>,
    agreement: OnceCell<Agreement>,
}

impl RealRuns {
    /// Runs, none of which is made yet.
    pub fn new() -> Self {
        Self { cache: Cache::open(), ..Self::default() }
    }

    fn all(&self) -> &[Case] {
        self.cases.get_or_init(cases::all)
    }

    /// Simulates a case and looks it up in the record.
    fn recorded(&self, case: &Case) -> Result<Run, String> {
        let measured = Self::record(case.problem)?.map(|record| measured(case, record)).transpose()?;
        Ok(Run { measured, ..self.kept(case, "", &Options::default())? })
    }

    /// The record of a problem on the book's GPU.
    fn record(problem: &str) -> Result<Option<&'static truth::Record>, String> {
        let records = truth::records().map_err(ToString::to_string)?;
        Ok(records.iter().find(|record| record.problem == problem && record.provenance.slug() == TARGET))
    }

    /// Simulates a case, unless its result is kept. `how` tells runs with other options apart.
    fn kept(&self, case: &Case, how: &str, options: &Options) -> Result<Run, String> {
        self.cache.get(&format!("{}/{case} {how}", case.problem), || simulated(case, options))
    }

    /// The smallest right case in which a counter of the simulator's own is not 0. What was simulated for one counter is
    /// there for the next.
    fn example_of_own(&self, metric: &str) -> Option<(String, String)> {
        let mut cases: Vec<&Case> = self.all().iter().filter(|case| case.verdict == Verdict::Right).collect();
        cases.sort_by_key(|case| size(case));
        let mut seen = BTreeSet::new();
        cases.retain(|case| seen.insert(case.version));
        let counts = |case: &&Case| {
            let run = self.run(case.version, &case.name);
            run.is_ok_and(|run| run.report.estimates.get(metric).is_some_and(|value| *value > 0))
        };
        cases.into_iter().find(counts).map(|case| (case.version.to_owned(), case.name.clone()))
    }

    fn case(&self, kernel: &str, case: &str) -> Result<&Case, String> {
        let found = self.all().iter().find(|own| own.version == kernel && own.name == case);
        found.ok_or_else(|| format!("there is no case `{case}` of `{kernel}`"))
    }
}

impl Runs for RealRuns {
    fn kernels(&self) -> Vec<String> {
        let versions = problem::all().iter().flat_map(|problem| problem.versions).copied();
        versions.chain(listings::kernels()).map(str::to_owned).collect()
    }

    fn cases(&self, kernel: &str) -> Vec<String> {
        let own = self.all().iter().filter(|case| case.version == kernel).map(|case| case.name.clone());
        own.chain(listings::cases(kernel).map(str::to_owned)).collect()
    }

    fn counters(&self) -> Vec<Counter> {
        let counter = |counter: &counters::Counter| Counter {
            metric: counter.metric.to_owned(),
            label: counter.label.to_owned(),
            unit: counter.unit.name().to_owned(),
            meaning: counter.meaning.to_owned(),
        };
        counters::EXACT.iter().map(counter).collect()
    }

    fn run(&self, kernel: &str, case: &str) -> Result<Rc<Run>, String> {
        let key = (kernel.to_owned(), case.to_owned());
        if let Some(run) = self.runs.borrow().get(&key) {
            return Ok(Rc::clone(run));
        }
        let run = Rc::new(match listings::find(kernel, case) {
            Some(listing) => listing.run(&Options::default())?,
            None => self.recorded(self.case(kernel, case)?)?,
        });
        self.runs.borrow_mut().insert(key, Rc::clone(&run));
        Ok(run)
    }

    fn run_on(&self, kernel: &str, case: &str, target: &str) -> Result<Rc<Run>, String> {
        let key = (kernel.to_owned(), case.to_owned(), target.to_owned());
        if let Some(run) = self.elsewhere.borrow().get(&key) {
            return Ok(Rc::clone(run));
        }
        let options = Options {
            target: target.to_owned(),
            lowering: Lowering::None,
            checks: sim::Checks::NONE,
            ..Options::default()
        };
        let run = Rc::new(match listings::find(kernel, case) {
            Some(listing) => listing.run(&options)?,
            None => {
                let found = self.case(kernel, case)?;
                self.kept(found, &format!("on {target}"), &options)?
            }
        });
        self.elsewhere.borrow_mut().insert(key, Rc::clone(&run));
        Ok(run)
    }

    fn detailed(&self, kernel: &str, case: &str) -> Result<Rc<Vec<Report>>, String> {
        let key = (kernel.to_owned(), case.to_owned());
        if let Some(reports) = self.detailed.borrow().get(&key) {
            return Ok(Rc::clone(reports));
        }
        let options = Options { details: true, ..Options::default() };
        let reports = match listings::find(kernel, case) {
            Some(listing) => vec![listing.simulate(&options)?],
            None => {
                let case = self.case(kernel, case)?;
                self.cache.get(&format!("details of {}/{case}", case.problem), || {
                    let prepared = case.prepare();
                    let module = simulate::module(case.problem).map_err(|error| error.to_string())?;
                    let simulated = simulate::run_with(&module, &prepared, &options);
                    Ok::<_, String>(simulated.map_err(|error| format!("{case}: {error}"))?.reports)
                })?
            }
        };
        let reports = Rc::new(reports);
        self.detailed.borrow_mut().insert(key, Rc::clone(&reports));
        Ok(reports)
    }

    fn access(&self, access: &Access) -> Result<u64, String> {
        let bytes = access.addresses.iter().flatten().max().copied().unwrap_or(0) + u64::from(access.width);
        let addresses: Vec<u64> = access.addresses.iter().map(|address| address.unwrap_or(u64::MAX)).collect();
        let shared = access.space == Space::Shared;
        let launch = Launch {
            grid: Dim3::linear(1),
            block: Dim3::linear(LANES),
            shared_bytes: if shared { bytes as u32 } else { 0 },
            args: vec![Arg::buffer_of(&addresses), Arg::Zeros(bytes), Arg::Zeros(8 * u64::from(LANES))],
        };
        let (text, line) = access::kernel(access);
        let module = Module::parse("one_access.ptx", &text).map_err(|error| error.to_string())?;
        // Nobody has written what it reads: what is asked for is the cost alone.
        let options = Options { checks: sim::Checks::NONE, ..Options::default() };
        let outcome = sim::simulate(&module, "one_access", &launch, &options);
        let report = outcome.map_err(|error| error.to_string())?.report;
        if let Some(finding) = report.errors().next() {
            return Err(finding.message.clone());
        }
        let metric = if shared {
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
        } else {
            "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"
        };
        let cost = report.lines.iter().find(|own| own.line == line).and_then(|own| own.metrics.get(metric));
        cost.copied().ok_or_else(|| format!("the simulator counts no {} for the access", access.space.unit()))
    }

    fn bench(&self) -> Result<&Record, String> {
        let records = bench::record::records().map_err(ToString::to_string)?;
        let record = records.iter().find(|record| record.file_name() == format!("bench.{TARGET}.json"));
        record.ok_or_else(|| format!("no bench of the {TARGET} is recorded: record it with `warpbook bench --record`"))
    }

    fn source(&self, file: &str) -> Result<String, String> {
        let committed = file.strip_suffix(".cu").and_then(ptx::committed);
        if let Some(listing) = listings::source(file) {
            return listing;
        }
        let Some(committed) = committed else {
            let problems = ptx::problems().map(|problem| format!("{problem}.cu"));
            let known: Vec<String> = problems.chain(listings::files()).collect();
            return Err(format!("there is no source `{file}`; there are {}", known.join(", ")));
        };
        if !committed.is_current() {
            return Err(format!("kernels/cu/{file} has changed since its PTX was made: run `warpbook dev ptx`"));
        }
        Ok(committed.source.to_owned())
    }

    fn faulty(&self, name: &str) -> Result<Faulty, String> {
        catalogue::run(name)
    }

    fn least(&self, kernel: &str, case: &str) -> Result<Option<Least>, String> {
        let case = self.case(kernel, case)?;
        if case.verdict != Verdict::Right {
            return Ok(None);
        }
        self.cache.get(&format!("least of {}/{case}", case.problem), || Ok(Some(Least::of(case))))
    }

    fn playable(&self, kernel: &str, case: &str) -> Result<Rc<Playable>, String> {
        if let Some(listing) = listings::find(kernel, case) {
            return listing.playable().map(Rc::new);
        }
        let case = self.case(kernel, case)?;
        let committed = ptx::committed(case.problem).ok_or_else(|| format!("there is no PTX of {}", case.problem))?;
        let launches = requests::of_case(case);
        let known = truth::registers();
        let told = launches.kernels.iter().filter_map(|kernel| Some((kernel.clone(), *known.get(kernel)?)));
        let registers = told.collect();
        Ok(Rc::new(Playable {
            file: format!("{}.ptx", case.problem),
            ptx: committed.text.to_owned(),
            launches,
            registers,
        }))
    }

    fn playable_fault(&self, name: &str) -> Result<Rc<Playable>, String> {
        catalogue::playable(name).map(Rc::new)
    }

    fn wrong(&self, kernel: &str, case: &str) -> Result<Rc<Wrong>, String> {
        let Ok(case) = self.case(kernel, case) else {
            return Err(format!("{kernel} is a listing of the book, and those are right"));
        };
        self.cache.get(&format!("wrong {}/{case}", case.problem), || wrong::run(case)).map(Rc::new)
    }

    fn predicted(&self, kernel: &str, case: &str, launch: usize) -> Result<Rc<Foretold>, String> {
        let foretold = match listings::find(kernel, case) {
            Some(listing) => listing.predicted()?,
            None => {
                let case = self.case(kernel, case)?;
                self.cache.get(&format!("launch {launch} of {}/{case} in time", case.problem), || {
                    let predicted = simulate::predict(case, launch).map_err(|error| error.to_string())?;
                    let kernel = case.launches.get(launch).map_or(kernel, |launch| launch.kernel).to_owned();
                    let (prediction, timeline) = (predicted.prediction, predicted.timeline);
                    Ok::<_, String>(Foretold { kernel, prediction, timeline })
                })?
            }
        };
        Ok(Rc::new(foretold))
    }

    fn example(&self, metric: &str) -> Result<Option<(String, String)>, String> {
        if metric.starts_with("warpbook__") {
            return Ok(self.example_of_own(metric));
        }
        let known = known::known()?;
        let mut best: Option<&Case> = None;
        for case in self.all().iter().filter(|case| case.verdict == Verdict::Right) {
            let Some(record) = Self::record(case.problem)? else { continue };
            let place = Place { case, kernel: None, metric };
            let counted = record.case(case).and_then(|recorded| recorded.metrics().get(metric).copied());
            let fits = counted.is_some_and(|value| value > 0) && known.find(place, &record.provenance).is_none();
            if fits && best.is_none_or(|best| size(case) < size(best)) {
                best = Some(case);
            }
        }
        Ok(best.map(|case| (case.version.to_owned(), case.name.clone())))
    }

    fn machine(&self, kernel: &str, case: &str, launched: Option<&str>) -> Result<Rc<MachineRun>, String> {
        let case = self.case(kernel, case).map_err(|_| format!("there is no committed machine code of {kernel}"))?;
        let what = launched.unwrap_or_default();
        let key = format!("machine code {what} of {}/{case}", case.problem);
        self.cache.get(&key, || machine_runs::run(case, launched)).map(Rc::new)
    }

    fn machine_agreement(&self) -> Result<MachineAgreement, String> {
        self.cache.get("agreement of machine code", || machine_runs::agreement(self.all()))
    }

    fn agreement(&self) -> Result<Agreement, String> {
        if let Some(agreement) = self.agreement.get() {
            return Ok(agreement.clone());
        }
        let compared = self.cache.get("agreement", || {
            let against = Against::recorded(TARGET, None).map_err(|error| Err(error.to_string()))?;
            let mut cases = self.all().to_vec();
            against.without_a_record(&mut cases);
            let comparison = compare(&cases, &against, &|_| ()).map_err(|error| Err(error.to_string()))?;
            let agreement = agreement(&comparison);
            // A disagreement is not kept: somebody is about to look into it.
            if agreement.agrees { Ok(agreement) } else { Err(Ok(agreement)) }
        });
        let compared = compared.or_else(|failed| failed)?;
        Ok(self.agreement.get_or_init(|| compared).clone())
    }
}

/// How good a case is as an example, the best first: small, but not so small that there is nothing to see.
fn size(case: &Case) -> (bool, u64) {
    (case.threads() < 64, case.threads())
}
