//! Volatile stores that stand behind no fence: two volatile accesses do not race, but such a store hands nothing over.

use super::clocks::Clocks;
use super::orders::{MemoryOrder, MemoryOrders, Strength};
use crate::event::{AccessEvent, AccessKind};
use crate::ir::inst::Pc;
use crate::lanes::lanes_of;

/// By instruction: volatile stores without a fence in front of them. Empty if the kernel has no volatile stores.
#[derive(Debug)]
pub(super) struct VolatileStores(Vec<Bare>);

/// Of a volatile store: whether threads came to it without a fence, for their block and for the device, and its values.
#[derive(Debug, Clone, Copy, Default)]
struct Bare {
    /// None since the thread's last atomic or strong store.
    since_last: [bool; 2],
    /// None since the block began.
    ever: [bool; 2],
    /// What they stored.
    value: Stored,
}

/// What an instruction has stored so far. Whoever stores one value, as at the release of a lock, leaves the same as others
/// that do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stored {
    #[default]
    Nothing,
    One(u64),
    Many,
}

impl VolatileStores {
    /// Those of a program of so many instructions.
    pub(super) fn new(instructions: usize) -> Self {
        Self(vec![Bare::default(); instructions])
    }

    /// Whether the kernel has volatile stores.
    pub(super) const fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether one of two strong accesses is a volatile store that hands nothing over to the other.
    pub(super) fn order_nothing(&self, orders: &MemoryOrders, pair: [Pc; 2], abroad: bool) -> bool {
        use AccessKind::{Atomic, Load, Store};
        let [a, b] = pair.map(|pc| (orders.of(pc), self.0.get(pc as usize).copied().unwrap_or_default()));
        let volatile = |order: MemoryOrder| order.strength == Strength::Volatile;
        match if a.0.kind == Store { [a, b] } else { [b, a] } {
            [(store, bare), (with, theirs)] if store.kind == Store && volatile(store) => match with.kind {
                Store => volatile(with) && (bare.value == Stored::Many || bare.value != theirs.value),
                Load => volatile(with) && bare.since_last[usize::from(abroad)],
                Atomic => bare.ever[usize::from(abroad)],
            },
            _ => false,
        }
    }

    /// Lanes execute a strong store or an atomic.
    #[cold]
    pub(super) fn look_for_fences(&mut self, event: &AccessEvent<'_>, order: MemoryOrder, clocks: &mut Clocks) {
        let volatile = order.strength == Strength::Volatile;
        for lane in lanes_of(event.lanes) {
            let found = clocks.strong_write(event.warp * 32 + lane);
            if volatile {
                let bare = &mut self.0[event.pc as usize];
                let mask = if event.bytes < 8 { (1 << (event.bytes * 8)) - 1 } else { u64::MAX };
                let value = Stored::One((event.value)(lane, 0).0 & mask);
                bare.value = match bare.value {
                    _ if event.parts > 1 || event.bytes > 8 => Stored::Many,
                    Stored::Nothing => value,
                    before if before == value => value,
                    _ => Stored::Many,
                };
                bare.since_last.iter_mut().zip(found.since_last).for_each(|(bare, fenced)| *bare |= !fenced);
                bare.ever.iter_mut().zip(found.ever).for_each(|(bare, fenced)| *bare |= !fenced);
            }
        }
    }
}
