//! `explorer MODE …`: a figure of one access, one ballot, one block or one multiprocessor that readers change in the page. Without JavaScript it is
//! the figure of its initial state, with a table.

use draw::explorer::{Answer, Fault, Kind, Level, Mode, State, Swizzle, answer};
use serde::Serialize;

use crate::access::{Access, Space};
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{self, Markup, html};
use crate::svg::figure;

/// What the page's script needs to know.
#[derive(Serialize)]
struct Config {
    state: State,
    /// The controls that are seen at once.
    show: Vec<&'static str>,
    /// The controls that are folded.
    more: Vec<&'static str>,
    /// The control whose costs are drawn as a curve.
    axis: Option<&'static str>,
    targets: Vec<(&'static str, String)>,
    ask: Option<Ask>,
    levels: Vec<Level>,
}

/// What a reader guesses before anything can be moved.
#[derive(Serialize)]
struct Ask {
    /// Where the answer is seen: fields of the state with their values.
    set: serde_json::Map<String, serde_json::Value>,
    /// The answer.
    value: u64,
    /// What to do after the guess.
    say: Option<String>,
}

/// All controls of a mode, those that are seen at once first, and how many these are.
const fn controls(mode: Mode) -> (&'static [&'static str], usize) {
    match mode {
        Mode::Banks => {
            (&["stride", "width", "offset", "swizzle", "every", "active", "kind", "target", "formula", "warp"], 2)
        }
        Mode::Sectors => (&["stride", "offset", "width", "active", "kind", "target", "formula", "warp"], 2),
        Mode::Atomics => (&["words", "kind", "stride", "space", "active", "target", "formula", "warp"], 2),
        Mode::Ballot => (&["active", "formula"], 1),
        Mode::Threads => (&["x", "y"], 2),
        Mode::Occupancy => (&["registers", "threads", "shared", "target"], 3),
    }
}

/// Makes the section of a page.
pub(crate) fn explorer(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let mode = directive.word("what is explored, such as `banks`")?;
    let start = match &*mode {
        "banks" => State::default(),
        "sectors" => State { mode: Mode::Sectors, space: Space::Global, ..State::default() },
        "atomics" => State { mode: Mode::Atomics, kind: Kind::Add, ..State::default() },
        "ballot" => State { mode: Mode::Ballot, ..State::default() },
        "threads" => State { mode: Mode::Threads, ..State::default() },
        "occupancy" => State { mode: Mode::Occupancy, ..State::default() },
        other => {
            let message = format!(
                "`{other}` cannot be explored; there are banks, sectors, atomics, ballot, threads, \
                                   occupancy"
            );
            return Err(Reason::Wrong(message));
        }
    };
    let id = id(directive)?;
    let title = directive.option("title")?;
    let state = state(&start, directive)?;
    let shown = answer(&state).map_err(wrong)?;
    let shown = agreed(context, &state, shown)?;
    // From here on the state as it is shown: numbers moved to where elements are aligned.
    let state = shown.state.clone();
    let (all, count) = controls(state.mode);
    let show = match directive.maybe("show") {
        None => all[..count].to_vec(),
        Some(names) => names.split_whitespace().map(|name| known(all, name)).collect::<Result<_, _>>()?,
    };
    let more: Vec<&str> = all.iter().filter(|name| !show.contains(name)).copied().collect();
    let has_range = |name: &&&str| shown.ranges.iter().any(|range| range.name == **name);
    let axis = if shown.cost.is_some() { show.iter().find(has_range).copied() } else { None };
    let question = directive.maybe("ask");
    let ask = if question.is_some() { Some(ask(directive, &state)?) } else { None };
    let levels = levels(directive, &state)?;
    let question = question.or_else(|| levels.first().map(|level| level.say.clone()));
    let targets = draw::targets::GPUS.iter().rev().map(|gpu| (gpu.name, plain(gpu.title))).collect();
    let config = Config { state, show, more, axis, targets, ask, levels };
    let config = serde_json::to_string(&config).map_err(|error| Reason::Wrong(error.to_string()))?;
    let content = html! {
        @if let Some(question) = question { p class="wb-lab-question" { (question) } "\n" }
        (figure(shown.figure, shown.caption))
        (html::numbers("As a table", shown.table))
    };
    Ok(html::widget("explorer", &id, &title, content, &config))
}

