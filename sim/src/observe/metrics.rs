//! Nsight Compute's names for what the counters hold, and the way from counts per instruction to a report.

use std::collections::BTreeMap;

use super::counters::{Access, Counters, Counts};
use super::exact::METRICS;
use crate::ir::arithmetic::Arithmetic;
use crate::ir::inst::{AtomicForm, AtomicOp, Op, Space};
use crate::ir::slow_paths::Difference;
use crate::prepare::Executable;
use crate::ptx::ast::Module;
use crate::ptxas::Emitted;
use crate::ptxas::code_sinking::Place;
use crate::report::{LineReport, Metrics};

/// One instruction of the program with its counts.
pub(crate) struct Site<'a> {
    pub(crate) counts: &'a Counts,
    pub(crate) what: What,
    pub(crate) arithmetic: Arithmetic,
    /// Lanes that execute that arithmetic.
    pub(crate) arithmetic_lanes: u64,
    /// What lanes execute beyond that.
    pub(crate) unusual: Difference,
    /// The compiler removes it.
    pub(crate) removed: bool,
}

/// What the counters have to know of an instruction, be it of PTX or of machine code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct What {
    /// What it does with memory.
    pub(crate) kind: Option<Kind>,
    /// It is an atomic whose address may lie in shared or in global memory, and no loop.
    pub(crate) either: bool,
    /// It is done by the copy engine.
    pub(crate) bulk: bool,
    /// Bytes of a lane's access; 0 without any.
    pub(crate) width: u32,
    /// What a compare-and-swap loop adds.
    pub(crate) adds: Option<Adds>,
    /// Lanes exchange values.
    pub(crate) exchanges: bool,
    /// Votes that the compiler adds.
    pub(crate) votes: u8,
    /// It is a barrier of the thread block.
    pub(crate) barrier: bool,
    /// It prints.
    pub(crate) prints: bool,
    /// It is one of PTX's instructions.
    pub(crate) counted: bool,
}

/// What a compare-and-swap loop adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Adds {
    /// Single-precision numbers.
    F32,
    /// Double-precision numbers.
    F64,
}

impl What {
    pub(super) fn of(op: &Op) -> Self {
        let kind = match op {
            Op::Load(_) => Some(Kind::Load),
            Op::Store(_) => Some(Kind::Store),
            Op::Copy(_) => Some(Kind::Copy),
            // The barriers in shared memory have instructions of their own.
            Op::Atomic(atomic) if atomic.op.is_mbarrier() => None,
            Op::Atomic(atomic) if atomic.is_reduction() => Some(Kind::Reduction),
            Op::Atomic(_) => Some(Kind::Atomic),
            Op::Matrix(matrix) if matrix.loads_rows() => Some(Kind::Rows),
            _ => None,
        };
        let either = match op {
            Op::Atomic(atomic) => atomic.space == Space::Generic && atomic.form != AtomicForm::Loop,
            _ => false,
        };
        let width = match op {
            Op::Load(access) | Op::Store(access) => access.width(),
            Op::Atomic(atomic) => atomic.width(),
            Op::Copy(copy) => u32::from(copy.bytes),
            _ => 0,
        };
        let adds = match op {
            Op::Atomic(atomic) => match atomic.op {
                AtomicOp::AddF32 { .. } => Some(Adds::F32),
                AtomicOp::AddF64 => Some(Adds::F64),
                _ => None,
            },
            _ => None,
        };
        Self {
            kind,
            either,
            bulk: matches!(op, Op::Bulk(_)),
            width,
            adds,
            exchanges: matches!(
                op,
                Op::Shuffle { .. }
                    | Op::Vote { .. }
                    | Op::Match { .. }
                    | Op::Redux { .. }
                    | Op::Elect { .. }
                    | Op::ActiveMask { .. }
            ),
            barrier: matches!(op, Op::Barrier(_)),
            prints: matches!(op, Op::Print(_)),
            votes: 0,
            counted: !matches!(op, Op::Nop | Op::CopyStep),
        }
    }
}

/// How a metric is computed from the counts of one instruction.
pub(super) type Value = fn(&Site<'_>) -> u64;

/// One counter of the report.
#[derive(Clone, Copy)]
pub struct Metric {
    /// Nsight Compute's name with its suffix, or ours (`warpbook__…`).
    pub name: &'static str,
    pub(super) value: Value,
}

const fn metric(name: &'static str, value: Value) -> Metric {
    Metric { name, value }
}

/// What an instruction does with memory, as the counters tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Load,
    Store,
    Atomic,
    Reduction,
    Copy,
    /// Loads rows of matrices (`ldmatrix`): such loads are in the counters of all accesses, and in none of loads.
    Rows,
}

