//! Buffers with names that stay on the GPU from one measurement to the next, and the stopwatch of the bench.

use std::time::{Duration, Instant};

use super::Gpu;
use super::error::GpuError;
use super::kernels::{Kernels, Times};
use super::launch::{Pass, Shape, Step};
use super::memory::{self, DeviceBuffer, Event};
use super::sequence::{self, Queue};
use sim::{Dim3, Scalar};

/// Fewest timed runs, however long they take.
const LEAST_RUNS: u32 = 3;

/// Bytes that are written and read between two runs, at least: more than any GPU's caches hold today.
const LEAST_SCRUB: u64 = 256 << 20;

/// Named buffers on a GPU.
#[derive(Debug)]
pub struct Arena<'gpu> {
    gpu: &'gpu Gpu,
    buffers: Vec<(&'static str, DeviceBuffer)>,
}

impl Gpu {
    /// An arena without buffers.
    pub const fn arena(&self) -> Arena<'_> {
        Arena { gpu: self, buffers: Vec::new() }
    }

    /// Bytes of device memory that are free.
    ///
    /// # Errors
    /// [`GpuError`] when the driver does not answer.
    pub fn free_bytes(&self) -> Result<u64, GpuError> {
        self.make_current()?;
        memory::free()
    }

    /// Waits for everything that is queued; `what` names it for a message.
    ///
    /// # Errors
    /// [`GpuError::Fault`] when the GPU stopped a kernel meanwhile.
    pub fn wait(&self, what: &str) -> Result<(), GpuError> {
        self.make_current()?;
        sequence::wait_for(what)
    }
}

impl Arena<'_> {
    /// Adds a buffer of `bytes` bytes with undefined content.
    ///
    /// # Errors
    /// [`GpuError`] when there is no room.
    pub fn add(&mut self, name: &'static str, bytes: u64) -> Result<(), GpuError> {
        self.gpu.make_current()?;
        let bytes = usize::try_from(bytes).map_err(|_| GpuError::Launch(format!("{bytes} bytes are too many")))?;
        self.buffers.push((name, DeviceBuffer::new(bytes)?));
        Ok(())
    }

    /// Adds a buffer with this content.
    ///
    /// # Errors
    /// [`GpuError`] when there is no room.
    pub fn upload(&mut self, name: &'static str, content: &[u8]) -> Result<(), GpuError> {
        self.gpu.make_current()?;
        self.buffers.push((name, DeviceBuffer::from_host(content)?));
        Ok(())
    }

    /// Sets every byte of a buffer, after the work that is queued already.
    ///
    /// # Errors
    /// [`GpuError`] for a buffer that is not there.
    pub fn fill(&self, name: &str, byte: u8) -> Result<(), GpuError> {
        self.get(name)?.fill(byte)
    }

    /// Copies a buffer of another arena (or this one) into one of the same size, after the work that is queued already.
    ///
    /// # Errors
    /// [`GpuError`] for a buffer that is not there or of another size.
    pub fn copy(&self, to: &str, others: &Arena<'_>, from: &str) -> Result<(), GpuError> {
        let (to, from) = (self.get(to)?, others.get(from)?);
        if to.len() != from.len() {
            return Err(GpuError::Launch(format!("{} bytes cannot be copied over {} bytes", from.len(), to.len())));
        }
        to.copy_from(from)
    }

    /// A buffer's size; `None` where there is no such buffer.
    pub fn bytes(&self, name: &str) -> Option<usize> {
        self.get(name).ok().map(DeviceBuffer::len)
    }

    /// A buffer's address.
    pub fn address(&self, name: &str) -> Option<u64> {
        self.get(name).ok().map(DeviceBuffer::address)
    }

    /// Reads a whole buffer, after all queued work.
    ///
    /// # Errors
    /// [`GpuError`] for a buffer that is not there, or when the GPU stopped a kernel meanwhile.
    pub fn download(&self, name: &str, into: &mut [u8]) -> Result<(), GpuError> {
        self.get(name)?.read(into)
    }

    fn get(&self, name: &str) -> Result<&DeviceBuffer, GpuError> {
        let found = self.buffers.iter().find(|(own, _)| *own == name);
        found.map(|(_, buffer)| buffer).ok_or_else(|| GpuError::Launch(format!("there is no buffer `{name}`")))
    }
}

