//! Submissions that want the marks without the lesson, and more memory or time than a kernel may have: none gets full
//! marks, none ends the grader, and each is told what is wrong. `class.rs` has those that want the machine's files.

use std::fs;

use grading::grade;
use kernels::testing::compiler_for;
use serde_json::Value;

#[path = "shared/grading.rs"]
mod grading;

/// A submission of `block_sum.cu` that must not pass.
struct Sample {
    name: &'static str,
    source: String,
    /// Whether it computes the right sums without a finding, so that only its cost gives it away.
    right: bool,
    /// What stands in the message or the output, in any case.
    says: &'static [&'static str],
}

/// What a broken bound of cost tells: the lesson.
const LESSON: &str = "a block adds up as a tree";

const HEAD: &str = "extern \"C\" __global__ void block_sum(int *out, const int *in, int n)\n{\n    int t = threadIdx.x;\n    \
                    int i = blockIdx.x * 256 + t;\n    int end = min(n, (int)blockIdx.x * 256 + 256);\n";

/// A kernel with things before it and a body.
fn kernel(before: &str, body: &str) -> String {
    format!("{before}\n{HEAD}{body}\n}}\n")
}

/// The tree in shared memory that was filled with `partial[t]`.
const TREE: &str = "    __syncthreads();\n    for (int half = 128; half > 0; half /= 2) {\n        \
                    if (t < half) partial[t] += partial[t + half];\n        __syncthreads();\n    }\n    \
                    if (t == 0) out[blockIdx.x] = partial[0];";
const FILL: &str = "    __shared__ int partial[256];\n    partial[t] = i < n ? in[i] : 0;\n";

