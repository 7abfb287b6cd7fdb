//! A case: one version of an algorithm with its launches, its inputs, and what must come out. The same case runs on the
//! simulator and on a GPU.
//!
//! A list of cases is cheap: inputs and references are made when [`Case::prepare`] is called, always the same.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sim::Arg;
use sim::report::digest;

use crate::check::{Check, Expected, POISON};
use crate::gpu::{GpuError, Memory, Value, Work, WorkLaunch};
pub use crate::gpu::{Pass, Shape, Step};
use crate::problem;
use crate::verdict::Verdict;

/// A buffer in global memory. Buffers outlive the launches of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    /// Its name, such as `out`.
    pub name: &'static str,
    /// Its content before the first launch: [`Arg::Buffer`] or [`Arg::Zeros`].
    pub content: Arg,
}

impl Buffer {
    /// A buffer that holds `values`.
    pub fn of<T: sim::launch::Plain>(name: &'static str, values: &[T]) -> Self {
        Self { name, content: Arg::buffer_of(values) }
    }

    /// An output of `bytes` bytes, filled with [`POISON`].
    pub fn poisoned(name: &'static str, bytes: usize) -> Self {
        Self { name, content: Arg::Buffer(vec![POISON; bytes].into()) }
    }

    /// A buffer of `bytes` zero bytes.
    pub const fn zeros(name: &'static str, bytes: u64) -> Self {
        Self { name, content: Arg::Zeros(bytes) }
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        match &self.content {
            Arg::Buffer(content) => content.len() as u64,
            Arg::Zeros(bytes) | Arg::Uninit(bytes) => *bytes,
            Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. } | Arg::Memory { .. } => 0,
        }
    }
}

/// A case's inputs, launches and references.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// The launches, in order.
    pub steps: Vec<Step>,
    /// What must come out, at least one buffer.
    pub expected: Vec<Expected>,
}

impl Prepared {
    /// The index of the buffer called `name`.
    pub(crate) fn index(&self, name: &str) -> Option<usize> {
        self.buffers.iter().position(|buffer| buffer.name == name)
    }

    /// Memory and launches as a GPU takes them.
    ///
    /// # Errors
    /// [`GpuError::Launch`] when a launch is passed a buffer that is none.
    pub fn work(&self) -> Result<Work, GpuError> {
        let number = || GpuError::Launch("a buffer's content is a number".to_owned());
        let buffers = self.buffers.iter().map(|buffer| {
            let memory = Memory::of(&buffer.content).ok_or_else(number)?;
            Ok(Memory { name: buffer.name.to_owned(), ..memory })
        });
        let launches = self.steps.iter().map(|step| {
            let value = |arg: &Pass| match arg {
                Pass::Scalar(scalar) => Ok(Value::Bytes(scalar.to_bytes())),
                Pass::Buffer(name) => {
                    let buffer = self.index(name).ok_or_else(|| GpuError::no_buffer(step, name))?;
                    Ok(Value::Address { buffer, offset: 0 })
                }
            };
            let args = step.args.iter().map(value).collect::<Result<_, _>>()?;
            Ok(WorkLaunch { kernel: step.kernel.to_owned(), shape: step.shape, args })
        });
        Ok(Work {
            name: String::new(),
            buffers: buffers.collect::<Result<_, _>>()?,
            launches: launches.collect::<Result<_, GpuError>>()?,
        })
    }

    fn content<'a>(&self, contents: &'a [Vec<u8>], name: &str) -> &'a [u8] {
        self.index(name).and_then(|index| contents.get(index)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Holds the buffers' contents after the last launch against the references.
    pub fn check(&self, contents: &[Vec<u8>]) -> Check {
        Check::all(self.expected.iter().map(|expected| expected.check(self.content(contents, expected.buffer))))
    }

    /// The digest of every output, in the order of [`Prepared::expected`]. An output whose elements may come in any
    /// order is sorted first.
    pub fn outputs(&self, contents: &[Vec<u8>]) -> Vec<Output> {
        let of = |expected: &Expected| {
            let bytes = expected.settled(self.content(contents, expected.buffer));
            Output { buffer: expected.buffer.to_owned(), bytes: bytes.len() as u64, blake3: digest(&bytes) }
        };
        self.expected.iter().map(of).collect()
    }
}

