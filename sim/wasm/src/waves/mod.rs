//! In which order the tiles of a table can be written: which thread block wrote which tile, and whose words it read before.
//!
//! Like [`rounds`](crate::rounds) it comes from the events of the run alone (`trace`). The table is divided into tiles because
//! the request says so; which blocks write them, and what they wait for, is seen.

mod trace;

use std::collections::BTreeMap;

use data::element::Element;
use data::expression;
use played::{Tile, Waves};
use serde::Deserialize;
use sim::event::LaunchInfo;
use sim::ir::{BUFFER_STRIDE, BUFFERS_BASE};
use sim::{Module, Options, run_observed};

use crate::inputs;
use crate::protocol::{Buffer, Failure, Launch, Number, budget, memory};
use crate::running::{self, Meter};
use trace::{Grid, Trace};

/// Most tiles of a table.
const MOST_TILES: u64 = 64;

/// A launch that writes a table in tiles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Numbers that the texts below name, such as `width`.
    #[serde(default, rename = "let")]
    pub numbers: BTreeMap<String, Number>,
    /// The buffers in global memory.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// The launch, alone: blocks of one launch wait for each other, and launches for whole launches.
    pub launches: Vec<Launch>,
    /// The table.
    pub table: Table,
    /// The order of what the hardware leaves open.
    #[serde(default)]
    pub seed: u64,
}

/// A buffer that is a table of rows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The buffer.
    pub buffer: String,
    /// Elements of a row.
    pub width: Number,
    /// Rows.
    pub height: Number,
    /// Elements of a tile across, and down.
    pub tile: [Number; 2],
}

/// Runs what is asked for on `module`.
///
/// # Errors
/// [`Failure`], when the request does not fit the module or itself, something is wrong with a kernel, or a tile is never
/// written.
pub fn waves(module: &Module, request: &Request) -> Result<Waves, Failure> {
    let names = inputs::names(&request.numbers)?;
    let mut buffers = running::buffers(&request.buffers, &names, memory())?;
    let table = &request.table;
    let number = |number: &Number| expression::count(&number.text(), &names);
    let (width, height) = (number(&table.width)?, number(&table.height)?);
    let tile = (number(&table.tile[0])?.max(1), number(&table.tile[1])?.max(1));
    let (across, down) = (width.div_ceil(tile.0), height.div_ceil(tile.1));
    if across == 0 || down == 0 || across.saturating_mul(down) > MOST_TILES {
        return Err(Failure::input(format!("a table of {across} by {down} tiles: there may be 1 to {MOST_TILES}")));
    }
    let element =
        request.buffers.iter().find(|own| own.name == table.buffer).and_then(|own| Element::find(&own.element));
    let element = element.ok_or_else(|| Failure::input(format!("there is no buffer `{}`", table.buffer)))?;
    let bytes = element.bytes() as u64;
    let grid = Grid { width, height, tile, across, bytes };
    let meter = Meter::new(budget());
    let seed = request.seed;
    let options = Options { memory: Some(memory()), watch: Some(meter.watch()), seed, ..Options::default() };
    let [launch] = &*request.launches else {
        return Err(Failure::input(format!("{} launches: there may be one", request.launches.len())));
    };
    let taken = inputs::launch(launch, &mut buffers, &names)?;
    let argument = taken.passed.iter().position(|&(_, own)| buffers[own].name == table.buffer);
    let base = argument.map(|argument| BUFFERS_BASE + argument as u64 * BUFFER_STRIDE);
    let trace = |_: &LaunchInfo<'_>| Trace::new(grid, base);
    let observed = run_observed(module, &launch.kernel, &taken.launch, &options, trace, Trace::merge);
    let observed = observed.map_err(|error| meter.failure(error))?;
    if let Some(finding) = observed.findings.first() {
        return Err(Failure::input(format!("{} is faulty in line {}", launch.kernel, finding.line)));
    }
    let tiles: Vec<Tile> = observed.observer.tiles((across * down) as usize).map_err(Failure::input)?;
    Ok(Waves { across: across as usize, tiles })
}

#[cfg(test)]
mod tests;
