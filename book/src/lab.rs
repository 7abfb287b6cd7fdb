//! The folder `lab` of the built book: the widgets' scripts, the WebAssembly modules that they use, the editor, the compiler, and of
//! each exercise what the grader needs to judge it (`lab/course`).
//!
//! A page that is opened as a file may fetch nothing, so a module comes in a script: `wbLab.deliver("NAME", "…")` with its compressed
//! bytes in base64. Modules are made by `.ci/wasm` into `target/lab`, or lie in the folder that the environment variable
//! `WARPBOOK_LAB` names. An engine that was made from other sources than this program counts differently, perhaps: it is
//! left out. Without a module the widgets stay as they are without JavaScript, and say how to get it.
//!
//! The compiler (`clang/`, made by `.ci/clang`) is large, so no script holds it: pages fetch it as a file, and only if a reader
//! asks. It is there when all of its parts are: clang, and the modules `front` (command lines, headers, messages) and `ptxgen`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use exercises::bundle::Bundle;
use exercises::course::Course;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The modules, by the names that pages ask for.
const MODULES: [&str; 6] = ["sim", "access", "rounds", "exercises", "front", "ptxgen"];

/// The files of the compiler that pages fetch, or that readers choose where a page may not.
const COMPILER: [&str; 2] = ["llvm.wasm.gz", "LICENSES.txt"];

/// What runs the compiler, and the name under which pages ask for it.
const WORKER: (&str, &str) = ("worker.js", "clang-worker");

/// The script that works without a network, which lies beside the pages because only then may it serve them.
const OFFLINE: &str = "offline.js";

/// The script with the editor, which `.ci/editor` makes.
const EDITOR: &str = "editor.js";

/// The sources that this program was built from, as those modules name their own that count or judge.
const SOURCES: [(&str, &str); 3] =
    [("sim", env!("WARPBOOK_ENGINE")), ("exercises", env!("WARPBOOK_GRADER")), ("rounds", env!("WARPBOOK_ROUNDS"))];

/// What there is of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    /// Its compressed bytes.
    Module(Vec<u8>),
    /// Why it is left out.
    Lacking(String),
}

/// Writes the folder. `root` is the book's, `site` the built one's. Returns what was put into it and what is lacking, a sentence each.
///
/// # Errors
/// When a file cannot be read or written.
pub(crate) fn write(root: &Path, site: &Path) -> io::Result<Vec<String>> {
    let scripts = scripts(&root.join("theme/lab"))?;
    if scripts.is_empty() {
        return Ok(Vec::new());
    }
    let folder = site.join("lab");
    fs::create_dir_all(&folder)?;
    let offline = root.join("theme").join(OFFLINE);
    if offline.is_file() {
        fs::copy(offline, site.join(OFFLINE))?;
    }
    for script in scripts {
        if let Some(name) = script.file_name() {
            fs::copy(&script, folder.join(name))?;
        }
    }
    let (modules, from) = match std::env::var_os("WARPBOOK_LAB") {
        Some(folder) => (PathBuf::from(folder), "a folder of ready-made modules"),
        None => (root.join("../target/lab"), "made here"),
    };
    let mut told = Vec::new();
    let mut lacking = None;
    for name in MODULES {
        let text = match find(&modules, name)? {
            Found::Module(bytes) => {
                told.push(format!("the module {name}: {from}, {} kB", bytes.len().div_ceil(1000)));
                deliver(name, &bytes, from)
            }
            Found::Lacking(why) => {
                told.push(format!("no module {name}: {why}"));
                if matches!(name, "front" | "ptxgen") {
                    lacking = Some(why.clone());
                }
                format!("wbLab.lacks?.({}, {});\n", quoted(name), quoted(&why))
            }
        };
        fs::write(folder.join(format!("{name}.js")), text)?;
    }
    course(&root.join("../exercises"), &folder.join("course"))?;
    // Pages do without it: they have a plain text field.
    let editor = fs::read(modules.join(EDITOR)).unwrap_or_else(|_| b"window.wbEditor = null;\n".to_vec());
    fs::write(folder.join(EDITOR), editor)?;
    let compiler = match lacking {
        Some(why) => Err(why),
        None => compiler(&modules.join("clang"), &folder.join("clang"))?,
    };
    let script = match compiler {
        Ok(about) => {
            told.push(format!("the compiler: {} {}, {} bytes", about.package, about.version, about.bytes));
            serde_json::json!({ "version": about.version, "digest": about.digest, "bytes": about.bytes })
        }
        Err(why) => {
            told.push(format!("no compiler of CUDA C++: {why}"));
            serde_json::json!({ "lacks": format!("The compiler is not here: {why}.") })
        }
    };
    fs::write(folder.join("compiler.js"), format!("window.wbCompiler = {script};\n"))?;
    Ok(told)
}

