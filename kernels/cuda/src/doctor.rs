//! `warpbook doctor`: what this machine has of what the workbook can use, what is missing, and what to type.
//!
//! Nothing is printed and nothing is changed here.

use crate::clang::{self, ClangError};
use crate::gpu;
use crate::ncu;
use crate::nvcc::{self, NvccError};
use crate::nvrtc::{self, NvrtcError};
use crate::setup::{self, Component};
use cudarc::driver::{result, sys};
use serde::Serialize;
use std::path::Path;
use std::process::{Command, Stdio};

/// The CUDA version that a driver must support to load PTX of NVRTC 13.0 (PTX ISA 9.0).
const DRIVER_NEEDED: (i32, i32) = (13, 0);

/// How it stands with one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is there and can be used.
    Ok,
    /// It is not there.
    Missing,
    /// It is there and cannot be used as it is.
    Problem,
}

/// One thing that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its name, such as `NVRTC`.
    pub name: &'static str,
    /// How it stands.
    pub status: Status,
    /// What was found, such as a path and a version, or what is wrong.
    pub detail: String,
    /// What it is needed for.
    pub needed_for: &'static str,
    /// What to do if it is not [`Status::Ok`].
    pub fix: Option<String>,
}

/// A check that went well.
fn ok(name: &'static str, needed_for: &'static str, detail: impl Into<String>) -> Check {
    Check { name, status: Status::Ok, detail: detail.into(), needed_for, fix: None }
}

impl Check {
    /// The same check with another status, and what to do about it.
    fn but(self, status: Status, fix: impl Into<String>) -> Self {
        Self { status, fix: Some(fix.into()), ..self }
    }
}

/// What is wrong with this machine's driver and GPUs, and what to do about it; `None` if nothing is.
#[must_use]
pub fn gpu_advice() -> Option<String> {
    let driver = driver();
    let gpus = if driver.status == Status::Missing { Vec::new() } else { gpus() };
    let wrong = |check: Check| {
        (check.status != Status::Ok).then(|| {
            let fix = check.fix.map_or_else(String::new, |fix| format!("\nwhat to do: {fix}"));
            format!("{}: {}{fix}", check.name, check.detail)
        })
    };
    [driver].into_iter().chain(gpus).find_map(wrong)
}

/// Looks at this machine.
#[must_use]
pub fn examine() -> Vec<Check> {
    let mut checks = vec![nvrtc_check(), nvcc_check(), clang_check(), cache(), pip()];
    let driver = driver();
    let there = driver.status != Status::Missing;
    checks.push(driver);
    if there {
        checks.extend(gpus());
    }
    checks.push(ncu());
    if there {
        checks.push(counters());
    }
    checks
}

/// The compiler library.
fn nvrtc_check() -> Check {
    let needed_for = "compiling CUDA sources (.cu): your own kernels, the exercises, making the committed PTX again";
    match nvrtc::get() {
        Ok(found) => {
            let (major, minor) = found.version();
            let detail = format!("version {major}.{minor}, {}: {}", found.origin(), found.path().display());
            ok("NVRTC", needed_for, detail)
        }
        Err(error) => {
            let (status, detail, fix) = match &error {
                NvrtcError::Missing { passed_over } if passed_over.is_empty() => {
                    (Status::Missing, "not found".to_owned(), nvrtc::HOW_TO_GET.to_owned())
                }
                NvrtcError::Missing { passed_over } => {
                    let found: Vec<String> =
                        passed_over.iter().map(|p| format!("{} {}", p.path.display(), p.why)).collect();
                    (Status::Problem, found.join("; "), nvrtc::HOW_TO_GET.to_owned())
                }
                NvrtcError::Override { value, why } => (
                    Status::Problem,
                    format!("{} is set to `{value}`, but {why}", nvrtc::OVERRIDE),
                    format!("unset {}, or set it to a libnvrtc.so.* or its folder", nvrtc::OVERRIDE),
                ),
                NvrtcError::Unsupported { os } => {
                    let detail = format!("warpbook loads NVRTC on Linux only, and this is {os}");
                    (Status::Missing, detail, nvrtc::WITHOUT.to_owned())
                }
            };
            ok("NVRTC", needed_for, detail).but(status, fix)
        }
    }
}

