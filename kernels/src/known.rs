//! What the simulator is known to count differently from a GPU: the reviewed list `truth/known.toml`.
//!
//! Every difference that no entry covers is a failure of the comparison, and so is every entry that nothing needs any
//! more: [`Usage`] collects which parts of an entry a comparison has needed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::counters::EXACT;
use crate::known_differences::{is_newer, matches, numbers, read};
use crate::problem;
use crate::truth::Provenance;

/// The list that this program was built with.
const TEXT: &str = include_str!("../truth/known.toml");
/// Its path from the repository's root, for messages.
pub const FILE: &str = "kernels/truth/known.toml";

/// What kind of difference it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The compiler or a cache does what the simulator does not do. Where the two agree, they agree.
    Lowering,
    /// The hardware itself does not repeat the counter from run to run: it is not compared.
    Noise,
}

/// A difference that is known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The problem.
    pub problem: String,
    /// The versions. Each shows the difference.
    pub versions: BTreeSet<String>,
    /// The kernels that differ, where a version launches several; all when empty.
    #[serde(default)]
    pub kernels: BTreeSet<String>,
    /// Names of cases, with `*` for any text; all when empty.
    #[serde(default)]
    pub cases: BTreeSet<String>,
    /// The exact counters, by Nsight Compute's names. In the file a name that begins with `@` stands for a group.
    pub counters: BTreeSet<String>,
    /// The kind.
    pub kind: Kind,
    /// Why, as far as it is known, in a sentence.
    pub cause: String,
    /// The page of the book that explains it, with the heading: `truth.md#reductions-of-vectors`.
    pub page: String,
    /// The day on which it was seen: YYYY-MM-DD.
    pub since: String,
    /// The newest CUDA version whose compiler was looked at, such as `13.0`. With the record of a newer one the entry
    /// covers nothing.
    pub until: String,
}

/// The list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Compute capability of the GPUs that the entries are about.
    pub capability: String,
    /// The entries, in the order of the file.
    pub entries: Vec<Entry>,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    capability: String,
    #[serde(default)]
    groups: BTreeMap<String, BTreeSet<String>>,
    known: Vec<Entry>,
}

/// A counter of a case.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The case.
    pub case: &'a Case,
    /// The kernel of a group of its launches; None for all launches together.
    pub kernel: Option<&'a str>,
    /// The counter.
    pub metric: &'a str,
}

/// The list that this program was built with.
///
/// # Errors
/// A sentence that names what is wrong with the file.
pub fn known() -> Result<&'static Known, &'static str> {
    static KNOWN: OnceLock<Result<Known, String>> = OnceLock::new();
    KNOWN.get_or_init(|| Known::parse(TEXT)).as_ref().map_err(String::as_str)
}

impl Known {
    /// Reads a list.
    ///
    /// # Errors
    /// A sentence with the place: it is no list, or it names a problem, version, counter or group that does not exist.
    pub fn parse(text: &str) -> Result<Self, String> {
        let File { capability, groups, known: mut entries } = read(FILE, text).map_err(|error| error.to_string())?;
        for (index, entry) in entries.iter_mut().enumerate() {
            let wrong = |what: String| format!("{FILE}, entry {} ({}): {what}", index + 1, entry.problem);
            let problem = problem::find(&entry.problem).ok_or_else(|| wrong("there is no such problem".to_owned()))?;
            let unknown = entry.versions.iter().find(|version| !problem.versions.contains(&version.as_str()));
            if let Some(version) = unknown {
                return Err(wrong(format!("`{version}` is no version of it")));
            }
            if numbers(&entry.until).is_empty() {
                return Err(wrong(format!("until: `{}` is no version", entry.until)));
            }
            let mut counters = BTreeSet::new();
            for counter in &entry.counters {
                match counter.strip_prefix('@') {
                    Some(group) => {
                        let group = groups.get(group).ok_or_else(|| wrong(format!("there is no group `{group}`")))?;
                        counters.extend(group.iter().cloned());
                    }
                    None => {
                        counters.insert(counter.clone());
                    }
                }
            }
            if let Some(counter) = counters.iter().find(|name| !EXACT.iter().any(|exact| exact.metric == **name)) {
                return Err(wrong(format!("`{counter}` is no exact counter")));
            }
            if counters.is_empty() || entry.versions.is_empty() {
                return Err(wrong("it names no counter or no version".to_owned()));
            }
            entry.counters = counters;
        }
        Ok(Self { capability, entries })
    }

    /// The entry that covers a counter as a record has it, with its number; None also where the record is of a GPU or a
    /// compiler that nobody has looked at.
    pub fn find(&self, place: Place<'_>, record: &Provenance) -> Option<(usize, &Entry)> {
        let applies = |entry: &Entry| self.applies(entry, record) && entry.covers(place);
        self.entries.iter().enumerate().find(|(_, entry)| applies(entry))
    }

