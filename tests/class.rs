//! Grading a class as an instructor does it, with submissions that want to break the grader: each gets the right verdict,
//! and nobody's grade suffers from another's submission.

use std::fs;
use std::path::Path;
use std::process::Command;

use grading::grade;
use kernels::testing::compiler_for;
use serde_json::Value;

#[path = "shared/grading.rs"]
mod grading;

/// A submission of `block_sum.cu`, and the verdict that it must get.
struct Sample {
    name: &'static str,
    source: Vec<u8>,
    status: &'static str,
    /// The kinds of check that it fails.
    failed: &'static [&'static str],
    /// What stands in the message or the output.
    says: &'static str,
}

/// The kernel with other code between filling and writing the result.
fn kernel(before: &str, body: &str) -> Vec<u8> {
    format!(
        "{before}\nextern \"C\" __global__ void block_sum(int *out, const int *in, int n)\n{{\n\
         __shared__ int partial[256];\nint t = threadIdx.x;\nint i = blockIdx.x * 256 + t;\n\
         partial[t] = i < n ? in[i] : 0;\n{body}\nif (t == 0) out[blockIdx.x] = partial[0];\n}}\n"
    )
    .into_bytes()
}

const TREE: &str = "__syncthreads();\nfor (int half = 128; half > 0; half /= 2) {\n\
                    if (t < half) partial[t] += partial[t + half];\n__syncthreads();\n}";

fn samples() -> Vec<Sample> {
    let sample = |name, source, status, failed, says| Sample { name, source, status, failed, says };
    let nested: String = (1..28).map(|n| format!("#define A{n} A{} A{}\n", n - 1, n - 1)).collect();
    vec![
        sample("right", kernel("", TREE), "pass", &[], "all public checks passed (hidden: 1)"),
        sample(
            "endless",
            kernel("", "volatile int on = 1;\nwhile (on) { }"),
            "fail",
            &["findings", "result", "contract"],
            "this loop never ends",
        ),
        sample(
            "endless_barrier",
            kernel("", "while (true) { __syncthreads(); partial[t] += 1; }"),
            "fail",
            &["findings", "result", "contract"],
            "its budget of",
        ),
        sample("passwd", kernel("#include \"/etc/passwd\"", TREE), "fail", &["compile"], "no file by a path"),
        sample(
            "passwd_by_macro",
            kernel("#define FILE_NAME \"/etc/passwd\"\n#include FILE_NAME", TREE),
            "fail",
            &["compile"],
            "no file by a path",
        ),
        sample("self_include", kernel("#include __FILE__", TREE), "fail", &["compile"], ""),
        sample(
            "template_bomb",
            kernel(
                "template<int N> struct T { static constexpr int v = T<N + 1>::v + T<N + 2>::v; };\nconstexpr int x = T<0>::v;",
                TREE,
            ),
            "fail",
            &["compile"],
            "",
        ),
        sample(
            "macro_bomb",
            kernel(&format!("#define A0 1 +\n{nested}\nconst int x = A27 0;"), TREE),
            "fail",
            &["compile"],
            "",
        ),
        sample("binary", vec![0x7f, b'E', b'L', b'F', 0xff, 0xfe, 0, 1, 2, 3], "fail", &[], "it is not text"),
        sample("nul", b"int x;\n\0\0\0".to_vec(), "fail", &["compile"], "NUL"),
        sample("empty", Vec::new(), "fail", &["launch"], "no kernel called `block_sum`"),
        sample("assembler", kernel("", "asm volatile(\"frobnicate %r1;\");"), "fail", &[], ""),
        sample(
            "more_parameters",
            b"extern \"C\" __global__ void block_sum(int *out, const int *in, int n, int m) { out[0] = m; }\n".to_vec(),
            "fail",
            &["launch"],
            "4 parameters",
        ),
        sample(
            "launches_2_to_31",
            kernel("extern \"C\" __global__ void many() {}", "many<<<2147483647, 1024>>>();"),
            "fail",
            &["compile"],
            "",
        ),
        // Code for the host has no say in what is launched: the exercise alone has.
        sample(
            "host_launches_2_to_31",
            [kernel("", TREE), b"int main() { block_sum<<<2147483647, 1024>>>(nullptr, nullptr, 0); }\n".to_vec()]
                .concat(),
            "fail",
            &["compile"],
            "",
        ),
        // As much work as 2^31 threads would have, in the threads that the exercise launches.
        sample(
            "work_of_2_to_31_threads",
            kernel("", "for (long long k = 0; k < (1ll << 40); k++) { partial[t] ^= (int)k * n; __syncthreads(); }"),
            "fail",
            &["findings", "result", "contract"],
            "its budget of",
        ),
        sample(
            "work_of_2_to_31_threads_without_memory",
            kernel(
                "",
                "unsigned x = t + 1;\nfor (long long k = 0; k < (1ll << 40); k++) x = x * 1664525u + (x >> 7);\npartial[t] = (int)x;",
            ),
            "fail",
            &["findings", "result", "contract"],
            "its budget of",
        ),
        sample(
            "huge_shared",
            kernel("__shared__ int huge[1 << 28];", "huge[t] = t; __syncthreads(); partial[t] = huge[255 - t];"),
            "fail",
            &[],
            "",
        ),
        sample(
            "huge_local",
            kernel(
                "",
                "int big[1 << 26];\nfor (int k = 0; k < (1 << 26); k += 1024) big[k] = k + t;\npartial[t] = big[(n * 1024) & ((1 << 26) - 1)];",
            ),
            "fail",
            &[],
            "",
        ),
        sample(
            "malloc",
            kernel("", "for (int k = 0; k < 1 << 20; k++) { char *p = (char *)malloc(1 << 20); if (p) p[k] = 1; }"),
            "fail",
            &[],
            "",
        ),
        sample(
            "printf_flood",
            kernel(
                "#include <stdio.h>",
                "for (int k = 0; k < 1 << 30; k++) printf(\"%d all work and no play\\n\", k);",
            ),
            "fail",
            &[],
            "",
        ),
        sample(
            "recursion",
            kernel(
                "__device__ __noinline__ int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }",
                "partial[t] += deep(1 << 30);",
            ),
            "fail",
            &[],
            "",
        ),
        sample(
            "wild",
            kernel("", "partial[t * 1000000] = 1;\nout[-5] = 1;\n*(int *)nullptr = 2;"),
            "fail",
            &["findings", "result", "contract"],
            "",
        ),
        sample("trap", kernel("", "__trap();"), "fail", &["findings", "result", "contract"], ""),
    ]
}

