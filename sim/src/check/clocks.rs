//! What happens before what: logical time, and what every lane of a thread block knows of the others.
//!
//! A thread block is executed one warp instruction at a time, so its events have a *time*: their number. That alone
//! orders nothing, because on a GPU the same events could come in another order. What orders two events of different
//! lanes is a chain of synchronisations, and for every lane `a` and lane `b` there is a time before which `a` knows
//! everything that `b` did: the entry of a vector clock (Mattern 1988; as FastTrack uses it, Flanagan and Freund 2009).
//! An access of `b` at time `t` is ordered before `a`'s next one if `t` is less than that entry.
//!
//! Three levels keep this cheap. A barrier of all threads makes one number, the *floor*, greater than every time
//! before it. `__syncwarp` changes 32 × 32 numbers of one warp. Only barriers of some threads, and synchronisation
//! through memory, need a number for every pair of threads, which the lanes that synchronised together share.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::blocks::Published;
use crate::lanes::lanes_of;

/// Knowledge of all threads of a block.
pub(super) type Vector = Arc<[u32]>;

/// Which fences a thread has executed: for the block, and for the device.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fenced {
    /// Since its last atomic or strong store.
    pub since_last: [bool; 2],
    /// Since the block began.
    pub ever: [bool; 2],
}

/// Logical time and knowledge of the lanes of one thread block.
#[derive(Debug)]
pub(super) struct Clocks {
    /// Number of the latest event.
    pub time: u32,
    /// Everything before this time is ordered before everything that comes.
    pub floor: u32,
    /// By warp, lane and other lane of the warp: what the lane knows of the other.
    warps: Vec<[[u32; 32]; 32]>,
    /// What a thread knows of threads of the block beyond that.
    foreign: Vec<Option<Vector>>,
    any_foreign: bool,
    /// What a thread has read at a synchronisation variable and knows when a fence or a barrier has come.
    deferred: Vec<Option<Vector>>,
    any_deferred: bool,
    /// What threads that arrived at a barrier without waiting have published there, by barrier.
    arrived: BTreeMap<u32, Vec<u32>>,
    /// When each thread last executed a fence of any scope, and one for the whole device.
    fences: Vec<[u32; 2]>,
    last_fence: [u32; 2],
    /// When each thread last executed an atomic or a strong store; empty until one asks.
    strong_writes: Vec<u32>,
    /// When the block started.
    start: u32,
}

impl Clocks {
    /// Clocks of a block of `warps` warps.
    pub(super) fn new(warps: usize) -> Self {
        Self {
            time: 0,
            floor: 1,
            warps: vec![[[0; 32]; 32]; warps],
            foreign: vec![None; warps * 32],
            any_foreign: false,
            deferred: vec![None; warps * 32],
            any_deferred: false,
            arrived: BTreeMap::new(),
            fences: vec![[0; 2]; warps * 32],
            last_fence: [0; 2],
            strong_writes: Vec::new(),
            start: 0,
        }
    }

    /// Warps of the block.
    pub(super) fn warps(&self) -> usize {
        self.warps.len()
    }

    /// The next event's time.
    #[inline(always)]
    pub(super) fn tick(&mut self) -> u32 {
        self.time = self.time.saturating_add(1);
        self.time
    }

    /// A new block starts, or all threads of the block have met: nothing before this races with anything after it.
    pub(super) fn everyone(&mut self) {
        self.floor = self.tick();
        if self.any_foreign {
            self.foreign.fill(None);
            self.any_foreign = false;
        }
        if self.any_deferred {
            self.deferred.fill(None);
            self.any_deferred = false;
        }
    }

    /// Forgets what only the last block needed.
    pub(super) fn next_block(&mut self) {
        self.everyone();
        self.arrived.clear();
        self.start = self.floor;
    }

    /// Whether `thread` does not know what `other` did at `time`, after the floor.
    #[inline]
    pub(super) fn unknown(&self, time: u32, other: u32, thread: u32) -> bool {
        let (warp, lane) = ((thread / 32) as usize, (thread % 32) as usize);
        if other / 32 == thread / 32 && time < self.warps[warp][lane][(other % 32) as usize] {
            return false;
        }
        self.foreign[thread as usize].as_ref().is_none_or(|known| time >= known[other as usize])
    }

