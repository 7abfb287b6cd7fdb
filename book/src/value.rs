//! The value that a sentence shows, a prediction is held against, or a question asks for: of a run, of one access, of a
//! ballot, or of the recorded bench.

use kernels::bench::view::{self, Line};

use crate::access::{self, Access, BANKS, LANES, SECTOR, lanes};
use crate::context::{Context, recorded};
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{self, Markup, html};
use crate::machine;
use crate::quantity::{Quantity, origin};

/// A number with how a reader sees it and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value {
    /// The number.
    pub(crate) exact: f64,
    /// As the text shows it.
    pub(crate) shown: String,
    /// Where it comes from.
    pub(crate) title: String,
}

impl Value {
    fn whole(value: u64, title: String) -> Self {
        Self { exact: value as f64, shown: html::number(value), title }
    }

    /// The number in a sentence.
    pub(crate) fn html(&self) -> Markup {
        let Self { exact, shown, title } = self;
        html! { data class="wb-number" value=(exact) title=(title) { (shown) } }
    }

    /// The value that the directive's options describe.
    pub(crate) fn take(context: &Context<'_>, directive: &mut Directive) -> Result<Self, Reason> {
        let none = || {
            Reason::Wrong(format!(
                "`{}` needs to know which number: kernel=… case=… of=…, or words=… of=…, or bytes=… of=…, or bits=… of=…, \
                 or machine=… case=… of=…, or version=… size=… of=…",
                directive.name
            ))
        };
        let none = none();
        Self::maybe(context, directive)?.ok_or(none)
    }

    /// The value that the directive's options describe, if there are such options.
    pub(crate) fn maybe(context: &Context<'_>, directive: &mut Directive) -> Result<Option<Self>, Reason> {
        if let Some(kernel) = directive.maybe("kernel") {
            return of_run(context, directive, &kernel).map(Some);
        }
        if let Some(kernel) = directive.maybe("machine") {
            let (value, title) = machine::value(context, directive, &kernel)?;
            return Ok(Some(Self::whole(value, title)));
        }
        if let Some(version) = directive.maybe("version") {
            return of_bench(context, directive, &version).map(Some);
        }
        if let Some(bits) = directive.maybe("bits") {
            return of_ballot(directive, &bits).map(Some);
        }
        match access::take(directive)? {
            Some(access) => of_access(context, directive, &access).map(Some),
            None => Ok(None),
        }
    }
}

/// `kernel=K case="C" of=QUANTITY [at="code" | target=GPU]`.
fn of_run(context: &Context<'_>, directive: &mut Directive, kernel: &str) -> Result<Value, Reason> {
    let case = directive.option("case")?;
    let of = directive.option("of")?;
    let place = directive.maybe("at");
    if let Some(kind) = details::KINDS.iter().find(|(name, _)| *name == of) {
        let value = details::value(context, kernel, &case, place.as_deref(), kind.1)?;
        let title = format!("{kernel}, {case}: {of}, known to the simulator only");
        return Ok(Value::whole(value, title));
    }
    if let "resident blocks" | "resident warps" = &*of {
        let run = context.run(kernel, &case)?;
        let fits = run.report.occupancy.as_ref().ok_or("the report does not say how many blocks fit")?;
        let value = if of == "resident blocks" { fits.blocks } else { fits.warps };
        let title =
            format!("{kernel}, {case}: {of} of a multiprocessor of the {}, without registers", run.report.target);
        return Ok(Value::whole(value.into(), title));
    }
    if of == "findings" {
        let run = context.run(kernel, &case)?;
        return Ok(Value::whole(run.report.findings.len() as u64, format!("{kernel}, {case}: findings")));
    }
    let quantity = Quantity::find(&of, context.runs)?;
    if let Some(target) = directive.maybe("target") {
        let run = context.run_on(kernel, &case, &target)?;
        let value = quantity.simulated(&run).ok_or_else(|| format!("a simulated {target} has no {of}"))?;
        let title = format!("{kernel}, {case}: {}, of a simulated {target}", quantity.name);
        return Ok(Value { shown: quantity.show(value), ..Value::whole(value, title) });
    }
    let recorded = recorded(directive)?;
    let run = context.run(kernel, &case)?;
    let Some(place) = place else {
        let value = quantity.agreed(&run, recorded)?;
        let title = format!("{kernel}, {case}: {}, {}", quantity.name, origin(&quantity, &run));
        return Ok(Value { shown: quantity.show(value), ..Value::whole(value, title) });
    };
    // A line's number is the simulator's alone; the sum over all lines is the hardware's.
    quantity.agreed(&run, recorded)?;
    let mut part = (*run).clone();
    let mut found = false;
    let (mut metrics, mut estimates) = (sim::report::Metrics::new(), sim::report::Metrics::new());
    for line in &run.report.lines {
        if context.line_has(&line.file, line.line, &place)? {
            found = true;
            line.metrics.iter().for_each(|(name, value)| *metrics.entry(name.clone()).or_default() += value);
            line.estimates.iter().for_each(|(name, value)| *estimates.entry(name.clone()).or_default() += value);
        }
    }
    if !found {
        return Err(Reason::Wrong(format!("no line that {kernel} executes has `{place}` in it")));
    }
    (part.report.metrics, part.report.estimates) = (metrics, estimates);
    let value = quantity.simulated(&part);
    let value = value.ok_or_else(|| format!("a line has no {}", quantity.name))?;
    Ok(Value::whole(value, format!("{kernel}, {case}, at {place}: {}, simulated", quantity.name)))
}