/// What `.ci/clang` says of what it made.
#[derive(Debug, serde::Deserialize)]
struct Compiler {
    package: String,
    version: String,
    digest: String,
    /// The size of what a page fetches.
    bytes: u64,
}

/// Copies the compiler; else why there is none.
fn compiler(from: &Path, to: &Path) -> io::Result<Result<Compiler, String>> {
    let about = fs::read(from.join("compiler.json")).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let is_there = |file: &&str| from.join(file).is_file();
    let Some(about) = about.filter(|_| COMPILER.iter().chain([&WORKER.0]).all(is_there)) else {
        return Ok(Err(LACKS.to_owned()));
    };
    // A page that is opened as a file may not fetch it, so it comes as modules do.
    let packed = packed(&fs::read(from.join(WORKER.0))?)?;
    let text = format!("wbLab.deliver({}, \"{}\");\n", quoted(WORKER.1), STANDARD.encode(packed));
    fs::write(to.with_file_name(WORKER.1).with_extension("js"), text)?;
    fs::create_dir_all(to)?;
    for file in COMPILER {
        fs::copy(from.join(file), to.join(file))?;
    }
    Ok(Ok(about))
}

/// Why something is not there that a build makes.
const LACKS: &str = "this book was built without it; in a clone of the repository, `.ci/wasm build` and then `warpbook book build` \
                     make a book that has it";

/// Writes a script for each exercise of a course, if there is one: what judges it in a page. One whose authors' sources have
/// changed since they were compiled says so.
fn course(course: &Path, folder: &Path) -> io::Result<()> {
    if !course.join("info.toml").is_file() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    let course = Course::load(course).map_err(io::Error::other)?;
    for exercise in &course.exercises {
        let name = format!("course/{}", exercise.name);
        let text = match Bundle::of(&course, exercise) {
            Ok(bundle) => {
                let packed = packed(&serde_json::to_vec(&bundle)?)?;
                format!("wbLab.deliver({}, \"{}\");\n", quoted(&name), STANDARD.encode(packed))
            }
            Err(why) => format!("wbLab.lacks?.({}, {});\n", quoted(&name), quoted(&why.to_string())),
        };
        fs::write(folder.join(format!("{}.js", exercise.name)), text)?;
    }
    Ok(())
}

fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    packer.finish()
}

/// The scripts of a folder, in order; none if there is no folder.
fn scripts(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut scripts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "js") {
            scripts.push(path);
        }
    }
    scripts.sort();
    Ok(scripts)
}

/// What there is of a module in a folder.
fn find(folder: &Path, name: &str) -> io::Result<Found> {
    let path = folder.join(format!("{name}.wasm.gz"));
    if !path.is_file() {
        return Ok(Found::Lacking(LACKS.to_owned()));
    }
    let sources = fs::read_to_string(folder.join(format!("{name}.sources"))).unwrap_or_default();
    // Other headers or another command line make other code than this program's clang.
    let made = SOURCES.map(|(own, made)| (own, made.to_owned())).into_iter().chain([("front", front::identity())]);
    if made.into_iter().any(|(own, made)| own == name && sources.trim() != made) {
        return Ok(Found::Lacking(
            "the one that lay there was made from other sources than this book; `.ci/wasm build` makes it anew, then \
             `warpbook book build`"
                .to_owned(),
        ));
    }
    fs::read(path).map(Found::Module)
}

/// The script that hands a module over, and says where it comes from.
fn deliver(name: &str, packed: &[u8], from: &str) -> String {
    format!(
        "wbLab.deliver({}, \"{}\");\n(window.wbModules ??= {{}})[{}] = {{ from: {}, bytes: {} }};\n",
        quoted(name),
        STANDARD.encode(packed),
        quoted(name),
        quoted(from),
        packed.len()
    )
}

