//! Random programs with branches, loops, breaks, early returns and exchanges: every thread must get the result that it
//! gets alone, however the lanes of its warp part and meet.

mod common;

use std::fmt::Write;

use common::{kernel, run_text, unchecked};
use proptest::prelude::*;

/// A statement over the registers `%r0` to `%r3`.
#[derive(Debug, Clone)]
enum Step {
    /// `r[to] = r[a] * factor + r[b]`.
    Mix { to: u8, a: u8, b: u8, factor: u32 },
    /// `if (r[a] % modulus == 0) … else …`.
    If { a: u8, modulus: u32, then: Vec<Step>, otherwise: Vec<Step> },
    /// At most `bound + r[a] % 4` times; leaves when `r[a] % modulus == 1` at the `leave`-th step of the body.
    Loop { a: u8, bound: u32, modulus: u32, leave: usize, body: Vec<Step> },
    /// `if (r[a] % modulus == 0) return`.
    Return { a: u8, modulus: u32 },
    /// The same with a predicate instead of a branch.
    Predicated { to: u8, a: u8, modulus: u32 },
    /// A jump into one of three cases that fall through to the next.
    Switch { a: u8, cases: [Vec<Step>; 3] },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let register = 0u8..4;
    let leaf = prop_oneof![
        4 => (0u8..4, register.clone(), register.clone(), any::<u32>()).prop_map(|(to, a, b, factor)| Step::Mix { to, a, b, factor: factor | 1 }),
        1 => (register.clone(), 5u32..9).prop_map(|(a, modulus)| Step::Return { a, modulus }),
        1 => (0u8..4, register.clone(), 2u32..5).prop_map(|(to, a, modulus)| Step::Predicated { to, a, modulus }),
    ];
    let step = leaf.prop_recursive(4, 40, 5, move |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..5);
        let register = 0u8..4;
        prop_oneof![
            (register.clone(), 2u32..5, list.clone(), list.clone())
                .prop_map(|(a, modulus, then, otherwise)| Step::If { a, modulus, then, otherwise }),
            (register.clone(), 0u32..4, 2u32..6, 0usize..5, list.clone())
                .prop_map(|(a, bound, modulus, leave, body)| Step::Loop { a, bound, modulus, leave, body }),
            (register, [list.clone(), list.clone(), list]).prop_map(|(a, cases)| Step::Switch { a, cases }),
        ]
    });
    proptest::collection::vec(step, 1..8)
}

/// Writes PTX; `depth` numbers the loop counters, so that nested loops do not share one.
struct Writer {
    text: String,
    labels: u32,
}

impl Writer {
    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    /// `%q1 = r[a] % modulus == value`.
    fn test(&mut self, a: u8, modulus: u32, value: u32) {
        self.line(&format!("rem.u32 %r10, %r{a}, {modulus};\nsetp.eq.u32 %q1, %r10, {value};"));
    }

    fn steps(&mut self, steps: &[Step], depth: u32) {
        for step in steps {
            self.step(step, depth);
        }
    }

