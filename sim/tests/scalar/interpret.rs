//! Walks a program thread by thread. Slow and obvious on purpose.

use super::forms::{Class, FORMS};
use super::program::{LOCAL_WORDS, Partner, Program, REDUCTIONS, SUM_WORDS, Stage, Step, TABLE_WORDS, Together};

/// Words that each thread leaves: its six 32-bit and three 64-bit registers and its predicates.
pub(crate) const OUT_WORDS: usize = 13;

/// What a launch leaves.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Left {
    /// [`OUT_WORDS`] per thread, block after block.
    pub(crate) out: Vec<u32>,
    /// The arrays of the reductions in global memory.
    pub(crate) sums: Vec<u32>,
}

/// The read-only table's words.
pub(crate) fn table() -> Vec<u32> {
    (0..TABLE_WORDS as u32).map(|at| at.wrapping_mul(0x9e37_79b9) ^ at << 7).collect()
}

/// What every word of a reduction's array holds at first.
pub(crate) fn identity(kind: usize) -> u32 {
    match REDUCTIONS[kind] {
        "min.s32" => 0x7fff_ffff,
        "and.b32" => u32::MAX,
        _ => 0,
    }
}

fn sums() -> Vec<u32> {
    (0..REDUCTIONS.len()).flat_map(|kind| [identity(kind); SUM_WORDS]).collect()
}

/// Registers and local memory of a thread.
#[derive(Debug, Clone)]
struct Thread {
    r: [u32; 6],
    d: [u64; 3],
    p: [bool; 3],
    local: [u32; LOCAL_WORDS],
}

impl Thread {
    /// The state that a kernel begins with, made from the thread's number in the grid.
    fn start(number: u32) -> Self {
        let a = number.wrapping_mul(0x9e37_79b1);
        let r = [a, a >> 7, a ^ 0x55, number, number & 3, 0x3f80_0000];
        Self { r, d: [u64::from(a), u64::from(r[1]) << 32, 3], p: [false, a >> 31 != 0, true], local: [0; LOCAL_WORDS] }
    }

    /// The state that a device function begins with.
    fn called(a: u32, b: u32) -> Self {
        Self { r: [a, b, 1, 2, 3, 4], d: [5, 6, 7], p: [false, true, false], local: [0; LOCAL_WORDS] }
    }

    fn get(&self, class: Class, at: usize) -> u64 {
        match class {
            Class::R => u64::from(self.r[at]),
            Class::D => self.d[at],
            Class::P => u64::from(self.p[at]),
        }
    }

    fn set(&mut self, class: Class, at: usize, value: u64) {
        match class {
            Class::R => self.r[at] = value as u32,
            Class::D => self.d[at] = value,
            Class::P => self.p[at] = value & 1 != 0,
        }
    }

    fn compute(&mut self, form: usize, to: usize, from: [usize; 4], guard: Option<(usize, bool)>) {
        if guard.is_some_and(|(at, negated)| self.p[at] == negated) {
            return;
        }
        let form = &FORMS[form];
        let values: Vec<u64> = form.from.iter().zip(from).map(|(&class, at)| self.get(class, at)).collect();
        self.set(form.to, to, (form.eval)(&values));
    }
}

/// What a thread shares with others while it works alone.
struct Around<'a> {
    program: &'a Program,
    table: &'a [u32],
    shared: &'a mut [u32],
    global: &'a mut [u32],
}

fn reduce(kind: usize, old: u32, value: u32) -> u32 {
    match REDUCTIONS[kind] {
        "add.u32" => old.wrapping_add(value),
        "min.s32" => (old as i32).min(value as i32) as u32,
        "max.u32" => old.max(value),
        "and.b32" => old & value,
        "or.b32" => old | value,
        _ => old ^ value,
    }
}

fn run(steps: &[Step], thread: &mut Thread, around: &mut Around<'_>) {
    for step in steps {
        match step {
            Step::Compute { form, to, from, guard } => thread.compute(*form, *to, *from, *guard),
            Step::Constant { to, value } => thread.r[*to] = *value,
            Step::If { test, then, otherwise } => run(if thread.p[*test] { then } else { otherwise }, thread, around),
            Step::Loop { extra, least, test, leave, body } => {
                for _ in 0..*least + (thread.r[*extra] & 3) {
                    let leave = (*leave).min(body.len());
                    run(&body[..leave], thread, around);
                    if thread.p[*test] {
                        break;
                    }
                    run(&body[leave..], thread, around);
                }
            }
            Step::Table { index, words, to } => {
                let at = thread.r[*index] as usize % (TABLE_WORDS / words) * words;
                thread.r[*to..][..*words].copy_from_slice(&around.table[at..][..*words]);
            }
            Step::Byte { index, to } => {
                let at = thread.r[*index] as usize % (TABLE_WORDS * 4);
                thread.r[*to] = around.table[at / 4].to_le_bytes()[at % 4] as i8 as u32;
            }
            Step::StoreLocal { index, from } => {
                thread.local[thread.r[*index] as usize % LOCAL_WORDS] = thread.r[*from];
            }
            Step::LoadLocal { index, to } => thread.r[*to] = thread.local[thread.r[*index] as usize % LOCAL_WORDS],
            Step::Call { function, to, a, b } => {
                let mut callee = Thread::called(thread.r[*a], thread.r[*b]);
                run(&around.program.functions[*function], &mut callee, around);
                thread.r[*to] = callee.r.into_iter().fold(callee.d[0] as u32, |sum, value| sum ^ value);
            }
            Step::Reduce { shared, kind, index, from } => {
                let at = kind * SUM_WORDS + thread.r[*index] as usize % SUM_WORDS;
                let array = if *shared { &mut *around.shared } else { &mut *around.global };
                array[at] = reduce(*kind, array[at], thread.r[*from]);
            }
        }
    }
}

