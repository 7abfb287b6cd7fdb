//! The layers of the crate: which module may know which.

#[path = "../../tests/shared/layers.rs"]
mod layers;

use std::path::Path;

/// The modules from the bottom up. A module may use those of the layers below its own, and no others. What a grade
/// consists of lies below who grades, asks and shows; only `grade` knows `quiz`.
const LAYERS: &[&[&str]] = &[
    &["built", "compiler", "data", "measure", "model", "spec", "starter"],
    &["bounds", "course", "words"],
    &["answers", "info", "instance"],
    &["replay", "shipped", "show", "state"],
    &["feedback", "quiz"],
    &["grade"],
    &["bundle", "misconception", "native"],
    &["attempt", "compilers", "prebuild", "roads"],
    &["page"],
    &["class", "desk"],
    &["audit", "runner", "service"],
];

fn uses() -> layers::Uses {
    layers::uses(Path::new(env!("CARGO_MANIFEST_DIR")), "exercises")
}

#[test]
fn every_module_has_a_layer_and_uses_only_what_lies_below_it() {
    layers::check(&uses(), LAYERS);
}

#[test]
fn only_the_grader_knows_the_questions() {
    let uses = uses();
    let knowing: Vec<&str> =
        uses.iter().filter(|(_, used)| used.contains_key("quiz")).map(|(module, _)| &**module).collect();
    assert_eq!(knowing, ["grade"]);
}
