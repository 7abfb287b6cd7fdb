//! Which conflicts of an instruction are races, and which the hardware forgives.

use super::orders::Strength;
use super::racecheck::Racecheck;
use super::shadow::Record;
use crate::event::{AccessEvent, AccessKind};
use crate::findings::{Accessor, Hazard, Pardon, Race};
use crate::ir::inst::Space;

impl Racecheck {
    /// Goes over the conflicts of an instruction.
    #[cold]
    pub(super) fn judge(&mut self, event: &AccessEvent<'_>, now: u32) {
        for (lane, earlier, at) in std::mem::take(&mut self.conflicts) {
            self.conflict(event, lane, earlier, Record::new(now, event.warp * 32 + lane, event.pc), at);
        }
    }

    /// Two accesses that nothing orders touch the byte at `at`: decides whether they race.
    fn conflict(&mut self, event: &AccessEvent<'_>, lane: u32, earlier: Record, me: Record, at: u64) {
        let block = self.context.block;
        let other =
            if event.space == Space::Shared || !self.in_order { block } else { self.blocks.block_at(earlier.time()) };
        let abroad = other != block;
        let strength = |pc: u32| {
            let order = self.orders.of(pc);
            // Between blocks, accesses that promise something to their own block only are plain ones.
            if order.device || !abroad { order.strength } else { Strength::Weak }
        };
        let same_warp = !abroad && earlier.thread() / 32 == me.thread() / 32;
        let mut pardon = match (strength(earlier.pc()), strength(me.pc())) {
            (Strength::Weak, _) | (_, Strength::Weak) if abroad && self.lacks_only_a_fence(other, earlier, me) => {
                Pardon::Unfenced
            }
            (Strength::Weak, _) | (_, Strength::Weak) => Pardon::None,
            (Strength::Volatile, Strength::Volatile) if same_warp && event.space == Space::Shared => Pardon::None,
            _ if self.volatile_stores.order_nothing(&self.orders, [earlier.pc(), me.pc()], abroad) => Pardon::Volatile,
            _ => return,
        };
        let part = ((at - event.addresses[lane as usize]) / u64::from(event.bytes)) as u32;
        let address = event.addresses[lane as usize] + u64::from(part * event.bytes);
        let together = earlier.time() == me.time();
        let earlier_kind = self.orders.of(earlier.pc()).kind;
        let both_write = event.kind == AccessKind::Store && earlier_kind == AccessKind::Store;
        if earlier_kind != AccessKind::Store && pardon == Pardon::None {
            self.overtaken.push((event.space, event.addresses[lane as usize], event.bytes * event.parts));
        }
        let equal = both_write && {
            let mine = (event.value)(lane, part);
            let mask =
                |value: (u64, u64)| if event.bytes < 8 { (value.0 & ((1 << (event.bytes * 8)) - 1), 0) } else { value };
            let theirs = if together {
                mask((event.value)(earlier.thread() % 32, part))
            } else {
                (event.old)(address, event.bytes)
            };
            mask(mine) == theirs
        };
        match pardon {
            Pardon::Volatile if equal => return,
            Pardon::None if equal => pardon = Pardon::Equal,
            _ => {}
        }
        self.races.note(Race {
            hazard: Hazard { earlier: earlier_kind, later: event.kind },
            pardon,
            together,
            early: None,
            earlier: Accessor { block: other, thread: earlier.thread(), pc: earlier.pc() },
            later: Accessor { block, thread: me.thread(), pc: me.pc() },
            lanes: 1 << lane,
            time: me.time(),
            space: event.space,
            address,
            bytes: event.bytes,
            count: 1,
        });
    }

    /// Whether accesses of two blocks are atomic or volatile, and ordered as soon as the later thread puts a fence behind the
    /// flag that it has read.
    #[cold]
    fn lacks_only_a_fence(&self, other: u64, earlier: Record, me: Record) -> bool {
        let strong = |pc| self.orders.of(pc).strength != Strength::Weak;
        let (heads, thread) = (&self.context.heads, me.thread());
        strong(earlier.pc())
            && strong(me.pc())
            && self.blocks.knows_behind_a_fence(heads, thread, other, earlier.thread(), earlier.time())
    }
}