/// What the details of a report say of lines.
pub(crate) mod details {
    use std::rc::Rc;

    use sim::Report;
    use sim::report::details::{AccessDetails, LineDetails};

    use super::{Context, Reason};

    /// What can be asked.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Kind {
        Worst,
        Fewest,
        Together,
        Busiest,
        Addresses,
    }

    /// The names of the kinds.
    pub(crate) const KINDS: [(&str, Kind); 5] = [
        ("worst access", Kind::Worst),
        ("fewest lanes", Kind::Fewest),
        ("lanes together", Kind::Together),
        ("busiest address", Kind::Busiest),
        ("addresses", Kind::Addresses),
    ];

    /// The details of the lines that have `place` in them, launch by launch; of all lines where there is no place.
    pub(crate) fn lines(
        context: &Context<'_>,
        kernel: &str,
        case: &str,
        place: Option<&str>,
    ) -> Result<Vec<LineDetails>, Reason> {
        let reports: Rc<Vec<Report>> = context.detailed(kernel, case)?;
        let mut lines = Vec::new();
        for line in reports.iter().filter_map(|report| report.details.as_ref()).flat_map(|details| &details.lines) {
            if place.map_or(Ok(true), |place| context.line_has(&line.file, line.line, place))? {
                lines.push(line.clone());
            }
        }
        match place {
            Some(place) if lines.is_empty() => {
                Err(Reason::Wrong(format!("no line that {kernel} executes has `{place}` in it")))
            }
            _ => Ok(lines),
        }
    }

    /// The access of one line that costs most, and of those the first.
    pub(crate) fn worst(lines: &[LineDetails], unit: &str) -> Option<AccessDetails> {
        let all = lines.iter().flat_map(|line| &line.accesses).filter(|access| access.unit == unit);
        all.reduce(|best, next| if next.worst.cost > best.worst.cost { next } else { best }).cloned()
    }

    pub(super) fn value(
        context: &Context<'_>,
        kernel: &str,
        case: &str,
        place: Option<&str>,
        kind: Kind,
    ) -> Result<u64, Reason> {
        let lines = lines(context, kernel, case, place)?;
        let atomics = || lines.iter().flat_map(|line| &line.accesses).filter_map(|access| access.atomics.as_ref());
        let value = match kind {
            Kind::Worst => {
                lines.iter().flat_map(|line| &line.accesses).map(|access| u64::from(access.worst.cost)).max()
            }
            Kind::Fewest => {
                lines.iter().filter_map(|line| line.lanes.by_count.keys().next()).min().map(|&lanes| lanes.into())
            }
            Kind::Together => atomics().filter_map(|a| a.together.keys().next_back()).max().map(|&lanes| lanes.into()),
            Kind::Busiest => atomics().flat_map(|a| &a.busiest).map(|busy| busy.lanes).max(),
            Kind::Addresses => atomics().map(|a| a.addresses).max(),
        };
        value.ok_or_else(|| Reason::Wrong(format!("nothing in {kernel} there can answer that; is it an atomic?")))
    }
}

