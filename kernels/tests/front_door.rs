//! Ordinary files, each with something in the way of its kernels: what `warpbook sim` makes of them. Where a compiler is
//! missing, there is nothing to test.

use std::path::PathBuf;

use kernels::compile::{Arch, CompileError, Compiler, Options, arch_of_target};
use kernels::launch::list::{self, Listed};
use kernels::open::{self, How, OpenError, Opened};
use kernels::{nvcc, nvrtc};

fn how() -> How {
    let options = Options { default_arch: arch_of_target("h200"), ..Options::default() };
    How { options, checks: true, kernels: Vec::new() }
}

fn opened(text: &str) -> Result<Opened, OpenError> {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("k.cu");
    std::fs::write(&path, text).unwrap();
    open::open(&path, &how())
}

fn has_nvcc() -> bool {
    nvcc::get().is_ok()
}

/// Lists the kernels of a source with the launches that were found for them.
fn listed(text: &str) -> Listed {
    let opened = opened(text).unwrap_or_else(|error| panic!("{error}"));
    Listed::of(&opened, None, "", Some(&sim::Options::default())).unwrap()
}

#[test]
fn the_architecture_is_the_targets() {
    assert_eq!(arch_of_target("h200").to_string(), "compute_90");
    assert_eq!(arch_of_target("8800gtx"), Arch::LOWEST);
    if nvrtc::get().is_err() {
        return;
    }
    let text = "__global__ void k(unsigned *p) { p[threadIdx.x] = __reduce_add_sync(0xffffffff, threadIdx.x); }\n";
    assert_eq!(opened(text).unwrap().compiled.unwrap().arch.to_string(), "compute_90");
}

#[test]
fn host_code_that_no_longer_compiles_is_left_out() {
    if !has_nvcc() {
        return;
    }
    let text = "#include <cstdio>\n#include <opencv2/opencv.hpp>\n__global__ void k(float *p, int n) {\n\
        int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) p[i] = 2 * p[i];\n}\n\
        cv::Mat picture;\nint main() { k<<<1, 32>>>(0, 1); cudaThreadSynchronize(); }\n";
    let opened = opened(text).unwrap_or_else(|error| panic!("{error}"));
    assert!(opened.warnings.contains("without its host code (without opencv2/opencv.hpp)"), "{}", opened.warnings);
    let listed = Listed::of(&opened, None, "", Some(&sim::Options::default())).unwrap();
    assert_eq!(listed.kernels[0].clean, Some(true), "{listed}");
    assert!(listed.kernels[0].command.contains("--block 32"), "{listed}");
}

#[test]
fn host_code_in_a_header_of_its_own_is_seen() {
    if !has_nvcc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("own.h"),
        "#include <vector>\ninline int f(std::vector<int> v) { return v[0]; }\n",
    )
    .unwrap();
    let path = folder.path().join("k.cu");
    std::fs::write(&path, "#include \"own.h\"\n__global__ void k(int *p) { p[0] = 1; }\n").unwrap();
    let opened = open::open(&path, &how()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(opened.compiled.unwrap().compiler, Compiler::Nvcc);
}

#[test]
fn a_missing_type_is_not_called_a_missing_kernel() {
    if nvrtc::get().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.cu");
    std::fs::write(&path, "template <class T> __global__ void k(Absent *p, T t) {}\n").unwrap();
    let how = How { kernels: vec!["k<int>".to_owned()], ..how() };
    let error = open::open(&path, &how).unwrap_err();
    assert!(matches!(error, OpenError::Compile(CompileError::Rejected { .. })), "{error}");
    assert!(error.to_string().contains("-D Absent=…") && error.exit_code() == 2, "{error}");
}

