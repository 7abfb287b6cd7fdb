//! Whatever bytes come in: a result or an error with its place, never a panic, never a hang, never more memory than a
//! GPU has.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sim::{Arg, Dim3, Error, ErrorClass, Launch, Lowering, Module, Options, Scalar, simulate};

const SCAN: &str = include_str!("../../kernels/ptx/scan.ptx");

/// A small generator with a fixed start, so that a failure comes again (SplitMix64 by Steele, Lea and Flood).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn place_is_known(error: &Error) -> bool {
    match error {
        Error::Input(diagnostic) | Error::Unsupported(diagnostic) => diagnostic.place.is_some(),
        Error::Internal(_) | Error::Stopped => false,
    }
}

/// Parses, lowers and runs every kernel in `text`; true when it got as far as running one.
fn run_all(text: &str) -> bool {
    let module = match Module::parse("mutated.ptx", text) {
        Ok(module) => module,
        Err(error) => {
            assert!(error.class() == ErrorClass::Input && place_is_known(&error), "{error}");
            return false;
        }
    };
    let mut ran = false;
    for kernel in module.kernels() {
        let program = match module.lower(kernel, Lowering::Sm90) {
            Ok(program) => program,
            Err(error) => {
                assert!(error.class() != ErrorClass::Internal && place_is_known(&error), "{error}");
                assert!(module.lower(kernel, Lowering::None).is_err());
                continue;
            }
        };
        let args = program.params.iter().map(|param| match (&*param.element, param.bytes) {
            ("u64" | "b64", 8) => Arg::Zeros(256),
            (_, 4) => Arg::Scalar(Scalar::U32(64)),
            (_, bytes) => Arg::Bytes(vec![1; bytes as usize]),
        });
        let launch = Launch { grid: Dim3::linear(2), block: Dim3::linear(40), shared_bytes: 512, args: args.collect() };
        let options = Options { budget: 20_000, ..Options::default() };
        match simulate(&module, kernel, &launch, &options) {
            Ok(_) => ran = true,
            Err(error) => assert!(error.class() != ErrorClass::Internal, "{error}"),
        }
    }
    ran
}

/// As [`run_all`], with the mutation named when it panics.
fn survives(mutation: &str, text: &str) -> bool {
    catch_unwind(AssertUnwindSafe(|| run_all(text))).unwrap_or_else(|_| panic!("panicked on {mutation}"))
}

#[test]
fn truncated_anywhere() {
    for end in (0..SCAN.len()).step_by(47) {
        survives(&format!("the first {end} bytes"), &SCAN[..end]);
    }
    assert!(survives("the whole file", SCAN));
}

#[test]
fn single_bytes_changed() {
    let mut random = Random(1);
    let mut ran = 0;
    for _ in 0..600 {
        let mut bytes = SCAN.as_bytes().to_vec();
        let mut what = String::new();
        for _ in 0..=random.below(3) {
            let (at, to) = (random.below(bytes.len()), (random.next() & 0x7f) as u8);
            bytes[at] = to;
            what += &format!("byte {at} = {to:#04x} ");
        }
        ran += u32::from(survives(&what, &String::from_utf8_lossy(&bytes)));
    }
    assert!(ran > 50, "only {ran} of the mutated files still ran: the test has become blind to the executor");
}

/// Splits at every change between word characters and others; joined again it is the same text.
fn tokens(text: &str) -> Vec<&str> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '_' | '$');
    let mut tokens = Vec::new();
    let mut start = 0;
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        let (a, b) = (pair[0] as char, pair[1] as char);
        if word(a) != word(b) || !word(a) {
            tokens.push(&text[start..=at]);
            start = at + 1;
        }
    }
    tokens.push(&text[start..]);
    tokens
}