/// Runs the whole launch.
pub(crate) fn interpret(program: &Program) -> Left {
    let table = table();
    let mut global = sums();
    let mut out = Vec::new();
    let n = program.threads();
    for block in 0..program.blocks {
        let mut threads: Vec<Thread> = (0..n).map(|tid| Thread::start(block * n + tid)).collect();
        let mut shared = sums();
        for stage in &program.stages {
            if let Stage::Alone(steps) = stage {
                let mut around = Around { program, table: &table, shared: &mut shared, global: &mut global };
                threads.iter_mut().for_each(|thread| run(steps, thread, &mut around));
            } else {
                together(stage, &mut threads);
            }
        }
        for (tid, thread) in threads.iter().enumerate() {
            out.extend(thread.r);
            out.extend(thread.d.iter().flat_map(|&d| [d as u32, (d >> 32) as u32]));
            let flags = thread.p.iter().enumerate().map(|(at, &p)| u32::from(p) << at).sum::<u32>();
            // The shared sums leave the block mixed into the last word.
            out.push(flags ^ shared[tid % shared.len()]);
        }
    }
    Left { out, sums: global }
}

fn together(stage: &Stage, threads: &mut [Thread]) {
    let before = threads.to_vec();
    let n = threads.len();
    match stage {
        Stage::Alone(_) => unreachable!("handled by the caller"),
        Stage::Exchange { from, to, words, partner, .. } => {
            for (tid, thread) in threads.iter_mut().enumerate() {
                let other = match *partner {
                    Partner::Rotated(delta) => (tid + delta as usize) % n,
                    Partner::Reversed => n - 1 - tid,
                    Partner::Crossed(mask) => Some(tid ^ mask as usize).filter(|&other| other < n).unwrap_or(tid),
                };
                thread.r[*to..][..*words].copy_from_slice(&before[other].r[*from..][..*words]);
            }
        }
        Stage::Shuffle { mode, from, to, lane, clamp, valid } => {
            for (tid, thread) in threads.iter_mut().enumerate() {
                let (warp, own) = (tid & !31, (tid & 31) as i32);
                let operand = (lane & 31) as i32;
                let (segments, limit) = ((clamp >> 8 & 0x1f) as i32, (clamp & 0x1f) as i32);
                let last = (own & segments) | (limit & !segments);
                let first = own & segments;
                let (source, inside) = match mode {
                    0 => (own - operand, own - operand >= last),
                    1 => (own + operand, own + operand <= last),
                    2 => (own ^ operand, own ^ operand <= last),
                    _ => (first | (operand & !segments), (first | (operand & !segments)) <= last),
                };
                let source = if inside { source } else { own };
                thread.r[*to] = before[warp + source as usize].r[*from];
                thread.p[*valid] = inside;
            }
        }
        Stage::Warp { what, from, to, test, only } => {
            for (tid, thread) in threads.iter_mut().enumerate() {
                if only.is_some_and(|only| !before[tid].p[only]) {
                    continue;
                }
                let first = tid & !31;
                let lanes: Vec<usize> =
                    (first..n.min(first + 32)).filter(|&lane| only.is_none_or(|only| before[lane].p[only])).collect();
                let mask = |keep: &dyn Fn(&Thread) -> bool| {
                    lanes.iter().filter(|&&lane| keep(&before[lane])).fold(0u32, |mask, lane| mask | 1 << (lane & 31))
                };
                let everyone = mask(&|_| true);
                let ballot = mask(&|other| other.p[*test]);
                let same = mask(&|other| other.r[*from] == before[tid].r[*from]);
                match *what {
                    Together::Vote(0) => thread.r[*to] = ballot,
                    Together::Vote(1) => thread.p[*test] = ballot != 0,
                    Together::Vote(2) => thread.p[*test] = ballot == everyone,
                    Together::Vote(_) => thread.p[*test] = ballot == everyone || ballot == 0,
                    Together::MatchAny => thread.r[*to] = same,
                    Together::MatchAll => {
                        thread.r[*to] = if same == everyone { everyone } else { 0 };
                        thread.p[*test] = same == everyone;
                    }
                    Together::Redux(kind) => {
                        let values = lanes.iter().map(|&lane| before[lane].r[*from]);
                        thread.r[*to] = match kind {
                            0 | 1 => values.fold(0, u32::wrapping_add),
                            2 => values.map(|v| v as i32).min().unwrap_or(0) as u32,
                            3 => values.map(|v| v as i32).max().unwrap_or(0) as u32,
                            4 => values.max().unwrap_or(0),
                            5 => values.fold(u32::MAX, |a, b| a & b),
                            6 => values.fold(0, |a, b| a | b),
                            _ => values.fold(0, |a, b| a ^ b),
                        };
                    }
                }
            }
        }
        Stage::BarrierReduce { kind, test, to } => {
            let count = before.iter().filter(|thread| thread.p[*test]).count();
            for thread in threads {
                match kind {
                    0 => thread.r[*to] = count as u32,
                    1 => thread.p[*test] = count == n,
                    _ => thread.p[*test] = count > 0,
                }
            }
        }
    }
}
