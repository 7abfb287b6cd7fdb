//! Loads and stores.

use super::function::Writer;
use super::registers::Class;
use crate::Error;
use crate::ir::{Access, Constant, Kind, Operand, Value};
use crate::spaces::{self, CONST, GENERIC, GLOBAL, PARAM, SHARED};
use crate::types::Type;

/// One instruction of an access: where, how wide an element is, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) offset: u64,
    /// Bytes of an element.
    pub(super) bytes: u64,
    pub(super) lanes: u64,
}

/// The instructions that access so many elements of `bytes` bytes from `offset` on, where addresses are multiples of `align`.
pub(super) fn parts(offset: u64, bytes: u64, count: u64, align: u64) -> Vec<Part> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < count {
        let place = offset + at * bytes;
        let lanes = [4, 2].into_iter().find(|lanes| {
            let whole = lanes * bytes;
            at + lanes <= count && whole <= 16 && place.is_multiple_of(whole) && align.is_multiple_of(whole)
        });
        let lanes = lanes.unwrap_or(1);
        all.push(Part { offset: place, bytes, lanes });
        at += lanes;
    }
    all
}

impl Writer<'_, '_> {
    /// How the opcode of an access begins: `ld` or `st`, semantics and space.
    fn head(&mut self, what: &str, access: &Access, space: u32, invariant: bool) -> Result<String, Error> {
        let mut head = what.to_owned();
        let shared_by_others = matches!(space, GENERIC | GLOBAL | SHARED);
        if let (Some((scope, ordering)), true) = (&access.atomic, shared_by_others) {
            let scope = self.scope(scope)?;
            let order = match (&**ordering, what) {
                ("unordered" | "monotonic", _) => "relaxed",
                ("acquire", "ld") | ("seq_cst", "ld") => "acquire",
                ("release", "st") | ("seq_cst", "st") => "release",
                _ => return Err(self.unsupported(format!("an access with the ordering `{ordering}`"))),
            };
            if ordering == "seq_cst" {
                self.line(format!("fence.sc.{scope};"));
            }
            head += &format!(".{order}.{scope}");
        } else if access.volatile && shared_by_others {
            head += ".volatile";
        }
        match space {
            GENERIC => {}
            CONST if what == "st" => return Err(self.unsupported("a store into constant memory")),
            PARAM if what == "st" => return Err(self.unsupported("a store into a parameter")),
            GLOBAL if invariant => head += ".global.nc",
            _ => {
                head.push('.');
                head += spaces::name(space)
                    .ok_or_else(|| self.unsupported(format!("pointers into address space {space}")))?;
            }
        }
        Ok(head)
    }

