//! What a reader has set.

use serde::{Deserialize, Serialize};

use sim::target::Resources;

use super::{Fault, Range};
use crate::access::Space;
use crate::targets;

/// What is explored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Banks of shared memory.
    #[default]
    Banks,
    /// Sectors of global memory.
    Sectors,
    /// Atomics in shared or global memory.
    Atomics,
    /// A ballot of a warp.
    Ballot,
    /// Warps and lanes of a block.
    Threads,
    /// Blocks that are resident on a multiprocessor.
    Occupancy,
}

/// The instruction that makes the access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A load.
    #[default]
    Load,
    /// A store.
    Store,
    /// An atomic with one operand, such as `atomicAdd(p, x)`.
    Add,
    /// `atomicAdd(p, 1)` whose result nobody uses.
    Increment,
    /// `atomicCAS`.
    CompareAndSwap,
}

/// How elements are laid out in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Swizzle {
    /// One after the other.
    #[default]
    None,
    /// Within a row of 128 bytes an element's place is XORed with the number of the row.
    Xor,
    /// After every `every` elements one is left out.
    Pad,
}

/// Everything that can be set. What a mode does not use stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct State {
    /// What is explored.
    pub mode: Mode,
    /// The memory that atomics go to; banks are shared, sectors global.
    pub space: Space,
    /// The instruction.
    pub kind: Kind,
    /// Words of 4 bytes from one lane's element to the next one's.
    pub stride: u32,
    /// Where lane 0 begins: words in shared memory, bytes in global memory.
    pub offset: u32,
    /// Bytes per lane: 1, 2, 4, 8 or 16.
    pub width: u32,
    /// How elements are laid out in shared memory.
    pub swizzle: Swizzle,
    /// Elements between two that are left out.
    pub every: u32,
    /// The lanes that take part, or that vote yes, as a mask.
    pub active: u32,
    /// How many different words atomics go to.
    pub words: u32,
    /// The GPU.
    pub target: String,
    /// The word (shared memory) or byte (global memory) of `lane` and `warp`, instead of sliders.
    pub formula: Option<String>,
    /// The byte addresses of 32 lanes, instead of sliders and formula; nothing where a lane takes no part.
    pub addresses: Option<Vec<Option<u64>>>,
    /// The number of the warp in formulas.
    pub warp: u32,
    /// Threads of a block in x.
    pub x: u32,
    /// Threads of a block in y.
    pub y: u32,
    /// Threads of a block, where its shape does not matter.
    pub threads: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a block, in KiB.
    pub shared: u32,
}

impl Default for State {
    fn default() -> Self {
        Self {
            mode: Mode::Banks,
            space: Space::Shared,
            kind: Kind::Load,
            stride: 1,
            offset: 0,
            width: 4,
            swizzle: Swizzle::None,
            every: 32,
            active: u32::MAX,
            words: 32,
            target: sim::target::DEFAULT.to_owned(),
            formula: None,
            addresses: None,
            warp: 0,
            x: 8,
            y: 8,
            threads: 256,
            registers: 32,
            shared: 0,
        }
    }
}

/// The greatest stride, in words.
const MOST_STRIDE: u32 = 64;

impl State {
    /// The memory that is accessed.
    pub fn memory(&self) -> Space {
        match self.mode {
            Mode::Banks => Space::Shared,
            Mode::Sectors => Space::Global,
            Mode::Atomics | Mode::Ballot | Mode::Threads | Mode::Occupancy => self.space,
        }
    }

    /// What stands in the way of an element that is not aligned: strides and offsets are multiples of the element.
    pub(super) fn settled(&self) -> Self {
        let mut state = self.clone();
        if matches!(state.width, 8 | 16) {
            let words = state.width / 4;
            let aligned = |number: u32, unit: u32| number.checked_next_multiple_of(unit).unwrap_or(number);
            state.stride = aligned(state.stride, words);
            let unit = if state.memory() == Space::Shared { words } else { state.width };
            state.offset = aligned(state.offset, unit);
        }
        if state.mode == Mode::Occupancy {
            // What one GPU has room for, another may not.
            for Range { name, least, most, .. } in state.ranges() {
                let number = state.number(name).map(|number| number.clamp(least, most));
                state = number.and_then(|number| state.with(name, number)).unwrap_or(state);
            }
        }
        state
    }

    /// Whether all numbers are in their ranges.
    pub(super) fn checked(&self) -> Result<(), Fault> {
        if !matches!(self.width, 1 | 2 | 4 | 8 | 16) {
            return Err(Fault::of("width", format!("{} is none of 1, 2, 4, 8 and 16 bytes", self.width)));
        }
        for Range { name, least, most, step } in self.ranges() {
            let value = self.number(name).unwrap_or(least);
            if !(least..=most).contains(&value) || value % step != least % step {
                return Err(Fault::of(name, format!("{value} is no number from {least} to {most} in steps of {step}")));
            }
        }
        Ok(())
    }

    /// The controls of this mode that have ranges.
    pub(super) fn ranges(&self) -> Vec<Range> {
        let words = (self.width / 4).max(1);
        let stride = Range { name: "stride", least: 0, most: MOST_STRIDE, step: words };
        let range = |name, least, most, step| Range { name, least, most, step };
        let warp = range("warp", 0, 31, 1);
        match self.mode {
            Mode::Banks => vec![stride, range("offset", 0, 64, words), range("every", 1, 64, 1), warp],
            Mode::Sectors => vec![stride, range("offset", 0, 128, self.width.max(4)), warp],
            Mode::Atomics => vec![range("words", 1, 32, 1), stride, warp],
            Mode::Ballot => Vec::new(),
            Mode::Threads => vec![range("x", 1, 36, 1), range("y", 1, 14, 1)],
            Mode::Occupancy => {
                let most = targets::find(&self.target).map(|gpu| gpu.resources);
                let most = |of: fn(&Resources) -> u32| most.as_ref().map_or(0, of);
                vec![
                    range("threads", 32, most(|r| r.threads_per_block).max(32), 32),
                    range("registers", 16, most(|r| r.registers_per_thread).max(16), 1),
                    range("shared", 0, most(|r| r.shared_per_block) / 1024, 1),
                ]
            }
        }
    }

    /// The number that a control with a range is set to.
    pub fn number(&self, name: &str) -> Option<u32> {
        Some(match name {
            "stride" => self.stride,
            "offset" => self.offset,
            "every" => self.every,
            "words" => self.words,
            "warp" => self.warp,
            "x" => self.x,
            "y" => self.y,
            "threads" => self.threads,
            "registers" => self.registers,
            "shared" => self.shared,
            "width" => self.width,
            _ => return None,
        })
    }

    /// The state with a control set to another number.
    pub fn with(&self, name: &str, value: u32) -> Option<Self> {
        let mut state = self.clone();
        let place = match name {
            "stride" => &mut state.stride,
            "offset" => &mut state.offset,
            "every" => &mut state.every,
            "words" => &mut state.words,
            "warp" => &mut state.warp,
            "x" => &mut state.x,
            "y" => &mut state.y,
            "threads" => &mut state.threads,
            "registers" => &mut state.registers,
            "shared" => &mut state.shared,
            "width" => &mut state.width,
            _ => return None,
        };
        *place = value;
        Some(state)
    }
}
