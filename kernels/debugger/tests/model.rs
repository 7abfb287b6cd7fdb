//! The model and its commands, on kernels whose PTX is committed.

use debugger::Start;
use debugger::answers::Commands;
use debugger::model::{Spot, Stop};
use launches::{path, scan};
use sim::session::{Direction, Event, State, Unit, Word};

#[path = "shared/launches.rs"]
mod launches;

fn source(line: u32) -> Spot {
    Spot::Source { file: "scan.cu".to_owned(), line }
}

/// All answers of some commands.
fn answers(start: &Start, text: &str) -> Result<String, String> {
    let mut commands = Commands::new(start.open().unwrap_or_else(|refused| panic!("{refused}")));
    let mut out = String::new();
    commands.all(text, |_, answer| out += answer)?;
    Ok(out)
}

#[test]
fn a_breakpoint_stops_each_warp_at_its_line_forwards_and_back() {
    let mut model = scan().open().unwrap();
    let barrier = model.places().iter().find(|place| place.text.contains("bar.sync")).unwrap().clone();
    let line = barrier.inlined_in.last().map_or(barrier.line, |caller| caller.line);
    assert_eq!(model.add_breakpoint(&source(line)).unwrap().spot, source(line));
    let mut stops = Vec::new();
    while let Stop::Breakpoint(number) = model.run(Direction::Forward) {
        assert_eq!(number, 1);
        let step = model.step_at(model.position()).unwrap();
        assert_eq!((step.block, step.warp), model.look());
        let place = model.place(step);
        assert!(place.line == line || place.inlined_in.iter().any(|caller| caller.line == line));
        stops.push(model.position());
    }
    assert_eq!(model.position(), model.length());
    assert!(stops.len() >= 2, "each of the two warps comes there: {stops:?}");
    let mut back = Vec::new();
    while let Stop::Breakpoint(_) = model.run(Direction::Back) {
        back.push(model.position());
    }
    back.reverse();
    assert_eq!((back, model.position()), (stops, 0));
}

#[test]
fn a_breakpoint_moves_to_the_next_line_with_code() {
    let mut model = scan().open().unwrap();
    let lines = model.lines_with_code("scan.cu", 1..=u32::MAX);
    let first = lines[0];
    assert!(first > 1);
    assert_eq!(model.add_breakpoint(&source(1)).unwrap().spot, source(first));
    assert!(model.add_breakpoint(&source(lines[lines.len() - 1] + 1)).is_none());
    assert!(model.add_breakpoint(&Spot::Source { file: "other.cu".to_owned(), line: 1 }).is_none());
    assert!(matches!(model.add_breakpoint(&Spot::Ptx(1)).unwrap().spot, Spot::Ptx(line) if line > 1));
    assert_eq!(model.remove_breakpoints(|_| true), 2);
}

#[test]
fn a_step_and_a_step_back_are_the_same_state() {
    let mut model = scan().open().unwrap();
    for unit in [Unit::Warp, Unit::Step, Unit::Block, Unit::Line] {
        model.seek(40);
        assert_eq!(model.step(unit, Direction::Forward, 3), 3);
        let (there, view) = (model.position(), model.view().unwrap().clone());
        assert_eq!(model.step(unit, Direction::Forward, 2), 2);
        assert_eq!(model.step(unit, Direction::Back, 2), 2);
        assert_eq!(model.position(), there, "{unit:?}");
        assert_eq!(*model.view().unwrap(), view, "{unit:?}");
    }
    model.seek(0);
    assert_eq!(model.step(Unit::Warp, Direction::Back, 5), 0);
    let most = model.length();
    let done = model.step(Unit::Step, Direction::Forward, most + 5);
    assert_eq!(done, most);
}

#[test]
fn lines_are_stepped_over_and_back() {
    let mut model = scan().open().unwrap();
    let mut positions = vec![model.position()];
    while model.over(Direction::Forward) {
        positions.push(model.position());
    }
    assert!(positions.len() > 10 && positions.is_sorted());
    let (look, end) = (model.look(), model.position());
    let last = model.step_at(end - 1).unwrap();
    assert_eq!((last.block, last.warp), look, "behind the warp's last step");
    // The beginnings of lines, the other way round.
    for &position in positions.iter().rev().skip(1) {
        assert!(model.over(Direction::Back));
        assert!(model.position() <= end);
        let step = model.step_at(model.position()).unwrap();
        assert_eq!((step.block, step.warp), look);
        assert!(model.position() >= position);
    }
    model.seek(0);
    assert!(model.out(), "out of the kernel is behind the warp's last step");
    assert_eq!(model.position(), end);
}

#[test]
fn who_wrote_a_word_is_gone_to_and_one_returns() {
    let mut model = scan().open().unwrap();
    model.seek(u64::MAX);
    let from = (model.position(), model.look());
    let written = model.last_write(Word::Shared { block: 0, address: 0, bytes: 4 }).unwrap();
    assert!(model.jump(Some(written.position)));
    let last = model.view().unwrap().last.clone().unwrap();
    assert_eq!((last.block, last.warp), (written.block, written.warp));
    assert!(last.accesses.iter().any(|access| access.shared && access.what.starts_with("store")));
    assert_eq!(model.look(), (written.block, written.warp));
    assert!(model.jump_back());
    assert_eq!((model.position(), model.look()), from);
    assert!(!model.jump_back());
}