/// nvcc, and the host's compiler that it needs.
fn nvcc_check() -> Check {
    let needed_for = "compiling ordinary CUDA files, which mix host and device code (warpbook sim FILE.cu)";
    match nvcc::get() {
        Ok(found) => {
            let detail = format!("version {}, {}: {}", found.version, found.origin, found.program.display());
            ok("nvcc", needed_for, detail)
        }
        Err(error) => {
            let (status, detail, fix) = match &error {
                NvccError::Missing { passed_over } if passed_over.is_empty() => {
                    (Status::Missing, "not found".to_owned(), nvcc::HOW_TO_GET.to_owned())
                }
                NvccError::Missing { passed_over } => {
                    (Status::Problem, passed_over.join("; "), nvcc::HOW_TO_GET.to_owned())
                }
                NvccError::NoHostCompiler { program } => (
                    Status::Problem,
                    format!("{} is here, but no C++ compiler for the host is in PATH", program.display()),
                    "install one: apt install g++ (Debian, Ubuntu), dnf install gcc-c++ (Fedora)".to_owned(),
                ),
                NvccError::Override { value, why } => (
                    Status::Problem,
                    format!("{} is set to `{value}`, but {why}", nvcc::OVERRIDE),
                    format!("unset {}, or set it to an nvcc", nvcc::OVERRIDE),
                ),
            };
            ok("nvcc", needed_for, detail).but(status, fix)
        }
    }
}

/// clang, which compiles device code where NVIDIA's compilers do not run.
fn clang_check() -> Check {
    let needed_for =
        "compiling CUDA sources without NVIDIA's compilers (--compiler clang; by itself where there is no NVRTC)";
    match clang::get() {
        Ok(found) => {
            let detail = format!("version {}, {}: {}", found.version, found.origin, found.program.display());
            ok("clang", needed_for, detail)
        }
        Err(error) => {
            let (status, detail, fix) = match &error {
                ClangError::Missing { why: None } => {
                    (Status::Missing, "not found".to_owned(), clang::HOW_TO_GET.to_owned())
                }
                ClangError::Missing { why: Some(why) } => (Status::Problem, why.clone(), clang::HOW_TO_GET.to_owned()),
                ClangError::Override { value, why } => (
                    Status::Problem,
                    format!("{} is set to `{value}`, but {why}", clang::OVERRIDE),
                    format!("unset {}, or set it to a clang with the NVPTX back end", clang::OVERRIDE),
                ),
            };
            ok("clang", needed_for, detail).but(status, fix)
        }
    }
}

/// What lies in our cache.
fn cache() -> Check {
    let needed_for = "keeping what warpbook setup downloads";
    let Some(cache) = nvrtc::cache_folder() else {
        return ok("cache", needed_for, "the environment names no folder for it")
            .but(Status::Missing, "set WARPBOOK_CACHE, XDG_CACHE_HOME or HOME");
    };
    let (mut holds, mut damaged, mut lacks) = (Vec::new(), Vec::new(), Vec::new());
    for component in Component::ALL {
        let folder = setup::folder_in(&cache, component);
        let (title, option) = (component.title(), component.option());
        if setup::is_whole(&folder, component) {
            holds.push(format!("{title} {}", component.version()));
        } else if folder.exists() {
            damaged.push(format!("{} is damaged: files are missing or cut (warpbook setup{option})", folder.display()));
        } else {
            lacks.push(format!("{title} (warpbook setup{option})"));
        }
    }
    let join = |what: &str, list: &[String]| match list {
        [] => String::new(),
        list => format!("; {what} {}", list.join(", ")),
    };
    let detail = format!("{}{}{}", cache.display(), join("holds", &holds), join("without", &lacks));
    if !damaged.is_empty() {
        return ok("cache", needed_for, damaged.join("; ")).but(Status::Problem, nvrtc::HOW_TO_GET);
    }
    if holds.is_empty() {
        return ok("cache", needed_for, format!("{}, empty", cache.display())).but(Status::Missing, nvrtc::HOW_TO_GET);
    }
    ok("cache", needed_for, detail)
}

