//! Loads, stores, atomics and asynchronous copies in every space, and what is said of accesses that go wrong.

mod common;

use common::{block, by_lane, kernel, run, run_text, unchecked, warp};
use sim::report::FindingKind;
use sim::{Error, Lowering, Module};

#[test]
fn vectors_and_parts_of_words() {
    // The second argument holds 0, 1, 2, …
    let at = "mul.wide.u32 %d1, %tid, 16;\nadd.u64 %d1, %p, %d1;\n";
    let v4 = format!("{at}ld.global.v4.u32 {{%r1, %r2, %r3, %r4}}, [%d1];\nmad.lo.u32 %out, %r4, 1000, %r2;");
    assert_eq!(warp(&v4), by_lane(|lane| (4 * lane + 3) * 1000 + 4 * lane + 1));
    let v2 = format!("{at}ld.global.nc.v2.u64 {{%d2, _}}, [%d1];\nmov.b64 {{%r1, %r2}}, %d2;\nsub.u32 %out, %r2, %r1;");
    assert_eq!(warp(&v2), by_lane(|_| 1));
    let store = format!("{at}mov.b32 %r1, 7;\nst.global.v4.u32 [%d1], {{%r1, %tid, %r1, %tid}};");
    assert_eq!(run("", &store, 32).words[..8], [7, 0, 7, 0, 7, 1, 7, 1]);
    let narrow = "mul.wide.u32 %d1, %tid, 4;\nadd.u64 %d1, %p, %d1;\nadd.u32 %r1, %tid, 0xf0;\nst.global.u8 [%d1+1], %r1;\n\
                  ld.global.s8 %r2, [%d1+1];\nld.global.u16 %r3, [%d1];\nld.global.s16 %d2, [%d1];\ncvt.u32.u64 %r4, %d2;\n\
                  shl.b32 %r2, %r2, 16;\nadd.u32 %out, %r2, %r3;\nsetp.eq.u32 %q1, %tid, 31;\n@%q1 mov.b32 %out, %r4;";
    let expected = by_lane(|lane| {
        let byte = (lane + 0xf0) as u8;
        let half = u16::from(byte) << 8 | lane as u16;
        if lane == 31 { half as i16 as u32 } else { (((byte as i8) as u32) << 16).wrapping_add(u32::from(half)) }
    });
    assert_eq!(warp(narrow), expected);
    let q = ".reg .b128 %v<2>;\nld.global.b128 %v1, [%p+16];\nmov.b128 {%d1, %d2}, %v1;\nmov.b128 %v0, {%d2, %d1};\n\
             st.global.b128 [%p], %v0;\nmov.b32 %out, 0;";
    assert_eq!(run("", q, 1).words[..4], [6, 7, 4, 5]);
}

#[test]
fn generic_addresses_lead_to_every_space() {
    // Four lanes, four spaces, one load.
    let module =
        ".shared .align 4 .b8 s[4];\n.const .align 4 .b32 c[2] = {40, 41};\n.global .align 4 .b32 g[2] = {50, 51};";
    let body = ".local .align 4 .b8 l[8];\nmov.b32 %r1, 10;\nst.shared.u32 [s], %r1;\nmov.b32 %r1, 20;\nst.local.u32 [l+4], %r1;\n\
        mov.u64 %d1, s;\ncvta.shared.u64 %d5, %d1;\nmov.u64 %d1, l;\ncvta.local.u64 %d1, %d1;\nadd.u64 %d2, %d1, 4;\n\
        mov.u64 %d1, c;\ncvta.const.u64 %d1, %d1;\nadd.u64 %d3, %d1, 4;\nmov.u64 %d1, g;\ncvta.global.u64 %d4, %d1;\n\
        and.b32 %r2, %tid, 3;\nsetp.eq.s32 %q1, %r2, 1;\nsetp.eq.s32 %q2, %r2, 2;\nsetp.eq.s32 %q3, %r2, 3;\n\
        selp.b64 %d5, %d2, %d5, %q1;\nselp.b64 %d5, %d3, %d5, %q2;\nselp.b64 %d5, %d4, %d5, %q3;\n\
        ld.u32 %out, [%d5];\nisspacep.shared %q4, %d5;\n@%q4 add.u32 %out, %out, 1000;\nisspacep.local %q4, %d5;\n\
        @%q4 add.u32 %out, %out, 2000;\nisspacep.const %q4, %d5;\n@%q4 add.u32 %out, %out, 3000;\nisspacep.global %q4, %d5;\n\
        @%q4 add.u32 %out, %out, 4000;";
    let ran = run(module, body, 32);
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    assert_eq!(ran.out, by_lane(|lane| [1010, 2020, 3041, 4050][lane as usize % 4]));
}

