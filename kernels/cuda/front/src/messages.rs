//! What compilers of CUDA C++ say: their messages by line, and what may help.

use serde::{Deserialize, Serialize};

/// A message of the compiler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The line of the source, from 1.
    pub line: u32,
    /// `error`, `warning`, `note` or `remark`.
    pub severity: String,
    /// What it says.
    pub message: String,
}

/// The messages about the file `name` in a compiler's log, by line: NVRTC's `name(3): error: …` and clang's `name:3:5: error: …`. What
/// is said twice, because a source is compiled twice, stands there once.
#[must_use]
pub fn by_line(name: &str, log: &str) -> Vec<Message> {
    let mut found: Vec<Message> = Vec::new();
    for message in log.lines().filter_map(|line| one(name, line.trim_end())) {
        if !found.iter().any(|own| own.line == message.line && own.message == message.message) {
            found.push(message);
        }
    }
    found
}

/// The message that a line holds.
fn one(name: &str, line: &str) -> Option<Message> {
    let rest = line.strip_prefix(name)?;
    let (at, rest) = if let Some(rest) = rest.strip_prefix('(') {
        rest.split_once("): ")?
    } else {
        let (at, rest) = rest.strip_prefix(':')?.split_once(':')?;
        let (column, rest) = rest.split_once(": ")?;
        column.parse::<u32>().ok()?;
        (at, rest)
    };
    let rest = ["catastrophic ", "fatal "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    let severity = ["error", "warning", "note", "remark"].into_iter().find(|severity| rest.starts_with(severity))?;
    // A number may follow the word.
    let (_, message) = rest.split_once(": ")?;
    Some(Message { line: at.parse().ok()?, severity: severity.to_owned(), message: message.to_owned() })
}

/// clang's messages without the lines that count them, and without what stands for the command line.
#[must_use]
pub fn readable(log: &str) -> String {
    let kept = |line: &&str| {
        let counts = line.ends_with(" generated when compiling for host.")
            || line.contains(" generated when compiling for sm_")
            || line.ends_with(" generated.");
        let counts = counts && line.starts_with(|c: char| c.is_ascii_digit());
        !counts && !line.starts_with("In file included from <built-in>:")
    };
    log.lines().filter(kept).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// What may help with clang's messages, if we know: what it refuses and NVIDIA's compilers take, then what helps with any compiler.
#[must_use]
pub fn help(log: &str) -> Option<String> {
    advice_on_clang(log).or_else(|| advice(log))
}

/// What may help where clang refuses what NVIDIA's compilers take, or lacks it.
fn advice_on_clang(log: &str) -> Option<String> {
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
#[must_use]
pub fn missing_header(log: &str) -> Option<&str> {
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
#[must_use]
pub fn advice(log: &str) -> Option<String> {
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
    if log.contains("error: texture is not a template") {
        return Some(
            "texture references were removed from CUDA with version 12, and warpbook does not simulate textures: read through \
             pointers, as in p[y * width + x]"
                .to_owned(),
        );
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
    fn what_only_nvidias_compilers_take_is_explained() {
        let log = "k.cu:7:27: error: redefinition of 'data' with a different type: 'float[]' vs 'int[]'";
        let help = advice_on_clang(log).unwrap();
        assert!(help.contains("extern __shared__ unsigned char data[]") && help.contains("its own name"), "{help}");
        assert!(advice_on_clang("k.cu:1:10: fatal error: 'cub/cub.cuh' file not found").unwrap().contains("CUB"));
        assert_eq!(advice_on_clang("k.cu:1:1: error: expected ';'"), None);
    }

    #[test]
    fn messages_are_about_the_source() {
        let log = "In file included from <built-in>:1:\nk.cu:2:3: error: no\n  2 | x\n1 error generated when compiling for sm_90.\n";
        assert_eq!(readable(log), "k.cu:2:3: error: no\n  2 | x");
    }

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
        let texture = "a.cu(1): error: texture is not a template\n  a.cu(3): error: identifier \"t\" is undefined";
        assert!(advice(texture).is_some_and(|help| help.contains("does not simulate textures")));
        let fence = "a.cu(1): error: unrecognized token\n  ```cuda\n  ^\n";
        assert!(advice(fence).is_some_and(|help| help.contains("Markdown")));
    }

    #[test]
    fn messages_of_both_compilers_are_read() {
        let log = "a.cu(3): error: identifier \"x\" is undefined\n      x = 1;\n      ^\n\na.cu(5): warning #177-D: variable \"y\" was \
                   declared but never referenced\na.cu:7:3: error: use of undeclared identifier 'z'\nb.cu(1): error: no\n\
                   a.cu(3): error: identifier \"x\" is undefined\n1 error detected in the compilation of \"a.cu\".\n";
        let read: Vec<_> = by_line("a.cu", log).into_iter().map(|own| (own.line, own.severity, own.message)).collect();
        let row = |line, severity: &str, message: &str| (line, severity.to_owned(), message.to_owned());
        assert_eq!(
            read,
            [
                row(3, "error", "identifier \"x\" is undefined"),
                row(5, "warning", "variable \"y\" was declared but never referenced"),
                row(7, "error", "use of undeclared identifier 'z'"),
            ]
        );
    }
}