/// Right sums that evade the tree.
fn evasions() -> Vec<Sample> {
    let sample = |name, body: &str, before: &str| {
        let says: &[&str] = &[LESSON];
        Sample { name, source: kernel(before, body), right: true, says }
    };
    vec![
        sample(
            "one_thread",
            "    if (t == 0) {\n        int s = 0;\n        for (int k = blockIdx.x * 256; k < end; k++) s += in[k];\n        out[blockIdx.x] = s;\n    }",
            "",
        ),
        sample(
            "one_thread_of_the_grid",
            "    if (t == 0 && blockIdx.x == 0)\n        for (int b = 0; b < gridDim.x; b++) {\n            int s = 0;\n            for (int k = 256 * b; k < min(n, 256 * b + 256); k++) s += in[k];\n            out[b] = s;\n        }",
            "",
        ),
        sample(
            "one_thread_in_fours",
            "    if (t == 0) {\n        int s = 0, k = blockIdx.x * 256;\n        for (; k + 4 <= end; k += 4) { int4 v = *(const int4 *)(in + k); s += v.x + v.y + v.z + v.w; }\n        for (; k < end; k++) s += in[k];\n        out[blockIdx.x] = s;\n    }",
            "",
        ),
        sample(
            "everybody",
            "    int s = 0;\n    for (int k = blockIdx.x * 256; k < end; k++) s += in[k];\n    if (t == 0) out[blockIdx.x] = s;",
            "",
        ),
        sample(
            "one_lane_per_warp",
            &format!(
                "    __shared__ int sums[8];\n    if (t % 32 == 0) {{\n        int s = 0;\n        for (int k = i; k < min(end, i + 32); k++) s += in[k];\n        sums[t / 32] = s;\n    }}\n    __syncthreads();\n    if (t == 0) {{\n        int s = 0;\n        for (int w = 0; w < 8; w++) s += sums[w];\n        out[blockIdx.x] = s;\n    }}{}",
                ""
            ),
            "",
        ),
        sample(
            "global_tree",
            "    tree[blockIdx.x][t] = i < n ? in[i] : 0;\n    __syncthreads();\n    for (int half = 128; half > 0; half /= 2) {\n        if (t < half) tree[blockIdx.x][t] += tree[blockIdx.x][t + half];\n        __syncthreads();\n    }\n    if (t == 0) out[blockIdx.x] = tree[blockIdx.x][0];",
            "__device__ int tree[64][256];",
        ),
        sample(
            "global_atomics",
            "    if (t == 0) out[blockIdx.x] = 0;\n    __syncthreads();\n    if (i < n) atomicAdd(&out[blockIdx.x], in[i]);",
            "",
        ),
        sample(
            "atomics_with_results",
            "    __shared__ int sum, seen;\n    if (t == 0) sum = seen = 0;\n    __syncthreads();\n    if (i < n) { int old = atomicAdd(&sum, in[i]); if (old == 123456789) seen = 1; }\n    __syncthreads();\n    if (t == 0) out[blockIdx.x] = sum;",
            "",
        ),
        sample(
            "shuffles_in_a_loop",
            "    __shared__ int sums[8];\n    int x = i < n ? in[i] : 0, s = 0;\n    #pragma unroll 1\n    for (int lane = 0; lane < 32; lane++) s += __shfl_sync(0xffffffff, x, lane);\n    if (t % 32 == 0) sums[t / 32] = s;\n    __syncthreads();\n    if (t == 0) {\n        s = 0;\n        for (int w = 0; w < 8; w++) s += sums[w];\n        out[blockIdx.x] = s;\n    }",
            "",
        ),
        sample(
            "two_of_eight_warps_load",
            "    __shared__ int partial[64];\n    if (t < 64) {\n        int s = 0;\n        for (int k = i; k < end; k += 64) s += in[k];\n        partial[t] = s;\n    }\n    __syncthreads();\n    for (int half = 32; half > 0; half /= 2) {\n        if (t < half) partial[t] += partial[t + half];\n        __syncthreads();\n    }\n    if (t == 0) out[blockIdx.x] = partial[0];",
            "",
        ),
        sample(
            "three_of_four_warps_load",
            &format!(
                "    __shared__ int partial[256];\n    if (t < 192)\n        for (int k = t; k < 256; k += 192) partial[k] = blockIdx.x * 256 + k < n ? in[blockIdx.x * 256 + k] : 0;\n{TREE}"
            ),
            "",
        ),
        sample(
            "one_thread_adds_the_last_32",
            "    __shared__ int partial[256];\n    partial[t] = i < n ? in[i] : 0;\n    __syncthreads();\n    for (int half = 128; half > 16; half /= 2) {\n        if (t < half) partial[t] += partial[t + half];\n        __syncthreads();\n    }\n    if (t == 0) {\n        int s = 0;\n        for (int k = 0; k < 8; k++) { int4 v = ((const int4 *)partial)[k]; s += v.x + v.y + v.z + v.w; }\n        out[blockIdx.x] = s;\n    }",
            "",
        ),
        sample(
            "seven_of_eight_warps_load",
            &format!(
                "    __shared__ int partial[256];\n    if (t < 224)\n        for (int k = t; k < 256; k += 224) partial[k] = blockIdx.x * 256 + k < n ? in[blockIdx.x * 256 + k] : 0;\n{TREE}"
            ),
            "",
        ),
        sample(
            "every_element_loaded_twice",
            &format!(
                "    __shared__ int partial[256];\n    const volatile int *all = in;\n    partial[t] = i < n ? max(all[i], all[i]) : 0;\n{TREE}"
            ),
            "",
        ),
        sample(
            "one_thread_adds_the_last_16",
            "    __shared__ int partial[256];\n    partial[t] = i < n ? in[i] : 0;\n    __syncthreads();\n    for (int half = 128; half > 8; half /= 2) {\n        if (t < half) partial[t] += partial[t + half];\n        __syncthreads();\n    }\n    if (t == 0) {\n        int s = 0;\n        #pragma unroll 1\n        for (int k = 0; k < 16; k++) s += partial[k];\n        out[blockIdx.x] = s;\n    }",
            "",
        ),
        sample(
            "warps_in_turn",
            "    __shared__ int sum;\n    int x = i < n ? in[i] : 0;\n    if (t == 0) sum = 0;\n    #pragma unroll 1\n    for (int w = 0; w < 8; w++) {\n        __syncthreads();\n        if (t / 32 == w) {\n            #pragma unroll 1\n            for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xffffffff, x, d);\n            if (t % 32 == 0) sum += x;\n        }\n    }\n    __syncthreads();\n    if (t == 0) out[blockIdx.x] = sum;",
            "",
        ),
        sample(
            "a_printf_of_each_thread",
            &format!("{FILL}    printf(\"%d\\n\", partial[t]);\n{TREE}"),
            "#include <stdio.h>",
        ),
    ]
}