/// Grades every sample `times` times and holds the verdicts against those that they must get.
fn grade_samples(times: usize) {
    let samples = samples();
    let folder = tempfile::tempdir().unwrap();
    let submissions = folder.path().join("submissions");
    for sample in &samples {
        for time in 0..times {
            let own = submissions.join(format!("{}-{time:03}/exercises/00_machine", sample.name));
            fs::create_dir_all(&own).unwrap();
            fs::write(own.join("block_sum.cu"), &sample.source).unwrap();
        }
    }
    #[cfg(unix)]
    {
        let own = submissions.join("zz_link");
        fs::create_dir_all(&own).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", own.join("block_sum.cu")).unwrap();
    }
    fs::create_dir_all(submissions.join("zz_nothing")).unwrap();
    let (code, report) = grade(&submissions, &folder.path().join("out"));
    assert_eq!(code, 1);
    let graded = report["submissions"].as_array().unwrap();
    assert_eq!(graded.len(), fs::read_dir(&submissions).unwrap().count(), "every submission gets a report");
    let mut wrong = Vec::new();
    for one in graded {
        let (name, result) = (one["name"].as_str().unwrap(), &one["exercises"][0]);
        let text = format!("{}\n{}", result["message"].as_str().unwrap(), result["output"].as_str().unwrap());
        assert!(!text.contains("root:"), "{name} tells of the machine's files: {text}");
        let Some(sample) =
            samples.iter().find(|sample| name.rsplit_once('-').is_some_and(|(own, _)| own == sample.name))
        else {
            assert_eq!(result["status"], "missing", "{name}: links are not followed");
            continue;
        };
        let failed: Vec<&str> = result["failed"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let right = result["status"] == sample.status
            && (sample.failed.is_empty() || failed == sample.failed)
            && text.contains(sample.says)
            && (one["points"] == 0.0) == (sample.status != "pass");
        if !right {
            wrong.push(format!("{name}: {} {failed:?}\n{text}", result["status"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    for file in ["report.json", "junit.xml", "grades.csv", "summary.md"] {
        assert!(folder.path().join("out").join(file).is_file(), "{file} is written");
    }
}

#[test]
fn hostile_submissions_get_their_verdicts() {
    if compiler_for("a class with hostile submissions") {
        grade_samples(1);
    }
}

/// What the text does not show, the operating system must refuse: the compiling process itself is asked, past the look at
/// the text.
#[test]
fn the_compiler_can_open_no_file_of_the_machine() {
    use std::io::Write;
    use std::process::Stdio;
    if !compiler_for("the compiler's sandbox") {
        return;
    }
    let ask = |text: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_warpbook"))
            .arg("compile-submission")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let request = serde_json::json!({ "name": "x.cu", "text": text }).to_string();
        child.stdin.take().unwrap().write_all(request.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    let plain = ask("extern \"C\" __global__ void k(int *p) { *p = 1; }");
    assert!(plain.contains("\"Ok\"") && plain.contains(".entry k"), "{plain}");
    assert!(!plain.contains("text-only"), "this system protects nothing: {plain}");
    let stolen = ask("#include \"/etc/passwd\"");
    assert!(stolen.contains("Rejected") && !stolen.contains("root:"), "{stolen}");
}

/// The batch of more than 200 submissions: `cargo test --test class -- --ignored`.
#[test]
#[ignore = "takes two minutes of CPU time; the test above grades the same submissions once"]
fn a_batch_of_two_hundred_is_graded() {
    if compiler_for("a batch of 200 submissions") {
        grade_samples(10);
    }
}

#[test]
fn the_autograder_for_gradescope_holds_what_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let zip = folder.path().join("autograder.zip");
    let run = Command::new(env!("CARGO_BIN_EXE_warpbook"))
        .args(["grade", "--pack", "gradescope", "--only", "block_sum", "--exercises"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("exercises"))
        .arg("--out")
        .arg(&zip)
        .env("WARPBOOK_SECRET", "hush")
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    // The names of a zip's files stand in it as they are.
    let bytes = fs::read(&zip).unwrap();
    let has = |name: &str| bytes.windows(name.len()).any(|window| window == name.as_bytes());
    for name in [
        "setup.sh",
        "run_autograder",
        "secret.txt",
        "warpbook",
        "exercises/info.toml",
        "exercises/solutions/00_machine/block_sum.toml",
    ] {
        assert!(has(name), "{name} is missing");
    }
}
