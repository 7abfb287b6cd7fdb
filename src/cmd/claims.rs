//! `warpbook claims`.

use kernels::claims::{self, ClaimsError, Figure, NOW, Row, Seed};

use super::{Ended, FAULTY, Failure, INTERNAL};
use crate::cli::Claims;
use crate::out::{self, say};

pub(crate) fn run(args: &Claims, json: bool) -> Ended {
    let failed = |error: ClaimsError| Failure::new(error.exit_code(), error);
    let claims = claims::select(args.filter.as_deref(), args.seed).map_err(failed)?;
    let rows = claims::rows(&claims).map_err(failed)?;
    match &rows[..] {
        _ if json => out::json(&rows)?,
        _ if args.csv => print!("{}", claims::csv(&rows).map_err(|error| Failure::new(INTERNAL, error))?),
        [row] if args.filter.as_ref() == Some(&row.id) => explain(row),
        rows => list(rows),
    }
    let contradictions: Vec<&Row> = rows.iter().filter(|row| row.contradiction.is_some()).collect();
    for row in &contradictions {
        eprintln!("error: {}: {}", row.id, row.contradiction.as_deref().unwrap_or_default());
    }
    Ok(if contradictions.is_empty() { 0 } else { FAULTY })
}

fn list(rows: &[Row]) {
    for seed in Seed::ALL {
        let of_seed: Vec<&Row> = rows.iter().filter(|row| row.seed == seed).collect();
        if of_seed.is_empty() {
            continue;
        }
        say!("{}", seed.title());
        let head = ["claim", "what it says", "claimed", "then", "H200", "verdict"];
        let cells = of_seed.iter().map(|row| {
            let then =
                row.then.as_ref().map_or("–".to_owned(), |figure| format!("{} ({})", figure.text, figure.target));
            let now = row.now.as_ref().map_or("–".to_owned(), |figure| figure.text.clone());
            let claimed = format!("{} {}", row.claimed, row.unit);
            vec![row.id.clone(), row.says.clone(), claimed, then, now, row.verdict.text().to_owned()]
        });
        let table = out::table(&head, cells.collect(), head.len()).spare(&["then", "claimed"]);
        say!("{table}\n");
    }
    say!("{}", claims::summary(rows));
    say!("`warpbook claims NAME` explains a row: what was run, what came out, and why the verdict");
}

fn explain(row: &Row) {
    say!("{}: {}\n", row.id, row.verdict.text());
    say!("{}", row.seed.title());
    say!("{}: {}", row.place, row.says);
    say!("claimed: {} {}", row.claimed, row.unit);
    if !row.figure.is_empty() {
        say!("here: {}", row.figure);
    }
    for (when, figure) in [("then", &row.then), ("now", &row.now)] {
        let Some(figure) = figure else { continue };
        let fits = if figure.fits { "as claimed" } else { "not as claimed" };
        say!("\n{when}, {}: {} ({}; {fits})", title(figure), figure.text, figure.origin.text());
        for (name, value) in &figure.parts {
            say!("    {name} = {value}");
        }
        for command in &figure.commands {
            say!("    $ {command}");
        }
    }
    say!("\n{}", row.why);
}

/// The GPU with its article.
fn title(figure: &Figure) -> String {
    let title = sim::target::find(&figure.target).map(|target| target.title.clone());
    let title = title.unwrap_or_else(|| figure.target.clone());
    if figure.target == NOW { title } else { format!("{title} ({})", figure.target) }
}
