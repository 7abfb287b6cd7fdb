//! Pieces that several sections are made of.

use maud::{Markup, html};

use crate::origin::{Origin, mark};
use crate::shown::Shown;

/// A section of a launch with its heading.
pub(crate) fn section(shown: &Shown<'_>, name: &str, title: &str, content: Markup) -> Markup {
    let (id, heading) = (shown.id(name), shown.id(&format!("{name}-h")));
    html! {
        section class="part" id=(id) aria-labelledby=(heading) {
            h3 id=(heading) { (title) }
            (content)
        }
    }
}

/// A table below its title, in a box of its own that scrolls. `head` and `body` are its rows.
pub(crate) fn table(title: &str, head: Markup, body: Markup) -> Markup {
    html! {
        h4 class="caption" { (title) }
        div class="scroll" tabindex="0" role="region" aria-label=(title) {
            table aria-label=(title) {
                thead { (head) }
                tbody { (body) }
            }
        }
    }
}

/// The head of a column of numbers, with their mark.
pub(crate) fn column(title: &str, origin: Origin) -> Markup {
    html! { th scope="col" class="n" { (title) br; (mark(origin)) } }
}

/// A bar that is `percent` long. What it shows stands beside it as text.
pub(crate) fn bar(percent: f64, class: &str) -> Markup {
    let width = format!("width:{:.1}%", percent.clamp(0.0, 100.0));
    html! { span class="bar" aria-hidden="true" { span class=(class) style=(width) {} } }
}

/// A drawing that a program has made already, inside the page: it scrolls where it does not fit.
pub(crate) fn drawing(width: f64, height: f64, title: &str, description: &str, id: &str, body: &Markup) -> Markup {
    let (of_title, of_description) = (format!("{id}-t"), format!("{id}-d"));
    html! {
        div class="scroll drawing" tabindex="0" role="region" aria-label=(title) {
            svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } role="img"
                aria-labelledby=(of_title) aria-describedby=(of_description) {
                title id=(of_title) { (title) }
                desc id=(of_description) { (description) }
                (body)
            }
        }
    }
}

/// A paragraph for what the simulator does not know.
pub(crate) fn not_modelled(what: &str) -> Markup {
    html! { p class="note" { (mark(Origin::NotModelled)) " " (what) } }
}
