//! What thread blocks know of each other, when they run in order.
//!
//! Blocks can only hand over through global memory: one writes a variable behind a fence, another reads it. Such a
//! *publication* is a node of a graph: what its thread knew of its own block, and the publications that it had read
//! before. Whoever reads the variable knows the node. Whether an access of another block is known is a search from the
//! nodes that a thread knows, done only when two blocks conflict somewhere, which is rare.

use std::cell::RefCell;
use std::collections::HashMap;

use super::pages::PageMap;

/// A node of the graph; 0 knows nothing.
pub(super) type Node = u32;

/// Publications that a thread knows singly. More are gathered in one node, or a thread that updates variables of many
/// others would hand on a longer list with every update.
const FEW: usize = 16;

/// Nodes that a search visits before an index is made.
const SHORT_SEARCH: usize = 48;

/// What a thread knows of the threads of its own block: everything before `others`, and of some threads more.
#[derive(Debug, Clone)]
pub(super) struct Published {
    /// Time before which the accesses of all threads are known.
    pub others: u32,
    /// Threads of which more is known, and up to when.
    pub threads: Box<[(u32, u32)]>,
}

#[derive(Debug)]
struct Publication {
    block: u64,
    published: Option<Published>,
    parents: Box<[Node]>,
}

/// The nodes that the threads of a block know.
#[derive(Debug, Default)]
pub(super) struct Heads {
    /// Those that all threads know.
    all: Vec<Node>,
    by_thread: HashMap<u32, Vec<Node>>,
    /// Those that a thread has read and knows when a fence or a barrier has come.
    deferred: HashMap<u32, Vec<Node>>,
    /// Those of threads that arrived at a barrier of some threads without waiting.
    arrived: Vec<Node>,
}

/// All blocks of the grid.
#[derive(Debug)]
pub(super) struct Blocks {
    /// From which time on which block ran.
    turns: Vec<(u32, u64)>,
    /// When the running block had its turn.
    pub turn: u32,
    /// The running block.
    pub current: u64,
    nodes: Vec<Publication>,
    at: PageMap<Node>,
    index: RefCell<Option<Index>>,
}

/// All that a set of heads knows, by block.
#[derive(Debug)]
struct Index {
    heads: Vec<Node>,
    by_block: HashMap<u64, Vec<Node>>,
}

impl Blocks {
    pub(super) fn new() -> Self {
        let nothing = Publication { block: 0, published: None, parents: Box::new([]) };
        Self {
            turns: Vec::new(),
            turn: 0,
            current: 0,
            nodes: vec![nothing],
            at: PageMap::default(),
            index: RefCell::new(None),
        }
    }

    /// Block `block` runs from `time` on.
    pub(super) fn turn(&mut self, block: u64, time: u32) {
        if self.turns.last().is_some_and(|&(_, last)| last == block) {
            return; // no other block ran in between
        }
        self.turns.push((time, block));
        (self.turn, self.current) = (time, block);
    }

    /// The block that ran at `time`.
    pub(super) fn block_at(&self, time: u32) -> u64 {
        if time >= self.turn {
            return self.current;
        }
        let after = self.turns.partition_point(|&(start, _)| start <= time);
        after.checked_sub(1).map_or(self.current, |at| self.turns[at].1)
    }

    /// `thread` of the running block publishes at `address` what it knows.
    pub(super) fn publish(&mut self, heads: &mut Heads, address: u64, thread: u32, published: Published) {
        if let Some(own) = heads.by_thread.get_mut(&thread)
            && own.len() > FEW
        {
            self.shorten(own);
        }
        let own = heads.by_thread.get(&thread).map_or(&[][..], |own| own);
        let mut parents: Vec<Node> = heads.all.iter().chain(own).copied().collect();
        // Whoever reads later also reads what others left there.
        parents.extend(self.at.get(&address));
        parents.sort_unstable();
        parents.dedup();
        let node = self.nodes.len() as Node;
        self.nodes.push(Publication { block: self.current, published: Some(published), parents: parents.into() });
        self.at.insert(address, node);
    }

    /// Whether anything has been published.
    pub(super) fn any(&self) -> bool {
        !self.at.is_empty()
    }

    /// `thread` of the running block reads `address`. What it finds there it knows at once if the read `acquires`, else
    /// when it has executed a fence.
    pub(super) fn read(&mut self, heads: &mut Heads, address: u64, thread: u32, acquires: bool) {
        let Some(&node) = self.at.get(&address) else { return };
        if heads.all.contains(&node) || heads.by_thread.get(&thread).is_some_and(|own| own.contains(&node)) {
            return;
        }
        let nodes = if acquires { &mut heads.by_thread } else { &mut heads.deferred };
        let own = nodes.entry(thread).or_default();
        if !own.contains(&node) {
            own.push(node);
            if own.len() > FEW && !acquires {
                self.shorten(own);
            }
        }
    }

    /// Threads execute a fence or meet: what they have read counts from now on.
    pub(super) fn acquire(heads: &mut Heads, threads: impl Iterator<Item = u32>) {
        if heads.deferred.is_empty() {
            return;
        }
        for thread in threads {
            let Some(read) = heads.deferred.remove(&thread) else { continue };
            let own = heads.by_thread.entry(thread).or_default();
            own.extend(read.into_iter().filter(|node| !own.contains(node)).collect::<Vec<_>>());
        }
    }

