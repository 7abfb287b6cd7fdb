//! Assigns registers, constants and special registers to slots.

use std::collections::{BTreeMap, HashMap};

use super::inst::{CONSTANT, Reg};

/// Read-only special registers: their value is known when a warp starts. A launch without clusters is one whose clusters have
/// one thread block each, so a block's place in its cluster is the same in all launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum StartValue {
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
    WarpId,
    NwarpId,
    SmId,
    NsmId,
    GridId,
    LanemaskEq,
    LanemaskLt,
    LanemaskLe,
    LanemaskGt,
    LanemaskGe,
    DynamicSharedBytes,
    TotalSharedBytes,
    AggregateSharedBytes,
    ClusterIdX,
    ClusterIdY,
    ClusterIdZ,
    NclusterIdX,
    NclusterIdY,
    NclusterIdZ,
    ClusterCtaidX,
    ClusterCtaidY,
    ClusterCtaidZ,
    ClusterNctaidX,
    ClusterNctaidY,
    ClusterNctaidZ,
    ClusterCtarank,
    ClusterNctarank,
}

impl StartValue {
    /// All of them, as PTX writes them.
    pub(crate) const ALL: [(&str, Self); 40] = [
        ("%tid.x", Self::TidX),
        ("%tid.y", Self::TidY),
        ("%tid.z", Self::TidZ),
        ("%ntid.x", Self::NtidX),
        ("%ntid.y", Self::NtidY),
        ("%ntid.z", Self::NtidZ),
        ("%ctaid.x", Self::CtaidX),
        ("%ctaid.y", Self::CtaidY),
        ("%ctaid.z", Self::CtaidZ),
        ("%nctaid.x", Self::NctaidX),
        ("%nctaid.y", Self::NctaidY),
        ("%nctaid.z", Self::NctaidZ),
        ("%laneid", Self::LaneId),
        ("%warpid", Self::WarpId),
        ("%nwarpid", Self::NwarpId),
        ("%smid", Self::SmId),
        ("%nsmid", Self::NsmId),
        ("%gridid", Self::GridId),
        ("%lanemask_eq", Self::LanemaskEq),
        ("%lanemask_lt", Self::LanemaskLt),
        ("%lanemask_le", Self::LanemaskLe),
        ("%lanemask_gt", Self::LanemaskGt),
        ("%lanemask_ge", Self::LanemaskGe),
        ("%dynamic_smem_size", Self::DynamicSharedBytes),
        ("%total_smem_size", Self::TotalSharedBytes),
        ("%aggr_smem_size", Self::AggregateSharedBytes),
        ("%clusterid.x", Self::ClusterIdX),
        ("%clusterid.y", Self::ClusterIdY),
        ("%clusterid.z", Self::ClusterIdZ),
        ("%nclusterid.x", Self::NclusterIdX),
        ("%nclusterid.y", Self::NclusterIdY),
        ("%nclusterid.z", Self::NclusterIdZ),
        ("%cluster_ctaid.x", Self::ClusterCtaidX),
        ("%cluster_ctaid.y", Self::ClusterCtaidY),
        ("%cluster_ctaid.z", Self::ClusterCtaidZ),
        ("%cluster_nctaid.x", Self::ClusterNctaidX),
        ("%cluster_nctaid.y", Self::ClusterNctaidY),
        ("%cluster_nctaid.z", Self::ClusterNctaidZ),
        ("%cluster_ctarank", Self::ClusterCtarank),
        ("%cluster_nctarank", Self::ClusterNctarank),
    ];

    /// The special register that PTX writes as `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(of, _)| *of == name).map(|&(_, value)| value)
    }

    /// Whether it is another one in every lane of a warp; else all lanes have the same.
    pub fn differs_by_lane(self) -> bool {
        matches!(
            self,
            Self::TidX
                | Self::TidY
                | Self::TidZ
                | Self::LaneId
                | Self::LanemaskEq
                | Self::LanemaskLt
                | Self::LanemaskLe
                | Self::LanemaskGt
                | Self::LanemaskGe
        )
    }

    /// Whether it is another one in every thread block.
    pub fn differs_by_block(self) -> bool {
        matches!(
            self,
            Self::CtaidX
                | Self::CtaidY
                | Self::CtaidZ
                | Self::ClusterIdX
                | Self::ClusterIdY
                | Self::ClusterIdZ
                | Self::SmId
        )
    }
}

/// How many slots of each file a program needs, and what the fixed ones hold.
#[derive(Debug, Clone, Default)]
pub struct Slots {
    /// Slots of the 32-bit file.
    pub words: u16,
    /// Slots of the 64-bit file.
    pub doubles: u16,
    /// Slots of the predicate file.
    pub predicates: u16,
    /// 32-bit constants, by their slot without [`CONSTANT`].
    pub constants32: Vec<u32>,
    /// 64-bit constants, by their slot without [`CONSTANT`].
    pub constants64: Vec<u64>,
    /// Slots that are filled when a warp starts.
    pub start: BTreeMap<StartValue, u16>,
    known32: HashMap<u32, u16>,
    known64: HashMap<u64, u16>,
    /// Registers given out since the beginning, of those that can be given back.
    given: Vec<Reg>,
    free: Free,
}