/// The option `id`: the name under which addresses and a reader's tries know the explorer.
fn id(directive: &mut Directive) -> Result<String, Reason> {
    let id = directive.option("id")?;
    let is_name = id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if is_name {
        Ok(id)
    } else {
        Err(Reason::Wrong(format!("`id={id}` is no name: use small letters, digits and `-`")))
    }
}

fn known(all: &[&'static str], name: &str) -> Result<&'static str, Reason> {
    let found = all.iter().find(|own| **own == name).copied();
    found.ok_or_else(|| Reason::Wrong(format!("there is no control `{name}` here; there are {}", all.join(", "))))
}

/// A GPU's name without its article.
fn plain(title: &str) -> String {
    title.split_once(' ').map_or(title, |(_, name)| name).to_owned()
}

fn wrong(fault: Fault) -> Reason {
    Reason::Wrong(format!("{}: {}", fault.field, fault.message))
}

/// The options that set a state.
fn state(start: &State, directive: &mut Directive) -> Result<State, Reason> {
    let mut state = start.clone();
    for name in ["stride", "offset", "width", "every", "words", "warp", "threads", "registers", "shared"] {
        if let Some(text) = directive.maybe(name) {
            let number = text.parse().map_err(|_| Reason::Wrong(format!("`{name}={text}` is no number")))?;
            state = state.with(name, number).unwrap_or(state);
        }
    }
    if let Some(text) = directive.maybe("block") {
        let numbers = text.split_once(',').and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)));
        (state.x, state.y) =
            numbers.ok_or_else(|| Reason::Wrong(format!("`block={text}` is no block such as `33,2`")))?;
    }
    if let Some(text) = directive.maybe("active") {
        let digits = text.strip_prefix("0x").unwrap_or(&text);
        let mask = u32::from_str_radix(digits, 16);
        state.active = mask.map_err(|_| Reason::Wrong(format!("`active={text}` is no mask such as `0xffff`")))?;
    }
    // Their names are those of the state as JSON.
    for (name, place) in [("layout", "swizzle"), ("kind", "kind"), ("memory", "space")] {
        let Some(text) = directive.maybe(name) else { continue };
        let value = serde_json::Value::String(text.clone());
        let bad = |error: serde_json::Error| Reason::Wrong(format!("`{name}={text}`: {error}"));
        match place {
            "swizzle" => state.swizzle = serde_json::from_value::<Swizzle>(value).map_err(bad)?,
            "kind" => state.kind = serde_json::from_value::<Kind>(value).map_err(bad)?,
            _ => state.space = serde_json::from_value::<Space>(value).map_err(bad)?,
        }
    }
    if let Some(target) = directive.maybe("target") {
        state.target = target;
    }
    state.formula = directive.maybe("formula").or_else(|| directive.maybe("bits")).or(state.formula);
    Ok(state)
}