/// A text as JavaScript has it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_copied_and_what_is_lacking_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let (root, site) = (folder.path().join("book"), folder.path().join("site"));
        write(&root, &site).unwrap();
        assert!(!site.exists(), "a book without widgets has no such folder");
        fs::create_dir_all(root.join("theme/lab")).unwrap();
        fs::write(root.join("theme/lab/panel.js"), "1").unwrap();
        write(&root, &site).unwrap();
        assert_eq!(fs::read_to_string(site.join("lab/panel.js")).unwrap(), "1");
        assert!(fs::read_to_string(site.join("lab/sim.js")).unwrap().contains(".ci/wasm build"));
        assert!(fs::read_to_string(site.join("lab/editor.js")).unwrap().contains("null"), "pages use a plain field");
        let modules = folder.path().join("target/lab");
        fs::create_dir_all(&modules).unwrap();
        fs::write(modules.join("editor.js"), "window.wbEditor = {};").unwrap();
        fs::write(modules.join("sim.wasm.gz"), [0, 1, 2]).unwrap();
        fs::write(modules.join("sim.sources"), "another\n").unwrap();
        write(&root, &site).unwrap();
        assert!(fs::read_to_string(site.join("lab/sim.js")).unwrap().contains("other sources"));
        fs::write(modules.join("sim.sources"), format!("{}\n", SOURCES[0].1)).unwrap();
        write(&root, &site).unwrap();
        let script = fs::read_to_string(site.join("lab/sim.js")).unwrap();
        assert!(script.starts_with("wbLab.deliver(\"sim\", \"AAEC\");"), "{script}");
        assert!(script.contains("made here"), "{script}");
        assert_eq!(fs::read_to_string(site.join("lab/editor.js")).unwrap(), "window.wbEditor = {};");
    }

    #[test]
    fn a_compiler_is_there_when_all_of_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (root, site, made) =
            (folder.path().join("book"), folder.path().join("site"), folder.path().join("target/lab"));
        fs::create_dir_all(root.join("theme/lab")).unwrap();
        fs::create_dir_all(made.join("clang")).unwrap();
        for (name, text) in [("panel.js", "1"), ("../offline.js", "2")] {
            fs::write(root.join("theme/lab").join(name), text).unwrap();
        }
        for name in COMPILER.into_iter().chain([WORKER.0]) {
            fs::write(made.join("clang").join(name), name).unwrap();
        }
        let about = r#"{"package": "@yowasp/clang", "version": "22.0", "digest": "d", "bytes": 12}"#;
        fs::write(made.join("clang/compiler.json"), about).unwrap();
        fs::write(made.join("ptxgen.wasm.gz"), [1]).unwrap();
        fs::write(made.join("front.wasm.gz"), [1]).unwrap();
        fs::write(made.join("front.sources"), "others").unwrap();
        let said = |told: &[String], what: &str| told.iter().any(|line| line.contains(what));
        let script = || fs::read_to_string(site.join("lab/compiler.js")).unwrap();
        let told = write(&root, &site).unwrap();
        assert!(said(&told, "no compiler") && script().contains("other sources"), "{told:?}");
        fs::write(made.join("front.sources"), front::identity()).unwrap();
        let told = write(&root, &site).unwrap();
        assert!(said(&told, "the compiler: @yowasp/clang 22.0, 12 bytes"), "{told:?}");
        assert!(script().contains("\"bytes\":12"), "{}", script());
        let worker = fs::read_to_string(site.join("lab/clang-worker.js")).unwrap();
        assert!(worker.starts_with("wbLab.deliver(\"clang-worker\", \"H4sI"), "{worker}");
        assert!(site.join("lab/clang/llvm.wasm.gz").is_file());
        assert_eq!(fs::read_to_string(site.join("offline.js")).unwrap(), "2");
        fs::remove_file(made.join("clang/llvm.wasm.gz")).unwrap();
        assert!(said(&write(&root, &site).unwrap(), "no compiler of CUDA C++: this book was built without it"));
    }
}
