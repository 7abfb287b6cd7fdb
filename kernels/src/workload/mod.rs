//! What a problem gives to the bench: inputs, how each version is launched on them, and which algorithms of others
//! compute the same.
//!
//! A list of workloads is cheap: everything large is made when [`Workload::make`] and [`Run::launches`] are called.

pub mod values;

use std::fmt;
use std::sync::Arc;

use crate::case::{Buffer, Step};
use crate::verdict::Verdict;
use values::{Reference, Values};

/// How large an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// An array of so many elements.
    Elements(u64),
    /// A picture: width and height.
    Sides(u32, u32),
}

impl Size {
    /// Reads `2^28`, `2^28+7`, `268435463` or `8192x8192`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase().replace('×', "x");
        if let Some((width, height)) = text.split_once('x') {
            return Some(Self::Sides(width.trim().parse().ok()?, height.trim().parse().ok()?));
        }
        let (power, more) = text.split_once('+').unwrap_or((&text, "0"));
        let base = match power.strip_prefix("2^") {
            Some(exponent) => 1u64.checked_shl(exponent.parse().ok()?).filter(|&base| base > 0)?,
            None => power.parse().ok()?,
        };
        base.checked_add(more.parse().ok()?).map(Self::Elements)
    }

    /// The number of elements.
    pub const fn elements(self) -> u64 {
        match self {
            Self::Elements(count) => count,
            Self::Sides(width, height) => width as u64 * height as u64,
        }
    }

    /// The number of elements of an array.
    ///
    /// # Errors
    /// A sentence, when it is the size of an image.
    pub fn array(self) -> Result<u64, String> {
        match self {
            Self::Elements(count) => Ok(count),
            Self::Sides(..) => Err(format!("its inputs are arrays, and {self} is the size of an image; say 2^28+7")),
        }
    }

    /// Width and height of a picture.
    ///
    /// # Errors
    /// A sentence, when it is the size of an array.
    pub fn picture(self) -> Result<(u32, u32), String> {
        match self {
            Self::Sides(width, height) => Ok((width, height)),
            Self::Elements(_) => Err(format!("its inputs have two sides, and {self} is one number; say 8192x8192")),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elements(count) => f.write_str(&power(*count)),
            Self::Sides(width, height) => write!(f, "{width}×{height}"),
        }
    }
}

/// A version that does everything in one launch, and its tile: benched with every size from one tile to two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SinglePass {
    /// The version.
    pub version: &'static str,
    /// Elements of a tile; of a square tile, those along its edge.
    pub tile: u32,
    /// Whether inputs are square pictures.
    pub square: bool,
}

impl SinglePass {
    /// A version for arrays.
    pub const fn of(version: &'static str, tile: u32) -> Self {
        Self { version, tile, square: false }
    }

    /// The sizes, from one tile to two.
    pub fn sizes(self) -> impl Iterator<Item = Size> {
        let size = move |n: u32| if self.square { Size::Sides(n, n) } else { Size::Elements(n.into()) };
        (self.tile..=2 * self.tile).map(size)
    }
}

/// One input of a problem, and everything that is timed on it.
#[derive(Clone)]
pub struct Workload {
    /// The size as people say it: `2^28`, `8192×8192`.
    pub size: String,
    /// Number of elements.
    pub elements: u64,
    /// What an element is, in the plural: `ints`.
    pub unit: &'static str,
    /// What kind of data it is: `half kept`.
    pub data: String,
    /// The versions.
    pub runs: Vec<Run>,
    /// The algorithms of others. Times of versions are told as multiples of the first one's.
    pub peers: Vec<Peer>,
    make: Arc<dyn Fn() -> Content + Send + Sync>,
}

