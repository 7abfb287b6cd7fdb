//! Every row of the list, computed by the way that the commands go.

use std::collections::BTreeSet;
use std::path::Path;

use super::*;

/// All rows. Computed once for all tests: they take seconds.
fn all() -> &'static [Row] {
    static ROWS: std::sync::OnceLock<Vec<Row>> = std::sync::OnceLock::new();
    ROWS.get_or_init(|| rows(&select(None, None).unwrap()).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn every_row_has_the_verdict_that_the_list_expects() {
    let wrong: Vec<String> = (all().iter())
        .filter_map(|row| row.contradiction.as_ref().map(|why| format!("{}: {why}: {row:#?}", row.id)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_publication_has_its_rows_and_every_verdict_comes_up() {
    assert!(all().len() >= 60, "{}", summary(all()));
    for seed in Seed::ALL {
        assert!(all().iter().filter(|row| row.seed == seed).count() >= 8, "{seed}");
    }
    for verdict in Verdict::ALL {
        assert!(all().iter().any(|row| row.verdict == verdict), "{}", verdict.text());
    }
    let unchecked = all().iter().filter(|row| row.verdict == Verdict::CannotBeChecked).count();
    assert!(unchecked * 10 < all().len(), "{unchecked} rows are not checked");
}

#[test]
fn every_figure_has_a_command_and_measured_ones_name_the_record() {
    for row in all() {
        for figure in row.then.iter().chain(&row.now) {
            let reported = figure.origin == Origin::Reported;
            assert_eq!(figure.commands.is_empty(), reported, "{}: {figure:?}", row.id);
            assert!(figure.commands.iter().all(|command| command.starts_with("warpbook ")), "{}", row.id);
            let compares = figure.commands.iter().any(|command| command.starts_with("warpbook compare"));
            assert_eq!(compares, figure.origin == Origin::SimulatedAndMeasured, "{}", row.id);
            assert!(!reported || figure.target != NOW, "{}: what holds today is not taken at anybody's word", row.id);
        }
        assert!(!row.why.contains(['{', '}']), "{}: {}", row.id, row.why);
    }
    let measured =
        all().iter().filter(|row| row.now.as_ref().is_some_and(|n| n.origin == Origin::SimulatedAndMeasured));
    assert!(measured.count() >= 8);
}

#[test]
fn a_changed_claim_is_a_contradiction() {
    let mut lab = Lab::default();
    let claim = select(Some("gems-tree-additions"), None).unwrap()[0];
    let other = Claim { value: "2*n".to_owned(), ..claim.clone() };
    let row = judge(&other, &mut lab).unwrap();
    assert_eq!(row.verdict, Verdict::Erratum);
    let why = row.contradiction.unwrap();
    assert!(why.contains("expects “holds”") && why.contains("“erratum” comes out"), "{why}");

    // Another launch than the recorded one.
    let mut other = claim.clone();
    other.names.insert("n".to_owned(), "256".to_owned());
    let error = judge(&other, &mut lab).unwrap_err().to_string();
    assert!(error.contains("gems-tree-additions") && error.contains("has other launches"), "{error}");

    // A run that should be clean and is not.
    let claim = select(Some("wilt-overflow"), None).unwrap()[0];
    let mut other = claim.clone();
    other.runs.values_mut().for_each(|run| run.faulty = false);
    let error = judge(&other, &mut lab).unwrap_err().to_string();
    assert!(error.contains("is not clean") && error.contains("elements are wrong"), "{error}");
}

#[test]
fn what_is_wrong_with_a_list_is_said() {
    let row = "[[claim]]\nid = \"ha-x\"\nseed = \"ha\"\nplace = \"1\"\nsays = \"x\"\nvalue = \"1\"\nunit = \"x\"\n\
               verdict = \"holds\"\nwhy = \"\"\ntarget = \"gtx580\"\n";
    let figure = "figure = \"1\"\n";
    assert_eq!(file::parse(&format!("{row}{figure}")).unwrap().len(), 1);
    for (text, part) in [
        (format!("{row}{figure}{row}{figure}"), "two claims are called `ha-x`"),
        (row.to_owned(), "has no figure"),
        (format!("{row}{figure}test = \"about\"\n"), "a tolerance belongs to"),
        (format!("{row}{figure}").replace("gtx580", "gtx581"), "there is no target `gtx581`"),
        (format!("{row}{figure}").replace("ha-x", "x"), "begins with that of its publication"),
        (format!("{row}{figure}verdicts = 1\n"), "verdicts"),
    ] {
        let why = file::parse(&text).unwrap_err();
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn claims_are_found_by_name_words_and_publication() {
    assert_eq!(select(Some("ha-half"), None).unwrap().len(), 1);
    assert!(select(Some("listing 39-1"), None).unwrap().iter().any(|claim| claim.id == "gems-listing-39-1"));
    assert!(select(None, Some(Seed::Wilt)).unwrap().iter().all(|claim| claim.seed == Seed::Wilt));
    assert!(select(Some("erratum"), None).unwrap().iter().all(|claim| claim.verdict == Verdict::Erratum));
    let error = select(Some("no such thing"), None).unwrap_err();
    assert!(error.exit_code() == 2 && error.to_string().contains("wilt"), "{error}");
}

#[test]
fn launch_files_and_listings_are_those_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("claims");
    let names = |folder: &Path, extension: &str| -> BTreeSet<String> {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let wanted = files.filter(|path| path.extension().is_some_and(|e| e == extension));
        wanted.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
    };
    let mut there: BTreeSet<String> = names(&folder, "toml");
    there.remove("claims.toml");
    let there: BTreeSet<String> = (there.iter().map(|name| format!("kernels/claims/{name}")))
        .chain(names(&folder.join("ptx"), "ptx").iter().map(|name| format!("kernels/claims/ptx/{name}")))
        .collect();
    let known: BTreeSet<String> = file::FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(there, known);
    let listings = std::fs::read_to_string(folder.join("cu/listings.cu")).unwrap();
    let text = file::FILES.iter().find(|(name, _)| name.ends_with("listings.ptx")).unwrap().1;
    let header = crate::ptx::Header::parse(text).unwrap();
    assert_eq!(header.source_sha256, crate::ptx::sha256(&listings), "run: cargo dev ptx --kernels kernels/claims");
    if let Err(why) = crate::regenerate::can_make() {
        return crate::testing::not_run("making the PTX of the claims' listings again", &why);
    }
    let made = crate::regenerate::make_in(Path::new("kernels/claims"), "listings", &listings).unwrap();
    assert!(made.ptx == text && made.log.is_empty(), "run: cargo dev ptx --kernels kernels/claims");
}
