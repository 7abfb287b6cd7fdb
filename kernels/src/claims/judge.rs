//! From a claim to its row: the figure of then, the figure of now, the verdict.

use sim::target::Target;

use super::file::{Claim, Test};
use super::lab::Lab;
use super::{ClaimsError, Figure, NOW, Origin, Row, Verdict, figure, show};
use crate::launch::expression::{self, Number};

/// Computes a claim's row.
///
/// # Errors
/// [`ClaimsError::Row`] when it cannot be computed. That another verdict comes out than the list expects is no error but
/// the row's [`Row::contradiction`].
pub fn judge(claim: &Claim, lab: &mut Lab) -> Result<Row, ClaimsError> {
    row(claim, lab).map_err(|why| ClaimsError::Row { id: claim.id.clone(), why })
}

fn row(claim: &Claim, lab: &mut Lab) -> Result<Row, String> {
    let target = |name: &str| sim::target::find(name).ok_or_else(|| sim::target::unknown(name));
    let (then_target, now_target) = (target(&claim.target)?, target(NOW)?);
    let value = expression::evaluate(&claim.value, &figure::names(claim)?)?;
    let (mut then, mut now, mut contradiction) = (None, None, None);
    if let Some(text) = &claim.figure {
        then = Some(match claim.reported.as_deref() {
            Some("yes") => {
                let text = format!("{} {}", claim.test.sign(), show(value.real()));
                Figure { text, ..reported(value, then_target) }
            }
            Some(number) => reported(expression::evaluate(number, &figure::names(claim)?)?, then_target),
            None => one(text, claim, then_target, value, lab)?.0,
        });
        let (figure, differs) = one(claim.now.as_ref().unwrap_or(text), claim, now_target, value, lab)?;
        contradiction = differs;
        now = Some(figure);
    }
    let verdict = verdict(then.as_ref(), now.as_ref());
    if verdict != claim.verdict {
        contradiction =
            Some(format!("the list expects “{}”, and “{}” comes out", claim.verdict.text(), verdict.text()));
    }
    let tolerance = claim.tolerance.map(|t| format!(" (±{:.0} %)", t * 100.0)).unwrap_or_default();
    Ok(Row {
        id: claim.id.clone(),
        seed: claim.seed,
        place: claim.place.clone(),
        says: claim.says.clone(),
        value: value.real(),
        claimed: format!("{} {}{tolerance}", claim.test.sign(), show(value.real())),
        unit: claim.unit.clone(),
        figure: claim.figure.clone().unwrap_or_default(),
        then,
        now,
        verdict,
        why: figure::fill(&claim.why, claim, then_target, lab)?,
        contradiction,
    })
}

/// The figure on one target, and in which way a GPU counted something else.
fn one(
    text: &str,
    claim: &Claim,
    target: &'static Target,
    value: Number,
    lab: &mut Lab,
) -> Result<(Figure, Option<String>), String> {
    let (found, measured, mut figure) = figure::compute(text, claim, target, lab)?;
    figure.fits = fits(claim.test, claim.tolerance, found, value);
    let mut differs = None;
    match measured {
        Some(measured) if measured == found => figure.origin = Origin::SimulatedAndMeasured,
        Some(measured) => {
            differs =
                Some(format!("the simulator says {}, and the GPU measured {}", figure.text, show(measured.real())));
        }
        None => {}
    }
    Ok((figure, differs))
}

/// A time of the authors' own.
fn reported(value: Number, target: &Target) -> Figure {
    Figure {
        target: target.name.clone(),
        value: value.real(),
        text: show(value.real()),
        origin: Origin::Reported,
        parts: Vec::new(),
        commands: Vec::new(),
        fits: true,
    }
}

/// Whether a figure is as claimed.
fn fits(test: Test, tolerance: Option<f64>, found: Number, value: Number) -> bool {
    let (figure, claimed) = (found.real(), value.real());
    match test {
        Test::Equal => found == value,
        Test::About => (figure - claimed).abs() <= tolerance.unwrap_or(0.0) * claimed.abs(),
        Test::More => figure > claimed,
        Test::Less => figure < claimed,
        Test::AtLeast => figure >= claimed,
        Test::AtMost => figure <= claimed,
    }
}

/// What follows from the two figures. What was wrong when it was published is an erratum, whatever is true today.
fn verdict(then: Option<&Figure>, now: Option<&Figure>) -> Verdict {
    match (then.map(|figure| figure.fits), now.map(|figure| figure.fits)) {
        (Some(true), Some(true)) => Verdict::Holds,
        (Some(true), Some(false)) => Verdict::HeldThenNotNow,
        (Some(false), Some(_)) => Verdict::Erratum,
        _ => Verdict::CannotBeChecked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_are_what_they_say() {
        let number = |text: &str| expression::evaluate(text, &expression::Names::new()).unwrap();
        let table = [
            (Test::Equal, "8/3", "8/3", true),
            (Test::Equal, "8/3", "3", false),
            (Test::About, "0.54", "0.5", true),
            (Test::About, "0.56", "0.5", false),
            (Test::More, "2", "2", false),
            (Test::AtLeast, "2", "2", true),
            (Test::Less, "2", "2", false),
            (Test::AtMost, "2", "2", true),
        ];
        for (test, found, value, expected) in table {
            let tolerance = (test == Test::About).then_some(0.1);
            assert_eq!(fits(test, tolerance, number(found), number(value)), expected, "{test:?} {found} {value}");
        }
    }

    #[test]
    fn verdicts_follow_from_then_and_now() {
        let figure = |fits| {
            let one = expression::evaluate("1", &expression::Names::new()).unwrap();
            Figure { fits, ..reported(one, sim::target::find("g80").unwrap()) }
        };
        let of = |then: bool, now: bool| verdict(Some(&figure(then)), Some(&figure(now)));
        assert_eq!(of(true, true), Verdict::Holds);
        assert_eq!(of(true, false), Verdict::HeldThenNotNow);
        assert_eq!((of(false, true), of(false, false)), (Verdict::Erratum, Verdict::Erratum));
        assert_eq!(verdict(None, None), Verdict::CannotBeChecked);
    }
}
