//! A function: its head, its parameters and its frame. What its blocks hold is written by the siblings of this module.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::Unit;
use super::registers::Class;
use crate::Error;
use crate::debug::Place;
use crate::ir::{Function, Id, Instruction, Kind, Operand, Parameter, Value};
use crate::linear::{Base, Sums, Widened, definitions};
use crate::spaces::{self, GENERIC, GLOBAL, LOCAL, PARAM};
use crate::types::{Type, round_up};

/// A sum without its number, and a space.
pub(super) type Near = (Base, Vec<((Id, Widened), i64)>, u32);

/// Writes one function.
pub(crate) struct Writer<'u, 'm> {
    pub(super) unit: &'u mut Unit<'m>,
    pub(super) function: &'m Function,
    /// The place of the function in the module.
    pub(super) index: usize,
    pub(super) optimised: bool,
    /// The space of each value that is a pointer.
    pub(super) spaces: Vec<u32>,
    /// The scalars of each value that has been computed.
    pub(super) values: Vec<Option<Vec<String>>>,
    /// What is added to a pointer when it is used.
    pub(super) offsets: Vec<i64>,
    /// Registers of each class.
    pub(super) counts: [u32; 4],
    /// The lines of the block that is being written.
    pub(super) lines: Vec<String>,
    /// Bytes of the frame in local memory.
    pub(super) frame: u64,
    pub(super) frame_align: u64,
    /// Parameters that are read in place.
    pub(super) in_place: HashSet<Id>,
    /// Values that something needs.
    pub(super) needed: Vec<bool>,
    /// What computes each value, and in which block.
    pub(super) definitions: Vec<Option<(&'m Instruction, usize)>>,
    /// Addresses as sums.
    pub(super) sums: Sums<'m>,
    /// Registers that hold sums, less a number, and the blocks that compute them; for each space.
    pub(super) bases: HashMap<Near, Vec<(String, i64, usize)>>,
    /// The block that every way to a block passes last.
    pub(super) dominators: Vec<usize>,
    /// How often each value is used.
    pub(super) uses: Vec<u32>,
    /// The block that is being written.
    pub(super) block: usize,
    pub(super) labels: u32,
    pub(super) place: Option<Place>,
    /// The line of the source that is being written, for messages.
    pub(super) source_line: Option<u32>,
}

/// Whether a parameter or what is returned is an array of bytes to PTX.
pub(super) fn is_bytes(ty: &Type) -> bool {
    Class::of(ty).is_none()
}

/// PTX's type of a parameter that is a scalar.
pub(super) fn parameter_type(ty: &Type, kernel: bool) -> &'static str {
    match ty {
        Type::Int(bits) if *bits <= 8 && kernel => "u8",
        Type::Int(bits) if *bits <= 16 && kernel => "u16",
        Type::Half | Type::BFloat => "b16",
        Type::Int(bits) if *bits <= 32 => {
            if kernel {
                "u32"
            } else {
                "b32"
            }
        }
        Type::Float => {
            if kernel {
                "f32"
            } else {
                "b32"
            }
        }
        Type::Double => {
            if kernel {
                "f64"
            } else {
                "b64"
            }
        }
        _ => {
            if kernel {
                "u64"
            } else {
                "b64"
            }
        }
    }
}

/// The alignment of a parameter that is an array of bytes.
pub(super) fn bytes_align(ty: &Type, align: u64) -> u64 {
    let natural = ty.scalars().iter().map(|(scalar, _)| scalar.align()).max().unwrap_or(1).max(ty.align());
    align.max(natural)
}

/// The declaration of a parameter.
pub(super) fn parameter(function: &Function, own: &Parameter, name: &str) -> String {
    if let Some(ty) = &own.attributes.byval {
        let align = bytes_align(ty, own.attributes.align);
        return format!("\t.param .align {align} .b8 {name}[{}]", ty.size().max(1));
    }
    if is_bytes(&own.ty) {
        return format!("\t.param .align {} .b8 {name}[{}]", bytes_align(&own.ty, 1), own.ty.size().max(1));
    }
    match own.ty {
        Type::Ptr(space) if function.kernel => {
            let space = spaces::name(space).filter(|_| space != PARAM).map_or(String::new(), |own| format!(" .{own}"));
            format!("\t.param .u64 .ptr{space} .align {} {name}", own.attributes.align.max(1))
        }
        _ => format!("\t.param .{} {name}", parameter_type(&own.ty, function.kernel)),
    }
}

