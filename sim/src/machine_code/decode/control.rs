//! Control flow, exchanges within a warp, special registers and barriers.

use super::constants::Decoded;
use super::reader::Reader;
use crate::machine_code::op::{
    Barrier, BarrierReduction, Dst, LaneMask, Op, Pred, Reduce, Shuffle, Special, Src64, Vote, ZERO,
};

const ALWAYS: Pred = Pred { number: 7, uniform: false, not: false };

/// A place in the code in bytes, as the number of its instruction.
fn instruction(r: &Reader<'_>, target: i64, start: u32) -> Decoded<u32> {
    match u32::try_from(target) {
        Ok(target) if target % 16 == 0 => Ok(start + target / 16),
        _ => r.refuse("it leads to no instruction"),
    }
}

/// Decodes an instruction; `None` if it is of another kind. `start`: the number of the section's first instruction; `at`:
/// where the instruction stands, in bytes from there.
pub(super) fn decode(name: &str, r: &mut Reader<'_>, start: u32, at: i64) -> Decoded<Option<Op>> {
    Ok(Some(match name {
        "S2R" | "S2UR" | "CS2R" => {
            let pair = name == "CS2R" && !r.take("32");
            let d = r.dst(if pair { 2 } else { 1 })?;
            let name = r.named()?;
            let Some(what) = special(name) else { return r.refuse(&format!("`{name}` is not executed")) };
            Op::Special { d, what, pair }
        }
        "R2UR" => {
            let or = r.take("OR");
            let p = r.optional_pred_dst()?;
            Op::ToWarp { d: r.dst(1)?, p, a: r.int()?, or }
        }
        "VOTE" | "VOTEU" => {
            let votes = [("ALL", Vote::All), ("ANY", Vote::Any), ("EQ", Vote::Eq)];
            let Some(vote) = r.choose(&votes) else { return r.refuse("its kind is missing") };
            let is_register = matches!(r.peek().map(|o| &o.value), Some(sass::operand::Value::Register(_)));
            let d = if is_register { r.dst(1)? } else { Dst::None };
            Op::Vote { d, p: r.pred_dst()?, vote, q: r.pred()? }
        }
        "SHFL" => {
            let modes = [("IDX", Shuffle::Idx), ("UP", Shuffle::Up), ("DOWN", Shuffle::Down), ("BFLY", Shuffle::Bfly)];
            let Some(mode) = r.choose(&modes) else { return r.refuse("its mode is missing") };
            Op::Shuffle { p: r.pred_dst()?, d: r.dst(1)?, mode, a: r.int()?, b: r.int()?, c: r.int()? }
        }
        "MATCH" => {
            let Some(all) = r.choose(&[("ALL", true), ("ANY", false)]) else { return r.refuse("its kind is missing") };
            let wide = r.take("U64");
            let p = r.optional_pred_dst()?;
            let d = r.dst(1)?;
            let operand = r.operand()?;
            let low = r.slot_of(operand, 0)?;
            let high = if wide { Some(r.slot_of(operand, 1)?) } else { None };
            Op::Match { p, d, low, high, all }
        }
        "REDUX" => {
            let signed = r.take("S32");
            let ops = [
                ("OR", Reduce::Or),
                ("XOR", Reduce::Xor),
                ("SUM", Reduce::Sum),
                ("MIN", Reduce::Min),
                ("MAX", Reduce::Max),
            ];
            let op = match r.choose(&ops).unwrap_or(Reduce::And) {
                Reduce::Min if signed => Reduce::MinSigned,
                Reduce::Max if signed => Reduce::MaxSigned,
                op => op,
            };
            Op::Redux { d: r.dst(1)?, op, a: r.int()? }
        }
        "ELECT" => {
            let _ = r.take("IGNOREKILL");
            Op::Elect { p: r.pred_dst()?, d: r.dst(1)?, q: r.pred()? }
        }
        "BRA" => branch(r, start)?,
        "BRX" => {
            if !r.optional_pred()?.always() {
                return r.refuse("its predicate is not executed");
            }
            let address = r.int64()?;
            // The distance is that from the next instruction, and the register has what is added to it.
            let distance = r.target()?;
            Op::BranchIndirect { address, base: at + 16 + distance }
        }
        "EXIT" => {
            let _ = r.take("KEEPREFCOUNT") || r.take("NO_ATEXIT");
            Op::Exit { also: r.optional_pred()? }
        }
        "BSSY" => {
            if !r.optional_pred()?.always() {
                return r.refuse("its predicate is not executed");
            }
            let barrier = r.barrier()?;
            r.target()?;
            Op::BeginRegion { barrier }
        }
        "BSYNC" => {
            if !r.optional_pred()?.always() {
                return r.refuse("its predicate is not executed");
            }
            Op::EndRegion { barrier: r.barrier()? }
        }
        "BREAK" => Op::Break { also: r.optional_pred()?, barrier: r.barrier()? },
        "BMOV" => {
            let clear = r.take("CLEAR");
            let _ = r.take("32");
            if matches!(r.peek().map(|o| &o.value), Some(sass::operand::Value::Named(_))) {
                let barrier = barrier_register(r)?;
                Op::RestoreBarrier { barrier, a: r.int()? }
            } else {
                Op::SaveBarrier { d: r.dst(1)?, barrier: barrier_register(r)?, clear }
            }
        }
        "WARPSYNC" => {
            let collective = r.take("COLLECTIVE");
            // With `.EXCLUSIVE` lanes with another mask go on by themselves: as they do without.
            let (all, _) = (r.take("ALL"), r.take("EXCLUSIVE"));
            if !r.optional_pred()?.always() {
                return r.refuse("its predicate is not executed");
            }
            let mask = if all { None } else { Some(r.slot()?) };
            if collective {
                // Where lanes go that do not take part: behind ENDCOLLECTIVE, to which all come in the end.
                r.target()?;
            }
            Op::WarpSync { mask, collective }
        }
        "CALL" => call(r, start)?,
        "RET" => {
            let relative = r.take("REL");
            let _ = r.take("ABS");
            let _ = r.take("NODEC");
            if !r.optional_pred()?.always() {
                return r.refuse("its predicate is not executed");
            }
            let address = r.int64()?;
            let base = r.target()?;
            Op::Return { address, base: if relative { base } else { 0 } }
        }
        "LEPC" => {
            let d = r.dst(2)?;
            let target = r.target()?;
            Op::CodeAddress { d, target: instruction(r, target, start)? }
        }
        "BAR" => barrier(r)?,
        "B2R" => {
            if !r.take("RESULT") {
                return r.refuse("without `.RESULT` it is not executed");
            }
            Op::BarrierResult { d: r.dst(1)?, p: r.optional_pred_dst()? }
        }
        "NANOSLEEP" => {
            let _ = r.rest();
            if !r.optional_pred()?.always() {
                return r.refuse("its predicate is not executed");
            }
            Op::Sleep { a: r.int()? }
        }
        "BPT" => {
            if !r.take("TRAP") {
                return r.refuse("only `.TRAP` is executed");
            }
            let _ = r.number()?;
            Op::Trap
        }
        "NOP" | "YIELD" | "MEMBAR" | "ERRBAR" | "CGAERRBAR" | "CCTL" | "FENCE" | "LDGDEPBAR" | "DEPBAR"
        | "ENDCOLLECTIVE" => {
            r.ignore_all();
            Op::Nothing
        }
        _ => return Ok(None),
    }))
}