/// The digest of an output buffer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The buffer's name.
    pub buffer: String,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes, in hexadecimal ([`digest`]); of its sorted elements, if their order is not determined.
    pub blake3: String,
}

/// A launch in the list of cases: what stands before its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// The kernel.
    pub kernel: &'static str,
    /// The launch's shape.
    pub shape: Shape,
}

/// One version of an algorithm with its launches and its data.
#[derive(Clone)]
pub struct Case {
    /// The problem, such as `scan`: the name of the `.cu` file.
    pub problem: &'static str,
    /// The version, such as `scan_naive`. Where one kernel does it all, the kernel's name.
    pub version: &'static str,
    /// What is launched, such as `tile 512, 3 blocks + 17`. Unique for its version.
    pub name: String,
    /// What kind of data goes in, such as `small whole numbers`.
    pub data: &'static str,
    /// The launches, in order.
    pub launches: Vec<Planned>,
    /// What every machine must show.
    pub verdict: Verdict,
    /// Whether the bits of the outputs may differ from run to run, within their tolerance: floats that are added in the
    /// order of arrival. (An order of elements that is not determined is a tolerance:
    /// [`crate::check::Tolerance::AnyOrder`].)
    pub varying_bits: bool,
    prepare: Arc<dyn Fn() -> Prepared + Send + Sync>,
}

impl Case {
    /// A case whose inputs and references come from `prepare`, which returns the same at every call and launches what
    /// `launches` says.
    pub fn new(
        problem: &'static str,
        version: &'static str,
        name: String,
        data: &'static str,
        launches: Vec<Planned>,
        prepare: impl Fn() -> Prepared + Send + Sync + 'static,
    ) -> Self {
        let (verdict, varying_bits) = (Verdict::Right, false);
        Self { problem, version, name, data, launches, verdict, varying_bits, prepare: Arc::new(prepare) }
    }

    /// The same case with another expectation.
    #[must_use]
    pub fn expecting(self, verdict: Verdict) -> Self {
        Self { verdict, ..self }
    }

    /// The same case, whose outputs' last bits are not determined if `varying`.
    #[must_use]
    pub fn with_bits(self, varying: bool) -> Self {
        Self { varying_bits: varying, ..self }
    }

    /// Makes the inputs and the references.
    pub fn prepare(&self) -> Prepared {
        (self.prepare)()
    }

    /// Thread blocks of all launches together: how much work the case is.
    pub fn blocks(&self) -> u64 {
        self.launches.iter().map(|launch| launch.shape.grid.count()).sum()
    }

    /// Threads of all launches together.
    pub fn threads(&self) -> u64 {
        self.launches.iter().map(|launch| launch.shape.grid.count() * launch.shape.block.count()).sum()
    }

    /// Whether `name` is in the case's problem, version or name; upper and lower case are the same. The whole name of a
    /// problem stands for that problem alone.
    pub fn matches(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        if let Some(problem) = problem::find(&name) {
            return problem.name == self.problem;
        }
        [self.problem, self.version, &self.name, &self.to_string()].iter().any(|own| own.to_lowercase().contains(&name))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.version, self.name)
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case")
            .field("case", &self.to_string())
            .field("launches", &self.launches)
            .finish_non_exhaustive()
    }
}

/// All cases of all problems, in a fixed order.
pub fn all() -> Vec<Case> {
    problem::all().iter().flat_map(|problem| (problem.cases)()).collect()
}

/// No case answers to a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no problem, version or case is called `{name}`; there are {}", .known.join(", "))]
pub struct NoSuchCase {
    /// The name that was asked for.
    pub name: String,
    /// The names of the problems and versions.
    pub known: Vec<&'static str>,
}

