//! The layers of the crate: which module may know which. Rust lets modules of a crate import one another in circles; here
//! they may not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules from the bottom up. A module may use those of the layers below its own, and no others.
const LAYERS: &[&[&str]] = &[
    &["diagnostic", "lanes"],
    &["error", "ptx"],
    &["semantics"],
    &["isa", "ir"],
    &["launch", "lower", "ptxas"],
    &["prepare", "target"],
    &["memory", "module", "options"],
    &["event"],
    &["findings"],
    &["machine", "report"],
    &["exec", "observe"],
    &["check", "scheduler"],
    &["observed", "predict", "simulate"],
    &["extents"],
];

/// By module of the crate: the modules that it uses, with the file and line of one such use each.
fn uses() -> BTreeMap<String, BTreeMap<String, String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let face = fs::read_to_string(source.join("lib.rs")).expect("the crate's face");
    // What `crate::Name` stands for: the module that the face takes it from.
    let exports: BTreeMap<&str, &str> = face
        .lines()
        .filter_map(|line| line.strip_prefix("pub use ")?.trim_end_matches(';').split_once("::"))
        .flat_map(|(module, names)| {
            let last = names.rsplit("::").next().unwrap_or(names);
            last.trim_matches(['{', '}']).split(',').map(move |name| (name.trim(), module))
        })
        .collect();
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for file in files(&source) {
        let path = file.strip_prefix(&source).expect("a file of the crate");
        let own = path.iter().next().expect("a name").to_string_lossy().trim_end_matches(".rs").to_owned();
        if own == "lib" || path.iter().any(|part| part == "tests" || part == "tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        let of_module = found.entry(own.clone()).or_default();
        // Unit tests stand at the end of a file, and may use anything.
        let lines = text.lines().enumerate().take_while(|(_, line)| *line != "#[cfg(test)]");
        for (number, line) in lines.filter(|(_, line)| !line.trim_start().starts_with("//")) {
            let code = line.split(" // ").next().unwrap_or(line);
            for name in code.split("crate::").skip(1).flat_map(first_names) {
                let module = exports.get(name).copied().unwrap_or(name);
                if module != own {
                    let place = || format!("sim/src/{}:{}", path.display(), number + 1);
                    of_module.entry(module.to_owned()).or_insert_with(place);
                }
            }
        }
    }
    found
}

/// What a path begins with: `ir` of `ir::inst::Op`; several of `{error::Error, ir}`.
fn first_names(path: &str) -> Vec<&str> {
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    match path.strip_prefix('{') {
        Some(list) => {
            list.split('}').next().unwrap_or("").split(',').map(|one| &one.trim()[..word(one.trim())]).collect()
        }
        None => vec![&path[..word(path)]],
    }
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
fn every_module_has_a_layer_and_uses_only_what_lies_below_it() {
    let uses = uses();
    let layer = |module: &str| LAYERS.iter().position(|layer| layer.contains(&module));
    let modules: BTreeSet<&str> = uses.keys().map(String::as_str).collect();
    let listed: BTreeSet<&str> = LAYERS.iter().copied().flatten().copied().collect();
    assert_eq!(modules, listed, "every module of the crate stands in one layer");
    let mut wrong = Vec::new();
    for (module, used) in &uses {
        for (other, place) in used {
            let (own, other_layer) = (layer(module), layer(other));
            if other_layer.is_none() || other_layer >= own {
                wrong.push(format!("{place}: `{module}` uses `{other}`, which does not lie below it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
