//! Exact numbers: fractions of whole numbers of 128 bits.

/// What is said of a number that does not fit.
pub(crate) const TOO_LARGE: &str = "the number is too large";

/// A fraction, in lowest terms, with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    pub(crate) over: i128,
    pub(crate) under: i128,
}

impl From<u64> for Number {
    fn from(whole: u64) -> Self {
        Self { over: whole.into(), under: 1 }
    }
}

impl Number {
    pub(crate) fn new(over: i128, under: i128) -> Result<Self, String> {
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

    pub(crate) const fn of(whole: i128) -> Self {
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

    /// The number without what follows its point, as CUDA divides whole numbers.
    pub(crate) fn cut(self) -> Self {
        Self::of(self.over / self.under)
    }

    pub(crate) fn floor(self) -> i128 {
        self.over.div_euclid(self.under)
    }

    pub(crate) fn apply(self, operator: &str, right: Self) -> Result<Self, String> {
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
            "&" => Ok(Self::of(whole(self)? & whole(right)?)),
            "|" => Ok(Self::of(whole(self)? | whole(right)?)),
            "^" => Ok(Self::of(whole(self)? ^ whole(right)?)),
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

/// A literal: `1_000`, `0xff`, `0.5`, `1e-3`.
pub(crate) fn decimal(word: &str) -> Option<Number> {
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
