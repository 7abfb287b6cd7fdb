//! `panel`: a kernel beside its listing that readers run in the page, with other data and sizes. Without JavaScript it is the
//! listing and the counters of its first case.
//!
//! What the page runs is run here first, by the same engine on the same part of the PTX: what it counts must be what the
//! case counts.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use sim::Report;
use sim_wasm::Engine;
use sim_wasm::protocol::VERSION;

use crate::context::Context;
use crate::cuda;
use crate::directive::Directive;
use crate::excerpt;
use crate::fault::Reason;
use crate::html::{self, Around, Markdown};
use crate::quantity::Quantity;
use crate::repeats::Shown;
use crate::runs::Run;
use crate::tables;

/// What tables of a panel show where the author says nothing.
const ROWS: &str = "shared wavefronts; global sectors; barriers; instructions of warps";

/// What the page's script needs to know.
#[derive(Serialize)]
struct Config {
    /// The PTX file's name, and the part of it that is run.
    file: String,
    ptx: String,
    /// The part of the source that readers edit.
    source: String,
    numbers: Vec<Knob>,
    setups: Vec<Setup>,
    /// The kinds of input that there are; empty where they are not to be chosen.
    kinds: Vec<&'static str>,
    counters: Vec<Counter>,
    heat: String,
    registers: BTreeMap<String, u32>,
}

/// A number that readers change.
#[derive(Clone, Serialize)]
pub(crate) struct Knob {
    pub(crate) name: String,
    pub(crate) value: u64,
    pub(crate) from: u64,
    pub(crate) to: u64,
    step: u64,
}

/// A kernel with a case of it.
#[derive(Serialize)]
struct Setup {
    kernel: String,
    case: String,
    launches: Vec<Value>,
    buffers: Vec<Value>,
    /// The buffer with an input of the workbook's own, and its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<Measured>,
}

/// What a GPU counted.
#[derive(Serialize)]
struct Measured {
    gpu: String,
    date: String,
    values: BTreeMap<String, u64>,
    /// The counters that are known to differ.
    known: Vec<String>,
}

/// A counter of the panel's table.
#[derive(Serialize)]
struct Counter {
    name: String,
    /// The names in the report whose sum it is.
    of: Vec<String>,
    /// Whether only the simulator has it.
    own: bool,
}

