//! Why a source did not compile.

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

/// Headers of NVIDIA's libraries that no setup of ours fetches: how their names begin, and the library's name.
const LIBRARIES: [(&str, &str); 9] = [
    ("cublas", "cuBLAS"),
    ("cufft", "cuFFT"),
    ("curand", "cuRAND"),
    ("cusparse", "cuSPARSE"),
    ("cusolver", "cuSOLVER"),
    ("cudnn", "cuDNN"),
    ("nccl", "NCCL"),
    ("npp", "NPP"),
    ("cuda_profiler_api", "the CUDA profiler interface"),
];

/// The header that the compiler did not find.
pub(super) fn missing_header(log: &str) -> Option<&str> {
    log.lines().find_map(|line| {
        if let Some((_, rest)) = line.split_once("cannot open source file \"") {
            return rest.split('"').next();
        }
        if let Some((before, _)) = line.split_once("' file not found") {
            return before.rsplit('\'').next();
        }
        let (before, _) = line.split_once(": No such file or directory")?;
        before.rsplit(": ").next()
    })
}

/// What may help with the compiler's messages, if we know.
pub(super) fn advice(log: &str) -> Option<String> {
    let Some(header) = missing_header(log) else { return advice_on_names(log) };
    let library = LIBRARIES.iter().find(|(start, _)| header.starts_with(start));
    Some(match library {
        Some((_, library)) => format!(
            "<{header}> belongs to {library}, which `warpbook setup` does not fetch. If the CUDA toolkit is here, name its \
             include folder with -I DIR; if the kernels do not need it, move them into a file of their own"
        ),
        None => format!("name the folder that holds {header} with -I DIR"),
    })
}

/// What may help where the compiler does not know a name, or reads what is no C++.
fn advice_on_names(log: &str) -> Option<String> {
    if log.contains("unrecognized token") && log.lines().any(|line| line.trim_start().starts_with("```")) {
        return Some("the line with ``` comes from Markdown: remove it, and all text that is not CUDA C++".to_owned());
    }
    let name = unknown_name(log)?;
    // Functions that only newer GPUs have are declared for them only.
    let newer = name.starts_with("__reduce_") || name.starts_with("__match_") || name.starts_with("__nanosleep");
    Some(if newer {
        format!("{name} is declared for newer architectures only: name one with --arch compute_90")
    } else if name.starts_with("__shfl") || matches!(name, "__ballot" | "__any" | "__all") {
        format!("{name} was removed from CUDA; {name}_sync takes the mask of the lanes that take part first")
    } else if matches!(name, "cudaThreadSynchronize" | "cudaThreadExit" | "cudaBindTexture" | "cudaUnbindTexture") {
        format!("{name} was removed from CUDA; the kernels can be compiled without the function that calls it")
    } else {
        format!(
            "if a macro or a file of the build defines {name}, give it: -D {name}=…, or -I DIR for the folder of its header"
        )
    })
}

/// The first name of a log that the compiler does not know.
fn unknown_name(log: &str) -> Option<&str> {
    if let Some((_, rest)) = log.split_once("undeclared identifier '") {
        return rest.split('\'').next();
    }
    let (_, rest) = log.split_once("identifier \"")?;
    let (name, rest) = rest.split_once('"')?;
    rest.starts_with(" is undefined").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_header_is_named() {
        let nvcc = "a.cu:3:10: fatal error: cublas_v2.h: No such file or directory\n    3 | #include <cublas_v2.h>";
        assert!(advice(nvcc).is_some_and(|help| help.contains("<cublas_v2.h> belongs to cuBLAS")));
        let nvrtc = "a.cu(1): catastrophic error: cannot open source file \"own.h\"";
        assert_eq!(advice(nvrtc).as_deref(), Some("name the folder that holds own.h with -I DIR"));
        assert_eq!(advice("a.cu(1): error: expected a `;`"), None);
        let unknown = |name: &str| advice(&format!("a.cu(1): error: identifier \"{name}\" is undefined")).unwrap();
        assert!(unknown("__reduce_add_sync").contains("--arch compute_90"));
        assert!(unknown("BF").contains("-D BF=…"));
        assert_eq!(unknown_name("a.cu:1:2: error: use of undeclared identifier 'BF'"), Some("BF"));
        let clang = "a.cu:1:10: fatal error: 'own.h' file not found";
        assert_eq!(advice(clang).as_deref(), Some("name the folder that holds own.h with -I DIR"));
        let fence = "a.cu(1): error: unrecognized token\n  ```cuda\n  ^\n";
        assert!(advice(fence).is_some_and(|help| help.contains("Markdown")));
    }

    #[test]
    fn only_our_own_file_is_about_names() {
        assert!(begins_in("/tmp/x/w.cu(2): error: no\na.cu(1): error: y", "w.cu"));
        assert!(!begins_in("a.cu(1): error: y\n/tmp/x/w.cu(2): error: no", "w.cu"));
        assert!(!begins_in("warning: w.cu", "w.cu"));
    }
}