/// The large parts of a workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// The buffers that are only read.
    pub inputs: Vec<(&'static str, Values)>,
    /// What may have to come out, by name: versions with different outputs share a workload.
    pub results: Vec<(&'static str, Vec<Reference>)>,
    /// The bytes that no algorithm can do without: every input read once and every output written once.
    pub bytes: u64,
}

/// A version on a workload.
#[derive(Clone)]
pub struct Run {
    /// The version.
    pub version: &'static str,
    /// What is known of its result.
    pub verdict: Verdict,
    /// Which of the results it leaves; the first if none is named.
    pub result: Option<&'static str>,
    /// Whether the elements of its result may come in any order.
    pub unordered: bool,
    launches: Result<Arc<dyn Fn() -> Launches + Send + Sync>, String>,
}

/// How a version is launched.
#[derive(Debug, Clone, PartialEq)]
pub struct Launches {
    /// The launches, in order. Buffers are the workload's inputs and those below.
    pub steps: Vec<Step>,
    /// The buffers of its own.
    pub buffers: Vec<Own>,
}

/// A buffer of a version's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Own {
    /// Its name.
    pub name: &'static str,
    /// What is in it before the first launch.
    pub fill: Fill,
}

/// What a buffer holds before the first launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// So many bytes of [`crate::check::POISON`]. They are set once: a result overwrites that of the run before.
    Poison(u64),
    /// So many zero bytes, before every run.
    Zeros(u64),
    /// What an input holds, before every run: for versions that work in place.
    Copy(&'static str),
}

/// An algorithm of others.
#[derive(Debug, Clone, PartialEq)]
pub struct Peer {
    /// Its name: `cub::DeviceReduce::Sum`.
    pub name: &'static str,
    /// How it is called.
    pub call: Call,
    /// The inputs that it reads.
    pub reads: Vec<&'static str>,
    /// The buffers that it writes.
    pub writes: Vec<Own>,
    /// The number of elements that it is told; for [`Call::Npp`] the width times 2^32, and the height.
    pub count: u64,
    /// Which of the results it leaves; the first if none is named.
    pub result: Option<&'static str>,
}

