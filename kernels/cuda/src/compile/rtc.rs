//! Compiling with NVRTC.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use super::arch::{Arch, Asked};
use super::{CompileError, Compiled, Compiler, Options, Source, build_of, error, host, paths};
use crate::nvrtc::library::Input;
use crate::nvrtc::{Nvrtc, Origin};
use crate::setup::{self, Component};

/// What device code uses of `<stdint.h>` and `<stddef.h>`; NVRTC has everything else built in. CUDA's own headers declare the
/// same names, those of 64 bits as `long long` for NVRTC, and a program may include both.
fn c_types(real_runtime: bool) -> String {
    let wide = if real_runtime { "long long" } else { "long" };
    format!(
        "#pragma once
typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned int uint32_t; typedef {wide} int64_t; typedef unsigned {wide} uint64_t;
typedef {wide} intptr_t; typedef unsigned {wide} uintptr_t;
"
    )
}

/// What device code uses of `<limits.h>` and `<float.h>`, from the compiler's own constants.
const C_LIMITS: &str = "\
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ULL
#define FLT_MAX 3.40282346638528859812e+38F
#define FLT_MIN 1.17549435082228750797e-38F
#define FLT_EPSILON 1.19209289550781250000e-7F
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
";

/// What device code uses of `<math.h>` that is no function.
const C_MATH: &str = "\
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_SQRT2 1.41421356237309504880
";

/// Definitions as a header that leaves alone what is defined already.
fn guarded(definitions: &str) -> String {
    let one = |line: &str| {
        let name = line.split_whitespace().nth(1).unwrap_or_default();
        format!("#ifndef {name}\n{line}\n#endif\n")
    };
    definitions.lines().map(one).collect()
}

/// Those of limits as a header. CUDA's own headers define some of it, too, and want to do it first.
fn c_limits(real_runtime: bool) -> String {
    let own = "#if __has_include(<cuda/std/climits>)\n#include <cuda/std/climits>\n#endif\n";
    let first = if real_runtime { own } else { "" };
    format!("#pragma once\n{first}{}", guarded(C_LIMITS))
}

/// NVRTC's command line options, for a source that needs `arch`.
fn arguments(options: &Options, arch: Arch) -> Vec<String> {
    let mut arguments = vec![format!("--gpu-architecture={arch}")];
    if options.line_info {
        arguments.push("--generate-line-info".to_owned());
    }
    if options.debug {
        arguments.push("--device-debug".to_owned());
    }
    if options.default_device {
        arguments.push("--device-as-default-execution-space".to_owned());
    }
    arguments.extend(options.standard.iter().map(|standard| format!("--std={standard}")));
    arguments.extend(options.defines.iter().map(|define| format!("--define-macro={define}")));
    arguments
}

/// The folders of CUDA's own headers that belong to this NVRTC: a toolkit's, else those that setup fetched.
fn header_folders(nvrtc: &Nvrtc) -> Vec<PathBuf> {
    let near = nvrtc.path().parent().into_iter().flat_map(|folder| [folder.join("../include"), folder.join("include")]);
    let own = near.into_iter().find(|folder| folder.join("cuda_fp16.h").is_file());
    let fetched = || {
        let fits = nvrtc.version() == (13, 0) || *nvrtc.origin() == Origin::Cache;
        setup::installed(Component::Headers).filter(|_| fits).map(|folder| folder.join("include"))
    };
    own.or_else(fetched).map_or_else(Vec::new, |folder| vec![folder.join("cccl"), folder])
}

/// Stand-ins for headers of C, which NVRTC does not have and whose device functions it has built in. With
/// `real_runtime`, CUDA's own headers are there and need no stand-in.
fn stand_ins(real_runtime: bool) -> Vec<(CString, CString)> {
    let names = host::C_HEADERS.iter().filter(|name| !(real_runtime && is_cudas_own(name)));
    let (types, limits) = (c_types(real_runtime), c_limits(real_runtime));
    let math = format!("#pragma once\n{}", guarded(C_MATH));
    let content = |name: &str| match name {
        "stdint.h" | "cstdint" | "inttypes.h" => &*types,
        "limits.h" | "climits" | "float.h" | "cfloat" => &*limits,
        "math.h" | "cmath" => &*math,
        _ => "",
    };
    let text = |text: &str| CString::new(text).expect("no NUL in our own texts");
    names.map(|name| (text(name), text(content(name)))).collect()
}

