//! Submissions on a GPU, with something in its place that runs what a GPU would get: the simulator, on nothing but the
//! PTX and the work.

use std::path::Path;

use exercises::compiler::{Cached, Local};
use exercises::desk::{self, Asked, Whose};
use exercises::native::{NativeCases, NativeRun};
use exercises::state::State;
use exercises::{Bench, Course, Depth};
use kernels::gpu::{GpuError, Times, Value, Work};
use kernels::native::{Code, Device, Measured, MeasuredWork, Outcome};
use kernels::testing::compiler_for;
use rayon::prelude::*;
use sim::{Arg, Launch, Module, Options};

/// How the stand-in for a GPU behaves.
#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Good,
    /// It changes a byte of every buffer.
    Spoils,
    /// It has no Nsight Compute.
    Uncounted,
    /// It stops the kernel.
    Stops,
}

struct Stand(Mood);

impl Device for Stand {
    fn name(&self) -> String {
        "a stand-in, driver 0".to_owned()
    }

    fn measure(&self, code: Code<'_>, works: &[Work]) -> Result<Measured, GpuError> {
        if self.0 == Mood::Stops {
            let [kernel, code, text] = ["k", "CUDA_ERROR_ILLEGAL_ADDRESS", "a stray access"].map(str::to_owned);
            return Err(GpuError::Fault { kernel, code, text });
        }
        let module = Module::parse("work.ptx", code.ptx).unwrap();
        let mut measured = Measured::default();
        for work in works {
            let (mut buffers, exact) = run(&module, work);
            if self.0 == Mood::Spoils {
                buffers.iter_mut().filter(|bytes| bytes.len() > 2).for_each(|bytes| bytes[2] ^= 0x40);
            }
            let times = Times { median_ns: 5000, min_ns: 4000, max_ns: 9000, runs: 30 };
            let exact = (self.0 != Mood::Uncounted).then_some(exact);
            measured.works.push(MeasuredWork { buffers, times, exact, streams: Vec::new() });
        }
        if self.0 == Mood::Uncounted {
            measured.notes.push("counters were not measured: there is no ncu".to_owned());
        }
        Ok(measured)
    }
}

/// Runs work on the simulator.
fn run(module: &Module, work: &Work) -> (Vec<Vec<u8>>, sim::report::Metrics) {
    let full = |memory: &kernels::gpu::Memory| {
        let mut bytes = memory.content.to_vec();
        bytes.resize(memory.bytes as usize, 0);
        bytes
    };
    let mut contents: Vec<Vec<u8>> = work.buffers.iter().map(full).collect();
    let mut report: Option<sim::Report> = None;
    for launch in &work.launches {
        let given = launch.args.len();
        let mut args: Vec<Arg> = launch
            .args
            .iter()
            .map(|value| match value {
                Value::Bytes(bytes) => Arg::Bytes(bytes.clone()),
                Value::Address { buffer, offset } => Arg::Address { argument: given + buffer, offset: *offset },
            })
            .collect();
        args.extend(contents.iter().zip(&work.buffers).map(|(bytes, memory)| Arg::Memory {
            name: memory.name.clone(),
            bytes: memory.bytes,
            content: bytes.clone().into(),
            written: true,
        }));
        let shape = launch.shape;
        let launched = Launch { grid: shape.grid, block: shape.block, shared_bytes: shape.shared_bytes, args };
        let outcome = sim::simulate(module, &launch.kernel, &launched, &Options::default()).unwrap();
        assert!(outcome.report.findings.is_empty(), "{:?}", outcome.report.findings);
        for (bytes, after) in contents.iter_mut().zip(outcome.buffers.into_iter().skip(given)) {
            let size = bytes.len();
            *bytes = after.unwrap_or_default().into_vec();
            bytes.resize(size, 0);
        }
        match &mut report {
            None => report = Some(outcome.report),
            Some(sum) => sum.add(&outcome.report),
        }
    }
    (contents, report.unwrap().metrics)
}

