//! Tests of the workloads that problems list, of records, and of the forms in which they are shown. None needs a GPU.

use std::collections::BTreeSet;

use super::record::records;
use super::*;
use crate::case::Pass;
use crate::gpu::Times;
use crate::verdict::Verdict;
use crate::workload::{Fill, Launches};
use crate::{peers, problem};

fn timed(median_us: u64) -> Outcome {
    let median_ns = median_us * 1000;
    Outcome::Timed(Times { median_ns, min_ns: median_ns - 10, max_ns: median_ns + 500, runs: 15 })
}

fn made(version: &str, data: &str, peer: bool, outcome: Outcome) -> Row {
    Row {
        problem: "compaction".to_owned(),
        size: "2^28".to_owned(),
        elements: 1 << 28,
        unit: "ints".to_owned(),
        data: data.to_owned(),
        bytes: 2_000_000_000,
        version: version.to_owned(),
        peer,
        outcome,
    }
}

fn synthetic() -> Record {
    let why = |text: &str| text.to_owned();
    Record {
        schema: SCHEMA,
        provenance: Provenance {
            gpu: why("NVIDIA H200"),
            compute_capability: why("9.0"),
            sm_count: 132,
            driver: why("580.95.05"),
            cuda: why("13.0"),
            cub: Some(why("3.0.1")),
            npp: None,
            nvcc: Some(why("13.0.88")),
            no_peers: None,
            date: why("2026-11-21"),
            warpbook: why("0.1.0"),
        },
        method: Method { runs: 15, warm_up: 2, seconds: 0.5, scrub_bytes: 256 << 20 },
        code: BTreeMap::from([("compaction".to_owned(), "of other code".to_owned())]),
        copies: vec![Copy { bytes: 2_000_000_000, times: *timed(500).times().unwrap() }],
        sweeps: vec![Sweep {
            problem: "compaction".to_owned(),
            version: "compact_lookback".to_owned(),
            from: "4096".to_owned(),
            to: "8192".to_owned(),
            sizes: 4097,
            wrong: None,
        }],
        rows: vec![
            made("compact_serial", "half kept", false, Outcome::LeftOut { why: why("one thread") }),
            made("compact_ballot5", "half kept", false, Outcome::Faulty { why: why("it \"races\", <always>") }),
            made("compact_lookback", "half kept", false, timed(1000)),
            made("cub::DeviceSelect::If", "half kept", true, timed(800)),
            made("compact_lookback", "all kept", false, timed(2000)),
        ],
    }
}

#[test]
fn a_record_reads_as_it_was_written() {
    let record = synthetic();
    let text = record.to_json();
    assert_eq!(Record::from_json("test", &text).unwrap(), record);
    assert_eq!(text.lines().filter(|line| line.contains("\"version\":")).count(), record.rows.len() + 1);
    assert_eq!(record.file_name(), "bench.h200.json");
    let other = Record::from_json("x.json", &text.replace("\"schema\": 1", "\"schema\": 9")).unwrap_err().to_string();
    assert!(other.contains("layout 9") && other.contains("warpbook bench --record"), "{other}");
    assert!(Record::from_json("x.json", "[]").unwrap_err().to_string().starts_with("x.json is not a record"));
    let folder = tempfile::tempdir().unwrap();
    let file = record.write(&folder.path().join("deeper")).unwrap();
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
}

/// What was measured again takes the place of what was there, in the order of the whole; what does not belong together
/// stays apart.
#[test]
fn a_record_is_renewed_workload_by_workload() {
    let old = || Record {
        rows: vec![made("a", "half kept", false, timed(1)), made("b", "10% kept", false, timed(2))],
        ..synthetic()
    };
    let new = || Record { rows: vec![made("c", "half kept", false, timed(3))], sweeps: Vec::new(), ..synthetic() };
    let renewed = old().renewed_by(new()).unwrap();
    let versions: Vec<&str> = renewed.rows.iter().map(|row| &*row.version).collect();
    assert_eq!(versions, ["c", "b"]);
    assert_eq!((renewed.sweeps.len(), renewed.copies.len()), (1, 1));
    let mut other = new();
    other.provenance.driver = "1.0".to_owned();
    assert!(old().renewed_by(other).unwrap_err().contains("another GPU"));
    let mut other = new();
    other.method.runs = 3;
    assert!(old().renewed_by(other).unwrap_err().contains("another way"));
    let mut other = new();
    other.code.insert("compaction".to_owned(), "changed".to_owned());
    assert!(old().renewed_by(other.clone()).unwrap_err().contains("has changed since"));
    // Everything of the problem was measured.
    let whole = Record { rows: old().rows[..1].to_vec(), sweeps: Vec::new(), ..old() };
    assert_eq!(whole.renewed_by(other).unwrap().code["compaction"], "changed");
}

