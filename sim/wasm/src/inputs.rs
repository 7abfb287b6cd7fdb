//! Requests' numbers, buffers and launches, as the simulator takes them.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use data::element::Element;
use data::expression::{self, Names};
use data::{generate, workbook};
use sim::{Arg, Dim3, Scalar};

use crate::protocol::{Argument, Buffer, Content, Launch, Number};

/// The request's numbers, each of which may name others.
pub(crate) fn names(numbers: &BTreeMap<String, Number>) -> Result<Names, String> {
    let texts = numbers.iter().map(|(name, number)| (name.clone(), number.text())).collect();
    expression::resolve(&texts).map_err(|why| format!("let: {why}"))
}

/// A buffer of a request while its launches run.
pub(crate) struct Held {
    /// What launches call it.
    pub(crate) name: String,
    /// The type of its elements.
    pub(crate) element: Element,
    /// What it holds. A launch that has it leaves nothing here.
    pub(crate) content: Arg,
}

impl Held {
    /// The buffer that a request describes; it may take `room` bytes.
    pub(crate) fn of(buffer: &Buffer, names: &Names, room: u64) -> Result<Self, String> {
        let inside = |why: String| format!("buffer `{}`: {why}", buffer.name);
        let element = Element::find(&buffer.element)
            .ok_or_else(|| inside(format!("there is no type `{}`; there are {}", buffer.element, Element::names())))?;
        let count = expression::count(&buffer.count.text(), names).map_err(inside)?;
        let bytes = count.saturating_mul(element.bytes() as u64);
        if bytes > room {
            return Err(inside(format!("it would have {bytes} bytes, and there is room for {room}")));
        }
        let content = content(&buffer.content, element, count, bytes, names).map_err(inside)?;
        Ok(Self { name: buffer.name.clone(), element, content })
    }

    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.content {
            Arg::Buffer(content) => content.len() as u64,
            Arg::Zeros(bytes) | Arg::Uninit(bytes) => *bytes,
            Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. } | Arg::Memory { .. } => 0,
        }
    }

    /// Some of its elements as a person reads them.
    pub(crate) fn values(&self, from: u64, count: u64) -> Vec<String> {
        let size = self.element.bytes();
        match &self.content {
            Arg::Buffer(content) => {
                let elements = content.chunks_exact(size).skip(usize::try_from(from).unwrap_or(usize::MAX));
                elements.take(usize::try_from(count).unwrap_or(usize::MAX)).map(|one| self.element.show(one)).collect()
            }
            _ => {
                let left = (self.bytes() / size as u64).saturating_sub(from).min(count);
                let zero = self.element.show(&vec![0; size]);
                (0..left).map(|_| zero.clone()).collect()
            }
        }
    }
}

/// What a buffer holds before the first launch.
fn content(content: &Content, element: Element, count: u64, bytes: u64, names: &Names) -> Result<Arg, String> {
    let mut made = match content {
        Content::Zeros => return Ok(Arg::Zeros(bytes)),
        Content::Uninit => return Ok(Arg::Uninit(bytes)),
        Content::Fill(byte) => vec![*byte; bytes as usize],
        Content::Generate(text) => match generate::generate(element, count, text, names)? {
            // Nothing stands for zeros.
            made if made.is_empty() => return Ok(Arg::Zeros(bytes)),
            made => made,
        },
        Content::Workbook { problem, kind, seed } => workbook::make(problem, kind, element, count, *seed)?,
        Content::Values(values) => {
            let mut made = Vec::with_capacity(bytes as usize);
            for value in values {
                made.extend(element.evaluate(&value.text(), names)?);
            }
            made
        }
        Content::Base64(text) => {
            STANDARD.decode(text).map_err(|why| format!("its bytes in base64 cannot be read: {why}"))?
        }
    };
    if made.len() as u64 > bytes {
        return Err(format!("{} bytes are given for a buffer of {bytes}", made.len()));
    }
    made.resize(bytes as usize, 0);
    Ok(Arg::Buffer(made.into()))
}

