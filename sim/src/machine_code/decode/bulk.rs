//! Copies and reductions of the copy engine (UBLKCP, UBLKRED), and the barriers in shared memory that wait for them (SYNCS,
//! ARRIVES).
//!
//! What the forms mean was read off the machine code that ptxas makes of each PTX instruction on an `mbarrier`.

use super::constants::Decoded;
use super::reader::Reader;
use crate::machine_code::op::{Address, AtomicOp, BulkCopy, Dst, Op, PhaseChange, Slot, Space, ZERO};
use crate::semantics::LaneOp;

/// Decodes an instruction; `None` if it is of another kind.
pub(super) fn decode(name: &str, r: &mut Reader<'_>) -> Decoded<Option<Op>> {
    Ok(Some(match name {
        "SYNCS" => phase(r)?,
        "ARRIVES" => {
            // The copies of before are done already: what is left is the arrival.
            if r.rest().join(".") != "LDGSTSBAR.64.ARVCNT" {
                return r.refuse("this arrival is not executed");
            }
            Op::ChangePhase { what: PhaseChange::ArriveCopied, result: 255, address: r.address()?, value: ZERO }
        }
        "UBLKCP" => {
            let to = match &*r.rest().join(".") {
                "S.G" => Space::Shared,
                "G.S" => Space::Global,
                _ => return r.refuse("this copy is not executed"),
            };
            bulk(r, to, None)?
        }
        "UBLKRED" => {
            let modifiers = r.rest().join(".");
            let parts: Vec<&str> = modifiers.split('.').collect();
            let reduces = parts.strip_prefix(&["G", "S"]).and_then(reduction);
            let Some(reduces) = reduces else { return r.refuse("this reduction is not executed") };
            bulk(r, Space::Global, Some(reduces))?
        }
        // Closes a group of copies, which are done already.
        "UTMACMDFLUSH" => {
            r.ignore_all();
            Op::Nothing
        }
        _ => return Ok(None),
    }))
}

/// An instruction on a barrier of asynchronous copies.
fn phase(r: &mut Reader<'_>) -> Decoded<Op> {
    let kind = r.rest().join(".");
    if let "PHASECHK.TRANS64" | "PHASECHK.TRANS64.TRYWAIT" = &*kind {
        let p = r.pred_dst()?;
        let address = r.address()?;
        return Ok(Op::CheckPhase { p, address, phase: r.slot()?, waits: kind.ends_with("TRYWAIT") });
    }
    let what = match &*kind {
        "EXCH.64" => PhaseChange::Exchange,
        "ARRIVE.TRANS64" => PhaseChange::ArriveAndExpect,
        "ARRIVE.TRANS64.A1T0" => PhaseChange::Arrive,
        "ARRIVE.TRANS64.ART0" => PhaseChange::ArriveSeveral,
        "ARRIVE.TRANS64.OPTOUT.A1T0" => PhaseChange::Drop,
        "ARRIVE.TRANS64.RED.A0TR" => PhaseChange::Expect,
        "ARRIVE.TRANS64.RED.A0TX" => PhaseChange::Complete,
        "CCTL.IV" => {
            r.ignore_all();
            return Ok(Op::Nothing);
        }
        _ => return r.refuse("this form is not executed"),
    };
    let result = match r.dst(2)? {
        Dst::Lane(number) => number,
        Dst::None => 255,
        Dst::Warp(_) => return r.refuse("its result is a register of the warp"),
    };
    let address = r.address()?;
    let value = if what == PhaseChange::Exchange { r.slot_pair()? } else { r.slot()? };
    Ok(Op::ChangePhase { what, result, address, value })
}

/// Target, source and size in units of 16 bytes: registers of the warp.
fn bulk(r: &mut Reader<'_>, to: Space, reduces: Option<(AtomicOp, u32)>) -> Decoded<Op> {
    let (target, source) = (r.address()?, r.address()?);
    let units = r.slot()?;
    let halves = |address: &Address| -> Option<(Slot, Slot)> {
        (address.base == ZERO && address.offset == 0).then_some((address.uniform?, address.uniform_high?))
    };
    // A register without one behind it stands alone: its upper half is never read then.
    let (Some(target), Some(source)) = (halves(&target), halves(&source)) else {
        return r.refuse("its addresses are no registers of the warp");
    };
    Ok(Op::Bulk(Box::new(BulkCopy { to, target, source, units, reduces })))
}

/// Operation and bytes of an element.
fn reduction(parts: &[&str]) -> Option<(AtomicOp, u32)> {
    let packed = |opcode: &str| match LaneOp::decode(&opcode.split('.').collect::<Vec<_>>()) {
        Ok(Some((op, _))) => Some(op),
        _ => None,
    };
    Some(match *parts {
        ["ADD"] | ["ADD", "S32"] => (AtomicOp::Add, 4),
        ["ADD", "U64" | "S64"] => (AtomicOp::Add, 8),
        ["ADD", "F32", "RN"] => (AtomicOp::AddF32 { flush: false }, 4),
        ["ADD", "F64", "RN"] => (AtomicOp::AddF64, 8),
        ["ADD", "F16", "RN"] => (AtomicOp::AddHalves(packed("add.rn.f16x2")?), 4),
        ["ADD", "BF16", "RN"] => (AtomicOp::AddHalves(packed("add.rn.bf16x2")?), 4),
        ["MIN", "F16", "RN"] => (AtomicOp::MinHalves(packed("min.f16x2")?), 4),
        ["MAX", "F16", "RN"] => (AtomicOp::MinHalves(packed("max.f16x2")?), 4),
        ["MIN", "BF16", "RN"] => (AtomicOp::MinHalves(packed("min.bf16x2")?), 4),
        ["MAX", "BF16", "RN"] => (AtomicOp::MinHalves(packed("max.bf16x2")?), 4),
        ["MIN"] => (AtomicOp::Min, 4),
        ["MAX"] => (AtomicOp::Max, 4),
        ["MIN", "U64"] => (AtomicOp::Min, 8),
        ["MAX", "U64"] => (AtomicOp::Max, 8),
        ["MIN", "S32"] => (AtomicOp::MinSigned, 4),
        ["MAX", "S32"] => (AtomicOp::MaxSigned, 4),
        ["MIN", "S64"] => (AtomicOp::MinSigned, 8),
        ["MAX", "S64"] => (AtomicOp::MaxSigned, 8),
        ["INC"] => (AtomicOp::Inc, 4),
        ["DEC"] => (AtomicOp::Dec, 4),
        ["AND"] => (AtomicOp::And, 4),
        ["OR"] => (AtomicOp::Or, 4),
        ["XOR"] => (AtomicOp::Xor, 4),
        ["AND", "U64"] => (AtomicOp::And, 8),
        ["OR", "U64"] => (AtomicOp::Or, 8),
        ["XOR", "U64"] => (AtomicOp::Xor, 8),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_are_known_by_their_kind_and_others_are_not() {
        assert_eq!(reduction(&["ADD", "U64"]), Some((AtomicOp::Add, 8)));
        assert_eq!(reduction(&["MAX", "S64"]), Some((AtomicOp::MaxSigned, 8)));
        assert!(matches!(reduction(&["MIN", "F16", "RN"]), Some((AtomicOp::MinHalves(_), 4))));
        assert_eq!(reduction(&["ADD", "F8"]), None);
    }
}