fn barrier_register(r: &mut Reader<'_>) -> Decoded<u8> {
    let name = r.named()?;
    match name.strip_prefix('B').and_then(|number| number.parse().ok()) {
        Some(number) if number < 16 => Ok(number),
        _ => r.refuse(&format!("`{name}` is not executed")),
    }
}

fn branch(r: &mut Reader<'_>, start: u32) -> Decoded<Op> {
    let divergent = r.take("DIV");
    if r.take("CONV") {
        return r.refuse("`.CONV` is not executed");
    }
    let uniform = r.take("U");
    let any = r.take("ANY");
    if divergent {
        if !r.optional_pred()?.always() {
            return r.refuse("its predicate is not executed");
        }
        let mask = r.int()?;
        let target = r.target()?;
        return Ok(Op::BranchDivergent { target: instruction(r, target, start)?, mask });
    }
    let taken = r.optional_pred()?;
    let target = r.target()?;
    Ok(Op::Branch { target: instruction(r, target, start)?, taken, all: uniform && any })
}

fn call(r: &mut Reader<'_>, start: u32) -> Decoded<Op> {
    let relative = r.take("REL");
    let _ = r.take("ABS");
    let _ = r.take("NOINC");
    if !r.optional_pred()?.always() {
        return r.refuse("its predicate is not executed");
    }
    if matches!(r.peek().map(|operand| &operand.value), Some(sass::operand::Value::Target(_))) {
        let target = r.target()?;
        return Ok(Op::Call { target: instruction(r, target, start)? });
    }
    let address: Src64 = r.int64()?;
    let base = if r.peek().is_some() { r.target()? } else { 0 };
    Ok(Op::CallRegister { address, base: if relative { base } else { 0 } })
}

