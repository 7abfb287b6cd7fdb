//! Lanes that exchange values, wait for each other and go different ways.

mod common;

use common::{block, by_lane, run, warp};
use sim::report::FindingKind;

/// Segment width and rank within the segment to the rank that is read.
type Source<'a> = Box<dyn Fn(i64, i64) -> i64 + 'a>;

#[test]
fn shuffles_of_every_mode_and_segment_width() {
    // c = (32 - width) << 8 | clamp, as the PTX ISA and CUDA's intrinsics have it.
    for width in [1u32, 2, 4, 8, 16, 32] {
        let segment = (32 - width) << 8;
        for b in [0u32, 1, 2, 3, 5, 17, 31] {
            let (down, up) = (segment | 31, segment);
            let cases: [(&str, u32, Source<'_>); 4] = [
                ("down", down, Box::new(|_, rank| rank + i64::from(b))),
                ("up", up, Box::new(|_, rank| rank - i64::from(b))),
                ("bfly", down, Box::new(|_, rank| rank ^ i64::from(b))),
                ("idx", down, Box::new(|width, _| i64::from(b) % width)),
            ];
            for (mode, c, source) in cases {
                let body = format!(
                    "add.u32 %r1, %tid, 100;\nshfl.sync.{mode}.b32 %r2|%q1, %r1, {b}, {c}, -1;\n\
                     selp.b32 %r3, 1000, 0, %q1;\nadd.u32 %out, %r2, %r3;"
                );
                let expected = by_lane(|lane| {
                    let (first, rank) = (lane / width * width, i64::from(lane % width));
                    let from = source(i64::from(width), rank);
                    // A source outside the segment leaves the lane its own value. In butterfly mode only the end counts.
                    let absolute = if mode == "bfly" { i64::from(lane ^ b) } else { i64::from(first) + from };
                    let inside = match mode {
                        "bfly" => absolute < i64::from(first + width),
                        _ => (0..i64::from(width)).contains(&from),
                    };
                    if inside { 1100 + absolute as u32 } else { 100 + lane }
                });
                assert_eq!(warp(&body), expected, "{mode} by {b} in segments of {width}");
            }
        }
    }
}

#[test]
fn shuffle_in_one_branch_only() {
    let body = "setp.ge.u32 %q1, %tid, 8;\n@%q1 bra DONE;\nadd.u32 %r1, %tid, 1;\n\
                shfl.sync.down.b32 %out, %r1, 4, 0x181f, 0xff;";
    assert_eq!(
        warp(body),
        by_lane(|lane| if lane < 4 {
            lane + 5
        } else if lane < 8 {
            lane + 1
        } else {
            0
        })
    );
}

#[test]
fn one_exchange_from_both_branches() {
    // The same operation stands in both branches with other registers: the lanes meet there all the same.
    let body = "and.b32 %r1, %tid, 1;\nsetp.eq.s32 %q1, %r1, 0;\n@%q1 bra EVEN;\n\
                add.u32 %r2, %tid, 100;\nshfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\nmov.b32 %out, %r3;\nbra DONE;\n\
                EVEN:\nadd.u32 %r4, %tid, 200;\nshfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;\nmov.b32 %out, %r5;";
    assert_eq!(warp(body), by_lane(|lane| if lane % 2 == 0 { 100 + (lane ^ 1) } else { 200 + (lane ^ 1) }));
    let ballot = "setp.lt.u32 %q1, %tid, 16;\nsetp.lt.u32 %q2, %tid, 24;\n@%q1 bra LOW;\n\
                  vote.sync.ballot.b32 %out, %q2, -1;\nbra DONE;\nLOW:\nvote.sync.ballot.b32 %out, !%q2, -1;";
    assert_eq!(warp(ballot), by_lane(|_| 0x00ff_0000));
}

#[test]
fn votes() {
    let vote = |form: &str, test: &str| {
        warp(&format!("setp.{test}.u32 %q1, %tid, 5;\nvote.sync.{form}.pred %q2, %q1, -1;\nselp.b32 %out, 1, 0, %q2;"))
            [0]
    };
    let cases = [("all", "lt", 0), ("any", "lt", 1), ("uni", "lt", 0), ("all", "le", 0), ("any", "eq", 1)];
    for (form, test, expected) in cases {
        assert_eq!(vote(form, test), expected, "{form} {test}");
    }
    assert_eq!(warp("setp.ge.u32 %q1, %tid, 0;\nvote.sync.uni.pred %q2, !%q1, -1;\nselp.b32 %out, 1, 0, %q2;")[7], 1);
    assert_eq!(warp("setp.lt.u32 %q1, %tid, 5;\nvote.sync.ballot.b32 %out, %q1, -1;"), by_lane(|_| 31));
    // Lanes outside the mask do not count.
    let some = "setp.lt.u32 %q3, %tid, 4;\n@!%q3 bra DONE;\nsetp.lt.u32 %q1, %tid, 9;\n\
                vote.sync.all.pred %q2, %q1, 0xf;\nselp.b32 %out, 7, 0, %q2;";
    assert_eq!(warp(some), by_lane(|lane| if lane < 4 { 7 } else { 0 }));
}

#[test]
fn matches_reductions_and_elections() {
    let any = "and.b32 %r1, %tid, 3;\nmatch.any.sync.b32 %out, %r1, -1;";
    assert_eq!(warp(any), by_lane(|lane| 0x1111_1111 << (lane % 4)));
    let all = "mov.b64 %d1, 5;\nmatch.all.sync.b64 %r1|%q1, %d1, -1;\nselp.b32 %out, %r1, 1, %q1;";
    assert_eq!(warp(all), by_lane(|_| u32::MAX));
    let not_all = "match.all.sync.b32 %r1|%q1, %tid, -1;\nselp.b32 %out, 9, %r1, %q1;";
    assert_eq!(warp(not_all), by_lane(|_| 0));
    let redux = |form: &str| warp(&format!("sub.u32 %r1, %tid, 3;\nredux.sync.{form} %out, %r1, -1;"))[31];
    assert_eq!(redux("add.u32"), (0..32u32).sum::<u32>() - 96);
    assert_eq!((redux("min.s32") as i32, redux("max.s32")), (-3, 28));
    assert_eq!((redux("min.u32"), redux("max.u32")), (0, u32::MAX));
    assert_eq!((redux("and.b32"), redux("or.b32")), (0, u32::MAX));
    assert_eq!(redux("xor.b32"), (0..32u32).fold(0, |x, lane| x ^ lane.wrapping_sub(3)));
    let elect =
        "setp.lt.u32 %q3, %tid, 4;\n@%q3 bra DONE;\nelect.sync %r1|%q1, 0xfffffff0;\nselp.b32 %out, 50, %r1, %q1;";
    assert_eq!(
        warp(elect),
        by_lane(|lane| if lane < 4 {
            0
        } else if lane == 4 {
            50
        } else {
            4
        })
    );
    let active = "setp.lt.u32 %q3, %tid, 4;\n@%q3 bra DONE;\nactivemask.b32 %out;";
    assert_eq!(warp(active), by_lane(|lane| if lane < 4 { 0 } else { 0xffff_fff0 }));
}

#[test]
fn lanes_of_one_instruction_with_different_masks() {
    // One atomic per distinct word: the lanes of a word find each other by `match`, and the first tells the others.
    let body = "rem.u32 %r1, %tid, 5;\nmul.wide.u32 %d1, %r1, 4;\nmov.u64 %d2, counts;\nadd.u64 %d1, %d2, %d1;\n\
        match.any.sync.b32 %r2, %r1, -1;\nbrev.b32 %r3, %r2;\nbfind.shiftamt.u32 %r4, %r3;\nsetp.ne.s32 %q1, %tid, %r4;\n\
        mov.b32 %r5, 0;\n@%q1 bra ALL;\npopc.b32 %r6, %r2;\natom.shared.add.u32 %r5, [%d1], %r6;\nadd.u32 %r5, %r5, 100;\nALL:\n\
        shfl.sync.idx.b32 %r7, %r5, %r4, 31, %r2;\nredux.sync.add.u32 %r8, %tid, %r2;\nbar.warp.sync -1;\n\
        ld.shared.u32 %r9, [%d1];\nmad.lo.u32 %out, %r8, 10000, %r9;\nadd.u32 %out, %out, %r7;";
    let ran = run(".shared .align 4 .b8 counts[20];", body, 32);
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    let expected = by_lane(|lane| {
        let peers = (0..32).filter(|peer| peer % 5 == lane % 5);
        peers.clone().sum::<u32>() * 10_000 + peers.count() as u32 + 100
    });
    assert_eq!(ran.out, expected);
    // The same when the groups come one after another: odd lanes are late.
    let late = "and.b32 %r1, %tid, 3;\nmatch.any.sync.b32 %r2, %r1, -1;\nand.b32 %r3, %tid, 1;\nsetp.eq.s32 %q1, %r3, 0;\n\
        @%q1 bra NOW;\nadd.u32 %out, %out, 1;\nredux.sync.add.u32 %r4, %tid, %r2;\nbra END;\nNOW:\n\
        redux.sync.add.u32 %r4, %tid, %r2;\nEND:\nadd.u32 %out, %out, %r4;";
    assert_eq!(warp(late), by_lane(|lane| (0..32).filter(|peer| peer % 4 == lane % 4).sum::<u32>() + lane % 2));
}

#[test]
fn a_spin_lock_between_lanes_of_one_warp_ends() {
    // Each lane takes the lock, adds its number and releases it: before Volta this hung.
    let body = "mov.u64 %d1, lock;\n\
                AGAIN:\natom.shared.cas.b32 %r1, [%d1], 0, 1;\nsetp.ne.s32 %q1, %r1, 0;\n@%q1 bra AGAIN;\n\
                ld.volatile.shared.u32 %r2, [%d1+4];\nadd.u32 %r2, %r2, %tid;\nst.volatile.shared.u32 [%d1+4], %r2;\n\
                membar.cta;\natom.shared.exch.b32 %r3, [%d1], 0;\nbar.sync 0;\nld.shared.u32 %out, [%d1+4];";
    let ran = run(".shared .align 4 .b8 lock[8];", body, 64);
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    assert_eq!(ran.out, vec![(0..64).sum::<u32>(); 64]);
}

#[test]
fn syncwarp_orders_producer_and_consumer_on_different_ways() {
    let body = "mov.u64 %d1, box;\nsetp.lt.u32 %q1, %tid, 16;\nand.b32 %r1, %tid, 15;\nmul.wide.u32 %d2, %r1, 4;\n\
                add.u64 %d1, %d1, %d2;\n@%q1 bra WRITE;\n\
                bar.warp.sync -1;\nld.shared.u32 %out, [%d1];\nbra DONE;\n\
                WRITE:\nadd.u32 %r2, %tid, 500;\nst.shared.u32 [%d1], %r2;\nbar.warp.sync -1;";
    let ran = run(".shared .align 4 .b8 box[64];", body, 32);
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    assert_eq!(ran.out, by_lane(|lane| if lane < 16 { 0 } else { 500 + lane - 16 }));
}

#[test]
fn masks_that_do_not_fit() {
    let outside = run("", "shfl.sync.idx.b32 %out, %tid, 0, 31, 0xffff;", 32);
    let kinds: Vec<FindingKind> = outside.report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::InvalidSyncMask]);
    assert_eq!(outside.finding().lanes, (16..32).collect::<Vec<_>>());
    // Lanes that never come: they wait elsewhere for good.
    let never = "setp.lt.u32 %q1, %tid, 8;\n@%q1 bra LOW;\nbar.sync 0;\nbra DONE;\nLOW:\nshfl.sync.idx.b32 %out, %tid, 0, 31, -1;";
    let kinds: Vec<FindingKind> = run("", never, 32).report.findings.iter().map(|finding| finding.kind).collect();
    assert!(kinds.contains(&FindingKind::Deadlock), "{kinds:?}");
    // Lanes that have exited are not waited for.
    let gone = "setp.lt.u32 %q1, %tid, 8;\n@%q1 exit;\nshfl.sync.idx.b32 %out, %tid, 9, 31, -1;";
    assert_eq!(warp(gone), by_lane(|lane| if lane < 8 { 0 } else { 9 }));
}

#[test]
fn guards_on_instructions_that_wait() {
    // Only lanes whose guard is true take part, and only they are named.
    let body = "setp.lt.u32 %q1, %tid, 8;\nmov.b32 %out, 77;\n@%q1 shfl.sync.down.b32 %out, %tid, 1, 31, 0xff;";
    let mut expected = by_lane(|lane| if lane < 8 { lane + 1 } else { 77 });
    expected[7] = warp(body)[7]; // reads a lane outside the mask: undefined
    assert_eq!(warp(body), expected);
    // A whole warp skips the barrier that the other waits at, and comes to it later.
    let barrier = "setp.lt.u32 %q1, %tid, 32;\n@%q1 bar.sync 1, 32;\nbar.sync 0;\nmov.b32 %out, 5;";
    assert_eq!(block(barrier, 64), vec![5; 64]);
}