const NOTHING: Access = Access::NONE;

impl Site<'_> {
    const fn kind(&self) -> Option<Kind> {
        self.what.kind
    }

    fn is(&self, kind: Kind) -> bool {
        self.kind() == Some(kind)
    }

    pub(super) fn shared(&self, kind: Kind) -> &Access {
        match (kind, self.kind()) {
            // Shared memory knows no reductions.
            (Kind::Atomic, Some(Kind::Atomic | Kind::Reduction)) => &self.counts.shared,
            (Kind::Load, Some(Kind::Atomic | Kind::Reduction)) => &self.counts.loop_loads,
            (wanted, Some(own)) if wanted == own => &self.counts.shared,
            _ => &NOTHING,
        }
    }

    /// Reductions as the L2 cache sees them: the copy engine's come past the L1 cache.
    pub(super) fn l2_reductions(&self) -> &Access {
        if self.what.bulk { &self.counts.global } else { self.global(Kind::Reduction) }
    }

    pub(super) fn global(&self, kind: Kind) -> &Access {
        if self.is(kind) { &self.counts.global } else { &NOTHING }
    }

    /// Loads as the L1 cache sees them: asynchronous copies load, too.
    pub(super) fn l1_loads(&self) -> &Access {
        if self.is(Kind::Copy) { &self.counts.global } else { self.global(Kind::Load) }
    }

    pub(super) fn local(&self, kind: Kind) -> &Access {
        if self.is(kind) { &self.counts.local } else { &NOTHING }
    }

    /// All shared accesses, asynchronous copies included.
    pub(super) fn shared_sum(&self, value: fn(&Access) -> u64) -> u64 {
        let kinds = [Kind::Load, Kind::Store, Kind::Atomic, Kind::Copy, Kind::Rows];
        kinds.into_iter().map(|kind| value(self.shared(kind))).sum()
    }

    /// All global accesses, asynchronous copies included.
    pub(super) fn global_sum(&self, value: fn(&Access) -> u64) -> u64 {
        value(&self.counts.global)
    }

    /// Bytes of atomics in global memory that might have been in shared memory: they are counted for both.
    pub(super) fn either_bytes(&self) -> u64 {
        if self.what.either { self.counts.global.bytes } else { 0 }
    }

    /// A number of instructions: asynchronous copies are not among those of either space.
    pub(super) fn unless_copy(&self, value: u64) -> u64 {
        if self.is(Kind::Copy) { 0 } else { value }
    }

    /// Memory instructions of this many bits per lane, with at least one lane. The hardware's counter of that kind also
    /// counts those without any, which depend on what the compiler makes of branches.
    fn of_width(&self, bits: u32) -> u64 {
        let Counts { shared, global, local, loop_loads, .. } = self.counts;
        let all = shared.instructions + global.instructions + local.instructions + loop_loads.instructions;
        if self.what.width > 0 && self.what.width * 8 == bits && !self.removed { all } else { 0 }
    }

    fn lanes_if(&self, condition: bool) -> u64 {
        if condition { self.counts.lanes } else { 0 }
    }

    /// Thread instructions of a compare-and-swap loop's addition, if it is one of these.
    fn loop_additions(&self, wanted: Adds) -> u64 {
        if self.what.adds == Some(wanted) { self.counts.loop_loads.lanes } else { 0 }
    }

    /// Thread instructions of a kind: its number per lane, and its place in a [`Difference`].
    pub(super) fn threads(&self, per_lane: u8, kind: usize) -> u64 {
        (self.arithmetic_lanes * u64::from(per_lane)).saturating_add_signed(self.unusual[kind])
    }

    pub(super) fn fadd(&self) -> u64 {
        self.threads(self.arithmetic.fadd, 0) + self.loop_additions(Adds::F32)
    }

    pub(super) fn dadd(&self) -> u64 {
        self.threads(self.arithmetic.dadd, 3) + self.loop_additions(Adds::F64)
    }

    pub(super) fn exchanges(&self) -> u64 {
        self.lanes_if(self.what.exchanges) + self.counts.exchanges + self.counts.lanes * u64::from(self.what.votes)
    }
}

/// Counters that the hardware counts too, with the same value.
pub static EXACT: &[Metric] = &METRICS;

/// Instructions of the warp that executes most: no sum over instructions or lines, but a way through the launch.
const LONGEST_WARP: &str = "warpbook__longest_warp_inst_executed.max";

