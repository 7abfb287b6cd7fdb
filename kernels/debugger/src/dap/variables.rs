//! What frames unfold to: registers by lane, the warp, shared memory by variable, buffers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernels::launch::element::Element;
use serde_json::json;
use sim::launch::buffer_address;
use sim::session::RegisterView;

use super::adapter::{Adapter, Answer};
use super::protocol::{ReadMemory, Variable, Variables};
use crate::answers::by_lane;
use crate::model::Warp;
use crate::values::{MOST, Shown, source_name};
use crate::words;

/// Most bytes that are read at once.
const MOST_BYTES: u64 = 1 << 20;

/// Something that unfolds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Handle {
    Registers(Warp),
    Ids(Warp),
    Warp(Warp),
    Shared(Warp),
    Buffers,
    /// The lanes of a register, and those that execute.
    Lanes(RegisterView, u32),
    /// Words of shared memory: the first, how many, and what the first is called.
    Words {
        warp: Warp,
        first: u64,
        count: u64,
    },
    /// The elements of a buffer, by its number.
    Buffer(usize),
}

fn plain(name: impl Into<String>, value: impl Into<String>) -> Variable {
    Variable { name: name.into(), value: value.into(), ..Variable::default() }
}

/// A buffer's address, as registers hold it.
fn address(number: usize) -> String {
    format!("{:#x}", buffer_address(number))
}

impl Adapter {
    /// A number by which the client asks for what unfolds.
    pub(super) fn handle(&mut self, handle: Handle) -> usize {
        self.handles.push(handle);
        self.handles.len()
    }

    fn register(&mut self, own: RegisterView, active: u32) -> Variable {
        let written = if own.written { ", written" } else { "" };
        let (name, kind) = (own.name.clone(), format!("{}{written}", own.kind));
        let value = by_lane(&own.values);
        let reference = self.handle(Handle::Lanes(own, active));
        Variable {
            evaluate_name: Some(name.clone()),
            kind: Some(kind),
            variables_reference: reference,
            indexed_variables: Some(32),
            ..plain(name, value)
        }
    }

    /// A value that was asked for, as a variable.
    pub(super) fn shown(&mut self, name: String, shown: Shown) -> Result<Variable, String> {
        Ok(match shown {
            Shown::Lanes(own) => {
                let active = self.active()?;
                self.register(own, active)
            }
            Shown::Words { kind, first, values, .. } => {
                let warp = self.model()?.look();
                let (count, value) = (values.len() as u64, values.join(" "));
                let reference =
                    if count > 1 { self.handle(Handle::Words { warp, first: first.into(), count }) } else { 0 };
                Variable { kind: Some(kind), variables_reference: reference, ..plain(name, value) }
            }
            Shown::Elements { kind, values, .. } => Variable { kind: Some(kind), ..plain(name, values.join(" ")) },
        })
    }

    /// The lanes of the path that is shown, of the warp that is looked at.
    fn active(&mut self) -> Result<u32, String> {
        let view = self.model()?.view().map_err(|error| error.to_string())?;
        let path = view.warp.path.and_then(|path| view.warp.paths.get(path));
        Ok(path.map_or(view.warp.live, |path| path.lanes))
    }

    pub(super) fn variables(&mut self, wanted: Variables) -> Answer {
        let Variables { variables_reference: number, start, count } = wanted;
        let handle = number.checked_sub(1).and_then(|at| self.handles.get(at)).cloned();
        let handle = handle.ok_or_else(|| format!("there is nothing with the number {number} any more"))?;
        let count = count.filter(|count| *count > 0).unwrap_or(MOST);
        let before = self.model()?.look();
        if let Handle::Registers(warp)
        | Handle::Ids(warp)
        | Handle::Warp(warp)
        | Handle::Shared(warp)
        | Handle::Words { warp, .. } = handle
        {
            self.model()?.look_at(warp)?;
        }
        let variables = self.unfold(handle, start, count);
        self.model()?.look_at(before)?;
        Ok(json!({"variables": variables?}))
    }

