//! Mechanical mutants: the solution with one small fault in the part that the learner writes.
//!
//! A mutant is made from the text, line by line, and named after what was done to it: `drop-barrier-1`. Those that do
//! not compile say nothing about the grader and are left out by whoever runs them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::starter;

/// A solution with one fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// What was done to it, and for the how-manieth time.
    pub name: String,
    /// The line that was changed, from 1.
    pub line: usize,
    /// That line before.
    pub before: String,
    /// That line after; empty if it was removed.
    pub after: String,
    /// The whole text.
    pub text: String,
}

/// Most mutants of one solution.
const MOST: usize = 12;

/// A way to make a fault: all texts that one line can become.
type Operator = (&'static str, fn(&str) -> Vec<String>);

/// The faults that learners make, the most telling first.
const OPERATORS: &[Operator] = &[
    ("drop-barrier", |line| replaced(line, &BARRIER, "")),
    ("drop-bound", drop_bound),
    ("less-equal", compare),
    ("wrong-mask", |line| [replaced(line, &FULL_MASK, "0x0000ffff"), replaced(line, &LOW_BITS, "$1 15")].concat()),
    ("swap-index", |line| {
        let swapped = [(&*THREAD, "blockIdx.$1"), (&*BLOCK, "threadIdx.$1"), (&*TWO_INDICES, "[$2][$1]")];
        swapped.into_iter().flat_map(|(pattern, with)| replaced(line, pattern, with)).collect()
    }),
    ("off-by-one", |line| replaced(line, &ONE, "")),
    ("wrong-shift", |line| replaced(line, &SHIFT, "$1 4")),
    ("no-sum", |line| replaced(line, &ADD_TO, " = ")),
    ("plus-minus", |line| replaced(line, &PLUS, " - ")),
    ("zero-one", |line| replaced(line, &ZERO, "= 1$1")),
    ("drop-line", |line| if line.trim_end().ends_with(';') { vec![String::new()] } else { Vec::new() }),
];

macro_rules! patterns {
    ($($name:ident = $pattern:literal;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("a valid pattern"));)*
    };
}
patterns! {
    BARRIER = r"\b__sync(?:threads|warp)\s*\([^;]*\)\s*;";
    FULL_MASK = r"\b0x[fF]{8}";
    LOW_BITS = r"([&%])\s*(?:31|32)\b";
    THREAD = r"\bthreadIdx\.([xyz])\b";
    BLOCK = r"\bblockIdx\.([xyz])\b";
    TWO_INDICES = r"\[([^\[\]]+)\]\[([^\[\]]+)\]";
    ONE = r"\s[+-]\s1\b";
    SHIFT = r"(>>|<<)\s*5\b";
    ADD_TO = r"\s\+=\s";
    PLUS = r"\s\+\s";
    ZERO = r"=\s*0(f?;|\.0f;)";
}

/// The line with each match of a pattern replaced, one at a time.
fn replaced(line: &str, pattern: &Regex, with: &str) -> Vec<String> {
    let one = |captures: regex::Captures<'_>| {
        let whole = captures.get(0)?;
        let mut put = String::new();
        captures.expand(with, &mut put);
        Some(format!("{}{put}{}", &line[..whole.start()], &line[whole.end()..]))
    };
    pattern.captures_iter(line).filter_map(one).collect()
}

/// Bounds that are not checked: the condition of an `if` with a comparison, or before a `?`, is always true.
fn drop_bound(line: &str) -> Vec<String> {
    let mut made = Vec::new();
    let compares = |condition: &str| condition.contains('<') || condition.contains('>');
    for (at, _) in line.match_indices("if") {
        let Some(open) = line[at..].find('(').map(|open| at + open) else { continue };
        if let Some(close) = closing(&line[open..]).map(|close| open + close)
            && compares(&line[open..close])
        {
            made.push(format!("{}(true{}", &line[..open], &line[close..]));
        }
    }
    if let Some(question) = line.find('?') {
        let before = &line[..question];
        let start = before.rfind([',', '(']).map_or(0, |at| at + 1);
        let assigned = before.match_indices(" = ").last().map_or(0, |(at, _)| at + 2);
        let start = start.max(assigned);
        if compares(&before[start..]) {
            made.push(format!("{} true {}", &line[..start], &line[question..]));
        }
    }
    made
}

/// The place of the bracket that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at),
            ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// `<` for `<=` and the other way round, likewise `>`.
