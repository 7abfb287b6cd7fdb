//! Pass 7: where the lanes that part at a branch meet again: at the branch's immediate post-dominator, the first
//! instruction that every path from the branch leads through.
//!
//! Post-dominators are dominators of the reversed graph, found by the iteration of Cooper, Harvey and Kennedy
//! ("A Simple, Fast Dominance Algorithm", 2001) over a virtual exit block.
//!
//! Lanes that leave the kernel early are not waited for: ptxas lets the others meet as if the early `return` were not
//! there (`BSYNC` ignores threads that exited). So only the last exit is tied to the virtual exit at first, and paths
//! that lead to another exit count only for the blocks from which no path leads to the last one. The same holds for
//! endless loops, which never reach any exit.
//!
//! Lanes that a pointer leads to different functions do not always meet behind the call: where the rest of the kernel has no
//! loop and nothing that lanes do together, ptxas sets up no convergence barrier for them (`tests/counters/cu/calls.cu`).

use super::Program;
use super::cfg::Cfg;
use super::inst::{APART, NEVER, Op, Pc};

/// Fills in `meet` of every branch.
pub fn run(program: &mut Program) {
    let cfg = Cfg::new(program);
    let meet = post_dominators(&cfg);
    let straight = straight_to_exit(program, &cfg);
    for (index, block) in cfg.blocks.iter().enumerate() {
        let last = block.end as usize - 1;
        if let Op::Branch { meet: slot, .. } = &mut program.insts[last].op {
            *slot = match meet[index] {
                Some(block) if *slot != APART || !straight[block] => cfg.blocks[block].start,
                _ => NEVER,
            };
        }
    }
    // `if (i >= n) return;` is a branch to the kernel's last `ret`, which ptxas makes an exit on the spot. Lanes that
    // met there before they exit would keep the threads of their block waiting at every barrier in between.
    for pc in 0..program.insts.len() {
        if let Op::Branch { meet, .. } = program.insts[pc].op
            && meet != NEVER
            && only_exits(program, meet)
            && let Op::Branch { meet, .. } = &mut program.insts[pc].op
        {
            *meet = NEVER;
        }
    }
}

/// The blocks from which every way leads to an exit, without a loop and without anything that lanes do together.
fn straight_to_exit(program: &Program, cfg: &Cfg) -> Vec<bool> {
    let together = |op: &Op| matches!(op, Op::Barrier(_)) || op.waits_for_lanes();
    let mut straight = vec![false; cfg.blocks.len()];
    // What stands behind a block is known before it; ways back are loops.
    for (index, block) in cfg.blocks.iter().enumerate().rev() {
        let insts = &program.insts[block.start as usize..block.end as usize];
        straight[index] = block.successors.iter().all(|&next| next > index && straight[next])
            && !insts.iter().any(|inst| together(&inst.op));
    }
    straight
}

/// Whether lanes at `pc` do nothing but exit.
pub(super) fn only_exits(program: &Program, mut pc: Pc) -> bool {
    // Branches are followed a few times at most, so that a loop of them ends.
    for _ in 0..8 {
        let Some(inst) = program.insts.get(pc as usize) else { return false };
        match (&inst.op, inst.guard) {
            (Op::Exit, None) => return true,
            (Op::Nop, _) => pc += 1,
            (&Op::Branch { target, .. }, None) => pc = target,
            _ => return false,
        }
    }
    false
}

/// The immediate post-dominator of every block; `None` when only the end of the kernel is.
pub fn post_dominators(cfg: &Cfg) -> Vec<Option<usize>> {
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
pub(super) fn dominators(graph: &[Vec<usize>], root: usize) -> Vec<usize> {
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
