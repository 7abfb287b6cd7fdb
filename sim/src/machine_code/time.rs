//! How long a launch of machine code takes: some blocks are executed and every warp's way written down, and the replay of
//! `predict` issues the instructions as they were executed.

use rayon::prelude::*;

use super::block::Block;
use super::contend::Steps;
use super::issue;
use super::machine::Machine;
use super::program::Program;
use super::run::{self, Pace};
use crate::error::Error;
use crate::launch::Launch;
use crate::options::Options;
use crate::predict::placement::Placement;
use crate::predict::rates::Rates;
use crate::predict::replay::{Shape, Stalls};
use crate::predict::sampling::{self, Sample};
use crate::predict::tracer::Tracer;
use crate::predict::uneven::{self, Work};
use crate::predict::{self, How, Predicted, Sampled, Timed, beside, held, reuse, slices};
use crate::report::Metrics;
use crate::report::machine_code::MachineCode;
use crate::report::stall::Stall;

/// Blocks that are counted first where not all of a launch are executed.
const COUNTED: u64 = 512;
/// The same of blocks that are executed in turn, which take longer.
const BEGUN: u64 = 64;
/// Instructions of warps that are counted at most to find out whether a launch is uneven, beyond those of the first blocks; and if
/// it is.
const COUNTING: [u64; 2] = [1 << 24, 1 << 26];
/// Blocks that are asked at most and at least what they touch, and the instructions of their warps at most.
const MOST_FOOTPRINTS: u64 = 96;
const LEAST_FOOTPRINTS: u64 = 6;
const FOOTPRINTS: u64 = 1 << 21;
/// Instructions of warps of the blocks that are executed one behind the other to see what L2 holds, if that are not all of them, and if
/// it is; and how many of them at once.
const IN_ORDER: [u64; 2] = [1 << 24, 1 << 26];
const PART: u64 = 32;
/// Waves of blocks that are replayed of short blocks, at most, and the instructions of their warps.
const MOST_WAVES: u64 = 9;
const REPLAYED: u64 = 1 << 17;
/// Instructions of a warp at its beginning.
const BEGINNING: u64 = 256;
/// Most instructions of warps in a sample of blocks whose work differs.
const MOST: u64 = 1 << 24;

/// Predicts how long a launch takes from a sample of its blocks. The buffers that come with it are those before the launch.
///
/// # Errors
/// [`Error::Input`] when the launch does not fit the kernel or the GPU.
pub fn predict(program: &Program, launch: &Launch, options: &Options, how: &How) -> Result<Predicted, Error> {
    let Timed { prediction, timeline, .. } = timed(program, launch, options, how, None)?;
    let buffers = super::summary::unchanged(launch);
    Ok(Predicted { prediction, timeline, buffers })
}

/// The same; `work` has the instructions of every block where all were executed.
pub(super) fn timed(
    program: &Program,
    launch: &Launch,
    options: &Options,
    how: &How,
    work: Option<Work>,
) -> Result<Timed, Error> {
    let new = || Machine::new(program, launch, options);
    let machine = new()?;
    let (chosen, others) = choose(&machine, how, work, &new)?;
    let mut timed = follow(machine, how, chosen, &new)?;
    for other in others {
        let other = follow(new()?, how, other, &new)?;
        timed = if other.prediction.us > timed.prediction.us { other } else { timed };
    }
    Ok(timed)
}

/// Blocks that are followed.
struct Chosen {
    blocks: Sample,
    /// Of the blocks of one multiprocessor: how many times their work the launch has.
    whole: Option<f64>,
    /// The work of blocks, where these stand for all by it.
    work: Option<Work>,
    /// Whether all blocks are executed in turn, so that each finds what those before it left.
    all: bool,
}

