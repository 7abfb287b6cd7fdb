//! Runs one launch in several orders: what only some of them show is a finding that names its seed, and what they leave
//! different in the buffers is the program's own dependence on the order of its threads.

use std::collections::BTreeSet;

use super::Outcome;
use crate::error::Error;
use crate::findings::{Finding, FindingKind, Severity};
use crate::launch::Launch;
use crate::module::Module;
use crate::options::Options;
use crate::report::Differing;

/// Runs the first schedule with `run`, then the others, and adds to the first one's report what the others show.
pub(super) fn run(
    module: &Module,
    kernel: &str,
    launch: &Launch,
    options: &Options,
    run: impl Fn(&Module, &str, &Launch, &Options) -> Result<Outcome, Error>,
) -> Result<Outcome, Error> {
    let mut outcome = run(module, kernel, launch, options)?;
    if options.schedules <= 1 {
        return Ok(outcome);
    }
    let report = &mut outcome.report;
    let last = options.seed.saturating_add(options.schedules - 1);
    report.order.seeds = (options.seed..=last).collect();
    for seed in options.seed + 1..=last {
        let other = run(module, kernel, launch, &Options { seed, ..options.clone() })?;
        add(&mut report.findings, other.report.findings);
        report.order.places.extend(other.report.order.places);
        // The content of a buffer after a faulty run says nothing about order.
        if !report.is_clean() {
            report.order.differing.clear();
            continue;
        }
        for (before, after) in report.output.iter().zip(&other.report.output) {
            let known = report.order.differing.iter().any(|differing| differing.argument == before.argument);
            if before.blake3 == after.blake3 || known {
                continue;
            }
            let [one, two] =
                [&outcome.buffers, &other.buffers].map(|buffers| buffers[before.argument].as_deref().unwrap_or(&[]));
            let byte = one.iter().zip(two).position(|(one, two)| one != two).unwrap_or(0) as u64;
            report.order.differing.push(Differing { argument: before.argument, seed, byte });
        }
    }
    // Where two lines race in one order, it goes without saying that in another they write equal values.
    let lines = |finding: &Finding| -> BTreeSet<(String, u32)> {
        let parties = finding.parties.iter().map(|party| (party.file.clone(), party.line));
        parties.chain([(finding.file.clone(), finding.line)]).collect()
    };
    let races: Vec<_> = report.errors().filter(|finding| finding.kind == FindingKind::Race).map(lines).collect();
    let said = |finding: &Finding| finding.kind == FindingKind::Race && races.contains(&lines(finding));
    report.findings.retain(|finding| finding.severity == Severity::Error || !said(finding));
    report.order.places.sort();
    report.order.places.dedup();
    report.order.differing.sort_by_key(|differing| differing.argument);
    Ok(outcome)
}

/// Adds what a later schedule found, unless an earlier one found the same at the same line.
fn add(findings: &mut Vec<Finding>, later: Vec<Finding>) {
    let key = |finding: &Finding| (finding.severity, finding.file.clone(), finding.line, finding.kind);
    let known: BTreeSet<(Severity, String, u32, FindingKind)> = findings.iter().map(key).collect();
    findings.extend(later.into_iter().filter(|finding| !known.contains(&key(finding))));
    findings.sort_by_key(key);
}
