//! Which thread blocks of a launch are simulated to predict its time.

use super::How;
use super::slices;
use super::trace::{BlockTrace, Event, Trace};

/// Fewest blocks that are followed, if there are as many.
const FEWEST: u64 = 4;

/// Groups of neighbouring blocks that are taken from all over the grid, of a sample of [`WAVES`]; of more waves more.
const GROUPS: u64 = 4;
/// Waves of a sample, where nothing else is said.
pub(super) const WAVES: u64 = 3;

/// A sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sample {
    /// The blocks that are followed, ascending.
    pub followed: Vec<u64>,
    /// Where blocks communicate: so many of the first are executed, the followed ones among them.
    pub first: u64,
    /// So many of the first that are followed are not replayed: they show how blocks wait for one another.
    pub neighbours: usize,
}

/// How far a sample's work may be from the whole launch's, in percent: one standard error of the mean over its blocks,
/// of instructions and of sectors, whichever is larger. 0 where every block was simulated.
pub(super) fn error_percent(trace: &Trace, blocks: u64) -> f64 {
    let count = trace.blocks.len() as f64;
    if count < 2.0 || count >= blocks as f64 {
        return 0.0;
    }
    let sectors = |block: &BlockTrace| {
        let accesses = block.warps.iter().flatten().filter_map(|event| match event {
            Event::Global { access, .. } => Some(f64::from(trace.accesses[*access as usize].sectors)),
            Event::Run { .. }
            | Event::Off { .. }
            | Event::Shared { .. }
            | Event::Barrier { .. }
            | Event::Phase { .. }
            | Event::Lands { .. } => None,
        });
        accesses.sum::<f64>()
    };
    let error = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / count;
        let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0);
        if mean > 0.0 { (square / count).sqrt() / mean } else { 0.0 }
    };
    let instructions: Vec<f64> = trace.blocks.iter().map(|block| block.executed as f64).collect();
    let sectors: Vec<f64> = trace.blocks.iter().map(sectors).collect();
    let part = (1.0 - count / blocks as f64).sqrt();
    (error(&instructions).max(error(&sectors)) * part * 10_000.0).round() / 100.0
}

/// The sample of a launch of `count` blocks on so many multiprocessors: what one multiprocessor holds so many times, or all that it
/// gets; or the same for several, of neighbouring blocks.
pub(crate) fn choose((count, multiprocessors): (u64, u64), in_turn: bool, resident: u64, how: &How) -> Sample {
    let (resident, share) = (resident.max(1), count.div_ceil(multiprocessors));
    if how.multiprocessors > 1 {
        let held = resident * how.multiprocessors.min(multiprocessors);
        let wanted = held.saturating_mul(how.waves).clamp(1, count);
        // Blocks that communicate can only be executed from the first on.
        let start = if in_turn { 0 } else { (count - wanted) / 2 };
        return Sample { followed: (start..start + wanted).collect(), first: wanted, neighbours: 0 };
    }
    let wanted = (resident * how.waves).max(FEWEST).min(share).max(1);
    if in_turn {
        let first = (multiprocessors * resident).max(wanted).min(count);
        let followed = wanted.max(FEWEST).min(first);
        let start = (first - followed) / 2;
        let neighbours = (followed - wanted) as usize;
        return Sample { followed: (start..start + followed).collect(), first, neighbours };
    }
    let groups = (GROUPS * how.waves / WAVES).max(GROUPS).min(wanted);
    let mut followed: Vec<u64> = (0..groups)
        .flat_map(|group| {
            let of_group = wanted * (group + 1) / groups - wanted * group / groups;
            // The groups lie anywhere in equal parts of the grid: in the middle of each, those of a grid whose sides are powers of
            // two would all be at an edge of an image.
            let (first, end) = (count * group / groups, count * (group + 1) / groups);
            let places = (end - first).saturating_sub(of_group) + 1;
            let start = (first + slices::mix(group, count) % places).min(count - of_group);
            start..start + of_group
        })
        .collect();
    followed.sort_unstable();
    followed.dedup();
    Sample { followed, first: 0, neighbours: 0 }
}
