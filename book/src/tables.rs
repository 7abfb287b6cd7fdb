//! The directives that become tables and bars.

use crate::context::{Context, recorded};
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{self, Append, Markup, Table, breakable, capital, code, html, joined, row, text, texts};
use crate::quantity::{OWN, Quantity};
use crate::runs::{KnownDifference, Run};
use crate::source::Region;

/// What shared memory accesses of a line cost, and what they would cost at best.
const LINE_WAVEFRONTS: &str = "shared wavefronts";
const LINE_IDEAL: &str = "ideal shared wavefronts";

/// The launch's shape, for a caption.
fn shape(run: &Run) -> String {
    let extent = |[x, y, z]: [u32; 3]| match (y, z) {
        (1, 1) => x.to_string(),
        _ => format!("{x} × {y} × {z}"),
    };
    let launch = &run.report.launch;
    let plural = |count: &str, one: &str| format!("{count} {one}{}", if count == "1" { "" } else { "s" });
    let shared = html::number(u64::from(launch.shared_dynamic) + u64::from(launch.shared_static));
    format!(
        "{} of {} threads, {shared} bytes of shared memory per block",
        plural(&extent(launch.grid), "block"),
        extent(launch.block)
    )
}

/// `counters kernel=K case="C" [rows="label; label"]`: simulated and measured, side by side.
pub(crate) fn counters(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    let recorded = recorded(directive)?;
    let quantities = rows(context, directive)?;
    let run = context.run(&kernel, &case)?;
    let mut table = Table { text_columns: 1, ..Table::default() };
    table.heads = texts(["counter", "simulated"]);
    let measured = run.measured.as_ref().filter(|_| recorded);
    table.heads.extend(measured.map(|measured| text(&measured.gpu)));
    let mut notes = Notes::default();
    for quantity in &quantities {
        let (value, known) = quantity.beside(&run, recorded)?;
        let simulated = if quantity.simulated(&run).is_some() { quantity.show(value) } else { "–".to_owned() };
        let mut cells = row![label(context, quantity), simulated];
        if measured.is_some() {
            let mark = notes.mark(&known);
            let measured = quantity.measured(&run).map_or_else(|| "–".to_owned(), |value| quantity.show(value));
            cells.push(html! { (measured) (mark) });
        }
        table.rows.push(cells);
    }
    let counted = measured.map_or_else(String::new, |m| format!(", counted by an {} on {}", m.gpu, m.date));
    table.caption = html! {
        (code(&kernel)) ", " (case) ": " (shape(&run)) ". Simulated for this page" (counted) "." (notes.html(context))
    };
    Ok(table.html())
}

/// `compare kernels="A B" case="C" [rows="label; label"]`: kernels side by side. Exact counters are shown once, because
/// simulator and hardware agree on them or the book is not built.
pub(crate) fn compare(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (kernels, case) = (kernels(directive)?, directive.option("case")?);
    let recorded = recorded(directive)?;
    let quantities = rows(context, directive)?;
    let runs = kernels.iter().map(|kernel| context.run(kernel, &case)).collect::<Result<Vec<_>, _>>()?;
    let mut table = Table { text_columns: 1, ..Table::default() };
    table.heads = row![""];
    table.heads.extend(kernels.iter().map(|kernel| breakable(kernel)));
    let mut notes = Notes::default();
    for quantity in &quantities {
        let mut cells = row![label(context, quantity)];
        for run in &runs {
            let (value, known) = quantity.beside(run, recorded)?;
            let other = quantity.measured(run).filter(|_| !known.is_empty()).zip(run.measured.as_ref());
            cells.push(html! {
                (quantity.show(value))
                @if let Some((value, measured)) = other {
                    " " small { "(" (measured.gpu) ": " (quantity.show(value)) (notes.mark(&known)) ")" }
                }
            });
        }
        table.rows.push(cells);
    }
    let measured = runs.first().and_then(|run| run.measured.as_ref()).filter(|_| recorded);
    let counted = measured.map_or_else(
        || "Simulated for this page.".to_owned(),
        |m| {
            let but = if notes.0.is_empty() { "" } else { ", but for what is marked" };
            format!("Simulated for this page; an {} counted the same on {}{but}.", m.gpu, m.date)
        },
    );
    table.caption = html! { (capital(&case)) ". " (counted) (notes.html(context)) };
    Ok(table.html())
}

