//! A case: one kernel with one launch, its inputs, and what must come out. The same case runs on the simulator and on
//! a GPU.
//!
//! A list of cases is cheap: inputs and references are made when [`Case::prepare`] is called, always the same.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sim::{Arg, Dim3, Launch};

use crate::problem;

/// The shape of a launch: what stands between `<<<` and `>>>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Thread blocks in the grid.
    pub grid: Dim3,
    /// Threads in a thread block.
    pub block: Dim3,
    /// Dynamic shared memory per thread block, in bytes.
    pub shared_bytes: u32,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grid {}, block {}, {} bytes of dynamic shared memory", self.grid, self.block, self.shared_bytes)
    }
}

/// The type of a buffer's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// IEEE 754 binary32, CUDA's `float`.
    F32,
    /// 32-bit signed integer, CUDA's `int`.
    I32,
    /// 32-bit unsigned integer, CUDA's `unsigned int`.
    U32,
}

impl Element {
    /// Size of an element, in bytes.
    pub const fn bytes(self) -> usize {
        4
    }

    /// The element's value. Every supported type is exact in `f64`.
    fn value(self, bytes: [u8; 4]) -> f64 {
        match self {
            Self::F32 => f32::from_le_bytes(bytes).into(),
            Self::I32 => i32::from_le_bytes(bytes).into(),
            Self::U32 => u32::from_le_bytes(bytes).into(),
        }
    }

    /// The element as a person reads it.
    fn show(self, bytes: [u8; 4]) -> String {
        match self {
            Self::F32 => f32::from_le_bytes(bytes).to_string(),
            Self::I32 => i32::from_le_bytes(bytes).to_string(),
            Self::U32 => u32::from_le_bytes(bytes).to_string(),
        }
    }
}

/// How far a result may be from the reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tolerance {
    /// Every element equals the reference.
    Exact,
    /// No element is further than `bound` from the reference.
    Absolute {
        /// The largest difference allowed.
        bound: f64,
        /// Where the bound comes from.
        reason: String,
    },
    /// No element is further than `bound` times the reference's magnitude from the reference.
    Relative {
        /// The largest relative difference allowed.
        bound: f64,
        /// Where the bound comes from.
        reason: String,
    },
}

impl Tolerance {
    /// The largest difference allowed from a reference value.
    fn allowed(&self, reference: f64) -> f64 {
        match self {
            Self::Exact => 0.0,
            Self::Absolute { bound, .. } => *bound,
            Self::Relative { bound, .. } => bound * reference.abs(),
        }
    }
}

/// What a buffer must hold after the launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// Which argument the buffer is, from 0.
    pub argument: usize,
    /// The type of its elements.
    pub element: Element,
    /// The CPU reference, little-endian.
    pub reference: Vec<u8>,
    /// How far the result may be from it.
    pub tolerance: Tolerance,
}

/// The outcome of holding a result against its reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Whether every element is within its tolerance.
    pub right: bool,
    /// Number of elements that are not.
    pub wrong: u64,
    /// The largest finite difference from the reference.
    pub max_error: f64,
    /// The first wrong element, in a sentence.
    pub first: Option<String>,
}

impl Check {
    /// The check of a launch with several outputs: right when all are.
    pub fn all(checks: impl IntoIterator<Item = Self>) -> Self {
        let nothing = Self { right: true, wrong: 0, max_error: 0.0, first: None };
        checks.into_iter().fold(nothing, |sum, check| Self {
            right: sum.right && check.right,
            wrong: sum.wrong + check.wrong,
            max_error: sum.max_error.max(check.max_error),
            first: sum.first.or(check.first),
        })
    }
}