#[test]
fn rates_and_ratios_follow_from_times_and_bytes() {
    let record = synthetic();
    let blocks = view::blocks(&record, &|_| true);
    assert_eq!(blocks.len(), 2);
    let ours = &blocks[0].lines[2];
    assert_eq!((ours.gb_per_s, ours.percent_of_copy, ours.over_peer), (Some(2000.0), Some(50.0), Some(1.25)));
    assert_eq!(blocks[0].lines[3].over_peer, None, "a peer is not held against itself");
    assert_eq!(blocks[1].lines[0].over_peer, None, "the peer did not run on that workload");
    assert!(blocks[0].lines[1].why().unwrap().contains("wrong, as expected"));
    // The ratio is that of the record, whatever is shown of it.
    let some = view::blocks(&record, &|row| row.version == "compact_lookback");
    assert_eq!(some[0].lines[0].over_peer, Some(1.25));
    assert!(view::notes(&record).iter().any(|note| note.contains("CUB 3.0.1")));
    assert!(view::notes(&record).iter().any(|note| note.contains("changed since: compaction")));
    let csv = view::csv(&record, &|_| true).unwrap();
    assert_eq!(csv.lines().count(), 6);
    assert!(csv.contains("compact_lookback,false,1000.000,999.990,1000.500,15,2000000000,2000.0,50.0,1.250,"), "{csv}");
    let over_least = ours.over_least.unwrap();
    assert!((over_least * blocks[0].least_us.unwrap() - 1000.0).abs() < 1e-6, "{over_least}");
    let unknown = Provenance { gpu: "NVIDIA T4".to_owned(), ..record.provenance.clone() };
    assert_eq!(view::least_us(&Record { provenance: unknown, ..record }, 1), None);
}

#[test]
fn the_picture_is_whole_and_speaks() {
    let svg = plot::svg(&synthetic(), &|_| true).unwrap();
    assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("role=\"img\""));
    assert!(svg.contains("prefers-color-scheme:dark"));
    assert!(svg.contains("compaction, 2^28 ints, half kept: from compact_lookback with 2000 to compact_lookback"));
    assert!(
        svg.contains("cub::DeviceSelect::If has 2500 GB/s; a copy of as many bytes has 4000 GB/s.</desc>"),
        "{svg}"
    );
    assert!(svg.contains("it &quot;races&quot;, &lt;always&gt;"));
    assert!(svg.contains("all kept: 1000 GB/s</title></circle>"));
    assert_eq!(plot::svg(&synthetic(), &|row| row.version == "compact_serial"), None);
}

/// The most elements of a workload whose launches are looked at: plans of large ones fill memory with poison.
const SMALL: u64 = 1 << 16;