/// The answer, if the simulator says the same: a load of an H200 is simulated, and the formula means what it does in figures.
fn agreed(context: &Context<'_>, state: &State, answer: Answer) -> Result<Answer, Reason> {
    if let (Some(formula), Mode::Banks | Mode::Sectors, Swizzle::None) = (&state.formula, state.mode, state.swizzle) {
        let scale = if state.mode == Mode::Banks { 4 } else { 1 };
        let exact = Access::of(state.memory(), formula, scale, state.width).map_err(Reason::Wrong)?;
        let own = draw::explorer::access(state).map_err(wrong)?;
        if state.active == u32::MAX && exact != own {
            let message =
                format!("`{formula}` is divided in whole numbers by readers: write floor(…) around divisions");
            return Err(Reason::Wrong(message));
        }
    }
    let simulated = state.kind == Kind::Load && matches!(state.mode, Mode::Banks | Mode::Sectors);
    if let (true, "h200", Some(cost)) = (simulated, &*state.target, answer.cost) {
        let access = draw::explorer::access(&answer.state).map_err(wrong)?;
        let counted = context.cost(&access)?;
        if counted != cost {
            let message = format!("the explorer has {cost} {}, and the simulator counts {counted}", answer.unit);
            return Err(Reason::Contradicted(message));
        }
    }
    Ok(answer)
}

/// The state with what an option sets, such as `try="stride=3"`; as it is where there is no such option.
fn moved(directive: &mut Directive, option: &str, state: &State) -> Result<State, Reason> {
    let Some(options) = directive.maybe(option) else { return Ok(state.clone()) };
    let mut inner = directive.within(&options)?;
    let moved = self::state(state, &mut inner)?;
    inner.finish()?;
    Ok(moved)
}

/// The question of a guess: `try="stride=3"` is where the answer is seen, `of` what is asked for where it is no cost.
fn ask(directive: &mut Directive, state: &State) -> Result<Ask, Reason> {
    let there = moved(directive, "try", state)?;
    let found = answer(&there).map_err(wrong)?;
    let value = match (directive.maybe("of").as_deref(), found.cost) {
        (None, Some(cost)) => cost,
        (Some("warps"), _) if there.mode == Mode::Threads => u64::from((there.x * there.y).div_ceil(32)),
        (Some(of), _) if there.mode == Mode::Ballot => {
            let lane =
                of.strip_prefix("place of lane ").and_then(|lane| lane.parse::<u32>().ok()).filter(|lane| *lane < 32);
            let lane = lane.ok_or_else(|| Reason::Wrong(format!("`of={of}` is no `place of lane 21`")))?;
            draw::ballot::rank(found.state.active, lane).into()
        }
        (of, _) => {
            let of = of.unwrap_or("nothing");
            return Err(Reason::Wrong(format!(
                "a guess of {of}: ask for the cost, for `warps`, or for a `place of lane N`"
            )));
        }
    };
    // Only what has to be changed.
    let fields = |state: &State| serde_json::to_value(state).map_err(|error| Reason::Wrong(error.to_string()));
    let (before, after) = (fields(state)?, fields(&found.state)?);
    let set = match (before, after) {
        (serde_json::Value::Object(before), serde_json::Value::Object(after)) => {
            after.into_iter().filter(|(name, value)| before.get(name) != Some(value)).collect()
        }
        _ => serde_json::Map::new(),
    };
    Ok(Ask { set, value, say: directive.maybe("say") })
}

/// The challenges: `task`, `free` and so on, then `task-2`, `free-2`.
fn levels(directive: &mut Directive, state: &State) -> Result<Vec<Level>, Reason> {
    let mut levels = Vec::new();
    for number in 1.. {
        let key = |name: &str| if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        let Some(say) = directive.maybe(&key("task")) else { break };
        let free = directive.option(&key("free"))?;
        let cost = directive.maybe(&key("cost"));
        let cost = cost.map(|text| text.parse().map_err(|_| Reason::Wrong(format!("`cost={text}` is no number"))));
        let also = directive.maybe(&key("also")).unwrap_or_default();
        let also = also.split(';').map(str::trim).filter(|formula| !formula.is_empty()).map(str::to_owned).collect();
        let start = moved(directive, &key("start"), state)?;
        let level = Level { say, free, cost: cost.transpose()?, also, start };
        level.is_sound().map_err(|why| Reason::Contradicted(format!("challenge {number}: {why}")))?;
        levels.push(level);
    }
    Ok(levels)
}
