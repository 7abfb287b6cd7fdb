//! From the line of an inlined function to those that called it.
//!
//! The line table of PTX names the line of the innermost function. Where that is code of CUDA's own headers (atomics,
//! cooperative groups, libcu++, CUB), nobody can change it: the line that called it says more.

use super::ast::{Line, Module};

/// Folders of CUDA's libraries, wherever they stand.
const FOLDERS: [&str; 7] = ["cooperative_groups", "crt", "nv", "cub", "thrust", "cccl", "libcudacxx"];

/// How the names of CUDA's own headers with code for devices begin.
const FILES: [&str; 20] = [
    "cooperative_groups.h",
    "cuComplex.h",
    "cuda_awbarrier",
    "cuda_bf16",
    "cuda_device_runtime_api",
    "cuda_fp16",
    "cuda_fp4",
    "cuda_fp6",
    "cuda_fp8",
    "cuda_pipeline",
    "cuda_runtime",
    "curand_",
    "device_atomic_functions",
    "device_double_functions",
    "device_functions",
    "math_functions",
    "mma.h",
    "surface_indirect_functions",
    "texture_indirect_functions",
    "vector_functions",
];

/// Whether a file is one of CUDA's headers or of a library that comes with it.
fn of_cuda(file: &str) -> bool {
    let mut parts: Vec<&str> = file.split(['/', '\\']).collect();
    let name = parts.pop().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if !matches!(ending, "" | "h" | "hpp" | "cuh" | "inl") {
        return false;
    }
    // libcu++ is `cuda/…` below a folder of headers; a project may have a folder of that name, too.
    let below = |at: usize| at == 0 || matches!(parts[at - 1], "include" | "cccl");
    let library = (0..parts.len()).any(|at| FOLDERS.contains(&parts[at]) || parts[at] == "cuda" && below(at));
    // `sm_60_atomic_functions.hpp` and its like.
    let of_architecture = name.strip_prefix("sm_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    library || of_architecture || FILES.iter().any(|beginning| name.starts_with(beginning))
}

fn file(module: &Module, line: Line) -> &str {
    module.files.get(&line.file).map_or("", |file| file)
}

/// The line that called a function inlined at `line`.
fn caller(module: &Module, line: Line) -> Option<Line> {
    module.callers.get((line.caller as usize).checked_sub(1)?).copied()
}

/// The innermost line that is not one of CUDA's headers; `line` itself if there is none.
pub(crate) fn of_user(module: &Module, line: Line) -> Line {
    let mut at = line;
    while of_cuda(file(module, at)) {
        match caller(module, at) {
            Some(above) => at = above,
            None => return line,
        }
    }
    at
}

/// The lines by which the code of `line` comes to be where it is executed, innermost first, from that of the user's own
/// code on: [`of_user`], and the lines of the functions that it is inlined in.
pub(crate) fn chain(module: &Module, line: Line) -> Vec<Line> {
    // A circle cannot be written, but be read.
    std::iter::successors(Some(of_user(module, line)), |&at| caller(module, at)).take(16).collect()
}

/// Where the code of `line` stands if the message shows another line, and by which lines it comes to be here, innermost
/// first, as the end of a sentence; empty if it is not inlined.
pub(crate) fn told(module: &Module, line: Line) -> String {
    let shown = of_user(module, line);
    let place = |line: Line| {
        let (file, number) = (file(module, line), line.line);
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        format!("line {number} of {name}")
    };
    let mut text = if shown == line { String::new() } else { format!(" (in {}", place(line)) };
    let mut at = if shown == line { line } else { shown };
    let mut first = true;
    // Chains are as long as the source nests functions; a circle cannot be written, but be read.
    for _ in 0..16 {
        let Some(above) = caller(module, at) else { break };
        text += if !first {
            ", called in "
        } else if shown == line {
            " (inlined, called in "
        } else {
            ", which is called here; this is called in "
        };
        first = false;
        text += &place(above);
        at = above;
    }
    if first && shown != line {
        text += ", which is called here";
    }
    if !text.is_empty() {
        text.push(')');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_cuda_are_told_from_the_users() {
        for file in [
            "/usr/local/cuda/include/sm_60_atomic_functions.hpp",
            "/opt/cuda/include/device_atomic_functions.h",
            "cooperative_groups/details/helpers.h",
            "/x/cccl/cuda/std/__atomic/functions/cuda_ptx_generated.h",
            "include/cuda/barrier",
            "cub/block/block_scan.cuh",
        ] {
            assert!(of_cuda(file), "{file}");
        }
        for file in [
            "scan.cu",
            "include/scan.h",
            "src/helpers.cuh",
            "/home/cuda/scan.cu",
            "x/cuda/my.cuh",
            "vector_add.h",
            "kernel.ptx",
        ] {
            assert!(!of_cuda(file), "{file}");
        }
    }
}
