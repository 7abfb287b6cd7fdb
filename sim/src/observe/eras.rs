//! Counting on targets that do not follow the rules of the newest ones. [`Counters`](super::counters::Counters) counts
//! those itself, where it is fast; here every access asks the target's [`Rules`].

use super::counters::Counts;
use super::{MemoryEvent, MemoryKind};
use crate::memory::banks::Direction;
use crate::memory::rules::Rules;

/// Adds what an access costs.
#[cold]
pub(super) fn count(rules: &Rules, counts: &mut Counts, event: &MemoryEvent<'_>) {
    let &MemoryEvent { active, width, kind, .. } = event;
    match kind {
        MemoryKind::LocalLoad | MemoryKind::LocalStore => counts.local.add(event, 0, 0, 0),
        MemoryKind::GlobalLoad
        | MemoryKind::GlobalStore
        | MemoryKind::GlobalCopy
        | MemoryKind::GlobalAtomic
        | MemoryKind::GlobalReduction => {
            let direction = match kind {
                MemoryKind::GlobalLoad | MemoryKind::GlobalCopy => Direction::Load,
                _ => Direction::Store,
            };
            let traffic = rules.traffic(event.addresses, active, width, direction);
            let ideal = rules.ideal_sectors(active, width, direction);
            counts.global.add(event, traffic.sectors, ideal, traffic.transactions);
            if matches!(kind, MemoryKind::GlobalAtomic | MemoryKind::GlobalReduction) {
                let passes = rules.atomic_passes(event.addresses, active, width);
                counts.global.pass_sectors += u64::from(passes.sectors);
                counts.global.pass_tags += u64::from(passes.tags);
            }
        }
        MemoryKind::SharedLoad
        | MemoryKind::SharedLoopLoad
        | MemoryKind::SharedStore
        | MemoryKind::SharedCopy
        | MemoryKind::SharedAtomic(_) => {
            let addresses = event.addresses.map(|address| address as u32);
            let cost = match kind {
                MemoryKind::SharedStore | MemoryKind::SharedCopy => {
                    rules.wavefronts(&addresses, active, width, Direction::Store)
                }
                MemoryKind::SharedAtomic(unit) => rules.atomic_wavefronts(&addresses, active, width, unit),
                _ => rules.wavefronts(&addresses, active, width, Direction::Load),
            };
            let ideal = rules.ideal_wavefronts(active, width);
            let access = if kind == MemoryKind::SharedLoopLoad { &mut counts.loop_loads } else { &mut counts.shared };
            access.add(event, cost, ideal, 0);
        }
    }
}
