//! What a launch was at some of its positions: as many as fit into a bounded room, evenly spread.

use crate::scheduler::Snapshot;

/// Most snapshots that are kept.
const MOST: usize = 64;

/// Steps between the first ones. Whenever there are too many, every other one goes and the distance doubles.
const DISTANCE: u64 = 1024;

/// Snapshots, in order of position.
pub(super) struct Snapshots {
    list: Vec<(u64, Snapshot)>,
    distance: u64,
    /// Bytes that they may take together, about.
    room: usize,
    bytes: usize,
}

impl Snapshots {
    /// Those of a launch, of which the first stays in any case.
    pub(super) fn new(first: Snapshot, room: usize) -> Self {
        let bytes = first.bytes(None);
        Self { list: vec![(0, first)], distance: DISTANCE, room, bytes }
    }

    /// Whether one is wanted at a position behind all others.
    pub(super) fn wants(&self, position: u64) -> bool {
        self.list.last().is_none_or(|(last, _)| position >= last + self.distance)
    }

    /// The last one before a position, or at it.
    pub(super) fn before(&self, position: u64) -> Option<&(u64, Snapshot)> {
        let behind = self.list.partition_point(|(own, _)| *own <= position);
        self.list.get(behind.checked_sub(1)?)
    }

    /// Adds one behind all others.
    pub(super) fn add(&mut self, position: u64, snapshot: Snapshot) {
        self.bytes += snapshot.bytes(self.list.last().map(|(_, last)| last));
        self.list.push((position, snapshot));
        while self.list.len() > MOST || self.bytes > self.room && self.list.len() > 1 {
            let mut number = 0;
            self.list.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.distance *= 2;
            let before = std::iter::once(None).chain(self.list.iter().map(|(_, snapshot)| Some(snapshot)));
            self.bytes = self.list.iter().zip(before).map(|((_, own), before)| own.bytes(before)).sum();
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// Bytes that they take, about.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}