#[test]
fn tokens_deleted_duplicated_swapped_and_replaced() {
    let all = tokens(SCAN);
    let words: Vec<usize> = (0..all.len()).filter(|&at| !all[at].trim().is_empty()).collect();
    let strange = [
        "18446744073709551615",
        "-9223372036854775808",
        "4294967295",
        "99999999999999999999999",
        "0x",
        "0f0",
        "0d",
        "1e999",
        "-",
        "_",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "!",
        "|",
        ";",
        ":",
        ",",
        "@",
        "<",
        ">",
        "%",
        "%tid.x",
        "%clock64",
        "%p1",
        "%r1",
        "%rd1",
        "%f1",
        "pred",
        "b8",
        "b128",
        "v2",
        "v4",
        "v8",
        "f64",
        "s16",
        "volatile",
        "temp",
        "ret",
        "exit",
        "trap",
        "call",
        ".reg",
        ".param",
        ".shared",
        ".loc",
        ".pragma",
        "\"",
        "/*",
        "//",
        "é",
        "\0",
    ];
    let mut random = Random(2);
    let mut ran = 0;
    for _ in 0..1500 {
        let mut list = all.clone();
        let (a, b) = (words[random.below(words.len())], words[random.below(words.len())]);
        let what = match random.below(4) {
            0 => {
                list[a] = "";
                "deleted"
            }
            1 => {
                list.insert(a, all[b]);
                "inserted another"
            }
            2 => {
                list.swap(a, b);
                "swapped with another"
            }
            _ => {
                list[a] = strange[random.below(strange.len())];
                "replaced"
            }
        };
        ran += u32::from(survives(&format!("token {a} `{}` {what} ({b})", all[a]), &list.concat()));
    }
    assert!(ran > 100, "only {ran} of the mutated files still ran");
}

#[test]
fn names_exchanged() {
    // Registers, labels and numbers of one kernel take each other's places: mostly well-formed, mostly wrong.
    let all = tokens(SCAN);
    let kinds: [fn(&str) -> bool; 4] = [
        |token| token.starts_with("%"),
        |token| token.starts_with("$L"),
        |token| token.parse::<u64>().is_ok(),
        |token| matches!(token, "u32" | "s32" | "b32" | "f32" | "u64" | "s64" | "b64" | "pred" | "u16" | "u8"),
    ];
    let mut random = Random(3);
    let mut ran = 0;
    for _ in 0..1500 {
        let kind = kinds[random.below(kinds.len())];
        let places: Vec<usize> = (0..all.len()).filter(|&at| kind(all[at])).collect();
        let mut list = all.clone();
        let mut what = String::new();
        for _ in 0..=random.below(3) {
            let (a, b) = (places[random.below(places.len())], places[random.below(places.len())]);
            list[a] = all[b];
            what += &format!("token {a} `{}` = `{}` ", all[a], all[b]);
        }
        ran += u32::from(survives(&what, &list.concat()));
    }
    assert!(ran > 500, "only {ran} of the mutated files still ran");
}

#[test]
fn lines_deleted_duplicated_and_moved() {
    let lines: Vec<&str> = SCAN.lines().collect();
    let mut random = Random(4);
    for _ in 0..800 {
        let mut list = lines.clone();
        let (a, b) = (random.below(list.len()), random.below(list.len()));
        let line = list.remove(a);
        let what = match random.below(3) {
            0 => "deleted",
            1 => {
                list.insert(b.min(list.len()), line);
                "moved"
            }
            _ => {
                list.insert(a, line);
                list.insert(b.min(list.len()), line);
                "copied"
            }
        };
        survives(&format!("line {a} `{line}` {what} to {b}"), &list.join("\n"));
    }
}

#[test]
fn not_ptx_at_all() {
    let binary: String = (0..4096u32).map(|at| char::from((at * 7 % 251) as u8)).collect();
    let cases = [
        "",
        " ",
        "\n\n",
        "// only a comment",
        "/* only a comment */",
        "/* a comment without an end",
        "\"",
        ".version",
        ".version 9.0",
        ".version 99999999999.1",
        ".version 9.0 .target",
        "int main() { return 0; }",
        "\u{feff}.version 9.0",
        "}}}}}}",
        "{{{{{{",
        "@@@@@",
        &binary,
        &"[".repeat(100_000),
        &"/*".repeat(50_000),
    ];
    for case in cases {
        let shown: String = case.chars().take(40).collect();
        assert!(!survives(&format!("`{shown}`"), case));
    }
}

