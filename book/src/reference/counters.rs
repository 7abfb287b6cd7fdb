//! A page for every family of counters, with a section for each counter: name, unit, what it counts, whether it is
//! exact, which chapters and exercises use it, and an example.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kernels::known::{self, Kind};

use super::{Page, Sources, anchor, listed};
use crate::fault::Reason;
use crate::html::{Append, Markup, Table, code, html, row, text, texts};
use crate::quantity::{OWN, SUMS};
use crate::runs::{Counter, Runs};

/// A family of counters.
struct Family {
    slug: &'static str,
    title: &'static str,
    /// What they have in common, and where the rule of cost is explained: Markdown from the folder of the pages.
    about: &'static str,
    /// Whether a metric belongs to it.
    has: fn(&str) -> bool,
}

/// The families of counters, each of which is in one.
const FAMILIES: [Family; 7] = [
    Family {
        slug: "shared",
        title: "Counters of shared memory",
        about: "Shared memory has 32 banks of one 4-byte word, and serves one word per bank in a pass, a *wavefront*. What \
                an access of a warp costs follows from its addresses: [shared memory: banks and \
                bank conflicts](../machine/banks.md).",
        has: |metric| !metric.starts_with("warpbook__") && metric.contains("_shared"),
    },
    Family {
        slug: "global",
        title: "Counters of global memory",
        about: "An access of a warp to global memory touches *sectors* of 32 bytes, four of which are a *line*. What it \
                costs follows from its addresses: [global memory: sectors and coalescing](../machine/sectors.md). These counters \
                are those of the instructions, before any cache.",
        has: |metric| metric.starts_with("smsp__") && (metric.contains("_global") || metric.contains("ldgsts")),
    },
    Family {
        slug: "l1",
        title: "Counters of the L1 cache",
        about: "What the instructions of a multiprocessor ask its L1 cache for. How much of it hits is not among them: that \
                depends on what else lies in the cache. Of accesses without atomics these are the same sectors that [global \
                memory](../machine/sectors.md) is asked for.",
        has: |metric| metric.starts_with("l1tex__"),
    },
    Family {
        slug: "l2",
        title: "Counters of the L2 cache",
        about: "Atomics on global memory are done in the L2 cache, which all multiprocessors share. What reaches it is what \
                was not joined in the warp or in the L1 cache: [atomics and contention, votes, \
                shuffles](../machine/votes.md).",
        has: |metric| metric.starts_with("lts__"),
    },
    Family {
        slug: "local",
        title: "Counters of local memory",
        about: "Local memory is each thread’s own: arrays that are indexed by a variable lie there, and what does not fit \
                into registers. It is cached global memory, so a kernel that should be fast has zeros here.",
        has: |metric| !metric.starts_with("warpbook__") && metric.contains("_local"),
    },
    Family {
        slug: "lanes",
        title: "Counters of arithmetic and of communication between lanes",
        about: "These are counted per *thread*: an instruction that a warp executes with 20 lanes counts 20 times. A lane \
                that a predicate switches off does not count.",
        has: |metric| metric.contains("thread_inst_executed") && metric.starts_with("smsp__"),
    },
    Family {
        slug: "own",
        title: "Counters that only the simulator has",
        about: "Their names begin with `warpbook__`. They are not compared with a GPU: some count PTX instructions, which a \
                GPU does not execute, and others were not measured. Nsight Compute has the ideal and the excessive ones, too, \
                as `memory_l1_wavefronts_shared_ideal` and `memory_l2_theoretical_sectors_global_ideal`.",
        has: |metric| metric.starts_with("warpbook__"),
    },
];

/// What a unit means.
fn unit_rule(unit: &str) -> &'static str {
    match unit {
        "warp instructions" => "one for each execution by a warp with at least one active lane",
        "thread instructions" => "one for each active lane of an execution",
        "wavefronts" => "one for each pass through the 32 banks",
        "sectors" => "one for each different 32-byte piece that the lanes of a warp touch together",
        "lines" => "one for each different 128-byte piece that the lanes of a warp touch together",
        "requests" => "one for each request from one unit of the GPU to another",
        "bytes" => "those that the lanes of a warp address together, each element once",
        _ => "one for each execution by a warp",
    }
}

