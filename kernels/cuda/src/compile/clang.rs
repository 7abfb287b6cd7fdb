//! Compiling with clang: device code to PTX by LLVM's NVPTX back end, with our own headers.
//!
//! The source goes in and the PTX comes out through pipes, so that nothing is written.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::arch::{Arch, Asked};
use super::{CompileError, Compiled, Compiler, Options, Source, driver, error, paths};
use crate::clang::{Clang, headers};

/// The release of PTX that an architecture needs: the oldest one that holds what the headers use, so that older drivers
/// take the code too.
const fn ptx_release(arch: Arch) -> &'static str {
    if arch.number < 100 { "+ptx80" } else { "+ptx88" }
}

/// How the code comes close to what NVRTC makes: products and sums are fused, nothing is assumed of a program that NVRTC does
/// not assume, and names are mangled as NVRTC mangles them (a later ABI of clang marks template parameters whose type depends
/// on another).
const TUNING: &[&str] = &["-ffp-contract=fast", "-fno-strict-aliasing", "-fclang-abi-compat=17"];

/// clang's command line options, for a source that needs `arch`.
fn arguments(options: &Options, arch: Arch) -> Vec<String> {
    let gpu = format!("--cuda-gpu-arch=sm_{}{}", arch.number, arch.suffix.map(String::from).unwrap_or_default());
    let standard = options.standard.as_deref().unwrap_or("c++17");
    let mut arguments: Vec<String> = ["-x", "cuda", "--cuda-device-only", "-S"].map(str::to_owned).to_vec();
    arguments.push(gpu);
    arguments.push(format!("-std={standard}"));
    arguments.push(if options.debug { "-O0" } else { "-O3" }.to_owned());
    if options.line_info || options.debug {
        arguments.push("-gline-tables-only".to_owned());
    }
    arguments.extend(TUNING.iter().map(|&option| option.to_owned()));
    arguments.extend(["-Xclang", "-target-feature", "-Xclang", ptx_release(arch)].map(str::to_owned));
    arguments.extend(options.defines.iter().map(|define| format!("-D{define}")));
    arguments
}

/// Options that keep the machine out of it, and shape the messages.
const SURROUNDINGS: &[&str] = &[
    // The sizes of C's types are those of Linux everywhere, as they are for NVRTC's PTX in this repository.
    "--target=x86_64-unknown-linux-gnu",
    "-nocudainc",
    "-nocudalib",
    "-nostdinc",
    "-nostdinc++",
    "-fno-color-diagnostics",
    "-fmacro-backtrace-limit=1",
    "-ferror-limit=100",
    // About what NVIDIA's compilers warn of; clang's habits of style would only confuse.
    "-Wno-everything",
    "-Wuninitialized",
    "-Wunused-variable",
    "-Wreturn-type",
    "-Wdivision-by-zero",
    "-Warray-bounds",
];

/// The text that clang reads: the source under its own name, then what makes instances of its templates.
fn whole_text(source: &Source<'_>, options: &Options) -> String {
    let quoted = source.name.replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = String::new();
    if options.default_device {
        text += "#pragma clang force_cuda_host_device begin\n";
    }
    text += &format!("# 1 \"{quoted}\"\n{}\n", source.text);
    if options.default_device {
        text += "#pragma clang force_cuda_host_device end\n";
    }
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
    let shown = arguments(options, arch.arch);
    let mut command = clang.command();
    command.args(&shown).args(more).args(SURROUNDINGS).arg("-include").arg(include.join(headers::FIRST));
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
    let log = readable(&String::from_utf8_lossy(&output.stderr));
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
    let help = advice(log).or_else(|| error::advice(log));
    CompileError::Rejected { name, log: log.to_owned(), help }
}

/// The PTX without what made the instances of templates, and without its file, which no line belongs to any more.
fn without_wrapper(ptx: &str) -> String {
    let is_wrapper = |line: &&str| line.trim_start().starts_with(".file") && line.contains(driver::WRAPPER);
    driver::without_markers(ptx).split_inclusive('\n').filter(|line| !is_wrapper(line)).collect()
}

/// clang's messages without the lines that count them, and without what stands for the command line.
fn readable(log: &str) -> String {
    let kept = |line: &&str| {
        let counts = line.ends_with(" generated when compiling for host.")
            || line.contains(" generated when compiling for sm_")
            || line.ends_with(" generated.");
        let counts = counts && line.starts_with(|c: char| c.is_ascii_digit());
        !counts && !line.starts_with("In file included from <built-in>:")
    };
    log.lines().filter(kept).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// What may help where clang refuses what NVIDIA's compilers take, or lacks it.
fn advice(log: &str) -> Option<String> {
    if let Some((before, _)) = log.split_once("' with a different type:") {
        let name = before.rsplit('\'').next().unwrap_or_default();
        return Some(format!(
            "NVIDIA's compilers let two kernels of a file declare `extern __shared__` arrays of one name with two element types, \
             and clang does not: give each its own name, or declare one of bytes \
             (extern __shared__ unsigned char {name}[];) and cast it"
        ));
    }
    if log.contains("CUDA device code does not support variadic functions") {
        return Some(
            "clang takes no device function with `...` of its own: make it a template with a parameter pack".to_owned(),
        );
    }
    if log.contains("reference to __host__ function") || log.contains("reference to __host__ variable") {
        return Some("what kernels call is marked __device__ (constexpr functions need no mark)".to_owned());
    }
    for (sign, what) in LACKING {
        if log.contains(sign) {
            return Some(format!(
                "warpbook's headers for clang have no {what}; NVRTC compiles it, where it runs (--compiler nvrtc, Linux)"
            ));
        }
    }
    None
}

/// Words in clang's messages that tell of parts of CUDA that our headers lack.
const LACKING: &[(&str, &str)] = &[
    ("'cub/", "CUB"),
    ("'thrust/", "Thrust"),
    ("'mma.h'", "matrix functions (mma.h)"),
    ("'cuda_fp8.h'", "8-bit floating-point numbers"),
    ("'curand", "cuRAND"),
    ("undeclared identifier 'tex", "textures"),
    ("undeclared identifier 'surf", "surfaces"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_clangs() {
        let options = Options { defines: vec!["N=32".into()], standard: Some("c++20".into()), ..Options::default() };
        let list = arguments(&options, Arch { number: 90, suffix: Some('a') }).join(" ");
        for part in ["--cuda-gpu-arch=sm_90a", "-std=c++20", "-O3", "-gline-tables-only", "-DN=32", "+ptx80"] {
            assert!(list.contains(part), "{part}: {list}");
        }
        let debug = arguments(&Options { debug: true, ..options }, Arch::new(120)).join(" ");
        assert!(debug.contains("-O0") && debug.contains("+ptx88"), "{debug}");
    }

    #[test]
    fn what_only_nvidias_compilers_take_is_explained() {
        let log = "k.cu:7:27: error: redefinition of 'data' with a different type: 'float[]' vs 'int[]'";
        let help = advice(log).unwrap();
        assert!(help.contains("extern __shared__ unsigned char data[]") && help.contains("its own name"), "{help}");
        assert!(advice("k.cu:1:10: fatal error: 'cub/cub.cuh' file not found").unwrap().contains("CUB"));
        assert_eq!(advice("k.cu:1:1: error: expected ';'"), None);
    }

    #[test]
    fn messages_are_about_the_source() {
        let log = "In file included from <built-in>:1:\nk.cu:2:3: error: no\n  2 | x\n1 error generated when compiling for sm_90.\n";
        assert_eq!(readable(log), "k.cu:2:3: error: no\n  2 | x");
    }
}
