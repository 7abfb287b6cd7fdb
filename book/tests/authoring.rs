//! The lists of directives in AUTHORING.md are those of the registry. `WARPBOOK_BLESS=1 cargo test -p book --test
//! authoring` writes them anew.

use std::fs;
use std::path::Path;

const BLESS: &str = "WARPBOOK_BLESS";
const END: &str = "<!-- end -->";

/// The guide with the lists of the registry in it.
fn written(guide: &str) -> String {
    let mut guide = guide.to_owned();
    for (section, list) in book::directive_lists() {
        let mark = format!("<!-- directives: {section} -->\n");
        let start = guide.find(&mark).unwrap_or_else(|| panic!("AUTHORING.md has no place for {section}: {mark}"));
        let from = start + mark.len();
        let to = from + guide[from..].find(END).unwrap_or_else(|| panic!("{mark} has no {END}"));
        guide.replace_range(from..to, &list);
    }
    guide
}

#[test]
fn the_guide_lists_the_directives_of_the_registry() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("AUTHORING.md");
    let guide = fs::read_to_string(&path).unwrap();
    let marks = guide.matches("<!-- directives: ").count();
    assert_eq!(marks, book::directive_lists().len(), "a mark in AUTHORING.md names no section of the registry");
    let right = written(&guide);
    if std::env::var_os(BLESS).is_some() {
        fs::write(&path, right).unwrap();
        return;
    }
    assert!(guide == right, "book/AUTHORING.md is not what src/directives.rs says: run this test with {BLESS}=1");
}