#[test]
fn local_arrays_belong_to_their_thread() {
    let body = ".local .align 4 .b8 a[64];\nmov.u64 %d1, a;\nand.b32 %r1, %tid, 15;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\n\
                st.local.u32 [%d1], %tid;\nmov.u64 %d3, a;\nld.local.u32 %r2, [%d3];\nld.local.u32 %r3, [%d1];\nadd.u32 %out, %r2, %r3;";
    assert_eq!(block(body, 48), (0..48).map(|t| if t % 16 == 0 { 2 * t } else { t }).collect::<Vec<u32>>());
}

#[test]
fn constants_hold_addresses() {
    let module = ".global .align 4 .b32 g[4] = {5, 6, 7, 8};\n.const .align 8 .u64 p[2] = {generic(g)+4, g+12};";
    let body = "and.b32 %r1, %tid, 1;\nmov.u64 %d1, p;\nmul.wide.u32 %d2, %r1, 8;\nadd.u64 %d1, %d1, %d2;\n\
                ld.const.u64 %d3, [%d1];\nld.global.u32 %out, [%d3];";
    assert_eq!(run(module, body, 32).out, by_lane(|lane| if lane % 2 == 0 { 6 } else { 8 }));
}

#[test]
fn every_atomic_in_shared_and_global_memory() {
    // One word, 32 lanes in order: what is left of it, and what the last lane saw.
    type Case = (&'static str, u32, fn(u32) -> u32, fn(u32, u32) -> u32);
    let cases: [Case; 14] = [
        ("add.u32", 10, |lane| lane, u32::wrapping_add),
        ("add.s32", 10, |lane| lane.wrapping_sub(16), u32::wrapping_add),
        ("min.u32", 17, |lane| 40 - lane, u32::min),
        ("max.u32", 17, |lane| lane, u32::max),
        ("min.s32", 3, |lane| 10u32.wrapping_sub(lane), |x, y| (x as i32).min(y as i32) as u32),
        ("max.s32", u32::MAX, |lane| lane, |x, y| (x as i32).max(y as i32) as u32),
        ("and.b32", u32::MAX, |lane| !(1 << lane), |x, y| x & y),
        ("or.b32", 0, |lane| 1 << lane, |x, y| x | y),
        ("xor.b32", 5, |lane| lane << 1, |x, y| x ^ y),
        ("exch.b32", 5, |lane| lane, |_, y| y),
        ("inc.u32", 3, |_| 10, |x, y| if x >= y { 0 } else { x + 1 }),
        ("dec.u32", 3, |_| 10, |x, y| if x == 0 || x > y { y } else { x - 1 }),
        ("add.f32", 0, |lane| (lane as f32).to_bits(), |x, y| (f32::from_bits(x) + f32::from_bits(y)).to_bits()),
        (
            "add.noftz.f16x2",
            0,
            |_| 0x3c00_4000,
            |x, y| {
                let add = |x: u32, y: u32| {
                    u32::from(
                        half::f16::from_f32(
                            half::f16::from_bits(x as u16).to_f32() + half::f16::from_bits(y as u16).to_f32(),
                        )
                        .to_bits(),
                    )
                };
                add(x & 0xffff, y & 0xffff) | add(x >> 16, y >> 16) << 16
            },
        ),
    ];
    for (op, start, operand, step) in cases {
        let operands: Vec<String> = (0..32).map(|lane| operand(lane).to_string()).collect();
        let module = format!(
            ".global .align 4 .b32 table[32] = {{{}}};\n.shared .align 4 .b8 s[4];\n.global .align 4 .b8 g[4];",
            operands.join(",")
        );
        let (mut word, mut seen) = (start, 0);
        for lane in 0..32 {
            seen = word;
            word = step(word, operand(lane));
        }
        for (space, name) in [("shared", "s"), ("global", "g")] {
            let body = format!(
                "mov.u64 %d1, table;\nmul.wide.u32 %d2, %tid, 4;\nadd.u64 %d1, %d1, %d2;\nld.global.b32 %r1, [%d1];\n\
                 mov.b32 %r2, {start};\nst.{space}.b32 [{name}], %r2;\nbar.sync 0;\natom.{space}.{op} %r3, [{name}], %r1;\n\
                 bar.sync 0;\nld.{space}.b32 %out, [{name}];\nsetp.eq.u32 %q1, %tid, 31;\n@%q1 mov.b32 %out, %r3;"
            );
            let out = run(&module, &body, 32).out;
            assert_eq!((out[0], out[31]), (word, seen), "atom.{space}.{op}");
            let red = body
                .replace(&format!("atom.{space}.{op} %r3,"), &format!("red.{space}.{op}"))
                .replace("@%q1 mov.b32 %out, %r3;", "");
            if !matches!(op, "exch.b32") {
                assert_eq!(run(&module, &red, 32).out[0], word, "red.{space}.{op}");
            }
        }
    }
}

#[test]
fn wide_atomics() {
    // Every lane moves a 64-bit word from its number to the next: only in this order.
    let module = ".shared .align 8 .b8 s[8];";
    let body = "mov.b64 %d1, 0x100000000;\nst.shared.b64 [s], %d1;\nbar.sync 0;\ncvt.u64.u32 %d2, %tid;\nadd.u64 %d2, %d2, %d1;\n\
                add.u64 %d3, %d2, 1;\natom.shared.cas.b64 %d4, [s], %d2, %d3;\nsub.u64 %d5, %d4, %d2;\ncvt.u32.u64 %out, %d5;\n\
                bar.sync 0;\nld.shared.u64 %d6, [s];\nsetp.eq.u32 %q1, %tid, 0;\n@%q1 cvt.u32.u64 %out, %d6;";
    assert_eq!(run(module, body, 32).out, by_lane(|lane| if lane == 0 { 32 } else { 0 }));
    let add = "mul.wide.u32 %d1, %tid, 0x10000000;\nred.global.add.u64 [%p+8], %d1;\nmov.f64 %g1, 0d3FF0000000000000;\n\
               mov.b64 %d2, 0;\nbar.sync 0;\nst.global.b64 [%p+16], %d2;\nbar.sync 0;\natom.global.add.f64 %g2, [%p+16], %g1;\n\
               mov.f32 %f1, 0f3F800000;\nmov.b32 %r1, 0;\nst.global.v2.b32 [%p+24], {%r1, %r1};\nbar.sync 0;\n\
               red.global.add.v2.f32 [%p+24], {%f1, %f1};";
    let words = run("", add, 32).words;
    let sum = (3u64 << 32 | 2) + (0..32u64).sum::<u64>() * 0x1000_0000;
    assert_eq!((words[2], words[3]), (sum as u32, (sum >> 32) as u32));
    assert_eq!(u64::from(words[5]) << 32 | u64::from(words[4]), 32.0f64.to_bits());
    assert_eq!(words[6..8], [32.0f32.to_bits(); 2]);
    let narrow = "mov.b16 %h1, 0xffff;\nsetp.eq.u32 %q1, %tid, 0;\nmov.b16 %h2, 1;\natom.global.cas.b16 %h3, [%p+4], %h2, %h1;\n\
                  cvt.u32.u16 %out, %h3;";
    let ran = run("", narrow, 32);
    assert_eq!((ran.out[0], ran.words[1]), (1, 0xffff));
    assert_eq!(ran.out[1..], [0xffff; 31]);
}

#[test]
fn an_atomic_on_a_vector_is_one_access() {
    let count = |form: &str, values: &str| {
        let body = format!(
            "mov.f32 %f1, 0f3F800000;\nmul.wide.u32 %d1, %tid, 16;\nadd.u64 %d1, %p, %d1;\nred.global.{form} [%d1], {values};"
        );
        let report = run("", &body, 32).report;
        let metric = |name: &str| report.metrics[name];
        [
            metric("smsp__sass_inst_executed_op_global_red.sum"),
            metric("smsp__sass_data_bytes_mem_global_op_red.sum"),
            metric("l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"),
            metric("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"),
            report.estimates["warpbook__ptx_inst_executed.sum"],
        ]
    };
    // A store of a row of 16-byte elements: 512 bytes, 16 sectors.
    let scalar = count("add.f32", "%f1");
    let vector = count("add.v4.f32", "{%f1, %f1, %f1, %f1}");
    assert_eq!((vector[0], vector[1], vector[2], vector[3]), (1, 512, 1, 16));
    assert_eq!(vector[4], scalar[4], "one instruction of PTX, too");
    assert_eq!(count("add.v2.f32", "{%f1, %f1}")[..4], [1, 256, 1, 16]);
}

#[test]
fn asynchronous_copies_and_their_barriers() {
    let module = ".shared .align 16 .b8 s[512];\n.shared .align 8 .b8 bar[8];";
    let body = "mov.u64 %d1, s;\nmul.wide.u32 %d2, %tid, 16;\nadd.u64 %d1, %d1, %d2;\nadd.u64 %d3, %p, %d2;\n\
        cp.async.cg.shared.global [%d1], [%d3], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n\
        ld.shared.u32 %r1, [%d1+8];\ncp.async.ca.shared.global [%d1], [%d3+4], 4, 2;\ncp.async.wait_all;\nld.shared.u32 %r2, [%d1];\n\
        mad.lo.u32 %out, %r2, 1000, %r1;";
    assert_eq!(run(module, body, 32).out, by_lane(|lane| (4 * lane + 1) * 1000 + 4 * lane + 2));
    // Two phases: 64 threads arrive, everyone waits by state, then by parity.
    let barrier = "mov.u64 %d1, bar;\nsetp.eq.u32 %q1, %tid, 0;\n@%q1 mbarrier.init.shared.b64 [%d1], 64;\nbar.sync 0;\n\
        mbarrier.arrive.shared.b64 %d2, [%d1];\nWAIT:\nmbarrier.test_wait.shared.b64 %q2, [%d1], %d2;\n@!%q2 bra WAIT;\n\
        mbarrier.pending_count.b64 %r1, %d2;\nmbarrier.arrive.release.cta.shared::cta.b64 _, [%d1];\nAGAIN:\n\
        mbarrier.try_wait.parity.shared.b64 %q2, [%d1], 1;\n@!%q2 bra AGAIN;\nadd.u32 %out, %r1, 100;";
    let ran = run(module, barrier, 64);
    assert!(ran.report.findings.is_empty(), "{:#?}", ran.report.findings);
    let mut pending = ran.out.clone();
    pending.sort_unstable();
    assert_eq!(pending, (101..165).collect::<Vec<_>>(), "each found one fewer missing");
}

#[test]
fn accesses_outside_name_their_lanes() {
    let out = run("", "mul.wide.u32 %d1, %tid, 132;\nadd.u64 %d1, %p, %d1;\nld.global.u32 %out, [%d1];", 32);
    assert_eq!(out.report.findings, [], "31 * 132 + 4 is the buffer's end");
    let out = run("", "mul.wide.u32 %d1, %tid, 256;\nadd.u64 %d1, %p, %d1;\nld.global.u32 %out, [%d1];", 32);
    assert_eq!(out.finding().kind, FindingKind::OutOfBounds);
    assert_eq!(out.finding().lanes, (16..32).collect::<Vec<_>>());
    assert!(
        out.finding().message.contains("0 bytes behind the end of argument 1 (4096 bytes)"),
        "{}",
        out.finding().message
    );
    let far = run("", "add.u64 %d1, %p, 4095;\nld.global.u8 %r1, [%d1];\nst.global.u8 [%p+-1], %r1;", 1);
    assert_eq!(far.finding().kind, FindingKind::OutOfBounds);
    assert!(far.finding().message.contains("1 bytes before the beginning of argument 1"), "{}", far.finding().message);
    let odd = run("", "mul.wide.u32 %d1, %tid, 2;\nadd.u64 %d1, %p, %d1;\nld.global.u32 %out, [%d1];", 32);
    assert_eq!((odd.finding().kind, odd.finding().lanes.len()), (FindingKind::Misaligned, 16));
    let wide = run("", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%p+8];", 32);
    assert_eq!((wide.report.findings.len(), wide.finding().kind), (1, FindingKind::Misaligned));
    let null = run("", "mov.b64 %d1, 0;\nst.global.u32 [%d1], %tid;", 32);
    assert!(null.finding().message.contains("null"), "{}", null.finding().message);
    for (space, bytes) in [("shared", 1024), ("local", 64)] {
        let body = format!(".local .align 4 .b8 l[64];\nmov.b64 %d1, {};\nst.{space}.u32 [%d1], %tid;", bytes - 4);
        assert_eq!(run("", &body, 32).report.findings, []);
        let body = format!(".local .align 4 .b8 l[64];\nmov.b64 %d1, {bytes};\nst.{space}.u32 [%d1], %tid;");
        assert_eq!(run("", &body, 32).finding().kind, FindingKind::OutOfBounds, "{space}");
    }
    let atomic = run("", "mul.wide.u32 %d1, %tid, 256;\nadd.u64 %d1, %p, %d1;\nred.global.add.u32 [%d1+2], 1;", 32);
    let kinds: Vec<_> = atomic.report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Misaligned]);
    let constant = run(".const .align 4 .b32 c[2];", "mov.u64 %d1, c;\nld.const.u32 %out, [%d1+8];", 32);
    assert_eq!(constant.finding().kind, FindingKind::OutOfBounds);
}

