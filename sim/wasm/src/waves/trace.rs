//! The observer: who wrote which word of global memory, and who read it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use played::Tile;
use sim::event::{AccessEvent, AccessKind, Observer, SyncEvent};
use sim::ir::inst::Space;

/// How a table is divided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub(super) width: u64,
    pub(super) height: u64,
    /// Elements of a tile across, and down.
    pub(super) tile: (u64, u64),
    /// Tiles in a row.
    pub(super) across: u64,
    /// Bytes of an element.
    pub(super) bytes: u64,
}

/// Who wrote a word, and how much had to be there before.
#[derive(Debug, Clone, Copy)]
struct Word {
    block: u64,
    depth: usize,
}

/// What is known of a tile.
#[derive(Debug, Clone, Copy)]
struct Written {
    block: u64,
    depth: usize,
    /// When its last word was written.
    when: u64,
}

/// What is known of a block.
#[derive(Debug, Default)]
struct Reader {
    /// The blocks whose words it read.
    from: BTreeSet<u64>,
    /// Looks at words that nobody had written, by address: whether they were early is known at the end.
    looks: BTreeMap<u64, u64>,
}

/// Sees a launch.
#[derive(Debug)]
pub(super) struct Trace {
    grid: Grid,
    /// The table's first byte; none where the launch does not have it.
    base: Option<u64>,
    /// The block and the warp that run.
    now: (u64, u32),
    /// How much had to be there before what a warp does now, by block and warp.
    depths: BTreeMap<(u64, u32), usize>,
    words: HashMap<u64, Word>,
    tiles: BTreeMap<u64, Written>,
    readers: BTreeMap<u64, Reader>,
    clock: u64,
}

impl Trace {
    pub(super) fn new(grid: Grid, base: Option<u64>) -> Self {
        Self {
            grid,
            base,
            now: (0, 0),
            depths: BTreeMap::new(),
            words: HashMap::new(),
            tiles: BTreeMap::new(),
            readers: BTreeMap::new(),
            clock: 0,
        }
    }

    /// Adds what was seen of later blocks, which do not communicate with earlier ones.
    pub(super) fn merge(&mut self, mut later: Self) {
        later.tiles.values_mut().for_each(|tile| tile.when += self.clock);
        self.clock += later.clock;
        self.words.extend(later.words);
        self.tiles.extend(later.tiles);
        self.readers.extend(later.readers);
    }

    /// The tiles, row by row.
    pub(super) fn tiles(self, count: usize) -> Result<Vec<Tile>, String> {
        let written: Vec<Written> = (0..count as u64)
            .map(|tile| self.tiles.get(&tile).copied().ok_or_else(|| format!("tile {tile} is never written")))
            .collect::<Result<_, _>>()?;
        let mut of_block: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        (0..).zip(&written).for_each(|(number, tile)| of_block.entry(tile.block).or_default().push(number));
        let mut depths: Vec<usize> = self.tiles.values().map(|tile| tile.depth).collect();
        depths.sort_unstable();
        depths.dedup();
        let tile = |number: usize| {
            let Written { block, depth, when } = written[number];
            let reader = self.readers.get(&block);
            let others = reader.iter().flat_map(|reader| &reader.from).filter_map(|other| of_block.get(other));
            let mut reads: Vec<usize> = others.flatten().copied().collect();
            reads.sort_unstable();
            // A word that nobody ever writes is no word that one waits for.
            let later = |&(address, _): &(&u64, &u64)| self.words.contains_key(address);
            let early = reader.map_or(0, |reader| reader.looks.iter().filter(later).map(|(_, looks)| looks).sum());
            let place = self.tiles.values().filter(|other| other.when < when).count();
            let wave = depths.binary_search(&depth).unwrap_or_else(|at| at);
            Tile { block, place, wave, reads, early }
        };
        Ok((0..count).map(tile).collect())
    }

    fn depth(&mut self) -> &mut usize {
        self.depths.entry(self.now).or_default()
    }

    /// The tile of an address, if it lies in the table.
    fn tile(&self, address: u64) -> Option<u64> {
        let Grid { width, height, tile, across, bytes } = self.grid;
        let at = address.checked_sub(self.base?)? / bytes;
        let (x, y) = (at % width, at / width);
        (y < height).then(|| y / tile.1 * across + x / tile.0)
    }

    fn load(&mut self, address: u64) {
        let block = self.now.0;
        match self.words.get(&address).copied() {
            Some(word) if word.block != block => {
                let own = self.depth();
                *own = (*own).max(word.depth + 1);
                self.readers.entry(block).or_default().from.insert(word.block);
            }
            Some(_) => {}
            None => *self.readers.entry(block).or_default().looks.entry(address).or_default() += 1,
        }
    }

    fn store(&mut self, address: u64) {
        let (block, depth) = (self.now.0, *self.depth());
        self.words.insert(address, Word { block, depth });
        if let Some(tile) = self.tile(address) {
            let when = self.clock;
            self.clock += 1;
            let own = self.tiles.entry(tile).or_insert(Written { block, depth, when });
            *own = Written { block, depth: own.depth.max(depth), when };
        }
    }
}

impl Observer for Trace {
    const CHECKS: bool = true;

    type Held = ();

    fn turn(&mut self, block: u64, warp: u32) {
        self.now = (block, warp);
        // A barrier knows the warps that have run.
        self.depths.entry(self.now).or_default();
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        if event.space != Space::Global {
            return;
        }
        for lane in (0..32).filter(|lane| event.lanes >> lane & 1 == 1) {
            for part in 0..event.parts {
                let address = event.addresses[lane as usize].wrapping_add(u64::from(part * event.bytes));
                match event.kind {
                    AccessKind::Load => self.load(address),
                    AccessKind::Store => self.store(address),
                    // A counter that blocks ask for numbers makes nobody wait.
                    AccessKind::Atomic => {}
                }
            }
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        // What one warp has waited for, all of the block have.
        if matches!(event, SyncEvent::Everyone) {
            let block = self.now.0;
            let own = self.depths.range_mut((block, 0)..=(block, u32::MAX));
            let latest = own.map(|(_, depth)| *depth).max().unwrap_or(0);
            self.depths.range_mut((block, 0)..=(block, u32::MAX)).for_each(|(_, depth)| *depth = latest);
        }
    }
}
