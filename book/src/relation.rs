//! Relations of two kernels: how many times more one needs, and claims that one needs more than the other.

use crate::context::{Context, recorded};
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, html};
use crate::quantity::Quantity;
use crate::value;

/// How many times more one kernel needs than another.
pub(crate) fn ratio(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (a, b) = (directive.word("two kernels")?, directive.word("two kernels")?);
    let (case, of) = (directive.option("case")?, directive.option("of")?);
    let quantity = Quantity::find(&of, context.runs)?;
    let recorded = recorded(directive)?;
    let (run_a, run_b) = (context.run(&a, &case)?, context.run(&b, &case)?);
    let (value_a, value_b) = (quantity.agreed(&run_a, recorded)?, quantity.agreed(&run_b, recorded)?);
    if value_b == 0 {
        return Err(Reason::Contradicted(format!("{b} has 0 {of} for this case, which nothing can be divided by")));
    }
    let ratio = value_a as f64 / value_b as f64;
    let title = format!("{case}: {a} {} / {b} {} {of}", quantity.show(value_a), quantity.show(value_b));
    let shown = if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") };
    Ok(html! { data class="wb-number" value=(ratio) title=(title) { (shown) } })
}

/// Says nothing, and makes sure that a sentence of the text is true.
pub(crate) fn claim(context: &Context<'_>, directive: &mut Directive) -> Result<String, Reason> {
    let what = "a claim, such as `A more-than B`";
    let (a, relation, b) = (directive.word(what)?, directive.word(what)?, directive.word(what)?);
    if matches!(&*relation, "faster-than" | "slower-than") {
        return value::faster(context, directive, &a, &relation, &b);
    }
    let (case, of) = (directive.option("case")?, directive.option("of")?);
    let recorded = recorded(directive)?;
    let quantities = if of == "every counter" {
        context.runs.counters().iter().map(Quantity::from).collect()
    } else {
        vec![Quantity::find(&of, context.runs)?]
    };
    let constant = b.parse::<u64>().ok();
    context.kernel(&a)?;
    if constant.is_none() {
        context.kernel(&b)?;
    }
    let cases = if case == "every" {
        let others = context.runs.cases(&b);
        let mut cases = context.runs.cases(&a);
        cases.retain(|case| constant.is_some() || others.contains(case));
        cases
    } else {
        vec![case]
    };
    if cases.is_empty() {
        return Err(Reason::Wrong(format!("{a} and {b} have no case in common, so this claims nothing")));
    }
    for case in &cases {
        let run = context.run(&a, case)?;
        let other = if constant.is_none() { Some(context.run(&b, case)?) } else { None };
        for quantity in &quantities {
            let left = quantity.agreed(&run, recorded)?;
            let right = match (&other, constant) {
                (Some(other), _) => quantity.agreed(other, recorded)?,
                (None, constant) => constant.unwrap_or_default(),
            };
            let holds = match &*relation {
                "more-than" => left > right,
                "less-than" => left < right,
                "same-as" | "is" => left == right,
                _ => {
                    let message = format!(
                        "`{relation}` is no relation; there are more-than, less-than, same-as, is, faster-than, slower-than"
                    );
                    return Err(Reason::Wrong(message));
                }
            };
            if !holds {
                let (left, right) = (quantity.show(left), quantity.show(right));
                return Err(Reason::Contradicted(format!(
                    "the text claims that {a} is {relation} {b} in {}, but for {case} it is {left} against {right}",
                    quantity.name
                )));
            }
        }
    }
    Ok(String::new())
}