impl<'gpu> Kernels<'gpu> {
    /// Launches whose buffers are looked for in each of `arenas` in turn.
    ///
    /// # Errors
    /// [`GpuError::Launch`] for a launch that does not fit its kernel or a buffer that is in none of `arenas`.
    pub fn prepare(&self, steps: &[Step], arenas: &[&Arena<'_>]) -> Result<Queue<'gpu>, GpuError> {
        self.gpu.make_current()?;
        self.queue(steps, &|name| arenas.iter().find_map(|arena| arena.address(name)))
    }
}

/// Takes the time of work on a GPU, with cold caches.
pub struct Stopwatch<'gpu> {
    gpu: &'gpu Gpu,
    /// What is written between runs, and what is read then: lines that were only read need not be written back while
    /// the next run is timed.
    written: DeviceBuffer,
    evict: Queue<'gpu>,
    before: Event,
    after: Event,
    // The queue reads this memory.
    _read: Arena<'gpu>,
}

/// What the stopwatch is asked to time.
pub struct Timed<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// Brings the buffers into the state that every run begins with.
    pub reset: &'a dyn Fn() -> Result<(), GpuError>,
    /// Queues the work.
    pub start: &'a dyn Fn() -> Result<(), GpuError>,
}

impl<'gpu> Stopwatch<'gpu> {
    /// A stopwatch for this GPU. `ptx` holds the kernel `evict`, which reads a buffer of so many words of 16 bytes.
    ///
    /// # Errors
    /// [`GpuError`] when the GPU has no memory left or refuses the kernel.
    pub fn new(gpu: &'gpu Gpu, ptx: &str) -> Result<Self, GpuError> {
        let bytes = Self::scrub_bytes(gpu);
        let kernels = gpu.load(ptx)?;
        let mut read = gpu.arena();
        read.add("in", bytes)?;
        read.fill("in", 0)?;
        let grid = Dim3::linear(8 * gpu.properties().sm_count);
        let args = vec![Pass::Buffer("in"), Pass::Scalar(Scalar::U64(bytes / 16))];
        let shape = Shape { grid, block: Dim3::linear(256), shared_bytes: 0 };
        let evict = kernels.prepare(&[Step { kernel: "evict", shape, args }], &[&read])?;
        let (before, after) = (Event::new()?, Event::new()?);
        Ok(Self { gpu, written: DeviceBuffer::new(bytes as usize)?, evict, before, after, _read: read })
    }

    /// How much is written, and then how much else is read, before every run.
    pub const fn scrub_bytes(gpu: &Gpu) -> u64 {
        let caches = 4 * gpu.properties().l2_bytes;
        if caches > LEAST_SCRUB { caches } else { LEAST_SCRUB }
    }

    /// Times one run, without a warm-up.
    ///
    /// # Errors
    /// [`GpuError`] when the GPU refuses or stops the work.
    pub fn once(&self, timed: &Timed<'_>) -> Result<u64, GpuError> {
        self.gpu.make_current()?;
        (timed.reset)()?;
        // The GPU is busy with this while the host queues what is timed, so that the time does not include the host.
        self.written.fill(0x5a)?;
        self.evict.start()?;
        self.before.record()?;
        (timed.start)()?;
        self.after.record()?;
        sequence::wait_for(timed.name)?;
        self.after.nanoseconds_since(&self.before)
    }

    /// Times `runs` runs, after `warm_up` others; fewer, but at least three, when they would take longer than `budget`.
    ///
    /// # Errors
    /// [`GpuError`] when the GPU refuses or stops the work.
    pub fn time(&self, timed: &Timed<'_>, warm_up: u32, runs: u32, budget: Duration) -> Result<Times, GpuError> {
        let begin = Instant::now();
        for _ in 0..warm_up {
            self.once(timed)?;
            if begin.elapsed() > budget / 2 {
                break;
            }
        }
        let mut times = Vec::new();
        while times.len() < runs.max(LEAST_RUNS) as usize {
            times.push(self.once(timed)?);
            if begin.elapsed() > budget && times.len() >= LEAST_RUNS as usize {
                break;
            }
        }
        Ok(Times::of(times).expect("at least three runs were timed"))
    }
}
