//! `warpbook lowering`.

use std::collections::BTreeSet;

use kernels::compile::Options;
use kernels::lowering::{self, Access, LineAccesses, Tools};
use kernels::names;
use kernels::open::{self, How};

use super::{Ended, FAULTY, Failure};
use crate::cli::Lowering;
use crate::out::{self, say};

pub(crate) fn run(args: &Lowering, json: bool) -> Ended {
    let how = How {
        options: Options { includes: args.include.clone(), defines: args.define.clone(), ..Options::default() },
        kernels: args.kernel.clone().into_iter().collect(),
        ..How::default()
    };
    let opened = open::open(&args.file, &how).map_err(|error| Failure::new(error.exit_code(), error))?;
    let kernel = match &args.kernel {
        Some(wanted) => Some(opened.kernel(Some(wanted)).map_err(|error| Failure::new(super::USAGE, error))?),
        None => None,
    };
    let failed = |error: lowering::LoweringError| Failure::new(error.exit_code(), error);
    let tools = Tools::find().map_err(|error| failed(error.into()))?;
    let kernels: Vec<&str> = kernel.as_deref().into_iter().collect();
    let report = lowering::look(&tools, &opened.name, opened.ptx(), &args.arch, &kernels).map_err(failed)?;
    let unexplained = report.unexplained().count();
    if json {
        out::json(&report)?;
        return Ok(if unexplained == 0 { 0 } else { FAULTY });
    }
    let shown: Vec<&LineAccesses> = report.lines.iter().filter(|line| args.all || !line.agrees()).collect();
    let rows = shown.iter().map(|line| {
        let word = match (line.agrees(), line.known) {
            (true, _) => "=",
            (false, Some(_)) => "known",
            (false, None) => "DIFFERS",
        };
        vec![
            format!("{}:{}", line.file, line.line),
            names::short(&line.kernel),
            word.to_owned(),
            list(&line.ptx),
            list(&line.ours),
            list(&line.ptxas),
        ]
    });
    if !shown.is_empty() {
        say!("{}", out::table(&["line", "kernel", "", "PTX", "simulator", "ptxas"], rows.collect(), 6));
    }
    let causes: BTreeSet<&str> = report.lines.iter().filter_map(|line| line.known).collect();
    for cause in causes {
        say!("known: {cause}");
    }
    let differing = report.lines.iter().filter(|line| !line.agrees()).count();
    if differing > 0 {
        say!("counters that this touches: {}", report.counters().join(", "));
    }
    say!(
        "ptxas {} for {}: {} of {} lines with memory accesses agree; {unexplained} differ for a reason that is not known",
        report.ptxas,
        report.arch,
        report.lines.len() - differing,
        report.lines.len()
    );
    Ok(if unexplained == 0 { 0 } else { FAULTY })
}

/// The accesses of a line, one below the other.
fn list(accesses: &BTreeSet<Access>) -> String {
    let lines: Vec<String> = accesses.iter().map(Access::to_string).collect();
    if lines.is_empty() { "–".to_owned() } else { lines.join("\n") }
}
