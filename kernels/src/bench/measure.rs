//! One workload on a GPU: every version and every peer is validated, and then timed.

use std::time::Duration;

use bytemuck::cast_slice_mut;

use super::record::Outcome;
use crate::check::POISON;
use crate::gpu::{Arena, Gpu, GpuError, Kernels, Stopwatch, Timed, Times};
use crate::peers::{Harness, Peers};
use crate::stopwatch::stopwatch;
use crate::verdict::Verdict;
use crate::workload::values::Reference;
use crate::workload::{Call, Content, Fill, Own, Peer, Run};

/// Untimed runs after the one that is validated.
pub(super) const WARM_UP: u32 = 2;

/// Device memory that is left alone: the driver needs some for itself.
const SPARE: u64 = 256 << 20;

/// What is on the GPU while a workload is measured.
pub(super) struct Bench<'gpu> {
    pub(super) gpu: &'gpu Gpu,
    pub(super) stopwatch: Stopwatch<'gpu>,
    /// Timed runs of everything.
    pub(super) runs: u32,
    /// After that long no more runs are begun, if there are three.
    pub(super) budget: Duration,
    /// Where results are read to, in words, so that every element type is aligned.
    host: Vec<u64>,
}

/// A workload's inputs on the GPU.
pub(super) struct Inputs<'a> {
    pub(super) arena: Arena<'a>,
    pub(super) content: &'a Content,
}

/// What is run, whoever wrote it.
struct Job<'a> {
    /// Its name, for messages.
    name: &'a str,
    /// The buffers of its own.
    buffers: &'a [Own],
    /// Which of the workload's results it has; the first if none is named.
    result: Option<&'a str>,
    /// Its elements may come in any order.
    unordered: bool,
}

impl<'a> Job<'a> {
    const fn of_version(run: &'a Run, buffers: &'a [Own]) -> Self {
        Self { name: run.version, buffers, result: run.result, unordered: run.unordered }
    }

    fn of_peer(peer: &'a Peer) -> Self {
        Self { name: peer.name, buffers: &peer.writes, result: peer.result, unordered: false }
    }
}

impl<'gpu> Bench<'gpu> {
    /// A bench on this GPU.
    pub(super) fn new(gpu: &'gpu Gpu, runs: u32, budget: Duration) -> Result<Self, GpuError> {
        Ok(Self { gpu, stopwatch: stopwatch(gpu)?, runs, budget, host: Vec::new() })
    }

