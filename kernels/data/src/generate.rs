//! Buffers that are computed: `random(min=-1, max=1, seed=7)`, `normal`, `permutation`, `iota`, `zeros`, or any
//! expression of the element's index `i`.

use crate::element::Element;
use crate::expression::{self, Expression, Names, Number};
use crate::random::Random;
use crate::split;

/// The generators, for messages: name and options with what they are if they are not given.
const GENERATORS: &[(&str, &[&str])] = &[
    ("zeros", &[]),
    ("iota", &["start", "step"]),
    ("random", &["min", "max", "seed"]),
    ("normal", &["mean", "deviation", "seed"]),
    ("permutation", &["seed"]),
];

/// Largest buffer that is computed element by element, in bytes; more would not come to an end while anyone waits.
const LARGEST: u64 = 1 << 34;

/// What stands in the brackets behind a generator.
struct Given<'a> {
    generator: &'static str,
    options: Vec<(&'static str, &'a str)>,
    names: &'a Names,
}

impl<'a> Given<'a> {
    fn text(&self, option: &str) -> Option<&'a str> {
        self.options.iter().find(|(name, _)| *name == option).map(|(_, text)| *text)
    }

    fn number(&self, option: &str) -> Result<Option<Number>, String> {
        let number = self.text(option).map(|text| expression::evaluate(text, self.names));
        number.transpose().map_err(|why| format!("{}({option}=…): {why}", self.generator))
    }

    fn real(&self, option: &str, otherwise: f64) -> Result<f64, String> {
        // What is no fraction of 128-bit numbers, such as 1e300, is read as a double.
        if let Some(real) = self.text(option).and_then(|text| text.trim().parse::<f64>().ok()) {
            if real.is_finite() {
                return Ok(real);
            }
            return Err(format!("{}({option}=…) must be a finite number", self.generator));
        }
        Ok(self.number(option)?.map_or(otherwise, Number::real))
    }

    fn whole(&self, option: &str, otherwise: i128) -> Result<i128, String> {
        let Some(number) = self.number(option)? else { return Ok(otherwise) };
        number.whole().ok_or_else(|| format!("{}({option}=…) needs a whole number, not {number}", self.generator))
    }

    fn seed(&self) -> Result<Random, String> {
        let seed = u64::try_from(self.whole("seed", 0)?);
        Ok(Random::new(seed.map_err(|_| format!("{}(seed=…) is a number from 0 on", self.generator))?))
    }
}

/// The bytes of `count` elements; what is not there is zero.
///
/// # Errors
/// A sentence for the user.
pub fn generate(element: Element, count: u64, text: &str, names: &Names) -> Result<Vec<u8>, String> {
    let (word, rest) = text.split_at(text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len()));
    let Some((generator, allowed)) = GENERATORS.iter().find(|(name, _)| *name == word).copied() else {
        return each(element, count, text, names);
    };
    let given = Given { generator, options: options(generator, allowed, rest)?, names };
    if generator == "zeros" {
        return Ok(Vec::new());
    }
    within(element, count)?;
    match generator {
        "iota" => iota(element, count, &given),
        "permutation" => permutation(element, count, &given),
        _ => random(element, count, &given),
    }
}

fn within(element: Element, count: u64) -> Result<(), String> {
    if count.saturating_mul(element.bytes() as u64) > LARGEST {
        return Err(format!("a buffer of more than {LARGEST} bytes can be zeros or a file, but not computed"));
    }
    Ok(())
}

/// Reads `(min=0, max=9)` or, in their order, `(0, 9)`.
fn options<'a>(
    generator: &str,
    allowed: &[&'static str],
    rest: &'a str,
) -> Result<Vec<(&'static str, &'a str)>, String> {
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(Vec::new());
    }
    let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.ok_or_else(|| format!("`{generator}{rest}` is not {generator}({})", allowed.join("=…, ")))?;
    let mut options = Vec::new();
    for (index, part) in split(inner).into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        let (name, value) = match part.split_once('=') {
            Some((name, value)) => (allowed.iter().find(|known| **known == name.trim()), value),
            None => (allowed.get(index), part),
        };
        let Some(name) = name else {
            let allowed = if allowed.is_empty() { "nothing" } else { &allowed.join(", ") };
            return Err(format!("`{part}` does not belong into {generator}(…), which takes {allowed}"));
        };
        if options.iter().any(|(known, _)| known == name) {
            return Err(format!("{generator}(…) is given `{name}` twice"));
        }
        options.push((*name, value));
    }
    Ok(options)
}