/// Python's package installer.
fn pip() -> Check {
    let needed_for = "warpbook setup, which downloads NVIDIA's compilers from PyPI";
    match setup::pip_version() {
        Some(version) => ok("pip", needed_for, version),
        None => ok("pip", needed_for, "not found as python3 -m pip, python -m pip, pip3 or pip").but(
            Status::Missing,
            "apt install python3-pip (Debian, Ubuntu); or install a CUDA toolkit, which brings NVRTC",
        ),
    }
}

/// NVIDIA's driver.
fn driver() -> Check {
    let (name, needed_for) =
        ("NVIDIA driver", "running kernels on a GPU of this machine (warpbook compare, warpbook record)");
    if !gpu::driver_is_here() {
        return ok(name, needed_for, "not found (libcuda)")
            .but(Status::Missing, "nothing to do without an NVIDIA GPU: the recorded counters take its place");
    }
    if let Err(error) = result::init() {
        return ok(name, needed_for, format!("found, but it does not start: {error:?}"))
            .but(Status::Problem, "look at what nvidia-smi says");
    }
    let mut version = 0;
    // SAFETY: the pointer is to a live integer.
    let code = unsafe { sys::cuDriverGetVersion(&mut version) };
    if code != sys::CUresult::CUDA_SUCCESS {
        return ok(name, needed_for, format!("found, but it does not say its version: {code:?}"))
            .but(Status::Problem, "look at what nvidia-smi says");
    }
    driver_of_version(ok(name, needed_for, ""), version, kernel_module_version())
}

/// The check of a driver for CUDA version `version`, as the driver counts (13000 is 13.0).
fn driver_of_version(check: Check, version: i32, module: Option<String>) -> Check {
    let cuda = (version / 1000, version % 1000 / 10);
    let module = module.map_or_else(String::new, |m| format!("version {m}, "));
    let detail = format!("{module}for CUDA {}.{}", cuda.0, cuda.1);
    if cuda >= DRIVER_NEEDED {
        return Check { detail, ..check };
    }
    let (major, minor) = DRIVER_NEEDED;
    Check { detail: format!("{detail}: it cannot load the book's PTX, which needs CUDA {major}.{minor}"), ..check }
        .but(Status::Problem, "install a driver of release 580 or later")
}

/// The version of the driver's kernel module, such as `580.95.05`.
fn kernel_module_version() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let is_version = |word: &&str| word.contains('.') && word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.lines().next()?.split_whitespace().find(is_version).map(str::to_owned)
}

/// The GPUs, one check for each.
fn gpus() -> Vec<Check> {
    let (name, needed_for) = ("GPU", "running the kernels; times and counters are recorded on an H200");
    let count = match result::device::get_count() {
        Ok(0) => Err("the driver sees no GPU".to_owned()),
        Ok(count) => Ok(count),
        Err(error) => Err(format!("{error:?}")),
    };
    match count {
        Err(why) => vec![ok(name, needed_for, why).but(Status::Missing, "look at what nvidia-smi says")],
        Ok(count) => (0..count)
            .map(|ordinal| match describe(ordinal) {
                Ok(((major, minor), words)) if (major, minor) < (7, 5) => {
                    ok(name, needed_for, format!("{words}: older than Turing (7.5), for which the PTX is made"))
                        .but(Status::Problem, "use another GPU, or the recorded counters")
                }
                Ok((_, words)) => ok(name, needed_for, words),
                Err(error) => ok(name, needed_for, format!("number {ordinal} does not answer: {error:?}"))
                    .but(Status::Problem, "look at what nvidia-smi says"),
            })
            .collect(),
    }
}

/// A GPU's compute capability, and its name in words.
fn describe(ordinal: i32) -> Result<((i32, i32), String), result::DriverError> {
    use sys::CUdevice_attribute as Attribute;
    let device = result::device::get(ordinal)?;
    // SAFETY: the device was returned by `device::get` just above.
    let attribute = |which| unsafe { result::device::get_attribute(device, which) };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let name = result::device::get_name(device)?;
    Ok(((major, minor), format!("{name}, compute capability {major}.{minor}")))
}

