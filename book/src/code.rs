//! Listings as HTML: lines of code beside their numbers.

use crate::console;
use crate::html::{self, Around, Markdown, Markup, html, joined, text};
use crate::repeats::Part;
use crate::source::Region;

/// What a line of a file's page is linked to by.
pub(crate) fn line_id(file: &str, line: u32) -> String {
    format!("{}-L{line}", file.replace('.', "-"))
}

/// A listing with a gutter of line numbers; with a caption, or with line numbers that can be linked to.
pub(crate) fn listing(region: &Region<'_>, caption: Option<Markup>, linked: Option<&str>) -> Markdown {
    framed(caption, &numbered(&region.lines, linked))
}

/// A listing's parts below its caption.
pub(crate) fn framed(caption: Option<Markup>, body: &Markdown) -> Markdown {
    let frame = Around::of(|content| {
        html! {
            div class="wb-source" {
                "\n"
                @if let Some(caption) = caption { p class="wb-caption" { (caption) } "\n" }
                (content)
            }
            "\n"
        }
    });
    frame.close(body)
}

/// A part of a listing; folded if it stands further up on the page.
pub(crate) fn part(part: &Part<'_>) -> Markdown {
    let code = numbered(&part.lines, None);
    match (&part.same_as, part.lines.first(), part.lines.last()) {
        (Some(name), Some((first, _)), Some((last, _))) => {
            let folded = Around::of(|content| {
                html! {
                    details class="wb-same" {
                        "\n"
                        summary { "Lines " (first) " to " (last) ", the same as in " (html::code(name)) }
                        "\n"
                        (content)
                        "\n"
                    }
                }
            });
            folded.close(&code)
        }
        _ => code,
    }
}

/// Lines of code beside their numbers; a line that goes on has the number 0, which is not shown.
fn numbered(lines: &[(u32, &str)], linked: Option<&str>) -> Markdown {
    let number = |(line, _): &(u32, &str)| match linked {
        Some(file) => html! { span id=(line_id(file, *line)) { (line) } },
        // An empty line would end the block of HTML.
        None if *line == 0 => html! { span {} },
        None => text(line),
    };
    let gutter = joined(lines.iter().map(number), "\n");
    let code: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
    let frame = Around::of(|content| {
        html! { div class="wb-listing" { pre class="wb-gutter" aria-hidden="true" { (gutter) } (content) } }
    });
    let mut body = Markdown::from("\n\n");
    body.fenced("cpp", &code.join("\n"));
    body.push("\n");
    frame.close(&body)
}

/// Lines of a source that must stay as it was recorded, broken where they are wider than the page. Only the first part of
/// a broken line has its number.
pub(crate) fn broken(lines: &[(u32, String)]) -> Vec<(u32, String)> {
    let parts = |(number, line): &(u32, String)| {
        let number = *number;
        let parts = console::broken(line).into_iter().enumerate();
        parts.map(move |(at, part)| (if at == 0 { number } else { 0 }, part)).collect::<Vec<_>>()
    };
    lines.iter().flat_map(parts).collect()
}
