//! Writes a program as PTX.

use std::fmt::Write;

use super::forms::{Class, FORMS};
use super::interpret::{OUT_WORDS, identity};
use super::program::{LOCAL_WORDS, Partner, Program, REDUCTIONS, SUM_WORDS, Stage, Step, TABLE_WORDS, Together};

const REDUX: [&str; 8] = ["add.u32", "add.s32", "min.s32", "max.s32", "max.u32", "and.b32", "or.b32", "xor.b32"];

/// The PTX text; its kernel `k` takes the output, the table and the sums.
pub(crate) fn write(program: &Program) -> String {
    let mut writer = Writer { text: String::new(), labels: 0, depth: 0 };
    writer.module(program);
    writer.text
}

struct Writer {
    text: String,
    labels: u32,
    /// Loops around the place that is written: each has a counter of its own.
    depth: u32,
}

macro_rules! put {
    ($writer:expr, $($text:tt)*) => {{ let _ = writeln!($writer.text, $($text)*); }};
}

impl Writer {
    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn module(&mut self, program: &Program) {
        let words: Vec<String> =
            (0..REDUCTIONS.len() * SUM_WORDS).map(|at| identity(at / SUM_WORDS).to_string()).collect();
        put!(self, ".version 9.0\n.target sm_90\n.address_size 64");
        put!(self, ".global .align 4 .b32 identities[{}] = {{{}}};", words.len(), words.join(", "));
        put!(self, ".extern .shared .align 16 .b8 exchange[];");
        let registers = ".reg .b32 %r<6>, %x, %y, %m, %mask, %tid, %n, %count<8>;\n.reg .b64 %d<3>, %at, %out, %table, %sums, %local;\n\
                         .reg .pred %p<3>, %q;";
        for (at, body) in program.functions.iter().enumerate() {
            put!(self, ".func (.param .b32 result) f{at} (.param .b32 a, .param .b32 b)\n{{\n{registers}");
            put!(self, "ld.param.b32 %r0, [a];\nld.param.b32 %r1, [b];");
            put!(self, "mov.b32 %r2, 1;\nmov.b32 %r3, 2;\nmov.b32 %r4, 3;\nmov.b32 %r5, 4;");
            put!(self, "mov.b64 %d0, 5;\nmov.b64 %d1, 6;\nmov.b64 %d2, 7;");
            put!(self, "setp.ne.b32 %p0, %r2, %r2;\nsetp.eq.b32 %p1, %r2, %r2;\nsetp.ne.b32 %p2, %r2, %r2;");
            self.steps(body);
            put!(self, "cvt.u32.u64 %x, %d0;");
            for register in 0..6 {
                put!(self, "xor.b32 %x, %x, %r{register};");
            }
            put!(self, "st.param.b32 [result], %x;\nret;\n}}");
        }
        put!(self, ".visible .entry k(.param .u64 out, .param .u64 table, .param .u64 sums)\n{{\n{registers}");
        put!(self, ".shared .align 4 .b32 shared_sums[{}];", words.len());
        put!(self, ".local .align 4 .b8 array[{}];", LOCAL_WORDS * 4);
        self.prologue(program, words.len());
        for stage in &program.stages {
            self.stage(stage, program.threads());
        }
        self.epilogue(words.len());
    }

    /// The thread's number, the registers' first values, local and shared memory.
    fn prologue(&mut self, program: &Program, sums: usize) {
        let [x, y, _] = program.block;
        put!(self, "ld.param.u64 %out, [out];\nld.param.u64 %table, [table];\nld.param.u64 %sums, [sums];");
        put!(self, "mov.u32 %x, %tid.z;\nmov.u32 %y, %tid.y;\nmad.lo.u32 %x, %x, {y}, %y;");
        put!(self, "mov.u32 %y, %tid.x;\nmad.lo.u32 %tid, %x, {x}, %y;\nmov.u32 %n, {};", program.threads());
        put!(self, "and.b32 %x, %tid, 0xffffffe0;\nsub.u32 %x, %n, %x;\nmin.u32 %x, %x, 32;");
        put!(self, "mov.u32 %mask, 0xffffffff;\nsub.u32 %x, 32, %x;\nshr.u32 %mask, %mask, %x;");
        put!(self, "mov.u32 %x, %ctaid.x;\nmad.lo.u32 %r3, %x, %n, %tid;\nmul.lo.u32 %r0, %r3, 0x9e3779b1;");
        put!(self, "shr.u32 %r1, %r0, 7;\nxor.b32 %r2, %r0, 0x55;\nand.b32 %r4, %r3, 3;\nmov.b32 %r5, 0x3f800000;");
        put!(self, "cvt.u64.u32 %d0, %r0;\ncvt.u64.u32 %d1, %r1;\nshl.b64 %d1, %d1, 32;\nmov.b64 %d2, 3;");
        put!(self, "setp.ne.b32 %p0, %r0, %r0;\nsetp.lt.s32 %p1, %r0, 0;\nsetp.eq.b32 %p2, %r0, %r0;");
        put!(self, "mov.u64 %local, array;\nmov.b32 %x, 0;");
        for word in 0..LOCAL_WORDS {
            put!(self, "st.local.b32 [%local+{}], %x;", word * 4);
        }
        put!(self, "mov.u32 %y, %tid;\nFILL:\nsetp.ge.u32 %q, %y, {sums};\n@%q bra FILLED;");
        put!(self, "mov.u64 %at, identities;\nmad.wide.u32 %at, %y, 4, %at;\nld.global.b32 %m, [%at];");
        put!(self, "mov.u32 %x, shared_sums;\nmad.lo.u32 %x, %y, 4, %x;\nst.shared.b32 [%x], %m;");
        put!(self, "add.u32 %y, %y, %n;\nbra FILL;\nFILLED:\nbar.sync 0;");
    }