#[test]
fn a_load_that_the_compiler_widens_beyond_an_array_is_no_fault() {
    // Three neighbouring words become one access of 128 bits; the fourth word lies behind the shared memory.
    let body = "mov.u64 %d2, s;\nmul.wide.u32 %d1, %tid, 0;\nshl.b64 %d1, %d1, 4;\nadd.u64 %d1, %d2, %d1;\nld.shared.u32 %r1, [%d1+0];\n\
                ld.shared.u32 %r2, [%d1+4];\nld.shared.u32 %r3, [%d1+8];\nadd.u32 %out, %r1, %r2;\nadd.u32 %out, %out, %r3;";
    let text = kernel(".shared .align 16 .b8 s[12];", body);
    let module = Module::parse("k.ptx", &text).expect("PTX");
    let loads = |lowering| {
        let program = module.lower("k", lowering).expect("lowers");
        program.insts.iter().filter(|inst| matches!(&inst.op, sim::ir::inst::Op::Load(access) if access.space == sim::ir::inst::Space::Shared)).count()
    };
    assert_eq!((loads(Lowering::None), loads(Lowering::Sm90)), (3, 1));
    let args = vec![sim::Arg::Zeros(128), sim::Arg::Zeros(4096)];
    let launch = sim::Launch { grid: sim::Dim3::linear(1), block: sim::Dim3::linear(32), shared_bytes: 0, args };
    let outcome = sim::simulate(&module, "k", &launch, &unchecked(1 << 20)).expect("runs");
    assert_eq!(outcome.report.findings, []);
}

