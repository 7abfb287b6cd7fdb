//! Thread blocks that wait for each other: those that are resident together end, and a deadlock is told from patience.

mod common;

use common::{Ran, kernel, run_text, unchecked};
use sim::report::FindingKind;
use sim::{Options, Scheduling};

/// Runs `body` (see [`kernel`]) on a grid. The second argument's words are their own numbers.
fn grid(body: &str, blocks: u32, threads: u32) -> Ran {
    run_text(&kernel("", body), blocks, threads, &unchecked(1 << 24))
}

fn faultless(body: &str, blocks: u32, threads: u32) -> Ran {
    let ran = grid(body, blocks, threads);
    assert_eq!(ran.report.findings, []);
    ran
}

/// `wait FLAG until it is %r9`, and the same for a whole program to be put together from.
fn wait(load: &str, label: &str, offset: u32, value: &str) -> String {
    format!("{label}:\n{load} %r8, [%p+{offset}];\nsetp.ne.u32 %q8, %r8, {value};\n@%q8 bra {label};\n")
}

#[test]
fn a_block_waits_for_a_later_one_and_for_an_earlier_one() {
    for (waiting, load) in [
        (0, "ld.volatile.global.u32"),
        (0, "ld.global.u32"),
        (0, "ld.acquire.gpu.global.u32"),
        (5, "ld.volatile.global.u32"),
    ] {
        let body = format!(
            "mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %q1, %r1, {waiting};\n@%q1 bra WAITS;\nsetp.ne.u32 %q2, %r1, 3;\n\
             @%q2 bra DONE;\nst.global.u32 [%p+4], 77;\nmembar.gl;\nst.volatile.global.u32 [%p], 99;\nbra DONE;\n\
             WAITS:\n{}ld.volatile.global.u32 %out, [%p+4];",
            wait(load, "SPIN", 0, "99")
        );
        let ran = faultless(&body, 6, 64);
        let expected: Vec<u32> = (0..6 * 64).map(|thread| if thread / 64 == waiting { 77 } else { 0 }).collect();
        assert_eq!(ran.out, expected, "block {waiting} waits with {load}");
    }
}

#[test]
fn blocks_hand_over_in_a_chain_against_the_order() {
    // Block b waits for block b + 1, as in a scan from the right.
    let body = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\nsub.u32 %r3, %r2, 1;\nmul.wide.u32 %d1, %r1, 4;\n\
         add.u64 %d2, %p, %d1;\nsetp.eq.u32 %q1, %r1, %r3;\nmov.u32 %r4, 1000;\n@%q1 bra GIVE;\n\
         SPIN:\nld.volatile.global.u32 %r4, [%d2+4];\nsetp.lt.u32 %q2, %r4, 1000;\n@%q2 bra SPIN;\n\
         GIVE:\nadd.u32 %r4, %r4, 1;\nmov.u32 %out, %r4;\nbar.sync 0;\nst.volatile.global.u32 [%d2], %r4;";
    let ran = faultless(body, 700, 64);
    assert_eq!(ran.out, (0..700 * 64).map(|thread| 1001 + 699 - thread / 64).collect::<Vec<u32>>());
}

/// A barrier of the whole grid, of atomics: word 0 counts arrivals from 0 on.
fn grid_barrier(label: &str, round: u32) -> String {
    format!(
        "bar.sync 0;\nsetp.ne.u32 %q7, %tid, 0;\n@%q7 bra {label}ALL;\nmembar.gl;\natom.global.add.u32 %r20, [%p], 1;\n\
         mov.u32 %r21, %nctaid.x;\nmul.lo.u32 %r21, %r21, {round};\n\
         {label}:\nld.volatile.global.u32 %r22, [%p];\nsetp.lt.u32 %q6, %r22, %r21;\n@%q6 bra {label};\nmembar.gl;\n\
         {label}ALL:\nbar.sync 0;\n"
    )
}

#[test]
fn a_barrier_of_the_whole_grid() {
    // Each block writes its number in every round and reads its neighbour's of the round before.
    let mut body = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\nadd.u32 %r3, %r1, 1;\nrem.u32 %r3, %r3, %r2;\n\
                    add.u32 %r1, %r1, 1;\nadd.u32 %r3, %r3, 1;\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d1, %p, %d1;\n\
                    mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %p, %d2;\nmov.u32 %r4, %r1;\n"
        .to_owned();
    for round in 0..4 {
        body += &format!(
            "setp.eq.u32 %q1, %tid, 0;\n@%q1 st.global.u32 [%d1], %r4;\n{}ld.volatile.global.u32 %r4, [%d2];\n{}",
            grid_barrier(&format!("A{round}"), 2 * round + 1),
            grid_barrier(&format!("B{round}"), 2 * round + 2)
        );
    }
    body += "mov.u32 %out, %r4;";
    for (blocks, threads) in [(2, 32), (200, 96), (264, 512)] {
        let ran = faultless(&body, blocks, threads);
        let expected: Vec<u32> = (0..blocks * threads).map(|thread| (thread / threads + 4) % blocks + 1).collect();
        assert_eq!(ran.out, expected, "{blocks} blocks");
    }
}

