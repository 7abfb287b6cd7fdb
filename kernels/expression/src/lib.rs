//! Numbers as a launch or a chapter writes them: `1024`, `4*n`, `ceil(n/256)`, `1<<20`, `lane ^ lane >> 2`, with names for those
//! that come up often.
//!
//! Arithmetic is exact, on fractions of 128-bit whole numbers, so that `n/256` is not silently rounded: where a whole
//! number is needed and there is none, the message says to write `ceil` or `floor`. [`Expression::whole`] computes with whole
//! numbers instead, as CUDA C++ does.

#![forbid(unsafe_code)]

mod number;
mod reader;

use std::collections::BTreeMap;
use std::ops::Range;

pub use number::Number;
use number::TOO_LARGE;
use reader::Reader;

/// Names and their values.
pub type Names = BTreeMap<String, Number>;

/// Why an expression has no value, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// A sentence for the user, without a full stop.
    pub message: String,
    /// The bytes of the text that it is about; empty at the end where something is missing.
    pub at: Range<usize>,
}

/// The value of an expression.
///
/// # Errors
/// A sentence for the user.
pub fn evaluate(text: &str, names: &Names) -> Result<Number, String> {
    Expression::parse(text)?.value(names)
}

/// The value of an expression that must be a whole number from 0 on.
///
/// # Errors
/// A sentence for the user.
pub fn count(text: &str, names: &Names) -> Result<u64, String> {
    let number = evaluate(text, names)?;
    let Some(whole) = number.whole() else {
        return Err(format!("`{text}` is {number}, no whole number: ceil({text}) rounds up, floor({text}) down"));
    };
    u64::try_from(whole).map_err(|_| format!("`{text}` is {whole}, but a number from 0 to 2^64-1 is needed"))
}

/// The values of names that may be built on each other.
///
/// # Errors
/// A sentence for the user.
pub fn resolve(texts: &BTreeMap<String, String>) -> Result<Names, String> {
    let mut open = Vec::new();
    for (name, text) in texts {
        if !is_name(name) || name == "i" || FUNCTIONS.contains(&name.as_str()) {
            return Err(format!(
                "`{name}` can name no number: a name has letters, digits and _, and is neither `i` (an element's index) \
                 nor one of {}",
                FUNCTIONS.join(", ")
            ));
        }
        open.push((name, text, Expression::parse(text).map_err(|why| format!("{name}: {why}"))?));
    }
    let mut names = Names::new();
    loop {
        let before = open.len();
        let mut later = Vec::new();
        for (name, text, expression) in open {
            if expression.names().any(|used| texts.contains_key(used) && !names.contains_key(used)) {
                later.push((name, text, expression));
            } else {
                let value = expression.value(&names).map_err(|why| format!("{name}: {why}"))?;
                names.insert(name.clone(), value);
            }
        }
        match later.first() {
            None => return Ok(names),
            Some((name, text, _)) if later.len() == before => {
                return Err(format!("{name}: `{text}` is built on itself"));
            }
            Some(_) => open = later,
        }
    }
}

/// Whether a text can be a name.
pub fn is_name(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(letter) && text.chars().all(|c| letter(c) || c.is_ascii_digit())
}

const FUNCTIONS: [&str; 4] = ["ceil", "floor", "min", "max"];

