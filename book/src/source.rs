//! Regions of CUDA sources: the lines between `// ANCHOR: NAME` and `// ANCHOR_END: NAME`.

/// Some lines of a source file, with their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region<'a> {
    /// Line numbers, from 1, and texts. Anchor comments are left out, and so are blank lines at both ends.
    pub(crate) lines: Vec<(u32, &'a str)>,
}

impl<'a> Region<'a> {
    /// The whole of a source.
    pub(crate) fn whole(text: &'a str) -> Self {
        Self::new(text.lines().enumerate())
    }

    /// The region `name` of a source. Regions may be nested.
    ///
    /// # Errors
    /// A sentence when the region does not exist, begins twice, or does not end.
    pub(crate) fn find(text: &'a str, name: &str) -> Result<Self, String> {
        let mut starts = Vec::new();
        let mut ends = Vec::new();
        for (at, line) in text.lines().enumerate() {
            match anchor(line) {
                Some(Anchor::Start(own)) if own == name => starts.push(at),
                Some(Anchor::End(own)) if own == name => ends.push(at),
                _ => {}
            }
        }
        match (&*starts, &*ends) {
            ([start], [end]) if start < end => {
                Ok(Self::new(text.lines().enumerate().skip(start + 1).take(end - start - 1)))
            }
            ([], _) => {
                let known: Vec<&str> = text
                    .lines()
                    .filter_map(|line| match anchor(line) {
                        Some(Anchor::Start(name)) => Some(name),
                        _ => None,
                    })
                    .collect();
                Err(format!("there is no region `{name}` in this file; there are {}", known.join(", ")))
            }
            ([start], []) => Err(format!("the region `{name}` begins in line {} and never ends", start + 1)),
            _ => Err(format!("the region `{name}` must begin once and end once after that")),
        }
    }

    fn new(lines: impl Iterator<Item = (usize, &'a str)>) -> Self {
        let mut lines: Vec<(u32, &str)> = lines
            .filter(|(_, line)| anchor(line).is_none())
            .map(|(at, line)| (at as u32 + 1, line.trim_end()))
            .collect();
        let blank_start = lines.iter().take_while(|(_, line)| line.is_empty()).count();
        lines.drain(..blank_start);
        while lines.last().is_some_and(|(_, line)| line.is_empty()) {
            lines.pop();
        }
        Self { lines }
    }
}

enum Anchor<'a> {
    Start(&'a str),
    End(&'a str),
}

fn anchor(line: &str) -> Option<Anchor<'_>> {
    let comment = line.trim().strip_prefix("//")?.trim_start();
    if let Some(name) = comment.strip_prefix("ANCHOR_END:") {
        return Some(Anchor::End(name.trim()));
    }
    comment.strip_prefix("ANCHOR:").map(|name| Anchor::Start(name.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// head\n\n// ANCHOR: outer\n\nint a;\n// ANCHOR: inner\nint b;\n// ANCHOR_END: inner\n\n// ANCHOR_END: outer\nint c;\n// ANCHOR: open\n";

    #[test]
    fn regions_keep_their_line_numbers_and_lose_their_anchors() {
        assert_eq!(Region::find(TEXT, "inner").unwrap().lines, [(7, "int b;")]);
        assert_eq!(Region::find(TEXT, "outer").unwrap().lines, [(5, "int a;"), (7, "int b;")]);
        let whole = Region::whole(TEXT).lines;
        assert_eq!((whole.first(), whole.last()), (Some(&(1, "// head")), Some(&(11, "int c;"))));
    }

    #[test]
    fn a_missing_region_lists_the_others() {
        let error = Region::find(TEXT, "inter").unwrap_err();
        assert_eq!(error, "there is no region `inter` in this file; there are outer, inner, open");
        assert!(Region::find(TEXT, "open").unwrap_err().contains("begins in line 12 and never ends"));
        let twice = "// ANCHOR: a\n// ANCHOR_END: a\n// ANCHOR: a\n";
        assert!(Region::find(twice, "a").unwrap_err().contains("must begin once"));
    }
}
