//! Small IR texts with the PTX that they become (`WARPBOOK_BLESS=1` writes it), and texts that are refused.

use std::path::Path;

use ptxgen::{Error, Options, translate};

#[test]
fn texts_become_the_ptx_beside_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ir");
    let mut found = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|ending| ending != "ll") {
            continue;
        }
        found += 1;
        let text = std::fs::read_to_string(&file).unwrap();
        let made = translate(&text, &Options::default()).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let beside = file.with_extension("ptx");
        if std::env::var_os("WARPBOOK_BLESS").is_some() {
            std::fs::write(&beside, &made).unwrap();
        }
        let expected = std::fs::read_to_string(&beside).unwrap_or_default();
        assert_eq!(made, expected, "{}", file.display());
    }
    assert!(found >= 4, "{found} texts");
}

/// A kernel around a few instructions.
fn kernel(body: &str) -> String {
    format!("define ptx_kernel void @k(ptr %p, i32 %n, float %x) {{\n{body}\n  ret void\n}}\n")
}

#[test]
fn what_cannot_be_read_says_where() {
    for (body, line, part) in [
        ("  %a = ad i32 %n, 1", 2, "`ad` is no instruction"),
        ("  store i32 %b, ptr %p", 4, "`%b` is not defined"),
        ("  br label %nowhere\nother:", 5, "no block"),
        ("  %a = add i32 %n, one", 2, "`one` is no value of type i32"),
        ("  store i32 \"x\", ptr %p", 2, "a value is missing"),
    ] {
        match translate(&kernel(body), &Options::default()) {
            Err(Error::Syntax { line: own, message }) => {
                assert!(message.contains(part), "{body}: {message}");
                assert!(own.abs_diff(line) <= 1, "{body}: line {own}");
            }
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn what_is_not_supported_is_named() {
    for (body, part) in [
        ("  %a = frem half 0xH3C00, 0xH4000\n  store half %a, ptr %p", "`frem` of half"),
        ("  %a = alloca i32, i32 %n\n  store i32 1, ptr %a", "local memory"),
        ("  call void @elsewhere()", "elsewhere"),
        ("  %a = call float @llvm.pow.f32(float %x, float %x)\n  store float %a, ptr %p", "llvm.pow"),
        ("  call void @llvm.nvvm.tcgen05.fence()", "llvm.nvvm.tcgen05.fence"),
    ] {
        let text = format!("declare void @elsewhere()\ndeclare float @llvm.pow.f32(float, float)\n{}", kernel(body));
        match translate(&text, &Options::default()) {
            Err(Error::Unsupported { what, function, .. }) => {
                assert!(what.contains(part), "{body}: {what}");
                assert_eq!(function, "k");
            }
            other => panic!("{body}: {other:?}"),
        }
    }
}

#[test]
fn no_text_makes_it_panic() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ir/calls_and_frames.ll")).unwrap();
    // Every prefix, and every text that lacks one word.
    for end in 0..text.len() {
        let _ = translate(&text[..end], &Options::default());
    }
    let words: Vec<&str> = text.split_inclusive(|sign: char| !sign.is_ascii_alphanumeric()).collect();
    for left in 0..words.len() {
        let rest: String = words.iter().enumerate().filter(|(at, _)| *at != left).map(|(_, word)| *word).collect();
        let _ = translate(&rest, &Options::default());
    }
}