/// How an algorithm of others is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// An operation of `peers/cub.cu`, by the end of its macro's name: `REDUCE_I32`.
    Cub(&'static str),
    /// An operation of `peers/npp.cu`, likewise: `NPP_INTEGRAL_8U32S`.
    Npp(&'static str),
    /// The driver's copy from device to device.
    Copy,
}

impl Workload {
    /// A workload without versions. `make` returns the same at every call.
    pub fn new(
        elements: u64,
        unit: &'static str,
        data: impl Into<String>,
        make: impl Fn() -> Content + Send + Sync + 'static,
    ) -> Self {
        let (runs, peers) = (Vec::new(), Vec::new());
        Self { size: power(elements), elements, unit, data: data.into(), runs, peers, make: Arc::new(make) }
    }

    /// The same under another name of its size.
    #[must_use]
    pub fn sized(self, size: String) -> Self {
        Self { size, ..self }
    }

    /// The same with those versions alone that `keep` keeps: a check of long arrays need not wait for slow ones.
    #[must_use]
    pub fn only(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.runs.retain(|run| keep(run.version));
        self
    }

    /// The same with more versions.
    #[must_use]
    pub fn runs(mut self, runs: impl IntoIterator<Item = Run>) -> Self {
        self.runs.extend(runs);
        self
    }

    /// The same with an algorithm of others.
    #[must_use]
    pub fn peer(mut self, peer: Peer) -> Self {
        self.peers.push(peer);
        self
    }

    /// Makes the inputs and the references.
    pub fn make(&self) -> Content {
        (self.make)()
    }
}

impl Run {
    /// A version that is right, and leaves the workload's first result. `launches` is called once per bench.
    pub fn new(version: &'static str, launches: impl Fn() -> Launches + Send + Sync + 'static) -> Self {
        Self { version, verdict: Verdict::Right, result: None, unordered: false, launches: Ok(Arc::new(launches)) }
    }

    /// A version that is right where `fits` says that its host code takes the input; else its reason to refuse it.
    pub fn fitting<E: fmt::Display>(
        version: &'static str,
        fits: Result<(), E>,
        launches: impl Fn() -> Launches + Send + Sync + 'static,
    ) -> Self {
        match fits {
            Ok(()) => Self::new(version, launches),
            Err(why) => Self::left_out(version, format!("it refuses this input: {why}")),
        }
    }

    /// A version that is left out here, and why.
    pub fn left_out(version: &'static str, why: impl Into<String>) -> Self {
        Self { version, verdict: Verdict::Right, result: None, unordered: false, launches: Err(why.into()) }
    }

    /// The same with another expectation.
    #[must_use]
    pub fn expecting(self, verdict: Verdict) -> Self {
        Self { verdict, ..self }
    }

    /// The same with a result of this name.
    #[must_use]
    pub fn leaving(self, result: &'static str) -> Self {
        Self { result: Some(result), ..self }
    }

    /// The same with a result whose elements may come in any order.
    #[must_use]
    pub fn in_any_order(self, unordered: bool) -> Self {
        Self { unordered, ..self }
    }

    /// How it is launched, or why it is left out.
    ///
    /// # Errors
    /// The reason, as a part of a sentence.
    pub fn launches(&self) -> Result<Launches, String> {
        match &self.launches {
            Ok(launches) => Ok(launches()),
            Err(why) => Err(why.clone()),
        }
    }

    /// Whether it is left out.
    pub const fn is_left_out(&self) -> bool {
        self.launches.is_err()
    }
}

impl Own {
    /// A buffer for a result, or for what one launch leaves to the next.
    pub const fn poisoned(name: &'static str, bytes: u64) -> Self {
        Self { name, fill: Fill::Poison(bytes) }
    }

    /// A buffer that must be zero before every run.
    pub const fn zeros(name: &'static str, bytes: u64) -> Self {
        Self { name, fill: Fill::Zeros(bytes) }
    }

    /// The same for a case, which has its content in this machine's memory.
    pub fn buffer(&self) -> Buffer {
        match self.fill {
            Fill::Poison(bytes) => Buffer::poisoned(self.name, bytes as usize),
            Fill::Zeros(bytes) => Buffer::zeros(self.name, bytes),
            Fill::Copy(_) => Buffer::zeros(self.name, 0),
        }
    }
}

impl Peer {
    /// One of CUB's, which reads `in`.
    pub fn cub(name: &'static str, operation: &'static str, count: u64, writes: &[Own]) -> Self {
        let (call, reads, writes) = (Call::Cub(operation), vec!["in"], writes.to_vec());
        Self { name, call, reads, writes, count, result: None }
    }

    /// One of NPP's, which reads `image`.
    pub fn npp(name: &'static str, operation: &'static str, width: u32, height: u32, writes: &[Own]) -> Self {
        let (call, reads, writes) = (Call::Npp(operation), vec!["image"], writes.to_vec());
        Self { name, call, reads, writes, count: u64::from(width) << 32 | u64::from(height), result: None }
    }
}

/// A number of elements as people say it: `2^28`, `2^28+7`, or its digits.
pub fn power(elements: u64) -> String {
    let exponent = elements.checked_ilog2().unwrap_or_default();
    match elements - (1 << exponent).min(elements) {
        0 if exponent >= 10 => format!("2^{exponent}"),
        more @ 1..=99 if exponent >= 24 => format!("2^{exponent}+{more}"),
        _ => elements.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_as_powers_of_two_where_they_are() {
        assert_eq!((power(1 << 28), power(0), power(10_000_000)), ("2^28".into(), "0".into(), "10000000".into()));
        assert_eq!((power((1 << 28) + 7), power(1), power(1025)), ("2^28+7".into(), "1".into(), "1025".into()));
    }

    #[test]
    fn sizes_are_read_as_they_are_said() {
        let sizes =
            [Size::Elements(1 << 28), Size::Elements((1 << 32) + 5), Size::Elements(9), Size::Sides(1920, 1080)];
        for size in sizes {
            assert_eq!(Size::parse(&size.to_string()), Some(size));
        }
        assert_eq!(Size::parse("268435456"), Some(Size::Elements(1 << 28)));
        assert_eq!(Size::parse(" 8192X8192"), Some(Size::Sides(8192, 8192)));
        for text in ["", "2^", "2^64", "2^63+2^63", "12 ints", "8192x", "-1", "2^99", "18446744073709551615+1"] {
            assert_eq!(Size::parse(text), None, "{text}");
        }
        assert!(Size::Sides(2, 3).array().is_err() && Size::Elements(4).picture().is_err());
    }

    #[test]
    fn buffers_of_cases_keep_their_size() {
        assert_eq!(Own::zeros("a", 12).buffer(), Buffer::zeros("a", 12));
        assert_eq!(Own::poisoned("b", 3).buffer(), Buffer::poisoned("b", 3));
    }
}