/// One expression of `i` for all elements.
fn each(element: Element, count: u64, text: &str, names: &Names) -> Result<Vec<u8>, String> {
    let explained = |why: String| {
        let generators: Vec<&str> = GENERATORS.iter().map(|(name, _)| *name).collect();
        let generators = generators.join(", ");
        format!("{why}; a buffer can hold {generators}, file(…), text(…), [a list] or an expression of the index `i`")
    };
    within(element, count)?;
    // A literal may be what no expression is: `inf`, `1e300`, `true`.
    if let Ok(bytes) = element.parse(text) {
        return Ok(if bytes.iter().all(|&byte| byte == 0) { Vec::new() } else { bytes.repeat(count as usize) });
    }
    let expression = Expression::parse(text).map_err(explained)?;
    let mut names = names.clone();
    if !expression.names().any(|name| name == "i") {
        let value = expression.value(&names).map_err(explained)?;
        return Ok(element.of_number(value)?.repeat(count as usize));
    }
    let mut bytes = Vec::with_capacity((count as usize).saturating_mul(element.bytes()));
    for index in 0..count {
        match names.get_mut("i") {
            Some(i) => *i = Number::from(index),
            None => drop(names.insert("i".to_owned(), Number::from(index))),
        }
        let value = expression.value(&names).and_then(|value| element.of_number(value));
        bytes.extend(value.map_err(|why| format!("element {index}: {why}"))?);
    }
    Ok(bytes)
}

fn iota(element: Element, count: u64, given: &Given<'_>) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(count as usize * element.bytes());
    if element.is_real() {
        let (start, step) = (given.real("start", 0.0)?, given.real("step", 1.0)?);
        (0..count).for_each(|index| bytes.extend(element.of_real(start + step * index as f64)));
    } else {
        let (start, step) = (given.whole("start", 0)?, given.whole("step", 1)?);
        (0..count).for_each(|index| {
            // As an assignment in C does it: cut to the type's size, and a bool is whether the number is not 0.
            let value = start.wrapping_add(step.wrapping_mul(i128::from(index)));
            bytes.extend(element.of_whole(if element == Element::Bool { (value != 0).into() } else { value }));
        });
    }
    Ok(bytes)
}

/// Every number from 0 to `count` - 1 once, in random order: indices for a gather or a scatter.
fn permutation(element: Element, count: u64, given: &Given<'_>) -> Result<Vec<u8>, String> {
    let mut random = given.seed()?;
    // The largest of them must fit.
    element.parse(&count.saturating_sub(1).to_string())?;
    let mut numbers: Vec<u64> = (0..count).collect();
    for last in (1..numbers.len()).rev() {
        let other = (u128::from(random.bits()) * (last as u128 + 1)) >> 64;
        numbers.swap(last, other as usize);
    }
    Ok(numbers.into_iter().flat_map(|number| element.of_whole(number.into())).collect())
}

