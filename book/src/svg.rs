//! Drawings and the figures around them.

pub(crate) use markup::svg::{Svg, figure, ranges, room, steps};
