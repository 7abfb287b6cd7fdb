//! What the host code of a source says of its launches: the shapes of blocks in `kernel<<<grid, block>>>(…)`, the template
//! arguments and small constants. It is read as text; what is not understood is left out.

use std::collections::BTreeMap;

use sim::Dim3;

use super::expression::{self, Names, Number};
use super::split;
use crate::compile::host::blanked;

/// What one launch of a kernel says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Hint {
    /// The kernel, without template arguments.
    pub(super) kernel: String,
    /// Its template arguments as written, `<float, 256>`, or nothing.
    pub(super) arguments: String,
    /// The block, if its extents are constants.
    pub(super) block: Option<Dim3>,
    /// The arguments that are constants.
    pub(super) values: Vec<Option<u64>>,
}

/// The launches of a source, in order.
pub(super) fn launches(source: &str) -> Vec<Hint> {
    let code = blanked(source);
    let names = constants(&code);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("<<<") {
        let before = code[..at].trim_end();
        let (name, arguments) = match before.strip_suffix('>') {
            Some(_) => match opening(before) {
                Some(open) => (before[..open].trim_end(), before[open..].to_owned()),
                None => continue,
            },
            None => (before, String::new()),
        };
        let start = name.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let Some((configuration, rest)) = code[at + 3..].split_once(">>>") else { continue };
        if configuration.len() > 1000 || name[start..].is_empty() {
            continue;
        }
        let parts = split(configuration);
        let block = parts.get(1).and_then(|text| shape(text, &code, &names, 0));
        let list =
            rest.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(';')).map_or("", |(list, _)| list);
        let list = list.rfind(')').map_or("", |end| &list[..end]);
        let value = |text: &str| whole(text, &names);
        let values = split(list).into_iter().map(value).collect();
        found.push(Hint { kernel: name[start..].to_owned(), arguments, block, values });
    }
    found
}

/// Where the bracket opens that a text closes with its last character.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            ';' | '{' | '}' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// A shape: an expression, `dim3(16, 16)`, or the name of a `dim3`.
fn shape(text: &str, code: &str, names: &Names, depth: u32) -> Option<Dim3> {
    let text = text.trim();
    if let Some(x) = whole(text, names) {
        return dim3(&[x]);
    }
    let inner = text.strip_prefix("dim3").map(str::trim_start);
    let inner = inner.and_then(|rest| rest.strip_prefix(['(', '{'])).and_then(|rest| rest.strip_suffix([')', '}']));
    if let Some(inner) = inner {
        let extents: Option<Vec<u64>> = split(inner).into_iter().map(|part| whole(part, names)).collect();
        return dim3(&extents?);
    }
    if depth > 0 || !expression::is_name(text) {
        return None;
    }
    // `dim3 block(16, 16);`, `dim3 grid(4), block(16, 16);`, `dim3 block = dim3(16, 16);`
    code.match_indices("dim3").find_map(|(at, _)| {
        let statement = &code[at + 4..code[at..].find(';').map_or(code.len(), |end| at + end)];
        split(statement).into_iter().find_map(|declared| {
            let rest = declared.trim().strip_prefix(text)?.trim_start();
            if let Some(value) = rest.strip_prefix('=') {
                return shape(value, code, names, depth + 1);
            }
            rest.starts_with(['(', '{']).then(|| shape(&format!("dim3{rest}"), code, names, depth + 1)).flatten()
        })
    })
}

fn dim3(extents: &[u64]) -> Option<Dim3> {
    let at = |index: usize| extents.get(index).map_or(Some(1), |&extent| u32::try_from(extent).ok());
    let shape = Dim3::new(at(0)?, at(1)?, at(2)?);
    (extents.len() <= 3 && (1..=1024).contains(&shape.count())).then_some(shape)
}

/// A whole number, as C computes it.
fn whole(text: &str, names: &Names) -> Option<u64> {
    let number = value(text, names)?;
    u64::try_from(number.whole()?).ok()
}

fn value(text: &str, names: &Names) -> Option<Number> {
    let plain = ["(int)", "(unsigned)", "(unsigned int)", "(size_t)", "(float)"];
    let text = plain.iter().fold(text.trim().to_owned(), |text, cast| text.replace(cast, ""));
    if text.is_empty() || text.len() > 200 {
        return None;
    }
    let text: String = text.split_inclusive(|c: char| !c.is_alphanumeric()).map(unsuffixed).collect();
    let number = expression::evaluate(&text, names).ok()?;
    // Division of whole numbers is rounded down in C.
    Some(if number.whole().is_some() { number } else { Number::from(number.real().max(0.0) as u64) })
}

