//! Reads the text of a table.

use std::collections::HashMap;

use super::row::SourceFlags;
use super::{
    AddressSpec, Condition, Flags, ImmediateKind, Modifier, OperandSpec, Row, Selector, Slot, Spec, Table, Test,
};

/// What is wrong in the text of a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct TableError {
    line: usize,
    what: String,
}

type Sets = HashMap<&'static str, Vec<Option<&'static str>>>;

impl Table {
    /// Reads a table from texts of which each adds to the ones before: the rows of an opcode in a later text take the place
    /// of those in an earlier one.
    ///
    /// # Errors
    /// [`TableError`] with the first line that is wrong.
    pub fn parse(layers: &[&'static str]) -> Result<Self, TableError> {
        let mut table = Self { rows: HashMap::new(), uniform_bits: 6, reuses: true };
        let mut sets = Sets::new();
        for text in layers {
            let before = std::mem::take(&mut table.rows);
            table.reuses = true;
            for (number, line) in text.lines().enumerate() {
                let line = line.split('#').next().unwrap_or_default().trim();
                if !line.is_empty() {
                    table.line(line, &mut sets).map_err(|what| TableError { line: number + 1, what })?;
                }
            }
            for (opcode, rows) in before {
                table.rows.entry(opcode).or_insert(rows);
            }
        }
        Ok(table)
    }

    fn line(&mut self, line: &'static str, sets: &mut Sets) -> Result<(), String> {
        let words: Vec<&'static str> = line.split_whitespace().collect();
        match words[..] {
            ["set", name, ref values @ ..] => {
                sets.insert(name, set(name, values)?);
                Ok(())
            }
            ["more", name, ref values @ ..] => {
                let set = sets.get_mut(name).ok_or_else(|| format!("there is no set `{name}`"))?;
                extend(set, values)?;
                set.resize(set.len().next_power_of_two(), None);
                Ok(())
            }
            ["reuse", state] => {
                self.reuses = state == "on";
                Ok(())
            }
            ["width", "UR", bits] => {
                self.uniform_bits = bits.parse().map_err(|_| format!("`{bits}` is no number of bits"))?;
                Ok(())
            }
            _ => self.row_line(line, sets),
        }
    }

    fn row_line(&mut self, line: &'static str, sets: &Sets) -> Result<(), String> {
        let mut parts = line.split(" |").map(str::trim);
        let (head, operands, conditions) =
            (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let mut words = head.split_whitespace().peekable();
        let mut opcodes = Vec::new();
        while let Some(word) =
            words.next_if(|word| word.starts_with(|c: char| c.is_ascii_hexdigit() && !c.is_ascii_uppercase()))
        {
            opcodes.push(
                u16::from_str_radix(word, 16).ok().filter(|o| *o < 0x1000).ok_or(format!("`{word}` is no opcode"))?,
            );
        }
        let mut uniform_guard = false;
        if words.next_if_eq(&"@UP").is_some() {
            uniform_guard = true;
        }
        let name = words.next().ok_or("a row needs opcodes and a name")?;
        let row = Row {
            name,
            conditions: if conditions.is_empty() { Vec::new() } else { self::conditions(conditions)? },
            modifiers: words.map(|word| modifier(word, sets)).collect::<Result<_, _>>()?,
            operands: operands.split_whitespace().map(|word| operand(word, sets)).collect::<Result<_, _>>()?,
            uniform_guard,
            reuses: self.reuses,
        };
        if opcodes.is_empty() {
            return Err(format!("`{line}` has no opcode"));
        }
        for opcode in opcodes {
            self.rows.entry(opcode).or_default().push(row.clone());
        }
        Ok(())
    }
}

fn set(name: &str, words: &[&'static str]) -> Result<Vec<Option<&'static str>>, String> {
    let mut values = Vec::new();
    extend(&mut values, words)?;
    let full = values.len().next_power_of_two();
    if words.iter().all(|word| !word.starts_with('=')) && full != values.len() {
        return Err(format!("the set `{name}` has {} values, not {full} as its bits", values.len()));
    }
    values.resize(full, None);
    Ok(values)
}

/// Appends values; `=N` goes on with number N.
fn extend(values: &mut Vec<Option<&'static str>>, words: &[&'static str]) -> Result<(), String> {
    let mut at = values.len();
    for &word in words {
        if let Some(number) = word.strip_prefix('=') {
            at = number.parse().map_err(|_| format!("`{word}` is no place in a set"))?;
            continue;
        }
        if values.len() <= at {
            values.resize(at + 1, None);
        }
        values[at] = match word {
            "-" => Some(""),
            "!" => None,
            word => Some(word),
        };
        at += 1;
    }
    Ok(())
}

/// Splits `COND?rest`.
fn guarded(word: &'static str) -> Result<(Vec<Condition>, &'static str), String> {
    match word.split_once('?') {
        Some((before, rest)) if !rest.is_empty() => Ok((conditions(before)?, rest)),
        _ => Ok((Vec::new(), word)),
    }
}

fn conditions(text: &str) -> Result<Vec<Condition>, String> {
    text.split('&').map(|one| condition(one.trim()).ok_or_else(|| format!("`{one}` is no condition"))).collect()
}

fn condition(text: &str) -> Option<Condition> {
    if let Some(bit) = text.strip_prefix('!') {
        return Some(Condition { low: bit.parse().ok()?, length: 1, test: Test::Is(0) });
    }
    let Some((low, rest)) = text.split_once(':') else {
        return Some(Condition { low: text.parse().ok()?, length: 1, test: Test::Is(1) });
    };
    let (length, value) = rest.split_once(['=', '!', '^'])?;
    let test = match rest.as_bytes()[length.len()] {
        b'=' => Test::Is(value.parse().ok()?),
        b'!' => Test::IsNot(value.parse().ok()?),
        _ => Test::IsPowerOfTwo,
    };
    Some(Condition { low: low.parse().ok()?, length: length.parse().ok()?, test })
}

fn selector(text: &'static str, sets: &Sets) -> Result<Selector, String> {
    let (name, at) = text.split_once('@').ok_or_else(|| format!("`{text}` tells no bit"))?;
    let (set, values) = sets.get_key_value(name).ok_or_else(|| format!("there is no set `{name}`"))?;
    let needed = values.len().trailing_zeros();
    let number = |text: &str| text.parse::<u8>().map_err(|_| format!("`{text}` in `{at}` is no bit"));
    let bits: Vec<u8> = if at.contains(',') {
        at.split(',').map(number).collect::<Result<_, _>>()?
    } else if let Some((low, length)) = at.split_once(':') {
        (number(low)?..number(low)? + number(length)?).collect()
    } else {
        (number(at)?..).take(needed as usize).collect()
    };
    let mut values = values.clone();
    values.resize(1 << bits.len(), None);
    Ok(Selector { set, bits, values })
}

fn modifier(word: &'static str, sets: &Sets) -> Result<Modifier, String> {
    let (mut conditions, rest) = guarded(word)?;
    if !rest.starts_with('.') {
        return Ok(Modifier::Value(conditions, selector(rest, sets)?));
    }
    let (text, at) = rest.split_once('@').unwrap_or((rest, ""));
    if !at.is_empty() {
        conditions.push(condition(at).ok_or_else(|| format!("`{at}` is no bit"))?);
    }
    Ok(Modifier::Text(conditions, &text[1..]))
}

fn operand(word: &'static str, sets: &Sets) -> Result<OperandSpec, String> {
    let (conditions, rest) = guarded(word)?;
    let (joined, rest) = rest.strip_prefix('_').map_or((false, rest), |rest| (true, rest));
    let spec = spec(rest, sets)?.ok_or_else(|| format!("`{word}` is no operand"))?;
    Ok(OperandSpec { conditions, joined, spec })
}

/// Splits a number from what follows it.
fn number(text: &'static str) -> Option<(u8, &'static str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// Reads `32:8`.
fn range(text: &'static str) -> Option<(u8, u8)> {
    let (low, length) = text.split_once(':')?;
    Some((low.parse().ok()?, length.parse().ok()?))
}

fn spec(text: &'static str, sets: &Sets) -> Result<Option<Spec>, String> {
    if text == "'PR'" {
        return Ok(Some(Spec::Predicates));
    }
    if let Some(named) = text.strip_prefix('=') {
        return Ok(Some(Spec::Named(selector(named, sets)?)));
    }
    if text.contains('[') {
        return address(text, sets).map(|address| address.map(Spec::Address));
    }
    if let Some(low) = text.strip_prefix("SBS").or_else(|| text.strip_prefix("SB")) {
        let Ok(low) = low.parse() else { return Ok(None) };
        return Ok(Some(if text.starts_with("SBS") { Spec::Scoreboards { low } } else { Spec::Scoreboard { low } }));
    }
    for (prefix, uniform) in [("UP", true), ("P", false)] {
        if let Some(rest) = text.strip_prefix(prefix) {
            let Some((low, rest)) = number(rest) else { return Ok(None) };
            return Ok(Some(Spec::Predicate {
                low,
                uniform,
                not: rest.contains('!'),
                optional: rest.ends_with('?'),
                inverted: rest.contains('~'),
            }));
        }
    }
    for (prefix, uniform) in [("UR", true), ("R", false)] {
        if let Some(rest) = text.strip_prefix(prefix) {
            let Some((low, rest)) = number(rest) else { return Ok(None) };
            let Some(flags) = flags(low, rest, sets)? else { return Ok(None) };
            return Ok(Some(if uniform { Spec::Uniform { low, flags } } else { Spec::Register { low, flags } }));
        }
    }
    if let Some(low) = text.strip_prefix('B').and_then(|low| low.parse().ok()) {
        return Ok(Some(Spec::Barrier { low }));
    }
    Ok(source(text).or_else(|| immediate(text)).or_else(|| constant(text)).or_else(|| target(text)))
}

/// Reads the flags of a register: `-|~` at the slot's bits, `-@84`, `-/74`, `:part@60`.
fn flags(low: u8, mut rest: &'static str, sets: &Sets) -> Result<Option<Flags>, String> {
    let (negate, absolute) = slot_bits(low);
    let mut flags = Flags::default();
    while let Some(kind) = rest.chars().next() {
        if kind == ':' {
            flags.part = Some(selector(&rest[1..], sets)?);
            break;
        }
        rest = &rest[1..];
        let mut at = if kind == '|' { absolute } else { negate };
        if let Some(explicit) = rest.strip_prefix('@') {
            let Some((bit, after)) = number(explicit) else { return Ok(None) };
            (at, rest) = (bit, after);
        }
        match kind {
            '-' => flags.negate = Some(at),
            '|' => flags.absolute = Some(at),
            '~' => flags.invert = Some(at),
            '/' => {
                let Some((bit, after)) = number(rest) else { return Ok(None) };
                (flags.complement, rest) = (Some(bit), after);
            }
            '^' => {
                let Some((bit, after)) = number(rest) else { return Ok(None) };
                (flags.reuse, rest) = (Some(bit), after);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(flags))
}

/// The bits that negate and make absolute the register of a slot.
pub(crate) const fn slot_bits(low: u8) -> (u8, u8) {
    match low {
        24 => (72, 73),
        32 => (63, 62),
        _ => (75, 74),
    }
}

fn source(text: &'static str) -> Option<Spec> {
    let mut letters = text.chars();
    let slot = match letters.next()? {
        'S' => Slot::Second,
        'B' => Slot::SecondOfThree,
        'C' => Slot::Third,
        _ => return None,
    };
    let immediate = immediate_kind(letters.next()?)?;
    let mut flags = SourceFlags::default();
    let mut rest = &text[2..];
    while let Some(kind) = rest.chars().next() {
        rest = &rest[1..];
        match kind {
            '-' => flags.negate = true,
            '|' => flags.absolute = true,
            '~' => flags.invert = true,
            '/' => {
                let (bit, after) = number(rest)?;
                (flags.complement, rest) = (Some(bit), after);
            }
            '^' => {
                let (bit, after) = number(rest)?;
                (flags.reuse, rest) = (Some(bit), after);
            }
            _ => return None,
        }
    }
    Some(Spec::Source { slot, immediate, flags })
}

const fn immediate_kind(letter: char) -> Option<ImmediateKind> {
    Some(match letter {
        'x' => ImmediateKind::Unsigned,
        's' => ImmediateKind::Signed,
        'f' => ImmediateKind::Float32,
        'd' => ImmediateKind::Float64,
        'h' => ImmediateKind::Float16,
        'b' => ImmediateKind::Bfloat16,
        _ => return None,
    })
}

fn immediate(text: &'static str) -> Option<Spec> {
    let kind = immediate_kind(text.chars().next()?)?;
    let rest = &text[1..];
    if rest.contains('+') {
        return Some(Spec::Spread(rest.split('+').map(range).collect::<Option<_>>()?));
    }
    let (low, length) = match kind {
        ImmediateKind::Unsigned | ImmediateKind::Signed => range(rest)?,
        ImmediateKind::Float32 | ImmediateKind::Float64 => (rest.parse().ok()?, 32),
        ImmediateKind::Float16 | ImmediateKind::Bfloat16 => (rest.parse().ok()?, 16),
    };
    Some(Spec::Immediate { low, length, kind })
}

/// Reads `cREG+LOW:LENGTH*UNIT` and `cxUREG+LOW:LENGTH*UNIT`.
fn constant(text: &'static str) -> Option<Spec> {
    let (bindless, rest) = match text.strip_prefix("cx") {
        Some(rest) => {
            let (register, rest) = number(rest)?;
            (Some(register), rest)
        }
        None => (None, text.strip_prefix('c')?),
    };
    let of_warp = rest.starts_with("UR");
    let (index, rest) = match rest.trim_start_matches('U').strip_prefix('R') {
        Some(rest) => {
            let (register, rest) = number(rest)?;
            (Some(register), rest)
        }
        None => (None, rest),
    };
    let (place, unit) = rest.strip_prefix('+')?.split_once('*')?;
    let (low, length) = range(place)?;
    Some(Spec::Constant { index, of_warp, bindless, low, length, unit: unit.parse().ok()? })
}

/// Reads `T34:48*4`, `T16:8+34:48*4`, and `A…` for absolute places.
fn target(text: &'static str) -> Option<Spec> {
    let relative = text.starts_with('T');
    let (places, unit) = text.strip_prefix(['T', 'A'])?.split_once('*')?;
    let fields = places.split('+').map(range).collect::<Option<_>>()?;
    Some(Spec::Target { fields, unit: unit.parse().ok()?, relative })
}

fn address(text: &'static str, sets: &Sets) -> Result<Option<AddressSpec>, String> {
    let mut spec = AddressSpec::default();
    let mut text = text;
    if let Some(rest) = text.strip_prefix("desc[UR") {
        let Some((low, rest)) = number(rest) else { return Ok(None) };
        let Some(rest) = rest.strip_prefix(']') else { return Ok(None) };
        (spec.descriptor, text) = (Some(low), rest);
    }
    let Some(inside) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else { return Ok(None) };
    for part in inside.split('+') {
        if let Some(low) = part.strip_prefix("UR") {
            spec.uniform = low.parse().ok();
        } else if let Some(rest) = part.strip_prefix('R') {
            let Some((low, kind)) = number(rest) else { return Ok(None) };
            spec.base = Some(low);
            if let Some(set) = kind.strip_prefix(':') {
                spec.kinds = Some(selector(set, sets)?);
            } else {
                spec.kind = kind;
            }
        } else {
            let Some(place) = range(part) else { return Ok(None) };
            spec.offset = Some(place);
        }
    }
    Ok(Some(spec))
}
