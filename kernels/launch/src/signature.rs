//! A kernel's parameters as its source writes them, as far as source, mangled name and PTX tell: for lists and messages,
//! and so that an argument can be a bare number.

use data::element::Element;
use sim::Module;

use crate::names;

/// A kernel with its parameters.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Signature {
    /// The name in the PTX.
    pub ptx_name: String,
    /// The name as C++ writes it, with template arguments.
    pub name: String,
    /// The parameters, in order.
    pub params: Vec<Parameter>,
    /// Threads per block in x, y, z, where the kernel asks for a number (`__block_size__`, `.reqntid`).
    pub required_threads: Option<[u32; 3]>,
    /// Most threads per block, where the kernel says so (`__launch_bounds__`).
    pub max_threads: Option<u64>,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Parameter {
    /// As the source declares it, or its type in C++ or PTX where that is not to be had: `const float* x`.
    pub text: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The type, if it is a scalar.
    pub scalar: Option<Element>,
    /// Whether it is a pointer.
    pub pointer: bool,
    /// What a pointer points to, if that is a scalar or a vector of them, and how many.
    pub pointee: Option<(Element, u64)>,
    /// Whether the kernel promises only to read what a pointer points to.
    pub constant: bool,
}

impl Parameter {
    fn of(declaration: Option<&str>, ptx: &sim::Parameter) -> Self {
        let of_ptx = Element::find(&ptx.element).filter(|element| element.bytes() as u64 == ptx.bytes);
        let Some(text) = declaration else {
            // 64 bits may be an address as well as a number: PTX does not tell.
            let (scalar, pointer) = (of_ptx, of_ptx.is_some_and(|element| element.bytes() == 8 && !element.is_real()));
            let text = match of_ptx {
                Some(_) => format!(".{}", ptx.element),
                None => format!("a struct of {} bytes", ptx.bytes),
            };
            return Self { text, bytes: ptx.bytes, scalar, pointer, pointee: None, constant: false };
        };
        let pointer = ptx.bytes == 8 && text.contains(['*', '[']);
        // What C++ says is held against the size that PTX knows: a macro or a typedef may hide anything.
        let scalar = c_type(text, ptx.bytes).or(of_ptx).filter(|_| !pointer);
        let pointee = if pointer { pointee(text) } else { None };
        Self {
            text: text.to_owned(),
            bytes: ptx.bytes,
            scalar,
            pointer,
            pointee,
            constant: pointer && is_constant(text),
        }
    }

    /// An argument that fits, to begin with.
    fn example(&self) -> String {
        match (self.scalar, self.pointer) {
            (_, true) => {
                let (element, lanes) = self.pointee.unwrap_or((Element::U8, 16));
                let content = if self.constant { "random" } else { "zeros" };
                format!("'{}[{}]={content}'", element.name(), 1024 * lanes)
            }
            (Some(element), _) if element.is_real() => "1.0".to_owned(),
            (Some(Element::Bool), _) => "true".to_owned(),
            (Some(element), _) if element.bytes() == 1 => "100".to_owned(),
            (Some(_), _) => "1024".to_owned(),
            (None, _) => format!("bytes:{}", "00".repeat(self.bytes as usize)),
        }
    }
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let params: Vec<&str> = self.params.iter().map(|param| param.text.as_str()).collect();
        write!(f, "{}({})", self.name, params.join(", "))
    }
}

impl Signature {
    /// The signature of a kernel of `module`; None if there is no such kernel. `source` is the CUDA source, if there is one.
    #[must_use]
    pub fn of(module: &Module, kernel: &str, source: Option<&str>) -> Option<Self> {
        let entry = module.entry(kernel)?;
        let name = names::short(kernel);
        let declared = source.and_then(|source| declaration(source, &name, entry.params.len()));
        let mangled = of_mangled(&names::readable(kernel), entry.params.len());
        let text = |texts: &Option<Vec<String>>, index: usize| texts.as_ref().map(|texts| texts[index].clone());
        let param = |(index, param)| {
            let (declared, mangled) = (text(&declared, index), text(&mangled, index));
            let known = Parameter::of(declared.as_deref().or(mangled.as_deref()), param);
            match mangled {
                // A type that hangs on a template's argument or on a typedef is in the mangled name.
                Some(mangled) if known.pointee.is_none() => {
                    Parameter { text: known.text, ..Parameter::of(Some(&mangled), param) }
                }
                _ => known,
            }
        };
        let params = entry.params.iter().enumerate().map(param).collect();
        let max_threads = entry.max_threads.map(|threads| threads.into_iter().map(u64::from).product());
        Some(Self { ptx_name: kernel.to_owned(), name, params, required_threads: entry.required_threads, max_threads })
    }

    /// A command that launches the kernel, with arguments that fit, to be changed.
    #[must_use]
    pub fn command(&self, file: &str) -> String {
        format!("warpbook sim {} --kernel {} {}", shell(file), shell(&self.name), self.example().join(" "))
    }

