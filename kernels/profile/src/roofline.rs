//! The launch below the roofs of its GPU.

use kernels::names;
use kernels::timing::roofline;
use maud::{Markup, html};

use crate::number::percent;
use crate::origin::{Origin, mark};
use crate::parts;
use crate::shown::Shown;

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    let Some(p) = &shown.report.prediction else {
        return html! { p { "No time was predicted for this launch." } };
    };
    let drawn = roofline::drawing(&[(names::short(&shown.report.kernel), p)]);
    let share = p.roofline.per_ns / p.roofline.roof_per_ns.max(f64::MIN_POSITIVE) * 100.0;
    html! {
        p {
            "The launch reaches " strong { (percent(share)) } " " (mark(Origin::Predicted))
            " of the roof above it. All numbers of the figure are predicted; the roofs are those of the GPU."
        }
        div class="roofline" {
            (parts::drawing(drawn.width, drawn.height, &drawn.title, &drawn.description, &shown.id("roof"), &drawn.body))
        }
    }
}
