//! Compiling with nvcc, the compiler driver: `nvcc --ptx`.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::arch::{Arch, Asked};
use super::{CompileError, Compiled, Compiler, Options, Source, build_of, error, paths};
use crate::names;
use crate::nvcc::Nvcc;

/// Name of the kernel template whose instances carry the names that [`Options::instances`] have in the PTX.
const MARKER: &str = "warpbook_instance";

/// Name of the file that makes the instances.
pub(super) const WRAPPER: &str = "warpbook_instances.cu";

/// nvcc's command line options, for a source that needs `arch`.
fn arguments(options: &Options, arch: Arch) -> Vec<String> {
    let mut arguments = vec!["--ptx".to_owned(), format!("--gpu-architecture={arch}")];
    // A debugger's line table is always written, and nvcc warns of being asked for another.
    if options.debug {
        arguments.push("--device-debug".to_owned());
    } else if options.line_info {
        arguments.push("--generate-line-info".to_owned());
    }
    arguments.push("--extended-lambda".to_owned());
    arguments.extend(options.standard.iter().map(|standard| format!("--std={standard}")));
    arguments.extend(options.defines.iter().map(|define| format!("--define-macro={define}")));
    arguments
}

/// Options that a source may need, and what nvcc says where one is missing: kernels that launch kernels are parts of a
/// program, functions of C++ that compute constants may be called by kernels, and a newer C++ has more in its library.
const ON_DEMAND: [(&str, &str); 3] = [
    ("requires separate compilation mode", "--relocatable-device-code=true"),
    ("--expt-relaxed-constexpr", "--expt-relaxed-constexpr"),
    ("namespace \"std\" has no member", "--std=c++20"),
];