fn is_cudas_own(header: &str) -> bool {
    header.starts_with("cuda") || header.starts_with("device_")
}

/// Compiles a source with a given NVRTC.
pub(super) fn compile(
    nvrtc: &Nvrtc,
    source: &Source<'_>,
    options: &Options,
    arch: Asked,
) -> Result<Compiled, CompileError> {
    if !nvrtc.archs().contains(&arch.arch.number) {
        let known: Vec<String> = nvrtc.archs().iter().map(|n| format!("compute_{n}")).collect();
        let (major, minor) = nvrtc.version();
        let why = format!(
            "NVRTC {major}.{minor} does not compile for {}.\nIt knows {}.\nThe one in use is {}, {}.",
            arch.arch,
            known.join(", "),
            nvrtc.path().display(),
            nvrtc.origin(),
        );
        return Err(CompileError::Arch { name: source.name.to_owned(), line: arch.line, why });
    }
    let folders = header_folders(nvrtc);
    let shown = arguments(options, arch.arch);
    let mut all = shown.clone();
    let includes = options.includes.iter().chain(&folders);
    all.extend(includes.map(|folder| format!("--include-path={}", folder.display())));

    let nul = || CompileError::Nul { name: source.name.replace('\0', "\\0"), line: 1 };
    let strings = |list: &[String]| {
        list.iter().map(|text| CString::new(text.as_str()).map_err(|_| nul())).collect::<Result<Vec<_>, _>>()
    };
    let (all, kernels) = (strings(&all)?, strings(&options.instances)?);
    let mut headers = stand_ins(!folders.is_empty());
    for stub in strings(&options.stubs)? {
        if !headers.iter().any(|(name, _)| *name == stub) {
            headers.push((stub, CString::default()));
        }
    }
    let input = Input {
        name: &CString::new(source.name).map_err(|_| nul())?,
        text: &CString::new(source.text).map_err(|_| nul())?,
        options: &all,
        headers: &headers,
        kernels: &kernels,
    };
    let run = |input: &Input<'_>| {
        nvrtc.compile(input).map_err(|error| CompileError::Failed {
            name: source.name.to_owned(),
            path: nvrtc.path().display().to_string(),
            version: nvrtc.version(),
            error,
        })
    };
    // NVRTC crashes where it is asked for an instance of a template whose declaration is wrong: the source alone first.
    let alone = if kernels.is_empty() { None } else { Some(run(&Input { kernels: &[], ..input })?) };
    let outcome = match alone.filter(|outcome| outcome.ptx.is_none()) {
        Some(wrong) => wrong,
        None => run(&input)?,
    };
    let log = outcome.log.trim().to_owned();
    let Some(ptx) = outcome.ptx else {
        if error::begins_in(&log, "__nv_name_map") {
            return Err(error::no_instance(source.name, &options.instances, &log));
        }
        let help = error::advice(&log);
        return Err(CompileError::Rejected { name: source.name.to_owned(), log, help });
    };
    let working_directory = std::env::current_dir().unwrap_or_default();
    let (major, minor) = nvrtc.version();
    Ok(Compiled {
        build: build_of(&ptx).map_or_else(|| format!("{major}.{minor}"), str::to_owned),
        ptx: paths::normalise(&ptx, &working_directory, Path::new(source.name)),
        log,
        arch: arch.arch,
        options: shown,
        compiler: Compiler::Nvrtc,
        instances: outcome.names,
        part: None,
        includes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_nvrtcs() {
        let options = Options {
            debug: true,
            defines: vec!["N=32".into(), "FAST".into()],
            standard: Some("c++14".into()),
            ..Options::default()
        };
        let expected = [
            "--gpu-architecture=compute_75",
            "--generate-line-info",
            "--device-debug",
            "--std=c++14",
            "--define-macro=N=32",
            "--define-macro=FAST",
        ];
        assert_eq!(arguments(&options, Arch::LOWEST), expected);
    }

    #[test]
    fn stand_ins_leave_cudas_own_headers_alone() {
        let names = |real| stand_ins(real).into_iter().map(|(name, _)| name.into_string().unwrap()).collect::<Vec<_>>();
        assert!(names(true).contains(&"stdio.h".to_owned()) && !names(true).contains(&"cuda_runtime.h".to_owned()));
        assert!(names(false).contains(&"cuda_runtime.h".to_owned()));
    }
}
