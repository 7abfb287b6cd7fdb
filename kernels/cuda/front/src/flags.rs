//! clang's command line, for the driver that starts programs and for the compiler proper (`-cc1`), which a page runs.
//!
//! Both are written from the same lists. The driver adds what it knows of the target to the second one; where there is no driver,
//! that stands in [`front_end`], and a test of the crate `cuda` holds it against what a driver adds.

use crate::arch::Arch;

/// What a source is compiled for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The virtual architecture.
    pub arch: Arch,
    /// The language standard, such as `c++20`. None: C++17.
    pub standard: Option<String>,
    /// No optimisation.
    pub debug: bool,
    /// A line table.
    pub line_info: bool,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { arch: Arch::LOWEST, standard: None, debug: false, line_info: true, defines: Vec::new() }
    }
}

/// The release of PTX that an architecture needs: the oldest one that holds what the headers use, so that older drivers
/// take the code too.
const fn ptx_release(arch: Arch) -> &'static str {
    if arch.number < 100 { "+ptx80" } else { "+ptx88" }
}

/// An option as the driver takes it, and as the compiler proper does.
type Spelled = (&'static str, &'static str);

/// How the code comes close to what NVRTC makes: products and sums are fused, nothing is assumed of a program that NVRTC does
/// not assume, and names are mangled as NVRTC mangles them (a later ABI of clang marks template parameters whose type depends
/// on another).
const TUNING: &[Spelled] = &[
    ("-ffp-contract=fast", "-ffp-contract=fast"),
    ("-fno-strict-aliasing", "-relaxed-aliasing"),
    ("-fclang-abi-compat=17", "-fclang-abi-compat=17"),
];

/// What shapes the messages.
const MESSAGES: &[&str] = &[
    "-fmacro-backtrace-limit=1",
    // About what NVIDIA's compilers warn of; clang's habits of style would only confuse.
    "-Wno-everything",
    "-Wuninitialized",
    "-Wunused-variable",
    "-Wreturn-type",
    "-Wdivision-by-zero",
    "-Warray-bounds",
];

/// The machine whose C types are meant: the sizes of C's types are those of Linux everywhere, as they are for NVRTC's PTX in this
/// repository.
const HOST: &str = "x86_64-unknown-linux-gnu";

/// Most errors that are told.
const MOST_ERRORS: &str = "100";

fn standard(wanted: &Wanted) -> String {
    format!("-std={}", wanted.standard.as_deref().unwrap_or("c++17"))
}

const fn level(wanted: &Wanted) -> &'static str {
    if wanted.debug { "-O0" } else { "-O3" }
}

fn texts(options: &[&str]) -> Vec<String> {
    options.iter().map(|&option| option.to_owned()).collect()
}

/// The driver's options that decide what the code is.
#[must_use]
pub fn driver(wanted: &Wanted) -> Vec<String> {
    let mut flags = texts(&["-x", "cuda", "--cuda-device-only", "-S"]);
    flags.push(format!("--cuda-gpu-arch={}", wanted.arch.gpu()));
    flags.push(standard(wanted));
    flags.push(level(wanted).to_owned());
    if wanted.line_info || wanted.debug {
        flags.push("-gline-tables-only".to_owned());
    }
    flags.extend(TUNING.iter().map(|(option, _)| (*option).to_owned()));
    flags.extend(texts(&["-Xclang", "-target-feature", "-Xclang", ptx_release(wanted.arch)]));
    flags.extend(wanted.defines.iter().map(|define| format!("-D{define}")));
    flags
}

/// The driver's options that keep the machine out of it, and shape the messages.
#[must_use]
pub fn surroundings() -> Vec<String> {
    let mut flags = vec![format!("--target={HOST}")];
    flags.extend(texts(&["-nocudainc", "-nocudalib", "-nostdinc", "-nostdinc++", "-fno-color-diagnostics"]));
    flags.push(format!("-ferror-limit={MOST_ERRORS}"));
    flags.extend(texts(MESSAGES));
    flags
}

/// What the driver tells the compiler proper of every source for a GPU.
const OF_THE_DRIVER: &[&str] = &[
    "-disable-free",
    "-clear-ast-before-backend",
    "-disable-llvm-verifier",
    "-discard-value-names",
    "-mrelocation-model",
    "static",
    "-mframe-pointer=all",
    "-fno-rounding-math",
    "-no-integrated-as",
    "-aux-target-cpu",
    "x86-64",
    "-fcuda-is-device",
    "-mllvm",
    "-enable-memcpyopt-without-libcalls",
    "-fno-threadsafe-statics",
    "-nostdsysteminc",
    "-nobuiltininc",
    "-fdeprecated-macro",
    "-fno-autolink",
    "-fgnuc-version=4.2.1",
    "-fskip-odr-check-in-gmf",
    "-fcxx-exceptions",
    "-fexceptions",
];

