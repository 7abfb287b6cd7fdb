//! Atomics: which lanes meet at one word, and what that costs.

use markup::svg::ranges;
use markup::{Table, row, text, texts};
use sim::memory::banks::SharedUnit;
use sim::memory::sectors::{self, GlobalUnit};
use sim::target::{Coalescing, Rules, SharedAtomics};

use super::served::{Served, Unit};
use super::{Answer, Fault, Kind, Lane, State, address, global, shared};
use crate::access::{Access, LANES, Space};
use crate::atomics::Meeting;

/// Wavefronts or sectors of an atomic, and of as many lanes side by side.
pub(super) fn cost(access: &Access, rules: &Rules, kind: Kind) -> Result<(u64, u64), Fault> {
    let not = || Fault::of("kind", "a load or a store is explored in the modes `banks` and `sectors`");
    if access.width == 16 {
        return Err(Fault::of("width", "an atomic has 4 or 8 bytes per lane"));
    }
    if access.space == Space::Global {
        let (addresses, active) = access.lanes();
        let unit = match kind {
            Kind::Add | Kind::Increment => GlobalUnit::Alu,
            Kind::CompareAndSwap => GlobalUnit::CompareAndSwap,
            Kind::Load | Kind::Store => return Err(not()),
        };
        let passes = match rules.coalescing {
            Coalescing::Sectors => sectors::passes(&addresses, active, access.width, unit),
            _ => rules.atomic_passes(&addresses, active, access.width),
        };
        return Ok((passes.sectors.into(), sectors::ideal_sectors(active, access.width).into()));
    }
    if rules.shared_atomics == SharedAtomics::None {
        return Err(Fault::of("target", "this GPU has no atomics in shared memory"));
    }
    let unit = match kind {
        Kind::Add => SharedUnit::Alu,
        Kind::Increment => SharedUnit::Increment,
        Kind::CompareAndSwap => SharedUnit::CompareAndSwap,
        Kind::Load | Kind::Store => return Err(not()),
    };
    if access.width == 8 && kind == Kind::Increment {
        return Err(Fault::of("width", "the increment by one has 4 bytes per lane"));
    }
    let (addresses, active) = shared::narrow(access);
    let cost = rules.atomic_wavefronts(&addresses, active, access.width, unit);
    Ok((cost.into(), rules.ideal_wavefronts(active, access.width).into()))
}

pub(super) fn answer(state: &State) -> Result<Answer, Fault> {
    let gpu = shared::gpu(state)?;
    let access = address::access(state)?;
    let (cost, ideal) = cost(&access, &gpu.rules, state.kind)?;
    let formula = address::formula(state);
    let what = what(state, &formula);
    if state.space == Space::Global {
        return Ok(of_global(state, gpu.name, &access, (cost, ideal), &formula, &what));
    }
    let unit = match state.kind {
        Kind::Increment if gpu.rules.shared_atomics == SharedAtomics::NativeIncrement => Unit::Words,
        Kind::CompareAndSwap => Unit::Lanes(2),
        _ => Unit::Lanes(1),
    };
    let served = Served::of(&access, &gpu.rules, unit, cost);
    let meets = Meeting::of(&access).most();
    let on = if gpu.name == sim::target::DEFAULT { String::new() } else { format!(" on {}", gpu.title) };
    let status = format!(
        "{what}: {}{on}, best {ideal}. {}",
        shared::wavefronts(cost),
        if meets > 1 { format!("At most {meets} lanes meet at one word.") } else { "No two lanes meet.".to_owned() }
    );
    let answer = shared::shown(state, gpu, &access, &served, (cost, ideal), &formula, status);
    Ok(Answer { note: String::new(), ..answer })
}

fn of_global(
    state: &State,
    gpu: &str,
    access: &Access,
    (cost, ideal): (u64, u64),
    formula: &str,
    what: &str,
) -> Answer {
    let meeting = Meeting::of(access);
    let label = format!("{}: {}", address::label(state, formula), global::sectors(cost));
    let (svg, cells) = meeting.draw(&label);
    let on = if gpu == sim::target::DEFAULT { String::new() } else { format!(" on the {gpu}") };
    let meets = if meeting.most() > 1 {
        format!("At most {} lanes meet at one word, and come one after the other.", meeting.most())
    } else {
        "No two lanes meet.".to_owned()
    };
    let status = format!("{what}: {}{on} over all passes, best {ideal}. {meets}", global::sectors(cost));
    let mut table = Table {
        caption: text("Every word that the warp updates."),
        heads: texts(["word at byte", "lanes"]),
        text_columns: 2,
        ..Table::default()
    };
    for (byte, lanes) in &meeting.elements {
        table.rows.push(row![byte, ranges(lanes)]);
    }
    let lane_of = |lane: u32| match access.addresses[lane as usize] {
        Some(byte) => {
            let others = meeting.elements.get(&byte).map_or(0, |lanes| lanes.len().saturating_sub(1));
            let others = match others {
                0 => "alone".to_owned(),
                1 => "with 1 other lane".to_owned(),
                count => format!("with {count} other lanes"),
            };
            Lane { text: format!("lane {lane}: byte {byte}, {others}"), on: true }
        }
        None => Lane { text: format!("lane {lane} takes no part"), on: false },
    };
    Answer {
        state: state.clone(),
        formula: formula.to_owned(),
        cost: Some(cost),
        ideal: Some(ideal),
        unit: Space::Global.unit(),
        turns: vec![None; LANES as usize],
        figure: svg.html(&label, &meeting.described()),
        caption: text(format_args!("{status} A column is a word, a square a lane that updates it.")),
        table: table.html(),
        note: String::new(),
        lanes: (0..LANES).map(lane_of).collect(),
        cells,
        size: svg.size(),
        ranges: state.ranges(),
        status,
    }
}

fn what(state: &State, formula: &str) -> String {
    let kind = match state.kind {
        Kind::Increment => "Adding 1 without a result",
        Kind::CompareAndSwap => "Compare-and-swap",
        _ => "Adding a number",
    };
    match (&state.formula, &state.addresses) {
        (_, Some(_)) => format!("{kind} at these addresses"),
        (Some(_), _) => format!("{kind} at {formula}"),
        (None, None) => {
            let words = if state.words == 1 { "1 word".to_owned() } else { format!("{} words", state.words) };
            format!("{kind} to {words}")
        }
    }
}
