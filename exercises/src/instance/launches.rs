//! The launches of a case with a learner's code: simulated, and how long they take.

use std::path::Path;

use advice::Advice;
use launch::argument::{self, Argument};
use launch::checked::{self, Subject};
use launch::content::Context;
use launch::names;
use launch::signature::Signature;
use sim::report::{Printed, Report};
use sim::{Arg, Module, predict};

use super::{Code, Instance, Made, Ran, RunFailure};

impl Instance {
    /// Runs all launches of a learner's code.
    ///
    /// # Errors
    /// [`RunFailure`].
    pub fn run(&self, code: &Code, options: &sim::Options) -> Result<Ran, RunFailure> {
        self.run_with(code, code.checked.as_ref(), options)
    }

    /// The same with the code that is counted alone.
    ///
    /// # Errors
    /// [`RunFailure`].
    pub(crate) fn count(&self, code: &Code, options: &sim::Options) -> Result<Ran, RunFailure> {
        self.run_with(code, None, options)
    }

    fn run_with(&self, code: &Code, checked: Option<&Module>, options: &sim::Options) -> Result<Ran, RunFailure> {
        let mut contents: Vec<sim::Content> = Vec::new();
        let mut report: Option<Report> = None;
        let mut reports = 0;
        let mut printed = Printed::default();
        let mut details = Vec::new();
        let options = &sim::Options { watch: self.watch.clone(), ..options.clone() };
        for made in &self.launches {
            let kernel = kernel(code, made)?;
            let mut launch = self.launch(code, made, &kernel)?;
            let count = made.args.len();
            go_on(&mut launch, count, &contents);
            let subject = Subject { counted: &code.counted, checked, kernel: &kernel };
            let outcome = checked::run(subject, &launch, options).map_err(RunFailure::of)?.outcome;
            join(&mut printed, &outcome.report.printed);
            details.extend(outcome.report.details.clone());
            contents = outcome.buffers.into_iter().skip(count).map(Option::unwrap_or_default).collect();
            let ended = outcome.report.findings.iter().any(|finding| finding.kind.ends_launch());
            match &mut report {
                None => report = Some(outcome.report),
                Some(sum) => sum.add(&outcome.report),
            }
            reports += 1;
            if ended {
                break;
            }
        }
        let mut report = report.ok_or_else(|| RunFailure::Internal("nothing was launched".to_owned()))?;
        report.printed = printed;
        let buffers = self.buffers.iter().zip(contents).map(|(buffer, content)| {
            let mut bytes = content.into_vec();
            bytes.resize(buffer.content.bytes as usize, 0);
            bytes
        });
        Ok(Ran { report, buffers: buffers.collect(), launches: reports, details })
    }

    /// How long all launches of a learner's code take together, in microseconds, as the simulator predicts it from some of their
    /// blocks. No block executes more than `budget` warp-instructions.
    ///
    /// # Errors
    /// [`RunFailure`], also when a block has more to do than that: its time would be that of a part of it.
    pub fn predicted_us(&self, code: &Code, budget: u64) -> Result<f64, RunFailure> {
        let options = sim::Options { checks: sim::Checks::NONE, budget, ..sim::Options::default() };
        let mut series = predict::Series::on(&options.target);
        self.each(code, &options, |kernel, launch| {
            let how = predict::How { touched: series.touched(), ..predict::How::default() };
            let sampled = predict::sample(&code.counted, kernel, launch, &options, &how).map_err(RunFailure::of)?;
            let mut blocks = sampled.trace.blocks.iter().chain(&sampled.trace.neighbours);
            // What polls is not counted among what was executed, so a spent budget is not told by the last instruction.
            if blocks.any(|block| block.executed >= budget - budget / 10) {
                return Err(RunFailure::Launch(format!("a block has more to do than {budget} warp-instructions")));
            }
            series.push(&predict::replayed(&sampled, &options, &how).map_err(RunFailure::of)?);
            Ok(())
        })?;
        Ok(series.us())
    }

