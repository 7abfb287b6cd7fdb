//! The layers of the crate: which module may know which. Rust lets modules of a crate import one another in circles; here
//! they may not.

#[path = "../../tests/shared/layers.rs"]
mod layers;

use std::path::Path;

/// The modules from the bottom up. A module may use those of the layers below its own, and no others. Problems are data:
/// they know cases and workloads, and nothing of who runs them.
const LAYERS: &[&[&str]] = &[
    &["assembled"],
    &["check", "counters", "known_differences", "open", "provenance", "ptx", "verdict"],
    &["case", "cubins"],
    &["least", "machine_truth", "stopwatch", "truth", "workload"],
    &["probes", "problem", "simulate"],
    &["baseline", "bench", "cases", "isa", "known", "picture", "testing"],
    &[
        "compilers",
        "translation",
        "lowering",
        "machine_code",
        "machine_comparison",
        "regenerate",
        "sanitizer",
        "timing",
    ],
    &["compare", "record"],
    &["native"],
    &["launch"],
    &["claims", "requests", "roads"],
];

#[test]
fn every_module_has_a_layer_and_uses_only_what_lies_below_it() {
    layers::check(&layers::uses(Path::new(env!("CARGO_MANIFEST_DIR")), "kernels"), LAYERS);
}
