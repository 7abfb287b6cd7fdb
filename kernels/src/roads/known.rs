//! What is known to differ between the roads: the reviewed list `truth/roads.toml`, for what the other lists do not cover.
//!
//! Of the workbook's cases, `truth/known.toml` and `truth/machine_code.toml` tell what either road counts otherwise than the
//! H200; of the probes, `sim/tests/counters/known.toml` does.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde::Deserialize;

use super::{Roads, Row, Suite, Trouble, Troubled};
use crate::counters::EXACT;
use crate::known_differences::{matches, read};

/// The list that this program was built with.
const TEXT: &str = include_str!("../../truth/roads.toml");
/// Its path from the repository's root, for messages.
pub const FILE: &str = "kernels/truth/roads.toml";

/// A difference that is known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The suite.
    pub suite: Suite,
    /// Versions, probes, sources or files, with `*` for any text.
    pub subjects: BTreeSet<String>,
    /// The kernels, with `*` for any text; all when empty.
    #[serde(default)]
    pub kernels: BTreeSet<String>,
    /// Exact counters by Nsight Compute's names, with `*` for any text.
    #[serde(default)]
    pub counters: BTreeSet<String>,
    /// What else is known: `refused`, `output`, `fault`.
    #[serde(default)]
    pub troubles: BTreeSet<Trouble>,
    /// Why, in a sentence.
    pub cause: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "known")]
    entries: Vec<Entry>,
}

/// The entries, in the order of the file.
///
/// # Errors
/// A sentence that names what is wrong with the file.
pub fn known() -> Result<&'static [Entry], &'static str> {
    static KNOWN: OnceLock<Result<Vec<Entry>, String>> = OnceLock::new();
    KNOWN.get_or_init(|| parse(TEXT)).as_deref().map_err(String::as_str)
}

fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let File { entries } = read(FILE, text).map_err(|error| error.to_string())?;
    for (index, entry) in entries.iter().enumerate() {
        let wrong = |what: String| format!("{FILE}, entry {}: {what}", index + 1);
        if entry.subjects.is_empty() || entry.counters.is_empty() && entry.troubles.is_empty() {
            return Err(wrong("it names no subject, or nothing that differs".to_owned()));
        }
        let none = |pattern: &&String| !EXACT.iter().any(|counter| matches(pattern, counter.metric));
        if let Some(pattern) = entry.counters.iter().find(none) {
            return Err(wrong(format!("`{pattern}` is no exact counter")));
        }
        if !entry.cause.ends_with('.') {
            return Err(wrong(format!("`{}` is no sentence", entry.cause)));
        }
    }
    Ok(entries)
}

fn any(patterns: &BTreeSet<String>, text: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, text))
}

impl Entry {
    fn is_about(&self, suite: Suite, subject: &str) -> bool {
        self.suite == suite && any(&self.subjects, subject)
    }

    fn covers(&self, row: &Row, counter: &str) -> bool {
        self.is_about(row.suite, &row.subject)
            && (self.kernels.is_empty() || any(&self.kernels, &row.kernel))
            && any(&self.counters, counter)
    }

    fn covers_trouble(&self, troubled: &Troubled) -> bool {
        self.is_about(troubled.suite, &troubled.subject) && self.troubles.contains(&troubled.trouble)
    }
}

