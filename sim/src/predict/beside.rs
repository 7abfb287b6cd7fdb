//! What a block loads that blocks beside it load as well: the edges of its tile, the rows above and below. A sample of blocks from
//! all over a large grid has hardly two that lie next to each other, so it does not tell; a few that do are executed for that.
//!
//! Memory brings pairs of sectors, and a pair is brought by the block that began first. One that began just before does so at about
//! the same time, so that who asks next still waits for memory, and no bytes move twice.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::trace::{BlockTrace, Event, Trace};
use super::units::beyond::row_of;
use crate::launch::Dim3;

/// Steps to blocks that began earlier, in the order in which they are looked at where not all can be: those that share a face, those
/// that share an edge, and those that share a corner.
const STEPS: [[i64; 3]; 13] = [
    [-1, 0, 0],
    [0, -1, 0],
    [0, 0, -1],
    [1, -1, 0],
    [-1, -1, 0],
    [1, 0, -1],
    [-1, 0, -1],
    [0, 1, -1],
    [0, -1, -1],
    [1, 1, -1],
    [-1, 1, -1],
    [1, -1, -1],
    [-1, -1, -1],
];

/// The blocks beside those that are followed that began earlier, ascending: so many at most.
pub(crate) fn blocks(followed: &[u64], grid: Dim3, most: u64) -> Vec<u64> {
    let size = [grid.x, grid.y, grid.z].map(i64::from);
    let step = |block: u64, step: [i64; 3]| {
        let block = block as i64;
        let place = [block % size[0], block / size[0] % size[1], block / size[0] / size[1]];
        let to: [i64; 3] = std::array::from_fn(|axis| place[axis] + step[axis]);
        let inside = (0..3).all(|axis| (0..size[axis]).contains(&to[axis]));
        inside.then(|| ((to[2] * size[1] + to[1]) * size[0] + to[0]) as u64)
    };
    let mut found = HashSet::new();
    for by in STEPS {
        let new: Vec<u64> = followed
            .iter()
            .filter_map(|&block| step(block, by))
            .filter(|block| followed.binary_search(block).is_err())
            .collect();
        if (found.len() + new.len()) as u64 > most {
            break;
        }
        found.extend(new);
    }
    let mut found: Vec<u64> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// Of each followed block the sectors it loads that blocks bring which began earlier, of those followed and those beside them, and
/// whether these do so at the same time. `concurrent` blocks run at once, and L2 holds `held` sectors.
pub(crate) fn brought(beside: &Trace, followed: &Trace, concurrent: u64, held: f64) -> Vec<BTreeMap<u64, bool>> {
    let others = beside.blocks.iter().map(|block| (block.index, loaded(block, beside)));
    let own: Vec<BTreeSet<u64>> = followed.blocks.iter().map(|block| loaded(block, followed)).collect();
    let mut first: HashMap<u64, u64> = HashMap::new();
    let (mut sectors, mut blocks) = (0, 0);
    let mut bring = |index: u64, loaded: &BTreeSet<u64>| {
        (sectors, blocks) = (sectors + loaded.len(), blocks + 1);
        for sector in loaded {
            let by = first.entry(sector / 2).or_insert(index);
            *by = (*by).min(index);
        }
    };
    others.for_each(|(index, loaded)| bring(index, &loaded));
    followed.blocks.iter().zip(&own).for_each(|(block, loaded)| bring(block.index, loaded));
    let each = f64::from(sectors as u32) / f64::from(blocks.max(1));
    let of = |(block, own): (&BlockTrace, BTreeSet<u64>)| {
        let brought = own.into_iter().filter_map(|sector| {
            let apart = block.index - first.get(&(sector / 2)).copied().unwrap_or(block.index);
            (apart > 0 && apart as f64 * each <= held).then_some((sector, apart * 4 <= concurrent))
        });
        brought.collect()
    };
    followed.blocks.iter().zip(own).map(of).collect()
}

/// Of rows of memory that several of these blocks load, each another part, the part that one of them loads at most.
pub(crate) fn shared_rows(beside: &Trace, followed: &Trace) -> HashMap<u64, f32> {
    // The pairs of a row that all load, and the most that one does.
    let mut rows: HashMap<u64, (u32, u32)> = HashMap::new();
    for trace in [beside, followed] {
        for block in &trace.blocks {
            let mut own: HashMap<u64, u32> = HashMap::new();
            for sector in loaded(block, trace) {
                *own.entry(row_of(sector)).or_default() |= 1 << (sector / 2 % 32);
            }
            for (row, pairs) in own {
                let (all, most) = rows.entry(row).or_default();
                (*all, *most) = (*all | pairs, (*most).max(pairs.count_ones()));
            }
        }
    }
    let part = |(row, (all, most)): (u64, (u32, u32))| {
        (most < all.count_ones()).then(|| (row, most as f32 / all.count_ones() as f32))
    };
    rows.into_iter().filter_map(part).collect()
}

/// The sectors that a block loads.
fn loaded(block: &BlockTrace, trace: &Trace) -> BTreeSet<u64> {
    let access = |event: &Event| match *event {
        Event::Global { access, .. } => Some(&trace.accesses[access as usize]),
        Event::Run { .. }
        | Event::Off { .. }
        | Event::Shared { .. }
        | Event::Barrier { .. }
        | Event::Phase { .. }
        | Event::Lands { .. } => None,
    };
    let loads = block.warps.iter().flatten().filter_map(access).filter(|access| access.loads());
    loads.flat_map(|access| trace.touched(access)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::trace::Access;

    /// Blocks of a grid of 8 by 8 that load their own row of sectors and those above and below.
    fn rows(blocks: &[u64]) -> Trace {
        let mut trace = Trace::default();
        for &index in blocks {
            let mut warp = Vec::new();
            for row in [index + 8, index, index + 16] {
                let access = trace.accesses.len() as u32;
                let first = trace.sectors.len() as u32;
                trace.sectors.push(row * 2);
                trace.accesses.push(Access { first, sectors: 1, lines: 1, ..Access::default() });
                warp.push(Event::Global { pc: 0, access });
            }
            trace.blocks.push(BlockTrace { index, warps: vec![warp], ..BlockTrace::default() });
        }
        trace
    }

    #[test]
    fn of_three_rows_one_comes_from_memory_and_two_from_blocks_above() {
        let followed = rows(&[27, 28]);
        let beside = blocks(&[27, 28], Dim3 { x: 8, y: 8, z: 1 }, 100);
        assert_eq!(beside, [18, 19, 20, 21, 26]);
        // The row below, 43 and 44, is each block's own to bring.
        let of = |waits: bool| [27, 28].map(|block| BTreeMap::from([(block * 2 + 16, waits), (block * 2, waits)]));
        assert_eq!(brought(&rows(&beside), &followed, 1000, 1e6), of(true));
        // Those 8 blocks before are no longer under way where 16 run at once, and gone where L2 holds 20 sectors.
        assert_eq!(brought(&rows(&beside), &followed, 16, 1e6), of(false));
        assert_eq!(brought(&rows(&beside), &followed, 16, 20.0), [BTreeMap::new(), BTreeMap::new()]);
    }

    #[test]
    fn rows_that_blocks_load_together_are_shared() {
        // Each block loads a pair of its own, four of which are a row; and two pairs each of a row.
        let of = |sectors: &[u64], index: u64| {
            let mut trace = Trace { sectors: sectors.to_vec(), ..Trace::default() };
            let access = Access { sectors: sectors.len() as u32, lines: 1, ..Access::default() };
            trace.accesses.push(access);
            let warps = vec![vec![Event::Global { pc: 0, access: 0 }]];
            trace.blocks.push(BlockTrace { index, warps, ..BlockTrace::default() });
            trace
        };
        let parts = shared_rows(&of(&[0, 1, 8, 9, 10, 11], 0), &of(&[2, 3, 12, 13, 16, 17], 1));
        assert_eq!(parts.get(&0), Some(&0.5));
        assert_eq!(parts.get(&1), Some(&(2.0 / 3.0)));
        // What one block loads alone is its own.
        assert_eq!(parts.get(&2), None);
    }

    #[test]
    fn a_block_at_the_edge_has_fewer_beside_it() {
        assert!(blocks(&[0], Dim3 { x: 8, y: 8, z: 1 }, 100).is_empty());
        assert_eq!(blocks(&[8], Dim3 { x: 8, y: 8, z: 1 }, 100), [0, 1]);
        // No more than so many are executed.
        assert_eq!(blocks(&[9], Dim3 { x: 8, y: 8, z: 1 }, 2), [1, 8]);
    }
}