/// An extent: up to three numbers.
fn extent(what: &str, numbers: &[Number], names: &Names) -> Result<Dim3, String> {
    if numbers.is_empty() || numbers.len() > 3 {
        return Err(format!("{what} has {} dimensions; there are one to three", numbers.len()));
    }
    let mut extent = [1u32; 3];
    for (slot, number) in extent.iter_mut().zip(numbers) {
        let count = expression::count(&number.text(), names).map_err(|why| format!("{what}: {why}"))?;
        *slot = u32::try_from(count).map_err(|_| format!("{what}: {count} is more than 4294967295"))?;
        if *slot == 0 {
            return Err(format!("{what} has an extent of 0; every extent is at least 1"));
        }
    }
    Ok(extent.into())
}

/// A launch that has taken its buffers, and which argument is which of them.
pub(crate) struct Taken {
    /// The launch.
    pub(crate) launch: sim::Launch,
    /// Position of the argument, position of the buffer.
    pub(crate) passed: Vec<(usize, usize)>,
}

/// The launch that a request describes. The buffers that it is passed move into it.
pub(crate) fn launch(launch: &Launch, buffers: &mut [Held], names: &Names) -> Result<Taken, String> {
    let inside = |why: String| format!("launch of `{}`: {why}", launch.kernel);
    let grid = extent("the grid", &launch.grid, names).map_err(inside)?;
    let block = extent("the block", &launch.block, names).map_err(inside)?;
    let shared = launch.shared.as_ref().map_or(Ok(0), |shared| expression::count(&shared.text(), names));
    let shared = shared.and_then(|shared| u32::try_from(shared).map_err(|_| format!("{shared} is too much")));
    let shared_bytes = shared.map_err(|why| inside(format!("the shared memory: {why}")))?;
    // What is wrong with any argument is known before the first buffer is taken.
    let mut places = Vec::new();
    for (index, arg) in launch.args.iter().enumerate() {
        let argument = |why: String| inside(format!("argument {index}: {why}"));
        places.push(match arg {
            Argument::Scalar(text) => Err(scalar(text, names).map_err(argument)?),
            Argument::Bytes(text) => {
                Err(Arg::Bytes(STANDARD.decode(text).map_err(|why| argument(format!("its bytes: {why}")))?))
            }
            Argument::Buffer(name) => {
                let known = || buffers.iter().map(|held| &*held.name).collect::<Vec<_>>().join(", ");
                let at = buffers.iter().position(|held| held.name == *name);
                Ok(at.ok_or_else(|| argument(format!("there is no buffer `{name}`; there are {}", known())))?)
            }
        });
    }
    let (mut args, mut passed) = (Vec::new(), Vec::<(usize, usize)>::new());
    for place in places {
        let arg = match place {
            Err(arg) => arg,
            Ok(buffer) => match passed.iter().find(|(_, own)| *own == buffer) {
                Some(&(argument, _)) => Arg::Address { argument, offset: 0 },
                None => {
                    passed.push((args.len(), buffer));
                    std::mem::replace(&mut buffers[buffer].content, Arg::Zeros(0))
                }
            },
        };
        args.push(arg);
    }
    Ok(Taken { launch: sim::Launch { grid, block, shared_bytes, args }, passed })
}

/// `i32:5`, or `u64:2*n`.
fn scalar(text: &str, names: &Names) -> Result<Arg, String> {
    if let Ok(scalar) = Scalar::parse(text) {
        return Ok(Arg::Scalar(scalar));
    }
    let (kind, value) = text.split_once(':').ok_or_else(|| format!("`{text}` is not TYPE:VALUE, such as i32:5"))?;
    let element = Element::find(kind.trim());
    let element = element.ok_or_else(|| format!("there is no type `{kind}`; there are {}", Element::names()))?;
    let bytes = element.evaluate(value, names)?;
    // As the number that it is, where the simulator has its type.
    Ok(Scalar::parse(&format!("{}:{}", element.name(), element.show(&bytes))).map_or(Arg::Bytes(bytes), Arg::Scalar))
}