#[test]
fn launches_are_found_that_run_clean() {
    if nvrtc::get().is_err() {
        return;
    }
    // Each needs something that one default cannot give: two dimensions, a halo, dynamic shared memory, one block, a block
    // as large as its static array, indices that lie inside.
    let text = "
extern __shared__ float tile[];
__global__ void matrix(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (row < n && column < n) {
        for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
        c[row * n + column] = sum;
    }
}
__global__ void halo(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + in[i + 1] + in[i + 2];
}
__global__ void dynamic(float *p) {
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void narrow(int *p) {
    __shared__ int part[64];
    part[threadIdx.x] = p[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    p[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x];
}
__global__ void rows(const int *first, const int *column, const float *value, float *y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    for (int k = first[row]; k < first[row + 1]; k++) sum += value[k] * column[k];
    y[row] = sum;
}
";
    let listed = listed(text);
    assert_eq!(listed.kernels.len(), 5);
    for kernel in &listed.kernels {
        assert_eq!(kernel.clean, Some(true), "{}: {:?}", kernel.command, kernel.why);
    }
    let command = |name: &str| {
        let found = listed.kernels.iter().find(|kernel| kernel.signature.name == name);
        found.map(|kernel| kernel.command.clone()).unwrap()
    };
    assert!(command("halo").contains("--arg 'f32[1026]=random' --arg 'f32[1024]=zeros'"), "{}", command("halo"));
    assert!(command("dynamic").contains("--shared "), "{}", command("dynamic"));
}

#[test]
fn what_no_launch_runs_clean_says_so() {
    if nvrtc::get().is_err() {
        return;
    }
    let listed = listed("__global__ void k(int *p) { p[-1] = 1; *(volatile int *)0 = p[0]; }\n");
    let kernel = &listed.kernels[0];
    assert!(kernel.clean != Some(true), "{listed}");
}

#[test]
fn overloads_are_named_so_that_each_can_be_launched() {
    if nvrtc::get().is_err() {
        return;
    }
    let text =
        "__global__ void k(int *p) { p[threadIdx.x] = 1; }\n__global__ void k(float *p) { p[threadIdx.x] = 1; }\n";
    let opened = opened(text).unwrap();
    let listed = Listed::of(&opened, None, "", None).unwrap();
    let commands: Vec<&str> = listed.kernels.iter().map(|kernel| &*kernel.command).collect();
    assert!(commands.iter().any(|command| command.contains("'k(int*)'")), "{commands:?}");
    assert!(commands.iter().any(|command| command.contains("'k(float*)'")), "{commands:?}");
}

#[test]
fn templates_are_listed_with_arguments_that_do() {
    if nvrtc::get().is_err() {
        return;
    }
    let text = "template <typename T, int N> __global__ void k(T *p) { p[threadIdx.x] = N; }\n";
    let opened = opened(text).unwrap();
    let listed = Listed::of(&opened, None, "", None).unwrap();
    assert_eq!(list::instances(&opened, &listed)[0][0], "k<float, 16>");
}

#[test]
fn comments_may_be_in_another_encoding_and_binary_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.cu");
    let open = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        open::open(&path, &how())
    };
    for bytes in [&b"// \xb0\xa1\0\n"[..], b"\xff\xfe\x00\xd8"] {
        let error = open(bytes).unwrap_err();
        assert!(matches!(error, OpenError::Binary { .. }) && error.exit_code() == 2, "{error}");
    }
    if nvrtc::get().is_err() {
        return;
    }
    let kernel = "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n";
    let opened = open(&[&b"// \xb0\xa1\n"[..], kernel.as_bytes()].concat()).unwrap_or_else(|error| panic!("{error}"));
    assert!(opened.notes[0].contains("is not UTF-8 (line 1)"), "{:?}", opened.notes);
    let wide: Vec<u8> = kernel.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [[&b"\xff\xfe"[..], &wide].concat(), [&b"\xef\xbb\xbf"[..], kernel.as_bytes()].concat()] {
        let opened = open(&bytes).unwrap_or_else(|error| panic!("{error}"));
        assert!(opened.notes.is_empty() && opened.source.as_deref() == Some(kernel), "{:?}", opened.notes);
    }
}

#[test]
fn functions_that_compute_constants_may_be_called_by_kernels() {
    if !has_nvcc() {
        return;
    }
    let text = "#include <cstdio>\n#include <algorithm>\n#include <array>\n__global__ void k(int *p) {\n\
        std::array<int, 2> a{{1, 2}};\n  p[threadIdx.x] = std::max<int>(a[threadIdx.x & 1], 2);\n}\n\
        int main() { k<<<1, 32>>>(nullptr); }\n";
    let compiled = opened(text).unwrap_or_else(|error| panic!("{error}")).compiled.unwrap();
    assert!(compiled.options.contains(&"--expt-relaxed-constexpr".to_owned()), "{:?}", compiled.options);
}

#[test]
fn a_newer_standard_is_taken_where_the_library_needs_it() {
    if !has_nvcc() {
        return;
    }
    let text = "#include <span>\n#include <cstdio>\n__global__ void k(int *p) { p[threadIdx.x] = 1; }\n\
        int sum(std::span<int> s) { return s[0]; }\nint main() { k<<<1, 32>>>(nullptr); }\n";
    let compiled = opened(text).unwrap_or_else(|error| panic!("{error}")).compiled.unwrap();
    assert!(compiled.options.contains(&"--std=c++20".to_owned()) && compiled.part.is_none(), "{:?}", compiled.options);
}