/// The marks of a table's numbers that are known to differ from the hardware's, and their causes.
#[derive(Default)]
pub(crate) struct Notes(Vec<KnownDifference>);

impl Notes {
    /// The marks of a number; nothing if it does not differ.
    pub(crate) fn mark(&mut self, known: &[&KnownDifference]) -> Markup {
        let mut numbers = std::collections::BTreeSet::new();
        for &difference in known {
            let at = self.0.iter().position(|own| own == difference).unwrap_or_else(|| {
                self.0.push(difference.clone());
                self.0.len() - 1
            });
            numbers.insert(at + 1);
        }
        html! { @for number in numbers { sup { (number) } } }
    }

    /// Whether a number is marked.
    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// The causes, for a caption.
    pub(crate) fn html(&self, context: &Context<'_>) -> Markup {
        html! {
            @for (at, known) in self.0.iter().enumerate() {
                br; sup { (at + 1) }
                @if known.noise { " Not repeated by the hardware: " } @else { " Known to differ: " }
                a href={ (context.to_root) (known.page.replacen(".md", ".html", 1)) } { (known.cause) }
            }
        }
    }
}

/// `lines kernel=K case="C"`: what each source line costs in shared memory. With `kernels="A B"` the wavefronts of
/// several kernels that share their source lines.
pub(crate) fn lines(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let kernels = match directive.maybe("kernel") {
        Some(kernel) => vec![kernel],
        None => kernels(directive)?,
    };
    let case = directive.option("case")?;
    let recorded = recorded(directive)?;
    let wavefronts = Quantity::find(LINE_WAVEFRONTS, context.runs)?;
    let ideal = Quantity::find(LINE_IDEAL, context.runs)?;
    // A line's numbers are the simulator's alone; that their sum is the hardware's is checked at the end.
    let runs = kernels.iter().map(|kernel| context.run(kernel, &case)).collect::<Result<Vec<_>, _>>()?;
    let single = runs.len() == 1;
    let of_line = |quantity: &Quantity, run: &Run, file: &str, line: u32| {
        let mut part = run.clone();
        part.report.lines.retain(|own| own.line == line && own.file == file);
        let own = part.report.lines.pop();
        let own = own.map(|own| (own.metrics, own.estimates)).unwrap_or_default();
        (part.report.metrics, part.report.estimates) = own;
        quantity.simulated(&part).unwrap_or(0)
    };
    let mut places: Vec<(String, u32)> = runs
        .iter()
        .flat_map(|run| run.report.lines.iter().map(|line| (line.file.clone(), line.line)))
        .filter(|(file, line)| runs.iter().any(|run| of_line(&wavefronts, run, file, *line) > 0))
        .collect();
    places.sort();
    places.dedup();
    if places.is_empty() {
        return Err(Reason::Wrong(format!("no line of {} touches shared memory", kernels.join(", "))));
    }
    let mut table = Table { text_columns: 2, ..Table::default() };
    table.heads = texts(["line", "source"]);
    if single {
        table.heads.extend(texts(["wavefronts", "ideal", "excess"]));
    } else {
        table.heads.extend(kernels.iter().map(|kernel| breakable(kernel)));
    }
    let mut totals = vec![0; table.heads.len() - 2];
    for (path, line) in &places {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let text = context.runs.source(file)?;
        let source = Region::whole(&text).lines.into_iter().find(|(own, _)| own == line).map(|(_, text)| text.trim());
        let source =
            source.ok_or_else(|| format!("{file} has no line {line}, where {} spends wavefronts", kernels[0]))?;
        let mut cells = row![context.link(file, *line, line), code(without_comment(source))];
        let numbers: Vec<u64> = if single {
            let (cost, best) = (of_line(&wavefronts, &runs[0], path, *line), of_line(&ideal, &runs[0], path, *line));
            vec![cost, best, cost.saturating_sub(best)]
        } else {
            runs.iter().map(|run| of_line(&wavefronts, run, path, *line)).collect()
        };
        for (total, number) in totals.iter_mut().zip(&numbers) {
            *total += number;
        }
        cells.extend(texts(numbers.into_iter().map(html::number)));
        table.rows.push(cells);
    }
    for (run, total) in runs.iter().zip(&totals) {
        let whole = wavefronts.agreed(run, recorded)?;
        if whole != *total {
            let message = format!("the lines of {} add up to {total} wavefronts and not to {whole}", run.report.kernel);
            return Err(Reason::Contradicted(message));
        }
    }
    let mut total = row!["total", ""];
    total.extend(texts(totals.into_iter().map(html::number)));
    table.total = Some(total);
    table.caption = html! {
        "Shared memory, line by line: " @if single { (code(&kernels[0])) ", " } (case) ". Wavefronts, simulated for this page."
    };
    Ok(table.html())
}

