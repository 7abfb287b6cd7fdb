//! How long a launch of machine code takes: some blocks are executed and every warp's way written down, and the replay of
//! `predict` issues the instructions as they were executed.

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
use crate::predict::{self, How, Predicted, Sampled, Timed, beside, reuse, slices};
use crate::report::Metrics;
use crate::report::machine_code::MachineCode;
use crate::report::stall::Stall;

/// Blocks that are counted first where not all of a launch are executed.
const COUNTED: u64 = 512;
/// Instructions of warps that are counted at most to find out whether a launch is uneven, beyond those of the first blocks; and if
/// it is.
const COUNTING: [u64; 2] = [1 << 24, 1 << 26];
/// Blocks that are asked at most and at least what they touch, and the instructions of their warps at most.
const MOST_FOOTPRINTS: u64 = 96;
const LEAST_FOOTPRINTS: u64 = 6;
const FOOTPRINTS: u64 = 1 << 21;
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
    work: Option<&[u64]>,
) -> Result<Timed, Error> {
    let new = || Machine::new(program, launch, options);
    let machine = new()?;
    let (chosen, other) = choose(&machine, how, work, new)?;
    let timed = follow(&machine, how, chosen);
    let Some(other) = other else { return Ok(timed) };
    let other = follow(&new()?, how, other);
    Ok(if other.prediction.us > timed.prediction.us { other } else { timed })
}

/// Blocks that are followed.
struct Chosen {
    blocks: Sample,
    /// Of the blocks of one multiprocessor: how many times their work the launch has.
    whole: Option<f64>,
    /// The work of blocks, where these stand for all by it.
    work: Option<Work>,
}

/// The blocks that tell how long a launch takes: those that stand for all, or those of a multiprocessor, or of two, of which one
/// ends last. `work` as in [`timed`]; what executes blocks to count it is a `new` machine, for it changes the memory.
///
/// # Errors
/// Those of `new`.
fn choose<'a>(
    machine: &Machine<'a>,
    how: &How,
    work: Option<&[u64]>,
    new: impl FnOnce() -> Result<Machine<'a>, Error>,
) -> Result<(Chosen, Option<Chosen>), Error> {
    let (count, multiprocessors) = (machine.grid.count(), u64::from(machine.target.multiprocessors));
    let resident = machine.occupancy.blocks.max(1);
    let in_turn = machine.asks();
    let blocks = sampling::choose((count, multiprocessors), in_turn, resident.into(), how);
    if in_turn || how.multiprocessors != 1 || blocks.followed.len() as u64 == count {
        return Ok((Chosen { blocks, whole: None, work: None }, None));
    }
    let work = match work {
        Some(all) => Work { blocks: (0..).zip(all.iter().copied()).collect() },
        None => counted(&new()?, blocks.followed.len()),
    };
    let is_uneven = work.is_uneven(blocks.followed.len()) || work.has_long(multiprocessors);
    // Of blocks that have a multiprocessor each the one with the most work ends last, however little more it has.
    if work.blocks.len() as u64 == count && (is_uneven || count <= multiprocessors) {
        let placement = Placement::of(&Rates::of(machine.target).0, resident);
        let of_one = |followed: Vec<u64>| {
            let (most, all) = work.of(&followed);
            let whole = Some(all as f64 / most.max(1) as f64);
            let blocks = Sample { followed, ..blocks.clone() };
            (most <= MOST).then_some(Chosen { blocks, whole, work: None })
        };
        let mut busiest = work.busiest(&placement, machine.warps_per_block()).into_iter().filter_map(of_one);
        if let Some(first) = busiest.next() {
            return Ok((first, busiest.next()));
        }
    }
    if !is_uneven {
        return Ok((Chosen { blocks, whole: None, work: None }, None));
    }
    let share = count.div_ceil(multiprocessors) as usize;
    let mean = work.blocks.iter().map(|block| block.1).sum::<u64>() / work.blocks.len().max(1) as u64;
    let most = share.min((MOST / mean.max(1)) as usize).max(1);
    let blocks = Sample { followed: work.stratified(blocks.followed.len(), most), ..blocks };
    Ok((Chosen { blocks, whole: None, work: Some(work) }, None))
}