#[test]
fn a_long_kernel_leaves_time_for_those_behind_it() {
    if nvrtc::get().is_err() {
        return;
    }
    let text = "extern \"C\" __global__ void a_long(float *p, int n) {\n\
        float x = 0; for (int i = 0; i < 100000000; i++) x += p[i & 31];\n  p[threadIdx.x] = x;\n}\n\
        extern \"C\" __global__ void b_cubic(float *p, int n) {\n  float x = 0;\n\
        for (int i = 0; i < n * n * n; i++) x = x * 0.5f + i;\n  p[threadIdx.x] = x;\n}\n\
        extern \"C\" __global__ void c_short(float *p) { p[threadIdx.x] = 1; }\n";
    let listed = listed(text);
    let of = |name: &str| listed.kernels.iter().find(|kernel| kernel.signature.name == name).unwrap();
    let long = of("a_long").why.as_deref().unwrap_or_default();
    assert!(of("a_long").clean == Some(false) && long.contains("more than a million warp-instructions"), "{listed}");
    // Numbers are made smaller where loops depend on them.
    assert!(of("b_cubic").clean == Some(true) && !of("b_cubic").command.contains("--arg 1024"), "{listed}");
    assert_eq!(of("c_short").clean, Some(true), "{listed}");
}

#[test]
fn modifiers_of_ldmatrix_stand_in_any_order() {
    let ptx = |modifiers: &str| {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<9>;\n\
             .shared .align 16 .b8 s[512];\nmov.u32 %r1, s;\nldmatrix.{modifiers} {{%r2, %r3}}, [%r1];\nret;\n}}\n"
        );
        let opened = Opened::of_ptx("k.ptx", &text).unwrap();
        let launch =
            sim::Launch { grid: sim::Dim3::linear(1), block: sim::Dim3::linear(32), shared_bytes: 0, args: Vec::new() };
        sim::simulate(&opened.module, "k", &launch, &sim::Options::default()).map(|_| ())
    };
    // Each was given to ptxas 13.0: the first four are taken, the others refused.
    for taken in [
        "sync.aligned.m8n8.x2.trans.shared.b16",
        "sync.aligned.x2.trans.m8n8.shared.b16",
        "sync.aligned.b16.x2.m8n8.shared",
        "x2.m8n8.trans.shared.b16.aligned.sync",
    ] {
        assert_eq!(ptx(taken), Ok(()), "{taken}");
    }
    for refused in [
        "sync.aligned.m8n8.x2.x2.shared.b16",
        "sync.m8n8.x2.shared.b16",
        "sync.aligned.m8n8.x2.trans.trans.shared.b16",
        "sync.aligned.x2.shared.b16",
        "sync.aligned.m8n8.x2.shared.shared::cta.b16",
    ] {
        assert!(ptx(refused).is_err(), "{refused}");
    }
}

#[test]
fn a_kernel_that_launches_kernels_is_said_not_to_be_supported() {
    if !has_nvcc() {
        return;
    }
    let text = "#include <cstdio>\n__global__ void child(int *p) { p[threadIdx.x] = 1; }\n\
        __global__ void parent(int *p) { if (threadIdx.x == 0) child<<<1, 32>>>(p); }\n\
        int main() { parent<<<1, 32>>>(nullptr); }\n";
    let listed = listed(text);
    let of = |name: &str| listed.kernels.iter().find(|kernel| kernel.signature.name == name).unwrap();
    assert_eq!(of("child").clean, Some(true), "{listed}");
    let why = of("parent").why.as_deref().unwrap_or_default();
    assert!(why.starts_with("warpbook does not support dynamic parallelism"), "{listed}");
}

