//! The addresses of the lanes: what sliders and formulas say, and how elements are laid out.

use expression::{Expression, Names, Number};

use super::{Fault, Mode, State, Swizzle};
use crate::access::{Access, LANES, Space};

/// Bytes of a row of 32 banks of 4 bytes.
const ROW: u64 = 128;

/// The formula that a state stands for, before the layout: words of shared, bytes of global memory.
pub(super) fn formula(state: &State) -> String {
    if let Some(formula) = &state.formula {
        return formula.trim().to_owned();
    }
    let State { stride, offset, words, .. } = state;
    let times = |what: &str, factor: u32| match factor {
        0 => "0".to_owned(),
        1 => what.to_owned(),
        _ => format!("{what} * {factor}"),
    };
    let plus = |sum: String| match (offset, &*sum) {
        (0, _) => sum,
        (_, "0") => offset.to_string(),
        _ => format!("{sum} + {offset}"),
    };
    match state.mode {
        Mode::Atomics => {
            let word = if *words == LANES { "lane".to_owned() } else { format!("lane % {words}") };
            let scale = if state.space == Space::Shared { *stride } else { 4 * stride };
            if scale == 1 || *words == LANES { times(&word, scale) } else { times(&format!("({word})"), scale) }
        }
        Mode::Sectors => plus(times("lane", 4 * stride)),
        _ => plus(times("lane", *stride)),
    }
}

/// What the lanes' places are called: `Lane i at word i * 2`.
pub(super) fn label(state: &State, formula: &str) -> String {
    if state.addresses.is_some() {
        return "32 addresses".to_owned();
    }
    let own = formula.replace("lane", "i");
    let unit = if state.memory() == Space::Shared { "word" } else { "byte" };
    let elements = ROW / u64::from(state.width.max(4));
    match (state.mode, state.swizzle, state.width) {
        (Mode::Banks, Swizzle::Xor, 4) => format!("Lane i at word w ^ (w / {elements} % {elements}), w = {own}"),
        (Mode::Banks, Swizzle::Pad, 4) => format!("Lane i at word w + w / {}, w = {own}", state.every),
        (Mode::Banks, Swizzle::Xor, _) => format!("Lane i at word {own}, elements XORed with their row"),
        (Mode::Banks, Swizzle::Pad, _) => format!("Lane i at word {own}, one element left out after {}", state.every),
        _ => format!("Lane i at {unit} {own}"),
    }
}

/// The access of a state.
pub(super) fn access(state: &State) -> Result<Access, Fault> {
    state.checked()?;
    if let Some(addresses) = &state.addresses {
        if addresses.len() != LANES as usize {
            return Err(Fault::of(
                "addresses",
                format!("{} addresses are given, a warp has 32 lanes", addresses.len()),
            ));
        }
        let lanes = (0..LANES).zip(addresses);
        let addresses = lanes.map(|(lane, address)| address.filter(|_| state.active >> lane & 1 == 1)).collect();
        return Access::checked(state.memory(), "the list of addresses", addresses, state.width)
            .map_err(|message| Fault::of("addresses", message));
    }
    of_formula(state, &formula(state))
}

/// The access of a formula in the layout, the width and with the lanes of a state.
pub(super) fn of_formula(state: &State, formula: &str) -> Result<Access, Fault> {
    let wrong = |wrong: expression::Wrong| Fault {
        field: "formula",
        message: wrong.message,
        at: Some((wrong.at.start, wrong.at.end)),
    };
    if formula.len() > 200 {
        return Err(Fault::of("formula", "the formula is longer than 200 letters"));
    }
    let expression = Expression::read(formula).map_err(wrong)?;
    let names = |lane: u32| -> Names {
        [("lane", lane), ("warp", state.warp)]
            .map(|(name, value)| (name.to_owned(), Number::from(u64::from(value))))
            .into()
    };
    let scale = if state.memory() == Space::Shared { 4 } else { 1 };
    let mut addresses = Vec::new();
    for lane in 0..LANES {
        let value = expression.whole(&names(lane)).map_err(wrong)?;
        let on = value >= 0 && state.active >> lane & 1 == 1;
        let far = || Fault::of("formula", format!("lane {lane} is at {value}, which is too large"));
        let unit = if on { Some(u64::try_from(value).map_err(|_| far())?) } else { None };
        addresses.push(unit.map(|unit| unit.saturating_mul(scale)).map(|address| laid_out(state, address)));
    }
    Access::checked(state.memory(), formula, addresses, state.width).map_err(|message| {
        let field = if addresses_are_missing(state) { "active" } else { "formula" };
        Fault::of(field, message)
    })
}

fn addresses_are_missing(state: &State) -> bool {
    state.active == 0
}

/// Where an element lies whose address would be this one without a layout of its own.
fn laid_out(state: &State, address: u64) -> u64 {
    let width = u64::from(state.width);
    let (element, rest) = (address / width, address % width);
    let own = match state.swizzle {
        _ if state.mode != Mode::Banks => return address,
        Swizzle::None => return address,
        Swizzle::Xor => {
            let elements = ROW / width;
            element ^ (element / elements % elements)
        }
        Swizzle::Pad => element.saturating_add(element / u64::from(state.every.max(1))),
    };
    own.saturating_mul(width).saturating_add(rest)
}

/// The values of the formula of votes as a ballot: the lanes whose value is odd.
pub(super) fn ballot(state: &State) -> Result<u32, Fault> {
    let Some(formula) = &state.formula else { return Ok(state.active) };
    let wrong = |wrong: expression::Wrong| Fault {
        field: "formula",
        message: wrong.message,
        at: Some((wrong.at.start, wrong.at.end)),
    };
    let expression = Expression::read(formula).map_err(wrong)?;
    let mut mask = 0;
    for lane in 0..LANES {
        let names: Names = [("lane", lane), ("warp", state.warp)]
            .map(|(name, value)| (name.to_owned(), Number::from(u64::from(value))))
            .into();
        mask |= u32::from(expression.whole(&names).map_err(wrong)? & 1 != 0) << lane;
    }
    Ok(mask)
}
