//! Runs small PTX programs: what most tests of single features need.

#![allow(dead_code, reason = "every test file uses a part of this")]

use sim::report::{Finding, Report};
use sim::{Arg, Checks, Dim3, Launch, Module, Options, Outcome, simulate};

/// A kernel `k` whose threads each leave a word: `body` computes `%out`, and `%tid` holds the thread's number in the
/// block, `%p` the address of the second argument, a buffer of 4 KiB that holds its own word numbers.
pub(crate) fn kernel(module: &str, body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n{module}\n\
         .visible .entry k(.param .u64 results, .param .u64 words)\n{{\n\
         .reg .b32 %out, %tid, %ctaid, %ntid, %index;\n.reg .b64 %p, %to, %at;\n\
         .reg .b32 %r<32>;\n.reg .b64 %d<32>;\n.reg .b16 %h<16>;\n.reg .pred %q<16>;\n.reg .f32 %f<16>;\n.reg .f64 %g<8>;\n\
         mov.u32 %tid, %tid.x;\nmov.b32 %out, 0;\nld.param.u64 %p, [words];\n\
         {body}\n\
         DONE:\nmov.u32 %ctaid, %ctaid.x;\nmov.u32 %ntid, %ntid.x;\nmad.lo.u32 %index, %ctaid, %ntid, %tid;\n\
         ld.param.u64 %to, [results];\nmul.wide.u32 %at, %index, 4;\nadd.u64 %to, %to, %at;\nst.global.b32 [%to], %out;\nret;\n}}\n"
    )
}

/// What a run left behind.
pub(crate) struct Ran {
    /// One word per thread, block after block.
    pub(crate) out: Vec<u32>,
    /// The second argument's words.
    pub(crate) words: Vec<u32>,
    pub(crate) report: Report,
}

impl Ran {
    /// The only finding.
    pub(crate) fn finding(&self) -> &Finding {
        let findings = &self.report.findings;
        assert_eq!(findings.len(), 1, "{findings:#?}");
        &findings[0]
    }
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect()
}

/// Runs a whole PTX text made by [`kernel`].
pub(crate) fn run_text(text: &str, blocks: u32, threads: u32, options: &Options) -> Ran {
    let module = Module::parse("k.ptx", text).unwrap_or_else(|error| panic!("{error}"));
    let words: Vec<u32> = (0..1024).collect();
    let args = vec![Arg::Zeros(u64::from(blocks * threads) * 4), Arg::buffer_of(&words)];
    let launch = Launch { grid: Dim3::linear(blocks), block: Dim3::linear(threads), shared_bytes: 1024, args };
    let Outcome { report, buffers, .. } =
        simulate(&module, "k", &launch, options).unwrap_or_else(|error| panic!("{error}"));
    let words = |index: usize| words_of(buffers[index].as_deref().expect("a buffer"));
    Ran { out: words(0), words: words(1), report }
}

/// Options without checks: these kernels test instructions, and many of them race or read what nobody has written.
pub(crate) fn unchecked(budget: u64) -> Options {
    Options { budget, checks: Checks::NONE, ..Options::default() }
}

/// Runs `body` (see [`kernel`]) with some threads in one block.
pub(crate) fn run(module: &str, body: &str, threads: u32) -> Ran {
    run_text(&kernel(module, body), 1, threads, &unchecked(1 << 20))
}

/// Runs `body` with one warp, which must be faultless.
pub(crate) fn warp(body: &str) -> Vec<u32> {
    block(body, 32)
}

/// Runs `body` with some threads, which must be faultless; there may be remarks.
pub(crate) fn block(body: &str, threads: u32) -> Vec<u32> {
    let ran = run("", body, threads);
    assert!(ran.report.is_clean(), "{:#?}", ran.report.findings);
    ran.out
}

/// 32 words by lane.
pub(crate) fn by_lane(f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32).map(f).collect()
}