/// Makes the section of a page.
pub(crate) fn panel(
    context: &Context<'_>,
    directive: &mut Directive,
    shown: &mut Vec<Shown>,
) -> Result<Markdown, Reason> {
    let id = id(directive)?;
    let title = directive.option("title")?;
    let rows = directive.maybe("rows").unwrap_or_else(|| ROWS.to_owned());
    let heat = directive.maybe("heat").unwrap_or_else(|| rows.split(';').next().unwrap_or_default().trim().to_owned());
    let quantities: Vec<Quantity> =
        rows.split(';').map(|name| Quantity::find(name.trim(), context.runs)).collect::<Result<_, _>>()?;
    let counters: Vec<Counter> = quantities.iter().filter_map(counter).collect();
    if !counters.iter().any(|counter| counter.name == heat) {
        return Err(Reason::Wrong(format!("`heat={heat}` is none of the rows: {rows}")));
    }
    let source = directive.maybe("source");
    let numbers = knobs(directive)?;
    let changes = Changes::take(directive);
    let with_data = directive.maybe("data").is_some();
    let mut body = Markdown::default();
    let (kernels, cases) = match directive.maybe("faulty") {
        Some(name) => {
            body.push(excerpt::riddle(context, &name)?);
            (vec![name], vec![String::new()])
        }
        None => {
            let list = |directive: &mut Directive, one: &str, many: &str, separator: char| match directive.maybe(many) {
                Some(names) => Ok(names.split(separator).map(|name| name.trim().to_owned()).collect::<Vec<_>>()),
                None => directive.option(one).map(|name| vec![name]),
            };
            (list(directive, "kernel", "kernels", ' ')?, list(directive, "case", "cases", ';')?)
        }
    };
    body.push(excerpt::unfolded(context, directive, source.as_deref(), shown)?);
    let (mut setups, mut first) = (Vec::new(), None);
    let mut plays = Vec::new();
    for kernel in &kernels {
        for case in &cases {
            let play = if case.is_empty() {
                context.runs.playable_fault(kernel)?
            } else {
                context.check_case(kernel, case)?;
                context.runs.playable(kernel, case).map_err(Reason::Contradicted)?
            };
            let run = if case.is_empty() { None } else { Some(context.run(kernel, case)?) };
            let mut launches = play.launches.launches.clone();
            let mut buffers = play.launches.buffers.clone();
            changes.apply(&mut launches, &mut buffers)?;
            let input = play.launches.input.as_ref().filter(|_| with_data);
            let input =
                input.map(|input| json!({"buffer": input.buffer, "problem": input.problem, "kind": input.kind}));
            let measured = run.as_ref().and_then(|run| measured(run, &quantities));
            let setup = Setup { kernel: kernel.clone(), case: case.clone(), launches, buffers, input, measured };
            setups.push(setup);
            first = first.or_else(|| run.clone());
            plays.push((play, run));
        }
    }
    // A row that is zero whatever the reader chooses counts something else than what the kernels do.
    let runs: Vec<&Run> = plays.iter().filter_map(|(_, run)| run.as_deref()).collect();
    if let Some(idle) =
        quantities.iter().find(|row| !runs.is_empty() && runs.iter().all(|run| row.simulated(run) == Some(0)))
    {
        return Err(Reason::Contradicted(format!("the row \"{}\" is 0 in all runs of this panel", idle.name)));
    }
    if with_data && setups.iter().any(|setup| setup.input.is_none()) {
        return Err(Reason::Wrong("`data=yes` needs cases whose input can be made in a page".to_owned()));
    }
    let file = plays[0].0.file.clone();
    if plays.iter().any(|(play, _)| play.file != file) {
        return Err(Reason::Wrong("the kernels of a panel must come from one file".to_owned()));
    }
    let needed: Vec<&str> =
        plays.iter().flat_map(|(play, _)| play.launches.kernels.iter().map(String::as_str)).collect();
    let ptx = front::slice::slice(&plays[0].0.ptx, &needed);
    let source = editable(context, &file, cases.iter().all(String::is_empty), &ptx, &needed)?;
    let registers = plays.iter().flat_map(|(play, _)| play.registers.clone()).collect();
    let problem = setups[0].input.as_ref().and_then(|input| input["problem"].as_str());
    let kinds = problem.map(data::workbook::kinds).unwrap_or_default();
    let config = Config { file, ptx, source, numbers, setups, kinds, counters, heat, registers };
    let mut engine = Engine::default();
    for (setup, (_, run)) in config.setups.iter().zip(&plays) {
        agree(&mut engine, &config, setup, run.as_deref())?;
    }
    if let (Some(_), Some(kernel), Some(case)) = (first, kernels.first(), cases.first()) {
        let options = format!("kernel={kernel} case='{case}' rows='{rows}'");
        body.push(tables::counters(context, &mut directive.within(&options)?)?);
    }
    let config = serde_json::to_string(&config).map_err(|error| Reason::Wrong(error.to_string()))?;
    Ok(Around::of(|content| html::widget("panel", &id, &title, content, &config)).with(&body))
}

/// The part of a source that readers edit: its kernels with what they need, and for which architecture they were compiled.
fn editable(
    context: &Context<'_>,
    ptx_file: &str,
    faulty: bool,
    ptx: &str,
    kernels: &[&str],
) -> Result<String, Reason> {
    let name = ptx_file.trim_end_matches(".ptx");
    let text = if faulty {
        // Its comments say what is wrong, and that is to be found.
        let lines = context.runs.faulty(name)?.source;
        let lines = lines.iter().map(|(_, line)| line).filter(|line| !line.trim_start().starts_with("//"));
        lines.map(|line| format!("{line}\n")).collect()
    } else {
        cuda::part(&context.runs.source(&format!("{name}.cu"))?, kernels)
    };
    let target = ptx.lines().find_map(|line| line.trim().strip_prefix(".target sm_")).unwrap_or("90");
    let arch: String = target.chars().take_while(char::is_ascii_digit).collect();
    Ok(format!("// warpbook: arch=compute_{arch}\n\n{}", text.trim_start()))
}

