//! What the PTX manual leaves open, asked of an H200: every kernel of `machine/questions.cu` leaves here what it left
//! there (`machine/h200.json`), and those that never came back there have a finding here.

mod common;

use serde::Deserialize;
use sim::report::{FindingKind, Report};
use sim::{Arg, Dim3, Launch, Module, Options, Scalar, simulate};

const PTX: &str = include_str!("machine/questions.ptx");
const ANSWERS: &str = include_str!("machine/h200.json");

#[derive(Deserialize)]
struct Recorded {
    printed: String,
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    kernel: String,
    /// The second argument; 0 when there is none.
    n: u32,
    /// Words as `value*count`, hexadecimal and decimal.
    words: Option<String>,
}

/// Kernels that came to an end on the H200 although they are wrong, the finding that says so, and why.
const UNDEFINED: [(&str, FindingKind, &str); 4] = [
    (
        "barrier_in_a_branch_that_others_pass",
        FindingKind::BarrierDivergence,
        "CUDA C++: conditional code may hold a barrier only if all threads of the block take it. It ends because ptxas \
         lets the other lanes run on to their end: with another barrier behind the branch, it hangs.",
    ),
    ("half_warps_at_a_barrier_of_all", FindingKind::BarrierDivergence, "the same"),
    (
        "ballot_that_others_never_reach",
        FindingKind::Deadlock,
        "PTX: all lanes of the mask must execute the instruction. It ends for the same reason.",
    ),
    (
        "shuffle_by_a_lane_outside_the_mask",
        FindingKind::InvalidSyncMask,
        "PTX: the executing lane must be in the mask.",
    ),
];

fn recorded() -> Recorded {
    serde_json::from_str(ANSWERS).expect("the record")
}

fn words(text: &str) -> Vec<u32> {
    let mut words = Vec::new();
    for run in text.split_whitespace() {
        let (value, count) = run.split_once('*').unwrap_or((run, "1"));
        let value = u32::from_str_radix(value, 16).expect("a word");
        words.extend(std::iter::repeat_n(value, count.parse().expect("a count")));
    }
    words.resize(1024, 0);
    words
}

fn ask(kernel: &str, n: u32, seed: u64) -> (Vec<u32>, Report) {
    let module = Module::parse("questions.ptx", PTX).unwrap_or_else(|error| panic!("{error}"));
    let mut args = vec![Arg::Zeros(4096)];
    if n != 0 {
        args.push(Arg::Scalar(Scalar::U32(n)));
    }
    let launch = Launch { grid: Dim3::linear(1), block: Dim3::linear(128), shared_bytes: 0, args };
    let options = Options { seed, ..common::unchecked(1 << 22) };
    let outcome = simulate(&module, kernel, &launch, &options).unwrap_or_else(|error| panic!("{kernel}: {error}"));
    let bytes = outcome.buffers[0].as_deref().expect("a buffer");
    (bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect(), outcome.report)
}

#[test]
fn the_simulator_answers_as_an_h200_does() {
    let mut wrong = Vec::new();
    let answers = recorded().answers;
    assert!(answers.len() > 35);
    for Answer { kernel, n, words: text } in &answers {
        // What diverged lanes do in which order is left open: the answers must not depend on it.
        for seed in 0..4 {
            let (ours, report) = ask(kernel, *n, seed);
            let Some(text) = text else {
                if report.findings.is_empty() {
                    wrong.push(format!("{kernel} (seed {seed}) never ends on an H200 and does here"));
                }
                continue;
            };
            if let Some((_, kind, _)) = UNDEFINED.iter().find(|undefined| undefined.0 == kernel) {
                if report.findings.iter().all(|finding| finding.kind != *kind) {
                    wrong.push(format!("{kernel} (seed {seed}) has no {kind:?}: {:?}", report.findings));
                }
                continue;
            }
            // What the H200 goes on with may be remarked.
            if !report.is_clean() {
                wrong.push(format!(
                    "{kernel} (seed {seed}) ends on an H200 and has findings here: {:?}",
                    report.findings
                ));
            }
            let theirs = words(text);
            if let Some(at) = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs) {
                wrong.push(format!(
                    "{kernel} (seed {seed}): word {at} is {:#x} here, {:#x} on an H200",
                    ours[at], theirs[at]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn printf_prints_what_an_h200_prints() {
    let (_, report) = ask("printf_returns", 0, 0);
    assert_eq!(report.printed.text.trim(), recorded().printed.trim());
    assert_eq!((report.printed.calls, report.printed.lost), (12, 0));
}

#[test]
fn a_breakpoint_is_a_finding() {
    let (_, report) = ask("stops_at_brkpt", 0, 0);
    assert_eq!(report.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [FindingKind::Trap]);
}
