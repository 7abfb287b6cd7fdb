//! What kernels ask the system for: `printf`, `malloc`, `assert`, the clock; and what is refused by name.

mod common;

use common::{Ran, by_lane, kernel, run_text, unchecked};
use sim::report::FindingKind;
use sim::{Error, Lowering, Module};

const EXTERNS: &str = ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
     .extern .func (.param .b64 r) malloc (.param .b64 s);\n.extern .func free (.param .b64 p);\n\
     .extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n\
     .global .align 1 .b8 line[16] = {98,37,100,32,116,37,100,32,37,115,10,0};\n\
     .global .align 1 .b8 word[8] = {119,111,114,100,0};\n";

fn call(result: &str, function: &str, arguments: &[(&str, &str)]) -> String {
    let mut text = "{\n".to_owned();
    for (number, (kind, value)) in arguments.iter().enumerate() {
        text += &format!(".param .{kind} a{number};\nst.param.{kind} [a{number}+0], {value};\n");
    }
    let names: Vec<String> = (0..arguments.len()).map(|number| format!("a{number}")).collect();
    let names = names.join(", ");
    match result.split_once(' ') {
        Some((kind, register)) => {
            text += &format!(
                ".param .{kind} r;\ncall.uni (r), {function}, ({names});\nld.param.{kind} {register}, [r+0];\n}}\n"
            );
        }
        None => text += &format!("call.uni {function}, ({names});\n}}\n"),
    }
    text
}

fn run(body: &str, blocks: u32, threads: u32) -> Ran {
    run_text(&kernel(EXTERNS, body), blocks, threads, &unchecked(1 << 22))
}

/// `printf("b%d t%d %s\n", block, thread, "word")`.
fn print() -> String {
    format!(
        ".local .align 8 .b8 list[16];\nmov.u64 %d1, list;\ncvta.local.u64 %d1, %d1;\nmov.u32 %r1, %ctaid.x;\n\
         st.u32 [%d1], %r1;\nst.u32 [%d1+4], %tid;\nmov.u64 %d2, word;\ncvta.global.u64 %d2, %d2;\nst.u64 [%d1+8], %d2;\n\
         mov.u64 %d3, line;\ncvta.global.u64 %d3, %d3;\n{}mov.u32 %out, %r2;\n",
        call("b32 %r2", "vprintf", &[("b64", "%d3"), ("b64", "%d1")])
    )
}

#[test]
fn threads_print_in_order_of_blocks_whatever_the_number_of_cpu_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
        pool.install(|| run(&print(), 1500, 64))
    };
    let ran = run(1);
    assert_eq!(ran.out, vec![3; 96_000]);
    let expected: String = (0..96_000).map(|thread| format!("b{} t{} word\n", thread / 64, thread % 64)).collect();
    let printed = &ran.report.printed;
    assert_eq!(printed.calls, 96_000);
    assert!(expected.starts_with(&printed.text) && printed.text.len() > 900_000);
    assert_eq!(printed.lost, 96_000 - printed.text.lines().count() as u64);
    assert_eq!(ran.report, run(3).report);
    let text = sim::report::text::render(&ran.report, &std::collections::BTreeMap::new(), false);
    assert!(text.contains("printed by the kernel\n  b0 t0 word\n  b0 t1 word\n"), "{text}");
}

#[test]
fn the_heap_gives_memory_and_takes_it_back() {
    // Every thread fills its own block and reads it when all have.
    let allocate = call("b64 %d1", "malloc", &[("b64", "64")]);
    let release = call("", "free", &[("b64", "%d1")]);
    let body = format!(
        "{allocate}st.u32 [%d1], %tid;\nst.u32 [%d1+60], %tid;\nbar.sync 0;\nld.u32 %r1, [%d1];\nld.u32 %r2, [%d1+60];\n\
         add.u32 %out, %r1, %r2;\n{release}"
    );
    let ran = run(&body, 50, 64);
    assert_eq!(ran.report.findings, []);
    assert_eq!(ran.out, (0..50 * 64).map(|thread| thread % 64 * 2).collect::<Vec<u32>>());
    // 8 MiB hold 128 blocks of 64 KiB; the others get null.
    let large = call("b64 %d1", "malloc", &[("b64", "65536")]);
    let ran = run(&format!("{large}setp.ne.u64 %q1, %d1, 0;\nselp.u32 %out, 1, 0, %q1;"), 4, 64);
    assert_eq!(ran.out.iter().sum::<u32>(), 128);
}

