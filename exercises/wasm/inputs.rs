// What a grader is made of besides an engine's sources; read by its build script and by the book's, as sim/wasm/inputs.rs is.

/// The sources, from the root of the repository.
pub(crate) const GRADER: [&str; 5] =
    ["exercises/src", "exercises/wasm/src", "kernels/cuda/front/src", "kernels/launch/src", "sim/advice/src"];
