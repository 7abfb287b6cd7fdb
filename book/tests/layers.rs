//! The layers of the crate: which module may know which.

#[path = "../../tests/shared/layers.rs"]
mod layers;

use std::path::Path;

/// The modules from the bottom up. A module may use those of the layers below its own, and no others. Figures, tables and
/// values take what directives are filled from (`context`); none of them knows who fills (`fill`).
const LAYERS: &[&[&str]] = &[
    &[
        "cache",
        "commands",
        "console",
        "cuda",
        "directive",
        "fault",
        "html",
        "http",
        "lab",
        "log",
        "math",
        "repeats",
        "source",
    ],
    &["access", "claims", "code", "guard", "home", "instructions", "sanitizer", "svg", "time", "verdict"],
    &["runs"],
    &["catalogue", "context", "listings", "machine_runs", "quantity", "wrong"],
    &["machine", "real", "reference", "tables", "targets"],
    &["value"],
    &["blocks", "explorer", "figures", "hold", "ladder"],
    &["least"],
    &["excerpt", "relation", "summary"],
    &["panel"],
    &["play", "stepper"],
    &["parts"],
    &["registry"],
    &["directives"],
    &["authoring", "fill"],
    &["preprocessor"],
    &["site"],
    &["serve"],
];

#[test]
fn every_module_has_a_layer_and_uses_only_what_lies_below_it() {
    layers::check(&layers::uses(Path::new(env!("CARGO_MANIFEST_DIR")), "book"), LAYERS);
}
