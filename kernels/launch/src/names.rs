//! Kernels' names: as a user writes them, and as they stand in PTX.
//!
//! C++ compilers mangle names, so that `reduce<float, 256>` stands in PTX as `_Z6reduceIfLi256EEvPT_`. A user may name
//! a kernel as the source does, with or without namespaces, template arguments and parameter types, as long as
//! only one kernel fits; or as it stands in PTX.

use cpp_demangle::{DemangleOptions, Symbol};

/// Why a name names no kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// There is no kernel at all.
    #[error(
        "{0} holds no kernel; was the function declared `__global__`? A template is compiled only where it is \
             named with its arguments, as in --kernel 'reduce<float, 256>'"
    )]
    None(String),
    /// None was named and there are several.
    #[error("{file} holds several kernels: name one with --kernel:{}", list(.kernels))]
    Several {
        /// The file.
        file: String,
        /// Its kernels.
        kernels: Vec<String>,
    },
    /// The name fits none.
    #[error("{file} holds no kernel `{wanted}`; it has:{}\nAn instance of a template is named with its arguments, as in --kernel 'reduce<float, 256>'", list(.kernels))]
    Unknown {
        /// The file.
        file: String,
        /// The name.
        wanted: String,
        /// The kernels that there are.
        kernels: Vec<String>,
    },
    /// The name fits several.
    #[error("several kernels of {file} are called `{wanted}`; name one of them in full:{}", list(.kernels))]
    Ambiguous {
        /// The file.
        file: String,
        /// The name.
        wanted: String,
        /// The kernels that it fits.
        kernels: Vec<String>,
    },
}

/// Most names that a message lists.
const LISTED: usize = 20;

fn list(names: &[String]) -> String {
    let more = names.len().saturating_sub(LISTED);
    let mut text: String = names.iter().take(LISTED).map(|name| format!("\n  {name}")).collect();
    if more > 0 {
        text += &format!("\n  … and {more} more");
    }
    text
}

/// A name of PTX as C++ writes it, with its parameters: `reduce<float, 256>(float*)`. A name that is not mangled stays.
#[must_use]
pub fn readable(ptx: &str) -> String {
    // Without this, a variable `x` would be taken for the mangled name of a type.
    if !ptx.starts_with("_Z") {
        return ptx.to_owned();
    }
    let options = DemangleOptions::new().no_return_type();
    let symbol = Symbol::new(ptx).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    symbol.unwrap_or_else(|| ptx.to_owned())
}

/// The same without its parameters: `reduce<float, 256>`.
#[must_use]
pub fn short(ptx: &str) -> String {
    let full = readable(ptx);
    without_parameters(&full).to_owned()
}

/// The name without its list of parameters.
#[must_use]
pub fn without_parameters(full: &str) -> &str {
    if !full.ends_with(')') {
        return full;
    }
    let mut depth = 0;
    for (at, c) in full.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &full[..at];
        }
    }
    full
}

/// What a compiler must be asked to make, if `wanted` names an instance of a template: `reduce<float, 256>`.
#[must_use]
pub fn instance(wanted: &str) -> Option<String> {
    let name = without_parameters(wanted.trim().trim_start_matches("void "));
    (name.contains('<') && !name.contains("(anonymous")).then(|| name.to_owned())
}

/// The kernel that `wanted` names, of those that a file has; the only one if none is named.
///
/// # Errors
/// [`NameError`], with the kernels that there are.
pub fn resolve(file: &str, kernels: &[&str], wanted: Option<&str>) -> Result<String, NameError> {
    let file = file.to_owned();
    let all = || kernels.iter().map(|kernel| readable(kernel)).collect();
    let Some(wanted) = wanted else {
        return match kernels {
            [only] => Ok((*only).to_owned()),
            [] => Err(NameError::None(file)),
            _ => Err(NameError::Several { file, kernels: all() }),
        };
    };
    if kernels.contains(&wanted) {
        return Ok(wanted.to_owned());
    }
    if kernels.is_empty() {
        return Err(NameError::None(file));
    }
    let key = normal(wanted.trim().trim_start_matches("void "));
    let levels: [&dyn Fn(&str) -> String; 3] =
        [&|full: &str| normal(full), &|full: &str| normal(without_parameters(full)), &|full: &str| {
            normal(without_arguments(without_parameters(full)))
        }];
    for level in levels {
        let fits = |kernel: &&&str| ends_with_path(&level(&readable(kernel)), &key);
        let fitting: Vec<&str> = kernels.iter().filter(fits).copied().collect();
        match fitting[..] {
            [] => {}
            [only] => return Ok(only.to_owned()),
            _ => {
                // The whole path decides between `k` and `inner::k`.
                let exact = |kernel: &&&str| level(&readable(kernel)) == key;
                if let [only] = fitting.iter().filter(exact).copied().collect::<Vec<_>>()[..] {
                    return Ok(only.to_owned());
                }
                let kernels = fitting.iter().map(|kernel| readable(kernel)).collect();
                return Err(NameError::Ambiguous { file, wanted: wanted.to_owned(), kernels });
            }
        }
    }
    Err(NameError::Unknown { file, wanted: wanted.to_owned(), kernels: all() })
}

