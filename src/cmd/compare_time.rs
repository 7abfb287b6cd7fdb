//! `warpbook compare --time`: predicted times beside measured ones.

use kernels::bench::{Selection, record};
use kernels::problem;
use kernels::timing::{self, Evaluation, Figures, Road, Row, open};

use super::{Ended, FAULTY, Failure, INTERNAL, USAGE};
use crate::cli::Compare;
use crate::out::{self, say};

pub(crate) fn run(args: &Compare, json: bool) -> Ended {
    let evaluation = evaluate(args, Road::Ptx)?;
    let of_code = evaluate(args, Road::MachineCode)?;
    let questions = open::questions().map_err(|why| Failure::new(INTERNAL, why))?;
    let complaints = open::complaints(&questions, &evaluation.rows);
    if json {
        let mut value = serde_json::to_value(&evaluation).map_err(anyhow::Error::from)?;
        value["open"] = serde_json::to_value(open::rows(&questions, &evaluation.rows)).map_err(anyhow::Error::from)?;
        value["machine_code"] = serde_json::to_value(&of_code).map_err(anyhow::Error::from)?;
        value["complaints"] = serde_json::to_value(&complaints).map_err(anyhow::Error::from)?;
        out::json(&value)?;
    } else {
        print(&evaluation, &of_code, &questions);
        for complaint in &complaints {
            say!("to be looked at: {complaint}");
        }
    }
    Ok(if complaints.is_empty() { 0 } else { FAULTY })
}

/// Predicts what the arguments name, on one road.
pub(crate) fn evaluate(args: &Compare, road: Road) -> Result<Evaluation, Failure> {
    let records = record::records().map_err(|error| Failure::new(USAGE, error))?;
    let recorded = records.iter().find(|record| kernels::gpu::slug(&record.provenance.gpu) == sim::target::DEFAULT);
    let recorded = recorded.ok_or_else(|| Failure::new(USAGE, "there is no bench record of an H200"))?;
    let problems = match &args.problem {
        Some(name) => vec![name.clone()],
        None => problem::all().iter().map(|problem| problem.name.to_owned()).collect(),
    };
    let selection = Selection { problems, versions: args.names.clone(), ..Selection::default() };
    let rows = timing::predict(&selection, recorded, road, &|row: &Row| {
        eprintln!("{}: {:.1} µs predicted, {:.1} µs measured", row.title(), row.predicted_us, row.measured_us);
    });
    let rows = rows.map_err(|error| Failure::new(error.exit_code(), error))?;
    if rows.is_empty() {
        return Err(Failure::new(
            USAGE,
            format!(
                "nothing of that was timed with {} µs or more on inputs that can be simulated",
                timing::SHORTEST_US
            ),
        ));
    }
    Ok(Evaluation::of(rows))
}

fn print(evaluation: &Evaluation, of_code: &Evaluation, questions: &[open::Question]) {
    let of_code_us = |row: &Row| {
        let same = |other: &&Row| other.title() == row.title() && other.problem == row.problem;
        of_code.rows.iter().find(same).map_or("–".to_owned(), |other| format!("{:.1}", other.predicted_us))
    };
    let rows = evaluation.rows.iter().map(|row| {
        vec![
            row.version.clone(),
            row.workload(),
            format!("{:.1}", row.predicted_us),
            of_code_us(row),
            format!("{:.1}", row.measured_us),
            format!("{:.2}", row.predicted_us / row.measured_us),
            row.bound.clone(),
            row.ncu.as_ref().map_or("–".to_owned(), |speed| {
                format!("{} ({} {:.0} %)", speed.class.name(), short(&speed.busiest), speed.percent)
            }),
            match row.same_bound() {
                Some(true) => "=".to_owned(),
                Some(false) => "≠".to_owned(),
                None => String::new(),
            },
        ]
    });
    let head = [
        "version",
        "workload",
        "predicted µs",
        "machine code µs",
        "measured µs",
        "ratio",
        "limited by",
        "Nsight Compute",
        "",
    ];
    let spare = ["Nsight Compute", "", "limited by"];
    say!("{}", out::table(&head, rows.collect(), head.len()).spare(&spare));
    let mut figures: Vec<Vec<String>> = Vec::new();
    let mut both = |title: &str, ptx: &Figures, code: Option<&Figures>| {
        figures.push(line(title, Road::Ptx, ptx));
        figures.extend(code.map(|code| line("", Road::MachineCode, code)));
    };
    for (problem, figures) in &evaluation.problems {
        both(problem, figures, of_code.problems.get(problem));
    }
    both("all", &evaluation.all, Some(&of_code.all));
    both("development half", &evaluation.development, Some(&of_code.development));
    both("held-out half", &evaluation.held_out, Some(&of_code.held_out));
    let head = ["problem", "from", "rows", "median error", "90th percentile", "worst", "right order", "same bound"];
    say!("{}", out::table(&head, figures, 2));
    say!(
        "errors: of the predicted time, in percent of the measured one; order: of versions whose measured times differ by more than a tenth"
    );
    say!(
        "bounds: compute, memory or latency, as Nsight Compute's speed of light says of the longest launch, and as the same rule \
         says of the percentages that are predicted for it"
    );
    say!(
        "machine code: the committed cubins; a kernel with an instruction that is not executed is predicted from PTX there, too"
    );
    say!(
        "held out: half of the workloads, chosen by a hash of their names, are not looked at when rules are chosen; the \
         book's chapter on time names the exceptions"
    );
    for row in evaluation.rows.iter().filter(|row| row.is_open()) {
        let cause = open::cause(questions, row).unwrap_or("cause unknown");
        say!("open question: {}: {:.2} of the measured time; {cause}", row.title(), row.predicted_us / row.measured_us);
    }
}

fn line(title: &str, road: Road, figures: &Figures) -> Vec<String> {
    vec![
        title.to_owned(),
        road.name().to_owned(),
        figures.rows.to_string(),
        format!("{:.1} %", figures.median_percent),
        format!("{:.1} %", figures.p90_percent),
        format!("{:.1} %", figures.worst_percent),
        format!("{} of {} ({:.1} %)", figures.ordered, figures.pairs, figures.ordered_percent()),
        format!("{} of {} ({:.1} %)", figures.same_bound, figures.bounds, figures.same_bound_percent()),
    ]
}

/// A metric without what all of them have.
fn short(metric: &str) -> &str {
    metric.trim_end_matches("_cycles_active").trim_end_matches(".avg")
}
