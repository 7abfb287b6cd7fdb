//! What of the reduction by key is benched.

use super::plan::{LONGEST, TILE};
use super::{Keys, Output, PROBLEM, Values, plan, runs, sorted, table};
use crate::workload::values::{self, Reference, generate};
use crate::workload::{Content, Launches, Own, Peer, Run, SinglePass, Size, Workload};

/// Elements with runs of ten.
const SIZES: [u64; 3] = [1 << 16, 1 << 20, 1 << 24];

/// Elements that end in the middle of a tile: doubles of about 2 GiB, and of more than 4 GiB.
const RAGGED: [u64; 2] = [(1 << 28) + 7, (1 << 29) + 7];

/// Keys of the power law: the most frequent one has a share of 7 per cent of the elements.
const POWER: u32 = 1 << 20;

/// Keys in ten million particles, ten to a cell, and in the largest array.
const LARGE: [(Keys, u64); 6] = [
    (Keys::Ordered { side: 100 }, 10_000_000),
    (Keys::ByAxes { side: 100 }, 10_000_000),
    (Keys::ByFaces { side: 100 }, 10_000_000),
    (Keys::Random { table: 1 << 20 }, 1 << 24),
    (Keys::Power { table: POWER }, 1 << 24),
    (Keys::PowerRuns { table: POWER }, 1 << 24),
];

/// The workloads: doubles from small to large, then the other types.
pub(super) fn workloads() -> Vec<Workload> {
    let runs = SIZES.map(|count| (Keys::Runs { length: 10 }, count));
    let doubles = runs.into_iter().chain(LARGE).map(|(keys, count)| workload(Values::F64, keys, count));
    let others = [Values::F32, Values::I32, Values::F32x4].into_iter().flat_map(|values| {
        let tens = Keys::Runs { length: 10 };
        let inputs = [(tens, 1 << 16), (tens, 1 << 24), (Keys::ByAxes { side: 100 }, 10_000_000)];
        inputs.map(|(keys, count)| workload(values, keys, count))
    });
    let ragged = RAGGED.map(|count| workload(Values::F64, Keys::Runs { length: 10 }, count).only(is_long_run));
    doubles.chain(others).chain(ragged).collect()
}

/// The versions whose long ragged arrays are listed: the single pass, and the best of those that add with atomics.
fn is_long_run(version: &str) -> bool {
    ["by_key_atomic_f64", "by_key_segmented_f64", "by_key_block_sort_f64", "by_key_look_back_f64"].contains(&version)
}

/// The workloads of another size. (The boxes have sizes of their own.)
pub(super) fn of_size(size: Size) -> Result<Vec<Workload>, String> {
    let count = size.array()?;
    if count == 0 || count > LONGEST {
        return Err(format!("there must be at least one element, and at most {LONGEST}: indices are unsigned ints"));
    }
    let runs = Keys::Runs { length: 10 };
    let of_keys = [runs, Keys::Random { table: POWER }, Keys::Power { table: POWER }, Keys::PowerRuns { table: POWER }];
    let doubles = of_keys.map(|keys| workload(Values::F64, keys, count));
    let others = [Values::F32, Values::I32, Values::F32x4].map(|values| workload(values, runs, count));
    Ok(doubles.into_iter().chain(others).collect())
}

/// The version that adds up runs in one launch.
pub(super) fn single_pass() -> Vec<SinglePass> {
    vec![SinglePass::of("by_key_look_back_f64", TILE)]
}

