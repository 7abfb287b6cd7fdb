//! clang with our own headers against NVRTC: function by function, and the workbook's kernels.

use kernels::compile::{self, Compiler, Options, Source};
use kernels::isa::clang as functions;
use kernels::{compilers, testing};

#[test]
fn functions_give_what_nvrtcs_give() {
    if !testing::clang_for("comparing clang's functions with NVRTC's") {
        return;
    }
    let outcome = functions::compare().unwrap_or_else(|error| panic!("{error}"));
    let known = functions::known();
    let mut wrong: Vec<String> = Vec::new();
    for (name, what) in outcome.lacking.iter().chain(&outcome.different) {
        if !known.contains_key(name.as_str()) {
            wrong.push(format!("{name}: {what}"));
        }
    }
    for name in known.keys() {
        if !outcome.lacking.iter().chain(&outcome.different).any(|(other, _)| other == name) {
            wrong.push(format!("{name}: as NVRTC's now, take it off the list"));
        }
    }
    assert!(wrong.is_empty(), "{} functions:\n{}", wrong.len(), wrong.join("\n"));
    assert!(outcome.equal + outcome.close > 550, "{} equal, {} close", outcome.equal, outcome.close);
}

#[test]
fn every_version_of_the_workbook_gives_what_is_expected() {
    if !testing::clang_for("running the workbook's kernels as clang makes them") {
        return;
    }
    let table = compilers::compare(&[]).unwrap_or_else(|error| panic!("{error}"));
    let wrong: Vec<String> =
        table.rows.iter().filter_map(|row| Some(format!("{}: {}", row.version, row.wrong.as_ref()?))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(table.rows.len() >= 130 && table.share() > 0.9, "{} versions, {}", table.rows.len(), table.share());
}

#[test]
fn templates_are_made_and_errors_have_their_lines() {
    if !testing::clang_for("compiling with clang") {
        return;
    }
    let text = "template <class T, int N> __global__ void fill(T *p, T x) { p[threadIdx.x * N] = x; }\n";
    let source = Source { name: "fill.cu", text };
    let instances = vec!["fill<float, 4>".to_owned()];
    let options = Options { instances, ..Options::with(Compiler::Clang) };
    let compiled = compile::compile_source(&source, &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(compiled.instances, ["_Z4fillIfLi4EEvPT_S0_"]);
    assert!(!compiled.ptx.contains("warpbook_instance"), "{}", compiled.ptx);

    let two = "__global__ void a(int *p) {\n    extern __shared__ int s[];\n    s[0] = *p;\n}\n\
               __global__ void b(float *p) {\n    extern __shared__ float s[];\n    s[0] = *p;\n}\n";
    let options = Options::with(Compiler::Clang);
    let refused = compile::compile_source(&Source { name: "two.cu", text: two }, &options).unwrap_err().to_string();
    assert!(refused.contains("two.cu:6:") && refused.contains("extern __shared__ unsigned char s[]"), "{refused}");
    let unknown = "__global__ void k(int *p) {\n    *p = missing;\n}\n";
    let refused = compile::compile_source(&Source { name: "k.cu", text: unknown }, &options).unwrap_err().to_string();
    assert!(refused.contains("k.cu:2:10: error: use of undeclared identifier 'missing'"), "{refused}");
}

#[test]
fn host_code_is_left_out() {
    if !testing::clang_for("compiling a file with host code by clang") {
        return;
    }
    let text = "#include <cstdio>\n#include <vector>\n__global__ void twice(int *p) { p[threadIdx.x] *= 2; }\n\
                int main() {\n    std::vector<int> v(32);\n    twice<<<1, 32>>>(v.data());\n    return 0;\n}\n";
    let source = Source { name: "main.cu", text };
    let compiled = compile::compile_source(&source, &Options::with(Compiler::Clang));
    let compiled = compiled.unwrap_or_else(|error| panic!("{error}"));
    assert!(compiled.ptx.contains(".entry _Z5twicePi") && compiled.part.is_some(), "{}", compiled.log);
}
