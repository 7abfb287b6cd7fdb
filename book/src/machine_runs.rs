//! Executes the committed machine code of cases, and looks up what a GPU counted of it.

use kernels::case::Case;
use kernels::machine_comparison::{self, Code, MOST_THREADS, MachineCaseComparison, MachineSum};
use sim::report::machine_code::MachineInstruction;

use crate::runs::{MachineAgreement, MachineProblem, MachineRun};

/// Executes a case; of its launches those of `kernel` count, or of the version's own kernel, or of the first.
pub(crate) fn run(case: &Case, kernel: Option<&str>) -> Result<MachineRun, String> {
    let code = Code::of(case.problem).map_err(|error| error.to_string())?;
    let prepared = case.prepare();
    let ran = code.run(case, &prepared).map_err(|error| format!("{case}: {error}"))?;
    if let Some(finding) = ran.reports.iter().flat_map(sim::Report::errors).next() {
        return Err(format!("the simulator finds {case} faulty: {}", finding.message));
    }
    let has = |name: &str| prepared.steps.iter().any(|step| step.kernel == name);
    let first = prepared.steps.first().map_or(case.version, |step| step.kernel);
    let kernel = match kernel {
        Some(name) if !has(name) => return Err(format!("{case} does not launch `{name}`")),
        Some(name) => name,
        None if has(case.version) => case.version,
        None => first,
    };
    let own =
        || prepared.steps.iter().zip(&ran.reports).filter(|(step, _)| step.kernel == kernel).map(|(_, report)| report);
    let mut listing: Vec<MachineInstruction> = Vec::new();
    let mut counters = sim::report::Metrics::new();
    let (mut registers, mut ptxas) = (0, None);
    for machine in own().filter_map(|report| report.machine_code.as_ref()) {
        (registers, ptxas) = (machine.registers, machine.compiler.clone());
        for (name, value) in &machine.counters {
            *counters.entry(name.clone()).or_default() += value;
        }
        if listing.is_empty() {
            listing.clone_from(&machine.listing);
            continue;
        }
        for (mine, theirs) in listing.iter_mut().zip(&machine.listing) {
            mine.executed += theirs.executed;
            mine.threads += theirs.threads;
            mine.pred_on += theirs.pred_on;
            mine.divergent += theirs.divergent;
        }
    }
    let mut found = Vec::new();
    let recorded = code.record.as_ref().and_then(|record| Some((record, record.case(case)?)));
    let counted = recorded.map(|(record, recorded)| {
        for launch in recorded.launches.iter().filter(|launch| launch.kernel == kernel) {
            let alike = machine_comparison::alike(launch, &prepared, &ran.reports);
            machine_comparison::totals(launch, record, &alike, &mut found);
            machine_comparison::instructions(launch, &alike, &mut found);
        }
        let provenance = &record.provenance;
        (provenance.gpu.trim_start_matches("NVIDIA ").to_owned(), provenance.date.clone())
    });
    Ok(MachineRun {
        kernel: kernel.to_owned(),
        ptxas: ptxas.unwrap_or_default(),
        registers,
        counters,
        listing,
        counted,
        differences: found.into_iter().map(|found| (found.instruction, found.sentence)).collect(),
    })
}

/// Executes all cases that are small enough, and compares.
pub(crate) fn agreement(cases: &[Case]) -> Result<MachineAgreement, String> {
    let compared = machine_comparison::compare(cases, MOST_THREADS).map_err(|error| error.to_string())?;
    let recorded = |problem: &str| {
        let p = compared.provenance.get(problem)?;
        Some(format!("{}, driver {}, Nsight Compute {}, ptxas {}, {}", p.gpu, p.driver, p.ncu, p.ptxas, p.date))
    };
    let problem = |sum: &MachineSum<'_>| MachineProblem {
        problem: sum.group.to_owned(),
        recorded: recorded(sum.group),
        cases: sum.cases,
        launches: sum.launches,
        stream: sum.stream,
        instructions: sum.instructions,
        memory: sum.memory,
        differ: sum.differ,
    };
    let sentence = |(case, difference): (&MachineCaseComparison, &machine_comparison::Difference)| {
        format!("{}, {}: {}", case.version, case.case, difference.sentence)
    };
    Ok(MachineAgreement {
        closing: compared.closing(),
        most_threads: MOST_THREADS,
        problems: compared.sums(|case| case.problem).iter().map(problem).collect(),
        known: compared.reasons().into_iter().map(str::to_owned).collect(),
        unexplained: compared.unexplained().map(sentence).collect(),
    })
}
