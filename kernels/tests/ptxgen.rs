//! Our translation of LLVM IR to PTX (`ptxgen`) against LLVM's own: the workbook's kernels, and random programs. Results and findings
//! must be the same; the counters that differ are listed in `isa/ptxgen.tsv`, which `WARPBOOK_BLESS=1` writes anew, to be read.

use std::fmt::Write as _;

use kernels::{testing, translation};
use rayon::prelude::*;
use sim::{Arg, Launch, Module};

/// The list of counters that differ.
const KNOWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/isa/ptxgen.tsv");

/// Its head.
const HEAD: &str = "# Counters of the workbook's kernels that differ between the PTX of LLVM's back end and that of ptxgen, of one LLVM IR: the\n\
    # version, the counter, LLVM's value and ours, in the version's representative case. A probable cause, which nobody has proved row\n\
    # by row: LLVM's back end computes ahead of branches what one side needs, and joins what both sides compute; ptxgen does neither.\n";

/// Demands that nothing is wrong; what differs, a line for each version and counter.
fn differing(names: &[String], optimised: bool, at_least: usize) -> String {
    let rows = translation::compare(names, optimised).unwrap_or_else(|error| panic!("{error}"));
    assert!(rows.len() >= at_least, "{} versions", rows.len());
    let wrong: Vec<String> =
        rows.iter().filter_map(|row| Some(format!("{}: {}", row.version, row.wrong.as_ref()?))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut text = String::new();
    for row in rows {
        for own in row.differences {
            writeln!(text, "{}\t{}\t{}\t{}", row.version, own.counter, own.llvm, own.own).expect("a string takes it");
        }
    }
    text
}

#[test]
fn the_workbooks_kernels_count_what_llvms_code_counts() {
    if !testing::clang_for("comparing our PTX of LLVM IR with LLVM's") {
        return;
    }
    let found = format!("{HEAD}{}", differing(&[], true, 130));
    if std::env::var_os("WARPBOOK_BLESS").is_some() {
        std::fs::write(KNOWN, &found).expect("the list can be written");
    }
    let listed = std::fs::read_to_string(KNOWN).unwrap_or_default();
    assert_eq!(found, listed, "{KNOWN} is another list");
}

#[test]
fn unoptimised_kernels_do_what_llvms_code_does() {
    if !testing::clang_for("comparing our PTX of unoptimised LLVM IR with LLVM's") {
        return;
    }
    let sample = ["copy_", "transpose_", "scan_blelloch", "compact_ballot", "by_key_atomic"].map(str::to_owned);
    // Counters of unoptimised code are nobody's: findings and results are what it is for.
    differing(&sample, false, 10);
}

/// Pseudo-random numbers, the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A kernel of random arithmetic on integers of all widths, with branches, a loop, a switch and arrays in local memory.
fn program(dice: &mut Dice) -> String {
    const TYPES: &[&str] = &[
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long long",
        "unsigned long long",
    ];
    let mut text = String::from("__device__ __noinline__ int helper(int a, short b, long long c) {\n");
    text += "  return a > 3 ? (int)(c >> (b & 31)) : helper(a + 1, b, c * 3);\n}\n";
    text += "__global__ void k(unsigned long long *out, const unsigned *in) {\n";
    text += "  unsigned t = threadIdx.x;\n  unsigned long long s = in[t];\n  int local[8];\n";
    text += "  for (int i = 0; i < 8; i++) local[i] = in[(t + i) & 63] * (i + 1);\n";
    let mut names: Vec<String> = Vec::new();
    for (index, ty) in TYPES.iter().enumerate() {
        names.push(format!("v{index}"));
        text += &format!(
            "  {ty} v{index} = ({ty})(in[(t * {} + {}) & 63] * {}u);\n",
            index + 1,
            index,
            dice.below(9999) + 1
        );
    }
    for step in 0..40 {
        let to = names[dice.below(names.len())].clone();
        let (a, b) = (names[dice.below(names.len())].clone(), names[dice.below(names.len())].clone());
        let expression = match dice.below(9) {
            0..=3 => format!("{a} {} {b}", dice.of(&["+", "-", "*", "&", "|", "^"])),
            4 => format!("(unsigned){a} {} ((unsigned){b} | 1u)", dice.of(&["/", "%"])),
            5 => format!("{a} {} ({b} & 7)", dice.of(&["<<", ">>"])),
            6 => format!("{a} {} {b} ? {a} + {step} : ~{b}", dice.of(&["<", ">", "==", "!=", "<=", ">="])),
            7 => format!("__popc((unsigned){a}) + __clz((int){b}) + __brev((unsigned){a}) + __ffs((int){b})"),
            _ => format!("min((int){a}, (int){b}) + max((unsigned){a}, (unsigned){b}) + abs((int){a})"),
        };
        match dice.below(6) {
            0 => text += &format!("  if ({a} & 1) {to} = {expression}; else local[{b} & 7] += {to};\n"),
            1 => text += &format!("  for (int i = 0; i < ({b} & 3); i++) {to} += {expression};\n"),
            2 => {
                text += &format!(
                    "  switch ({a} & 3) {{ case 0: {to} = {b}; break; case 1: {to} = {expression}; case 2: {to}++; }}\n"
                );
            }
            3 => text += &format!("  {to} = {expression}; {to} ^= local[{a} & 7];\n"),
            _ => text += &format!("  {to} = {expression};\n"),
        }
        text += &format!("  s = s * 31 + (unsigned long long){to};\n");
    }
    text += "  s += helper(v4, v2, v6);\n";
    text += "  float f = v4; double d = v6; f = f * 0.5f + v5; d = d / (v7 | 1) - f;\n";
    text += "  s ^= __float_as_uint(f) + (unsigned long long)__double_as_longlong(d);\n";
    text + "  out[t] = s + local[t & 7];\n}\n"
}

#[test]
fn random_programs_compute_the_same() {
    if !testing::clang_for("comparing our PTX of random programs with LLVM's") {
        return;
    }
    (1..=4u64).into_par_iter().for_each(|seed| {
        let text = program(&mut Dice(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed)));
        for optimised in [true, false] {
            let both = translation::both("random.cu", &text, optimised);
            let [theirs, own] = both.unwrap_or_else(|error| panic!("{error}\n{text}"));
            let run = |ptx: &str| {
                let module = Module::parse("random.ptx", ptx).unwrap_or_else(|error| panic!("{error}\n{text}"));
                let kernel = module.kernels()[0].to_owned();
                let input: Vec<u32> = (0..64u32).map(|i| i.wrapping_mul(2_654_435_761) ^ seed as u32).collect();
                let launch = Launch {
                    grid: [1, 1, 1].into(),
                    block: [64, 1, 1].into(),
                    shared_bytes: 0,
                    args: vec![Arg::Zeros(512), Arg::buffer_of(&input)],
                };
                let outcome = sim::simulate(&module, &kernel, &launch, &sim::Options::default());
                let outcome = outcome.unwrap_or_else(|error| panic!("{error}\n{text}"));
                let findings: Vec<_> = outcome.report.errors().map(|finding| finding.kind).collect();
                (outcome.buffers[0].clone(), findings)
            };
            assert_eq!(run(&own), run(&theirs), "seed {seed}, optimised {optimised}\n{text}");
        }
    });
}
