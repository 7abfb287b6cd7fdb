//! A log of what warps write to shared and global memory, to find out who wrote a word.

use crate::lanes::lanes_of;

/// The addresses of the lanes of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Addresses {
    /// That of lane 0, if it takes part or not, and the distance from lane to lane.
    Even(u64, i64),
    /// Any others.
    Any(Box<[u64; 32]>),
}

/// Lanes of a warp write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Write {
    /// The step that does it.
    pub step: u64,
    /// To shared memory of the warp's block; else to global memory.
    pub shared: bool,
    /// Bytes of each lane.
    pub bytes: u32,
    /// The lanes.
    pub lanes: u32,
    /// The first byte that any of them writes, and the one behind the last.
    range: (u64, u64),
    addresses: Addresses,
}

impl Write {
    pub(super) fn new(step: u64, shared: bool, bytes: u32, lanes: u32, addresses: &[u64; 32]) -> Self {
        let own = || lanes_of(lanes).map(|lane| (lane, addresses[lane as usize]));
        let low = own().map(|(_, address)| address).min().unwrap_or(0);
        let high = own().map(|(_, address)| address.saturating_add(bytes.into())).max().unwrap_or(0);
        let (first, at) = own().next().unwrap_or((0, 0));
        let distance = own().nth(1).map_or(0, |(lane, address)| {
            (address.wrapping_sub(at) as i64).wrapping_div(i64::from(lane) - i64::from(first))
        });
        let of_zero = at.wrapping_sub(distance.wrapping_mul(first.into()) as u64);
        let even = Addresses::Even(of_zero, distance);
        let write = Self { step, shared, bytes, lanes, range: (low, high), addresses: even };
        if own().all(|(lane, address)| write.address(lane) == address) {
            return write;
        }
        Self { addresses: Addresses::Any(Box::new(*addresses)), ..write }
    }

    /// The address that a lane writes to.
    fn address(&self, lane: u32) -> u64 {
        match &self.addresses {
            Addresses::Even(first, distance) => first.wrapping_add(distance.wrapping_mul(lane.into()) as u64),
            Addresses::Any(addresses) => addresses[lane as usize & 31],
        }
    }

    /// The lanes that write any of `bytes` bytes at `address`.
    fn touching(&self, address: u64, bytes: u32) -> u32 {
        if self.range.0 >= address.saturating_add(bytes.into()) || self.range.1 <= address {
            return 0;
        }
        let touches = |lane: &u32| {
            let own = self.address(*lane);
            own < address.saturating_add(bytes.into()) && address < own.saturating_add(self.bytes.into())
        };
        lanes_of(self.lanes).filter(touches).fold(0, |lanes, lane| lanes | 1 << lane)
    }
}

/// All writes, in order.
#[derive(Debug, Default)]
pub(super) struct Writes(Vec<Write>);

impl Writes {
    pub(super) fn add(&mut self, write: Write) {
        self.0.push(write);
    }

    /// The last write before a position that touches a place and that `fits`, with the lanes that do.
    pub(super) fn last(
        &self,
        before: u64,
        (shared, address, bytes): (bool, u64, u32),
        fits: impl Fn(&Write) -> bool,
    ) -> Option<(&Write, u32)> {
        let end = self.0.partition_point(|write| write.step < before);
        let candidates = self.0[..end].iter().rev().filter(|write| write.shared == shared);
        candidates
            .map(|write| (write, write.touching(address, bytes)))
            .find(|(write, lanes)| *lanes != 0 && fits(write))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_write_of_a_word_is_found_with_its_lanes() {
        let mut writes = Writes::default();
        let even: [u64; 32] = std::array::from_fn(|lane| 128 + 8 * lane as u64);
        let mut odd = even;
        odd[3] = 1000;
        writes.add(Write::new(4, true, 4, u32::MAX, &even));
        writes.add(Write::new(9, true, 8, 0b1010, &odd));
        writes.add(Write::new(12, false, 4, 1, &[1000; 32]));
        assert!(matches!(writes.0[0].addresses, Addresses::Even(128, 8)));
        let last = |before, shared, address| {
            writes.last(before, (shared, address, 4), |_| true).map(|(write, lanes)| (write.step, lanes))
        };
        assert_eq!(last(20, true, 136), Some((9, 0b10)));
        assert_eq!(last(9, true, 136), Some((4, 0b10)));
        assert_eq!(last(20, true, 1004), Some((9, 0b1000)), "the second half of a wide store");
        assert_eq!(last(20, true, 132), None, "between two lanes' words");
        assert_eq!(last(20, false, 1002), Some((12, 1)));
        assert_eq!(last(12, false, 1000), None);
    }
}
