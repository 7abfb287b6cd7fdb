//! Occupancy: how many blocks a multiprocessor holds at once, and what it runs out of first. The calculation is the simulator's.

use markup::svg::Svg;
use markup::{Render, Table, html, number, row, text, texts};
use sim::target::{Limit, Occupancy, Usage};

use super::{Answer, Fault, Lane, State, shared};
use crate::cells::Cell;

/// Width and height of a warp's cell.
const CELL: (u32, u32) = (32, 22);
/// Cells of a row.
const ROW: u32 = 16;
/// Where the cells and the bars begin, and how long a bar is.
const LEFT: u32 = 8;
const BAR: (u32, u32) = (ROW * CELL.0, 14);

/// A resource of the multiprocessor: how much of it a block takes, and how much there is.
struct Share {
    limit: Limit,
    name: &'static str,
    block: u64,
    all: u64,
    /// Blocks that fit; nothing where a block takes none of it.
    fits: Option<u32>,
}

fn usage(state: &State) -> Usage {
    Usage {
        threads: state.threads,
        shared_bytes: u64::from(state.shared) * 1024,
        parameter_bytes: 0,
        registers: Some(state.registers),
    }
}

/// The occupancy of a state.
pub(super) fn of(state: &State) -> Result<Occupancy, Fault> {
    state.checked()?;
    Ok(shared::gpu(state)?.resources.occupancy(&usage(state)))
}

/// The resources, each with what a block takes of it. Registers and shared memory are what is handed out, which is rounded up.
fn shares(state: &State, occupancy: &Occupancy) -> Result<[Share; 4], Fault> {
    let resources = shared::gpu(state)?.resources;
    let warps = u64::from(state.threads.div_ceil(resources.warp_lanes));
    let share = |limit, name, block, all: u32, fits| Share { limit, name, block, all: all.into(), fits };
    Ok([
        share(Limit::Warps, "warps", warps, occupancy.most_warps, Some(occupancy.by_warps)),
        share(Limit::Blocks, "blocks", 1, occupancy.by_blocks, Some(occupancy.by_blocks)),
        share(
            Limit::Registers,
            "registers",
            resources.registers_of_block(&usage(state)).unwrap_or(0),
            resources.registers_per_multiprocessor,
            occupancy.by_registers,
        ),
        share(
            Limit::SharedMemory,
            "bytes of shared memory",
            resources.allocated_shared(&usage(state)),
            resources.shared_per_multiprocessor,
            occupancy.by_shared_memory,
        ),
    ])
}

fn plural(count: u32, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

pub(super) fn answer(state: &State) -> Result<Answer, Fault> {
    let occupancy = of(state)?;
    let shares = shares(state, &occupancy)?;
    let Occupancy { blocks, warps, most_warps, limited_by, .. } = occupancy;
    let gpu = shared::gpu(state)?;
    let percent = f64::from(warps) / f64::from(most_warps.max(1)) * 100.0;
    let what = format!(
        "{} threads per block, {} per thread, {} KiB of shared memory per block",
        state.threads,
        plural(state.registers, "register"),
        state.shared
    );
    let status = if blocks == 0 {
        format!("{what}: not one block fits. {} first.", runs_out(limited_by))
    } else {
        format!(
            "{what}: {} and {warps} of {most_warps} warps are resident, an occupancy of {percent:.0} %. {} first.",
            plural(blocks, "block"),
            runs_out(limited_by),
        )
    };
    let (svg, cells) = draw(&occupancy, &shares);
    let title = format!("Warps that are resident on a multiprocessor of {}", gpu.title);
    let bars: Vec<String> = shares
        .iter()
        .map(|share| format!("{} of {} {}", number(share.block * u64::from(blocks)), number(share.all), share.name))
        .collect();
    let mut table = Table {
        caption: text(format_args!("What {} has, and what a block takes of it.", gpu.title)),
        heads: texts(["resource", "a block takes", "the multiprocessor has", "blocks that fit"]),
        text_columns: 1,
        ..Table::default()
    };
    for share in &shares {
        let fits = share.fits.map_or("–".to_owned(), |fits| fits.to_string());
        let marked = |what: &str| {
            if share.limit == limited_by {
                html! { b { (what) } }
            } else {
                what.render()
            }
        };
        table.rows.push(row![marked(share.name), number(share.block), number(share.all), marked(&fits)]);
    }
    let of_block = warps.checked_div(blocks).unwrap_or(0);
    let lane_of = |block: u32| Lane {
        text: format!(
            "block {block}: warps {} to {} of the multiprocessor, {} registers, {} bytes of shared memory",
            block * of_block,
            (block + 1) * of_block - 1,
            number(shares[2].block),
            number(shares[3].block)
        ),
        on: true,
    };
    Ok(Answer {
        state: state.clone(),
        formula: String::new(),
        cost: Some(warps.into()),
        ideal: Some(most_warps.into()),
        unit: "warps",
        turns: Vec::new(),
        figure: svg.html(&title, &format!("{}.", bars.join(", "))),
        caption: html! {
            (status) " A square is a place for a warp, with the number of the block that has it. The bars show how much of each \
                       resource the resident blocks take."
        },
        table: table.html(),
        note: if blocks > 0 && limited_by != Limit::Registers {
            format!("up to {} per thread leave as many blocks", plural(occupancy.most_registers, "register"))
        } else {
            String::new()
        },
        lanes: (0..blocks).map(lane_of).collect(),
        cells,
        size: svg.size(),
        ranges: state.ranges(),
        status,
    })
}

/// The beginning of a sentence about what there is too little of.
const fn runs_out(limit: Limit) -> &'static str {
    match limit {
        Limit::Warps => "Room for warps runs out",
        Limit::Blocks => "Room for blocks runs out",
        Limit::Registers => "Registers run out",
        Limit::SharedMemory => "Shared memory runs out",
    }
}

