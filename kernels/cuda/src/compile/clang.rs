//! Compiling with clang: device code to PTX by LLVM's NVPTX back end, with our own headers.
//!
//! The source goes in and the PTX comes out through pipes, so that nothing is written.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use front::flags::{self, Wanted};
use front::messages;

use super::arch::{Arch, Asked};
use super::{CompileError, Compiled, Compiler, Options, Source, driver, error, paths};
use crate::clang::{Clang, headers};

/// What the options ask of clang, for a source that needs `arch`.
fn wanted(options: &Options, arch: Arch) -> Wanted {
    Wanted {
        arch,
        standard: options.standard.clone(),
        debug: options.debug,
        line_info: options.line_info,
        defines: options.defines.clone(),
    }
}

/// The text that clang reads: the source under its own name, then what makes instances of its templates.
fn whole_text(source: &Source<'_>, options: &Options) -> String {
    let mut text = flags::text(source.name, source.text, options.default_device);
    if !options.instances.is_empty() {
        text += &format!("# 1 \"{}\"\n{}", driver::WRAPPER, driver::markers(&options.instances));
    }
    text
}

/// Compiles a source with a given clang.
pub(super) fn compile(
    clang: &Clang,
    source: &Source<'_>,
    options: &Options,
    arch: Asked,
) -> Result<Compiled, CompileError> {
    let failed = |why: String| CompileError::ClangFailed {
        name: source.name.to_owned(),
        path: clang.program.display().to_string(),
        why,
    };
    let (ptx, log, shown) = output_of(clang, source, options, arch, &[])?;
    let instances = (0..options.instances.len())
        .map(|index| {
            driver::instance(&ptx, index)
                .ok_or_else(|| failed(format!("`{}` is not in the PTX", options.instances[index])))
        })
        .collect::<Result<_, _>>()?;
    let working_directory = std::env::current_dir().unwrap_or_default();
    Ok(Compiled {
        ptx: paths::normalise(&without_wrapper(&ptx), &working_directory, Path::new(source.name)),
        log,
        arch: arch.arch,
        options: shown,
        compiler: Compiler::Clang,
        build: clang.version.clone(),
        instances,
        part: None,
        includes: Vec::new(),
    })
}

/// The optimised LLVM IR of a source, before LLVM's back end makes PTX of it.
pub(super) fn ir(clang: &Clang, source: &Source<'_>, options: &Options, arch: Asked) -> Result<String, CompileError> {
    output_of(clang, source, options, arch, &["-emit-llvm"]).map(|(text, ..)| text)
}

/// What clang writes for a source, its messages, and the options that say what it was asked for.
fn output_of(
    clang: &Clang,
    source: &Source<'_>,
    options: &Options,
    arch: Asked,
    more: &[&str],
) -> Result<(String, String, Vec<String>), CompileError> {
    let failed = |why: String| CompileError::ClangFailed {
        name: source.name.to_owned(),
        path: clang.program.display().to_string(),
        why,
    };
    let io_failed = |doing: &str, error: io::Error| failed(format!("{doing}: {error}"));
    let include = headers::folder().map_err(|e| io_failed("its headers cannot be written into the cache", e))?;
    let shown = flags::driver(&wanted(options, arch.arch));
    let mut command = clang.command();
    command.args(&shown).args(more).args(flags::surroundings()).arg("-include").arg(include.join(headers::FIRST));
    let own = std::path::absolute(source.name).unwrap_or_else(|_| PathBuf::from(source.name));
    if let Some(folder) = own.parent() {
        command.arg("-iquote").arg(folder);
    }
    for folder in &options.includes {
        command.arg("-I").arg(folder);
    }
    command.arg("-isystem").arg(include);
    let stubs = stubs_of(options).map_err(|e| io_failed("stand-ins for headers cannot be written", e))?;
    if let Some(stubs) = &stubs {
        command.arg("-idirafter").arg(stubs.path());
    }
    command.args(["-o", "-", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| io_failed("it cannot be started", e))?;
    let text = whole_text(source, options);
    // clang reads all before it writes; one that dies early closes the pipe, and its messages say why.
    let writer = child.stdin.take().map(|mut pipe| std::thread::spawn(move || pipe.write_all(text.as_bytes())));
    let output = child.wait_with_output().map_err(|e| io_failed("it cannot be waited for", e))?;
    drop(writer.map(std::thread::JoinHandle::join));
    let log = messages::readable(&String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(refusal(&log, &output.status.to_string(), source, options, arch, failed));
    }
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), log, shown))
}

