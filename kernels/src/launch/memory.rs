//! The simulated device's memory during a session: buffers by name, the addresses that arguments and structs hold, and the
//! module's variables.

use std::collections::BTreeMap;

use sim::{Module, Parameter};

use super::SpecError;
use super::argument::{self, Argument, Pointer, Value};
use super::content::{Content, Context};
use super::element::Element;
use super::run::RunError;
use crate::names;
use crate::open::Opened;

/// A buffer on the simulated device.
pub(super) struct Memory {
    /// As the user calls it: a name, or an argument's number.
    pub(super) key: String,
    pub(super) content: Content,
    pub(super) pointers: Vec<Pointer>,
    /// Whether it lives longer than one launch.
    pub(super) shared: bool,
}

impl Memory {
    /// What a message calls it.
    pub(super) fn title(&self) -> String {
        if self.shared { format!("buffer `{}`", self.key) } else { format!("argument {}", self.key) }
    }
}

/// The buffers as a launch leaves them.
pub(super) fn keep(memory: &mut [Memory], contents: impl Iterator<Item = Option<sim::Content>>) {
    for (buffer, bytes) in memory.iter_mut().zip(contents) {
        // What the kernel has left out of it, the content knows.
        buffer.content.data = bytes.unwrap_or_default();
        buffer.content.written = true;
    }
}

/// Arguments that are the address of another argument's buffer, by number: `&0` may mean one that is `&x` itself.
pub(super) fn aliases(values: &[Value]) -> BTreeMap<String, String> {
    let pairs = values.iter().enumerate().filter_map(|(index, value)| match &value.pointers[..] {
        [pointer] if value.bytes.len() == 8 && pointer.offset == 0 && pointer.to != index.to_string() => {
            Some((index.to_string(), pointer.to.clone()))
        }
        _ => None,
    });
    pairs.collect()
}

/// The number of the buffer that is called `key`.
pub(super) fn find(memory: &[Memory], aliases: &BTreeMap<String, String>, key: &str) -> Result<usize, SpecError> {
    let mut key = key;
    for _ in 0..=aliases.len() {
        if let Some(at) = memory.iter().position(|buffer| buffer.key == key) {
            return Ok(at);
        }
        match aliases.get(key) {
            Some(other) => key = other,
            None => break,
        }
    }
    let names: Vec<&str> = memory.iter().map(|buffer| buffer.key.as_str()).collect();
    if names.is_empty() {
        return Err(SpecError::Usage(format!(
            "&{key} is no buffer: there is none with a name. A variable can hold the address of a named buffer: write the \
             kernel's argument as 'x:f32[1024]=random', and &x here"
        )));
    }
    Err(SpecError::Usage(format!("&{key} is no buffer; there are: {}", names.join(", "))))
}

/// Writes addresses into bytes.
pub(super) fn fill(
    bytes: &mut [u8],
    pointers: &[Pointer],
    memory: &[Memory],
    aliases: &BTreeMap<String, String>,
) -> Result<(), SpecError> {
    for pointer in pointers {
        let at = find(memory, aliases, &pointer.to)?;
        let address = sim::launch::buffer_address(at).wrapping_add(pointer.offset);
        bytes[pointer.at..pointer.at + 8].copy_from_slice(&address.to_le_bytes());
    }
    Ok(())
}

/// Gives variables of the module their values.
pub(super) fn set_symbols(
    opened: &mut Opened,
    symbols: &BTreeMap<String, String>,
    context: Context<'_>,
    memory: &[Memory],
) -> Result<(), RunError> {
    for (wanted, text) in symbols {
        let what = format!("symbol `{wanted}`");
        let mut found = false;
        for module in [Some(&mut opened.module), opened.checked.as_mut()].into_iter().flatten() {
            let Some(variable) = variable(module, wanted)? else { continue };
            let element = Element::find(&variable.element).filter(|element| element.bytes() as u64 == variable.bytes);
            let parsed = argument::parse(text, element, context).map_err(|error| error.inside(&what))?;
            let (mut bytes, pointers) = match parsed {
                Argument::Buffer(buffer) => (buffer.content.to_bytes(), buffer.pointers),
                Argument::Value(value) => (value.bytes, value.pointers),
            };
            fill(&mut bytes, &pointers, memory, &BTreeMap::new()).map_err(|error| error.inside(&what))?;
            module.write_variable(&variable.name, &bytes)?;
            found = true;
        }
        if !found {
            let variables = opened.module.variables();
            let mut names: Vec<String> = (variables.iter())
                .map(|variable| format!("{} ({} bytes)", names::short(&variable.name), variable.bytes))
                .collect();
            names.truncate(20);
            let there = if names.is_empty() {
                "none; one that no kernel uses is not compiled".to_owned()
            } else {
                names.join(", ")
            };
            let message = format!("{what}: there is no such __constant__ or __device__ variable; there are: {there}");
            return Err(SpecError::Usage(message).into());
        }
    }
    Ok(())
}

/// The variable of the PTX that a user names.
fn variable(module: &Module, wanted: &str) -> Result<Option<Parameter>, SpecError> {
    let mut variables = module.variables();
    if let Some(exact) = variables.iter().position(|variable| variable.name == wanted) {
        return Ok(Some(variables.swap_remove(exact)));
    }
    variables.retain(|variable| {
        let readable = names::short(&variable.name);
        readable.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with("::"))
    });
    if variables.len() > 1 {
        let names: Vec<String> = variables.iter().map(|variable| names::short(&variable.name)).collect();
        let message = format!("symbol `{wanted}`: several variables are called so: {}", names.join(", "));
        return Err(SpecError::Usage(message));
    }
    Ok(variables.pop())
}
