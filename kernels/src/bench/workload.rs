//! What a problem gives to the bench: inputs, how each version is launched on them, and which algorithms of others
//! compute the same.
//!
//! A list of workloads is cheap: everything large is made when [`Workload::make`] and [`Run::launches`] are called.

use std::sync::Arc;

use super::values::{Reference, Values};
use crate::case::{Buffer, Step};
use crate::verdict::Verdict;
use sim::Arg;

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
    /// The number of elements that it is told.
    pub count: u64,
    /// Which of the results it leaves; the first if none is named.
    pub result: Option<&'static str>,
}

/// How an algorithm of others is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// An operation of `peers/cub.cu`, by the end of its macro's name: `REDUCE_I32`.
    Cub(&'static str),
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

    /// The same buffer as a case has, but for its content, which is zero or poison.
    pub fn of(buffer: &Buffer) -> Self {
        let fill = match &buffer.content {
            Arg::Zeros(bytes) => Fill::Zeros(*bytes),
            Arg::Buffer(bytes) => Fill::Poison(bytes.len() as u64),
            _ => Fill::Poison(0),
        };
        Self { name: buffer.name, fill }
    }
}

impl Peer {
    /// One of CUB's, which reads `in`.
    pub fn cub(name: &'static str, operation: &'static str, count: u64, writes: &[Own]) -> Self {
        let (call, reads, writes) = (Call::Cub(operation), vec!["in"], writes.to_vec());
        Self { name, call, reads, writes, count, result: None }
    }
}

/// A number of elements as people say it: `2^28`, or its digits.
pub fn power(elements: u64) -> String {
    if elements >= 1024 && elements.is_power_of_two() {
        format!("2^{}", elements.ilog2())
    } else {
        elements.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_as_powers_of_two_where_they_are() {
        assert_eq!((power(1 << 28), power(0), power(10_000_000)), ("2^28".into(), "0".into(), "10000000".into()));
    }

    #[test]
    fn buffers_of_cases_keep_their_size() {
        assert_eq!(Own::of(&Buffer::zeros("a", 12)), Own::zeros("a", 12));
        assert_eq!(Own::of(&Buffer::poisoned("b", 3)), Own::poisoned("b", 3));
    }
}