/// More than a kernel may have, and tricks with the preprocessor.
fn floods() -> Vec<Sample> {
    let tree = format!("{FILL}{TREE}");
    let sample = |name, source: String, says: &'static [&'static str]| Sample { name, source, right: false, says };
    let with = |before: &str| kernel(before, &tree);
    // Half a million numbers by macros: a source of 700 kB, and code of more than five million bytes.
    let initialised = format!(
        "#define A {}
__device__ int table[] = {{ A A A A A A A A A }};",
        "1234567890,".repeat(60_000)
    );
    vec![
        sample("include_in_two_lines", with("#inc\\\nlude \"/etc/passwd\""), &["no file by a path"]),
        sample("include_behind_comments", with("/* */ # /* */ include /* */ \"/etc/passwd\""), &["no file by a path"]),
        sample("include_dev_zero", with("#include \"/dev/zero\""), &["no file by a path"]),
        sample("include_by_paste", with("#define P(a) #a\n#include P(/dev/zero)"), &["no file by a path"]),
        sample(
            "embed",
            kernel("", "    const char text[] = {\n#embed \"/etc/passwd\"\n    };\n    out[0] = text[0];"),
            &["no file by a path"],
        ),
        sample(
            "template_fibonacci",
            with(
                "template <int N, int M> struct F { static constexpr int v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v; };\ntemplate <int M> struct F<0, M> { static constexpr int v = M; };\n__device__ int x = F<26, 0>::v;",
            ),
            &["compil"],
        ),
        sample(
            "constexpr_loop",
            with(
                "constexpr int f() { int x = 0; for (long long k = 0; k < 1ll << 60; k++) x += k; return x; }\n__device__ int x = f();\nconstexpr int y = f();",
            ),
            &[],
        ),
        sample(
            "unrolled_million",
            kernel(
                "",
                &format!(
                    "{FILL}    #pragma unroll\n    for (int k = 0; k < 4000000; k++) partial[t] ^= in[(k * 7 + t) % n] * k;\n{TREE}"
                ),
            ),
            &[],
        ),
        sample(
            "initialised_array",
            kernel(&initialised, &format!("{FILL}    partial[t] += table[t] - 1234567890;\n{TREE}")),
            &["bytes of code"],
        ),
        sample(
            "endless_in_one_thread",
            kernel("", &format!("{FILL}    if (t == 255) for (volatile int on = 1; on;) {{ }}\n{TREE}")),
            &["never ends"],
        ),
        sample(
            "huge_device_array",
            kernel(
                "__device__ int g[2000000000];",
                &format!("{FILL}    g[1999999000 + t] = partial[t];\n    partial[t] = g[1999999000 + t];\n{TREE}"),
            ),
            &[],
        ),
        sample(
            "static_shared_60000",
            kernel(
                "",
                "    __shared__ int partial[15000];\n    partial[t] = i < n ? in[i] : 0;\n    for (int k = t + 256; k < 15000; k += 256) partial[k] = 0;\n    __syncthreads();\n    for (int half = 128; half > 0; half /= 2) {\n        if (t < half) partial[t] += partial[t + half];\n        __syncthreads();\n    }\n    if (t == 0) out[blockIdx.x] = partial[0] + partial[14999];",
            ),
            &[],
        ),
        sample(
            "huge_local_array",
            kernel(
                "",
                &format!(
                    "{FILL}    int big[1 << 20];\n    for (int k = 0; k < 1 << 20; k += 4096) big[k] = k + n;\n    partial[t] += big[(n * 4096) & ((1 << 20) - 1)] * 0 + (big[n * 4096 & 8191] == 7);\n{TREE}"
                ),
            ),
            &[],
        ),
        sample(
            "printf_flood",
            kernel(
                "#include <stdio.h>",
                &format!(
                    "{FILL}    for (int k = 0; k < 1 << 28; k++) printf(\"%d: all work and no play makes a dull kernel\\n\", k);\n{TREE}"
                ),
            ),
            &[],
        ),
    ]
}

/// Grades the samples and gives what is wrong with their verdicts.
fn wrong_verdicts(samples: &[Sample]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let submissions = folder.path().join("submissions");
    for sample in samples {
        let own = submissions.join(sample.name);
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("block_sum.cu"), &sample.source).unwrap();
    }
    let (code, report) = grade(&submissions, &folder.path().join("out"));
    assert_eq!(code, 1, "no submission passes");
    let graded = report["submissions"].as_array().unwrap();
    assert_eq!(graded.len(), samples.len(), "every submission gets a report");
    let mut wrong = String::new();
    for one in graded {
        let (name, result) = (one["name"].as_str().unwrap(), &one["exercises"][0]);
        let sample = samples.iter().find(|sample| sample.name == name).unwrap();
        let text = format!("{}\n{}", result["message"].as_str().unwrap(), result["output"].as_str().unwrap());
        let failed: Vec<&str> = result["failed"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let good = result["status"] == "fail"
            && one["points"].as_f64() < one["max_points"].as_f64()
            && (!sample.right || failed == ["contract"])
            && sample.says.iter().all(|says| text.contains(says))
            && !text.contains("root:");
        if !good {
            wrong += &format!("{name}: {} {failed:?}\n{text}\n\n", result["status"]);
        }
    }
    wrong
}

#[test]
fn right_sums_without_a_tree_get_no_full_marks_and_hear_of_the_lesson() {
    if compiler_for("submissions that evade the lesson") {
        let wrong = wrong_verdicts(&evasions());
        assert!(wrong.is_empty(), "{wrong}");
    }
}

#[test]
fn floods_are_judged_and_end_nothing() {
    if compiler_for("submissions that want more than they may have") {
        let wrong = wrong_verdicts(&floods());
        assert!(wrong.is_empty(), "{wrong}");
    }
}
