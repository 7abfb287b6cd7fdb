//! Where some of the lanes of a branch meet before all of them do.
//!
//! `if (a || b) x;` has a place where lanes meet that its branches do not all lead to: `x`. The same holds for the rest
//! of a loop's body behind an `if` with a `break` in it, and for a `case` that another falls through to. For such a place
//! ptxas sets up a convergence barrier where the ways to it begin to part, at its immediate dominator (`BSSY`); lanes that
//! come wait there (`BSYNC`), and lanes that take a turn from which there is no way to it give it up (`BREAK`). That is
//! what this pass finds, and what an H200 was seen to do (`mask_behind_an_or` and `mask_in_a_switch` of
//! `tests/machine/questions.cu`).
//!
//! Places that all lanes come to are those of `reconvergence`. Ways lead forward here: a way that goes
//! round a loop in which the place itself lies is none, for the lanes that take it come to the place another time.

use std::collections::BTreeMap;

use super::reconvergence::only_exits;
use crate::ir::Program;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::{dominators, post_dominators};
use crate::ir::inst::{NEVER, Op, Pc};

/// The work after which a program is taken to be too large for this, in visits of blocks.
const MOST_WORK: usize = 50_000_000;

/// Lanes may meet before this instruction.
pub const MEETS: u8 = 1;
/// At this branch, lanes set out for a place where some of them meet, or give one up.
pub const PARTS: u8 = 2;

/// Lanes that execute this instruction wait for others that do.
pub const WAITS: u8 = 4;

/// What a branch means for places where some lanes meet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parting {
    /// The places that the ways from this branch lead to.
    pub opens: Vec<Pc>,
    /// The places that lanes give up which take the branch.
    pub taken: Vec<Pc>,
    /// The places that lanes give up which do not.
    pub passed: Vec<Pc>,
}

/// Where lanes meet and part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Joins {
    /// By instruction: [`MEETS`], [`PARTS`] and [`WAITS`].
    pub flags: Vec<u8>,
    partings: BTreeMap<Pc, Parting>,
}

impl Joins {
    /// What the branch at `pc` means, if its flag is [`PARTS`].
    pub fn parting(&self, pc: Pc) -> Option<&Parting> {
        self.partings.get(&pc)
    }
}

/// Finds the places of `program`, whose branches know where all lanes meet.
pub(super) fn find(program: &Program) -> Joins {
    let cfg = Cfg::new(program);
    let mut joins = Joins { flags: vec![0; program.insts.len()], partings: early(program, &cfg) };
    for (&pc, parting) in &joins.partings {
        joins.flags[pc as usize] |= PARTS;
        for &place in &parting.opens {
            joins.flags[place as usize] |= MEETS;
        }
    }
    for (pc, inst) in program.insts.iter().enumerate() {
        let place = if let Op::Branch { meet, .. } = inst.op {
            meet
        } else if inst.op.waits_for_lanes() {
            // Lanes that execute it apart from the others meet behind it.
            pc as Pc + 1
        } else {
            NEVER
        };
        if let Some(flags) = joins.flags.get_mut(place as usize) {
            *flags |= MEETS;
        }
        if inst.op.waits_for_lanes() {
            joins.flags[pc] |= WAITS;
        }
    }
    joins
}

fn early(program: &Program, cfg: &Cfg) -> BTreeMap<Pc, Parting> {
    let graph: Vec<Vec<usize>> = cfg.blocks.iter().map(|block| block.successors.clone()).collect();
    let dominator = dominators(&graph, 0);
    let reachable = |block: usize| block == 0 || dominator[block] != usize::MAX;
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); graph.len()];
    for (block, successors) in graph.iter().enumerate().filter(|(block, _)| reachable(*block)) {
        successors.iter().for_each(|&next| before[next].push(block));
    }
    let depth = depths(&dominator);
    let dominates = |above: usize, mut block: usize| {
        while depth[block] > depth[above] {
            block = dominator[block];
        }
        block == above
    };
    let loops = Loops::new(&graph, &before, &dominates, reachable);
    let all_meet = post_dominators(cfg);
    let branch = |block: usize| {
        let pc = cfg.blocks[block].end - 1;
        if let Op::Branch { target, .. } = program.insts[pc as usize].op
            && graph[block].len() == 2
        {
            Some((pc, target))
        } else {
            None
        }
    };
    let mut partings: BTreeMap<Pc, Parting> = BTreeMap::new();
    let mut work = 0;
    // How many blocks lead to a place that was opened at a branch: the outer ones come first.
    let mut sizes: BTreeMap<(Pc, Pc), usize> = BTreeMap::new();
    let mut leads = vec![usize::MAX; graph.len()];
    for place in 0..graph.len() {
        let forward = before[place].iter().filter(|&&from| !dominates(place, from)).count();
        if forward < 2 || !reachable(place) {
            continue;
        }
        let from = dominator[place];
        let start = cfg.blocks[place].start;
        let Some((opening, _)) = branch(from) else { continue };
        if all_meet[from] == Some(place) || only_exits(program, start) {
            continue;
        }
        // The blocks from which a way leads there.
        let mut found = Vec::new();
        let mut stack = vec![place];
        while let Some(block) = stack.pop() {
            for &earlier in &before[block] {
                work += 1;
                // Beyond the dominator, only what comes back to it.
                let inside = dominates(from, earlier) && !(block == from && earlier == from);
                if inside && leads[earlier] != place && !loops.repeats(earlier, block, place) {
                    leads[earlier] = place;
                    found.push(earlier);
                    if earlier != place {
                        stack.push(earlier);
                    }
                }
            }
        }
        if work > MOST_WORK {
            break;
        }
        for &block in &found {
            let Some((pc, target)) = branch(block) else { continue };
            for &next in &graph[block] {
                let leads_there = next == place || leads[next] == place;
                if leads_there && !loops.repeats(block, next, place) {
                    continue;
                }
                let parting = partings.entry(pc).or_default();
                if cfg.blocks[next].start == target {
                    parting.taken.push(start);
                } else {
                    parting.passed.push(start);
                }
            }
        }
        partings.entry(opening).or_default().opens.push(start);
        sizes.insert((opening, start), found.len());
    }
    for (&pc, parting) in &mut partings {
        parting.opens.sort_by_key(|&place| std::cmp::Reverse(sizes.get(&(pc, place)).copied()));
    }
    partings
}

