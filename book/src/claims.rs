//! `claims`: what the publications behind the workbook claim in numbers, beside what comes out today.

use kernels::claims::{self, Figure, NOW, Row, Seed, Verdict};

use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, Table, code, html, row, sentence, text, texts};

/// The table of one publication's claims (`claims gems`), or of all that have one verdict (`claims verdict=erratum`).
pub(crate) fn claims(directive: &mut Directive) -> Result<Markup, Reason> {
    let wrong = |error: claims::ClaimsError| Reason::Wrong(error.to_string());
    if let Some(verdict) = directive.maybe("verdict") {
        let known = Verdict::ALL.into_iter().find(|known| known.text() == verdict);
        let known = known.ok_or_else(|| {
            let names = Verdict::ALL.map(Verdict::text).join(", ");
            Reason::Wrong(format!("there is no verdict `{verdict}`; there are {names}"))
        })?;
        let mut claims = claims::select(None, None).map_err(wrong)?;
        claims.retain(|claim| claim.verdict == known);
        let rows = agreed(claims::rows(&claims).map_err(wrong)?)?;
        let caption = format!("All claims of which the verdict is “{verdict}”.");
        return Ok(explained(caption, &rows).html());
    }
    let seed: Seed = directive.word("a publication, such as `gems`")?.parse().map_err(Reason::Wrong)?;
    let rows = agreed(claims::rows(&claims::select(None, Some(seed)).map_err(wrong)?).map_err(wrong)?)?;
    Ok(table(seed, &rows).html())
}

/// The rows, if none of them contradicts the list or a record.
fn agreed(rows: Vec<Row>) -> Result<Vec<Row>, Reason> {
    let all: Vec<String> =
        (rows.iter()).filter_map(|row| row.contradiction.as_ref().map(|why| format!("{}: {why}", row.id))).collect();
    if all.is_empty() { Ok(rows) } else { Err(Reason::Contradicted(all.join("; "))) }
}

/// A figure with where it comes from as its title.
fn cell(figure: Option<&Figure>) -> Markup {
    let Some(figure) = figure else { return text("–") };
    let Figure { target, value, text, origin, .. } = figure;
    html! {
        data class="wb-number" value=(value) title={ (target) ": " (origin.text()) } { (text) }
        @if target != NOW { " (" (target) ")" }
    }
}

fn table(seed: Seed, rows: &[Row]) -> Table {
    let row = |row: &Row| {
        row![
            code(&row.id),
            row.place,
            row.says,
            format_args!("{} {}", row.claimed, row.unit),
            cell(row.then.as_ref()),
            cell(row.now.as_ref()),
            row.verdict.text(),
        ]
    };
    Table {
        caption: html! { (seed.title()) ". " (claims::summary(rows)) "." },
        heads: texts(["claim", "where", "what it says", "claimed", "then", "H200", "verdict"]),
        rows: rows.iter().map(row).collect(),
        total: None,
        text_columns: 7,
    }
}

fn explained(caption: String, rows: &[Row]) -> Table {
    let row = |row: &Row| {
        row![
            code(&row.id),
            format_args!("{}: {}", row.place, row.says),
            format_args!("{} {}", row.claimed, row.unit),
            html! { (cell(row.then.as_ref())) "; " (cell(row.now.as_ref())) },
            sentence(&row.why),
        ]
    };
    Table {
        caption: text(caption),
        heads: texts(["claim", "what it says", "claimed", "then; H200", "why"]),
        rows: rows.iter().map(row).collect(),
        total: None,
        text_columns: 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::{Piece, pieces};

    fn fill(text: &str) -> Result<String, String> {
        let Ok([Piece::Directive(directive)]) = pieces(text).map(|p| <[Piece<'_>; 1]>::try_from(p).unwrap()) else {
            panic!("{text} is one directive")
        };
        claims(&mut directive.clone()).map(Markup::into_string).map_err(|reason| reason.to_string())
    }

    #[test]
    fn a_publication_has_a_table_and_what_is_misspelt_is_named() {
        let page = fill("{{#wb claims spataro}}").unwrap();
        assert!(page.contains("<code>spataro-five-rounds</code>") && page.contains("(gtx980)"), "{page}");
        assert!(fill("{{#wb claims sparato}}").unwrap_err().contains("there is no publication `sparato`"));
        assert!(fill("{{#wb claims verdict=wrong}}").unwrap_err().contains("there is no verdict `wrong`"));
    }
}