    /// Puts a workload's inputs on the GPU; `None` with the reason where there is no room for them.
    pub(super) fn upload<'a>(&self, content: &'a Content) -> Result<Result<Inputs<'a>, String>, GpuError>
    where
        'gpu: 'a,
    {
        let bytes = content.inputs.iter().map(|(_, values)| values.bytes().len() as u64).sum();
        if let Some(why) = self.no_room(bytes)? {
            return Ok(Err(why));
        }
        let mut arena = self.gpu.arena();
        for (name, values) in &content.inputs {
            arena.upload(name, values.bytes())?;
        }
        Ok(Ok(Inputs { arena, content }))
    }

    /// Validates a version, and times it if it is right.
    pub(super) fn run(&mut self, kernels: &Kernels<'_>, inputs: &Inputs<'_>, run: &Run) -> Result<Outcome, GpuError> {
        let launches = match run.launches() {
            Ok(launches) => launches,
            Err(why) => return Ok(Outcome::LeftOut { why }),
        };
        let own = match self.own(&launches.buffers, inputs, 0)? {
            Ok(own) => own,
            Err(why) => return Ok(Outcome::LeftOut { why }),
        };
        let queue = kernels.prepare(&launches.steps, &[&own, &inputs.arena])?;
        let job = Job::of_version(run, &launches.buffers);
        Ok(match (self.measure(&job, &own, inputs, &|| queue.start())?, run.verdict) {
            (Outcome::Failed { .. }, Verdict::Wrong { why } | Verdict::Faulty { why, .. }) => {
                Outcome::Faulty { why: why.to_owned() }
            }
            (outcome, _) => outcome,
        })
    }

    /// Validates a version without timing it: what is wrong, if anything is.
    pub(super) fn check(
        &mut self,
        kernels: &Kernels<'_>,
        inputs: &Inputs<'_>,
        run: &Run,
    ) -> Result<Option<String>, GpuError> {
        let launches = match run.launches() {
            Ok(launches) => launches,
            Err(why) => return Ok(Some(why)),
        };
        let own = match self.own(&launches.buffers, inputs, 0)? {
            Ok(own) => own,
            Err(why) => return Ok(Some(why)),
        };
        let queue = kernels.prepare(&launches.steps, &[&own, &inputs.arena])?;
        self.validate(&Job::of_version(run, &launches.buffers), &own, inputs, &|| queue.start())
    }

    /// Validates an algorithm of others, and times it if it is right.
    pub(super) fn peer(
        &mut self,
        peers: &mut Result<Peers, String>,
        inputs: &Inputs<'_>,
        peer: &Peer,
    ) -> Result<Outcome, GpuError> {
        let left_out = |why: String| Ok(Outcome::LeftOut { why });
        let operation = match peer.call {
            // CUB's functions are called with an int.
            Call::Cub(_) if i32::try_from(peer.count).is_err() => {
                return left_out(format!("it is called with an int, and {} elements are too many for one", peer.count));
            }
            Call::Cub(operation) | Call::Npp(operation) => operation,
            Call::Copy => return self.copy_peer(inputs, peer),
        };
        let harness = match peers {
            Ok(peers) => peers.get(operation),
            Err(why) => Err(why.clone()),
        };
        let harness: &Harness = match harness {
            Ok(harness) => harness,
            Err(why) => return left_out(why),
        };
        let failed = |why: String| GpuError::Launch(format!("{}: {why}", peer.name));
        // The size of the temporary memory does not depend on addresses.
        let nowhere = vec![0; peer.reads.len().max(peer.writes.len())];
        self.gpu.wait(peer.name)?;
        let bytes = harness
            .temp_bytes(&nowhere[..peer.reads.len()], &nowhere[..peer.writes.len()], peer.count)
            .map_err(failed)?
            .max(1);
        let mut own = match self.own(&peer.writes, inputs, bytes)? {
            Ok(own) => own,
            Err(why) => return left_out(why),
        };
        own.add("temp", bytes)?;
        let reads: Vec<u64> = peer.reads.iter().filter_map(|name| inputs.arena.address(name)).collect();
        let writes: Vec<u64> = peer.writes.iter().filter_map(|buffer| own.address(buffer.name)).collect();
        if (reads.len(), writes.len()) != (peer.reads.len(), peer.writes.len()) {
            return Err(failed("it reads or writes a buffer that its workload does not have".to_owned()));
        }
        let temp = (own.address("temp").unwrap_or_default(), bytes);
        let start = || harness.start(temp, &reads, &writes, peer.count).map_err(failed);
        self.measure(&Job::of_peer(peer), &own, inputs, &start)
    }

    /// The driver's own copy, from the first buffer that a peer reads to the first that it writes.
    fn copy_peer(&mut self, inputs: &Inputs<'_>, peer: &Peer) -> Result<Outcome, GpuError> {
        let own = match self.own(&peer.writes, inputs, 0)? {
            Ok(own) => own,
            Err(why) => return Ok(Outcome::LeftOut { why }),
        };
        let start = || own.copy(peer.writes[0].name, &inputs.arena, peer.reads[0]);
        self.measure(&Job::of_peer(peer), &own, inputs, &start)
    }

    /// Times the driver's copy of `bytes / 2` bytes, which reads and writes `bytes` together; `None` without room.
    pub(super) fn roof(&self, bytes: u64) -> Result<Option<Times>, GpuError> {
        let half = (bytes / 2).max(1);
        if self.no_room(2 * half)?.is_some() {
            return Ok(None);
        }
        let mut arena = self.gpu.arena();
        arena.add("from", half)?;
        arena.add("to", half)?;
        arena.fill("from", 1)?;
        let copy = || arena.copy("to", &arena, "from");
        let timed = Timed { name: "a copy", reset: &|| Ok(()), start: &copy };
        self.stopwatch.time(&timed, WARM_UP, self.runs, self.budget).map(Some)
    }

    /// The sentence that says that so many bytes do not fit, if they do not.
    fn no_room(&self, bytes: u64) -> Result<Option<String>, GpuError> {
        let free = self.gpu.free_bytes()?;
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        let text = || format!("it needs {:.1} GiB of device memory and {:.1} are free", gib(bytes), gib(free));
        Ok((bytes + SPARE > free).then(text))
    }

    /// Memory for the buffers of a version's own, filled as for a first run.
    fn own(&self, buffers: &[Own], inputs: &Inputs<'_>, more: u64) -> Result<Result<Arena<'gpu>, String>, GpuError> {
        let size = |buffer: &Own| match buffer.fill {
            Fill::Poison(bytes) | Fill::Zeros(bytes) => bytes,
            Fill::Copy(of) => inputs.arena.bytes(of).unwrap_or_default() as u64,
        };
        if let Some(why) = self.no_room(buffers.iter().map(size).sum::<u64>() + more)? {
            return Ok(Err(why));
        }
        let mut arena = self.gpu.arena();
        for buffer in buffers {
            arena.add(buffer.name, size(buffer))?;
            arena.fill(buffer.name, POISON)?;
        }
        Ok(Ok(arena))
    }

    /// Runs once, and if the result is right as often as it takes to time it.
    fn measure(
        &mut self,
        job: &Job<'_>,
        own: &Arena<'_>,
        inputs: &Inputs<'_>,
        start: &dyn Fn() -> Result<(), GpuError>,
    ) -> Result<Outcome, GpuError> {
        if let Some(why) = self.validate(job, own, inputs, start)? {
            return Ok(Outcome::Failed { why });
        }
        let timed = Timed { name: job.name, reset: &|| reset(job.buffers, own, inputs), start };
        self.stopwatch.time(&timed, WARM_UP, self.runs, self.budget).map(Outcome::Timed)
    }

    /// Runs once and holds what comes out against the reference. `None` when it is right.
    fn validate(
        &mut self,
        job: &Job<'_>,
        own: &Arena<'_>,
        inputs: &Inputs<'_>,
        start: &dyn Fn() -> Result<(), GpuError>,
    ) -> Result<Option<String>, GpuError> {
        reset(job.buffers, own, inputs)?;
        start()?;
        self.gpu.wait(job.name)?;
        let results = &inputs.content.results;
        let found = match job.result {
            Some(result) => results.iter().find(|(name, _)| *name == result),
            None => results.first(),
        };
        let Some((_, references)) = found else {
            return Ok(Some("its workload has no reference for it".to_owned()));
        };
        for reference in references {
            if let Some(why) = self.wrong(reference, own, job.unordered)? {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    fn wrong(&mut self, reference: &Reference, own: &Arena<'_>, unordered: bool) -> Result<Option<String>, GpuError> {
        let Some(bytes) = own.bytes(reference.buffer) else {
            return Ok(Some(format!("there is no buffer `{}` to look at", reference.buffer)));
        };
        if self.host.len() < bytes.div_ceil(8) {
            self.host.resize(bytes.div_ceil(8), 0);
        }
        let got = &mut cast_slice_mut::<u64, u8>(&mut self.host)[..bytes];
        own.download(reference.buffer, got)?;
        Ok(reference.check(got, unordered).err())
    }
}

/// Brings the buffers that must be zero, or a copy of an input, into that state.
fn reset(buffers: &[Own], own: &Arena<'_>, inputs: &Inputs<'_>) -> Result<(), GpuError> {
    buffers.iter().try_for_each(|buffer| match buffer.fill {
        Fill::Poison(_) => Ok(()),
        Fill::Zeros(_) => own.fill(buffer.name, 0),
        Fill::Copy(of) => own.copy(buffer.name, &inputs.arena, of),
    })
}
