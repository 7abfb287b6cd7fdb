//! What buffers hold at the start: the contents of a launch file, with seeds that the case gives, and distributions that
//! exercises need.
//!
//! `f32[n]=random(0, 1)` and all other contents of `warpbook sim` can be written; where a seed belongs and none is
//! given, it is made from the case's seed and the buffer's name. These are known besides:
//!
//! - `whole(min, max)`: uniform whole numbers, also in floating-point buffers, so that sums are exact
//! - `skewed(min, max, percent)`: `percent` of the elements are one value, the others uniform: contention
//! - `runs(min, max, length)`: runs of equal values, of 1 to `2 * length - 1` elements; neighbours differ
//! - `sorted(min, max)`: uniform whole numbers in ascending order
//! - `orders(min, max)`: all whole numbers from `min` to `max` in a random order, then in another one, and so on

use ::data::element::Element;
use ::data::expression::{self, Names};
use ::data::random::Random;
use launch::content::{self, Content, Context};

/// The generators of this file, with their options in order.
const OWN: &[(&str, &[&str])] = &[
    ("whole", &["min", "max"]),
    ("skewed", &["min", "max", "percent"]),
    ("runs", &["min", "max", "length"]),
    ("sorted", &["min", "max"]),
    ("orders", &["min", "max"]),
];

/// Generators of launch files that take a seed.
const SEEDED: [&str; 3] = ["random", "normal", "permutation"];

/// Most elements of a buffer that is computed, so that a mistyped size does not fill the memory.
const MOST: u64 = 1 << 24;

/// Reads the content of a buffer.
///
/// # Errors
/// A sentence for the course's author.
pub fn content(text: &str, context: Context<'_>, seed: u64) -> Result<Content, String> {
    let none = || format!("`{text}` is no buffer; write f32[n]=whole(-9, 9), for example");
    let Some((head, generator)) = text.split_once('=').map(|(head, rest)| (head.trim(), rest.trim())) else {
        return content::parse(text, context).map_err(|why| why.to_string())?.ok_or_else(none);
    };
    let (word, options) = generator.split_once('(').unwrap_or((generator, ")"));
    let options = options.trim_end().strip_suffix(')');
    if let (Some((name, keys)), Some(options)) = (OWN.iter().find(|(name, _)| *name == word.trim()), options) {
        return own(head, name, keys, options, context.names, seed);
    }
    let text = match options {
        Some(options) if SEEDED.contains(&word.trim()) && !options.contains("seed") => {
            let comma = if options.trim().is_empty() { "" } else { ", " };
            format!("{head}={word}({options}{comma}seed={seed})")
        }
        _ => text.to_owned(),
    };
    content::parse(&text, context).map_err(|why| why.to_string())?.ok_or_else(none)
}

/// A buffer of one of the generators of this file.
fn own(head: &str, name: &str, keys: &[&str], options: &str, names: &Names, seed: u64) -> Result<Content, String> {
    let form = || format!("`{head}={name}({options})` is not TYPE[COUNT]={name}({})", keys.join(", "));
    let (kind, count) = head.strip_suffix(']').and_then(|head| head.split_once('[')).ok_or_else(form)?;
    let element = Element::find(kind.trim()).ok_or_else(|| format!("`{kind}` is not a type of elements"))?;
    let count = expression::count(count, names)?;
    if count > MOST {
        return Err(format!("`{head}` has {count} elements, and exercises have at most {MOST}"));
    }
    let mut values = Vec::new();
    for (key, option) in keys.iter().zip(options.split(',')) {
        let text = option.split_once('=').map_or(option, |(_, value)| value);
        let whole = expression::evaluate(text, names)?.whole().and_then(|whole| i64::try_from(whole).ok());
        values.push(whole.ok_or_else(|| format!("{name}: {key} is a whole number, not `{text}`"))?);
    }
    if values.len() != keys.len() || options.split(',').count() != keys.len() {
        return Err(form());
    }
    let (min, max, third) = (values[0], values[1], values.get(2).copied().unwrap_or(1));
    // An order is made whole, however little of it has room.
    let too_long = name == "orders" && i128::from(max) - i128::from(min) >= i128::from(MOST);
    if min > max || too_long || third < 1 || (name == "skewed" && third > 100) {
        return Err(format!("{name}: {min} to {max} with {third} is no distribution"));
    }
    for end in [min, max] {
        element.parse(&end.to_string())?;
    }
    let numbers = numbers(name, count as usize, [min, max, third], &mut Random::new(seed));
    let data: Vec<u8> = numbers.into_iter().flat_map(|number| element.of_whole(number.into())).collect();
    Ok(Content { bytes: data.len() as u64, data: data.into(), written: true, element: Some(element) })
}

