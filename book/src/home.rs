//! Where a reader meets a version.

use crate::html::{Markup, breakable, html};

/// Where a reader meets a version: the page, from 0, and the heading above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) page: usize,
    pub(crate) anchor: Option<String>,
}

/// A link to where a version is met, for a table: its name alone where the chapter says nothing of it.
pub(crate) fn link(name: &str, home: Option<&Home>, files: &[String], own: usize) -> Markup {
    let shown = breakable(name);
    match home {
        Some(Home { page, anchor }) => {
            let file = if *page == own { "" } else { files.get(*page).map_or("", |file| &**file) };
            let fragment = anchor.as_ref().map(|anchor| format!("#{anchor}")).unwrap_or_default();
            if file.is_empty() && fragment.is_empty() {
                shown
            } else {
                html! { a href={ (file) (fragment) } { (shown) } }
            }
        }
        None => shown,
    }
}
