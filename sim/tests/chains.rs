//! Chains of instructions that find addresses are executed in fewer steps: random ones compute what their instructions
//! compute one by one.
//!
//! Every instruction has a result of its own, as compilers write PTX, now and then one that is written again or under a
//! guard; some results are stored, so that others are read once, several times or never.

use proptest::prelude::*;
use sim::ir::inst::Op;
use sim::{Arg, Dim3, Launch, Lowering, Module, Options, Outcome, simulate};

/// Words of the table in shared memory: word `i` holds `i * 7 + 1`.
const TABLE: u32 = 64;

/// What an instruction does. Operands are numbers of earlier results, counted from the latest.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// `mul.wide`: signed or not, operand, factor.
    Product(bool, u8, u32),
    /// `cvt.u64.u32` or `cvt.s64.s32`.
    Widen(bool, u8),
    /// `and.b64` with a constant.
    Mask(u8, u64),
    /// `add.s64` of two registers.
    Sum(u8, u8),
    /// `add.s64` with a constant.
    Offset(u8, u64),
    /// `mov.b64` of a constant.
    Constant(u64),
    /// `add.u32` with a constant.
    Word(u8, u32),
    /// The same, written to the operand itself.
    Again(u8, u32),
    /// `ld.shared` from the table, at a masked register plus its address, in one of three ways of writing that.
    Load(u8, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let constant = || prop_oneof![0..300u64, any::<u64>(), Just(u64::from(u32::MAX)), Just(u64::MAX << 32)];
    prop_oneof![
        (any::<bool>(), any::<u8>(), any::<u32>()).prop_map(|(signed, a, b)| Step::Product(signed, a, b)),
        (any::<bool>(), any::<u8>()).prop_map(|(signed, a)| Step::Widen(signed, a)),
        (any::<u8>(), constant()).prop_map(|(a, b)| Step::Mask(a, b)),
        (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Step::Sum(a, b)),
        (any::<u8>(), constant()).prop_map(|(a, b)| Step::Offset(a, b)),
        constant().prop_map(Step::Constant),
        (any::<u8>(), any::<u32>()).prop_map(|(a, b)| Step::Word(a, b)),
        (any::<u8>(), any::<u32>()).prop_map(|(a, b)| Step::Again(a, b)),
        (any::<u8>(), 0..3u8).prop_map(|(a, way)| Step::Load(a, way)),
    ]
}

/// The text of a program, and what it computes for a lane.
#[derive(Default)]
struct Chain {
    text: String,
    words: Vec<u32>,
    doubles: Vec<u64>,
    lane: u32,
}

impl Chain {
    /// The number of a result that lies `back` behind the latest.
    fn pick(count: usize, back: u8) -> usize {
        count - 1 - usize::from(back) % count.min(4)
    }

    fn word(&mut self, value: u32) -> usize {
        self.words.push(value);
        self.words.len() - 1
    }

    fn double(&mut self, value: u64) -> usize {
        self.doubles.push(value);
        self.doubles.len() - 1
    }