impl Expected {
    /// Holds a result against the reference.
    pub fn check(&self, actual: &[u8]) -> Check {
        let total = self.reference.len() / self.element.bytes();
        if actual.len() != self.reference.len() {
            let (got, need) = (actual.len(), self.reference.len());
            let first = format!("argument {} has {got} bytes after the launch, not {need}", self.argument);
            return Check { right: false, wrong: total as u64, max_error: 0.0, first: Some(first) };
        }
        let mut check = Check { right: true, wrong: 0, max_error: 0.0, first: None };
        let pairs = actual.as_chunks::<4>().0.iter().zip(self.reference.as_chunks::<4>().0);
        for (index, (&got, &reference)) in pairs.enumerate() {
            let value = self.element.value(reference);
            let error = (self.element.value(got) - value).abs();
            if error.is_finite() {
                check.max_error = check.max_error.max(error);
            }
            // A NaN compares as neither, and is wrong.
            if !matches!(error.partial_cmp(&self.tolerance.allowed(value)), Some(order) if order.is_le()) {
                check.right = false;
                check.wrong += 1;
                check.first.get_or_insert_with(|| {
                    let poison = if got == [POISON; 4] { ", as before the launch: nobody wrote it" } else { "" };
                    let (got, wanted) = (self.element.show(got), self.element.show(reference));
                    format!("element {index} of argument {} is {got}{poison}; expected {wanted}", self.argument)
                });
            }
        }
        check
    }
}

/// The byte that outputs are filled with before a launch: a missing write leaves NaN, or -1, behind.
pub const POISON: u8 = 0xff;

/// An output buffer of `bytes` bytes, filled with [`POISON`].
pub fn poisoned(bytes: usize) -> Arg {
    Arg::Buffer(vec![POISON; bytes])
}

/// A case's inputs and references.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The launch with its arguments.
    pub launch: Launch,
    /// What must come out, at least one buffer.
    pub expected: Vec<Expected>,
}

impl Prepared {
    /// Holds the buffers after a launch (one entry per argument, `None` for scalars) against the references.
    pub fn check(&self, buffers: &[Option<Vec<u8>>]) -> Check {
        Check::all(self.expected.iter().map(|expected| {
            let actual = buffers.get(expected.argument).and_then(Option::as_deref);
            expected.check(actual.unwrap_or_default())
        }))
    }

    /// The digest of every output, in the order of [`Prepared::expected`].
    pub fn outputs(&self, buffers: &[Option<Vec<u8>>]) -> Vec<Output> {
        let of = |expected: &Expected| {
            let bytes = buffers.get(expected.argument).and_then(Option::as_deref).unwrap_or_default();
            Output { argument: expected.argument, bytes: bytes.len() as u64, sha256: sha256(bytes) }
        };
        self.expected.iter().map(of).collect()
    }
}

/// The digest of an output buffer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Which argument the buffer is, from 0.
    pub argument: usize,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One kernel with one launch and its data.
#[derive(Clone)]
pub struct Case {
    /// The problem, such as `scan`: the name of the `.cu` file.
    pub problem: &'static str,
    /// The kernel, such as `scan_naive`.
    pub kernel: &'static str,
    /// What is launched, such as `tile 512, 3 blocks + 17`. Unique for its kernel.
    pub name: String,
    /// What kind of data goes in, such as `small whole numbers`.
    pub data: &'static str,
    /// The launch's shape.
    pub shape: Shape,
    prepare: Arc<dyn Fn() -> Prepared + Send + Sync>,
}

impl Case {
    /// A case whose launch and references come from `prepare`, which returns the same at every call.
    pub fn new(
        problem: &'static str,
        kernel: &'static str,
        name: String,
        data: &'static str,
        shape: Shape,
        prepare: impl Fn() -> Prepared + Send + Sync + 'static,
    ) -> Self {
        Self { problem, kernel, name, data, shape, prepare: Arc::new(prepare) }
    }

    /// Makes the inputs and the references.
    pub fn prepare(&self) -> Prepared {
        (self.prepare)()
    }

    /// Whether `name` is in the case's problem, kernel or name; upper and lower case are the same.
    pub fn matches(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        [self.problem, self.kernel, &self.name, &self.to_string()].iter().any(|own| own.to_lowercase().contains(&name))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.kernel, self.name)
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case").field("case", &self.to_string()).field("shape", &self.shape).finish_non_exhaustive()
    }
}

/// All cases of all problems, in a fixed order.
pub fn all() -> Vec<Case> {
    problem::all().iter().flat_map(|problem| (problem.cases)()).collect()
}

