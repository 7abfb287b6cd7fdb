//! Challenges: one control is free, and the access must come to cost what is asked for.

use markup::svg::ranges;
use serde::{Deserialize, Serialize};

use super::{Fault, Mode, State, Swizzle, address, answer, atomic, global, occupancy, shared};
use crate::access::Space;

/// What is to be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// The task, in a sentence.
    pub say: String,
    /// The one control that is free: a field of the state.
    pub free: String,
    /// What every access must cost; as little as possible where it is left out.
    #[serde(default)]
    pub cost: Option<u64>,
    /// Other accesses to the same layout that must cost it too, as formulas.
    #[serde(default)]
    pub also: Vec<String>,
    /// Where it begins.
    pub start: State,
}

/// How a challenge stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Met {
    /// Whether it is solved.
    pub solved: bool,
    /// How far it is, or what else would have solved it.
    pub says: String,
}

/// The cost of a state's access, and what the same lanes would cost side by side.
pub(crate) fn cost(state: &State, formula: Option<&str>) -> Result<(u64, u64), Fault> {
    let state = state.settled();
    if state.mode == Mode::Occupancy {
        let occupancy = occupancy::of(&state)?;
        return Ok((occupancy.warps.into(), occupancy.most_warps.into()));
    }
    let access = match formula {
        Some(formula) => address::of_formula(&state, formula)?,
        None => address::access(&state)?,
    };
    let rules = &shared::gpu(&state)?.rules;
    match (state.mode, access.space) {
        (Mode::Banks, _) => Ok(shared::cost(&access, rules, shared::direction(&state)?)),
        (Mode::Sectors, _) => Ok(global::cost(&access, rules, shared::direction(&state)?)),
        (Mode::Atomics, Space::Shared | Space::Global) => atomic::cost(&access, rules, state.kind),
        (Mode::Ballot | Mode::Threads | Mode::Occupancy, _) => Err(Fault::of("mode", "this costs nothing")),
    }
}

impl Level {
    /// The states that the free control can reach, each with what is said of it.
    fn choices(&self) -> Vec<(State, String)> {
        let start = &self.start;
        match self.free.as_str() {
            "swizzle" => [(Swizzle::None, "none"), (Swizzle::Xor, "XOR"), (Swizzle::Pad, "padding")]
                .map(|(swizzle, name)| (State { swizzle, ..start.clone() }, name.to_owned()))
                .to_vec(),
            "width" => [4, 8, 16].map(|width| (State { width, ..start.clone() }, width.to_string())).to_vec(),
            name => {
                let range = start.ranges().into_iter().find(|range| range.name == name);
                // With a stride of 0 all lanes have one element: that is no access to the whole of it any more.
                let numbers = range.into_iter().flat_map(|range| {
                    let least = if name == "stride" { range.step } else { range.least };
                    (least..=range.most).step_by(range.step as usize)
                });
                numbers.filter_map(|number| Some((start.with(name, number)?, number.to_string()))).collect()
            }
        }
    }

    /// Whether a state reaches what is asked for, and what its accesses cost.
    fn costs(&self, state: &State) -> Result<(bool, Vec<u64>), Fault> {
        let mut all = vec![cost(state, None)?];
        for formula in &self.also {
            all.push(cost(state, Some(formula))?);
        }
        let reached = all.iter().all(|(cost, ideal)| *cost == self.cost.unwrap_or(*ideal));
        Ok((reached, all.into_iter().map(|(cost, _)| cost).collect()))
    }

    /// How the challenge stands in a state.
    ///
    /// # Errors
    /// A level that cannot be judged.
    pub fn judge(&self, state: &State) -> Result<Met, Fault> {
        let (reached, costs) = self.costs(state)?;
        // Only the control that is free may differ from the start.
        let only = self.choices().iter().any(|(choice, _)| choice.settled() == state.settled());
        let unit = answer(state)?.unit;
        let list: Vec<String> = costs.iter().map(u64::to_string).collect();
        if reached && only {
            let solved = |choice: &State| self.costs(choice).is_ok_and(|(reached, _)| reached);
            let all: Vec<String> =
                self.choices().into_iter().filter(|(choice, _)| solved(choice)).map(|(_, name)| name).collect();
            let numbers: Option<Vec<u32>> = all.iter().map(|name| name.parse().ok()).collect();
            let names = numbers.map_or_else(|| all.join(", "), |numbers| ranges(&numbers));
            return Ok(Met { solved: true, says: format!("Solved. What solves it: {names}.") });
        }
        let says = if reached {
            "This reaches it, but more than the free control is changed.".to_owned()
        } else {
            format!("Not yet: {} {unit}.", list.join(" and "))
        };
        Ok(Met { solved: false, says })
    }

    /// Whether it can be solved at all, and is not solved from the start.
    ///
    /// # Errors
    /// A sentence for the author of a chapter.
    pub fn is_sound(&self) -> Result<(), String> {
        let (from_start, _) = self.costs(&self.start).map_err(|fault| fault.message)?;
        let choices = self.choices();
        if choices.is_empty() {
            return Err(format!("`{}` is no control that can be free", self.free));
        }
        let solvable = choices.iter().any(|(choice, _)| self.costs(choice).is_ok_and(|(reached, _)| reached));
        match (from_start, solvable) {
            (true, _) => Err("the challenge is solved before anything is changed".to_owned()),
            (false, false) => Err("the challenge cannot be solved".to_owned()),
            (false, true) => Ok(()),
        }
    }
}