/// `words="…"` or `bytes="…"`, `of=…`.
fn of_access(context: &Context<'_>, directive: &mut Directive, access: &Access) -> Result<Value, Reason> {
    let of = directive.option("of")?;
    let unit = access.space.unit();
    let title = |what: &str| format!("{what} of one warp's access, simulated");
    if of == unit {
        return Ok(Value::whole(context.cost(access)?, title(unit)));
    }
    let (what, number) = of.rsplit_once(' ').unwrap_or((&of, ""));
    let number: Option<u32> = number.parse().ok();
    let address = |lane: u32| {
        let address = access.addresses.get(lane as usize).copied().flatten();
        address.ok_or_else(|| Reason::Wrong(format!("lane {lane} takes no part in the access")))
    };
    match (what, number) {
        ("bank of lane", Some(lane)) => {
            Ok(Value::whole(address(lane)? / 4 % u64::from(BANKS), format!("bank of lane {lane}")))
        }
        ("sector of lane", Some(lane)) => Ok(Value::whole(address(lane)? / SECTOR, format!("sector of lane {lane}"))),
        ("lanes on bank", Some(bank)) if bank < BANKS => {
            let lanes = access.banks()[bank as usize].iter().map(|(_, lanes)| lanes.len() as u64).sum();
            Ok(Value::whole(lanes, format!("lanes on bank {bank}")))
        }
        _ => Err(Reason::Wrong(format!(
            "of an access there is no `{of}`; there are `{unit}`, `bank of lane N`, `sector of lane N`, `lanes on bank N`"
        ))),
    }
}

/// `bits="FORMULA"`: a ballot of the lanes whose formula is odd.
fn of_ballot(directive: &mut Directive, formula: &str) -> Result<Value, Reason> {
    let of = directive.option("of")?;
    let mask = ballot(formula)?;
    let rank = of.strip_prefix("rank of lane ").and_then(|lane| lane.parse::<u32>().ok()).filter(|lane| *lane < LANES);
    match (&*of, rank) {
        ("count", _) => Ok(Value::whole(mask.count_ones().into(), "bits of the ballot".to_owned())),
        ("ballot", _) => {
            let shown = format!("{mask:#010x}");
            Ok(Value { shown, ..Value::whole(mask.into(), "the ballot".to_owned()) })
        }
        (_, Some(lane)) => {
            let below = mask & ((1u32 << lane) - 1);
            Ok(Value::whole(below.count_ones().into(), format!("bits of the ballot below lane {lane}")))
        }
        _ => Err(Reason::Wrong(format!(
            "of a ballot there is no `{of}`; there are `count`, `ballot` and `rank of lane N`"
        ))),
    }
}

/// The ballot of the lanes whose formula is odd.
pub(crate) fn ballot(formula: &str) -> Result<u32, Reason> {
    let values = lanes(formula)?;
    Ok((0..)
        .zip(values)
        .filter(|(_, value)| value.is_some_and(|value| value % 2 == 1))
        .map(|(lane, _)| 1u32 << lane)
        .sum())
}

/// `version=V size=S [data="D"] of=time|speed|share|ratio [to=OTHER]`.
fn of_bench(context: &Context<'_>, directive: &mut Directive, version: &str) -> Result<Value, Reason> {
    let (size, data, of) = (directive.option("size")?, directive.maybe("data"), directive.option("of")?);
    let other = directive.maybe("to");
    let block = workload(context, None, Some(version), &size, data.as_deref())?;
    let line = line(&block, version)?;
    let record = context.runs.bench().map_err(Reason::Wrong)?;
    let gpu = record.provenance.gpu.trim_start_matches("NVIDIA ");
    let title = |what: &str| {
        let date = &record.provenance.date;
        format!("{version}, {size} {}, {}: {what}, measured on an {gpu} on {date}", block.unit, block.data)
    };
    let median = |line: &Line<'_>| {
        let times = line.times().ok_or_else(|| {
            let why = line.why().unwrap_or_default();
            Reason::Wrong(format!("{} has no time at {size}: {why}", line.row.version))
        });
        times.map(|times| times.median_ns)
    };
    let time = median(line)?;
    let real = |exact: f64, shown: String, what: &str| Ok(Value { exact, shown, title: title(what) });
    match &*of {
        "time" => real(time as f64, html::time(time), "median time"),
        "speed" => {
            let speed = line.gb_per_s.ok_or("there is no speed")?;
            real(speed, format!("{} GB/s", html::number(speed.round() as u64)), "least bytes over the median time")
        }
        "share" => {
            let share = line.percent_of_copy.ok_or("no copy of as many bytes was timed")?;
            real(share, format!("{share:.0} %"), "share of the speed of a copy of as many bytes")
        }
        "ratio" => {
            let other = other.ok_or("a ratio needs `to=` another version")?;
            let ratio = time as f64 / median(self::line(&block, &other)?)? as f64;
            let shown = if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") };
            real(ratio, shown, &format!("its time over that of {other}"))
        }
        "least" => {
            let over = line.over_least.ok_or("this GPU's empty launch and memory were not measured")?;
            real(over, format!("{over:.2}"), "its time over the least time of any kernel with these inputs and outputs")
        }
        _ => Err(Reason::Wrong(format!("of a bench there is no `{of}`; there are time, speed, share, ratio, least"))),
    }
}

