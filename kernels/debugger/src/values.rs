//! Registers, words of shared memory and elements of buffers, by the names that readers have for them.

use kernels::launch::element::Element;
use kernels::names;
use sim::launch::buffer_address;
use sim::session::{RegisterView, VariableView, Word};

use crate::command::Thing;
use crate::model::Model;

/// Most elements that are shown at once.
pub(crate) const MOST: u64 = 1024;

/// A value that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shown {
    /// A register, or an id of threads, of every lane.
    Lanes(RegisterView),
    /// Words of shared memory, from one on.
    Words { name: String, kind: String, first: u32, from: u64, values: Vec<String> },
    /// Elements of a buffer, from one on.
    Elements { name: String, kind: String, from: u64, values: Vec<String> },
}

/// The ids of threads that CUDA C++ has.
const IDS: [&str; 12] = [
    "threadIdx.x",
    "threadIdx.y",
    "threadIdx.z",
    "blockIdx.x",
    "blockIdx.y",
    "blockIdx.z",
    "blockDim.x",
    "blockDim.y",
    "blockDim.z",
    "gridDim.x",
    "gridDim.y",
    "gridDim.z",
];

/// Whether a reader means this variable: by its name in the PTX, or by that in the source.
fn is_called(own: &str, wanted: &str) -> bool {
    own == wanted || source_name(own) == wanted
}

/// What the source calls a variable in shared memory.
pub(crate) fn source_name(own: &str) -> String {
    let readable = names::readable(own);
    readable.rsplit("::").next().unwrap_or(own).to_owned()
}

impl Model {
    /// The ids of the threads of the warp that one looks at, by lane.
    pub(crate) fn ids(&self) -> Vec<RegisterView> {
        let (block, warp) = self.look();
        let (grid, size) = (self.about.grid, self.about.block);
        let at = grid.coordinates(block);
        let of = |name: &str, lane: u64| {
            let thread = u64::from(warp) * 32 + lane;
            if thread >= size.count() {
                return None;
            }
            let own = size.coordinates(thread);
            let extent = match name.split('.').next() {
                Some("threadIdx") => own,
                Some("blockIdx") => at,
                Some("blockDim") => size,
                _ => grid,
            };
            let value = match name.as_bytes().last() {
                Some(b'x') => extent.x,
                Some(b'y') => extent.y,
                _ => extent.z,
            };
            Some(value.to_string())
        };
        let row = |name: &str| RegisterView {
            name: name.to_owned(),
            kind: "u32".to_owned(),
            written: false,
            values: (0..32).map(|lane| of(name, lane)).collect(),
        };
        IDS.iter().map(|name| row(name)).collect()
    }

    /// Words of shared memory that a variable has: the first, and how many.
    pub(crate) fn extent(&mut self, variable: &VariableView) -> (u64, u64) {
        let words = self.view().ok().and_then(|view| view.block.shared.as_ref()).map_or(0, |shared| shared.words);
        let first = variable.offset / 4;
        let count =
            if variable.bytes == 0 { u64::from(words).saturating_sub(first) } else { variable.bytes.div_ceil(4) };
        (first, count)
    }

    fn variable(&mut self, wanted: &str) -> Option<VariableView> {
        let view = self.view().ok()?;
        view.block.variables.iter().find(|own| is_called(&own.name, wanted)).cloned()
    }

    fn buffer(&self, wanted: &str) -> Option<usize> {
        self.about.buffers.iter().position(|own| own.key == wanted)
    }

    fn unknown(&mut self, wanted: &str) -> String {
        let mut known: Vec<String> = self.about.buffers.iter().map(|own| own.key.clone()).collect();
        if let Ok(view) = self.view() {
            known.extend(view.block.variables.iter().map(|own| source_name(&own.name)));
            known.extend(view.warp.registers.iter().map(|own| own.name.clone()));
        }
        if known.is_empty() {
            return format!("nothing is called `{wanted}` here");
        }
        format!("nothing is called `{wanted}` here; there are: {}", known.join(", "))
    }

