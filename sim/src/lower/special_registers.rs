//! Special registers as operands: those that a warp starts with, clocks, and those that are refused by name.

use super::builder::Builder;
use crate::error::Error;
use crate::ir::inst::{Op, Reg, Special};
use crate::ir::slots::{StartValue, TooMany};
use crate::ptx::ast::Name;
use crate::semantics::ScalarType;

/// The clock that PTX writes as `name`.
pub(super) fn clock(name: &str) -> Option<Special> {
    Some(match name {
        "%clock" | "%clock64" => Special::Clock,
        "%clock_hi" => Special::ClockHigh,
        "%globaltimer" | "%globaltimer_lo" => Special::GlobalTimer,
        "%globaltimer_hi" => Special::GlobalTimerHigh,
        _ => return None,
    })
}

/// What a special register has that is not simulated: its value is the driver's or the hardware's, and no launch determines
/// it.
fn unknown(name: &str) -> Option<&'static str> {
    let numbered = |stem: &str, most: u32| {
        let number = name.strip_prefix(stem)?;
        number.parse::<u32>().ok().filter(|&n| n < most && number == n.to_string())
    };
    if numbered("%envreg", 32).is_some() {
        return Some("a register of the driver");
    }
    if numbered("%pm", 8).is_some() || name.strip_suffix("_64").is_some_and(|name| unknown(name).is_some()) {
        return Some("a performance counter that a profiler sets up");
    }
    let place = name.strip_prefix("%reserved_smem_offset_")?;
    matches!(place, "begin" | "end" | "cap" | "0" | "1").then_some("the shared memory that the system reserves")
}

/// Whether PTX has a vector of this name, whose components are the special registers.
fn is_vector(name: &str) -> bool {
    StartValue::ALL.iter().any(|(of, _)| of.strip_suffix(".x") == Some(name))
}

impl Builder<'_> {
    /// A special register that is read as a value of `kind`. `None` if PTX has none of this name.
    pub(super) fn special_register(&mut self, name: &Name, kind: ScalarType) -> Result<Option<Reg>, Error> {
        let text = &*name.text;
        if let Some(value) = StartValue::from_name(text) {
            let slot = self.slots.start_value(value).map_err(|TooMany| self.too_many(&name.span))?;
            return Ok(Some(Reg::W(slot, 32)));
        }
        if let Some(what) = clock(text) {
            let d = self.new_register(if kind.bits() >= 64 { "b64" } else { "b32" }, &name.span)?;
            self.emit(Op::ReadSpecial { d, what }, None, &name.span)?;
            return Ok(Some(d));
        }
        match text {
            // The driver's own registers: CUDA's cooperative groups find the memory by which a grid waits for itself in them.
            "%envreg1" => {
                let address = self.grid_workspace();
                return self.constant(address >> 32, ScalarType::B32, &name.span).map(Some);
            }
            "%envreg2" => {
                let address = self.grid_workspace();
                return self.constant(address & 0xffff_ffff, ScalarType::B32, &name.span).map(Some);
            }
            // A launch has clusters only if it asks for them, and none here can.
            "%is_explicit_cluster" => {
                let slot = self.new_predicate(&name.span)?;
                self.emit(Op::PredicateConstant { d: slot, value: false }, None, &name.span)?;
                return Ok(Some(Reg::P(slot)));
            }
            // Zero, but in a graph that the GPU launches.
            "%current_graph_exec" => return self.constant(0, ScalarType::B64, &name.span).map(Some),
            _ => {}
        }
        // The fourth component of a vector is always zero.
        if text.strip_suffix(".w").is_some_and(is_vector) {
            return self.constant(0, ScalarType::B32, &name.span).map(Some);
        }
        if let Some(what) = unknown(text) {
            return Err(self.unsupported(&name.span, &format!("`{text}`, {what}")));
        }
        if is_vector(text) {
            return Err(self.unsupported(&name.span, &format!("`{text}` as a vector (its components are simulated)")));
        }
        Ok(None)
    }
}
