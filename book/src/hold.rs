//! `hold "RELATION" NAME="OPTIONS"…`: says nothing, and makes sure that a relation between values of runs is true.
//!
//! It is what stands behind a sentence that `claim` is too narrow for: each name is bound to one value, by the options that
//! `number` takes, and the relation compares expressions of the names, exactly.

use std::collections::BTreeMap;

use kernels::launch::expression::{Expression, Names, Number, evaluate};

use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::value::Value;

/// The signs of comparison, each between blanks, since `<<` and `>>` shift.
const SIGNS: [&str; 6] = ["<=", ">=", "!=", "<", ">", "="];

/// Fills nothing, or tells why the relation does not hold.
pub(crate) fn hold(context: &Context<'_>, directive: &mut Directive) -> Result<String, Reason> {
    let relation = directive.word("a relation, such as \"4 * a < b\"")?;
    let mut names = Names::new();
    let mut shown = Vec::new();
    let mut bound: BTreeMap<String, bool> = BTreeMap::new();
    for (name, options) in directive.take_rest() {
        let mut inner = directive.within(&options).map_err(|why| Reason::Wrong(format!("{name}: {why}")))?;
        let value = Value::take(context, &mut inner)?;
        inner.finish()?;
        let number = whole(&name, &value)?;
        shown.push(format!("{name} = {number} ({})", value.title));
        names.insert(name.clone(), number);
        bound.insert(name, false);
    }
    let parts = split(&relation).map_err(Reason::Wrong)?;
    for text in std::iter::once(parts.0).chain(parts.1.iter().map(|(_, text)| *text)) {
        let expression = Expression::parse(text).map_err(Reason::Wrong)?;
        expression.names().for_each(|name| {
            bound.insert(name.to_owned(), true);
        });
    }
    if let Some((name, _)) = bound.iter().find(|(_, used)| !**used) {
        return Err(Reason::Wrong(format!("`{relation}` does not use `{name}`")));
    }
    if bound.is_empty() {
        return Err(Reason::Wrong(format!("`{relation}` names no value of a run, so it holds nothing")));
    }
    let value = |text: &str| evaluate(text, &names).map_err(Reason::Wrong);
    let mut left = value(parts.0)?;
    for (sign, text) in parts.1 {
        let right = value(text)?;
        if !compare(left, sign, right).map_err(Reason::Wrong)? {
            return Err(Reason::Contradicted(format!(
                "the text says that {relation}, but {left} {sign} {right} is false: {}",
                shown.join("; ")
            )));
        }
        left = right;
    }
    Ok(String::new())
}

/// A value that arithmetic can be exact with.
fn whole(name: &str, value: &Value) -> Result<Number, Reason> {
    if value.exact >= 0.0 && value.exact.fract() == 0.0 && value.exact < 9.0e15 {
        return Ok(Number::from(value.exact as u64));
    }
    Err(Reason::Wrong(format!(
        "`{name}` is {}, no whole number; bind the numbers that it is made of, such as two times, and divide in the relation",
        value.exact
    )))
}

/// The first side of a relation, and each comparison with what follows it.
type Sides<'r> = (&'r str, Vec<(&'r str, &'r str)>);

/// The first expression, and each sign with the expression that follows it.
fn split(relation: &str) -> Result<Sides<'_>, String> {
    let Some((at, mut sign)) = sign(relation) else {
        return Err(format!(
            "`{relation}` compares nothing; between two expressions stands one of {}",
            SIGNS.join(", ")
        ));
    };
    let (first, mut rest) = (&relation[..at], &relation[at + sign.len() + 2..]);
    let mut parts = Vec::new();
    while let Some((at, next)) = self::sign(rest) {
        parts.push((sign, &rest[..at]));
        rest = &rest[at + next.len() + 2..];
        sign = next;
    }
    parts.push((sign, rest));
    Ok((first, parts))
}

/// Where the first sign of comparison stands with its blanks, and which it is.
fn sign(text: &str) -> Option<(usize, &'static str)> {
    let found = SIGNS.iter().filter_map(|sign| text.find(&format!(" {sign} ")).map(|at| (at, *sign)));
    found.min_by_key(|(at, _)| *at)
}

fn compare(left: Number, sign: &str, right: Number) -> Result<bool, String> {
    let order = left.compare(right)?;
    Ok(match sign {
        "<=" => order.is_le(),
        ">=" => order.is_ge(),
        "<" => order.is_lt(),
        ">" => order.is_gt(),
        "!=" => order.is_ne(),
        _ => order.is_eq(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_cut_at_their_signs_and_compared_exactly() {
        assert_eq!(split("a << 2 < b >= 3").unwrap(), ("a << 2", vec![("<", "b"), (">=", "3")]));
        assert!(split("a + b").unwrap_err().contains("compares nothing"));
        let number = |text: &str| evaluate(text, &Names::new()).unwrap();
        for (left, sign, right, holds) in [
            ("1/3", "<", "0.34", true),
            ("2/6", "=", "1/3", true),
            ("1", "!=", "1", false),
            ("2", "<=", "2", true),
            ("2", ">", "2", false),
            ("2", ">=", "3", false),
        ] {
            assert_eq!(compare(number(left), sign, number(right)), Ok(holds), "{left} {sign} {right}");
        }
    }
}
