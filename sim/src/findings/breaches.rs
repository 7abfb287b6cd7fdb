//! What the language does not foresee and the hardware goes on with: threads that meet at different barriers, threads that
//! ended before the others met, lanes that read from a lane that is not there. Noted while the kernel runs, made into
//! findings at the end.
//!
//! The rules are those of the CUDA C++ Programming Guide: a barrier may stand in conditional code only "if the condition
//! evaluates identically across the entire thread block" (Synchronization Functions); it waits for all non-exited threads
//! (compute capability 7.x, Independent Thread Scheduling); of a warp, "all non-exited threads named in mask" execute the
//! same instruction, and what a lane reads from one that does not is undefined (Warp Shuffle Functions).

use std::collections::BTreeMap;

use super::{Finding, FindingKind, Party, Places, Severity};
use crate::ir::inst::{Op, Pc};
use crate::lanes::{lanes_of, lanes_text};
use crate::prepare::Executable;

/// Threads of one block at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// How many they are.
    pub threads: u32,
    /// The first warp that has some of them.
    pub warp: u32,
    /// That warp's lanes among them.
    pub lanes: u32,
    /// How many warps have some of them.
    pub warps: u32,
}

/// One such thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Breach {
    /// Threads of a block meet at two barriers at once: here, and at another one.
    Apart {
        /// Who is here.
        here: Group,
        /// Who is at the other one.
        there: Group,
        /// Threads of the block.
        of: u32,
        /// A warp has lanes at both.
        warp_parts: bool,
    },
    /// Threads of the block had ended when the others met.
    Ended {
        /// How many.
        threads: u32,
        /// Threads of the block.
        of: u32,
    },
    /// The mask names lanes that have ended.
    EndedLanes {
        /// The mask.
        mask: u32,
        /// Those lanes.
        lanes: u32,
    },
    /// A lane reads from one that takes no part.
    Absent {
        /// The lane that reads.
        reader: u32,
        /// The lane that it reads from.
        from: u32,
        /// Why that one takes no part.
        why: Absence,
    },
}

/// Why a lane takes no part in an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absence {
    /// It has ended, or the block has no such thread.
    Gone,
    /// The mask does not name it.
    Unnamed,
}

/// What was seen first, and how often.
#[derive(Debug, Clone)]
struct Seen {
    breach: Breach,
    block: u64,
    warp: u32,
    lanes: u32,
    count: u64,
}

/// All of them by place, kind and the other place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Breaches {
    seen: BTreeMap<(Pc, u8, Pc), Seen>,
}

impl Breach {
    /// Tells kinds at one place apart.
    const fn tag(&self) -> u8 {
        match self {
            Self::Apart { .. } => 0,
            Self::Ended { .. } => 1,
            Self::Absent { .. } => 2,
            Self::EndedLanes { .. } => 3,
        }
    }
}

impl Breaches {
    /// Notes what lanes of a warp do at `pc`, with the other place if there is one. Only the first at a place is described.
    #[cold]
    pub(crate) fn note(
        &mut self,
        (pc, other): (Pc, Option<Pc>),
        (block, warp, lanes): (u64, u32, u32),
        breach: Breach,
    ) {
        let key = (pc, breach.tag(), other.unwrap_or(pc));
        let seen = self.seen.entry(key).or_insert(Seen { breach, block, warp, lanes, count: 0 });
        seen.count += 1;
    }

    /// How many different ones there are.
    pub(crate) fn kinds(&self) -> usize {
        self.seen.len()
    }

