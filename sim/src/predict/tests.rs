//! The parts of a prediction, each on code or accesses that were made by hand, and a whole one.

mod code;
mod waiting;

use super::rates::Rates;
use super::trace::{Access, AccessKind, BlockTrace, Event, Instruction, Trace};
use super::{How, chain, convert, live, predict, sampling, slices};
use crate::module::Module;
use crate::options::Options;
use crate::{Arg, Checks, Dim3, Launch, target};

fn rates() -> Rates {
    Rates::of(target::find("h200").expect("a target")).0
}

fn inst(text: &str, reads: &[u32], writes: &[u32], target: Option<u32>) -> Instruction {
    let guarded = text.starts_with('@');
    Instruction {
        text: text.to_owned(),
        reads: reads.to_vec(),
        writes: writes.to_vec(),
        target,
        guarded,
        ..Instruction::default()
    }
}

/// Blocks of one warp each, which reduce to the sectors that `of` gives for them.
fn reducing(blocks: u64, of: impl Fn(u64) -> Vec<u64>) -> Trace {
    let mut trace = Trace::default();
    for index in 0..blocks {
        let sectors = of(index);
        let first = trace.sectors.len() as u32;
        let count = sectors.len() as u32;
        trace.sectors.extend(sectors);
        let access = trace.accesses.len() as u32;
        let own = Access {
            kind: AccessKind::Reduction,
            first,
            sectors: count,
            lines: count,
            together: 1,
            ..Access::default()
        };
        trace.accesses.push(own);
        trace.blocks.push(BlockTrace {
            index,
            warps: vec![vec![Event::Global { pc: 0, access }]],
            executed: 1,
            kept: 1,
        });
    }
    trace
}

#[test]
fn updates_of_neighbours_keep_one_slice_busy_and_scattered_ones_most() {
    let one = slices::busy(&reducing(8, |_| (0..16).collect()), &rates(), 1000.0);
    assert!((one - 1.0).abs() < 1e-9, "{one} slices for 512 bytes");
    let scattered =
        slices::busy(&reducing(8, |block| (0..32).map(|i| (block * 32 + i) * 1024).collect()), &rates(), 1000.0);
    assert!(
        scattered > rates().l2_slices * 0.6 && scattered <= rates().l2_slices,
        "{scattered} slices for 8192 chunks"
    );
}

#[test]
fn chunks_are_dealt_out_about_as_evenly_as_an_h200_does() {
    // Sums on so many chunks take as long as if so many slices worked all the time.
    for (chunks, measured) in [(16, 12.7), (64, 30.0), (128, 49.5), (256, 50.0), (1024, 66.0), (8192, 74.0)] {
        let all = reducing(8, |_| (0..chunks * 16).collect());
        let busy = slices::updates_of_all(&all, 8, &rates()).slices.expect("all update the same");
        assert!(busy > measured * 0.75 && busy < measured * 1.33, "{chunks} chunks: {busy} slices");
    }
}

#[test]
fn what_all_blocks_update_keeps_the_slices_of_its_chunks_busy() {
    // A chunk of 512 bytes for all, and one of each block's own.
    let busy = |trace| slices::updates_of_all(&trace, 1000, &rates()).slices;
    let one = busy(reducing(8, |_| (0..16).collect())).expect("all update the same");
    assert!((one - 1.0).abs() < 1e-9, "{one} slices for 512 bytes");
    assert_eq!(busy(reducing(8, |block| (0..16).map(|i| block * 1024 + i).collect())), None);
}

#[test]
fn groups_of_a_sample_are_not_all_at_the_edge_of_an_image() {
    // 32 by 32 blocks, of which those of the first column are at an edge.
    let sample = sampling::choose((1024, 132), false, 2, &How::default());
    assert!(sample.followed.len() >= 4 && sample.followed.iter().any(|block| block % 32 > 1), "{:?}", sample.followed);
}

#[test]
fn short_detours_become_conditional_and_long_ones_stay() {
    let mut code = vec![inst("setp.lt.u32 %p1, %r1, %r2;", &[3], &[2], None), inst("@%p1 bra L;", &[2], &[], Some(4))];
    code.extend((0..2).map(|_| inst("add.s32 %r3, %r3, 1;", &[9], &[9], None)));
    code.push(inst("ret;", &[], &[], None));
    [0, 2, 4].into_iter().for_each(|pc: usize| code[pc].leads = true);
    let short = convert::convert(&code);
    assert!(short.gone[1] && short.under[2] == Some(1) && !short.leads[2] && !short.leads[4]);
    code[2].text = "bar.sync 0;".to_owned();
    let barrier = convert::convert(&code);
    assert!(!barrier.gone[1] && barrier.leads[2], "a barrier cannot be conditional");
}

