//! From a session that ran to what its page shows.

use std::collections::BTreeMap;
use std::path::Path;

use kernels::launch::expect::Comparison;
use kernels::launch::native::{Native, NativeSession};
use kernels::launch::run::Ran;
use kernels::launch::signature;
use kernels::native::{OnGpu, Outcome};
use kernels::open::Opened;

use crate::data::{Gpu, Launch, Profile};

/// Why launches are missing.
const CUT_SHORT: &str = "the launches after the last one were not run, because it did not come to its end";

impl<'a> Profile<'a> {
    /// What a session gave, and what a GPU made of it. `command` makes the page again.
    pub fn of(ran: &'a Ran, opened: &'a Opened, on_gpu: Option<&NativeSession>, command: String) -> Self {
        let mut sources = BTreeMap::new();
        for launch in &ran.launches {
            sources.extend(opened.sources(&launch.report));
        }
        let ptx = Some(opened.ptx()).filter(|text| !text.is_empty());
        // PTX without a table of lines has the lines of its own file.
        if let Some(text) = ptx.filter(|_| opened.compiled.is_none()) {
            sources.entry(opened.name.clone()).or_insert_with(|| text.to_owned());
        }
        let compiler = opened.compiled.as_ref().map(|compiled| {
            let options = compiled.options.join(" ");
            format!("{} {} for {} {options}", compiled.compiler, compiled.build, compiled.arch).trim_end().to_owned()
        });
        let launches = ran.launches.iter();
        let launch = |launch: &'a kernels::launch::run::RanLaunch| Launch {
            report: &launch.report,
            notes: &launch.notes,
            advice: launch.advice.as_deref(),
            hit_rates: launch.hit_rates,
            lower_bound: launch.lower_bound,
        };
        Self {
            title: title(&opened.name),
            command,
            compiler,
            launches: launches.map(launch).collect(),
            sources,
            ptx,
            notes: opened.notes.iter().cloned().chain(ran.cut_short.then(|| CUT_SHORT.to_owned())).collect(),
            gpu: on_gpu.map(gpu),
            comparisons: ran.comparisons.iter().map(Comparison::sentence).collect(),
        }
    }
}

/// A file's name without its folders.
fn title(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

fn gpu(NativeSession(OnGpu { gpu, outcome }): &NativeSession) -> Gpu {
    let name = gpu.clone();
    let told = |sentence: String| Gpu { name: name.clone(), sentences: vec![sentence], ..Gpu::default() };
    match outcome {
        Outcome::NotRun { why } => told(format!("It was not run there: {why}.")),
        Outcome::Failed { why } => told(format!("It did not come to its end there: {why}.")),
        Outcome::Ran(native) => Gpu {
            median_us: Some(native.times.median_us()),
            sentences: sentences(native),
            counters: native.counters.clone(),
            name,
        },
    }
}

/// What the GPU left, and how it was timed.
fn sentences(native: &Native) -> Vec<String> {
    let buffer = |buffer: &Comparison| match &buffer.first {
        None => format!("{}: as simulated ({} elements).", buffer.buffer, buffer.elements),
        Some(first) => {
            format!(
                "{}: {} of {} elements are not as simulated; {first}.",
                buffer.buffer, buffer.wrong, buffer.elements
            )
        }
    };
    let times = format!("The time is the median of {} runs with cold caches.", native.times.runs);
    std::iter::once(times).chain(native.buffers.iter().map(buffer)).chain(native.notes.iter().cloned()).collect()
}

/// A command line as a user types it: arguments with characters that a shell would change are quoted.
pub fn command_line(program: &str, arguments: impl IntoIterator<Item = String>) -> String {
    std::iter::once(program.to_owned())
        .chain(arguments.into_iter().map(|argument| signature::shell(&argument)))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_typed_again() {
        let arguments = ["sim", "a.cu", "--grid", "ceil(n/256)", "", "it's"].map(str::to_owned);
        assert_eq!(command_line("warpbook", arguments), r"warpbook sim a.cu --grid 'ceil(n/256)' '' 'it'\''s'");
    }
}