/// Every version is benched on a small input, on workloads with names of their own, and launches what exists with
/// buffers that exist.
#[test]
fn workloads_are_whole() {
    for problem in problem::all() {
        let ptx = ptx::committed(problem.name).expect("every problem has PTX").text;
        let workloads = (problem.bench)();
        let mut names = BTreeSet::new();
        let mut run = BTreeSet::new();
        for workload in &workloads {
            assert!(
                names.insert((workload.size.clone(), workload.unit, workload.data.clone())),
                "{}: {} {} is there twice",
                problem.name,
                workload.size,
                workload.data
            );
            let mut versions = BTreeSet::new();
            for each in &workload.runs {
                assert!(problem.versions.contains(&each.version), "{} is no version", each.version);
                assert!(versions.insert(each.version), "{} is there twice", each.version);
                if workload.elements > SMALL {
                    continue;
                }
                let Ok(Launches { steps, buffers }) = each.launches() else { continue };
                run.insert(each.version);
                assert!(!steps.is_empty());
                let sized = |fill: &Fill| !matches!(fill, Fill::Poison(0) | Fill::Zeros(0));
                assert!(buffers.iter().all(|buffer| sized(&buffer.fill)), "{}: {buffers:?}", each.version);
                let written = |name: &str| buffers.iter().any(|buffer| buffer.name == name);
                for step in &steps {
                    assert!(
                        ptx.contains(&format!(".entry {}(", step.kernel)),
                        "{} has no {}",
                        problem.name,
                        step.kernel
                    );
                    let passed = step.args.iter().any(|arg| matches!(arg, Pass::Buffer(name) if written(name)));
                    assert!(passed, "{} gets no buffer to write to", step.kernel);
                }
            }
        }
        let all: BTreeSet<&str> = problem.versions.iter().copied().collect();
        let missing: Vec<&&str> = all.difference(&run).filter(|version| **version != "by_key_peers_printed").collect();
        assert!(missing.is_empty(), "{}: never benched: {missing:?}", problem.name);
    }
}

/// The small workloads give what the simulator makes of their launches, so that references, launches and buffers fit
/// together before any GPU sees them. (The large ones are made by the same functions.)
#[test]
fn small_workloads_are_right_on_the_simulator() {
    for problem in problem::all() {
        for workload in (problem.bench)().iter().filter(|workload| workload.elements <= SMALL) {
            let content = workload.make();
            for run in workload.runs.iter().filter(|run| !run.is_left_out()) {
                let launches = run.launches().expect("it is not left out");
                simulated(problem.name, &content, run, &launches);
            }
        }
    }
}

/// Runs a version on the simulator and holds what comes out against the workload's reference.
fn simulated(problem: &str, content: &Content, run: &Run, launches: &Launches) {
    use crate::case::{Buffer, Prepared};
    use crate::check::POISON;
    let bytes = |name: &str| content.inputs.iter().find(|(own, _)| *own == name).map(|(_, values)| values.bytes());
    let own = |buffer: &crate::workload::Own| Buffer {
        name: buffer.name,
        content: sim::Arg::Buffer(
            match buffer.fill {
                Fill::Poison(bytes) => vec![POISON; bytes as usize],
                Fill::Zeros(bytes) => vec![0; bytes as usize],
                Fill::Copy(of) => bytes(of).expect("an input").to_vec(),
            }
            .into(),
        ),
    };
    let inputs = content.inputs.iter().map(|(name, values)| Buffer::of(name, values.bytes()));
    let buffers: Vec<Buffer> = inputs.chain(launches.buffers.iter().map(own)).collect();
    let prepared = Prepared { buffers, steps: launches.steps.clone(), expected: Vec::new() };
    let module = crate::simulate::module(problem).expect("the PTX is read");
    let options = sim::Options { checks: sim::Checks::NONE, ..sim::Options::default() };
    let result = crate::simulate::run_with(&module, &prepared, &options).unwrap_or_else(|error| panic!("{error}"));
    let mut results = content.results.iter();
    let (_, references) = match run.result {
        Some(name) => results.find(|(own, _)| *own == name),
        None => results.next(),
    }
    .expect("there is a reference");
    for reference in references {
        let at = prepared.index(reference.buffer).expect("the reference is of a buffer");
        // Vectors of bytes may begin anywhere; a check wants them where elements begin.
        let mut words = vec![0u64; result.contents[at].len().div_ceil(8)];
        let got = &mut bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..result.contents[at].len()];
        got.copy_from_slice(&result.contents[at]);
        let checked = reference.check(got, run.unordered);
        assert!(checked.is_ok() || run.verdict != Verdict::Right, "{}: {checked:?}", run.version);
    }
}

