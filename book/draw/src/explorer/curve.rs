//! The costs over the range of one control: the tries of a reader, and all of them when they are asked for.

use markup::Markup;
use markup::svg::Svg;
use serde::{Deserialize, Serialize};

use super::{Fault, Mode, State};

/// Size of the drawing's field.
const WIDTH: u32 = 560;
const HEIGHT: u32 = 100;
/// Where the field begins.
const LEFT: u32 = 40;
const TOP: u32 = 24;

/// What is to be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The control.
    pub control: String,
    /// The numbers that were tried.
    #[serde(default)]
    pub tried: Vec<u32>,
    /// Whether all numbers are drawn.
    #[serde(default)]
    pub all: bool,
    /// What the reader guessed: a number of the control, and its cost.
    #[serde(default)]
    pub guess: Option<(u32, u64)>,
}

/// A drawing of costs.
#[derive(Debug, Clone, Serialize)]
pub struct Curve {
    /// The drawing; empty as long as nothing is to be drawn.
    #[serde(serialize_with = "markup::serialize")]
    pub figure: Markup,
    /// The tries with their costs: `12 → 4`.
    pub tries: Vec<String>,
}

impl Asked {
    /// The drawing, with everything but the control as in `state`.
    ///
    /// # Errors
    /// A control without a range.
    pub fn curve(&self, state: &State) -> Result<Curve, Fault> {
        let ranges = super::ranges(state);
        let Some(range) = ranges.into_iter().find(|range| range.name == self.control) else {
            return Err(Fault { field: "curve", message: format!("`{}` has no range", self.control), at: None });
        };
        let cost = |number: u32| {
            let inside =
                (range.least..=range.most).contains(&number) && number % range.step == range.least % range.step;
            inside.then(|| super::cost(&state.with(&self.control, number)?)).flatten()
        };
        let tries: Vec<(u32, u64)> = self.tried.iter().filter_map(|number| Some((*number, cost(*number)?))).collect();
        let shown: Vec<(u32, u64)> = if self.all {
            (range.least..=range.most).filter_map(|number| Some((number, cost(number)?))).collect()
        } else {
            tries.clone()
        };
        let own = state.number(&self.control).unwrap_or(range.least);
        let tries: Vec<String> = tries.iter().map(|(number, cost)| format!("{number} → {cost}")).collect();
        if shown.is_empty() && self.guess.is_none() {
            return Ok(Curve { figure: Markup::default(), tries });
        }
        let guess = self.guess.map(|(_, cost)| cost);
        let most = shown.iter().map(|(_, cost)| *cost).chain(guess).max().unwrap_or(1).max(1);
        let steps = (range.most - range.least) / range.step + 1;
        let wide = (WIDTH / steps).max(2);
        let x = |number: u32| LEFT + (number - range.least) / range.step * wide;
        let high = |cost: u64| (cost.min(most) * u64::from(HEIGHT) / most) as u32;
        let mut svg = Svg::new(LEFT + steps * wide + 40);
        svg.text(0, 12, "wb-svg-beside", &format!("{} over {}", counted(state), named(&self.control)));
        svg.text(LEFT - 6, TOP + 8, "wb-svg-right", &most.to_string());
        for (number, cost) in &shown {
            let class = if *number == own { "wb-svg-solid" } else { "wb-svg-bar" };
            svg.rect(x(*number), TOP + HEIGHT - high(*cost), (wide.saturating_sub(1).max(1), high(*cost)), class);
        }
        svg.line((LEFT, TOP + HEIGHT), (LEFT + steps * wide, TOP + HEIGHT), "wb-svg-base");
        let every = ((range.most - range.least) / range.step / 8).max(1) * range.step;
        for number in (range.least..=range.most).filter(|number| number % every == 0) {
            svg.text(x(number) + wide / 2, TOP + HEIGHT + 14, "wb-svg-bank", &number.to_string());
        }
        if let Some((number, cost)) = self.guess.filter(|(number, _)| (range.least..=range.most).contains(number)) {
            let y = TOP + HEIGHT - high(cost);
            svg.line((x(number).saturating_sub(3), y), (x(number) + wide + 3, y), "wb-svg-roof");
            svg.text(x(number) + wide + 6, y + 4, "wb-svg-beside", &format!("you: {cost}"));
        }
        let described: Vec<String> = shown.iter().map(|(number, cost)| format!("{number}: {cost}")).collect();
        let title = match state.mode {
            Mode::Occupancy => format!("Resident warps of what is tried, over {}", named(&self.control)),
            _ => format!("What is tried costs, over {}", named(&self.control)),
        };
        let described = if described.is_empty() { "Nothing is tried yet.".to_owned() } else { described.join(", ") };
        Ok(Curve { figure: svg.html(&title, &described), tries })
    }
}

/// What the height of a bar is.
fn counted(state: &State) -> &'static str {
    if state.mode == Mode::Occupancy { "resident warps" } else { "cost" }
}

/// A control's name in sentences.
fn named(control: &str) -> &str {
    match control {
        "every" => "the padding",
        "words" => "the number of words",
        "offset" => "the offset",
        "stride" => "the stride",
        "threads" => "the threads of a block",
        "registers" => "the registers of a thread",
        "shared" => "the shared memory of a block, in KiB",
        other => other,
    }
}
