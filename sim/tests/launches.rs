//! What one launch leaves to the next: of memory that nobody has initialised, which bytes somebody has written by now.

use sim::report::FindingKind;
use sim::{Arg, Checks, Content, Dim3, Launch, Module, Options, Outcome, Scalar, simulate};

/// `fill` writes `data[first + thread]` for threads below `count`; `double` reads and writes it; `touch` does nothing.
const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n\
    .visible .entry fill(.param .u64 data, .param .u32 first, .param .u32 count) {\n\
    .reg .b32 %i, %first, %count, %n, %b;\n.reg .b64 %data, %at;\n.reg .pred %p;\n\
    ld.param.u64 %data, [data];\nld.param.u32 %first, [first];\nld.param.u32 %count, [count];\n\
    mov.u32 %n, %ntid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %i, %tid.x;\nmad.lo.u32 %i, %n, %b, %i;\n\
    setp.ge.u32 %p, %i, %count;\n@%p ret;\nadd.u32 %i, %i, %first;\nmul.wide.u32 %at, %i, 4;\nadd.s64 %at, %data, %at;\n\
    st.global.u32 [%at], %i;\nret;\n}\n\
    .visible .entry double(.param .u64 data, .param .u32 first, .param .u32 count) {\n\
    .reg .b32 %i, %first, %count, %n, %b, %v;\n.reg .b64 %data, %at;\n.reg .pred %p;\n\
    ld.param.u64 %data, [data];\nld.param.u32 %first, [first];\nld.param.u32 %count, [count];\n\
    mov.u32 %n, %ntid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %i, %tid.x;\nmad.lo.u32 %i, %n, %b, %i;\n\
    setp.ge.u32 %p, %i, %count;\n@%p ret;\nadd.u32 %i, %i, %first;\nmul.wide.u32 %at, %i, 4;\nadd.s64 %at, %data, %at;\n\
    ld.global.u32 %v, [%at];\nadd.u32 %v, %v, %v;\nst.global.u32 [%at], %v;\nret;\n}\n\
    .visible .entry touch(.param .u64 data, .param .u32 first, .param .u32 count) {\nret;\n}\n";

/// A launch of `kernel` over elements `first..first + count`, one thread each.
fn launch(kernel: &str, data: Arg, first: u32, count: u32, checks: Checks) -> Outcome {
    let module = Module::parse("launches.ptx", PTX).expect("well-formed");
    let args = vec![data, Arg::Scalar(Scalar::U32(first)), Arg::Scalar(Scalar::U32(count))];
    let launch =
        Launch { grid: Dim3::linear(count.div_ceil(96).max(1)), block: Dim3::linear(96), shared_bytes: 0, args };
    let options = Options { checks, ..Options::default() };
    simulate(&module, kernel, &launch, &options).expect("a launch that the simulator takes")
}

/// The buffer that a launch without findings leaves.
fn left(mut outcome: Outcome) -> Content {
    assert!(outcome.report.findings.is_empty(), "{:?}", outcome.report.findings);
    outcome.buffers[0].take().expect("a buffer")
}

fn uninitialized(outcome: &Outcome) -> u64 {
    let findings = outcome.report.findings.iter();
    findings.inspect(|finding| assert_eq!(finding.kind, FindingKind::Uninitialized)).map(|finding| finding.count).sum()
}

#[test]
fn a_launch_reads_what_earlier_ones_have_written() {
    // Parts of pages of 4 KiB, whole ones, and a last one that is cut off.
    for (elements, part) in [(64, 10), (1024, 1000), (5000, 3000), (5000, 4096), (100_003, 70_001)] {
        let new = left(launch("fill", Arg::Uninit(u64::from(elements) * 4), 0, part, Checks::ALL));
        let again = |first, count| launch("double", Arg::Buffer(new.clone()), first, count, Checks::ALL);
        assert_eq!(uninitialized(&again(0, part)), 0, "{elements}");
        assert_eq!(uninitialized(&again(0, elements)), u64::from(elements - part), "{elements}");
        assert_eq!(uninitialized(&again(part - 1, 2)), 1, "{elements}");

        // A launch that does nothing changes nothing; one that writes the rest leaves nothing to say.
        let same = left(launch("touch", Arg::Buffer(new.clone()), 0, 0, Checks::ALL));
        assert_eq!(uninitialized(&launch("double", Arg::Buffer(same.clone()), part, 1, Checks::ALL)), 1);
        let whole = left(launch("fill", Arg::Buffer(same), part, elements - part, Checks::ALL));
        assert_eq!(uninitialized(&launch("double", Arg::Buffer(whole), 0, elements, Checks::ALL)), 0, "{elements}");
    }
}

#[test]
fn nothing_is_said_of_what_was_not_checked() {
    let unchecked = left(launch("fill", Arg::Uninit(4096), 0, 100, Checks::NONE));
    assert_eq!(uninitialized(&launch("double", Arg::Buffer(unchecked.clone()), 0, 1024, Checks::ALL)), 0);
    // Another simulation of the same launch knows it.
    let checked = left(launch("fill", Arg::Uninit(4096), 0, 100, Checks::ALL));
    let known = unchecked.known_as(&checked);
    assert_eq!(uninitialized(&launch("double", Arg::Buffer(known.clone()), 0, 1024, Checks::ALL)), 924);
    // The host writes all of it.
    let written = Content::from(known.into_vec());
    assert_eq!(uninitialized(&launch("double", Arg::Buffer(written), 0, 1024, Checks::ALL)), 0);
}

#[test]
fn a_buffer_that_nobody_writes_stays_uninitialised() {
    let untouched = left(launch("touch", Arg::Uninit(4096), 0, 0, Checks::ALL));
    assert_eq!(uninitialized(&launch("double", Arg::Buffer(untouched), 3, 7, Checks::ALL)), 7);
}

/// `look` stores the first word of a variable.
const VARIABLE: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 4 .u32 seen[2] = {7, 8};\n\
    .visible .entry look(.param .u64 data) {\n.reg .b32 %v;\n.reg .b64 %data, %at;\n\
    ld.param.u64 %data, [data];\nmov.u64 %at, seen;\nld.global.u32 %v, [%at];\nst.global.u32 [%data], %v;\nret;\n}\n";

#[test]
fn a_kernel_is_lowered_once_until_a_variable_is_set() {
    let look = |module: &Module| {
        let args = vec![Arg::Zeros(4)];
        let launch = Launch { grid: Dim3::linear(1), block: Dim3::linear(1), shared_bytes: 0, args };
        let outcome = simulate(module, "look", &launch, &Options::default()).expect("a launch");
        left(outcome).to_vec()
    };
    let lowered = |module: &Module| module.lower("look", sim::Lowering::Sm90).expect("a program");
    let mut module = Module::parse("variable.ptx", VARIABLE).expect("well-formed");
    let copy = module.clone();
    assert_eq!(look(&module), [7, 0, 0, 0]);
    assert!(std::sync::Arc::ptr_eq(&lowered(&module), &lowered(&copy)));
    module.write_variable("seen", &[9, 0, 0, 0]).expect("a variable");
    assert_eq!((look(&module), look(&copy)), (vec![9, 0, 0, 0], vec![7, 0, 0, 0]));
}
