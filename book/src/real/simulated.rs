//! A case, simulated: its launches as one run, and its arguments as a reader would write them.

use kernels::case::{Case, Pass, Prepared};
use kernels::requests;
use kernels::simulate::{self, Simulated};
use sim::{Arg, Options};

use crate::runs::Run;

/// Simulates a case.
pub(super) fn simulated(case: &Case, options: &Options) -> Result<Run, String> {
    let prepared = case.prepare();
    let module = simulate::module(case.problem).map_err(|error| error.to_string())?;
    let simulated = simulate::run_with(&module, &prepared, options);
    let Simulated { reports, contents } = simulated.map_err(|error| format!("{case}: {error}"))?;
    let mut launches = reports.iter();
    let mut report = launches.next().ok_or_else(|| format!("{case} launches nothing"))?.clone();
    if reports.len() > 1 {
        case.version.clone_into(&mut report.kernel);
    }
    launches.for_each(|later| report.add(later));
    if let Some(finding) = report.errors().next() {
        return Err(format!("the simulator finds {case} faulty: {}", finding.message));
    }
    let check = prepared.check(&contents);
    if !check.right {
        return Err(format!("the simulated result of {case} is wrong: {}", check.first.unwrap_or_default()));
    }
    let first = &prepared.steps[0];
    let args = first.args.iter().map(|arg| argument(&prepared, arg)).collect();
    Ok(Run { data: case.data.to_owned(), args, launches: reports.len(), report, measured: None, listing: false })
}

/// An argument as `warpbook sim --arg` takes it. A buffer becomes zeros of its size.
fn argument(prepared: &Prepared, arg: &Pass) -> String {
    match arg {
        Pass::Buffer(name) => {
            let content = prepared.buffers.iter().find(|buffer| buffer.name == *name).map(|buffer| &buffer.content);
            let bytes = match content {
                Some(Arg::Buffer(bytes)) => bytes.len() as u64,
                Some(Arg::Zeros(bytes) | Arg::Uninit(bytes)) => *bytes,
                _ => 0,
            };
            format!("zeros:{bytes}")
        }
        Pass::Scalar(value) => requests::scalar(*value),
    }
}