/// Executes chosen blocks, and replays their ways.
fn follow(machine: &Machine<'_>, how: &How, chosen: Chosen) -> Timed {
    let program = machine.program;
    let (count, multiprocessors) = (machine.grid.count(), u64::from(machine.target.multiprocessors));
    let resident = machine.occupancy.blocks.max(1);
    let in_turn = machine.asks();
    let Chosen { blocks: chosen, whole, work } = chosen;
    let code = issue::code(program);
    let asks = (issue::past_l1(program), issue::polls(program));
    let local = u64::from(program.local_bytes);
    let tracer =
        |wanted: Vec<u64>| Tracer::of_machine_code(code.clone(), asks.clone(), wanted, chosen.neighbours, local);
    let mut block = Block::new(machine);
    block.tracer = Some(Box::new(tracer(chosen.followed.clone())));
    let steps = Steps::of(machine);
    if in_turn {
        run::residents(machine, &mut block, chosen.first.clamp(1, count), (Pace::BRIEF, steps.as_ref()));
    } else {
        run::each(machine, &mut block, &chosen.followed, steps.as_ref());
    }
    let mut trace = block.tracer.take().map(|tracer| tracer.into_trace()).unwrap_or_default();
    trace.reuse_local(resident);
    trace.buffers = machine.global.buffers().iter().map(|buffer| buffer.bytes).collect();
    let mean = trace.blocks.iter().map(|block| block.executed).sum::<u64>() / trace.blocks.len().max(1) as u64;
    let few = (FOOTPRINTS / mean.max(1)).min(MOST_FOOTPRINTS);
    // Of blocks with too much work there are too few to tell anything.
    if !in_turn && trace.blocks.len() as u64 != count && few >= LEAST_FOOTPRINTS {
        let blocks = uneven::spread(few, count);
        let mut block = Block::new(machine);
        block.tracer = Some(Box::new(tracer(blocks.clone())));
        run::each(machine, &mut block, &blocks, steps.as_ref());
        let spread = block.tracer.take().map(|tracer| tracer.into_trace()).unwrap_or_default();
        (trace.sharing, trace.hot) = reuse::sharing(&spread, &trace, count);
        let (hottest, busiest) = slices::hottest_of_all(&spread, count, &Rates::of(machine.target).0);
        (trace.hottest, trace.busiest) = (Some(hottest), Some(busiest));
        trace.early = reuse::early(&spread, &trace, multiprocessors * u64::from(resident));
    }
    if !in_turn && trace.blocks.len() as u64 != count {
        let beside = beside::blocks(&chosen.followed, machine.grid, FOOTPRINTS / mean.max(1));
        let mut block = Block::new(machine);
        block.tracer = Some(Box::new(tracer(beside.clone())));
        run::each(machine, &mut block, &beside, steps.as_ref());
        let others = block.tracer.take().map(|tracer| tracer.into_trace()).unwrap_or_default();
        let held = Rates::of(machine.target).0.l2_bytes / 32.0;
        trace.beside = beside::brought(&others, &trace, multiprocessors * u64::from(resident), held);
    }
    let shape = Shape { blocks: count, resident, shared_bytes: machine.shared_bytes, warm: 0.0, followed: 0, whole };
    let registers = program.registers_per_thread();
    let sampled = Sampled { trace, shape, registers, buffers: Vec::new(), work };
    predict::of_sample(&sampled, machine.target, how)
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
        let instructions = run::count(machine, &blocks);
        let counted = instructions.iter().sum::<u64>();
        let work = Work { blocks: blocks.into_iter().zip(instructions).collect() };
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
