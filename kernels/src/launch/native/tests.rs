//! Sessions on a GPU, with something in its place that gives back what it is told to.

use std::collections::BTreeMap;

use sim::Options;

use super::*;
use crate::counters::EXACT;
use crate::gpu::{GpuError, Value};
use crate::launch::run;
use crate::launch::spec::{LaunchSpec, Session};
use crate::native::{Code, Measured, MeasuredWork};
use crate::open::Opened;

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r2, [n];
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r3, [%rd3];
	add.u32 %r4, %r3, %r2;
	st.global.u32 [%rd3], %r4;
	ret;
}
";

/// Gives these bytes for every buffer, and the counters of one launch.
struct Gives(Vec<Vec<u8>>, u64);

impl Device for Gives {
    fn name(&self) -> String {
        "a stand-in, driver 0".to_owned()
    }

    fn measure(&self, code: Code<'_>, works: &[Work]) -> Result<Measured, GpuError> {
        assert!(code.ptx.contains(".entry add") && works.len() == 1);
        let times = Times { median_ns: 7500, min_ns: 7000, max_ns: 9000, runs: 30 };
        let exact = Some(EXACT.iter().map(|counter| (counter.metric.to_owned(), self.1)).collect());
        Ok(Measured {
            works: vec![MeasuredWork { buffers: self.0.clone(), times, exact, streams: Vec::new() }],
            notes: Vec::new(),
        })
    }
}

fn session(args: &[&str], repeat: u32) -> Session {
    let launch = LaunchSpec {
        kernel: None,
        grid: sim::Dim3::linear(1),
        block: Some(sim::Dim3::linear(4)),
        shared_bytes: 0,
        args: args.iter().map(|&text| text.to_owned()).collect(),
        symbols: BTreeMap::new(),
        repeat,
    };
    let buffers = BTreeMap::from([("x".to_owned(), "u32[4]=[1, 2, 3, 4]".to_owned())]);
    Session { buffers, launches: vec![launch], ..Session::default() }
}

fn simulated(session: &Session) -> (Ran, Twin) {
    let mut opened = Opened::of_ptx("add.ptx", PTX).unwrap();
    let mut twin = Twin::new();
    let ran = run::run(session, &mut opened, &Options::default(), None, Some(&mut twin)).unwrap();
    (ran, twin)
}

fn words(values: [u32; 4]) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn launches_share_their_named_buffers() {
    let (ran, twin) = simulated(&session(&["&x", "5"], 2));
    assert_eq!((twin.work.buffers.len(), twin.work.launches.len()), (1, 2));
    assert_eq!(&*twin.work.buffers[0].content, &words([1, 2, 3, 4])[..], "what stood there before the first launch");
    assert_eq!(twin.left[0].bytes, words([11, 12, 13, 14]), "what the second leaves");
    let right = twin.run(&ran, Code::of_ptx(PTX), 0.0, &Gives(vec![words([11, 12, 13, 14])], 2));
    assert!(right.agrees(), "{right:?}");
    let text = right.text();
    assert!(
        text.contains("a stand-in") && text.contains("as simulated (4 elements)") && text.contains("7.5 µs"),
        "{text}"
    );
    assert!(text.contains("2 = 2") && text.contains(" ≠ 2"), "two loads of a warp, and other things: {text}");

    let wrong = twin.run(&ran, Code::of_ptx(PTX), 0.0, &Gives(vec![words([11, 12, 0, 14])], 2));
    assert!(!wrong.agrees() && wrong.text().contains("1 of 4 elements are not as simulated"), "{}", wrong.text());
    assert_eq!(serde_json::to_value(&wrong).unwrap()["outcome"], "ran");
}

#[test]
fn every_launch_has_a_buffer_of_its_own_where_it_makes_one() {
    let (ran, twin) = simulated(&session(&["u32[4]=7", "1"], 2));
    assert_eq!((twin.work.buffers.len(), twin.left.len()), (3, 2));
    assert_eq!(twin.work.launches[1].args[0], Value::Address { buffer: 2, offset: 0 });
    assert_eq!((twin.left[1].buffer, &twin.left[1].bytes), (2, &words([8; 4])), "the last launch's is judged");
    let gives = Gives(vec![words([1, 2, 3, 4]), words([0; 4]), words([8; 4])], 0);
    assert!(twin.run(&ran, Code::of_ptx(PTX), 0.0, &gives).agrees());
}

#[test]
fn faulty_code_is_not_run() {
    let (ran, twin) = simulated(&session(&["u32[2]=7", "1"], 1));
    let refused = twin.run(&ran, Code::of_ptx(PTX), 0.0, &Gives(Vec::new(), 0));
    assert!(matches!(&refused.0.outcome, Outcome::NotRun { why } if why.contains("found faults")), "{refused:?}");
    assert!(refused.agrees() && refused.text().starts_with("not run on the GPU (a stand-in, driver 0): "));
}
