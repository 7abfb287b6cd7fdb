//! Decodes instructions in which the lanes of a warp talk to each other.

use super::builder::Builder;
use super::decode::Guard;
use crate::error::Error;
use crate::ir::inst::{Op, ReduxOp, Reg, ShuffleMode, VoteMode};
use crate::ptx::ast::{Instruction, Operand};
use crate::semantics::ScalarType;

impl<'m> Builder<'m> {
    pub(super) fn warp(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        let op = match parts[0] {
            "shfl" => self.shuffle(inst, parts)?,
            "vote" => self.vote(inst, parts)?,
            "match" => self.match_lanes(inst, parts)?,
            "redux" => self.redux(inst, parts)?,
            "elect" => self.elect(inst, parts)?,
            "activemask" => {
                self.arity(inst, 1..=1)?;
                Op::ActiveMask { d: self.word_destination(inst, &inst.operands[0])? }
            }
            _ => return Err(self.unsupported_instruction(inst)),
        };
        self.emit(op, guard, &inst.span)
    }

    fn word_destination(&mut self, inst: &Instruction, operand: &Operand) -> Result<u16, Error> {
        match self.destination(operand)? {
            Some(Reg::W(slot, _)) => Ok(slot),
            _ => Err(self.unsupported_instruction(inst)),
        }
    }

    /// `d|p` or `d`.
    fn word_and_predicate(&mut self, inst: &Instruction, operand: &Operand) -> Result<(u16, Option<u16>), Error> {
        let Operand::Pair(first, second) = operand else {
            return Ok((self.word_destination(inst, operand)?, None));
        };
        let p = match self.destination(second)? {
            Some(Reg::P(slot)) => Some(slot),
            None => None,
            Some(_) => return Err(self.invalid(&second.span(), "the second destination is a predicate")),
        };
        Ok((self.word_destination(inst, first)?, p))
    }

    fn shuffle(&mut self, inst: &'m Instruction, parts: &[&str]) -> Result<Op, Error> {
        let sync = parts.get(1) == Some(&"sync");
        let mode = match parts.get(if sync { 2 } else { 1 }) {
            Some(&"up") => ShuffleMode::Up,
            Some(&"down") => ShuffleMode::Down,
            Some(&"bfly") => ShuffleMode::Bfly,
            Some(&"idx") => ShuffleMode::Idx,
            _ => return Err(self.unsupported_instruction(inst)),
        };
        let count = if sync { 5 } else { 4 };
        self.arity(inst, count..=count)?;
        let (d, p) = self.word_and_predicate(inst, &inst.operands[0])?;
        let a = self.source32(&inst.operands[1], ScalarType::B32)?;
        let b = self.source32(&inst.operands[2], ScalarType::B32)?;
        let c = self.source32(&inst.operands[3], ScalarType::B32)?;
        let mask = if sync { Some(self.source32(&inst.operands[4], ScalarType::B32)?) } else { None };
        Ok(Op::Shuffle { mode, d, p, a, b, c, mask })
    }

    fn vote(&mut self, inst: &'m Instruction, parts: &[&str]) -> Result<Op, Error> {
        let sync = parts.contains(&"sync");
        let mut mode = None;
        for part in &parts[1..] {
            mode = match *part {
                "all" => Some(VoteMode::All),
                "any" => Some(VoteMode::Any),
                "uni" => Some(VoteMode::Uni),
                "ballot" => Some(VoteMode::Ballot),
                "sync" | "pred" | "b32" => mode,
                _ => return Err(self.unsupported_instruction(inst)),
            };
        }
        let count = if sync { 3 } else { 2 };
        self.arity(inst, count..=count)?;
        let (Some(mode), Some(d)) = (mode, self.destination(&inst.operands[0])?) else {
            return Err(self.unsupported_instruction(inst));
        };
        let (a, negated) = self.source_predicate(&inst.operands[1])?;
        let mask = if sync { Some(self.source32(&inst.operands[2], ScalarType::B32)?) } else { None };
        Ok(Op::Vote { mode, d, a, negated, mask })
    }

    fn match_lanes(&mut self, inst: &'m Instruction, parts: &[&str]) -> Result<Op, Error> {
        self.arity(inst, 3..=3)?;
        let all = match parts.get(1) {
            Some(&"any") => false,
            Some(&"all") => true,
            _ => return Err(self.unsupported_instruction(inst)),
        };
        let kind = if parts.contains(&"b64") { ScalarType::B64 } else { ScalarType::B32 };
        let (d, p) = self.word_and_predicate(inst, &inst.operands[0])?;
        let a = self.source(&inst.operands[1], kind)?;
        let mask = self.source32(&inst.operands[2], ScalarType::B32)?;
        Ok(Op::Match { all, d, p, a, mask })
    }

    /// `elect.sync d|p, mask`.
    fn elect(&mut self, inst: &'m Instruction, parts: &[&str]) -> Result<Op, Error> {
        self.arity(inst, 2..=2)?;
        let (Operand::Pair(first, second), ["elect", "sync"]) = (&inst.operands[0], parts) else {
            return Err(self.unsupported_instruction(inst));
        };
        let d = match self.destination(first)? {
            Some(Reg::W(slot, _)) => Some(slot),
            None => None,
            Some(_) => return Err(self.invalid(&first.span(), "the elected lane's number needs a 32-bit register")),
        };
        let Some(Reg::P(p)) = self.destination(second)? else {
            return Err(self.invalid(&second.span(), "the second destination is a predicate"));
        };
        Ok(Op::Elect { d, p, mask: self.source32(&inst.operands[1], ScalarType::B32)? })
    }

    fn redux(&mut self, inst: &'m Instruction, parts: &[&str]) -> Result<Op, Error> {
        self.arity(inst, 3..=3)?;
        let op = match parts[1..] {
            ["sync", "add", "u32" | "s32"] => ReduxOp::Add,
            ["sync", "min", "u32"] => ReduxOp::MinU,
            ["sync", "min", "s32"] => ReduxOp::MinS,
            ["sync", "max", "u32"] => ReduxOp::MaxU,
            ["sync", "max", "s32"] => ReduxOp::MaxS,
            ["sync", "and", "b32"] => ReduxOp::And,
            ["sync", "or", "b32"] => ReduxOp::Or,
            ["sync", "xor", "b32"] => ReduxOp::Xor,
            _ => return Err(self.unsupported_instruction(inst)),
        };
        let d = self.word_destination(inst, &inst.operands[0])?;
        let a = self.source32(&inst.operands[1], ScalarType::B32)?;
        let mask = self.source32(&inst.operands[2], ScalarType::B32)?;
        Ok(Op::Redux { op, d, a, mask })
    }
}
