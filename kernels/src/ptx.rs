//! The committed PTX: that of the book's kernels, `kernels/ptx/NAME.ptx`, made from `kernels/cu/NAME.cu`, and that of
//! the simulator's catalogue of faulty and correct kernels, `sim/tests/{faulty,correct}/NAME.ptx`, made from the
//! `NAME.cu` beside it.
//!
//! It is committed so that a machine without CUDA can simulate every one of these kernels. A header of comments says
//! what it was made from and with; the header's hash of the source tells whether it is stale. To add a problem: write
//! `cu/NAME.cu`, run `warpbook dev ptx`, and add a line to the table `COMMITTED`.

pub use cuda::digest::{hex, sha256};

/// The problems of the book, with their sources and PTX.
const COMMITTED: &[(&str, &str, &str)] = &[
    ("array_scan", include_str!("../cu/array_scan.cu"), include_str!("../ptx/array_scan.ptx")),
    ("compaction", include_str!("../cu/compaction.cu"), include_str!("../ptx/compaction.ptx")),
    ("copy", include_str!("../cu/copy.cu"), include_str!("../ptx/copy.ptx")),
    ("histogram", include_str!("../cu/histogram.cu"), include_str!("../ptx/histogram.ptx")),
    ("merge_sort", include_str!("../cu/merge_sort.cu"), include_str!("../ptx/merge_sort.ptx")),
    ("radix_sort", include_str!("../cu/radix_sort.cu"), include_str!("../ptx/radix_sort.ptx")),
    ("reduce_by_key", include_str!("../cu/reduce_by_key.cu"), include_str!("../ptx/reduce_by_key.ptx")),
    ("reduction", include_str!("../cu/reduction.cu"), include_str!("../ptx/reduction.ptx")),
    ("scan", include_str!("../cu/scan.cu"), include_str!("../ptx/scan.ptx")),
    ("summed_area_table", include_str!("../cu/summed_area_table.cu"), include_str!("../ptx/summed_area_table.ptx")),
];

/// The first line of every committed PTX.
const TITLE: &str = "// Made by `warpbook dev ptx`. Do not edit: edit the source and make it again.";

/// The committed PTX of one problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommittedPtx {
    /// The problem's name, such as `scan`.
    pub problem: &'static str,
    /// The PTX, header included.
    pub text: &'static str,
    /// The CUDA source that lies beside it in this build.
    pub source: &'static str,
    /// What the header says.
    pub header: Header<'static>,
}

impl CommittedPtx {
    /// Whether the PTX was made from exactly this source.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.header.source_sha256 == sha256(self.source)
    }
}

/// What the comments at the top of a committed PTX say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// The source's path from the repository's root, such as `kernels/cu/scan.cu`.
    pub source: &'a str,
    /// Lower-case hexadecimal SHA-256 of the source's bytes.
    pub source_sha256: &'a str,
    /// NVRTC's exact version, such as `13.0.88`.
    pub nvrtc: &'a str,
    /// NVRTC's options, with blanks between them.
    pub options: &'a str,
}

impl<'a> Header<'a> {
    /// Reads the header of a PTX; None if it has none, or not a whole one.
    #[must_use]
    pub fn parse(ptx: &'a str) -> Option<Self> {
        let mut lines = ptx.lines();
        (lines.next()? == TITLE).then_some(())?;
        let mut field = |name: &str| lines.next()?.strip_prefix("// ")?.strip_prefix(name)?.strip_prefix(": ");
        Some(Self {
            source: field("source")?,
            source_sha256: field("source SHA-256")?,
            nvrtc: field("NVRTC")?,
            options: field("options")?,
        })
    }
}

impl std::fmt::Display for Header<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{TITLE}")?;
        writeln!(f, "// source: {}", self.source)?;
        writeln!(f, "// source SHA-256: {}", self.source_sha256)?;
        writeln!(f, "// NVRTC: {}", self.nvrtc)?;
        writeln!(f, "// options: {}", self.options)
    }
}

/// The names of the problems whose PTX is committed.
pub fn problems() -> impl Iterator<Item = &'static str> {
    COMMITTED.iter().map(|(problem, ..)| *problem)
}

/// The committed PTX of a problem, such as `scan`. None if the book has no such problem, or if its PTX has no header
/// (a test makes sure that each has one).
#[must_use]
pub fn committed(problem: &str) -> Option<CommittedPtx> {
    let &(problem, source, text) = COMMITTED.iter().find(|(name, ..)| *name == problem)?;
    Some(CommittedPtx { problem, text, source, header: Header::parse(text)? })
}

/// SHA-256 of what a PTX file makes a GPU do: comments, blank lines and line tables are left out, so that a changed
/// comment in the source does not make a record of the hardware worthless.
#[must_use]
pub fn code_sha256(ptx: &str) -> String {
    let mut code = String::with_capacity(ptx.len());
    for line in ptx.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if !line.is_empty() && !line.starts_with(".loc") && !line.starts_with(".file") {
            code.push_str(line);
            code.push('\n');
        }
    }
    sha256(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_changes_no_code() {
        let code = code_sha256("// by NVRTC\n.file 1 \"a.cu\"\n\t.loc 1 2 3\n\tadd.s32 %r1, %r2, 1; // sum\n");
        assert_eq!(code, code_sha256("  add.s32 %r1, %r2, 1;"));
        assert_ne!(code, code_sha256("  add.s32 %r1, %r2, 2;"));
    }

    #[test]
    fn a_header_reads_as_it_was_written() {
        let header =
            Header { source: "kernels/cu/scan.cu", source_sha256: "00ff", nvrtc: "13.0.88", options: "--a --b" };
        let ptx = format!("{header}//\n// Generated by NVIDIA NVVM Compiler\n");
        assert_eq!(Header::parse(&ptx), Some(header));
    }

    #[test]
    fn a_missing_or_cut_header_is_none() {
        assert_eq!(Header::parse(""), None);
        assert_eq!(Header::parse(".version 9.0\n"), None);
        assert_eq!(Header::parse(&format!("{TITLE}\n// source: kernels/cu/scan.cu\n")), None);
    }
}