    /// Whether an entry may be used with a record.
    pub fn applies(&self, entry: &Entry, record: &Provenance) -> bool {
        record.compute_capability == self.capability && !entry.is_expired(&record.cuda)
    }

    /// What has to be looked at: entries whose compiler is older than the record's, and entries or parts of them that a
    /// comparison of all their cases did not need. Sentences.
    pub fn review(&self, usage: &Usage, cases: &[Case], records: &[&Provenance]) -> Vec<String> {
        let mut review = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let Some((_, record)) = usage.records.iter().find(|(problem, _)| *problem == entry.problem) else {
                continue;
            };
            let record = records[*record];
            if record.compute_capability != self.capability {
                continue;
            }
            let name = format!("{FILE}, entry {} ({}: {})", index + 1, entry.problem, first_words(&entry.cause));
            if entry.is_expired(&record.cuda) {
                review.push(format!(
                    "{name}: looked at until CUDA {}, and the record is of CUDA {}; look at it again",
                    entry.until, record.cuda
                ));
                continue;
            }
            let covered = |case: &&Case| entry.versions.contains(case.version) && entry.problem == case.problem;
            let took_part = cases.iter().filter(covered).count();
            let all = problem::find(&entry.problem).map(|problem| (problem.cases)()).unwrap_or_default();
            if took_part < all.iter().filter(covered).count() {
                continue;
            }
            let used = usage.used.get(&index).cloned().unwrap_or_default();
            let unused = [
                ("version", entry.versions.iter().filter(|name| !used.versions.contains(*name)).collect::<Vec<_>>()),
                ("kernel", entry.kernels.iter().filter(|name| !used.kernels.contains(*name)).collect()),
                ("case", entry.cases.iter().filter(|name| !used.cases.contains(*name)).collect()),
                ("counter", entry.counters.iter().filter(|name| !used.counters.contains(*name)).collect()),
            ];
            for (what, names) in unused {
                if let [first, rest @ ..] = &names[..] {
                    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
                    review.push(format!(
                        "{name}: no case needs it for the {what} `{first}`{more}; take that out of the entry"
                    ));
                }
            }
        }
        review
    }
}

impl Entry {
    /// Whether the entry is about this counter.
    pub fn covers(&self, place: Place<'_>) -> bool {
        let Place { case, kernel, metric } = place;
        self.problem == case.problem
            && self.versions.contains(case.version)
            && self.counters.contains(metric)
            && kernel.is_none_or(|kernel| self.kernels.is_empty() || self.kernels.contains(kernel))
            && (self.cases.is_empty() || self.cases.iter().any(|pattern| matches(pattern, &case.name)))
    }

    /// Whether nobody has looked at what this compiler does.
    fn is_expired(&self, cuda: &str) -> bool {
        is_newer(cuda, &self.until)
    }
}

/// Which parts of the entries a comparison has needed.
#[derive(Debug, Clone, Default)]
pub struct Usage {
    used: BTreeMap<usize, Parts>,
    /// Which of the comparison's records belongs to which problem.
    records: Vec<(String, usize)>,
}

#[derive(Debug, Clone, Default)]
struct Parts {
    versions: BTreeSet<String>,
    kernels: BTreeSet<String>,
    cases: BTreeSet<String>,
    counters: BTreeSet<String>,
}

impl Usage {
    /// Notes that record number `index` was compared with, which is about this problem.
    pub fn compared(&mut self, problem: &str, index: usize) {
        self.records.push((problem.to_owned(), index));
    }

    /// Notes that a difference, or a counter that was not repeated, needed an entry.
    pub fn needed(&mut self, known: &Known, entry: usize, place: Place<'_>) {
        let parts = self.used.entry(entry).or_default();
        parts.versions.insert(place.case.version.to_owned());
        parts.kernels.extend(place.kernel.map(str::to_owned));
        parts.counters.insert(place.metric.to_owned());
        let patterns = known.entries[entry].cases.iter().filter(|pattern| matches(pattern, &place.case.name));
        parts.cases.extend(patterns.cloned());
    }
}