/// `random`: uniform, reals from `min` (0) to `max` (1, excluded), whole numbers from `min` (0) to `max` (99). `normal`:
/// the sum of twelve uniform numbers, which looks like a normal distribution up to six deviations and needs no function
/// that differs between machines.
fn random(element: Element, count: u64, given: &Given<'_>) -> Result<Vec<u8>, String> {
    let mut random = given.seed()?;
    let mut bytes = Vec::with_capacity(count as usize * element.bytes());
    // 53 random bits fill the fraction of a double.
    let mut unit = || (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    if given.generator == "normal" {
        let (mean, deviation) = (given.real("mean", 0.0)?, given.real("deviation", 1.0)?);
        (0..count).for_each(|_| {
            let sum: f64 = (0..12).map(|_| unit()).sum();
            let value = mean + deviation * (sum - 6.0);
            bytes.extend(element.of_real(if element.is_real() { value } else { value.round() }));
        });
        return Ok(bytes);
    }
    if element.is_real() {
        let (min, max) = (given.real("min", 0.0)?, given.real("max", 1.0)?);
        (0..count).for_each(|_| bytes.extend(element.of_real(min + (max - min) * unit())));
        return Ok(bytes);
    }
    let highest = if element == Element::Bool { 1 } else { 99 };
    let (min, max) = (given.whole("min", 0)?, given.whole("max", highest)?);
    if min > max {
        return Err(format!("random: min={min} is larger than max={max}"));
    }
    // Both ends must fit into the type.
    for end in [min, max] {
        element.parse(&end.to_string())?;
    }
    let size = (max - min + 1) as u128;
    (0..count).for_each(|_| {
        let above = (u128::from(random.bits()) * size) >> 64;
        bytes.extend(element.of_whole(min + above as i128));
    });
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::names;

    fn shown(element: Element, count: u64, text: &str) -> Vec<String> {
        let mut bytes = generate(element, count, text, &names()).unwrap_or_else(|error| panic!("{text}: {error}"));
        bytes.resize(count as usize * element.bytes(), 0);
        bytes.chunks(element.bytes()).map(|bytes| element.show(bytes)).collect()
    }

    #[test]
    fn what_is_computed() {
        assert_eq!(shown(Element::U8, 2, "zeros"), ["0", "0"]);
        assert_eq!(shown(Element::F16, 2, "1.5"), ["1.5", "1.5"]);
        assert_eq!(shown(Element::F32, 1, "inf"), ["inf"]);
        assert_eq!(shown(Element::I16, 3, "iota(start=-1, step=2)"), ["-1", "1", "3"]);
        assert_eq!(shown(Element::F32, 3, "iota(0, 0.5)"), ["0", "0.5", "1"]);
        assert_eq!(shown(Element::I32, 4, "(i*i + n) % 7"), ["6", "0", "3", "1"]);
        assert_eq!(shown(Element::F64, 3, "i/2"), ["0", "0.5", "1"]);
        assert_eq!(shown(Element::I64, 1, "n"), ["1000"]);
    }

    #[test]
    fn random_numbers_stay_between_their_bounds_and_depend_on_the_seed() {
        let numbers = |element, text| -> Vec<f64> {
            shown(element, 500, text).iter().map(|number| number.parse().unwrap()).collect()
        };
        let whole = numbers(Element::I32, "random(min=-3, max=3, seed=7)");
        assert!((-3..=3).all(|value| whole.contains(&f64::from(value))) && whole.iter().all(|n| n.abs() <= 3.0));
        let reals = numbers(Element::F64, "random(2, 4)");
        assert!(reals.iter().all(|real| (2.0..4.0).contains(real)) && reals.iter().any(|&real| real > 3.5));
        let normal = numbers(Element::F64, "normal(10, 2)");
        let mean = normal.iter().sum::<f64>() / 500.0;
        assert!((mean - 10.0).abs() < 0.3 && normal.iter().any(|&real| real > 13.0), "{mean}");
        let mut order = numbers(Element::U16, "permutation(seed=n)");
        assert_ne!(order[..8], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        order.sort_by(f64::total_cmp);
        assert!(order.iter().enumerate().all(|(index, &number)| number == index as f64));
        assert_eq!(shown(Element::U32, 9, "random(seed=1)"), shown(Element::U32, 9, "random( seed = 1 )"));
        assert_ne!(shown(Element::U32, 9, "random(seed=1)"), shown(Element::U32, 9, "random(seed=2)"));
    }

    #[test]
    fn slips_are_named() {
        for (element, text, part) in [
            (Element::F32, "ranodm", "no number is called `ranodm`; there are: n; a buffer can hold zeros, iota"),
            (Element::F32, "ranodm(seed=1)", "no function `ranodm`"),
            (Element::F32, "random(sed=1)", "`sed=1` does not belong into random(…), which takes min, max, seed"),
            (Element::F32, "random(seed=-1)", "from 0 on"),
            (Element::F32, "random(1,2,3,4)", "`4` does not belong"),
            (Element::F32, "random(1, min=2)", "twice"),
            (Element::F32, "random(1", "is not random("),
            (Element::F32, "random(max=inf)", "finite"),
            (Element::I32, "random(min=5, max=4)", "larger than"),
            (Element::I32, "random(max=0.5)", "whole number"),
            (Element::U8, "random(max=256)", "does not fit"),
            (Element::U8, "permutation", "does not fit"),
            (Element::U8, "i", "element 256: 256 does not fit into u8"),
            (Element::I32, "i/2", "element 1: 0.5 is no whole number"),
            (Element::I32, "zeros(1)", "takes nothing"),
        ] {
            let error = generate(element, 300, text, &names()).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(generate(Element::F64, 1 << 40, "i", &names()).unwrap_err().contains("not computed"));
    }
}
