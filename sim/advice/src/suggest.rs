//! Which edits help, by what was seen of a launch: one rule for each edit, with its condition, its sentences and its change
//! of the trace. All conditions are about addresses, lanes and barriers; none knows a kernel.

use std::collections::{BTreeMap, BTreeSet};

mod work;

use crate::gain::Change;
use crate::global::{Key, Kind, Seen};
use crate::shared::{Layout, Tried};
use crate::watch::{Code, Watch};
use crate::{Advice, Edit};

/// An edit helps where it leaves at most this part of what it is about.
const HELPS: f64 = 0.8;
/// An access is scattered where it moves this many times the sectors that it needs.
const SCATTERED: f64 = 1.5;
/// Part of the shared-memory wavefronts of a launch below which an array is not looked at.
const WORTH: f64 = 0.05;
/// Part of a launch's time by which an edit shortens it, if it is worth telling for that.
const FASTER: f64 = 0.02;
/// Part of what an edit counts in the whole launch that it does away with, if it is worth telling for that.
const MUCH: f64 = 0.25;

/// An edit with what it changes in a trace; nothing where a replay cannot tell its gain.
pub(crate) struct Suggestion {
    pub(crate) advice: Advice,
    pub(crate) change: Option<Change>,
    /// The most that it could shorten the launch, as a part of its time, where there is no change to replay.
    pub(crate) most: f64,
    /// How many there are of what it counts in the whole launch.
    pub(crate) all: u64,
}

impl Suggestion {
    /// Whether it is worth telling: it shortens what the launch takes beside launching, or it does away with much of what it
    /// counts. `gain` is a part of that time.
    pub(crate) fn is_worth(&self, gain: f64) -> bool {
        let Advice { before, after, .. } = self.advice;
        gain >= FASTER || after * 2 <= before && (before - after) as f64 >= MUCH * self.all as f64
    }
}

/// What is common to all rules.
pub(crate) struct Rules<'a> {
    pub(crate) code: &'a Code,
    pub(crate) seen: &'a Watch<'a>,
    /// Part of its time that a warp waits at barriers or for shared memory.
    pub(crate) waits: f64,
}