    /// The value of something.
    ///
    /// # Errors
    /// A sentence, when there is no such thing at the position.
    pub(crate) fn value(&mut self, thing: &Thing) -> Result<Shown, String> {
        match thing {
            Thing::Words(first, count) => {
                let (from, kind, values) = self.words(u64::from(*first), u64::from(*count))?;
                Ok(Shown::Words { name: String::new(), kind, first: from, from: from.into(), values })
            }
            Thing::Named(name) => {
                let view = self.view().map_err(|error| error.to_string())?;
                let same = |own: &&RegisterView| own.name == *name || own.name.strip_prefix('%') == Some(name);
                if let Some(own) = view.warp.registers.iter().find(same) {
                    return Ok(Shown::Lanes(own.clone()));
                }
                if let Some(own) = self.ids().into_iter().find(|own| own.name == *name) {
                    return Ok(Shown::Lanes(own));
                }
                self.elements(name, 0, MOST)
            }
            Thing::Elements(name, from, count) => self.elements(name, *from, *count),
        }
    }

    /// Words of the shared memory of the block: the first, how they are read, and their values.
    pub(crate) fn words(&mut self, first: u64, count: u64) -> Result<(u32, String, Vec<String>), String> {
        let view = self.view().map_err(|error| error.to_string())?;
        let Some(shared) = &view.block.shared else {
            let sentence = "the block has no shared memory now: it has none at all, has not started, or has ended";
            return Err(sentence.to_owned());
        };
        let there = shared.values.len() as u64;
        if first >= there {
            return Err(format!("shared memory has {there} words, numbered from 0"));
        }
        let end = first.saturating_add(count.min(MOST)).min(there);
        Ok((first as u32, shared.kind.clone(), shared.values[first as usize..end as usize].to_vec()))
    }

    fn elements(&mut self, name: &str, from: u64, count: u64) -> Result<Shown, String> {
        if let Some(variable) = self.variable(name) {
            let (first, words) = self.extent(&variable);
            if from >= words {
                // Where there is no shared memory now, that is what is to be said.
                self.words(0, 1)?;
                return Err(format!("`{name}` has {words} words of 4 bytes, numbered from 0"));
            }
            let (first, kind, values) = self.words(first + from, count.min(words - from))?;
            return Ok(Shown::Words { name: source_name(&variable.name), kind, first, from, values });
        }
        let Some(number) = self.buffer(name) else { return Err(self.unknown(name)) };
        let (kind, values) = self.of_buffer(number, from, count)?;
        Ok(Shown::Elements { name: name.to_owned(), kind, from, values })
    }

    /// Elements of a buffer by its number: how they are read, and their values.
    pub(crate) fn of_buffer(&mut self, number: usize, from: u64, count: u64) -> Result<(String, Vec<String>), String> {
        let own = &self.about.buffers[number];
        let element = own.element.unwrap_or(Element::U32);
        let size = element.bytes() as u64;
        let elements = own.bytes / size;
        if from >= elements {
            return Err(format!("buffer `{}` has {elements} elements, numbered from 0", own.key));
        }
        let bytes = self.bytes(number, from * size, count.min(MOST).min(elements - from) * size);
        let bytes = bytes.map_err(|error| error.to_string())?;
        let values = bytes.chunks_exact(size as usize).map(|bytes| element.show(bytes)).collect();
        Ok((element.name().to_owned(), values))
    }

    /// The place in memory of something, for asking who wrote it.
    ///
    /// # Errors
    /// A sentence, when it is no place in memory.
    pub(crate) fn memory(&mut self, thing: &Thing) -> Result<Word, String> {
        let block = self.look().0;
        let shared = |word: u64| Word::Shared { block, address: word * 4, bytes: 4 };
        let (name, from) = match thing {
            Thing::Words(first, _) => return Ok(shared(u64::from(*first))),
            Thing::Named(name) => (name, 0),
            Thing::Elements(name, from, _) => (name, *from),
        };
        if let Some(variable) = self.variable(name) {
            let (first, words) = self.extent(&variable);
            // Of a block that has ended, the size of dynamic shared memory is not known any more.
            if words > 0 && from >= words || from > u64::from(u32::MAX) {
                return Err(format!("`{name}` has {words} words of 4 bytes, numbered from 0"));
            }
            return Ok(shared(first + from));
        }
        let Some(number) = self.buffer(name) else { return Err(self.unknown(name)) };
        let own = &self.about.buffers[number];
        let bytes = own.element.map_or(4, Element::bytes) as u64;
        let elements = own.bytes / bytes;
        if from >= elements {
            return Err(format!("buffer `{name}` has {elements} elements, numbered from 0"));
        }
        Ok(Word::Global { address: buffer_address(number) + from * bytes, bytes: bytes as u32 })
    }
}