fn compare(line: &str) -> Vec<String> {
    let bytes = line.as_bytes();
    let mut made = Vec::new();
    for (at, &byte) in bytes.iter().enumerate() {
        let (before, after) = (at.checked_sub(1).map(|at| bytes[at]), bytes.get(at + 1).copied());
        // Not a shift, a template or an arrow: comparisons stand between blanks.
        if !matches!(byte, b'<' | b'>') || before != Some(b' ') {
            continue;
        }
        match after {
            Some(b'=') => made.push(format!("{}{}", &line[..=at], &line[at + 2..])),
            Some(b' ') => made.push(format!("{}={}", &line[..=at], &line[at + 1..])),
            _ => {}
        }
    }
    made
}

/// The mutants of a solution: of every operator some, until there are enough.
pub fn mutants(solution: &str) -> Vec<Mutant> {
    let lines: Vec<&str> = solution.lines().collect();
    let own = starter::solution_lines(solution);
    let mut by_operator: Vec<std::vec::IntoIter<Mutant>> = Vec::new();
    let mut texts = BTreeSet::new();
    for (name, operator) in OPERATORS {
        let mut made = Vec::new();
        for &at in &own {
            // Comments are left alone.
            let (code, comment) = lines[at].find("//").map_or((lines[at], ""), |cut| lines[at].split_at(cut));
            if code.trim().is_empty() {
                continue;
            }
            for changed in operator(code) {
                let after = format!("{changed}{comment}");
                let mut all: Vec<&str> = lines.clone();
                all[at] = &after;
                let text = format!("{}\n", all.join("\n"));
                if changed.trim() == code.trim() || !texts.insert((at, changed.trim().to_owned())) {
                    continue;
                }
                let (before, after) = (lines[at].trim().to_owned(), changed.trim().to_owned());
                made.push(Mutant { name: format!("{name}-{}", made.len() + 1), line: at + 1, before, after, text });
            }
        }
        by_operator.push(made.into_iter());
    }
    let mut chosen = Vec::new();
    while chosen.len() < MOST {
        let before = chosen.len();
        for of_one in &mut by_operator {
            chosen.extend(of_one.next());
        }
        if chosen.len() == before {
            break;
        }
    }
    chosen.truncate(MOST);
    chosen.sort_by(|a: &Mutant, b: &Mutant| a.line.cmp(&b.line).then_with(|| a.name.cmp(&b.name)));
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(line: &str) -> Vec<(String, String)> {
        let text = format!("int shared;\n// STARTER\n// SOLUTION\n{line}\n// END\n");
        mutants(&text).into_iter().map(|mutant| (mutant.name, mutant.after)).collect()
    }

    fn has(line: &str, name: &str, after: &str) {
        let all = changed(line);
        assert!(all.contains(&(name.to_owned(), after.to_owned())), "{line}: {all:?}");
    }

    #[test]
    fn every_operator_makes_its_fault() {
        has("    __syncthreads();", "drop-barrier-1", "");
        has("if (i < n) out[i] = x;", "drop-bound-1", "if (true) out[i] = x;");
        has("float x = i < n ? in[i] : 0.0f;", "drop-bound-1", "float x = true ? in[i] : 0.0f;");
        has("if (i < n) {", "less-equal-1", "if (i <= n) {");
        has("while (i >= 1) {", "less-equal-1", "while (i > 1) {");
        has("v += __shfl_xor_sync(0xffffffff, v, 1);", "wrong-mask-1", "v += __shfl_xor_sync(0x0000ffff, v, 1);");
        has("int lane = threadIdx.x % 32;", "wrong-mask-1", "int lane = threadIdx.x % 15;");
        has("int i = threadIdx.x;", "swap-index-1", "int i = blockIdx.x;");
        has("t[x][y] = 1;", "swap-index-1", "t[y][x] = 1;");
        has("s[i] = s[i - 1];", "off-by-one-1", "s[i] = s[i];");
        has("int w = i >> 5;", "wrong-shift-1", "int w = i >> 4;");
        has("sum += x;", "no-sum-1", "sum = x;");
        has("int z = x + y;", "plus-minus-1", "int z = x - y;");
        has("int sum = 0;", "zero-one-1", "int sum = 1;");
        has("s[i] = x;", "drop-line-1", "");
    }

    #[test]
    fn only_what_the_learner_writes_is_changed() {
        let mutants = mutants("if (i < n) a();\n// STARTER\n// SOLUTION\n// if (i < n)\n#define W 32\n// END\n");
        assert!(mutants.is_empty(), "{mutants:?}");
    }
}