    /// Adds an instruction, for lanes below 20 only if it has a guard.
    fn step(&mut self, step: Step, guarded: bool) {
        let (w, d) = (|back| Self::pick(self.words.len(), back), |back| Self::pick(self.doubles.len(), back));
        let executed = !guarded || self.lane < 20;
        let guard = if guarded { "@%p " } else { "" };
        let line = match step {
            Step::Product(signed, a, b) => {
                let a = w(a);
                let value = if signed {
                    (i64::from(self.words[a] as i32) * i64::from(b as i32)) as u64
                } else {
                    u64::from(self.words[a]) * u64::from(b)
                };
                let to = self.double(if executed { value } else { 0 });
                format!("mul.wide.{}32 %d{to}, %w{a}, {b};", if signed { "s" } else { "u" })
            }
            Step::Widen(signed, a) => {
                let a = w(a);
                let value = if signed { self.words[a] as i32 as u64 } else { self.words[a].into() };
                let to = self.double(if executed { value } else { 0 });
                format!("cvt.{0}64.{0}32 %d{to}, %w{a};", if signed { "s" } else { "u" })
            }
            Step::Mask(a, b) => {
                let a = d(a);
                let to = self.double(if executed { self.doubles[a] & b } else { 0 });
                format!("and.b64 %d{to}, %d{a}, {b};")
            }
            Step::Sum(a, b) => {
                let (a, b) = (d(a), d(b));
                let to = self.double(if executed { self.doubles[a].wrapping_add(self.doubles[b]) } else { 0 });
                format!("add.s64 %d{to}, %d{a}, %d{b};")
            }
            Step::Offset(a, b) => {
                let a = d(a);
                let to = self.double(if executed { self.doubles[a].wrapping_add(b) } else { 0 });
                format!("add.s64 %d{to}, %d{a}, {b};")
            }
            Step::Constant(a) => {
                let to = self.double(if executed { a } else { 0 });
                format!("mov.b64 %d{to}, {a};")
            }
            Step::Word(a, b) => {
                let a = w(a);
                let to = self.word(if executed { self.words[a].wrapping_add(b) } else { 0 });
                format!("add.u32 %w{to}, %w{a}, {b};")
            }
            Step::Again(a, b) => {
                let a = w(a);
                if executed {
                    self.words[a] = self.words[a].wrapping_add(b);
                }
                format!("add.u32 %w{a}, %w{a}, {b};")
            }
            Step::Load(a, way) => {
                let a = w(a);
                let (at, sum) = (self.double(0), self.double(0));
                let mask = TABLE * 4 - 4;
                let masked = self.words[a] & mask;
                let to = self.word(if executed { masked / 4 * 7 + 1 } else { 0 });
                // The helpers are no results: nobody else picks them.
                self.doubles.truncate(at);
                let (at, sum) = (format!("%a{at}_{to}"), format!("%a{sum}_{to}"));
                let address = match way {
                    0 => format!("{guard}add.s64 {sum}, {at}, %table;\n{guard}ld.shared.u32 %w{to}, [{sum}];"),
                    1 => format!("{guard}add.s64 {sum}, {at}, 16;\n{guard}ld.shared.u32 %w{to}, [{sum}+-16];"),
                    _ => format!("{guard}ld.shared.u32 %w{to}, [{at}];"),
                };
                let get = format!("cvt.u64.u32 {at}, %w{a};\nand.b64 {at}b, {at}, {mask};");
                let address = address
                    .replace(&format!("{at},"), &format!("{at}b,"))
                    .replace(&format!("[{at}]"), &format!("[{at}b]"));
                format!(".reg .b64 {at}, {at}b, {sum};\n{get}\n{address}")
            }
        };
        let prefix = if matches!(step, Step::Load(..)) { "" } else { guard };
        self.text += &format!("{prefix}{line}\n");
    }
}

fn program(steps: &[(Step, bool)], lane: u32) -> Chain {
    let mut chain = Chain { words: vec![lane], doubles: vec![u64::from(lane) << 33], lane, ..Chain::default() };
    steps.iter().for_each(|&(step, guarded)| chain.step(step, guarded));
    chain
}

