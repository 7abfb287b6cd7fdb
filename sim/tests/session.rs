//! A launch that is stepped leaves what a simulation leaves, and a position is the same state however one comes there.

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use sim::report::FindingKind;
use sim::session::{Direction, Event, Limits, Session, State, Unit, View, Word};
use sim::{Arg, Dim3, Launch, Module, Options, Scalar, simulate};

/// A launch with its name.
struct Case {
    name: String,
    module: Module,
    kernel: String,
    launch: Launch,
}

fn header<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
}

fn argument(spec: &str) -> Arg {
    match spec.split_once(':') {
        Some(("uninit", bytes)) => Arg::Uninit(bytes.parse().unwrap()),
        Some(("zeros", bytes)) => Arg::Zeros(bytes.parse().unwrap()),
        Some(("iota", count)) => Arg::buffer_of(&(0..count.parse().unwrap()).collect::<Vec<u32>>()),
        _ => Arg::Scalar(Scalar::parse(spec).unwrap()),
    }
}

/// A kernel of the catalogue of faulty and correct ones.
fn of_catalogue(path: &Path) -> Case {
    let ptx = fs::read_to_string(path).unwrap();
    let source = path.with_extension("cu");
    let text = if source.exists() { fs::read_to_string(source).unwrap() } else { ptx.clone() };
    let shape: Vec<&str> = header(&text, "launch").unwrap().split_whitespace().collect();
    let launch = Launch {
        grid: shape[0].parse().unwrap(),
        block: shape[1].parse().unwrap(),
        shared_bytes: shape.get(2).map_or(0, |bytes| bytes.parse().unwrap()),
        args: header(&text, "args").unwrap_or_default().split_whitespace().map(argument).collect(),
    };
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let module = Module::parse(&name, &ptx).unwrap();
    let kernel = module.kernels()[0].to_owned();
    Case { name, module, kernel, launch }
}