/// The option `id`: the name under which addresses know the widget.
pub(crate) fn id(directive: &mut Directive) -> Result<String, Reason> {
    let id = directive.option("id")?;
    let is_name = id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if is_name {
        Ok(id)
    } else {
        Err(Reason::Wrong(format!("`id={id}` is no name: use small letters, digits and `-`")))
    }
}

/// `threads=33:1..128; stride=2:1..64`, with `/8` behind it where it goes in steps of 8.
pub(crate) fn knobs(directive: &mut Directive) -> Result<Vec<Knob>, Reason> {
    let Some(text) = directive.maybe("knobs") else { return Ok(Vec::new()) };
    let knob = |part: &str| {
        let (name, rest) = part.split_once('=')?;
        let (value, range) = rest.split_once(':')?;
        let (range, step) = range.split_once('/').unwrap_or((range, "1"));
        let (from, to) = range.split_once("..")?;
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let (value, from, to, step) = (number(value)?, number(from)?, number(to)?, number(step)?);
        let fits = (from..=to).contains(&value) && step > 0;
        fits.then(|| Knob { name: name.trim().to_owned(), value, from, to, step })
    };
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            knob(part).ok_or_else(|| Reason::Wrong(format!("`{part}` is no knob, such as `threads=33:1..128`")))
        })
        .collect()
}

/// What of the launch depends on the knobs.
pub(crate) struct Changes {
    grid: Option<String>,
    block: Option<String>,
    shared: Option<String>,
    /// Numbers of elements, by buffer.
    counts: Vec<(String, String)>,
    /// Scalars, by position.
    scalars: Vec<(usize, String)>,
}

impl Changes {
    pub(crate) fn take(directive: &mut Directive) -> Self {
        let mut pairs = |key: &str| {
            let text = directive.maybe(key).unwrap_or_default();
            let pair = |part: &str| part.split_once('=').map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()));
            text.split(';').filter_map(pair).collect::<Vec<_>>()
        };
        let counts = pairs("counts");
        let scalars = pairs("scalars");
        let scalars = scalars.into_iter().filter_map(|(at, text)| Some((at.parse().ok()?, text))).collect();
        Self {
            grid: directive.maybe("grid"),
            block: directive.maybe("block"),
            shared: directive.maybe("shared"),
            counts,
            scalars,
        }
    }

    pub(crate) fn apply(&self, launches: &mut [Value], buffers: &mut [Value]) -> Result<(), Reason> {
        let extent = |text: &str| Value::from(text.split(',').map(|part| part.trim().to_owned()).collect::<Vec<_>>());
        let is_none = self.grid.is_none() && self.block.is_none() && self.shared.is_none() && self.scalars.is_empty();
        let [launch] = launches else {
            let message = "knobs change the launch of a kernel, and this is several launches";
            return if is_none { Ok(()) } else { Err(Reason::Wrong(message.to_owned())) };
        };
        if let Some(grid) = &self.grid {
            launch["grid"] = extent(grid);
        }
        if let Some(block) = &self.block {
            launch["block"] = extent(block);
        }
        if let Some(shared) = &self.shared {
            launch["shared"] = shared.as_str().into();
        }
        for (at, text) in &self.scalars {
            let arg = launch["args"].get_mut(at).filter(|arg| arg["scalar"].is_string());
            let arg = arg.ok_or_else(|| Reason::Wrong(format!("argument {at} is no scalar")))?;
            arg["scalar"] = text.as_str().into();
        }
        for (name, count) in &self.counts {
            let buffer = buffers.iter_mut().find(|buffer| buffer["name"] == **name);
            let buffer = buffer.ok_or_else(|| Reason::Wrong(format!("there is no buffer `{name}`")))?;
            buffer["count"] = count.as_str().into();
        }
        Ok(())
    }
}

/// A row of the table; none for a time.
fn counter(quantity: &Quantity) -> Option<Counter> {
    let of = quantity.terms()?;
    Some(Counter { name: quantity.name.clone(), of, own: !quantity.is_exact() })
}

fn measured(run: &Run, quantities: &[Quantity]) -> Option<Measured> {
    let record = run.measured.as_ref()?;
    let values = quantities.iter().filter_map(|own| Some((own.name.clone(), own.measured(run)?)));
    let differs = |own: &&Quantity| own.measured(run).is_some_and(|value| own.simulated(run) != Some(value));
    Some(Measured {
        gpu: record.gpu.clone(),
        date: record.date.clone(),
        values: values.collect(),
        known: quantities.iter().filter(differs).map(|own| own.name.clone()).collect(),
    })
}