fn depths(dominator: &[usize]) -> Vec<usize> {
    let mut depth = vec![usize::MAX; dominator.len()];
    depth[0] = 0;
    let mut chain = Vec::new();
    for start in 0..dominator.len() {
        let mut block = start;
        while block != usize::MAX && depth[block] == usize::MAX {
            chain.push(block);
            block = dominator[block];
        }
        let mut at = if block == usize::MAX { 0 } else { depth[block] };
        while let Some(block) = chain.pop() {
            at += 1;
            depth[block] = at;
        }
    }
    depth
}

/// The loops of a graph: by their first block, the blocks in them.
struct Loops {
    heads: BTreeMap<usize, Vec<bool>>,
}

impl Loops {
    fn new(
        graph: &[Vec<usize>],
        before: &[Vec<usize>],
        dominates: &impl Fn(usize, usize) -> bool,
        reachable: impl Fn(usize) -> bool,
    ) -> Self {
        let mut heads: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
        for (block, successors) in graph.iter().enumerate().filter(|(block, _)| reachable(*block)) {
            for &head in successors.iter().filter(|&&next| dominates(next, block)) {
                let inside = heads.entry(head).or_insert_with(|| vec![false; graph.len()]);
                inside[head] = true;
                let mut stack = vec![block];
                while let Some(block) = stack.pop() {
                    if !std::mem::replace(&mut inside[block], true) {
                        stack.extend(&before[block]);
                    }
                }
            }
        }
        Self { heads }
    }

    /// Whether the edge begins another round of a loop in which `place` lies.
    fn repeats(&self, from: usize, to: usize, place: usize) -> bool {
        self.heads.get(&to).is_some_and(|inside| inside[from] && inside[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lowering, Module};

    /// The places of a body, as labels `L<number>:` that hold `mov.u32 %r1, <number>;`.
    fn places(body: &str) -> Vec<u32> {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<9>;\n.reg .pred %p<9>;\n\
             mov.u32 %r2, %tid.x;\nsetp.eq.u32 %p1, %r2, 1;\nsetp.eq.u32 %p2, %r2, 2;\nsetp.eq.u32 %p3, %r2, 3;\n{body}\n\
             mov.u32 %r3, 0;\nret;\n}}\n"
        );
        let module = Module::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
        let program = module.lower("k", Lowering::None).unwrap_or_else(|error| panic!("{error}"));
        let opened = program.joins.partings.values().flat_map(|parting| &parting.opens);
        let number = |&pc: &Pc| {
            let text = &program.insts[pc as usize].text;
            text.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text}"))
        };
        opened.map(number).collect()
    }

    #[test]
    fn both_ways_into_an_or() {
        let body = "@%p1 bra L1;\n@!%p2 bra L2;\nL1:\nmov.u32 %r1, 1;\nL2:\nmov.u32 %r1, 2;";
        assert_eq!(places(body), [1], "at 2 all meet");
    }

    #[test]
    fn the_rest_of_a_loop_behind_a_break() {
        let body = "LOOP:\n@!%p1 bra L1;\n@%p2 bra L2;\nmov.u32 %r1, 7;\nL1:\nmov.u32 %r1, 1;\n@%p3 bra LOOP;\n\
                    L2:\nmov.u32 %r1, 2;";
        assert_eq!(places(body), [1]);
    }

    #[test]
    fn plain_ifs_and_loops_have_none() {
        let diamond = "@%p1 bra L1;\nmov.u32 %r1, 7;\nbra L2;\nL1:\nmov.u32 %r1, 1;\nL2:\nmov.u32 %r1, 2;";
        assert_eq!(places(diamond), [0u32; 0]);
        let nested = "L1:\nmov.u32 %r1, 1;\nL2:\nmov.u32 %r1, 2;\n@%p1 bra L2;\n@%p2 bra L1;";
        assert_eq!(places(nested), [0u32; 0]);
        let two_exits = "L1:\nmov.u32 %r1, 1;\n@%p1 bra L2;\n@%p2 bra L1;\nL2:\nmov.u32 %r1, 2;";
        assert_eq!(places(two_exits), [0u32; 0], "the exit is where all meet");
    }
}