/// A read expression, as steps of a stack machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    steps: Vec<(Range<usize>, Step)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Push(Number),
    Name(String),
    Negate,
    Operator(&'static str),
    /// A division outside of `floor(…)` and `ceil(…)`, which take exact numbers.
    Divide,
    Call(&'static str, usize),
}

/// Which numbers there are.
#[derive(Clone, Copy, PartialEq)]
enum Arithmetic {
    Exact,
    Whole,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::read(text).map_err(|wrong| wrong.message)
    }

    /// Reads an expression.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn read(text: &str) -> Result<Self, Wrong> {
        Reader::new(text).all().map(|steps| Self { steps })
    }

    /// The names that it uses.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|(_, step)| if let Step::Name(name) = step { Some(name.as_str()) } else { None })
    }

    /// Its value.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn value(&self, names: &Names) -> Result<Number, String> {
        self.compute(names, Arithmetic::Exact).map_err(|wrong| wrong.message)
    }

    /// Its value in whole numbers, as CUDA C++ computes it: `7 / 2` is 3, and `-7 / 2` is -3. What stands in `floor(…)` or
    /// `ceil(…)` is divided exactly.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn whole(&self, names: &Names) -> Result<i128, Wrong> {
        let number = self.compute(names, Arithmetic::Whole)?;
        number.whole().ok_or_else(|| {
            let end = self.steps.iter().map(|(at, _)| at.end).max().unwrap_or(0);
            let start = self.steps.iter().map(|(at, _)| at.start).min().unwrap_or(0);
            let Number { over, under } = number;
            Wrong { message: format!("the value is {over}/{under} somewhere, no whole number"), at: start..end }
        })
    }

    fn compute(&self, names: &Names, arithmetic: Arithmetic) -> Result<Number, Wrong> {
        let mut stack: Vec<Number> = Vec::new();
        let broken = || "an operand is missing".to_owned();
        for (at, step) in &self.steps {
            let mut next = || -> Result<Number, String> {
                Ok(match step {
                    Step::Push(number) => *number,
                    Step::Name(name) => *names.get(name).ok_or_else(|| unknown(name, names))?,
                    Step::Negate => Number::of(0).apply("-", stack.pop().ok_or_else(broken)?)?,
                    Step::Operator(operator) => {
                        let right = stack.pop().ok_or_else(broken)?;
                        stack.pop().ok_or_else(broken)?.apply(operator, right)?
                    }
                    Step::Divide => {
                        let right = stack.pop().ok_or_else(broken)?;
                        let exact = stack.pop().ok_or_else(broken)?.apply("/", right)?;
                        if arithmetic == Arithmetic::Whole { exact.cut() } else { exact }
                    }
                    Step::Call(function, operands) => {
                        let given = stack.split_off(stack.len().saturating_sub(*operands));
                        call(function, &given)?
                    }
                })
            };
            let result = next().map_err(|message| Wrong { message, at: at.clone() })?;
            stack.push(result);
        }
        stack.pop().ok_or_else(|| Wrong { message: broken(), at: 0..0 })
    }
}

fn unknown(name: &str, names: &Names) -> String {
    if names.is_empty() {
        return format!(
            "nothing is called `{name}`; --let {name}=… or a table [let] in a launch file gives names to numbers"
        );
    }
    let names: Vec<&str> = names.keys().map(String::as_str).collect();
    format!("no number is called `{name}`; there are: {}", names.join(", "))
}

