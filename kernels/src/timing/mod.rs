//! Predicted times beside measured ones: the versions and workloads of the bench record, each launch predicted from a
//! sample of its blocks, held against what a GPU took; and predictions as pictures.
//!
//! Numbers of the target come from benchmarks of their own (`kernels/calibrate`), so that no kernel here took part in
//! them.

pub mod calibrate;
mod evaluation;
pub mod gantt;
pub mod hit_rates;
pub mod open;
pub mod roofline;
mod rows;
pub mod speed_of_light;
#[cfg(test)]
mod tests;

pub use evaluation::{Evaluation, Figures, recorded};
pub use rows::{Launched, Road, Row, TimingError, predict};

/// Shortest times that count, in microseconds: below, launches are most of it.
pub const SHORTEST_US: f64 = 20.0;

/// Largest inputs that are made for a prediction, in elements.
pub const LARGEST: u64 = 1 << 24;

/// Elements times launches, at most: all launches but the last are simulated as a whole, so that the last one finds
/// what it would find.
pub const MOST_WORK: u64 = 1 << 26;

/// Predictions that are off by more than this factor are open questions.
pub const OPEN: f64 = 2.0;

/// Times that differ by more than this factor have an order.
pub const DIFFERS: f64 = 1.1;
