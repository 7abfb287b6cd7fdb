//! Why a source did not compile.

pub(super) use front::messages::{advice, missing_header};

use crate::clang::ClangError;
use crate::nvcc::NvccError;
use crate::nvrtc::{self, NvrtcError};

/// Why a source did not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// There is no NVRTC, and the text says what to type.
    #[error(transparent)]
    Nvrtc(#[from] NvrtcError),

    /// There is no nvcc, and the text says what to type.
    #[error(transparent)]
    Nvcc(#[from] NvccError),

    /// There is no clang, and the text says what to type.
    #[error(transparent)]
    Clang(#[from] ClangError),

    /// The source holds host code, which NVRTC does not take, and there is no nvcc.
    #[error(
        "{name}:{line}: this file mixes host and device code (`{what}`), and only nvcc compiles that.\n{error}\n\
         Or keep only the kernels, and what they call, in a file of its own: NVRTC compiles that without nvcc"
    )]
    HostCode {
        /// The source's name.
        name: String,
        /// The first line of host code, counted from 1.
        line: usize,
        /// The piece of host code.
        what: String,
        /// Why there is no nvcc.
        error: Box<NvccError>,
    },

    /// The source is wrong.
    #[error("{name} does not compile:\n{log}{}", help_line(.help.as_deref()))]
    Rejected {
        /// The source's name.
        name: String,
        /// The compiler's messages, at the source's lines.
        log: String,
        /// What may help, if we know.
        help: Option<String>,
    },

    /// What was named is no instance of a kernel template.
    #[error(
        "{name} has no kernel `{wanted}`: {why}\n\
         Name an instance of a kernel template with all its arguments, as in --kernel 'reduce<float, 256>'"
    )]
    Instance {
        /// The source's name.
        name: String,
        /// What was named.
        wanted: String,
        /// The compiler's first words about it.
        why: String,
    },

    /// The source, or its user, asks for an architecture that cannot be had.
    #[error("{}: {why}", at(.name, *.line))]
    Arch {
        /// The source's name.
        name: String,
        /// The line of the comment that asks for it, counted from 1; none if an option asks for it.
        line: Option<usize>,
        /// What is wrong.
        why: String,
    },

    /// The source or its name holds a NUL character, which the compiler takes for its end.
    #[error("{name}:{line}: there is a NUL character in this line: is this a text file with CUDA C++?")]
    Nul {
        /// The source's name.
        name: String,
        /// The line, counted from 1.
        line: usize,
    },

    /// NVRTC failed for a reason that is not in the source.
    #[error(
        "NVRTC {}.{} ({path}) could not compile {name}, and not because of its text: {error}\n\
         If the library is damaged, remove it and {HOW}",
        .version.0, .version.1, HOW = nvrtc::HOW_TO_GET
    )]
    Failed {
        /// The source's name.
        name: String,
        /// The library's path.
        path: String,
        /// The library's version.
        version: (u32, u32),
        /// Which call failed, and how.
        error: nvrtc::library::CallError,
    },

    /// nvcc failed for a reason that is not in the source.
    #[error("nvcc ({path}) could not compile {name}, and not because of its text:\n{why}")]
    NvccFailed {
        /// The source's name.
        name: String,
        /// The program's path.
        path: String,
        /// What it said.
        why: String,
    },

    /// clang failed for a reason that is not in the source.
    #[error("clang ({path}) could not compile {name}, and not because of its text:\n{why}")]
    ClangFailed {
        /// The source's name.
        name: String,
        /// The program's path.
        path: String,
        /// What it said.
        why: String,
    },
}

/// `name:line`, or `name` alone.
fn at(name: &str, line: Option<usize>) -> String {
    line.map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"))
}

fn help_line(help: Option<&str>) -> String {
    help.map_or_else(String::new, |help| format!("\nhelp: {help}"))
}

impl CompileError {
    /// The exit code that a program should end with: 3 when something is missing here, 2 when the source is wrong.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Nvrtc(_)
            | Self::Nvcc(_)
            | Self::Clang(_)
            | Self::HostCode { .. }
            | Self::Failed { .. }
            | Self::NvccFailed { .. }
            | Self::ClangFailed { .. } => sim::ErrorClass::Unsupported.exit_code(),
            Self::Rejected { .. } | Self::Instance { .. } | Self::Arch { .. } | Self::Nul { .. } => {
                sim::ErrorClass::Input.exit_code()
            }
        }
    }
}

/// Whether the first error of a log stands in `file`, which we wrote: then it is about a kernel's name, not about the source.
pub(super) fn begins_in(log: &str, file: &str) -> bool {
    let error = |line: &&str| line.contains("error:") || line.contains("error :");
    log.lines().find(error).is_some_and(|line| line.split("error").next().is_some_and(|place| place.contains(file)))
}

/// The error for kernels that the compiler could not make.
pub(super) fn no_instance(name: &str, instances: &[String], log: &str) -> CompileError {
    let why = log.lines().find_map(|line| line.split_once("error: ")).map_or("it does not compile", |(_, why)| why);
    // The compiler shows the name that it could not use.
    let wanted = instances.iter().find(|instance| log.contains(instance.as_str())).or(instances.first());
    CompileError::Instance {
        name: name.to_owned(),
        wanted: wanted.cloned().unwrap_or_default(),
        why: why.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_file_is_about_names() {
        assert!(begins_in("/tmp/x/w.cu(2): error: no\na.cu(1): error: y", "w.cu"));
        assert!(!begins_in("a.cu(1): error: y\n/tmp/x/w.cu(2): error: no", "w.cu"));
        assert!(!begins_in("warning: w.cu", "w.cu"));
    }
}