#[test]
fn registers_are_the_values_that_live_together() {
    let chain: Vec<Instruction> = (0..20).map(|n| inst("add.s32", &[n * 3], &[(n + 1) * 3], None)).collect();
    let words = |reg: u32| [1, 2, 0][reg as usize % 3];
    let few = live::registers(&chain, words);
    let mut wide: Vec<Instruction> = (0..40).map(|n| inst("ld.global.u32", &[], &[n * 3], None)).collect();
    wide.push(inst("call", &(0..40).map(|n| n * 3).collect::<Vec<u32>>(), &[], None));
    let many = live::registers(&wide, words);
    assert!(few <= 16 && many >= 40, "{few} and {many} registers");
}

#[test]
fn a_chain_goes_at_the_pace_of_its_hand_overs_and_a_look_back_faster() {
    let waits = chain::Waits { chain: true, again: true, lanes: 1.0, handed: 1.0, inner: 500.0, apart: 0.0 };
    let strict = chain::pace(&waits, &rates(), 500.0, 8000.0);
    assert!(strict >= rates().hand_over, "{strict} clocks");
    let thread = chain::pace(&chain::Waits { chain: false, ..waits }, &rates(), 500.0, 8000.0);
    let warp = chain::pace(&chain::Waits { chain: false, lanes: 32.0, ..waits }, &rates(), 500.0, 8000.0);
    assert!(warp < thread && thread < strict / 10.0, "{warp}, {thread} and {strict} clocks");
    // Who has only its own part to tell is waited for less.
    let own = chain::pace(&chain::Waits { chain: false, again: false, lanes: 32.0, ..waits }, &rates(), 500.0, 8000.0);
    assert!(own < warp, "{own} and {warp} clocks");
}

const COPY: &str = "
.version 9.0
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 to, .param .u64 from)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [to];
    ld.param.u64 %rd2, [from];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd2, %rd3;
    add.s64 %rd5, %rd1, %rd3;
    ld.global.u32 %r5, [%rd4];
    st.global.u32 [%rd5], %r5;
    ret;
}
";

#[test]
fn a_copy_is_predicted_from_a_sample_and_the_same_every_time() {
    let module = Module::parse("copy.ptx", COPY).expect("PTX");
    let bytes = 1 << 26;
    let launch = Launch {
        grid: Dim3::linear(1 << 16),
        block: Dim3::linear(256),
        shared_bytes: 0,
        args: vec![Arg::Zeros(bytes), Arg::Zeros(bytes)],
    };
    let options = Options { checks: Checks::NONE, ..Options::default() };
    let how = How { what_if: vec!["dram=x2".parse().expect("a change")], ..How::default() };
    let first = predict(&module, "copy", &launch, &options, &how).expect("a prediction").prediction;
    let again = predict(&module, "copy", &launch, &options, &how).expect("a prediction").prediction;
    assert_eq!(first, again);
    // 2^24 words there and back, at most at the speed of the data sheet and at least at half of it.
    let (least, most) = (2.0 * bytes as f64 / 4.8e6, 4.0 * bytes as f64 / 4.8e6);
    assert!((least..most).contains(&first.us), "{} µs, {least} to {most} expected", first.us);
    assert!(first.low_us < first.us && first.us < first.high_us && first.sampled_blocks < 100);
    assert!(first.what_if[0].us <= first.us, "twice the memory makes it slower");
    assert!(first.registers <= 16 && first.sampling_percent == 0.0, "{first:?}");
    let old = Options { target: "gtx580".to_owned(), ..options };
    // Grids had at most 65,535 blocks in a row.
    let launch = Launch { grid: Dim3::linear(1 << 15), ..launch };
    let old = predict(&module, "copy", &launch, &old, &How::default()).expect("a prediction").prediction;
    assert!(old.notes.iter().any(|note| note.contains("was not measured")), "{:?}", old.notes);
}

#[test]
fn a_change_that_is_none_is_refused() {
    for text in ["dram", "dram=", "dram=x0", "dram=x-2", "moon=x2"] {
        assert!(text.parse::<super::WhatIf>().is_err(), "{text}");
    }
}
