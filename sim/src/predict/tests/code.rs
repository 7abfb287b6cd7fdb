//! The replay of machine code, on streams that were made by hand.

use super::super::rates::Rates;
use super::super::replay::{self, Replayed, Shape};
use super::super::slices;
use super::super::trace::{
    Access, AccessKind, Action, BlockTrace, Event, Instruction, Issue, Sharing, Source, Trace, Unit, Update,
};
use super::rates;
use crate::report::stall::Stall;

fn inst(issue: Issue) -> Instruction {
    Instruction { text: "made by hand".to_owned(), issue: Some(issue), ..Instruction::default() }
}

/// Blocks whose warps all execute these instructions once, in order.
fn straight(code: &[Issue], blocks: usize, warps: usize) -> Trace {
    let run = vec![Event::Run { pc: 0, length: code.len() as u32 }];
    let block = |index: usize| BlockTrace {
        index: index as u64,
        warps: vec![run.clone(); warps],
        executed: (code.len() * warps) as u64,
        kept: (code.len() * warps) as u64,
    };
    Trace {
        code: code.iter().map(|issue| inst(*issue)).collect(),
        blocks: (0..blocks).map(block).collect(),
        ..Trace::default()
    }
}

/// Loads that all take as long, and branches that take nothing.
fn alike() -> Rates {
    Rates { dram_spread: 0.0, l2_spread: 0.0, branch: 0.0, ..rates() }
}

fn replayed(trace: &Trace) -> Replayed {
    let shape = Shape { blocks: 1, resident: 1, shared_bytes: 0, warm: 0.0, followed: 0, whole: None };
    replay::replay(trace, &shape, &alike())
}

const ALU: Issue = Issue {
    unit: Unit::Alu,
    clocks: 2,
    latency: 0,
    action: Action::Plain,
    sources: [None; Source::PLACES],
    beside: 0,
    dispatch: 0,
    stall: 1,
    write: None,
    read: None,
    wait: 0,
};

/// Loads of as many sectors in a row, each of its own line, and what waits for the last scoreboard.
fn loads(count: usize, waits_at_once: bool) -> Trace {
    let load = Issue { unit: Unit::Lsu, clocks: 1, write: Some(0), ..ALU };
    let code = [load, Issue { wait: 1, ..ALU }];
    let mut trace = straight(&code, 1, 1);
    let mut events = Vec::new();
    for number in 0..count as u32 {
        trace.sectors.push(u64::from(number) * 64);
        trace.accesses.push(Access {
            kind: AccessKind::Load,
            first: number,
            sectors: 1,
            lines: 1,
            ..Access::default()
        });
        events.push(Event::Global { pc: 0, access: number });
        if waits_at_once {
            events.push(Event::Run { pc: 1, length: 1 });
        }
    }
    events.push(Event::Run { pc: 1, length: 1 });
    trace.blocks[0].warps = vec![events];
    trace
}

#[test]
fn an_instruction_waits_for_its_scoreboard_and_the_stall_stands_there() {
    let one = replayed(&loads(1, false));
    let latency = rates().dram_latency;
    let stalled = one.stalls[1][Stall::LongScoreboard as usize];
    assert!((latency - 5.0..latency + 20.0).contains(&stalled), "{stalled} clocks at the second instruction");
    assert_eq!(one.stalls[0][Stall::LongScoreboard as usize], 0.0);
}

#[test]
fn loads_in_flight_together_take_the_time_of_one() {
    let (one, four) = (replayed(&loads(1, false)).clocks, replayed(&loads(4, false)).clocks);
    let apart = replayed(&loads(4, true)).clocks;
    assert!(four < one + 50.0, "{four} clocks for four, {one} for one");
    assert!(apart > one + 3.0 * rates().dram_latency, "{apart} clocks one behind the other");
}

#[test]
fn lines_of_a_load_leave_one_a_clock() {
    let clocks = |lines: u32| {
        let mut trace = loads(1, false);
        trace.sectors = (0..u64::from(lines)).map(|line| line * 4).collect();
        trace.accesses[0] = Access { sectors: lines, lines, ..trace.accesses[0] };
        let shape = Shape { blocks: 1, resident: 1, shared_bytes: 0, warm: 1.0, followed: 0, whole: None };
        replay::replay(&trace, &shape, &Rates { l2_far: 0.0, ..alike() }).clocks
    };
    let (one, all) = (clocks(1), clocks(32));
    assert!((all - one - 31.0).abs() < 3.0, "{one} and {all} clocks");
}

#[test]
fn what_all_walk_through_waits_for_memory_once_a_pair() {
    let clocks = |count: u64| {
        let mut trace = loads(count as usize, true);
        trace.sectors = (0..count).collect();
        trace.sharing = [(0, Sharing { blocks: 100, of: 100, between: 1000, first: 0.01 })].into();
        replayed(&trace).clocks
    };
    let rates = alike();
    let (two, four) = (clocks(2), clocks(4));
    assert!((four - two - rates.dram_together - rates.l2_latency).abs() < 40.0, "{two} and {four} clocks");
}

