//! `figure beside kernel=K case="C" rows="label; label"`: one kernel on both machines, its counters on the simulated SM beside
//! those of the GPU, and how many agree.

use super::caption;
use crate::context::{Context, recorded};
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, code, html};
use crate::quantity::Quantity;
use crate::svg::Svg;
use crate::tables::rows;

/// Narrow enough to be read on a phone without scrolling.
const WIDTH: u32 = 400;
const BOX: (u32, u32) = (170, 40);
const ROW: u32 = 36;

pub(crate) fn beside(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    let own = caption(directive);
    if !recorded(directive)? {
        return Err(Reason::Wrong("this figure shows what a GPU counted: without `measured=no`".to_owned()));
    }
    let shown = rows(context, directive)?;
    let run = context.run(&kernel, &case)?;
    let Some(measured) = &run.measured else {
        return Err(Reason::Wrong(format!("no GPU has recorded {kernel} for {case}")));
    };
    let (left, right, middle) = (BOX.0 / 2, WIDTH - BOX.0 / 2, WIDTH / 2);
    let mut svg = Svg::new(WIDTH);
    let centred = |svg: &mut Svg, x: u32, y: u32, class: &str, text: &str| {
        svg.text(x, y, &format!("wb-svg-centre {class}"), text);
    };
    svg.rect(middle - 120, 1, (240, 44), "wb-svg-cell");
    centred(&mut svg, middle, 20, "wb-svg-title", &kernel);
    centred(&mut svg, middle, 37, "wb-svg-small", &case);
    for x in [left, right] {
        svg.line((middle, 45), (x, 70), "wb-svg-base");
    }
    let machines =
        [(0, left, "simulated SM", "computed for this page"), (WIDTH - BOX.0, right, &*measured.gpu, &*measured.date)];
    for (at, (x, centre, name, note)) in machines.into_iter().enumerate() {
        svg.rect(x, 70, BOX, if at == 0 { "wb-svg-on" } else { "wb-svg-peer" });
        centred(&mut svg, centre, 88, "wb-svg-title", name);
        centred(&mut svg, centre, 103, "wb-svg-small", note);
    }
    let mut y = 70 + BOX.1 + 22;
    let mut described = Vec::new();
    for quantity in &shown {
        let (Some(simulated), Some(counted)) = (quantity.simulated(&run), quantity.measured(&run)) else {
            return Err(Reason::Wrong(format!("`{}` is not both simulated and measured", quantity.name)));
        };
        // A difference that is not known fails the build here.
        quantity.beside(&run, true)?;
        let sign = if simulated == counted { "=" } else { "≠" };
        centred(&mut svg, middle, y, "wb-svg-text", &quantity.name);
        let (one, other) = (quantity.show(simulated), quantity.show(counted));
        centred(&mut svg, left, y + 15, "wb-svg-title", &one);
        centred(&mut svg, middle, y + 15, "wb-svg-title", sign);
        centred(&mut svg, right, y + 15, "wb-svg-title", &other);
        described.push(format!("{}: {one} {sign} {other}", quantity.name));
        y += ROW;
    }
    let all: Vec<Quantity> = context.runs.counters().iter().map(Quantity::from).collect();
    let pairs = || all.iter().filter_map(|own| own.simulated(&run).zip(own.measured(&run)));
    let (count, agree) = (pairs().count(), pairs().filter(|(one, other)| one == other).count());
    let sum = format!("{agree} of {count} counters agree");
    svg.line((0, y - 10), (WIDTH, y - 10), "wb-svg-base");
    centred(&mut svg, middle, y + 8, "wb-svg-title", &sum);
    let text = html! {
        (own) (code(&kernel)) ", " (case) ": simulated while this page was made, and counted by an " (measured.gpu) " on "
        (measured.date) "."
    };
    let title = format!("{kernel} on the simulated SM and on an {}", measured.gpu);
    Ok(svg.figure(&title, &format!("{}. {sum}.", described.join("; ")), text))
}