#[test]
fn kernel_parameters_have_addresses() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 results, .param .align 8 .b8 list[32]) {\n\
        .reg .b64 %d<8>; .reg .b32 %r<4>;\nmov.u32 %r1, %tid.x;\nmov.b64 %d1, list;\ncvta.param.u64 %d2, %d1;\nand.b32 %r2, %r1, 7;\n\
        mul.wide.u32 %d3, %r2, 4;\nadd.u64 %d2, %d2, %d3;\nld.u32 %r3, [%d2];\nadd.u64 %d1, %d1, %d3;\nld.param.u32 %r2, [%d1];\n\
        add.u32 %r3, %r3, %r2;\nld.param.u64 %d4, [results];\nmul.wide.u32 %d5, %r1, 4;\nadd.u64 %d4, %d4, %d5;\n\
        st.global.u32 [%d4], %r3;\nret;\n}\n";
    let module = Module::parse("k.ptx", text).expect("PTX");
    let list = (1..=8u32).flat_map(|n| (n * n).to_le_bytes()).collect();
    let args = vec![sim::Arg::Zeros(128), sim::Arg::Bytes(list)];
    let launch = sim::Launch { grid: sim::Dim3::linear(1), block: sim::Dim3::linear(32), shared_bytes: 0, args };
    let outcome = sim::simulate(&module, "k", &launch, &unchecked(1 << 20)).expect("runs");
    assert_eq!(outcome.report.findings, []);
    let bytes = outcome.buffers[0].as_deref().expect("a buffer");
    assert_eq!(bytes[28..32], 128u32.to_le_bytes());
}