fn course() -> Course {
    Course::load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Grades the solution of an exercise after replacing `from` by `to`, and runs it.
fn native(name: &str, from: &str, to: &str, mood: Mood) -> NativeRun {
    let (course, compiler) = (course(), Cached::new(Local::default()));
    let exercise = course.exercise(name).unwrap();
    let bench = Bench::new(&course, exercise, Some("a secret"), &compiler).unwrap();
    let solution = std::fs::read_to_string(course.solution_file(exercise)).unwrap();
    assert!(solution.contains(from), "the solution has no `{from}`");
    let text = solution.replace(from, to);
    let grade = bench.grade(&format!("{name}.cu"), &text, &compiler, Depth::All).unwrap();
    bench.native(&grade, &text, &compiler, &Stand(mood)).unwrap()
}

#[test]
fn what_a_gpu_gets_is_the_whole_case() {
    if !compiler_for("the work of every exercise's solution") {
        return;
    }
    let (course, compiler) = (course(), Cached::new(Local::default()));
    course.exercises.par_iter().filter(|one| !one.kind.asks()).for_each(|exercise| {
        let asked = Asked { what: Some(&exercise.name), whose: Whose::Solution, ..Asked::default() };
        let checked = desk::check(&course, &State::default(), &asked, &compiler, Some(&Stand(Mood::Good)));
        let checked = checked.unwrap();
        let [run] = &checked.gpu[..] else { panic!("{}: {:?}", exercise.name, checked.gpu) };
        let Outcome::Ran(NativeCases { cases, notes }) = &run.on_gpu.outcome else {
            panic!("{}: {run:?}", exercise.name)
        };
        assert!(notes.is_empty());
        assert_eq!(cases.len(), exercise.cases.iter().filter(|case| !case.hidden).count(), "{}", exercise.name);
        for case in cases {
            let (name, counters) = (&exercise.name, &case.counters);
            assert!(case.is_right() && case.elements > 0, "{name}, {}: {case:?}", case.case);
            assert!(counters.len() > 40 && case.equal() == counters.len(), "{name}, {}: {case:?}", case.case);
            let us = case.predicted_us.unwrap_or_else(|| panic!("{name}, {}: no time", case.case));
            assert!(us > 1.0 && us < 1e6, "{name}, {}: {us}", case.case);
        }
        assert_eq!(checked.exit_code(), 0);
        assert!(checked.text().contains("On this machine's GPU, a stand-in"), "{}", checked.text());
    });
}

#[test]
fn faulty_and_wrong_code_never_runs_natively() {
    if !compiler_for("submissions that must not run on a GPU") {
        return;
    }
    // If it ran, it would have failed.
    let refused = |from: &str, to: &str| match native("block_sum", from, to, Mood::Stops).on_gpu.outcome {
        Outcome::NotRun { why } => why,
        other => panic!("it was run: {other:?}"),
    };
    let why = refused("        __syncthreads();\n    }", "    }");
    assert!(why.contains("found faults"), "{why}");
    let why = refused("partial[t] += partial[t + half]", "partial[t] = partial[t + half]");
    assert!(why.contains("wrong on the simulator"), "{why}");
    let why = refused("int half = 128", "int half = 128,");
    assert!(why.contains("did not come so far"), "{why}");
}

#[test]
fn a_gpu_that_disagrees_is_told() {
    if !compiler_for("results of a GPU that are wrong") {
        return;
    }
    let run = native("block_sum", "int half", "int half", Mood::Spoils);
    let Outcome::Ran(NativeCases { cases, .. }) = &run.on_gpu.outcome else { panic!("{run:?}") };
    assert!(!run.agrees() && cases.iter().all(|case| case.wrong == 1 && case.first_wrong[0].index == 0), "{cases:?}");
    assert!(cases.iter().all(|case| case.changed_inputs.len() == 1), "{cases:?}");

    let run = native("block_sum", "int half", "int half", Mood::Stops);
    assert!(!run.agrees() && matches!(&run.on_gpu.outcome, Outcome::Failed { why } if why.contains("stray access")));

    let run = native("block_sum", "int half", "int half", Mood::Uncounted);
    let text = exercises::native::text::text(&run);
    assert!(run.agrees() && text.contains("there is no ncu") && !text.contains("Counters, simulated"), "{text}");
    let json = serde_json::to_value(&run).unwrap();
    assert_eq!(json["outcome"], "ran");
    assert_eq!(json["cases"][0]["times"]["median_ns"], 5000, "{json}");
}