#[test]
fn a_run_stops_at_a_finding_and_shows_who_waits() {
    let start = Start {
        file: path("sim/tests/faulty/half_of_the_block_at_a_barrier.ptx"),
        block: Some("64".to_owned()),
        args: vec!["zeros:256".to_owned()],
        ..Start::default()
    };
    let model = start.open();
    let mut model = match model {
        Ok(model) => model,
        Err(refused) => panic!("{refused}"),
    };
    assert!(!model.findings().is_empty());
    let Stop::Finding(index) = model.run(Direction::Forward) else { panic!("it runs past the finding") };
    assert_eq!(model.position(), model.findings()[index].position);
    model.seek(u64::MAX);
    let states: Vec<State> = model.view().unwrap().block.warps.iter().map(|warp| warp.state.clone()).collect();
    assert!(states.iter().any(|state| *state != State::Ready), "{states:?}");
    assert!(model.event(Event::Finding, Direction::Back) || index == 0);
    model.stops_at_findings = false;
    model.seek(0);
    assert_eq!(model.run(Direction::Forward), Stop::End);
}

#[test]
fn commands_answer_in_plain_text() {
    let out =
        answers(&scan(), "step 3; next barrier; warps; paths; list; ptx; registers; access; timeline; help").unwrap();
    for part in
        ["step 3 of ", "Barrier 0: warp 0 waits; missing: 1.", "waits at barrier 0", "▸", "bar.sync", "previous EVENT"]
    {
        assert!(out.contains(part), "{part}:\n{out}");
    }
    let out = answers(
        &scan(),
        "next barrier; print 0..3; end; print sums[0..4]; print ones[63]; print threadIdx.x; who sums[3]; return",
    )
    .unwrap();
    for part in [
        "sums[0] to [3] as f32\n      0 0 1 2 3\n",
        "ones[63] to [63] as f32\n     63 1\n",
        "shared memory[0] to [2] as f32, from word 0 (bank 0) on",
        "threadIdx.x (u32): 0 1 2 3",
        "Written by warp 0 of block 0, lane 3.",
        "store to global memory",
        "Nothing more is executed.",
    ] {
        assert!(out.contains(part), "{part}:\n{out}");
    }
    let out = answers(&scan(), "look 1; unit line; step; out; step back any; findings; breakpoints");
    assert!(out.unwrap_err().contains("the command `step back any`: step: `any` is too much"));
    let out = answers(&scan(), "look 1; unit line; step; out; step; findings; breakpoints; run").unwrap();
    for part in [
        "block 0, warp 1; not exited: ",
        "source line of this warp",
        "There is none.",
        "no findings",
        "there are no breakpoints",
        "The end of the launch.",
    ] {
        assert!(out.contains(part), "{part}:\n{out}");
    }
}

#[test]
fn what_cannot_be_done_says_why() {
    for (text, part) in [
        ("look 7", "there is no warp 7 in a block 0: 1 blocks have 2 warps each"),
        ("print nothing", "nothing is called `nothing` here; there are: ones, sums"),
        ("print sums[64]", "buffer `sums` has 64 elements, numbered from 0"),
        ("end; print 3", "the block has no shared memory now"),
        ("end; print temp[3]", "the block has no shared memory now"),
        ("print temp[128]", "`temp` has 128 words of 4 bytes"),
        ("who temp[99999999999]", "`temp` has 128 words"),
        ("print 5000", "shared memory has 128 words"),
        ("who %f1", "nothing is called `%f1`"),
        ("break 100000", "has no code, and none behind it has"),
        ("delete 3", "there is no breakpoint 3"),
    ] {
        let why = answers(&scan(), text).unwrap_err();
        assert!(why.contains(part), "{text}: {why}");
    }
    let refused = |start: Start| start.open().unwrap_err();
    assert_eq!(refused(Start { kernel: Some("scan".to_owned()), ..scan() }).code, 2);
    assert_eq!(refused(Start { launch: Some(2), ..scan() }).message, "there is no launch 2: there is one launch");
    assert_eq!(refused(Start { launch: Some(0), ..scan() }).message, "launches are counted from 1");
    let short = Start { steps: Some(50), ..scan() }.open().unwrap();
    assert!(short.length() == 50 && !short.is_complete());
}

#[test]
fn launches_of_a_launch_file_are_stepped_one_by_one() {
    let of = |launch| Start { file: path("tests/cmd/twice.toml"), launch: Some(launch), ..Start::default() };
    assert!(answers(&of(1), "end; print sums[0..4]").unwrap().contains(" 0 1 2 3\n"));
    assert!(answers(&of(2), "print sums[0..4]; end; print again[0..4]").unwrap().contains(" 0 0 1 3\n"));
}