/// `claim A faster-than B size=S [data="D"]`: says nothing, and makes sure that the bench says so too.
pub(crate) fn faster(
    context: &Context<'_>,
    directive: &mut Directive,
    a: &str,
    relation: &str,
    b: &str,
) -> Result<String, Reason> {
    let (size, data) = (directive.option("size")?, directive.maybe("data"));
    let block = workload(context, None, Some(a), &size, data.as_deref())?;
    let time = |version: &str| {
        let line = line(&block, version)?;
        let none = || Reason::Wrong(format!("{version} has no time at {size}: {}", line.why().unwrap_or_default()));
        Ok::<u64, Reason>(line.times().ok_or_else(none)?.median_ns)
    };
    let (of_a, of_b) = (time(a)?, time(b)?);
    if if relation == "faster-than" { of_a < of_b } else { of_a > of_b } {
        return Ok(String::new());
    }
    Err(Reason::Contradicted(format!(
        "the text claims that {a} is {relation} {b}, but at {size} they take {} and {}",
        html::time(of_a),
        html::time(of_b)
    )))
}

/// The line of a version.
pub(crate) fn line<'a, 'b>(block: &'b view::Block<'a>, version: &str) -> Result<&'b Line<'a>, Reason> {
    block.lines.iter().find(|line| line.row.version == version).ok_or_else(|| {
        let known: Vec<&str> = block.lines.iter().map(|line| &*line.row.version).collect();
        Reason::Wrong(format!("`{version}` was not timed on this workload; there are {}", known.join(", ")))
    })
}

/// The one workload of the recorded bench that a problem or version, a size and perhaps a kind of data name.
pub(crate) fn workload<'a>(
    context: &Context<'a>,
    problem: Option<&str>,
    version: Option<&str>,
    size: &str,
    data: Option<&str>,
) -> Result<view::Block<'a>, Reason> {
    let record = context.runs.bench().map_err(Reason::Wrong)?;
    let blocks = view::blocks(record, &|_| true);
    let mut blocks: Vec<view::Block<'a>> = blocks
        .into_iter()
        .filter(|block| problem.is_none_or(|problem| block.problem == problem))
        .filter(|block| version.is_none_or(|version| block.lines.iter().any(|line| line.row.version == version)))
        .collect();
    if blocks.is_empty() {
        let what = problem.or(version).unwrap_or_default();
        return Err(Reason::Wrong(format!("nothing of `{what}` is in the recorded bench")));
    }
    let names: Vec<String> = blocks
        .iter()
        .map(|block| format!("size=\"{}\" data=\"{}\" ({})", block.size, block.data, block.unit))
        .collect();
    let is_data = |block: &view::Block<'_>, data: &str| {
        block.data == data
            || block.unit == data
            || data.strip_prefix(block.unit).and_then(|rest| rest.strip_prefix(", ")) == Some(block.data)
    };
    blocks.retain(|block| block.size == size && data.is_none_or(|data| is_data(block, data)));
    let block = match (blocks.pop(), blocks.pop()) {
        (Some(block), None) => block,
        (None, _) => return Err(Reason::Wrong(format!("there is no such workload; there are {}", names.join("; ")))),
        _ => {
            return Err(Reason::Wrong(format!(
                "several workloads have this size; say which with data=…: {}",
                names.join("; ")
            )));
        }
    };
    if record.outdated().contains(&block.problem) {
        return Err(Reason::Contradicted(format!(
            "the code of {} has changed since its bench was recorded: `warpbook bench {} --record`",
            block.problem, block.problem
        )));
    }
    Ok(block)
}
