//! Arrays in shared memory under other layouts: the accesses of a launch are kept by their shape, and each layout is tried
//! on all accesses to an array, since it moves every element.

use std::collections::{BTreeMap, HashMap};

use sim::event::{MemoryEvent, MemoryKind};
use sim::ir::inst::Pc;
use sim::target::Rules;

use crate::watch::Code;

/// Most shapes of accesses that are kept of a launch; of the others only the number is.
const MOST_SHAPES: usize = 1 << 16;
/// Words of a row behind which words are left free, or whose columns are permuted: powers of two, as the number of banks is.
const ROWS: [u64; 7] = [8, 16, 32, 64, 128, 256, 512];
/// Copies of an array that lanes may have.
const COPIES: [u64; 5] = [2, 4, 8, 16, 32];

/// An access of a warp as the banks see it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Shape {
    pc: Pc,
    kind: Kind,
    width: u32,
    active: u32,
    /// Byte addresses within the variable.
    addresses: [u32; 32],
}

/// [`MemoryKind`] as far as it matters here; it has no hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Load,
    Store,
    Atomic(sim::event::SharedUnit),
}

/// The accesses to shared memory.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// By variable: how often each shape came.
    shapes: BTreeMap<usize, HashMap<Shape, u64>>,
    kept: usize,
    /// Accesses whose shape was not kept.
    pub(crate) lost: u64,
}

/// Another place for each element of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// So many words are free behind each row of so many.
    Pad { row: u64, free: u64 },
    /// The column of an element is its column, exclusive or its row; the columns are `unit` words wide.
    Swizzle { row: u64, unit: u64 },
    /// Each element is there so many times; lane k has copy k, modulo their number.
    Copies { count: u64 },
}

impl Layout {
    /// The byte address of what was at `address`, for a lane.
    fn place(self, address: u64, lane: u64, width: u64) -> u64 {
        let word = address / 4;
        match self {
            Self::Pad { row, free } => address + word / row * free * 4,
            Self::Swizzle { row, unit } => (word ^ ((word / row * unit) % row)) * 4 + address % 4,
            Self::Copies { count } => (address / width * count + lane % count) * width,
        }
    }

    /// Bytes of an array of so many.
    pub(crate) fn bytes(self, bytes: u64) -> u64 {
        match self {
            Self::Pad { row, free } => bytes + bytes.div_ceil(4).saturating_sub(1) / row * free * 4,
            Self::Swizzle { .. } => bytes,
            Self::Copies { count } => bytes * count,
        }
    }
}

/// What a layout does to the wavefronts of an array.
#[derive(Debug, Clone)]
pub(crate) struct Tried {
    /// Which variable.
    pub(crate) variable: usize,
    /// The layout.
    pub(crate) layout: Layout,
    /// Wavefronts as it is and with the layout.
    pub(crate) wavefronts: (u64, u64),
    /// The same by instruction.
    pub(crate) by_pc: BTreeMap<Pc, (u64, u64)>,
}

impl Shared {
    pub(crate) fn access(&mut self, code: &Code, event: &MemoryEvent<'_>) {
        // A barrier in shared memory has one place, whatever waits for it.
        if code.opcodes[event.pc as usize].starts_with("mbarrier") {
            return;
        }
        let first = event.addresses[event.active.trailing_zeros() as usize];
        let Some(variable) = code.variable(first) else { return };
        let start = code.variables[variable].1;
        let mut addresses = [0; 32];
        for (lane, address) in addresses.iter_mut().enumerate() {
            if event.active >> lane & 1 != 0 {
                *address = event.addresses[lane].wrapping_sub(start) as u32;
            }
        }
        let kind = match event.kind {
            MemoryKind::SharedAtomic(unit) => Kind::Atomic(unit),
            MemoryKind::SharedLoad | MemoryKind::SharedLoopLoad => Kind::Load,
            _ => Kind::Store,
        };
        let shape = Shape { pc: event.pc, kind, width: event.width, active: event.active, addresses };
        let shapes = self.shapes.entry(variable).or_default();
        match shapes.get_mut(&shape) {
            Some(times) => *times += 1,
            None if self.kept < MOST_SHAPES => {
                self.kept += 1;
                shapes.insert(shape, 1);
            }
            None => self.lost += 1,
        }
    }

    pub(crate) fn merge(&mut self, later: Self) {
        self.lost += later.lost;
        for (variable, theirs) in later.shapes {
            let mine = self.shapes.entry(variable).or_default();
            for (shape, times) in theirs {
                *mine.entry(shape).or_default() += times;
            }
        }
        self.kept = self.shapes.values().map(HashMap::len).sum();
    }

