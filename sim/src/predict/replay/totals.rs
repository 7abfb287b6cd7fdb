//! From the blocks that were replayed to the launch: what it takes, and what of each unit.

use super::super::rates::Rates;
use super::super::trace::{Busiest, Trace};
use super::super::units::at;
use super::super::{chain, slices};
use super::{Replay, Replayed, Shape};

impl Replay<'_> {
    /// What the launch takes, of which the replay followed some blocks.
    pub(super) fn finish(mut self, shape: &Shape) -> Replayed {
        let (trace, rates) = (self.trace, self.rates);
        let followed = trace.blocks.len().max(1) as f64;
        let share = match shape.whole {
            Some(_) => followed,
            None => (shape.blocks as f64 / rates.multiprocessors).max(1.0),
        };
        self.ends.sort_by(f64::total_cmp);
        self.units.flush(self.ends.last().copied().unwrap_or(0.0));
        self.units.count_fills();
        let last = self.ends.last().copied().unwrap_or(0.0).max(self.units.drained());
        let resident = (shape.resident.max(1) as usize).min(self.ends.len().max(1));
        // Blocks beyond the sample come at the pace of those behind the first that were resident.
        let behind = self.ends.len().saturating_sub(resident);
        let pace = match behind {
            0 => last / self.ends.len().max(1) as f64,
            // The mean of the last ones less that of the first ones: one that is late by chance counts little.
            _ => (mean(&self.ends[behind..]) - mean(&self.ends[..resident])) / behind as f64,
        };
        let executed: u64 = trace.blocks.iter().map(|block| block.executed).sum();
        let kept: u64 = trace.blocks.iter().map(|block| block.kept).sum();
        let longer = executed as f64 / kept.max(1) as f64;
        let clocks = (last + (share - followed).max(0.0) * pace) * longer;
        let all = shape.whole.unwrap_or(shape.blocks as f64 / followed) * longer;
        let mut busy = self.units.busy.map(|busy| busy * share / followed * longer);
        let of_followed = all * followed / trace.followed().max(1) as f64;
        // The slice that all blocks go to has its part of everything else, too.
        let other = (self.units.moved.lines * rates.beside_line + self.units.moved.written * rates.beside_sector) * all;
        let stores = with(self.units.same_stores(all), other);
        let hottest = hottest(trace, rates, of_followed, other).max(stores);
        let spread = if hottest > busy[at::PLACES] { 1.0 } else { self.units.slices } / rates.l2_slices;
        busy[at::PLACES] = busy[at::PLACES].max(hottest);
        if let Some(waits) = chain::waits(trace, &self.accessed) {
            let concurrent = (f64::from(shape.resident) * rates.multiprocessors).min(shape.blocks as f64);
            // Where they waited for nobody.
            let handed = waits.handed * longer;
            let alone = clocks / shape.blocks as f64 * concurrent / handed;
            busy[at::WAITS] = chain::pace(&waits, rates, concurrent, alone) * shape.blocks as f64 * handed;
        }
        let (moved, warps) = (self.units.moved, self.warps.len().max(1) as f64);
        Replayed {
            clocks: busy.iter().copied().fold(clocks, f64::max),
            busy,
            instructions: moved.slots * all,
            dram_read: moved.dram_read * all,
            dram_written: moved.dram_written * all,
            l1_hits: moved.hits / moved.loaded.max(1.0),
            l2_tags: self.units.tags * all,
            spread: if spread.is_finite() { spread.clamp(0.0, 1.0) } else { 1.0 },
            working: (all / longer * followed / share / rates.multiprocessors).min(1.0),
            states: self.states.map(|clocks| clocks / warps),
            block: mean(&self.lasted),
            timeline: self.timeline,
            stalls: self.stalls,
            took: self.took,
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Clocks that the updates of the place take that has most of them, or of the slice: they come one after the other, wherever they
/// are from. `all` is how many times the sample the launch is; `other`, what the slice spends on everything else: it does while the unit
/// works that adds up floating point. 65,536 sums of floating point to one word take an H200 118 to 123 microseconds whether the blocks
/// load nothing, or 4 to 16 bytes a thread from L2; those of integers 51, and 60 to 68.
fn hottest(trace: &Trace, rates: &Rates, all: f64, other: f64) -> f64 {
    let blocks = || trace.neighbours.iter().chain(&trace.blocks);
    // A place that half of the blocks go to is one for all; others have their own.
    let least = trace.followed().div_ceil(2);
    let times = |blocks: usize| if blocks >= least { all } else { 1.0 };
    let of_all = trace.updates;
    let place = of_all.map_or_else(|| slices::hottest(trace, blocks(), times), |of_all| of_all.hottest);
    let chunk = of_all.map_or_else(|| slices::busiest(trace, blocks(), rates, times), |of_all| of_all.busiest);
    let sum = rates.same_sum.max(rates.same_element);
    let plain = (place.lanes - place.sums) * rates.same_element;
    let apart = plain.max(place.accesses * rates.same_sector).max(Busiest { sums: 0.0, ..chunk }.clocks(rates));
    (plain + place.sums * sum).max(chunk.clocks(rates)).max(with(apart, other))
}

/// What a slice takes for the places that all go to, with what else it has to do. Where that is most of it, it is no slower than others.
fn with(own: f64, other: f64) -> f64 {
    if own > other / 2.0 { own + other } else { own }
}

#[cfg(test)]
mod tests {
    use super::super::super::trace::{Access, AccessKind, BlockTrace, Event, Update};
    use super::*;
    use crate::target;

    /// Two blocks whose warps update one word.
    fn updates(update: Update) -> Trace {
        let mut trace = Trace::default();
        trace.sectors.push(0);
        let (kind, lanes) = (AccessKind::Reduction, 1);
        trace.accesses.push(Access { kind, update, sectors: 1, lines: 1, lanes, together: 1, ..Access::default() });
        for index in 0..2 {
            let warps = vec![vec![Event::Global { pc: 0, access: 0 }]; 8];
            trace.blocks.push(BlockTrace { index, warps, ..BlockTrace::default() });
        }
        trace
    }

    #[test]
    fn a_slice_that_all_go_to_has_its_part_of_the_rest() {
        let rates = Rates::of(target::find("h200").expect("a target")).0;
        let of = |update, other| hottest(&updates(update), &rates, 1.0, other);
        let (plain, sums) = (of(Update::Plain, 0.0), of(Update::Sum, 0.0));
        assert!((of(Update::Plain, 10.0) - plain - 10.0).abs() < 1e-9);
        // A unit of its own adds up floating point, and has not to wait.
        assert!((of(Update::Sum, 10.0) - sums).abs() < 1e-9);
        // What is done to other places is no slower for a few updates.
        assert!((of(Update::Plain, 1000.0) - plain).abs() < 1e-9);
    }
}