fn draw(occupancy: &Occupancy, shares: &[Share; 4]) -> (Svg, Vec<Cell>) {
    let mut svg = Svg::new(LEFT + BAR.0 + LEFT);
    let mut cells = Vec::new();
    let of_block = occupancy.warps.checked_div(occupancy.blocks).unwrap_or(1).max(1);
    for warp in 0..occupancy.most_warps {
        let (x, y) = (LEFT + warp % ROW * CELL.0, 4 + warp / ROW * CELL.1);
        let block = warp / of_block;
        if warp >= occupancy.warps {
            svg.cell(x, y, CELL, "wb-svg-cell", "");
            continue;
        }
        let class = ["wb-svg-on", "wb-svg-warn", "wb-svg-peer", "wb-svg-cell"][(block % 4) as usize];
        svg.cell(x, y, CELL, class, &block.to_string());
        cells.push(Cell { x, y, width: CELL.0, height: CELL.1, lanes: block });
    }
    let mut top = 4 + occupancy.most_warps.div_ceil(ROW) * CELL.1 + 12;
    for share in shares {
        let used = share.block * u64::from(occupancy.blocks);
        let full = if share.limit == occupancy.limited_by { ", the first to run out" } else { "" };
        let text = format!("{} of {} {}{full}", number(used), number(share.all), share.name);
        svg.text(LEFT, top + 12, "wb-svg-beside", &text);
        let length = (u64::from(BAR.0) * used.min(share.all) / share.all.max(1)) as u32;
        svg.rect(LEFT, top + 18, BAR, "wb-svg-cell");
        if length > 0 {
            let class = if share.limit == occupancy.limited_by { "wb-svg-solid" } else { "wb-svg-bar" };
            svg.rect(LEFT, top + 18, (length, BAR.1), class);
        }
        top += 42;
    }
    (svg, cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explorer::{Mode, answer};

    fn shown(threads: u32, registers: u32, shared: u32, target: &str) -> Answer {
        let state =
            State { mode: Mode::Occupancy, threads, registers, shared, target: target.to_owned(), ..State::default() };
        answer(&state).unwrap()
    }

    #[test]
    fn the_answer_is_that_of_the_simulators_target() {
        for target in sim::target::all() {
            for (threads, registers, shared) in [(32, 16, 0), (256, 33, 4), (1024, 64, 16), (96, 128, 48)] {
                let own = shown(threads, registers, shared, &target.name);
                let state = &own.state;
                let usage = Usage {
                    threads: state.threads,
                    shared_bytes: u64::from(state.shared) * 1024,
                    parameter_bytes: 0,
                    registers: Some(state.registers),
                };
                let told = target.occupancy(&usage);
                assert_eq!(
                    (own.cost, own.lanes.len() as u32),
                    (Some(told.warps.into()), told.blocks),
                    "{}",
                    target.name
                );
                let own_cells = own.cells.iter().map(|cell| cell.lanes).max().map_or(0, |last| last + 1);
                assert_eq!((own.cells.len() as u32, own_cells), (told.warps, told.blocks), "{}", target.name);
            }
        }
    }

    #[test]
    fn what_is_handed_out_never_exceeds_what_there_is() {
        for target in sim::target::all() {
            let resources = target.resources();
            for threads in (32..=resources.threads_per_block).step_by(32) {
                for registers in [16, 21, 32, 40, 64, 100] {
                    let usage = Usage { threads, shared_bytes: 3000, parameter_bytes: 0, registers: Some(registers) };
                    let Occupancy { blocks, .. } = resources.occupancy(&usage);
                    let blocks = u64::from(blocks);
                    let taken = resources.registers_of_block(&usage).unwrap() * blocks;
                    assert!(
                        taken <= resources.registers_per_multiprocessor.into(),
                        "{} {threads} {registers}",
                        target.name
                    );
                    assert!(resources.allocated_shared(&usage) * blocks <= resources.shared_per_multiprocessor.into());
                }
            }
        }
    }

    #[test]
    fn what_runs_out_first_is_said() {
        let own = shown(256, 32, 0, "h200");
        assert_eq!(
            own.status,
            "256 threads per block, 32 registers per thread, 0 KiB of shared memory per block: 8 blocks and 64 of 64 warps are \
             resident, an occupancy of 100 %. Room for warps runs out first."
        );
        assert!(
            shown(256, 33, 0, "h200").status.contains("6 blocks and 48 of 64 warps"),
            "33 registers cost as much as 40"
        );
        assert!(shown(256, 33, 0, "h200").status.ends_with("Registers run out first."));
        assert!(shown(64, 32, 16, "h200").status.ends_with("Shared memory runs out first."));
        let none = shown(1024, 255, 0, "h200");
        assert!(none.status.ends_with("not one block fits. Registers run out first."), "{}", none.status);
        assert!(none.lanes.is_empty() && none.cells.is_empty());
        // A GPU that has less moves the numbers to what it can have.
        assert_eq!(shown(1024, 255, 100, "g80").state.threads, 512);
    }
}
