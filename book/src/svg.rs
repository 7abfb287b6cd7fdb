//! Drawings and the figures around them: those of the crate `draw`, and those that the workbook's programs make.

use draw::svg::alternative;
pub(crate) use draw::svg::{Svg, figure, ranges, room, steps};
use kernels::svg::Drawing;

/// A drawing of the workbook's own programs, whose classes the style sheet `drawings.css` colours.
pub(crate) fn drawn(drawing: &Drawing) -> String {
    let Drawing { width, height, title, description, body } = drawing;
    format!(
        "<div class=\"wb-scroll\" tabindex=\"0\"><svg class=\"wb-drawn\" viewBox=\"0 0 {width} {height}\" {} \
         style=\"min-width:{:.0}px;max-width:{width}px\">\n{body}</svg></div>\n",
        alternative(title, description),
        width * 0.8,
    )
}