    /// Its options from `--grid` on.
    pub fn example(&self) -> Vec<String> {
        let block = match (self.required_threads, self.max_threads) {
            (Some([x, y, z]), _) => format!("{x},{y},{z}").trim_end_matches(",1").to_owned(),
            (None, Some(most)) => most.min(256).to_string(),
            _ => "256".to_owned(),
        };
        let shape = format!("--grid 4 --block {block}");
        std::iter::once(shape).chain(self.params.iter().map(|param| format!("--arg {}", param.example()))).collect()
    }
}

/// A word as a shell takes it.
pub fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ',' | '=' | ':' | '+');
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The scalar type that a declaration such as `unsigned int n` names, if it has the size that is known.
fn c_type(declaration: &str, bytes: u64) -> Option<Element> {
    if declaration.contains(['*', '[', '&', '<']) {
        return None;
    }
    let words: Vec<&str> =
        declaration.split_whitespace().filter(|word| !matches!(*word, "const" | "__restrict__" | "volatile")).collect();
    // With the parameter's name and without it.
    let whole = Element::find(&words.join(" "));
    let named = words.split_last().and_then(|(_, kind)| Element::find(&kind.join(" ")));
    whole.or(named).filter(|element| element.bytes() as u64 == bytes)
}

/// What a pointer declared as `const float4* x` points to.
fn pointee(declaration: &str) -> Option<(Element, u64)> {
    let (kind, rest) = declaration.split_once(['*', '['])?;
    if rest.contains('*') {
        return Some((Element::U64, 1));
    }
    let words: Vec<&str> = kind.split_whitespace().filter(|word| !matches!(*word, "const" | "volatile")).collect();
    let kind = if declaration.contains('[') { words.split_last()?.1.join(" ") } else { words.join(" ") };
    if let Some(element) = Element::find(&kind) {
        return Some((element, 1));
    }
    // The vector types: `float4`, `uint2`, `half2`.
    let lanes = kind.chars().next_back()?.to_digit(10).filter(|lanes| (2..=4).contains(lanes))?;
    Some((Element::find(&kind[..kind.len() - 1])?, lanes.into()))
}

fn is_constant(declaration: &str) -> bool {
    // `float* const x` promises nothing about the floats.
    declaration.split(['*', '[']).next().is_some_and(|kind| kind.split_whitespace().any(|word| word == "const"))
}

/// The types of the parameters from a name such as `k<int>(float const*, int)`.
fn of_mangled(readable: &str, count: usize) -> Option<Vec<String>> {
    let without = names::without_parameters(readable);
    let list = readable[without.len()..].strip_prefix('(')?.strip_suffix(')')?;
    list_of(list, count)
}

fn list_of(list: &str, count: usize) -> Option<Vec<String>> {
    let texts: Vec<String> =
        split_declarations(list).into_iter().map(|text| squeezed(text.split('=').next()?)).collect::<Option<_>>()?;
    (texts.len() == count).then_some(texts)
}

/// The parameters as a `__global__` function of the source declares them, if exactly one fits.
fn declaration(source: &str, name: &str, count: usize) -> Option<Vec<String>> {
    let plain = name.split('<').next().unwrap_or(name);
    let plain = plain.rsplit("::").next().unwrap_or(plain);
    let source = without_comments(source);
    let mut found: Vec<Vec<String>> = Vec::new();
    for (at, _) in source.match_indices("__global__") {
        // A declaration ends before the next body or statement; 400 bytes are more than any attributes take.
        let rest = &source[at..];
        let Some(list) = parameters_of(rest, plain) else { continue };
        if let Some(texts) = list_of(list, count)
            && !found.contains(&texts)
        {
            found.push(texts);
        }
    }
    match found.as_mut_slice() {
        [only] => Some(std::mem::take(only)),
        _ => None,
    }
}

/// The `__global__` functions of a source that are not among the kernels: templates that nothing makes an instance of.
#[must_use]
pub fn not_compiled(source: &str, kernels: &[&str]) -> Vec<String> {
    let source = without_comments(source);
    let last = |name: &str| {
        let plain = name.split('<').next().unwrap_or(name);
        plain.rsplit("::").next().unwrap_or(plain).to_owned()
    };
    let compiled: Vec<String> = kernels.iter().map(|name| last(name)).collect();
    let mut names: Vec<String> = Vec::new();
    for (at, _) in source.match_indices("__global__") {
        let rest = &source[at + "__global__".len()..];
        let head = &rest[..rest.find(['{', ';']).unwrap_or(rest.len())];
        let name = head.match_indices('(').find_map(|(open, _)| {
            let before = head[..open].trim_end();
            let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
            // Attributes are called with two underscores: `__launch_bounds__(256)`.
            Some(&before[start..]).filter(|name| !name.is_empty() && !name.starts_with("__"))
        });
        if let Some(name) = name.map(str::to_owned)
            && !compiled.contains(&name)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// The text between the brackets behind `name`, if a function of that name is declared here.
fn parameters_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let end = text.find(['{', ';']).unwrap_or(text.len());
    let head = &text[..end];
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let (at, _) = head.match_indices(name).find(|(at, _)| {
        let after = head[at + name.len()..].trim_start();
        !head[..*at].ends_with(word) && after.starts_with('(')
    })?;
    let open = at + head[at..].find('(')?;
    let mut depth = 0u32;
    for (place, c) in head[open..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&head[open + 1..open + place]);
        }
    }
    None
}