#[test]
fn sums_to_one_sector_wait_for_each_other_unless_others_come_in_between() {
    // Eight warps' sums, each of 32 lanes to one place: to the same, or to two in turns.
    let sums = |places: u64| {
        let mut trace = Trace::default();
        for index in 0..2 {
            let mut block = BlockTrace { index, ..BlockTrace::default() };
            for warp in 0..8 {
                let (access, first) = (trace.accesses.len() as u32, trace.sectors.len() as u32);
                trace.sectors.push(warp % places);
                let (kind, update) = (AccessKind::Reduction, Update::Sum);
                let lanes = Access { lanes: 32, together: 32, repeats: 31, ..Access::default() };
                trace.accesses.push(Access { kind, update, first, sectors: 1, lines: 1, ..lanes });
                block.warps.push(vec![Event::Global { pc: 0, access }]);
            }
            trace.blocks.push(block);
        }
        slices::updates_of_all(&trace, 2, &rates()).busiest
    };
    let (one, two) = (sums(1), sums(2));
    assert_eq!((one.sums, one.parts), (14.0 * 32.0, 2.0 * 32.0));
    assert_eq!((two.sums, two.parts), (0.0, 16.0 * 32.0));
}

#[test]
fn what_is_done_for_no_lane_is_issued_and_not_waited_for() {
    let load = Issue { unit: Unit::Lsu, clocks: 1, latency: 20, write: Some(0), ..ALU };
    let clocks = |event: Event| {
        let mut trace = straight(&[load, Issue { wait: 1, ..ALU }], 1, 1);
        trace.blocks[0].warps = vec![[event, Event::Run { pc: 1, length: 1 }].repeat(100)];
        replayed(&trace).clocks
    };
    let (on, off) = (clocks(Event::Run { pc: 0, length: 1 }), clocks(Event::Off { pc: 0 }));
    // The one behind it waits for 20 clocks, where it would follow at once.
    assert!((on - off - 1900.0).abs() < 20.0, "{on} and {off} clocks");
}

#[test]
fn stall_counts_are_kept() {
    let clocks = |stall: u32| replayed(&straight(&[Issue { stall, ..ALU }; 100], 1, 1)).clocks;
    let (dense, fixed) = (clocks(1), clocks(6));
    // The pipe takes an instruction every second clock.
    assert!((fixed - dense - 400.0).abs() < 10.0, "{dense} and {fixed} clocks");
    let stalls = replayed(&straight(&[Issue { stall: 6, ..ALU }; 100], 1, 1)).stalls;
    assert!((stalls[50][Stall::Wait as usize] - 5.0).abs() < 1e-9);
    assert!((stalls[50][Stall::Selected as usize] - 1.0).abs() < 1e-9);
}

#[test]
fn warps_of_a_partition_share_its_pipe() {
    let code = [Issue { stall: 4, ..ALU }; 200];
    // Sixteen warps, four in each partition: 4 * 200 instructions of 2 clocks.
    let sixteen = replayed(&straight(&code, 1, 16));
    let four = replayed(&straight(&code, 1, 4));
    assert!((sixteen.block - four.block - 800.0).abs() < 20.0, "{} and {} clocks", sixteen.block, four.block);
    let of = |why: Stall| -> f64 { sixteen.stalls.iter().map(|stalls| stalls[why as usize]).sum() };
    let (throttled, lost) = (of(Stall::MathPipeThrottle), of(Stall::NotSelected));
    assert!(throttled > 16.0 * 200.0, "{throttled} clocks");
    // Of the two clocks of an instruction, others could be issued in the first, and wait for the pipe in the second.
    assert!((lost / throttled - 1.0).abs() < 0.1, "{lost} and {throttled} clocks");
}

#[test]
fn a_barrier_takes_what_its_benchmark_takes() {
    let bar = Issue { unit: Unit::Adu, clocks: 1, stall: 1, ..ALU };
    for warps in [2, 8, 32] {
        let clocks = |barriers: u32| {
            let mut trace = straight(&[bar], 1, warps);
            let events: Vec<Event> =
                (0..barriers).map(|opening| Event::Barrier { pc: 0, opening, warps: warps as u32 }).collect();
            trace.blocks[0].warps = vec![events; warps];
            replayed(&trace).clocks
        };
        let each = (clocks(110) - clocks(10)) / 100.0;
        let measured = rates().barrier_latency + rates().barrier_per_warp * warps as f64;
        assert!((each / measured - 1.0).abs() < 0.06, "{each} clocks for {warps} warps, {measured} measured");
    }
}

