//! What an access costs by a target's [`Rules`]. [`Counters`](super::counters::Counters) knows those of the newest targets
//! itself, where it is fast; here every access asks the target.

use super::counters::Counts;
use crate::event::{MemoryEvent, MemoryKind};
use crate::memory::sectors;
use crate::target::Rules;

/// What an access to shared or global memory costs.
pub(crate) struct Cost {
    /// Whether it is shared memory.
    pub(crate) shared: bool,
    /// Shared: wavefronts. Global: sectors.
    pub(crate) cost: u32,
    /// The least that `cost` could be for the same lanes.
    pub(crate) ideal: u32,
    /// Global: lines or transactions.
    pub(crate) tags: u32,
}

/// What an access costs; `None` for local memory, and for what only tries to be an access.
pub(crate) fn cost(rules: &Rules, event: &MemoryEvent<'_>) -> Option<Cost> {
    let &MemoryEvent { active, width, kind, .. } = event;
    Some(match kind {
        MemoryKind::LocalLoad | MemoryKind::LocalStore | MemoryKind::SharedAttempt => return None,
        MemoryKind::GlobalLoad
        | MemoryKind::GlobalStore
        | MemoryKind::GlobalCopy
        | MemoryKind::GlobalAtomic
        | MemoryKind::GlobalSwap
        | MemoryKind::GlobalReduction => {
            let direction = kind.direction();
            let traffic = rules.traffic(event.addresses, active, width, direction);
            let ideal = rules.ideal_sectors(active, width, direction);
            Cost { shared: false, cost: traffic.sectors, ideal, tags: traffic.transactions }
        }
        MemoryKind::SharedLoad
        | MemoryKind::SharedLoopLoad
        | MemoryKind::SharedStore
        | MemoryKind::SharedCopy
        | MemoryKind::SharedAtomic(_) => {
            let addresses = event.addresses.map(|address| address as u32);
            let cost = match kind {
                MemoryKind::SharedAtomic(unit) => rules.atomic_wavefronts(&addresses, active, width, unit),
                kind => rules.wavefronts(&addresses, active, width, kind.direction()),
            };
            Cost { shared: true, cost, ideal: rules.ideal_wavefronts(active, width), tags: 0 }
        }
    })
}

/// Adds what an access costs.
#[cold]
pub(super) fn count(rules: &Rules, counts: &mut Counts, event: &MemoryEvent<'_>) {
    let elements = sectors::elements(event.addresses, event.active, event.width);
    let Some(Cost { shared, cost, ideal, tags }) = cost(rules, event) else {
        let access = if event.kind == MemoryKind::SharedAttempt { &mut counts.attempts } else { &mut counts.local };
        access.add(event, elements, 0, 0, 0);
        return;
    };
    let access = match event.kind {
        MemoryKind::SharedLoopLoad => &mut counts.loop_loads,
        _ if shared => &mut counts.shared,
        _ => &mut counts.global,
    };
    access.add(event, elements, cost, ideal, tags);
    if matches!(event.kind, MemoryKind::GlobalAtomic | MemoryKind::GlobalSwap | MemoryKind::GlobalReduction) {
        let passes = rules.atomic_passes(event.addresses, event.active, event.width);
        access.pass_sectors += u64::from(passes.sectors);
        access.pass_tags += u64::from(passes.tags);
    }
}