fn workload(values: Values, keys: Keys, count: u64) -> Workload {
    let in_order = matches!(keys, Keys::Runs { .. } | Keys::Ordered { .. } | Keys::PowerRuns { .. });
    let table = keys.table(count as u32);
    let unit = match values {
        Values::F32 => "floats",
        Values::F64 => "doubles",
        Values::I32 => "ints",
        Values::F32x4 => "vectors of four floats",
    };
    let of_type = |version: &&&'static str| plan(version, count, 1).is_ok_and(|plan| plan.values == values);
    let run = |&version: &&'static str| match version {
        "by_key_peers_printed" => Run::left_out(version, "a warp with several keys never ends"),
        "by_key_look_back_f64" if !in_order => Run::left_out(version, "equal keys are not side by side"),
        "by_key_cas_f64" if matches!(keys, Keys::Power { .. } | Keys::PowerRuns { .. }) => {
            Run::left_out(version, "a million threads try to swap one sum, of which one succeeds at a time: seconds")
        }
        _ => {
            let fits = plan(version, count, table).map(drop);
            Run::fitting(version, fits, move || launches(version, count, table)).leaving(result(version))
        }
    };
    let workload = Workload::new(count, unit, keys.to_string(), move || make(values, keys, count as u32))
        .runs(PROBLEM.versions.iter().filter(of_type).map(run));
    if !in_order || values != Values::F64 {
        return workload;
    }
    let bytes = |each: u64| each * u64::from(table);
    let writes = vec![Own::poisoned("unique", bytes(4)), Own::poisoned("sums", bytes(8)), Own::poisoned("runs", 4)];
    let peer = Peer::cub("cub::DeviceReduce::ReduceByKey", "REDUCE_BY_KEY_F64", count, &writes);
    workload.peer(Peer { reads: vec!["keys", "values"], result: Some("runs"), ..peer })
}

/// Which result a version leaves: a table with a sum for every key, or the keys that come with their sums.
fn result(version: &str) -> &'static str {
    match plan(version, 1, 1).map(|plan| plan.output) {
        Ok(Output::Runs) => "runs",
        _ => "table",
    }
}

fn launches(version: &'static str, count: u64, table: u32) -> Launches {
    let plan = plan(version, count, table).expect("the sizes are in range");
    let mut buffers = plan.scratch;
    let (table, sum) = (u64::from(table), (plan.values.width() * plan.values.element().bytes()) as u64);
    match plan.output {
        Output::Table { .. } => buffers.push(Own::zeros("sums", table * sum)),
        Output::Runs => {
            buffers.push(Own::poisoned("unique", table * 4));
            buffers.push(Own::poisoned("sums", table * sum));
            buffers.push(Own::poisoned("runs", 4));
        }
    }
    Launches { steps: plan.steps, buffers }
}

/// Whole numbers from 1 to 8: their sums are exact in every type and in whatever order they are formed.
fn make(values: Values, keys: Keys, count: u32) -> Content {
    let (size, width) = (keys.table(count), values.width());
    let keys = keys.make(count);
    let numbers: Vec<f64> = generate(0xb1e5, keys.len() * width, |random, _| f64::from(random.whole(1, 8)));
    let typed = |numbers: &[f64]| -> values::Values {
        match values {
            Values::F32 | Values::F32x4 => numbers.iter().map(|&x| x as f32).collect::<Vec<f32>>().into(),
            Values::F64 => numbers.to_vec().into(),
            Values::I32 => numbers.iter().map(|&x| x as i32).collect::<Vec<i32>>().into(),
        }
    };
    let all = table(&keys, &numbers, width, size).sums;
    let mut results = vec![("table", vec![Reference::exact("sums", typed(&all))])];
    let bytes_of = |numbers: usize| (numbers * values.element().bytes()) as u64;
    let mut distinct = size as usize;
    if values == Values::F64 {
        let of_runs = match keys.is_sorted() {
            true => runs(&keys, &numbers),
            false => {
                let (keys, numbers) = sorted(&keys, &numbers);
                runs(&keys, &numbers)
            }
        };
        distinct = of_runs.keys.len();
        results.push((
            "runs",
            vec![
                Reference::exact("runs", vec![distinct as u32]),
                Reference::exact("unique", of_runs.keys),
                Reference::exact("sums", of_runs.sums),
            ],
        ));
    }
    Content {
        bytes: 4 * u64::from(count) + bytes_of(numbers.len()) + bytes_of(distinct * width),
        inputs: vec![("keys", keys.into()), ("values", typed(&numbers))],
        results,
    }
}