/// The blocks that tell how long a launch takes: those that stand for all, or those of a multiprocessor, or of two, of which one
/// ends last. `work` as in [`timed`]; what executes blocks to count it is a `new` machine, for it changes the memory.
///
/// # Errors
/// Those of `new`.
fn choose<'a>(
    machine: &Machine<'a>,
    how: &How,
    work: Option<Work>,
    new: &impl Fn() -> Result<Machine<'a>, Error>,
) -> Result<(Chosen, Vec<Chosen>), Error> {
    let (count, multiprocessors) = (machine.grid.count(), u64::from(machine.target.multiprocessors));
    let resident = machine.occupancy.blocks.max(1);
    let in_order = if machine.asks() && !machine.waits() { counted_in_turn(machine, work.clone(), new)? } else { None };
    let all = in_order.is_some();
    let in_turn = machine.asks() && !all;
    let blocks = sampling::choose((count, multiprocessors), in_turn, resident.into(), how);
    if in_turn || how.multiprocessors != 1 || blocks.followed.len() as u64 == count {
        return Ok((Chosen { blocks, whole: None, work: None, all }, Vec::new()));
    }
    let work = match in_order.or(work) {
        Some(work) => work,
        None => counted(&new()?, blocks.followed.len()),
    };
    let is_uneven = work.is_uneven(blocks.followed.len()) || work.has_long(multiprocessors);
    // Of multiprocessors of which all blocks are followed the one with the most work ends last, however little more it has.
    let whole =
        count <= multiprocessors || work.differs() && blocks.followed.len() as u64 >= count.div_ceil(multiprocessors);
    if work.blocks.len() as u64 == count && (is_uneven || whole) {
        let placement = Placement::of(&Rates::of(machine.target).0, resident);
        let of_one = |followed: Vec<u64>| {
            let (most, sum) = work.of(&followed);
            let whole = Some(sum as f64 / most.max(1) as f64);
            let blocks = Sample { followed, ..blocks.clone() };
            (most <= MOST).then_some(Chosen { blocks, whole, work: None, all })
        };
        let mut busiest = work.busiest(&placement, machine.warps_per_block()).into_iter().filter_map(of_one);
        if let Some(first) = busiest.next() {
            return Ok((first, busiest.collect()));
        }
    }
    let mean = work.blocks.iter().map(|block| block.1).sum::<u64>() / work.blocks.len().max(1) as u64;
    if !is_uneven {
        let waves = (REPLAYED / (mean * u64::from(resident)).max(1)).clamp(how.waves, MOST_WAVES.max(how.waves));
        let how = How { waves, ..how.clone() };
        let blocks = sampling::choose((count, multiprocessors), in_turn, resident.into(), &how);
        return Ok((Chosen { blocks, whole: None, work: None, all }, Vec::new()));
    }
    let share = count.div_ceil(multiprocessors) as usize;
    let most = share.min((MOST / mean.max(1)) as usize).max(1);
    let blocks = Sample { followed: work.stratified(blocks.followed.len(), most), ..blocks };
    Ok((Chosen { blocks, whole: None, work: Some(work), all }, Vec::new()))
}