    /// Adds what was seen in later blocks.
    pub(crate) fn merge(&mut self, later: Self) {
        for (key, seen) in later.seen {
            match self.seen.entry(key) {
                std::collections::btree_map::Entry::Occupied(mut entry) => entry.get_mut().count += seen.count,
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(seen);
                }
            }
        }
    }

    /// Whether a lane has read an undefined value: whether that matters is worth a look.
    pub(crate) fn reads_undefined(&self) -> bool {
        self.seen.values().any(|seen| matches!(seen.breach, Breach::Absent { .. }))
    }

    /// The findings. `used`: what lanes read from others that are not there reaches the launch's result.
    pub(crate) fn findings(&self, places: Places<'_>, used: bool) -> Vec<Finding> {
        let launch = &places.launch;
        let line = |pc: Pc| places.line(pc);
        let told = self.seen.iter().filter(|((pc, ..), seen)| {
            // An undefined value says more than the mask that led to it.
            !matches!(seen.breach, Breach::EndedLanes { .. })
                || !self.seen.keys().any(|&(other, tag, _)| other == *pc && tag == 2)
        });
        let find = |(&(pc, _, other), seen): (&(Pc, u8, Pc), &Seen)| {
            let ((file, number), (other_file, other_number)) = (line(pc), line(other));
            let there = match (file == other_file, number == other_number) {
                (true, true) => format!("in line {other_number} too"),
                (true, false) => format!("in line {other_number}"),
                (false, _) => format!("in line {other_number} of {other_file}"),
            };
            let aligned = aligned(launch.program, pc) && aligned(launch.program, other);
            let (kind, severity) = match seen.breach {
                Breach::Apart { .. } if aligned => (FindingKind::BarrierDivergence, Severity::Error),
                Breach::Apart { .. } | Breach::Ended { .. } => (FindingKind::BarrierDivergence, Severity::Remark),
                Breach::Absent { .. } if used => (FindingKind::InvalidSyncMask, Severity::Error),
                Breach::Absent { .. } | Breach::EndedLanes { .. } => (FindingKind::InvalidSyncMask, Severity::Remark),
            };
            let party = |(file, line): (String, u32), warp: u32, lanes: u32| {
                let lane = lanes.trailing_zeros() & 31;
                Party {
                    file,
                    line,
                    does: "waits".to_owned(),
                    block: launch.grid.coordinates(seen.block).into(),
                    thread: launch.block.coordinates(u64::from(warp * 32 + lane)).into(),
                    warp,
                    lane,
                }
            };
            let parties = match &seen.breach {
                Breach::Apart { here, there, .. } => vec![
                    party((file.clone(), number), here.warp, here.lanes),
                    party((other_file, other_number), there.warp, there.lanes),
                ],
                _ => Vec::new(),
            };
            Finding {
                kind,
                severity,
                message: message(&seen.breach, seen.warp, &there),
                help: help(&seen.breach, aligned, used),
                file,
                line: number,
                seed: launch.seed,
                block: launch.grid.coordinates(seen.block).into(),
                warp: seen.warp,
                lanes: lanes_of(seen.lanes).collect(),
                count: seen.count,
                space: None,
                parties,
            }
        };
        // A loop that a compiler has unrolled has one line and several instructions.
        let mut findings: Vec<Finding> = Vec::new();
        for finding in told.map(find) {
            let lines = |of: &Finding| (of.file.clone(), of.line, of.parties.get(1).map(|party| party.line));
            let alike = |known: &&mut Finding| {
                (known.kind, known.severity) == (finding.kind, finding.severity) && lines(known) == lines(&finding)
            };
            match findings.iter_mut().find(alike) {
                Some(known) => known.count += finding.count,
                None => findings.push(finding),
            }
        }
        findings
    }
}

/// Whether two barriers are one in the source. A compiler that unrolls a loop copies its barrier with its line, and the column
/// of `.loc` is that of the statement, so that two barriers of one statement look the same; without optimisation nothing is
/// copied. A function that is called at two places is inlined by this simulator from one instruction: its calls are two
/// barriers.
pub(crate) fn same_in_source(program: &Executable, one: Pc, other: Pc) -> bool {
    let [first, second] = [one, other].map(|pc| &program.insts[pc as usize]);
    let copied = !program.debug && first.ptx_line != second.ptx_line;
    one == other || (copied && first.line.line > 0 && first.line == second.line)
}

