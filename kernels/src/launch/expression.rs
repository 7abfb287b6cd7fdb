//! Numbers as a launch writes them: `1024`, `4*n`, `ceil(n/256)`, `1<<20`, with names for those that come up often.
//!
//! Arithmetic is exact, on fractions of 128-bit whole numbers, so that `n/256` is not silently rounded: where a whole
//! number is needed and there is none, the message says to write `ceil` or `floor`.

use std::collections::BTreeMap;

/// Names and their values.
pub type Names = BTreeMap<String, Number>;

/// Deepest nesting of brackets and signs: the reader calls itself for each.
const DEEPEST: u32 = 64;

/// A fraction, in lowest terms, with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    over: i128,
    under: i128,
}

const TOO_LARGE: &str = "the number is too large";

impl From<u64> for Number {
    fn from(whole: u64) -> Self {
        Self { over: whole.into(), under: 1 }
    }
}

impl Number {
    fn new(over: i128, under: i128) -> Result<Self, String> {
        if under == 0 {
            return Err("a division by zero".to_owned());
        }
        let divisor = gcd(over.unsigned_abs(), under.unsigned_abs());
        let divisor = i128::try_from(divisor).map_err(|_| TOO_LARGE)?;
        let (over, under) = (over / divisor, under / divisor);
        let negative = under < 0;
        let over = if negative { over.checked_neg() } else { Some(over) };
        Ok(Self { over: over.ok_or(TOO_LARGE)?, under: under.checked_abs().ok_or(TOO_LARGE)? })
    }

    const fn of(whole: i128) -> Self {
        Self { over: whole, under: 1 }
    }

    /// The number, if it is a whole one.
    pub fn whole(self) -> Option<i128> {
        (self.under == 1).then_some(self.over)
    }

    /// The nearest double.
    pub fn real(self) -> f64 {
        self.over as f64 / self.under as f64
    }

    /// Which of two numbers is greater.
    ///
    /// # Errors
    /// A sentence when they are too large to be compared exactly.
    pub fn compare(self, other: Self) -> Result<std::cmp::Ordering, String> {
        Ok(self.apply("-", other)?.over.cmp(&0))
    }

    fn floor(self) -> i128 {
        self.over.div_euclid(self.under)
    }

