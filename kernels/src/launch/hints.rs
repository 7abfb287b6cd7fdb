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

/// All constant shapes of a source that may be those of blocks, in order: launches may take them from arrays and functions.
pub(super) fn shapes(source: &str) -> Vec<Dim3> {
    let code = blanked(source);
    let names = constants(&code);
    let mut found: Vec<Dim3> = Vec::new();
    for (at, _) in code.match_indices("dim3") {
        let statement = &code[at + 4..code[at..].find(';').map_or(code.len(), |end| at + end)];
        for declared in split(statement) {
            let Some(open) = declared.find(['(', '{']) else { continue };
            let extents = declared[open + 1..].trim_end().strip_suffix([')', '}']).unwrap_or_default();
            let extents: Option<Vec<u64>> = split(extents).into_iter().map(|part| whole(part, &names)).collect();
            if let Some(shape) = extents.and_then(|extents| dim3(&extents))
                && shape.count() >= 8
                && !found.contains(&shape)
            {
                found.push(shape);
            }
        }
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
    let declared = code.match_indices("dim3").find_map(|(at, _)| {
        let statement = &code[at + 4..code[at..].find(';').map_or(code.len(), |end| at + end)];
        split(statement).into_iter().find_map(|declared| {
            let rest = declared.trim().strip_prefix(text)?.trim_start();
            if let Some(value) = rest.strip_prefix('=') {
                return shape(value, code, names, depth + 1);
            }
            rest.starts_with(['(', '{']).then(|| shape(&format!("dim3{rest}"), code, names, depth + 1)).flatten()
        })
    });
    declared.or_else(|| assigned(text, code, names))
}

/// A shape whose extents are assigned one by one: `block.x = 16;`. Those that are not are 1.
fn assigned(name: &str, code: &str, names: &Names) -> Option<Dim3> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let extent = |axis: &str| {
        let wanted = format!("{name}.{axis}");
        let values = code.match_indices(&wanted).filter_map(|(at, _)| {
            let value =
                code[at + wanted.len()..].trim_start().strip_prefix('=').filter(|rest| !rest.starts_with('='))?;
            let own = !code[..at].ends_with(part) && !code[..at].ends_with('.');
            own.then(|| whole(&value[..value.find(';').unwrap_or(value.len())], names))
        });
        values.collect::<Vec<_>>()
    };
    let x = extent("x").first().copied().flatten()?;
    let other = |axis: &str| extent(axis).first().map_or(Some(1), |&extent| extent);
    dim3(&[x, other("y")?, other("z")?])
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
                let mut declared = right.split(',');
                keep(name, declared.next().unwrap_or(right));
                for (name, value) in declared.filter_map(|part| part.split_once('=')) {
                    keep(name.trim(), value);
                }
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

/// Instances of a template that nothing in the source makes, most likely first: what a launch writes, as far as it is
/// constant, then plain arguments for its parameters.
pub(super) fn instances(source: &str, name: &str) -> Vec<String> {
    let code = blanked(source);
    let Some((place, parameters)) = template(&code, name) else { return Vec::new() };
    let names = constants(&code);
    let launched = launches(source).into_iter().find(|hint| hint.kernel == name && !hint.arguments.is_empty());
    let launched = launched.map(|hint| hint.arguments[1..hint.arguments.len() - 1].to_owned()).unwrap_or_default();
    let launched: Vec<Option<u64>> = split(&launched).into_iter().map(|text| whole(text, &names)).collect();
    let spaces = namespaces(&code[..place]);
    let name: String = spaces.iter().map(|space| format!("{space}::")).collect::<String>() + name;
    let mut found: Vec<String> = Vec::new();
    for (kind, number) in [("float", 16), ("int", 32), ("float", 4), ("unsigned int", 256), ("double", 1)] {
        let argument = |(index, parameter): (usize, &String)| {
            let constant = launched.get(index).copied().flatten();
            plain_argument(parameter, kind, constant.unwrap_or(number))
        };
        let Some(arguments) = parameters.iter().enumerate().map(argument).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        let instance = format!("{name}<{}>", arguments.join(", "));
        if !found.contains(&instance) {
            found.push(instance);
        }
    }
    found
}

/// An argument for a template's parameter: a type, or a number. None for what takes neither.
fn plain_argument(parameter: &str, kind: &str, number: u64) -> Option<String> {
    const NUMBERS: [&str; 13] = [
        "int",
        "unsigned",
        "long",
        "short",
        "char",
        "size_t",
        "auto",
        "signed",
        "std::size_t",
        "uint",
        "float",
        "double",
        "const",
    ];
    if parameter.contains("...") || parameter.contains("template") {
        return None;
    }
    let first = parameter.split_whitespace().next()?;
    let fixed_size = |word: &str| word.trim_start_matches("std::").trim_start_matches('u').starts_with("int");
    Some(match first {
        "typename" | "class" => kind.to_owned(),
        "bool" => (if number == 32 { "false" } else { "true" }).to_owned(),
        number_like if NUMBERS.contains(&number_like) || fixed_size(number_like) => number.to_string(),
        // An enumeration's first value.
        other => format!("({other})0"),
    })
}

/// Where a kernel template begins, and those of its parameters that have no default.
fn template(code: &str, name: &str) -> Option<(usize, Vec<String>)> {
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
    let parameters = split(list).into_iter().map(|text| text.trim().to_owned());
    Some((template, parameters.take_while(|text| !text.contains('=')).collect()))
}

/// The named namespaces that are open at the end of a text.
fn namespaces(code: &str) -> Vec<String> {
    let mut open: Vec<Option<String>> = Vec::new();
    let mut start = 0;
    for (at, c) in code.char_indices() {
        match c {
            '{' => {
                let mut words = code[start..at].split_whitespace().skip_while(|word| *word != "namespace").skip(1);
                open.push(words.next().map(str::to_owned));
            }
            '}' => drop(open.pop()),
            ';' => {}
            _ => continue,
        }
        start = at + 1;
    }
    open.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_constants_are_read_from_launches() {
        let source = "#define TILE 16\nconst int N = 1 << 10, M = 7;\nconstexpr unsigned int T = 256u;\n\
            int main() {\n  dim3 grid(N / TILE, 2), block(TILE, TILE);\n  k<<<grid, block>>>(a, N, 3);\n\
            dim3 b2 = dim3(8, 4, 2);\n  r<float, T><<<N/T, T, 4 * T>>>(x, (int)M);\n  s<<<1, b2>>>();\n\
            t<<<g, unknown>>>(a);\n // u<<<1, 32>>>();\n block[0] = dim3(M, 8, 1);\n\
            dim3 one; one.x = TILE; one.y = 2; a<<<4, one>>>();\n}\n";
        assert_eq!(shapes(source), [Dim3::new(64, 2, 1), Dim3::new(16, 16, 1), Dim3::new(8, 4, 2), Dim3::new(7, 8, 1)]);
        let found = launches(source);
        let shown: Vec<_> = found.iter().map(|hint| (&*hint.kernel, hint.block)).collect();
        let expected = [
            ("k", Some(Dim3::new(16, 16, 1))),
            ("r", Some(Dim3::linear(256))),
            ("s", Some(Dim3::new(8, 4, 2))),
            ("t", None),
            ("a", Some(Dim3::new(16, 2, 1))),
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
        let first = |source: &str, name: &str| instances(source, name).into_iter().next();
        assert_eq!(first(source, "k").as_deref(), Some("k<float, 16, true>"));
        assert_eq!(first(source, "d").as_deref(), Some("d<float>"));
        assert_eq!(first(source, "v"), None);
        let source = "namespace a { struct S { int x; }; namespace b {\n\
            template <typename T, int N, Kind K> __global__ void k(T *p) {}\n}\n\
            template <typename T, int N> __global__ void m(T *p) {}\n\
            template <typename T> void run(T *p) { m<T, 2 * 64><<<1, 32>>>(p); } }";
        assert_eq!(first(source, "k").as_deref(), Some("a::b::k<float, 16, (Kind)0>"));
        assert_eq!(first(source, "m").as_deref(), Some("a::m<float, 128>"));
    }
}