fn barrier(r: &mut Reader<'_>) -> Decoded<Op> {
    let _ = r.take("DEFER_BLOCKING");
    let (arrive_only, reduces) = (r.take("ARV"), r.take("RED"));
    let _ = r.take("SYNC");
    let kind =
        r.choose(&[("POPC", BarrierReduction::Popc), ("AND", BarrierReduction::And), ("OR", BarrierReduction::Or)]);
    let packed = r.instruction.encoding.opcode() == 0x31d;
    let id = r.slot()?;
    let is_predicate = |r: &Reader<'_>| matches!(r.peek().map(|o| &o.value), Some(sass::operand::Value::Predicate(_)));
    let mut threads = None;
    if r.peek().is_some() && !is_predicate(r) {
        let slot = r.slot()?;
        threads = (!packed || slot != ZERO).then_some(slot);
    }
    let with = if is_predicate(r) { r.pred()? } else { ALWAYS };
    let reduction = if reduces { kind.map(|kind| (kind, with)) } else { None };
    Ok(Op::Barrier(Barrier { id, threads, packed, arrive_only, reduction }))
}

fn special(name: &str) -> Option<Special> {
    Some(match name {
        "SRZ" => Special::Zero,
        "SR_TID.X" => Special::Thread(0),
        "SR_TID.Y" => Special::Thread(1),
        "SR_TID.Z" => Special::Thread(2),
        "SR_CTAID.X" => Special::Block(0),
        "SR_CTAID.Y" => Special::Block(1),
        "SR_CTAID.Z" => Special::Block(2),
        "SR_LANEID" => Special::Lane,
        "SR_EQMASK" => Special::LaneMask(LaneMask::Eq),
        "SR_LTMASK" => Special::LaneMask(LaneMask::Lt),
        "SR_LEMASK" => Special::LaneMask(LaneMask::Le),
        "SR_GTMASK" => Special::LaneMask(LaneMask::Gt),
        "SR_GEMASK" => Special::LaneMask(LaneMask::Ge),
        "SR_SWINHI" => Special::SharedWindow,
        "SR_CgaCtaId" => Special::ClusterBlock,
        "SR_CLOCKLO" => Special::Clock,
        "SR_CLOCKHI" => Special::ClockHigh,
        "SR_GLOBALTIMERLO" => Special::Timer,
        "SR_GLOBALTIMERHI" => Special::TimerHigh,
        "SR_VIRTUALSMID" => Special::Multiprocessor,
        _ => return None,
    })
}
