//! The layers of the crate: which module may know which.

#[path = "../../../tests/shared/layers.rs"]
mod layers;

use std::path::Path;

/// The modules from the bottom up. A module may use those of the layers below its own, and no others.
const LAYERS: &[&[&str]] = &[
    &["access", "cells", "targets"],
    &["atomics", "ballot", "banks", "rounds", "sectors", "threads"],
    &["waves"],
    &["explorer"],
];

#[test]
fn every_module_has_a_layer_and_uses_only_what_lies_below_it() {
    layers::check(&layers::uses(Path::new(env!("CARGO_MANIFEST_DIR")), "draw"), LAYERS);
}
