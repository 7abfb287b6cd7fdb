//! The order in which ptxas puts the instructions of a basic block: those first behind which the longest chain lies.
//! Loads move up as far as stores, barriers and atomics let them, so that several are under way at once.

use std::collections::HashMap;

use super::convert::Converted;
use super::trace::Instruction;
use super::weights::{Action, Cost, Pipe, opcode};

/// Clocks that a load from global memory is taken to need when the order is chosen.
const LOAD: f64 = 200.0;
/// The same of one from shared memory.
const SHARED: f64 = 24.0;

/// How memory instructions may pass each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// It is none.
    No,
    Load(Space),
    Store(Space),
    /// Nothing passes it.
    Wall,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Global,
    Shared,
}

fn memory(inst: &Instruction) -> Memory {
    let op = opcode(&inst.text);
    let has = |part: &str| op.split('.').any(|p| p == part);
    let space = if has("shared") { Space::Shared } else { Space::Global };
    match op.split('.').next().unwrap_or("") {
        "ld" if has("param") || has("const") || has("nc") => Memory::No,
        "ld" | "st" if has("volatile") || has("acquire") || has("release") || has("relaxed") => Memory::Wall,
        "ld" | "ldu" | "ldmatrix" => Memory::Load(space),
        "st" => Memory::Store(space),
        "red" => Memory::Store(space),
        "atom" | "bar" | "barrier" | "membar" | "fence" | "cp" | "mbarrier" | "nanosleep" | "call" => Memory::Wall,
        _ => Memory::No,
    }
}

/// By position: the rank within the basic block.
pub(super) fn ranks(code: &[Instruction], costs: &[Cost], converted: &Converted) -> Vec<u32> {
    let mut ranks = vec![0; code.len()];
    let mut start = 0;
    while start < code.len() {
        let end = (start + 1..code.len()).find(|&pc| converted.leads[pc]).unwrap_or(code.len());
        for (rank, pc) in block(code, costs, converted, start, end).into_iter().enumerate() {
            ranks[pc] = rank as u32;
        }
        start = end;
    }
    ranks
}

/// What the result of an instruction is waited for.
fn latency(inst: &Instruction, cost: &Cost) -> f64 {
    match memory(inst) {
        _ if cost.pipe != Pipe::Lsu => cost.latency.max(cost.slots),
        Memory::Load(Space::Global) => LOAD,
        Memory::Load(Space::Shared) => SHARED,
        Memory::No if opcode(&inst.text).starts_with("ld.global") => LOAD,
        Memory::No | Memory::Store(_) | Memory::Wall => cost.latency.max(1.0),
    }
}

fn block(code: &[Instruction], costs: &[Cost], converted: &Converted, start: usize, end: usize) -> Vec<usize> {
    let count = end - start;
    if count <= 2 || count > 4000 {
        return (start..end).collect();
    }
    let mut before: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
    let mut writer = HashMap::new();
    let mut readers: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut walls: Option<usize> = None;
    let mut loads: Vec<(usize, Space)> = Vec::new();
    let mut stores: Vec<(usize, Space)> = Vec::new();
    for at in 0..count {
        let (inst, cost) = (&code[start + at], &costs[start + at]);
        for reg in &inst.reads {
            if let Some(&from) = writer.get(reg) {
                let wait: f64 = latency(&code[start + from], &costs[start + from]);
                before[at].push((from, wait));
            }
            readers.entry(*reg).or_default().push(at);
        }
        if let Some(branch) =
            converted.under[start + at].map(|branch| branch as usize).filter(|&branch| branch >= start)
        {
            before[at].push((branch - start, 1.0));
        }
        for reg in &inst.writes {
            if let Some(&from) = writer.get(reg)
                && from != at
            {
                before[at].push((from, 0.0));
            }
            for &reader in readers.get(reg).into_iter().flatten().filter(|&&reader| reader != at) {
                before[at].push((reader, 0.0));
            }
            readers.remove(reg);
            writer.insert(*reg, at);
        }
        match memory(inst) {
            Memory::No => {}
            Memory::Load(space) => {
                before[at].extend(stores.iter().filter(|store| store.1 == space).map(|store| (store.0, 1.0)));
                before[at].extend(walls.map(|wall| (wall, 1.0)));
                loads.push((at, space));
            }
            Memory::Store(space) => {
                before[at].extend(stores.iter().filter(|store| store.1 == space).map(|store| (store.0, 1.0)));
                before[at].extend(loads.iter().filter(|load| load.1 == space).map(|load| (load.0, 0.0)));
                before[at].extend(walls.map(|wall| (wall, 1.0)));
                stores.push((at, space));
            }
            Memory::Wall => {
                before[at].extend(loads.drain(..).chain(stores.drain(..)).map(|other| (other.0, 0.0)));
                before[at].extend(walls.map(|wall| (wall, 1.0)));
                walls = Some(at);
            }
        }
        if matches!(cost.action, Action::Branch | Action::Exit) && at + 1 == count {
            before[at].extend((0..at).map(|other| (other, 0.0)));
        }
    }
    // The longest chain behind each.
    let mut height = vec![0.0f64; count];
    for at in (0..count).rev() {
        for &(from, wait) in &before[at] {
            height[from] = height[from].max(height[at] + wait.max(0.1));
        }
    }
    let mut open: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut behind: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
    for (at, list) in before.iter().enumerate() {
        list.iter().for_each(|&(from, wait)| behind[from].push((at, wait)));
    }
    let mut earliest = vec![0.0f64; count];
    let mut ready: Vec<usize> = (0..count).filter(|&at| open[at] == 0).collect();
    let (mut clock, mut order) = (0.0f64, Vec::with_capacity(count));
    while !ready.is_empty() {
        // Of those whose operands are there, the one with the longest chain; else the one that is there first.
        let key = |&at: &usize| {
            let late = earliest[at] > clock;
            (late, if late { earliest[at] } else { -height[at] }, at)
        };
        let best = (0..ready.len())
            .min_by(|&a, &b| {
                let (a, b) = (key(&ready[a]), key(&ready[b]));
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2))
            })
            .unwrap_or(0);
        let at = ready.swap_remove(best);
        clock = clock.max(earliest[at]);
        order.push(start + at);
        for &(next, wait) in &behind[at] {
            earliest[next] = earliest[next].max(clock + wait);
            open[next] -= 1;
            if open[next] == 0 {
                ready.push(next);
            }
        }
        clock += costs[start + at].slots;
    }
    order
}
