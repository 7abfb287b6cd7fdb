//! What a version is wrong and right about: comments of its source that become sentences below its listing.
//!
//! A comment that begins with `Wrong about` or `Right about` ends the part that is code: from there to the end of its
//! block of comments it is prose, one paragraph per label, and another one where a line ends with a sentence and has room
//! for the next word.

use crate::console::WIDTH;
use crate::html::{Markup, html, sentence};

/// How such a comment begins.
const LABELS: [&str; 2] = ["Wrong about", "Right about"];

/// Takes the comments out of a listing's lines; the paragraphs that they are.
pub(crate) fn take(lines: &mut Vec<(u32, &str)>) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut before: Option<(u32, &str)> = None;
    lines.retain(|&(number, line)| {
        let comment = line.trim_start().strip_prefix("//").map(str::trim);
        let follows = before.filter(|(last, _)| last + 1 == number);
        let Some(comment) = comment.filter(|own| follows.is_some() || is_label(own)) else {
            before = None;
            return true;
        };
        let ended = |last: &str| {
            let next = comment.split(' ').next().unwrap_or_default();
            last.trim_end().is_empty()
                || last.trim_end().ends_with("//")
                || (last.ends_with('.') && last.chars().count() + 1 + next.chars().count() <= WIDTH)
        };
        match (follows, paragraphs.last_mut()) {
            (Some((_, last)), Some(paragraph)) if !is_label(comment) && !ended(last) => {
                paragraph.push(' ');
                paragraph.push_str(comment);
            }
            _ if comment.is_empty() => {}
            _ => paragraphs.push(comment.to_owned()),
        }
        before = Some((number, line));
        false
    });
    paragraphs
}

fn is_label(comment: &str) -> bool {
    LABELS.iter().any(|label| comment.starts_with(label))
}

/// The label of a paragraph and what follows it, where it has one.
fn labelled(paragraph: &str) -> Option<(&str, &str)> {
    paragraph.split_once(": ").filter(|_| is_label(paragraph))
}

/// The paragraphs as HTML without blank lines; nothing if there are none.
pub(crate) fn shown(paragraphs: &[String]) -> Markup {
    html! {
        @if !paragraphs.is_empty() {
            div class="wb-verdict" {
                "\n"
                @for text in paragraphs {
                    p {
                        @if let Some((label, rest)) = labelled(text) { b { (sentence(label)) ":" } " " (sentence(rest)) }
                        @else { (sentence(text)) }
                    }
                    "\n"
                }
            }
            "\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labelled_comments_become_paragraphs_and_leave_the_listing() {
        let source = "// What it does.\n// Wrong about it: `a < b`\n// is slow.\n// Right about it: the result.\n// One more.\nint a;\n// a comment\nint b;";
        let mut lines: Vec<(u32, &str)> = source.lines().enumerate().map(|(at, line)| (at as u32 + 1, line)).collect();
        let paragraphs = take(&mut lines);
        assert_eq!(paragraphs, ["Wrong about it: `a < b` is slow.", "Right about it: the result.", "One more."]);
        let left: Vec<u32> = lines.iter().map(|(number, _)| *number).collect();
        assert_eq!(left, [1, 6, 7, 8]);
        let html = shown(&paragraphs).0;
        assert!(html.contains("<p><b>Wrong about it:</b> <code>a &lt; b</code> is slow.</p>"), "{html}");
        assert!(html.contains("<p>One more.</p>"), "{html}");
    }

    #[test]
    fn a_listing_without_such_comments_stays() {
        let mut lines = vec![(1, "// Wrong: x"), (2, "int a;")];
        assert!(take(&mut lines).is_empty() && lines.len() == 2);
        assert_eq!(shown(&[]).0, "");
    }
}