/// Slots that nobody uses any more, by file.
#[derive(Debug, Clone, Default)]
struct Free {
    words: Vec<u16>,
    doubles: Vec<u16>,
    predicates: Vec<u16>,
}

/// The program needs more registers than slots can be numbered.
#[derive(Debug)]
pub struct TooMany;

fn take(free: &mut Vec<u16>, count: &mut u16) -> Result<u16, TooMany> {
    free.pop().map_or_else(|| next(count), Ok)
}

fn next(count: &mut u16) -> Result<u16, TooMany> {
    let slot = *count;
    if slot >= CONSTANT - 1 {
        return Err(TooMany);
    }
    *count += 1;
    Ok(slot)
}

impl Slots {
    /// A fresh register of a declared type (`b32`, `pred`, …), `None` when there is no such type.
    pub fn register(&mut self, element: &str) -> Result<Option<Reg>, TooMany> {
        let Self { words, doubles, predicates, free, .. } = self;
        let register = match element {
            "pred" => Reg::P(take(&mut free.predicates, predicates)?),
            "b8" | "u8" | "s8" => Reg::W(take(&mut free.words, words)?, 8),
            "b16" | "u16" | "s16" | "f16" | "bf16" => Reg::W(take(&mut free.words, words)?, 16),
            "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" => Reg::W(take(&mut free.words, words)?, 32),
            "b64" | "u64" | "s64" | "f64" => Reg::D(take(&mut free.doubles, doubles)?),
            "b128" => Reg::Q(take(&mut free.doubles, doubles)?, take(&mut free.doubles, doubles)?),
            _ => return Ok(None),
        };
        self.given.push(register);
        Ok(Some(register))
    }

    /// A fresh slot of the 32-bit file.
    pub fn word(&mut self) -> Result<u16, TooMany> {
        next(&mut self.words)
    }

    /// A fresh slot of the 64-bit file.
    pub fn wide(&mut self) -> Result<u16, TooMany> {
        next(&mut self.doubles)
    }

    /// The registers given out since `mark`.
    pub fn given_since(&self, mark: usize) -> Vec<Reg> {
        self.given[mark..].to_vec()
    }

    /// A point that [`Self::release`] can go back to.
    pub fn mark(&self) -> usize {
        self.given.len()
    }

    /// Frees the registers given out since `mark`: the function that declared them has been left.
    pub fn release(&mut self, mark: usize) {
        for register in self.given.drain(mark..) {
            match register {
                Reg::W(slot, _) => self.free.words.push(slot),
                Reg::D(slot) => self.free.doubles.push(slot),
                Reg::P(slot) => self.free.predicates.push(slot),
                Reg::Q(low, high) => self.free.doubles.extend([low, high]),
            }
        }
    }

    /// The slot that holds `value` in every lane.
    pub fn constant32(&mut self, value: u32) -> Result<u16, TooMany> {
        if let Some(&slot) = self.known32.get(&value) {
            return Ok(slot);
        }
        let index = u16::try_from(self.constants32.len()).ok().filter(|&i| i < CONSTANT - 1).ok_or(TooMany)?;
        self.constants32.push(value);
        self.known32.insert(value, index | CONSTANT);
        Ok(index | CONSTANT)
    }

    /// The slot that holds `value` in every lane.
    pub fn constant64(&mut self, value: u64) -> Result<u16, TooMany> {
        if let Some(&slot) = self.known64.get(&value) {
            return Ok(slot);
        }
        let index = u16::try_from(self.constants64.len()).ok().filter(|&i| i < CONSTANT - 1).ok_or(TooMany)?;
        self.constants64.push(value);
        self.known64.insert(value, index | CONSTANT);
        Ok(index | CONSTANT)
    }

    /// The value that a slot of the 32-bit file holds in every lane, if it is a constant's.
    pub fn value32(&self, slot: u16) -> Option<u32> {
        (slot & CONSTANT != 0).then(|| self.constants32[usize::from(slot & !CONSTANT)])
    }

    /// The value that a slot of the 64-bit file holds in every lane, if it is a constant's.
    pub fn value64(&self, slot: u16) -> Option<u64> {
        (slot & CONSTANT != 0).then(|| self.constants64[usize::from(slot & !CONSTANT)])
    }

    /// The slot that holds a special register.
    pub fn start_value(&mut self, value: StartValue) -> Result<u16, TooMany> {
        if let Some(&slot) = self.start.get(&value) {
            return Ok(slot);
        }
        let slot = next(&mut self.words)?;
        self.start.insert(value, slot);
        Ok(slot)
    }
}
