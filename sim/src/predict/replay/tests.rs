//! Each resource's part of a time, on traces that were made by hand.

use super::super::rates::Rates;
use super::super::trace::{Access, AccessKind, BlockTrace, Event, Instruction, Trace};
use super::super::units::RESOURCES;
use super::super::what_if::WhatIf;
use super::{Replayed, Shape, replay};
use crate::target;

/// A kernel of these instructions, each writing a register of its own that none reads.
fn code(texts: &[&str]) -> Vec<Instruction> {
    let of = |(at, text): (usize, &&str)| Instruction {
        text: (*text).to_owned(),
        writes: vec![at as u32],
        leads: at == 0,
        ..Instruction::default()
    };
    texts.iter().enumerate().map(of).collect()
}

/// A trace of 8 blocks of 8 warps that all do the same.
fn trace(code: Vec<Instruction>, events: &[Event]) -> Trace {
    let warps = vec![events.to_vec(); 8];
    let block = |index| BlockTrace { index, warps: warps.clone(), executed: 1, kept: 1 };
    Trace { code, blocks: (0..8).map(block).collect(), ..Trace::default() }
}

fn rates() -> Rates {
    Rates::of(target::find("h200").expect("a target")).0
}

/// Of a launch that fills the GPU for long, so that throughput counts.
fn long(trace: &Trace) -> Replayed {
    replay(
        trace,
        &Shape { blocks: 132 * 80, resident: 8, shared_bytes: 0, warm: 0.0, followed: 0, whole: None },
        &rates(),
    )
}

fn limit(replayed: &Replayed) -> &'static str {
    let most = (0..RESOURCES.len()).max_by(|&a, &b| replayed.busy[a].total_cmp(&replayed.busy[b]));
    RESOURCES[most.expect("there are resources")]
}

#[test]
fn conflicts_cost_wavefronts_and_never_less() {
    let of = |wavefronts| {
        let events = vec![Event::Shared { pc: 0, wavefronts }; 200];
        long(&trace(code(&["st.shared.u32 [%r1], %r2;"]), &events))
    };
    let mut before = of(1);
    for wavefronts in [2, 4, 8, 16, 32] {
        let now = of(wavefronts);
        assert!(now.clocks >= before.clocks, "{wavefronts} wavefronts take less than half as many");
        before = now;
    }
    assert_eq!(limit(&before), "memory pipe");
    // 80 blocks of 8 warps with 200 stores of 32 wavefronts, one a clock.
    let least = 80.0 * 8.0 * 200.0 * 32.0;
    assert!((least..least * 1.05).contains(&before.clocks), "{} clocks, {least} at least", before.clocks);
}

#[test]
fn each_pipe_has_its_rate() {
    let of = |text: &str| {
        let replayed = long(&trace(code(&[text]), &[Event::Run { pc: 0, length: 1 }; 400]));
        replayed.clocks / (80.0 * 8.0 * 400.0)
    };
    // Clocks of a multiprocessor for one instruction of a warp.
    for (text, clocks) in [
        ("fma.rn.f32 %f1, %f2, %f3, %f4;", 0.25),
        ("and.b32 %r1, %r2, %r3;", 0.5),
        ("fma.rn.f64 %fd1, %fd2, %fd3, %fd4;", 0.5),
        ("ex2.approx.ftz.f32 %f1, %f2;", 2.0),
        ("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", 1.0),
    ] {
        let found = of(text);
        assert!((clocks..clocks * 1.25).contains(&found), "{text}: {found} clocks, {clocks} expected");
    }
}

/// Every warp reads (or writes) sectors of its own.
fn streaming(kind: AccessKind) -> Trace {
    let mut trace = trace(code(&["ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];"]), &[]);
    for block in &mut trace.blocks {
        for warp in &mut block.warps {
            for _ in 0..16 {
                let first = trace.sectors.len() as u32;
                trace.sectors.extend((0..16).map(|sector| u64::from(first) + sector));
                let access = trace.accesses.len() as u32;
                trace.accesses.push(Access {
                    kind,
                    first,
                    sectors: 16,
                    lines: 4,
                    wavefronts: 4,
                    together: 1,
                    lanes: 32,
                    full: true,
                    width: 16,
                    ..Access::default()
                });
                warp.push(Event::Global { pc: 0, access });
            }
        }
    }
    trace
}

