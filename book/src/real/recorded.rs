//! What the records of a GPU say: of one case, of all cases together, and of where they come from.

use kernels::case::Case;
use kernels::compare::{Comparison, Row};
use kernels::known::Place;
use kernels::truth::{self, Provenance};
use kernels::{counters, known, ptx};

use crate::runs::{Agreement, KernelAgreement, KnownDifference, Measured};

/// What the record says about a case.
pub(super) fn measured(case: &Case, record: &truth::Record) -> Result<Measured, String> {
    let stale = |why: &str| {
        let (file, problem) = (record.file_name(), &record.problem);
        format!("the record {file} is out of date: {why}. Record it again with `warpbook record {problem}`")
    };
    let committed = ptx::committed(case.problem).ok_or_else(|| format!("there is no PTX of {}", case.problem))?;
    if ptx::code_sha256(committed.text) != record.provenance.code_sha256 {
        return Err(stale("the code of the PTX has changed since"));
    }
    let recorded = record.case(case).ok_or_else(|| stale(&format!("it has no case `{case}`")))?;
    if let Some(why) = recorded.other_launches(case) {
        return Err(stale(&why));
    }
    if !recorded.right {
        return Err(format!("the recorded result of {case} is wrong"));
    }
    let known = known::known()?;
    let difference = |counter: &counters::Counter| {
        let place = Place { case, kernel: None, metric: counter.metric };
        let (_, entry) = known.find(place, &record.provenance)?;
        let (cause, page, noise) = (entry.cause.clone(), entry.page.clone(), entry.kind == known::Kind::Noise);
        Some((counter.metric.to_owned(), KnownDifference { cause, page, noise }))
    };
    Ok(Measured {
        known: counters::EXACT.iter().filter_map(difference).collect(),
        gpu: record.provenance.short_gpu().to_owned(),
        date: record.provenance.date.clone(),
        metrics: recorded.metrics(),
        median_ns: recorded.times.median_ns,
        timed: recorded.times.runs.into(),
    })
}

/// What the comparison of all cases says, kernel by kernel.
pub(super) fn agreement(comparison: &Comparison) -> Agreement {
    let mut kernels: Vec<KernelAgreement> = Vec::new();
    for row in &comparison.rows {
        if kernels.last().is_none_or(|last| last.kernel != row.version) {
            let kernel = row.version.to_owned();
            kernels.push(KernelAgreement { kernel, cases: 0, counters: 0, agree: 0, same_output: 0 });
        }
        let Some(sum) = kernels.last_mut() else { continue };
        let judged = row.judged().filter_map(|counter| counter.agrees);
        sum.cases += 1;
        sum.counters += judged.clone().count();
        sum.agree += judged.filter(|agrees| *agrees).count();
        sum.same_output += usize::from(row.recorded.is_some() && Row::results_agree(row));
    }
    Agreement {
        closing: comparison.summary.closing.clone(),
        agrees: comparison.summary.agrees,
        kernels,
        provenance: comparison.records.iter().map(|record| provenance(&record.file, &record.provenance)).collect(),
    }
}

/// A record's provenance as rows of a table.
fn provenance(file: &str, provenance: &Provenance) -> Vec<(String, String)> {
    let gpu = format!(
        "{}, compute capability {}, {} SMs",
        provenance.gpu, provenance.compute_capability, provenance.sm_count
    );
    let driver = format!("{} (CUDA {})", provenance.driver, provenance.cuda);
    [
        ("record", format!("kernels/truth/{file}")),
        ("GPU", gpu),
        ("driver, whose compiler made the machine code", driver),
        ("Nsight Compute, which read the counters", provenance.ncu.clone()),
        ("NVRTC, which made the PTX", provenance.nvrtc.clone()),
        ("day", provenance.date.clone()),
    ]
    .map(|(what, which)| (what.to_owned(), which))
    .to_vec()
}