    fn epilogue(&mut self, sums: usize) {
        put!(self, "bar.sync 0;\nmov.u32 %x, %ctaid.x;\nmad.lo.u32 %x, %x, %n, %tid;");
        put!(self, "mad.wide.u32 %at, %x, {}, %out;", OUT_WORDS * 4);
        for register in 0..6 {
            put!(self, "st.global.b32 [%at+{}], %r{register};", register * 4);
        }
        for register in 0..3 {
            put!(self, "mov.b64 {{%x, %y}}, %d{register};");
            put!(
                self,
                "st.global.b32 [%at+{}], %x;\nst.global.b32 [%at+{}], %y;",
                24 + register * 8,
                28 + register * 8
            );
        }
        put!(
            self,
            "rem.u32 %x, %tid, {sums};\nmov.u32 %y, shared_sums;\nmad.lo.u32 %x, %x, 4, %y;\nld.shared.b32 %m, [%x];"
        );
        for flag in 0..3 {
            put!(self, "selp.b32 %x, {}, 0, %p{flag};\nxor.b32 %m, %m, %x;", 1 << flag);
        }
        put!(self, "st.global.b32 [%at+48], %m;\nret;\n}}");
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Compute { form, to, from, guard } => {
                let form = &FORMS[*form];
                let guard = guard.map_or(String::new(), |(p, not)| format!("@{}%p{p} ", if not { "!" } else { "" }));
                let name = |class: Class, at: usize| format!("%{}{at}", class.letter());
                let from: Vec<String> = form.from.iter().zip(from).map(|(&class, &at)| name(class, at)).collect();
                put!(self, "{guard}{} {}, {};", form.name, name(form.to, *to), from.join(", "));
            }
            Step::Constant { to, value } => put!(self, "mov.b32 %r{to}, {value:#x};"),
            Step::If { test, then, otherwise } => {
                let (other, end) = (self.label(), self.label());
                put!(self, "@!%p{test} bra L{other};");
                self.steps(then);
                put!(self, "bra L{end};\nL{other}:");
                self.steps(otherwise);
                put!(self, "L{end}:");
            }
            Step::Loop { extra, least, test, leave, body } => {
                let (top, end, counter) = (self.label(), self.label(), self.depth);
                put!(
                    self,
                    "and.b32 %count{counter}, %r{extra}, 3;\nadd.u32 %count{counter}, %count{counter}, {least};"
                );
                put!(self, "L{top}:\nsetp.eq.u32 %q, %count{counter}, 0;\n@%q bra L{end};");
                put!(self, "sub.u32 %count{counter}, %count{counter}, 1;");
                self.depth += 1;
                let leave = (*leave).min(body.len());
                self.steps(&body[..leave]);
                put!(self, "@%p{test} bra L{end};");
                self.steps(&body[leave..]);
                self.depth -= 1;
                put!(self, "bra L{top};\nL{end}:");
            }
            Step::Table { index, words, to } => {
                put!(
                    self,
                    "and.b32 %x, %r{index}, {};\nmad.wide.u32 %at, %x, {}, %table;",
                    TABLE_WORDS / words - 1,
                    words * 4
                );
                put!(self, "ld.global{} {}, [%at];", vector(*words), registers(*to, *words));
            }
            Step::Byte { index, to } => {
                put!(self, "and.b32 %x, %r{index}, {};\ncvt.u64.u32 %at, %x;", TABLE_WORDS * 4 - 1);
                put!(self, "add.u64 %at, %at, %table;\nld.global.s8 %r{to}, [%at];");
            }
            Step::StoreLocal { index, from } => {
                self.local(*index);
                put!(self, "st.local.b32 [%at], %r{from};");
            }
            Step::LoadLocal { index, to } => {
                self.local(*index);
                put!(self, "ld.local.b32 %r{to}, [%at];");
            }
            Step::Call { function, to, a, b } => {
                put!(self, "{{\n.param .b32 pa, pb, pr;\nst.param.b32 [pa], %r{a};\nst.param.b32 [pb], %r{b};");
                put!(self, "call (pr), f{function}, (pa, pb);\nld.param.b32 %r{to}, [pr];\n}}");
            }
            Step::Reduce { shared, kind, index, from } => {
                put!(self, "and.b32 %x, %r{index}, {};\nadd.u32 %x, %x, {};", SUM_WORDS - 1, kind * SUM_WORDS);
                let operation = REDUCTIONS[*kind];
                if *shared {
                    put!(self, "mov.u32 %y, shared_sums;\nmad.lo.u32 %x, %x, 4, %y;");
                    put!(self, "red.shared.{operation} [%x], %r{from};");
                } else {
                    put!(self, "mad.wide.u32 %at, %x, 4, %sums;\nred.global.{operation} [%at], %r{from};");
                }
            }
        }
    }

    fn local(&mut self, index: usize) {
        put!(self, "and.b32 %x, %r{index}, {};\nmad.wide.u32 %at, %x, 4, %local;", LOCAL_WORDS - 1);
    }

    fn stage(&mut self, stage: &Stage, n: u32) {
        match stage {
            Stage::Alone(steps) => self.steps(steps),
            Stage::Exchange { from, to, words, stride, partner } => {
                let step = words * stride * 4;
                put!(self, "mov.u32 %y, exchange;\nmad.lo.u32 %x, %tid, {step}, %y;");
                put!(self, "st.shared{} [%x], {};\nbar.sync 0;", vector(*words), registers(*from, *words));
                match partner {
                    Partner::Rotated(delta) => put!(self, "add.u32 %x, %tid, {delta};\nrem.u32 %x, %x, {n};"),
                    Partner::Reversed => put!(self, "sub.u32 %x, {}, %tid;", n - 1),
                    Partner::Crossed(mask) => {
                        put!(self, "xor.b32 %x, %tid, {mask};\nsetp.lt.u32 %q, %x, {n};\nselp.b32 %x, %x, %tid, %q;");
                    }
                }
                put!(
                    self,
                    "mad.lo.u32 %x, %x, {step}, %y;\nld.shared{} {}, [%x];\nbar.sync 0;",
                    vector(*words),
                    registers(*to, *words)
                );
            }
            Stage::Shuffle { mode, from, to, lane, clamp, valid } => {
                let mode = ["up", "down", "bfly", "idx"][*mode];
                put!(self, "shfl.sync.{mode}.b32 %r{to}|%p{valid}, %r{from}, {lane}, {clamp}, 0xffffffff;");
            }
            Stage::Warp { what, from, to, test, only } => {
                let end = self.label();
                match only {
                    Some(only) => put!(self, "vote.sync.ballot.b32 %m, %p{only}, %mask;\n@!%p{only} bra L{end};"),
                    None => put!(self, "mov.b32 %m, %mask;"),
                }
                match what {
                    Together::Vote(0) => put!(self, "vote.sync.ballot.b32 %r{to}, %p{test}, %m;"),
                    Together::Vote(kind) => {
                        put!(self, "vote.sync.{}.pred %p{test}, %p{test}, %m;", ["any", "all", "uni"][kind - 1]);
                    }
                    Together::MatchAny => put!(self, "match.any.sync.b32 %r{to}, %r{from}, %m;"),
                    Together::MatchAll => put!(self, "match.all.sync.b32 %r{to}|%p{test}, %r{from}, %m;"),
                    Together::Redux(kind) => put!(self, "redux.sync.{} %r{to}, %r{from}, %m;", REDUX[*kind]),
                }
                put!(self, "L{end}:");
            }
            Stage::BarrierReduce { kind, test, to } => match kind {
                0 => put!(self, "barrier.cta.red.popc.u32 %r{to}, 0, %p{test};"),
                1 => put!(self, "barrier.cta.red.and.pred %p{test}, 0, %p{test};"),
                _ => put!(self, "barrier.cta.red.or.pred %p{test}, 0, %p{test};"),
            },
        }
    }
}

fn vector(words: usize) -> &'static str {
    match words {
        1 => ".b32",
        2 => ".v2.b32",
        _ => ".v4.b32",
    }
}

fn registers(first: usize, words: usize) -> String {
    let names: Vec<String> = (first..first + words).map(|at| format!("%r{at}")).collect();
    if words == 1 { names[0].clone() } else { format!("{{{}}}", names.join(", ")) }
}
