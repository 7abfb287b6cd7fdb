//! What the edits that are tried say of the workbook's own kernels. The list is committed, so that whoever changes a rule
//! sees what it does to all of them: `WARPBOOK_BLESS=1 cargo test -p kernels --test edits` writes it, to be read.

use std::fmt::Write as _;
use std::path::Path;

use kernels::case::Case;
use kernels::{cases, problem, simulate};
use rayon::prelude::*;

/// Most threads of a case, all launches together.
const MOST_THREADS: u64 = 1 << 16;

#[test]
fn the_list_of_suggested_edits_is_as_it_was_read() {
    let all = cases::all();
    let versions =
        problem::all().iter().flat_map(|problem| problem.versions.iter().map(move |version| (problem.name, *version)));
    let chosen: Vec<&Case> = versions
        .filter_map(|(problem, version)| {
            let own = all.iter().filter(|case| (case.problem, case.version) == (problem, version));
            own.filter(|case| case.threads() <= MOST_THREADS).max_by_key(|case| case.threads())
        })
        .collect();
    let lines: Vec<String> = chosen.into_par_iter().map(told).collect();
    let list = lines.concat();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("truth/edits.txt");
    if std::env::var_os("WARPBOOK_BLESS").is_some() {
        std::fs::write(&path, &list).expect("the list");
        return;
    }
    let committed = std::fs::read_to_string(&path).expect("the committed list");
    assert!(
        list == committed,
        "other edits are suggested than in {}: WARPBOOK_BLESS=1 writes the new list, to be read\n{list}",
        path.display()
    );
}

/// A line for the case, and one for each edit of each of its kernels.
fn told(case: &Case) -> String {
    let mut text = format!("{case}\n");
    let mut before = String::new();
    for (kernel, advice) in simulate::advice(case).expect("a case of our own") {
        let mut own = String::new();
        for one in advice {
            let gain = one.time.map_or_else(|| "not modelled".to_owned(), |time| time.change());
            let _ = writeln!(
                own,
                "    {kernel}: {} at line {}, {} {} -> {}, time {gain}",
                one.edit, one.line, one.unit, one.before, one.after
            );
        }
        // Launches of one kernel that follow each other often say the same.
        if own != before {
            text += &own;
        }
        before = own;
    }
    text
}
