//! Whatever stands in a launch file or behind an option: a launch or a sentence, never a panic.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kernels::launch::argument;
use kernels::launch::command::CommandLine;
use kernels::launch::content::Context;
use kernels::launch::element::Element;
use kernels::launch::expression::{self, Names};
use kernels::launch::spec::Session;
use proptest::prelude::*;

/// Pieces that launches are made of, right and wrong ones.
const PIECES: &[&str] = &[
    "i32",
    "f32",
    "u8",
    "bool",
    "f64",
    "bf16",
    "ptr",
    "q7",
    "x",
    "n",
    "i",
    "&",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "=",
    " ",
    "0",
    "1",
    "7",
    "255",
    "1e9",
    "0.5",
    "-1",
    "0x1f",
    "1_0",
    "99999999999",
    "170141183460469231731687303715884105727",
    "zeros",
    "uninit",
    "random",
    "normal",
    "permutation",
    "iota",
    "file",
    "text",
    "seed",
    "min",
    "max",
    "ceil",
    "floor",
    "null",
    "bytes",
    "pad",
    "inf",
    "nan",
    "true",
    "é",
    "\u{0}",
    "\"",
    "\n",
];

/// Lines of launch files.
const LINES: &[&str] = &[
    "file = \"k.cu\"",
    "grid = 1",
    "grid = \"ceil(n/256)\"",
    "grid = [1, 2, 3, 4]",
    "block = -1",
    "block = [16, \"n\"]",
    "shared = 1e99",
    "shared = \"4*n\"",
    "let = { n = 10 }",
    "let = { n = \"m\", m = \"n\" }",
    "[let]",
    "n = 5",
    "i = 5",
    "[buffers]",
    "x = \"f32[n]=random\"",
    "x = 5",
    "[[launches]]",
    "[[launches]",
    "args = [1, 0.5, true, \"&x\"]",
    "args = [[1], {}]",
    "args = [\"x:f32[4]=1\"]",
    "symbols = { c = 1 }",
    "repeat = 0",
    "repeat = 99999999999",
    "dump = { 0 = \"o\" }",
    "expect = { x = 1 }",
    "tolerance = nan",
    "schedules = 0",
    "seed = -1",
    "kernel = \"k<int>\"",
    "kernel = 7",
    "arch = 90",
    "include = [\"a\"]",
    "= = =",
    "grid = 9223372036854775808",
    "x = 1979-05-27T07:32:00Z",
];

fn pieces() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(PIECES), 0..12).prop_map(|pieces| pieces.concat())
}

/// Pieces that name no file, and make no buffer that takes long to fill: what must not panic is reading.
fn small_pieces() -> impl Strategy<Value = String> {
    let large = ["file", "text", "<<", "*", "1e9", "99999999999", "170141183460469231731687303715884105727"];
    let small: Vec<&str> = PIECES.iter().copied().filter(|piece| !large.contains(piece)).collect();
    // Digits that stand side by side could be large again.
    proptest::collection::vec(proptest::sample::select(small), 0..12)
        .prop_map(|pieces| pieces.join(" ").replace("[ ", "["))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expressions(text in pieces()) {
        let _ = expression::evaluate(&text, &Names::new());
        let _ = expression::resolve(&BTreeMap::from([("n".to_owned(), text)]));
    }

    #[test]
    fn arguments(text in small_pieces(), known in any::<bool>()) {
        let names = expression::resolve(&BTreeMap::from([("n".to_owned(), "3".to_owned())])).unwrap();
        let context = Context { folder: Path::new("no/such/folder"), names: &names };
        if let Err(error) = argument::parse(&text, known.then_some(Element::I32), context) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn launch_files(lines in proptest::collection::vec(proptest::sample::select(LINES), 0..10)) {
        let text = lines.join("\n");
        if let Err(error) = Session::parse(&text, Path::new("l.toml"), &BTreeMap::new()) {
            prop_assert!(error.to_string().starts_with("l.toml: "), "{}", error);
        }
    }

    #[test]
    fn any_text_as_a_launch_file(text in ".{0,200}") {
        let _ = Session::parse(&text, Path::new("l.toml"), &BTreeMap::new());
    }

    #[test]
    fn command_lines(grid in pieces(), block in pieces(), pair in pieces(), arg in pieces()) {
        let command = CommandLine {
            file: PathBuf::from("k.cu"),
            grid: Some(grid),
            block: Some(block.clone()),
            shared: Some(block),
            names: vec![pair.clone()],
            symbols: vec![pair.clone()],
            expect: vec![pair],
            args: vec![arg],
            ..CommandLine::default()
        };
        let _ = command.session();
    }
}
