//! The layers of the crate: which module may know which. Rust lets modules of a crate import one another in circles; here
//! they may not.

#[path = "../../../tests/shared/layers.rs"]
mod layers;

use std::path::Path;

/// The modules from the bottom up. A module may use those of the layers below its own, and no others.
const LAYERS: &[&[&str]] = &[
    &["data", "number", "origin"],
    &["shown"],
    &["parts", "ptx"],
    &["counters", "findings", "least", "light", "memory", "mix", "occupancy", "roofline", "source", "warps"],
    &["advised", "head"],
    &["page"],
    &["of"],
];

#[test]
fn every_module_has_a_layer_and_uses_only_what_lies_below_it() {
    layers::check(&layers::uses(Path::new(env!("CARGO_MANIFEST_DIR")), "kernels/profile"), LAYERS);
}
