//! The places of a drawing that a reader can select: squares, each with its lanes.

use serde::Serialize;

/// A square of a drawing, in units of its view box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// Its left edge.
    pub x: u32,
    /// Its upper edge.
    pub y: u32,
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// Its lanes, as a mask; of a block's threads, the number of the thread.
    pub lanes: u32,
}
