//! Elements are written by `html!` and nowhere else: no string of the program holds a tag or an escaped character, and a string
//! becomes markup only at the doors that are listed here.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// Where strings become markup without being escaped: the file, how many times, and why each of them may.
const DOORS: [(&str, usize, &str); 2] = [
    (
        "book/markup/src/lib.rs",
        2,
        "JSON of a script, whose `<` are escaped; style sheets and scripts that are committed",
    ),
    ("book/src/math.rs", 1, "MathML that pulldown-latex has written"),
];

/// Literals with a tag or an escaped character that no page is made of: the file, a part of the literal, and what it is.
const OTHERS: [(&str, &str, &str); 1] = [(
    "exercises/src/class/export/github.rs",
    "&lt;",
    "a table of Markdown that GitHub shows, which takes HTML for HTML",
)];

/// The folders whose programs write pages or pictures, or could.
const FOLDERS: [&str; 5] = ["book", "exercises", "kernels", "sim", "src"];

/// A tag of HTML, SVG or MathML, or a character as they escape it. Names of types in C++ are none of these elements.
static MARKUP: LazyLock<Regex> = LazyLock::new(|| {
    let elements = "a|article|b|blockquote|body|br|button|caption|circle|code|data|desc|details|div|em|figcaption|figure|footer|\
                    g|h[1-6]|head|header|hr|html|i|img|input|kbd|label|li|line|link|main|math|meta|nav|ol|option|output|p|path|\
                    polygon|polyline|pre|rect|script|section|select|small|span|strong|style|sub|summary|sup|svg|table|tbody|td|\
                    text|textarea|tfoot|th|thead|title|tr|ul|wbr";
    Regex::new(&format!(r"</?(?:{elements})(?:[\s/>]|\\n|$)|<!DOCTYPE|&(?:amp|lt|gt|quot|#\d+);")).unwrap()
});

/// Comments, literals of strings and of characters.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r##"(?s)//[^\n]*|/\*.*?\*/|r#"(?:.*?)"#|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\[^\n]{1,8}?)'"##).unwrap()
});

/// The program's part of a file: unit tests stand at its end, and say in strings what they expect.
fn program(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default()
}

/// The literals of strings of a file, each with its line.
fn literals(text: &str) -> Vec<(usize, &str)> {
    let strings = TOKEN.find_iter(text).filter(|found| found.as_str().starts_with(['"', 'r']));
    strings
        .map(|found| (1 + text[..found.start()].matches('\n').count(), found.as_str().trim_matches(['r', '#', '"'])))
        .collect()
}

/// The literals of a file that hold markup.
fn with_markup(text: &str) -> Vec<(usize, &str)> {
    literals(program(text)).into_iter().filter(|(_, literal)| MARKUP.is_match(literal)).collect()
}

/// How often a file makes markup of a string, or adds a string to markup, as it is.
fn doors(text: &str) -> usize {
    let code = TOKEN.replace_all(program(text), " ");
    ["PreEscaped(", "PreEscaped::", ".0.push_str", ".0.insert_str", "Markup as ", "PreEscaped as "]
        .iter()
        .map(|way| code.matches(way).count())
        .sum()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display())) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !matches!(&*name, "tests" | "target" | "node_modules" | "fuzz") {
            sources(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

#[test]
fn only_the_doors_make_markup_of_strings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| sources(&root.join(folder), &mut files));
    assert!(files.len() > 500, "{} files are read", files.len());
    let (mut wrong, mut read) = (Vec::new(), [false; OTHERS.len()]);
    for file in files {
        let shown = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap();
        let listed = DOORS.iter().find(|(own, ..)| *own == shown).map_or(0, |(_, count, _)| *count);
        let found = doors(&text);
        if found != listed {
            wrong.push(format!(
                "{shown} makes markup of strings {found} times, and {listed} of them are listed as doors"
            ));
        }
        for (line, literal) in with_markup(&text) {
            match OTHERS.iter().position(|(own, part, _)| *own == shown && literal.contains(part)) {
                Some(at) => read[at] = true,
                None => wrong.push(format!("{shown}:{line}: write it with `html!`: {literal}")),
            }
        }
    }
    wrong.extend(
        OTHERS.iter().zip(read).filter(|(_, read)| !read).map(|((file, part, _), _)| format!("{file} has no {part}")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_refused_is_seen_and_nothing_else() {
    let seen = |code: &str| with_markup(code).len();
    for code in [
        r#"format!("<b>{x}</b>")"#,
        r#"html += "</div>\n";"#,
        r#"write!(out, "<p class=\"wb-x\">{}", y)"#,
        "let open = \"<div\";",
        "let svg = r#\"<svg viewBox=\"0 0 1 1\">\"#;",
        "text.replace('<', \"&lt;\")",
        "\"a line\\\n <td>\"",
    ] {
        assert_eq!(seen(code), 1, "{code}");
    }
    for code in [
        "// \"<b>\"",
        "html! { b { \"x < y\" } }",
        "\"vector<int> and scan<float, 256>\"",
        "let c = '<'; let s = \"a << 2 < b\";",
        "f();\n#[cfg(test)]\nmod tests { const T: &str = \"<b>\"; }",
    ] {
        assert_eq!(seen(code), 0, "{code}");
    }
    assert_eq!(doors("let a = PreEscaped(x); page.0.push_str(y); // PreEscaped(z)\nlet s = \"PreEscaped(\";"), 2);
    assert_eq!(doors("use maud::{Markup, html}; fn f() -> Markup { html! { (x) } }"), 0);
}