#[test]
fn more_blocks_than_the_gpu_holds_never_meet() {
    let ran = grid(&grid_barrier("A", 1), 300, 1024);
    let spin =
        ran.report.findings.iter().find(|finding| finding.message.contains("wait in a loop")).expect("a finding");
    assert_eq!(spin.kind, FindingKind::Deadlock);
    assert_eq!(spin.count, 264);
    for part in
        ["byte 0 of argument 1", "which holds 264", "block 264 (and 35 behind it) never starts", "an H200 holds 264"]
    {
        assert!(spin.message.contains(part), "{}", spin.message);
    }
    assert!(
        ran.report.findings.iter().all(|finding| finding.kind == FindingKind::Deadlock),
        "{:#?}",
        ran.report.findings
    );
}

#[test]
fn a_flag_that_nobody_writes() {
    for (blocks, load) in
        [(1, "ld.volatile.global.u32"), (3, "ld.volatile.global.u32"), (1, "ld.global.u32"), (3, "ld.global.u32")]
    {
        let ran = grid(&wait(load, "SPIN", 8, "5000"), blocks, 64);
        let finding = ran.finding();
        assert_eq!(finding.kind, FindingKind::Deadlock, "{load}");
        assert!(finding.message.contains("byte 8 of argument 1, which holds 2"), "{}", finding.message);
        assert!(ran.report.estimates["warpbook__ptx_inst_executed.sum"] < 1 << 20, "found early");
    }
    let shared =
        "mov.u64 %d1, box;\nSPIN:\nld.volatile.shared.u32 %r1, [%d1];\nsetp.eq.u32 %q1, %r1, 0;\n@%q1 bra SPIN;";
    let ran = run_text(&kernel(".shared .align 4 .b8 box[64];", shared), 2, 64, &unchecked(1 << 24));
    assert_eq!(ran.finding().kind, FindingKind::Deadlock);
    assert!(ran.finding().message.contains("byte 0 of shared memory, which holds 0"), "{}", ran.finding().message);
}

#[test]
fn warps_that_wait_for_a_spinning_one_are_named_too() {
    let body = format!(
        "setp.ge.u32 %q1, %tid, 32;\n@%q1 bra MEET;\n{}MEET:\nbar.sync 0;",
        wait("ld.volatile.global.u32", "SPIN", 8, "1")
    );
    let ran = grid(&body, 2, 96);
    let kinds: Vec<FindingKind> = ran.report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Deadlock; 2], "{:#?}", ran.report.findings);
}

#[test]
fn loops_that_never_end_are_proved_endless() {
    for body in ["FOREVER:\nbra FOREVER;", "FOREVER:\nadd.u32 %r1, %tid, 1;\nbar.warp.sync -1;\nbra FOREVER;"] {
        let ran = run_text(&kernel("", body), 3, 64, &Options { checks: sim::Checks::NONE, ..Options::default() });
        assert_eq!(ran.finding().kind, FindingKind::Budget);
        assert_eq!(ran.finding().block, [0, 0, 0]);
        assert!(ran.finding().message.contains("never ends"), "{}", ran.finding().message);
    }
    // One that counts is not.
    let ran = run_text(&kernel("", "FOREVER:\nadd.u32 %r1, %r1, 1;\nbra FOREVER;"), 3, 64, &unchecked(1 << 20));
    assert_eq!(ran.finding().kind, FindingKind::Budget);
    assert!(ran.finding().message.contains("budget of 1048576"), "{}", ran.finding().message);
}

