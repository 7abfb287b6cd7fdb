//! What the book's pages on findings say of the exercises: which of them gives a learner a kernel with which finding.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use kernels::testing::not_run;

#[test]
fn starters_have_the_findings_that_the_book_names() {
    if let Err(why) = kernels::regenerate::can_make() {
        not_run("looking for findings in starters", &why);
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, kinds) in book::STARTERS {
        let run = Command::new(env!("CARGO_BIN_EXE_warpbook"))
            .args(["exercise", "check", name])
            .current_dir(root)
            .output()
            .expect("the program runs");
        let text = String::from_utf8_lossy(&run.stdout);
        assert_eq!(run.status.code(), Some(1), "{name}: {text}{}", String::from_utf8_lossy(&run.stderr));
        // `  line 20: race: thread 31 …`
        let found: BTreeSet<&str> = (text.lines())
            .filter_map(|line| line.strip_prefix("  line ")?.split_once(": ")?.1.split_once(": "))
            .map(|(kind, _)| kind)
            .collect();
        let named: BTreeSet<&str> = kinds.iter().map(|kind| kind.name()).collect();
        assert_eq!(found, named, "{name}: {text}");
    }
}