/// Counters that only a simulator has.
pub const OWN: &[Metric] = &[
    metric("warpbook__barriers.sum", |s| if s.what.barrier { s.counts.executed } else { 0 }),
    metric(LONGEST_WARP, |_| 0),
    metric("warpbook__memory_inst_128b.sum", |s| s.of_width(128)),
    metric("warpbook__memory_inst_16b.sum", |s| s.of_width(16)),
    metric("warpbook__memory_inst_32b.sum", |s| s.of_width(32)),
    metric("warpbook__memory_inst_64b.sum", |s| s.of_width(64)),
    metric("warpbook__memory_inst_8b.sum", |s| s.of_width(8)),
    metric("warpbook__printf_calls.sum", |s| s.lanes_if(s.what.prints)),
    metric("warpbook__ptx_inst_executed.sum", |s| if s.what.counted { s.counts.executed } else { 0 }),
    metric("warpbook__ptx_thread_inst_executed.sum", |s| s.lanes_if(s.what.counted)),
    metric("warpbook__sectors_global_ideal.sum", |s| s.counts.global.ideal),
    metric("warpbook__shared_wavefronts_excessive.sum", |s| s.counts.shared.cost.saturating_sub(s.counts.shared.ideal)),
    metric("warpbook__shared_wavefronts_ideal.sum", |s| s.counts.shared.ideal),
    metric("warpbook__sectors_global_excessive.sum", |s| s.counts.global.cost.saturating_sub(s.counts.global.ideal)),
];

/// Every executed instruction with its position. The further elements of a vector are none.
fn sites<'a>(counters: &'a Counters, program: &'a Executable) -> impl Iterator<Item = (usize, Site<'a>)> {
    fn is_site(op: &Op) -> bool {
        !matches!(op, Op::Atomic(atomic) if atomic.elements == 0)
    }
    let executed = counters.by_pc.iter().zip(&program.insts).enumerate();
    executed.filter(|(_, (counts, inst))| counts.executed > 0 && is_site(&inst.op)).map(|(pc, (counts, inst))| {
        let removed = inst.removed;
        let Emitted { arithmetic, place, votes } = program.emitted(pc);
        let lanes_at = |branch: usize| counters.by_pc[branch].lanes;
        let arithmetic_lanes = match place {
            Place::Own => counts.lanes,
            Place::Taken(branch) => lanes_at(branch),
            Place::NotTaken(branch) => counts.lanes.saturating_sub(lanes_at(branch)),
        };
        let unusual = counters.unusual.get(&(pc as u32)).copied().unwrap_or_default();
        let what = What { votes, ..What::of(&inst.op) };
        (pc, Site { counts, what, arithmetic, arithmetic_lanes, unusual, removed })
    })
}

/// Totals of a table of metrics; every metric is there, also with value 0.
pub fn totals(table: &[Metric], counters: &Counters, program: &Executable) -> Metrics {
    let mut metrics = sum(table, sites(counters, program).map(|(_, site)| site));
    if let Some(longest) = metrics.get_mut(LONGEST_WARP) {
        *longest = counters.longest_warp;
    }
    metrics
}

/// Totals of a table of metrics over some sites.
pub(crate) fn sum<'a>(table: &[Metric], sites: impl Iterator<Item = Site<'a>>) -> Metrics {
    let mut metrics: Metrics = table.iter().map(|metric| (metric.name.to_owned(), 0)).collect();
    let exact = std::ptr::eq(table, EXACT);
    for site in sites {
        if site.removed && exact {
            continue;
        }
        for metric in table {
            if let Some(total) = metrics.get_mut(metric.name) {
                *total += (metric.value)(&site);
            }
        }
    }
    metrics
}

/// The same per source line; values of 0 and lines without any value are left out.
pub fn lines(counters: &Counters, program: &Executable, module: &Module, ptx_file: &str) -> Vec<LineReport> {
    by_line(sites(counters, program).map(|(pc, site)| (program.place(module, ptx_file, pc), site)), OWN)
}

/// The exact metrics and those of a table of our own, per source line.
pub(crate) fn by_line<'a>(sites: impl Iterator<Item = ((String, u32), Site<'a>)>, own: &[Metric]) -> Vec<LineReport> {
    let mut lines: BTreeMap<(String, u32), LineReport> = BTreeMap::new();
    for ((file, line), site) in sites {
        let report = lines.entry((file.clone(), line)).or_insert_with(|| LineReport {
            file,
            line,
            metrics: Metrics::new(),
            estimates: Metrics::new(),
        });
        let exact = if site.removed { &[] } else { EXACT };
        for (table, metrics) in [(exact, &mut report.metrics), (own, &mut report.estimates)] {
            for metric in table {
                let value = (metric.value)(&site);
                if value > 0 {
                    *metrics.entry(metric.name.to_owned()).or_default() += value;
                }
            }
        }
    }
    lines.into_values().filter(|line| !line.metrics.is_empty() || !line.estimates.is_empty()).collect()
}
