//! The order in which the accesses of a sample reach the caches: warps that are resident together advance side by side, one
//! event each, barriers hold them, and a multiprocessor gets its next block when one of its blocks ends.

use std::collections::{HashMap, VecDeque};

use sim::predict::trace::{BlockTrace, Event, Trace};

/// A warp on its way.
struct Warp<'a> {
    block: usize,
    events: std::slice::Iter<'a, Event>,
    /// The barrier that it waits for: which opening, and for how many warps that opens.
    waits: Option<(u32, u32)>,
}

/// A multiprocessor with its blocks.
struct Multiprocessor<'a> {
    warps: Vec<Warp<'a>>,
    /// Warps of each resident block that have not ended.
    left: HashMap<usize, usize>,
    next: VecDeque<usize>,
}

impl<'a> Multiprocessor<'a> {
    fn start(&mut self, blocks: &'a [BlockTrace]) {
        let Some(block) = self.next.pop_front() else { return };
        let warps = &blocks[block].warps;
        self.left.insert(block, warps.len());
        self.warps.extend(warps.iter().map(|events| Warp { block, events: events.iter(), waits: None }));
    }
}

/// Calls `access` with the multiprocessor, the position of the block in the trace and the number of each access, in order.
pub(crate) fn each(trace: &Trace, multiprocessors: usize, resident: usize, access: &mut dyn FnMut(usize, usize, u32)) {
    let deal = |own: usize| (own..trace.blocks.len()).step_by(multiprocessors).collect();
    let mut all: Vec<Multiprocessor<'_>> = (0..multiprocessors)
        .map(|own| Multiprocessor { warps: Vec::new(), left: HashMap::new(), next: deal(own) })
        .collect();
    for own in &mut all {
        (0..resident).for_each(|_| own.start(&trace.blocks));
    }
    let mut arrived: HashMap<(usize, u32), u32> = HashMap::new();
    while all.iter().any(|own| !own.warps.is_empty()) {
        for (number, own) in all.iter_mut().enumerate() {
            round(trace, number, own, &mut arrived, access);
        }
    }
}

/// One event of each warp that does not wait.
fn round<'a>(
    trace: &'a Trace,
    number: usize,
    own: &mut Multiprocessor<'a>,
    arrived: &mut HashMap<(usize, u32), u32>,
    access: &mut dyn FnMut(usize, usize, u32),
) {
    let mut moved = false;
    let mut ended = Vec::new();
    own.warps.retain_mut(|warp| {
        if let Some((opening, wanted)) = warp.waits {
            if arrived.get(&(warp.block, opening)).is_some_and(|&count| count < wanted) {
                return true;
            }
            warp.waits = None;
        }
        moved = true;
        // What moves no data is passed over: it takes its time for all warps alike.
        for event in warp.events.by_ref() {
            match *event {
                Event::Global { access: at, .. } => {
                    access(number, warp.block, at);
                    return true;
                }
                Event::Barrier { opening, warps, .. } => {
                    *arrived.entry((warp.block, opening)).or_default() += 1;
                    warp.waits = Some((opening, warps));
                    return true;
                }
                Event::Run { .. }
                | Event::Off { .. }
                | Event::Shared { .. }
                | Event::Phase { .. }
                | Event::Lands { .. } => {}
            }
        }
        ended.push(warp.block);
        false
    });
    // A barrier that ended warps opened leaves nobody who moves.
    if !moved {
        own.warps.iter_mut().for_each(|warp| warp.waits = None);
    }
    for block in ended {
        let left = own.left.entry(block).or_insert(1);
        *left -= 1;
        if *left == 0 {
            own.left.remove(&block);
            own.start(&trace.blocks);
        }
    }
}
