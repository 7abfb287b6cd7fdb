// What the figures that play are made of besides an engine's sources; read by this crate's build script and by the book's, as
// sim/wasm/inputs.rs is.

/// The sources, from the root of the repository.
pub(crate) const ROUNDS: [&str; 4] =
    ["book/draw/rounds/src", "book/draw/src/rounds.rs", "book/draw/src/waves.rs", "book/markup/src"];