/// The cases that answer to one of `names` (see [`Case::matches`]), in their fixed order; all cases when there are no
/// names.
///
/// # Errors
/// [`NoSuchCase`] for the first name that nothing answers to.
pub fn select<S: AsRef<str>>(names: &[S]) -> Result<Vec<Case>, NoSuchCase> {
    let cases = all();
    for name in names.iter().map(AsRef::as_ref) {
        if !cases.iter().any(|case| case.matches(name)) {
            let known = problem::all().iter().flat_map(|p| [p.name].into_iter().chain(p.versions.iter().copied()));
            return Err(NoSuchCase { name: name.to_owned(), known: known.collect() });
        }
    }
    let wanted = |case: &Case| names.is_empty() || names.iter().any(|name| case.matches(name.as_ref()));
    Ok(cases.into_iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sim::{Dim3, Scalar};

    use super::*;

    #[test]
    fn every_case_has_a_name_of_its_own_and_outputs_that_are_poisoned() {
        let mut seen = HashSet::new();
        for case in all() {
            assert!(seen.insert((case.version, case.name.clone())), "{case} is there twice");
            assert!(!case.launches.is_empty(), "{case} launches nothing");
            for launch in &case.launches {
                let threads = launch.shape.block.count();
                assert!((1..=1024).contains(&threads), "{case} launches {threads} threads per block");
            }
        }
        for case in all().into_iter().filter(|case| case.blocks() < 100) {
            let prepared = case.prepare();
            assert_eq!(prepared, case.prepare(), "{case} is different every time");
            let planned: Vec<Planned> =
                prepared.steps.iter().map(|step| Planned { kernel: step.kernel, shape: step.shape }).collect();
            assert_eq!(planned, case.launches, "{case} launches something else than it says");
            let names: HashSet<&str> = prepared.buffers.iter().map(|buffer| buffer.name).collect();
            assert_eq!(names.len(), prepared.buffers.len(), "{case}: two buffers have one name");
            for step in &prepared.steps {
                let mut passed = HashSet::new();
                for arg in &step.args {
                    let Pass::Buffer(name) = arg else { continue };
                    assert!(names.contains(name), "{case}: there is no buffer `{name}`");
                    assert!(passed.insert(name), "{case}: `{name}` is passed twice to one launch");
                }
            }
            assert!(!prepared.expected.is_empty());
            for expected in &prepared.expected {
                let before = match &prepared.buffers[prepared.index(expected.buffer).expect("a buffer")].content {
                    Arg::Buffer(before) => before.to_vec(),
                    Arg::Zeros(bytes) | Arg::Uninit(bytes) => vec![0; *bytes as usize],
                    other => panic!("{case}: {other:?} is no buffer"),
                };
                assert_eq!(before.len(), expected.reference.len());
            }
            let before: Vec<Vec<u8>> = prepared
                .buffers
                .iter()
                .map(|buffer| if let Arg::Buffer(bytes) = &buffer.content { bytes.to_vec() } else { Vec::new() })
                .collect();
            assert!(!prepared.check(&before).right, "{case} would pass without running");
        }
    }

    #[test]
    fn cases_are_found_by_problem_kernel_and_name() {
        assert_eq!(select::<&str>(&[]).unwrap().len(), all().len());
        let scans = all().iter().filter(|case| case.problem == "scan").count();
        assert_eq!(select(&["SCAN"]).unwrap().len(), scans);
        let padded = select(&["scan_blelloch_padded"]).unwrap();
        assert!(!padded.is_empty() && padded.iter().all(|case| case.version == "scan_blelloch_padded"));
        assert!(select(&["scan_naive, tile 64,"]).unwrap().iter().all(|case| case.version == "scan_naive"));
        let error = select(&["scan_naive", "scann"]).unwrap_err().to_string();
        assert!(error.contains("`scann`") && error.contains("scan_blelloch_pairs"), "{error}");
    }

    #[test]
    fn cases_are_works() {
        let shape = Shape { grid: Dim3::linear(1), block: Dim3::linear(32), shared_bytes: 0 };
        let args = vec![Pass::Buffer("b"), Pass::Scalar(Scalar::U8(7))];
        let buffers = vec![Buffer::zeros("a", 16), Buffer { name: "b", content: Arg::Uninit(4) }];
        let case = Prepared { buffers, steps: vec![Step { kernel: "k", shape, args }], expected: Vec::new() };
        let work = case.work().unwrap();
        assert_eq!(work.launches[0].args, [Value::Address { buffer: 1, offset: 0 }, Value::Bytes(vec![7])]);
        assert_eq!(
            work.buffers.iter().map(|one| (one.bytes, one.written)).collect::<Vec<_>>(),
            [(16, true), (4, false)]
        );
        let strange = Prepared { buffers: vec![Buffer { name: "n", content: Arg::Bytes(vec![]) }], ..case };
        assert!(strange.work().is_err());
    }
}