#[test]
fn blocks_are_found_where_the_launch_is_out_of_sight() {
    if nvrtc::get().is_err() {
        return;
    }
    // A static array that only blocks of this very shape fit, launched from another file, or through an array of shapes.
    let kernel = "__global__ void k(float *p) {\n  __shared__ float tile[24];\n  tile[threadIdx.x] = p[threadIdx.x];\n\
        __syncthreads();\n  p[threadIdx.x] = tile[23 - threadIdx.x];\n}\n";
    let folder =
        project(&[("k.cu", kernel), ("main.cu", "#include \"k.cu\"\nvoid run() { k<<<1, 24>>>(nullptr); }\n")]);
    let opened = open::open(&folder.path().join("k.cu"), &how()).unwrap_or_else(|error| panic!("{error}"));
    let beside = Listed::of(&opened, None, "", Some(&sim::Options::default())).unwrap();
    assert!(beside.kernels[0].clean == Some(true) && beside.kernels[0].command.contains("--block 24"), "{beside}");
    if has_nvcc() {
        for host in [
            "const int A = 1, B = 24;\nvoid run() { dim3 b[2]; b[1] = dim3(B, A); k<<<1, b[1]>>>(nullptr); }\n",
            "#define B 24\nvoid run() { dim3 own, other(1); own.x = B; own.y = 1; k<<<1, own>>>(nullptr); }\n",
        ] {
            let listed = listed(&format!("#include <cstdio>\n{kernel}{host}"));
            assert!(
                listed.kernels[0].clean == Some(true) && listed.kernels[0].command.contains("--block 24"),
                "{listed}"
            );
        }
    }
}

/// A folder under version control with these files.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn headers_are_found_in_another_folder_of_the_project() {
    if !has_nvcc() {
        return;
    }
    let kernel = "#include <cstdio>\n#include <shapes.h>\n#include \"parts/more.h\"\n\
        __global__ void k(int *p) { p[threadIdx.x] = SIDE + more(); }\nint main() { k<<<1, SIDE>>>(nullptr); }\n";
    let files = [
        ("apps/one/k.cu", kernel),
        ("shared/include/shapes.h", "#define SIDE 32\n"),
        ("lib/parts/more.h", "#include \"constants.h\"\n__device__ inline int more() { return MORE; }\n"),
        ("lib/parts/constants.h", "#define MORE 3\n"),
    ];
    let folder = project(&files);
    let path = folder.path().join("apps/one/k.cu");
    // The second time it comes from the cache.
    for _ in 0..2 {
        let opened = open::open(&path, &how()).unwrap_or_else(|error| panic!("{error}"));
        assert!(opened.warnings.contains("shapes.h was found in this project"), "{}", opened.warnings);
        assert!(opened.checked.is_some() && !opened.warnings.contains("without"), "{}", opened.warnings);
        assert_eq!(opened.compiled.as_ref().unwrap().includes.len(), 2);
        let listed = Listed::of(&opened, None, "", Some(&sim::Options::default())).unwrap();
        assert!(listed.kernels[0].clean == Some(true) && listed.kernels[0].command.contains("--block 32"), "{listed}");
    }
    std::fs::write(folder.path().join("shared/include/shapes.h"), "#define SIDE 16\n").unwrap();
    let opened = open::open(&path, &how()).unwrap_or_else(|error| panic!("{error}"));
    let listed = Listed::of(&opened, None, "", Some(&sim::Options::default())).unwrap();
    assert!(listed.kernels[0].command.contains("--block 16"), "{listed}");
    // A mistake is told of, and not the header that was found.
    std::fs::write(folder.path().join("lib/parts/constants.h"), "\n").unwrap();
    let error = open::open(&path, &how()).unwrap_err().to_string();
    assert!(error.contains("MORE") && !error.contains("No such file"), "{error}");
}

#[test]
fn a_part_of_a_program_is_compiled_as_part_of_it() {
    if nvrtc::get().is_err() {
        return;
    }
    let folder = project(&[
        ("part.cu", "__global__ void k(number *out, const number *in) { out[threadIdx.x] = 2 * in[threadIdx.x]; }\n"),
        ("whole.cu", "typedef float number;\n#include \"part.cu\"\n"),
    ]);
    let opened = open::open(&folder.path().join("part.cu"), &how()).unwrap_or_else(|error| panic!("{error}"));
    assert!(opened.name.ends_with("whole.cu"), "{}", opened.name);
    assert!(opened.warnings.contains("does not compile by itself"), "{}", opened.warnings);
    let listed = Listed::of(&opened, None, "", Some(&sim::Options::default())).unwrap();
    let kernel = &listed.kernels[0];
    assert!(kernel.clean == Some(true) && kernel.command.contains("whole.cu"), "{listed}");
    // The declaration is the part's.
    assert!(kernel.signature.to_string().contains("const number* in"), "{listed}");
    // A mistake in the part stays one.
    std::fs::write(folder.path().join("part.cu"), "__global__ void k(number *out) { out[0] = nothing; }\n").unwrap();
    let error = open::open(&folder.path().join("part.cu"), &how()).unwrap_err();
    assert!(error.to_string().contains("part.cu does not compile"), "{error}");
}