/// All counters of a family, in the order in which tables show them.
fn members(family: &Family, runs: &dyn Runs) -> Vec<Counter> {
    let own = OWN.iter().map(|own| Counter {
        metric: own.metric.to_owned(),
        label: own.label.to_owned(),
        unit: own.unit.to_owned(),
        meaning: own.meaning.to_owned(),
    });
    runs.counters().into_iter().chain(own).filter(|counter| (family.has)(&counter.metric)).collect()
}

/// The title of a counter's section.
fn heading(counter: &Counter) -> String {
    let mut chars = counter.label.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The pages.
///
/// # Errors
/// A counter without a family, or a list that cannot be read.
pub(crate) fn pages(from: &Sources<'_>) -> Result<Vec<Page>, Reason> {
    if let Some(lost) = from.runs.counters().iter().find(|c| !FAMILIES.iter().any(|family| (family.has)(&c.metric))) {
        return Err(Reason::Wrong(format!(
            "the counter {} belongs to no family in book/src/reference/counters.rs",
            lost.metric
        )));
    }
    FAMILIES.iter().filter_map(|family| page(family, from).transpose()).collect()
}

fn page(family: &Family, from: &Sources<'_>) -> Result<Option<Page>, Reason> {
    let members = members(family, from.runs);
    if members.is_empty() {
        return Ok(None);
    }
    let mut text = format!("{}\n", family.about);
    for counter in &members {
        text += &section(counter, from)?;
    }
    let minutes = members.len().div_ceil(3) as u32;
    Ok(Some(Page { slug: family.slug.to_owned(), title: family.title.to_owned(), text, minutes }))
}

fn section(counter: &Counter, from: &Sources<'_>) -> Result<String, Reason> {
    let Counter { metric, label, unit, meaning } = counter;
    let name = html! { p class="wb-metric" { (code(metric)) } }.into_string();
    let mut text = format!("\n## {}\n\n{name}\n\n{meaning}\n\n", heading(counter));
    let _ = writeln!(text, "- **Unit:** {unit}, {}.", unit_rule(unit));
    let _ = writeln!(text, "- **Exact:** {}", exactness(metric)?);
    let chapters: Vec<String> = (from.chapters.iter())
        .filter(|(_, _, content)| speaks_of(content, counter))
        .map(|(path, title, _)| format!("[{title}](../{})", path.display()))
        .collect();
    if !chapters.is_empty() {
        let _ = writeln!(text, "- **Numbers of it in:** {}.", listed(&chapters));
    }
    let contracts: Vec<String> = (from.exercises.iter())
        .filter(|exercise| exercise.counters.contains(&**metric))
        .map(super::exercises::Exercise::shown)
        .collect();
    if !contracts.is_empty() {
        let _ = writeln!(text, "- **Exercises that limit it:** {}.", listed(&contracts));
    }
    match from.runs.example(metric).map_err(Reason::Wrong)? {
        Some((kernel, case)) => {
            let _ = write!(text, "\n{{{{#wb counters kernel={kernel} case=\"{case}\" rows=\"{label}\"}}}}\n");
        }
        None => text += "\nNo kernel of the workbook has anything to count here.\n",
    }
    Ok(text)
}

/// Whether a counter is compared, and what is known to differ.
fn exactness(metric: &str) -> Result<String, Reason> {
    if metric.starts_with("warpbook__") {
        return Ok("no GPU has it, so there is nothing to compare.".to_owned());
    }
    let known = known::known().map_err(|why| Reason::Wrong(why.to_owned()))?;
    let mut causes: BTreeMap<&str, (String, usize)> = BTreeMap::new();
    for entry in known.entries.iter().filter(|entry| entry.counters.contains(metric)) {
        let what = match entry.kind {
            Kind::Lowering => "the simulator does otherwise",
            Kind::Noise => "the hardware does not repeat it",
        };
        let place = causes.entry(&entry.page).or_insert_with(|| (what.to_owned(), 0));
        place.1 += entry.versions.len();
    }
    let yes = "yes, the simulator’s number must be the GPU’s for every recorded input";
    if causes.is_empty() {
        return Ok(format!("{yes}."));
    }
    let list: Vec<String> = (causes.iter())
        .map(|(page, (what, versions))| {
            let heading = page.split_once('#').map_or("the list", |(_, heading)| heading).replace('-', " ");
            let plural = if *versions == 1 { "" } else { "s" };
            format!("{versions} version{plural} ([{heading}](../{page}): {what})")
        })
        .collect();
    Ok(format!("{yes}, except in {}.", list.join(", ")))
}

/// Whether a chapter's directives ask for a counter, by itself or as part of a sum.
fn speaks_of(text: &str, counter: &Counter) -> bool {
    let sums = SUMS.iter().filter(|(_, metrics)| metrics.contains(&&*counter.metric)).map(|(name, _)| *name);
    let names: Vec<&str> = sums.chain([&*counter.label]).collect();
    let directives = text.split("{{#wb ").skip(1).filter_map(|rest| rest.split_once("}}")).map(|(inside, _)| inside);
    directives.into_iter().any(|inside| {
        let folded = inside.split_whitespace().collect::<Vec<_>>().join(" ");
        let values = ["of=\"", "rows=\""].into_iter().flat_map(|key| folded.split(key).skip(1));
        let lists: Vec<&str> = values.filter_map(|rest| rest.split('"').next()).collect();
        lists.iter().flat_map(|list| list.split(';')).any(|name| names.contains(&name.trim()))
    })
}

/// `counter-index`: every counter with a link to its section. `to` leads to the pages.
pub(crate) fn index(runs: &dyn Runs, to: &str) -> Markup {
    let mut tables = Markup::default();
    for family in &FAMILIES {
        let members = members(family, runs);
        if members.is_empty() {
            continue;
        }
        let mut table = Table { text_columns: 3, ..Table::default() };
        table.caption = html! { a href={ (to) (family.slug) ".html" } { (family.title) } };
        table.heads = texts(["counter", "Nsight Compute’s name", "unit"]);
        if family.slug == "own" {
            table.heads[1] = text("name");
        }
        for counter in members {
            let link = format!("{to}{}.html#{}", family.slug, anchor(&counter.label));
            table.rows.push(row![html! { a href=(link) { (counter.label) } }, code(&counter.metric), counter.unit,]);
        }
        tables.add(table.html());
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RealRuns;

    #[test]
    fn every_counter_is_in_one_family_and_on_its_page() {
        let runs = RealRuns::new();
        let mut all = runs.counters().into_iter().map(|counter| counter.metric).collect::<Vec<_>>();
        all.extend(sim::observe::metrics::OWN.iter().map(|own| own.name.to_owned()));
        for metric in &all {
            assert_eq!(FAMILIES.iter().filter(|family| (family.has)(metric)).count(), 1, "{metric}");
        }
        let index = index(&runs, "counters/").0;
        assert_eq!(index.matches("<a href=").count(), all.len() + FAMILIES.len());
        for metric in &all {
            assert!(index.contains(&**metric), "{metric} has a name and a meaning in quantity::OWN");
        }
    }

    #[test]
    fn a_chapter_speaks_of_what_its_directives_ask_for() {
        let counter = |label: &str, metric: &str| Counter {
            metric: metric.to_owned(),
            label: label.to_owned(),
            unit: "wavefronts".to_owned(),
            meaning: String::new(),
        };
        let loads = counter("shared load wavefronts", SUMS[0].1[0]);
        assert!(speaks_of("{{#wb number kernel=a case=b\n of=\"shared\n wavefronts\"}}", &loads), "as part of a sum");
        assert!(speaks_of("{{#wb counters rows=\"time; shared load wavefronts\"}}", &loads));
        assert!(!speaks_of("shared load wavefronts {{#wb number of=\"time\"}}", &loads));
        assert!(!speaks_of("{{#wb counters rows=\"all shared load wavefronts\"}}", &loads));
    }
}