/// `bars kernels="A B" case="C"`: shared wavefronts as bars, the part that is due to bank conflicts hatched.
pub(crate) fn bars(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (kernels, case) = (kernels(directive)?, directive.option("case")?);
    let recorded = recorded(directive)?;
    let wavefronts = Quantity::find(LINE_WAVEFRONTS, context.runs)?;
    let ideal = Quantity::find(LINE_IDEAL, context.runs)?;
    let mut values = Vec::new();
    for kernel in &kernels {
        let run = context.run(kernel, &case)?;
        values.push((kernel, wavefronts.agreed(&run, recorded)?, ideal.agreed(&run, false)?));
    }
    let largest = values.iter().map(|(_, cost, _)| *cost).max().unwrap_or(0).max(1);
    let percent = |value: u64| format!("{:.2}%", value as f64 * 100.0 / largest as f64);
    let mut bars = Markup::default();
    for (kernel, cost, best) in values {
        let excess = cost.saturating_sub(best);
        let because = if excess == 0 {
            "no bank conflict".to_owned()
        } else {
            format!("{} because of bank conflicts", html::number(excess))
        };
        bars.add(html! {
            div class="wb-bar-row" {
                div class="wb-bar-label" { (code(kernel)) ": " b { (html::number(cost)) } " wavefronts, " (because) }
                div class="wb-bar" aria-hidden="true" {
                    span class="wb-bar-ideal" style={ "width:" (percent(best.min(cost))) } {}
                    span class="wb-bar-excess" style={ "width:" (percent(excess)) } {}
                }
            }
            "\n"
        });
    }
    Ok(html! {
        figure class="wb-bars" {
            "\n"
            (bars)
            figcaption {
                "Shared memory wavefronts, " (case)
                ". Solid: what the accesses need without conflicts. Hatched: what conflicts add."
            }
            "\n"
        }
        "\n"
    })
}

/// `closing`: the line that closes the comparison of everything.
pub(crate) fn closing(context: &Context<'_>) -> Result<Markup, Reason> {
    let agreement = context.runs.agreement()?;
    if !agreement.agrees {
        return Err(Reason::Contradicted(format!("simulator and record do not agree: {}", agreement.closing)));
    }
    Ok(html! { p class="wb-closing" { strong { (agreement.closing) } } "\n" })
}

/// `agreement`: the comparison, kernel by kernel.
pub(crate) fn agreement(context: &Context<'_>) -> Result<Markup, Reason> {
    let heads = ["kernel", "cases", "counters compared", "equal", "outputs equal bit by bit"];
    let agreement = context.runs.agreement()?;
    let row = |kernel: &crate::runs::KernelAgreement| {
        let numbers = [kernel.cases, kernel.counters, kernel.agree, kernel.same_output];
        let mut cells = row![breakable(&kernel.kernel)];
        cells.extend(texts(numbers.map(|n| html::number(n as u64))));
        cells
    };
    let table = Table {
        caption: text("Every kernel and case in the records. Simulated for this page."),
        heads: texts(heads),
        rows: agreement.kernels.iter().map(row).collect(),
        total: None,
        text_columns: 1,
    };
    Ok(table.html())
}

/// `provenance`: where the records come from.
pub(crate) fn provenance(context: &Context<'_>) -> Result<Markup, Reason> {
    let agreement = context.runs.agreement()?;
    Ok(provenance_table(&agreement.provenance).html())
}

/// One table of all records: what they have in common stands in its caption once, what differs in columns.
fn provenance_table(records: &[Vec<(String, String)>]) -> Table {
    let heads: Vec<&str> = records.iter().flatten().map(|(what, _)| &**what).fold(Vec::new(), |mut heads, what| {
        if !heads.contains(&what) {
            heads.push(what);
        }
        heads
    });
    let of = |record: &[(String, String)], head: &str| {
        record.iter().find(|(what, _)| what == head).map_or_else(|| "–".to_owned(), |(_, which)| which.clone())
    };
    let is_common =
        |head: &&&str| records.len() > 1 && records.iter().all(|record| of(record, head) == of(&records[0], head));
    let (common, own): (Vec<&str>, Vec<&str>) = heads.iter().copied().partition(|head| is_common(&head));
    let mut caption = "Where the recorded numbers come from.".to_owned();
    if !common.is_empty() {
        let common: Vec<String> = common.iter().map(|head| format!("{head}: {}", of(&records[0], head))).collect();
        caption += &format!(" All records have in common: {}.", common.join("; "));
    }
    Table {
        caption: text(caption),
        heads: texts(&own),
        rows: records.iter().map(|record| texts(own.iter().map(|head| of(record, head)))).collect(),
        total: None,
        text_columns: own.len(),
    }
}

