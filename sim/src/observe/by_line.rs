//! From details per instruction to details per source line.

use std::collections::BTreeMap;

use super::details::{Accesses, Details, Instruction, Meetings, Waits};
use super::places;
use crate::event::LaunchInfo;
use crate::lanes::lanes_of;
use crate::launch::Dim3;
use crate::ptx::ast::Module;
use crate::report::details::{
    AccessDetails, BankMap, BarrierDetails, BusyAddress, LineDetails, Multiplicity, WorstAccess,
};

/// Most addresses of an atomic that are named.
const BUSIEST: usize = 8;

/// The details of all lines, in order of file and line. `ptx` is the PTX file's name.
pub(crate) fn lines(details: &Details, launch: &LaunchInfo<'_>, module: &Module, ptx: &str) -> Vec<LineDetails> {
    let mut lines: BTreeMap<(String, u32), LineDetails> = BTreeMap::new();
    let executed = details.by_pc.iter().enumerate().filter_map(|(pc, seen)| Some((pc, seen.as_deref()?)));
    for (pc, seen) in executed {
        let place = launch.program.place(module, ptx, pc);
        let line = lines.entry(place).or_insert_with_key(|(file, line)| LineDetails {
            file: file.clone(),
            line: *line,
            lanes: crate::report::details::LaneActivity::default(),
            accesses: Vec::new(),
            barriers: Vec::new(),
        });
        add_lanes(line, seen);
        let kinds = seen.accesses.iter();
        line.accesses.extend(kinds.map(|(kind, accesses)| access(launch, pc, kind, accesses)));
        if seen.waits.warps > 0 {
            line.barriers.push(barrier(launch, pc, &seen.waits));
        }
    }
    lines.into_values().collect()
}

fn add_lanes(line: &mut LineDetails, seen: &Instruction) {
    for (&count, &times) in &seen.by_count {
        *line.lanes.by_count.entry(count).or_default() += times;
    }
    line.lanes.by_lane.resize(32, 0);
    for (sum, times) in line.lanes.by_lane.iter_mut().zip(seen.by_lane) {
        *sum += times;
    }
}

fn access(launch: &LaunchInfo<'_>, pc: usize, kind: &str, accesses: &Accesses) -> AccessDetails {
    let place = |address: u64| match accesses.shared {
        true => places::shared_text(launch, address),
        false => places::global_text(launch, address),
    };
    AccessDetails {
        instruction: launch.program.insts[pc].text.clone(),
        ptx_line: launch.program.insts[pc].ptx_line,
        kind: kind.to_owned(),
        width: accesses.width,
        unit: if accesses.shared { "wavefronts" } else { "sectors" }.to_owned(),
        histogram: accesses.histogram.clone(),
        cost: accesses.cost,
        ideal: accesses.ideal,
        worst: worst(launch, accesses),
        atomics: multiplicity(&accesses.meetings, place),
    }
}

fn worst(launch: &LaunchInfo<'_>, accesses: &Accesses) -> WorstAccess {
    let Some(worst) = &accesses.worst else { return WorstAccess::default() };
    let Dim3 { x, y, z } = launch.grid.coordinates(worst.block);
    let mut addresses = vec![None; 32];
    for lane in lanes_of(worst.active) {
        addresses[lane as usize] = Some(worst.addresses[lane as usize]);
    }
    let banks = accesses.shared.then(|| BankMap {
        banks: launch.target.banks,
        lanes: addresses.iter().map(|address| words(launch, *address, accesses.width)).collect(),
    });
    WorstAccess { cost: worst.cost, ideal: worst.ideal, block: [x, y, z], warp: worst.warp, addresses, banks }
}

/// Bank and row of every word of a lane.
fn words(launch: &LaunchInfo<'_>, address: Option<u64>, width: u32) -> Vec<(u32, u32)> {
    let Some(address) = address else { return Vec::new() };
    let (target, first) = (launch.target, (address >> 2) as u32);
    (0..width.div_ceil(4)).map(|part| target.rules().bank_and_row(first.wrapping_add(part))).collect()
}

fn multiplicity(meetings: &Meetings, place: impl Fn(u64) -> String) -> Option<Multiplicity> {
    if meetings.together.is_empty() {
        return None;
    }
    let mut busiest: Vec<(u64, u64)> = meetings.by_address.iter().map(|(&address, &lanes)| (address, lanes)).collect();
    busiest.sort_by_key(|&(address, lanes)| (std::cmp::Reverse(lanes), address));
    busiest.truncate(BUSIEST);
    let busy = |(address, lanes)| BusyAddress { address, place: place(address), lanes };
    Some(Multiplicity {
        together: meetings.together.clone(),
        addresses: meetings.by_address.len() as u64,
        elsewhere: meetings.elsewhere,
        busiest: busiest.into_iter().map(busy).collect(),
    })
}

fn barrier(launch: &LaunchInfo<'_>, pc: usize, waits: &Waits) -> BarrierDetails {
    BarrierDetails {
        ptx_line: launch.program.insts[pc].ptx_line,
        warps: waits.warps,
        steps: waits.steps,
        most: waits.most,
        last: waits.last.clone(),
    }
}