/// A folder with the headers that are taken as empty; none if there are none.
fn stubs_of(options: &Options) -> io::Result<Option<tempfile::TempDir>> {
    if options.stubs.is_empty() {
        return Ok(None);
    }
    let folder = tempfile::tempdir()?;
    for stub in &options.stubs {
        // A header must not lead out of the folder.
        if Path::new(stub).components().all(|part| matches!(part, std::path::Component::Normal(_))) {
            let path = folder.path().join(stub);
            std::fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            std::fs::write(path, "")?;
        }
    }
    Ok(Some(folder))
}

/// What an unsuccessful run means.
fn refusal(
    log: &str,
    status: &str,
    source: &Source<'_>,
    options: &Options,
    arch: Asked,
    failed: impl Fn(String) -> CompileError,
) -> CompileError {
    let name = source.name.to_owned();
    if log.contains("unsupported CUDA gpu architecture") || log.contains("unsupported gpu architecture") {
        let why = format!("clang does not compile for {}", arch.arch);
        return CompileError::Arch { name, line: arch.line, why };
    }
    if !log.contains("error:") || log.contains("PLEASE submit a bug report") {
        return failed(format!("{log}\n{status}"));
    }
    if error::begins_in(log, driver::WRAPPER) {
        return error::no_instance(source.name, &options.instances, log);
    }
    let help = messages::help(log);
    CompileError::Rejected { name, log: log.to_owned(), help }
}

/// The PTX without what made the instances of templates, and without its file, which no line belongs to any more.
fn without_wrapper(ptx: &str) -> String {
    let is_wrapper = |line: &&str| line.trim_start().starts_with(".file") && line.contains(driver::WRAPPER);
    driver::without_markers(ptx).split_inclusive('\n').filter(|line| !is_wrapper(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the driver tells the compiler proper, and a page does not: where things lie on this machine, what it writes, a release of
    /// PTX that a later option replaces, what only says how calls of programs are bundled, and what only a clang with the back end
    /// for GPUs can weigh (`front::flags`).
    fn is_only_the_drivers(option: &str) -> bool {
        let starts = ["-main-file-name", "-resource-dir", "-internal-isystem", "-include", "-isystem", "-cuid="];
        let whole = [
            "-S",
            "-target-feature +ptx42",
            "--offload-new-driver",
            "--no-offloadlib",
            "-fdwarf2-cfi-asm",
            "-x cuda",
            "-vectorize-slp",
            "-o",
            "-",
        ];
        whole.contains(&option)
            || starts.iter().any(|start| option.starts_with(start))
            || option.starts_with("-fdebug-comp")
    }

    /// Options with what belongs to them, in any order.
    fn grouped(arguments: &[String]) -> std::collections::BTreeSet<String> {
        let mut groups: Vec<String> = Vec::new();
        for argument in arguments.iter().skip_while(|argument| *argument != "-cc1").skip(1) {
            match groups.last_mut() {
                Some(last) if !argument.starts_with('-') => *last += &format!(" {argument}"),
                // LLVM's own options follow this one.
                Some(last) if last == "-mllvm" => *last += &format!(" {argument}"),
                _ => groups.push(argument.clone()),
            }
        }
        groups.into_iter().collect()
    }

    #[test]
    fn a_page_tells_clang_what_the_driver_tells_it() {
        let Ok(clang) = crate::clang::get() else {
            eprintln!("not run: what clang's driver tells the compiler, because there is no clang");
            return;
        };
        for debug in [false, true] {
            let wanted = Wanted { arch: Arch::new(90), debug, ..Wanted::default() };
            let mut command = clang.command();
            command.arg("-###").args(flags::driver(&wanted)).args(flags::surroundings()).args(["-o", "-", "-"]);
            let output = command.stdin(Stdio::null()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let line = said.lines().find(|line| line.contains("\"-cc1\"")).unwrap_or_else(|| panic!("{said}"));
            let told: Vec<String> = line.split('"').skip(1).step_by(2).map(str::to_owned).collect();
            let page = grouped(&flags::front_end(&wanted, "-", "headers"));
            let missing: Vec<_> = grouped(&told)
                .into_iter()
                .filter(|option| !is_only_the_drivers(option) && !page.contains(option))
                .collect();
            assert!(missing.is_empty(), "debug {debug}: a page does not say {missing:?}; it says {page:?}");
        }
    }
}