/// What is recorded belongs to today's workloads, and its figures fit together.
#[test]
fn the_records_in_this_program_are_sound() {
    for record in records().unwrap() {
        assert_eq!(Record::from_json("again", &record.to_json()).unwrap(), *record);
        let mut seen = BTreeSet::new();
        for row in &record.rows {
            let name = format!("{} {} {} {} {}", row.problem, row.size, row.unit, row.data, row.version);
            assert!(seen.insert(name.clone()), "{name} is there twice");
            let problem = problem::find(&row.problem).unwrap_or_else(|| panic!("{name}: no such problem"));
            let workloads = (problem.bench)();
            let workload =
                workloads.iter().find(|w| (&*w.size, w.unit, &*w.data) == (&*row.size, &*row.unit, &*row.data));
            let workload = workload.unwrap_or_else(|| panic!("{name}: no such workload"));
            assert_eq!(workload.elements, row.elements, "{name}");
            assert!(names(workload).any(|own| own == (&*row.version, row.peer)), "{name}: no such version");
            assert!(!matches!(row.outcome, Outcome::Failed { .. }), "{name}: {:?}", row.outcome);
            assert!(row.bytes >= row.elements, "{name}: every element is read");
            let Some(times) = row.outcome.times() else { continue };
            assert!(0 < times.min_ns && times.min_ns <= times.median_ns && times.median_ns <= times.max_ns, "{name}");
            assert!((3..=record.method.runs).contains(&times.runs), "{name}: {} runs", times.runs);
            // Memory has a speed that nothing exceeds once the data is much larger than all caches.
            let peak = sim::target::find(&crate::gpu::slug(&record.provenance.gpu));
            let peak = peak.map(|target| target.bandwidth_mb_per_s as f64 / 1e3);
            if let Some(peak) = peak.filter(|_| row.bytes >= 1 << 29) {
                let rate = row.bytes as f64 / times.min_ns as f64;
                assert!(rate < 1.1 * peak, "{name}: {rate:.0} GB/s of {peak}");
            }
            assert!(record.copies.iter().any(|copy| copy.bytes == row.bytes), "{name}: no copy of as many bytes");
            // No run of any version, of a copy or of a library was faster than the least time.
            let least = view::least_us(record, row.bytes).unwrap_or_else(|| panic!("{}", record.provenance.gpu));
            assert!(times.min_ns as f64 / 1e3 >= least, "{name}: {} ns, {least} µs at least", times.min_ns);
        }
        for sweep in &record.sweeps {
            let problem = problem::find(&sweep.problem).expect("a problem");
            let pass = (problem.single_pass)().into_iter().find(|pass| pass.version == sweep.version);
            let pass = pass.unwrap_or_else(|| panic!("{} is no single pass", sweep.version));
            assert_eq!((sweep.sizes, &sweep.wrong), (u64::from(pass.tile) + 1, &None), "{}", sweep.version);
        }
        assert!(record.code.keys().all(|name| problem::find(name).is_some()));
    }
}

#[test]
fn a_machine_without_a_gpu_is_told_so() {
    match Gpu::open(0) {
        Ok(_) => crate::testing::not_run("a bench without a GPU", "this machine has one"),
        Err(_) => {
            let error = run(&Options::default(), &mut |_| {}).unwrap_err();
            assert!(error.is_missing_gpu() && error.exit_code() == 3, "{error}");
        }
    }
}

/// A whole bench of the small inputs, where there is a GPU.
#[test]
fn small_workloads_are_right_on_a_gpu() {
    if let Err(error) = Gpu::open(0) {
        return crate::testing::not_run("a bench of small inputs", &error.to_string());
    }
    let selection = Selection { sizes: vec!["2^16".to_owned()], ..Selection::default() };
    let options = Options { selection, runs: 3, peers: false, ..Options::default() };
    let record = run(&options, &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
    for row in &record.rows {
        assert!(!matches!(row.outcome, Outcome::Failed { .. }), "{row:?}");
    }
    assert!(record.rows.iter().filter(|row| row.outcome.times().is_some()).count() > 50);
}

#[test]
fn every_operation_that_is_called_is_in_the_harness() {
    let mut called = 0;
    for peer in problem::all().iter().flat_map(|problem| (problem.bench)()).flat_map(|workload| workload.peers) {
        if let Call::Cub(operation) | Call::Npp(operation) = peer.call {
            assert!(peers::source(operation).text.contains(&format!("defined(PEER_{operation})")), "{operation}");
            assert_eq!((peers::source(operation).library == "NPP"), matches!(peer.call, Call::Npp(_)), "{operation}");
            called += 1;
        }
    }
    assert!(called > 10, "{called}");
}
