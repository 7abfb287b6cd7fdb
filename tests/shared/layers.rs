//! Reads which module of a crate uses which, and holds that against the layers that the crate's test states. Included by
//! path in `tests/layers.rs` of every crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// By module: the modules of the same crate that it uses, with the file and line of the first such use each.
pub(crate) type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// Reads the crate in `folder`, whose files messages call `shown/src/…`. Unit tests, which stand at the end of a file or in
/// files of their own, may use anything and are left out.
pub(crate) fn uses(folder: &Path, shown: &str) -> Uses {
    let source = folder.join("src");
    let files = files(&source);
    let own_path = |file: &Path| file.strip_prefix(&source).expect("a file of the crate").to_owned();
    let face = fs::read_to_string(source.join("lib.rs")).expect("the crate's face");
    let exports = exports(&face);
    let modules: BTreeSet<String> =
        files.iter().map(|file| module_of(&own_path(file))).filter(|name| name != "lib").collect();
    let mut found = Uses::new();
    for file in &files {
        let path = own_path(file);
        let own = module_of(&path);
        if own == "lib" || path.iter().any(|part| part == "tests" || part == "tests.rs") {
            continue;
        }
        let of_module = found.entry(own.clone()).or_default();
        let code = code(&fs::read_to_string(file).expect("a source file"));
        for root in roots(&path) {
            for (at, _) in code.match_indices(&root) {
                // `xcrate::` and `super::super::` are no `crate::` and no `super::`.
                if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                    continue;
                }
                for name in first_names(&code[at + root.len()..]) {
                    let module = exports.get(name).map_or(name, String::as_str);
                    if module != own && modules.contains(module) {
                        let line = 1 + code[..at].matches('\n').count();
                        let place = || format!("{shown}/src/{}:{line}", path.display());
                        of_module.entry(module.to_owned()).or_insert_with(place);
                    }
                }
            }
        }
    }
    found
}

/// Holds uses against layers, from the bottom up: every module stands in one, and uses only what lies in those below its
/// own.
pub(crate) fn check(uses: &Uses, layers: &[&[&str]]) {
    let layer = |module: &str| layers.iter().position(|layer| layer.contains(&module));
    let modules: BTreeSet<&str> = uses.keys().map(String::as_str).collect();
    let listed: Vec<&str> = layers.iter().copied().flatten().copied().collect();
    assert_eq!(modules, listed.iter().copied().collect(), "every module of the crate stands in a layer");
    assert_eq!(modules.len(), listed.len(), "no module stands in two layers");
    let mut wrong = Vec::new();
    for (module, used) in uses {
        for (other, place) in used {
            if layer(other) >= layer(module) {
                wrong.push(format!("{place}: `{module}` uses `{other}`, which does not lie below it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What `crate::Name` stands for: the module that the crate's face takes it from.
fn exports(face: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for statement in code(face).split("pub use ").skip(1) {
        let statement = statement.split(';').next().unwrap_or_default();
        let Some((module, _)) = statement.split_once("::") else { continue };
        let names = statement.rsplit("::").next().unwrap_or_default();
        for name in names.trim_matches(['{', '}']).split(',') {
            let name = name.rsplit(" as ").next().unwrap_or_default().trim();
            exports.insert(name.to_owned(), module.trim().to_owned());
        }
    }
    exports
}

/// The module that a file belongs to: `ir` for `ir.rs` and `ir/inst/memory.rs`.
fn module_of(path: &Path) -> String {
    path.iter().next().expect("a name").to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// How a file begins a path at the crate's root: by name, or by as many `super::` as its module is deep.
fn roots(path: &Path) -> [String; 2] {
    let deep = path.iter().filter(|part| *part != "mod.rs").count();
    ["crate::".to_owned(), "super::".repeat(deep)]
}

/// A file without comments and unit tests; every line stays where it is.
fn code(text: &str) -> String {
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
    let code = |line: &str| {
        if line.trim_start().starts_with("//") { "" } else { line.split(" // ").next().unwrap_or(line) }.to_owned()
    };
    lines.map(code).collect::<Vec<_>>().join("\n")
}

/// What a path begins with: `ir` of `ir::inst::Op`; several of `{error::Error, ir::{self, flow}}`.
fn first_names(path: &str) -> Vec<&str> {
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let Some(list) = path.strip_prefix('{') else { return vec![&path[..word(path)]] };
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        if depth == 0 && (c == ',' || c == '}') {
            let one = list[start..at].trim();
            names.push(&one[..word(one)]);
            start = at + 1;
        }
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            _ => {}
        }
    }
    names
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
    found.sort();
    found
}

#[test]
fn paths_are_read_however_they_are_written() {
    assert_eq!(first_names("ir::inst::Op;"), ["ir"]);
    assert_eq!(first_names("{error::Error, ir::{self, flow},\n    ptx};"), ["error", "ir", "ptx"]);
    assert_eq!(roots(Path::new("ir.rs"))[1], "super::");
    assert_eq!(roots(Path::new("ir/mod.rs"))[1], "super::");
    assert_eq!(roots(Path::new("ir/inst.rs"))[1], "super::super::");
    assert_eq!(exports("pub use a::{B, C as D};\npub use e::F;")["D"], "a");
    assert_eq!(code("x // use\n// y\nz\n#[cfg(test)]\nw"), "x\n\nz");
}

#[test]
#[should_panic(expected = "a/src/low.rs:3: `low` uses `high`, which does not lie below it")]
fn a_wrong_use_is_told_with_its_place() {
    let used = BTreeMap::from([("high".to_owned(), "a/src/low.rs:3".to_owned())]);
    let uses = Uses::from([("low".to_owned(), used), ("high".to_owned(), BTreeMap::new())]);
    check(&uses, &[&["low"], &["high"]]);
}
