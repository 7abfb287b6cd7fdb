//! From a decoded instruction to what is executed. Nothing is looked up by name after this.

mod bulk;
mod constants;
mod control;
mod conversion;
mod float;
mod integer;
mod memory;
mod reader;

pub(super) use constants::{Constant, Constants, Refused};
pub(super) use reader::Reader;

use super::op::{Op, Pred};

/// Decodes an instruction of a section whose first instruction has the number `start`; it stands `at` bytes behind that.
///
/// # Errors
/// [`Refused`] when it, or a modifier or operand of it, is not executed.
pub(super) fn decode(
    instruction: &sass::Instruction,
    constants: &mut Constants,
    start: u32,
    at: u64,
) -> Result<(Option<Pred>, Op), Refused> {
    let guard = instruction.guard;
    let guard =
        (!guard.always()).then_some(Pred { number: guard.predicate, uniform: guard.uniform, not: guard.negated });
    let mut reader = Reader::new(instruction, constants);
    let op = operation(instruction.name, &mut reader, start, at.cast_signed())?;
    reader.finish()?;
    Ok((guard, op))
}

fn operation(name: &str, r: &mut Reader<'_>, start: u32, at: i64) -> Result<Op, Refused> {
    // What the warp does once has the name of what each thread does, with a U before it.
    let plain = match name {
        "UIADD3" | "UIMAD" | "UISETP" | "ULEA" | "ULOP3" | "UMOV" | "USEL" | "UPRMT" | "USHF" | "UFLO" | "UBREV"
        | "UPOPC" | "UPLOP3" => &name[1..],
        "ULDC" => "LDC",
        _ => name,
    };
    if let Some(op) = integer::decode(plain, r)? {
        return Ok(op);
    }
    if let Some(op) = float::decode(plain, r)? {
        return Ok(op);
    }
    if let Some(op) = memory::decode(plain, r)? {
        return Ok(op);
    }
    if let Some(op) = bulk::decode(plain, r)? {
        return Ok(op);
    }
    if let Some(op) = control::decode(plain, r, start, at)? {
        return Ok(op);
    }
    Err(Refused(format!("`{name}` is not executed")))
}