    /// PTX's name of a scope.
    pub(super) fn scope(&self, scope: &str) -> Result<&'static str, Error> {
        Ok(match scope {
            "" => "sys",
            "device" | "agent" => "gpu",
            "block" | "workgroup" => "cta",
            "cluster" => "cluster",
            "singlethread" => "cta",
            _ => return Err(self.unsupported(format!("the scope `{scope}`"))),
        })
    }

    /// Loads a value.
    pub(super) fn load(&mut self, pointer: &Operand, access: &Access, ty: &Type) -> Result<Vec<String>, Error> {
        let address = self.usable(pointer)?;
        let plain = !access.volatile && access.atomic.is_none();
        let invariant = plain && self.optimised && (access.invariant || self.is_constant(pointer, 0));
        let head = self.head("ld", access, address.space, invariant)?;
        self.load_from(ty, &address.base, address.offset, &head, access.align.max(1), false)
    }

    /// Whether what a pointer points to does not change while the kernel runs, since the kernel was promised so.
    fn is_constant(&self, pointer: &Operand, depth: u32) -> bool {
        if !self.function.kernel || depth > 8 {
            return false;
        }
        let Some(id) = pointer.local() else { return false };
        if let Some(own) = self.function.parameters.iter().find(|own| own.id == id) {
            return own.attributes.noalias && own.attributes.readonly && own.attributes.byval.is_none();
        }
        match self.definition(pointer).map(|(instruction, _)| &instruction.kind) {
            Some(Kind::Gep { base, .. }) => self.is_constant(base, depth + 1),
            Some(Kind::Select { a, b, .. }) => self.is_constant(a, depth + 1) && self.is_constant(b, depth + 1),
            Some(Kind::Phi { incoming }) => incoming.iter().all(|(value, _)| {
                *value == Value::Local(id)
                    || self.is_constant(&Operand { ty: pointer.ty.clone(), value: value.clone() }, depth + 4)
                    || self.steps_over(id, value)
            }),
            _ => false,
        }
    }

    /// Whether a value is a `phi`'s own one and an offset.
    fn steps_over(&self, phi: usize, value: &Value) -> bool {
        let operand = Operand { ty: Type::Ptr(GENERIC), value: value.clone() };
        match self.definition(&operand).map(|(instruction, _)| &instruction.kind) {
            Some(Kind::Gep { base, .. }) => base.local() == Some(phi),
            _ => false,
        }
    }

    /// Loads the scalars of a type. `widened` says that small integers lie in 32 bits, as PTX passes them to functions.
    pub(super) fn load_from(
        &mut self,
        ty: &Type,
        base: &str,
        offset: i64,
        head: &str,
        align: u64,
        widened: bool,
    ) -> Result<Vec<String>, Error> {
        let place = |at: u64| {
            let at = offset.wrapping_add(at as i64);
            if at == 0 { format!("[{base}]") } else { format!("[{base}+{at}]") }
        };
        if let (true, Type::Int(bits @ 1..=16)) = (widened, ty) {
            let word = self.make(Class::B32, &format!("{head}.b32"), &[&place(0)]);
            if *bits > 1 {
                return Ok(vec![self.make(Class::B16, "cvt.u16.u32", &[&word])]);
            }
            let low = self.make(Class::B32, "and.b32", &[&word, "1"]);
            return Ok(vec![self.make(Class::Pred, "setp.ne.b32", &[&low, "0"])]);
        }
        let mut pieces = Vec::new();
        for group in self.groups(ty)? {
            let Group { scalar, offset: from, count, bytes } = group;
            let class = self.class(&scalar)?;
            if bytes < 4
                && count > 1
                && class != Class::Pred
                && let Some(words) = self.words(bytes, count, from, align)
            {
                let word_class = Class::holding(words.bytes as u32 * 8);
                for part in parts(words.offset, words.bytes, words.lanes, align) {
                    let got = self.load_part(head, &place(part.offset), part, word_class);
                    for word in got {
                        pieces.extend(self.split(&word, word_class, bytes as u32 * 8)?);
                    }
                }
                continue;
            }
            let width = bytes.min(align).min(1 << bytes.trailing_zeros());
            if width == bytes {
                for part in parts(from, bytes, count, align) {
                    let got = self.load_part(head, &place(part.offset), part, class);
                    for piece in got {
                        pieces.push(if class == Class::Pred { self.is_odd(&piece) } else { piece });
                    }
                }
                continue;
            }
            // Less aligned than an element is large: piece by piece.
            for index in 0..count {
                let mut whole: Option<String> = None;
                for at in (0..bytes).step_by(width as usize) {
                    let part = Part { offset: from + index * bytes + at, bytes: width, lanes: 1 };
                    let own = format!("{head}.u{}", width * 8);
                    let got = self.make(class, &own, &[&place(part.offset)]);
                    whole = Some(match whole {
                        None => got,
                        Some(low) => {
                            let name = class.name();
                            let high = self.make(class, &format!("shl.{name}"), &[&got, &(at * 8).to_string()]);
                            self.make(class, &format!("or.{name}"), &[&low, &high])
                        }
                    });
                }
                pieces.extend(whole);
            }
        }
        Ok(pieces)
    }

    fn load_part(&mut self, head: &str, place: &str, part: Part, class: Class) -> Vec<String> {
        let class = if class == Class::Pred { Class::B16 } else { class };
        let registers: Vec<String> = (0..part.lanes).map(|_| self.fresh(class)).collect();
        let bits = part.bytes * 8;
        if part.lanes == 1 {
            self.line(format!("{head}.b{bits} \t{}, {place};", registers[0]));
        } else {
            self.line(format!("{head}.v{}.b{bits} \t{{{}}}, {place};", part.lanes, registers.join(", ")));
        }
        registers
    }

    fn is_odd(&mut self, text: &str) -> String {
        let low = self.make(Class::B16, "and.b16", &[text, "1"]);
        self.make(Class::Pred, "setp.ne.b16", &[&low, "0"])
    }

    /// The words in which small elements of a vector are accessed: bytes, count.
    fn words(&self, bytes: u64, count: u64, offset: u64, align: u64) -> Option<Part> {
        let total = bytes * count;
        let word = [4, 2].into_iter().find(|word| {
            *word > bytes && total.is_multiple_of(*word) && align.is_multiple_of(*word) && offset.is_multiple_of(*word)
        })?;
        Some(Part { offset, bytes: word, lanes: total / word })
    }

    /// Scalars of one type that lie side by side.
    fn groups(&self, ty: &Type) -> Result<Vec<Group>, Error> {
        let mut groups: Vec<Group> = Vec::new();
        if let Type::Vector(count, element) = ty
            && element.bits() % 8 != 0
            && *count > 1
        {
            return Err(self.unsupported(format!("values of type {} in memory", ty.name())));
        }
        let joined = matches!(ty, Type::Vector(..) | Type::Int(_));
        for (scalar, offset) in ty.scalars() {
            let bytes = scalar.store_size();
            match groups.last_mut() {
                Some(last) if joined && last.scalar == scalar && last.offset + last.count * bytes == offset => {
                    last.count += 1;
                }
                _ => groups.push(Group { scalar, offset, count: 1, bytes }),
            }
        }
        Ok(groups)
    }

    /// Stores a value.
    pub(super) fn store(&mut self, value: &Operand, pointer: &Operand, access: &Access) -> Result<(), Error> {
        if matches!(value.value, Value::Constant(Constant::Undef)) && !access.volatile {
            return Ok(());
        }
        let pieces = self.pieces(value)?;
        let address = self.usable(pointer)?;
        let head = self.head("st", access, address.space, false)?;
        self.store_to(&value.ty, &pieces, &address.base, address.offset, &head, access.align.max(1), false)
    }

    /// Stores the scalars of a type.
    #[allow(clippy::too_many_arguments, reason = "what is stored, where, and how")]
    pub(super) fn store_to(
        &mut self,
        ty: &Type,
        pieces: &[String],
        base: &str,
        offset: i64,
        head: &str,
        align: u64,
        widened: bool,
    ) -> Result<(), Error> {
        let place = |at: u64| {
            let at = offset.wrapping_add(at as i64);
            if at == 0 { format!("[{base}]") } else { format!("[{base}+{at}]") }
        };
        if let (true, Type::Int(bits @ 1..=16)) = (widened, ty) {
            let word = if *bits == 1 {
                let pred = self.in_register(Class::Pred, &pieces[0]);
                self.make(Class::B32, "selp.b32", &["1", "0", &pred])
            } else {
                let small = self.in_register(Class::B16, &pieces[0]);
                self.make(Class::B32, "cvt.u32.u16", &[&small])
            };
            self.line(format!("{head}.b32 \t{}, {word};", place(0)));
            return Ok(());
        }
        let mut pieces = pieces.iter();
        for group in self.groups(ty)? {
            let Group { scalar, offset: from, count, bytes } = group;
            let class = self.class(&scalar)?;
            let mut own = Vec::new();
            for _ in 0..count {
                let piece = pieces.next().ok_or_else(|| self.our_fault("a value has too few parts"))?;
                own.push(if class == Class::Pred {
                    let pred = self.in_register(Class::Pred, piece);
                    self.make(Class::B16, "selp.b16", &["1", "0", &pred])
                } else {
                    piece.clone()
                });
            }
            let class = if class == Class::Pred { Class::B16 } else { class };
            if bytes < 4
                && count > 1
                && let Some(words) = self.words(bytes, count, from, align)
            {
                let word_class = Class::holding(words.bytes as u32 * 8);
                let each = (words.bytes / bytes) as usize;
                let mut packed = Vec::new();
                for small in own.chunks(each) {
                    packed.push(self.join(small, word_class, bytes as u32 * 8)?);
                }
                for part in parts(words.offset, words.bytes, words.lanes, align) {
                    let at = ((part.offset - words.offset) / words.bytes) as usize;
                    self.store_part(head, &place(part.offset), part, &packed[at..at + part.lanes as usize]);
                }
                continue;
            }
            let width = bytes.min(align).min(1 << bytes.trailing_zeros());
            if width == bytes {
                for part in parts(from, bytes, count, align) {
                    let at = ((part.offset - from) / bytes) as usize;
                    self.store_part(head, &place(part.offset), part, &own[at..at + part.lanes as usize]);
                }
                continue;
            }
            for (index, piece) in own.iter().enumerate() {
                let whole = self.in_register(class, piece);
                for at in (0..bytes).step_by(width as usize) {
                    let shifted = if at == 0 {
                        whole.clone()
                    } else {
                        self.make(class, &format!("shr.u{}", class.bits()), &[&whole, &(at * 8).to_string()])
                    };
                    let to = place(from + index as u64 * bytes + at);
                    self.line(format!("{head}.b{} \t{to}, {shifted};", width * 8));
                }
            }
        }
        Ok(())
    }

    fn store_part(&mut self, head: &str, place: &str, part: Part, pieces: &[String]) {
        let bits = part.bytes * 8;
        if part.lanes == 1 {
            self.line(format!("{head}.b{bits} \t{place}, {};", pieces[0]));
        } else {
            self.line(format!("{head}.v{}.b{bits} \t{place}, {{{}}};", part.lanes, pieces.join(", ")));
        }
    }
}

/// Scalars of one type that lie side by side.
struct Group {
    scalar: Type,
    offset: u64,
    count: u64,
    bytes: u64,
}
