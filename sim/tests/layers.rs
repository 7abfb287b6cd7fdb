//! The layers of the crate: which module may know which. Rust lets modules of a crate import one another in circles; here
//! they may not.

#[path = "../../tests/shared/layers.rs"]
mod layers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The modules from the bottom up. A module may use those of the layers below its own, and no others.
///
/// What executes and observes is one layer as yet: its modules still know each other.
const LAYERS: &[&[&str]] = &[
    &["diagnostic"],
    &["error", "ptx"],
    &["semantics"],
    &["isa", "ir"],
    &["lower", "ptxas"],
    &["prepare"],
    &[
        "check",
        "exec",
        "launch",
        "machine",
        "memory",
        "observe",
        "predict",
        "report",
        "schedules",
        "simulate",
        "target",
    ],
    &["extents"],
];
/// The layer within which circles remain.
const UNLAYERED: usize = 6;

fn uses() -> layers::Uses {
    layers::uses(Path::new(env!("CARGO_MANIFEST_DIR")), "sim")
}

#[test]
fn every_module_has_a_layer_and_uses_only_what_lies_below_it() {
    layers::check(&uses(), LAYERS, &[UNLAYERED]);
}

#[test]
fn the_layer_in_which_circles_remain_names_no_module_without_one() {
    let uses = uses();
    let layer = LAYERS[UNLAYERED];
    let reach = |from: &str| {
        let (mut seen, mut stack) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(module) = stack.pop() {
            let next = uses.get(&module).into_iter().flat_map(BTreeMap::keys);
            stack.extend(next.filter(|next| layer.contains(&next.as_str()) && seen.insert((*next).clone())).cloned());
        }
        seen
    };
    let free: Vec<&&str> = layer.iter().filter(|module| !reach(module).contains(**module)).collect();
    assert!(free.is_empty(), "{free:?}: free of circles, and can have a layer of their own");
}
