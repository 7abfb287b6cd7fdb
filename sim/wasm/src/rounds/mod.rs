//! What launches do to arrays, round by round: which thread wrote which element, from which elements, and what became of it.
//!
//! Everything here comes from the events of the run (`trace`) and from its code (`flow`); nothing knows what a kernel is for.
//! A book asks for it when it is built, and a page when a reader changes the data of a figure. It is no operation of the module
//! `sim`: another observer is another executor, and every executor is part of what a reader of a page loads. The module
//! `rounds` (`book/draw/rounds`) has it, which pages load when it is needed.

mod flow;
mod trace;

use std::collections::{BTreeMap, BTreeSet};

use data::element::Element;
use data::expression::{self, Names};
use played::{Played, Round};
use serde::Deserialize;
use sim::ir::{BUFFER_STRIDE, BUFFERS_BASE};
use sim::{Arg, Checks, Module, Options, run_observed, simulate};

use crate::inputs;
use crate::protocol::{Buffer, Content, Failure, Launch, Number, budget, memory};
use crate::running::{self, Meter};
use trace::{Raw, Trace, Watched};

/// Most threads of a launch that is watched: what their registers were computed from is kept for each of them.
const MOST_THREADS: u64 = 1 << 13;

/// Most elements of all arrays together.
const MOST_ELEMENTS: u64 = 1 << 12;

/// Launches whose rounds are asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// Numbers that the texts below name, such as `n`.
    #[serde(default, rename = "let")]
    pub numbers: BTreeMap<String, Number>,
    /// The buffers in global memory.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// The launches, in order.
    pub launches: Vec<Launch>,
    /// The arrays that are watched.
    pub arrays: Vec<Array>,
    /// What ends a round.
    #[serde(default)]
    pub by: By,
    /// The order of what the hardware leaves open.
    #[serde(default)]
    pub seed: u64,
}

/// An array that is watched.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// What it is called in pictures and sentences.
    pub name: String,
    /// The buffer; shared memory of block 0 if it is left out.
    #[serde(default)]
    pub buffer: Option<String>,
    /// The type of its elements, such as `f32`.
    pub element: String,
    /// The first of them that is watched; 0 if it is left out.
    #[serde(default)]
    pub from: Option<Number>,
    /// How many.
    pub count: Number,
}

/// Which elements of an array are watched.
#[derive(Debug, Clone, Copy)]
struct Part {
    element: Element,
    from: u64,
    count: u64,
}

impl Array {
    /// What of it is watched, with the request's numbers put in.
    fn part(&self, names: &Names) -> Result<Part, String> {
        let element = Element::find(&self.element)
            .ok_or_else(|| format!("there is no type `{}`; there are {}", self.element, Element::names()))?;
        let number = |own: &Number| expression::count(&own.text(), names);
        let (from, count) = (self.from.as_ref().map_or(Ok(0), number), number(&self.count));
        let inside = |why: String| format!("array `{}`: {why}", self.name);
        Ok(Part { element, from: from.map_err(inside)?, count: count.map_err(inside)? })
    }
}

/// What ends a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A barrier of block 0, of which alone the rounds are.
    #[default]
    Barrier,
    /// Every warp-instruction that writes to an array.
    Store,
    /// Every launch.
    Launch,
}