/// Nsight Compute's command line.
fn ncu() -> Check {
    let needed_for = "recording a GPU's counters (warpbook record)";
    let Some(path) = ncu::path() else {
        return ok("ncu", needed_for, "not found on PATH, in a CUDA toolkit or in /opt/nvidia").but(
            Status::Missing,
            "only needed on a machine with a GPU: install Nsight Compute (it is in the CUDA toolkit)",
        );
    };
    match output_of(&path, &["--version"]).as_deref().and_then(ncu::parse_version) {
        Some(version) => ok("ncu", needed_for, format!("version {version}: {}", path.display())),
        None => ok("ncu", needed_for, format!("{} does not say its version", path.display()))
            .but(Status::Problem, "run it with --version and look at what it says"),
    }
}

/// What a program prints, if it runs and succeeds.
fn output_of(program: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether this user may read performance counters.
fn counters() -> Check {
    let (name, needed_for) = ("performance counters", "recording a GPU's counters (warpbook record)");
    let params = std::fs::read_to_string("/proc/driver/nvidia/params").unwrap_or_default();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    permission(ok(name, needed_for, ""), &params, &status)
}

/// The check of the permission, from the driver's parameters and the process's status as the kernel shows them.
fn permission(check: Check, params: &str, status: &str) -> Check {
    let field = |text: &str, name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(|value| value.trim().to_owned()))
    };
    // CAP_SYS_ADMIN is bit 21 of the capabilities.
    let capabilities = field(status, "CapEff").and_then(|caps| u64::from_str_radix(&caps, 16).ok());
    let admin = capabilities.is_some_and(|caps| caps >> 21 & 1 == 1);
    match (field(params, "RmProfilingAdminOnly").as_deref(), admin) {
        (Some("0"), _) => Check { detail: "allowed to every user".to_owned(), ..check },
        (Some(_), true) => Check { detail: "allowed to administrators only, and this is one".to_owned(), ..check },
        (Some(_), false) => Check { detail: "allowed to administrators only".to_owned(), ..check }.but(
            Status::Problem,
            "run warpbook record with sudo, or allow every user: put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` \
             into a file in /etc/modprobe.d and restart",
        ),
        (None, _) => Check { detail: "the driver does not say who may read them".to_owned(), ..check }
            .but(Status::Problem, "try warpbook record; if it is refused, try it with sudo"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank() -> Check {
        ok("x", "y", "")
    }

    #[test]
    fn every_check_that_is_not_ok_says_what_to_do() {
        let checks = examine();
        assert!(checks.len() >= 5);
        for check in checks {
            assert!(!check.detail.is_empty(), "{check:?}");
            assert_eq!(check.fix.is_none(), check.status == Status::Ok, "{check:?}");
        }
    }

    #[test]
    fn counters_are_allowed_to_all_to_administrators_or_nobody_says() {
        let user = "Name:\twarpbook\nCapEff:\t0000000000000000\n";
        let root = "Name:\twarpbook\nCapEff:\t000001ffffffffff\n";
        let closed = "Mobile: 4294967295\nRmProfilingAdminOnly: 1\n";
        assert_eq!(permission(blank(), closed, root).status, Status::Ok);
        assert_eq!(permission(blank(), closed, user).status, Status::Problem);
        assert_eq!(permission(blank(), "RmProfilingAdminOnly: 0\n", user).status, Status::Ok);
        assert_eq!(permission(blank(), "", root).status, Status::Problem);
    }

    #[test]
    fn an_old_driver_is_a_problem() {
        let old = driver_of_version(blank(), 12080, Some("570.86.15".into()));
        assert_eq!((old.status, old.fix.is_some()), (Status::Problem, true));
        assert!(old.detail.starts_with("version 570.86.15, for CUDA 12.8: "), "{}", old.detail);
        let new = driver_of_version(blank(), 13000, None);
        assert_eq!((new.status, new.detail.as_str()), (Status::Ok, "for CUDA 13.0"));
    }
}