    /// Threads meet: each knows what any of them knew. `barrier`: and those that arrived at a barrier.
    pub(super) fn meet(&mut self, heads: &mut Heads, threads: impl Iterator<Item = u32> + Clone, barrier: bool) {
        Self::acquire(heads, threads.clone());
        if heads.by_thread.is_empty() {
            return;
        }
        let mut sum: Vec<Node> =
            threads.clone().filter_map(|thread| heads.by_thread.get(&thread)).flatten().copied().collect();
        if barrier {
            sum.extend(&heads.arrived);
        }
        if sum.is_empty() {
            return;
        }
        self.shorten(&mut sum);
        for thread in threads {
            heads.by_thread.insert(thread, sum.clone());
        }
    }

    /// Threads arrive at a barrier and go on.
    pub(super) fn arrive(heads: &mut Heads, threads: impl Iterator<Item = u32>) {
        let known = threads.filter_map(|thread| heads.by_thread.get(&thread)).flatten().copied();
        heads.arrived.extend(known.collect::<Vec<_>>());
        heads.arrived.sort_unstable();
        heads.arrived.dedup();
    }

    /// All threads meet.
    pub(super) fn everyone(&mut self, heads: &mut Heads) {
        let threads: Vec<u32> = heads.deferred.keys().copied().collect();
        Self::acquire(heads, threads.into_iter());
        if heads.by_thread.is_empty() {
            return;
        }
        let mut sum = std::mem::take(&mut heads.all);
        sum.extend(heads.by_thread.drain().flat_map(|(_, nodes)| nodes));
        self.shorten(&mut sum);
        heads.all = sum;
    }

    /// Replaces many nodes by one that knows them.
    fn shorten(&mut self, nodes: &mut Vec<Node>) {
        nodes.sort_unstable();
        nodes.dedup();
        if nodes.len() > 1 {
            let parents = std::mem::take(nodes).into();
            nodes.push(self.nodes.len() as Node);
            self.nodes.push(Publication { block: 0, published: None, parents });
        }
    }

    /// Whether `thread` of the running block knows what `other` of `block` did at `time`.
    pub(super) fn knows(&self, heads: &Heads, thread: u32, block: u64, other: u32, time: u32) -> bool {
        let own = heads.by_thread.get(&thread).map_or(&[][..], |own| own);
        self.covered(heads.all.iter().chain(own).copied().collect(), block, other, time)
    }

    /// The same, should `thread` execute a fence now.
    pub(super) fn knows_behind_a_fence(&self, heads: &Heads, thread: u32, block: u64, other: u32, time: u32) -> bool {
        let read = heads.deferred.get(&thread).map_or(&[][..], |read| read);
        !read.is_empty() && self.covered(read.to_vec(), block, other, time)
    }

    /// Whether what `other` of `block` did at `time` is known to one of the nodes.
    fn covered(&self, mut start: Vec<Node>, block: u64, other: u32, time: u32) -> bool {
        if start.is_empty() {
            return false;
        }
        start.sort_unstable();
        start.dedup();
        let covers = |node: Node| {
            let Publication { block: of, published, .. } = &self.nodes[node as usize];
            published.as_ref().is_some_and(|published| {
                *of == block
                    && (time < published.others
                        || published.threads.iter().any(|&(who, until)| who == other && time < until))
            })
        };
        let mut seen: Vec<Node> = Vec::new();
        let mut rest = start.clone();
        while let Some(node) = rest.pop() {
            if covers(node) {
                return true;
            }
            if seen.len() >= SHORT_SEARCH {
                let mut index = self.index.borrow_mut();
                let index = match &mut *index {
                    Some(index) if index.heads == start => index,
                    index => index.insert(self.index_of(start)),
                };
                return index.by_block.get(&block).is_some_and(|nodes| nodes.iter().any(|&node| covers(node)));
            }
            if !seen.contains(&node) {
                seen.push(node);
                rest.extend(&self.nodes[node as usize].parents);
            }
        }
        false
    }

    fn index_of(&self, heads: Vec<Node>) -> Index {
        let mut by_block: HashMap<u64, Vec<Node>> = HashMap::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut rest = heads.clone();
        while let Some(node) = rest.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                let publication = &self.nodes[node as usize];
                if publication.published.is_some() {
                    by_block.entry(publication.block).or_default().push(node);
                }
                rest.extend(&publication.parents);
            }
        }
        Index { heads, by_block }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_updates_hand_on_short_lists() {
        let mut blocks = Blocks::new();
        blocks.turn(0, 0);
        let mut heads = Heads::default();
        const UPDATES: u64 = 10_000;
        // Two threads in turn update variables, so that each reads what the other has published.
        for at in 0..UPDATES {
            let (thread, address) = (at as u32 % 2, (at / 2 % 500) * 4);
            blocks.read(&mut heads, address, thread, true);
            blocks.publish(&mut heads, address, thread, Published { others: at as u32, threads: Box::new([]) });
        }
        assert!(blocks.nodes.iter().all(|node| node.parents.len() <= FEW + 2));
        assert!(blocks.nodes.len() < 2 * UPDATES as usize);
        // Nothing is lost: the next block reads a variable, and knows what was done before the last update.
        blocks.turn(1, UPDATES as u32);
        let mut next = Heads::default();
        blocks.read(&mut next, 499 * 4, 7, true);
        assert!(blocks.knows(&next, 7, 0, 0, UPDATES as u32 - 2));
        assert!(!blocks.knows(&next, 7, 0, 0, UPDATES as u32 - 1));
        assert!(!blocks.knows(&next, 8, 0, 0, 0));
    }
}
