//! One launch as its sections see it: its place on the page, and where its lines lie.

use std::collections::BTreeMap;

use maud::{Markup, html};
use sim::Report;

use crate::data::{Launch, Profile};
use crate::origin::Origin;

/// The source files of a page, each with its number.
#[derive(Debug, Default)]
pub(crate) struct Files(BTreeMap<String, usize>);

impl Files {
    /// Those that any part of the reports names.
    pub(crate) fn of(profile: &Profile<'_>) -> Self {
        let mut files = BTreeMap::new();
        for Launch { report, advice, .. } in &profile.launches {
            let listing = report.machine_code.iter().flat_map(|code| &code.listing);
            let parties = report.findings.iter().flat_map(|finding| &finding.parties);
            let names = (report.lines.iter().map(|line| &line.file))
                .chain(report.findings.iter().map(|finding| &finding.file))
                .chain(parties.map(|party| &party.file))
                .chain(listing.map(|instruction| &instruction.file))
                .chain(advice.iter().copied().flatten().map(|advice| &advice.file));
            for name in names.filter(|name| !name.is_empty()) {
                let next = files.len();
                files.entry(name.clone()).or_insert(next);
            }
        }
        Self(files)
    }

    /// What stands for a line in the page: the same for its source, its machine code and its PTX.
    pub(crate) fn key(&self, file: &str, line: u32) -> Option<String> {
        self.0.get(file).filter(|_| line > 0).map(|number| format!("{number}-{line}"))
    }
}

/// One launch of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown<'a> {
    /// The page.
    pub(crate) profile: &'a Profile<'a>,
    /// The launch.
    pub(crate) launch: &'a Launch<'a>,
    /// Its report.
    pub(crate) report: &'a Report,
    /// Its number, from 1.
    pub(crate) number: usize,
    /// The page's files.
    pub(crate) files: &'a Files,
    /// What its counters are.
    pub(crate) counters: Origin,
}

impl Shown<'_> {
    /// The name of one of its elements: `l1-memory`.
    pub(crate) fn id(&self, part: &str) -> String {
        format!("l{}-{part}", self.number)
    }

    /// What the GPU counted of a metric, where that is this launch alone.
    pub(crate) fn measured(&self, metric: &str) -> Option<u64> {
        let gpu = self.profile.gpu.as_ref().filter(|_| self.profile.launches.len() == 1)?;
        gpu.measured(metric)
    }

    /// Whether something was counted: not, where only a sample ran for the time.
    pub(crate) fn counted(&self) -> bool {
        !self.report.metrics.is_empty()
    }

    /// A source line, as a link to its row in the source view.
    pub(crate) fn place(&self, file: &str, line: u32) -> Markup {
        match self.files.key(file, line) {
            Some(key) => html! { a href={ "#" (self.id("s")) (key) } data-go=(key) { (file) ":" (line) } },
            None if file.is_empty() => html! { "no source line" },
            None => html! { (file) ":" (line) },
        }
    }
}
