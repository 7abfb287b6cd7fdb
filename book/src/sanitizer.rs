//! `sanitizer`: the simulator's findings beside what compute-sanitizer reports of the same kernels on a GPU.

use kernels::sanitizer::{Comparison, Finder, NOTHING, STOPPED, Said, TOOLS, comparison, comparison_of_problems};

use crate::fault::Reason;
use crate::html::{self, Markup, Table, code, html, joined, row, texts};

/// A row per faulty kernel of the catalogue, and behind the table why some are found by one side alone.
pub(crate) fn sanitizer() -> Result<Markup, Reason> {
    comparison().map(|comparison| page(&comparison)).map_err(Reason::Contradicted)
}

/// The same for the versions of the workbook's problems, of which only those are shown of whom somebody has something to
/// say.
pub(crate) fn problems() -> Result<Markup, Reason> {
    let mut comparison = comparison_of_problems().map_err(Reason::Contradicted)?;
    let all = comparison.kernels.len();
    comparison.kernels.retain(|said| !said.warpbook.is_empty() || said.tools.iter().any(|tool| tool != NOTHING));
    let silent = html::number((all - comparison.kernels.len()) as u64);
    Ok(html! { p { "Of " (silent) " more versions neither side has findings." } "\n" (page(&comparison)) })
}

fn page(comparison: &Comparison) -> Markup {
    let summary = format!("All {} kernels, one by one", html::number(comparison.kernels.len() as u64));
    let finders = [
        (Finder::Simulator, "Found by the simulator alone"),
        (Finder::Sanitizer, "Reported by compute-sanitizer alone"),
    ];
    html! {
        (html::folded(&summary, table(comparison).html()))
        @for (finder, title) in finders {
            @let causes = || comparison.causes.iter().filter(move |cause| cause.finder == finder);
            @let count: usize = causes().map(|cause| cause.kernels.len()).sum();
            p { strong { (title) ": " (count) "." } }
            "\n"
            @if count > 0 {
                ul {
                    "\n"
                    @for cause in causes() {
                        @let kernels = cause.kernels.iter().map(|kernel| code(kernel));
                        li { (cause.why) " (" (kernels.len()) ": " (joined(kernels, ", ")) ")" }
                        "\n"
                    }
                }
                "\n"
            }
        }
    }
}

fn table(comparison: &Comparison) -> Table {
    let kernels = &comparison.kernels;
    let of = |key: &str| comparison.head.get(key).map_or("unknown", String::as_str);
    let row = |said: &Said| {
        let cell = |text: &String| match text.as_str() {
            NOTHING => "–".to_owned(),
            text if text.starts_with(STOPPED) => "(stopped)".to_owned(),
            text => text.to_owned(),
        };
        let missed = said.missed();
        let mut who = match (missed.len(), said.warpbook.len()) {
            (0, _) => "both".to_owned(),
            (missed, all) if missed == all => "simulator".to_owned(),
            _ => format!("both; {} by the simulator", missed.join(" ")),
        };
        if !said.added().is_empty() {
            who += &format!("; more by {}", said.added().join(" and "));
        }
        let mut cells = row![code(&said.kernel), said.warpbook.join(" ")];
        cells.extend(texts(said.tools.iter().map(cell)));
        cells.extend(row![who]);
        cells
    };
    let count = |says: &dyn Fn(&Said) -> bool| html::number(kernels.iter().filter(|said| says(said)).count() as u64);
    let mut total = vec![html::number(kernels.len() as u64) + " kernels", count(&|said| !said.warpbook.is_empty())];
    let reports = |said: &Said, tool: usize| said.tools[tool] != NOTHING && !said.tools[tool].starts_with(STOPPED);
    total.extend((0..TOOLS.len()).map(|tool| count(&|said| reports(said, tool))));
    total.push(count(&|said| said.finders().is_empty()) + " by both");
    let heads = ["kernel", "simulator"].into_iter().chain(TOOLS).chain(["found by"]);
    Table {
        caption: html! {
            "What is found in each kernel. The simulator's findings, and what the tools of compute-sanitizer "
            (of("compute-sanitizer")) " reported first on an " (of("gpu")) ", driver " (of("driver")) "."
        },
        heads: texts(heads),
        rows: kernels.iter().map(row).collect(),
        total: Some(texts(total)),
        text_columns: 3 + TOOLS.len(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_kernel_has_a_row_and_every_difference_a_cause() {
        let page = super::sanitizer().unwrap().0;
        assert!(page.contains("H200") && page.contains("<code>tile_overwritten</code>"), "{page}");
        assert!(page.matches("<tr>").count() > 60);
        assert!(page.contains("Found by the simulator alone: ") && page.matches("<li>").count() > 1);
        let page = super::problems().unwrap().0;
        assert!(page.contains("H200") && page.contains("<code>prefix_in_place</code>"), "{page}");
        assert!(page.contains("more versions") && !page.contains("<code>reduce_modulo</code>"));
    }
}