    fn step(&mut self, step: &Step, depth: u32) {
        match step {
            Step::Mix { to, a, b, factor } => self.line(&format!("mad.lo.u32 %r{to}, %r{a}, {factor}, %r{b};")),
            Step::If { a, modulus, then, otherwise } => {
                let (other, end) = (self.label(), self.label());
                self.test(*a, *modulus, 0);
                self.line(&format!("@!%q1 bra L{other};"));
                self.steps(then, depth);
                self.line(&format!("bra L{end};\nL{other}:"));
                self.steps(otherwise, depth);
                self.line(&format!("L{end}:"));
            }
            Step::Loop { a, bound, modulus, leave, body } => {
                let (top, end) = (self.label(), self.label());
                let counter = 16 + depth;
                self.line(&format!(
                    "and.b32 %r{counter}, %r{a}, 3;\nadd.u32 %r{counter}, %r{counter}, {bound};\nL{top}:"
                ));
                self.line(&format!(
                    "setp.eq.u32 %q1, %r{counter}, 0;\n@%q1 bra L{end};\nsub.u32 %r{counter}, %r{counter}, 1;"
                ));
                for (at, step) in body.iter().enumerate() {
                    if at == *leave {
                        self.test(*a, *modulus, 1);
                        self.line(&format!("@%q1 bra L{end};"));
                    }
                    self.step(step, depth + 1);
                }
                self.line(&format!("bra L{top};\nL{end}:"));
            }
            Step::Return { a, modulus } => {
                self.test(*a, *modulus, 0);
                self.line("xor.b32 %out, %r0, %r1;\n@%q1 bra DONE;");
            }
            Step::Predicated { to, a, modulus } => {
                self.test(*a, *modulus, 0);
                self.line(&format!("@!%q1 add.u32 %r{to}, %r{to}, 1;\n@%q1 shl.b32 %r{to}, %r{to}, 1;"));
            }
            Step::Switch { a, cases } => {
                let labels: Vec<u32> = cases.iter().map(|_| self.label()).collect();
                let end = self.label();
                for (value, label) in labels.iter().enumerate() {
                    self.test(*a, 4, value as u32);
                    self.line(&format!("@%q1 bra L{label};"));
                }
                self.line(&format!("bra L{end};"));
                for (label, case) in labels.iter().zip(cases) {
                    self.line(&format!("L{label}:"));
                    self.steps(case, depth);
                }
                self.line(&format!("L{end}:"));
            }
        }
    }
}

/// The program; where `exit` is set, returning threads exit on the spot instead of going to the common end.
fn program(steps: &[Step], exit: bool) -> String {
    let mut writer = Writer { text: String::new(), labels: 0 };
    writer.line(
        "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmad.lo.u32 %r4, %r4, %r5, %tid;\nmul.lo.u32 %r0, %r4, 0x9e3779b1;\n\
         shr.u32 %r1, %r0, 7;\nxor.b32 %r2, %r0, 0x55;\nadd.u32 %r3, %r1, %r4;",
    );
    writer.steps(steps, 0);
    writer.line("xor.b32 %out, %r0, %r1;\nxor.b32 %out, %out, %r2;\nxor.b32 %out, %out, %r3;");
    if exit {
        // The result is stored early, so that threads can leave in the middle.
        let store = "ld.param.u64 %to, [results];\nmul.wide.u32 %at, %r4, 4;\nadd.u64 %to, %to, %at;\nst.global.b32 [%to], %out;\n@%q1 exit;";
        writer.text = writer.text.replace("@%q1 bra DONE;", store);
    }
    kernel("", &writer.text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_thread_computes_in_a_warp_what_it_computes_alone(steps in steps(), exit in any::<bool>()) {
        let text = program(&steps, exit);
        let options = unchecked(1 << 22);
        let together = run_text(&text, 1, 70, &options);
        prop_assert!(together.report.findings.is_empty(), "{:?}", together.report.findings);
        let alone = run_text(&text, 70, 1, &options);
        prop_assert_eq!(together.out, alone.out, "{}", text);
    }

    #[test]
    fn all_lanes_meet_again_at_the_end(steps in steps()) {
        // Without early returns everybody is back together behind the last statement.
        fn without_returns(steps: Vec<Step>) -> Vec<Step> {
            let keep = steps.into_iter().filter(|step| !matches!(step, Step::Return { .. }));
            keep.map(|step| match step {
                Step::If { a, modulus, then, otherwise } => {
                    Step::If { a, modulus, then: without_returns(then), otherwise: without_returns(otherwise) }
                }
                Step::Loop { a, bound, modulus, leave, body } => {
                    Step::Loop { a, bound, modulus, leave, body: without_returns(body) }
                }
                Step::Switch { a, cases } => Step::Switch { a, cases: cases.map(without_returns) },
                other => other,
            })
            .collect()
        }
        let steps = without_returns(steps);
        let text = program(&steps, false).replace("DONE:", "activemask.b32 %out;\nDONE:");
        let ran = run_text(&text, 1, 32, &unchecked(1 << 22));
        prop_assert_eq!(ran.out, vec![u32::MAX; 32], "{}", text);
    }
}
