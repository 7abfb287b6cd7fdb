//! `time`: predicted times beside measured ones, from the committed evaluation, which tests hold against the model.

use kernels::timing::{self, Evaluation, Figures, open};
use sim::predict::rates;

use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, Table, code, html, row, text, texts};

/// `time figures`, `time rows problem=P`, `time open`, or `time numbers`.
pub(crate) fn time(directive: &mut Directive) -> Result<Markup, Reason> {
    match &*directive.word("`figures`, `rows`, `open` or `numbers`")? {
        "figures" => Ok(figures(&recorded()?)),
        "rows" => rows(&recorded()?, &directive.option("problem")?),
        "open" => questions(&recorded()?),
        "numbers" => Ok(numbers()),
        other => Err(Reason::Wrong(format!("`time {other}` is nothing; there are figures, rows, open, numbers"))),
    }
}

fn recorded() -> Result<Evaluation, Reason> {
    timing::recorded().map_err(Reason::Wrong)
}

/// How good predictions are, per problem and for all rows.
fn figures(evaluation: &Evaluation) -> Markup {
    let line = |title: &str, f: &Figures| {
        row![
            title,
            f.rows,
            format!("{:.1} %", f.median_percent),
            format!("{:.1} %", f.p90_percent),
            format!("{} of {} ({:.1} %)", f.ordered, f.pairs, f.ordered_percent()),
            format!("{} of {} ({:.1} %)", f.same_bound, f.bounds, f.same_bound_percent()),
        ]
    };
    let heads =
        ["problem", "launches", "median error", "90th percentile", "right order", "same limit as Nsight Compute"];
    let mut table = Table {
        text_columns: 1,
        heads: texts(heads),
        caption: text("Predicted times of the H200, beside measured ones."),
        ..Table::default()
    };
    table.rows = evaluation.problems.iter().map(|(problem, figures)| line(problem, figures)).collect();
    table.rows.push(line("all", &evaluation.all));
    table.rows.push(line("the half that is looked at", &evaluation.development));
    table.rows.push(line("the half that is held out", &evaluation.held_out));
    table.html()
}

/// All versions of a problem.
fn rows(evaluation: &Evaluation, problem: &str) -> Result<Markup, Reason> {
    let heads = ["version", "input", "predicted µs", "measured µs", "ratio", "limited by", "Nsight Compute"];
    let mut table = Table {
        text_columns: 2,
        heads: texts(heads),
        caption: text("Predicted and measured times, version by version."),
        ..Table::default()
    };
    for row in evaluation.rows.iter().filter(|row| row.problem == problem) {
        table.rows.push(row![
            code(&row.version),
            row.workload(),
            format!("{:.1}", row.predicted_us),
            format!("{:.1}", row.measured_us),
            format!("{:.2}", row.predicted_us / row.measured_us),
            row.bound,
            row.ncu.as_ref().map_or("–", |speed| speed.class.name()),
        ]);
    }
    if table.rows.is_empty() {
        return Err(Reason::Wrong(format!("no time of {problem} is predicted")));
    }
    Ok(table.html())
}

/// What is more than a factor of two off, with what is known of the cause.
fn questions(evaluation: &Evaluation) -> Result<Markup, Reason> {
    let questions = open::questions().map_err(Reason::Wrong)?;
    let complaints = open::complaints(&questions, &evaluation.rows);
    if !complaints.is_empty() {
        return Err(Reason::Contradicted(complaints.join("; ")));
    }
    let heads = ["version", "input", "ratio", "what is known"];
    let mut table = Table {
        text_columns: 2,
        heads: texts(heads),
        caption: text("Rows that are more than a factor of two off."),
        ..Table::default()
    };
    for row in evaluation.rows.iter().filter(|row| row.is_open()) {
        let cause = questions.iter().find(|q| q.is_about(row)).map_or("nothing", |q| q.cause.as_str());
        let ratio = format!("{:.2}", row.predicted_us / row.measured_us);
        table.rows.push(row![code(&row.version), row.workload(), ratio, cause]);
    }
    if table.rows.is_empty() {
        return Ok(html! { p { "No prediction is more than a factor of two off." } });
    }
    Ok(table.html())
}

/// The numbers of the H200, each with its benchmark.
fn numbers() -> Markup {
    let heads = ["number", "value", "spread", "from"];
    let mut table =
        Table { text_columns: 1, heads: texts(heads), caption: text("What an H200's parts take."), ..Table::default() };
    for source in rates::sources(sim::target::DEFAULT) {
        table.rows.push(row![
            code(&source.name),
            source.value.to_string(),
            source.spread_percent.map_or("–".to_owned(), |spread| format!("{spread} %")),
            source.from,
        ]);
    }
    table.html()
}