fn call(function: &str, operands: &[Number]) -> Result<Number, String> {
    match (function, operands) {
        ("ceil", [number]) => Ok(Number::of(number.floor().checked_add((number.under != 1).into()).ok_or(TOO_LARGE)?)),
        ("floor", [number]) => Ok(Number::of(number.floor())),
        ("ceil" | "floor", _) => Err(format!("{function} takes one number")),
        (_, [first, rest @ ..]) => rest.iter().try_fold(*first, |best, &next| {
            let less = next.apply("-", best)?.over < 0;
            Ok(if less == (function == "min") { next } else { best })
        }),
        (_, []) => Err(format!("{function} takes one number or more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pairs: &[(&str, &str)]) -> Result<Names, String> {
        resolve(&pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
    }

    #[test]
    fn arithmetic_is_that_of_school() {
        let names = names(&[("n", "1000"), ("blocks", "ceil(n/threads)"), ("threads", "256")]).unwrap();
        for (text, value) in [
            ("1024", 1024),
            ("1_000*2", 2000),
            ("0x10 + 1", 17),
            ("2+3*4-1", 13),
            ("(2+3)*4", 20),
            ("1<<20", 1 << 20),
            ("3 * 1<<4", 48),
            ("blocks*threads", 1024),
            ("ceil(n / 256)", 4),
            ("floor(n/256)", 3),
            ("-floor(-n/256)", 4),
            ("min(n, 64, 128) + max(1, 2)", 66),
            ("n % 7", 6),
            ("1e3/2.5", 400),
            ("n/256*256", 1000),
            ("1024>>3", 128),
            ("12 & 10 | 1", 9),
            ("5 ^ 6 & 3", 7),
            ("1 | 2 ^ 3", 1),
            ("1 << 2 & 4 + 3", 4),
        ] {
            assert_eq!(evaluate(text, &names).map(Number::whole), Ok(Some(value)), "{text}");
        }
        assert_eq!(evaluate("1/3", &names).map(Number::real), Ok(1.0 / 3.0));
    }

    #[test]
    fn what_is_no_number_is_told() {
        for (text, part) in [
            ("", "is missing"),
            ("1+", "ends too early"),
            ("(1", "does not close"),
            ("1)", "`)` does not belong"),
            ("4 K", "`K` does not belong"),
            ("4K", "`4K` is not a number"),
            ("m", "nothing is called `m`"),
            ("log(2)", "no function `log`"),
            ("ceil(1,2)", "takes one number"),
            ("1/0", "division by zero"),
            ("1%0", "division by zero"),
            ("1<<200", "too large"),
            ("1<<126<<2", "too large"),
            ("0.5<<1", "whole numbers"),
            ("1e99", "`1e99` is not a number"),
            ("0x-1", "`0x` is not a number"),
        ] {
            let error = evaluate(text, &Names::new()).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(evaluate(&"(".repeat(1 << 20), &Names::new()).unwrap_err().contains("nested"));
        assert!(count("n/256", &names(&[("n", "1000")]).unwrap()).unwrap_err().contains("ceil(n/256) rounds up"));
        assert!(count("-1", &Names::new()).unwrap_err().contains("from 0"));
    }

    #[test]
    fn names_may_be_built_on_each_other_but_not_on_themselves() {
        assert!(names(&[("a", "b"), ("b", "a+1")]).unwrap_err().contains("built on itself"));
        assert!(names(&[("a", "c")]).unwrap_err().contains("nothing is called `c`"));
        for wrong in ["i", "ceil", "2n", "a b", ""] {
            assert!(names(&[(wrong, "1")]).unwrap_err().contains("can name no number"), "{wrong}");
        }
    }

    #[test]
    fn whole_numbers_are_divided_as_in_cuda() {
        let names = names(&[("lane", "7")]).unwrap();
        let whole = |text: &str| Expression::read(text).unwrap().whole(&names);
        assert_eq!(whole("lane / 2 * 2"), Ok(6));
        assert_eq!(whole("-lane / 2"), Ok(-3));
        assert_eq!(whole("-lane % 4"), Ok(-3));
        assert_eq!(whole("ceil(lane / 2) + floor(lane / 2)"), Ok(7));
        assert_eq!(whole("lane ^ lane >> 1"), Ok(4));
        assert_eq!(evaluate("lane / 2 * 2", &names).map(Number::whole), Ok(Some(7)));
        let wrong = whole("1 + lane * 0.25").unwrap_err();
        assert_eq!((wrong.at, wrong.message.contains("no whole number")), (0..15, true));
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let names = names(&[("lane", "7")]).unwrap();
        for (text, at) in [
            ("lane * ", 7..7),
            ("lane $ 2", 5..6),
            ("(lane + 1", 0..1),
            ("lane + rank", 7..11),
            ("lane / 0 + 1", 5..6),
            ("4 + 4K", 4..6),
            ("1 + log(lane)", 4..7),
            ("lane \u{e9}", 5..7),
            ("", 0..0),
            ("0.5 ^ lane", 4..5),
        ] {
            let wrong = Expression::read(text).and_then(|expression| expression.whole(&names)).unwrap_err();
            assert_eq!(wrong.at, at, "{text}: {}", wrong.message);
        }
    }
}