/// The parts between the commas of a list of declarations, where `<` opens a bracket.
fn split_declarations(text: &str) -> Vec<&str> {
    if matches!(text.trim(), "" | "void") {
        return Vec::new();
    }
    let (mut depth, mut start) = (0i32, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// One blank for each gap, none before `*`, none of the words that only matter to the compiler.
fn squeezed(text: &str) -> Option<String> {
    let quiet = ["__restrict__", "__restrict", "__grid_constant__"];
    let text = text.replace('*', " * ");
    let words: Vec<&str> = text.split_whitespace().filter(|word| !quiet.contains(word)).collect();
    (!words.is_empty()).then(|| words.join(" ").replace(" * *", "**").replace(" *", "*"))
}

/// The source with comments and preprocessor lines blanked out.
fn without_comments(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("/") {
        text.push_str(&rest[..at]);
        let comment = &rest[at..];
        let end = if comment.starts_with("//") {
            comment.find('\n').unwrap_or(comment.len())
        } else if comment.starts_with("/*") {
            comment.find("*/").map_or(comment.len(), |end| end + 2)
        } else {
            text.push('/');
            rest = &comment[1..];
            continue;
        };
        text.push(' ');
        rest = &comment[end..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(name: &str, params: &str) -> Module {
        let text =
            format!(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry {name}({params}) {{ ret; }}\n");
        Module::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"))
    }

    const PARAMS: &str = ".param .u32 a, .param .f32 b, .param .u64 c, .param .u64 d";

    #[test]
    fn the_source_tells_most() {
        let source = "// __global__ void saxpy(no)\ntemplate <int N> __global__ void other(int a) {}\n\
                      extern \"C\" __global__ void __launch_bounds__(256) saxpy(int n, /* factor */ float a,\n\
                      const float4 *__restrict__ x, float * y) { saxpy(1); }";
        let found = Signature::of(&module("saxpy", PARAMS), "saxpy", Some(source)).unwrap();
        assert_eq!(found.to_string(), "saxpy(int n, float a, const float4* x, float* y)");
        assert_eq!(
            found.command("my file.cu"),
            "warpbook sim 'my file.cu' --kernel saxpy --grid 4 --block 256 --arg 1024 --arg 1.0 \
             --arg 'f32[4096]=random' --arg 'f32[1024]=zeros'"
        );
    }

    #[test]
    fn the_mangled_name_tells_types_and_ptx_tells_sizes() {
        let name = "_Z1kIfEvifPKT_PS0_";
        let found = Signature::of(&module(name, PARAMS), name, None).unwrap();
        assert_eq!(found.to_string(), "k<float>(int, float, float const*, float*)");
        assert!(found.params[2].constant && found.params[2].pointee == Some((Element::F32, 1)));
        let bare = Signature::of(&module("k", ".param .f64 x, .param .align 4 .b8 y[12]"), "k", None).unwrap();
        assert_eq!(bare.to_string(), "k(.f64, a struct of 12 bytes)");
        assert_eq!(bare.params[0].scalar, Some(Element::F64));
        assert!(bare.command("k.ptx").ends_with(&format!("--arg 1.0 --arg bytes:{}", "00".repeat(12))));
        assert!(Signature::of(&module("k", ""), "absent", None).is_none());
    }

    #[test]
    fn types_of_template_parameters_come_from_the_name() {
        let name = "_Z1kIfEvifPKT_PS0_";
        let source = "template<typename T> __global__ void k(int n, T a, const T* in, T* out) {}";
        let found = Signature::of(&module(name, PARAMS), name, Some(source)).unwrap();
        assert_eq!(found.to_string(), "k<float>(int n, T a, const T* in, T* out)");
        assert_eq!(found.params[1].scalar, Some(Element::F32));
        assert_eq!(found.params[3].pointee, Some((Element::F32, 1)));
    }

    #[test]
    fn a_type_that_does_not_fit_its_size_is_not_believed() {
        let source = "__global__ void k(int a, Pair b)";
        let found = Signature::of(&module("k", ".param .u64 a, .param .align 4 .b8 b[8]"), "k", Some(source)).unwrap();
        assert_eq!(found.params[0].scalar, Some(Element::U64));
        assert_eq!((found.params[1].scalar, found.params[1].pointer), (None, false));
    }
}
