//! What an address says of an explorer: what differs from the page as it was built, under short names.

use std::collections::BTreeMap;

use super::{Fault, Kind, State, Swizzle};
use crate::access::Space;

/// Short names and their values.
pub type Pairs = BTreeMap<String, String>;

const NUMBERS: [(&str, &str); 12] = [
    ("s", "stride"),
    ("o", "offset"),
    ("w", "width"),
    ("p", "every"),
    ("n", "words"),
    ("v", "warp"),
    ("x", "x"),
    ("y", "y"),
    ("b", "threads"),
    ("r", "registers"),
    ("h", "shared"),
    ("a", "active"),
];
const KINDS: [(&str, Kind); 5] = [
    ("load", Kind::Load),
    ("store", Kind::Store),
    ("add", Kind::Add),
    ("increment", Kind::Increment),
    ("compare-and-swap", Kind::CompareAndSwap),
];
const LAYOUTS: [(&str, Swizzle); 3] = [("none", Swizzle::None), ("xor", Swizzle::Xor), ("pad", Swizzle::Pad)];
const SPACES: [(&str, Space); 2] = [("shared", Space::Shared), ("global", Space::Global)];

/// What differs between the states.
pub(super) fn write(initial: &State, state: &State) -> Pairs {
    let mut pairs = Pairs::new();
    let mut put = |key: &str, own: String, before: String| {
        if own != before {
            pairs.insert(key.to_owned(), own);
        }
    };
    for (key, field) in NUMBERS {
        let text = |state: &State| match state.number(field) {
            Some(number) => number.to_string(),
            None => format!("{:x}", state.active),
        };
        put(key, text(state), text(initial));
    }
    let kind =
        |state: &State| KINDS.iter().find(|(_, kind)| *kind == state.kind).map_or("", |(name, _)| name).to_owned();
    put("k", kind(state), kind(initial));
    let layout =
        |state: &State| LAYOUTS.iter().find(|(_, own)| *own == state.swizzle).map_or("", |(name, _)| name).to_owned();
    put("z", layout(state), layout(initial));
    let space =
        |state: &State| SPACES.iter().find(|(_, own)| *own == state.space).map_or("", |(name, _)| name).to_owned();
    put("m", space(state), space(initial));
    put("t", state.target.clone(), initial.target.clone());
    let formula = |state: &State| state.formula.clone().unwrap_or_default();
    put("f", formula(state), formula(initial));
    pairs
}

/// The state that an address says.
pub(super) fn read(initial: &State, pairs: &Pairs) -> Result<State, Fault> {
    let mut state = initial.clone();
    let unknown =
        |key: &str, value: &str| Fault::of("link", format!("the link says {key}={value}, which nothing here can be"));
    for (key, value) in pairs {
        let wrong = || unknown(key, value);
        match key.as_str() {
            "a" => state.active = u32::from_str_radix(value, 16).map_err(|_| wrong())?,
            "k" => state.kind = KINDS.iter().find(|(name, _)| name == value).ok_or_else(wrong)?.1,
            "z" => state.swizzle = LAYOUTS.iter().find(|(name, _)| name == value).ok_or_else(wrong)?.1,
            "m" => state.space = SPACES.iter().find(|(name, _)| name == value).ok_or_else(wrong)?.1,
            "t" => state.target.clone_from(value),
            "f" => state.formula = (!value.is_empty()).then(|| value.clone()),
            _ => {
                let (_, field) = NUMBERS.iter().find(|(own, _)| own == key).ok_or_else(wrong)?;
                let number = value.parse().map_err(|_| wrong())?;
                state = state.with(field, number).ok_or_else(wrong)?;
            }
        }
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_what_differs_and_nothing_else() {
        let initial = State { stride: 2, ..State::default() };
        assert_eq!(write(&initial, &initial), Pairs::new());
        let state = State {
            stride: 12,
            width: 16,
            active: 0xff,
            swizzle: Swizzle::Xor,
            formula: Some("lane ^ 1".to_owned()),
            target: "g80".to_owned(),
            ..State::default()
        };
        let pairs = write(&initial, &state);
        assert_eq!(pairs["s"], "12");
        assert_eq!(pairs["a"], "ff");
        assert_eq!(read(&initial, &pairs), Ok(state));
        for (key, value) in [("s", "x"), ("q", "1"), ("z", "?"), ("a", "fffffffff"), ("s", "-1"), ("", "")] {
            let pairs = Pairs::from([(key.to_owned(), value.to_owned())]);
            assert_eq!(read(&initial, &pairs).unwrap_err().field, "link", "{key}={value}");
        }
    }
}