impl Rules<'_> {
    /// Everything that would help.
    pub(crate) fn all(&self) -> Vec<Suggestion> {
        let mut found = self.layouts();
        found.extend(self.interleave());
        found.extend(self.stage());
        found.extend(self.vectorise());
        found.extend(self.updates());
        found.extend(self.exchange());
        found.extend(self.spread());
        found
    }

    /// Counts of the blocks that were watched, for the whole grid.
    fn whole(&self, count: u64) -> u64 {
        match self.seen.blocks {
            0 => count,
            blocks => (u128::from(count) * u128::from(self.code.blocks) / u128::from(blocks)) as u64,
        }
    }

    fn advice(&self, edit: Edit, places: &[u32], unit: &str, (before, after): (u64, u64)) -> Advice {
        let (file, line) =
            places.first().map_or_else(Default::default, |place| self.code.places[*place as usize].clone());
        let others = places.iter().skip(1).map(|place| &self.code.places[*place as usize]);
        let also: BTreeSet<u32> = others.filter(|other| other.0 == file && other.1 != line).map(|o| o.1).collect();
        Advice {
            edit,
            file,
            line,
            also: also.into_iter().collect(),
            now: String::new(),
            then: String::new(),
            unit: unit.to_owned(),
            before: self.whole(before),
            after: self.whole(after),
            counted: self.code.stride() == 1 && self.seen.shared.lost == 0,
            time: None,
        }
    }

    /// Warps that were watched.
    fn warps(&self) -> u64 {
        self.seen.blocks * u64::from(self.code.threads.div_ceil(32))
    }

    /// Sectors of global memory that the launch moves.
    fn sectors(&self) -> u64 {
        self.whole(self.seen.global.seen.values().map(|seen| seen.sectors).sum())
    }

    /// A count of all atomics in global memory.
    fn updates_of(&self, count: impl Fn(&Seen) -> u64) -> u64 {
        let atomics = self.seen.global.seen.iter().filter(|(key, _)| matches!(key.kind, Kind::Atomic(_)));
        self.whole(atomics.map(|(_, seen)| count(seen)).sum())
    }

    /// Pad, swizzle, copies of what atomics update.
    fn layouts(&self) -> Vec<Suggestion> {
        let all = self.seen.shared.wavefronts(&self.code.rules);
        let worth = |tried: &Tried| {
            let (now, then) = tried.wavefronts;
            then as f64 <= HELPS * now as f64 && (now - then) as f64 >= WORTH * all as f64
        };
        let suggest = |tried: Tried| {
            let (name, _, bytes) = &self.code.variables[tried.variable];
            let edit = match tried.layout {
                Layout::Pad { .. } => Edit::Pad,
                Layout::Swizzle { .. } => Edit::Swizzle,
                Layout::Copies { .. } => Edit::Replicate,
            };
            let places = tried.lines(self.code);
            let mut advice = self.advice(edit, &places, "shared-memory wavefronts", tried.wavefronts);
            let room = tried.layout.bytes(*bytes);
            let conflict = || {
                format!(
                    "Lanes of a warp address different words of one bank of `{name}`: a bank conflict, which takes a wavefront \
                     for each word."
                )
            };
            (advice.now, advice.then) = match tried.layout {
                Layout::Pad { row, free } => (
                    conflict(),
                    format!(
                        "Leave {} free behind every {row} words of `{name}`: declare rows of {} words where they have {row}, \
                         or write element i to i + i / {row}{}. It takes {room} bytes in place of {bytes}.",
                        words(free),
                        row + free,
                        if free > 1 { format!(" * {free}") } else { String::new() },
                    ),
                ),
                Layout::Swizzle { row, unit } => (
                    conflict(),
                    format!(
                        "Store word i of `{name}` at i ^ (i / {row}{} % {row}), wherever it is read or written: the columns of \
                         each row of {row} words change places, and no memory is added.",
                        if unit > 1 { format!(" * {unit}") } else { String::new() },
                    ),
                ),
                Layout::Copies { count } => (
                    format!(
                        "Lanes of a warp update the same elements or banks of `{name}`, and do so one after another."
                    ),
                    format!(
                        "Give `{name}` {count} copies: lane k updates element i at i * {count} + k % {count}, and whoever reads \
                         an element adds its copies. It takes {room} bytes in place of {bytes}.",
                    ),
                ),
            };
            Suggestion { advice, change: Some(Change::Wavefronts(tried.by_pc)), most: 0.0, all: self.whole(all) }
        };
        self.seen.shared.tried(self.code).into_iter().filter(worth).map(suggest).collect()
    }

    /// The keys that a rule is about, by their sum of `before` and `after`.
    fn keys(&self, rule: impl Fn(&Key, &Seen) -> Option<(u64, u64)>) -> Chosen {
        let mut chosen = Chosen::default();
        for (key, seen) in &self.seen.global.seen {
            let Some((before, after)) = rule(key, seen) else { continue };
            chosen.sum = (chosen.sum.0 + before, chosen.sum.1 + after);
            chosen.pcs.extend(&seen.pcs);
            *chosen.gains.entry(key.place).or_default() += before as i64 - after as i64;
            chosen.buffers.insert(self.code.buffers[key.buffer].0.clone());
        }
        chosen
    }

    /// Threads that walk through neighbouring elements.
    fn interleave(&self) -> Option<Suggestion> {
        let chosen = self.keys(|key, seen| is_walk(key, seen, self.warps()).then_some((seen.sectors, seen.by_window)));
        let places = chosen.places()?;
        let mut advice = self.advice(Edit::Interleave, &places, "sectors of global memory", chosen.sum);
        advice.now = format!(
            "Each thread walks through elements of {} that lie side by side, so that the lanes of a warp are far apart: every \
             access of a warp moves a sector for each lane, and uses a part of it.",
            chosen.names()
        );
        "Let neighbouring lanes take neighbouring elements: thread t takes elements t, t + T, t + 2 T … of those that T threads \
         share, or a warp takes one thread's elements after another's; of an array of \
         structures make an array of each member."
            .clone_into(&mut advice.then);
        Some(Suggestion { advice, change: Some(Change::ByWindow(chosen.pcs)), most: 0.0, all: self.sectors() })
    }

    /// Accesses whose sectors the block shares, but no warp's window does.
    fn stage(&self) -> Option<Suggestion> {
        let chosen = self.keys(|key, seen| {
            let scattered = seen.sectors as f64 >= SCATTERED * seen.ideal as f64;
            let again = key.kind == Kind::Load && seen.sectors >= 4 * seen.by_block && seen.accesses > self.seen.blocks;
            let helps = seen.by_block as f64 <= HELPS / SCATTERED * seen.sectors as f64;
            let stages = !matches!(key.kind, Kind::Atomic(_))
                && helps
                && (scattered || again)
                && !is_walk(key, seen, self.warps());
            (stages && !is_fused(seen)).then_some((seen.sectors, seen.by_block))
        });
        let places = chosen.places()?;
        let mut advice = self.advice(Edit::Stage, &places, "sectors of global memory", chosen.sum);
        advice.now = format!(
            "The warps of a block move the same sectors of {} several times: what one of them needs of a sector is not what it \
             needs next, and another warp needs the rest.",
            chosen.names()
        );
        "Let the block move each element once, neighbouring lanes neighbouring elements, and bring them into order in shared \
         memory: load a tile, __syncthreads(), and use it from there; or write results there, __syncthreads(), and store them in \
         order."
            .clone_into(&mut advice.then);
        Some(Suggestion { advice, change: Some(Change::ByBlock(chosen.pcs)), most: 0.0, all: self.sectors() })
    }

    /// Neighbouring elements that a thread accesses one by one.
    fn vectorise(&self) -> Option<Suggestion> {
        let mut count = 1;
        let mut places = BTreeSet::new();
        let mut pcs = BTreeSet::new();
        let mut updates = false;
        let (mut sum, mut buffers) = ((0, 0), BTreeSet::new());
        for (key, seen) in &self.seen.global.seen {
            let atomic = matches!(key.kind, Kind::Atomic(_));
            // `red.global.v4.f32`, and `atomicAdd` of a `float4`.
            let has_vectors = !atomic
                || self.code.capability >= (9, 0)
                    && seen.fused_pcs.iter().all(|&pc| {
                        let opcode = &self.code.opcodes[pc as usize];
                        opcode.contains(".add") && opcode.ends_with(".f32")
                    });
            if !has_vectors || !is_fused(seen) || is_walk(key, seen, self.warps()) {
                continue;
            }
            count = count.max(seen.fused.0 / seen.fused.1.max(1));
            sum = if atomic {
                (sum.0 + seen.fused.0, sum.1 + seen.fused.1)
            } else {
                (sum.0 + seen.fused_sectors.0, sum.1 + seen.fused_sectors.1)
            };
            updates |= atomic;
            places.extend(&seen.fused_places);
            pcs.extend(&seen.fused_pcs);
            buffers.insert(self.code.buffers[key.buffer].0.clone());
        }
        // What moves no fewer sectors is a matter of instructions, which a line of the report tells.
        if pcs.is_empty() || sum.1 as f64 > HELPS * sum.0 as f64 {
            return None;
        }
        let places: Vec<u32> = places.into_iter().collect();
        let unit = if updates { "atomic instructions of warps" } else { "sectors of global memory" };
        let mut advice = self.advice(Edit::Vectorise, &places, unit, sum);
        let what = if updates { "updates" } else { "accesses" };
        advice.now =
            format!("Each thread makes {count} {what} of elements of {} that lie side by side.", list(buffers.iter()));
        advice.then = if updates {
            format!("Make one update of them: atomicAdd of a float{count}, which compute capability 9.0 has.")
        } else {
            format!(
                "Make one access of them: a pointer to a vector of {count} elements, such as float{count}, aligned to its size."
            )
        };
        Some(Suggestion {
            advice,
            change: Some(Change::Fused(pcs, count)),
            most: 0.0,
            all: if updates { self.updates_of(|seen| seen.accesses) } else { self.sectors() },
        })
    }

    /// Updates that meet.
    fn updates(&self) -> Vec<Suggestion> {
        let aggregates = |key: &Key, seen: &Seen| {
            matches!(key.kind, Kind::Atomic(_)) && seen.addresses as f64 <= 0.5 * seen.lanes as f64
        };
        let taken: u64 = self.code.variables.iter().map(|variable| variable.2).sum();
        let room = self.code.shared_limit.saturating_sub(taken);
        let privatises = |key: &Key, seen: &Seen| {
            let bytes = seen.block_addresses.1 * u64::from(seen.width);
            let few = seen.block_addresses.0 * 4 <= seen.lanes && bytes <= room;
            // Few places are a sum, and no histogram.
            matches!(key.kind, Kind::Atomic(false)) && few && seen.block_addresses.1 > 4
        };
        let mut found = Vec::new();
        let all = self.updates_of(|seen| seen.lanes);
        let chosen = self.keys(|key, seen| {
            (privatises(key, seen) && !is_fused(seen)).then_some((seen.lanes, seen.block_addresses.0))
        });
        if let Some(places) = chosen.places() {
            let mut advice = self.advice(Edit::Privatise, &places, "updates of global memory", chosen.sum);
            advice.now = format!(
                "The threads of a block update few elements of {} again and again, and all blocks wait for one another at them.",
                chosen.names()
            );
            "Count in an array of the block in shared memory, __syncthreads(), and add each of its elements to global memory \
             once."
                .clone_into(&mut advice.then);
            found.push(Suggestion { advice, change: Some(Change::Privatised(chosen.pcs, chosen.sum)), most: 0.0, all });
        }
        let chosen = self.keys(|key, seen| {
            (aggregates(key, seen) && !privatises(key, seen)).then_some((seen.lanes, seen.addresses))
        });
        if let Some(places) = chosen.places() {
            let mut advice = self.advice(Edit::Aggregate, &places, "updates of global memory", chosen.sum);
            advice.now = format!(
                "Lanes of one warp update the same element of {}, one after another in the L2 cache.",
                chosen.names()
            );
            "Add up in the warp what goes to one element (__reduce_add_sync or shuffles for one element, __match_any_sync to find \
             the lanes that share one), and let one lane of each group update it."
                .clone_into(&mut advice.then);
            found.push(Suggestion { advice, change: Some(Change::Aggregated(chosen.pcs)), most: 0.0, all });
        }
        found
    }
}