fn ptx(chain: &Chain, stored: &[usize]) -> String {
    let (words, doubles) = (chain.words.len(), chain.doubles.len());
    let text = &chain.text;
    let stores: String = stored
        .iter()
        .enumerate()
        .map(|(at, &number)| format!("st.global.u64 [%out+{}], %d{};\n", at * 256, number % doubles))
        .chain([format!("cvt.u64.u32 %last, %w{};\nst.global.u64 [%out+{}], %last;\n", words - 1, stored.len() * 256)])
        .collect();
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 table[{}];\n\
         .visible .entry kernel(.param .u64 results) {{\n.reg .b32 %w<{words}>;\n.reg .b64 %d<{doubles}>;\n\
         .reg .b64 %out, %off, %table, %last, %fill;\n.reg .b32 %v, %i;\n.reg .pred %p;\n\
         mov.u32 %w0, %tid.x;\ncvt.u64.u32 %d0, %w0;\nshl.b64 %d0, %d0, 33;\nsetp.lt.u32 %p, %w0, 20;\n\
         ld.param.u64 %out, [results];\nmul.wide.u32 %off, %w0, 8;\nadd.s64 %out, %out, %off;\n\
         mov.u64 %table, table;\nmul.wide.u32 %fill, %w0, 4;\nadd.s64 %fill, %fill, %table;\n\
         mul.lo.u32 %v, %w0, 7;\nadd.u32 %v, %v, 1;\nst.shared.u32 [%fill], %v;\n\
         add.u32 %i, %w0, 32;\nmul.lo.u32 %v, %i, 7;\nadd.u32 %v, %v, 1;\nst.shared.u32 [%fill+128], %v;\n\
         bar.sync 0;\n{text}{stores}ret;\n}}\n",
        TABLE * 4
    )
}

proptest! {
    #[test]
    fn chains_compute_what_their_instructions_compute(
        steps in proptest::collection::vec((step(), prop::bool::weighted(0.1)), 1..40),
        stored in proptest::collection::vec(0..40usize, 1..4),
    ) {
        let text = ptx(&program(&steps, 0), &stored);
        let module = Module::parse("chains.ptx", &text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let launch = Launch {
            grid: Dim3::from([1, 1, 1]),
            block: Dim3::from([32, 1, 1]),
            shared_bytes: 0,
            args: vec![Arg::Zeros((stored.len() as u64 + 1) * 256)],
        };
        let outcome = simulate(&module, "kernel", &launch, &Options::default());
        let Outcome { report, buffers, .. } = outcome.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert!(report.findings.is_empty(), "{:?}\n{text}", report.findings);
        let bytes = buffers[0].as_deref().unwrap_or_default();
        let results: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        for lane in 0..32 {
            let chain = program(&steps, lane as u32);
            for (at, &number) in stored.iter().enumerate() {
                let number = number % chain.doubles.len();
                prop_assert_eq!(results[at * 32 + lane], chain.doubles[number], "lane {}, %d{}\n{}", lane, number, text);
            }
            let last = chain.words.last().copied().unwrap_or_default();
            prop_assert_eq!(results[stored.len() * 32 + lane], u64::from(last), "lane {}, last word\n{}", lane, text);
        }
    }
}

#[test]
fn an_index_becomes_an_address_in_few_steps() {
    let steps = [(Step::Word(0, 3), false), (Step::Load(0, 0), false), (Step::Product(false, 0, 4), false)];
    let chain = program(&[&steps[..], &[(Step::Offset(0, 64), false), (Step::Offset(0, 64), false)]].concat(), 0);
    let module = Module::parse("chains.ptx", &ptx(&chain, &[3])).expect("well-formed");
    let program = module.lower("kernel", Lowering::Sm90).expect("a kernel that we have everything of");
    let texts = program.insts.iter().map(|inst| inst.text.clone()).collect::<Vec<_>>().join("\n");
    let did = |what: &str| {
        let at = program.insts.iter().position(|inst| inst.text.contains(what)).expect("an instruction of the program");
        !matches!(program.steps[at].op, Op::Nop)
    };
    // The mask is applied to the 32 bits, widening and the table's place are the access's business.
    assert!(!did("and.b64") || !did("cvt.u64.u32 %a"), "{}", texts);
    assert!(!did("add.s64 %a"), "{}", texts);
    assert!(!did("mov.u64 %table"), "{}", texts);
    let executed = program.code.dense.len();
    assert!(executed + 5 <= program.insts.len(), "{executed} of {} steps are left", program.insts.len());
}
