//! Dominators and post-dominators of the basic blocks.
//!
//! Post-dominators are dominators of the reversed graph, found by the iteration of Cooper, Harvey and Kennedy
//! ("A Simple, Fast Dominance Algorithm", 2001) over a virtual exit block.
//!
//! Lanes that leave the kernel early are not waited for: ptxas lets the others meet as if the early `return` were not
//! there (`BSYNC` ignores threads that exited). So only the last exit is tied to the virtual exit at first, and paths
//! that lead to another exit count only for the blocks from which no path leads to the last one. The same holds for
//! endless loops, which never reach any exit.

use super::cfg::Cfg;

/// The immediate post-dominator of every block; `None` when only the end of the kernel is.
pub(crate) fn post_dominators(cfg: &Cfg) -> Vec<Option<usize>> {
    let count = cfg.blocks.len();
    let exit = count;
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
    let mut successors: Vec<Vec<usize>> = cfg.blocks.iter().map(|block| block.successors.clone()).collect();
    let level = tie_to_exit(&mut successors, exit);
    for (index, list) in successors.iter_mut().enumerate() {
        list.retain(|&next| next == exit || level[next] <= level[index]);
    }
    for (index, list) in successors.iter().enumerate() {
        for &successor in list {
            predecessors[successor].push(index);
        }
    }

    let dominator = dominators(&predecessors, exit);
    (0..count).map(|node| Some(dominator[node]).filter(|&at| at < exit)).collect()
}

/// The immediate dominator of every node of a graph of successors: `root` for itself, `usize::MAX` for nodes to which no
/// way leads.
pub(crate) fn dominators(graph: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); graph.len()];
    for (node, successors) in graph.iter().enumerate() {
        successors.iter().for_each(|&next| before[next].push(node));
    }
    // Post-order of a depth-first walk from the root.
    let mut order = Vec::with_capacity(graph.len());
    let mut seen = vec![false; graph.len()];
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((node, at)) = stack.pop() {
        if let Some(&next) = graph[node].get(at) {
            stack.push((node, at + 1));
            if !std::mem::replace(&mut seen[next], true) {
                stack.push((next, 0));
            }
        } else {
            order.push(node);
        }
    }
    let mut rank = vec![0; graph.len()];
    for (position, &node) in order.iter().enumerate() {
        rank[node] = position;
    }
    let mut dominator = vec![usize::MAX; graph.len()];
    dominator[root] = root;
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().rev().filter(|&&node| node != root) {
            let mut new = usize::MAX;
            for &earlier in before[node].iter().filter(|&&earlier| dominator[earlier] != usize::MAX) {
                new = if new == usize::MAX { earlier } else { intersect(new, earlier, &dominator, &rank) };
            }
            if new != dominator[node] {
                dominator[node] = new;
                changed = true;
            }
        }
    }
    dominator
}

fn intersect(mut a: usize, mut b: usize, dominator: &[usize], rank: &[usize]) -> usize {
    while a != b {
        while rank[a] < rank[b] {
            a = dominator[a];
        }
        while rank[b] < rank[a] {
            b = dominator[b];
        }
    }
    a
}

/// Gives blocks an edge to the virtual exit until every block has a way there: the last block of the kernel that does
/// not continue first, then the last of those that cannot reach it, and so on. Returns the round in which each block
/// got its way.
fn tie_to_exit(successors: &mut [Vec<usize>], exit: usize) -> Vec<usize> {
    let count = successors.len();
    let reachable = reachable(successors);
    let mut level = vec![usize::MAX; count];
    for round in 0.. {
        // An unreachable block (a second `ret` at the end) must not be taken for the kernel's end.
        let missing = |node: &usize| level[*node] == usize::MAX;
        let last_exit = (0..count).rev().filter(missing).find(|&n| reachable[n] && successors[n].is_empty());
        let Some(tied) = last_exit.or_else(|| (0..count).rev().find(missing)) else {
            break;
        };
        successors[tied].push(exit);
        level[tied] = round;
        let mut grown = true;
        while grown {
            grown = false;
            for node in (0..count).rev() {
                if level[node] == usize::MAX && successors[node].iter().any(|&next| level[next] != usize::MAX) {
                    level[node] = round;
                    grown = true;
                }
            }
        }
    }
    level
}

fn reachable(successors: &[Vec<usize>]) -> Vec<bool> {
    let mut seen = vec![false; successors.len()];
    let mut stack = vec![0];
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            stack.extend(&successors[node]);
        }
    }
    seen
}