/// The beginning of a sentence.
fn first_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let end = if words.len() > 8 { " …" } else { "" };
    words.iter().take(8).copied().collect::<Vec<_>>().join(" ") + end
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::Path;

    use super::*;
    use crate::cases;

    const ENTRY: &str = r#"
        capability = "9.0"
        [groups]
        two = ["smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared.sum"]
        [[known]]
        problem = "scan"
        versions = ["scan_naive"]
        cases = ["tile 64, *"]
        counters = ["@two"]
        kind = "lowering"
        cause = "A test."
        page = "truth.md#a-test"
        since = "2026-11-21"
        until = "13.0"
    "#;

    /// Makes sure that the page that an entry names is in the book, with its heading.
    pub(crate) fn assert_heading(page: &str) {
        let (page, heading) = page.split_once('#').expect("a page with a heading");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/chapters").join(page);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let slug = |line: &str| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || " -".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
        };
        let found = text.lines().filter(|line| line.starts_with('#')).any(|line| slug(line) == heading);
        assert!(found, "{page} has no heading `{heading}`");
    }

    #[test]
    fn the_list_can_be_read_and_every_page_has_its_heading() {
        let known = known().unwrap_or_else(|why| panic!("{why}"));
        for entry in &known.entries {
            assert_heading(&entry.page);
            assert!(entry.cause.ends_with('.') && entry.since.len() == "2026-11-21".len(), "{entry:?}");
            let stars = entry.cases.iter().all(|pattern| pattern != "*");
            assert!(stars, "leave `cases` out for all cases: {entry:?}");
        }
    }

    #[test]
    fn what_does_not_exist_is_named() {
        assert_eq!(Known::parse(ENTRY).unwrap().entries[0].counters.len(), 2);
        for (from, to, says) in [
            ("\"scan\"", "\"scam\"", "there is no such problem"),
            ("scan_naive", "scan_nave", "`scan_nave` is no version of it"),
            ("@two", "@three", "there is no group `three`"),
            ("\"@two\"", "\"smsp__x.sum\"", "`smsp__x.sum` is no exact counter"),
            ("[\"@two\"]", "[]", "no counter or no version"),
            ("\"13.0\"", "\"new\"", "`new` is no version"),
            ("lowering", "luck", "unknown variant"),
        ] {
            let error = Known::parse(&ENTRY.replace(from, to)).unwrap_err();
            assert!(error.contains(says) && error.contains("known.toml"), "{error}");
        }
    }

    #[test]
    fn patterns_have_stars() {
        assert!(matches("tile 64, *", "tile 64, 1 block") && matches("*block*", "tile 64, 2 blocks + 1"));
        assert!(matches("a", "a") && !matches("a", "ab") && !matches("*b", "abc") && matches("*", ""));
        assert!(matches("1×*", "1×128, ones"));
    }

    #[test]
    fn an_entry_that_nothing_needs_or_that_is_too_old_asks_for_a_look() {
        let known = Known::parse(ENTRY).unwrap();
        let cases = cases::select(&["scan_naive"]).unwrap();
        let mut record = crate::truth::tests::synthetic("scan", &cases).provenance;
        let small = cases.iter().find(|case| case.name.starts_with("tile 64, ")).unwrap();
        let large = cases.iter().find(|case| !case.name.starts_with("tile 64, ")).unwrap();
        let metrics: Vec<&str> = known.entries[0].counters.iter().map(String::as_str).collect();
        let place = |case, metric| Place { case, kernel: Some("scan_naive"), metric };
        assert_eq!(known.find(place(small, metrics[0]), &record).map(|(index, _)| index), Some(0));
        assert!(known.find(place(large, metrics[0]), &record).is_none());
        assert!(known.find(place(small, EXACT[0].metric), &record).is_none() || metrics.contains(&EXACT[0].metric));

        let mut usage = Usage::default();
        usage.compared("scan", 0);
        let review = known.review(&usage, &cases, &[&record]);
        assert_eq!(review.len(), 3, "{review:?}");
        assert!(review[0].contains("no case needs it for the version `scan_naive`"), "{review:?}");
        usage.needed(&known, 0, place(small, metrics[0]));
        let review = known.review(&usage, &cases, &[&record]);
        assert_eq!(review.len(), 1, "{review:?}");
        assert!(review[0].contains(&format!("the counter `{}`", metrics[1])), "{review:?}");
        usage.needed(&known, 0, place(small, metrics[1]));
        assert!(known.review(&usage, &cases, &[&record]).is_empty());
        // A part of the cases says nothing about an entry.
        assert!(known.review(&Usage { used: BTreeMap::new(), ..usage.clone() }, &cases[1..], &[&record]).is_empty());

        record.cuda = "13.1".to_owned();
        assert!(known.find(place(small, metrics[0]), &record).is_none());
        let review = known.review(&usage, &cases, &[&record]);
        assert!(review[0].contains("until CUDA 13.0, and the record is of CUDA 13.1"), "{review:?}");
        record.compute_capability = "8.0".to_owned();
        assert!(known.review(&usage, &cases, &[&record]).is_empty());
    }
}
