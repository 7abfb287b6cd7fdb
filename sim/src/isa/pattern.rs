//! Patterns that stand for many opcodes: `add[|.sat].{word}` is `add.u32`, `add.s32`, `add.sat.u32` and `add.sat.s32`.

/// Names for lists of alternatives that many instructions share.
const CLASSES: [(&str, &str); 16] = [
    ("int", "u16|u32|u64|s16|s32|s64"),
    ("scalar", "u8|u16|u32|u64|s8|s16|s32|s64"),
    ("word", "u32|s32"),
    ("long", "u32|s32|u64|s64"),
    ("x2", "u16x2|s16x2"),
    ("untyped", "b16|b32|b64"),
    ("selected", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"),
    ("R", "rn|rz|rm|rp"),
    ("I", "rni|rzi|rmi|rpi"),
    ("property", "finite|infinite|number|notanumber|normal|subnormal"),
    ("order", "eq|ne|lt|le|gt|ge"),
    ("relation", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    ("combine", "and|or|xor"),
    ("type", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"),
    ("space", "|.global|.shared|.local"),
    ("scope", "cta|cluster|gpu|sys"),
];

/// All opcodes that `patterns`, separated by blanks, stand for, in order and without repetition. `[a|b|]` is one of the
/// alternatives, `{name}` one of a named list of them.
pub fn expand(patterns: &str) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    for pattern in patterns.split_whitespace() {
        let mut partial = vec![String::new()];
        let mut rest = pattern;
        while let Some(at) = rest.find(['[', '{']) {
            let close = if rest[at..].starts_with('[') { ']' } else { '}' };
            let Some(end) = rest[at..].find(close).map(|length| at + length) else { break };
            let inside = &rest[at + 1..end];
            let list = match close {
                '}' => CLASSES.iter().find(|class| class.0 == inside).map_or("", |class| class.1),
                _ => inside,
            };
            let before = &rest[..at];
            partial = partial
                .iter()
                .flat_map(|form| list.split('|').map(move |choice| format!("{form}{before}{choice}")))
                .collect();
            rest = &rest[end + 1..];
        }
        forms.extend(partial.into_iter().map(|form| form + rest));
    }
    let mut seen = std::collections::HashSet::new();
    forms.retain(|form| seen.insert(form.clone()));
    forms
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn alternatives_multiply() {
        assert_eq!(expand("add[|.sat].{word} x"), ["add.u32", "add.s32", "add.sat.u32", "add.sat.s32", "x"]);
        assert_eq!(expand("a.[b|c] a.b"), ["a.b", "a.c"]);
        assert_eq!(expand("bra"), ["bra"]);
    }
}