/// Whether `name` is `key`, or `key` in a namespace.
fn ends_with_path(name: &str, key: &str) -> bool {
    name.strip_suffix(key).is_some_and(|before| before.is_empty() || before.ends_with("::"))
}

/// The name without the template arguments of its last part.
fn without_arguments(name: &str) -> &str {
    if !name.ends_with('>') {
        return name;
    }
    let mut depth = 0;
    for (at, c) in name.char_indices().rev() {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &name[..at];
        }
    }
    name
}

/// One spelling for a name: no blanks but between words, `unsigned` for `unsigned int`, numbers without suffix and
/// without the type that stands before them.
fn normal(name: &str) -> String {
    let name = name.replace("(anonymous namespace)::", "");
    let mut tokens: Vec<&str> = Vec::new();
    let mut rest = name.as_str();
    while let Some(first) = rest.trim_start().chars().next() {
        rest = rest.trim_start();
        let word = first.is_alphanumeric() || first == '_';
        let end = if word {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let token = &rest[..end];
        rest = &rest[end..];
        tokens.push(if first.is_ascii_digit() { token.trim_end_matches(['u', 'U', 'l', 'L']) } else { token });
    }
    let mut text = String::new();
    let mut at = 0;
    while at < tokens.len() {
        // `(char)5` is 5.
        if tokens[at] == "("
            && let Some(length) = tokens[at..].iter().position(|token| *token == ")")
            && tokens
                .get(at + length + 1)
                .is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
        {
            at += length + 1;
            continue;
        }
        let token = tokens[at];
        at += 1;
        if token == "int" && text.ends_with("unsigned") {
            continue;
        }
        let word = |c: char| c.is_alphanumeric() || c == '_';
        if text.ends_with(word) && token.starts_with(word) {
            text.push(' ');
        }
        text.push_str(token);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNELS: &[&str] = &[
        "_Z6reduceIfLi256EEvPT_",
        "_Z6reduceIjLi32EEvPT_",
        "_ZN1a1kEPi",
        "_Z1kPi",
        "_Z1kPf",
        "plain",
        "_ZN12_GLOBAL__N_16hiddenEv",
    ];

    fn named(wanted: &str) -> Result<String, NameError> {
        resolve("x.cu", KERNELS, Some(wanted))
    }

    #[test]
    fn names_are_written_as_in_the_source() {
        assert_eq!(readable(KERNELS[0]), "reduce<float, 256>(float*)");
        assert_eq!(short(KERNELS[0]), "reduce<float, 256>");
        assert_eq!(short("plain"), "plain");
    }

    #[test]
    fn a_kernel_is_found_however_it_is_named() {
        for (wanted, index) in [
            ("reduce<float,256>", 0),
            ("reduce< float , 256u >", 0),
            ("void reduce<float, 256>(float*)", 0),
            ("reduce<unsigned, 32>", 1),
            ("reduce<unsigned int, (int)32>", 1),
            ("a::k", 2),
            ("k(float *)", 4),
            ("plain", 5),
            ("_Z1kPi", 3),
            ("hidden", 6),
        ] {
            assert_eq!(named(wanted).as_deref(), Ok(KERNELS[index]), "{wanted}");
        }
        assert_eq!(resolve("x.cu", &["_Z6reduceIfLi256EEvPT_"], Some("reduce")).as_deref(), Ok(KERNELS[0]));
        assert_eq!(resolve("x.cu", &["plain"], None).as_deref(), Ok("plain"));
    }

    #[test]
    fn what_is_not_clear_lists_what_there_is() {
        let text = named("reduce").unwrap_err().to_string();
        assert!(
            text.contains("several kernels") && text.contains("\n  reduce<unsigned int, 32>(unsigned int*)"),
            "{text}"
        );
        let text = named("k").unwrap_err().to_string();
        assert!(text.contains("k(int*)") && text.contains("k(float*)"), "{text}");
        assert!(matches!(named("absent"), Err(NameError::Unknown { .. })));
        assert!(matches!(named("educe<float,256>"), Err(NameError::Unknown { .. })));
        assert!(matches!(resolve("x.cu", KERNELS, None), Err(NameError::Several { .. })));
        assert!(matches!(resolve("x.cu", &[], None), Err(NameError::None(_))));
    }

    #[test]
    fn only_templates_are_instances() {
        assert_eq!(instance(" reduce<float, 256> ").as_deref(), Some("reduce<float, 256>"));
        assert_eq!(instance("void reduce<float, (int)256>(float*)").as_deref(), Some("reduce<float, (int)256>"));
        assert_eq!(instance("plain"), None);
    }
}
