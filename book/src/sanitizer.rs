//! `sanitizer`: the simulator's findings beside what compute-sanitizer reports of the same kernels on a GPU.

use std::fmt::Write as _;

use kernels::sanitizer::{Comparison, Finder, NOTHING, STOPPED, Said, TOOLS, comparison, comparison_of_problems};

use crate::fault::Reason;
use crate::html::{self, Table, code, escape};

/// A row per faulty kernel of the catalogue, and behind the table why some are found by one side alone.
pub(crate) fn sanitizer() -> Result<String, Reason> {
    comparison().map(|comparison| page(&comparison)).map_err(Reason::Contradicted)
}

/// The same for the versions of the workbook's problems, of which only those are shown of whom somebody has something to
/// say.
pub(crate) fn problems() -> Result<String, Reason> {
    let mut comparison = comparison_of_problems().map_err(Reason::Contradicted)?;
    let all = comparison.kernels.len();
    comparison.kernels.retain(|said| !said.warpbook.is_empty() || said.tools.iter().any(|tool| tool != NOTHING));
    let silent = html::number((all - comparison.kernels.len()) as u64);
    Ok(format!("<p>Of {silent} more versions neither side has findings.</p>\n") + &page(&comparison))
}

fn page(comparison: &Comparison) -> String {
    let summary = format!("All {} kernels, one by one", html::number(comparison.kernels.len() as u64));
    let mut html = html::folded(&summary, &table(comparison).html());
    for (finder, title) in [
        (Finder::Simulator, "Found by the simulator alone"),
        (Finder::Sanitizer, "Reported by compute-sanitizer alone"),
    ] {
        let causes = || comparison.causes.iter().filter(move |cause| cause.finder == finder);
        let count: usize = causes().map(|cause| cause.kernels.len()).sum();
        let _ = writeln!(html, "<p><strong>{title}: {count}.</strong></p>");
        if count == 0 {
            continue;
        }
        html += "<ul>\n";
        for cause in causes() {
            let kernels: Vec<String> = cause.kernels.iter().map(|kernel| code(kernel)).collect();
            let _ = writeln!(html, "<li>{} ({}: {})</li>", escape(&cause.why), kernels.len(), kernels.join(", "));
        }
        html += "</ul>\n";
    }
    html
}

fn table(comparison: &Comparison) -> Table {
    let kernels = &comparison.kernels;
    let of = |key: &str| escape(comparison.head.get(key).map_or("unknown", String::as_str));
    let row = |said: &Said| {
        let cell = |text: &String| match text.as_str() {
            NOTHING => "–".to_owned(),
            text if text.starts_with(STOPPED) => "(stopped)".to_owned(),
            text => escape(text),
        };
        let missed = said.missed();
        let mut who = match (missed.len(), said.warpbook.len()) {
            (0, _) => "both".to_owned(),
            (missed, all) if missed == all => "simulator".to_owned(),
            _ => format!("both; {} by the simulator", escape(&missed.join(" "))),
        };
        if !said.added().is_empty() {
            who += &format!("; more by {}", said.added().join(" and "));
        }
        let mut cells = vec![code(&said.kernel), escape(&said.warpbook.join(" "))];
        cells.extend(said.tools.iter().map(cell));
        cells.push(who);
        cells
    };
    let count = |says: &dyn Fn(&Said) -> bool| html::number(kernels.iter().filter(|said| says(said)).count() as u64);
    let mut total = vec![html::number(kernels.len() as u64) + " kernels", count(&|said| !said.warpbook.is_empty())];
    let reports = |said: &Said, tool: usize| said.tools[tool] != NOTHING && !said.tools[tool].starts_with(STOPPED);
    total.extend((0..TOOLS.len()).map(|tool| count(&|said| reports(said, tool))));
    total.push(count(&|said| said.finders().is_empty()) + " by both");
    let mut heads = vec!["kernel".to_owned(), "simulator".to_owned()];
    heads.extend(TOOLS.map(str::to_owned));
    heads.push("found by".to_owned());
    Table {
        caption: format!(
            "What is found in each kernel. The simulator's findings, and what the tools of compute-sanitizer {} reported \
             first on an {}, driver {}.",
            of("compute-sanitizer"),
            of("gpu"),
            of("driver")
        ),
        heads,
        rows: kernels.iter().map(row).collect(),
        total: Some(total),
        text_columns: 3 + TOOLS.len(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_kernel_has_a_row_and_every_difference_a_cause() {
        let page = super::sanitizer().unwrap();
        assert!(page.contains("H200") && page.contains("<code>tile_overwritten</code>"), "{page}");
        assert!(page.matches("<tr>").count() > 60);
        assert!(page.contains("Found by the simulator alone: ") && page.matches("<li>").count() > 1);
        let page = super::problems().unwrap();
        assert!(page.contains("H200") && page.contains("<code>prefix_in_place</code>"), "{page}");
        assert!(page.contains("more versions") && !page.contains("<code>reduce_modulo</code>"));
    }
}
