//! Warps and blocks that wait for others: what they ask again and again is no work, and what resident blocks share is
//! shared by all of them.

use super::super::How;
use super::super::replay::{self, Shape};
use super::super::sample;
use super::super::trace::{AccessKind, BlockTrace, Event, Trace};
use super::{inst, rates};
use crate::launch::Scalar;
use crate::module::Module;
use crate::options::Options;
use crate::{Arg, Checks, Dim3, Launch};

/// Every block but the last waits for the one behind it, so that those that start first ask for long.
const RELAY: &str = "
.version 9.0
.target sm_90
.address_size 64
.visible .entry relay(.param .u64 flags)
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [flags];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %nctaid.x;
    add.s32 %r3, %r2, -1;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    setp.eq.u32 %p1, %r1, %r3;
    @%p1 bra DONE;
AGAIN:
    ld.volatile.global.u32 %r4, [%rd3+4];
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra AGAIN;
DONE:
    mov.u32 %r5, 1;
    st.volatile.global.u32 [%rd3], %r5;
    ret;
}
";

/// Blocks take numbers from a counter and work for each behind a barrier, until there are none left.
const COUNTER: &str = "
.version 9.0
.target sm_90
.address_size 64
.visible .entry counter(.param .u64 next, .param .u32 count)
{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<2>;
    .shared .align 4 .u32 tile;
    ld.param.u64 %rd1, [next];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %tid.x;
ROUND:
    bar.sync 0;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra TAKEN;
    atom.global.add.u32 %r3, [%rd1], 1;
    st.shared.u32 [tile], %r3;
TAKEN:
    bar.sync 0;
    ld.shared.u32 %r4, [tile];
    setp.ge.u32 %p2, %r4, %r1;
    @%p2 bra END;
    mov.u32 %r5, 0;
WORK:
    add.s32 %r5, %r5, 1;
    setp.lt.u32 %p3, %r5, 300;
    @%p3 bra WORK;
    bra.uni ROUND;
END:
    ret;
}
";

fn traced(ptx: &str, kernel: &str, launch: &Launch) -> Trace {
    let module = Module::parse("test.ptx", ptx).expect("PTX");
    let options = Options { checks: Checks::NONE, ..Options::default() };
    sample(&module, kernel, launch, &options, &How::default()).expect("a sample").trace
}

#[test]
fn who_asks_again_and_again_waits_and_does_not_work() {
    let launch =
        Launch { grid: Dim3::linear(64), block: Dim3::linear(32), shared_bytes: 0, args: vec![Arg::Zeros(1024)] };
    let trace = traced(RELAY, "relay", &launch);
    for block in trace.blocks.iter().chain(&trace.neighbours) {
        let loads = block.warps[0].iter().filter(|event| match event {
            Event::Global { access, .. } => trace.accesses[*access as usize].kind == AccessKind::LoadL2,
            Event::Run { .. }
            | Event::Off { .. }
            | Event::Shared { .. }
            | Event::Barrier { .. }
            | Event::Phase { .. }
            | Event::Lands { .. } => false,
        });
        assert_eq!(loads.count(), 1, "block {} asks once", block.index);
        assert!(block.executed < 20 && block.executed == block.kept, "{} instructions", block.executed);
    }
    assert!(trace.followed() >= 4 && trace.blocks.len() == 1, "one is replayed, others are watched");
}

#[test]
fn resident_blocks_share_a_counter() {
    let (blocks, each) = (264_u32, 8_u32);
    let launch = Launch {
        grid: Dim3::linear(blocks),
        block: Dim3::linear(256),
        shared_bytes: 0,
        args: vec![Arg::Zeros(4), Arg::Scalar(Scalar::U32(blocks * each))],
    };
    let trace = traced(COUNTER, "counter", &launch);
    let once = 300 * 3 * 8;
    for block in &trace.blocks {
        let (tiles, each) = (block.executed / once, u64::from(each));
        assert!((each / 2..=each * 2).contains(&tiles), "block {} takes {tiles} of {each}", block.index);
    }
}

#[test]
fn a_warp_waits_for_the_phase_of_an_mbarrier() {
    let code = vec![
        inst("fma.rn.f32 %f1, %f1, %f1, %f1;", &[0], &[0], None),
        inst("mbarrier.arrive.shared::cta.b64 _, [%r1];", &[], &[], None),
        inst("mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;", &[], &[], None),
    ];
    let of = |arrives: bool, work: usize| {
        let mut first = vec![Event::Run { pc: 0, length: 1 }; work];
        if arrives {
            first.push(Event::Phase { pc: 1, phase: 0, waits: false });
        }
        let second = vec![Event::Phase { pc: 2, phase: 0, waits: true }];
        let mut second_works = second.clone();
        second_works.extend(vec![Event::Run { pc: 0, length: 1 }; work]);
        let block = BlockTrace { index: 0, warps: vec![first, second_works], executed: 1, kept: 1 };
        let trace = Trace { code: code.clone(), blocks: vec![block], ..Trace::default() };
        let shape = Shape { blocks: 1, resident: 1, shared_bytes: 0, warm: 0.0, followed: 0, whole: None };
        replay::replay(&trace, &shape, &rates()).clocks
    };
    let (apart, behind) = (of(false, 1000), of(true, 1000));
    assert!(behind > apart + 3000.0, "one behind the other: {behind} clocks, {apart} side by side");
}