/// `known`: the list of differences between simulator and GPU, entries of one cause and page together.
pub(crate) fn known() -> Result<Markup, Reason> {
    let known = kernels::known::known().map_err(|why| Reason::Wrong(why.to_owned()))?;
    let mut table = Table { text_columns: 5, ..Table::default() };
    table.caption = html! { "What is known to differ on GPUs of compute capability " (known.capability) "." };
    table.heads = texts(["cause", "versions", "counters", "kind", "seen"]);
    let mut causes: Vec<&str> = known.entries.iter().map(|entry| &*entry.cause).collect();
    let mut seen = std::collections::BTreeSet::new();
    causes.retain(|cause| seen.insert(*cause));
    for cause in causes {
        let entries = || known.entries.iter().filter(|entry| entry.cause == cause);
        let Some(first) = entries().next() else { continue };
        let versions: std::collections::BTreeSet<&String> = entries().flat_map(|entry| &entry.versions).collect();
        let counters: std::collections::BTreeSet<&String> = entries().flat_map(|entry| &entry.counters).collect();
        let heading = first.page.split_once('#').map_or("", |(_, heading)| heading);
        let kind = match first.kind {
            kernels::known::Kind::Lowering => "not done by the simulator",
            kernels::known::Kind::Noise => "not repeated by the hardware",
        };
        table.rows.push(row![
            html! { a href={ "#" (heading) } { (cause) } },
            joined(versions.iter().map(|version| breakable(version)), ", "),
            html::number(counters.len() as u64),
            kind,
            format!("{}, CUDA {}", first.since, first.until),
        ]);
    }
    Ok(table.html())
}

/// The rows that a table shows: `rows="label; label"`, or all exact counters.
pub(crate) fn rows(context: &Context<'_>, directive: &mut Directive) -> Result<Vec<Quantity>, Reason> {
    match directive.maybe("rows") {
        None => Ok(context.runs.counters().iter().map(Quantity::from).collect()),
        Some(rows) => {
            let find = |name: &str| Quantity::find(name.trim(), context.runs).map_err(Reason::Wrong);
            rows.split(';').map(find).collect()
        }
    }
}

/// The kernels of the option `kernels="A B"`.
fn kernels(directive: &mut Directive) -> Result<Vec<String>, Reason> {
    Ok(directive.option("kernels")?.split_whitespace().map(str::to_owned).collect())
}

/// A quantity's name as a row head: with the metric for those who point at it, and a note if only one side knows it.
fn label(context: &Context<'_>, quantity: &Quantity) -> Markup {
    let metric = context.runs.counters().into_iter().find(|counter| counter.label == quantity.name);
    let own = OWN.iter().find(|own| own.label == quantity.name).map(|own| own.metric.to_owned());
    let note = match (own.is_some(), &*quantity.name) {
        (true, _) => Some("(simulator only)"),
        (_, "time") => Some("(measured only)"),
        _ => None,
    };
    let metric = metric.map(|counter| counter.metric).or(own);
    html! {
        @if let Some(metric) = metric { span title=(metric) { (quantity.name) } } @else { (quantity.name) }
        @if let Some(note) = note { " " small { (note) } }
    }
}

fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or(line).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_records_have_in_common_is_said_once() {
        let record = |file: &str, day: &str| {
            [("record", file), ("GPU", "NVIDIA H200"), ("day", day)].map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec()
        };
        let html = provenance_table(&[record("scan", "1"), record("sort", "2")]).html().0;
        assert_eq!((html.matches("NVIDIA H200").count(), html.matches("<tr>").count()), (1, 3), "{html}");
        assert!(
            html.contains("in common: GPU: NVIDIA H200.") && html.contains("<th scope=\"row\">sort</th><td>2</td>")
        );
    }
}
