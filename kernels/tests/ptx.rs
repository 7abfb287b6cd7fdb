//! The committed PTX belongs to the committed sources; with the pinned NVRTC at hand, it is also made again.

use kernels::testing::compiler_for;
use kernels::{compile, ptx, regenerate, testing};
use std::collections::BTreeSet;
use std::path::Path;

/// The names of the files with this extension in a folder of the crate.
fn names(folder: &str, extension: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let wanted = files.filter(|path| path.extension().is_some_and(|e| e == extension));
    wanted.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_source_has_its_ptx_and_no_ptx_is_left_over() {
    let problems: BTreeSet<String> = ptx::problems().map(str::to_owned).collect();
    assert!(!problems.is_empty());
    assert_eq!(names("cu", "cu"), problems, "kernels/cu and the table in ptx.rs");
    assert_eq!(names("ptx", "ptx"), problems, "kernels/ptx and the table in ptx.rs");
}

#[test]
fn committed_ptx_was_made_from_the_committed_source() {
    for problem in ptx::problems() {
        let committed = ptx::committed(problem).unwrap_or_else(|| panic!("{problem}.ptx has no whole header"));
        assert!(committed.is_current(), "kernels/cu/{problem}.cu has changed. run: cargo dev ptx");
        assert_eq!(committed.header.source, format!("kernels/cu/{problem}.cu"));
        assert_eq!(committed.header.nvrtc, kernels::setup::VERSION);
    }
}

#[test]
fn committed_ptx_holds_a_line_table_and_no_path_of_a_machine() {
    for problem in ptx::problems() {
        let text = ptx::committed(problem).unwrap().text;
        let files: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with(".file")).collect();
        assert_eq!(files, [format!("\t.file\t1 \"{problem}.cu\"")]);
        assert!(text.lines().any(|line| line.trim_start().starts_with(".loc")), "{problem}.ptx has no line table");
    }
}

#[test]
fn committed_ptx_is_what_nvrtc_makes() {
    if let Err(why) = regenerate::can_make() {
        return testing::not_run("making the committed PTX again", &why);
    }
    for problem in ptx::problems() {
        let committed = ptx::committed(problem).unwrap();
        let made = regenerate::make(problem, committed.source).unwrap();
        assert_eq!(made.log, "", "{problem}.cu compiles with warnings");
        assert!(made.ptx == committed.text, "kernels/ptx/{problem}.ptx differs. run: cargo dev ptx");
    }
}

#[test]
fn the_catalogue_is_what_nvrtc_makes() {
    if let Err(why) = regenerate::can_make() {
        return testing::not_run("making the PTX of the catalogue again", &why);
    }
    for folder in regenerate::CATALOGUE {
        for name in names(&format!("../{folder}"), "cu") {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join(&name);
            let read = |extension| std::fs::read_to_string(path.with_extension(extension)).unwrap();
            let made = regenerate::make_in_catalogue(folder, &name, &read("cu")).unwrap();
            assert!(made.ptx == read("ptx"), "{folder}/{name}.ptx differs. run: cargo dev ptx");
        }
    }
}

#[test]
fn errors_stand_at_the_users_line_and_warnings_are_returned() {
    if !compiler_for("NVRTC's messages") {
        return;
    }
    let compile = |text: &str| {
        let source = compile::Source { name: "my/kernel.cu", text };
        compile::compile_source(&source, &compile::Options::nvrtc())
    };
    let error = compile("__global__ void k(int *p)\n{\n    p[0] = q;\n}\n").unwrap_err().to_string();
    assert!(error.starts_with("my/kernel.cu does not compile:\n"), "{error}");
    assert!(error.contains("my/kernel.cu(3): error: identifier \"q\" is undefined"), "{error}");

    let warned = compile("extern \"C\" __global__ void k()\n{\n    int unused;\n}\n").unwrap();
    assert!(warned.log.contains("my/kernel.cu(3): warning"), "{}", warned.log);
    assert!(warned.ptx.contains(".file\t1 \"kernel.cu\""), "{}", warned.ptx);
}

#[test]
fn options_reach_the_compiler() {
    if !compiler_for("NVRTC's options") {
        return;
    }
    let text = "// warpbook: arch=compute_90\nextern \"C\" __global__ void k(int *p) { p[threadIdx.x] = VALUE; }\n";
    let source = compile::Source { name: "kernel.cu", text };
    let options = compile::Options { defines: vec!["VALUE=4711".into()], ..compile::Options::nvrtc() };
    let compiled = compile::compile_source(&source, &options).unwrap();
    assert!(compiled.ptx.contains(".target sm_90") && compiled.ptx.contains("4711"), "{}", compiled.ptx);

    let too_new = text.replace("compute_90", "compute_999");
    let source = compile::Source { text: &too_new, ..source };
    let error = compile::compile_source(&source, &options).unwrap_err().to_string();
    assert!(error.starts_with("kernel.cu:1: NVRTC ") && error.contains("compute_75"), "{error}");
}

#[test]
fn debug_information_holds_no_path_of_this_machine() {
    if !compiler_for("NVRTC's debug information") {
        return;
    }
    let text = "extern \"C\" __global__ void k(int *p) { int local = p[0]; p[threadIdx.x] = local; }\n";
    let source = compile::Source { name: "kernel.cu", text };
    let options = compile::Options { debug: true, ..compile::Options::nvrtc() };
    let ptx = compile::compile_source(&source, &options).unwrap().ptx;
    let here = std::env::current_dir().unwrap();
    let codes: Vec<String> = here.to_str().unwrap().bytes().map(|b| b.to_string()).collect();
    assert!(ptx.contains(".section\t.debug_info"), "{ptx}");
    assert!(!ptx.contains(&codes.join(",")) && !ptx.contains(here.to_str().unwrap()), "{ptx}");
}

#[test]
fn headers_of_c_and_cudas_own_go_together() {
    let what = "headers of C beside CUDA's own";
    if !compiler_for(what) {
        return;
    }
    let text = "#include <stdint.h>\n#include <limits.h>\n#include <cooperative_groups.h>\n#include <cuda/std/cstdint>\n\
                #include <cuda/std/climits>\n#include <float.h>\n#include <math.h>\n\
                extern \"C\" __global__ void k(int64_t *x, uint64_t y, intptr_t z) { x[INT_MAX - INT_MAX] = y + z + (FLT_MAX > 1) + (-INFINITY < M_PI) + isnan(NAN); }\n";
    let source = compile::Source { name: "k.cu", text };
    match compile::compile_source(&source, &compile::Options::nvrtc()) {
        Ok(compiled) => assert!(compiled.log.is_empty(), "{}", compiled.log),
        Err(error) if error.to_string().contains("cooperative_groups.h") => testing::not_run(what, &error.to_string()),
        Err(error) => panic!("{error}"),
    }
}