/// A kernel with these statements, behind these module-scope declarations.
fn kernel(module: &str, params: &str, body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n{module}\n.visible .entry k({params})\n{{\n{body}\nret;\n}}\n"
    )
}

fn error_of(text: &str) -> Error {
    let module = match Module::parse("k.ptx", text) {
        Ok(module) => module,
        Err(error) => return error,
    };
    if let Err(error) = module.lower("k", Lowering::Sm90) {
        return error;
    }
    let launch = Launch { grid: Dim3::linear(1), block: Dim3::linear(32), shared_bytes: 0, args: Vec::new() };
    simulate(&module, "k", &launch, &Options::default()).map(|_| ()).expect_err("must not run")
}

#[test]
fn nesting_does_not_use_up_the_stack() {
    for (open, close) in [("{", "}"), ("[%r1, ", "]"), ("(", ")"), ("!", ""), ("%r1|", "")] {
        let operand = format!("{}%r1{}", open.repeat(200_000), close.repeat(200_000));
        let error = error_of(&kernel("", "", &format!(".reg .b32 %r<4>;\nmov.b32 {operand}, %r1;")));
        assert_eq!(error.class(), ErrorClass::Input);
        assert!(error.to_string().contains("deep"), "{error}");
    }
    let rows = format!(".global .b32 x[] = {}1{};", "{".repeat(200_000), "}".repeat(200_000));
    assert!(error_of(&kernel(&rows, "", "")).to_string().contains("deep"));
    // Scopes are no recursion: these are allowed.
    survives("many scopes", &kernel("", "", &format!("{}{}", "{\n".repeat(50_000), "}\n".repeat(50_000))));
}

#[test]
fn sizes_beyond_any_gpu_are_errors_and_no_allocations() {
    let cases = [
        (".shared .b8 x[4000000000];", "", "mov.u64 %rd1, x;", "shared memory"),
        (
            ".shared .b8 x[200000000000];\n.shared .b8 y[200000000000];",
            "",
            "mov.u64 %rd1, x;\nmov.u64 %rd2, y;",
            "shared memory",
        ),
        (".shared .b64 x[18446744073709551615];", "", "mov.u64 %rd1, x;", "larger than any"),
        (".shared .b64 x[4294967296][4294967296];", "", "mov.u64 %rd1, x;", "larger than any"),
        (".const .b8 x[100000];", "", "mov.u64 %rd1, x;", "constant memory"),
        (
            ".global .b8 x[200000000000];\n.global .b8 y[200000000000];",
            "",
            "mov.u64 %rd1, x;\nmov.u64 %rd2, y;",
            "memory",
        ),
        (".global .b8 x[200000000000];", "", "mov.u64 %rd1, x;", "memory"),
        ("", "", ".local .b8 x[4000000000];\nmov.u64 %rd1, x;", "local memory"),
        ("", "", ".param .b8 x[4000000000];\nmov.u64 %rd1, x;", "arguments"),
        ("", ".param .b8 x[4000000000]", "", "parameters of a kernel"),
        ("", ".param .align 65536 .b8 x[4]", ".reg .b32 %r<1048577>;", "registers"),
        ("", "", ".reg .b32 %r<1000000>;", "registers"),
        ("", "", ".reg .b128 %q<20000>;", "registers"),
        (".global .align 3 .b8 x[4];", "", "", "power of two"),
        (".global .align 18446744073709551615 .b8 x[4];", "", "", "power of two"),
    ];
    for (module, params, body, expected) in cases {
        let error = error_of(&kernel(module, params, &format!(".reg .b64 %rd<4>;\n{body}")));
        assert!(error.class() != ErrorClass::Internal);
        assert!(error.to_string().contains(expected), "{module} {params} {body}: {error}");
    }
}