/// Compiles a source with a given nvcc, with those options that nvcc asks for; and what only another architecture has, for
/// that one if nobody asked for any.
pub(super) fn compile(
    nvcc: &Nvcc,
    source: &Source<'_>,
    options: &Options,
    arch: Asked,
) -> Result<Compiled, CompileError> {
    let first = compile_as(nvcc, source, options, arch, &[]);
    let mut last = first.clone();
    let mut more: Vec<&str> = Vec::new();
    while let Err(CompileError::Rejected { log, .. }) = &last {
        let free = |option: &str| !(option.starts_with("--std") && options.standard.is_some());
        let fits =
            |&&(sign, option): &&(&str, &'static str)| log.contains(sign) && !more.contains(&option) && free(option);
        let wanted = ON_DEMAND.iter().find(fits);
        let Some((_, option)) = wanted else { break };
        more.push(option);
        last = compile_as(nvcc, source, options, arch, &more);
    }
    if let Err(CompileError::Rejected { log, .. }) = &last
        && log.contains("not supported on .target")
        && options.arch.is_none()
        && arch.line.is_none()
    {
        let own = Arch { suffix: Some('a'), ..arch.arch };
        let others = [own, Arch { number: 100, suffix: Some('a') }].into_iter();
        let mut others = others.map(|arch| compile_as(nvcc, source, options, Asked { arch, line: None }, &more));
        return others.find(Result::is_ok).unwrap_or(first);
    }
    // What an option has settled is no longer said.
    let settled = |first: &CompileError, last: &CompileError| match (first, last) {
        (CompileError::Rejected { log: first, .. }, CompileError::Rejected { log: last, .. }) => {
            ON_DEMAND.iter().any(|(sign, _)| first.contains(sign) && !last.contains(sign))
        }
        _ => false,
    };
    match (first, last) {
        (Err(first), Err(last)) if settled(&first, &last) => Err(last),
        (first, last) => last.or(first),
    }
}

fn compile_as(
    nvcc: &Nvcc,
    source: &Source<'_>,
    options: &Options,
    arch: Asked,
    more: &[&str],
) -> Result<Compiled, CompileError> {
    let failed = |why: String| CompileError::NvccFailed {
        name: source.name.to_owned(),
        path: nvcc.program.display().to_string(),
        why,
    };
    let io_failed = |doing: &str, error: io::Error| failed(format!("{doing}: {error}"));
    let folder = tempfile::tempdir().map_err(|e| io_failed("no temporary folder can be made", e))?;
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|e| io_failed(&format!("{} cannot be written", path.display()), e))
    };
    let own = absolute(source.name);
    // The text counts, not what lies at its path: an editor's unsaved text and a test's made-up one compile too.
    let on_disk = std::fs::read_to_string(&own).is_ok_and(|text| text == source.text);
    let file = if on_disk {
        own.clone()
    } else {
        let copy = folder.path().join(own.file_name().unwrap_or("source.cu".as_ref()));
        write(&copy, source.text)?;
        copy
    };
    let main = if options.instances.is_empty() {
        file.clone()
    } else {
        let wrapper = folder.path().join(WRAPPER);
        write(&wrapper, &with_instances(&file, &options.instances))?;
        wrapper
    };

    let mut shown = arguments(options, arch.arch);
    shown.extend(more.iter().map(|option| (*option).to_owned()));
    let out = folder.path().join("out.ptx");
    let mut command = Command::new(&nvcc.program);
    command.args(&shown).args(["--allow-unsupported-compiler", "--x", "cu"]).arg("--output-file").arg(&out).arg(&main);
    for include in own.parent().into_iter().chain(options.includes.iter().map(PathBuf::as_path)) {
        command.arg("--include-path").arg(include);
    }
    for include in &nvcc.includes {
        command.arg("--system-include").arg(include);
    }
    if !options.stubs.is_empty() {
        let stubs = folder.path().join("stubs");
        for stub in &options.stubs {
            // A header must not lead out of the folder.
            if Path::new(stub).components().all(|part| matches!(part, std::path::Component::Normal(_))) {
                let path = stubs.join(stub);
                let made = std::fs::create_dir_all(path.parent().unwrap_or(&stubs));
                made.map_err(|e| io_failed("no folder for headers can be made", e))?;
                write(&path, "")?;
            }
        }
        command.arg("--system-include").arg(stubs);
    }
    command.stdin(Stdio::null()).env("TMPDIR", folder.path());
    let output = command.output().map_err(|e| io_failed("it cannot be started", e))?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let log = readable(&log, &file, source.name);
    if !output.status.success() {
        if log.contains("is not defined for option 'gpu-architecture'") {
            let why = format!("nvcc does not compile for {}: {log}", arch.arch);
            return Err(CompileError::Arch { name: source.name.to_owned(), line: arch.line, why });
        }
        if !log.contains("error") || log.contains("nvcc fatal") || log.contains("cannot execute") {
            return Err(failed(format!("{log}\n{}", output.status)));
        }
        if error::begins_in(&log, WRAPPER) {
            return Err(error::no_instance(source.name, &options.instances, &log));
        }
        let help = error::advice(&log);
        return Err(CompileError::Rejected { name: source.name.to_owned(), log, help });
    }
    let ptx = std::fs::read_to_string(&out).map_err(|e| io_failed("its output cannot be read", e))?;
    let working_directory = std::env::current_dir().unwrap_or_default();
    let instances = (0..options.instances.len())
        .map(|index| {
            instance(&ptx, index).ok_or_else(|| failed(format!("`{}` is not in the PTX", options.instances[index])))
        })
        .collect::<Result<_, _>>()?;
    Ok(Compiled {
        build: build_of(&ptx).map_or_else(|| nvcc.version.clone(), str::to_owned),
        ptx: paths::normalise(&without_markers(&ptx), &working_directory, &file),
        log,
        arch: arch.arch,
        options: shown,
        compiler: Compiler::Nvcc,
        instances,
        part: None,
        includes: Vec::new(),
    })
}

fn absolute(name: &str) -> PathBuf {
    std::path::absolute(name).unwrap_or_else(|_| PathBuf::from(name))
}

/// A source that includes `file` and makes instances of its templates: taking a kernel's address in host code makes
/// it, and as a template's argument it writes its own name into the name of the instance, whatever types it is
/// named with.
fn with_instances(file: &Path, instances: &[String]) -> String {
    let path = file.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    format!("#include \"{path}\"\n{}", markers(instances))
}