/// Executes chosen blocks, and replays their ways. What executes blocks once more to see what they touch is a `new` machine where all
/// are executed, since what they do depends on what was done.
///
/// # Errors
/// Those of `new`.
fn follow<'a>(
    machine: Machine<'a>,
    how: &How,
    chosen: Chosen,
    new: &impl Fn() -> Result<Machine<'a>, Error>,
) -> Result<Timed, Error> {
    let program = machine.program;
    let (count, multiprocessors) = (machine.grid.count(), u64::from(machine.target.multiprocessors));
    let resident = machine.occupancy.blocks.max(1);
    let Chosen { blocks: chosen, whole, work, all } = chosen;
    let in_turn = machine.asks() && !all;
    let (code, local) = (issue::code(program), u64::from(program.local_bytes));
    let asks = (issue::past_l1(program), issue::polls(program));
    let steps = Steps::of(&machine);
    let trace_by = |machine: &Machine<'_>, wanted: &[u64], executes: &dyn Fn(&mut Block<'_>)| {
        let (code, asks) = (code.clone(), asks.clone());
        let mut block = Block::new(machine);
        let tracer = Tracer::of_machine_code(code, asks, wanted.to_vec(), chosen.neighbours, local);
        block.tracer = Some(Box::new(tracer));
        executes(&mut block);
        block.tracer.take().map(|tracer| tracer.into_trace()).unwrap_or_default()
    };
    let trace_of = |machine: &Machine<'_>, wanted: &[u64]| {
        trace_by(machine, wanted, &|block| {
            if in_turn || all {
                let first = if all { count } else { chosen.first.clamp(1, count) };
                run::residents(machine, block, first, (Pace::BRIEF, steps.as_ref()));
            } else {
                run::each(machine, block, wanted, steps.as_ref());
            }
        })
    };
    let in_order = |first: u64, blocks: u64| -> Vec<Vec<held::Touch>> {
        let parts = (first..first + blocks).step_by(PART as usize).collect::<Vec<_>>().into_par_iter();
        let of_part = |from: u64| {
            let wanted: Vec<u64> = (from..(from + PART).min(first + blocks)).collect();
            held::touches(&trace_of(&machine, &wanted))
        };
        parts.flat_map_iter(of_part).collect()
    };
    let others = |wanted: &[u64]| {
        if all { new().map(|machine| trace_of(&machine, wanted)) } else { Ok(trace_of(&machine, wanted)) }
    };
    let mut trace = trace_of(&machine, &chosen.followed);
    trace.reuse_local(resident);
    trace.buffers = machine.global.buffers().iter().map(|buffer| buffer.bytes).collect();
    let mean = trace.blocks.iter().map(|block| block.executed).sum::<u64>() / trace.blocks.len().max(1) as u64;
    let few = (FOOTPRINTS / mean.max(1)).min(MOST_FOOTPRINTS);
    let concurrent = multiprocessors * u64::from(resident);
    let rates = Rates::of(machine.target).0;
    let mut matters = None;
    // Of blocks with too much work there are too few to tell anything.
    if !in_turn && trace.blocks.len() as u64 != count && few >= LEAST_FOOTPRINTS {
        let mut spread = others(&uneven::spread(few, count))?;
        (trace.sharing, trace.hot) = reuse::sharing(&spread, &trace, count);
        trace.updates = Some(slices::updates_of_all(&spread, count, &rates));
        trace.stored_by_many = slices::stored_by_many(&spread, &rates);
        trace.early = reuse::early(&spread, &trace, concurrent);
        spread.buffers.clone_from(&trace.buffers);
        matters = held::matters(&spread, count).filter(|_| !all);
    } else if !in_turn && trace.blocks.len() as u64 != count {
        // Few blocks tell whether what L2 holds matters, all the same.
        if mean.saturating_mul(LEAST_FOOTPRINTS) <= IN_ORDER[0] && !all {
            let mut spread = others(&uneven::spread(LEAST_FOOTPRINTS, count))?;
            spread.buffers.clone_from(&trace.buffers);
            matters = held::matters(&spread, count);
        }
        // The beginnings of all that run at the same time are no work.
        let wanted: Vec<u64> = (0..concurrent.min(count)).collect();
        let begun = trace_by(&machine, &wanted, &|block| {
            run::beginnings(&machine, block, 0..wanted.len() as u64, BEGINNING);
        });
        trace.early = reuse::early(&begun, &trace, concurrent);
    }
    if !in_turn && trace.blocks.len() as u64 != count {
        let beside = others(&beside::blocks(&chosen.followed, machine.grid, FOOTPRINTS / mean.max(1)))?;
        trace.beside = beside::brought(&beside, &trace, concurrent, rates.l2_bytes / 32.0);
        trace.shared_rows = beside::shared_rows(&beside, &trace);
    }
    if let Some(loaded) = matters {
        let all_blocks = mean.saturating_mul(count) <= IN_ORDER[1];
        let blocks = if all_blocks { count } else { (IN_ORDER[0] / mean.max(1)).clamp(1, count) };
        let first = if all_blocks { 0 } else { held::first((blocks, count), loaded, &rates) };
        let finds = held::finds(&in_order(first, blocks), (first, count), concurrent, &rates);
        trace.fresh = finds.map(|finds| held::fresh(&trace, &finds)).unwrap_or_default();
    }
    let shape = Shape { blocks: count, resident, shared_bytes: machine.shared_bytes, warm: 0.0, followed: 0, whole };
    let registers = program.registers_per_thread();
    let sampled = Sampled { trace, shape, registers, buffers: Vec::new(), work };
    Ok(predict::of_sample(&sampled, machine.target, how))
}