/// Runs what is asked for on `module`.
///
/// # Errors
/// [`Failure`], when the request does not fit the module or itself, something is wrong with a kernel, or values go to arrays
/// from other lanes' registers, whose way is not followed.
pub fn rounds(module: &Module, request: &Rounds) -> Result<Played, Failure> {
    let names = inputs::names(&request.numbers)?;
    let mut buffers = running::buffers(&request.buffers, &names, memory())?;
    let parts: Vec<Part> = request.arrays.iter().map(|array| array.part(&names)).collect::<Result<_, _>>()?;
    if parts.iter().map(|part| part.count).fold(0, u64::saturating_add) > MOST_ELEMENTS {
        return Err(Failure::input(format!("at most {MOST_ELEMENTS} elements can be watched")));
    }
    for array in &request.arrays {
        if let Some(name) = &array.buffer
            && !buffers.iter().any(|held| held.name == *name)
        {
            return Err(Failure::input(format!("there is no buffer `{name}` to be watched")));
        }
    }
    let held = |buffers: &[inputs::Held]| -> Vec<Vec<String>> {
        let of = |(array, &Part { element, from, count }): (&Array, &Part)| {
            let buffer = buffers.iter().find(|held| Some(&held.name) == array.buffer.as_ref());
            // The array's type is the kernel's; the request may have made the buffer of another one.
            let read = |held: &inputs::Held| {
                let (name, content) = (String::new(), held.content.clone());
                inputs::Held { name, element, content }.values(from, count)
            };
            let mut values = buffer.map_or_else(Vec::new, read);
            values.resize(count as usize, String::new());
            values
        };
        request.arrays.iter().zip(&parts).map(of).collect()
    };
    let mut values = held(&buffers);
    for (array, values) in request.arrays.iter().zip(&mut values) {
        let own = request.buffers.iter().find(|own| Some(&own.name) == array.buffer.as_ref());
        // What an output is filled with before anybody writes to it is no value.
        if own.is_some_and(|own| matches!(own.content, Content::Fill(_) | Content::Uninit)) {
            values.fill(String::new());
        }
    }
    let start = |((array, part), values): ((&Array, &Part), &Vec<String>)| played::Array {
        name: array.name.clone(),
        shared: array.buffer.is_none(),
        from: part.from,
        values: values.clone(),
    };
    let arrays = request.arrays.iter().zip(&parts).zip(&values).map(start).collect();
    let meter = Meter::new(budget());
    let options = Options {
        memory: Some(memory()),
        watch: Some(meter.watch()),
        checks: Checks::ALL,
        seed: request.seed,
        ..Options::default()
    };
    let mut module = module.clone();
    let mut rounds: Vec<Round> = Vec::new();
    for (number, launch) in request.launches.iter().enumerate() {
        let taken = inputs::launch(launch, &mut buffers, &names)?;
        let threads = taken.launch.grid.count().saturating_mul(taken.launch.block.count());
        if threads > MOST_THREADS {
            let message = format!("{} has {threads} threads; at most {MOST_THREADS} can be watched", launch.kernel);
            return Err(Failure::input(message));
        }
        let place = |(array, &Part { element, from, count }): (&Array, &Part)| {
            let base = match &array.buffer {
                None => Some(0),
                Some(name) => {
                    let argument = taken.passed.iter().position(|&(_, own)| buffers[own].name == *name);
                    argument.map(|argument| BUFFERS_BASE + argument as u64 * BUFFER_STRIDE)
                }
            };
            let first = from.saturating_mul(element.bytes() as u64);
            Watched { shared: array.buffer.is_none(), base: base.map(|base| base + first), element, count }
        };
        let watched: Vec<Watched> = request.arrays.iter().zip(&parts).map(place).collect();
        // Shared memory holds nothing when a launch begins.
        for (array, values) in request.arrays.iter().zip(&mut values) {
            if array.buffer.is_none() {
                values.fill(String::new());
            }
        }
        let observed = run_observed(
            &module,
            &launch.kernel,
            &taken.launch,
            &options,
            |info| Trace::new(info, watched.clone(), request.by),
            Trace::merge,
        );
        let seen = observed.map_err(|error| meter.failure(error))?.observer;
        let mut outcome =
            simulate(&module, &launch.kernel, &taken.launch, &options).map_err(|error| meter.failure(error))?;
        if let Some(finding) = outcome.report.findings.first() {
            return Err(Failure::input(format!("{} is faulty in line {}", launch.kernel, finding.line)));
        }
        for (argument, buffer) in taken.passed {
            buffers[buffer].content = Arg::Buffer(outcome.buffers[argument].take().unwrap_or_default());
        }
        for (name, bytes) in &outcome.variables {
            module.write_variable(name, bytes)?;
        }
        let raw = seen.end(request.by);
        let last = raw.len();
        let written: BTreeSet<(usize, usize)> =
            raw.iter().flat_map(|round| &round.writes).map(|write| (write.told.array, write.told.element)).collect();
        for (at, round) in (1..).zip(raw) {
            if round.writes.iter().any(|write| write.mixed) {
                let message = "values go to an array by way of other lanes' registers, or as parts of wider words, and their way is not followed";
                return Err(Failure::input(format!("{}: {message}", launch.kernel)));
            }
            advance(&mut values, &round, &parts);
            // What atomics made of an element of global memory is known when the launch has ended.
            if at == last {
                let ended = held(&buffers);
                for &(array, element) in written.iter().filter(|(array, _)| request.arrays[*array].buffer.is_some()) {
                    values[array][element].clone_from(&ended[array][element]);
                }
            }
            let writes = round.writes.into_iter().map(|write| write.told).collect();
            let (kernel, after) = (launch.kernel.clone(), values.clone());
            rounds.push(Round { kernel, launch: number, writes, shared: round.shared, after });
        }
    }
    Ok(Played { arrays, rounds })
}

/// The elements behind a round.
fn advance(values: &mut [Vec<String>], round: &Raw, parts: &[Part]) {
    for (&(array, element), bits) in &round.values {
        let of = parts[array].element;
        values[array][element] = of.show(&bits.to_le_bytes()[..of.bytes()]);
    }
}

#[cfg(test)]
mod tests;
