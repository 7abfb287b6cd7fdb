//! Buffers of more than 4 GiB, of which a kernel touches little, and grids of many blocks that do nothing.

use sim::report::FindingKind;
use sim::{Arg, Dim3, Launch, Module, Options, Outcome, simulate};

/// Distance of the words that the threads of [`FAR`] write.
const STRIDE: u64 = 36 << 20;
/// Threads in all.
const THREADS: u64 = 128;
/// Where blocks meet: 4.5 GiB from the buffer's beginning.
const LAST: u64 = THREADS * STRIDE;

/// Every thread writes its number to a place of its own and reads it back. Then the first thread of every block writes
/// to one word behind all these, the second reads a word that nobody has written, and the third reads behind the end.
const FAR: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry far(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    .reg .pred %p<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    shl.b32 %r3, %r1, 5;
    add.u32 %r3, %r3, %r2;
    cvt.u64.u32 %rd2, %r3;
    mul.lo.u64 %rd3, %rd2, 37748736;
    add.u64 %rd3, %rd1, %rd3;
    st.global.u32 [%rd3], %r3;
    ld.global.u32 %r4, [%rd3];
    setp.eq.u32 %p1, %r2, 0;
    setp.eq.u32 %p2, %r2, 1;
    setp.eq.u32 %p3, %r2, 2;
    @%p1 st.global.u32 [%rd1+4831838208], %r3;
    @%p2 ld.global.u32 %r4, [%rd1+4831838272];
    @%p3 ld.global.u32 %r4, [%rd1+4831838336];
    ret;
}";

/// Thread 0 of every 2^14th block adds one.
const IDLE: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry idle(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    and.b32 %r1, %r1, 16383;
    or.b32 %r1, %r1, %r2;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra done;
    red.global.add.u32 [%rd1], 1;
done:
    ret;
}";

fn run(ptx: &str, kernel: &str, blocks: u32, arg: Arg) -> Outcome {
    let module = Module::parse("large.ptx", ptx).unwrap_or_else(|error| panic!("{error}"));
    let launch = Launch { grid: Dim3::linear(blocks), block: Dim3::linear(32), shared_bytes: 0, args: vec![arg] };
    simulate(&module, kernel, &launch, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn places_beyond_4_gib_are_told_apart_and_checked() {
    let outcome = run(FAR, "far", (THREADS / 32) as u32, Arg::Uninit(LAST + 128));
    let buffer = outcome.buffers[0].as_deref().expect("the argument is a buffer");
    for thread in 0..THREADS {
        let at = (thread * STRIDE) as usize;
        assert_eq!(buffer[at..at + 4], (thread as u32).to_le_bytes(), "thread {thread}");
    }
    let message = |kind: FindingKind| {
        let found: Vec<&str> =
            outcome.report.findings.iter().filter(|found| found.kind == kind).map(|found| &*found.message).collect();
        let [message] = found[..] else { panic!("{kind:?}: {:#?}", outcome.report.findings) };
        message
    };
    assert!(message(FindingKind::OutOfBounds).contains("0 bytes behind the end of argument 0"));
    assert!(message(FindingKind::Uninitialized).contains(&format!("element {} of argument 0", (LAST + 64) / 4)));
    assert!(message(FindingKind::Race).contains(&format!("element {} of argument 0", LAST / 4)));
    assert_eq!(outcome.report.findings.len(), 3);
}

#[test]
fn every_one_of_many_blocks_runs() {
    let blocks = 1 << 17;
    let outcome = run(IDLE, "idle", blocks, Arg::Zeros(4));
    assert_eq!(outcome.report.findings, []);
    assert_eq!(outcome.buffers[0].as_deref(), Some(&(blocks >> 14).to_le_bytes()[..]));
}