    fn apply(self, operator: &str, right: Self) -> Result<Self, String> {
        let too_large = || TOO_LARGE.to_owned();
        let product = |a: i128, b: i128| a.checked_mul(b).ok_or_else(too_large);
        let whole = |number: Self| number.whole().ok_or_else(|| format!("`{operator}` needs whole numbers"));
        match operator {
            "+" | "-" => {
                let (left, other) = (product(self.over, right.under)?, product(right.over, self.under)?);
                let sum = if operator == "+" { left.checked_add(other) } else { left.checked_sub(other) };
                Self::new(sum.ok_or_else(too_large)?, product(self.under, right.under)?)
            }
            "*" => Self::new(product(self.over, right.over)?, product(self.under, right.under)?),
            "/" => Self::new(product(self.over, right.under)?, product(self.under, right.over)?),
            "%" => match whole(right)? {
                0 => Err("a division by zero".to_owned()),
                divisor => whole(self)?.checked_rem(divisor).map(Self::of).ok_or_else(too_large),
            },
            "<<" => {
                let power = u32::try_from(whole(right)?).ok().and_then(|shift| 2i128.checked_pow(shift));
                Ok(Self::of(product(whole(self)?, power.ok_or_else(too_large)?)?))
            }
            _ => {
                let shift = u32::try_from(whole(right)?).map_err(|_| TOO_LARGE)?;
                Ok(Self::of(whole(self)? >> shift.min(127)))
            }
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.under == 1 { write!(f, "{}", self.over) } else { write!(f, "{}", self.real()) }
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
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
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Push(Number),
    Name(String),
    Negate,
    Operator(&'static str),
    Call(&'static str, usize),
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, rest: text, steps: Vec::new(), depth: 0 };
        reader.operation(0)?;
        match reader.peek() {
            None => Ok(Self { steps: reader.steps }),
            Some(_) => Err(reader.wrong()),
        }
    }

    /// The names that it uses.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| if let Step::Name(name) = step { Some(name.as_str()) } else { None })
    }

    /// Its value.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn value(&self, names: &Names) -> Result<Number, String> {
        let mut stack: Vec<Number> = Vec::new();
        let broken = || "an operand is missing".to_owned();
        for step in &self.steps {
            let result = match step {
                Step::Push(number) => *number,
                Step::Name(name) => *names.get(name).ok_or_else(|| unknown(name, names))?,
                Step::Negate => Number::of(0).apply("-", stack.pop().ok_or_else(broken)?)?,
                Step::Operator(operator) => {
                    let right = stack.pop().ok_or_else(broken)?;
                    stack.pop().ok_or_else(broken)?.apply(operator, right)?
                }
                Step::Call(function, operands) => {
                    let given = stack.split_off(stack.len().saturating_sub(*operands));
                    call(function, &given)?
                }
            };
            stack.push(result);
        }
        stack.pop().ok_or_else(broken)
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

/// Operators, from those that bind loosest.
const LEVELS: [&[&str]; 3] = [&["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    steps: Vec<Step>,
    depth: u32,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn wrong(&mut self) -> String {
        let text = self.text;
        match self.peek() {
            None if text.trim().is_empty() => "a number is missing".to_owned(),
            None => format!("`{text}` ends too early"),
            Some(c) => format!("`{text}` is not a number: `{c}` does not belong there"),
        }
    }

    fn take(&mut self, token: &str) -> bool {
        self.peek();
        let found = self.rest.strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn operation(&mut self, level: usize) -> Result<(), String> {
        let Some(operators) = LEVELS.get(level) else { return self.operand() };
        self.operation(level + 1)?;
        while let Some(operator) = operators.iter().copied().find(|operator| self.take(operator)) {
            self.operation(level + 1)?;
            self.steps.push(Step::Operator(operator));
        }
        Ok(())
    }

    fn operand(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("more than {DEEPEST} brackets or signs are nested"));
        }
        match self.peek() {
            Some('-') => {
                self.take("-");
                self.operand()?;
                self.steps.push(Step::Negate);
            }
            Some('(') => {
                self.take("(");
                self.operation(0)?;
                self.close()?;
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.literal()?,
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.named()?,
            _ => return Err(self.wrong()),
        }
        self.depth -= 1;
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        if self.take(")") {
            return Ok(());
        }
        match self.peek() {
            None => Err(format!("`{}` opens a bracket and does not close it", self.text)),
            Some(_) => Err(self.wrong()),
        }
    }

    fn word(&mut self, belongs: impl Fn(char, Option<char>) -> bool) -> &str {
        let mut before = None;
        let end = self.rest.char_indices().find(|&(_, c)| {
            let ends = !belongs(c, before);
            before = Some(c);
            ends
        });
        let (word, rest) = self.rest.split_at(end.map_or(self.rest.len(), |(at, _)| at));
        self.rest = rest;
        word
    }

    fn literal(&mut self) -> Result<(), String> {
        let hexadecimal = self.rest.starts_with("0x") || self.rest.starts_with("0X");
        let word = self.word(|c, before| {
            let exponent = matches!(before, Some('e' | 'E')) && !hexadecimal;
            c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || exponent && matches!(c, '+' | '-')
        });
        let number = decimal(word).ok_or_else(|| format!("`{word}` is not a number"))?;
        self.steps.push(Step::Push(number));
        Ok(())
    }

    fn named(&mut self) -> Result<(), String> {
        let word = self.word(|c, _| c.is_ascii_alphanumeric() || c == '_').to_owned();
        if !self.take("(") {
            self.steps.push(Step::Name(word));
            return Ok(());
        }
        let Some(function) = FUNCTIONS.into_iter().find(|function| *function == word) else {
            return Err(format!("there is no function `{word}`; there are {}", FUNCTIONS.join(", ")));
        };
        let mut operands = 0;
        loop {
            self.operation(0)?;
            operands += 1;
            if !self.take(",") {
                break;
            }
        }
        self.close()?;
        self.steps.push(Step::Call(function, operands));
        Ok(())
    }
}

/// A literal: `1_000`, `0xff`, `0.5`, `1e-3`.
fn decimal(word: &str) -> Option<Number> {
    let word = word.replace('_', "");
    if let Some(hexadecimal) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        let plain = hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit());
        return i128::from_str_radix(hexadecimal, 16).ok().filter(|_| plain).map(Number::of);
    }
    let (digits, exponent) = match word.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (word.as_str(), 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all: String = [whole, fraction].concat();
    if !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let power = 10i128.checked_pow(exponent.unsigned_abs())?;
    let digits: i128 = all.parse().ok()?;
    if exponent < 0 { Number::new(digits, power).ok() } else { digits.checked_mul(power).map(Number::of) }
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
}