/// No case answers to a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no problem, kernel or case is called `{name}`; there are {}", .known.join(", "))]
pub struct NoSuchCase {
    /// The name that was asked for.
    pub name: String,
    /// The names of the problems and kernels.
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
            let known = problem::all().iter().flat_map(|p| [p.name].into_iter().chain(p.kernels.iter().copied()));
            return Err(NoSuchCase { name: name.to_owned(), known: known.collect() });
        }
    }
    let wanted = |case: &Case| names.is_empty() || names.iter().any(|name| case.matches(name.as_ref()));
    Ok(cases.into_iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    fn expected(values: &[f32], tolerance: Tolerance) -> Expected {
        Expected { argument: 0, element: Element::F32, reference: floats(values), tolerance }
    }

    #[test]
    fn a_tolerance_is_held_at_its_edge() {
        let bound = Tolerance::Absolute { bound: 0.5, reason: "test".to_owned() };
        let check = expected(&[1.0, 2.0], bound).check(&floats(&[1.5, 2.75]));
        assert_eq!((check.right, check.wrong, check.max_error), (false, 1, 0.75));
        assert_eq!(check.first.unwrap(), "element 1 of argument 0 is 2.75; expected 2");
        let relative = Tolerance::Relative { bound: 0.25, reason: "test".to_owned() };
        assert!(expected(&[-8.0], relative.clone()).check(&floats(&[-6.0])).right);
        assert!(!expected(&[-8.0], relative).check(&floats(&[-5.0])).right);
        assert!(!expected(&[0.0], Tolerance::Exact).check(&floats(&[f32::MIN_POSITIVE])).right);
    }

    #[test]
    fn a_missing_write_and_a_short_buffer_are_wrong() {
        let wide = Tolerance::Absolute { bound: f64::INFINITY, reason: "test".to_owned() };
        let check = expected(&[1.0], wide.clone()).check(&[POISON; 4]);
        assert!(!check.right && check.max_error == 0.0);
        assert!(check.first.unwrap().contains("nobody wrote it"));
        assert!(!expected(&[1.0, 2.0], wide).check(&floats(&[1.0])).right);
    }

    #[test]
    fn integers_are_compared_as_integers() {
        let whole = |element, reference: [u8; 4]| Expected {
            argument: 2,
            element,
            reference: reference.to_vec(),
            tolerance: Tolerance::Exact,
        };
        assert!(whole(Element::I32, (-1i32).to_le_bytes()).check(&[0xff; 4]).right);
        let check = whole(Element::U32, 7u32.to_le_bytes()).check(&[0xff; 4]);
        assert_eq!(check.max_error, f64::from(u32::MAX - 7));
        assert!(check.first.unwrap().starts_with("element 0 of argument 2 is 4294967295"));
    }

    #[test]
    fn every_case_has_a_name_of_its_own_and_outputs_that_are_poisoned() {
        let mut seen = HashSet::new();
        for case in all() {
            assert!(seen.insert((case.kernel, case.name.clone())), "{case} is there twice");
            let threads = case.shape.block.count();
            assert!((1..=1024).contains(&threads), "{case} launches {threads} threads per block");
        }
        for case in all().into_iter().filter(|case| case.shape.grid.count() < 100) {
            let prepared = case.prepare();
            assert_eq!(prepared, case.prepare(), "{case} is different every time");
            assert!(!prepared.expected.is_empty());
            for expected in &prepared.expected {
                let Arg::Buffer(before) = &prepared.launch.args[expected.argument] else { panic!("{case}: no buffer") };
                assert_eq!(before.len(), expected.reference.len());
                assert!(before.iter().all(|&byte| byte == POISON));
                assert!(!expected.check(before).right, "{case} would pass without running");
            }
        }
    }

    #[test]
    fn cases_are_found_by_problem_kernel_and_name() {
        assert_eq!(select::<&str>(&[]).unwrap().len(), all().len());
        assert_eq!(select(&["SCAN"]).unwrap().len(), all().len());
        let padded = select(&["scan_blelloch_padded"]).unwrap();
        assert!(!padded.is_empty() && padded.iter().all(|case| case.kernel == "scan_blelloch_padded"));
        assert!(select(&["scan_naive, tile 64,"]).unwrap().iter().all(|case| case.kernel == "scan_naive"));
        let error = select(&["scan_naive", "scann"]).unwrap_err().to_string();
        assert!(error.contains("`scann`") && error.contains("scan_blelloch_pairs"), "{error}");
    }
}