/// What LLVM's back end for GPUs tells the optimiser and a clang without that back end does not know: calls cost so much that
/// functions eleven times as large are inlined, and loops are unrolled in part and where their length is only known when they
/// run, up to a quarter of the size for whole ones (`NVPTXTargetTransformInfo`). That back end has hardly a vector, either, so
/// straight code is not made into vectors here (`-vectorize-slp`), which would have to be taken apart again.
const OF_THE_BACK_END: &[&str] =
    &["-inline-threshold=2750", "-unroll-allow-partial", "-unroll-runtime", "-unroll-partial-threshold=75"];

/// The compiler proper's command line, from source to LLVM's intermediate language as text. It reads `input`, whose device
/// headers lie in the folder `headers`, and writes `output`.
#[must_use]
pub fn front_end(wanted: &Wanted, input: &str, headers: &str) -> Vec<String> {
    let mut flags = texts(&["clang", "-cc1", "-triple", "nvptx64-nvidia-cuda", "-aux-triple", HOST]);
    flags.push(level(wanted).to_owned());
    flags.push("-emit-llvm".to_owned());
    flags.extend(texts(OF_THE_DRIVER));
    flags.extend(TUNING.iter().map(|(_, option)| (*option).to_owned()));
    if !wanted.debug {
        flags.push("-vectorize-loops".to_owned());
        flags.extend(OF_THE_BACK_END.iter().flat_map(|option| ["-mllvm".to_owned(), (*option).to_owned()]));
    }
    flags.extend(["-target-cpu".to_owned(), wanted.arch.gpu()]);
    flags.extend(texts(&["-target-feature", ptx_release(wanted.arch)]));
    if wanted.line_info || wanted.debug {
        // Optimised code for a GPU has lines and no names of variables: `ptxas` takes it for code to be debugged otherwise.
        let kind = if wanted.debug { "line-tables-only" } else { "line-directives-only" };
        flags.push(format!("-debug-info-kind={kind}"));
        flags.push("-dwarf-version=2".to_owned());
    }
    flags.extend(texts(&["-debugger-tuning=gdb", "-fno-dwarf-directory-asm", "-fdebug-compilation-dir=."]));
    flags.push(format!("-D__CUDA_ARCH_LIST__={}0", wanted.arch.number));
    flags.extend(wanted.defines.iter().map(|define| format!("-D{define}")));
    flags.push(standard(wanted));
    flags.extend(["-ferror-limit".to_owned(), MOST_ERRORS.to_owned()]);
    flags.extend(texts(MESSAGES));
    flags.extend(["-include".to_owned(), format!("{headers}/{}", crate::headers::FIRST)]);
    flags.extend(["-isystem".to_owned(), headers.to_owned()]);
    flags.extend(texts(&["-o", OUTPUT, "-x", "cuda", input]));
    flags
}

/// The file that [`front_end`] writes.
pub const OUTPUT: &str = "out.ll";

/// The text that clang reads for a source, whatever the file is called in which it lies: the source under its own name.
/// `everything`: what is marked for neither host nor device is for the device, too.
#[must_use]
pub fn text(name: &str, source: &str, everything: bool) -> String {
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
    let (begin, end) = if everything {
        ("#pragma clang force_cuda_host_device begin\n", "#pragma clang force_cuda_host_device end\n")
    } else {
        ("", "")
    };
    format!("{begin}# 1 \"{quoted}\"\n{source}\n{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_clangs() {
        let arch = Arch { number: 90, suffix: Some('a') };
        let wanted = Wanted { arch, defines: vec!["N=32".into()], standard: Some("c++20".into()), ..Wanted::default() };
        let list = driver(&wanted).join(" ");
        for part in ["--cuda-gpu-arch=sm_90a", "-std=c++20", "-O3", "-gline-tables-only", "-DN=32", "+ptx80"] {
            assert!(list.contains(part), "{part}: {list}");
        }
        let debug = driver(&Wanted { debug: true, arch: Arch::new(120), ..wanted.clone() }).join(" ");
        assert!(debug.contains("-O0") && debug.contains("+ptx88"), "{debug}");
        let proper = front_end(&wanted, "in.cu", "/h").join(" ");
        for part in ["-target-cpu sm_90a", "-std=c++20", "-O3", "-DN=32", "+ptx80", "/h/cuda_runtime.h", "cuda in.cu"] {
            assert!(proper.contains(part), "{part}: {proper}");
        }
        let proper = front_end(&Wanted { debug: true, ..wanted }, "in.cu", "/h").join(" ");
        assert!(proper.contains("-O0") && !proper.contains("-vectorize") && !proper.contains("-unroll"), "{proper}");
    }
}
