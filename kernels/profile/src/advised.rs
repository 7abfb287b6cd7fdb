//! Advice: the edits that would help, as cards.

use advice::{Advice, Edit};
use markup::sentence;
use maud::{Markup, html};

use crate::light::change;
use crate::number::{us, whole};
use crate::origin::{Origin, mark};
use crate::shown::Shown;

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    let tried = Edit::ALL.map(|edit| edit.to_string()).join(", ");
    match shown.launch.advice {
        None => html! { p { "No edit was tried on this launch." } },
        Some([]) if !shown.report.is_clean() => html! { p { "Edits are tried on launches without findings." } },
        Some([]) => html! { p { "None of the edits that were tried would help this launch. Tried: " (tried) "." } },
        Some(advice) => html! {
            ol class="cards" { @for advice in advice { li { (card(shown, advice)) } } }
            p class="faint" { "Tried on the addresses of the launch: " (tried) "." }
        },
    }
}

fn card(shown: &Shown<'_>, advice: &Advice) -> Markup {
    html! {
        article class="card" {
            h4 { (advice.edit) " " span class="faint" {
                (shown.place(&advice.file, advice.line))
                @for line in &advice.also { ", " (shown.place(&advice.file, *line)) }
            } }
            p { (sentence(&advice.now)) }
            p { (sentence(&advice.then)) }
            p class="gain" {
                span { (advice.unit) ": " strong { (whole(advice.before)) " → " (whole(advice.after)) } " " (mark(Origin::Estimated))
                    @if !advice.counted { span class="faint" { " from a sample of the blocks" } } }
                @match &advice.time {
                    Some(gain) => span {
                        "time: " strong { (us(gain.before_us)) " → " (us(gain.after_us)) " µs, " (change(gain.before_us, gain.after_us)) }
                        " " (mark(Origin::Predicted))
                    },
                    None => span { "time: " (mark(Origin::NotModelled)) },
                }
            }
        }
    }
}
