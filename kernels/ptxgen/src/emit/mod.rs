//! PTX text of a module.

mod addresses;
mod arithmetic;
mod assembly;
mod atomics;
mod blocks;
mod branches;
mod bulk;
mod calls;
mod casts;
mod comparisons;
mod function;
mod globals;
mod integer_math;
mod intrinsics;
mod math;
mod memory;
mod names;
mod registers;
mod vectors;
mod wide;

use std::collections::{BTreeSet, HashMap};

use crate::debug::Files;
use crate::ir::Module;
use crate::{Error, Options};

/// What all functions of a module share while they are written.
pub(crate) struct Unit<'m> {
    module: &'m Module,
    /// PTX's names of globals and functions.
    names: HashMap<&'m str, String>,
    /// The space and the place in `module.globals` of each global.
    globals: HashMap<&'m str, usize>,
    files: Files,
    /// Functions that are called and not defined here.
    called: BTreeSet<String>,
    /// Counts calls: each has a scope of its own.
    calls: u32,
}

/// Writes a module.
pub(crate) fn module(module: &Module, options: &Options) -> Result<String, Error> {
    let mut unit = Unit {
        module,
        names: names::of(module),
        globals: module.globals.iter().enumerate().map(|(at, global)| (&*global.name, at)).collect(),
        files: Files::default(),
        called: BTreeSet::new(),
        calls: 0,
    };
    let mut bodies = String::new();
    for (index, function) in module.functions.iter().enumerate() {
        if !function.blocks.is_empty() {
            bodies += &function::write(&mut unit, function, index)?;
        }
    }
    let (major, minor) = options.version;
    let mut text = format!(".version {major}.{minor}\n.target {}\n.address_size 64\n\n", options.target);
    text += &calls::declarations(&unit)?;
    text += &globals::write(&unit)?;
    text += &bodies;
    text += &unit.files.table();
    Ok(text)
}