/// The work of all blocks, executed in turn; none where that takes too long. `known` is what they were counted to have.
///
/// # Errors
/// Those of `new`.
fn counted_in_turn<'a>(
    machine: &Machine<'a>,
    known: Option<Work>,
    new: &impl Fn() -> Result<Machine<'a>, Error>,
) -> Result<Option<Work>, Error> {
    let count = machine.grid.count();
    let work_of = |first: u64| -> Result<Work, Error> {
        let (machine, steps) = (new()?, Steps::of(machine));
        Ok(work(0.., &run::residents(&machine, &mut Block::new(&machine), first, (Pace::BRIEF, steps.as_ref())).1))
    };
    if let Some(work) = known {
        let all = work.blocks.iter().map(|block| block.1).sum::<u64>();
        return Ok((all <= COUNTING[0]).then_some(work));
    }
    let first = BEGUN.min(count);
    let some = work_of(first)?;
    match some.blocks.iter().map(|block| block.1).sum::<u64>() / first.max(1) {
        _ if first == count => Ok(Some(some)),
        mean if mean.saturating_mul(count) > COUNTING[0] => Ok(None),
        _ => work_of(count).map(Some),
    }
}

/// The work of blocks of which it is known how long they are.
pub(super) fn work(blocks: impl IntoIterator<Item = u64>, lengths: &[run::Length]) -> Work {
    let longest = lengths.iter().map(|length| length.longest).collect();
    Work { blocks: blocks.into_iter().zip(lengths.iter().map(|length| length.all)).collect(), longest }
}

/// The work of some blocks from all over the grid: of more and more of them, as long as they are too few to stand for all, or
/// one of all may be long, and counting takes no time to speak of.
fn counted(machine: &Machine<'_>, followed: usize) -> Work {
    let count = machine.grid.count();
    let mut wanted = COUNTED.min(count);
    loop {
        let mut blocks = uneven::spread(wanted, count);
        // The last one may have what is left over, and a launch ends with it.
        blocks.extend([0, count - 1]);
        blocks.sort_unstable();
        blocks.dedup();
        let lengths = run::count(machine, &blocks);
        let counted = lengths.iter().map(|length| length.all).sum::<u64>();
        let work = work(blocks, &lengths);
        let is_uneven = work.is_uneven(followed);
        let next = (COUNTING[usize::from(is_uneven)] / (counted / wanted.max(1)).max(1)).min(count);
        // One long block is only found where all are counted.
        if wanted == count || next < count && (next < wanted * 2 || !is_uneven) {
            return work;
        }
        wanted = next;
    }
}

/// Writes the reasons for not issuing beside the instructions of a listing.
pub(super) fn annotate(section: &mut MachineCode, stalls: &[Stalls]) {
    for (instruction, stalls) in section.listing.iter_mut().zip(stalls) {
        instruction.stalls = metrics(stalls);
    }
    let mut lines: Vec<crate::report::machine_code::LineStalls> = Vec::new();
    for instruction in &section.listing {
        let place = (&instruction.file, instruction.line);
        let at = lines.iter().position(|line| (&line.file, line.line) == place).unwrap_or_else(|| {
            lines.push(crate::report::machine_code::LineStalls {
                file: instruction.file.clone(),
                line: instruction.line,
                stalls: Metrics::new(),
            });
            lines.len() - 1
        });
        for (name, clocks) in &instruction.stalls {
            *lines[at].stalls.entry(name.clone()).or_default() += clocks;
        }
    }
    lines.retain(|line| !line.stalls.is_empty());
    lines.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    section.line_stalls = lines;
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clocks of a sample are few and no negative"
)]
fn metrics(stalls: &Stalls) -> Metrics {
    let clocks = |stall: Stall| (stall.name().to_owned(), stalls[stall as usize].round() as u64);
    Stall::ALL.into_iter().map(clocks).filter(|(_, clocks)| *clocks > 0).collect()
}