    /// The edits that would help each launch of a learner's code, in order.
    ///
    /// # Errors
    /// [`RunFailure`].
    pub fn advice(&self, code: &Code) -> Result<Vec<Vec<Advice>>, RunFailure> {
        let options = sim::Options { checks: sim::Checks::NONE, ..sim::Options::default() };
        let mut all = Vec::new();
        self.each(code, &options, |kernel, launch| {
            let how = predict::How::default();
            all.push(advice::of(&code.counted, kernel, launch, &options, &how).map_err(RunFailure::of)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// Makes the launches one after the other on a road that the caller gives, each with the buffers as those before it have left
    /// them. The reports, in order.
    ///
    /// # Errors
    /// [`RunFailure`].
    #[cfg(feature = "host")]
    pub(crate) fn run_by(
        &self,
        code: &Code,
        mut run: impl FnMut(&str, &sim::Launch) -> Result<sim::Outcome, sim::Error>,
    ) -> Result<Vec<Report>, RunFailure> {
        let (mut contents, mut reports) = (Vec::new(), Vec::new());
        for made in &self.launches {
            let kernel = kernel(code, made)?;
            let mut launch = self.launch(code, made, &kernel)?;
            let count = made.args.len();
            go_on(&mut launch, count, &contents);
            let outcome = run(&kernel, &launch).map_err(RunFailure::of)?;
            contents = outcome.buffers.into_iter().skip(count).map(Option::unwrap_or_default).collect();
            reports.push(outcome.report);
        }
        Ok(reports)
    }

    /// Looks at each launch as those before it have left the buffers. The last one is not simulated: nothing follows it.
    fn each(
        &self,
        code: &Code,
        options: &sim::Options,
        mut look: impl FnMut(&str, &sim::Launch) -> Result<(), RunFailure>,
    ) -> Result<(), RunFailure> {
        let mut contents = Vec::new();
        for (index, made) in self.launches.iter().enumerate() {
            let kernel = kernel(code, made)?;
            let mut launch = self.launch(code, made, &kernel)?;
            let count = made.args.len();
            go_on(&mut launch, count, &contents);
            look(&kernel, &launch)?;
            if index + 1 < self.launches.len() {
                let outcome = sim::simulate(&code.counted, &kernel, &launch, options).map_err(RunFailure::of)?;
                contents = outcome.buffers.into_iter().skip(count).map(Option::unwrap_or_default).collect();
            }
        }
        Ok(())
    }

    /// One launch, with the buffers as they are at the start behind its arguments.
    pub(crate) fn launch(&self, code: &Code, made: &Made, kernel: &str) -> Result<sim::Launch, RunFailure> {
        let mut args = self.arguments(code, made, kernel)?;
        args.extend(self.buffers.iter().map(|buffer| Arg::Memory {
            name: format!("buffer `{}`", buffer.name),
            bytes: buffer.content.bytes,
            content: buffer.content.data.clone(),
            written: buffer.content.written,
        }));
        Ok(sim::Launch { grid: made.grid, block: made.block, shared_bytes: made.shared, args })
    }

    /// The arguments of one launch; buffers stand behind them.
    fn arguments(&self, code: &Code, made: &Made, kernel: &str) -> Result<Vec<Arg>, RunFailure> {
        let signature = Signature::of(&code.counted, kernel, Some(&code.source));
        let signature = signature.ok_or_else(|| RunFailure::Launch(no_kernel(code, &made.kernel)))?;
        let (has, given) = (signature.params.len(), made.args.len());
        if has != given {
            let message = format!(
                "`{}` has {has} parameters, and it is launched with {given} arguments ({})\n\
                 help: keep the kernel's parameters as they were",
                made.kernel,
                made.args.iter().map(|text| &*text.0).collect::<Vec<_>>().join(", ")
            );
            return Err(RunFailure::Launch(message));
        }
        let context = Context { folder: Path::new(""), names: &self.names };
        let mut args = Vec::with_capacity(given + self.buffers.len());
        for (text, param) in made.args.iter().zip(&signature.params) {
            let failed = |why: &str| {
                let help = "help: keep the kernel's parameters as they were";
                RunFailure::Launch(format!("`{}` for the parameter `{}`: {why}\n{help}", text.0, param.text))
            };
            let value = match argument::parse(&text.0, param.scalar, context).map_err(|why| failed(&why.to_string()))? {
                Argument::Value(value) => value,
                Argument::Buffer(_) => return Err(failed("a buffer is named in [run.in], [run.out] or [run.scratch]")),
            };
            args.push(match &value.pointers[..] {
                [] => Arg::Bytes(value.bytes),
                [pointer] if value.bytes.len() == 8 => {
                    let at = self.buffers.iter().position(|buffer| buffer.name == pointer.to);
                    let at = at.ok_or_else(|| failed(&format!("there is no buffer `{}`", pointer.to)))?;
                    Arg::Address { argument: given + at, offset: pointer.offset }
                }
                _ => return Err(failed("structs that hold addresses are not supported here")),
            });
        }
        Ok(args)
    }
}

/// Adds what a later launch printed.
fn join(printed: &mut Printed, later: &Printed) {
    // Where text was lost, what comes later does not follow on what is there.
    if printed.lost == 0 {
        printed.text.push_str(&later.text);
        printed.lost = later.lost;
    } else {
        printed.lost += later.calls;
    }
    printed.calls += later.calls;
}

/// The name in the PTX of the kernel of a launch.
pub(crate) fn kernel(code: &Code, made: &Made) -> Result<String, RunFailure> {
    names::resolve(&code.file, &code.counted.kernels(), Some(&made.kernel))
        .map_err(|_| RunFailure::Launch(no_kernel(code, &made.kernel)))
}

/// Lets a launch find the buffers behind its `count` arguments as the launch before left them; before the first there is
/// no content.
fn go_on(launch: &mut sim::Launch, count: usize, contents: &[sim::Content]) {
    for (arg, now) in launch.args.iter_mut().skip(count).zip(contents) {
        // What earlier launches left unwritten, the content knows.
        if let Arg::Memory { content, written, .. } = arg {
            (*content, *written) = (now.clone(), true);
        }
    }
}

/// The message for a kernel that is not there.
fn no_kernel(code: &Code, wanted: &str) -> String {
    let have = match code.counted.kernels().as_slice() {
        [] => "it has no kernel at all".to_owned(),
        kernels => format!("it has {}", kernels.iter().map(|name| names::short(name)).collect::<Vec<_>>().join(", ")),
    };
    format!(
        "{} has no kernel called `{wanted}`; {have}\n\
         help: keep the line `extern \"C\" __global__ void {wanted}(...)` as it was",
        code.file
    )
}