#[test]
fn misuse_of_the_heap_is_found() {
    let allocate = call("b64 %d1", "malloc", &[("b64", "40")]);
    let release = call("", "free", &[("b64", "%d1")]);
    let (access, free) = (FindingKind::OutOfBounds, FindingKind::InvalidFree);
    for (what, kind, part) in [
        ("st.u32 [%d1+40], 1;\n".to_owned(), access, "0 bytes behind the end of a block of 40 bytes from malloc"),
        (format!("{release}ld.u32 %r1, [%d1];\n"), access, "where no block is"),
        (format!("{release}{release}"), free, "free"),
        (format!("add.u64 %d1, %d1, 8;\n{release}"), free, "free"),
    ] {
        let ran = run(&format!("{allocate}{what}"), 1, 1);
        assert_eq!(ran.finding().kind, kind);
        assert!(ran.finding().message.contains(part), "{}", ran.finding().message);
    }
    let nothing = run(&format!("mov.u64 %d1, 0;\n{release}"), 1, 32);
    assert_eq!(nothing.report.findings, []);
}

#[test]
fn a_failed_assertion_names_its_thread_and_place() {
    let fail = call("", "__assertfail", &[("b64", "%d2"), ("b64", "%d2"), ("b32", "77"), ("b64", "%d2"), ("b64", "1")]);
    let body =
        format!("mov.u64 %d2, word;\ncvta.global.u64 %d2, %d2;\nsetp.lt.u32 %q1, %tid, 37;\n@%q1 bra DONE;\n{fail}\n");
    let ran = run(&body, 2, 64);
    let finding = ran.finding();
    assert_eq!((finding.kind, finding.block, finding.warp, finding.count), (FindingKind::Assert, [0; 3], 1, 2));
    assert_eq!(finding.message, "the assertion `word` does not hold for thread (37,0,0): word, line 77, in word");
    assert_eq!(finding.lanes, (5..32).collect::<Vec<u32>>());
}

#[test]
fn clocks_count_the_models_cycles() {
    let body = "mov.u32 %r1, %clock;\nmov.u64 %d1, %clock64;\nnanosleep.u32 5000;\nmov.u64 %d2, %clock64;\n\
                sub.u64 %d3, %d2, %d1;\ncvt.u32.u64 %out, %d3;";
    let first = common::warp(body);
    assert_eq!(first, common::warp(body), "no real clock");
    assert!(first.iter().all(|&cycles| (5000..5100).contains(&cycles)), "{first:?}");
    let timer = "mov.u64 %d1, %globaltimer;\nadd.u32 %r1, %tid, 1;\nmov.u64 %d2, %globaltimer;\nsetp.gt.u64 %q1, %d2, %d1;\n\
                 selp.u32 %out, 1, 0, %q1;";
    assert_eq!(common::warp(timer), by_lane(|_| 1));
}

#[test]
fn what_is_not_simulated_is_refused_by_name_and_line() {
    let launch = ".extern .func (.param .b32 r) cudaLaunchDevice (.param .b64 a);\n";
    for (module, instruction, name) in [
        ("", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1}];", "`tex.1d.v4.f32.s32`"),
        ("", "suld.b.1d.b32.trap {%r1}, [%d1, {%r2}];", "`suld.b.1d.b32.trap`"),
        ("", "sust.b.1d.b32.trap [%d1, {%r2}], {%r1};", "`sust.b.1d.b32.trap`"),
        (launch, &*call("b32 %r1", "cudaLaunchDevice", &[("b64", "%d1")]), "`cudaLaunchDevice`"),
    ] {
        let text = kernel(module, instruction);
        let module = Module::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
        let error = module.lower("k", Lowering::None).expect_err(name);
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
        let message = error.to_string();
        assert!(message.contains(name) && message.contains("--> k.ptx:"), "{message}");
    }
}
