//! What stands at the operands of video instructions besides registers: selectors (`%r1.b0`) and signs (`-%r2`).

use crate::ptx::ast::{Name, Operand};
use crate::semantics::Selectors;

/// The operands of an instruction without selectors and signs.
pub(super) fn plain(operands: &[Operand]) -> Vec<Operand> {
    operands.iter().map(|operand| split(operand).0).collect()
}

/// The selectors and signs.
pub(super) fn of(operands: &[Operand]) -> Selectors<'_> {
    let selector = |at: usize| operands.get(at).and_then(|operand| split(operand).1);
    let negate = [1, 2, 3].map(|at| matches!(operands.get(at), Some(Operand::Negative(_))));
    Selectors { dst: selector(0), a: selector(1), b: selector(2), negate }
}

#[allow(clippy::wildcard_enum_match_arm, reason = "every other operand is treated alike: as a register, or refused")]
fn split(operand: &Operand) -> (Operand, Option<&str>) {
    match operand {
        Operand::Negative(inner) => split(inner),
        Operand::Name(name) => match name.text.rsplit_once('.') {
            Some((register, selector)) => {
                (Operand::Name(Name { text: register.into(), span: name.span.clone() }), Some(selector))
            }
            None => (operand.clone(), None),
        },
        other => (other.clone(), None),
    }
}