fn in_tests(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

fn catalogue() -> Vec<Case> {
    let mut files: Vec<PathBuf> = ["correct", "faulty"]
        .into_iter()
        .flat_map(|folder| fs::read_dir(in_tests(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|is| is == "ptx"))
        .collect();
    files.sort();
    files.iter().map(|path| of_catalogue(path)).collect()
}

fn scan(kernel: &str, blocks: u32) -> Case {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/ptx/scan.ptx");
    let module = Module::parse("scan.ptx", &fs::read_to_string(path).unwrap()).unwrap();
    let n = blocks * 512;
    let input: Vec<f32> = (0..n).map(|i| (i % 13) as f32 * 0.125).collect();
    let args = vec![
        Arg::Zeros(u64::from(n) * 4),
        Arg::buffer_of(&input),
        Arg::Scalar(Scalar::I32(n as i32)),
        Arg::Scalar(Scalar::I32(512)),
    ];
    let launch = Launch { grid: Dim3::linear(blocks), block: Dim3::linear(256), shared_bytes: 2048, args };
    Case { name: kernel.to_owned(), module, kernel: kernel.to_owned(), launch }
}

fn options(seed: u64) -> Options {
    Options { seed, budget: 1 << 17, ..Options::default() }
}

impl Case {
    fn open(&self, seed: u64, limits: Limits) -> Session {
        let opened = Session::new(&self.module, &self.kernel, &self.launch, &options(seed), limits);
        opened.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// All buffers at the end are those that a simulation leaves.
    fn ends_as_simulated(&self, session: &mut Session, seed: u64) {
        let outcome = simulate(&self.module, &self.kernel, &self.launch, &options(seed)).unwrap();
        session.seek(u64::MAX);
        for (argument, content) in outcome.buffers.iter().enumerate() {
            let Some(content) = content else { continue };
            let own = session.buffer(argument, 0, u64::MAX).unwrap();
            assert!(own == **content, "{}, seed {seed}: argument {argument} differs", self.name);
        }
    }
}

/// Numbers that look random and are the same in every run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn view(session: &mut Session, position: u64) -> View {
    session.seek(position);
    session.view(None, (0, 64)).unwrap()
}

#[test]
fn the_end_of_a_session_is_the_end_of_a_simulation() {
    let mut complete = 0;
    for case in catalogue().iter().chain([&scan("scan_blelloch", 3), &scan("scan_naive", 2)]) {
        for seed in [0, 3] {
            let mut session = case.open(seed, Limits { steps: 1 << 18, ..Limits::default() });
            if session.is_complete() {
                complete += 1;
                case.ends_as_simulated(&mut session, seed);
            }
        }
    }
    assert!(complete > 400, "{complete} of them came to an end");
}

#[test]
fn a_position_is_one_state_however_one_comes_there() {
    let mut seed_of_walk = 1;
    for case in catalogue().iter().chain([&scan("scan_blelloch", 3)]) {
        for seed in [0, 5] {
            let limits = Limits { steps: 1 << 14, ..Limits::default() };
            let mut session = case.open(seed, limits);
            // Without room there are hardly any snapshots.
            let mut poor = case.open(seed, Limits { bytes: 0, ..limits });
            let length = session.length();
            assert_eq!(poor.length(), length, "{}", case.name);
            for _ in 0..6 {
                let position = random(&mut seed_of_walk) % (length + 1);
                let here = view(&mut session, position);
                let name = format!("{}, seed {seed}, position {position} of {length}", case.name);
                assert_eq!(here, view(&mut poor, position), "{name}");
                // Ten steps on and back, or as many as there are.
                for on in 1..=10.min(length - position) {
                    let there = view(&mut session, position + on);
                    // What is next is what then was last.
                    let before = view(&mut session, position + on - 1).next.unwrap();
                    let last = there.last.unwrap();
                    assert_eq!((before.block, before.warp), (last.block, last.warp), "{name} + {on}");
                    assert_eq!(before.place, last.place, "{name} + {on}");
                    assert_eq!(before.lanes & last.lanes, last.lanes, "{name} + {on}");
                }
                assert_eq!(here, view(&mut session, position), "{name}: ten steps back");
            }
        }
    }
}

#[test]
fn every_unit_goes_back_to_where_it_came_from() {
    let mut session = scan("scan_blelloch", 2).open(0, Limits::default());
    let length = session.length();
    let mut seed = 7;
    for unit in [Unit::Step, Unit::Warp, Unit::Line, Unit::Block] {
        for _ in 0..100 {
            let (block, warp) = (random(&mut seed) % 2, (random(&mut seed) % 8) as u32);
            let start = random(&mut seed) % length;
            // From an end of the unit, one on and one back is where one was.
            let Some(from) = session.step_from(start, unit, Direction::Forward, block, warp) else { continue };
            let Some(to) = session.step_from(from, unit, Direction::Forward, block, warp) else { continue };
            assert!(to > from, "{unit:?}");
            assert_eq!(session.step_from(to, unit, Direction::Back, block, warp), Some(from), "{unit:?} from {start}");
        }
    }
    // A warp's step is the warp's own.
    let on = session.step_from(0, Unit::Warp, Direction::Forward, 1, 5).unwrap();
    let last = view(&mut session, on).last.unwrap();
    assert_eq!((last.block, last.warp), (1, 5));
    assert_eq!(session.step_from(length, Unit::Step, Direction::Forward, 0, 0), None);
    assert_eq!(session.step_from(0, Unit::Warp, Direction::Back, 0, 0), None);
}

#[test]
fn what_is_seen_is_what_the_kernel_does() {
    let mut session = scan("scan_blelloch", 1).open(0, Limits::default());
    let conflict = session.event_from(0, Event::Conflict, Direction::Forward, None, None).unwrap();
    let seen = view(&mut session, conflict);
    let last = seen.last.unwrap();
    let access = &last.accesses[0];
    assert!(access.shared && access.cost > access.ideal, "{access:?}");
    assert!(seen.sentence.contains("wavefronts, at best"), "{}", seen.sentence);
    assert!(last.place.file.ends_with("scan.cu"), "{:?}", last.place);
    let written: Vec<_> = seen.warp.registers.iter().filter(|register| register.written).collect();
    assert!(last.place.text.starts_with("ld.shared.f32 "), "{}", last.place.text);
    let [register] = *written else { panic!("{written:?}") };
    assert!(last.place.text.contains(&format!("{},", register.name)) && register.kind == "f32", "{register:?}");
    assert_eq!(register.values.iter().filter(|value| value.is_some()).count(), last.lanes.count_ones() as usize);
    // Whoever wrote a word holds its value.
    let shared = seen.block.shared.unwrap();
    assert_eq!((shared.kind.as_str(), shared.words, shared.values.len()), ("f32", 512, 64));
    let word = Word::Shared { block: 0, address: 4 * 5, bytes: 4 };
    let write = session.last_write(session.length(), word).unwrap();
    let (before, after) = (view(&mut session, write.position - 1), view(&mut session, write.position));
    assert_eq!(after.last.as_ref().unwrap().warp, write.warp);
    assert!(after.block.shared.as_ref().unwrap().touched.contains(&5));
    let values = [before, after].map(|view| view.block.shared.unwrap().values[5].clone());
    let end = view(&mut session, u64::MAX);
    // The block has ended, and its shared memory with it.
    assert!(end.next.is_none() && end.block.shared.is_none(), "{end:?}");
    assert!(end.block.warps.iter().all(|warp| warp.state == State::Exited));
    assert_ne!(values[0], values[1]);
    assert_eq!(session.last_write(write.position - 1, word).map(|other| other.position < write.position), Some(true));
    // At a barrier some wait, and others are missing.
    let barrier = session.event_from(0, Event::Barrier, Direction::Forward, None, None).unwrap();
    let waits = view(&mut session, barrier);
    let at = &waits.block.barriers[0];
    assert_eq!((at.id, &*at.waiting), (0, &[waits.last.as_ref().unwrap().warp][..]));
    assert_eq!(at.waiting.len() + at.missing.len(), 8);
    // Whoever looks at the warp itself is told what became of it.
    let own = session.view(Some((0, at.waiting[0])), (0, 0)).unwrap();
    assert!(own.sentence.ends_with("It waits at barrier 0."), "{}", own.sentence);
}

#[test]
fn lanes_that_diverge_and_findings_are_found() {
    let faulty = of_catalogue(&in_tests("faulty/tile_overwritten.ptx"));
    let mut session = faulty.open(0, Limits::default());
    let found = session.findings()[0].clone();
    assert_eq!(found.finding.kind, FindingKind::Race);
    let here = view(&mut session, found.position).last.unwrap();
    assert_eq!((here.place.line, here.warp), (found.finding.line, found.finding.warp));
    assert!(here.events.contains(&Event::Finding));
    let first = session.event_from(0, Event::Finding, Direction::Forward, None, None);
    assert!(first.is_some_and(|first| first <= found.position));

    let diverging = of_catalogue(&in_tests("faulty/half_of_the_block_at_a_barrier.ptx"));
    let mut session = diverging.open(0, Limits::default());
    assert!(!session.findings().is_empty());
    if let Some(parts) = session.event_from(0, Event::Divergence, Direction::Forward, None, None) {
        assert!(view(&mut session, parts).warp.paths.len() > 1);
    }
    let timeline = session.timeline(40);
    assert!(timeline.len() <= 40 && timeline.iter().any(|(events, _)| events.contains(&Event::Finding)));
}

#[test]
fn what_is_too_long_ends_early_and_what_is_not_there_is_refused() {
    let endless = of_catalogue(&in_tests("faulty/endless_loop.ptx"));
    let case = scan("scan_blelloch", 1);
    let mut session = case.open(0, Limits { steps: 100, ..Limits::default() });
    assert!(!session.is_complete());
    assert_eq!(session.length(), 100);
    assert!(view(&mut session, 100).next.is_some(), "the launch would go on");
    let mut session = endless.open(0, Limits { steps: 5000, ..Limits::default() });
    let length = session.length();
    assert!(view(&mut session, length).position == length);
    let mut session = case.open(0, Limits::default());
    for (warp, part) in [((0, 8), "no warp 8"), ((1, 0), "in a block 1")] {
        let refused = session.view(Some(warp), (0, 0)).unwrap_err().to_string();
        assert!(refused.contains(part), "{refused}");
    }
    assert!(session.buffer(2, 0, 4).unwrap_err().to_string().contains("argument 2 is no buffer"));
}

#[test]
fn steps_are_told_without_a_look_at_them() {
    let mut session = scan("scan_blelloch", 2).open(0, Limits::default());
    let places = session.instructions();
    let length = session.length();
    let mut seed = 11;
    for _ in 0..100 {
        let position = random(&mut seed) % length;
        let step = session.step_at(position).unwrap();
        let done = view(&mut session, position + 1).last.unwrap();
        assert_eq!((step.block, step.warp, step.lanes), (done.block, done.warp, done.lanes));
        assert_eq!(places[step.instruction as usize], done.place);
        // To the same instruction of the same warp, and back from there.
        let same = |other: sim::session::StepTaken| {
            (other.block, other.warp, other.instruction) == (step.block, step.warp, step.instruction)
        };
        assert_eq!(session.next_step(position, same), Some(position));
        if let Some(next) = session.next_step(position + 1, same) {
            assert_eq!(session.step_before(next, same), Some(position));
        }
    }
    assert_eq!(session.step_at(length), None);
    assert_eq!(session.next_step(0, |_| false), None);
    assert_eq!(session.step_before(length, |_| false), None);
}

/// Run with `cargo test --release -p sim --test session -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement: times depend on the machine"]
fn a_step_back_in_a_long_launch_takes_a_moment() {
    let case = scan("scan_blelloch", 176);
    let began = Instant::now();
    let mut session = case.open(0, Limits::default());
    let opened = began.elapsed();
    let outcome = simulate(&case.module, &case.kernel, &case.launch, &options(0)).unwrap();
    let threads = outcome.report.estimates["warpbook__ptx_thread_inst_executed.sum"];
    let length = session.length();
    let (snapshots, bytes) = session.snapshots();
    println!(
        "{length} steps, {threads} thread-instructions: opened in {opened:?}; {snapshots} snapshots of {bytes} bytes"
    );
    let (mut seed, mut worst, mut sum, count) = (3, std::time::Duration::ZERO, std::time::Duration::ZERO, 200);
    for _ in 0..count {
        let position = random(&mut seed) % length;
        let began = Instant::now();
        view(&mut session, position);
        worst = worst.max(began.elapsed());
        sum += began.elapsed();
    }
    println!("to a random position and a view of it: {:?} on average, {worst:?} at worst", sum / count);
    let began = Instant::now();
    for back in 1..=100 {
        view(&mut session, length / 2 - back);
    }
    println!("a step back: {:?}", began.elapsed() / 100);
    assert!(worst.as_millis() < 100, "{worst:?}");
}