/// The declaration of what a function returns, in brackets; empty if that is nothing.
pub(super) fn returned(ty: &Type, name: &str) -> String {
    if *ty == Type::Void {
        return String::new();
    }
    if is_bytes(ty) {
        return format!("(.param .align {} .b8 {name}[{}]) ", bytes_align(ty, 1), ty.size().max(1));
    }
    format!("(.param .{} {name}) ", parameter_type(ty, false))
}

/// The head of a function, without what follows its parameters.
pub(super) fn head(unit: &Unit<'_>, function: &Function) -> String {
    let linkage = match &*function.linkage {
        "internal" | "private" => "",
        "linkonce" | "linkonce_odr" | "weak" | "weak_odr" if !function.kernel => ".weak ",
        _ if function.blocks.is_empty() => ".extern ",
        _ => ".visible ",
    };
    let name = &unit.names[&*function.name];
    let mut text = String::from(linkage);
    if function.kernel {
        let _ = write!(text, ".entry {name}(");
    } else {
        let _ = write!(text, ".func {}{name}(", returned(&function.result, "func_retval0"));
    }
    for (index, own) in function.parameters.iter().enumerate() {
        text += if index == 0 { "\n" } else { ",\n" };
        text += &parameter(function, own, &format!("{name}_param_{index}"));
    }
    text += if function.parameters.is_empty() { ")" } else { "\n)" };
    text
}

/// Writes a function that is defined.
pub(super) fn write<'m>(unit: &mut Unit<'m>, function: &'m Function, index: usize) -> Result<String, Error> {
    let optimised = !function.attributes.contains_key("optnone");
    let in_place = crate::parameters::in_place(function);
    let mut spaces = spaces::infer(function, optimised, &in_place);
    spaces.resize(function.values, GENERIC);
    let mut writer = Writer {
        unit,
        function,
        index,
        optimised,
        spaces,
        values: vec![None; function.values],
        offsets: vec![0; function.values],
        counts: [0; 4],
        lines: Vec::new(),
        frame: 0,
        frame_align: 1,
        in_place,
        needed: Vec::new(),
        definitions: Vec::new(),
        sums: Sums { definitions: definitions(function) },
        bases: HashMap::new(),
        dominators: Vec::new(),
        uses: Vec::new(),
        block: 0,
        labels: 0,
        place: None,
        source_line: None,
    };
    writer.whole()
}

