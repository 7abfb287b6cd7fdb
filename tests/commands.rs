//! The commands of the README and of `tests/cmd/*.md`, typed as a user would, with what they print.
//!
//! After a wanted change of the output: `TRYCMD=overwrite cargo test --test commands`, then review the difference.

/// Every console block, from the repository's root.
#[test]
fn commands_print_what_the_pages_show() {
    trycmd::TestCases::new().case("README.md").case("tests/cmd/*.md");
}