/// The declarations that make the instances.
pub(super) fn markers(instances: &[String]) -> String {
    let mut text = format!("template <int I, class F, F K> __global__ void {MARKER}() {{}}\n");
    for (index, name) in instances.iter().enumerate() {
        text += &format!("auto *{MARKER}_{index} = &{MARKER}<{index}, decltype(&{name}), &{name}>;\n");
    }
    text
}

/// The name in the PTX of the instance `index`: the one that its marker's name holds. Both are compared demangled,
/// because a mangled name within another one is abbreviated differently.
pub(super) fn instance(ptx: &str, index: usize) -> Option<String> {
    let start = format!("_Z{}{MARKER}ILi{index}E", MARKER.len());
    let entries = || {
        let lines = ptx.lines().filter_map(|line| line.split_once(".entry ").map(|(_, rest)| rest));
        lines.map(|rest| rest.split(['(', ' ']).next().unwrap_or(rest))
    };
    let marker = names::readable(entries().find(|name| name.starts_with(&start))?);
    let held = marker.strip_suffix("()")?.trim_end().strip_suffix('>')?.trim_end().trim_end_matches(')');
    // A kernel's own name ends with a parenthesis too.
    let is_held = |name: &&str| {
        let name = names::readable(name);
        let before = held.strip_suffix(name.trim_end_matches(')'));
        before.is_some_and(|before| before.ends_with(['&', '(', ' ']))
    };
    entries().filter(|name| !name.contains(MARKER)).find(is_held).map(str::to_owned)
}

/// The PTX without the markers, which are empty kernels.
pub(super) fn without_markers(ptx: &str) -> String {
    if !ptx.contains(MARKER) {
        return ptx.to_owned();
    }
    let mut kept = String::with_capacity(ptx.len());
    let mut inside = false;
    for line in ptx.split_inclusive('\n') {
        if line.contains(".entry") && line.contains(MARKER) {
            inside = true;
        }
        let heading = line.contains("// .globl") && line.contains(MARKER);
        if !inside && !heading {
            kept.push_str(line);
        }
        inside &= !line.starts_with('}');
    }
    kept
}

/// What nvcc says, with the source's name as its user knows it and without what is said of the markers.
fn readable(log: &str, file: &Path, name: &str) -> String {
    let full = file.display().to_string();
    log.replace(&full, name).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_nvccs() {
        let options = Options { defines: vec!["N=32".into()], standard: Some("c++14".into()), ..Options::default() };
        let expected = [
            "--ptx",
            "--gpu-architecture=compute_80",
            "--generate-line-info",
            "--extended-lambda",
            "--std=c++14",
            "--define-macro=N=32",
        ];
        assert_eq!(arguments(&options, Arch::new(80)), expected);
        let debug = arguments(&Options { debug: true, ..options }, Arch::new(80));
        assert!(debug.contains(&"--device-debug".to_owned()) && !debug.iter().any(|a| a.contains("line-info")));
    }

    #[test]
    fn an_instances_name_is_read_from_its_marker_and_the_marker_goes() {
        let ptx = "\
\t// .globl\t_Z17warpbook_instanceILi0EPFvPfS0_EXadL_Z6reduceIfLi256EEvPT_S5_EEEvv
.visible .entry _Z17warpbook_instanceILi0EPFvPfS0_EXadL_Z6reduceIfLi256EEvPT_S5_EEEvv()
{
\tret;
}
\t// .globl\t_Z6reduceIfLi256EEvPT_S1_
.visible .entry _Z6reduceIfLi256EEvPT_S1_(
\t.param .u64 p
)
{
\tret;
}
";
        assert_eq!(instance(ptx, 0).as_deref(), Some("_Z6reduceIfLi256EEvPT_S1_"));
        assert_eq!(instance(ptx, 1), None);
        let kept = without_markers(ptx);
        assert!(kept.starts_with("\t// .globl\t_Z6reduce") && !kept.contains(MARKER), "{kept}");
        assert_eq!(kept.matches("ret;").count(), 1);
    }
}