#[test]
fn streams_run_at_the_speed_of_memory_and_what_if_moves_the_wall() {
    let trace = streaming(AccessKind::Load);
    let replayed = long(&trace);
    let rates = rates();
    let bytes = 132.0 * 80.0 * 8.0 * 16.0 * 512.0;
    let least = bytes / rates.dram_read_bytes;
    assert_eq!(limit(&replayed), "DRAM");
    assert!((least..least * 1.15).contains(&replayed.clocks), "{} clocks, {least} at least", replayed.clocks);
    let shape = Shape { blocks: 132 * 80, resident: 8, shared_bytes: 0, warm: 0.0, followed: 0, whole: None };
    let mut faster = rates.clone();
    "dram=x2".parse::<WhatIf>().expect("a change").apply(&mut faster);
    let twice = replay(&trace, &shape, &faster);
    assert!(twice.clocks < replayed.clocks * 0.65, "{} and {}", twice.clocks, replayed.clocks);
    let warm = replay(&trace, &Shape { warm: 1.0, ..shape }, &rates);
    assert_eq!((warm.dram_read, limit(&warm)), (0.0, "L2 reads"));
}

#[test]
fn nothing_that_is_faster_makes_a_launch_slower() {
    let shape = Shape { blocks: 132 * 80, resident: 8, shared_bytes: 0, warm: 0.0, followed: 0, whole: None };
    for trace in [streaming(AccessKind::Load), streaming(AccessKind::Store), streaming(AccessKind::Reduction)] {
        let before = replay(&trace, &shape, &rates()).clocks;
        for name in super::super::WHAT_IF.iter().filter(|name| **name != "clock") {
            let mut faster = rates();
            format!("{name}=x2").parse::<WhatIf>().expect("a change").apply(&mut faster);
            let after = replay(&trace, &shape, &faster).clocks;
            assert!(after <= before * 1.001, "{name}: {after} clocks, {before} before");
        }
    }
}

#[test]
fn updates_of_one_place_come_one_after_the_other() {
    let mut trace = streaming(AccessKind::Reduction);
    for access in &mut trace.accesses {
        *access = Access { first: 0, sectors: 1, lines: 1, together: 32, repeats: 31, ..*access };
    }
    let replayed = long(&trace);
    let updates = 132.0 * 80.0 * 8.0 * 16.0 * 32.0;
    let least = updates * rates().same_element;
    assert_eq!(limit(&replayed), "same places");
    assert!((least * 0.99..least * 1.01).contains(&replayed.clocks), "{} clocks, {least} expected", replayed.clocks);
}

#[test]
fn few_blocks_wait_for_memory() {
    let mut trace = trace(code(&["ld.global.u32 %r1, [%rd1];", "add.s32 %r9, %r1, 1;"]), &[]);
    trace.code[1].reads = vec![0];
    trace.blocks.truncate(1);
    trace.blocks[0].warps.truncate(1);
    trace.sectors.extend(0..4);
    trace.accesses.push(Access { sectors: 4, lines: 1, together: 1, width: 4, ..Access::default() });
    trace.blocks[0].warps[0] = vec![Event::Global { pc: 0, access: 0 }, Event::Run { pc: 1, length: 1 }];
    let one = replay(
        &trace,
        &Shape { blocks: 1, resident: 8, shared_bytes: 0, warm: 0.0, followed: 0, whole: None },
        &Rates { dram_spread: 0.0, ..rates() },
    );
    let least = rates().dram_latency + rates().block_latency;
    assert!((least..least + 40.0).contains(&one.clocks), "{} clocks, {least} at least", one.clocks);
}