#[test]
fn waiting_loops_that_count_or_sleep() {
    // A waiting loop that counts its rounds cannot be proved to wait; it still gives way.
    let counts = "mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %q1, %r1, 9;\n@%q1 bra LAST;\nmov.u32 %r3, 0;\n\
                  SPIN:\nadd.u32 %r3, %r3, 1;\nld.volatile.global.u32 %r2, [%p];\nsetp.ne.u32 %q2, %r2, 9;\n@%q2 bra SPIN;\n\
                  mov.u32 %out, 1;\nbra DONE;\nLAST:\nst.volatile.global.u32 [%p], 9;";
    assert_eq!(faultless(counts, 10, 64).out.iter().sum::<u32>(), 9 * 64);
    // One that writes while it waits looks busy, and gives way too.
    let writes =
        counts.replace("ld.volatile.global.u32 %r2", "atom.global.add.u32 %r4, [%p+4], 1;\nld.volatile.global.u32 %r2");
    assert_eq!(faultless(&writes, 10, 64).out.iter().sum::<u32>(), 9 * 64);
    let sleeps = counts.replace("add.u32 %r3, %r3, 1", "nanosleep.u32 100");
    let ran = faultless(&sleeps, 10, 64);
    assert_eq!(ran.out.iter().sum::<u32>(), 9 * 64);
    // Nobody ever writes: with the counter it is the budget that ends it, soon.
    let never = counts.replace("st.volatile.global.u32 [%p], 9", "st.volatile.global.u32 [%p], 8");
    let ran = run_text(&kernel("", &never), 10, 64, &unchecked(1 << 18));
    assert_eq!(ran.report.findings[0].kind, FindingKind::Budget);
}

#[test]
fn a_lock_that_all_threads_of_the_grid_want() {
    // A ticket lock, taken by one lane after the other; word 2 is the sum that it protects.
    let body = "atom.global.add.u32 %r1, [%p], 1;\n\
                SPIN:\nld.volatile.global.u32 %r2, [%p+4];\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %q1, %r1, %r2;\n@%q1 bra SPIN;\n\
                membar.gl;\nld.volatile.global.u32 %r3, [%p+8];\nadd.u32 %r3, %r3, 3;\nst.volatile.global.u32 [%p+8], %r3;\n\
                membar.gl;\nadd.u32 %r2, %r2, 2;\nst.volatile.global.u32 [%p+4], %r2;\nmov.u32 %out, 1;";
    let ran = faultless(body, 8, 64);
    assert_eq!(ran.words[..3], [512, 513, 2 + 3 * 512]);
    // The same with compare-and-swap, many times over.
    let body = "mov.u32 %r9, 0;\nAGAIN:\n\
                SPIN:\natom.global.cas.b32 %r2, [%p], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra SPIN;\n\
                ld.volatile.global.u32 %r3, [%p+8];\nadd.u32 %r3, %r3, 1;\nst.volatile.global.u32 [%p+8], %r3;\n\
                membar.gl;\natom.global.exch.b32 %r4, [%p], 0;\n\
                add.u32 %r9, %r9, 1;\nsetp.lt.u32 %q2, %r9, 20;\n@%q2 bra AGAIN;";
    let ran = faultless(body, 4, 64);
    assert_eq!(ran.words[2], 2 + 20 * 256);
}

#[test]
fn waiting_for_the_clock_takes_no_time() {
    let body = "mov.u64 %d1, %clock64;\nSPIN:\nmov.u64 %d2, %clock64;\nsub.u64 %d3, %d2, %d1;\n\
                setp.lt.u64 %q1, %d3, 5000000000;\n@%q1 bra SPIN;\nmov.u32 %out, 1;";
    let ran = faultless(body, 2, 64);
    assert_eq!(ran.out, vec![1; 128]);
    assert!(ran.report.estimates["warpbook__ptx_inst_executed.sum"] < 1 << 20);
}

#[test]
fn one_endless_block_ends_the_launch() {
    // It is busy for ever, and the others wait for it.
    let body = "mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %q1, %r1, 0;\n@%q1 bra BUSY;\n\
                SPIN:\nld.volatile.global.u32 %r2, [%p];\nsetp.eq.u32 %q2, %r2, 0;\n@%q2 bra SPIN;\nbra DONE;\n\
                BUSY:\natom.global.add.u32 %r3, [%p+4], 1;\nbra BUSY;";
    let ran = run_text(&kernel("", body), 500, 256, &unchecked(1 << 20));
    assert_eq!((ran.finding().kind, ran.finding().block), (FindingKind::Budget, [0, 0, 0]));
    let executed = ran.report.estimates["warpbook__ptx_inst_executed.sum"];
    assert!(executed < 3 << 20, "the others have as much time in all as the oldest: {executed}");
}

/// Options for GPUs of before Volta.
fn lock_step() -> Options {
    Options { scheduling: Some(Scheduling::LockStep), ..unchecked(1 << 22) }
}