/// The request that the page makes of a setup as it stands.
fn request(config: &Config, setup: &Setup) -> Value {
    let numbers: BTreeMap<&str, u64> = config.numbers.iter().map(|knob| (&*knob.name, knob.value)).collect();
    json!({
        "v": VERSION, "id": 1, "op": "run", "let": numbers,
        "module": {"name": config.file, "ptx": config.ptx},
        "buffers": setup.buffers, "launches": setup.launches,
        "registers": config.registers, "predict": true,
    })
}

/// Makes sure that what the page runs at first counts what the case counts.
fn agree(engine: &mut Engine, config: &Config, setup: &Setup, run: Option<&Run>) -> Result<(), Reason> {
    let what = format!("the panel's {} (\"{}\")", setup.kernel, setup.case);
    let answer = engine.answer(request(config, setup).to_string().as_bytes());
    let broken = |why: &dyn std::fmt::Display| Reason::Contradicted(format!("{what} cannot be run: {why}"));
    let mut answer: Value = serde_json::from_str(&answer).map_err(|why| broken(&why))?;
    if let Some(error) = answer.get("error") {
        return Err(broken(&error["message"].as_str().unwrap_or_default()));
    }
    let reports: Vec<Report> = serde_json::from_value(answer["ok"]["reports"].take()).map_err(|why| broken(&why))?;
    let mut reports = reports.into_iter();
    let Some(mut sum) = reports.next() else { return Err(broken(&"it has no launch")) };
    reports.for_each(|later| sum.add(&later));
    let Some(run) = run else {
        let silent = sum.findings.is_empty();
        return if silent { Err(Reason::Contradicted(format!("nothing is found in {what}"))) } else { Ok(()) };
    };
    let same = sum.metrics == run.report.metrics
        && sum.estimates == run.report.estimates
        && sum.lines == run.report.lines
        && sum.findings == run.report.findings;
    if same { Ok(()) } else { Err(Reason::Contradicted(format!("{what} counts something else than the case does"))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::{Piece, pieces};

    fn directive(options: &str) -> Directive {
        let text = format!("{{{{#wb panel {options}}}}}");
        let piece = pieces(&text).unwrap().into_iter().next();
        match piece {
            Some(Piece::Directive(directive)) => directive,
            _ => panic!("{options} is no directive"),
        }
    }

    #[test]
    fn knobs_have_a_value_within_a_range() {
        let knobs = knobs(&mut directive("knobs=\"threads=33:1..128; n = 64:32..1024/32\"")).unwrap();
        let read: Vec<_> = knobs.iter().map(|knob| (&*knob.name, knob.value, knob.from, knob.to, knob.step)).collect();
        assert_eq!(read, [("threads", 33, 1, 128, 1), ("n", 64, 32, 1024, 32)]);
        for wrong in ["threads", "threads=1", "threads=0:1..2", "threads=1:1..2/0", "threads=a:1..2"] {
            assert!(super::knobs(&mut directive(&format!("knobs=\"{wrong}\""))).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_depends_on_knobs_is_put_into_the_launch() {
        let mut directive = directive("block=\"threads, 2\" counts=\"a0=2*threads\" scalars=\"1=i32:threads\"");
        let changes = Changes::take(&mut directive);
        assert_eq!(directive.finish(), Ok(()));
        let launch = json!({"kernel": "k", "grid": [1, 1, 1], "args": [{"buffer": "a0"}, {"scalar": "i32:5"}]});
        let mut buffers = [json!({"name": "a0", "count": 64})];
        let mut launches = [launch.clone()];
        changes.apply(&mut launches, &mut buffers).unwrap();
        assert_eq!(launches[0]["block"], json!(["threads", "2"]));
        assert_eq!(launches[0]["args"][1]["scalar"], "i32:threads");
        assert_eq!(buffers[0]["count"], "2*threads");
        // Of several launches nobody knows which is meant.
        let mut several = [launch.clone(), launch];
        assert!(changes.apply(&mut several, &mut buffers).is_err());
        assert!(changes.apply(&mut launches, &mut []).is_err());
    }
}