fn aligned(program: &Executable, pc: Pc) -> bool {
    matches!(&program.code.insts[pc as usize].op, Op::Barrier(barrier) if barrier.aligned)
}

impl Group {
    /// Who they are, in words.
    fn text(&self) -> String {
        let more = match self.warps - 1 {
            0 => String::new(),
            1 => " and those of one warp more".to_owned(),
            n => format!(" and those of {n} warps more"),
        };
        let (count, first) = (self.lanes.count_ones(), self.lanes.trailing_zeros());
        // As many as a reader can take in.
        let row = self.lanes >> (first & 31) & (self.lanes >> (first & 31)).wrapping_add(1) == 0;
        let lanes =
            if row || count <= 4 { lanes_text(self.lanes) } else { format!("{count} lanes from lane {first} on") };
        format!("{lanes} of warp {}{more}", self.warp)
    }
}

fn message(breach: &Breach, warp: u32, there: &str) -> String {
    match breach {
        Breach::Apart { here, there: others, of, .. } => format!(
            "of the block's {of} threads, {} wait at this barrier ({}) and {} at the barrier {there} ({}): they wait at \
             different barriers",
            here.threads,
            here.text(),
            others.threads,
            others.text()
        ),
        Breach::Ended { threads, of } => {
            format!("of the block's {of} threads, {threads} had ended when the others met at this barrier")
        }
        Breach::EndedLanes { mask, lanes } => {
            let (has, it) = if lanes.count_ones() == 1 { ("has", "it") } else { ("have", "them") };
            format!(
                "the mask {mask:#010x} names {} of warp {warp}, which {has} ended; the others go on without {it}",
                lanes_text(*lanes)
            )
        }
        Breach::Absent { reader, from, why } => {
            let why = match why {
                Absence::Gone => "has ended or never was",
                Absence::Unnamed => "the mask does not name",
            };
            format!(
                "lane {reader} of warp {warp} reads from lane {from}, which {why}: the value that it gets is undefined"
            )
        }
    }
}

fn help(breach: &Breach, aligned: bool, used: bool) -> String {
    match breach {
        Breach::Apart { warp_parts, .. } => {
            let of = if *warp_parts { "warp" } else { "block" };
            let rule = if aligned {
                "CUDA C++ allows a barrier in a branch or loop only where all threads of the block decide alike"
            } else {
                "`barrier.sync` counts threads wherever they are, but a reader of the code looks for one place where all \
                 wait"
            };
            format!(
                "{rule}: put one `__syncthreads()` where every thread of the block executes it. An H200 counts the threads \
                 that have come and goes on; compute-sanitizer's synccheck says `divergent thread(s) in {of}`"
            )
        }
        Breach::Ended { .. } => "a barrier waits for all threads that have not ended, as CUDA's guide says: an H200 goes on, \
                                 and compute-sanitizer says nothing. It is safer to let every thread come to the barrier and \
                                 to put the condition around its work alone"
            .to_owned(),
        Breach::EndedLanes { .. } => "only lanes that have not ended are waited for, as CUDA's guide says: an H200 goes on, \
                                      and compute-sanitizer says nothing. It is safer to keep all lanes until here, or to take \
                                      the mask from `__ballot_sync` before some leave"
            .to_owned(),
        Breach::Absent { .. } if used => "the result of the launch depends on that value; an H200 was seen to give 0, and \
                                          compute-sanitizer says nothing. Let every lane that is read from take part, and keep \
                                          a value only where its source does: `if (lane + d < count)`"
            .to_owned(),
        Breach::Absent { .. } => "with other values there, this launch came out the same: no result depends on them. To be sure, let all \
                                  lanes take part, those without data with a neutral element, or give the shuffle a width"
            .to_owned(),
    }
}