#[test]
fn lanes_in_lock_step_hang_where_independent_ones_do_not() {
    // `while (atomicCAS(lock, 0, 1)); ...; release`: the lane that has the lock waits behind the loop.
    let naive = "SPIN:\natom.global.cas.b32 %r2, [%p], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra SPIN;\n\
                 atom.global.add.u32 %r3, [%p+4], 1;\natom.global.exch.b32 %r4, [%p], 0;\nmov.u32 %out, 1;";
    assert_eq!(faultless(naive, 1, 32).out, vec![1; 32]);
    let ran = run_text(&kernel("", naive), 1, 32, &lock_step());
    assert_eq!(ran.finding().kind, FindingKind::Deadlock);
    assert!(
        ran.finding().message.contains("lanes 1 to 31 wait in a loop for byte 0 of argument 1, which holds 1"),
        "{}",
        ran.finding().message
    );
    // The release inside the branch that has the lock works on both.
    let careful = "SPIN:\natom.global.cas.b32 %r2, [%p], 0, 1;\nsetp.ne.u32 %q1, %r2, 0;\n@%q1 bra NEXT;\n\
                   atom.global.add.u32 %r3, [%p+4], 1;\natom.global.exch.b32 %r4, [%p], 0;\nmov.u32 %out, 1;\n\
                   NEXT:\nsetp.eq.u32 %q2, %out, 0;\n@%q2 bra SPIN;";
    let ran = run_text(&kernel("", careful), 1, 64, &lock_step());
    assert_eq!((&ran.report.findings[..], &ran.out[..]), (&[][..], &[1; 64][..]));
}

#[test]
fn barriers_and_masks_in_lock_step() {
    // A barrier in a branch counts whole warps there; a shuffle sees only the lanes of its side.
    let body = "setp.lt.u32 %q1, %tid, 16;\n@%q1 bra A;\nbar.sync 0;\nmov.u32 %out, 1;\nbra B;\nA:\nbar.sync 0;\nmov.u32 %out, 2;\nB:\nbar.warp.sync -1;";
    let ran = run_text(&kernel("", body), 1, 32, &lock_step());
    assert_eq!(ran.out, common::by_lane(|lane| if lane < 16 { 2 } else { 1 }));
    let apart = "setp.lt.u32 %q1, %tid, 16;\n@%q1 bra A;\nshfl.sync.idx.b32 %out, %tid, 20, 31, -1;\nbra DONE;\nA:\n\
                 bar.warp.sync 0xffff;\nshfl.sync.idx.b32 %out, %tid, 3, 31, 0xffff;";
    let ran = run_text(&kernel("", apart), 1, 32, &lock_step());
    assert_eq!(ran.out, common::by_lane(|lane| if lane < 16 { 3 } else { 20 }));
    assert_eq!(ran.finding().kind, FindingKind::InvalidSyncMask);
}

#[test]
fn warp_synchronous_code_is_right_in_lock_step() {
    // Neighbours exchange values through shared memory with nothing in between, as code for those GPUs does it.
    let body = "mov.u64 %d1, box;\nmul.wide.u32 %d2, %tid, 4;\nadd.u64 %d2, %d1, %d2;\nst.volatile.shared.u32 [%d2], %tid;\n\
                xor.b32 %r1, %tid, 1;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d1, %d3;\nld.volatile.shared.u32 %out, [%d3];\n\
                st.shared.u32 [%d2], %out;\nld.shared.u32 %r2, [%d3];\nadd.u32 %out, %out, %r2;";
    let text = kernel(".shared .align 4 .b8 box[256];", body);
    let with = |scheduling| Options { scheduling: Some(scheduling), checks: sim::Checks::ALL, ..unchecked(1 << 20) };
    let ran = run_text(&text, 1, 64, &with(Scheduling::LockStep));
    assert_eq!(ran.report.findings, []);
    assert_eq!(ran.out, (0..64).map(|thread: u32| (thread ^ 1) + thread).collect::<Vec<u32>>());
    let ran = run_text(&text, 1, 64, &with(Scheduling::Independent));
    assert!(ran.report.findings.iter().all(|finding| finding.kind == FindingKind::Race));
    assert!(!ran.report.findings.is_empty());
    // Two lanes of one instruction that write different values to one place race on every GPU.
    let same = kernel(".shared .align 4 .b8 box[256];", "mov.u64 %d1, box;\nst.shared.u32 [%d1], %tid;");
    let ran = run_text(&same, 1, 32, &with(Scheduling::LockStep));
    assert_eq!(ran.finding().kind, FindingKind::Race);
}