impl<'m> Writer<'_, 'm> {
    /// Something that is not translated.
    pub(super) fn unsupported(&self, what: impl Into<String>) -> Error {
        Error::Unsupported { what: what.into(), function: self.function.name.clone(), line: self.source_line }
    }

    /// Something that a correct text never leads to.
    pub(super) fn our_fault(&self, what: &str) -> Error {
        self.unsupported(format!("this code, in which {what}"))
    }

    /// PTX's name of the function.
    pub(super) fn name(&self) -> String {
        self.unit.names[&*self.function.name].clone()
    }

    fn whole(&mut self) -> Result<String, Error> {
        if self.function.variadic {
            return Err(self.unsupported("functions with `...`"));
        }
        self.analyse();
        let body = self.blocks()?;
        let mut text = head(self.unit, self.function);
        text += &self.bounds()?;
        text += "\n{\n";
        if self.frame > 0 {
            let size = round_up(self.frame, self.frame_align);
            let _ = writeln!(text, "\t.local .align {} .b8 \t__local_depot{}[{size}];", self.frame_align, self.index);
            text += "\t.reg .b64 \t%SP;\n\t.reg .b64 \t%SPL;\n";
        }
        for class in [Class::Pred, Class::B16, Class::B32, Class::B64] {
            let count = self.counts[class as usize];
            if count > 0 {
                let _ = writeln!(text, "\t.reg .{} \t{}<{}>;", class.name(), class.prefix(), count + 1);
            }
        }
        text += &body;
        text += "}\n\n";
        Ok(text)
    }

    /// Launch bounds.
    fn bounds(&self) -> Result<String, Error> {
        let mut text = String::new();
        let attribute = |name: &str| self.function.attributes.get(name).filter(|value| !value.is_empty());
        for (name, directive) in [
            ("nvvm.maxntid", ".maxntid"),
            ("nvvm.reqntid", ".reqntid"),
            ("nvvm.minctasm", ".minnctapersm"),
            ("nvvm.maxnreg", ".maxnreg"),
        ] {
            if let Some(value) = attribute(name) {
                let value = value.split(',').map(str::trim).collect::<Vec<_>>().join(", ");
                let _ = write!(text, "\n{directive} {value}");
            }
        }
        if attribute("nvvm.cluster_dim").is_some() {
            return Err(self.unsupported("clusters of thread blocks (`__cluster_dims__`)"));
        }
        for list in self.unit.module.named.get("nvvm.annotations").into_iter().flatten() {
            let Some(node) = self.unit.module.nodes.get(list) else { continue };
            let names = |text: &String| text.strip_prefix("ptr @") == Some(&self.function.name);
            if !node.elements.first().is_some_and(names) {
                continue;
            }
            for pair in node.elements[1..].chunks(2) {
                let [key, value] = pair else { continue };
                let directive = match &**key {
                    "maxntidx" => ".maxntid",
                    "reqntidx" => ".reqntid",
                    "minctasm" => ".minnctapersm",
                    "maxnreg" => ".maxnreg",
                    _ => continue,
                };
                let value = value.rsplit(' ').next().unwrap_or(value);
                let _ = write!(text, "\n{directive} {value}");
            }
        }
        Ok(text)
    }

    /// Reads the parameters, at the beginning of the first block.
    pub(super) fn read_parameters(&mut self) -> Result<(), Error> {
        let function = self.function;
        let own_name = self.name();
        for (index, own) in function.parameters.iter().enumerate() {
            let name = format!("{own_name}_param_{index}");
            if let Some(ty) = &own.attributes.byval {
                if self.in_place.contains(&own.id) {
                    self.values[own.id] = Some(vec![name]);
                    continue;
                }
                // A copy in the frame, since its address is needed.
                let align = bytes_align(ty, own.attributes.align);
                let place = self.reserve(ty.size(), align);
                let (base, space) = self.frame_base();
                if self.needed[own.id] {
                    for (at, unit) in super::calls::fields(ty) {
                        let bits = unit * 8;
                        let got = self.fresh(Class::holding(bits as u32));
                        self.line(format!("ld.param.b{bits} \t{got}, [{name}+{at}];"));
                        let to = spaces::name(space).map_or(String::new(), |space| format!(".{space}"));
                        self.line(format!("st{to}.b{bits} \t[{base}+{}], {got};", place + at));
                    }
                }
                self.values[own.id] = Some(vec![base.into()]);
                self.offsets[own.id] = place as i64;
                continue;
            }
            if !self.needed[own.id] {
                continue;
            }
            let mut pieces =
                self.load_from(&own.ty, &name, 0, "ld.param", bytes_align(&own.ty, 1), !function.kernel)?;
            if matches!(own.ty, Type::Ptr(GENERIC)) && self.spaces[own.id] == GLOBAL {
                let piece = self.make(Class::B64, "cvta.to.global.u64", &[&pieces[0]]);
                pieces = vec![piece];
            }
            self.values[own.id] = Some(pieces);
        }
        Ok(())
    }

    /// Room in the frame: its offset.
    pub(super) fn reserve(&mut self, size: u64, align: u64) -> u64 {
        let align = align.max(1);
        let place = round_up(self.frame, align);
        self.frame = place + size.max(1);
        self.frame_align = self.frame_align.max(align);
        place
    }

    /// The register of the frame, and the space of addresses in it.
    pub(super) const fn frame_base(&self) -> (&'static str, u32) {
        if self.optimised { ("%SPL", LOCAL) } else { ("%SP", GENERIC) }
    }

    /// Finds which values are needed, and how often each is used.
    fn analyse(&mut self) {
        let function = self.function;
        let mut needed = vec![false; function.values];
        let mut uses = vec![0; function.values];
        let mut defining = vec![None; function.values];
        let mut work: Vec<&Kind> = Vec::new();
        for (number, block) in function.blocks.iter().enumerate() {
            for instruction in &block.instructions {
                if let Some(result) = instruction.result {
                    defining[result] = Some((instruction, number));
                }
                if crate::parameters::has_effect(&instruction.kind) {
                    work.push(&instruction.kind);
                }
            }
        }
        while let Some(kind) = work.pop() {
            crate::parameters::each_operand(kind, &mut |value| {
                let Value::Local(id) = value else { return };
                uses[*id] += 1;
                if !std::mem::replace(&mut needed[*id], true) {
                    work.extend(defining[*id].map(|(instruction, _): (&Instruction, usize)| &instruction.kind));
                }
            });
        }
        self.needed = needed;
        self.definitions = defining;
        self.uses = uses;
    }

    /// Whether an instruction is left out since nothing needs what it computes.
    pub(super) fn is_dead(&self, result: Option<Id>, kind: &Kind) -> bool {
        // What gives nothing is there for its effect, also where it is not known.
        let silent = !matches!(kind, Kind::Call { .. });
        !crate::parameters::has_effect(kind) && result.map_or(silent, |id| !self.needed[id])
    }

    /// What computes a value, and in which block.
    pub(super) fn definition(&self, operand: &Operand) -> Option<(&'m Instruction, usize)> {
        self.definitions[operand.local()?]
    }
}