#[test]
fn what_is_not_supported_is_named_with_both_lines() {
    let body = ".loc 1 12 3\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%tid}];";
    let text = kernel(".file 1 \"some.cu\"", body);
    let error = Module::parse("k.ptx", &text).expect("PTX").lower("k", Lowering::Sm90).expect_err("no textures");
    assert!(matches!(error, Error::Unsupported(_)));
    let message = error.to_string();
    let line = text.lines().position(|line| line.starts_with("tex")).expect("there") + 1;
    for part in ["`tex.1d.v4.f32.s32`", &format!("k.ptx:{line}:1"), "some.cu, line 12"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn the_same_report_every_time() {
    let body = "mul.wide.u32 %d1, %tid, 4;\nadd.u64 %d1, %p, %d1;\nmov.u32 %r1, %ctaid.x;\natom.global.add.u32 %out, [%d1], %r1;\n\
                ld.global.u32 %r2, [%d1+4094];";
    let text = kernel("", body);
    let first = run_text(&text, 700, 64, &unchecked(1 << 20));
    for _ in 0..3 {
        let again = run_text(&text, 700, 64, &unchecked(1 << 20));
        assert_eq!(again.report, first.report);
        assert_eq!(again.out, first.out);
    }
    assert_eq!(first.report.findings[0].block, [0, 0, 0], "the first block that does it is described");
}