    fn unfold(&mut self, handle: Handle, start: u64, count: u64) -> Result<Vec<Variable>, String> {
        match handle {
            Handle::Registers(_) => {
                let active = self.active()?;
                let view = self.model()?.view().map_err(|error| error.to_string())?;
                let registers = view.warp.registers.clone();
                Ok(registers.into_iter().map(|own| self.register(own, active)).collect())
            }
            Handle::Ids(_) => {
                let active = self.active()?;
                let ids = self.model()?.ids();
                Ok(ids.into_iter().map(|own| self.register(own, active)).collect())
            }
            Handle::Lanes(own, active) => {
                let lane = |(lane, value): (u32, &Option<String>)| {
                    let name = if active >> lane & 1 != 0 { format!("{lane}") } else { format!("{lane} (inactive)") };
                    plain(name, value.clone().unwrap_or_else(|| "–".to_owned()))
                };
                let lanes = (0..).zip(&own.values).map(lane);
                Ok(lanes.skip(start as usize).take(count as usize).collect())
            }
            Handle::Warp(_) => self.warp_variables(),
            Handle::Shared(warp) => {
                let view = self.model()?.view().map_err(|error| error.to_string())?;
                if view.block.shared.is_none() {
                    return Ok(vec![plain("shared memory", "none now")]);
                }
                let mut variables = view.block.variables.clone();
                let words = view.block.shared.as_ref().map_or(0, |shared| shared.words);
                if variables.is_empty() {
                    let name = "shared memory".to_owned();
                    variables.push(sim::session::VariableView { name, offset: 0, bytes: u64::from(words) * 4 });
                }
                variables.iter().map(|own| self.shared_variable(warp, own)).collect()
            }
            Handle::Words { first, count: words, .. } => {
                let from = first + start.min(words);
                let (from, kind, values) = self.model()?.words(from, count.min(words - start.min(words)))?;
                let word = |(word, value): (u64, String)| Variable {
                    kind: Some(kind.clone()),
                    ..plain(format!("[{}] bank {}", word - first, word % 32), value)
                };
                Ok((u64::from(from)..).zip(values).map(word).collect())
            }
            Handle::Buffers => {
                let buffers = self.model()?.about.buffers.clone();
                let variable = |(number, own): (usize, &kernels::launch::prepare::PreparedBuffer)| {
                    let element = own.element.unwrap_or(Element::U32);
                    let elements = own.bytes / element.bytes() as u64;
                    let is_argument = own.key.bytes().all(|byte| byte.is_ascii_digit());
                    let name = if is_argument { format!("argument {}", own.key) } else { own.key.clone() };
                    Variable {
                        kind: Some(element.name().to_owned()),
                        variables_reference: self.handle(Handle::Buffer(number)),
                        indexed_variables: Some(elements),
                        memory_reference: Some(address(number)),
                        ..plain(name, format!("{}[{elements}] at {}", element.name(), address(number)))
                    }
                };
                Ok(buffers.iter().enumerate().map(variable).collect())
            }
            Handle::Buffer(number) => {
                let (kind, values) = self.model()?.of_buffer(number, start, count)?;
                let element = |(at, value): (u64, String)| Variable {
                    kind: Some(kind.clone()),
                    ..plain(format!("[{at}]"), value)
                };
                Ok((start..).zip(values).map(element).collect())
            }
        }
    }

    fn shared_variable(&mut self, warp: Warp, own: &sim::session::VariableView) -> Result<Variable, String> {
        let model = self.model()?;
        let (first, words) = model.extent(own);
        let (_, kind, values) = model.words(first, words.min(8))?;
        let dots = if words > values.len() as u64 { " …" } else { "" };
        let name = source_name(&own.name);
        let reference = self.handle(Handle::Words { warp, first, count: words });
        Ok(Variable {
            evaluate_name: Some(name.clone()),
            kind: Some(format!("{kind}[{words}]")),
            variables_reference: reference,
            indexed_variables: Some(words),
            ..plain(name, format!("{}{dots}", values.join(" ")))
        })
    }

    fn warp_variables(&mut self) -> Result<Vec<Variable>, String> {
        let own_file = self.model()?.sources.own.clone();
        let index = {
            let model = self.model()?;
            let block = model.look().0;
            model.block_index(block)
        };
        let model = self.model()?;
        let (position, length) = (model.position(), model.length());
        let view = model.view().map_err(|error| error.to_string())?;
        let (block, warp) = (view.warp.block, view.warp.warp);
        let mask = |lanes: u32| format!("{lanes:#010x}: {}", words::lanes(lanes));
        let mut all = vec![
            plain("step", format!("{position} of {length}")),
            plain("block", format!("{block} {index}")),
            plain("warp", warp.to_string()),
            plain("live", mask(view.warp.live)),
        ];
        for (at, path) in view.warp.paths.iter().enumerate() {
            let name = if view.warp.path == Some(at) { "active".to_owned() } else { format!("path {at}") };
            let place = words::place(&path.place, &own_file);
            all.push(plain(name, format!("{}, {place}, {}", mask(path.lanes), words::state(&path.state))));
            all.push(plain("instruction", path.place.text.clone()));
        }
        if view.warp.paths.is_empty()
            && let Some(own) = view.block.warps.get(warp as usize)
        {
            all.push(plain("state", words::state(&own.state)));
        }
        all.extend(
            view.block.barriers.iter().map(|own| plain(format!("barrier {}", own.id), crate::answers::barrier(own))),
        );
        all.push(plain("last step", view.sentence.clone()));
        if let Some(last) = &view.last {
            all.extend(last.accesses.iter().map(|own| plain("access", crate::answers::access(own))));
        }
        Ok(all)
    }

    /// Bytes of the buffer that an address lies in.
    pub(super) fn read_memory(&mut self, wanted: &ReadMemory) -> Answer {
        let text = &wanted.memory_reference;
        let from = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let from = from.and_then(|from| from.checked_add_signed(wanted.offset));
        let from = from.ok_or_else(|| format!("`{text}` is no address of a buffer"))?;
        let model = self.model()?;
        let inside = |(number, bytes): (usize, u64)| {
            let offset = from.checked_sub(buffer_address(number))?;
            (offset < bytes).then_some((number, offset))
        };
        let mut buffers = model.about.buffers.iter().enumerate().map(|(number, own)| (number, own.bytes));
        let address = format!("{from:#x}");
        let Some((number, offset)) = buffers.find_map(inside) else {
            return Ok(json!({"address": address, "unreadableBytes": wanted.count}));
        };
        let bytes = model.bytes(number, offset, wanted.count.min(MOST_BYTES)).map_err(|error| error.to_string())?;
        let missing = wanted.count - bytes.len() as u64;
        Ok(json!({"address": address, "data": STANDARD.encode(bytes), "unreadableBytes": missing}))
    }
}
