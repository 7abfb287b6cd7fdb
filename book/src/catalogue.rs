//! Faulty kernels of the simulator's catalogue, run for the chapter on the checks.
//!
//! The catalogue is `sim/tests/faulty`: the head of each file says how the kernel is launched (`// launch: GRID BLOCK
//! [SHARED]` and `// args: …`), and marks say what must be found where. The simulator's tests hold all of them against
//! the checks; the book shows some.

use std::collections::BTreeMap;

use kernels::requests::of_launch;
use sim::report::text;
use sim::{Arg, Launch, Module, Options, Scalar, simulate};

use crate::runs::{Faulty, Playable};

/// One kernel that the book may show: its name, source and PTX.
type Entry = (&'static str, &'static str, &'static str);

macro_rules! entries {
    ($($name:literal),* $(,)?) => {
        &[$((
            $name,
            include_str!(concat!("../../sim/tests/faulty/", $name, ".cu")),
            include_str!(concat!("../../sim/tests/faulty/", $name, ".ptx")),
        )),*]
    };
}

const ENTRIES: &[Entry] = entries![
    "left_of_the_first",
    "pair_at_an_odd_word",
    "freed_twice",
    "half_of_a_buffer",
    "mean_of_an_empty_group",
    "tile_overwritten",
    "global_buffer_in_lock_step",
    "flag_with_the_fence_of_a_block",
    "same_flag_of_many_blocks",
    "barriers_of_two_branches",
    "barrier_in_a_ragged_loop",
    "warps_of_different_rounds",
    "half_of_the_block_at_a_barrier",
    "named_barrier_of_uneven_count",
    "shuffle_outside_its_mask",
    "sum_with_ended_lanes",
    "undefined_values_that_nobody_uses",
    "vote_with_ended_lanes",
    "arrivals_of_too_few",
    "half_a_warp_at_a_barrier",
    "endless_loop",
    "failed_assertion",
    "trapped",
];

/// Warp-instructions of a block after which a kernel that comes to no end is given up.
const BUDGET: u64 = 1 << 20;

/// The kernels that may be shown and whose head promises this kind of finding, in the order of the list.
pub(crate) fn of(kind: &str) -> impl Iterator<Item = &'static str> {
    let promises = move |source: &str| header(source, "expect").split_whitespace().any(|own| own == kind);
    ENTRIES.iter().filter(move |(_, source, _)| promises(source)).map(|(name, ..)| *name)
}

/// What a source's head says under a key.
fn header<'a>(source: &'a str, key: &str) -> &'a str {
    source.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": ")).unwrap_or("")
}

/// Runs the kernel `name` of the catalogue with every check.
///
/// # Errors
/// A sentence when there is no such kernel, its PTX is stale, or nothing is found.
pub(crate) fn run(name: &str) -> Result<Faulty, String> {
    let known = || ENTRIES.iter().map(|entry| entry.0).collect::<Vec<_>>().join(", ");
    let &(_, source, ptx) = ENTRIES
        .iter()
        .find(|entry| entry.0 == name)
        .ok_or_else(|| format!("there is no kernel `{name}` to show; there are {}", known()))?;
    let file = format!("{name}.cu");
    let header = kernels::ptx::Header::parse(ptx);
    if header.is_none_or(|header| header.source_sha256 != kernels::ptx::sha256(source)) {
        return Err(format!("{file} has changed since its PTX was made: run `warpbook dev ptx`"));
    }
    let launch = launch(source).map_err(|error| format!("{file}: {error}"))?;
    let module = Module::parse(&format!("{name}.ptx"), ptx).map_err(|error| error.to_string())?;
    let options = Options { budget: BUDGET, ..Options::default() };
    let outcome = simulate(&module, name, &launch, &options).map_err(|error| error.to_string())?;
    // Code frames show the lines as the page does, without the marks.
    let sources = BTreeMap::from([(file, without_marks(source))]);
    let findings: Vec<String> =
        outcome.report.findings.iter().map(|finding| text::finding(finding, &sources)).collect();
    if findings.is_empty() {
        return Err(format!("nothing is found in `{name}`"));
    }
    Ok(Faulty { source: shown(source), findings })
}

/// What a page needs to run the kernel `name` itself.
///
/// # Errors
/// A sentence when there is no such kernel, or its launch cannot be read.
pub(crate) fn playable(name: &str) -> Result<Playable, String> {
    let entry = ENTRIES.iter().find(|entry| entry.0 == name);
    let &(_, source, ptx) = entry.ok_or_else(|| format!("there is no faulty kernel `{name}` to show"))?;
    let launches = of_launch(name, &launch(source).map_err(|error| format!("{name}.cu: {error}"))?);
    Ok(Playable { file: format!("{name}.ptx"), ptx: ptx.to_owned(), launches, registers: BTreeMap::new() })
}

/// The launch that a source's head asks for.
fn launch(source: &str) -> Result<Launch, String> {
    let shape: Vec<&str> = header(source, "launch").split_whitespace().collect();
    let (Some(grid), Some(block)) = (shape.first(), shape.get(1)) else { return Err("it has no launch".to_owned()) };
    Ok(Launch {
        grid: grid.parse()?,
        block: block.parse()?,
        shared_bytes: shape.get(2).map_or(Ok(0), |bytes| bytes.parse()).map_err(|_| "a wrong size of shared memory")?,
        args: header(source, "args").split_whitespace().map(argument).collect::<Result<_, _>>()?,
    })
}

fn argument(spec: &str) -> Result<Arg, String> {
    let size = |bytes: &str| bytes.parse().map_err(|_| format!("`{bytes}` is no size"));
    match spec.split_once(':') {
        Some(("uninit", bytes)) => Ok(Arg::Uninit(size(bytes)?)),
        Some(("zeros", bytes)) => Ok(Arg::Zeros(size(bytes)?)),
        Some(("iota", count)) => Ok(Arg::buffer_of(&(0..size(count)? as u32).collect::<Vec<u32>>())),
        _ => Scalar::parse(spec).map(Arg::Scalar),
    }
}

/// The source without its marks, line by line as it was.
fn without_marks(source: &str) -> String {
    let line = |line: &str| line.split("//~").next().unwrap_or_default().trim_end().to_owned() + "\n";
    source.lines().map(line).collect()
}

/// What the page shows of a source: its lines with their numbers, without head and marks.
fn shown(source: &str) -> Vec<(u32, String)> {
    let text = without_marks(source);
    let lines = (1..).zip(text.lines()).skip_while(|(_, line)| line.is_empty() || line.starts_with("//"));
    lines.map(|(number, line)| (number, line.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_shows_what_is_wrong_with_it() {
        for (name, ..) in ENTRIES {
            for text in run(name).unwrap().findings {
                // A code frame in the very source, and one line of help.
                assert!(text.contains(&format!("--> {name}.cu:")) && text.contains("help: "), "{text}");
                assert!(!text.contains("//~"), "{text}");
            }
        }
    }

    #[test]
    fn what_does_not_exist_is_named() {
        assert!(run("no_such_kernel").unwrap_err().contains("tile_overwritten"));
        assert!(launch("// args: zeros:4\n").unwrap_err().contains("no launch"));
        assert!(argument("zeros:many").unwrap_err().contains("`many` is no size"));
    }
}