/// The elements.
fn numbers(name: &str, count: usize, [min, max, third]: [i64; 3], random: &mut Random) -> Vec<i64> {
    let size = (i128::from(max) - i128::from(min) + 1) as u128;
    let below = |random: &mut Random, size: u128| (u128::from(random.bits()) * size) >> 64;
    let uniform = |random: &mut Random| (i128::from(min) + below(random, size) as i128) as i64;
    match name {
        "skewed" => {
            let hot = uniform(random);
            (0..count)
                .map(|_| {
                    let other = uniform(random);
                    if below(random, 100) < third as u128 { hot } else { other }
                })
                .collect()
        }
        "runs" => {
            let mut numbers: Vec<i64> = Vec::with_capacity(count);
            while numbers.len() < count {
                let mut value = uniform(random);
                if numbers.last() == Some(&value) && min < max {
                    value = if value == max { min } else { value + 1 };
                }
                let length = 1 + below(random, 2 * third as u128 - 1) as usize;
                numbers.extend(std::iter::repeat_n(value, length.min(count - numbers.len())));
            }
            numbers
        }
        "orders" => {
            let mut numbers: Vec<i64> = Vec::with_capacity(count);
            while numbers.len() < count {
                let mut order: Vec<i64> = (min..=max).collect();
                for last in (1..order.len()).rev() {
                    order.swap(last, below(random, last as u128 + 1) as usize);
                }
                order.truncate(count - numbers.len());
                numbers.append(&mut order);
            }
            numbers
        }
        _ => {
            let mut numbers: Vec<i64> = (0..count).map(|_| uniform(random)).collect();
            if name == "sorted" {
                numbers.sort_unstable();
            }
            numbers
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ::data::expression::Number;

    use super::*;

    fn read(text: &str, seed: u64) -> Result<Vec<f64>, String> {
        let names = Names::from([("n".to_owned(), Number::from(1000))]);
        let content = content(text, Context { folder: Path::new(""), names: &names }, seed)?;
        let element = content.element.unwrap();
        Ok(content.to_bytes().chunks(element.bytes()).map(|bytes| element.value(bytes)).collect())
    }

    #[test]
    fn distributions_are_what_they_say() {
        let whole = read("f32[n]=whole(-9, 9)", 1).unwrap();
        assert!(whole.iter().all(|x| x.fract() == 0.0 && x.abs() <= 9.0) && whole.contains(&-9.0));
        let skewed = read("u32[n]=skewed(0, 255, 90)", 2).unwrap();
        let most = skewed.iter().map(|x| skewed.iter().filter(|y| *y == x).count()).max().unwrap();
        assert!((860..=940).contains(&most), "{most}");
        let runs = read("i32[n]=runs(0, 3, 5)", 3).unwrap();
        let borders = runs.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!((150..=260).contains(&borders), "{borders}");
        assert!(read("i32[n]=sorted(0, 99)", 4).unwrap().is_sorted());
        let orders = read("u32[n]=orders(0, 249)", 5).unwrap();
        let parts: Vec<Vec<f64>> = orders.chunks(250).map(<[f64]>::to_vec).collect();
        assert!(parts[0] != parts[1] && !parts[0].is_sorted());
        for mut part in parts {
            part.sort_by(f64::total_cmp);
            assert!(part.iter().copied().eq((0..250).map(f64::from)));
        }
        assert_eq!(read("u8[3]=[1, 2, 3]", 0).unwrap(), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn the_seed_of_the_case_is_used_where_none_is_given() {
        for text in ["f32[n]=whole(0, 99)", "f32[n]=random", "f32[n]=random(0, 2)", "u16[n]=permutation()"] {
            assert_eq!(read(text, 1), read(text, 1), "{text}");
            assert_ne!(read(text, 1), read(text, 2), "{text}");
        }
        assert_eq!(read("f32[n]=random(seed=7)", 1), read("f32[n]=random(seed=7)", 2));
    }

    #[test]
    fn slips_are_named() {
        for (text, part) in [
            ("f32[n]=whole(1)", "is not TYPE[COUNT]=whole(min, max)"),
            ("f32[n]=whole(5, 1)", "no distribution"),
            ("u8[n]=whole(0, 256)", "does not fit"),
            ("u8[n]=skewed(0, 9, 101)", "no distribution"),
            ("i64[n]=orders(0, 1 << 24)", "no distribution"),
            ("q[n]=whole(0, 9)", "not a type"),
            ("f32[1<<30]=whole(0, 9)", "at most"),
            ("5", "is no buffer"),
        ] {
            let why = read(text, 0).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