/// `256u` is 256.
fn unsuffixed(word: &str) -> String {
    let end = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
    let (token, mark) = word.split_at(end);
    let digits = token.starts_with(|c: char| c.is_ascii_digit()) && !token.starts_with("0x");
    format!("{}{mark}", if digits { token.trim_end_matches(['u', 'U', 'l', 'L']) } else { token })
}

/// The constants of a source: macros, and whole numbers that are declared with a value.
fn constants(code: &str) -> Names {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut keep = |name: &str, text: &str| {
        if expression::is_name(name) && name != "i" && !texts.contains_key(name) {
            texts.insert(name.to_owned(), text.trim().to_owned());
        }
    };
    for line in code.lines() {
        if let Some(rest) = line.trim_start().strip_prefix('#') {
            let define = rest.trim_start().strip_prefix("define").map(str::trim);
            if let Some((name, text)) = define.and_then(|rest| rest.split_once(char::is_whitespace)) {
                keep(name, text);
            }
            continue;
        }
        for statement in line.split([';', '{']) {
            let Some((left, right)) = statement.split_once('=') else { continue };
            let words: Vec<&str> = left.split_whitespace().collect();
            let is_whole = |word: &&str| matches!(*word, "int" | "unsigned" | "size_t" | "long" | "auto" | "uint32_t");
            if let [kinds @ .., name] = &words[..]
                && kinds.iter().any(is_whole)
            {
                keep(name, right.split(',').next().unwrap_or(right));
            }
        }
    }
    let mut names = Names::new();
    // Constants may be built on each other in any order.
    for _ in 0..4 {
        for (name, text) in &texts {
            if !names.contains_key(name)
                && let Some(number) = value(text, &names)
            {
                names.insert(name.clone(), number);
            }
        }
    }
    names
}

/// An instance of a template that nothing in the source makes: what a launch writes, else plain arguments for its
/// parameters.
pub(super) fn instance(source: &str, name: &str) -> Option<String> {
    let code = blanked(source);
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let at = code.match_indices(name).map(|(at, _)| at).find(|&at| {
        let whole = !code[..at].ends_with(part) && code[at + name.len()..].trim_start().starts_with('(');
        let global = code[..at].rfind("__global__");
        whole && global.is_some_and(|global| !code[global..at].contains(['{', ';']))
    })?;
    let global = code[..at].rfind("__global__")?;
    let template = code[..global].rfind("template")?;
    let head = code[template + "template".len()..global].trim();
    if head.contains([';', '}']) {
        return None;
    }
    let list = head.strip_prefix('<')?.trim_end();
    let list = &list[..list.rfind('>')?];
    let mut arguments = Vec::new();
    for parameter in split(list) {
        if parameter.contains("...") || parameter.contains("template") {
            return None;
        }
        if parameter.contains('=') {
            break;
        }
        let words: Vec<&str> = parameter.split_whitespace().collect();
        arguments.push(match words.first()? {
            &"typename" | &"class" => "float",
            &"bool" => "true",
            _ => "16",
        });
    }
    Some(format!("{name}<{}>", arguments.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_constants_are_read_from_launches() {
        let source = "#define TILE 16\nconst int N = 1 << 10, M = 7;\nconstexpr unsigned int T = 256u;\n\
            int main() {\n  dim3 grid(N / TILE, 2), block(TILE, TILE);\n  k<<<grid, block>>>(a, N, 3);\n\
            dim3 b2 = dim3(8, 4, 2);\n  r<float, T><<<N/T, T, 4 * T>>>(x, (int)M);\n  s<<<1, b2>>>();\n\
            t<<<g, unknown>>>(a);\n // u<<<1, 32>>>();\n}\n";
        let found = launches(source);
        let shown: Vec<_> = found.iter().map(|hint| (&*hint.kernel, hint.block)).collect();
        let expected = [
            ("k", Some(Dim3::new(16, 16, 1))),
            ("r", Some(Dim3::linear(256))),
            ("s", Some(Dim3::new(8, 4, 2))),
            ("t", None),
        ];
        assert_eq!(shown, expected);
        assert_eq!(found[0].values, [None, Some(1024), Some(3)]);
        assert_eq!(found[1].arguments, "<float, T>");
    }

    #[test]
    fn templates_get_plain_arguments() {
        let source = "template <typename T, int N, bool B>\n__global__ void k(T *p) {}\n\
            template <class T, int N = 4> __global__ void __launch_bounds__(256) d(T *p) {}\n\
            template <typename... Ts> __global__ void v(Ts... ts) {}";
        assert_eq!(instance(source, "k").as_deref(), Some("k<float, 16, true>"));
        assert_eq!(instance(source, "d").as_deref(), Some("d<float>"));
        assert_eq!(instance(source, "v"), None);
    }
}