#[test]
fn launches_beyond_any_gpu() {
    let module = Module::parse("k.ptx", &kernel("", ".param .u64 p", "")).expect("PTX");
    let launch = |grid, block, args| Launch { grid, block, shared_bytes: 0, args };
    let zeros = |bytes| vec![Arg::Zeros(bytes)];
    let one = Dim3::linear(1);
    let options = Options::default();
    for (what, launch) in [
        ("2^64 bytes", launch(one, one, zeros(u64::MAX))),
        ("2^40 bytes", launch(one, one, zeros(1 << 40))),
        ("a large block", launch(one, Dim3::new(u32::MAX, u32::MAX, u32::MAX), zeros(4))),
        ("a large grid", launch(Dim3::new(u32::MAX, u32::MAX, u32::MAX), one, zeros(4))),
        ("no block", launch(Dim3::linear(0), one, zeros(4))),
        ("no thread", launch(one, Dim3::linear(0), zeros(4))),
        ("shared memory", Launch { shared_bytes: u32::MAX, ..launch(one, one, zeros(4)) }),
        ("no argument", launch(one, one, Vec::new())),
        ("a wrong argument", launch(one, one, vec![Arg::Bytes(vec![0; 5])])),
    ] {
        let error = simulate(&module, "k", &launch, &options).expect_err(what);
        assert_eq!(error.class(), ErrorClass::Input, "{what}");
    }
    // A grid of a million blocks needs no memory per block, and a buffer of 64 GiB none until it is touched: its
    // content is not asked for here, because the digest would read it all.
    let million = launch(Dim3::new(1000, 1000, 1), one, zeros(4));
    let outcome = simulate(&module, "k", &million, &options).expect("runs");
    assert_eq!(outcome.report.estimates["warpbook__ptx_thread_inst_executed.sum"], 1_000_000);
}

#[test]
fn calls_that_grow_without_end() {
    // Every function calls the next one twice: 2^40 instructions once inlined.
    let mut functions = String::from(".func f0() { ret; }\n");
    for n in 1..=40 {
        functions += &format!(".func f{n}() {{ call f{0}; call f{0}; ret; }}\n", n - 1);
    }
    let error = error_of(&kernel(&functions, "", "call f40;"));
    assert_eq!(error.class(), ErrorClass::Unsupported);
    // In a circle there is one body of each: a register is saved for every call, of which no stack has so many.
    let registers = ".reg .b128 %q<4200>;\n".to_owned() + &"mov.b128 %q1, %q2;\n".repeat(4);
    let error = error_of(&kernel(&format!(".func f();\n.func f() {{ {registers} call f; ret; }}"), "", "call f;"));
    assert_eq!(error.class(), ErrorClass::Unsupported, "{error}");
    // A chain of twenty thousand variables that hold each other's addresses.
    let mut chain = String::from(".global .u64 v0;\n");
    for n in 1..=20_000 {
        chain += &format!(".global .u64 v{n} = v{};\n", n - 1);
    }
    survives("a chain of variables", &kernel(&chain, "", ".reg .b64 %rd<2>;\nmov.u64 %rd1, v20000;"));
}

#[test]
fn offsets_at_the_ends_of_the_address_space() {
    for offset in ["9223372036854775807", "-9223372036854775808", "18446744073709551615", "-1", "4294967295"] {
        for space in ["global", "shared", "local", "param", "const"] {
            for (kind, register) in [("u8", "%r1"), ("v4.u32", "{%r1, %r2, %r1, %r2}"), ("b128", "%q1")] {
                let body = format!(
                    ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .b128 %q<2>;\n.shared .align 16 .b8 s[64];\n\
                     mov.u64 %rd1, s;\nld.{space}.{kind} {register}, [%rd1+{offset}];\n\
                     ld.{space}.{kind} {register}, [{offset}];\nld.shared.{kind} {register}, [s+{offset}];\n\
                     ld.{kind} {register}, [%rd1+{offset}];"
                );
                survives(&format!("{space} {kind} {offset}"), &kernel("", "", &body));
                if space != "param" && space != "const" {
                    let store = body.replace(
                        &format!("ld.{space}.{kind} {register}, [%rd1+{offset}]"),
                        &format!("st.{space}.{kind} [%rd1+{offset}], {register}"),
                    );
                    survives(&format!("st {space} {kind} {offset}"), &kernel("", "", &store));
                }
            }
        }
    }
}