/// Writes down causes where nothing else has done so. Returns the parts of entries of these suites that nothing needed: a
/// subject's pattern, or what it says of counters or troubles, each as `entry N: PART`.
#[must_use]
pub fn explain(roads: &mut Roads, entries: &[Entry], suites: &[Suite]) -> Vec<String> {
    let mut needed: BTreeSet<(usize, &str)> = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for row in &mut roads.rows {
        let about = row.clone();
        for difference in row.differences.iter_mut().filter(|difference| difference.known.is_none()) {
            let entry = entries.iter().enumerate().find(|(_, entry)| entry.covers(&about, difference.counter));
            let Some((index, entry)) = entry else { continue };
            difference.known = Some(entry.cause.clone());
            let subjects = entry.subjects.iter().filter(|pattern| matches(pattern, &about.subject));
            let counters = entry.counters.iter().filter(|pattern| matches(pattern, difference.counter));
            let kernels = entry.kernels.iter().filter(|pattern| matches(pattern, &about.kernel));
            needed.extend(subjects.chain(counters).chain(kernels).map(|part| (index, part.as_str())));
        }
    }
    for troubled in roads.troubled.iter_mut().filter(|troubled| troubled.known.is_none()) {
        let Some((index, entry)) = entries.iter().enumerate().find(|(_, entry)| entry.covers_trouble(troubled)) else {
            continue;
        };
        troubled.known = Some(entry.cause.clone());
        let subjects = entry.subjects.iter().filter(|pattern| matches(pattern, &troubled.subject));
        needed.extend(subjects.map(|part| (index, part.as_str())));
        seen.insert((index, troubled.trouble));
    }
    let mut idle = Vec::new();
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| suites.contains(&entry.suite)) {
        let parts = entry.subjects.iter().chain(&entry.counters).chain(&entry.kernels);
        let unused = parts.filter(|part| !needed.contains(&(index, part.as_str())));
        idle.extend(unused.map(|part| format!("entry {}: {part}", index + 1)));
        let unused = entry.troubles.iter().filter(|trouble| !seen.contains(&(index, **trouble)));
        idle.extend(unused.map(|trouble| format!("entry {}: {trouble:?}", index + 1)));
    }
    idle
}

#[cfg(test)]
mod tests {
    use super::super::Difference;
    use super::*;

    const COUNTER: &str = "smsp__sass_inst_executed_op_shared_ld.sum";

    fn roads(subject: &str) -> Roads {
        let difference = Difference { counter: COUNTER, ptx: 1, machine_code: 2, known: None };
        let row = Row {
            suite: Suite::Files,
            subject: subject.to_owned(),
            case: String::new(),
            kernel: "k".to_owned(),
            launches: 1,
            counters: 1,
            nonzero: 1,
            differences: vec![difference],
            lines: Vec::new(),
        };
        Roads { rows: vec![row], troubled: Vec::new() }
    }

    #[test]
    fn an_entry_explains_what_it_names_and_must_be_needed_as_a_whole() {
        let text = "[[known]]\nsuite = \"files\"\nsubjects = [\"a*\"]\ncounters = [\"*_op_shared_ld.sum\", \"*_fadd_*\"]\n\
                    cause = \"A test.\"\n";
        let entries = parse(text).unwrap();
        let mut explained = roads("a.cu");
        assert_eq!(explain(&mut explained, &entries, &[Suite::Files]), ["entry 1: *_fadd_*"]);
        assert_eq!(explained.rows[0].unexplained().count(), 0);
        let mut other = roads("b.cu");
        assert_eq!(explain(&mut other, &entries, &[Suite::Files]).len(), 3);
        assert_eq!(other.rows[0].unexplained().count(), 1);
        assert!(explain(&mut roads("b.cu"), &entries, &[Suite::Cases]).is_empty(), "nothing is known of other suites");
    }

    #[test]
    fn an_entry_without_a_counter_or_a_sentence_is_refused() {
        let text = |counter: &str, cause: &str| {
            format!(
                "[[known]]\nsuite = \"files\"\nsubjects = [\"a\"]\ncounters = [\"{counter}\"]\ncause = \"{cause}\"\n"
            )
        };
        for (text, part) in [
            (text("none", "A test."), "`none` is no exact counter"),
            (text(COUNTER, "a test"), "`a test` is no sentence"),
            ("[[known]]\nsuite = \"files\"\nsubjects = [\"a\"]\ncause = \"A.\"\n".to_owned(), "names no subject"),
        ] {
            assert!(parse(&text).unwrap_err().contains(part), "{part}");
        }
        assert!(known().is_ok(), "{known:?}", known = known());
    }
}