#[test]
fn groups_of_copies_are_waited_for_one_by_one() {
    let copy = Issue { unit: Unit::Lsu, clocks: 1, ..ALU };
    let commit = Issue { unit: Unit::Lsu, clocks: 1, action: Action::Commit, ..ALU };
    let under_way = |left: u8| {
        let mut trace = straight(&[copy, commit, Issue { action: Action::Await(left), ..ALU }], 1, 1);
        let mut events = Vec::new();
        for access in 0..2 {
            trace.sectors.push(u64::from(access) * 64);
            let own = Access { kind: AccessKind::Copy, first: access, sectors: 1, lines: 1, ..Access::default() };
            trace.accesses.push(own);
            events.extend([Event::Global { pc: 0, access }, Event::Run { pc: 1, length: 1 }]);
        }
        events.push(Event::Run { pc: 2, length: 1 });
        trace.blocks[0].warps = vec![events];
        replayed(&trace).stalls[2][Stall::LongScoreboard as usize]
    };
    let (all, one) = (under_way(0), under_way(2));
    assert!(all > 500.0 && one == 0.0, "{all} and {one} clocks");
}

#[test]
fn words_of_different_lines_meet_in_a_bank_of_l1() {
    let clocks = |wavefronts: u32| {
        let mut trace = loads(64, false);
        trace.accesses.iter_mut().for_each(|access| access.wavefronts = wavefronts);
        replayed(&trace).clocks
    };
    let (one, all) = (clocks(1), clocks(32));
    // The last of them begins 63 times 31 clocks later; it is waited for in either case.
    assert!((all - one - 64.0 * 31.0).abs() < 100.0, "{one} and {all} clocks");
}

/// A store of so many bytes to a sector, and loads of as many as said, each of which is waited for.
fn stored_and_loaded(stored: u32, loaded: u32, loads: usize) -> f64 {
    let store = Issue { unit: Unit::Lsu, clocks: 1, ..ALU };
    let load = Issue { write: Some(0), ..store };
    let mut trace = straight(&[store, load, Issue { wait: 1, ..ALU }], 1, 1);
    let access =
        |kind, width| Access { kind, sectors: 1, lines: 1, lanes: 1, width, full: width == 32, ..Access::default() };
    trace.sectors.push(640);
    trace.accesses = vec![access(AccessKind::Store, stored), access(AccessKind::Load, loaded)];
    let each = [Event::Global { pc: 1, access: 1 }, Event::Run { pc: 2, length: 1 }];
    trace.blocks[0].warps = vec![[vec![Event::Global { pc: 0, access: 0 }], each.repeat(loads)].concat()];
    replayed(&trace).stalls[2][Stall::LongScoreboard as usize]
}

#[test]
fn what_a_block_stored_it_finds_in_l1() {
    let hit = rates().l1_latency;
    for (stored, loaded) in [(32, 32), (4, 4), (8, 4)] {
        let waited = stored_and_loaded(stored, loaded, 1);
        assert!(waited < hit + 10.0, "{waited} clocks for {loaded} of {stored} bytes");
    }
    // The rest of the sector is in L2; when it has come, all of it is there.
    let (once, again) = (stored_and_loaded(4, 32, 1), stored_and_loaded(4, 32, 2));
    assert!(once > rates().l2_latency - 10.0 && again - once < hit + 10.0, "{once} and {again} clocks");
}

#[test]
fn lanes_that_come_together_and_calls_hold_a_warp_up() {
    let clocks = |action: Action| {
        let code = [Issue { unit: Unit::Cbu, clocks: 2, stall: 5, action, ..ALU }; 100];
        replayed(&straight(&code, 1, 1)).clocks
    };
    let plain = clocks(Action::Plain);
    let (converge, call) = (clocks(Action::Converge) - plain, clocks(Action::Call) - plain);
    assert!((converge - 99.0 * (rates().converge - 5.0)).abs() < 10.0, "{converge} clocks");
    assert!((call - 99.0 * (rates().call - 5.0)).abs() < 10.0, "{call} clocks");
}

#[test]
fn the_older_block_is_first_and_its_warps_in_turn() {
    let code = [Issue { stall: 4, ..ALU }; 400];
    let shape = Shape { blocks: 4, resident: 4, shared_bytes: 0, warm: 0.0, followed: 32, whole: None };
    // Four warps of each block in each partition: two fill the pipe.
    let replayed = replay::replay(&straight(&code, 4, 16), &shape, &alike());
    let end = |lane: usize| replayed.timeline.lanes[lane].spans.last().map_or(0.0, |span| span.1);
    let (first, second) = (end(0), end(16));
    assert!((second / first - 2.0).abs() < 0.1, "{first} and {second} clocks");
    assert!((end(0) - end(12)).abs() < 50.0, "{} and {} clocks", end(0), end(12));
}