    /// Wavefronts of all accesses that were kept.
    pub(crate) fn wavefronts(&self, rules: &Rules) -> u64 {
        let all = self.shapes.values().flatten();
        all.map(|(shape, times)| times * u64::from(shape.wavefronts(rules, &shape.addresses))).sum()
    }

    /// For each variable the layout without copies that takes the fewest wavefronts (a row with free words before a
    /// permutation, then what is smallest), and the number of copies that does.
    pub(crate) fn tried(&self, code: &Code) -> Vec<Tried> {
        let of = |(&variable, shapes): (&usize, &HashMap<Shape, u64>)| {
            let bytes = code.variables[variable].2;
            let widest = shapes.keys().map(|shape| u64::from(shape.width).div_ceil(4)).max().unwrap_or(1);
            let others: u64 = code.variables.iter().map(|other| other.2).sum::<u64>() - bytes;
            let fits = |layout: &Layout| layout.bytes(bytes) + others <= code.shared_limit;
            let rows = ROWS.into_iter().filter(|row| row % widest == 0);
            let pads = rows.clone().map(|row| Layout::Pad { row, free: widest });
            let swizzles = rows.filter(|row| *row >= 32).map(|row| Layout::Swizzle { row, unit: widest });
            let best = |layouts: Vec<Layout>| {
                let all = layouts.into_iter().filter(fits).map(|layout| evaluate(code, variable, shapes, layout));
                // The first of those that are equally good: short rows are tried first, and take more memory.
                all.min_by_key(|tried| (tried.wavefronts.1, tried.layout.bytes(bytes)))
            };
            let mut found: Vec<Tried> = best(pads.collect()).into_iter().collect();
            found.extend(best(swizzles.collect()).filter(|swizzled| {
                found.first().is_none_or(|padded| swizzled.wavefronts.1 * 10 < padded.wavefronts.1 * 9)
            }));
            let atomics = shapes.keys().any(|shape| matches!(shape.kind, Kind::Atomic(_)));
            if atomics {
                found.extend(best(COPIES.map(|count| Layout::Copies { count }).to_vec()));
            }
            found
        };
        self.shapes.iter().flat_map(of).filter(|tried| tried.wavefronts.1 < tried.wavefronts.0).collect()
    }
}

impl Shape {
    fn wavefronts(&self, rules: &Rules, addresses: &[u32; 32]) -> u32 {
        use sim::memory::banks::Direction;
        match self.kind {
            Kind::Load => rules.wavefronts(addresses, self.active, self.width, Direction::Load),
            Kind::Store => rules.wavefronts(addresses, self.active, self.width, Direction::Store),
            Kind::Atomic(unit) => rules.atomic_wavefronts(addresses, self.active, self.width, unit),
        }
    }
}

fn evaluate(code: &Code, variable: usize, shapes: &HashMap<Shape, u64>, layout: Layout) -> Tried {
    let mut tried = Tried { variable, layout, wavefronts: (0, 0), by_pc: BTreeMap::new() };
    for (shape, times) in shapes {
        let mut moved = [0; 32];
        for (lane, place) in moved.iter_mut().enumerate() {
            let address = u64::from(shape.addresses[lane]);
            *place = layout.place(address, lane as u64, u64::from(shape.width.max(1))) as u32;
        }
        let now = times * u64::from(shape.wavefronts(&code.rules, &shape.addresses));
        let mut then = times * u64::from(shape.wavefronts(&code.rules, &moved));
        // Who clears or adds up copies does it once for each; an atomic is done once.
        if let (Layout::Copies { count }, Kind::Load | Kind::Store) = (layout, shape.kind) {
            then *= count;
        }
        let own = tried.by_pc.entry(shape.pc).or_default();
        *own = (own.0 + now, own.1 + then);
        tried.wavefronts = (tried.wavefronts.0 + now, tried.wavefronts.1 + then);
    }
    tried
}

impl Tried {
    /// The lines that the edit is about, those that gain most first.
    pub(crate) fn lines(&self, code: &Code) -> Vec<u32> {
        let mut gains: BTreeMap<u32, i64> = BTreeMap::new();
        for (&pc, &(now, then)) in &self.by_pc {
            *gains.entry(code.place_of[pc as usize]).or_default() += now as i64 - then as i64;
        }
        let mut lines: Vec<(i64, u32)> = gains.into_iter().map(|(place, gain)| (-gain, place)).collect();
        lines.sort_unstable();
        lines.into_iter().map(|(_, place)| place).collect()
    }
}
