//! The commands of the README, of the book and of `tests/cmd/*.md`, typed as a user would, with what they print.
//!
//! After a wanted change of the output: `TRYCMD=overwrite cargo test --test commands`, then review the difference.

use kernels::testing::not_run;

/// The NVRTC whose code the pages show; another one may order instructions otherwise and count a few more or less.
const NVRTC: (u32, u32) = (13, 0);

/// The pages show what is printed where no ptxas is: what it adds depends on its version.
fn pages() -> trycmd::TestCases {
    let pages = trycmd::TestCases::new();
    pages.env(kernels::lowering::OVERRIDE, "no-ptxas-here");
    pages
}

/// Every console block, from the repository's root.
#[test]
fn commands_print_what_the_pages_show() {
    pages().case("README.md").case("tests/cmd/*.md");
}

/// Those that compile a `.cu` file.
#[test]
fn commands_with_a_compiler_print_what_the_pages_show() {
    let what = "the commands of tests/compiled and of the book's page on your own kernels";
    match kernels::nvrtc::get() {
        Err(error) => not_run(what, &error.to_string()),
        Ok(nvrtc) if nvrtc.version() != NVRTC => {
            not_run(what, &format!("NVRTC is {:?}, not {NVRTC:?}", nvrtc.version()));
        }
        Ok(_) => {
            pages().case("tests/compiled/*.md").case("book/chapters/your-kernels.md");
        }
    }
}