    /// Whether `thread` knows what `other` did at `time`.
    pub(super) fn knows(&self, time: u32, other: u32, thread: u32) -> bool {
        time < self.floor || other == thread || !self.unknown(time, other, thread)
    }

    /// Threads of the block, those that fill its last warp included.
    pub(super) fn threads(&self) -> usize {
        self.foreign.len()
    }

    /// The lanes of a warp execute `__syncwarp` together.
    pub(super) fn warp(&mut self, warp: u32, lanes: u32) {
        let now = self.tick();
        self.acquire(lanes_of(lanes).map(|lane| warp * 32 + lane));
        let rows = &mut self.warps[warp as usize];
        let mut together = [0; 32];
        for lane in lanes_of(lanes) {
            for (sum, &known) in together.iter_mut().zip(&rows[lane as usize]) {
                *sum = known.max(*sum);
            }
        }
        for lane in lanes_of(lanes) {
            together[lane as usize] = now;
        }
        for lane in lanes_of(lanes) {
            rows[lane as usize] = together;
        }
        if self.any_foreign {
            self.share(lanes_of(lanes).map(|lane| warp * 32 + lane).collect());
        }
    }

    /// Gives all `threads` the sum of what each knows of other warps.
    fn share(&mut self, threads: Vec<u32>) {
        let mut sum: Option<Vector> = None;
        for &thread in &threads {
            sum = match (sum, &self.foreign[thread as usize]) {
                (None, known) => known.clone(),
                (Some(sum), None) => Some(sum),
                (Some(sum), Some(known)) if Arc::ptr_eq(&sum, known) => Some(sum),
                (Some(sum), Some(known)) => Some(sum.iter().zip(&known[..]).map(|(&a, &b)| a.max(b)).collect()),
            };
        }
        for thread in threads {
            self.foreign[thread as usize].clone_from(&sum);
        }
    }

    /// What `thread` knows, itself up to `now`.
    fn knowledge(&self, thread: u32, now: u32) -> Vec<u32> {
        let mut known = match &self.foreign[thread as usize] {
            Some(vector) => vector.to_vec(),
            None => vec![0; self.foreign.len()],
        };
        let (warp, lane) = ((thread / 32) as usize, (thread % 32) as usize);
        for (entry, &row) in known[warp * 32..].iter_mut().zip(&self.warps[warp][lane]) {
            *entry = row.max(*entry);
        }
        known[thread as usize] = now;
        known
    }

    /// Lanes of a warp arrive at barrier `id` and go on: what they know is published there.
    pub(super) fn arrive(&mut self, id: u32, warp: u32, lanes: u32) {
        let now = self.tick();
        let mut sum = self.arrived.remove(&id).unwrap_or_else(|| vec![0; self.foreign.len()]);
        for lane in lanes_of(lanes) {
            raise(&mut sum, &self.knowledge(warp * 32 + lane, now));
        }
        self.arrived.insert(id, sum);
    }

    /// Barrier `id` opens for some threads of the block, given as lanes by warp.
    pub(super) fn some(&mut self, id: u32, participants: &[u32]) {
        let now = self.tick();
        let mut sum = self.arrived.remove(&id).unwrap_or_else(|| vec![0; self.foreign.len()]);
        let threads: Vec<u32> = (0u32..)
            .zip(participants)
            .flat_map(|(warp, &lanes)| lanes_of(lanes).map(move |lane| warp * 32 + lane))
            .collect();
        for &thread in &threads {
            raise(&mut sum, &self.knowledge(thread, now));
        }
        self.acquire(threads.iter().copied());
        for &thread in &threads {
            if let Some(known) = &self.foreign[thread as usize] {
                raise(&mut sum, known);
            }
        }
        let sum: Vector = sum.into();
        for thread in threads {
            self.foreign[thread as usize] = Some(Arc::clone(&sum));
        }
        self.any_foreign = true;
    }