/// Whether threads walk through neighbouring elements, and what a warp's window moves is used as a whole. Members of a
/// structure that are read once, and would be one wide access, are no walk.
fn is_walk(key: &Key, seen: &Seen, warps: u64) -> bool {
    let in_loop = seen.accesses > seen.pcs.len() as u64 * warps;
    (in_loop || !is_fused(seen))
        && !matches!(key.kind, Kind::Atomic(_))
        && seen.sectors as f64 >= SCATTERED * seen.ideal as f64
        && seen.walks * 2 >= seen.accesses
        && seen.by_window as f64 <= HELPS / SCATTERED * seen.sectors as f64
}

/// Whether most accesses are parts of wide ones, and in no loop.
const fn is_fused(seen: &Seen) -> bool {
    seen.fused.0 > 0 && seen.fused.0 * 2 >= seen.accesses
}

/// What a rule chose.
#[derive(Default)]
struct Chosen {
    sum: (u64, u64),
    pcs: BTreeSet<u32>,
    gains: BTreeMap<u32, i64>,
    buffers: BTreeSet<String>,
}

impl Chosen {
    /// Its lines, those that gain most first; `None` where there are none.
    fn places(&self) -> Option<Vec<u32>> {
        let mut places: Vec<u32> = self.gains.keys().copied().collect();
        places.sort_by_key(|place| (-self.gains[place], *place));
        (!places.is_empty()).then_some(places)
    }

    fn names(&self) -> String {
        list(self.buffers.iter())
    }
}

/// `a`, `b` and `c`.
fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&String> = names.collect();
    match names.split_last() {
        Some((last, [])) => (*last).clone(),
        Some((last, rest)) => {
            format!("{} and {last}", rest.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", "))
        }
        None => String::new(),
    }
}

fn words(count: u64) -> String {
    if count == 1 { "1 word".to_owned() } else { format!("{count} words") }
}
