//! What of the reduction by key is benched.

use super::{Keys, Output, PROBLEM, Values, plan, runs, sorted, table};
use crate::bench::values::{self, Reference, generate};
use crate::bench::workload::{Content, Launches, Own, Peer, Run, Workload};
use crate::case::Buffer;

/// Elements with runs of ten.
const SIZES: [u32; 3] = [1 << 16, 1 << 20, 1 << 24];

/// Keys in ten million particles, ten to a cell, and in the largest array.
const LARGE: [(Keys, u32); 4] = [
    (Keys::Ordered { side: 100 }, 10_000_000),
    (Keys::ByAxes { side: 100 }, 10_000_000),
    (Keys::ByFaces { side: 100 }, 10_000_000),
    (Keys::Random { table: 1 << 20 }, 1 << 24),
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
    doubles.chain(others).collect()
}

fn workload(values: Values, keys: Keys, count: u32) -> Workload {
    let in_order = matches!(keys, Keys::Runs { .. } | Keys::Ordered { .. });
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
        _ => Run::new(version, move || launches(version, keys, count)).leaving(result(version)),
    };
    let workload = Workload::new(count.into(), unit, keys.to_string(), move || make(values, keys, count))
        .runs(PROBLEM.versions.iter().filter(of_type).map(run));
    if !in_order || values != Values::F64 {
        return workload;
    }
    let bytes = |each: u64| each * u64::from(keys.table(count));
    let writes = vec![Own::poisoned("unique", bytes(4)), Own::poisoned("sums", bytes(8)), Own::poisoned("runs", 4)];
    let peer = Peer::cub("cub::DeviceReduce::ReduceByKey", "REDUCE_BY_KEY_F64", count.into(), &writes);
    workload.peer(Peer { reads: vec!["keys", "values"], result: Some("runs"), ..peer })
}

/// Which result a version leaves: a table with a sum for every key, or the keys that come with their sums.
fn result(version: &str) -> &'static str {
    match plan(version, 1, 1).map(|plan| plan.output) {
        Ok(Output::Runs) => "runs",
        _ => "table",
    }
}

fn launches(version: &'static str, keys: Keys, count: u32) -> Launches {
    let plan = plan(version, count, keys.table(count)).expect("the sizes are in range");
    let mut buffers: Vec<Own> = plan.scratch.iter().map(|buffer: &Buffer| Own::of(buffer)).collect();
    let (table, sum) = (u64::from(keys.table(count)), (plan.values.width() * plan.values.element().bytes()) as u64);
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