    /// Lanes of a warp execute a fence, for the block or the whole device.
    pub(super) fn fence(&mut self, warp: u32, lanes: u32, device: bool) {
        let now = self.tick();
        self.acquire(lanes_of(lanes).map(|lane| warp * 32 + lane));
        for scope in 0..=usize::from(device) {
            self.last_fence[scope] = now;
            for lane in lanes_of(lanes) {
                self.fences[(warp * 32 + lane) as usize][scope] = now;
            }
        }
    }

    /// `thread` executes an atomic or a strong store: which fences lie before it.
    pub(super) fn strong_write(&mut self, thread: u32) -> Fenced {
        self.strong_writes.resize(self.fences.len(), 0);
        let last = std::mem::replace(&mut self.strong_writes[thread as usize], self.time);
        let fences = self.fences[thread as usize];
        let since = |time: u32| fences.map(|fence| fence > time);
        Fenced { since_last: since(last.max(self.start)), ever: since(self.start) }
    }

    /// Whether any thread hands anything over within the block, or also to other blocks, when it writes a
    /// synchronisation variable.
    pub(super) fn publishes(&self, abroad: bool) -> bool {
        self.last_fence[0] >= self.floor || abroad && self.last_fence[1] >= self.start
    }

    /// What `thread` hands over when it writes a synchronisation variable: all that it knows, as far as a fence of its
    /// own, or of the thread that did it, lies behind it. `None` when that is no more than all threads know.
    pub(super) fn published(&self, thread: u32) -> Option<Vec<u32>> {
        (self.last_fence[0] >= self.floor).then(|| self.behind_fences(thread, 0))
    }

    /// The same for threads of other blocks. `None` when no thread has executed a fence that reaches them.
    pub(super) fn published_abroad(&self, thread: u32) -> Option<Published> {
        if self.last_fence[1] < self.start {
            return None;
        }
        let known = self.behind_fences(thread, 1);
        let others = known.iter().copied().min().unwrap_or(0);
        let threads = (0u32..).zip(known).filter(|&(_, until)| until > others).collect();
        Some(Published { others, threads })
    }

    fn behind_fences(&self, thread: u32, scope: usize) -> Vec<u32> {
        let own = self.fences[thread as usize][scope];
        let mut known = self.knowledge(thread, self.time);
        for (entry, fence) in known.iter_mut().zip(&self.fences) {
            *entry = (*entry).max(self.floor).min(own.max(fence[scope]));
        }
        known
    }

    /// `thread` has read a synchronisation variable at which this was handed over, and has not yet executed a fence.
    pub(super) fn defer(&mut self, thread: u32, handed: &Vector) {
        let known = &mut self.deferred[thread as usize];
        *known = Some(match known.take() {
            None => Arc::clone(handed),
            Some(known) if known.iter().zip(&handed[..]).all(|(a, b)| a >= b) => known,
            Some(known) => known.iter().zip(&handed[..]).map(|(&a, &b)| a.max(b)).collect(),
        });
        self.any_deferred = true;
    }

    /// Threads execute a fence or meet: what they have read counts from now on.
    fn acquire(&mut self, threads: impl Iterator<Item = u32>) {
        if self.any_deferred {
            for thread in threads {
                if let Some(handed) = self.deferred[thread as usize].take() {
                    self.learn(thread, &handed);
                }
            }
        }
    }

    /// `thread` has read a synchronisation variable at which this was handed over.
    pub(super) fn learn(&mut self, thread: u32, handed: &Vector) {
        let known = &mut self.foreign[thread as usize];
        *known = Some(match known {
            None => Arc::clone(handed),
            Some(known) if known.iter().zip(&handed[..]).all(|(a, b)| a >= b) => return,
            Some(known) => known.iter().zip(&handed[..]).map(|(&a, &b)| a.max(b)).collect(),
        });
        self.any_foreign = true;
    }
}

fn raise(sum: &mut [u32], other: &[u32]) {
    for (entry, &other) in sum.iter_mut().zip(other) {
        *entry = other.max(*entry);
    }
}
